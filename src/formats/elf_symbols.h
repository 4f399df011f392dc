/* SPDX-License-Identifier: Apache-2.0 */
/* elf_symbols - what symbol look-ups between libraries need: a provider's hash table in memory, a user's undefined symbols, its
 * relocations one by one. Tables are bounded by the file's size. */
#ifndef TG_FORMATS_ELF_SYMBOLS_H
#define TG_FORMATS_ELF_SYMBOLS_H
#include "formats/elf.h"

/* DT_GNU_HASH and DT_VERSYM of one file. Symbols are known by the 32-bit hash of their name only. */
struct elf_symtab {
    bool usable;             /* false: there is no such table, or it leaves the file */
    uint32_t nbuckets, first, words, shift, n; /* first: index of the first defined symbol; n: number of symbols */
    const unsigned char *bloom, *buckets, *chains, *versym; /* versym NULL: the file has no versions */
};

/* cost: 5 or 6 reads; memory: the hash table, about 5 bytes a defined symbol, and 2 for its version */
void elf_symtab_read(const struct bytesrc *s, const struct elf *f, struct arena *a, struct elf_symtab *ret);
/* Index of the next defined symbol behind `after` (0: the first one) whose name has this elf_gnu_hash(); 0: none. */
uint32_t elf_symtab_next(const struct elf_symtab *t, uint32_t hash, uint32_t after);
/* DT_VERSYM of a symbol, hidden bit included; 1 (global, no version) in a file without versions. */
uint16_t elf_symtab_version(const struct elf_symtab *t, uint32_t index);

struct elf_undef {           /* an undefined symbol that is not weak */
    uint32_t index;
    const char *name;
    const struct elf_verneed *version; /* NULL: any */
};

/* elf_undefined - the undefined symbols of a file, except those for which `skip` says so.
 *
 * skip:   asked with `ctx` and the version that is wanted, with NULL for symbols that want none; a NULL pointer takes all
 * ret:    in `a`
 * errors: -EBADMSG names lie further apart than is worth reading, or outside; then nothing is claimed about them */
typedef bool elf_skip_fn(void *ctx, const struct elf_verneed *v);
int elf_undefined(const struct bytesrc *s, const struct elf *f, elf_skip_fn *skip, void *ctx, struct arena *a, struct elf_undef **ret,
                  size_t *ret_n);

typedef bool elf_rela_fn(void *ctx, uint64_t place, uint32_t symbol, uint32_t type);

/* elf_relas - visit the relocations in the order in which the loader applies them, until `visit` returns true.
 *
 * relative: also those that name no symbol
 * visit:    place (virtual address), symbol index (0: none) and R_X86_64_ type
 * returns whether `visit` stopped it */
bool elf_relas(const struct bytesrc *s, const struct elf *f, bool relative, elf_rela_fn *visit, void *ctx);
#endif
