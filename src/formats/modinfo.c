/* SPDX-License-Identifier: Apache-2.0 */
/* modinfo - what a kernel module's file says of itself. Section headers are read here: a module is ET_REL, which is no business
 * of the loader's reader. */
#include "formats/modinfo.h"
#include <elf.h>
#include <errno.h>
#include <string.h>

enum { MAX_SECTIONS = 4096, MAX_MODINFO = 1 << 20, MAX_NAMES = 1 << 20 };
static const char signature_mark[] = "~Module signature appended~\n";

const char *modinfo_get(const char *p, size_t len, const char *key, struct arena *a)
{
    size_t n = strlen(key), i = 0;
    while (i < len) {
        const char *end = memchr(p + i, '\0', len - i);
        if (!end)
            return NULL; /* a string is valid when its end is inside too */
        size_t l = (size_t)(end - (p + i));
        if (l > n && p[i + n] == '=' && memcmp(p + i, key, n) == 0)
            return arena_strndup(a, p + i + n + 1, l - n - 1);
        i += l + 1;
    }
    return NULL;
}

static int find_section(const struct bytesrc *s, const Elf64_Ehdr *h, struct arena *a, Elf64_Shdr *ret, struct err *e)
{
    if (h->e_shentsize != sizeof(Elf64_Shdr) || h->e_shnum == 0 || h->e_shnum > MAX_SECTIONS || h->e_shstrndx >= h->e_shnum)
        return err_set(e, -EBADMSG, "kernel module: %u section headers of %u bytes", h->e_shnum, h->e_shentsize);
    Elf64_Shdr *sh = arena_array(a, h->e_shnum, sizeof *sh);
    int r = bytesrc_read_exact(s, h->e_shoff, sh, (size_t)h->e_shnum * sizeof *sh);
    if (r < 0)
        return err_set(e, r, "kernel module: section headers at offset %llu", (unsigned long long)h->e_shoff);
    const Elf64_Shdr *names = &sh[h->e_shstrndx];
    if (names->sh_size > MAX_NAMES || names->sh_size > s->size)
        return err_set(e, -EBADMSG, "kernel module: section names of %llu bytes", (unsigned long long)names->sh_size);
    char *pool = arena_alloc(a, (size_t)names->sh_size + 1);
    if ((r = bytesrc_read_exact(s, names->sh_offset, pool, (size_t)names->sh_size)) < 0)
        return err_set(e, r, "kernel module: section names at offset %llu", (unsigned long long)names->sh_offset);
    for (size_t i = 0; i < h->e_shnum; i++)
        if (sh[i].sh_name < names->sh_size && strcmp(pool + sh[i].sh_name, ".modinfo") == 0) {
            *ret = sh[i];
            return 0;
        }
    return err_set(e, -EBADMSG, "kernel module: no section .modinfo");
}

int modinfo_read(const struct bytesrc *s, struct arena *a, struct modinfo *ret, struct err *e)
{
    Elf64_Ehdr h;
    Elf64_Shdr sec = {0};
    int r = bytesrc_read_exact(s, 0, &h, sizeof h);
    if (r < 0)
        return err_set(e, r, "kernel module: header");
    if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_ident[EI_DATA] != ELFDATA2LSB || h.e_type != ET_REL)
        return err_set(e, -EBADMSG, "not an uncompressed kernel module");
    if ((r = find_section(s, &h, a, &sec, e)) < 0)
        return r;
    if (sec.sh_size > MAX_MODINFO || sec.sh_size > s->size)
        return err_set(e, -EFBIG, "kernel module: .modinfo of %llu bytes", (unsigned long long)sec.sh_size);
    char *p = arena_alloc(a, (size_t)sec.sh_size + 1);
    if ((r = bytesrc_read_exact(s, sec.sh_offset, p, (size_t)sec.sh_size)) < 0)
        return err_set(e, r, "kernel module: .modinfo at offset %llu", (unsigned long long)sec.sh_offset);
    char tail[sizeof signature_mark - 1] = "";
    bool is_signed = s->size >= sizeof tail && bytesrc_read_exact(s, s->size - sizeof tail, tail, sizeof tail) == 0 &&
                     memcmp(tail, signature_mark, sizeof tail) == 0;
    size_t len = (size_t)sec.sh_size;
    *ret = (struct modinfo){.version = modinfo_get(p, len, "version", a), .license = modinfo_get(p, len, "license", a),
                            .vermagic = modinfo_get(p, len, "vermagic", a), .is_signed = is_signed};
    return 0;
}
