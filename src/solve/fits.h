/* SPDX-License-Identifier: Apache-2.0 */
/* fits - does one release on one Python satisfy the parts of an ask? The parts can be switched off one by one, which is how reasons and
 * changes are found. Private to src/solve. */
#ifndef TG_SOLVE_FITS_H
#define TG_SOLVE_FITS_H
#include "knowledge/releases.h"
#include "solve/solve.h"

/* Bits of a mask: enum solve_part, then one for each different compute capability (SOLVE_GPU's own bit is not used). */
enum { SOLVE_MAX_CC = 8, FITS_PYTHONS = 32, SOLVE_ALL = (1u << (SOLVE_N_PARTS + SOLVE_MAX_CC)) - 1 };
#define PART(p) (1u << (p))
#define GPU_PART(i) (1u << (SOLVE_N_PARTS + (i)))

struct scope {              /* an ask made ready */
    struct arena *a;
    const struct solve_ask *ask;
    uint32_t cc[SOLVE_MAX_CC]; size_t n_cc; /* different capabilities; more than SOLVE_MAX_CC: the last bit has the rest */
    unsigned python, here;  /* CPython 3 minors; 0 none */
    uint8_t *memo;          /* does a plan without frameworks exist: 0 not asked yet, 1 no, 2 yes */
};
struct driver_range { const char *min; uint32_t last; /* branch; 0 none */ bool exists; };

void scope_init(struct arena *a, const struct solve_ask *ask, struct scope *ret);
/* Forgets what was remembered of the ask: it has changed. The memory is its own from then on. */
void scope_forget(struct scope *s);
size_t scope_cc(const struct scope *s, uint32_t cc); /* index in cc */
uint32_t cuda_major_of(const struct release *r);
const char *driver_floor_of(const struct scope *s, uint32_t cuda_major); /* on this system; NULL no row */
/* Drivers on which this release runs these GPUs. */
struct driver_range fits_driver(const struct scope *s, const struct release *r, unsigned mask);
enum solve_code_fit { FIT_NATIVE, FIT_JIT, FIT_UNREAD, FIT_NONE };
enum solve_code_fit fits_code(const struct release *r, uint32_t cc);
enum solve_code_fit fits_cudnn(const struct scope *s, const char *dist, const char *version, unsigned mask);
const char *fits_glibc(const struct release *r);

struct plan {
    const struct release *r;
    unsigned python;
    struct solve_pin *pins; size_t n_pins;
    const char *cudnn_dist, *cudnn, *cudnn_newest;
    const struct release *donor;        /* whose extra the pins are; NULL: it has none */
    const char **no_wheel; size_t n_no_wheel; /* pins of the extra that cannot be installed */
    bool numpy_held;
    const struct framework_release **with; /* [ask->n_with], NULL: not here */
};
/* Everything but the frameworks. */
bool fits(struct scope *s, const struct release *r, unsigned python, unsigned mask);
/* Pins for it together with the frameworks `with` (NULL entries and NULL: none); false: they do not agree. */
bool plan_pins(struct scope *s, const struct release *r, unsigned python, unsigned mask, const struct framework_release *const *with, struct plan *ret);
/* The newest release of a framework that can be had on its own; *ret_python its Python. NULL: none.
 * last: driver branch beyond which the machine's GPUs are not known, 0 none: where the driver is free, it must not have to be beyond that */
const struct framework_release *framework_alone(struct scope *s, const struct solve_want *w, unsigned mask, uint32_t last, unsigned *ret_python);
bool framework_fits(struct scope *s, const struct framework_release *t, const struct solve_want *w, unsigned python, unsigned mask, uint32_t last);
const char *framework_driver(const struct scope *s, const struct framework_release *t);
#endif
