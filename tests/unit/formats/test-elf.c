/* SPDX-License-Identifier: Apache-2.0 */
/* What is read of an ELF file, and what the loader would make of it in each state. */
#include <errno.h>
#include <stdlib.h>
#include "elfmake.h"
#include "formats/elf_symbols.h"
#include "tap.h"

static struct arena a;

static const struct mk_elf rich = {
    .soname = "libx.so.1", .runpath = "$ORIGIN/../y:/z", .needed = {"liba.so.1", "libc.so.6"}, .exports = {"one@V1", "two@V2"},
    .undef = {"printf@GLIBC_2.2.5"}, .defs = {"V1", "V2"}, .needs = {{"libc.so.6", {"GLIBC_2.2.5", "GLIBC_2.14"}}, {"liba.so.1", {"A1"}}},
    .isa = 7, .flags_1 = DF_1_NODEFLIB | DF_1_NOW, .flags = DF_STATIC_TLS, .tls = 100};

static int parse(const unsigned char *b, size_t n, bool for_main, struct elf *ret)
{
    struct memsrc m = {b, n};
    struct bytesrc s = bytesrc_mem(&m);
    struct err e = {0};
    return elf_read(&s, for_main, &a, ret, &e);
}

static void reads_everything(void)
{
    size_t n;
    struct elf f;
    const unsigned char *b = mk_build(&rich, &n);
    ok(parse(b, n, false, &f) == 0 && f.verdict == ELF_OK, "a whole library is taken");
    ok_str(f.soname, "libx.so.1", "soname");
    ok_str(f.runpath, "$ORIGIN/../y:/z", "runpath");
    ok_str(f.rpath, NULL, "no rpath");
    ok(f.n_needed == 2 && !strcmp(f.needed[0], "liba.so.1") && !strcmp(f.needed[1], "libc.so.6"), "needed, in order");
    ok(f.n_verdef == 3 && !strcmp(f.verdef[0].name, "libx.so.1") && !strcmp(f.verdef[2].name, "V2") && f.verdef[2].index == 3,
       "versions defined, the base one included");
    ok(f.n_verneed == 3 && !strcmp(f.verneed[1].version, "GLIBC_2.14") && !strcmp(f.verneed[1].file, "libc.so.6") &&
       !strcmp(f.verneed[2].file, "liba.so.1") && f.verneed[2].index == f.verneed[1].index + 1, "versions needed, each with its file");
    ok(f.isa_needed == 7 && f.nodeflib && f.bind_now && f.static_tls && f.tls_size == 100 && !f.execstack, "markers");
}

static void looks_symbols_up(void)
{
    size_t n;
    struct elf f;
    struct elf_sym sym;
    const unsigned char *b = mk_build(&rich, &n);
    struct memsrc m = {b, n};
    struct bytesrc s = bytesrc_mem(&m);
    parse(b, n, false, &f);
    uint16_t versym = 0;
    ok(elf_lookup(&s, &f, "two", NULL, &sym) == 1, "a defined symbol is found");
    ok(elf_versym(&s, &f, sym.index, &versym) == 0 && versym == 3, "its version has the number that the file states");
    ok(elf_lookup(&s, &f, "two", "V2", &sym) == 1, "with its version");
    ok(elf_lookup(&s, &f, "two", "V1", &sym) == 0, "not with another one");
    ok(elf_lookup(&s, &f, "printf", NULL, &sym) == 0, "an undefined symbol is not found");
    ok(elf_lookup(&s, &f, "nothing", NULL, &sym) == 0, "nor one that is not there");
}

static bool from_libc(void *ctx, const struct elf_verneed *v)
{
    (void)ctx;
    return v && strcmp(v->file, "libc.so.6") == 0;
}

static bool first_place(void *ctx, uint64_t place, uint32_t symbol, uint32_t type)
{
    (void)type;
    *(uint64_t *)ctx = place << 8 | symbol;
    return true;
}

static void lists_symbols(void)
{
    size_t n, n_undef;
    struct elf f;
    struct elf_symtab t;
    struct elf_undef *u;
    const unsigned char *b = mk_build(&rich, &n);
    struct memsrc m = {b, n};
    struct bytesrc s = bytesrc_mem(&m);
    parse(b, n, false, &f);
    elf_symtab_read(&s, &f, &a, &t);
    ok(t.usable && t.first == 2 && t.n == 4, "two of three symbols are defined");
    uint32_t i = elf_symtab_next(&t, elf_gnu_hash("two"), 0);
    ok(i == 3 && elf_symtab_version(&t, i) == 3 && elf_symtab_next(&t, elf_gnu_hash("two"), i) == 0, "found by hash, once");
    ok(elf_symtab_next(&t, elf_gnu_hash("three"), 0) == 0, "another one is not");
    ok(elf_undefined(&s, &f, NULL, NULL, &a, &u, &n_undef) == 0 && n_undef == 1 && !strcmp(u[0].name, "printf") &&
       !strcmp(u[0].version->version, "GLIBC_2.2.5"), "undefined symbol with its version");
    ok(elf_undefined(&s, &f, from_libc, NULL, &a, &u, &n_undef) == 0 && n_undef == 0, "left out on request");
    uint64_t seen = 0;
    ok(elf_relas(&s, &f, false, first_place, &seen) && seen == (64 << 8 | 1), "its relocation");
}

static void patched(size_t at, unsigned char byte, enum elf_verdict want, const char *name)
{
    static unsigned char copy[MK_CAP];
    size_t n;
    struct elf f;
    memcpy(copy, mk_build(&rich, &n), MK_CAP);
    copy[at] = byte;
    bool fine = parse(copy, n, false, &f) == 0 && f.verdict == want;
    if (!ok(fine, "%s", name))
        printf("# verdict %d, want %d\n", f.verdict, want);
}

static void judges_headers(void)
{
    patched(0, 0, ELF_BAD_MAGIC, "no magic");
    patched(EI_CLASS, ELFCLASS32, ELF_WRONG_CLASS, "32-bit");
    patched(EI_DATA, ELFDATA2MSB, ELF_BAD_HEADER, "big-endian");
    patched(EI_VERSION, 9, ELF_BAD_HEADER, "EI_VERSION");
    patched(EI_OSABI, 9, ELF_BAD_HEADER, "OSABI of FreeBSD");
    patched(EI_OSABI, ELFOSABI_GNU, ELF_OK, "OSABI of GNU");
    patched(EI_PAD + 2, 1, ELF_BAD_HEADER, "padding");
    patched(18, EM_AARCH64, ELF_WRONG_MACHINE, "other machine");
    patched(20, 2, ELF_BAD_HEADER, "e_version");
    patched(16, ET_REL, ELF_BAD_TYPE, "relocatable file");
    patched(16, ET_EXEC, ELF_IS_EXECUTABLE, "fixed-address executable");
    patched(54, 55, ELF_BAD_HEADER, "phentsize");
    patched(38, 0x7f, ELF_NO_PHDRS_DATA, "program headers behind the end");
    patched(64, PT_NULL, ELF_NO_SEGMENTS, "no segment");
    patched(64 + 56, PT_NULL, ELF_NO_DYNAMIC, "no dynamic section");
}

static void cut(const struct mk_elf *m, size_t keep, enum elf_verdict want, bool is_cut, const char *name)
{
    size_t n;
    struct elf f;
    const unsigned char *b = mk_build(m, &n);
    int rc = parse(b, keep < n ? keep : n, false, &f);
    if (!ok(rc == 0 && f.verdict == want && f.is_cut == is_cut, "%s", name))
        printf("# rc %d verdict %d cut %d\n", rc, f.verdict, f.is_cut);
}

static void judges_cuts(void)
{
    struct mk_elf padded = rich, zeroed = rich;
    padded.pad = 3 * 4096;
    cut(&padded, 0, ELF_TOO_SHORT, false, "empty");
    cut(&padded, 63, ELF_TOO_SHORT, false, "63 bytes");
    cut(&padded, 64, ELF_NO_PHDRS_DATA, false, "the header only");
    cut(&padded, 2 * 4096, ELF_OK, true, "cut where nothing is needed");
    padded.bss = 64;
    cut(&padded, 2 * 4096, ELF_CUT, true, "cut, and the loader clears what follows the data");
    cut(&padded, SIZE_MAX, ELF_OK, false, "whole");
    size_t n;
    struct elf f;
    static unsigned char copy[MK_CAP];
    memcpy(copy, mk_build(&zeroed, &n), MK_CAP);
    memset(copy + 64 + 56 * MK_PHDRS, 0, n - 64 - 56 * MK_PHDRS);
    ok(parse(copy, n, false, &f) == 0 && f.verdict == ELF_ZEROED, "zeros behind the headers");
}

static void judges_programs(void)
{
    size_t n;
    struct elf f;
    struct mk_elf m = {.interp = "/lib64/ld.so", .flags_1 = DF_1_PIE, .rpath = "/r"};
    const unsigned char *b = mk_build(&m, &n);
    ok(parse(b, n, true, &f) == 0 && f.verdict == ELF_OK && f.is_pie, "a PIE may be started");
    ok_str(f.interp, "/lib64/ld.so", "its loader");
    ok_str(f.rpath, "/r", "its rpath");
    ok(parse(b, n, false, &f) == 0 && f.verdict == ELF_IS_EXECUTABLE, "but not be opened as a library");
    m = (struct mk_elf){.rpath = "/r", .runpath = "/u"};
    b = mk_build(&m, &n);
    ok(parse(b, n, false, &f) == 0 && !f.rpath && !strcmp(f.runpath, "/u"), "RUNPATH hides RPATH");
    m = (struct mk_elf){.flags_1 = DF_1_NOOPEN};
    b = mk_build(&m, &n);
    ok(parse(b, n, false, &f) == 0 && f.verdict == ELF_NOOPEN, "DF_1_NOOPEN");
}

/* A capture that lacks a range: unknown, never zeros. */
static long sparse_read(void *ctx, uint64_t off, void *dst, size_t n)
{
    const struct memsrc *m = ctx;
    if (off >= 256)
        return -ENODATA;
    n = n < 256 - off ? n : (size_t)(256 - off);
    memcpy(dst, m->p + off, n);
    return (long)n;
}

static void says_unknown(void)
{
    size_t n;
    struct elf f;
    struct err e = {0};
    struct memsrc m = {.p = mk_build(&rich, &n)};
    struct bytesrc s = {.size = n, .read = sparse_read, .ctx = &m};
    ok(elf_read(&s, false, &a, &f, &e) == -ENODATA && e.msg[0], "what a capture lacks is unknown");
}

/* The hash takes four characters a step: names of all lengths modulo four, with bytes above 127. */
static void hashes_names(void)
{
    char name[64];
    bool same = true;
    for (size_t n = 0; n < sizeof name; n++) {
        uint32_t h = 5381;
        for (size_t i = 0; i < n; i++) {
            name[i] = (char)(i * 37 + 65);
            name[i] = name[i] ? name[i] : 1;
            h = h * 33 + (unsigned char)name[i];
        }
        name[n] = '\0';
        same &= elf_gnu_hash(name) == h;
    }
    ok(same, "DT_GNU_HASH's hash");
}

int main(void)
{
    arena_init(&a, 0);
    hashes_names();
    reads_everything();
    looks_symbols_up();
    lists_symbols();
    judges_headers();
    judges_cuts();
    judges_programs();
    says_unknown();
    arena_done(&a);
    return tap_done();
}
