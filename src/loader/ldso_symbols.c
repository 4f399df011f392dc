/* SPDX-License-Identifier: Apache-2.0 */
/* ldso_symbols - relocation as far as it can fail: undefined symbols, static TLS, pages that a cut file lacks.
 * Source: glibc elf/dl-lookup.c (check_match), elf/dl-reloc.c, elf/dl-open.c. A symbol counts as defined when the 32-bit hash of
 * its name is in the provider's DT_GNU_HASH; names are compared only where there is no such table. */
#include "formats/elf_symbols.h"
#include <elf.h>
#include <string.h>
#include "base/util.h"
#include "loader/ldso_internal.h"

enum { MAX_TLS = 1 << 24, PAGE = 4096 };

struct open_obj { struct rfile *rf; struct bytesrc s; };

static bool open_file(struct ldso *p, const struct obj *o, struct open_obj *ret)
{
    if (root_open(p->root, ldso_abs(p, o->o.name), &ret->rf, NULL) < 0)
        return false;
    ret->s = rfile_src(ret->rf);
    return true;
}

static const struct elf_symtab *symtab_of(struct ldso *p, struct obj *o)
{
    struct open_obj f;
    if (o->symtab)
        return o->symtab;
    o->symtab = ARENA_NEW(p->a, struct elf_symtab);
    if (o != p->vdso && open_file(p, o, &f)) {
        elf_symtab_read(&f.s, o->o.elf, p->a, o->symtab);
        rfile_close(f.rf);
    }
    return o->symtab;
}

enum hit { HIT_NO, HIT_YES, HIT_ABORT };

/* Does this definition, with this DT_VERSYM, have the version that is wanted? */
static enum hit version_fits(const struct ldso *p, const struct obj *o, uint16_t versym, const struct elf_undef *w)
{
    const struct elf *e = o->o.elf;
    uint16_t index = versym & 0x7fff;
    bool hidden = versym & 0x8000;
    if (!e->versym) /* the loader's assertion: the file that the version was promised of has none */
        return w->version && ldso_names_match(p, o, w->version->file) ? HIT_ABORT : HIT_YES;
    if (!w->version)
        return index < 3 || !hidden ? HIT_YES : HIT_NO;
    for (size_t i = 0; i < e->n_verdef; i++)
        if (e->verdef[i].index == index && index > 1)
            return strcmp(e->verdef[i].name, w->version->version) == 0 ? HIT_YES : HIT_NO;
    return index <= 1 && !hidden ? HIT_YES : HIT_NO;
}

static enum hit find_by_name(struct ldso *p, const struct obj *o, const struct elf_undef *w)
{
    struct open_obj f;
    struct elf_sym sym;
    if (!o->o.elf->hash || !open_file(p, o, &f))
        return HIT_NO;
    uint16_t versym = 0;
    bool found = elf_lookup(&f.s, o->o.elf, w->name, NULL, &sym) > 0 && elf_versym(&f.s, o->o.elf, sym.index, &versym) == 0;
    rfile_close(f.rf);
    return found ? version_fits(p, o, versym, w) : HIT_NO;
}

static enum hit find_in(struct ldso *p, struct obj *o, const struct elf_undef *w, uint32_t hash)
{
    const struct elf_symtab *t = symtab_of(p, o);
    if (!t->usable)
        return find_by_name(p, o, w);
    for (uint32_t i = 0; (i = elf_symtab_next(t, hash, i));) {
        enum hit hit = version_fits(p, o, elf_symtab_version(t, i), w);
        if (hit != HIT_NO)
            return hit;
    }
    return HIT_NO;
}

/* Where the symbols of one object are looked for: the program's scope, then the one of the request. */
struct scope {
    struct ldso *p;
    struct obj *asker;
    struct obj **list; size_t n;
    struct obj *last;        /* where the last symbol was found; any definition will do for one that wants no version */
};

static struct obj *scope_at(const struct scope *c, size_t i)
{
    return i < c->p->n_global ? c->p->global[i] : i - c->p->n_global < c->n ? c->list[i - c->p->n_global] : NULL;
}

static bool is_in_scope(const struct scope *c, const struct obj *o)
{
    const struct obj *x;
    for (size_t i = 0; (x = scope_at(c, i)); i++)
        if (x == o)
            return o != c->asker;
    return false;
}

static const struct promise *promise_of(const struct obj *o, const struct elf_verneed *v)
{
    return v && o->promises ? &o->promises[v - o->o.elf->verneed] : NULL;
}

/* Is it defined where its version is promised to be? The loader takes the first definition in the scope, whichever that is. */
static bool is_kept(const struct scope *c, const struct elf_undef *w, uint32_t hash)
{
    const struct promise *m = promise_of(c->asker, w->version);
    if (!m || !m->number || !is_in_scope(c, m->by))
        return false;
    const struct elf_symtab *t = symtab_of(c->p, m->by);
    for (uint32_t i = 0; t->usable && t->versym && (i = elf_symtab_next(t, hash, i));)
        if ((elf_symtab_version(t, i) & 0x7fff) == m->number)
            return true;
    return false;
}

static enum hit find_symbol(struct scope *c, const struct elf_undef *w, struct obj **ret_in)
{
    uint32_t h = elf_gnu_hash(w->name);
    if (is_kept(c, w, h) || (!w->version && c->last && find_in(c->p, c->last, w, h) == HIT_YES))
        return HIT_YES;
    for (size_t i = 0; (*ret_in = scope_at(c, i)); i++) {
        if (*ret_in == c->asker)
            continue; /* what is undefined in it cannot be found there */
        enum hit hit = find_in(c->p, *ret_in, w, h);
        if (hit != HIT_NO) {
            c->last = *ret_in;
            return hit;
        }
    }
    return HIT_NO;
}

static const void *package_of(struct ldso *p, struct obj *o)
{
    if (!o->package_known)
        o->package = p->package_of ? p->package_of(p->package_ctx, o->o.name) : NULL;
    o->package_known = true;
    return o->package;
}

/* The system's own libraries never lose a symbol of a version that they define, and files of one package fit to each other; glibc's are not
 * even asked for the version, which was verified. TensorFlow itself needs the same of the system's. */
struct asking { struct ldso *p; struct obj *o; };

static bool is_sure(void *ctx, const struct elf_verneed *v)
{
    static const char *const glibc[] = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1",
                                        "libutil.so.1", "ld-linux-x86-64.so.2"};
    static const char *const compiler[] = {"libstdc++.so.6", "libgcc_s.so.1"};
    const struct asking *q = ctx;
    const struct promise *m = promise_of(q->o, v);
    for (size_t i = 0; v && i < TG_COUNT(glibc); i++)
        if (strcmp(v->file, glibc[i]) == 0)
            return true;
    if (!m || !m->number)
        return false;
    for (size_t i = 0; i < TG_COUNT(compiler); i++)
        if (strcmp(v->file, compiler[i]) == 0)
            return true;
    return package_of(q->p, q->o) && package_of(q->p, q->o) == package_of(q->p, m->by);
}

/* What the relocations of one object may stumble over. */
struct stumble {
    const struct elf *e;
    uint64_t mapped;         /* end of the file's last page */
    const struct elf_undef *missing; size_t n_missing;
    const struct elf_undef *found; /* the symbol that the first failing relocation names */
    bool cut;                /* a place lies behind the end of the file */
    bool lazy;               /* functions are looked up when they are called */
    bool no_tls, tls;        /* no room for its static TLS; a relocation asks for it */
};

static bool stumbles(void *ctx, uint64_t place, uint32_t symbol, uint32_t type)
{
    struct stumble *r = ctx;
    uint64_t off;
    if (r->e->is_cut && elf_vaddr_to_off(r->e, place, &off) && off >= r->mapped)
        return r->cut = true;
    if (r->lazy && type == R_X86_64_JUMP_SLOT)
        return false;
    for (size_t i = 0; symbol && !r->found && i < r->n_missing; i++)
        if (r->missing[i].index == symbol)
            r->found = &r->missing[i];
    r->tls = !r->found && r->no_tls && type == R_X86_64_TPOFF64;
    return r->found || r->tls;
}

static bool fault_symbol(struct ldso *p, const struct obj *o, const struct elf_undef *w, struct ldso_fault *f)
{
    *f = (struct ldso_fault){
        .outcome = LDSO_FAILED, .culprit = o->o.asked, .culprit_file = o->o.name,
        .culprit_by = o->o.loader ? o->o.loader->name : NULL,
        .message = arena_printf(p->a, "%s: undefined symbol: %s%s%s", o->o.name, w->name, w->version ? ", version " : "",
                                w->version ? w->version->version : "")};
    return false;
}

static bool fault_kills(const struct obj *o, const char *file, const char *signal, struct ldso_fault *f)
{
    *f = (struct ldso_fault){.outcome = LDSO_KILLED, .signal = signal, .culprit = o->o.asked, .culprit_file = file,
                             .culprit_by = o->o.loader ? o->o.loader->name : NULL};
    return false;
}

static bool fault_tls(struct ldso *p, const struct obj *o, struct ldso_fault *f)
{
    *f = (struct ldso_fault){.outcome = LDSO_FAILED, .culprit = o->o.asked, .culprit_file = o->o.name,
                             .culprit_by = o->o.loader ? o->o.loader->name : NULL,
                             .message = arena_printf(p->a, "%s: cannot allocate memory in static TLS block", o->o.name)};
    return false;
}

/* Symbols of one object; its file is open. */
static bool relocate_open(struct ldso *p, struct obj *o, const struct bytesrc *s, struct obj **list, size_t n, struct arena *tmp,
                          struct ldso_fault *f)
{
    struct elf_undef *all = NULL, *missing = NULL;
    size_t n_all = 0, n_missing = 0;
    struct asking asking = {p, o};
    if (p->cfg.check_symbols) /* what cannot be read is not claimed to be missing */
        (void)elf_undefined(s, o->o.elf, p->cfg.system_symbols ? NULL : is_sure, &asking, tmp, &all, &n_all);
    struct scope scope = {.p = p, .asker = o, .list = list, .n = n};
    for (size_t i = 0; i < n_all; i++) {
        struct obj *in;
        enum hit hit = find_symbol(&scope, &all[i], &in);
        if (hit == HIT_ABORT && p->started)
            return fault_kills(o, in->o.name, "abort", f);
        if (hit == HIT_NO)
            *ARENA_PUSH(tmp, missing, n_missing) = all[i];
    }
    struct stumble r = {.e = o->o.elf, .mapped = (s->size + PAGE - 1) / PAGE * PAGE, .missing = missing, .n_missing = n_missing,
                        .no_tls = p->static_tls > p->static_tls_max,
                        .lazy = !p->started && !o->o.elf->bind_now && !p->main->o.elf->bind_now};
    if ((!n_missing && !o->o.elf->is_cut && !r.no_tls) || !elf_relas(s, o->o.elf, o->o.elf->is_cut, stumbles, &r))
        return true;
    if (r.tls)
        return fault_tls(p, o, f);
    return r.cut ? fault_kills(o, o->o.name, "SIGBUS", f) : fault_symbol(p, o, r.found, f);
}

static bool relocate_one(struct ldso *p, struct obj *o, struct obj **list, size_t n, struct ldso_fault *f)
{
    const struct elf *e = o->o.elf;
    struct open_obj file;
    struct arena tmp;
    if (o->relocated)
        return true;
    o->relocated = true;
    if (e->verdict == ELF_ZEROED)
        return fault_kills(o, o->o.name, "SIGSEGV", f);
    if (!p->started && !p->cfg.system_symbols)
        return true; /* a program that is started all the time: its own symbols are there */
    bool tls = p->started && e->static_tls && e->tls_size;
    if (tls)
        p->static_tls += e->tls_size < MAX_TLS ? e->tls_size : MAX_TLS;
    if (!(p->cfg.check_symbols || e->is_cut || (tls && p->static_tls > p->static_tls_max)) || !open_file(p, o, &file))
        return true;
    arena_init(&tmp, 0);
    bool fine = relocate_open(p, o, &file.s, list, n, &tmp, f);
    arena_done(&tmp);
    rfile_close(file.rf);
    return fine;
}

/* Dependencies first, each object once: depth first over what it needs, from the end of the list. What was asked for comes last,
 * also where something it needs needs it in turn (elf/dl-sort-maps.c). */
struct order { struct obj **out; size_t n; uint32_t stamp; };

static void visit(struct order *v, struct obj *o)
{
    if (o->seen == v->stamp)
        return;
    o->seen = v->stamp;
    for (size_t i = 0; i < o->o.n_deps; i++)
        visit(v, (struct obj *)o->o.deps[i]);
    v->out[v->n++] = o;
}

bool ldso_relocate(struct ldso *p, struct obj **list, size_t n, struct ldso_fault *f)
{
    struct order v = {.out = arena_array(p->a, p->n_objs + 1, sizeof *v.out), .stamp = ++p->stamp};
    list[0]->seen = v.stamp;
    for (size_t i = n; i-- > 1;)
        visit(&v, list[i]);
    v.out[v.n++] = list[0];
    for (size_t i = 0; i < v.n; i++)
        if (!relocate_one(p, v.out[i], list, n, f))
            return false;
    return true;
}
