/* SPDX-License-Identifier: Apache-2.0 */
/* conda_init - conda's block in .bashrc or .zshrc. Source: conda, core/initialize.py. */
#include "act/conda_init.h"
#include <errno.h>
#include <string.h>
#include "base/i18n.h"
#include "base/sha256.h"
#include "base/util.h"
#include "formats/shellrc.h"

enum { RC_MAX = 4 << 20 };

struct shell { const char *name, *file; };
static const struct shell shells[] = {{"bash", ".bashrc"}, {"zsh", ".zshrc"}};

static const struct shell *shell_of(struct root *root)
{
    const char *program = root_getenv(root, "SHELL");
    for (size_t i = 0; program && i < TG_COUNT(shells); i++)
        if (str_eq(path_base(program), shells[i].name))
            return &shells[i];
    return NULL;
}

static const char *rc_file(struct arena *a, struct root *root, const struct shell *sh)
{
    const char *zdotdir = str_eq(sh->name, "zsh") ? root_getenv(root, "ZDOTDIR") : NULL, *dir = zdotdir && *zdotdir == '/' ? zdotdir : root_home(root), *real;
    const char *path = dir ? path_clean(a, path_join(a, dir, sh->file)) : NULL;
    return path && root_realpath(root, path, a, &real) == 0 ? real : path;
}

/* One that means the same in single and in double quotes. */
static bool is_plain(const char *path)
{
    return path[strcspn(path, "'\"`$\\!\n")] == '\0';
}

static const char *block(struct arena *a, const char *base, const struct shell *sh)
{
    return arena_printf(a,
        "# >>> conda initialize >>>\n"
        "# !! Contents within this block are managed by 'conda init' !!\n"
        "__conda_setup=\"$('%s/bin/conda' 'shell.%s' 'hook' 2> /dev/null)\"\n"
        "if [ $? -eq 0 ]; then\n"
        "    eval \"$__conda_setup\"\n"
        "else\n"
        "    if [ -f \"%s/etc/profile.d/conda.sh\" ]; then\n"
        "        . \"%s/etc/profile.d/conda.sh\"\n"
        "    else\n"
        "        export PATH=\"%s/bin:$PATH\"\n"
        "    fi\n"
        "fi\n"
        "unset __conda_setup\n"
        "# <<< conda initialize <<<\n", base, sh->name, base, base, base);
}

static bool has_block(struct arena *a, const char *text, size_t n)
{
    struct shellrc_item *items = NULL;
    size_t n_items = 0;
    bool has = false;
    shellrc_parse(text, n, a, &items, &n_items);
    for (size_t i = 0; i < n_items; i++)
        has = has || items[i].kind == SHELLRC_CONDA_BEGIN;
    return has;
}

int conda_init_step(struct arena *a, struct root *root, const char *program, const struct plan *earlier, struct plan *p, struct err *e)
{
    const struct shell *sh = shell_of(root);
    const char *base = path_dir(a, path_dir(a, program)), *file = sh ? rc_file(a, root, sh) : NULL, *text = "";
    size_t n = 0;
    if (!file)
        return err_set(e, -EINVAL, _("--conda-init knows bash and zsh, and SHELL is neither, or there is no HOME"));
    if (!str_eq(path_base(program), "conda") && !str_eq(path_base(program), "mamba"))
        return err_set(e, -EINVAL, _("--conda-init is for conda and mamba, not for %s"), program);
    if (!is_plain(base))
        return err_set(e, -EINVAL, _("--conda-init: %s cannot be written into a shell's file"), base);
    if (plan_as_before(a, earlier, file, p)) {
        plan_folder(a, p, file);
        return 0;
    }
    int r = root_read(root, file, RC_MAX, a, &text, &n);
    if (r < 0 && r != -ENOENT)
        return err_set(e, r, "%s: %s", file, strerror(-r));
    if (r == 0 && has_block(a, text, n))
        return 0;
    const char *more = arena_printf(a, "%s%s", n && text[n - 1] != '\n' ? "\n" : "", block(a, base, sh));
    size_t n_more = strlen(more);
    char *bytes = arena_array(a, n + n_more + 1, 1);
    memcpy(bytes, text, n);
    memcpy(bytes + n, more, n_more + 1);
    struct step *s = plan_add(a, p, STEP_WRITE, arena_printf(a, _("let new shells know conda: the block that 'conda init %s' writes, at the end"), sh->name), file);
    plan_folder(a, p, file);
    s->bytes = bytes;
    s->n_bytes = n + n_more;
    s->expect = r == 0 ? sha256_of(a, text, n) : "absent";
    return 0;
}
