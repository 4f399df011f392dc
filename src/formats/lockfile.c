/* SPDX-License-Identifier: Apache-2.0 */
/* lockfile - what may stand in a lock, and writing one. */
#include "formats/lockfile.h"
#include <stdlib.h>
#include <string.h>
#include "base/json.h"
#include "base/util.h"
#include "formats/pep440.h"

enum { NAME_LEN = 128, VERSION_LEN = 128, NUMBER_LEN = 32, PATH_LEN = 1024, SHA256_LEN = 64 };
#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

static bool is_of(const char *s, size_t most, const char *letters)
{
    size_t n = strlen(s);
    return n > 0 && n <= most && strspn(s, letters) == n;
}

bool lock_is_name(const char *s)
{
    return is_of(s, NAME_LEN, LOWER DIGITS "-") && s[0] != '-' && s[strlen(s) - 1] != '-' && !strstr(s, "--");
}

bool lock_is_version(const char *s)
{
    struct pep440 v;
    return is_of(s, VERSION_LEN, LOWER "ABCDEFGHIJKLMNOPQRSTUVWXYZ" DIGITS ".!+_-") && s[0] != '-' && pep440_parse(s, strlen(s), &v) == 0;
}

bool lock_is_sha256(const char *s)
{
    return is_of(s, SHA256_LEN, DIGITS "abcdef") && strlen(s) == SHA256_LEN;
}

bool lock_is_number(const char *s)
{
    return is_of(s, NUMBER_LEN, DIGITS ".") && s[0] != '.' && s[strlen(s) - 1] != '.' && !strstr(s, "..");
}

bool lock_is_inside(const char *path)
{
    if (!is_of(path, PATH_LEN, LOWER "ABCDEFGHIJKLMNOPQRSTUVWXYZ" DIGITS "._+/-") || path[0] == '-')
        return false;
    for (const char *p = path; ; p++) {
        size_t n = strcspn(p, "/");
        if (n == 0 || (n == 1 && p[0] == '.') || (n == 2 && p[0] == '.' && p[1] == '.'))
            return false;
        p += n;
        if (!*p)
            return true;
    }
}

bool lock_is_target(const char *s)
{
    while (str_starts(s, "../"))
        s += 3;
    return lock_is_inside(s);
}

static int by_text(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static int by_number(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return a < b ? -1 : a > b;
}

static int by_name(const void *x, const void *y)
{
    return strcmp(((const struct lock_package *)x)->name, ((const struct lock_package *)y)->name);
}

static int by_path(const void *x, const void *y)
{
    return strcmp(((const struct lock_repair *)x)->path, ((const struct lock_repair *)y)->path);
}

static void sort(void *of, size_t n, size_t size, int (*cmp)(const void *, const void *))
{
    if (n)
        qsort(of, n, size, cmp);
}

void lockfile_sort(struct lockfile *l)
{
    struct lock_floor *f = &l->floor;
    sort(l->packages, l->n_packages, sizeof *l->packages, by_name);
    sort(l->repairs, l->n_repairs, sizeof *l->repairs, by_path);
    sort((void *)f->cpu, f->n_cpu, sizeof *f->cpu, by_text);
    sort(f->sass, f->n_sass, sizeof *f->sass, by_number);
    sort(f->sass_exact, f->n_sass_exact, sizeof *f->sass_exact, by_number);
    sort(f->ptx, f->n_ptx, sizeof *f->ptx, by_number);
    for (size_t i = 0; i < l->n_packages; i++)
        sort((void *)l->packages[i].sha256, l->packages[i].n_sha256, sizeof *l->packages[i].sha256, by_text);
}

const struct lock_package *lockfile_find(const struct lockfile *l, const char *name)
{
    const struct lock_package key = {.name = name};
    return l->n_packages ? bsearch(&key, l->packages, l->n_packages, sizeof key, by_name) : NULL;
}

static void texts(struct jw *w, const char *key, const char *const *v, size_t n)
{
    jw_arr(w, key);
    for (size_t i = 0; i < n; i++)
        jw_str(w, NULL, v[i]);
    jw_arr_end(w);
}

static void numbers(struct jw *w, const char *key, const uint32_t *v, size_t n)
{
    jw_arr(w, key);
    for (size_t i = 0; i < n; i++)
        jw_u64(w, NULL, v[i]);
    jw_arr_end(w);
}

static void write_floor(struct jw *w, const struct lock_floor *f)
{
    jw_obj(w, "floor");
    jw_str(w, "machine", f->machine);
    jw_str(w, "glibc", f->glibc);
    texts(w, "cpu", f->cpu, f->n_cpu);
    jw_str(w, "cuda", f->cuda);
    jw_str(w, "driver_linux", f->driver_linux);
    jw_str(w, "driver_windows", f->driver_windows);
    numbers(w, "sass", f->sass, f->n_sass);
    numbers(w, "sass_exact", f->sass_exact, f->n_sass_exact);
    numbers(w, "ptx", f->ptx, f->n_ptx);
    jw_str(w, "ptx_isa", f->ptx_isa);
    jw_obj_end(w);
}

void lockfile_write(struct lockfile *l, struct buf *out)
{
    struct jw w;
    lockfile_sort(l);
    jw_init(&w, out);
    jw_obj(&w, NULL);
    jw_str(&w, "schema", LOCK_SCHEMA);
    jw_str(&w, "python", l->python);
    jw_obj(&w, "engine");
    jw_str(&w, "name", l->engine);
    jw_str(&w, "version", l->engine_version);
    jw_obj_end(&w);
    write_floor(&w, &l->floor);
    jw_arr(&w, "repairs");
    for (size_t i = 0; i < l->n_repairs; i++) {
        jw_obj(&w, NULL);
        jw_str(&w, "path", l->repairs[i].path);
        jw_str(&w, "target", l->repairs[i].target);
        jw_obj_end(&w);
    }
    jw_arr_end(&w);
    jw_arr(&w, "packages");
    for (size_t i = 0; i < l->n_packages; i++) {
        jw_obj(&w, NULL);
        jw_str(&w, "name", l->packages[i].name);
        jw_str(&w, "version", l->packages[i].version);
        texts(&w, "sha256", l->packages[i].sha256, l->packages[i].n_sha256);
        jw_obj_end(&w);
    }
    jw_arr_end(&w);
    jw_obj_end(&w);
    buf_addc(out, '\n');
}

void lockfile_requirements(const struct lockfile *l, struct buf *out)
{
    for (size_t i = 0; i < l->n_packages; i++) {
        const struct lock_package *k = &l->packages[i];
        buf_addf(out, "%s==%s", k->name, k->version);
        for (size_t h = 0; h < k->n_sha256; h++)
            buf_addf(out, " \\\n    --hash=sha256:%s", k->sha256[h]);
        buf_addc(out, '\n');
    }
}
