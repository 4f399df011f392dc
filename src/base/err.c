/* SPDX-License-Identifier: Apache-2.0 */
/* err - why tfgpu could not do its own work. */
#include "base/err.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/buf.h"

int err_set(struct err *e, int code, const char *fmt, ...)
{
    if (!e)
        return code;
    char raw[sizeof e->msg];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(raw, sizeof raw, fmt, ap);
    va_end(ap);
    struct buf b;
    buf_init(&b, sizeof e->msg - 1);
    if (n > 0)
        buf_add_safe(&b, raw, strlen(raw));
    e->code = code;
    memcpy(e->msg, b.p ? b.p : "", b.len);
    e->msg[b.len] = '\0';
    buf_done(&b);
    return code;
}
