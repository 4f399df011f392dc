/* SPDX-License-Identifier: Apache-2.0 */
/* help - --help and the man page's OPTIONS, made from the tables. */
#include "cmd/help.h"
#include "base/i18n.h"
#include "report/wrap.h"

enum { NAME_COL = 4, HELP_COL = 26 };

static void row(struct buf *out, const struct term *t, const char *name, const char *help)
{
    size_t have = NAME_COL + i18n_width(name);
    buf_adds(out, "    ");
    buf_adds(out, name);
    if (have >= HELP_COL - 1) {
        buf_addc(out, '\n');
        have = 0;
    }
    wrap_pad(out, have, HELP_COL);
    wrap_text(out, help, HELP_COL, HELP_COL, t->width);
    buf_addc(out, '\n');
}

static void options(struct arena *a, const struct term *t, const struct opt *opts, struct buf *out)
{
    for (const struct opt *o = opts; o && o->name; o++)
        if (o->help)
            row(out, t, opt_usage(a, o), _(o->help));
}

void help_overview(struct arena *a, const struct term *t, struct buf *out)
{
    buf_adds(out, _("Usage: tfgpu COMMAND [OPTION]..."));
    buf_adds(out, "\n\n");
    wrap_text(out, _("Says from files alone whether the installed TensorFlow will use the NVIDIA GPU, and if not, which link of the chain "
                     "is the first broken one, why, and how to mend it."), 0, 0, t->width);
    buf_addf(out, "\n\n%s\n", _("Commands:"));
    for (size_t i = 0; i < n_commands; i++)
        row(out, t, commands[i].name, _(commands[i].help));
    buf_addf(out, "\n%s\n", _("Options:"));
    options(a, t, common_opts, out);
    buf_addf(out, "\n%s\n", _("'tfgpu COMMAND --help' shows the options of a command."));
}

static void exit_codes(const struct term *t, struct buf *out)
{
    static const struct { const char *code, *help; } codes[] = {
        {"0", N_("the answer is good")},
        {"1", N_("the chain is broken, or the thing asked for is not so")},
        {"2", N_("usage error; a named file or environment does not exist")},
        {"3", N_("could not be determined, our own failure included")},
        {"4", N_("an action failed; it was rolled back, or the same command goes on with it")},
        {"130", N_("stopped (Ctrl-C)")},
    };
    buf_addf(out, "\n%s\n", _("Exit codes:"));
    for (size_t i = 0; i < TG_COUNT(codes); i++)
        row(out, t, codes[i].code, _(codes[i].help));
}

void help_command(struct arena *a, const struct term *t, const struct cmd *cmd, struct buf *out)
{
    buf_addf(out, _("Usage: tfgpu %s"), cmd->name);
    buf_addf(out, "%s%s %s\n\n", *cmd->args ? " " : "", cmd->args, _("[OPTION]..."));
    wrap_text(out, arena_printf(a, _("tfgpu %s: %s."), cmd->name, _(cmd->help)), 0, 0, t->width);
    buf_addc(out, '\n');
    if (cmd->more) {
        buf_addc(out, '\n');
        wrap_text(out, _(cmd->more), 0, 0, t->width);
        buf_addc(out, '\n');
    }
    buf_addf(out, "\n%s\n", _("Options:"));
    options(a, t, cmd->opts, out);
    options(a, t, common_opts, out);
    exit_codes(t, out);
}

/* In roff a hyphen of an option is "\-", and a line must not begin with a dot or an apostrophe. */
static void roff(struct buf *out, const char *s)
{
    if (*s == '.' || *s == '\'')
        buf_adds(out, "\\&");
    for (; *s; s++) {
        if (*s == '-' || *s == '\\')
            buf_addc(out, '\\');
        buf_addc(out, *s);
    }
}

static void roff_options(struct arena *a, const struct opt *opts, struct buf *out)
{
    for (const struct opt *o = opts; o && o->name; o++) {
        if (!o->help)
            continue;
        buf_adds(out, ".TP\n.B ");
        roff(out, opt_usage(a, o));
        buf_addc(out, '\n');
        roff(out, o->help);
        buf_adds(out, ".\n");
    }
}

void help_man(struct arena *a, const struct cmd *cmd, struct buf *out)
{
    if (cmd)
        roff_options(a, cmd->opts, out);
    roff_options(a, common_opts, out);
    if (cmd)
        return;
    buf_adds(out, ".SH COMMANDS\n");
    for (size_t i = 0; i < n_commands; i++) {
        buf_addf(out, ".TP\n.B tfgpu %s %s\n", commands[i].name, commands[i].args);
        roff(out, commands[i].help);
        buf_adds(out, ".\n");
    }
}
