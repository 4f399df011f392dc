/* SPDX-License-Identifier: Apache-2.0 */
/* A line of code of a .pth file: any bytes. Items are whole C strings, and nothing but splices, removals and site folders has them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "formats/pthcode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct pthcode_scope scope = {.sitedir = "/sp", .cwd = "/cwd", .home = "/home/u", .prefix = "/env"};
    struct arena a;
    struct pthcode_effect *x;
    size_t n;
    arena_init(&a, 0);
    pthcode_parse((struct str){(const char *)data, size}, &scope, &a, &x, &n);
    for (size_t i = 0; i < n; i++) {
        bool wants_one = x[i].op == PTHCODE_REMOVE || x[i].op == PTHCODE_SITEDIR || (x[i].unless_there && x[i].op == PTHCODE_SPLICE);
        if ((wants_one && x[i].n_items != 1) || (x[i].n_items && x[i].op > PTHCODE_SETENV) || (x[i].op == PTHCODE_SETENV && x[i].n_items > 2) || (x[i].op == PTHCODE_ERROR && n != 1))
            abort();
        for (size_t k = 0; k < x[i].n_items; k++)
            if (strlen(x[i].items[k]) > 8192)
                abort();
    }
    arena_done(&a);
    return 0;
}
