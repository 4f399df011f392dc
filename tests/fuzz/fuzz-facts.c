/* SPDX-License-Identifier: Apache-2.0 */
/* A facts file: read, judged, printed; what is written of it is read again as the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "facts/snapshot.h"
#include "report/report.h"
#include "rules/judge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct term term = {.width = 80};
    struct arena a;
    struct facts f, again;
    struct buf first, second;
    struct err e = {0};
    struct judgement j;
    arena_init(&a, 0);
    buf_init(&first, 0);
    buf_init(&second, 0);
    if (facts_read(&a, (const char *)data, size, &f, &e) == 0) {
        facts_write(&f, &first);
        if (facts_read(&a, first.p, first.len, &again, &e) < 0)
            abort();
        facts_write(&again, &second);
        if (first.len != second.len || memcmp(first.p, second.p, first.len) != 0)
            abort();
        judge_run(&a, &f, &j);
        const struct report r = {.a = &a, .f = &f, .j = &j, .term = &term, .verbose = true};
        buf_reset(&first);
        report_text(&r, &first);
        for (size_t i = 0; i < first.len; i++)
            if ((unsigned char)first.p[i] < 0x20 && first.p[i] != '\n')
                abort();
        buf_reset(&first);
        report_json(&r, &first);
    } else if (!e.msg[0]) {
        abort();
    }
    buf_done(&first);
    buf_done(&second);
    arena_done(&a);
    return 0;
}
