/* SPDX-License-Identifier: Apache-2.0 */
/* zip - end record, its 64-bit form, central directory, local headers. */
#include "formats/zip.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    END_SIZE = 22, END64_SIZE = 56, LOCATOR_SIZE = 20, CENTRAL_SIZE = 46, LOCAL_SIZE = 30,
    TAIL = END_SIZE + 65535,      /* the end record and the longest comment behind it */
    EXTRA_ZIP64 = 1,
    FLAG_ENCRYPTED = 1, FLAG_STRONG = 1 << 6, FLAG_MASKED = 1 << 13,
    DEFLATE_MOST = 1032,          /* bytes that one packed byte can become */
};
static const uint32_t end_magic = 0x06054b50u, end64_magic = 0x06064b50u, locator_magic = 0x07064b50u, central_magic = 0x02014b50u,
                      local_magic = 0x04034b50u;

struct bounds { uint64_t entries, dir_off, dir_size, dir_end; }; /* dir_end: where the records of the end begin */

static uint16_t u16(const unsigned char *p) { return (uint16_t)(p[0] | p[1] << 8); }
static uint32_t u32(const unsigned char *p) { return u16(p) | (uint32_t)u16(p + 2) << 16; }
static uint64_t u64(const unsigned char *p) { return u32(p) | (uint64_t)u32(p + 4) << 32; }

static int damaged(struct err *e, const char *what, uint64_t off)
{
    return err_set(e, -EBADMSG, "damaged zip archive: %s (offset %llu)", what, (unsigned long long)off);
}

/* Offset of the end record: the last one whose comment ends with the file. */
static int find_end(const struct bytesrc *s, unsigned char *tail, struct err *e, uint64_t *ret, const unsigned char **ret_rec)
{
    unsigned char head[4] = {0};
    size_t n = s->size < TAIL ? (size_t)s->size : TAIL;
    int rc = bytesrc_read_exact(s, 0, head, s->size < 4 ? (size_t)s->size : 4);
    if (rc == 0)
        rc = bytesrc_read_exact(s, s->size - n, tail, n);
    if (rc < 0)
        return err_set(e, rc, "cannot be read");
    for (size_t i = n < END_SIZE ? 0 : n - END_SIZE + 1; i-- > 0;)
        if (u32(tail + i) == end_magic && i + END_SIZE + u16(tail + i + 20) == n) {
            *ret = s->size - n + i;
            *ret_rec = tail + i;
            return 0;
        }
    if (u32(head) == local_magic)
        return damaged(e, "its end is missing; the file is cut", s->size);
    return err_set(e, -ENOEXEC, "not a zip archive");
}

static int read_end64(const struct bytesrc *s, uint64_t end, struct bounds *b, struct err *e)
{
    unsigned char loc[LOCATOR_SIZE], rec[END64_SIZE];
    if (end < LOCATOR_SIZE || bytesrc_read_exact(s, end - LOCATOR_SIZE, loc, sizeof loc) < 0 || u32(loc) != locator_magic)
        return damaged(e, "no 64-bit end record", end);
    uint64_t at = u64(loc + 8);
    if (at > end - LOCATOR_SIZE || end - LOCATOR_SIZE - at < END64_SIZE || bytesrc_read_exact(s, at, rec, sizeof rec) < 0 || u32(rec) != end64_magic)
        return damaged(e, "bad 64-bit end record", at);
    if (u32(loc + 4) != 0 || u32(rec + 16) != 0 || u32(rec + 20) != 0)
        return err_set(e, -ENOTSUP, "a zip archive of several disks");
    *b = (struct bounds){.entries = u64(rec + 32), .dir_size = u64(rec + 40), .dir_off = u64(rec + 48), .dir_end = at};
    return 0;
}

static int find_directory(const struct bytesrc *s, struct bounds *b, struct err *e)
{
    unsigned char *tail = malloc(TAIL);
    const unsigned char *rec = NULL;
    uint64_t end = 0;
    if (!tail)
        return err_set(e, -ENOMEM, "out of memory");
    int rc = find_end(s, tail, e, &end, &rec);
    if (rec) {
        *b = (struct bounds){.entries = u16(rec + 10), .dir_size = u32(rec + 12), .dir_off = u32(rec + 16), .dir_end = end};
        if (b->entries == 0xFFFF || b->dir_size == 0xFFFFFFFFu || b->dir_off == 0xFFFFFFFFu)
            rc = read_end64(s, end, b, e);
        else if (u16(rec + 4) != 0 || u16(rec + 6) != 0)
            rc = err_set(e, -ENOTSUP, "a zip archive of several disks");
    }
    free(tail);
    if (rc < 0)
        return rc;
    if (b->dir_off > b->dir_end || b->dir_size > b->dir_end - b->dir_off)
        return damaged(e, "directory outside the file", b->dir_off);
    if (b->dir_off + b->dir_size != b->dir_end)
        return damaged(e, "something between the directory and its end record", b->dir_off + b->dir_size);
    if (b->dir_size > ZIP_MAX_DIR)
        return err_set(e, -E2BIG, "a directory of %llu bytes", (unsigned long long)b->dir_size);
    return 0;
}

/* Names that stay below the folder they are unpacked in, on every system. */
static bool good_name(const char *s, size_t n)
{
    if (n == 0 || s[0] == '/')
        return false;
    for (size_t i = 0, part = 0; i <= n; i++) {
        if (i < n && ((unsigned char)s[i] < 0x20 || s[i] == 0x7f || s[i] == '\\'))
            return false;
        if (i < n && s[i] != '/')
            continue;
        if ((i == part && i < n) || (i - part == 1 && s[part] == '.') || (i - part == 2 && s[part] == '.' && s[part + 1] == '.'))
            return false;
        part = i + 1;
    }
    return true;
}

/* The 64-bit numbers of those fields that are all ones, in this order. */
static bool widen(const unsigned char *extra, size_t n, struct zip_entry *m)
{
    uint64_t *field[] = {&m->size, &m->packed, &m->header};
    while (n >= 4) {
        size_t len = u16(extra + 2);
        if (len > n - 4)
            return false;
        if (u16(extra) == EXTRA_ZIP64) {
            const unsigned char *p = extra + 4;
            for (size_t i = 0; i < 3; i++) {
                if (*field[i] != 0xFFFFFFFFu)
                    continue;
                if (len < 8)
                    return false;
                *field[i] = u64(p);
                p += 8;
                len -= 8;
            }
            return true;
        }
        extra += 4 + len;
        n -= 4 + len;
    }
    return m->size != 0xFFFFFFFFu && m->packed != 0xFFFFFFFFu && m->header != 0xFFFFFFFFu;
}

/* One record at p; its length, or 0. */
static size_t read_central(const unsigned char *p, size_t n, struct zip_entry *ret, const char **ret_why)
{
    *ret_why = "bad record in the directory";
    if (n < CENTRAL_SIZE || u32(p) != central_magic)
        return 0;
    size_t name = u16(p + 28), extra = u16(p + 30), comment = u16(p + 32), len = CENTRAL_SIZE + name + extra + comment;
    if (len > n)
        return 0;
    *ret = (struct zip_entry){.flags = u16(p + 8), .method = u16(p + 10), .crc = u32(p + 16), .packed = u32(p + 20), .size = u32(p + 24),
                              .header = u32(p + 42)};
    if (!widen(p + CENTRAL_SIZE + name, extra, ret))
        return 0;
    *ret_why = "a member's name leads elsewhere";
    if (!good_name((const char *)p + CENTRAL_SIZE, name))
        return 0;
    *ret_why = "a member's sizes cannot be";
    bool plain = ret->method == ZIP_STORED && !(ret->flags & FLAG_ENCRYPTED) && ret->size != ret->packed;
    bool bomb = ret->method == ZIP_DEFLATE && ret->size / DEFLATE_MOST > ret->packed;
    return plain || bomb ? 0 : len;
}

static int by_header(const void *x, const void *y)
{
    const struct zip_entry *a = x, *b = y;
    return a->header < b->header ? -1 : a->header > b->header;
}

static int by_name(const void *x, const void *y)
{
    const struct zip_entry *a = x, *b = y;
    return strcmp(a->name, b->name);
}

/* Members do not overlap and lie before the directory. */
static int check_places(struct zip *z, const struct bounds *b, struct err *e)
{
    qsort(z->entries, z->n, sizeof *z->entries, by_header);
    for (size_t i = 0; i < z->n; i++) {
        struct zip_entry *m = &z->entries[i];
        m->end = i + 1 < z->n ? z->entries[i + 1].header : b->dir_off;
        if (m->header > m->end || m->end - m->header < LOCAL_SIZE || m->packed > m->end - m->header - LOCAL_SIZE)
            return damaged(e, "a member overlaps another or the directory", m->header);
    }
    return 0;
}

static int read_entries(const unsigned char *dir, const struct bounds *b, struct arena *a, struct zip *z, struct err *e)
{
    size_t at = 0, n = (size_t)b->dir_size;
    uint64_t total = 0;
    z->entries = arena_array(a, (size_t)b->entries, sizeof *z->entries);
    for (uint64_t i = 0; i < b->entries; i++) {
        struct zip_entry m;
        const char *why;
        size_t len = read_central(dir + at, n - at, &m, &why);
        if (!len)
            return damaged(e, why, b->dir_off + at);
        m.name = arena_strndup(a, (const char *)dir + at + CENTRAL_SIZE, u16(dir + at + 28));
        z->entries[z->n++] = m;
        at += len;
        if (m.size > ZIP_MAX_TOTAL || (total += m.size) > ZIP_MAX_TOTAL)
            return err_set(e, -E2BIG, "a zip archive that unpacks to more than %u GiB", (unsigned)(ZIP_MAX_TOTAL >> 30));
    }
    return at == n ? 0 : damaged(e, "more in the directory than it counts", b->dir_off + at);
}

int zip_read(const struct bytesrc *s, struct arena *a, struct zip *ret, struct err *e)
{
    struct bounds b = {0};
    struct zip z = {0};
    int rc = find_directory(s, &b, e);
    if (rc < 0)
        return rc;
    if (b.entries > b.dir_size / CENTRAL_SIZE)
        return damaged(e, "fewer members than it counts", b.dir_off);
    unsigned char *dir = malloc((size_t)b.dir_size + 1);
    if (!dir)
        return err_set(e, -ENOMEM, "out of memory");
    rc = bytesrc_read_exact(s, b.dir_off, dir, (size_t)b.dir_size);
    rc = rc < 0 ? err_set(e, rc, "cannot be read") : read_entries(dir, &b, a, &z, e);
    free(dir);
    if (rc == 0)
        rc = check_places(&z, &b, e);
    if (rc < 0)
        return rc;
    qsort(z.entries, z.n, sizeof *z.entries, by_name);
    size_t kept = 0;
    for (size_t i = 0; i < z.n; i++) {
        if (i + 1 < z.n && strcmp(z.entries[i].name, z.entries[i + 1].name) == 0)
            return damaged(e, "two members of one name", z.entries[i].header);
        size_t len = strlen(z.entries[i].name);
        if (z.entries[i].name[len - 1] != '/')
            z.entries[kept++] = z.entries[i];
        else
            *ARENA_PUSH(a, z.folders, z.n_folders) = z.entries[i].name;
    }
    z.n = kept;
    *ret = z;
    return 0;
}

const struct zip_entry *zip_find(const struct zip *z, const char *name)
{
    struct zip_entry key = {.name = name};
    return z->n ? bsearch(&key, z->entries, z->n, sizeof key, by_name) : NULL;
}

bool zip_has_folder(const struct zip *z, const char *name)
{
    size_t from = 0, to = z->n_folders;
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        int c = strcmp(z->folders[mid], name);
        if (c == 0)
            return true;
        if (c < 0)
            from = mid + 1;
        else
            to = mid;
    }
    return false;
}

static bool same_name(const struct bytesrc *s, const struct zip_entry *m, size_t n)
{
    char part[64];
    if (n != strlen(m->name))
        return false;
    for (size_t i = 0, k; i < n; i += k) {
        k = n - i < sizeof part ? n - i : sizeof part;
        if (bytesrc_read_exact(s, m->header + LOCAL_SIZE + i, part, k) < 0 || memcmp(part, m->name + i, k) != 0)
            return false;
    }
    return true;
}

int zip_data(const struct bytesrc *s, const struct zip_entry *m, uint64_t *ret_off, struct err *e)
{
    unsigned char h[LOCAL_SIZE];
    if (m->flags & (FLAG_ENCRYPTED | FLAG_STRONG | FLAG_MASKED))
        return err_set(e, -ENOTSUP, "%s is encrypted", m->name);
    if (m->method != ZIP_STORED && m->method != ZIP_DEFLATE)
        return err_set(e, -ENOTSUP, "%s is packed by method %u, which no wheel may use", m->name, m->method);
    int rc = bytesrc_read_exact(s, m->header, h, sizeof h);
    if (rc < 0)
        return err_set(e, rc, "%s: cannot be read", m->name);
    uint64_t skip = (uint64_t)LOCAL_SIZE + u16(h + 26) + u16(h + 28);
    if (u32(h) != local_magic || u16(h + 8) != m->method || skip > m->end - m->header || m->packed > m->end - m->header - skip ||
        !same_name(s, m, u16(h + 26)))
        return damaged(e, "a member's header does not fit the directory", m->header);
    *ret_off = m->header + skip;
    return 0;
}
