/* SPDX-License-Identifier: Apache-2.0 */
/* snapshot - the facts of this machine, or of --root, as a file. */
#include "base/i18n.h"
#include "base/util.h"
#include "cmd/cmd.h"
#include "cmd/driver.h"
#include "cmd/prove.h"
#include "facts/snapshot.h"

int cmd_snapshot(struct cmd_ctx *c)
{
    struct driver_run driver = {0};
    struct probe p = {.driver_known = driver_begin, .caller = &driver};
    const struct prove_ask prove = {0};
    struct buf out;
    if (driver_deadline(c->o.driver_timeout, &driver.deadline_ms) < 0)
        return cmd_fail(c, EXIT_USAGE, _("option '--driver-timeout' takes seconds from 0 to %d, not '%s'"), (int)DRIVER_DEADLINE_MAX_S, c->o.driver_timeout);
    int r = cmd_probe(c, NEED_ALL | NEED_TITLES, &p);
    if (r != EXIT_GOOD)
        return r;
    driver_end(&driver, &p);
    prove_run(c, &p, &prove); /* what a captured tree states of one; nothing is computed here */
    buf_init(&out, 0);
    facts_write(p.f, &out);
    r = out.len > FACTS_MAX_BYTES ? cmd_fail(c, EXIT_UNDETERMINED, _("the facts are larger than %d MiB"), FACTS_MAX_BYTES >> 20) : cmd_write(c, &out, 0600);
    buf_done(&out);
    root_close(p.root);
    return r;
}
