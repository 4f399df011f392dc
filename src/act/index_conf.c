/* SPDX-License-Identifier: Apache-2.0 */
/* index_conf - settings of uv and pip. Sources: uv, "Package indexes" and "Configuration files"; pip, "Configuration". */
#include "act/index_conf.h"
#include <string.h>
#include "base/child.h"
#include "base/util.h"
#include "base/whole.h"
#include "formats/ini.h"

enum { FILE_MAX = 1 << 20, ASK_MS = 20000, ASK_OUTPUT = 1 << 18 };

struct user { struct arena *a; const struct root *live; };

static const char *set(const struct user *u, const char *variable)
{
    const char *v = root_getenv(u->live, variable);
    return v && *v ? v : NULL;
}

static const char *in_home(const struct user *u, const char *name)
{
    const char *home = set(u, "HOME");
    return home && *home == '/' ? path_join(u->a, home, name) : NULL;
}

static const char *in_config(const struct user *u, const char *name)
{
    const char *dir = set(u, "XDG_CONFIG_HOME");
    return dir && *dir == '/' ? path_join(u->a, dir, name) : in_home(u, arena_printf(u->a, ".config/%s", name));
}

static const char *text_of(struct arena *a, const char *path, size_t *ret_n)
{
    char *text;
    struct err e = {0};
    return path && whole_read(a, path, FILE_MAX, &text, ret_n, &e) == 0 && *ret_n <= FILE_MAX ? text : NULL;
}

/* -- uv ------------------------------------------------------------------------------------------------------------------ */

/* The value of KEY = "VALUE" or KEY = true; n 0: another line. */
static struct str value_of(struct str line, const char *key)
{
    struct str v = {0}, l = str_trim(line);
    size_t n = strlen(key);
    if (l.n <= n || memcmp(l.p, key, n) != 0)
        return v;
    v = str_trim((struct str){l.p + n, l.n - n});
    if (!v.n || *v.p != '=')
        return (struct str){0};
    v = str_trim((struct str){v.p + 1, v.n - 1});
    if (v.n && (*v.p == '"' || *v.p == '\'')) {
        const char *end = memchr(v.p + 1, *v.p, v.n - 1);
        return end ? (struct str){v.p + 1, (size_t)(end - v.p - 1)} : (struct str){0};
    }
    const char *hash = v.n ? memchr(v.p, '#', v.n) : NULL;
    return hash ? str_trim((struct str){v.p, (size_t)(hash - v.p)}) : v;
}

const char *index_of_uv_toml(struct arena *a, const char *text, size_t n)
{
    struct str line, plain = {0}, url = {0}, marked = {0};
    bool is_default = false, in_index = false, at_top = true;
    for (size_t pos = 0; str_line(text, n, &pos, &line);) {
        struct str l = str_trim(line), v;
        if (l.n && *l.p == '[') {
            in_index = l.n >= 9 && memcmp(l.p, "[[index]]", 9) == 0;
            at_top = l.n >= 5 && memcmp(l.p, "[pip]", 5) == 0;
            url = (struct str){0};
            is_default = false;
        }
        if (at_top && (v = value_of(l, "index-url")).n)
            plain = v;
        if (in_index && (v = value_of(l, "url")).n)
            url = v;
        if (in_index && (v = value_of(l, "default")).n >= 4 && memcmp(v.p, "true", 4) == 0)
            is_default = true;
        if (url.n && is_default)
            marked = url;
    }
    struct str is = marked.n ? marked : plain;
    return is.n ? arena_strndup(a, is.p, is.n) : NULL;
}

static void uv(const struct user *u, struct index_conf *ret)
{
    static const char *const variables[] = {"UV_DEFAULT_INDEX", "UV_INDEX_URL"};
    const char *named = set(u, "UV_CONFIG_FILE"), *files[] = {named ? named : "uv.toml", named ? NULL : in_config(u, "uv/uv.toml"), named ? NULL : "/etc/uv/uv.toml"};
    for (size_t i = 0; i < TG_COUNT(variables) && !ret->url; i++)
        if ((ret->url = set(u, variables[i])))
            ret->from = variables[i];
    for (size_t i = 0; i < TG_COUNT(files) && !ret->url && !set(u, "UV_NO_CONFIG"); i++) {
        size_t n;
        const char *text = text_of(u->a, files[i], &n);
        if (text && (ret->url = index_of_uv_toml(u->a, text, n)))
            ret->from = files[i];
    }
}

/* -- pip ----------------------------------------------------------------------------------------------------------------- */

/* A setting of `pip install`: variable, then files, the nearest first. */
static const char *pip_setting(const struct user *u, const char *variable, const char *key, const char *key2, const char **ret_from)
{
    const char *named = set(u, "PIP_CONFIG_FILE");
    const bool none = str_eq(named, "/dev/null");
    const char *files[] = {named, none ? NULL : in_config(u, "pip/pip.conf"), none ? NULL : in_home(u, ".pip/pip.conf"), none ? NULL : "/etc/pip.conf", none ? NULL : "/etc/xdg/pip/pip.conf"};
    static const char *const sections[] = {"install", "global"};
    if (set(u, variable)) {
        *ret_from = variable;
        return set(u, variable);
    }
    for (size_t i = 0; i < TG_COUNT(files); i++) {
        size_t n;
        const char *text = text_of(u->a, files[i], &n), *v = NULL;
        for (size_t k = 0; text && k < TG_COUNT(sections) && !v; k++) {
            v = ini_get(text, n, sections[k], key, u->a);
            v = v ? v : ini_get(text, n, sections[k], key2, u->a);
        }
        if (v && *v) {
            *ret_from = files[i];
            return v;
        }
    }
    return NULL;
}

/* -- both ---------------------------------------------------------------------------------------------------------------- */

static const char *without_slash(struct arena *a, struct str url)
{
    while (url.n && url.p[url.n - 1] == '/')
        url.n--;
    return url.n ? arena_strndup(a, url.p, url.n) : NULL;
}

void index_conf(struct arena *a, const struct root *live, enum engine e, struct index_conf *ret)
{
    const struct user u = {a, live};
    const char *from;
    *ret = (struct index_conf){0};
    if (e == ENGINE_UV) {
        uv(&u, ret);
    } else {
        ret->url = pip_setting(&u, "PIP_INDEX_URL", "index-url", "index_url", &ret->from);
        ret->cacert = pip_setting(&u, "PIP_CERT", "cert", "cert", &from);
    }
    ret->url = ret->url ? without_slash(a, (struct str){ret->url, strlen(ret->url)}) : NULL;
}

const char *index_of_help(struct arena *a, const char *text, size_t n)
{
    static const char *const options[] = {"--default-index <", "--index-url <"}; /* uv's, pip's */
    static const char said[] = "default", scheme[] = "http";
    for (size_t i = 0; i < TG_COUNT(options); i++) {
        const char *p = memmem(text, n, options[i], strlen(options[i])), *end = text + n, *next;
        if (!p)
            continue;
        p += strlen(options[i]);
        next = memmem(p, (size_t)(end - p), " --", 3); /* the option behind it */
        end = next ? next : end;
        p = memmem(p, (size_t)(end - p), said, sizeof said - 1);
        p = p ? memmem(p, (size_t)(end - p), scheme, sizeof scheme - 1) : NULL;
        size_t len = 0;
        while (p && p + len < end && (unsigned char)p[len] > ' ' && (unsigned char)p[len] < 0x7f && !strchr("<>()[]\"'", p[len]))
            len++;
        struct str url = {p, len};
        if (len && memmem(p, len, "://", 3))
            return without_slash(a, url);
    }
    return NULL;
}

const char *index_ask(struct arena *a, enum engine e, const char *program)
{
    const char *const uv_argv[] = {program, "pip", "install", "--help", NULL}, *const pip_argv[] = {program, "-m", "pip", "install", "--help", NULL};
    const char **envp = NULL;
    size_t n = 0;
    for (char **v = environ; *v; v++)
        if (!str_starts(*v, "COLUMNS="))
            *ARENA_PUSH(a, envp, n) = *v;
    *ARENA_PUSH(a, envp, n) = "COLUMNS=1000"; /* an address is not broken into lines */
    *ARENA_PUSH(a, envp, n) = NULL;
    const struct child_spec spec = {.exe = program, .argv = e == ENGINE_UV ? uv_argv : pip_argv, .envp = envp, .deadline_ms = ASK_MS, .max_answer = 1, .max_output = ASK_OUTPUT};
    struct child_result r = {0};
    struct err why = {0};
    if (child_run(a, &spec, &r, &why) < 0 || r.end != CHILD_EXITED || r.code != 0)
        return NULL;
    return index_of_help(a, r.output, r.n_output);
}

const char *index_shown(struct arena *a, const char *url)
{
    const char *host = strstr(url, "://"), *at;
    size_t n = host ? strcspn(host + 3, "/") : 0;
    if (!n || !(at = memrchr(host + 3, '@', n)))
        return url;
    return arena_printf(a, "%.*s%s", (int)(host + 3 - url), url, at + 1);
}
