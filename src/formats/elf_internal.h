/* SPDX-License-Identifier: Apache-2.0 */
/* elf_internal - the window reader that the files of the ELF parser share; nobody else includes it. */
#ifndef TG_FORMATS_ELF_INTERNAL_H
#define TG_FORMATS_ELF_INTERNAL_H
#include "formats/elf.h"

enum { ELF_WIN = 2048, ELF_PAGE = 4096 };

/* A small window over the file. Small reads that follow each other cost one pread. Bytes behind the end of the file but in
 * its last page read as zero, as in a mapping. */
struct elf_win {
    const struct bytesrc *s;
    uint64_t off;
    size_t len;
    size_t step;  /* bytes to read at once; 0: ELF_WIN */
    unsigned char b[ELF_WIN];
};

/* n <= ELF_WIN bytes at `off`; valid until the next call. 0, -EBADMSG outside of the file, or the source's errno. */
int elf_win_get(struct elf_win *w, uint64_t off, size_t n, const unsigned char **ret);

static inline uint16_t elf_u16(const unsigned char *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t elf_u32(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t elf_u64(const unsigned char *p)
{
    return elf_u32(p) | (uint64_t)elf_u32(p + 4) << 32;
}

/* Strings that elf_read wants of the string table: collected first, fetched in the order of their offsets afterwards. */
struct elf_strref { uint64_t off; const char **dst; };
struct elf_strs {
    struct arena *tmp;
    struct elf_strref *refs;
    size_t n;
};

void elf_strs_want(struct elf_strs *q, uint64_t off, const char **dst);
int elf_strs_fetch(struct elf_strs *q, const struct bytesrc *s, uint64_t strtab, uint64_t strsz, struct arena *a);
/* DT_VERNEED and DT_VERDEF at file offsets `need` and `def` (0: none). A table that leaves the file ends where it leaves. */
int elf_read_versions(struct elf_win *w, uint64_t need, uint64_t def, struct elf_strs *q, struct arena *a, struct elf *f);
#endif
