/* SPDX-License-Identifier: Apache-2.0 */
/* python - the interpreter of the judged environment and its sys.path, from files. */
#include <string.h>
#include "probe/probe.h"
#include "probe/hooks.h"
#include "probe/interp.h"
#include "probe/syspath.h"

enum { LIST_MAX = 20000 };

/* "cpython-311-x86_64-linux-gnu": the tag that extension modules carry. */
static const char *find_soabi(struct probe *p, const struct interp *in)
{
    const char *arch = root_arch(p->root);
    if (!in->major || !in->dynload)
        return NULL;
    if (arch)
        return arena_printf(p->a, "cpython-%u%u%s-%s-linux-gnu", in->major, in->minor, in->abi_thread, arch);
    struct root_dirent *ents;
    size_t n;
    if (root_readdir(p->root, in->dynload, LIST_MAX, p->a, &ents, &n) < 0)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        const char *tag = strstr(ents[i].name, ".cpython-");
        if (tag && str_ends(tag, ".so"))
            return arena_strndup(p->a, tag + 1, strlen(tag + 1) - strlen(".so"));
    }
    return NULL;
}

/* 32 or 64 by EI_CLASS; 0 for what is no ELF file. */
static uint32_t elf_bits(struct probe *p, const char *exe)
{
    unsigned char head[5] = {0};
    struct rfile *f;
    if (root_open(p->root, exe, &f, NULL) < 0)
        return 0;
    long n = rfile_pread(f, head, sizeof head, 0);
    rfile_close(f);
    bool is_elf = n == sizeof head && memcmp(head, "\x7f" "ELF", 4) == 0;
    return is_elf && head[4] == 1 ? 32 : is_elf && head[4] == 2 ? 64 : 0;
}

static void fill_sys_path(struct probe *p, const struct syspath *s)
{
    struct fact_python *py = &p->f->python;
    for (size_t i = 0; i < s->n_dirs; i++) {
        struct fact_path_dir *d = ARENA_PUSH(p->a, py->sys_path, py->n_sys_path);
        *d = (struct fact_path_dir){s->dirs[i].dir, s->dirs[i].origin, s->dirs[i].exists};
    }
    py->pth_code = s->pth_code;
    py->n_pth_code = s->n_pth_code;
    py->pth_variables = s->variables;
    py->n_pth_variables = s->n_variables;
    py->pth_loads = s->loads;
    py->n_pth_loads = s->n_loads;
    py->start_end = s->end;
    py->start_end_at = s->end_at;
    py->start_end_signal = s->end_signal;
    py->pth_unknown = s->unknown_code;
    py->pth_unknown_from = (uint32_t)s->unknown_from;
    py->user_site = s->user_site;
    py->user_site_enabled = s->user_site_enabled;
    py->no_user_site_why = s->no_user_site_why;
    py->isolated = s->isolated;
    py->safe_path = s->safe_path;
}

void probe_python(struct probe *p)
{
    struct fact_python *py = &p->f->python;
    struct pyvars vars = pyvars_load(p->root);
    if (!py->exe)
        return;
    struct interp in;
    interp_inspect(p->root, p->a, py->exe, &vars, &in);
    py->state = in.state;
    py->source = in.cfg_path ? in.cfg_path : in.exe;
    py->exe = in.exe;
    py->real = in.real;
    py->version = in.version || !in.major ? in.version : arena_printf(p->a, "%u.%u", in.major, in.minor);
    py->major = in.major;
    py->minor = in.minor;
    py->implementation = in.implementation;
    py->prefix = in.prefix;
    py->base_prefix = in.base_prefix;
    root_near(p->root, in.prefix);
    py->kind = in.kind;
    py->home = in.cfg.home;
    py->stdlib = in.stdlib;
    py->soabi = find_soabi(p, &in);
    py->bits = in.state == FACT_PRESENT ? elf_bits(p, in.exe) : 0;
    py->pythonpath = vars.path;
    py->pythonhome = vars.home;
    struct root_stat st;
    const char *pep668 = in.stdlib ? path_join(p->a, in.stdlib, "EXTERNALLY-MANAGED") : NULL;
    if (pep668 && !in.cfg_path && root_stat(p->root, pep668, &st) == 0)
        py->externally_managed = pep668;
    probe_python_start(p); /* before the start-up files: they set their variables too late for it */
    p->sys = ARENA_NEW(p->a, struct syspath);
    syspath_build(p->root, p->a, &in, &vars, p->sys);
    fill_sys_path(p, p->sys);
    p->f->env_active = hooks_env_is_active(p);
    hooks_ld_library_path(p);
    p->f->ld_preload = root_getenv(p->root, "LD_PRELOAD");
}

void probe_libpython(struct probe *p)
{
    const struct ldso_obj *const *objs;
    size_t n = p->proc ? ldso_objects(p->proc, &objs) : 0;
    for (size_t i = 0; i < n && !p->f->python.libpython; i++)
        if (str_starts(path_base(objs[i]->name), "libpython"))
            p->f->python.libpython = objs[i]->name;
}
