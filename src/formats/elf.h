/* SPDX-License-Identifier: Apache-2.0 */
/* elf - what a loader must know of an ELF file, read sparsely from a bytesrc. Never maps, never reads whole sections of
 * gigabyte files. Format: System V gABI; the loader's own checks and their order: glibc elf/dl-load.c open_verify. */
#ifndef TG_FORMATS_ELF_H
#define TG_FORMATS_ELF_H
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/bytesrc.h"
#include "base/err.h"

/* What ld.so (x86-64) makes of the file before it maps it; the order is the order of its checks. */
enum elf_verdict {
    ELF_OK = 0,
    ELF_TOO_SHORT,        /* < 64 bytes: "file too short" */
    ELF_BAD_MAGIC,        /* "invalid ELF header" */
    ELF_WRONG_CLASS,      /* ELF32: the search goes on */
    ELF_BAD_HEADER,       /* byte order, EI_VERSION, OSABI, ABI version, padding, e_version, phentsize: fails */
    ELF_WRONG_MACHINE,    /* 64-bit of another machine: the search goes on */
    ELF_BAD_TYPE,         /* ET_REL, ET_CORE: "only ET_DYN and ET_EXEC can be loaded" */
    ELF_NO_PHDRS_DATA,    /* program headers beyond the end: "cannot read file data" */
    ELF_NO_SEGMENTS,      /* "object file has no loadable segments" */
    ELF_NO_DYNAMIC,       /* "object file has no dynamic section" */
    ELF_IS_EXECUTABLE,    /* ET_EXEC or PIE: "cannot dynamically load [position-independent] executable" */
    ELF_NOOPEN,           /* DF_1_NOOPEN: "shared object cannot be dlopen()ed" */
    ELF_CUT,              /* something that the loader touches while it maps the file lies beyond its last page: SIGBUS */
    ELF_ZEROED,           /* dynamic section or its string table is zero or outside: ends in SIGSEGV (`dies_late`) */
};

/* One version wanted of one library; `index` is what DT_VERSYM says for symbols of it (vna_other without the hidden bit). */
struct elf_verneed { const char *file; const char *version; uint32_t hash; uint16_t index; bool weak; };
struct elf_verdef { const char *name; uint32_t hash; uint16_t index; };
struct elf_seg { uint32_t type, flags; uint64_t off, vaddr, filesz, memsz; };

struct elf {
    enum elf_verdict verdict;
    const char *detail;      /* e.g. "ELFCLASS32", or the loader's text for ELF_BAD_HEADER; NULL otherwise */
    uint64_t file_size;
    uint16_t type, machine;  /* e_type, e_machine */
    uint8_t osabi;
    uint64_t shoff; uint16_t shnum, shentsize, shstrndx;
    struct elf_seg *segs; size_t n_segs;
    bool is_pie, nodeflib, execstack, has_relr, bind_now; /* execstack: asks for one (or has no PT_GNU_STACK, which means the same) */
    uint32_t isa_needed;     /* x86-64 level bits of GNU_PROPERTY_X86_ISA_1_NEEDED: 1 base, 2 v2, 4 v3, 8 v4; 0 = none stated */
    uint64_t tls_size;       /* PT_TLS memsz */
    bool static_tls;         /* DF_STATIC_TLS */
    const char *interp, *soname, *rpath, *runpath; /* NULL when absent; rpath NULL when runpath is there too */
    const char **needed; size_t n_needed;
    struct elf_verneed *verneed; size_t n_verneed;
    struct elf_verdef *verdef; size_t n_verdef; /* versions defined, the base entry (the soname) included; n 0 and has_verdef false: none */
    bool has_verdef;
    /* tables by file offset; 0 when absent */
    uint64_t symtab, strtab, strsz, versym, gnu_hash, hash, jmprel, jmprel_size, rela, rela_size;
    uint32_t first_defined;  /* symbols below it are undefined; 0: not seen on the way */
    uint64_t rela_count;     /* relative relocations at the head of `rela`, which name no symbol */
    bool dies_late;          /* ELF_ZEROED: it is mapped, what it needs is loaded; relocation ends in SIGSEGV */
    bool is_cut;             /* a PT_LOAD reaches beyond the last page of the file, whatever the verdict */
};

/* Read everything above. `for_main`: the file is the main program (PIE and ET_EXEC are fine then).
 * A file that the loader would refuse is not an error: it has a verdict, and what could be read is filled.
 * ret:    strings in `a`
 * errors: -EIO and such from the source, -ENODATA when a capture lacks a range; `e` names it
 * cost:   header, program headers, dynamic section, one contiguous window of the string table, version tables.
 *         About 6 reads for a CUDA library. */
int elf_read(const struct bytesrc *s, bool for_main, struct arena *a, struct elf *ret, struct err *e);

struct elf_section { char name[64]; uint32_t type; uint64_t flags, addr, off, size; };
/* Sections by name, from the section headers at the end of the file. Returns how many were found (0 when there are no
 * section headers), or a negative errno. */
int elf_sections(const struct bytesrc *s, const struct elf *f, const char *const *names, size_t n,
                 struct elf_section *ret /* [n], type 0 where absent */, struct err *e);

struct elf_sym { uint64_t value, size; uint32_t index; uint16_t shndx; uint8_t info; };
/* Look a defined symbol up through DT_GNU_HASH, or DT_HASH where that is all there is. 1 found, 0 not, negative errno.
 * `version` NULL: any, and its own is not read. */
int elf_lookup(const struct bytesrc *s, const struct elf *f, const char *name, const char *version, struct elf_sym *ret);
/* Entry of DT_VERSYM of a symbol, with its hidden bit; 0 without that table. */
int elf_versym(const struct bytesrc *s, const struct elf *f, uint32_t index, uint16_t *ret);
/* File offset of a virtual address through PT_LOAD; false when no segment holds it in the file. */
bool elf_vaddr_to_off(const struct elf *f, uint64_t vaddr, uint64_t *ret);
uint32_t elf_gnu_hash(const char *name);
const char *elf_verdict_text(enum elf_verdict v); /* the loader's own message, untranslated */
#endif
