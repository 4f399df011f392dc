/* SPDX-License-Identifier: Apache-2.0 */
/* support - what the commands share: the root, the facts, the way out. */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/i18n.h"
#include "base/util.h"
#include "base/whole.h"
#include "cmd/cmd.h"
#include "facts/snapshot.h"

int cmd_fail(const struct cmd_ctx *c, int code, const char *fmt, ...)
{
    va_list ap;
    struct buf line;
    va_start(ap, fmt);
    const char *text = arena_vprintf(c->a, fmt, ap);
    va_end(ap);
    buf_init(&line, 0);
    buf_adds(&line, "tfgpu: ");
    buf_add_safe(&line, text, strlen(text));
    buf_addc(&line, '\n');
    (void)term_write(STDERR_FILENO, &line); /* nobody is left to tell */
    buf_done(&line);
    return code;
}

/* A named thing that is not there or not of the kind is the user's slip; one that cannot be read or parsed is our failure. */
static int exit_code_of(int error)
{
    return error == -ENOENT || error == -ENOTDIR || error == -EEXIST || error == -EINVAL ? EXIT_USAGE : EXIT_UNDETERMINED;
}

int cmd_open_root(struct cmd_ctx *c, struct root **ret)
{
    struct err e = {0};
    int r = c->o.root ? root_open_tree(c->a, c->o.root, ret, &e) : root_open_live(c->a, ret, &e);
    return r < 0 ? cmd_fail(c, exit_code_of(r), "%s", *e.msg ? e.msg : strerror(-r)) : EXIT_GOOD;
}

/* The heap that a run needs, in one step and with its pages made: some 250 page faults less (0.3 of 6 ms). Where the kernel
 * cannot do it, nothing is lost. */
static void prepare_heap(void)
{
    enum { HEAP = 640 << 10, KEEP = 4 << 20, PAGE = 4096 };
    (void)mallopt(M_MMAP_THRESHOLD, KEEP);
    (void)mallopt(M_TRIM_THRESHOLD, KEEP);
    void *p = malloc(HEAP);
#ifdef MADV_POPULATE_WRITE
    uintptr_t at = ((uintptr_t)p + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    if (p)
        (void)madvise((void *)at, HEAP - PAGE, MADV_POPULATE_WRITE);
#endif
    free(p);
}

int cmd_probe(struct cmd_ctx *c, unsigned needs, struct probe *p)
{
    struct err e = {0};
    prepare_heap();
    *p = (struct probe){.a = c->a, .f = ARENA_NEW(c->a, struct facts), .env_arg = c->o.env, .deep = c->o.deep, .verbose = c->o.verbose,
                        .driver_known = p->driver_known, .caller = p->caller};
    int r = cmd_open_root(c, &p->root);
    if (r != EXIT_GOOD)
        return r;
    r = probe_run(p, needs, &e);
    if (root_starved(p->root) < 0)
        return cmd_starved(c, p->root);
    return r < 0 ? cmd_fail(c, exit_code_of(r), "%s", *e.msg ? e.msg : strerror(-r)) : EXIT_GOOD;
}

int cmd_facts_file(struct cmd_ctx *c, struct facts **ret)
{
    const struct { const char *name; bool given; } others[] = {
        {"--env", c->o.env}, {"--root", c->o.root}, {"--deep", c->o.deep}, {"--driver-timeout", c->o.driver_timeout}, {"--prove", c->o.prove}};
    struct err e = {0};
    char *text;
    size_t n;
    for (size_t i = 0; i < TG_COUNT(others); i++)
        if (others[i].given)
            return cmd_fail(c, EXIT_USAGE, _("option '%s' asks a machine; with --snapshot the facts are what the file says"), others[i].name);
    struct facts *f = ARENA_NEW(c->a, struct facts);
    int r = whole_read(c->a, c->o.snapshot, FACTS_MAX_BYTES, &text, &n, &e);
    if (r == 0)
        r = facts_read(c->a, text, n, f, &e);
    if (r < 0)
        return cmd_fail(c, r == -EISDIR ? EXIT_USAGE : exit_code_of(r), "%s: %s", c->o.snapshot, e.msg);
    *ret = f;
    return EXIT_GOOD;
}

int cmd_starved(const struct cmd_ctx *c, const struct root *root)
{
    return cmd_fail(c, EXIT_UNDETERMINED, _("cannot open the files to judge: %s; raise the limit (ulimit -n 64) and run it again"),
                    strerror(-root_starved(root)));
}

int cmd_print(const struct cmd_ctx *c, const struct buf *out)
{
    int r = out->full ? -EFBIG : term_write(STDOUT_FILENO, out);
    if (r == 0 || r == -EPIPE)
        return EXIT_GOOD;
    return cmd_fail(c, EXIT_UNDETERMINED, _("cannot write the answer to standard output: %s"), strerror(-r));
}

int cmd_write(const struct cmd_ctx *c, const struct buf *out, unsigned mode)
{
    struct err e = {0};
    if (!c->o.output || str_eq(c->o.output, "-"))
        return cmd_print(c, out);
    int r = whole_replace(c->o.output, out, mode, &e);
    if (r == 0)
        return EXIT_GOOD;
    return cmd_fail(c, r == -ENOENT || r == -ENOTDIR || r == -EISDIR ? EXIT_USAGE : EXIT_ACTION, "%s: %s", c->o.output, e.msg);
}
