/* SPDX-License-Identifier: Apache-2.0 */
/* fatbin-list - prints what formats/fatbin makes of libraries, one JSON object a file, for tests/truth/run-fatbin. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "base/root.h"
#include "formats/fatbin.h"

static void print_kind(const struct fatbin *f, enum fatbin_kind kind, const char *name)
{
    bool first = true;
    printf(", \"%s\": {", name);
    for (size_t i = 0; i < f->n_archs; i++) {
        const struct fatbin_arch *k = &f->archs[i];
        if (k->kind != kind)
            continue;
        printf("%s\"%u", first ? "" : ", ", k->sm);
        if (k->variant)
            putchar(k->variant);
        printf("\": %u", k->count);
        first = false;
    }
    putchar('}');
}

static int list(struct root *r, const char *path, bool full, struct arena *a)
{
    struct rfile *file;
    struct err e = {0};
    struct elf elf;
    struct fatbin f;
    struct fatbin_opts o = {.full = full};
    struct timespec t0, t1;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t0);
    if (root_open(r, path, &file, &e)) {
        fprintf(stderr, "%s\n", e.msg);
        return 1;
    }
    struct bytesrc s = rfile_src(file);
    int rc = elf_read(&s, false, a, &elf, &e);
    if (!rc)
        rc = fatbin_read(&s, &elf, &o, a, &f, &e);
    rfile_close(file);
    if (rc) {
        fprintf(stderr, "%s: %s\n", path, e.msg);
        return 1;
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t1);
    printf("{\"file\": \"%s\", \"complete\": %s, \"containers\": %u, \"read\": %u, \"entries\": %u, \"reads\": %u, \"cpu_us\": %ld", path,
           f.complete ? "true" : "false", f.containers, f.containers_read, f.entries, f.reads,
           (t1.tv_sec - t0.tv_sec) * 1000000L + (t1.tv_nsec - t0.tv_nsec) / 1000);
    print_kind(&f, FATBIN_SASS, "sass");
    print_kind(&f, FATBIN_PTX, "ptx");
    printf("}\n");
    return 0;
}

int main(int argc, char **argv)
{
    struct arena a;
    struct root *r;
    struct err e = {0};
    int failed = 0;
    bool full = !(argc > 1 && strcmp(argv[1], "--sample") == 0);
    arena_init(&a, 0);
    if (root_open_live(&a, &r, &e)) {
        fprintf(stderr, "%s\n", e.msg);
        return 1;
    }
    for (int i = full ? 1 : 2; i < argc; i++)
        failed |= list(r, argv[i], full, &a);
    root_close(r);
    arena_done(&a);
    return failed;
}
