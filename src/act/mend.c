/* SPDX-License-Identifier: Apache-2.0 */
/* mend - causes and what is done about them. */
#include "act/mend.h"
#include <string.h>
#include "act/repair.h"
#include "base/i18n.h"
#include "base/util.h"
#include "rules/library.h"

struct mend {
    struct arena *a;
    const struct mend_job *job;
    const struct finding *x;
    struct plan *p;
};

/* -- commands of the catalogue -------------------------------------------------------------------------------------------- */

struct words { const char **w; size_t n; };

/* A word of a shell line whose text we wrote, or quoted, ourselves: nothing in it is expanded. NULL: there is something that a shell would. */
static const char *next_word(struct arena *a, const char **at)
{
    char *out = arena_alloc(a, strlen(*at) + 1), quote = 0;
    size_t n = 0;
    const char *s = *at;
    for (; *s && (quote || *s != ' '); s++) {
        if (quote ? *s == quote : *s == '"' || *s == '\'')
            quote = quote ? 0 : *s;
        else if (*s == '\\' && quote != '\'' && s[1])
            out[n++] = *++s;
        else if (quote != '\'' && strchr(quote ? "$`" : "$`;|<>()*?~#", *s))
            return NULL;
        else
            out[n++] = *s;
    }
    *at = s + strspn(s, " ");
    return quote ? NULL : out;
}

static bool is_list(const char *word)
{
    size_t n = strlen(word);
    return n > 7 && word[0] == '{' && strchr(word, '}') == word + n - 1 && memcmp(word + n - 6, "_args}", 6) == 0;
}

/* The places of each word are filled only when the words are known, so that no value can become two, or an option. */
static bool add_word(struct mend *m, struct words *to, const char *word)
{
    const char *text = finding_text(m->a, m->x, word);
    if (!is_list(word)) {
        *ARENA_PUSH(m->a, to->w, to->n) = text;
        return word[0] == '-' || text[0] != '-';
    }
    while (*text) {
        const char *one = next_word(m->a, &text);
        if (!one)
            return false;
        *ARENA_PUSH(m->a, to->w, to->n) = one;
    }
    return true;
}

static bool is_option(const char *w)
{
    static const char *const known[] = {"-m", "-y", "--upgrade", "--force-reinstall", "--no-deps", "--no-cache-dir", "--no-cache", "--python", "--reinstall",
                                        "--reinstall-package"};
    for (size_t i = 0; i < TG_COUNT(known); i++)
        if (str_eq(w, known[i]))
            return true;
    return false;
}

/* "name[extra]>=1,<2": a requirement that an index answers; no address, no file. */
static bool is_requirement(const char *w)
{
    static const char more[] = "._-[],=<>!~*+ ";
    for (const char *s = w; *s; s++)
        if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') || strchr(more, *s)))
            return false;
    return *w && *w != '-' && *w != '.';
}

/* "PYTHON -m pip install …", "uv pip uninstall …" */
static bool is_engine_command(const struct mend *m, const struct words *c)
{
    const char *python = m->job->f->python.exe;
    size_t verb = c->n > 2 && str_eq(c->w[0], "uv") ? 2 : 3;
    if (c->n <= verb + 1 || !(verb == 2 ? str_eq(c->w[1], "pip") : str_eq(c->w[0], python) && str_eq(c->w[1], "-m") && str_eq(c->w[2], "pip")))
        return false;
    if (!str_eq(c->w[verb], "install") && !str_eq(c->w[verb], "uninstall"))
        return false;
    for (size_t i = verb + 1; i < c->n; i++)
        if (str_eq(c->w[i], "--python") ? !str_eq(c->w[i + 1 < c->n ? ++i : i], python) : !is_option(c->w[i]) && !is_requirement(c->w[i]))
            return false;
    return true;
}

/* The commands of a fix step, in order; false: it has others than those of an engine. */
static bool engine_commands(struct mend *m, const char *command, struct words **ret, size_t *ret_n)
{
    struct words one = {0};
    while (command && *command) {
        bool ends = str_starts(command, "&& ");
        const char *word = ends ? (command += 3, NULL) : next_word(m->a, &command);
        if (!ends && (!word || !add_word(m, &one, word)))
            return false;
        if (!ends && *command)
            continue;
        if (!is_engine_command(m, &one))
            return false;
        *ARENA_PUSH(m->a, *ret, *ret_n) = one;
        one = (struct words){0};
    }
    return *ret_n > 0;
}

/* -- by the engine ------------------------------------------------------------------------------------------------------- */

static bool has_package(const struct facts *f, const char *name)
{
    for (size_t i = 0; i < f->n_packages; i++)
        if (str_eq(f->packages[i].name, name))
            return true;
    return false;
}

/* The folder of the packages in an environment of the user's own; NULL: there is none, or TensorFlow lies elsewhere. */
static const char *site_of(struct arena *a, const struct facts *f)
{
    const struct fact_python *py = &f->python;
    const char *tf = f->tensorflow.package_dir ? path_dir(a, f->tensorflow.package_dir) : NULL;
    if (py->externally_managed || !(py->home || py->kind == FACT_ENV_KIND_CONDA))
        return NULL;
    for (size_t i = 0; i < py->n_sys_path; i++) {
        const struct fact_path_dir *d = &py->sys_path[i];
        if (d->exists && str_eq(d->origin, "site") && path_is_below(d->dir, py->prefix) && (!tf || str_eq(tf, d->dir)))
            return d->dir;
    }
    return NULL;
}

/* What pip and uv change in an environment: packages, and the commands that they bring. */
static size_t keep(struct mend *m, const char *site)
{
    const char *folders[] = {site, path_join(m->a, m->job->f->python.prefix, "bin")};
    size_t first = m->p->n_steps;
    for (size_t i = 0; i < m->p->n_steps; i++)
        if (m->p->steps[i].kind == STEP_KEEP)
            return i;
    for (size_t i = 0; i < TG_COUNT(folders); i++)
        (void)plan_add(m->a, m->p, STEP_KEEP, i ? _("keep the environment's commands as they are, for undo") : _("keep the packages as they are, for undo"), folders[i]);
    return first;
}

static bool is_planned(const struct plan *p, const struct step *s)
{
    for (size_t i = 0; i < p->n_steps; i++)
        if (&p->steps[i] != s && step_same(&p->steps[i], s))
            return true;
    return false;
}

/* An open requirement would bring the newest release, which may want another driver: the one that is there it shall be. */
static const char *pinned(struct mend *m, const char *word)
{
    const struct fact_tensorflow *t = &m->job->f->tensorflow;
    return str_eq(word, "tensorflow[and-cuda]") && t->version ? arena_printf(m->a, "%s==%s", word, t->version) : word;
}

static void add_command(struct mend *m, const struct words *c, size_t again)
{
    bool uv = str_eq(c->w[0], "uv"), remove = str_eq(c->w[uv ? 2 : 3], "uninstall");
    struct step *s = plan_add(m->a, m->p, STEP_RUN, remove ? _("take the packages out") : _("install the packages"), NULL);
    for (size_t i = 0; i < c->n; i++) {
        plan_arg(m->a, s, i == 0 && uv ? m->job->uv : pinned(m, c->w[i]));
        if (i == 3 && !uv) {
            plan_arg(m->a, s, "--disable-pip-version-check");
            plan_arg(m->a, s, "--no-input");
        }
    }
    plan_env(m->a, s, "PYTHONNOUSERSITE=1");
    s->again = again;
    if (is_planned(m->p, s))
        m->p->n_steps--;
}

static enum mend_answer derived(struct mend *m, unsigned tags);

static enum mend_answer by_engine(struct mend *m)
{
    const struct facts *f = m->job->f;
    const char *site = site_of(m->a, f);
    unsigned tags = judge_tags(f) | m->x->tags;
    bool pip = has_package(f, "pip"), uv = m->job->uv != NULL;
    if (tags & FIX_CONDA)
        return MEND_CONDA;
    if (!site)
        return MEND_SYSTEM;
    if (!pip && !uv)
        return MEND_NO_ENGINE;
    tags &= ~(unsigned)(FIX_PIP | FIX_UV);
    tags |= judge_tags(f) & FIX_UV ? (uv ? FIX_UV : FIX_PIP) : pip ? FIX_PIP : FIX_UV;
    for (size_t i = 0; i < m->x->cause->n_fix; i++) {
        const struct fix_step *step = &m->x->cause->fix[i];
        struct words *commands = NULL;
        size_t n = 0;
        if (!fix_applies(step, tags) || !engine_commands(m, step->command, &commands, &n))
            continue;
        size_t again = keep(m, site);
        for (size_t k = 0; k < n; k++)
            add_command(m, &commands[k], again);
        return MEND_PLANNED;
    }
    return derived(m, tags);
}

static enum mend_answer by_engine_alone(struct mend *m)
{
    static const char *const others[] = {"torch", "jax", "jaxlib", "cupy-cuda12x", "cupy-cuda11x", "paddlepaddle-gpu"};
    for (size_t i = 0; i < TG_COUNT(others); i++)
        if (has_package(m->job->f, others[i]))
            return MEND_SHARED;
    return by_engine(m);
}

/* -- by links and hooks ---------------------------------------------------------------------------------------------------- */

static enum mend_answer by_links(struct mend *m)
{
    const struct fact_python *py = &m->job->f->python;
    size_t before = m->p->n_steps, left = 0;
    if (py->externally_managed || !(py->home || py->kind == FACT_ENV_KIND_CONDA))
        return MEND_SYSTEM;
    repair_links(m->a, m->job->f, py->prefix, m->p, &left);
    if (left && m->p->n_steps == before)
        return repair_hook(m->a, m->job->f, m->job->files, m->job->n_files, m->p) ? MEND_PLANNED : MEND_NO_PLACE;
    return m->p->n_steps > before ? MEND_PLANNED : MEND_NO_PLACE;
}

static enum mend_answer by_kernel(struct mend *m)
{
    const char *file = path_clean(m->a, finding_text(m->a, m->x, "{file}")), *value = finding_text(m->a, m->x, "{value}");
    size_t before = m->p->n_steps;
    for (size_t i = 0; i < m->job->n_files; i++)
        if (m->job->files[i].kind == HOOK_KERNEL && str_eq(m->job->files[i].path, file))
            (void)hook_steps(m->a, &value, 1, &m->job->files[i], 1, m->p);
    return m->p->n_steps > before ? MEND_PLANNED : MEND_CHOICE;
}

/* -- the table ------------------------------------------------------------------------------------------------------------- */

/* Causes that are not here are answered by their own fix steps: whose side, whose rights. */
static const struct row { enum cause_id cause; enum mend_answer (*make)(struct mend *m); enum mend_answer answer; } rows[] = {
    {.cause = CAUSE_CPU_ONLY_BUILD, .make = by_engine},
    {.cause = CAUSE_CUDA_LIB_DAMAGED, .make = by_engine},
    {.cause = CAUSE_CUDA_LIB_UNREACHABLE, .make = by_links},
    {.cause = CAUSE_CUDA_LIB_VERSION_MIX, .make = by_engine},
    {.cause = CAUSE_CUDA_MAJOR_MIXED, .make = by_engine_alone},
    {.cause = CAUSE_CUDA_RUNTIME_LIB_MISSING, .make = by_engine},
    {.cause = CAUSE_CUDA_SONAME_MISMATCH, .make = by_engine},
    {.cause = CAUSE_CUDNN_MAJOR_MISMATCH, .make = by_engine_alone},
    {.cause = CAUSE_CUDNN_MISSING, .make = by_engine},
    {.cause = CAUSE_CUDNN_SUBLIB_MISSING, .make = by_engine},
    {.cause = CAUSE_CUDNN_VERSION_MISMATCH, .make = by_engine_alone},
    {.cause = CAUSE_CUPTI_MISSING, .make = by_engine},
    {.cause = CAUSE_GPU_ARCH_TOO_OLD, .make = by_engine_alone},
    {.cause = CAUSE_IMPORT_LIB_UNLOADABLE, .make = by_engine},
    {.cause = CAUSE_INSTALL_DAMAGED, .make = by_engine},
    {.cause = CAUSE_INSTALL_MODIFIED, .make = by_engine},
    {.cause = CAUSE_JUPYTER_KERNEL_MISSING_ENV_VARS, .make = by_kernel},
    {.cause = CAUSE_JUPYTER_WRONG_KERNEL_ENV, .answer = MEND_CHOICE},
    {.cause = CAUSE_LD_LIBRARY_PATH_SHADOWING, .answer = MEND_SHELL},
    {.cause = CAUSE_LIBCUDA_STUB_LOADED, .answer = MEND_SHELL},
    {.cause = CAUSE_LIBDEVICE_NOT_FOUND, .answer = MEND_SHELL},
    {.cause = CAUSE_MODULE_SHADOWED, .answer = MEND_FILES},
    {.cause = CAUSE_NUMPY_TOO_OLD, .make = by_engine},
    {.cause = CAUSE_NUMPY2_ABI, .make = by_engine},
    {.cause = CAUSE_NVJITLINK_MISMATCH, .make = by_engine},
    {.cause = CAUSE_PIP_CUDA_LIB_PIN_CONFLICT, .make = by_engine_alone},
    {.cause = CAUSE_PROTOBUF_TOO_NEW, .make = by_engine},
    {.cause = CAUSE_PROTOBUF_TOO_OLD, .make = by_engine},
    {.cause = CAUSE_PTXAS_NOT_FOUND, .make = by_engine},
    {.cause = CAUSE_PYTHON_ENV_BROKEN, .answer = MEND_CHOICE},
    {.cause = CAUSE_PYTHON_MISSING, .answer = MEND_CHOICE},
    {.cause = CAUSE_PYTHON_VERSION_UNSUPPORTED, .answer = MEND_CHOICE},
    {.cause = CAUSE_REQUIREMENT_MISSING, .make = by_engine},
    {.cause = CAUSE_REQUIREMENT_UNMET, .make = by_engine},
    {.cause = CAUSE_TENSORFLOW_GPU_REMOVED, .answer = MEND_CHOICE},
    {.cause = CAUSE_TF_DISTS_OVERLAP, .make = by_engine},
    {.cause = CAUSE_TF_FILES_MISSING, .make = by_engine},
    {.cause = CAUSE_TF_NOT_INSTALLED, .answer = MEND_CHOICE},
    {.cause = CAUSE_USER_SITE_SHADOWING, .answer = MEND_FILES},
};

/* What the first step asks for that says where it is to be done. */
static enum mend_answer derived(struct mend *m, unsigned tags)
{
    enum mend_answer r = MEND_NONE;
    for (size_t i = 0; i < m->x->cause->n_fix; i++) {
        const struct fix_step *s = &m->x->cause->fix[i];
        if (!fix_applies(s, tags))
            continue;
        if (s->side != SIDE_LINUX || s->needs_root)
            return s->side == SIDE_WINDOWS ? MEND_WINDOWS : s->side == SIDE_HOST ? MEND_HOST : MEND_ROOT;
        if (s->command)
            r = str_starts(s->command, "export ") || str_starts(s->command, "unset ") ? MEND_SHELL : r == MEND_NONE ? MEND_CHOICE : r;
    }
    return r;
}

enum mend_answer mend_steps(struct arena *a, const struct mend_job *job, const struct finding *x, struct plan *p)
{
    struct mend m = {.a = a, .job = job, .x = x, .p = p};
    for (size_t i = 0; i < TG_COUNT(rows); i++)
        if (x->cause == &causes[rows[i].cause])
            return rows[i].make ? rows[i].make(&m) : rows[i].answer;
    return derived(&m, judge_tags(job->f) | x->tags);
}

bool mend_goes_on(const struct finding *x)
{
    return x->cause == &causes[CAUSE_CUDA_LIB_UNREACHABLE];
}

const char *mend_answer_text(enum mend_answer r)
{
    switch (r) {
    case MEND_PLANNED: break;
    case MEND_ROOT: return _("it changes the system, as root");
    case MEND_WINDOWS: return _("it is done on Windows, outside WSL");
    case MEND_HOST: return _("it is done on the host, not in here");
    case MEND_SHELL: return _("it is set outside the environment: in your shell, a start-up file or the job");
    case MEND_FILES: return _("files of your own would have to be moved");
    case MEND_CHOICE: return _("there is more than one way, and the choice is yours");
    case MEND_SYSTEM: return _("this Python, or where its packages lie, is no environment of its own; 'tfgpu setup' makes one");
    case MEND_CONDA: return _("the packages are conda's, whose solver may change others with them");
    case MEND_SHARED: return _("another framework in this environment uses the same packages; one environment for each is safer ('tfgpu setup')");
    case MEND_NO_ENGINE: return _("neither is pip in this environment nor uv on PATH");
    case MEND_NO_PLACE: return _("no folder of the environment that is searched, and no activation script, could make it known");
    case MEND_NONE: return _("nothing that can be changed here helps");
    }
    return NULL;
}
