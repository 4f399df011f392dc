/* SPDX-License-Identifier: Apache-2.0 */
/* From the bytes of a log to the answer: the first byte is the size of the pieces. Ranks hold, what is shown is one clean line. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "explain/explain.h"
#include "explain/sniff.h"
#include "report/explained.h"

static void check_clean(const char *s)
{
    if (!s)
        abort();
    for (; *s; s++)
        if ((unsigned char)*s < 0x20 || *s == 0x7f)
            abort();
}

static void check(const struct explained *x, const struct explained *before)
{
    check_clean(x->line);
    for (size_t i = 0; i < x->n_values; i++)
        check_clean(x->values[i].value);
    if (!x->count || !x->line_number || !x->file || (before && before->entry->kind > x->entry->kind) || (x->cause && x->entry->kind != KIND_SYMPTOM))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct term term = {.width = 80};
    struct arena a;
    struct buf out;
    static struct arena life;
    static struct explain_catalog k;
    static struct explain *x; /* the catalogue is prepared once for all inputs */
    struct explain_answer answer = {0};
    struct err e = {0};
    if (size == 0)
        return 0;
    size_t step = data[0] ? data[0] : 4096;
    data++;
    size--;
    arena_init(&a, 0);
    buf_init(&out, 0);
    (void)sniff(data, size);
    k = catalog_shipped();
    if (!x && explain_new(&life, &k, NULL, &x, &e) < 0)
        abort();
    explain_again(x, &a);
    explain_file(x, "f");
    for (size_t i = 0; i < size; i += step)
        explain_feed(x, data + i, size - i < step ? size - i : step);
    explain_end(x);
    explain_judge(x, &answer);
    for (size_t i = 0; i < answer.n; i++)
        check(&answer.found[i], i ? &answer.found[i - 1] : NULL);
    for (size_t i = 0; i < answer.n_codes; i++) {
        check_clean(answer.codes[i].line);
        check_clean(explain_code_text(&a, &answer.codes[i]));
        if (!answer.codes[i].count || !answer.codes[i].line_number || !answer.codes[i].file)
            abort();
    }
    report_explained(&a, &answer, true, &term, &out);
    for (size_t i = 0; i < out.len; i++)
        if ((unsigned char)out.p[i] < 0x20 && out.p[i] != '\n')
            abort();
    buf_reset(&out);
    report_explained_json(&a, &answer, &out);
    buf_done(&out);
    arena_done(&a);
    return 0;
}
