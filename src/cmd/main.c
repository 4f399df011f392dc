/* SPDX-License-Identifier: Apache-2.0 */
/* main - finds the subcommand in the command table and runs it. */
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "base/i18n.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "gpu/gpu.h"
#include "version_gen.h"

static void on_interrupt(int sig)
{
    (void)sig;
    _exit(EXIT_INTERRUPT);
}

/* A reader that goes away shows as EPIPE of write(), not as our death. */
static void set_signals(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, interrupt = {.sa_handler = on_interrupt}, old;
    (void)sigaction(SIGPIPE, &ignore, NULL);
    if (sigaction(SIGINT, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        (void)sigaction(SIGINT, &interrupt, NULL);
}

static const char *command_name(const void *ctx, size_t i)
{
    (void)ctx;
    return commands[i].name;
}

static const struct cmd *find_command(const char *name)
{
    for (size_t i = 0; i < n_commands; i++)
        if (str_eq(commands[i].name, name))
            return &commands[i];
    return NULL;
}

static int unknown_command(const struct cmd_ctx *c, const char *name)
{
    const char *best = nearest_name(name, n_commands, command_name, NULL);
    if (best)
        return cmd_fail(c, EXIT_USAGE, _("unknown command '%s'; did you mean '%s'? See 'tfgpu --help'"), name, best);
    return cmd_fail(c, EXIT_USAGE, _("unknown command '%s'; 'tfgpu --help' lists the commands"), name);
}

/* --help, --version: answered without running anything. */
static int print_about(struct cmd_ctx *c)
{
    struct buf out;
    buf_init(&out, 0);
    if (c->o.help_man)
        help_man(c->a, c->cmd, &out);
    else if (c->o.version)
        buf_addf(&out, _("tfgpu %s (data %s)\n"), TFGPU_VERSION, TFGPU_DATA_REVISION);
    else if (c->cmd)
        help_command(c->a, &c->term, c->cmd, &out);
    else
        help_overview(c->a, &c->term, &out);
    int r = cmd_print(c, &out);
    buf_done(&out);
    return r;
}

static int check_args(const struct cmd_ctx *c)
{
    size_t given = 0;
    while (given < c->n_args && *c->args[given])
        given++; /* an empty argument, as of an unset shell variable, names nothing */
    if (given < c->cmd->min_args)
        return cmd_fail(c, EXIT_USAGE, _("'tfgpu %s' needs %s; see 'tfgpu %s --help'"), c->cmd->name, c->cmd->args, c->cmd->name);
    if (c->n_args > c->cmd->max_args)
        return cmd_fail(c, EXIT_USAGE, _("'tfgpu %s' has no use for '%s'; see 'tfgpu %s --help'"), c->cmd->name,
                        c->args[c->cmd->max_args], c->cmd->name);
    return EXIT_GOOD;
}

/* The first command that has the option which `arg` names, or NULL. */
static const struct cmd *owner_of(const char *arg)
{
    for (size_t i = 0; i < n_commands; i++)
        for (const struct opt *o = commands[i].opts; o->name; o++) {
            size_t n = strlen(o->name);
            bool is_long = str_starts(arg, "--") && str_starts(arg + 2, o->name) && (arg[n + 2] == '\0' || arg[n + 2] == '=');
            if (is_long || (o->letter && arg[1] == o->letter))
                return &commands[i];
        }
    return NULL;
}

static int parse(struct cmd_ctx *c, int argc, char **argv)
{
    const struct opt *const first[] = {common_opts, NULL};
    struct err e = {0};
    int used;
    if (opts_parse(c->a, first, argc, argv, true, &c->o, &c->args, &c->n_args, &used, &e) < 0) {
        const struct cmd *owner = owner_of(argv[used]);
        if (owner)
            return cmd_fail(c, EXIT_USAGE, _("option '%s' stands behind the command: tfgpu %s %s"), argv[used], owner->name, argv[used]);
        return cmd_fail(c, EXIT_USAGE, _("%s; see 'tfgpu --help'"), e.msg);
    }
    if (used < argc && str_eq(argv[used], "help")) { /* as people type it: "tfgpu help check" */
        c->o.help = true;
        used++;
    }
    if (used == argc)
        return EXIT_GOOD;
    c->cmd = find_command(argv[used]);
    if (!c->cmd)
        return unknown_command(c, argv[used]);
    const struct opt *const both[] = {c->cmd->opts, common_opts, NULL};
    argc -= used + 1;
    argv += used + 1;
    if (opts_parse(c->a, both, argc, argv, false, &c->o, &c->args, &c->n_args, &used, &e) < 0)
        return cmd_fail(c, EXIT_USAGE, _("%s; see 'tfgpu %s --help'"), e.msg, c->cmd->name);
    return EXIT_GOOD;
}

static int run(struct cmd_ctx *c, int argc, char **argv)
{
    int r = parse(c, argc - 1, argv + 1);
    if (r != EXIT_GOOD)
        return r;
    if (c->o.lang)
        i18n_init(lang_choices[c->o.lang]);
    term_init(&c->term, STDOUT_FILENO, c->o.no_color);
    if (c->o.help || c->o.version || c->o.help_man)
        return print_about(c);
    if (!c->cmd)
        return cmd_fail(c, EXIT_USAGE, _("which command? 'tfgpu check' judges this machine; 'tfgpu --help' lists all"));
    r = check_args(c);
    return r == EXIT_GOOD ? c->cmd->run(c) : r;
}

int main(int argc, char **argv)
{
    struct arena a;
    if (argc > 1 && str_eq(argv[1], GPU_CHILD))
        gpu_child(argc - 2, argv + 2);
    term_fill_std_fds();
    set_signals();
    i18n_init(NULL);
    arena_init(&a, 0);
    struct cmd_ctx c = {.a = &a};
    int code = run(&c, argc, argv);
    arena_done(&a);
    return code;
}
