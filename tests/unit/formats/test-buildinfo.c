/* SPDX-License-Identifier: Apache-2.0 */
/* buildinfo: the forms that TensorFlow has written, and text that is no literal. */
#include "formats/buildinfo.h"
#include <errno.h>
#include "../tap.h"

static const char real[] =
    "# Copyright\n\"\"\"Auto-generated module providing information about the build.\"\"\"\nimport collections\n\n"
    "build_info = collections.OrderedDict([('cpu_compiler', '/usr/lib/llvm-18/bin/clang'), ('cuda_compute_capabilities', "
    "['sm_60', \"sm_89\", 'compute_90']), ('cuda_version', '12.5.1'), ('cudnn_version', '9'), ('is_cuda_build', True), "
    "('is_rocm_build', False), ('is_tensorrt_build', False)])\n";

static const struct { const char *name, *text; bool good; enum tri cuda; const char *version; size_t caps; } cases[] = {
    {"as written", real, true, TRI_YES, "12.5.1", 3},
    {"CPU build", "build_info = collections.OrderedDict([('is_cuda_build', False), ('is_rocm_build', False)])", true, TRI_NO, NULL, 0},
    {"plain dictionary", "build_info = {'is_cuda_build': True, 'cuda_version': '11.2',}", true, TRI_YES, "11.2", 0},
    {"dictionary in OrderedDict", "build_info = OrderedDict({'cuda_version': \"1\\\"2\"})", true, TRI_UNKNOWN, "1\"2", 0},
    {"lists as pairs", "build_info = OrderedDict([('x', (1, None, -2.5e3, [])), ('cuda_version', '12',),])", true, TRI_UNKNOWN, "12", 0},
    {"over several lines", "build_info = collections.OrderedDict(\n  [ # pairs\n  ('cuda_version',\r\n   '12')\n])\n", true, TRI_UNKNOWN, "12", 0},
    {"empty string means not stated", "build_info = {'cuda_version': ''}", true, TRI_UNKNOWN, NULL, 0},
    {"wrong type is not stated", "build_info = {'cuda_version': 12, 'is_cuda_build': 'True'}", true, TRI_UNKNOWN, NULL, 0},
    {"empty", "build_info = collections.OrderedDict()", true, TRI_UNKNOWN, NULL, 0},
    {"no assignment", "x = 1\n# build_info = {}\n", false, TRI_UNKNOWN, NULL, 0},
    {"comparison is none", "build_info == {}\n", false, TRI_UNKNOWN, NULL, 0},
    {"call inside", "build_info = {'cuda_version': f('12')}", false, TRI_UNKNOWN, NULL, 0},
    {"cut in a string", "build_info = {'cuda_version': '12", false, TRI_UNKNOWN, NULL, 0},
    {"cut in a list", "build_info = OrderedDict([('a', 'b')", false, TRI_UNKNOWN, NULL, 0},
    {"string over a line end", "build_info = {'a': 'b\nc'}", false, TRI_UNKNOWN, NULL, 0},
    {"too deep", "build_info = {'a': [[[[[[[[[[1]]]]]]]]]]}", false, TRI_UNKNOWN, NULL, 0},
};

int main(void)
{
    for (size_t i = 0; i < TG_COUNT(cases); i++) {
        struct arena a;
        struct buildinfo b = {0};
        struct err e = {0};
        arena_init(&a, 0);
        int rc = buildinfo_parse(cases[i].text, strlen(cases[i].text), &a, &b, &e);
        if (!cases[i].good) {
            ok(rc == -EBADMSG && strstr(e.msg, "byte"), "%s: refused, with the place", cases[i].name);
        } else {
            ok(rc == 0 && b.is_cuda == cases[i].cuda && b.n_capabilities == cases[i].caps, "%s", cases[i].name);
            ok_str(b.cuda_version, cases[i].version, cases[i].name);
        }
        arena_done(&a);
    }
    struct arena a;
    struct buildinfo b = {0};
    arena_init(&a, 0);
    ok(buildinfo_parse(real, sizeof real - 1, &a, &b, NULL) == 0 && b.is_rocm == TRI_NO && b.is_tensorrt == TRI_NO, "other switches");
    ok_str(b.capabilities[1], "sm_89", "capabilities in order");
    ok_str(b.cudnn_version, "9", "cuDNN");
    arena_done(&a);
    return tap_done();
}
