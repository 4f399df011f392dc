/* SPDX-License-Identifier: Apache-2.0 */
/* driver_libs - copies of the driver's two libraries on this machine, and which of them TensorFlow's process would load. */
#include <errno.h>
#include <string.h>
#include "formats/nvversion.h"
#include "knowledge/drivers.h"
#include "probe/machine_parts.h"

enum { MAX_ENTRIES = 64, READ = 4 };
static const char libcuda[] = "libcuda.so.1", libnvml[] = "libnvidia-ml.so.1";

struct libs { struct probe *p; struct ldso *proc; /* NULL: no process could be simulated */ };

static struct fact_driver_lib *find_copy(struct fact_driver *d, const char *real, const char *soname)
{
    for (size_t i = 0; i < d->n_libs; i++)
        if (str_eq(d->libs[i].real, real) && str_eq(d->libs[i].soname, soname))
            return &d->libs[i];
    return NULL;
}

static bool has_part(const char *path, const char *part)
{
    return path && strstr(path, part) != NULL;
}

/* By where the file lies. In WSL a Linux driver's library carries a Linux driver's number in its name; Windows' do not. */
static enum fact_driver_lib_origin origin_of(const struct facts *f, const struct fact_driver_lib *l)
{
    if (has_part(l->real, "/stubs/") || has_part(l->path, "/stubs/"))
        return FACT_DRIVER_LIB_ORIGIN_STUB;
    if (has_part(l->real, "/compat/") || has_part(l->path, "/compat/"))
        return FACT_DRIVER_LIB_ORIGIN_COMPAT;
    if (str_starts(l->real, "/usr/lib/wsl/") || str_starts(l->path, "/usr/lib/wsl/"))
        return FACT_DRIVER_LIB_ORIGIN_WSL;
    if (f->machine.kind == FACT_MACHINE_KIND_WSL2)
        return l->version ? FACT_DRIVER_LIB_ORIGIN_LINUX_PACKAGE_IN_WSL : FACT_DRIVER_LIB_ORIGIN_UNKNOWN;
    return f->machine.container != FACT_CONTAINER_KIND_NONE ? FACT_DRIVER_LIB_ORIGIN_CONTAINER : FACT_DRIVER_LIB_ORIGIN_DRIVER;
}

static const char *damage_of(struct libs *s, const char *path)
{
    if (root_access(s->p->root, path, READ) < 0)
        return "cannot open shared object file: Permission denied";
    const struct elf *e = s->proc ? ldso_elf(s->proc, path) : NULL;
    return e && e->verdict != ELF_OK ? elf_verdict_text(e->verdict) : NULL;
}

/* Debian's and Ubuntu's packages of the library, by their lists of files. */
static const char *package_of(struct probe *p, const struct fact_driver_lib *l)
{
    uint32_t branch;
    if (!l->version || !ver_major(l->version, &branch))
        return NULL;
    const char *names[] = {arena_printf(p->a, "libnvidia-compute-%u", branch), arena_printf(p->a, "libnvidia-compute-%u-server", branch), "libcuda1"};
    for (size_t i = 0; i < TG_COUNT(names); i++)
        if (machine_exists(p, arena_printf(p->a, "/var/lib/dpkg/info/%s:amd64.list", names[i])))
            return names[i];
    return NULL;
}

static struct fact_driver_lib *add_copy(struct libs *s, const char *path, const char *soname)
{
    struct probe *p = s->p;
    struct fact_driver *d = &p->f->driver;
    const char *real;
    struct root_stat st;
    if (root_stat(p->root, path, &st) < 0 || root_realpath(p->root, path, p->a, &real) < 0)
        return NULL;
    struct fact_driver_lib *l = find_copy(d, real, soname);
    if (l)
        return l;
    l = ARENA_PUSH(p->a, d->libs, d->n_libs);
    *l = (struct fact_driver_lib){.state = FACT_PRESENT, .source = path, .path = arena_strdup(p->a, path), .real = real, .soname = soname};
    l->version = nvversion_name(path_base(real), p->a);
    l->origin = origin_of(p->f, l);
    l->damage = damage_of(s, path);
    if (l->damage)
        l->state = FACT_MALFORMED;
    if (l->origin == FACT_DRIVER_LIB_ORIGIN_WSL && d->version_is_windows)
        l->version = d->version;
    if (l->origin == FACT_DRIVER_LIB_ORIGIN_LINUX_PACKAGE_IN_WSL)
        l->package = package_of(p, l);
    return l;
}

/* The process that asks: TensorFlow's, or a plain one of this environment. */
static struct ldso *need_process(struct probe *p)
{
    const char *path = p->f->ld_library_path ? p->f->ld_library_path : root_getenv(p->root, "LD_LIBRARY_PATH");
    struct ldso_config c = {.program = p->f->python.exe ? p->f->python.exe : "/bin/sh", .ld_library_path = path};
    struct ldso *proc = p->proc;
    return proc || ldso_new(p->root, p->a, &c, &proc, NULL) == 0 ? proc : NULL;
}

/* TensorFlow's probe has asked for it already, from the right caller: true, and the path or NULL. */
static bool answered(const struct facts *f, const char *soname, const char **ret_path)
{
    for (size_t i = 0; i < f->n_libraries; i++) {
        const struct fact_library *l = &f->libraries[i];
        bool driver = l->role == FACT_LIB_ROLE_DRIVER || l->role == FACT_LIB_ROLE_NVML;
        if (!driver || !str_eq(l->soname, soname) || l->outcome == FACT_OUTCOME_UNDETERMINED)
            continue;
        *ret_path = l->outcome == FACT_OUTCOME_FOUND ? l->path : NULL;
        return true;
    }
    return false;
}

static const char *simulate(struct libs *s, const char *soname)
{
    if (!s->proc)
        return NULL;
    const char *file = s->p->f->tensorflow.caller;
    const struct ldso_obj *caller = file ? ldso_find(s->proc, file) : NULL;
    size_t mark = ldso_mark(s->proc);
    const struct ldso_answer *answer = ldso_dlopen(s->proc, soname, caller);
    const char *path = answer->outcome != LDSO_FOUND ? NULL : answer->path ? answer->path : answer->obj ? answer->obj->name : NULL;
    ldso_reset(s->proc, mark);
    return path;
}

static void ask_loader(struct libs *s, const char *soname, const char **ret_path, const char **ret_version)
{
    const char *path = NULL;
    if (!answered(s->p->f, soname, &path))
        path = simulate(s, soname);
    struct fact_driver_lib *l = path ? add_copy(s, path, soname) : NULL;
    if (!l)
        return;
    l->on_path = true;
    *ret_path = l->path;
    *ret_version = l->version;
}

static void look_in_places(struct libs *s, const char *soname)
{
    struct probe *p = s->p;
    size_t n;
    const struct driver_dir *dirs = driver_dirs(&n);
    for (size_t i = 0; i < n; i++)
        (void)add_copy(s, path_join(p->a, dirs[i].dir, soname), soname); /* most are not there */
    const char *rest = p->f->ld_library_path ? p->f->ld_library_path : root_getenv(p->root, "LD_LIBRARY_PATH");
    for (size_t i = 0; rest && *rest && i < MAX_ENTRIES; i++) {
        size_t len = strcspn(rest, ":;");
        if (len && *rest == '/')
            (void)add_copy(s, path_join(p->a, arena_strndup(p->a, rest, len), soname), soname);
        rest += len + (rest[len] != '\0');
    }
    const char *cached = s->proc ? ldso_cache_path(s->proc, soname) : NULL;
    struct fact_driver_lib *l = cached ? add_copy(s, cached, soname) : NULL;
    if (l)
        l->in_cache = true;
}

/* Without a kernel module that states it, the library's number is the driver's. */
static void settle_version(struct probe *p, struct fact_driver *d)
{
    bool differ = (d->kmod_version && d->libcuda_version && !str_eq(d->kmod_version, d->libcuda_version)) ||
                  (d->kmod_version && d->nvml_version && !str_eq(d->kmod_version, d->nvml_version));
    if (differ && p->f->machine.container == FACT_CONTAINER_KIND_NONE)
        machine_find_module_file(p); /* a module that fits, waiting for a restart? */
    if (d->version || p->f->machine.kind == FACT_MACHINE_KIND_WSL2)
        return;
    for (size_t i = 0; i < d->n_libs && !d->version; i++)
        if (d->libs[i].version && (d->libs[i].origin == FACT_DRIVER_LIB_ORIGIN_DRIVER || d->libs[i].origin == FACT_DRIVER_LIB_ORIGIN_CONTAINER)) {
            d->version = d->libs[i].version;
            d->version_source = d->libs[i].real;
        }
}

void probe_driver_libs(struct probe *p)
{
    struct fact_driver *d = &p->f->driver;
    struct libs s = {.p = p, .proc = need_process(p)};
    ask_loader(&s, libcuda, &d->libcuda, &d->libcuda_version);
    ask_loader(&s, libnvml, &d->nvml, &d->nvml_version);
    look_in_places(&s, libcuda);
    look_in_places(&s, libnvml);
    d->libs_searched = true;
    settle_version(p, d);
}
