/* SPDX-License-Identifier: Apache-2.0 */
/* solve - what fits this machine, or the one that the options state. */
#include "solve/solve.h"
#include <errno.h>
#include <string.h>
#include "base/i18n.h"
#include "base/util.h"
#include "cmd/ask.h"
#include "cmd/cmd.h"
#include "cmd/driver.h"
#include "cmd/online.h"
#include "report/solved.h"

/* A machine that the options describe: what they leave out is not known. Else the facts, of which options replace some. */
static int ask_of(struct cmd_ctx *c, struct solve_ask *ask)
{
    bool other = c->o.gpus && c->o.driver;
    struct driver_run driver = {.deadline_ms = DRIVER_DEADLINE_MS};
    struct probe p = {.driver_known = c->o.driver ? NULL : driver_begin, .caller = &driver};
    struct facts *f;
    int r;
    *ask = (struct solve_ask){.machine = "x86_64"};
    if (c->o.snapshot) {
        if ((r = cmd_facts_file(c, &f)) == EXIT_GOOD)
            solve_ask_from_facts(c->a, f, ask);
        return r;
    }
    if ((other || c->o.os == OS_MACOS) && !c->o.root)
        return EXIT_GOOD;
    if ((r = cmd_probe(c, NEED_ALL, &p)) != EXIT_GOOD)
        return r;
    if (!c->o.driver)
        driver_end(&driver, &p);
    solve_ask_from_facts(c->a, p.f, ask);
    if (!ask->glibc)
        ask->glibc = ask_glibc(&p);
    root_close(p.root);
    return EXIT_GOOD;
}

int cmd_solve(struct cmd_ctx *c)
{
    struct solve_ask ask, probe_free = {0};
    struct solve_answer x;
    struct buf out;
    int r = ask_stated(c, &probe_free); /* a slip in the options is told before the machine is asked */
    if (r == EXIT_GOOD)
        r = ask_of(c, &ask);
    if (r == EXIT_GOOD)
        r = ask_stated(c, &ask);
    if (r == EXIT_GOOD)
        r = online_ask(c, &ask);
    if (r != EXIT_GOOD)
        return r;
    solve(c->a, &ask, &x);
    buf_init(&out, 0);
    if (c->o.format == FORMAT_JSON)
        report_solved_json(&ask, &x, &out);
    else
        report_solved(c->a, &ask, &x, c->o.verbose, &c->term, &out);
    r = cmd_print(c, &out);
    buf_done(&out);
    return r != EXIT_GOOD ? r : x.n_offers ? EXIT_GOOD : EXIT_BROKEN;
}
