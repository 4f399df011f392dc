/* SPDX-License-Identifier: Apache-2.0 */
/* err - why tfgpu could not do its own work (a fault of the judged machine is a finding, not an err). */
#ifndef TG_BASE_ERR_H
#define TG_BASE_ERR_H

struct err {
    int code;       /* negative errno, 0 = none */
    char msg[256];  /* one line: what, where, why; no trailing newline; control characters already escaped */
};

/* Fill `e` (NULL is fine) and return `code`, so that a function can end with `return err_set(...)`. */
int err_set(struct err *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
#endif
