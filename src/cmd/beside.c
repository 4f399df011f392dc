/* SPDX-License-Identifier: Apache-2.0 */
/* beside - frameworks beside TensorFlow, as steps and sentences. */
#include "cmd/beside.h"
#include "act/jupyter.h"
#include "base/i18n.h"
#include "base/util.h"

/* A framework whose libraries do not go together does not start. No GPU is needed for that. */
static void starts(struct arena *a, const char *name, const char *dir, struct plan *p)
{
    struct step *s = plan_add(a, p, STEP_RUN, arena_printf(a, _("see that %s starts"), name), NULL);
    plan_arg(a, s, path_join(a, dir, "bin/python"));
    plan_arg(a, s, "-I"); /* nothing of the user's and of this folder's counts */
    plan_arg(a, s, "-B"); /* no file is left that undo would find */
    plan_arg(a, s, "-c");
    plan_arg(a, s, arena_printf(a, "import %s", name));
}

void beside_together(struct arena *a, const struct solve_offer *o, const struct engine_job *job, struct plan *p)
{
    for (size_t i = 0; i < o->n_together; i++)
        starts(a, o->together[i].name, job->dir, p);
}

void beside_steps(struct arena *a, enum engine e, const struct solve_apart *x, const char *interpreter, struct plan *p, struct beside *beside)
{
    struct engine_job *job = &beside->job;
    const char **pins = NULL;
    size_t n = 0;
    for (size_t i = 0; i < x->n_pins; i++)
        *ARENA_PUSH(a, pins, n) = arena_printf(a, "%s%s", x->pins[i].name, x->pins[i].spec);
    if (beside->kernel)
        *ARENA_PUSH(a, pins, n) = jupyter_kernel_pin;
    beside->want = x;
    job->dir = arena_printf(a, "%s-%s", job->dir, x->name);
    job->python = x->python;
    job->interpreter = interpreter;
    job->cuda = NULL; /* its own wheels bring it, of whatever version */
    job->pins = pins;
    job->n_pins = n;
    plan_folder(a, p, job->dir);
    engine_steps(a, e, job, p);
    starts(a, x->name, job->dir, p);
}

int beside_free(struct cmd_ctx *c, struct root *root, const struct beside *v, size_t n)
{
    struct root_stat st;
    for (size_t i = 0; i < n; i++)
        if (root_lstat(root, v[i].job.dir, &st) == 0)
            return cmd_fail(c, EXIT_USAGE, _("%s exists already: name another folder with --env, or remove it first"), v[i].job.dir);
    return EXIT_GOOD;
}

void beside_introduce(const struct solve_offer *o, const struct beside *v, size_t n, struct buf *out)
{
    for (size_t i = 0; i < o->n_together; i++) {
        buf_add_line(out, _("  %s %s in the same environment: they agree on the CUDA libraries"), o->together[i].name, o->together[i].spec);
    }
    for (size_t i = 0; i < n; i++) {
        buf_add_line(out, _("%s %s does not agree with it on the CUDA libraries and gets an environment of its own: Python %s in %s"), v[i].want->name, v[i].want->version,
                 v[i].want->python, v[i].job.dir);
    }
}

void beside_use(struct arena *a, enum engine e, const struct beside *v, size_t n, struct buf *out)
{
    for (size_t i = 0; i < n; i++) {
        buf_add_line(out, _("To work with %s: %s"), v[i].want->name, engine_use(a, e, &v[i].job));
    }
}
