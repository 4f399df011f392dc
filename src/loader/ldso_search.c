/* SPDX-License-Identifier: Apache-2.0 */
/* ldso_search - where a name is looked for, in which order. Source: glibc elf/dl-load.c (_dl_map_object, open_path). */
#include <errno.h>
#include <string.h>
#include "base/util.h"
#include "loader/ldso_internal.h"

enum { MAX_CANDIDATE = 8192, MAX_CACHE_BYTES = 64 << 20 };

static void record(struct ldso_search *s, const char *path, enum ldso_source source, const char *of, const struct ldso_cand *c)
{
    if (!s->record)
        return;
    struct ldso_try *t = ARENA_PUSH(s->p->a, s->trail, s->n_trail);
    *t = (struct ldso_try){.path = arena_strdup(s->p->a, path), .source = source, .of = of, .result = c->result, .detail = c->detail};
}

/* Behind the winner: a further file that could have been it. */
static void note_shadow(struct ldso_search *s, const char *path)
{
    struct ldso_cand c;
    ldso_file_judge(s->p, path, &c);
    if (c.result != LDSO_R_WINS || c.file == s->hit.file || (c.file->ino == s->hit.file->ino && c.file->dev == s->hit.file->dev))
        return;
    for (size_t i = 0; i < s->n_shadow; i++)
        if (strcmp(s->shadow[i], path) == 0)
            return;
    *ARENA_PUSH(s->p->a, s->shadow, s->n_shadow) = arena_strdup(s->p->a, path);
}

/* One candidate. true: the search ends here. `ends`: the place is one of a list, which ELOOP and such end. */
static bool try_path(struct ldso_search *s, const char *path, enum ldso_source source, const char *of, bool ends)
{
    struct ldso_cand c;
    if (s->won) {
        note_shadow(s, path);
        return false;
    }
    ldso_file_judge(s->p, path, &c);
    if (s->p->cpu_unknown && c.file && strstr(path, "/glibc-hwcaps/")) {
        c.result = LDSO_R_UNKNOWN;
        c.detail = "the processor's level is not known";
    }
    if (c.result == LDSO_R_ENDS_LIST && !ends)
        c.result = LDSO_R_ABSENT;
    record(s, path, source, of, &c);
    switch (c.result) {
    case LDSO_R_WINS: case LDSO_R_FAILS: case LDSO_R_KILLS: case LDSO_R_UNKNOWN:
        s->hit = c;
        s->path = arena_strdup(s->p->a, path);
        s->rule = source;
        s->won = c.result == LDSO_R_WINS;
        s->err = 0;
        return !s->won || !s->shadowed;
    case LDSO_R_WRONG_CLASS:
        s->other_class = true;
        if (!s->other_class_file)
            s->other_class_file = arena_strdup(s->p->a, path);
        break;
    case LDSO_R_ABSENT: case LDSO_R_DENIED: case LDSO_R_WRONG_MACHINE: case LDSO_R_ENDS_LIST: case LDSO_R_EXCLUDED:
        break;
    }
    s->err = c.err;
    return false;
}

/* dir + sub + name, in a buffer on the stack: most candidates do not exist and cost no memory. */
static bool candidate(const struct ldso_search *s, const struct ldso_dir *d, const char *sub, char path[MAX_CANDIDATE])
{
    size_t n = strlen(sub), m = strlen(s->name);
    if (d->len + n + m + 1 > MAX_CANDIDATE)
        return false;
    memcpy(path, d->text, d->len);
    memcpy(path + d->len, sub, n);
    memcpy(path + d->len + n, s->name, m + 1);
    return true;
}

static bool try_in(struct ldso_search *s, const struct ldso_dir *d, const char *sub, enum ldso_source source, const char *of)
{
    char path[MAX_CANDIDATE];
    if (candidate(s, d, sub, path))
        return try_path(s, path, source, of, !*sub);
    s->err = ENAMETOOLONG;
    return false;
}

static bool list_goes_on(const struct ldso_search *s)
{
    if (s->err == 0 || s->err == ENOENT || s->err == EACCES || s->won)
        return true;
    return s->err == ENOTDIR && (s->p->glibc_minor == 0 || s->p->glibc_minor >= 41);
}

static bool try_each(struct ldso_search *s, const struct ldso_dirs *l, enum ldso_source source, const char *of)
{
    for (size_t i = 0; i < l->n; i++) {
        struct ldso_dir *d = l->d[i];
        bool first = !d->known;
        ldso_dir_look(s->p, d);
        root_from(s->p->root, d->place);
        if (!d->exists && !d->relative) {
            if (first && !s->won)
                s->err = d->denied ? EACCES : ENOENT; /* found absent now; later it is not even tried */
            const struct ldso_cand c = d->denied ? (struct ldso_cand){.result = LDSO_R_DENIED, .detail = "a folder on the way may not be entered"}
                                                 : (struct ldso_cand){.result = LDSO_R_ABSENT, .detail = "no such folder"};
            char path[MAX_CANDIDATE];
            if (s->record && !s->won && candidate(s, d, "", path))
                record(s, path, source, of, &c);
            continue;
        }
        for (size_t k = 0; k < d->n_subs; k++)
            if (try_in(s, d, d->subs[k], source, of))
                return true;
        if (try_in(s, d, "", source, of))
            return true;
        if (!list_goes_on(s))
            return false;
    }
    return false;
}

static bool try_list(struct ldso_search *s, const struct ldso_dirs *l, enum ldso_source source, const char *of)
{
    bool won = try_each(s, l, source, of);
    root_from(s->p->root, NULL);
    return won;
}

static struct ldso_dirs *own_list(struct ldso *p, struct obj *o, bool runpath)
{
    struct ldso_dirs *l = runpath ? &o->runpath : &o->rpath;
    if (!l->split)
        ldso_dirs_split(p, runpath ? o->o.elf->runpath : o->o.elf->rpath, ":", o->o.origin, l);
    return l;
}

/* The asker's DT_RPATH, that of the object that needs it, and so on; at last the main program's. */
static bool try_rpaths(struct ldso_search *s)
{
    bool did_main = false;
    if (s->asker->o.elf->runpath)
        return false;
    for (const struct ldso_obj *o = &s->asker->o; o; o = o->loader) {
        if (o->elf->rpath && try_list(s, own_list(s->p, (struct obj *)o, false), LDSO_RPATH, o->name))
            return true;
        did_main |= o == &s->p->main->o;
    }
    struct obj *main = s->p->main;
    return !did_main && main->o.elf->rpath && try_list(s, own_list(s->p, main, false), LDSO_RPATH, main->o.name);
}

static int cache_load(struct ldso *p)
{
    const char *text;
    size_t len;
    if (p->cache_read)
        return 0;
    p->cache_read = true;
    int rc = root_read(p->root, "/etc/ld.so.cache", MAX_CACHE_BYTES, p->a, &text, &len);
    if (rc == 0)
        p->has_cache = ldcache_parse((const unsigned char *)text, len, &p->cache, NULL) == 0;
    return rc;
}

/* An object with DF_1_NODEFLIB gets nothing from the default directories, by way of the cache neither. */
static bool below_default(const struct ldso *p, const char *path)
{
    for (size_t i = 0; i < p->defaults.n; i++)
        if (strncmp(path, p->defaults.d[i]->text, p->defaults.d[i]->len) == 0)
            return true;
    return false;
}

static bool try_cache(struct ldso_search *s)
{
    struct ldso *p = s->p;
    if (p->cfg.inhibit_cache || (s->preload && p->cfg.secure))
        return false;
    int rc = cache_load(p);
    if (rc == -ENODATA && !s->won) {
        s->hit = (struct ldso_cand){.result = LDSO_R_UNKNOWN, .detail = "ld.so.cache is not in the capture"};
        record(s, "/etc/ld.so.cache", LDSO_CACHE, NULL, &s->hit);
        s->path = "/etc/ld.so.cache";
        s->rule = LDSO_CACHE;
        return true;
    }
    if (rc < 0 && !s->won)
        s->err = -rc;
    const char *path = p->has_cache ? ldcache_lookup(&p->cache, s->name, &p->cpu) : NULL;
    if (!path)
        return false;
    if (s->asker->o.elf->nodeflib && below_default(p, path)) {
        struct ldso_cand c = {.result = LDSO_R_EXCLUDED, .detail = "DF_1_NODEFLIB"};
        if (!s->won)
            record(s, path, LDSO_CACHE, NULL, &c);
        return false;
    }
    return try_path(s, path, LDSO_CACHE, NULL, false);
}

static void by_path(struct ldso_search *s)
{
    const char *path = ldso_expand(s->p, s->name, s->asker->o.origin);
    s->err = ENOENT;
    if (path)
        try_path(s, path, LDSO_PATH, NULL, false);
}

static void by_name(struct ldso_search *s)
{
    struct ldso *p = s->p;
    struct obj *asker = (struct obj *)s->asker;
    if (try_rpaths(s) || try_list(s, &p->env, LDSO_LD_LIBRARY_PATH, NULL))
        return;
    if (asker->o.elf->runpath && try_list(s, own_list(p, asker, true), LDSO_RUNPATH, asker->o.name))
        return;
    if (try_cache(s) || asker->o.elf->nodeflib)
        return;
    (void)try_list(s, &p->defaults, LDSO_DEFAULT, NULL);
}

void ldso_search_run(struct ldso_search *s)
{
    s->err = s->p->err; /* where nothing at all is tried, an old error number stands */
    if (strchr(s->name, '/'))
        by_path(s);
    else
        by_name(s);
    s->p->err = s->err;
}

const char *ldso_cache_path(const struct ldso *p, const char *soname)
{
    if (cache_load((struct ldso *)p) == -ENODATA || !p->has_cache)
        return NULL;
    return ldcache_lookup(&p->cache, soname, &p->cpu);
}
