/* SPDX-License-Identifier: Apache-2.0 */
/* A plan that can be read is one that may be done, and is the same when it is written and read again. */
#include <stdint.h>
#include <stdlib.h>
#include "act/plan.h"
#include "base/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct plan p, again;
    struct err e;
    struct buf out;
    arena_init(&a, 0);
    buf_init(&out, 0);
    if (plan_read(&a, (const char *)data, size, &p, &e) == 0) {
        if (plan_check(&p, &e) < 0)
            abort();
        plan_write(&p, &out);
        if (plan_read(&a, out.p, out.len, &again, &e) < 0 || again.n_steps != p.n_steps || !plan_same_action(&p, &again))
            abort();
        for (size_t i = 0; i < p.n_steps; i++)
            if (!step_same(&p.steps[i], &again.steps[i]))
                abort();
    }
    buf_done(&out);
    arena_done(&a);
    return 0;
}
