/* SPDX-License-Identifier: Apache-2.0 */
/* driver-lines - what the driver child writes about two libraries: driver-lines LIBCUDA LIBNVIDIA-ML prints, as JSON, the value of a
 * manifest's key "driver". It asks them as `tfgpu check` does. */
#include <stdio.h>
#include <string.h>
#include "base/json.h"
#include "base/util.h"
#include "gpu/gpu.h"

enum { DEADLINE_MS = 10000 };

static void put_lines(struct jw *w, const char *key, const char *text, size_t len, struct arena *a)
{
    struct str line;
    size_t pos = 0;
    jw_arr(w, key);
    while (text && str_line(text, len, &pos, &line))
        jw_str(w, NULL, arena_strndup(a, line.p, line.n));
    jw_arr_end(w);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], GPU_CHILD) == 0)
        gpu_child(argc - 2, argv + 2);
    if (argc != 3)
        return 2;
    struct arena a;
    struct buf out;
    struct jw w;
    struct root *r;
    size_t n, len;
    arena_init(&a, 0);
    if (root_open_live(&a, &r, NULL) < 0)
        return 3;
    const char *const path[GPU_LIBS] = {argv[1], argv[2]};
    const struct root_env *env = root_environ(r, &n);
    struct gpu_ask *g = gpu_start(&a, path, env, n, DEADLINE_MS);
    gpu_finish(g);
    buf_init(&out, 0);
    jw_init(&w, &out);
    jw_obj(&w, NULL);
    const char *text = gpu_lines(g, GPU_CUDA, &len);
    put_lines(&w, "cuda", text, len, &a);
    text = gpu_lines(g, GPU_NVML, &len);
    put_lines(&w, "nvml", text, len, &a);
    jw_obj_end(&w);
    puts(out.p);
    buf_done(&out);
    root_close(r);
    arena_done(&a);
    return 0;
}
