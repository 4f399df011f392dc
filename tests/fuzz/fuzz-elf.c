/* SPDX-License-Identifier: Apache-2.0 */
/* ELF: any bytes, as a library and as a program; lists hold no NULL, look-ups and section searches stay inside. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "formats/elf.h"
#include "formats/elf_symbols.h"

static bool visit(void *ctx, uint64_t place, uint32_t symbol, uint32_t type)
{
    (void)place, (void)symbol, (void)type;
    return ++*(size_t *)ctx > 100000;
}

static void symbols(const struct bytesrc *s, const struct elf *f, struct arena *a)
{
    struct elf_symtab t;
    struct elf_undef *u;
    size_t n, visits = 0, steps = 0;
    elf_symtab_read(s, f, a, &t);
    for (uint32_t i = 0; t.usable && (i = elf_symtab_next(&t, elf_gnu_hash("who"), i)); steps++)
        if (i < t.first || i >= t.n || steps > s->size)
            abort();
    if (elf_undefined(s, f, NULL, NULL, a, &u, &n) == 0)
        for (size_t i = 0; i < n; i++) {
            if (strlen(u[i].name) > s->size)
                abort();
            if (t.usable)
                (void)elf_symtab_version(&t, elf_symtab_next(&t, elf_gnu_hash(u[i].name), 0));
        }
    (void)elf_relas(s, f, true, visit, &visits);
    (void)elf_relas(s, f, false, visit, &visits);
}

static void check(const struct bytesrc *s, const struct elf *f)
{
    static const char *const names[] = {".nv_fatbin", ".comment", ".text"};
    struct elf_section sections[3];
    struct elf_sym sym;
    for (size_t i = 0; i < f->n_needed; i++)
        if (!f->needed[i])
            abort();
    for (size_t i = 0; i < f->n_verneed; i++)
        if (!f->verneed[i].file || !f->verneed[i].version)
            abort();
    for (size_t i = 0; i < f->n_verdef; i++)
        if (!f->verdef[i].name)
            abort();
    (void)elf_sections(s, f, names, 3, sections, NULL);
    uint16_t versym;
    if (elf_lookup(s, f, "who", NULL, &sym) > 0)
        (void)elf_versym(s, f, sym.index, &versym);
    (void)elf_lookup(s, f, "foo", "V1", &sym);
    if (f->n_verdef)
        (void)elf_lookup(s, f, f->verdef[0].name, f->verdef[0].name, &sym);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memsrc m = {data, size};
    struct bytesrc s = bytesrc_mem(&m);
    for (int for_main = 0; for_main < 2; for_main++) {
        struct arena a;
        struct elf f;
        arena_init(&a, 64 << 20);
        if (elf_read(&s, for_main, &a, &f, NULL) == 0)
            check(&s, &f), symbols(&s, &f, &a);
        arena_done(&a);
    }
    return 0;
}
