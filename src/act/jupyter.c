/* SPDX-License-Identifier: Apache-2.0 */
/* jupyter - kernel and notebook. Source of kernel.json: jupyter_client, "Kernel specs". */
#include "act/jupyter.h"
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/i18n.h"
#include "base/json.h"
#include "base/sha256.h"
#include "base/util.h"
#include "verify_notebook_gen.h"

enum { JSON_MAX = 1 << 20, NUMBERS = 1000 };
#define PREFIX "tfgpu-"

const char jupyter_kernel_pin[] = "ipykernel";
const char *const jupyter_pins[] = {jupyter_kernel_pin, "matplotlib", NULL};

/* -- where, and by which name ---------------------------------------------------------------------------------------------- */

/* Source: jupyter_core, jupyter_data_dir. */
const char *jupyter_folder(struct arena *a, const struct root *root)
{
    const char *own = root_getenv(root, "JUPYTER_DATA_DIR"), *data = root_getenv(root, "XDG_DATA_HOME"), *home = root_home(root);
    if (own && *own == '/')
        return path_clean(a, path_join(a, own, "kernels"));
    if (data && *data == '/')
        return path_clean(a, path_join(a, data, "jupyter/kernels"));
    return home ? path_clean(a, path_join(a, home, ".local/share/jupyter/kernels")) : NULL;
}

static const char *first_name(struct arena *a, const struct jupyter_job *job)
{
    const char *base = path_base(job->dir), *over = base[0] == '.' ? path_base(path_dir(a, job->dir)) : NULL;
    char *name = over && job->framework ? arena_printf(a, PREFIX "%s-%s", over, job->framework) : arena_printf(a, PREFIX "%s", over ? over : base);
    for (char *s = name; *s; s++) {
        bool good = (*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9') || strchr("._-", *s);
        *s = good ? *s : *s >= 'A' && *s <= 'Z' ? (char)(*s - 'A' + 'a') : '-';
    }
    return name;
}

static bool starts(struct arena *a, const struct kernel *k, const char *exe)
{
    return k->state == FACT_PRESENT && str_eq(path_clean(a, k->spec.argv[kernel_program(&k->spec)]), exe);
}

/* taken: the first name, where another kernel has it; else NULL */
static const char *free_name(struct arena *a, const struct jupyter_job *job, const char *exe, const char **taken)
{
    const char *first = first_name(a, job), *name = first;
    struct kernel *k;
    size_t n;
    kernels_list(job->root, a, NULL, NULL, &k, &n);
    *taken = NULL;
    for (unsigned number = 2; number < NUMBERS; number++) {
        size_t i = 0;
        while (i < n && (!str_eq(k[i].name, name) || starts(a, &k[i], exe)))
            i++;
        if (i == n)
            break;
        *taken = first;
        name = arena_printf(a, "%s-%u", first, number);
    }
    return name;
}

/* Of the file as it is, for struct step's `expect`. */
static const char *sum_of(struct arena *a, struct root *root, const char *file)
{
    const char *text;
    size_t n;
    return root_read(root, file, JSON_MAX, a, &text, &n) < 0 ? "absent" /* or unreadable: then the step says so */ : sha256_of(a, text, n);
}

/* -- what is written --------------------------------------------------------------------------------------------------------- */

static const char *display_name(struct arena *a, const char *framework, const char *name)
{
    return arena_printf(a, "%s GPU (%s)", framework ? framework : "TensorFlow", name + strlen(PREFIX));
}

/* VIRTUAL_ENV: without it a kernel gets that of the Jupyter server, and IPython then puts that environment's packages in front of its own
 * (InteractiveShell.init_virtualenv). PATH: `!pip` and `!tfgpu` in a cell are those of the environment. */
static void write_env(struct arena *a, const struct jupyter_job *job, struct jw *w)
{
    jw_obj(w, "env");
    jw_str(w, "VIRTUAL_ENV", job->dir);
    if (job->conda)
        jw_str(w, "CONDA_PREFIX", job->dir);
    jw_str(w, "PATH", arena_printf(a, "%s/bin:${PATH}", job->dir));
    for (size_t i = 0; i < job->n_env; i++) {
        const char *eq = strchr(job->env[i], '=');
        jw_str(w, arena_strndup(a, job->env[i], (size_t)(eq - job->env[i])), eq + 1);
    }
    jw_obj_end(w);
}

static const char *kernel_json(struct arena *a, const struct jupyter_job *job, const char *name)
{
    struct buf b;
    struct jw w;
    buf_init(&b, 0);
    jw_init(&w, &b);
    jw_obj(&w, NULL);
    jw_arr(&w, "argv");
    jw_str(&w, NULL, path_join(a, job->dir, "bin/python"));
    jw_str(&w, NULL, "-m");
    jw_str(&w, NULL, "ipykernel_launcher");
    jw_str(&w, NULL, "-f");
    jw_str(&w, NULL, "{connection_file}");
    jw_arr_end(&w);
    jw_str(&w, "display_name", display_name(a, job->framework, name));
    jw_str(&w, "language", "python");
    write_env(a, job, &w);
    jw_obj(&w, "metadata");
    jw_bool(&w, "debugger", true);
    jw_obj_end(&w);
    jw_obj_end(&w);
    buf_addc(&b, '\n');
    const char *text = arena_strndup(a, b.p, b.len);
    buf_done(&b);
    return text;
}

/* Its own places, in capitals, are filled; none of what is put there has a character that JSON escapes. */
static const char *notebook(struct arena *a, const char *name)
{
    const struct { const char *place, *text; } places[] = {{"{DISPLAY}", display_name(a, NULL, name)}, {"{KERNEL}", name}};
    struct buf b;
    buf_init(&b, 0);
    for (const char *s = verify_notebook; *s; ) {
        size_t i = 0;
        while (i < TG_COUNT(places) && !str_starts(s, places[i].place))
            i++;
        if (i < TG_COUNT(places)) {
            buf_adds(&b, places[i].text);
            s += strlen(places[i].place);
        } else {
            buf_addc(&b, *s++);
        }
    }
    const char *text = arena_strndup(a, b.p, b.len);
    buf_done(&b);
    return text;
}

static struct step *write_file(struct arena *a, struct plan *p, const char *title, const char *path, const char *text)
{
    struct step *s = plan_add(a, p, STEP_WRITE, title, path);
    s->bytes = text;
    s->n_bytes = strlen(text);
    return s;
}

void jupyter_steps(struct arena *a, const struct jupyter_job *job, struct plan *p)
{
    const char *kernels = jupyter_folder(a, job->root), *taken;
    if (!kernels)
        return;
    const char *name = free_name(a, job, path_join(a, job->dir, "bin/python"), &taken), *file = path_join(a, path_join(a, kernels, name), "kernel.json");
    plan_folder(a, p, kernels);
    const char *title = taken ? arena_printf(a, _("register the Jupyter kernel '%s' ('%s' belongs to another environment)"), name, taken)
                              : arena_printf(a, _("register the Jupyter kernel '%s'"), name);
    write_file(a, p, title, file, kernel_json(a, job, name))->expect = sum_of(a, job->root, file);
    if (!job->framework)
        write_file(a, p, _("write the notebook that verifies it"), path_join(a, job->dir, "share/tfgpu/verify.ipynb"), notebook(a, name));
}

/* -- repair ------------------------------------------------------------------------------------------------------------------ */

/* The folder `from` and what lies in it, wherever a value of kernel.json names it, is `to`. */
static const char *moved(struct arena *a, const char *value, const char *from, const char *to)
{
    size_t n = strlen(from);
    struct buf b;
    buf_init(&b, 0);
    for (const char *s = value; *s; ) {
        bool whole = (s == value || s[-1] == ':' || s[-1] == '=') && strncmp(s, from, n) == 0 && (s[n] == '\0' || s[n] == '/' || s[n] == ':');
        if (whole)
            buf_adds(&b, to);
        else
            buf_addc(&b, *s);
        s += whole ? n : 1;
    }
    const char *text = arena_strndup(a, b.len ? b.p : "", b.len);
    buf_done(&b);
    return text;
}

/* Variables that name the old environment name the new one. What a system's folders hold is not the environment's. */
static void move_variables(struct arena *a, json_t *env, const struct kernel_use *u, const char *dir)
{
    static const char *const own[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};
    const char *old = u->virtual_env ? u->virtual_env : u->program[0] == '/' ? path_dir(a, path_dir(a, u->program)) : NULL, *key;
    json_t *value;
    bool is_own = old && !str_eq(old, "/") && !str_eq(old, "/usr") && !str_eq(old, "/usr/local");
    json_object_foreach(env, key, value)
        if (is_own && json_is_string(value))
            (void)json_string_set(value, moved(a, json_string_value(value), old, dir)); /* it was text before */
    for (size_t i = 0; i < TG_COUNT(own); i++)
        if (json_object_get(env, own[i]))
            (void)json_string_set(json_object_get(env, own[i]), dir);
}

static const char *pointed(struct arena *a, const char *text, size_t n, const struct kernel_use *u, const char *to)
{
    json_t *doc = json_loadb(text, n, 0, NULL), *argv = json_object_get(doc, "argv");
    (void)json_string_set(json_array_get(argv, kernel_program(&u->k.spec)), to);
    move_variables(a, json_object_get(doc, "env"), u, path_dir(a, path_dir(a, to)));
    char *out = doc ? json_dumps(doc, JSON_INDENT(1)) : NULL;
    const char *ret = out ? arena_printf(a, "%s\n", out) : NULL;
    free(out);
    json_decref(doc);
    return ret;
}

int jupyter_repair(struct arena *a, struct root *root, const struct kernel_use *u, const char *to, struct plan *p, struct err *e)
{
    const char *text, *now;
    size_t n;
    plan_folder(a, p, path_dir(a, u->k.folder));
    if (!to) { /* not the folder: the journal would keep that beside it, and Jupyter would take it for a kernel */
        (void)plan_add(a, p, STEP_REMOVE, arena_printf(a, _("remove the Jupyter kernel '%s'"), u->k.name), u->k.file);
        return 0;
    }
    int r = root_read(root, u->k.file, JSON_MAX, a, &text, &n);
    if (r < 0)
        return err_set(e, r, "%s: %s", u->k.file, strerror(-r));
    now = u->k.state == FACT_PRESENT ? pointed(a, text, n, u, to) : NULL;
    if (!now)
        return err_set(e, -EBADMSG, _("%s is no kernel.json that can be mended"), u->k.file);
    write_file(a, p, arena_printf(a, _("let the Jupyter kernel '%s' start %s"), u->k.name, to), u->k.file, now)->expect = sum_of(a, root, u->k.file);
    return 0;
}
