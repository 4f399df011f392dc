/* SPDX-License-Identifier: Apache-2.0 */
/* rcfiles - what the user's shell start-up files say about Python, PATH, conda and LD_LIBRARY_PATH. */
#include "probe/rcfiles.h"
#include <string.h>

enum { RC_MAX = 1 << 20, MAX_VARS = 256, MAX_FILES = 64 };

const char *rc_get(void *ctx, const char *name)
{
    const struct rc_vars *v = ctx;
    for (size_t i = v->n_own; i-- > 0;)
        if (strcmp(v->own[i].name, name) == 0)
            return v->own[i].value;
    for (size_t i = 0; i < v->n_fixed; i++)
        if (strcmp(v->fixed[i].name, name) == 0)
            return v->fixed[i].value;
    return strcmp(name, "HOME") == 0 ? root_home(v->p->root) : root_getenv(v->p->root, name);
}

void rc_set(struct rc_vars *v, const char *name, const char *value)
{
    for (size_t i = 0; i < v->n_own; i++)
        if (strcmp(v->own[i].name, name) == 0) {
            v->own[i].value = value;
            return;
        }
    if (v->n_own >= MAX_VARS)
        return;
    struct root_env *e = ARENA_PUSH(v->p->a, v->own, v->n_own);
    *e = (struct root_env){name, value};
}

/* "import a.b; print(a.b.__file__)": the module's file on sys.path, when it is a package with an __init__.py. */
static const char *module_file(struct rc_vars *v, struct arena *a, struct str text)
{
    static const char key[] = ".__file__";
    const char *end = memmem(text.p, text.n, key, sizeof key - 1), *s = end;
    while (s && s > text.p && (s[-1] == '.' || s[-1] == '_' || (s[-1] >= 'a' && s[-1] <= 'z') || (s[-1] >= '0' && s[-1] <= '9')))
        s--;
    if (!s || s == end)
        return NULL;
    char *module = arena_strndup(a, s, (size_t)(end - s));
    for (char *c = module; *c; c++)
        *c = *c == '.' ? '/' : *c;
    for (size_t i = 0; i < v->p->f->python.n_sys_path; i++) {
        struct root_stat st;
        const char *file = arena_printf(a, "%s/%s/__init__.py", v->p->f->python.sys_path[i].dir, module);
        if (root_stat(v->p->root, file, &st) == 0 && st.type == ROOT_FILE)
            return file;
    }
    return NULL;
}

const char *rc_command(void *ctx, struct arena *a, struct str text)
{
    struct rc_vars *v = ctx;
    const char *out = NULL;
    if (memmem(text.p, text.n, "python", strlen("python")) && memmem(text.p, text.n, "print", strlen("print"))) {
        if (memmem(text.p, text.n, "sys.prefix", strlen("sys.prefix")))
            out = v->p->f->python.prefix;
        else
            out = module_file(v, a, text);
    }
    /* each enclosing `dirname` takes one step up */
    const char *pos = text.p, *stop = text.p + text.n, *hit;
    while (out && (hit = memmem(pos, (size_t)(stop - pos), "dirname", strlen("dirname")))) {
        out = path_dir(a, out);
        pos = hit + strlen("dirname");
    }
    return out;
}

struct scan {
    struct probe *p;
    struct rc_vars vars;
    const char *files[MAX_FILES]; /* read so far */
    size_t n_files;
};

static void note(struct scan *s, const char *file, uint32_t line, const char *what, const char *name, const char *value)
{
    struct fact_shell_file *f = ARENA_PUSH(s->p->a, s->p->f->shell_files, s->p->f->n_shell_files);
    *f = (struct fact_shell_file){file, line, what, name, value};
}

static bool is_command_name(struct str s)
{
    static const char *const names[] = {"python", "pip", "jupyter", "ipython", "conda"};
    for (size_t i = 0; i < TG_COUNT(names); i++)
        if (s.n >= strlen(names[i]) && memcmp(s.p, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static const char *value_of(struct scan *s, struct str word, bool *complete)
{
    const struct shell_vars v = {rc_get, rc_command, &s->vars};
    *complete = true;
    return shell_expand(s->p->a, word, &v, complete);
}

static const char *text_of(struct arena *a, struct str s)
{
    return arena_strndup(a, s.p, s.n);
}

/* PATH="/a:$PATH": what comes in front of the old value, behind it, or instead of it. */
static void note_path(struct scan *s, const char *file, const struct shellrc_item *it)
{
    static const char mark[] = "\x01";
    const struct root_env fixed = {"PATH", mark};
    bool complete;
    struct rc_vars *v = &s->vars;
    v->fixed = &fixed;
    v->n_fixed = 1;
    const char *value = value_of(s, it->value, &complete), *old = strchr(value, *mark);
    v->fixed = NULL;
    v->n_fixed = 0;
    if (!old)
        note(s, file, it->line, "path-set", "PATH", complete ? value : text_of(s->p->a, it->value));
    else if (old > value)
        note(s, file, it->line, "path-prepend", "PATH", arena_strndup(s->p->a, value, (size_t)(old - value) - (old[-1] == ':')));
    if (old && old[1])
        note(s, file, it->line, "path-append", "PATH", old[1] == ':' ? old + 2 : old + 1);
}

static void note_assignment(struct scan *s, const char *file, const struct shellrc_item *it)
{
    const char *name = text_of(s->p->a, it->name);
    bool complete;
    if (strcmp(name, "PATH") == 0) {
        note_path(s, file, it);
        return;
    }
    const char *value = value_of(s, it->value, &complete);
    if (strcmp(name, "LD_LIBRARY_PATH") == 0)
        note(s, file, it->line, "export-ld-library-path", name, complete ? value : text_of(s->p->a, it->value));
    if (complete)
        rc_set(&s->vars, name, value);
}

static void scan_file(struct scan *s, const char *file, unsigned depth);

static void note_source(struct scan *s, const char *file, const struct shellrc_item *it, unsigned depth)
{
    bool complete;
    const char *other = value_of(s, it->value, &complete);
    if (!complete || *other != '/')
        return;
    if (str_ends(other, "/etc/profile.d/conda.sh"))
        note(s, file, it->line, "conda-hook", "conda", other);
    else if (str_ends(other, "/bin/activate"))
        note(s, file, it->line, "activate", path_base(path_dir(s->p->a, path_dir(s->p->a, other))), other);
    else if (depth == 0)
        scan_file(s, other, depth + 1);
}

static void note_eval(struct scan *s, const char *file, const struct shellrc_item *it)
{
    if (memmem(it->value.p, it->value.n, "pyenv init", strlen("pyenv init")))
        note(s, file, it->line, "pyenv-init", "pyenv", text_of(s->p->a, it->value));
    else if (memmem(it->value.p, it->value.n, "shell.", strlen("shell.")) && memmem(it->value.p, it->value.n, "conda", strlen("conda")))
        note(s, file, it->line, "conda-hook", "conda", text_of(s->p->a, it->value));
}

/* The conda block is live when a command stands between its markers. Returns the index of its end. */
static size_t note_conda(struct scan *s, const char *file, const struct shellrc_item *items, size_t i, size_t n)
{
    size_t end = i + 1;
    while (end < n && items[end].kind != SHELLRC_CONDA_END && items[end].kind != SHELLRC_CONDA_BEGIN)
        end++;
    bool closed = end < n && items[end].kind == SHELLRC_CONDA_END;
    const char *state = !closed ? "unclosed" : end == i + 1 ? "commented-out" : "active";
    note(s, file, items[i].line, "conda-block", "conda", state);
    return closed ? end : i;
}

static void scan_file(struct scan *s, const char *file, unsigned depth)
{
    const char *text;
    size_t len, n;
    struct shellrc_item *items;
    for (size_t i = 0; i < s->n_files; i++)
        if (strcmp(s->files[i], file) == 0)
            return;
    if (s->n_files == MAX_FILES || root_read(s->p->root, file, RC_MAX, s->p->a, &text, &len) < 0)
        return;
    s->files[s->n_files++] = file;
    shellrc_parse(text, len, s->p->a, &items, &n);
    for (size_t i = 0; i < n; i++) {
        const struct shellrc_item *it = &items[i];
        bool complete;
        switch (it->kind) {
        case SHELLRC_ALIAS:
            if (is_command_name(it->name))
                note(s, file, it->line, "alias", text_of(s->p->a, it->name), value_of(s, it->value, &complete));
            break;
        case SHELLRC_UNALIAS:
            if (is_command_name(it->name))
                note(s, file, it->line, "unalias", text_of(s->p->a, it->name), NULL);
            break;
        case SHELLRC_FUNCTION:
            if (is_command_name(it->name))
                note(s, file, it->line, "function", text_of(s->p->a, it->name), text_of(s->p->a, str_trim(it->value)));
            break;
        case SHELLRC_ASSIGN: note_assignment(s, file, it); break;
        case SHELLRC_SOURCE: note_source(s, file, it, depth); break;
        case SHELLRC_EVAL: note_eval(s, file, it); break;
        case SHELLRC_CONDA_BEGIN: i = note_conda(s, file, items, i, n); break;
        case SHELLRC_CONDA_END: break;
        }
    }
}

void rc_scan(struct probe *p)
{
    static const char *const login[] = {".bash_profile", ".bash_login", ".profile"}; /* bash reads the first that exists */
    static const char *const zsh[] = {".zshenv", ".zprofile", ".zshrc"};
    const char *home = root_home(p->root), *shell = root_getenv(p->root, "SHELL");
    bool has_zsh = shell && strcmp(path_base(shell), "zsh") == 0;
    struct scan s = {.p = p, .vars.p = p};
    struct root_stat st;
    if (!home)
        return;
    for (size_t i = 0; !has_zsh && i < TG_COUNT(login); i++) {
        const char *file = path_join(p->a, home, login[i]);
        if (root_stat(p->root, file, &st) == 0) {
            scan_file(&s, file, 0);
            break;
        }
    }
    if (!has_zsh)
        scan_file(&s, path_join(p->a, home, ".bashrc"), 0);
    for (size_t i = 0; (has_zsh || !shell) && i < TG_COUNT(zsh); i++)
        scan_file(&s, path_join(p->a, home, zsh[i]), 0);
}

const struct fact_shell_file *rc_definition(const struct facts *f, const char *name)
{
    for (size_t i = f->n_shell_files; i-- > 0;) {
        const struct fact_shell_file *s = &f->shell_files[i];
        if (!str_eq(s->name, name))
            continue;
        if (str_eq(s->what, "alias") || str_eq(s->what, "function"))
            return s;
        if (str_eq(s->what, "unalias"))
            return NULL;
    }
    return NULL;
}
