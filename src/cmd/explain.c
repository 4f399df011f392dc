/* SPDX-License-Identifier: Apache-2.0 */
/* explain - logs in, causes out; or the page of one cause. */
#include "explain/explain.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/i18n.h"
#include "base/util.h"
#include "cmd/explain.h"
#include "explain/source.h"
#include "report/explained.h"

enum { CHUNK = 128 * 1024 };

static long read_some(int fd, unsigned char *p, size_t room)
{
    ssize_t n;
    do
        n = read(fd, p, room);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : n;
}

/* Why a file was not read, or not to its end. What was read of it counts all the same, unless it is no log. */
static int failed(struct cmd_ctx *c, struct explain_answer *answer, const char *name, const struct err *e)
{
    if (e->code == -EMEDIUMTYPE || e->code == -EISDIR)
        return cmd_fail(c, EXIT_USAGE, _("%s: %s"), name, e->msg);
    *ARENA_PUSH(c->a, answer->gaps, answer->n_gaps) = (struct explain_gap){.file = name, .why = arena_strdup(c->a, e->msg)};
    (void)cmd_fail(c, EXIT_UNDETERMINED, _("%s: %s"), name, e->msg);
    return EXIT_GOOD;
}

static int feed(struct cmd_ctx *c, struct explain *x, struct explain_answer *answer, int fd, const char *name)
{
    unsigned char p[CHUNK];
    const struct source_sink sink = source_into(x);
    struct source *s = source_new(&sink);
    struct err e = {0}, end = {0};
    long n;
    explain_file(x, name);
    while ((n = read_some(fd, p, sizeof p)) > 0)
        if (source_feed(s, p, (size_t)n, &e) < 0)
            break;
    if (n < 0)
        (void)err_set(&e, (int)n, _("cannot be read: %s"), strerror((int)-n));
    (void)source_end(s, &end);
    source_free(s);
    if (e.code == 0 || end.code == -EMEDIUMTYPE)
        e = end;
    return e.code ? failed(c, answer, name, &e) : EXIT_GOOD;
}

static int feed_named(struct cmd_ctx *c, struct explain *x, struct explain_answer *answer, const char *name)
{
    struct stat st;
    if (str_eq(name, "-"))
        return feed(c, x, answer, STDIN_FILENO, _("standard input"));
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return cmd_fail(c, errno == ENOENT || errno == ENOTDIR ? EXIT_USAGE : EXIT_UNDETERMINED, _("%s: cannot be opened: %s"), name, strerror(errno));
    int r = EXIT_GOOD;
    if (fstat(fd, &st) == 0 && (S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode)))
        r = cmd_fail(c, EXIT_USAGE, S_ISDIR(st.st_mode) ? _("%s: not a log: a folder") : _("%s: not a log: a device"), name);
    else
        r = feed(c, x, answer, fd, name);
    close(fd);
    return r;
}

static int print_answer(struct cmd_ctx *c, const struct explain_answer *x)
{
    struct buf out;
    buf_init(&out, 0);
    if (c->o.format == FORMAT_JSON)
        report_explained_json(c->a, x, &out);
    else
        report_explained(c->a, x, c->n_args > 1, &c->term, &out);
    int r = cmd_print(c, &out);
    buf_done(&out);
    return r != EXIT_GOOD ? r : x->n_gaps ? EXIT_UNDETERMINED : x->n ? EXIT_GOOD : EXIT_BROKEN;
}

static int print_page(struct cmd_ctx *c, const struct explain_catalog *k, const struct explain_entry *e)
{
    struct buf out;
    buf_init(&out, 0);
    if (c->o.format == FORMAT_JSON)
        report_cause_json(c->a, k, e, &out);
    else
        report_cause(c->a, k, e, &c->term, &out);
    int r = cmd_print(c, &out);
    buf_done(&out);
    return r;
}

/* A number of several codes. */
static int print_codes(struct cmd_ctx *c, const struct explain_catalog *k, const char *name, const struct explained_reading *codes, size_t n)
{
    struct buf out;
    buf_init(&out, 0);
    if (c->o.format == FORMAT_JSON)
        report_codes_json(c->a, k, codes, n, &out);
    else
        report_codes(c->a, k, name, codes, n, &c->term, &out);
    int r = cmd_print(c, &out);
    buf_done(&out);
    return r;
}

static const char *entry_id(const void *ctx, size_t i)
{
    return catalog_id(ctx, &((const struct explain_catalog *)ctx)->entries[i]);
}

int explain_page(struct cmd_ctx *c, const struct explain_catalog *k, const char *name, bool no_file)
{
    const struct explain_entry *e = catalog_find(k, name);
    if (e)
        return print_page(c, k, e);
    struct explained_reading codes[16];
    size_t n = explain_code_find(name, codes, TG_COUNT(codes));
    if (n)
        return n == 1 ? print_page(c, k, explain_code_page(k, codes[0].row)) : print_codes(c, k, name, codes, n);
    const char *near = nearest_name(name, k->n_entries, entry_id, k);
    if (near)
        return cmd_fail(c, EXIT_USAGE, no_file ? _("%s: no such file, and no cause of that name; did you mean '%s'?") : _("%s: no cause of that name; did you mean '%s'?"), name, near);
    return cmd_fail(c, EXIT_USAGE, no_file ? _("%s: no such file, and no cause of that name") : _("%s: no cause of that name; 'tfgpu kb list' has them"), name);
}

static bool is_page(const char *name)
{
    struct stat st;
    return !str_eq(name, "-") && !strchr(name, '/') && fstatat(AT_FDCWD, name, &st, 0) < 0;
}

void explain_site(struct cmd_ctx *c, struct site_found *ret)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME"), *folders[3];
    size_t n = 0;
    if (config && *config == '/') /* XDG Base Directory Specification: relative ones are ignored */
        folders[n++] = path_join(c->a, config, "tfgpu/causes.d");
    else if (home && *home == '/')
        folders[n++] = path_join(c->a, home, ".config/tfgpu/causes.d");
    folders[n++] = "/etc/tfgpu/causes.d";
    folders[n] = NULL;
    site_find(c->a, folders, ret);
}

const char *explain_engine(void)
{
    return getenv("TFGPU_ENGINE");
}

const struct explain_catalog *explain_catalog_of(struct cmd_ctx *c, struct site_found *ret_found)
{
    struct explain_catalog *k = ARENA_NEW(c->a, struct explain_catalog);
    struct site_found found;
    explain_site(c, &found);
    for (size_t i = 0; i < found.n_problems; i++)
        (void)cmd_fail(c, EXIT_GOOD, "%s", found.problems[i]);
    *k = catalog_shipped();
    if (found.n) {
        size_t n = catalog_add(c->a, found.causes, found.n, str_eq(i18n_lang(), "zh_CN"), k);
        if (n < found.n)
            (void)cmd_fail(c, EXIT_GOOD, _("%s: too many patterns for one search; it and the files behind it are left out"), found.causes[n].file);
        found.n = n;
    }
    if (ret_found)
        *ret_found = found;
    return k;
}

int cmd_explain(struct cmd_ctx *c)
{
    static const char *const standard_input[] = {"-"};
    const char *const *names = c->n_args ? (const char *const *)c->args : standard_input;
    size_t n = c->n_args ? c->n_args : 1;
    struct explain *x;
    struct explain_answer answer = {0};
    struct err e = {0};
    struct facts *facts;
    if (c->o.run && c->n_args == 0)
        return cmd_fail(c, EXIT_USAGE, _("which command? tfgpu explain --run -- python train.py"));
    if (c->n_args == 0 && isatty(STDIN_FILENO))
        return cmd_fail(c, EXIT_USAGE, _("which log? tfgpu explain FILE, or: python train.py 2>&1 | tfgpu explain"));
    const struct explain_catalog *k = explain_catalog_of(c, NULL);
    if (c->n_args == 1 && !c->o.run && is_page(names[0]))
        return explain_page(c, k, names[0], true);
    int r = explain_machine_file(c, &facts);
    if (r != EXIT_GOOD)
        return r;
    if (explain_new(c->a, k, explain_engine(), &x, &e) < 0)
        return cmd_fail(c, EXIT_UNDETERMINED, "%s", e.msg);
    if (c->o.run) {
        r = explain_run(c, x, facts, &answer);
        explain_free(x);
        return r;
    }
    for (size_t i = 0; r == EXIT_GOOD && i < n; i++)
        r = feed_named(c, x, &answer, names[i]);
    if (r == EXIT_GOOD)
        explain_judge(x, &answer);
    explain_free(x);
    if (r == EXIT_GOOD)
        explain_machine(c, facts, &answer);
    return r == EXIT_GOOD ? print_answer(c, &answer) : r;
}
