/* SPDX-License-Identifier: Apache-2.0 */
/* METADATA and WHEEL: the head only, odd line ends, bad bytes. */
#include "formats/metadata.h"
#include "tap.h"

int main(void)
{
    struct arena a;
    arena_init(&a, 0);
    static const char text[] = "Metadata-Version: 2.4\r\nname: Tensor_Flow\r\nVersion:2.20.0\r\nLicense: A\r\n        Name: continuation\r\n"
                               "Requires-Python: >=3.9\r\nRequires-Dist: numpy>=1.26.0\r\nRequires-Dist: nvidia-x; extra == 'and-cuda'\r\n"
                               "Provides-Extra: and-cuda\r\n\r\nName: body\r\nRequires-Dist: body\r\n";
    struct metadata m = {0};
    struct err e = {0};
    ok(!metadata_parse(text, sizeof text - 1, &a, &m, &e), "a METADATA with CRLF is read");
    ok_str(m.name, "Tensor_Flow", "name as written");
    ok_str(m.version, "2.20.0", "version");
    ok_str(m.requires_python, ">=3.9", "requires-python");
    ok(m.n_requires_dist == 2 && str_eq(m.requires_dist[1], "nvidia-x; extra == 'and-cuda'"), "requirements up to the blank line");
    ok(m.n_provides_extra == 1 && str_eq(m.provides_extra[0], "and-cuda"), "extras");
    ok(metadata_head_complete(text, sizeof text - 1) && !metadata_head_complete(text, 100), "the end of the head is seen");
    ok(metadata_head_complete("A: b\n\nx", 7) && !metadata_head_complete("A: b\n", 5), "the end of the head is seen with LF");
    ok(!metadata_parse("Name: x", 7, &a, &m, &e) && str_eq(m.name, "x"), "no line end at the end");
    ok(!metadata_parse("\xef\xbb\xbfName: y\n", 11, &a, &m, &e) && str_eq(m.name, "y"), "a byte order mark is passed over");
    ok(metadata_parse("", 0, &a, &m, &e) < 0 && metadata_parse("\n\n", 2, &a, &m, &e) < 0, "an empty file is an error");
    ok(metadata_parse("Name: a\0b\n", 10, &a, &m, &e) < 0 && e.msg[0], "a NUL byte is an error and is named");
    const char **tags;
    size_t n;
    static const char wheel[] = "Wheel-Version: 1.0\nTag: cp311-cp311-manylinux_2_17_x86_64\nTag: cp311-cp311-manylinux2014_x86_64\n\n";
    ok(!metadata_parse_wheel(wheel, sizeof wheel - 1, &a, &tags, &n, &e) && n == 2 && str_eq(tags[1], "cp311-cp311-manylinux2014_x86_64"), "tags of WHEEL");
    ok_str(metadata_normal_name(&a, "A._-b__C", 8), "a-b-c", "normal name");
    arena_done(&a);
    return tap_done();
}
