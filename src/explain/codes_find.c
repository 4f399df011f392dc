/* SPDX-License-Identifier: Apache-2.0 */
/* codes_find - codes as a user types them: "xid:79", "cudaErrorNoDevice", "cudnn8:3", "700". */
#include <string.h>
#include "base/util.h"
#include "explain/explain.h"

static const struct { const char *name; uint8_t family; enum explain_numbering numbering; } families[] = {
    {"xid", FAMILY_XID, NUMBERING_NEW}, {"cuda", FAMILY_CUDA, NUMBERING_NEW}, {"cudart", FAMILY_CUDA, NUMBERING_BOTH}, {"cudnn", FAMILY_CUDNN, NUMBERING_BOTH},
    {"cudnn8", FAMILY_CUDNN, NUMBERING_OLD}, {"cudnn9", FAMILY_CUDNN, NUMBERING_NEW}, {"nvml", FAMILY_NVML, NUMBERING_NEW}, {"nccl", FAMILY_NCCL, NUMBERING_NEW},
    {"cublas", FAMILY_CUBLAS, NUMBERING_NEW}};

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

static bool same_letters(const char *a, const char *b)
{
    while (*a && *b && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

static void add(struct explained_reading *out, size_t max, size_t *n, const struct explain_code *row, enum explain_numbering numbering)
{
    for (size_t i = 0; i < *n; i++)
        if (out[i].row == row)
            return;
    if (*n < max)
        out[(*n)++] = (struct explained_reading){row, numbering};
}

static void by_number(uint32_t number, int family, enum explain_numbering which, struct explained_reading *out, size_t max, size_t *n)
{
    for (size_t i = 0; number && i < EXPLAIN_N_CODES; i++) {
        const struct explain_code *row = &explain_codes[i];
        if (family >= 0 && row->family != family)
            continue;
        bool first = number == (uint32_t)row->number, second = number == (uint32_t)row->number2;
        if (first && which != NUMBERING_OLD)
            add(out, max, n, row, second ? NUMBERING_BOTH : NUMBERING_NEW);
        else if (second && which != NUMBERING_NEW)
            add(out, max, n, row, NUMBERING_OLD);
    }
}

/* The number behind a family's name and one of ":", "=", a blank or nothing. */
static bool split(const char *text, size_t family, uint32_t *ret)
{
    size_t n = strlen(families[family].name);
    for (size_t i = 0; i < n; i++)
        if (lower(text[i]) != families[family].name[i])
            return false;
    text += n + (text[n] == ':' || text[n] == '=' || text[n] == ' ');
    return str_to_u32(text, ret) == 0;
}

size_t explain_code_find(const char *text, struct explained_reading *out, size_t max)
{
    size_t n = 0;
    uint32_t number;
    for (size_t i = 0; i < EXPLAIN_N_CODES; i++)
        for (int k = 0; k < 2; k++) {
            uint32_t name = k ? explain_codes[i].name2 : explain_codes[i].name;
            if (name && same_letters(text, explain_str(name)))
                add(out, max, &n, &explain_codes[i], NUMBERING_BOTH);
        }
    for (size_t i = 0; n == 0 && i < TG_COUNT(families); i++)
        if (split(text, i, &number))
            by_number(number, families[i].family, families[i].numbering, out, max, &n);
    if (n == 0 && str_to_u32(text, &number) == 0)
        by_number(number, -1, NUMBERING_BOTH, out, max, &n);
    return n;
}
