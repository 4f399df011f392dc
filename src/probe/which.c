/* SPDX-License-Identifier: Apache-2.0 */
/* which - what runs when a command's name is typed. */
#include "probe/which.h"
#include <string.h>
#include "formats/shebang.h"

enum { HEAD = 1024, FILE_MAX = 64 << 10, DIR_MAX = 5000 };

/* What shells use when PATH is unset. */
static const char default_path[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

static bool is_program(struct root *r, const char *path)
{
    struct root_stat st;
    return root_stat(r, path, &st) == 0 && st.type == ROOT_FILE && root_access(r, path, 1) == 0;
}

/* Is the element of PATH that begins at `at` the same as an earlier one? Shells that are started from shells repeat them. */
static bool seen_before(const char *path, const char *at)
{
    size_t n = strcspn(at, ":");
    for (const char *s = path; s < at; s += strcspn(s, ":") + 1)
        if (strcspn(s, ":") == n && memcmp(s, at, n) == 0)
            return true;
    return false;
}

/* First `name` on PATH; `skip`: a folder that does not count. */
static const char *walk(struct root *r, struct arena *a, const char *name, const char *skip)
{
    const char *path = root_getenv(r, "PATH");
    if (!path)
        path = default_path;
    for (const char *s = path; s; s = s[strcspn(s, ":")] ? s + strcspn(s, ":") + 1 : NULL) {
        const char *dir = arena_strndup(a, s, strcspn(s, ":"));
        dir = path_join(a, root_cwd(r), dir);
        if ((skip && strcmp(path_clean(a, dir), skip) == 0) || seen_before(path, s))
            continue;
        const char *file = path_join(a, dir, name);
        if (is_program(r, file))
            return path_clean(a, file);
    }
    return NULL;
}

static size_t read_head(struct root *r, const char *path, char *buf, size_t n)
{
    struct rfile *f;
    if (root_open(r, path, &f, NULL) < 0)
        return 0;
    long got = rfile_pread(f, buf, n, 0);
    rfile_close(f);
    return got > 0 ? (size_t)got : 0;
}

/* A pyenv shim is a script in a folder "shims" that calls `pyenv exec`; ret: pyenv's root. */
static const char *shim_root(struct root *r, struct arena *a, const char *path)
{
    char head[HEAD];
    const char *dir = path_dir(a, path);
    if (strcmp(path_base(dir), "shims") != 0)
        return NULL;
    size_t n = read_head(r, path, head, sizeof head);
    if (n < 2 || memcmp(head, "#!", 2) != 0 || !memmem(head, n, "pyenv\" exec", 11))
        return NULL;
    static const char key[] = "PYENV_ROOT=\"";
    const char *v = memmem(head, n, key, sizeof key - 1);
    const char *end = v ? memchr(v + sizeof key - 1, '"', n - (size_t)(v + sizeof key - 1 - head)) : NULL;
    return end ? arena_strndup(a, v + sizeof key - 1, (size_t)(end - v) - (sizeof key - 1)) : path_dir(a, dir);
}

/* First word of each line that is no comment, joined by ":"; NULL when there is none. */
static const char *read_version_file(struct root *r, struct arena *a, const char *path)
{
    const char *text, *list = NULL;
    size_t len;
    struct str line;
    if (root_read(r, path, FILE_MAX, a, &text, &len) < 0)
        return NULL;
    for (size_t pos = 0; str_line(text, len, &pos, &line);) {
        line = str_trim(line);
        size_t n = 0;
        while (n < line.n && line.p[n] != ' ' && line.p[n] != '\t' && line.p[n] != '\0')
            n++;
        if (n == 0 || *line.p == '#' || (n == 2 && memcmp(line.p, "..", 2) == 0) || memmem(line.p, n, "../", 3))
            continue;
        list = list ? arena_printf(a, "%s:%.*s", list, (int)n, line.p) : arena_strndup(a, line.p, n);
    }
    return list;
}

/* The versions that count, in order, and what set them. */
static const char *read_pyenv_versions(struct root *r, struct arena *a, const char *root, const char **ret_origin)
{
    const char *v = root_getenv(r, "PYENV_VERSION"), *dir = root_getenv(r, "PYENV_DIR");
    *ret_origin = "PYENV_VERSION";
    if (v && *v)
        return v;
    for (dir = dir && *dir == '/' ? dir : root_cwd(r);; dir = path_dir(a, dir)) {
        const char *file = path_join(a, dir, ".python-version");
        struct root_stat st;
        *ret_origin = file;
        if (root_stat(r, file, &st) == 0 && st.type == ROOT_FILE) {
            v = read_version_file(r, a, file);
            return v ? v : "system"; /* an empty file still hides those above it */
        }
        if (strcmp(dir, "/") == 0 || strcmp(dir, ".") == 0)
            break;
    }
    *ret_origin = path_join(a, root, "version");
    v = read_version_file(r, a, *ret_origin);
    *ret_origin = v ? *ret_origin : NULL;
    return v ? v : "system";
}

static const char *pyenv_versions(struct which_at *at, const char *root, const char **ret_origin)
{
    if (!str_eq(root, at->pyenv_root)) {
        at->pyenv_root = root;
        at->versions = read_pyenv_versions(at->r, at->a, root, &at->origin);
    }
    *ret_origin = at->origin;
    return at->versions;
}

/* `pyenv latest`: the newest installed version that begins with "3.11." or "3.11-"; previews do not count. */
static const char *latest(struct root *r, struct arena *a, const char *versions, const char *prefix)
{
    struct root_dirent *ents;
    size_t n, len = strlen(prefix);
    const char *best = NULL;
    if (root_readdir(r, versions, DIR_MAX, a, &ents, &n) < 0)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        const char *s = ents[i].name;
        if (!str_starts(s, prefix) || (s[len] != '.' && s[len] != '-') || strcspn(s + len, "abrtdls") != strlen(s + len))
            continue;
        if (!best || ver_cmp(best, s) < 0)
            best = s;
    }
    return best;
}

static const char *version_folder(struct root *r, struct arena *a, const char *root, const char *version)
{
    struct root_stat st;
    const char *all = path_join(a, root, "versions"), *dir = path_join(a, all, version);
    if (root_stat(r, dir, &st) == 0 && st.type == ROOT_DIR)
        return dir;
    if (str_starts(version, "python-"))
        return version_folder(r, a, root, version + strlen("python-"));
    const char *found = latest(r, a, all, version);
    return found ? path_join(a, all, found) : NULL;
}

static void resolve_shim(struct which_at *at, const char *root, struct which *w)
{
    struct root *r = at->r;
    struct arena *a = at->a;
    const char *name = path_base(w->path), *shims = path_dir(a, w->path);
    const char *list = arena_printf(a, "%s:system", pyenv_versions(at, root, &w->pyenv_origin));
    w->kind = FACT_CMD_KIND_PYENV_SHIM;
    for (const char *s = list; s; s = s[strcspn(s, ":")] ? s + strcspn(s, ":") + 1 : NULL) {
        const char *version = arena_strndup(a, s, strcspn(s, ":")), *file = NULL;
        if (strcmp(version, "system") == 0) {
            file = walk(r, a, name, shims);
        } else if (*version && *version != '/') {
            const char *dir = version_folder(r, a, root, version);
            file = dir ? arena_printf(a, "%s/bin/%s", dir, name) : NULL;
            version = dir ? path_base(dir) : version;
        }
        if (!w->pyenv_version)
            w->pyenv_version = version;
        if (file && is_program(r, file)) {
            w->program = file;
            w->pyenv_version = version;
            return;
        }
    }
}

void which_path(struct which_at *at, const char *path, struct which *ret)
{
    char head[2];
    *ret = (struct which){.kind = FACT_CMD_KIND_PROGRAM, .path = path, .program = path};
    const char *root = shim_root(at->r, at->a, path);
    if (root) {
        ret->program = NULL;
        resolve_shim(at, root, ret);
    } else if (read_head(at->r, path, head, sizeof head) == 2 && memcmp(head, "#!", 2) == 0) {
        ret->kind = FACT_CMD_KIND_SCRIPT;
    }
}

void which_find(struct which_at *at, const char *name, struct which *ret)
{
    const char *path = walk(at->r, at->a, name, NULL);
    *ret = (struct which){.kind = FACT_CMD_KIND_MISSING};
    if (path)
        which_path(at, path, ret);
}

const char *which_shebang(struct which_at *at, const char *script)
{
    char head[HEAD];
    struct shebang s;
    size_t n = read_head(at->r, script, head, sizeof head);
    if (!shebang_parse(head, n, &s))
        return NULL;
    const char *program = arena_strndup(at->a, s.program.p, s.program.n);
    if (!s.by_path)
        return program;
    struct which w;
    which_find(at, program, &w);
    return w.program;
}
