/* SPDX-License-Identifier: Apache-2.0 */
/* explain_machine - a symptom that a log does not resolve, held against what is known of a machine. Only files are read: a log may come
 * from a machine whose driver hangs, so that explain never asks the driver; `tfgpu check` does. */
#include "base/i18n.h"
#include "base/util.h"
#include "cmd/explain.h"
#include "rules/judge.h"

/* Does the first answer need it: a symptom of several causes, none of which the log shows? */
static bool is_open(const struct explain_answer *x)
{
    return x->n && x->found[0].entry->kind == KIND_SYMPTOM && !x->found[0].cause && x->found[0].entry->n_may_be;
}

static const struct finding *one_of(const struct explain_catalog *k, const struct judgement *j, const struct explain_entry *symptom)
{
    for (size_t i = 0; i < j->n_findings; i++)
        for (size_t m = 0; m < symptom->n_may_be; m++)
            if (str_eq(j->findings[i].cause->id, catalog_id(k, &k->entries[k->may_be[symptom->first_may_be + m]])))
                return &j->findings[i];
    return NULL;
}

static void fill(struct cmd_ctx *c, const struct facts *f, const struct finding *x, struct explained_machine *ret)
{
    unsigned tags = judge_tags(f) | x->tags;
    ret->cause = x->cause->id;
    ret->text = finding_text(c->a, x, _(x->cause->title));
    ret->subject = x->subject;
    for (size_t i = 0; i < x->cause->n_fix; i++) {
        const struct fix_step *s = &x->cause->fix[i];
        if (fix_applies(s, tags))
            *ARENA_PUSH(c->a, ret->steps, ret->n_steps) = (struct explained_step){
                .command = s->command ? finding_command(c->a, x, s->command) : NULL, .note = s->note ? finding_text(c->a, x, _(s->note)) : NULL,
                .side = fix_side_id(s->side), .needs_root = s->needs_root};
    }
}

/* The log states a driver that this machine does not have. */
static const char *differs(struct cmd_ctx *c, const struct facts *f, const struct explain_answer *x)
{
    const char *here = f->driver.version;
    if (!x->driver || f->driver.version_is_windows || (here && ver_cmp(here, x->driver) == 0))
        return NULL;
    return here ? arena_printf(c->a, _("it states driver %s, and there it is %s"), x->driver, here) : arena_printf(c->a, _("it states driver %s, and there is none there"), x->driver);
}

int explain_machine_file(struct cmd_ctx *c, struct facts **ret)
{
    *ret = NULL;
    if (!c->o.snapshot)
        return EXIT_GOOD;
    return c->o.no_machine ? cmd_fail(c, EXIT_USAGE, _("option '%s' does not go with '%s'"), "--no-machine", "--snapshot") : cmd_facts_file(c, ret);
}

void explain_machine(struct cmd_ctx *c, const struct facts *file, struct explain_answer *x)
{
    struct probe p = {0};
    struct judgement j;
    struct err e = {0};
    const struct facts *f = file;
    if (c->o.no_machine || !is_open(x))
        return;
    if (!f) {
        p = (struct probe){.a = c->a, .f = ARENA_NEW(c->a, struct facts)};
        if (root_open_live(c->a, &p.root, &e) < 0)
            return; /* the log alone then */
        bool known = probe_run(&p, NEED_ALL, &e) == 0 && root_starved(p.root) == 0;
        root_close(p.root);
        if (!known)
            return;
        f = p.f;
    }
    judge_run(c->a, f, &j);
    struct explained_machine *m = ARENA_NEW(c->a, struct explained_machine);
    m->source = c->o.snapshot;
    m->driver_asked = f->cuda.ask.answer != FACT_DRIVER_ANSWER_NOT_ASKED;
    m->differs = differs(c, f, x);
    const struct finding *hit = m->differs ? NULL : one_of(x->catalog, &j, x->found[0].entry);
    if (hit)
        fill(c, f, hit, m);
    else if (j.first_broken && !m->differs)
        m->first = arena_printf(c->a, _("%s: %s"), j.first_broken->cause->id, finding_text(c->a, j.first_broken, _(j.first_broken->cause->title)));
    x->machine = m;
}
