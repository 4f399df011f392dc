/* SPDX-License-Identifier: Apache-2.0 */
/* elfmake - writes small x86-64 ELF files for unit tests: one segment, file offset equal to address. */
#ifndef TG_TESTS_ELFMAKE_H
#define TG_TESTS_ELFMAKE_H
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "formats/elf.h"

struct mk_need { const char *file, *version[4]; };
struct mk_elf {
    const char *soname, *rpath, *runpath, *interp;
    const char *needed[6];
    const char *exports[6]; /* "name" or "name@VERSION" */
    const char *undef[6];   /* "name" or "name@VERSION" of one of `needs` */
    const char *defs[6];    /* versions */
    struct mk_need needs[4];
    uint64_t flags_1, flags, tls, bss;
    uint32_t isa, pad;      /* pad: bytes behind everything */
    uint16_t type, machine; /* 0: ET_DYN, x86-64 */
    bool execstack;
};

enum { MK_CAP = 1 << 16, MK_PHDRS = 6 };
struct mk_image { unsigned char b[MK_CAP]; size_t n, strtab, strings; char str[4096]; };

static inline size_t mk_put(struct mk_image *im, const void *p, size_t n, size_t align)
{
    im->n = (im->n + align - 1) / align * align;
    memcpy(im->b + im->n, p, n);
    im->n += n;
    return im->n - n;
}

/* Offset of the text up to a "@" in the string table. */
static inline uint32_t mk_str(struct mk_image *im, const char *s)
{
    size_t n = strcspn(s, "@"), at = im->strings;
    memcpy(im->str + at, s, n);
    im->str[at + n] = '\0';
    im->strings += n + 1;
    return (uint32_t)at;
}

static inline uint32_t mk_sysv(const char *s)
{
    uint32_t h = 0;
    for (; *s; s++) {
        h = (h << 4) + (unsigned char)*s;
        h = (h ^ ((h & 0xf0000000) >> 24)) & 0x0fffffff;
    }
    return h;
}

static inline uint16_t mk_index(const struct mk_elf *m, const char *name, bool undef)
{
    const char *at = strchr(name, '@');
    uint16_t n = 1;
    for (size_t i = 0; m->defs[0] && (i == 0 || m->defs[i - 1]); i++, n++)
        if (i > 0 && at && !undef && strcmp(m->defs[i - 1], at + 1) == 0)
            return n;
    for (size_t i = 0; m->needs[i].file; i++)
        for (size_t k = 0; m->needs[i].version[k]; k++)
            if (n++, at && undef && strcmp(m->needs[i].version[k], at + 1) == 0)
                return n;
    return 1;
}

/* Bytes of the file; the image is static, so one at a time. */
static inline const unsigned char *mk_build(const struct mk_elf *m, size_t *ret_n)
{
    static struct mk_image im;
    memset(&im, 0, sizeof im);
    im.strings = 1;
    im.n = sizeof(Elf64_Ehdr) + MK_PHDRS * sizeof(Elf64_Phdr);
    Elf64_Dyn dyn[64] = {0};
    size_t nd = 0, n_sym = 1;
    Elf64_Sym sym[16] = {0};
    Elf64_Half ver[16] = {0};
    Elf64_Rela rela[8] = {0};
    size_t n_rela = 0;
#define MK_DYN(t, v) (dyn[nd].d_tag = (t), dyn[nd++].d_un.d_val = (v))
    for (size_t i = 0; i < 6 && m->needed[i]; i++)
        MK_DYN(DT_NEEDED, mk_str(&im, m->needed[i]));
    if (m->soname)
        MK_DYN(DT_SONAME, mk_str(&im, m->soname));
    if (m->rpath)
        MK_DYN(DT_RPATH, mk_str(&im, m->rpath));
    if (m->runpath)
        MK_DYN(DT_RUNPATH, mk_str(&im, m->runpath));
    for (size_t i = 0; i < 6 && m->undef[i]; i++, n_sym++) {
        sym[n_sym] = (Elf64_Sym){.st_name = mk_str(&im, m->undef[i]), .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)};
        ver[n_sym] = mk_index(m, m->undef[i], true);
        rela[n_rela] = (Elf64_Rela){.r_offset = 8 * n_rela + 64, .r_info = ELF64_R_INFO(n_sym, R_X86_64_JUMP_SLOT)};
        n_rela++;
    }
    uint32_t first = (uint32_t)n_sym, chain[8];
    uint64_t bloom = ~UINT64_C(0);
    for (size_t i = 0; i < 6 && m->exports[i]; i++, n_sym++) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(m->exports[i], "@"), m->exports[i]);
        sym[n_sym] = (Elf64_Sym){.st_name = mk_str(&im, name), .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1, .st_value = 64};
        ver[n_sym] = mk_index(m, m->exports[i], false);
        chain[n_sym - first] = (elf_gnu_hash(name) & ~1u) | (i + 1 == 6 || !m->exports[i + 1]);
    }
    uint32_t hash[4] = {1, first, 1, 6}, bucket = n_sym > first ? first : 0;
    size_t hash_off = mk_put(&im, hash, sizeof hash, 8);
    mk_put(&im, &bloom, 8, 1);
    mk_put(&im, &bucket, 4, 1);
    mk_put(&im, chain, 4 * (n_sym - first), 1);
    MK_DYN(DT_GNU_HASH, hash_off);
    MK_DYN(DT_SYMTAB, mk_put(&im, sym, n_sym * sizeof *sym, 8));
    if (m->defs[0] || m->needs[0].file)
        MK_DYN(DT_VERSYM, mk_put(&im, ver, n_sym * 2, 2));
    if (m->tls && (m->flags & DF_STATIC_TLS)) /* initial-exec access */
        rela[n_rela++] = (Elf64_Rela){.r_offset = 64, .r_info = ELF64_R_INFO(0, R_X86_64_TPOFF64)};
    if (n_rela) {
        MK_DYN(DT_JMPREL, mk_put(&im, rela, n_rela * sizeof *rela, 8));
        MK_DYN(DT_PLTRELSZ, n_rela * sizeof *rela);
    }
    uint16_t index = 1;
    for (size_t i = 0, at = 0; m->defs[0] && (i == 0 || m->defs[i - 1]); i++, index++) {
        const char *name = i ? m->defs[i - 1] : m->soname ? m->soname : "lib";
        struct { Elf64_Verdef d; Elf64_Verdaux a; } d = {
            {1, i ? 0 : VER_FLG_BASE, index, 1, mk_sysv(name), sizeof(Elf64_Verdef), m->defs[i] ? sizeof d : 0}, {mk_str(&im, name), 0}};
        at = mk_put(&im, &d, sizeof d, i ? 1 : 8);
        if (!i)
            MK_DYN(DT_VERDEF, at);
    }
    for (size_t i = 0; m->needs[i].file; i++) {
        size_t n = 0;
        while (n < 4 && m->needs[i].version[n])
            n++;
        Elf64_Verneed v = {1, (Elf64_Half)n, mk_str(&im, m->needs[i].file), sizeof v,
                           m->needs[i + 1].file ? (Elf64_Word)(sizeof v + n * sizeof(Elf64_Vernaux)) : 0};
        size_t at = mk_put(&im, &v, sizeof v, i ? 1 : 8);
        if (!i)
            MK_DYN(DT_VERNEED, at);
        for (size_t k = 0; k < n; k++) {
            const char *name = m->needs[i].version[k];
            Elf64_Vernaux a = {mk_sysv(name), 0, ++index, mk_str(&im, name), k + 1 < n ? sizeof a : 0};
            if (!m->defs[0] && i == 0 && k == 0)
                a.vna_other = index = 2;
            mk_put(&im, &a, sizeof a, 1);
        }
    }
    size_t interp = m->interp ? mk_put(&im, m->interp, strlen(m->interp) + 1, 1) : 0;
    struct { uint32_t name, desc, type; char gnu[4]; uint32_t pr, size, isa, zero; } note =
        {4, 16, NT_GNU_PROPERTY_TYPE_0, "GNU", GNU_PROPERTY_X86_ISA_1_NEEDED, 4, m->isa, 0};
    size_t note_off = m->isa ? mk_put(&im, &note, sizeof note, 8) : 0;
    MK_DYN(DT_STRTAB, mk_put(&im, im.str, im.strings, 1));
    MK_DYN(DT_STRSZ, im.strings);
    if (m->flags)
        MK_DYN(DT_FLAGS, m->flags);
    if (m->flags_1)
        MK_DYN(DT_FLAGS_1, m->flags_1);
    nd++; /* DT_NULL */
    size_t dyn_off = mk_put(&im, dyn, nd * sizeof *dyn, 16);
    im.n += m->pad;
    Elf64_Phdr ph[MK_PHDRS] = {
        {PT_LOAD, PF_R | PF_W | PF_X, 0, 0, 0, im.n, im.n + m->bss, 4096},
        {PT_DYNAMIC, PF_R, dyn_off, dyn_off, dyn_off, nd * sizeof *dyn, nd * sizeof *dyn, 8},
        {PT_GNU_STACK, PF_R | PF_W | (m->execstack ? PF_X : 0), 0, 0, 0, 0, 0, 16},
        {m->interp ? PT_INTERP : PT_NULL, PF_R, interp, interp, interp, m->interp ? strlen(m->interp) + 1 : 0, 0, 1},
        {m->isa ? PT_GNU_PROPERTY : PT_NULL, PF_R, note_off, note_off, note_off, sizeof note, sizeof note, 8},
        {m->tls ? PT_TLS : PT_NULL, PF_R, 0, 0, 0, 0, m->tls, 8}};
    Elf64_Ehdr eh = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT}, .e_type = m->type ? m->type : ET_DYN,
                     .e_machine = m->machine ? m->machine : EM_X86_64, .e_version = 1, .e_phoff = sizeof eh, .e_ehsize = sizeof eh,
                     .e_phentsize = sizeof *ph, .e_phnum = MK_PHDRS};
    memcpy(im.b, &eh, sizeof eh);
    memcpy(im.b + sizeof eh, ph, sizeof ph);
#undef MK_DYN
    *ret_n = im.n;
    return im.b;
}
#endif
