/* SPDX-License-Identifier: Apache-2.0 */
/* engines - uv, venv with pip, and the conda family. */
#include "act/engines.h"
#include "base/i18n.h"
#include "base/util.h"

static const char *const uv_programs[] = {"uv", NULL};
static const char *const no_programs[] = {NULL};
static const char *const conda_programs[] = {"mamba", "conda", "micromamba", NULL};

const char *const *engine_programs(enum engine e)
{
    switch (e) {
    case ENGINE_UV: return uv_programs;
    case ENGINE_CONDA: return conda_programs;
    case ENGINE_VENV:
    case N_ENGINES: break;
    }
    return no_programs;
}

static struct step *run(struct arena *a, struct plan *p, const char *title, const char *makes, const char *const *words)
{
    struct step *s = plan_add(a, p, STEP_RUN, title, makes);
    for (size_t i = 0; words[i]; i++)
        plan_arg(a, s, words[i]);
    plan_env(a, s, "PYTHONNOUSERSITE=1"); /* what the user has installed for all environments is none of this one's */
    return s;
}

static void add_pins(struct arena *a, struct step *s, const struct engine_job *job)
{
    for (size_t i = 0; i < job->n_pins; i++)
        plan_arg(a, s, job->pins[i]);
}

static const char *python_in(struct arena *a, const struct engine_job *job)
{
    return path_join(a, job->dir, "bin/python");
}

static void pip_install(struct arena *a, const struct engine_job *job, struct plan *p, size_t made)
{
    const char *words[] = {python_in(a, job), "-m", "pip", "install", "--disable-pip-version-check", "--no-input", NULL};
    struct step *s = run(a, p, _("install the packages"), NULL, words);
    add_pins(a, s, job);
    s->again = made;
}

static void uv_steps(struct arena *a, const struct engine_job *job, struct plan *p)
{
    const char *make[] = {job->program, "venv", "--no-project", "--seed", "--python", job->interpreter ? job->interpreter : job->python, job->dir, NULL};
    const char *fill[] = {job->program, "pip", "install", "--python", python_in(a, job), NULL};
    size_t made = p->n_steps;
    (void)run(a, p, _("make the environment"), job->dir, make);
    struct step *s = run(a, p, _("install the packages"), NULL, fill);
    add_pins(a, s, job);
    s->again = made;
}

static void venv_steps(struct arena *a, const struct engine_job *job, struct plan *p)
{
    const char *make[] = {job->interpreter ? job->interpreter : arena_printf(a, "python%s", job->python), "-m", "venv", job->dir, NULL};
    size_t made = p->n_steps;
    (void)run(a, p, _("make the environment"), job->dir, make);
    pip_install(a, job, p, made);
}

/* The packages come from PyPI as with the others: conda-forge's TensorFlow is another build, which nobody has read. */
static void conda_steps(struct arena *a, const struct engine_job *job, struct plan *p)
{
    const char *make[] = {job->program, "create", "--yes", "--prefix", job->dir, "--override-channels", "--channel", "conda-forge",
                          arena_printf(a, "python=%s", job->python), "pip", NULL};
    size_t made = p->n_steps;
    (void)run(a, p, _("make the environment"), job->dir, make);
    pip_install(a, job, p, made);
}

void engine_steps(struct arena *a, enum engine e, const struct engine_job *job, struct plan *p)
{
    switch (e) {
    case ENGINE_UV: uv_steps(a, job, p); break;
    case ENGINE_VENV: venv_steps(a, job, p); break;
    case ENGINE_CONDA: conda_steps(a, job, p); break;
    case N_ENGINES: break;
    }
}
