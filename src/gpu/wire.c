/* SPDX-License-Identifier: Apache-2.0 */
/* wire - values of a driver call as text. No allocation: it runs in the driver child between calls into foreign code. */
#include <stdio.h>
#include <string.h>
#include "gpu/calls.h"

static void put(struct gpu_out *o, const char *s, size_t n)
{
    size_t room = sizeof o->text - 1 - o->len;
    n = n < room ? n : room;
    memcpy(o->text + o->len, s, n);
    o->len += n;
    o->text[o->len] = '\0';
}

static void separate(struct gpu_out *o)
{
    if (o->len)
        put(o, " ", 1);
}

void gpu_put_i64(struct gpu_out *o, int64_t v)
{
    char s[24] = "";
    (void)snprintf(s, sizeof s, "%lld", (long long)v);
    separate(o);
    put(o, s, strlen(s));
}

void gpu_put_u64(struct gpu_out *o, uint64_t v)
{
    char s[24] = "";
    (void)snprintf(s, sizeof s, "%llu", (unsigned long long)v);
    separate(o);
    put(o, s, strlen(s));
}

void gpu_put_text(struct gpu_out *o, const char *s, size_t max)
{
    size_t n = strnlen(s, max);
    separate(o);
    for (size_t i = 0; i < n; i++) {
        char c = (unsigned char)s[i] < ' ' || s[i] == 127 ? ' ' : s[i];
        put(o, &c, 1);
    }
}

void gpu_put_uuid(struct gpu_out *o, const char *prefix, const unsigned char b[16])
{
    static const char hex[] = "0123456789abcdef";
    separate(o);
    put(o, prefix, strlen(prefix));
    for (size_t i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            put(o, "-", 1);
        char two[2] = {hex[b[i] >> 4], hex[b[i] & 15]};
        put(o, two, 2);
    }
}
