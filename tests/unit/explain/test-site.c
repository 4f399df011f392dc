/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/util.h"
#include "base/whole.h"
#include "explain/explain.h"
#include "explain/required.h"
#include "explain/site.h"

static struct arena a;

static const char *cause(const char *id, const char *title, const char *re, const char *line)
{
    return arena_printf(&a, "id: %s\nkind: cause\nseverity: broken\ntitle: %s\nwhy: because\nexplain:\n  text: %s\n  chain: 1\n  patterns:\n  - {re: '%s', match: '%s', near: 'x'}\n", id, title, title, re, line);
}

static void put(const char *dir, const char *name, const char *text)
{
    struct buf b;
    struct err e = {0};
    buf_init(&b, 0);
    buf_adds(&b, text);
    if (whole_replace(path_join(&a, dir, name), &b, 0666, &e) < 0)
        printf("# %s\n", e.msg);
    buf_done(&b);
}

static const char *first_of(const struct explain_catalog *k, const char *engine, const char *log)
{
    struct explain_answer answer = {0};
    struct explain *x = NULL;
    struct err e = {0};
    if (explain_new(&a, k, engine, &x, &e) < 0)
        return e.msg[0] ? arena_strdup(&a, e.msg) : "?";
    explain_file(x, "f");
    explain_feed(x, log, strlen(log));
    explain_end(x);
    explain_judge(x, &answer);
    explain_free(x);
    return answer.n ? arena_printf(&a, "%s: %s", catalog_id(k, answer.found[0].entry), explain_headline(&a, k, answer.found[0].entry, &answer.found[0])) : "";
}

/* The user's folder before the machine's; a wrong file is left out, the rest is used. */
static void test_folders(const char *dir)
{
    const char *user = path_join(&a, dir, "user"), *machine = path_join(&a, dir, "machine"), *const folders[] = {user, machine, path_join(&a, dir, "none"), NULL};
    struct site_found f;
    struct explain_catalog k;
    mkdir(user, 0700);
    mkdir(machine, 0700);
    put(user, "site-a.yaml", cause("site-a", "of the user", "our scheduler said no", "our scheduler said no"));
    put(machine, "site-a.yaml", cause("site-a", "of the machine", "our scheduler said no", "our scheduler said no"));
    put(machine, "site-b.yaml", cause("site-b", "of the machine", "our file system is full", "our file system is full"));
    put(machine, "cudnn-missing.yaml", cause("cudnn-missing", "our cudnn", "our wrapper lacks cudnn", "our wrapper lacks cudnn"));
    put(machine, "numpy2-abi.yaml", "id: numpy2-abi\nextends: true\nexplain:\n  patterns:\n  - {re: 'our wrapper dislikes numpy', match: 'our wrapper dislikes numpy', near: x}\n");
    put(machine, "site-bad.yaml", "id: site-bad\nkind: [\n");
    put(machine, "not-read.txt", "x");
    mkdir(path_join(&a, machine, "folder.yaml"), 0700);
    (void)!symlink("/dev/zero", path_join(&a, machine, "site-zero.yaml"));
    (void)!symlink("/nowhere", path_join(&a, machine, "site-gone.yaml"));
    mkfifo(path_join(&a, machine, "site-pipe.yaml"), 0600);
    site_find(&a, folders, &f);
    ok(f.n == 4 && f.n_hidden == 1 && f.n_problems == 5, "four causes, one hidden, five left out (%zu, %zu, %zu)", f.n, f.n_hidden, f.n_problems);
    for (size_t i = 0; i < f.n_problems; i++)
        printf("# %s\n", f.problems[i]);
    ok(catalog_add(&a, f.causes, f.n, false, &k) == 4, "all fit");
    for (int i = 0; i < 2; i++) {
        const char *engine = i ? "portable" : NULL;
        ok_str(first_of(&k, engine, "a\nour scheduler said no\n"), "site-a: of the user", "the user's comes first");
        ok_str(first_of(&k, engine, "our file system is full"), "site-b: of the machine", "the machine's is there too");
        ok_str(first_of(&k, engine, "our wrapper lacks cudnn"), "cudnn-missing: our cudnn", "in place of a shipped one");
        ok_str(first_of(&k, engine, "Unable to load cuDNN. Is it installed?"), "", "whose patterns are gone");
        ok(str_starts(first_of(&k, engine, "our wrapper dislikes numpy"), "numpy2-abi: "), "a pattern more for a shipped one");
        ok(str_starts(first_of(&k, engine, "AttributeError: _ARRAY_API not found"), "numpy2-abi: "), "which keeps its own");
        ok(str_starts(first_of(&k, engine, "NVRM: Xid (PCI:0000:03:00): 79, pid=1, GPU has fallen off the bus."), "gpu-fell-off-bus: "), "codes are read as before");
    }
    ok(k.n_entries == EXPLAIN_N_ENTRIES + 2, "two entries more");
}

/* What does not fit into the engines is left out, the same with both of them. */
static void test_many(void)
{
    enum { MANY = 2000 };
    struct site_cause *c = arena_array(&a, MANY, sizeof *c);
    struct site_mistakes m = {.a = &a};
    struct explain_catalog k;
    for (size_t i = 0; i < MANY; i++) {
        const char *line = arena_printf(&a, "job%zu failed", i), *re = arena_printf(&a, "job%zu (?:failed|stopped|was lost)", i);
        const char *text = cause(arena_printf(&a, "site-%zu", i), "x", re, line);
        if (!site_read(&a, arena_printf(&a, "site-%zu.yaml", i), text, strlen(text), &c[i], &m))
            printf("# %s\n", m.of[0].what);
    }
    size_t n = catalog_add(&a, c, MANY, false, &k);
    ok(n > 1000 && n < MANY, "%zu of %d fit", n, MANY);
    for (int i = 0; i < 2; i++) {
        const char *engine = i ? "portable" : NULL;
        ok_str(first_of(&k, engine, "JOB999 STOPPED"), "site-999: x", "the thousandth is found");
        ok_str(first_of(&k, engine, "job1999 failed"), "", "the last is not there");
    }
}

static void test_literals(void)
{
    static const struct { const char *re, *literals; } cases[] = {
        {"(?i)Could not load dynamic library", "load dynamic library"},
        {"Could not (?:open|load)", "Could not load Could not open"},
        {"(?i)sm_1[0-2] kernels", "sm_10 kernels sm_11 kernels sm_12 kernels"},
        {"(?:abcdef)?ghij", "ghij"},
        {"a|bcdefg", "!"},
        {".*", "!"},
        {"(?R)abcdef", "!"},
        {"abc(?=defghi)", "!"},
        {"abcdef\\hghi", "!"},
        {"[[:alpha:]]abcdef", "!"},
    };
    for (size_t i = 0; i < TG_COUNT(cases); i++) {
        const char *const *l;
        size_t n;
        struct err e = {0};
        const char *out = "";
        if (required_literals(&a, cases[i].re, 4, &l, &n, &e) < 0)
            out = "!";
        else
            for (size_t k = 0; k < n; k++)
                out = arena_printf(&a, "%s%s%s", out, k ? " " : "", l[k]);
        ok_str(out, cases[i].literals, cases[i].re);
    }
}

int main(void)
{
    char dir[] = "/tmp/tfgpu-site-XXXXXX";
    arena_init(&a, 0);
    test_literals();
    if (ok(mkdtemp(dir) != NULL, "a folder"))
        test_folders(dir);
    test_many();
    (void)!system(arena_printf(&a, "rm -rf %s", dir));
    arena_done(&a);
    return tap_done();
}
