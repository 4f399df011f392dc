/* SPDX-License-Identifier: Apache-2.0 */
/* What the computing process answers: the first byte chooses between its lines and a manifest's record. Numbers are finite, lines have names. */
#include <stdint.h>
#include <stdlib.h>
#include "formats/proofline.h"

static void check(const struct proofrecord *r)
{
    if (r->n_lines > PROOFLINE_MAX_LINES)
        abort();
    for (size_t i = 0; i < r->n_lines; i++) {
        const struct proofline *l = &r->lines[i];
        const struct proofnum n[] = {l->ms, l->gpus, l->flops, l->sync_us, l->max_error, l->tolerance};
        if (!l->stage || !*l->stage || l->event > PROOFLINE_SKIP)
            abort();
        for (size_t k = 0; k < TG_COUNT(n); k++)
            if (n[k].has && !(n[k].v >= 0 && n[k].v <= 1e18))
                abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct proofrecord r = {0};
    struct err e = {0};
    if (size == 0)
        return 0;
    arena_init(&a, 0);
    const char *text = (const char *)data + 1;
    if (data[0] == 'L') {
        proofline_parse_all(text, size - 1, &a, &r);
        check(&r);
    } else if (proofrecord_parse(text, size - 1, &a, &r, &e) == 0) {
        check(&r);
    } else if (!e.code || !e.msg[0]) {
        abort();
    }
    arena_done(&a);
    return 0;
}
