/* SPDX-License-Identifier: Apache-2.0 */
/* libversion-list - prints what probe/libversion makes of libraries: path, version, source, CUDA major, its source. */
#include <stdio.h>
#include <time.h>
#include "probe/libversion.h"

int main(int argc, char **argv)
{
    struct arena a;
    struct root *r;
    struct err e = {0};
    arena_init(&a, 0);
    if (root_open_live(&a, &r, &e)) {
        fprintf(stderr, "%s\n", e.msg);
        return 1;
    }
    for (int i = 1; i < argc; i++) {
        struct libversion v;
        struct timespec t0, t1;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t0);
        (void)libversion_read(r, &a, argv[i], NULL, true, &v); /* false: the fields say so too */
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t1);
        printf("%s\t%s\t%s\t%u\t%s\t%ld\n", argv[i], v.version ? v.version : "-", v.source ? v.source : "-", v.cuda_major,
               v.cuda_source ? v.cuda_source : "-", (t1.tv_sec - t0.tv_sec) * 1000000L + (t1.tv_nsec - t0.tv_nsec) / 1000);
    }
    root_close(r);
    arena_done(&a);
    return 0;
}
