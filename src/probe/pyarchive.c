/* SPDX-License-Identifier: Apache-2.0 */
/* pyarchive - a zip archive as an entry of sys.path. */
#include "probe/pyarchive.h"
#include <errno.h>
#include <string.h>
#include "base/util.h"
#include "formats/zipmember.h"

/* The first part of the path that is there, from its end: a file, or nothing that is an archive. */
static const char *find_file(struct root *r, struct arena *a, const char *entry)
{
    struct root_stat st;
    for (const char *at = entry;; at = path_dir(a, at)) {
        int rc = root_stat(r, at, &st);
        if (rc == 0)
            return st.type == ROOT_FILE ? at : NULL;
        if (strcmp(at, "/") == 0 || strcmp(at, ".") == 0)
            return NULL;
    }
}

/* Python asks for the end record alone. */
static bool is_cut(const struct bytesrc *s)
{
    static const char magic[] = "PK\5\6";
    enum { TAIL = 22 + 65535 };
    size_t n = s->size < TAIL ? (size_t)s->size : TAIL;
    struct arena scratch;
    arena_init(&scratch, 0);
    char *tail = arena_raw(&scratch, n + 1);
    bool found = bytesrc_read_exact(s, s->size - n, tail, n) == 0 && memmem(tail, n, magic, 4);
    arena_done(&scratch);
    return !found;
}

int pyarchive_open(struct root *r, struct arena *a, const char *entry, struct pyarchive *ret)
{
    struct err e;
    struct pyarchive z = {.file = find_file(r, a, entry)};
    if (!z.file || root_open(r, z.file, &z.open, NULL) < 0)
        return -ENOENT;
    const char *rest = entry + strlen(z.file);
    z.below = *rest ? arena_printf(a, "%s/", rest + 1) : "";
    struct bytesrc s = rfile_src(z.open);
    int rc = zip_read(&s, a, &z.zip, &e);
    if (rc < 0) {
        bool none = rc == -ENOEXEC || (rc != -E2BIG && rc != -ENOTSUP && is_cut(&s));
        rfile_close(z.open);
        return none ? -ENOENT : rc;
    }
    *ret = z;
    return 0;
}

void pyarchive_close(struct pyarchive *z)
{
    rfile_close(z->open);
}

static const struct zip_entry *find(const struct pyarchive *z, struct arena *scratch, const char *name)
{
    return zip_find(&z->zip, arena_printf(scratch, "%s%s", z->below, name));
}

bool pyarchive_has(const struct pyarchive *z, struct arena *scratch, const char *name)
{
    return find(z, scratch, name) != NULL;
}

bool pyarchive_has_folder(const struct pyarchive *z, struct arena *scratch, const char *name)
{
    return zip_has_folder(&z->zip, arena_printf(scratch, "%s%s/", z->below, name));
}

int pyarchive_read(const struct pyarchive *z, const char *name, size_t max, struct arena *a, const char **ret, size_t *ret_len)
{
    struct bytesrc s = rfile_src(z->open);
    const struct zip_entry *m = find(z, a, name);
    struct zipmember *member;
    struct err e;
    if (!m)
        return -ENOENT;
    if (m->size > max)
        return -EFBIG;
    int rc = zipmember_open(&s, m, &member, &e);
    if (rc < 0)
        return rc;
    char *text = arena_raw(a, (size_t)m->size + 1);
    struct bytesrc ms = zipmember_src(member);
    rc = bytesrc_read_exact(&ms, 0, text, (size_t)m->size);
    zipmember_close(member);
    if (rc < 0)
        return rc;
    text[m->size] = '\0';
    *ret = text;
    *ret_len = (size_t)m->size;
    return 0;
}

void pyarchive_list(const struct pyarchive *z, struct arena *a, struct root_dirent **ret, size_t *ret_n)
{
    size_t skip = strlen(z->below);
    *ret = NULL;
    *ret_n = 0;
    for (size_t i = 0; i < z->zip.n; i++) { /* by name: what lies in one folder comes in a row */
        const char *name = z->zip.entries[i].name;
        if (strncmp(name, z->below, skip) != 0)
            continue;
        size_t n = strcspn(name + skip, "/");
        const struct root_dirent *last = *ret_n ? &(*ret)[*ret_n - 1] : NULL;
        if (last && strlen(last->name) == n && memcmp(last->name, name + skip, n) == 0)
            continue;
        *ARENA_PUSH(a, *ret, *ret_n) = (struct root_dirent){arena_strndup(a, name + skip, n), name[skip + n] ? ROOT_DIR : ROOT_FILE};
    }
}
