/* SPDX-License-Identifier: Apache-2.0 */
/* What a lock may hold can be typed as it stands: no option, no blank, no way out of its folder. Written and read again it is the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/util.h"
#include "formats/jdoc.h"
#include "formats/lockexport.h"
#include "formats/lockfile.h"

static void plain(const char *s, const char *also)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    if (!*s || s[0] == '-')
        abort();
    for (; *s; s++)
        if (!strchr(letters, *s) && !strchr(also, *s))
            abort();
}

/* Where a link leads, counted in folders: never above the environment. */
static void inside(const struct lock_repair *l)
{
    int depth = 0;
    plain(l->path, "+/");
    plain(l->target, "+/");
    if (l->path[0] == '/' || l->target[0] == '/' || strstr(l->path, "..") == l->path)
        abort();
    for (const char *s = l->path; (s = strchr(s, '/')); s++)
        depth++;
    for (const char *s = l->target; *s; s += strcspn(s, "/"), s += *s == '/') {
        size_t n = strcspn(s, "/");
        depth += n == 2 && s[0] == '.' && s[1] == '.' ? -1 : 1;
        if (depth < 0)
            abort();
    }
}

/* Lines of a tree never go back, and stay in the file. */
static uint32_t walk(const struct ydoc *d, uint32_t from, size_t lines)
{
    if (d->line < from || d->line > lines)
        abort();
    from = d->line;
    for (size_t i = 0; d->kind != YDOC_TEXT && i < d->n; i++) {
        if (d->kind == YDOC_MAP)
            from = walk(&d->keys[i], from, lines);
        from = walk(&d->of[i], from, lines);
    }
    return from;
}

static void tree(struct arena *a, const char *p, size_t n)
{
    struct ydoc d;
    struct err e = {0};
    uint32_t line = 0;
    size_t lines = 1;
    for (size_t i = 0; i < n; i++)
        lines += p[i] == '\n';
    if (jdoc_parse(p, n, a, &d, &line, &e) == 0)
        (void)walk(&d, 1, lines);
    else if (!*e.msg || line < 1 || line > lines)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct lockfile l, again;
    struct err e = {0};
    struct buf out, second;
    arena_init(&a, 0);
    buf_init(&out, 0);
    buf_init(&second, 0);
    tree(&a, (const char *)data, size);
    if (lockfile_read((const char *)data, size, &a, &l, &e) == 0) {
        if (l.n_packages == 0)
            abort();
        for (size_t i = 0; i < l.n_packages; i++) {
            plain(l.packages[i].name, "");
            plain(l.packages[i].version, "!+");
            if (lockfile_find(&l, l.packages[i].name) != &l.packages[i] || l.packages[i].n_sha256 == 0)
                abort();
        }
        for (size_t i = 0; i < l.n_repairs; i++)
            inside(&l.repairs[i]);
        lockfile_write(&l, &out);
        if (lockfile_read(out.p, out.len, &a, &again, &e) < 0)
            abort();
        lockfile_write(&again, &second);
        if (out.len != second.len || memcmp(out.p, second.p, out.len) != 0)
            abort();
        buf_reset(&out);
        lockexport_requirements(&l, &out);
        lockexport_environment(&l, &out);
        lockexport_dockerfile(&l, &out);
        lockexport_compose(&l, &out);
        lockexport_devcontainer(&l, &out);
        lockexport_first_boot(&l, &out);
        if (memchr(out.p, '\0', out.len))
            abort();
    } else if (!*e.msg || strchr(e.msg, '\n')) {
        abort();
    }
    buf_done(&out);
    buf_done(&second);
    arena_done(&a);
    return 0;
}
