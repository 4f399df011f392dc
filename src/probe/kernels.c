/* SPDX-License-Identifier: Apache-2.0 */
/* kernels - the Jupyter kernels of this machine and the interpreter that each one runs. */
#include "probe/kernels.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "probe/interp.h"
#include "probe/which.h"

enum { JSON_MAX = 1 << 20, DIR_MAX = 5000 };

struct places { const char **v; size_t n; };

static void add_place(struct root *r, struct arena *a, struct places *l, const char *share)
{
    const char *dir = path_clean(a, path_join(a, share, "kernels"));
    struct root_stat st;
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->v[i], dir) == 0)
            return;
    if (root_stat(r, dir, &st) < 0 || st.type != ROOT_DIR)
        return;
    const char **slot = ARENA_PUSH(a, l->v, l->n);
    *slot = dir;
}

/* Prefix of the `jupyter` that would be run; the kernels beside it and the meaning of a bare "python" depend on it. */
static const char *jupyter_python(struct root *r, struct arena *a)
{
    struct which w;
    which_find(WHICH_AT(r, a), "jupyter", &w);
    return w.program ? which_shebang(WHICH_AT(r, a), w.program) : NULL;
}

static void find_places(struct root *r, struct arena *a, const char *prefix, const char *server, struct places *l)
{
    const char *path = root_getenv(r, "JUPYTER_PATH"), *home = root_home(r), *data = root_getenv(r, "JUPYTER_DATA_DIR");
    for (const char *s = path; s && *s; s = s[strcspn(s, ":")] ? s + strcspn(s, ":") + 1 : NULL)
        if (*s != ':')
            add_place(r, a, l, interp_abspath(r, a, arena_strndup(a, s, strcspn(s, ":"))));
    if (prefix)
        add_place(r, a, l, path_join(a, prefix, "share/jupyter"));
    if (server)
        add_place(r, a, l, path_join(a, path_dir(a, path_dir(a, server)), "share/jupyter"));
    if (data && *data)
        add_place(r, a, l, data);
    else if (root_getenv(r, "XDG_DATA_HOME") && *root_getenv(r, "XDG_DATA_HOME"))
        add_place(r, a, l, path_join(a, root_getenv(r, "XDG_DATA_HOME"), "jupyter"));
    if (home && !(data && *data))
        add_place(r, a, l, path_join(a, home, ".local/share/jupyter"));
    add_place(r, a, l, "/usr/local/share/jupyter");
    add_place(r, a, l, "/usr/share/jupyter");
}

static bool is_bare_python(const char *name)
{
    size_t n = strlen("python");
    return str_starts(name, "python") && strspn(name + n, "0123456789.") == strlen(name + n);
}

size_t kernel_program(const struct kernelspec *k)
{
    size_t i = 0;
    if (strcmp(path_base(k->argv[0]), "env") == 0)
        for (i = 1; i < k->n_argv && (strchr(k->argv[i], '=') || k->argv[i][0] == '-'); i++)
            ;
    return i < k->n_argv ? i : 0;
}

/* Jupyter runs a bare "python" with its own interpreter; that of a kernel inside an environment is the environment's. */
static const char *find_python(struct root *r, struct arena *a, const struct kernel *k, const char *server)
{
    size_t i = kernel_program(&k->spec);
    const char *prog = k->spec.argv[i];
    if (strchr(prog, '/')) {
        struct root_stat st;
        const char *abs = interp_abspath(r, a, prog);
        return root_stat(r, abs, &st) == 0 && st.type == ROOT_FILE ? abs : NULL;
    }
    if (i == 0 && is_bare_python(prog)) {
        const char *share = strstr(k->folder, "/share/jupyter/kernels/");
        const char *own = share ? interp_of_folder(r, a, arena_strndup(a, k->folder, (size_t)(share - k->folder))) : NULL;
        if (own || server)
            return own ? own : server;
    }
    struct which w;
    which_find(WHICH_AT(r, a), prog, &w);
    return w.program;
}

static int by_name(const void *x, const void *y)
{
    return strcmp(((const struct root_dirent *)x)->name, ((const struct root_dirent *)y)->name);
}

static const char *lower(struct arena *a, const char *s)
{
    char *t = arena_strdup(a, s);
    for (char *p = t; *p; p++)
        *p = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;
    return t;
}

void kernels_list(struct root *r, struct arena *a, const char *prefix, const char *server, struct kernel **ret, size_t *ret_n)
{
    struct places places = {0};
    server = server ? server : jupyter_python(r, a);
    server = server && *server ? server : NULL;
    *ret = NULL;
    *ret_n = 0;
    find_places(r, a, prefix, server, &places);
    for (size_t i = 0; i < places.n; i++) {
        struct root_dirent *ents;
        size_t n;
        if (root_readdir(r, places.v[i], DIR_MAX, a, &ents, &n) < 0)
            continue;
        if (n)
            qsort(ents, n, sizeof *ents, by_name);
        for (size_t j = 0; j < n; j++) {
            const char *folder = path_join(a, places.v[i], ents[j].name), *file = path_join(a, folder, "kernel.json"), *text;
            size_t len;
            int rc = root_read(r, file, JSON_MAX, a, &text, &len);
            if (rc == -ENOENT || rc == -ENOTDIR)
                continue;
            struct kernel *k = ARENA_PUSH(a, *ret, *ret_n);
            k->name = lower(a, ents[j].name);
            k->file = file;
            k->folder = folder;
            k->state = rc == -EACCES ? FACT_DENIED : FACT_MALFORMED;
            if (rc < 0 || kernelspec_parse(text, len, a, &k->spec, NULL) < 0)
                continue;
            k->state = FACT_PRESENT;
            k->python = find_python(r, a, k, server);
        }
    }
}

/* string.Template.safe_substitute over the environment: "$$" is "$", an unknown name stays as written. */
const char *kernel_expand(struct root *r, struct arena *a, const char *value)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    struct buf b;
    buf_init(&b, 0);
    for (const char *s = value; *s;) {
        bool braces = s[0] == '$' && s[1] == '{';
        const char *name = s + 1 + braces;
        size_t n = *s == '$' ? strspn(name, word) : 0;
        const char *v = n && (!braces || name[n] == '}') ? root_getenv(r, arena_strndup(a, name, n)) : NULL;
        if (v) {
            buf_adds(&b, v);
            s = name + n + braces;
        } else {
            buf_addc(&b, *s);
            s += s[0] == '$' && s[1] == '$' ? 2 : 1;
        }
    }
    const char *out = arena_strndup(a, b.len ? b.p : "", b.len);
    buf_done(&b);
    return out;
}
