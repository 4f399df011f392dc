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

static const char *place(const struct ldso_try *t)
{
    switch (t->source) {
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

static bool same_place(const struct ldso_try *a, const struct ldso_try *b)
{
    return a->source == b->source && a->of == b->of;
}

static void one_try(const struct ldso_try *t, struct buf *out)
{
    buf_adds(out, "    ");
    add_text(out, t->path);
    buf_addf(out, "  %s", result_text(t->result));
    if (t->detail && t->result != LDSO_R_ABSENT) {
        buf_adds(out, ": ");
        add_text(out, t->detail);
    }
    buf_addc(out, '\n');
}

/* Grouped by place; places that do not have the file are only counted unless `verbose`. */
static void text_trail(const struct ldso_try *t, size_t n, bool verbose, struct buf *out)
{
    for (size_t i = 0; i < n;) {
        size_t end = i, absent = 0;
        buf_addf(out, "  %s", place(&t[i]));
        if (t[i].of) {
            buf_addc(out, ' ');
            add_text(out, t[i].of);
        }
        buf_addc(out, '\n');
        for (; end < n && same_place(&t[i], &t[end]); end++) {
            if (verbose || t[end].result != LDSO_R_ABSENT)
                one_try(&t[end], out);
            else
                absent++;
        }
        if (absent)
            buf_addf(out, i18n_nget("    not in %zu folder\n", "    not in %zu folders\n", absent), absent);
        i = end;
    }
}

static void headline(const struct why *y, const char *soname, struct buf *out)
{
    const struct ldso_answer *a = y->answer;
    add_text(out, y->from_failed ? y->from : soname);
    switch (a->outcome) {
    case LDSO_FOUND:
        buf_addf(out, _(": found, by %s\n  "), a->rule == LDSO_LOADED ? _("being loaded already") : ldso_source_id(a->rule));
        add_text(out, a->path);
        buf_addc(out, '\n');
        return;
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
    if (a->message) {
        buf_adds(out, "  ");
        add_text(out, a->message);
        buf_addc(out, '\n');
    }
    if (a->culprit_file) {
        buf_adds(out, _("  file at fault: "));
        add_text(out, a->culprit_file);
        buf_addc(out, '\n');
    }
}

static void why_text(const struct why *y, const char *soname, bool verbose, struct buf *out)
{
    const struct ldso_answer *a = y->answer;
    headline(y, soname, out);
    buf_adds(out, _("asked by "));
    add_text(out, y->from && !y->from_failed ? y->from : y->program);
    buf_addf(out, _(" (glibc %s, processor level x86-64-v%u)\n"), ldso_glibc_version(y->proc) ? ldso_glibc_version(y->proc) : "?",
             ldso_cpu_level(y->proc));
    if (a->n_trail) {
        buf_adds(out, _("searched, in this order:\n"));
        text_trail(a->trail, a->n_trail, verbose, out);
    }
    if (a->n_culprit_trail) {
        buf_adds(out, _("search for "));
        add_text(out, a->culprit);
        if (a->culprit_by) {
            buf_adds(out, _(", which is needed by "));
            add_text(out, a->culprit_by);
        }
        buf_adds(out, ":\n");
        text_trail(a->culprit_trail, a->n_culprit_trail, verbose, out);
    }
    if (a->n_shadowed)
        buf_adds(out, _("hidden by it:\n"));
    for (size_t i = 0; i < a->n_shadowed; i++) {
        buf_adds(out, "    ");
        add_text(out, a->shadowed[i]);
        buf_addc(out, '\n');
    }
}

int cmd_why(struct cmd_ctx *c)
{
    struct probe p;
    struct why y;
    struct err e = {0};
    struct buf out;
    const struct why_query q = {.soname = c->args[0], .program = c->o.program, .from = c->o.from};
    int r = cmd_probe(c, q.program ? 0 : NEED_PYTHON | NEED_PACKAGES | NEED_TENSORFLOW, &p);
    if (r != EXIT_GOOD)
        return r;
    r = why_gather(&p, &q, &y, &e);
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
