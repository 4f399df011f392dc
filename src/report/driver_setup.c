/* SPDX-License-Identifier: Apache-2.0 */
/* driver_setup - the driver's packages as text. */
#include "report/driver_setup.h"
#include <string.h>
#include "base/i18n.h"
#include "report/text_util.h"

void report_driver_setup(struct arena *a, const struct driver_setup *d, bool as_root, const struct term *term, struct buf *out)
{
    const struct report r = {.a = a, .term = term};
    if (d->why_not) {
        para(&r, out, 0, arena_printf(a, _("No driver is to be installed here: %s."), d->why_not));
        return;
    }
    para(&r, out, 0, _("Nothing of this is done by tfgpu: it changes the system. As root:"));
    for (size_t i = 0; i < d->n_steps; i++) {
        const struct driver_step *s = &d->steps[i];
        buf_addc(out, '\n');
        labelled(&r, out, 1, arena_printf(a, "%zu.", i + 1), 4, s->title);
        for (size_t k = 0; k < s->n_commands; k++) {
            buf_adds(out, as_root ? "     " : "     sudo ");
            buf_add_safe(out, s->commands[k], strlen(s->commands[k]));
            buf_addc(out, '\n');
        }
        if (s->note)
            para(&r, out, 5, s->note);
    }
    buf_addc(out, '\n');
    para(&r, out, 0, _("Then: tfgpu check"));
}
