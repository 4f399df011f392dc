/* SPDX-License-Identifier: Apache-2.0 */
/* jupyter - kernel and notebook. Source of kernel.json: jupyter_client, "Kernel specs". */
#include "act/jupyter.h"
#include <string.h>
#include "base/buf.h"
#include "base/i18n.h"
#include "base/json.h"
#include "base/util.h"
#include "verify_notebook_gen.h"

const char *const jupyter_pins[] = {"ipykernel", "matplotlib", NULL};

const char *jupyter_kernel_name(struct arena *a, const char *dir)
{
    const char *base = path_base(dir);
    char *name = arena_printf(a, "tfgpu-%s", base[0] == '.' ? path_base(path_dir(a, dir)) : base);
    for (char *s = name; *s; s++) {
        bool good = (*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9') || strchr("._-", *s);
        *s = good ? *s : *s >= 'A' && *s <= 'Z' ? (char)(*s - 'A' + 'a') : '-';
    }
    return name;
}

static const char *display_name(struct arena *a, const char *dir)
{
    return arena_printf(a, "TensorFlow GPU (%s)", jupyter_kernel_name(a, dir) + strlen("tfgpu-"));
}

static const char *kernel_json(struct arena *a, const struct jupyter_job *job)
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
    jw_str(&w, "display_name", display_name(a, job->dir));
    jw_str(&w, "language", "python");
    jw_obj(&w, "env");
    for (size_t i = 0; i < job->n_env; i++) {
        const char *eq = strchr(job->env[i], '=');
        jw_str(&w, arena_strndup(a, job->env[i], (size_t)(eq - job->env[i])), eq + 1);
    }
    jw_obj_end(&w);
    jw_obj_end(&w);
    buf_addc(&b, '\n');
    const char *text = arena_strndup(a, b.p, b.len);
    buf_done(&b);
    return text;
}

/* Its own places, in capitals, are filled; none of what is put there has a character that JSON escapes. */
static const char *notebook(struct arena *a, const struct jupyter_job *job)
{
    const struct { const char *place, *text; } places[] = {{"{DISPLAY}", display_name(a, job->dir)}, {"{KERNEL}", jupyter_kernel_name(a, job->dir)}};
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

static void write_file(struct arena *a, struct plan *p, const char *title, const char *path, const char *text)
{
    struct step *s = plan_add(a, p, STEP_WRITE, title, path);
    s->bytes = text;
    s->n_bytes = strlen(text);
}

void jupyter_steps(struct arena *a, const struct jupyter_job *job, struct plan *p)
{
    const char *dir = path_join(a, job->kernels, jupyter_kernel_name(a, job->dir));
    plan_folder(a, p, job->kernels);
    write_file(a, p, _("register the Jupyter kernel"), path_join(a, dir, "kernel.json"), kernel_json(a, job));
    write_file(a, p, _("write the notebook that verifies it"), path_join(a, job->dir, "share/tfgpu/verify.ipynb"), notebook(a, job));
}
