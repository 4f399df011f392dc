/* SPDX-License-Identifier: Apache-2.0 */
/* why - the loader's trail for one library: every place in order, which file wins, by which rule, what it shadows. */
#include "probe/why.h"
#include <errno.h>
#include <string.h>
#include "base/i18n.h"
#include "base/json.h"
#include "cmd/cmd.h"

static void json_trail(struct jw *w, const char *key, const struct ldso_try *t, size_t n)
{
    jw_arr(w, key);
    for (size_t i = 0; i < n; i++) {
        jw_obj(w, NULL);
        jw_str(w, "path", t[i].path);
        jw_str(w, "source", ldso_source_id(t[i].source));
        jw_str(w, "of", t[i].of);
        jw_str(w, "result", ldso_result_id(t[i].result));
        jw_str(w, "detail", t[i].detail);
        jw_obj_end(w);
    }
    jw_arr_end(w);
}

static void json_strings(struct jw *w, const char *key, const char *const *s, size_t n)
{
    jw_arr(w, key);
    for (size_t i = 0; i < n; i++)
        jw_str(w, NULL, s[i]);
    jw_arr_end(w);
}

static void why_json(const struct why *y, const char *soname, struct buf *out)
{
    const struct ldso_answer *a = y->answer;
    struct jw w;
    jw_init(&w, out);
    jw_obj(&w, NULL);
    jw_str(&w, "schema", "tfgpu.why/1");
    jw_str(&w, "soname", soname);
    jw_str(&w, "program", y->program);
    jw_str(&w, "from", y->from);
    jw_bool(&w, "from_failed", y->from_failed);
    jw_str(&w, "glibc", ldso_glibc_version(y->proc));
    jw_u64(&w, "cpu_level", ldso_cpu_level(y->proc));
    jw_str(&w, "path", y->from_failed ? NULL : a->path);
    jw_str(&w, "rule", a->path && !y->from_failed ? ldso_source_id(a->rule) : NULL);
    jw_str(&w, "version", y->version);
    jw_str(&w, "outcome", ldso_outcome_id(a->outcome));
    jw_str(&w, "message", a->message);
    jw_str(&w, "signal", a->signal);
    jw_str(&w, "culprit", a->culprit);
    jw_str(&w, "culprit_file", a->culprit_file);
    jw_str(&w, "culprit_by", a->culprit_by);
    json_trail(&w, "trail", a->trail, y->from_failed ? 0 : a->n_trail);
    json_trail(&w, "culprit_trail", a->culprit_trail, a->n_culprit_trail);
    json_strings(&w, "shadowed", a->shadowed, a->n_shadowed);
    jw_arr(&w, "copies");
    for (size_t i = 0; i < y->n_copies; i++)
        fact_copy_json(&w, NULL, &y->copies[i]);
    jw_arr_end(&w);
    jw_arr(&w, "added");
    for (size_t i = 0; i < a->n_added; i++)
        jw_str(&w, NULL, a->added[i]->name);
    jw_arr_end(&w);
    jw_obj_end(&w);
    buf_addc(out, '\n');
}

static void add_text(struct buf *out, const char *s)
{
    buf_add_safe(out, s, strlen(s));
}

static const char *place(enum ldso_source s)
{
    switch (s) {
    case LDSO_LOADED: return _("loaded already");
    case LDSO_PATH: return _("the path as given");
    case LDSO_RPATH: return _("RPATH of");
    case LDSO_LD_LIBRARY_PATH: return _("LD_LIBRARY_PATH");
    case LDSO_RUNPATH: return _("RUNPATH of");
    case LDSO_CACHE: return _("ld.so.cache");
    case LDSO_DEFAULT: return _("default folders");
    case LDSO_PRELOAD: return _("preload list");
    case LDSO_MAIN: return _("the program itself");
    }
    return "";
}

static const char *result_text(enum ldso_result r)
{
    switch (r) {
    case LDSO_R_WINS: return _("wins");
    case LDSO_R_ABSENT: return _("not there");
    case LDSO_R_DENIED: return _("may not be read");
    case LDSO_R_WRONG_CLASS: return _("32-bit, passed over");
    case LDSO_R_WRONG_MACHINE: return _("other processor, passed over");
    case LDSO_R_ENDS_LIST: return _("ends this list");
    case LDSO_R_FAILS: return _("ends the request");
    case LDSO_R_KILLS: return _("ends the process");
    case LDSO_R_UNKNOWN: return _("not known");
    case LDSO_R_EXCLUDED: return _("not for this asker");
    }
    return "";
}

static void line(struct buf *out, const char *before, const char *text)
{
    buf_adds(out, before);
    if (text)
        add_text(out, text);
    buf_addc(out, '\n');
}

static bool same_place(const struct ldso_try *a, const struct ldso_try *b)
{
    return a->source == b->source && a->of == b->of;
}

static void one_try(const struct ldso_try *t, struct buf *out)
{
    buf_adds(out, "    ");
    add_text(out, t->path);
    buf_addf(out, ": %s", result_text(t->result));
    if (t->detail && t->result != LDSO_R_ABSENT) {
        buf_adds(out, " (");
        add_text(out, t->detail);
        buf_addc(out, ')');
    }
    buf_addc(out, '\n');
}

static void one_place(const struct ldso_try *t, struct buf *out)
{
    buf_addf(out, t->of ? "  %s " : "  %s", place(t->source));
    line(out, "", t->of);
}

static void count_absent(size_t *n, struct buf *out)
{
    if (*n)
        buf_addf(out, i18n_nget("    not in %zu folder\n", "    not in %zu folders\n", *n), *n);
    *n = 0;
}

/* Grouped by place; folders that do not have the file are only counted unless `verbose`. */
static void text_trail(const struct ldso_try *t, size_t n, bool verbose, struct buf *out)
{
    bool cache = false;
    for (size_t i = 0; i < n;) {
        size_t end = i, absent = 0;
        cache |= t[i].source == LDSO_CACHE;
        if (t[i].source == LDSO_DEFAULT && !cache)
            buf_addf(out, "  %s\n    %s\n", place(LDSO_CACHE), _("does not list it"));
        one_place(&t[i], out);
        for (; end < n && same_place(&t[i], &t[end]); end++) {
            if (!verbose && t[end].result == LDSO_R_ABSENT) {
                absent++;
                continue;
            }
            count_absent(&absent, out);
            one_try(&t[end], out);
        }
        count_absent(&absent, out);
        i = end;
    }
}

static void found_text(const struct why *y, struct buf *out)
{
    const struct ldso_answer *a = y->answer;
    buf_adds(out, "  ");
    add_text(out, a->path);
    if (y->version)
        buf_addf(out, _(" (version %s)"), y->version);
    buf_addc(out, '\n');
    if (a->rule != LDSO_LOADED && a->n_trail)
        one_place(&a->trail[a->n_trail - 1], out);
    else if (a->obj->loader)
        line(out, _("  loaded already, needed by "), a->obj->loader->name);
    else
        line(out, _("  loaded already"), NULL);
}

static void headline(const struct why *y, const char *soname, struct buf *out)
{
    const struct ldso_answer *a = y->answer;
    add_text(out, y->from_failed ? y->from : soname);
    switch (a->outcome) {
    case LDSO_FOUND: buf_adds(out, _(": found\n")); break;
    case LDSO_MISSING: buf_adds(out, _(": not found\n")); break;
    case LDSO_FAILED: buf_adds(out, _(": cannot be loaded\n")); break;
    case LDSO_KILLED:
        if (str_eq(a->signal, "hang"))
            buf_adds(out, _(": the process would hang\n"));
        else
            buf_addf(out, _(": the process would die (%s)\n"), a->signal);
        break;
    case LDSO_UNDETERMINED: buf_adds(out, _(": cannot be told\n")); break;
    }
    if (a->outcome == LDSO_FOUND)
        found_text(y, out);
    if (a->message)
        line(out, "  ", a->message);
    if (a->culprit_file)
        line(out, _("  file at fault: "), a->culprit_file);
}

static void list_text(struct buf *out, const char *title, const char *const *s, size_t n)
{
    if (n)
        line(out, title, NULL);
    for (size_t i = 0; i < n; i++)
        line(out, "    ", s[i]);
}

static void why_text(const struct why *y, const char *soname, bool verbose, struct buf *out)
{
    const struct ldso_answer *a = y->answer;
    const char *glibc = ldso_glibc_version(y->proc);
    headline(y, soname, out);
    buf_addc(out, '\n');
    line(out, _("Asked by "), y->from && !y->from_failed ? y->from : y->program);
    if (ldso_cpu_level(y->proc))
        buf_addf(out, _("  in a process with glibc %s on a processor of level x86-64-v%u\n"), glibc ? glibc : "?", ldso_cpu_level(y->proc));
    else
        buf_addf(out, _("  in a process with glibc %s on an unknown processor\n"), glibc ? glibc : "?");
    if (a->n_trail) {
        line(out, _("\nSearched, in this order"), NULL);
        text_trail(a->trail, a->n_trail, verbose, out);
    }
    if (a->n_culprit_trail) {
        line(out, _("\nSearched for what it needs: "), a->culprit);
        if (a->culprit_by)
            line(out, _("  needed by "), a->culprit_by);
        text_trail(a->culprit_trail, a->n_culprit_trail, verbose, out);
    }
    list_text(out, _("\nHidden by it"), a->shadowed, a->n_shadowed);
    if (y->n_copies)
        line(out, _("\nInstalled, but nowhere that is searched"), NULL);
    for (size_t i = 0; i < y->n_copies; i++)
        line(out, "    ", y->copies[i].path);
}

int cmd_why(struct cmd_ctx *c)
{
    struct probe p = {0};
    struct why y;
    struct err e = {0};
    struct buf out;
    const struct why_query q = {.soname = c->args[0], .program = c->o.program, .from = c->o.from};
    int r = cmd_probe(c, q.program ? 0 : NEED_PYTHON | NEED_PACKAGES | NEED_TENSORFLOW, &p);
    if (r != EXIT_GOOD)
        return r;
    r = why_gather(&p, &q, &y, &e);
    if (root_starved(p.root) < 0)
        return cmd_starved(c, p.root);
    if (r < 0)
        return cmd_fail(c, r == -ENOENT || r == -ENOEXEC || r == -EISDIR ? EXIT_USAGE : EXIT_UNDETERMINED, "%s", e.msg);
    buf_init(&out, 0);
    if (c->o.format == FORMAT_JSON)
        why_json(&y, q.soname, &out);
    else
        why_text(&y, q.soname, c->o.verbose, &out);
    r = cmd_print(c, &out);
    buf_done(&out);
    if (r != EXIT_GOOD)
        return r;
    return y.answer->outcome == LDSO_FOUND ? EXIT_GOOD : y.answer->outcome == LDSO_UNDETERMINED ? EXIT_UNDETERMINED : EXIT_BROKEN;
}
