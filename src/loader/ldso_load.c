/* SPDX-License-Identifier: Apache-2.0 */
/* ldso_load - mapping one object, its dependencies breadth first, and the start of a program with its preloads.
 * Source: glibc elf/dl-load.c (_dl_map_object_from_fd), elf/dl-deps.c, elf/rtld.c (dl_main). */
#include <errno.h>
#include <string.h>
#include "base/util.h"
#include "loader/ldso_internal.h"

enum { MAX_PRELOAD_FILE = 1 << 16 };

static struct obj *same_inode(const struct ldso *p, const struct ldso_file *file)
{
    for (size_t i = 0; i < p->n_objs; i++) {
        struct obj *o = p->objs[i];
        if (o->file && o->file->ino == file->ino && o->file->dev == file->dev)
            return o;
    }
    return NULL;
}

static void fault_missing(const struct ldso_search *s, struct ldso_fault *f)
{
    struct arena *a = s->p->a;
    f->outcome = LDSO_MISSING;
    if (s->other_class) {
        f->message = arena_printf(a, "%s: wrong ELF class: ELFCLASS32", s->name);
        f->culprit_file = s->other_class_file;
    } else {
        f->message = arena_printf(a, "%s: cannot open shared object file%s%s", s->name, s->err ? ": " : "", s->err ? strerror(s->err) : "");
    }
}

/* Why the search gave no object. */
static void fault_of(const struct ldso_search *s, struct ldso_fault *f)
{
    *f = (struct ldso_fault){.culprit = s->name, .culprit_by = s->asker->o.name, .culprit_file = s->path};
    switch (s->hit.result) {
    case LDSO_R_FAILS:
        f->outcome = LDSO_FAILED;
        f->message = arena_printf(s->p->a, "%s: %s", s->hit.mapping ? s->name : s->path, s->hit.detail);
        break;
    case LDSO_R_KILLS:
        f->outcome = LDSO_KILLED;
        f->signal = s->hit.signal;
        break;
    case LDSO_R_UNKNOWN:
        f->outcome = LDSO_UNDETERMINED;
        f->message = arena_printf(s->p->a, "%s: %s", s->path, s->hit.detail ? s->hit.detail : "cannot be judged");
        break;
    case LDSO_R_WINS: case LDSO_R_ABSENT: case LDSO_R_DENIED: case LDSO_R_WRONG_CLASS: case LDSO_R_WRONG_MACHINE: case LDSO_R_ENDS_LIST:
    case LDSO_R_EXCLUDED:
        fault_missing(s, f);
        break;
    }
}

/* Since 2.41 a library that wants an executable stack is refused unless the program already has one. */
static bool refused_stack(const struct ldso *p, const struct elf *e)
{
    return p->glibc_minor >= 41 && e->execstack && !p->main->o.elf->execstack;
}

/* What can fail although the file itself is fine. */
static void check_mapping(struct ldso_search *s)
{
    const char *why = ldso_file_noexec(s->p, s->hit.file->path) ? "failed to map segment from shared object"
                    : refused_stack(s->p, s->hit.file->elf) ? "cannot enable executable stack as shared object requires: Invalid argument"
                    : NULL;
    if (!why)
        return;
    s->hit.result = LDSO_R_FAILS;
    s->hit.detail = why;
    s->hit.mapping = true;
    s->won = false;
    if (s->n_trail)
        s->trail[s->n_trail - 1] = (struct ldso_try){.path = s->path, .source = s->rule, .of = s->trail[s->n_trail - 1].of,
                                                     .result = LDSO_R_FAILS, .detail = why};
}

struct obj *ldso_map(struct ldso_search *s, struct obj *loader, struct ldso_fault *f)
{
    struct ldso *p = s->p;
    struct obj *o = ldso_name_find(p, s->name);
    if (o) {
        s->rule = LDSO_LOADED;
        return o;
    }
    ldso_search_run(s);
    const struct ldso_file *file = s->hit.file;
    if (file && file->elf && (s->won || s->hit.mapping) && (o = same_inode(p, file))) {
        ldso_name_add(p, o, s->name, false);
        s->rule = LDSO_LOADED;
        return o;
    }
    if (s->won)
        check_mapping(s);
    if (!s->won) {
        fault_of(s, f);
        return NULL;
    }
    o = ldso_obj_new(p, s->path, s->name, file->elf);
    o->file = file;
    o->o.dev = file->dev;
    o->o.ino = file->ino;
    o->o.rule = s->rule;
    o->o.loader = loader ? &loader->o : NULL;
    return o;
}

struct walk { struct ldso *p; struct obj **list; size_t n; uint32_t stamp; };

static void walk_add(struct walk *w, struct obj *o)
{
    if (o->seen == w->stamp)
        return;
    o->seen = w->stamp;
    *ARENA_PUSH(w->p->a, w->list, w->n) = o;
}

static bool load_needed(struct walk *w, struct obj *o, struct ldso_fault *f, struct ldso_search *ret_failed)
{
    const struct elf *e = o->o.elf;
    struct ldso *p = w->p;
    o->o.deps = arena_array(p->a, e->n_needed, sizeof *o->o.deps);
    for (size_t i = 0; i < e->n_needed; i++) {
        const char *name = ldso_expand(p, e->needed[i], o->o.origin);
        struct ldso_search s = {.p = p, .name = name ? name : e->needed[i], .asker = o};
        struct obj *dep = ldso_map(&s, o, f);
        if (!dep) { /* once more, now with the trail: the directories are known, so this costs little */
            *ret_failed = (struct ldso_search){.p = p, .name = s.name, .asker = o, .record = true};
            ldso_search_run(ret_failed);
            return false;
        }
        o->o.deps[o->o.n_deps++] = &dep->o;
        walk_add(w, dep);
    }
    o->deps_done = true;
    return true;
}

bool ldso_load_deps(struct ldso *p, struct obj **roots, size_t n_roots, struct obj ***ret_list, size_t *ret_n, struct ldso_fault *f,
                    struct ldso_search *ret_failed)
{
    struct walk w = {.p = p, .stamp = ++p->stamp};
    bool fine = true;
    for (size_t i = 0; i < n_roots; i++)
        walk_add(&w, roots[i]);
    for (size_t i = 0; i < w.n && fine; i++) {
        struct obj *o = w.list[i];
        if (!o->deps_done)
            fine = load_needed(&w, o, f, ret_failed);
        for (size_t k = 0; k < o->o.n_deps; k++)
            walk_add(&w, (struct obj *)o->o.deps[k]);
    }
    *ret_list = w.list;
    *ret_n = w.n;
    return fine;
}

struct preloads { struct obj **roots; size_t n; };

/* One name of a preload list. What cannot be had is skipped with a warning by the loader; only a crash counts here. */
static bool preload_one(struct ldso *p, const char *name, bool variable, struct preloads *l, struct ldso_fault *f)
{
    if (variable && p->cfg.secure && strchr(name, '/'))
        return true;
    struct ldso_search s = {.p = p, .name = name, .asker = p->main, .preload = variable};
    size_t before = p->n_objs;
    struct obj *o = ldso_map(&s, p->main, f);
    if (!o) {
        if (f->outcome == LDSO_KILLED || f->outcome == LDSO_UNDETERMINED)
            return false;
        *f = (struct ldso_fault){.outcome = LDSO_FOUND};
        return true;
    }
    if (p->n_objs > before) {
        o->o.rule = LDSO_PRELOAD;
        *ARENA_PUSH(p->a, l->roots, l->n) = o;
    }
    return true;
}

static bool preload_text(struct ldso *p, const char *text, size_t len, const char *seps, bool variable, struct preloads *l, struct ldso_fault *f)
{
    for (size_t i = 0; i < len;) {
        if (!variable && text[i] == '#') {
            while (i < len && text[i] != '\n')
                i++;
            continue;
        }
        size_t n = 0;
        while (i + n < len && !strchr(seps, text[i + n]) && (variable || text[i + n] != '#'))
            n++;
        if (n && !preload_one(p, arena_strndup(p->a, text + i, n), variable, l, f))
            return false;
        i += n + (n == 0);
    }
    return true;
}

static bool preload_all(struct ldso *p, struct preloads *l, struct ldso_fault *f)
{
    const char *text = p->cfg.ld_preload;
    size_t len;
    if (text && !preload_text(p, text, strlen(text), " :", true, l, f))
        return false;
    if (root_read(p->root, "/etc/ld.so.preload", MAX_PRELOAD_FILE, p->a, &text, &len) < 0)
        return true;
    return preload_text(p, text, len, ": \t\n", false, l, f);
}

void ldso_start_process(struct ldso *p, struct ldso_answer *ans)
{
    struct preloads pre = {0};
    struct ldso_fault f = {.outcome = LDSO_FOUND};
    struct ldso_search failed = {0};
    struct obj **list;
    size_t n;
    *ARENA_PUSH(p->a, pre.roots, pre.n) = p->main;
    bool fine = preload_all(p, &pre, &f) && ldso_load_deps(p, pre.roots, pre.n, &list, &n, &f, &failed);
    for (size_t i = 0; fine && i < n; i++)
        fine = ldso_verify_versions(p, list[i], &f);
    if (fine)
        fine = ldso_verify_cpu(p, list, n, &f) && ldso_relocate(p, list, n, &f);
    p->started = true;
    if (fine) {
        p->global = list;
        p->n_global = n;
    }
    for (size_t i = 0; i < p->n_objs; i++)
        p->objs[i]->relocated = true; /* functions are bound late, and a program that runs has its data symbols */
    ans->outcome = f.outcome;
    ans->message = f.message;
    ans->signal = f.signal;
    ans->culprit = f.culprit;
    ans->culprit_file = f.culprit_file;
    ans->culprit_by = f.culprit_by;
    ans->culprit_trail = failed.trail;
    ans->n_culprit_trail = failed.n_trail;
}
