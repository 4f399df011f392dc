/* SPDX-License-Identifier: Apache-2.0 */
/* Heads of generated protobuf files, one of each style. */
#include "formats/pb2.h"
#include "tap.h"

static struct pb2 parse(const char *s)
{
    return pb2_parse(s, strlen(s));
}

int main(void)
{
    struct pb2 r = parse("from google.protobuf import descriptor as _descriptor\nDESCRIPTOR = _descriptor.FileDescriptor(\n  name='x',\n");
    ok(r.style == PB2_DESCRIPTORS && !r.needs_builder, "descriptors by hand");
    r = parse("from google.protobuf.internal import builder as _builder\nDESCRIPTOR = _descriptor_pool.Default().AddSerializedFile(b'')\n");
    ok(r.style == PB2_BUILDER && r.needs_builder, "builder");
    r = parse("from google.protobuf import message\nDESCRIPTOR = _descriptor_pool.Default().AddSerializedFile(b'')\n");
    ok(r.style == PB2_BUILDER && !r.needs_builder, "serialized file without the builder module");
    static const char versioned[] = "from google.protobuf.internal import builder as _builder\n_runtime_version.ValidateProtobufRuntimeVersion(\n"
                                    "    _runtime_version.Domain.PUBLIC,\r\n    5,\n    28,\n    3,\n    '',\n    'a.proto'\n)\n";
    r = parse(versioned);
    ok(r.style == PB2_VERSIONED && r.version[0] == 5 && r.version[1] == 28 && r.version[2] == 3, "version of the generated code");
    ok(pb2_parse(versioned, 150).style != PB2_VERSIONED, "a cut argument list states no version");
    ok(parse("").style == PB2_UNKNOWN && parse("print('google')").style == PB2_UNKNOWN, "other text");
    ok(parse("google.protobuf ValidateProtobufRuntimeVersion(a, 99999999999, 1, 1)").style == PB2_UNKNOWN, "numbers too large");
    return tap_done();
}
