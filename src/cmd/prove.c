/* SPDX-License-Identifier: Apache-2.0 */
/* prove - options and progress of `check --prove`. */
#include "cmd/prove.h"
#include <string.h>
#include <unistd.h>
#include "base/i18n.h"
#include "base/util.h"

enum { MS = 1000 };

int prove_options(const struct cmd_ctx *c, struct prove_ask *ret)
{
    const struct options *o = &c->o;
    uint32_t seconds = o->quick ? PROVE_QUICK_DEADLINE_S : PROVE_DEADLINE_S;
    if (!o->prove && (o->quick || o->prove_timeout))
        return cmd_fail(c, EXIT_USAGE, _("option '%s' needs --prove"), o->quick ? "--quick" : "--prove-timeout");
    if (o->prove_timeout && (str_to_u32(o->prove_timeout, &seconds) < 0 || seconds < 1 || seconds > PROVE_DEADLINE_MAX_S))
        return cmd_fail(c, EXIT_USAGE, _("option '--prove-timeout' takes whole seconds from 1 to %d, not '%s'"), (int)PROVE_DEADLINE_MAX_S, o->prove_timeout);
    *ret = (struct prove_ask){.quick = o->quick, .deadline_ms = seconds * MS};
    return EXIT_GOOD;
}

/* One line on the terminal, written over again and again. */
struct progress { struct term term; };

static const char *step_title(const char *stage)
{
    static const struct { const char *stage, *title; } titles[] = {
        {"import", N_("importing TensorFlow")}, {"devices", N_("listing the GPUs")}, {"device", N_("setting up")}, {"context", N_("starting the devices")},
        {"compute", N_("comparing results")}, {"time", N_("timing")}, {"sustain", N_("running without a pause")},
    };
    for (size_t i = 0; i < TG_COUNT(titles); i++)
        if (str_eq(stage, titles[i].stage))
            return _(titles[i].title);
    return stage;
}

static void overwrite(const struct progress *pr, const char *text)
{
    struct buf b;
    size_t width = i18n_width(text), room = pr->term.width - 1;
    buf_init(&b, 1 << 12);
    buf_addc(&b, '\r');
    if (width <= room)
        buf_add_safe(&b, text, strlen(text));
    for (; width < room; width++)
        buf_addc(&b, ' ');
    buf_addc(&b, '\r');
    (void)term_write(STDERR_FILENO, &b); /* a courtesy */
    buf_done(&b);
}

static void show_step(void *ctx, struct arena *a, const char *stage, const char *what)
{
    overwrite(ctx, arena_printf(a, _("TensorFlow computes: %s %s"), step_title(stage), what));
}

void prove_run(const struct cmd_ctx *c, struct probe *p, const struct prove_ask *ask)
{
    struct progress pr;
    struct prove_ask watched = *ask;
    size_t len;
    if (!c->o.prove && !root_proof(p->root, &len))
        return;
    term_init(&pr.term, STDERR_FILENO, true);
    if (pr.term.tty && root_is_live(p->root)) {
        watched.progress = show_step;
        watched.ctx = &pr;
    }
    probe_prove(p, &watched);
    if (watched.progress)
        overwrite(&pr, "");
}
