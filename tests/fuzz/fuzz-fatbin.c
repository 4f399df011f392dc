/* SPDX-License-Identifier: Apache-2.0 */
/* fatbin: any bytes, as a section and as an ELF file; counts stay within what the bytes can hold. */
#include <stdint.h>
#include <stdlib.h>
#include "formats/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct fatbin *f, size_t size)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < f->n_archs; i++)
        sum += f->archs[i].count;
    if (sum > f->entries || f->entries > size / 48 || f->containers_read > size / 16 || (f->complete && f->bad_off))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memsrc m = {data, size};
    struct bytesrc s = bytesrc_mem(&m);
    struct arena a;
    struct err e;
    struct fatbin full, sample;
    struct elf elf;
    arena_init(&a, 0);
    if (fatbin_scan(&s, 0, size, &a, &full, &e) == 0)
        check(&full, size);
    if (elf_read(&s, false, &a, &elf, &e) == 0) {
        struct fatbin_opts o = {.full = true};
        int rc = fatbin_read(&s, &elf, &o, &a, &full, &e);
        if (rc == 0)
            check(&full, size);
        o.full = false;
        if (fatbin_read(&s, &elf, &o, &a, &sample, &e) == 0) {
            for (size_t i = 0; rc == 0 && full.complete && i < sample.n_archs; i++)
                if (sample.containers_read <= full.containers_read && !fatbin_has(&sample, sample.archs[i].kind, sample.archs[i].sm))
                    abort();
        }
    }
    arena_done(&a);
    return 0;
}
