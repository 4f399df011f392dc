/* SPDX-License-Identifier: Apache-2.0 */
/* integrity - the installed files against the RECORD of their packages, and modules that come from the wrong place. */
#include <errno.h>
#include <string.h>
#include "base/sha256.h"
#include "formats/record.h"
#include "knowledge/pydata.h"
#include "probe/integrity.h"
#include "probe/probe.h"
#include "probe/py_import.h"
#include "probe/shadows.h"
#include "probe/syspath.h"
#include "probe/tf_record.h"

enum { HASH_CHUNK = 1 << 18 };

static bool is_elf_name(const char *path)
{
    return strstr(path_base(path), ".so") != NULL;
}

static void add(struct probe *p, const struct target *g, const char *path, enum fact_tamper how, uint64_t want, uint64_t have, bool needed)
{
    struct fact_tensorflow *t = &p->f->tensorflow;
    struct fact_tampered *d = ARENA_PUSH(p->a, t->tampered, t->n_tampered);
    *d = (struct fact_tampered){.path = path, .package = g->package, .how = how, .want_size = want, .have_size = have, .needed = needed};
}

/* A shorter file: cut when its own segments reach beyond its end, or when it is none of its kind any more. */
static enum fact_tamper how_shorter(struct probe *p, const char *path)
{
    const struct elf *e = p->proc && is_elf_name(path) ? ldso_elf(p->proc, path) : NULL;
    return e && e->verdict != ELF_OK ? FACT_TAMPER_CUT : FACT_TAMPER_SIZE;
}

bool integrity_compare_size(struct probe *p, const struct target *g, const struct tf_file *f, bool needed)
{
    struct root_stat st;
    char buf[PATH_BUF + 1];
    int rc = root_stat(p->root, path_join_in(buf, g->site, f->path), &st);
    p->f->tensorflow.record_checked++;
    if (rc == 0 && (!f->has_size || st.size == f->size) && (st.mode & 0444) == 0444)
        return true;
    const char *path = path_join(p->a, g->site, f->path), *other = needed && rc ? pydata_replaced_by(f->path) : NULL;
    if (rc == -ENOENT || rc == -ENOTDIR || rc == -ELOOP)
        add(p, g, path, FACT_TAMPER_MISSING, f->size, 0, needed && !(other && root_stat(p->root, path_join(p->a, g->site, other), &st) == 0));
    else if (rc == 0 && f->has_size && st.size == 0 && f->size)
        add(p, g, path, FACT_TAMPER_EMPTY, f->size, 0, needed);
    else if (rc == 0 && f->has_size && st.size != f->size)
        add(p, g, path, st.size < f->size ? how_shorter(p, path) : FACT_TAMPER_SIZE, f->size, st.size, needed);
    else if (rc == 0 && (st.mode & 0444) != 0444 && root_access(p->root, path, 4) == -EACCES)
        add(p, g, path, FACT_TAMPER_UNREADABLE, f->size, st.size, needed);
    else
        return true;
    return false;
}

enum integrity_folder integrity_compare_folder(struct probe *p, const struct target *g, const char *path)
{
    enum { READ_SEARCH = 5, ALL_READ_SEARCH = 0555 };
    struct root_stat st;
    if (root_stat(p->root, path, &st) < 0)
        return FOLDER_ABSENT;
    if (st.type != ROOT_DIR || (st.mode & ALL_READ_SEARCH) == ALL_READ_SEARCH || root_access(p->root, path, READ_SEARCH) != -EACCES)
        return FOLDER_OPEN;
    add(p, g, path, FACT_TAMPER_UNREADABLE, 0, 0, true);
    return FOLDER_CLOSED;
}

/* Shared objects that the import was seen to open, or that the simulated process has. Of Python files py_import.h knows more. */
static bool is_needed(const struct probe *p, const struct tf_file *f)
{
    if (pydata_opened(f->path))
        return true;
    const struct fact_tensorflow *t = &p->f->tensorflow;
    for (size_t i = 0; i < t->n_modules; i++)
        if (str_ends(t->modules[i].path, f->path))
            return true;
    return false;
}

static void check_tensorflow(struct probe *p, const struct target *g)
{
    static const char *const searched[] = {"tensorflow", "tensorflow/python"}; /* for the modules in them */
    for (size_t i = 0; i < TG_COUNT(searched) && integrity_compare_folder(p, g, path_join(p->a, g->site, searched[i])) != FOLDER_CLOSED;)
        i++;
    for (size_t i = 0; i < p->record->n_files; i++) {
        p->f->tensorflow.python_checked += str_ends(p->record->files[i].path, ".py");
        (void)integrity_compare_size(p, g, &p->record->files[i], is_needed(p, &p->record->files[i]));
    }
}

/* The CUDA wheels in the same folder: the libraries that they put there. */
static void check_wheels(struct probe *p, const char *site)
{
    for (size_t i = 0; i < p->f->n_packages; i++) {
        const struct fact_package *k = &p->f->packages[i];
        if (!str_starts(k->name, "nvidia-") || !str_eq(k->dir, site) || !k->info)
            continue;
        const struct tf_record *r = tf_record_libraries(p, k);
        struct target g = {site, k->name};
        for (size_t n = 0; n < r->n_files; n++)
            (void)integrity_compare_size(p, &g, &r->files[n], false);
    }
}

static bool record_lists(struct probe *p, const char *info, const char *path, struct tf_file *ret)
{
    struct rfile *file;
    if (root_open(p->root, path_join(p->a, info, "RECORD"), &file, NULL) < 0)
        return false;
    struct bytesrc src = rfile_src(file);
    struct arena scratch;
    arena_init(&scratch, 0);
    struct record rec;
    record_init(&rec, &src, arena_raw(&scratch, RECORD_WINDOW));
    struct record_entry en;
    bool found = false;
    while (!found && record_next(&rec, &en) > 0)
        found = en.path.n == strlen(path) && !memcmp(en.path.p, path, en.path.n);
    *ret = (struct tf_file){.path = path, .has_size = found && en.has_size, .size = found ? en.size : 0};
    arena_done(&scratch);
    rfile_close(file);
    return found;
}

static bool any_is_in(struct probe *p, const char *dir, const char *const *files)
{
    struct root_stat st;
    char buf[PATH_BUF + 1];
    for (size_t j = 0; files[j]; j++)
        if (root_stat(p->root, path_join_in(buf, dir, files[j]), &st) != -ENOENT)
            return true;
    return false;
}

/* One of these files is there, or those that the package's RECORD lists are missing; the import may still find the module in another
 * folder of sys.path. */
static void check_any(struct probe *p, const struct fact_package *k, const char *const *files)
{
    struct tf_file f;
    if (any_is_in(p, k->dir, files))
        return;
    bool elsewhere = false;
    for (size_t i = 0; p->sys && i < p->sys->n_dirs && !elsewhere; i++)
        elsewhere = p->sys->dirs[i].is_dir && !str_eq(p->sys->dirs[i].dir, k->dir) && any_is_in(p, p->sys->dirs[i].dir, files);
    for (size_t j = 0; files[j]; j++)
        if (record_lists(p, k->info, files[j], &f))
            (void)integrity_compare_size(p, &(struct target){k->dir, k->name}, &f, !elsewhere);
}

/* Packages that the import cannot do without: the file that makes the folder a package. RECORD is read only where neither
 * NAME/__init__.py nor NAME.py is there (namespace packages and extension modules have none of them). */
static void check_modules(struct probe *p)
{
    size_t n;
    const struct imported_module *m = pydata_modules(&n);
    for (size_t i = 0; i < n; i++) {
        const struct fact_package *k = NULL;
        for (size_t j = 0; m[i].required && m[i].dist && !k && j < p->f->n_packages; j++)
            if (str_eq(p->f->packages[j].name, m[i].dist) && !p->f->packages[j].shadowed_by)
                k = &p->f->packages[j];
        if (!k || !k->info || !k->dir || str_eq(k->name, p->f->tensorflow.dist))
            continue;
        const char *names[] = {arena_printf(p->a, "%s/__init__.py", m[i].name), arena_printf(p->a, "%s.py", m[i].name), NULL};
        check_any(p, k, names);
        check_any(p, k, m[i].files);
    }
}

static int hash_file(struct probe *p, const char *path, char *buf, char text[44])
{
    struct rfile *f;
    int rc = root_open(p->root, path, &f, NULL);
    if (rc < 0)
        return rc;
    struct sha256 h;
    unsigned char digest[32];
    long n;
    sha256_init(&h);
    for (uint64_t off = 0; (n = rfile_pread(f, buf, HASH_CHUNK, off)) > 0; off += (uint64_t)n)
        sha256_add(&h, buf, (size_t)n);
    sha256_done(&h, digest);
    sha256_text(digest, text);
    rfile_close(f);
    return n < 0 ? (int)n : 0;
}

static void compare_hash(struct probe *p, const struct target *g, const struct tf_file *f, const char *want, char *buf, bool needed)
{
    char have[44];
    const char *path = path_join(p->a, g->site, f->path);
    int rc = hash_file(p, path, buf, have);
    if (rc < 0)
        add(p, g, path, FACT_TAMPER_UNREADABLE, f->size, f->size, needed);
    else if (strcmp(have, want) != 0)
        add(p, g, path, FACT_TAMPER_HASH, f->size, f->size, needed);
}

/* --deep: every entry of TensorFlow's RECORD, contents included. */
static void check_all(struct probe *p, const struct target *g, const char *info)
{
    struct rfile *file;
    if (root_open(p->root, path_join(p->a, info, "RECORD"), &file, NULL) < 0)
        return;
    struct bytesrc src = rfile_src(file);
    struct arena scratch;
    arena_init(&scratch, 0);
    struct record rec;
    record_init(&rec, &src, arena_raw(&scratch, RECORD_WINDOW));
    char *buf = arena_alloc(&scratch, HASH_CHUNK);
    struct record_entry en;
    while (record_next(&rec, &en) > 0) {
        struct tf_file f = {.path = arena_strndup(p->a, en.path.p, en.path.n), .has_size = en.has_size, .size = en.size};
        char want[RECORD_SHA256_TEXT + 1] = "";
        if (en.hash.n == RECORD_SHA256_TEXT && en.hash_name.n == 6 && !memcmp(en.hash_name.p, "sha256", 6))
            memcpy(want, en.hash.p, RECORD_SHA256_TEXT);
        bool needed = is_needed(p, &f);
        p->f->tensorflow.python_checked += str_starts(f.path, "tensorflow/") && str_ends(f.path, ".py");
        if (integrity_compare_size(p, g, &f, needed) && *want)
            compare_hash(p, g, &f, want, buf, needed);
    }
    arena_done(&scratch);
    rfile_close(file);
}

void probe_integrity(struct probe *p)
{
    struct fact_tensorflow *t = &p->f->tensorflow;
    shadows_find(p);
    if (t->package_dir)
        check_modules(p), probe_extensions(p), probe_py_sources(p);
    if (!t->package_dir || !p->record || p->record->state != FACT_PRESENT)
        return;
    struct target g = {path_dir(p->a, t->package_dir), t->dist};
    t->python_listed = p->record->n_python;
    t->contents_checked = p->deep;
    if (p->deep)
        check_all(p, &g, t->info);
    else
        check_tensorflow(p, &g);
    probe_py_import(p, &g, t->info);
    check_wheels(p, g.site);
}
