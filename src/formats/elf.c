/* SPDX-License-Identifier: Apache-2.0 */
/* elf - header, program headers and dynamic section, checked in the order in which glibc's loader checks them. */
#include "formats/elf.h"
#include <elf.h>
#include <errno.h>
#include <string.h>
#include "base/util.h"
#include "formats/elf_internal.h"

enum {
    MAX_DYNAMIC = 65536,   /* entries; the loader has no limit, a real library has about 30 */
    MAX_NOTE = ELF_WIN,    /* bytes of a property note */
    OSABI_GNU_VERSIONS = 4 /* ABI versions that glibc accepts for ELFOSABI_GNU (libc-abis on x86-64) */
};

int elf_win_get(struct elf_win *w, uint64_t off, size_t n, const unsigned char **ret)
{
    if (off >= w->off && n <= w->len && off - w->off <= w->len - n) {
        *ret = w->b + (off - w->off);
        return 0;
    }
    uint64_t end = (w->s->size + ELF_PAGE - 1) / ELF_PAGE * ELF_PAGE; /* the rest of the last page reads as zero */
    if (off >= end || n > ELF_WIN)
        return -EBADMSG;
    uint64_t rest = off < w->s->size ? w->s->size - off : 0, mapped = end - off;
    size_t most = !w->step ? ELF_WIN : w->step > n ? w->step : n, take = rest < most ? (size_t)rest : most;
    if (n > mapped)
        return -EBADMSG;
    w->len = 0;
    long got = take ? w->s->read(w->s->ctx, off, w->b, take) : 0;
    if (got == -ENODATA && take > n) /* a capture may hold just the bytes that we need */
        got = w->s->read(w->s->ctx, off, w->b, n < take ? n : take);
    if (got < 0)
        return (int)got;
    if ((size_t)got < n)
        memset(w->b + got, 0, n - (size_t)got);
    if ((size_t)got < n && (uint64_t)got < rest)
        return -ENODATA; /* a shortened capture */
    w->off = off;
    w->len = (size_t)got < n ? n : (size_t)got;
    *ret = w->b;
    return 0;
}

static int refuse(struct elf *f, enum elf_verdict v, const char *detail)
{
    f->verdict = v;
    f->detail = detail;
    return 0;
}

static bool odd_abi_version(const unsigned char *h)
{
    return h[EI_ABIVERSION] >= (h[EI_OSABI] == ELFOSABI_GNU ? OSABI_GNU_VERSIONS : 1);
}

static bool padded(const unsigned char *h)
{
    static const unsigned char zero[EI_NIDENT];
    return memcmp(h + EI_PAD, zero, EI_NIDENT - EI_PAD) != 0;
}

/* Anything in e_ident, behind the class, that the loader does not expect. */
static bool odd_ident(const unsigned char *h)
{
    return h[EI_DATA] != ELFDATA2LSB || h[EI_VERSION] != EV_CURRENT || (h[EI_OSABI] != ELFOSABI_NONE && h[EI_OSABI] != ELFOSABI_GNU)
        || odd_abi_version(h) || padded(h);
}

/* e_ident and the rest of the header: glibc's open_verify as Debian and Ubuntu build it. Their patch passes over a file of
 * another machine before it looks at the rest of e_ident; the unpatched loader refuses a big-endian one outright. */
static void check_header(const unsigned char *h, struct elf *f)
{
    unsigned char osabi = h[EI_OSABI];
    f->osabi = osabi;
    if (memcmp(h, ELFMAG, SELFMAG) != 0) {
        refuse(f, ELF_BAD_MAGIC, NULL);
        return;
    }
    if (h[EI_CLASS] != ELFCLASS64) {
        refuse(f, ELF_WRONG_CLASS, "ELFCLASS32");
        return;
    }
    f->type = elf_u16(h + 16);
    f->machine = elf_u16(h + 18);
    f->shoff = elf_u64(h + 40);
    f->shentsize = elf_u16(h + 58);
    f->shnum = elf_u16(h + 60);
    f->shstrndx = elf_u16(h + 62);
    if (odd_ident(h) && f->machine != EM_X86_64)
        refuse(f, ELF_WRONG_MACHINE, NULL);
    else if (h[EI_DATA] != ELFDATA2LSB)
        refuse(f, ELF_BAD_HEADER, "ELF file data encoding not little-endian");
    else if (h[EI_VERSION] != EV_CURRENT)
        refuse(f, ELF_BAD_HEADER, "ELF file version ident does not match current one");
    else if (osabi != ELFOSABI_NONE && osabi != ELFOSABI_GNU)
        refuse(f, ELF_BAD_HEADER, "ELF file OS ABI invalid");
    else if (odd_abi_version(h))
        refuse(f, ELF_BAD_HEADER, "ELF file ABI version invalid");
    else if (padded(h))
        refuse(f, ELF_BAD_HEADER, "nonzero padding in e_ident");
    else if (elf_u32(h + 20) != EV_CURRENT)
        refuse(f, ELF_BAD_HEADER, "ELF file version does not match current one");
    else if (f->machine != EM_X86_64)
        refuse(f, ELF_WRONG_MACHINE, NULL);
    else if (f->type != ET_DYN && f->type != ET_EXEC)
        refuse(f, ELF_BAD_TYPE, NULL);
    else if (elf_u16(h + 54) != sizeof(Elf64_Phdr))
        refuse(f, ELF_BAD_HEADER, "ELF file's phentsize not the expected size");
}

static int read_segments(struct elf_win *w, uint64_t phoff, size_t n, struct arena *a, struct elf *f)
{
    const unsigned char *p;
    if (phoff > w->s->size || n * sizeof(Elf64_Phdr) > w->s->size - phoff)
        return refuse(f, ELF_NO_PHDRS_DATA, NULL);
    f->segs = arena_array(a, n, sizeof *f->segs);
    for (size_t i = 0; i < n; i++) {
        int rc = elf_win_get(w, phoff + i * sizeof(Elf64_Phdr), sizeof(Elf64_Phdr), &p);
        if (rc < 0)
            return rc;
        struct elf_seg *s = &f->segs[f->n_segs++];
        *s = (struct elf_seg){.type = elf_u32(p), .flags = elf_u32(p + 4), .off = elf_u64(p + 8), .vaddr = elf_u64(p + 16),
                              .filesz = elf_u64(p + 32), .memsz = elf_u64(p + 40)};
        if (s->type != PT_LOAD || f->verdict)
            continue;
        if (elf_u64(p + 48) & (ELF_PAGE - 1))
            refuse(f, ELF_BAD_HEADER, "ELF load command alignment not page-aligned");
        else if ((s->vaddr - s->off) & (ELF_PAGE - 1))
            refuse(f, ELF_BAD_HEADER, "ELF load command address/offset not properly aligned");
    }
    return 0;
}

/* The property note of x86: which level of instructions the file needs. */
static int read_note(struct elf_win *w, uint64_t off, uint64_t size, struct elf *f)
{
    const unsigned char *p;
    if (size > MAX_NOTE || size < 16)
        return 0;
    int rc = elf_win_get(w, off, (size_t)size, &p);
    if (rc < 0)
        return rc == -EBADMSG ? 0 : rc;
    if (elf_u32(p) != 4 || elf_u32(p + 8) != NT_GNU_PROPERTY_TYPE_0 || memcmp(p + 12, "GNU", 4) != 0)
        return 0;
    uint64_t left = elf_u32(p + 4);
    if (left > size - 16)
        return 0;
    for (p += 16; left >= 8;) {
        uint32_t type = elf_u32(p), len = elf_u32(p + 4);
        if (len > left - 8)
            break;
        if (type == GNU_PROPERTY_X86_ISA_1_NEEDED && len == 4)
            f->isa_needed = elf_u32(p + 8);
        uint64_t step = 8 + (((uint64_t)len + 7) & ~(uint64_t)7);
        if (step > left)
            break;
        left -= step;
        p += step;
    }
    return 0;
}

static uint64_t mapped_end(const struct elf *f)
{
    return (f->file_size + ELF_PAGE - 1) / ELF_PAGE * ELF_PAGE;
}

/* What a segment's mapping touches: the loader clears the rest of the page in which the file's part ends. */
static void scan_load(const struct elf_seg *s, struct elf *f, bool *touched)
{
    uint64_t end;
    if (__builtin_add_overflow(s->off, s->filesz, &end))
        end = UINT64_MAX;
    if (end <= mapped_end(f))
        return;
    f->is_cut = true;
    uint64_t last = s->vaddr + s->filesz;
    if (s->memsz > s->filesz && last % ELF_PAGE != 0)
        *touched = true;
}

/* What the segments say. Sets the verdict; *dyn stays NULL when there is no dynamic section. */
static int scan_segments(struct elf_win *w, bool for_main, struct arena *a, struct elf *f, const struct elf_seg **dyn)
{
    const struct elf_seg *note = NULL, *interp = NULL;
    bool loads = false, touched = false;
    f->execstack = true;
    for (size_t i = 0; i < f->n_segs; i++) {
        const struct elf_seg *s = &f->segs[i];
        switch (s->type) {
        case PT_LOAD:
            loads = true;
            scan_load(s, f, &touched);
            break;
        case PT_DYNAMIC: *dyn = s->filesz ? s : NULL; break;
        case PT_INTERP: interp = s; break;
        case PT_GNU_PROPERTY: note = s; break;
        case PT_GNU_STACK: f->execstack = s->flags & PF_X; break;
        case PT_TLS: f->tls_size = s->memsz; break;
        default: break;
        }
    }
    if (f->verdict)
        return 0;
    if (!loads)
        return refuse(f, ELF_NO_SEGMENTS, NULL);
    if (f->type != ET_DYN && !for_main)
        refuse(f, ELF_IS_EXECUTABLE, "cannot dynamically load executable");
    else if (touched)
        refuse(f, ELF_CUT, NULL);
    else if (!*dyn && !for_main)
        refuse(f, ELF_NO_DYNAMIC, NULL);
    const unsigned char *p;
    if (interp && interp->filesz && interp->filesz <= ELF_WIN && elf_win_get(w, interp->off, (size_t)interp->filesz, &p) == 0)
        f->interp = arena_strndup(a, (const char *)p, strnlen((const char *)p, (size_t)interp->filesz));
    if (note)
        return read_note(w, note->off, note->filesz, f);
    for (size_t i = 0; i < f->n_segs && !f->isa_needed; i++) { /* older linkers: only the plain note segments */
        int rc = f->segs[i].type == PT_NOTE ? read_note(w, f->segs[i].off, f->segs[i].filesz, f) : 0;
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* What the dynamic section states; addresses as they are in the file. */
struct dyn {
    uint64_t strtab, strsz, symtab, versym, verneed, verdef, gnu_hash, hash, jmprel, pltrelsz, rela, relasz, relacount;
    uint64_t soname, rpath, runpath, flags, flags_1;
    bool has_strtab, has_strsz, has_symtab, has_soname, has_rpath, has_runpath, has_relr, has_verdef;
    uint64_t *needed; size_t n_needed; /* offsets in the string table */
};

static void take_dyn(struct dyn *d, uint64_t tag, uint64_t v, struct arena *tmp)
{
    switch (tag) {
    case DT_NEEDED: *ARENA_PUSH(tmp, d->needed, d->n_needed) = v; break;
    case DT_STRTAB: d->strtab = v, d->has_strtab = true; break;
    case DT_STRSZ: d->strsz = v, d->has_strsz = true; break;
    case DT_SYMTAB: d->symtab = v, d->has_symtab = true; break;
    case DT_SONAME: d->soname = v, d->has_soname = true; break;
    case DT_RPATH: d->rpath = v, d->has_rpath = true; break;
    case DT_RUNPATH: d->runpath = v, d->has_runpath = true; break;
    case DT_FLAGS: d->flags = v; break;
    case DT_FLAGS_1: d->flags_1 = v; break;
    case DT_VERSYM: d->versym = v; break;
    case DT_VERNEED: d->verneed = v; break;
    case DT_VERDEF: d->verdef = v, d->has_verdef = true; break;
    case DT_GNU_HASH: d->gnu_hash = v; break;
    case DT_HASH: d->hash = v; break;
    case DT_JMPREL: d->jmprel = v; break;
    case DT_PLTRELSZ: d->pltrelsz = v; break;
    case DT_RELA: d->rela = v; break;
    case DT_RELASZ: d->relasz = v; break;
    case DT_RELACOUNT: d->relacount = v; break;
    case 36 /* DT_RELR */: d->has_relr = true; break;
    default: break;
    }
}

static int read_dynamic(struct elf_win *w, uint64_t off, struct arena *tmp, struct dyn *d)
{
    for (size_t i = 0; i < MAX_DYNAMIC; i++) {
        const unsigned char *p;
        int rc = elf_win_get(w, off + i * 16, 16, &p);
        if (rc < 0)
            return rc;
        uint64_t tag = elf_u64(p);
        if (tag == DT_NULL)
            return 0;
        take_dyn(d, tag, elf_u64(p + 8), tmp);
    }
    return -EBADMSG;
}

static uint64_t off_or_zero(const struct elf *f, uint64_t vaddr)
{
    uint64_t off;
    return vaddr && elf_vaddr_to_off(f, vaddr, &off) ? off : 0;
}

static void keep_dynamic(const struct dyn *d, bool for_main, struct elf *f)
{
    f->strtab = off_or_zero(f, d->strtab);
    f->strsz = d->has_strsz || f->strtab >= f->file_size ? d->strsz : f->file_size - f->strtab; /* the loader never looks */
    f->symtab = off_or_zero(f, d->symtab);
    f->versym = off_or_zero(f, d->versym);
    f->gnu_hash = off_or_zero(f, d->gnu_hash);
    f->hash = off_or_zero(f, d->hash);
    f->jmprel = off_or_zero(f, d->jmprel);
    f->jmprel_size = f->jmprel ? d->pltrelsz : 0;
    f->rela = off_or_zero(f, d->rela);
    f->rela_size = f->rela ? d->relasz : 0;
    f->rela_count = d->relacount < f->rela_size / sizeof(Elf64_Rela) ? d->relacount : f->rela_size / sizeof(Elf64_Rela);
    f->is_pie = d->flags_1 & DF_1_PIE;
    f->nodeflib = d->flags_1 & DF_1_NODEFLIB;
    f->bind_now = (d->flags_1 & DF_1_NOW) || (d->flags & DF_BIND_NOW);
    f->static_tls = d->flags & DF_STATIC_TLS;
    f->has_relr = d->has_relr;
    f->has_verdef = d->has_verdef;
    if (f->verdict)
        return;
    f->dies_late = f->strtab || (!d->has_strtab && !d->n_needed);
    if (!d->has_strtab || !d->has_symtab || !f->strtab)
        refuse(f, ELF_ZEROED, NULL);
    else if (f->strtab >= mapped_end(f) || f->symtab >= mapped_end(f))
        refuse(f, ELF_CUT, NULL);
    else if (!for_main && f->is_pie)
        refuse(f, ELF_IS_EXECUTABLE, "cannot dynamically load position-independent executable");
    else if (!for_main && (d->flags_1 & DF_1_NOOPEN))
        refuse(f, ELF_NOOPEN, NULL);
}

static int read_tables(struct elf_win *w, const struct dyn *d, struct arena *a, struct arena *tmp, struct elf *f)
{
    struct elf_strs q = {.tmp = tmp};
    if (!f->strtab)
        return 0;
    f->needed = arena_array(a, d->n_needed, sizeof *f->needed);
    f->n_needed = d->n_needed;
    for (size_t i = 0; i < d->n_needed; i++)
        elf_strs_want(&q, d->needed[i], &f->needed[i]);
    if (d->has_soname)
        elf_strs_want(&q, d->soname, &f->soname);
    if (d->has_runpath)
        elf_strs_want(&q, d->runpath, &f->runpath);
    else if (d->has_rpath)
        elf_strs_want(&q, d->rpath, &f->rpath);
    int rc = elf_read_versions(w, off_or_zero(f, d->verneed), off_or_zero(f, d->verdef), &q, a, f);
    int rc2 = elf_strs_fetch(&q, w->s, f->strtab, f->strsz, a); /* in any case: no list keeps a NULL */
    return rc < 0 ? rc : rc2;
}

/* DT_GNU_HASH often lies in the piece that the header came with. */
static void keep_first_defined(const struct elf_win *head, struct elf *f)
{
    if (f->gnu_hash >= head->off && f->gnu_hash - head->off + 8 <= head->len)
        f->first_defined = elf_u32(head->b + (f->gnu_hash - head->off) + 4);
}

/* Everything behind the header. */
static int read_body(struct elf_win *w, uint64_t phoff, size_t phnum, bool for_main, struct arena *a, struct arena *tmp, struct elf *f)
{
    const struct elf_seg *seg = NULL;
    struct dyn d = {0};
    uint64_t off;
    int rc = read_segments(w, phoff, phnum, a, f);
    if (rc == 0 && f->verdict != ELF_NO_PHDRS_DATA)
        rc = scan_segments(w, for_main, a, f, &seg);
    if (rc < 0 || !seg)
        return rc;
    if (!elf_vaddr_to_off(f, seg->vaddr, &off))
        return f->verdict ? 0 : refuse(f, ELF_ZEROED, NULL);
    struct elf_win own = {.s = w->s}, *dw = off >= w->off && off - w->off < w->len ? w : &own;
    rc = read_dynamic(dw, off, tmp, &d);
    if (rc == 0) {
        keep_dynamic(&d, for_main, f);
        keep_first_defined(w, f);
        rc = read_tables(dw, &d, a, tmp, f);
    }
    if (rc == -EBADMSG) /* leaves the file: the loader would read there and die */
        return f->verdict ? 0 : refuse(f, f->is_cut ? ELF_CUT : ELF_ZEROED, NULL);
    return rc;
}

int elf_read(const struct bytesrc *s, bool for_main, struct arena *a, struct elf *ret, struct err *e)
{
    struct elf_win w = {.s = s};
    struct arena tmp;
    const unsigned char *h;
    *ret = (struct elf){.file_size = s->size};
    if (s->size < sizeof(Elf64_Ehdr))
        return refuse(ret, ELF_TOO_SHORT, NULL);
    int rc = elf_win_get(&w, 0, sizeof(Elf64_Ehdr), &h);
    if (rc < 0)
        return err_set(e, rc, "cannot read the ELF header: %s", strerror(-rc));
    uint64_t phoff = elf_u64(h + 32);
    size_t phnum = elf_u16(h + 56);
    check_header(h, ret);
    if (ret->verdict)
        return 0;
    arena_init(&tmp, 0);
    rc = read_body(&w, phoff, phnum, for_main, a, &tmp, ret);
    arena_done(&tmp);
    return rc < 0 ? err_set(e, rc, "cannot read the ELF file's tables: %s", strerror(-rc)) : 0;
}

bool elf_vaddr_to_off(const struct elf *f, uint64_t vaddr, uint64_t *ret)
{
    for (size_t i = 0; i < f->n_segs; i++) {
        const struct elf_seg *s = &f->segs[i];
        if (s->type == PT_LOAD && vaddr >= s->vaddr && vaddr - s->vaddr < s->filesz)
            return !__builtin_add_overflow(s->off, vaddr - s->vaddr, ret);
    }
    return false;
}

const char *elf_verdict_text(enum elf_verdict v)
{
    switch (v) {
    case ELF_OK: return "";
    case ELF_TOO_SHORT: return "file too short";
    case ELF_BAD_MAGIC: return "invalid ELF header";
    case ELF_WRONG_CLASS: return "wrong ELF class: ELFCLASS32";
    case ELF_BAD_HEADER: return "ELF header not accepted";
    case ELF_WRONG_MACHINE: return "ELF file of another machine";
    case ELF_BAD_TYPE: return "only ET_DYN and ET_EXEC can be loaded";
    case ELF_NO_PHDRS_DATA: return "cannot read file data";
    case ELF_NO_SEGMENTS: return "object file has no loadable segments";
    case ELF_NO_DYNAMIC: return "object file has no dynamic section";
    case ELF_IS_EXECUTABLE: return "cannot dynamically load executable";
    case ELF_NOOPEN: return "shared object cannot be dlopen()ed";
    case ELF_CUT: return "a part that is needed lies behind the end of the file";
    case ELF_ZEROED: return "dynamic section or string table missing or zero";
    }
    return "";
}
