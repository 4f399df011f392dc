/* SPDX-License-Identifier: Apache-2.0 */
/* kb - what explain knows: listed, shown, and a site's own files checked. */
#include <errno.h>
#include <string.h>
#include "base/i18n.h"
#include "base/util.h"
#include "base/whole.h"
#include "cmd/explain.h"
#include "formats/ydoc.h"
#include "report/explained.h"

static int list(struct cmd_ctx *c)
{
    struct site_found found;
    struct buf out;
    const struct explain_catalog *k = explain_catalog_of(c, &found);
    const struct kb_list x = {k, found.causes, found.n, found.hidden, found.n_hidden};
    if (c->n_args > 1)
        return cmd_fail(c, EXIT_USAGE, _("'tfgpu %s' has no use for '%s'; see 'tfgpu %s --help'"), "kb list", c->args[1], "kb");
    buf_init(&out, 0);
    if (c->o.format == FORMAT_JSON)
        report_kb_json(c->a, &x, &out);
    else
        report_kb(c->a, &x, &c->term, &out);
    int r = cmd_print(c, &out);
    buf_done(&out);
    return r;
}

static int show(struct cmd_ctx *c)
{
    if (c->n_args != 2)
        return cmd_fail(c, EXIT_USAGE, _("which cause? tfgpu kb show ID; 'tfgpu kb list' has them"));
    return explain_page(c, explain_catalog_of(c, NULL), c->args[1], false);
}

/* -- lint -------------------------------------------------------------------------------------------------------------------- */
struct lint { struct kb_file *files; struct site_mistakes *mistakes; struct site_cause *causes; bool *good; size_t n; int worst; };

/* A file that is not there is the user's slip, one that cannot be read our failure, what is wrong in it the answer. */
static void read_file(struct cmd_ctx *c, struct lint *l, const char *name)
{
    struct err e = {0};
    char *text;
    size_t n;
    struct site_mistakes *m = &l->mistakes[l->n];
    int r = whole_read(c->a, name, YDOC_MAX_BYTES, &text, &n, &e);
    if (r < 0) {
        bool slip = r == -ENOENT || r == -ENOTDIR || r == -EISDIR || r == -EINVAL;
        int code = cmd_fail(c, slip ? EXIT_USAGE : EXIT_UNDETERMINED, "%s: %s", name, e.msg);
        l->worst = code > l->worst ? code : l->worst;
        return;
    }
    m->a = c->a;
    l->files[l->n] = (struct kb_file){.name = name, .mistakes = m};
    l->good[l->n] = site_read(c->a, name, text, n, &l->causes[l->n], m);
    l->n++;
}

static bool known(const struct lint *l, const struct explain_catalog *k, const char *id)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->good[i] && str_eq(l->causes[i].id, id))
            return true;
    return catalog_find(k, id) != NULL;
}

static const char *note_of(struct cmd_ctx *c, const struct site_cause *x)
{
    const struct explain_catalog shipped = catalog_shipped();
    if (!catalog_find(&shipped, x->id) || site_is_shipped(x))
        return NULL;
    return x->extends ? arena_printf(c->a, _("note: adds patterns to tfgpu's own cause %s"), x->id) : arena_printf(c->a, _("note: takes the place of tfgpu's own cause %s"), x->id);
}

static void judge(struct cmd_ctx *c, struct lint *l, const struct explain_catalog *k, size_t i)
{
    const struct site_cause *x = &l->causes[i];
    site_try(x, explain_engine(), &l->mistakes[i]);
    if (l->good[i]) {
        for (size_t j = 0; j < x->n_may_be; j++)
            if (!known(l, k, x->may_be[j].text))
                site_mistake(&l->mistakes[i], x->may_be[j].line, _("'may_be' names '%s', which is no cause; 'tfgpu kb list' has them"), x->may_be[j].text);
        l->files[i].note = note_of(c, x);
    }
    site_mistakes_sort(&l->mistakes[i]);
    if (l->mistakes[i].n && l->worst == EXIT_GOOD)
        l->worst = EXIT_BROKEN;
}

static int lint(struct cmd_ctx *c)
{
    struct buf out;
    size_t most = c->n_args;
    struct lint l = {.files = arena_array(c->a, most, sizeof *l.files), .mistakes = arena_array(c->a, most, sizeof *l.mistakes),
                     .causes = arena_array(c->a, most, sizeof *l.causes), .good = arena_array(c->a, most, sizeof *l.good)};
    if (c->n_args < 2)
        return cmd_fail(c, EXIT_USAGE, _("which file? tfgpu kb lint FILE..."));
    for (size_t i = 1; i < c->n_args; i++)
        read_file(c, &l, c->args[i]);
    const struct explain_catalog shipped = catalog_shipped();
    struct explain_catalog k = shipped;
    struct site_found found;
    explain_site(c, &found); /* what is wrong with those is told when they are named */
    if (found.n)
        (void)catalog_add(c->a, found.causes, found.n, false, &k);
    for (size_t i = 0; i < l.n; i++)
        judge(c, &l, &k, i);
    buf_init(&out, 0);
    if (c->o.format == FORMAT_JSON)
        report_lint_json(l.files, l.n, &out);
    else
        report_lint(c->a, l.files, l.n, &out);
    int r = cmd_print(c, &out);
    buf_done(&out);
    return r == EXIT_GOOD ? l.worst : r;
}

int cmd_kb(struct cmd_ctx *c)
{
    static const struct { const char *name; int (*run)(struct cmd_ctx *c); } verbs[] = {{"list", list}, {"show", show}, {"lint", lint}};
    for (size_t i = 0; i < TG_COUNT(verbs); i++)
        if (str_eq(c->args[0], verbs[i].name))
            return verbs[i].run(c);
    return cmd_fail(c, EXIT_USAGE, _("'%s' is none of: list, show, lint; see 'tfgpu kb --help'"), c->args[0]);
}
