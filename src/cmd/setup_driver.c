/* SPDX-License-Identifier: Apache-2.0 */
/* setup_driver - tfgpu setup --driver: shows how the driver gets onto this machine. */
#include "cmd/setup_driver.h"
#include "report/driver_setup.h"

int setup_driver(struct cmd_ctx *c)
{
    struct probe p = {0};
    struct driver_setup d;
    struct buf out;
    int r = cmd_probe(c, NEED_MACHINE | NEED_DRIVER, &p);
    if (r != EXIT_GOOD)
        return r;
    driver_setup(c->a, p.f, &d);
    buf_init(&out, 0);
    report_driver_setup(c->a, &d, root_uid(p.root) == 0, &c->term, &out);
    r = cmd_print(c, &out);
    buf_done(&out);
    root_close(p.root);
    return r == EXIT_GOOD && d.why_not && !d.is_there ? EXIT_BROKEN : r;
}
