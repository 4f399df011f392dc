/* SPDX-License-Identifier: Apache-2.0 */
/* planned - plans as text. */
#include "report/planned.h"
#include <string.h>
#include "base/i18n.h"
#include "base/shellwords.h"
#include "base/util.h"
#include "report/text_util.h"


static const char *typed(struct arena *a, const struct step *s)
{
    switch (s->kind) {
    case STEP_RUN:
        return shellwords(a, s->env, s->n_env, s->argv, s->n_argv);
    case STEP_WRITE:
        return arena_printf(a, _("write %s (%zu bytes)"), shellword_quote(a, s->path), s->n_bytes);
    case STEP_LINK: {
        const char *const words[] = {"ln", "-s", s->target, s->path};
        return shellwords(a, NULL, 0, words, TG_COUNT(words));
    }
    case STEP_REMOVE: {
        const char *const words[] = {"rm", "-r", s->path};
        return shellwords(a, NULL, 0, words, TG_COUNT(words));
    }
    case STEP_KEEP:
        return arena_printf(a, _("keep a copy of %s (hard links)"), shellword_quote(a, s->path));
    case STEP_DOWNLOAD: {
        const char *const words[] = {"curl", "-L", "-o", s->path, s->url};
        return arena_printf(a, "%s   # SHA-256 %.12s...", shellwords(a, NULL, 0, words, TG_COUNT(words)), s->sha256);
    }
    }
    return "";
}

void report_plan(struct arena *a, const struct plan *p, size_t first, const struct term *term, struct buf *out)
{
    const struct report r = {.a = a, .term = term};
    for (size_t i = first; i < p->n_steps; i++) {
        const struct step *s = &p->steps[i];
        buf_addf(out, "%3zu. ", i + 1);
        para(&r, out, 0, s->title);
        buf_adds(out, "     ");
        inked(&r, out, INK_DIM, s->kind == STEP_WRITE || s->kind == STEP_KEEP ? "" : "$ ");
        const char *line = typed(a, s); /* whole: it is there to be copied */
        buf_add_safe(out, line, strlen(line));
        buf_addc(out, '\n');
    }
}

void report_step(struct arena *a, const struct plan *p, size_t i, enum act_phase phase, const struct term *term, struct buf *out)
{
    const struct report r = {.a = a, .term = term};
    const char *word = phase == ACT_BEGINS ? NULL : phase == ACT_IS_DONE ? _("done") : phase == ACT_WAS_DONE ? _("was done already") : _("is taken back");
    if (phase == ACT_IS_DONE && p->steps[i].kind != STEP_RUN)
        return; /* it took no time */
    inked(&r, out, INK_BOLD, arena_printf(a, "[%zu/%zu]", i + 1, p->n_steps));
    buf_addc(out, ' ');
    para(&r, out, 0, word ? arena_printf(a, "%s: %s", p->steps[i].title, word) : p->steps[i].title);
}

void report_action(struct arena *a, const struct journal *j, struct buf *out)
{
    size_t done = 0;
    for (size_t i = 0; i < j->n_steps; i++)
        done += j->steps[i].stage == STEP_DONE;
    const char *state = j->undone ? _("undone") : !j->finished || done < j->n_steps ? arena_printf(a, _("cut short after %zu of %zu steps"), done, j->n_steps) : _("done");
    const char *line = arena_printf(a, "%s  %s  %s  %s", j->id, j->plan.command, j->plan.subject, state);
    buf_add_safe(out, line, strlen(line));
    buf_addc(out, '\n');
}
