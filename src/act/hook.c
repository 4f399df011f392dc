/* SPDX-License-Identifier: Apache-2.0 */
/* hook - LD_LIBRARY_PATH from an activation. */
#include "act/hook.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "base/i18n.h"
#include "base/sha256.h"
#include "base/util.h"

#define MARK_BEGIN "# >>> tfgpu >>>"
#define MARK_END "# <<< tfgpu <<<"

static const char variable[] = "LD_LIBRARY_PATH";

bool hook_can_say(const char *const *dirs, size_t n_dirs)
{
    for (size_t i = 0; i < n_dirs; i++)
        for (const char *s = dirs[i]; *s; s++)
            if ((unsigned char)*s < ' ' || *s == 0x7f || strchr("\"'`$\\!:;", *s))
                return false;
    return n_dirs > 0;
}

static const char *joined(struct arena *a, const char *const *dirs, size_t n_dirs, const char *sep)
{
    const char *s = dirs[0];
    for (size_t i = 1; i < n_dirs; i++)
        s = arena_printf(a, "%s%s%s", s, sep, dirs[i]);
    return s;
}

/* -- texts with marks ---------------------------------------------------------------------------------------------------- */

/* Without the lines between our marks, and the marks. */
static const char *without_blocks(struct arena *a, const char *text, size_t n)
{
    char *out = arena_alloc(a, n + 1);
    size_t len = 0, pos = 0;
    bool ours = false;
    while (pos < n) { /* the text ends in a NUL and has no other */
        const char *line = text + pos, *end = memchr(line, '\n', n - pos);
        size_t m = end ? (size_t)(end - line) + 1 : n - pos, skip = 0;
        while (skip < m && (line[skip] == ' ' || line[skip] == '\t'))
            skip++;
        bool begins = m - skip >= strlen(MARK_BEGIN) && memcmp(line + skip, MARK_BEGIN, strlen(MARK_BEGIN)) == 0;
        bool ends = m - skip >= strlen(MARK_END) && memcmp(line + skip, MARK_END, strlen(MARK_END)) == 0;
        ours = ours || (begins && strstr(line, MARK_END)); /* a mark without its end is somebody else's */
        if (!ours) {
            memcpy(out + len, line, m);
            len += m;
        }
        ours = ours && !ends;
        pos += m;
    }
    return out;
}

void hook_dirs(struct arena *a, const struct hook_file *f, const char ***ret, size_t *ret_n)
{
    static const char line[] = "\nexport LD_LIBRARY_PATH=\"";
    const char *s = f->kind == HOOK_SH && f->text ? strstr(f->text, MARK_BEGIN " ") : NULL;
    s = s ? strstr(s, line) : NULL;
    for (s = s ? s + strlen(line) : ""; *s && *s != '$' && *s != '"'; s += strcspn(s, ":$\""), s += *s == ':')
        *ARENA_PUSH(a, *ret, *ret_n) = arena_strndup(a, s, strcspn(s, ":$\""));
}

/* Where the line behind the first one that begins so starts; NULL: there is none. */
static const char *behind_line(const char *text, const char *begins)
{
    for (const char *s = text; *s; ) {
        const char *end = strchr(s, '\n');
        if (str_starts(s, begins))
            return end ? end + 1 : NULL;
        if (!end)
            return NULL;
        s = end + 1;
    }
    return NULL;
}

struct wording { const char *set, *deactivation, *restore; }; /* set: %s are the folders; deactivation: the line that begins it, or NULL */

static const struct wording wordings[] = {
    [HOOK_SH] = {MARK_BEGIN " 'tfgpu undo' takes this out\n"
                 "_TFGPU_OLD_LD_LIBRARY_PATH=\"${LD_LIBRARY_PATH-}\"\n"
                 "export LD_LIBRARY_PATH=\"%s${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\"\n" MARK_END "\n",
                 "deactivate () {",
                 "    " MARK_BEGIN "\n"
                 "    if [ -n \"${_TFGPU_OLD_LD_LIBRARY_PATH+x}\" ] ; then\n"
                 "        LD_LIBRARY_PATH=\"$_TFGPU_OLD_LD_LIBRARY_PATH\"\n"
                 "        [ -n \"$LD_LIBRARY_PATH\" ] || unset LD_LIBRARY_PATH\n"
                 "        unset _TFGPU_OLD_LD_LIBRARY_PATH\n"
                 "    fi\n    " MARK_END "\n"},
    [HOOK_FISH] = {MARK_BEGIN " 'tfgpu undo' takes this out\n"
                   "set -g _TFGPU_OLD_LD_LIBRARY_PATH $LD_LIBRARY_PATH\n"
                   "set -gx LD_LIBRARY_PATH \"%s\" $LD_LIBRARY_PATH\n" MARK_END "\n",
                   "function deactivate",
                   "    " MARK_BEGIN "\n"
                   "    if set -q _TFGPU_OLD_LD_LIBRARY_PATH\n"
                   "        set -gx LD_LIBRARY_PATH $_TFGPU_OLD_LD_LIBRARY_PATH\n"
                   "        test -n \"$LD_LIBRARY_PATH\"; or set -e LD_LIBRARY_PATH\n"
                   "        set -e _TFGPU_OLD_LD_LIBRARY_PATH\n"
                   "    end\n    " MARK_END "\n"},
    [HOOK_CSH] = {MARK_BEGIN " 'tfgpu undo' takes this out\n"
                  "if ( $?LD_LIBRARY_PATH ) then\n"
                  "    setenv LD_LIBRARY_PATH \"%s:${LD_LIBRARY_PATH}\"\n"
                  "else\n"
                  "    setenv LD_LIBRARY_PATH \"%s\"\n"
                  "endif\n" MARK_END "\n", NULL, NULL},
};

static const char *set_text(struct arena *a, enum hook_kind kind, const char *const *dirs, size_t n_dirs)
{
    const char *list = joined(a, dirs, n_dirs, kind == HOOK_FISH ? "\" \"" : ":"), *out = "";
    for (const char *s = wordings[kind].set, *at; *s; s = at + 2) {
        at = strstr(s, "%s");
        if (!at)
            return arena_printf(a, "%s%s", out, s);
        out = arena_printf(a, "%s%.*s%s", out, (int)(at - s), s, list);
    }
    return out;
}

static const char *merged(struct arena *a, const struct hook_file *f, const char *const *dirs, size_t n_dirs)
{
    const struct wording *w = &wordings[f->kind];
    const char *text = f->text ? without_blocks(a, f->text, f->n) : "", *at = w->deactivation ? behind_line(text, w->deactivation) : NULL;
    const char *end = *text && text[strlen(text) - 1] != '\n' ? "\n" : "";
    if (at)
        text = arena_printf(a, "%.*s%s%s", (int)(at - text), text, w->restore, at);
    return arena_printf(a, "%s%s%s", text, end, set_text(a, f->kind, dirs, n_dirs));
}

/* -- kernels ------------------------------------------------------------------------------------------------------------- */

/* As wide as the file's own second line is indented: ipykernel writes 1, others 2 or 4. */
static size_t indent_of(const char *text)
{
    enum { INDENT_MAX = 8 };
    const char *line = strchr(text, '\n');
    size_t n = line ? strspn(line + 1, " ") : 0;
    return n && n <= INDENT_MAX ? n : 1;
}

/* env.LD_LIBRARY_PATH gets the folders in front; the rest stays in its order. */
static const char *kernel_text(struct arena *a, const struct hook_file *f, const char *const *dirs, size_t n_dirs)
{
    json_t *doc = json_loadb(f->text, f->n, 0, NULL), *env = json_object_get(doc, "env");
    const char *list = joined(a, dirs, n_dirs, ":"), *out = NULL;
    if (json_is_object(doc) && !env) {
        env = json_object();
        json_object_set_new(doc, "env", env);
    }
    if (json_is_object(env)) {
        const char *old = json_string_value(json_object_get(env, variable));
        if (old && *old && !str_starts(old, list))
            list = arena_printf(a, "%s:%s", list, old);
        json_object_set_new(env, variable, json_string(old && str_starts(old, list) ? old : list));
        char *text = json_dumps(doc, JSON_INDENT(indent_of(f->text)));
        out = text ? arena_printf(a, "%s%s", text, f->n && f->text[f->n - 1] == '\n' ? "\n" : "") : NULL;
        free(text);
    }
    json_decref(doc);
    return out;
}

/* -- steps --------------------------------------------------------------------------------------------------------------- */

static const char *hash_of(struct arena *a, const struct hook_file *f)
{
    return f->text ? sha256_of(a, f->text, f->n) : "absent";
}

size_t hook_steps(struct arena *a, const char *const *dirs, size_t n_dirs, const struct hook_file *files, size_t n_files, struct plan *p)
{
    size_t n = 0;
    for (size_t i = 0; i < n_files; i++) {
        const struct hook_file *f = &files[i];
        bool kernel = f->kind == HOOK_KERNEL;
        const char *text = f->text && memchr(f->text, '\0', f->n) ? NULL : kernel ? kernel_text(a, f, dirs, n_dirs) : merged(a, f, dirs, n_dirs);
        if (!text || (f->text && strlen(text) == f->n && memcmp(text, f->text, f->n) == 0))
            continue;
        struct step *s = plan_add(a, p, STEP_WRITE, kernel ? _("let the Jupyter kernel set LD_LIBRARY_PATH") : _("let the activation set LD_LIBRARY_PATH"), f->path);
        s->bytes = text;
        s->n_bytes = strlen(text);
        s->expect = hash_of(a, f);
        n += !kernel;
    }
    return n;
}
