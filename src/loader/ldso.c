/* SPDX-License-Identifier: Apache-2.0 */
/* ldso - one simulated process: its objects and their names, requests to it, answers. */
#include "loader/ldso.h"
#include <errno.h>
#include <string.h>
#include "base/util.h"
#include "loader/ldso_internal.h"

void ldso_name_add(struct ldso *p, struct obj *o, const char *name, bool soname)
{
    uint32_t hash = str_hash(name);
    for (size_t i = 0; i < p->n_names; i++) {
        const struct ldso_name *n = &p->names[i];
        if (n->obj == o && n->hash == hash && n->soname == soname && strcmp(n->name, name) == 0)
            return;
    }
    *ARENA_PUSH(p->a, p->names, p->n_names) = (struct ldso_name){hash, name, o, soname};
}

struct obj *ldso_name_find(struct ldso *p, const char *name)
{
    uint32_t hash = str_hash(name);
    const struct ldso_name *best = NULL;
    for (size_t i = 0; i < p->n_names; i++) {
        const struct ldso_name *n = &p->names[i];
        if (n->hash == hash && strcmp(n->name, name) == 0 && (!best || n->obj->o.index < best->obj->o.index))
            best = n;
    }
    if (!best)
        return NULL;
    struct obj *o = best->obj;
    if (best->soname) /* from now on a name asked for, which version checks look at */
        ldso_name_add(p, o, best->name, false);
    return o;
}

static const char *origin_of(struct ldso *p, const char *path)
{
    return path_dir(p->a, ldso_abs(p, path));
}

static struct obj *obj_init(struct ldso *p, const char *path, const char *asked, const struct elf *e)
{
    struct obj *o = ARENA_NEW(p->a, struct obj);
    o->o = (struct ldso_obj){.name = path, .soname = e->soname, .asked = asked, .elf = e, .index = UINT32_MAX};
    return o;
}

struct obj *ldso_obj_new(struct ldso *p, const char *path, const char *asked, const struct elf *e)
{
    struct obj *o = obj_init(p, path, arena_strdup(p->a, asked), e);
    o->o.index = (uint32_t)p->n_objs;
    o->o.origin = origin_of(p, path);
    *ARENA_PUSH(p->a, p->objs, p->n_objs) = o;
    ldso_name_add(p, o, o->o.asked, false);
    ldso_name_add(p, o, path, false);
    if (e->soname)
        ldso_name_add(p, o, e->soname, true);
    return o;
}

/* "GLIBC_2.36" among the versions that libc defines gives 36; the highest counts. */
static uint32_t glibc_minor_of(const struct elf *libc)
{
    uint32_t best = 0, v;
    for (size_t i = 0; i < libc->n_verdef; i++) {
        const char *name = libc->verdef[i].name, *dot;
        if (!str_starts(name, "GLIBC_2."))
            continue;
        name += strlen("GLIBC_2.");
        dot = strchr(name, '.');
        uint64_t wide;
        if (str_to_u64(name, dot ? (size_t)(dot - name) : strlen(name), 10, &wide) == 0 && wide < 1000 && (v = (uint32_t)wide) > best)
            best = v;
    }
    return best;
}

/* libc lies beside the loader; its versions say which loader that is. */
static void find_glibc(struct ldso *p, const char *interp)
{
    const char *real, *dir = NULL;
    if (interp && root_realpath(p->root, ldso_abs(p, interp), p->a, &real) == 0)
        dir = path_dir(p->a, real);
    const struct elf *libc = dir ? ldso_elf(p, path_join(p->a, dir, "libc.so.6")) : NULL;
    p->glibc_minor = libc ? glibc_minor_of(libc) : 0;
    if (p->glibc_minor)
        p->glibc = arena_printf(p->a, "2.%u", p->glibc_minor);
    ldso_cpu_init(p);
    ldso_dirs_defaults(p, dir);
}

/* What libraries with initial-exec TLS share beyond what the program needs at its start: measured on 2.36 (1,700 bytes fit, 1,800
 * do not); 512 of it can be raised by a tunable. */
static uint64_t static_tls_max(struct ldso *p)
{
    enum { SURPLUS = 1728, OPTIONAL = 512, MAX_OPTIONAL = 1 << 24 };
    static const char key[] = "glibc.rtld.optional_static_tls=";
    const char *tunables = root_getenv(p->root, "GLIBC_TUNABLES"), *at = tunables ? strstr(tunables, key) : NULL;
    uint64_t v;
    if (!at)
        return SURPLUS;
    at += strlen(key);
    if (str_to_u64(at, strcspn(at, ":"), 10, &v) < 0 || v > MAX_OPTIONAL)
        return SURPLUS;
    return SURPLUS - OPTIONAL + v;
}

static int read_program(struct ldso *p, struct err *e)
{
    const char *path = ldso_abs(p, p->cfg.program), *real;
    struct rfile *rf;
    struct elf *elf = ARENA_NEW(p->a, struct elf);
    int rc = root_open(p->root, path, &rf, e);
    if (rc < 0)
        return rc;
    struct bytesrc s = rfile_src(rf);
    rc = elf_read(&s, true, p->a, elf, e);
    uint64_t dev = rfile_stat(rf)->dev, ino = rfile_stat(rf)->ino;
    rfile_close(rf);
    if (rc < 0)
        return rc;
    if (elf->verdict != ELF_OK)
        return err_set(e, -ENOEXEC, "%s is not a program that can be started: %s", path, elf_verdict_text(elf->verdict));
    p->main = ldso_obj_new(p, arena_strdup(p->a, path), "", elf);
    p->main->o.asked = p->main->o.name;
    p->main->o.rule = LDSO_MAIN;
    p->main->o.dev = dev;
    p->main->o.ino = ino;
    p->n_names = 0; /* the loader knows the main program by no name */
    if (root_realpath(p->root, path, p->a, &real) == 0)
        p->main->o.origin = path_dir(p->a, real);
    return 0;
}

/* The loader is an object too; it came with the program, so its inode is not compared. */
static void add_loader(struct ldso *p, const char *interp)
{
    static const struct elf vdso = {.soname = "linux-vdso.so.1"};
    const struct elf *e = ldso_elf(p, interp);
    p->vdso = obj_init(p, vdso.soname, vdso.soname, &vdso);
    ldso_name_add(p, p->vdso, vdso.soname, false);
    if (!e)
        return;
    p->rtld = ldso_obj_new(p, interp, interp, e);
    p->rtld->o.rule = LDSO_MAIN;
    p->rtld->deps_done = p->rtld->verified = true;
}

static void start(struct ldso *p, struct ldso_answer *ans)
{
    const struct ldso_config *c = &p->cfg;
    const char *interp = p->main->o.elf->interp;
    ans->outcome = LDSO_FOUND;
    ans->asked = p->main->o.name;
    ans->path = p->main->o.name;
    ans->obj = &p->main->o;
    ans->rule = LDSO_MAIN;
    find_glibc(p, interp);
    if (!interp)
        return; /* a static program: nothing to load */
    if (str_starts(path_base(interp), "ld-musl")) {
        ans->outcome = LDSO_UNDETERMINED;
        ans->message = "the program uses musl's loader, whose rules differ";
        ans->culprit = interp;
        return;
    }
    add_loader(p, interp);
    if (!p->rtld) {
        ans->outcome = LDSO_MISSING;
        ans->culprit = interp;
        ans->culprit_by = p->main->o.name;
        ans->message = arena_printf(p->a, "%s: the program's loader cannot be read", interp);
        return;
    }
    if (!c->secure)
        ldso_dirs_split(p, c->ld_library_path, ":;", p->main->o.origin, &p->env);
    ldso_start_process(p, ans);
}

int ldso_new(struct root *r, struct arena *a, const struct ldso_config *c, struct ldso **ret, struct err *e)
{
    struct ldso *p = ARENA_NEW(a, struct ldso);
    *p = (struct ldso){.root = r, .a = a, .cfg = *c, .cwd = c->cwd ? c->cwd : root_cwd(r), .err = ENOENT /* of ld.so.preload */};
    p->static_tls_max = static_tls_max(p);
    int rc = read_program(p, e);
    if (rc < 0)
        return rc;
    struct ldso_answer *ans = ARENA_NEW(a, struct ldso_answer);
    start(p, ans);
    if (ans->outcome != LDSO_FOUND)
        ans->obj = NULL;
    p->start = ans;
    *ret = p;
    return 0;
}

size_t ldso_mark(const struct ldso *p)
{
    return p->n_objs | p->n_names << 32;
}

void ldso_reset(struct ldso *p, size_t mark)
{
    p->n_objs = mark & UINT32_MAX;
    p->n_names = mark >> 32;
}

/* After a failed request its objects are gone; names that older objects got meanwhile stay. */
static void undo(struct ldso *p, size_t mark)
{
    size_t keep = 0;
    p->n_objs = mark & UINT32_MAX;
    for (size_t i = 0; i < p->n_names; i++)
        if (p->names[i].obj->o.index < p->n_objs || p->names[i].obj == p->vdso)
            p->names[keep++] = p->names[i];
    p->n_names = keep;
}

static void take_fault(struct ldso_answer *ans, const struct ldso_fault *f)
{
    ans->outcome = f->outcome;
    ans->message = f->message;
    ans->signal = f->signal;
    ans->culprit = f->culprit;
    ans->culprit_file = f->culprit_file;
    ans->culprit_by = f->culprit_by;
}

/* Everything behind the mapping of `o`; false with the fault in `ans`. */
static bool finish(struct ldso *p, struct obj *o, struct ldso_answer *ans)
{
    struct ldso_fault f = {.outcome = LDSO_FOUND};
    struct ldso_search failed = {0};
    struct obj **list;
    size_t n;
    bool fine = ldso_load_deps(p, &o, 1, &list, &n, &f, &failed);
    for (size_t i = 0; fine && i < n; i++)
        fine = ldso_verify_versions(p, list[i], &f);
    if (fine)
        fine = ldso_verify_cpu(p, list, n, &f) && ldso_relocate(p, list, n, &f);
    if (!fine)
        take_fault(ans, &f);
    ans->culprit_trail = failed.trail;
    ans->n_culprit_trail = failed.n_trail;
    return fine;
}

static void list_added(struct ldso *p, size_t from, struct ldso_answer *ans)
{
    ans->n_added = p->n_objs - from;
    ans->added = arena_array(p->a, ans->n_added, sizeof *ans->added);
    for (size_t i = 0; i < ans->n_added; i++)
        ans->added[i] = &p->objs[from + i]->o;
}

const struct ldso_answer *ldso_dlopen(struct ldso *p, const char *name, const struct ldso_obj *caller)
{
    struct ldso_answer *ans = ARENA_NEW(p->a, struct ldso_answer);
    struct obj *asker = caller ? (struct obj *)caller : p->main;
    if (p->start->outcome != LDSO_FOUND) { /* there is no process that could ask */
        *ans = *p->start;
        ans->asked = name;
        ans->caller = &asker->o;
        ans->path = NULL;
        return ans;
    }
    *ans = (struct ldso_answer){.asked = arena_strdup(p->a, name), .caller = &asker->o, .outcome = LDSO_FOUND};
    size_t mark = ldso_mark(p), from = p->n_objs;
    uint64_t tls = p->static_tls;
    struct ldso_fault f = {.outcome = LDSO_FOUND};
    struct ldso_search s = {.p = p, .name = ans->asked, .asker = asker, .record = true, .shadowed = p->cfg.want_shadowed};
    struct obj *o = ldso_map(&s, NULL, &f);
    ans->trail = s.trail;
    ans->n_trail = s.n_trail;
    ans->shadowed = s.shadow;
    ans->n_shadowed = s.n_shadow;
    ans->rule = s.rule;
    ans->path = o ? o->o.name : s.won ? s.path : NULL;
    if (!o)
        take_fault(ans, &f);
    if (!o || !finish(p, o, ans)) {
        undo(p, mark);
        p->static_tls = tls;
        return ans;
    }
    ans->obj = &o->o;
    list_added(p, from, ans);
    return ans;
}

void ldso_check_symbols(struct ldso *p, bool on)
{
    p->cfg.check_symbols = on;
}

void ldso_trust(struct ldso *p, ldso_package_fn *of, void *ctx)
{
    p->package_of = of;
    p->package_ctx = ctx;
}

void ldso_want_shadowed(struct ldso *p, bool on)
{
    p->cfg.want_shadowed = on;
}

const struct ldso_answer *ldso_start(const struct ldso *p)
{
    return p->start;
}

const struct ldso_obj *ldso_main(const struct ldso *p)
{
    return &p->main->o;
}

const struct ldso_obj *ldso_find(const struct ldso *p, const char *name)
{
    struct obj *o = ldso_name_find((struct ldso *)p, name);
    return o ? &o->o : NULL;
}

size_t ldso_objects(const struct ldso *p, const struct ldso_obj *const **ret)
{
    *ret = (const struct ldso_obj *const *)p->objs;
    return p->n_objs;
}

const char *ldso_glibc_version(const struct ldso *p)
{
    return p->glibc;
}

uint32_t ldso_cpu_level(const struct ldso *p)
{
    return p->cpu_unknown ? 0 : p->cpu.level;
}

const char *ldso_source_id(enum ldso_source s)
{
    static const char *const ids[] = {
        [LDSO_LOADED] = "loaded", [LDSO_PATH] = "path", [LDSO_RPATH] = "rpath", [LDSO_LD_LIBRARY_PATH] = "ld_library_path",
        [LDSO_RUNPATH] = "runpath", [LDSO_CACHE] = "cache", [LDSO_DEFAULT] = "default", [LDSO_PRELOAD] = "preload", [LDSO_MAIN] = "main"};
    return ids[s];
}

const char *ldso_result_id(enum ldso_result r)
{
    static const char *const ids[] = {
        [LDSO_R_WINS] = "wins", [LDSO_R_ABSENT] = "absent", [LDSO_R_DENIED] = "denied", [LDSO_R_WRONG_CLASS] = "wrong-class",
        [LDSO_R_WRONG_MACHINE] = "wrong-machine", [LDSO_R_ENDS_LIST] = "ends-list", [LDSO_R_FAILS] = "fails", [LDSO_R_KILLS] = "kills",
        [LDSO_R_UNKNOWN] = "unknown", [LDSO_R_EXCLUDED] = "excluded"};
    return ids[r];
}

const char *ldso_outcome_id(enum ldso_outcome o)
{
    static const char *const ids[] = {[LDSO_FOUND] = "found", [LDSO_MISSING] = "missing", [LDSO_FAILED] = "fails",
                                      [LDSO_KILLED] = "kills", [LDSO_UNDETERMINED] = "undetermined"};
    return ids[o];
}
