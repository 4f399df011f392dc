/* SPDX-License-Identifier: Apache-2.0 */
/* py_sources - Python files of other packages without which `import tensorflow` fails: are they there and whole? */
#include <errno.h>
#include <string.h>
#include "formats/record.h"
#include "knowledge/pydata.h"
#include "probe/integrity.h"
#include "probe/tf_record.h"

/* Files that follow each other in one folder are walked from it where they are many. Returns how many files this was decided for. */
static size_t walk_from(struct probe *p, const char *dir, const char *const *files)
{
    enum { MANY = 8 };
    char buf[PATH_BUF + 1];
    const char *slash = strrchr(files[0], '/');
    size_t len = slash ? (size_t)(slash - files[0]) + 1 : 0, n = 1;
    while (files[n] && !strncmp(files[n], files[0], len) && !strchr(files[n] + len, '/'))
        n++;
    if (!len || n < MANY) {
        root_here(p->root, NULL);
        return n;
    }
    path_join_in(buf, dir, files[0]);
    *strrchr(buf, '/') = '\0';
    root_here(p->root, buf);
    return n;
}

/* Worth a look at RECORD: not there, empty, or written after the package was installed. */
static bool is_suspect(struct probe *p, const char *path, int64_t installed_ns)
{
    struct root_stat st;
    return root_stat(p->root, path, &st) < 0 || !st.size || st.mtime_ns > installed_ns || (st.mode & 0444) != 0444;
}

static bool is_known(const struct probe *p, const char *path)
{
    for (size_t i = 0; i < p->f->tensorflow.n_tampered; i++)
        if (str_eq(p->f->tensorflow.tampered[i].path, path))
            return true;
    return false;
}

/* An editor ends a file with a newline; what stops in the middle of a line was cut off. */
static bool ends_in_line(struct probe *p, const char *path, uint64_t size)
{
    struct rfile *file;
    char last = '\n';
    if (!size || root_open(p->root, path, &file, NULL) < 0)
        return false;
    long n = rfile_pread(file, &last, 1, size - 1);
    rfile_close(file);
    return n == 1 && last != '\n';
}

static void compare(struct probe *p, const struct fact_package *k, const struct record_entry *en)
{
    struct fact_tensorflow *t = &p->f->tensorflow;
    const struct target g = {k->dir, k->name};
    const struct tf_file f = {.path = arena_strndup(p->a, en->path.p, en->path.n), .has_size = en->has_size, .size = en->size};
    if (is_known(p, path_join(p->a, k->dir, f.path)) || integrity_compare_size(p, &g, &f, true))
        return;
    struct fact_tampered *d = &t->tampered[t->n_tampered - 1];
    if (d->how != FACT_TAMPER_SIZE)
        return;
    bool cut = d->have_size < d->want_size && ends_in_line(p, d->path, d->have_size);
    d->how = cut ? FACT_TAMPER_CUT : FACT_TAMPER_SIZE;
    d->needed = cut;
    d->unsure = !cut && d->have_size < d->want_size;
}

/* A line of RECORD about this path: cheaper than taking each line apart. Names of Python files need no quotes. */
static bool is_of(struct str line, struct str path)
{
    return line.n > path.n && line.p[path.n] == ',' && !memcmp(line.p, path.p, path.n);
}

/* One pass over RECORD for all files that are worth it. */
static void compare_suspects(struct probe *p, const struct fact_package *k, const char *list, const struct str *suspects, size_t n)
{
    struct rfile *file;
    struct arena scratch;
    struct record rec;
    struct record_entry en;
    struct str line;
    if (root_open(p->root, list, &file, NULL) < 0)
        return;
    struct bytesrc src = rfile_src(file);
    arena_init(&scratch, 0);
    record_init(&rec, &src, arena_raw(&scratch, RECORD_WINDOW));
    while (record_line(&rec, &line) > 0)
        for (size_t i = 0; i < n; i++)
            if (is_of(line, suspects[i]) && record_parse(line, &en))
                compare(p, k, &en);
    arena_done(&scratch);
    rfile_close(file);
}

static void look_at(struct probe *p, const struct fact_package *k, const char *const *files)
{
    struct root_stat st;
    struct str *suspects = NULL;
    size_t n = 0;
    const struct target g = {k->dir, k->name};
    const char *folder = path_join(p->a, k->dir, arena_strndup(p->a, files[0], strcspn(files[0], "/"))), *list = path_join(p->a, k->info, "RECORD");
    if (integrity_compare_folder(p, &g, folder) != FOLDER_OPEN || root_stat(p->root, list, &st) < 0)
        return; /* a package that is gone as a whole is the business of those who import it */
    char buf[PATH_BUF + 1];
    for (size_t i = 0, next = 0; files[i]; i++) {
        if (i == next)
            next += walk_from(p, k->dir, files + i);
        if (is_suspect(p, path_join_in(buf, k->dir, files[i]), st.mtime_ns))
            *ARENA_PUSH(p->a, suspects, n) = (struct str){files[i], strlen(files[i])};
    }
    root_here(p->root, NULL);
    if (n)
        compare_suspects(p, k, list, suspects, n);
}

void probe_py_sources(struct probe *p)
{
    for (size_t i = 0; i < p->f->n_packages; i++) {
        const struct fact_package *k = &p->f->packages[i];
        const char *const *files = k->info && k->dir && !k->shadowed_by ? pydata_sources(k->name, k->version) : NULL;
        if (files)
            look_at(p, k, files);
    }
}
