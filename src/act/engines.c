/* SPDX-License-Identifier: Apache-2.0 */
/* engines - uv, venv with pip, and the conda family. */
#include "act/engines.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "act/condafiles.h"
#include "act/locked.h"
#include "base/buf.h"
#include "base/child.h"
#include "base/i18n.h"
#include "base/shellwords.h"
#include "base/util.h"

enum { ASK_MS = 20000, ASK_OUTPUT = 4096, VERSION_MAX = 32 };

static struct step *run(struct arena *a, struct plan *p, const char *title, const char *makes, const char *const *words)
{
    struct step *s = plan_add(a, p, STEP_RUN, title, makes);
    for (size_t i = 0; words[i]; i++)
        plan_arg(a, s, words[i]);
    plan_env(a, s, "PYTHONNOUSERSITE=1"); /* what the user has installed for all environments is none of this one's */
    return s;
}

static struct step *make(struct arena *a, const struct engine_job *job, struct plan *p, const char *const *words)
{
    return run(a, p, _("make the environment"), job->dir, words);
}

static const char *python_in(struct arena *a, const struct engine_job *job)
{
    return path_join(a, job->dir, "bin/python");
}

static struct step *fill(struct arena *a, const struct engine_job *job, struct plan *p, const char *const *words)
{
    static const char *const exactly[] = {"--require-hashes", "--no-deps", "--only-binary", ":all:", "-r"};
    struct step *s = run(a, p, _("install the packages"), NULL, words);
    for (size_t i = 0; job->locked && i < TG_COUNT(exactly); i++)
        plan_arg(a, s, exactly[i]);
    if (job->locked)
        plan_arg(a, s, locked_list(a, job->dir));
    for (size_t i = 0; !job->locked && i < job->n_pins; i++)
        plan_arg(a, s, job->pins[i]);
    return s;
}

/* -- uv ------------------------------------------------------------------------------------------------------------------ */

static void uv_create(struct arena *a, const struct engine_job *job, struct plan *p)
{
    const char *words[] = {job->program, "venv", "--no-project", "--python", job->interpreter ? job->interpreter : job->python, job->dir, NULL};
    struct step *s = make(a, job, p, words);
    if (!job->locked) /* a lock has pip where it is wanted */
        plan_arg(a, s, "--seed");
}

static struct step *uv_install(struct arena *a, const struct engine_job *job, struct plan *p)
{
    const char *words[] = {job->program, "pip", "install", "--python", python_in(a, job), NULL};
    return fill(a, job, p, words);
}

static const char *venv_use(struct arena *a, const struct engine_job *job)
{
    return arena_printf(a, "source %s", shellword_quote(a, path_join(a, job->dir, "bin/activate")));
}

/* -- venv ---------------------------------------------------------------------------------------------------------------- */

static void venv_create(struct arena *a, const struct engine_job *job, struct plan *p)
{
    const char *words[] = {job->interpreter ? job->interpreter : arena_printf(a, "python%s", job->python), "-m", "venv", job->dir, NULL};
    (void)make(a, job, p, words);
}

static struct step *pip_install(struct arena *a, const struct engine_job *job, struct plan *p)
{
    const char *words[] = {python_in(a, job), "-m", "pip", "install", "--disable-pip-version-check", "--no-input", NULL};
    return fill(a, job, p, words);
}

/* -- conda, mamba, micromamba --------------------------------------------------------------------------------------------- */

/* "12.5" of "12.5.1" */
static const char *cuda_series(struct arena *a, const char *cuda)
{
    const char *dot = strchr(cuda, '.');
    return dot ? arena_strndup(a, cuda, (size_t)(dot - cuda) + 1 + strcspn(dot + 1, ".")) : cuda;
}

/* What comes from conda-forge. The packages that pip takes come from PyPI, as with the other engines: conda-forge's TensorFlow is another
 * build, which nobody has read. cuda-version keeps what a user installs beside them to the same CUDA, and holds it against __cuda. */
static size_t conda_specs(struct arena *a, const struct engine_job *job, const char *ret[3])
{
    size_t n = 0;
    ret[n++] = arena_printf(a, "python=%s", job->python);
    ret[n++] = "pip";
    if (job->cuda)
        ret[n++] = arena_printf(a, "cuda-version=%s", cuda_series(a, job->cuda));
    return n;
}

static void conda_create(struct arena *a, const struct engine_job *job, struct plan *p)
{
    const char *words[] = {job->program, "create", "--yes", "--prefix", job->dir, "--override-channels", "--channel", "conda-forge", NULL};
    const char *specs[3];
    size_t n = conda_specs(a, job, specs);
    struct step *s = make(a, job, p, words);
    for (size_t i = 0; i < n; i++)
        plan_arg(a, s, specs[i]);
    if (job->cuda && job->elsewhere) /* __cuda of that machine, not of this one */
        plan_env(a, s, arena_printf(a, "CONDA_OVERRIDE_CUDA=%s", cuda_series(a, job->cuda)));
}

static void write_file(struct arena *a, const struct engine_job *job, struct plan *p, const char *title, const char *name, const struct buf *b)
{
    struct step *s = plan_add(a, p, STEP_WRITE, title, path_join(a, job->dir, name));
    s->bytes = arena_strndup(a, b->p, b->len);
    s->n_bytes = b->len;
}

static int conda_export(struct arena *a, const struct engine_job *job, struct root *root, struct plan *p, struct err *e)
{
    const char *specs[3];
    struct buf yml, explicit;
    buf_init(&yml, 0);
    buf_init(&explicit, 0);
    condafiles_environment(specs, conda_specs(a, job, specs), job->pins, job->n_pins, &yml);
    int r = condafiles_explicit(a, root, job->dir, &explicit, e);
    if (r == 0) {
        write_file(a, job, p, _("write down what it was asked for"), "share/tfgpu/environment.yml", &yml);
        write_file(a, job, p, _("write down what conda put there"), "share/tfgpu/explicit.txt", &explicit);
    }
    buf_done(&yml);
    buf_done(&explicit);
    return r;
}

static const char *conda_use(struct arena *a, const struct engine_job *job)
{
    return arena_printf(a, "%s activate %s", path_base(job->program), shellword_quote(a, job->dir));
}

/* -- the table ------------------------------------------------------------------------------------------------------------ */

static const struct row {
    const char *programs[4]; /* NULL-terminated */
    void (*create)(struct arena *a, const struct engine_job *job, struct plan *p);
    struct step *(*install)(struct arena *a, const struct engine_job *job, struct plan *p);
    int (*export)(struct arena *a, const struct engine_job *job, struct root *root, struct plan *p, struct err *e); /* NULL: the pins are enough */
    const char *(*use)(struct arena *a, const struct engine_job *job);
} rows[N_ENGINES] = {
    [ENGINE_UV] = {.programs = {"uv"}, .create = uv_create, .install = uv_install, .use = venv_use},
    [ENGINE_VENV] = {.create = venv_create, .install = pip_install, .use = venv_use},
    [ENGINE_CONDA] = {.programs = {"mamba", "conda", "micromamba"}, .create = conda_create, .install = pip_install, .export = conda_export, .use = conda_use},
};

const char *const *engine_programs(enum engine e)
{
    return rows[e].programs;
}

const char *engine_version(struct arena *a, const char *output)
{
    for (const char *s = output; *s; s++) {
        size_t n = strspn(s, "0123456789.");
        bool begins = s == output || s[-1] == ' ' || s[-1] == '\n';
        if (begins && n && n <= VERSION_MAX && *s != '.' && s[n - 1] != '.' && memchr(s, '.', n))
            return arena_strndup(a, s, n);
    }
    return NULL;
}

int engine_ask(struct arena *a, const char *program, const char **ret, struct err *e)
{
    const char *argv[] = {program, "--version", NULL};
    struct child_result r = {0};
    const struct child_spec spec = {.exe = program, .argv = argv, .envp = (const char *const *)environ, .deadline_ms = ASK_MS, .max_answer = ASK_OUTPUT, .max_output = ASK_OUTPUT};
    struct err why = {0};
    if (child_run(a, &spec, &r, &why) < 0)
        return err_set(e, -ENOENT, _("%s cannot be started: %s"), program, why.msg);
    const char *version = r.end == CHILD_EXITED && r.code == 0 ? engine_version(a, r.output) : NULL;
    if (!version)
        return err_set(e, -ENOENT, _("%s does not say its version when it is asked for it"), program);
    *ret = version;
    return 0;
}

/* What the lock has not, in versions that leave what it has as it is. */
static void add_to_locked(struct arena *a, enum engine e, const struct engine_job *job, size_t made, struct plan *p)
{
    struct engine_job more = *job;
    const char **words = NULL;
    size_t n = 0;
    locked_hold(a, job->dir, job->locked, p);
    *ARENA_PUSH(a, words, n) = "-c";
    *ARENA_PUSH(a, words, n) = locked_versions(a, job->dir);
    for (size_t i = 0; i < job->n_pins; i++)
        *ARENA_PUSH(a, words, n) = job->pins[i];
    more.locked = NULL;
    more.pins = words;
    more.n_pins = n;
    struct step *s = rows[e].install(a, &more, p);
    s->title = _("install what was asked for beside the lock; its packages stay as they are");
    s->again = made;
}

void engine_steps(struct arena *a, enum engine e, const struct engine_job *job, struct plan *p)
{
    size_t made = p->n_steps;
    rows[e].create(a, job, p);
    if (job->locked)
        locked_put(a, job->dir, job->locked, p);
    rows[e].install(a, job, p)->again = made;
    if (job->locked && job->n_pins)
        add_to_locked(a, e, job, made, p);
}

int engine_export(struct arena *a, enum engine e, const struct engine_job *job, struct root *root, struct plan *p, struct err *err)
{
    return rows[e].export ? rows[e].export(a, job, root, p, err) : 0;
}

const char *engine_use(struct arena *a, enum engine e, const struct engine_job *job)
{
    return rows[e].use(a, job);
}
