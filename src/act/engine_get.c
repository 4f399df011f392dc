/* SPDX-License-Identifier: Apache-2.0 */
/* engine_get - uv from the package index, Miniforge from its publisher. */
#include "act/engine_get.h"
#include <string.h>
#include "base/homes.h"
#include "base/i18n.h"
#include "base/util.h"
#include "knowledge/engine_data.h"

static const struct { const char *folder, *programs[3]; } own[N_ENGINES] = {
    [ENGINE_UV] = {"uv", {"bin/uv"}},
    [ENGINE_CONDA] = {"miniforge3", {"bin/mamba", "bin/conda"}},
};

const char *engine_own_dir(struct arena *a, enum engine e)
{
    const char *data = homes_path(a, HOMES_DATA);
    return data && own[e].folder ? path_clean(a, arena_printf(a, "%s/engines/%s", data, own[e].folder)) : NULL;
}

const char *const *engine_own_programs(struct arena *a, enum engine e)
{
    const char *dir = engine_own_dir(a, e), **list = arena_array(a, TG_COUNT(own[e].programs), sizeof *list);
    for (size_t i = 0; dir && own[e].programs[i]; i++)
        list[i] = path_join(a, dir, own[e].programs[i]);
    return list;
}

static struct step *run(struct arena *a, struct plan *p, const char *title, const char *makes, const char *const *words)
{
    struct step *s = plan_add(a, p, STEP_RUN, title, makes);
    for (size_t i = 0; words[i]; i++)
        plan_arg(a, s, words[i]);
    plan_env(a, s, "PYTHONNOUSERSITE=1");
    return s;
}

static void get_uv(struct arena *a, const char *dir, const struct engine_get *g, struct plan *p)
{
    const char *make[] = {g->python, "-m", "venv", dir, NULL};
    const char *fill[] = {path_join(a, dir, "bin/python"), "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "uv", NULL};
    (void)run(a, p, _("make a folder for the engine uv"), dir, make);
    run(a, p, _("install uv into it"), NULL, fill)->again = 0;
}

static void get_miniforge(struct arena *a, const char *dir, const struct engine_get *g, struct plan *p)
{
    const char *file = path_join(a, path_dir(a, dir), path_base(g->url));
    const char *install[] = {"bash", file, "-b", "-p", dir, NULL};
    struct step *s = plan_add(a, p, STEP_DOWNLOAD, _("fetch the installer of Miniforge"), file);
    s->url = g->url;
    s->sha256 = g->sha256;
    (void)run(a, p, _("install Miniforge; no file of a shell is changed"), dir, install);
}

void engine_get_plan(struct arena *a, const struct engine_get *g, struct plan *ret)
{
    const char *dir = engine_own_dir(a, g->engine);
    *ret = (struct plan){.command = "tfgpu setup", .subject = dir};
    plan_folder(a, ret, homes_path(a, HOMES_DATA));
    if (g->engine == ENGINE_UV && g->python)
        get_uv(a, dir, g, ret);
    else if (g->engine == ENGINE_CONDA && g->url)
        get_miniforge(a, dir, g, ret);
}

const char *miniforge_address(struct arena *a, const char *base, const char *machine)
{
    const char *version = miniforge_version();
    return arena_printf(a, "%s/%s/Miniforge3-%s-Linux-%s.sh", base ? base : miniforge_url(), version, version, machine);
}

const char *sum_of(struct arena *a, const char *text, const char *file)
{
    enum { HEX = 64 };
    size_t pos = 0, len = strlen(text);
    struct str line;
    while (str_line(text, len, &pos, &line)) {
        size_t n = strspn(line.p, "0123456789abcdef");
        if (n != HEX || line.n < HEX + 3 || line.p[HEX] != ' ' || (line.p[HEX + 1] != ' ' && line.p[HEX + 1] != '*'))
            continue;
        if (str_eq(path_base(arena_strndup(a, line.p + HEX + 2, line.n - HEX - 2)), file))
            return arena_strndup(a, line.p, HEX);
    }
    return NULL;
}
