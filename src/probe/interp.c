/* SPDX-License-Identifier: Apache-2.0 */
/* interp - what files tell about one Python interpreter. */
#include "probe/interp.h"
#include <errno.h>
#include <string.h>
#include "formats/distname.h"
#include "formats/pth.h"

enum { CFG_MAX = 64 << 10, PTH_MAX = 1 << 20, DIR_MAX = 20000 };

static const char *getenv_filled(const struct root *r, const char *name)
{
    const char *v = root_getenv(r, name);
    return v && *v ? v : NULL;
}

struct pyvars pyvars_load(const struct root *r)
{
    return (struct pyvars){
        .path = getenv_filled(r, "PYTHONPATH"),
        .home = getenv_filled(r, "PYTHONHOME"),
        .no_user_site = getenv_filled(r, "PYTHONNOUSERSITE"),
        .user_base = getenv_filled(r, "PYTHONUSERBASE"),
        .safe_path = getenv_filled(r, "PYTHONSAFEPATH"),
        .platlibdir = getenv_filled(r, "PYTHONPLATLIBDIR"),
    };
}

const char *interp_abspath(struct root *r, struct arena *a, const char *path)
{
    return path_clean(a, path_join(a, root_cwd(r), path));
}

static bool is_type(struct root *r, const char *path, enum root_type type)
{
    struct root_stat st;
    return root_stat(r, path, &st) == 0 && st.type == type;
}

const char *interp_of_folder(struct root *r, struct arena *a, const char *dir)
{
    static const char *const names[] = {"bin/python", "bin/python3"};
    struct root_stat st;
    for (size_t i = 0; i < TG_COUNT(names); i++) {
        const char *p = path_join(a, dir, names[i]);
        if (root_lstat(r, p, &st) == 0 && (st.type == ROOT_FILE || st.type == ROOT_LINK))
            return p;
    }
    return NULL;
}

bool interp_version_from_name(const char *path, uint32_t *major, uint32_t *minor, bool *threads)
{
    const char *s = path_base(path);
    s += strcspn(s, "0123456789");
    size_t n = strspn(s, "0123456789");
    uint64_t ma, mi;
    if (s[n] != '.' || str_to_u64(s, n, 10, &ma) < 0)
        return false;
    s += n + 1;
    n = strspn(s, "0123456789");
    if (str_to_u64(s, n, 10, &mi) < 0 || ma > 9 || mi > 99)
        return false;
    *major = (uint32_t)ma;
    *minor = (uint32_t)mi;
    *threads = s[n] == 't';
    return true;
}

static void version_from_text(struct interp *in, const char *text)
{
    uint32_t major, minor;
    bool threads;
    if (text && interp_version_from_name(text, &major, &minor, &threads)) {
        in->major = major;
        in->minor = minor;
        in->abi_thread = threads ? "t" : "";
    }
}

/* getpath's search_up: the first of `dir` and its parents that holds `landmark`; "/" itself is never tried. */
static const char *search_up(struct root *r, struct arena *a, const char *dir, const char *landmark, enum root_type type)
{
    for (; strcmp(dir, "/") != 0 && strcmp(dir, ".") != 0; dir = path_dir(a, dir))
        if (is_type(r, path_join(a, dir, landmark), type))
            return dir;
    return NULL;
}

/* A version that no name states: the one lib/pythonX.Y with a standard library at or above `dir`. */
static void version_from_lib(struct root *r, struct arena *a, const char *dir, struct interp *in)
{
    for (; strcmp(dir, "/") != 0 && strcmp(dir, ".") != 0 && !in->major; dir = path_dir(a, dir)) {
        struct root_dirent *ents;
        size_t n;
        const char *lib = path_join(a, dir, "lib");
        if (root_readdir(r, lib, DIR_MAX, a, &ents, &n) < 0)
            continue;
        for (size_t i = 0; i < n; i++)
            if (str_starts(ents[i].name, "python") && is_type(r, arena_printf(a, "%s/%s/os.py", lib, ents[i].name), ROOT_FILE))
                version_from_text(in, ents[i].name);
    }
}

static void read_cfg(struct root *r, struct arena *a, const char *exe_dir, struct interp *in)
{
    const char *const dirs[] = {path_dir(a, exe_dir), exe_dir};
    for (size_t i = 0; i < TG_COUNT(dirs); i++) {
        const char *path = path_join(a, dirs[i], "pyvenv.cfg"), *text;
        size_t len;
        if (root_read(r, path, CFG_MAX, a, &text, &len) == 0) {
            in->cfg_path = path;
            pyvenv_parse(text, len, a, &in->cfg);
            return;
        }
    }
}

/* Where the standard library lies, seen from the folder of the base interpreter. */
static bool find_stdlib(struct root *r, struct arena *a, const char *dir, struct interp *in)
{
    const char *sub = arena_printf(a, "%s/python%u.%u%s", in->platlibdir, in->major, in->minor, in->abi_thread);
    const char *zip = arena_printf(a, "%s/python%u%u%s.zip", in->platlibdir, in->major, in->minor, in->abi_thread);
    const char *os_py = arena_printf(a, "%s/os.py", sub), *dynload = arena_printf(a, "%s/lib-dynload", sub);
    const char *prefix = in->base_prefix, *exec_prefix = in->base_exec_prefix; /* PYTHONHOME set them */
    if (!prefix)
        prefix = search_up(r, a, dir, zip, ROOT_FILE);
    if (!prefix)
        prefix = search_up(r, a, dir, os_py, ROOT_FILE);
    if (!prefix)
        prefix = search_up(r, a, dir, arena_printf(a, "%sc", os_py), ROOT_FILE);
    if (!prefix)
        return false;
    if (!exec_prefix)
        exec_prefix = search_up(r, a, dir, dynload, ROOT_DIR);
    in->base_prefix = prefix;
    in->base_exec_prefix = exec_prefix ? exec_prefix : prefix;
    in->stdlib = path_join(a, prefix, sub);
    in->dynload = path_join(a, in->base_exec_prefix, dynload);
    return true;
}

static void find_base(struct root *r, struct arena *a, const char *exe_dir, const struct pyvars *vars, struct interp *in)
{
    static const char *const libdirs[] = {"lib", "lib64"};
    const char *real_dir = in->real ? path_dir(a, in->real) : exe_dir, *dir = real_dir;
    if (vars->home) {
        const char *colon = strchr(vars->home, ':');
        in->base_prefix = colon ? arena_strndup(a, vars->home, (size_t)(colon - vars->home)) : vars->home;
        in->base_exec_prefix = colon ? colon + 1 : vars->home;
    } else if (in->cfg.home) {
        dir = interp_abspath(r, a, in->cfg.home);
    }
    for (size_t i = 0; i < TG_COUNT(libdirs); i++) {
        in->platlibdir = vars->platlibdir ? vars->platlibdir : libdirs[i];
        if (find_stdlib(r, a, dir, in)) {
            if (vars->home && !is_type(r, path_join(a, in->stdlib, "os.py"), ROOT_FILE))
                in->state = FACT_MALFORMED; /* PYTHONHOME points elsewhere: this Python cannot start */
            return;
        }
    }
    in->platlibdir = vars->platlibdir ? vars->platlibdir : "lib";
    /* CPython now falls back on the prefix it was built for, which is where its file lies unless it was moved. */
    if (dir == real_dir || !find_stdlib(r, a, real_dir, in))
        in->state = FACT_MALFORMED;
}

/* "cpython-3.11.9-linux-x86_64-gnu" of uv, "3.11.9" of pyenv. */
static const char *version_in_folder(struct arena *a, const char *prefix, const char *behind)
{
    const char *s = path_base(prefix);
    if (behind && !str_starts(s, behind))
        return NULL;
    s += behind ? strlen(behind) : 0;
    size_t n = strspn(s, "0123456789.");
    return n ? arena_strndup(a, s, n) : NULL;
}

static const char *version_from_header(struct root *r, struct arena *a, const struct interp *in)
{
    static const char key[] = "#define PY_VERSION";
    const char *text;
    size_t len;
    struct str line;
    const char *path = arena_printf(a, "%s/include/python%u.%u%s/patchlevel.h", in->base_prefix, in->major, in->minor, in->abi_thread);
    if (root_read(r, path, CFG_MAX, a, &text, &len) < 0)
        return NULL;
    for (size_t pos = 0; str_line(text, len, &pos, &line);) {
        const char *q = line.n > sizeof key && memcmp(line.p, key, sizeof key - 1) == 0 ? memchr(line.p, '"', line.n) : NULL;
        if (q && (line.p[sizeof key - 1] == ' ' || line.p[sizeof key - 1] == '\t')) {
            struct str v = {q + 1, line.n - (size_t)(q + 1 - line.p)};
            const char *end = memchr(v.p, '"', v.n);
            return end ? arena_strndup(a, v.p, (size_t)(end - v.p)) : NULL;
        }
    }
    return NULL;
}

static const char *version_from_conda(struct root *r, struct arena *a, const char *prefix)
{
    struct root_dirent *ents;
    size_t n;
    if (root_readdir(r, path_join(a, prefix, "conda-meta"), DIR_MAX, a, &ents, &n) < 0)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        struct condaname c;
        if (str_starts(ents[i].name, "python-") && condaname_parse(ents[i].name, &c) && c.name.n == strlen("python"))
            return arena_strndup(a, c.version.p, c.version.n);
    }
    return NULL;
}

/* Full version; NULL leaves major.minor. What a file of the base installation says comes before pyvenv.cfg, which keeps the
 * version of the day when the environment was made. */
static void find_version(struct root *r, struct arena *a, struct interp *in)
{
    const char *base = in->base_prefix, *v = version_from_header(r, a, in);
    if (!v && str_starts(path_base(base), "cpython-"))
        v = version_in_folder(a, base, "cpython-");
    if (!v && strstr(base, "/versions/"))
        v = version_in_folder(a, base, NULL);
    if (!v)
        v = version_from_conda(r, a, base);
    if (!v)
        v = in->cfg.version;
    const char *want = arena_printf(a, "%u.%u.", in->major, in->minor);
    in->version = str_starts(v, want) ? v : NULL;
}

static enum fact_env_kind find_kind(struct root *r, struct arena *a, const struct interp *in)
{
    if (in->cfg_path)
        return in->cfg.uv ? FACT_ENV_KIND_UV : FACT_ENV_KIND_VENV;
    if (is_type(r, path_join(a, in->prefix, "conda-meta"), ROOT_DIR))
        return FACT_ENV_KIND_CONDA;
    const char *root = getenv_filled(r, "PYENV_ROOT");
    if (strstr(in->prefix, "/.pyenv/versions/") || (root && str_starts(in->prefix, path_join(a, root, "versions/"))))
        return FACT_ENV_KIND_PYENV;
    if (str_starts(path_base(in->prefix), "cpython-") && strstr(in->prefix, "/uv/"))
        return FACT_ENV_KIND_UV;
    bool system = str_eq(in->prefix, "/usr") || str_eq(in->prefix, "/usr/local");
    return system ? FACT_ENV_KIND_SYSTEM : FACT_ENV_KIND_OTHER;
}

/* A ._pth beside the interpreter: its folder becomes the prefix, and site (with what it knows of virtual environments) runs
 * only when it says so. */
static void read_isolated_pth(struct root *r, struct arena *a, struct interp *in)
{
    const char *const beside[] = {in->exe, in->real};
    for (size_t i = 0; i < TG_COUNT(beside) && in->minor >= 11 && !in->pth_file; i++) {
        const char *file = arena_printf(a, "%s._pth", beside[i] ? beside[i] : in->exe);
        if (root_read(r, file, PTH_MAX, a, &in->pth.p, &in->pth.n) == 0)
            in->pth_file = file;
    }
    struct pth_line l;
    size_t pos = 0;
    uint32_t line = 0;
    while (in->pth_file && pth_next_isolated(in->pth.p, in->pth.n, &pos, &line, &l))
        in->pth_site = in->pth_site || l.kind == PTH_IMPORT_SITE;
}

static enum fact_state state_of(struct root *r, const char *exe)
{
    struct root_stat st;
    int rc = root_stat(r, exe, &st);
    if (rc == -EACCES || (rc == 0 && root_access(r, exe, 1) == -EACCES))
        return FACT_DENIED;
    if (rc < 0)
        return FACT_ABSENT;
    return st.type == ROOT_FILE ? FACT_PRESENT : FACT_MALFORMED;
}

void interp_base(struct root *r, struct arena *a, const char *exe, const struct pyvars *vars, struct interp *in)
{
    *in = (struct interp){.exe = interp_abspath(r, a, exe), .abi_thread = "", .implementation = "cpython", .platlibdir = "lib",
                          .cfg.system_site = true};
    const char *exe_dir = path_dir(a, in->exe);
    in->state = state_of(r, in->exe);
    if (root_realpath(r, in->exe, a, &in->real) < 0)
        in->real = NULL;
    read_cfg(r, a, exe_dir, in);
    if (strstr(path_base(in->real ? in->real : in->exe), "pypy"))
        in->implementation = "pypy";
    version_from_text(in, in->cfg.version);
    version_from_text(in, path_base(in->exe));
    version_from_text(in, in->real ? path_base(in->real) : NULL);
    if (!in->major)
        version_from_lib(r, a, in->cfg.home ? in->cfg.home : path_dir(a, in->real ? in->real : in->exe), in);
    if (in->major && in->state != FACT_ABSENT && str_eq(in->implementation, "cpython"))
        find_base(r, a, exe_dir, vars, in);
    else if (in->state == FACT_PRESENT)
        in->state = FACT_MALFORMED;
    in->prefix = in->cfg_path || !in->base_prefix ? path_dir(a, exe_dir) : in->base_prefix;
}

void interp_inspect(struct root *r, struct arena *a, const char *exe, const struct pyvars *vars, struct interp *ret)
{
    interp_base(r, a, exe, vars, ret);
    ret->kind = find_kind(r, a, ret);
    if (!ret->base_prefix) {
        ret->version = ret->cfg.version;
        return;
    }
    find_version(r, a, ret);
    read_isolated_pth(r, a, ret);
    if (ret->pth_file) {
        ret->base_prefix = ret->base_exec_prefix = path_dir(a, ret->pth_file);
        ret->prefix = ret->pth_site && ret->cfg_path ? ret->prefix : ret->base_prefix;
    }
}
