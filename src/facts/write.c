/* SPDX-License-Identifier: Apache-2.0 */
/* write - the facts as a file. */
#include "facts/snapshot.h"
#include "version_gen.h"

void facts_write(const struct facts *f, struct buf *out)
{
    struct jw w;
    jw_init(&w, out);
    jw_obj(&w, NULL);
    jw_str(&w, "schema", "tfgpu.facts/1");
    jw_str(&w, "tfgpu", TFGPU_VERSION);
    jw_str(&w, "data", TFGPU_DATA_REVISION);
    fact_facts_json(&w, "facts", f);
    jw_obj_end(&w);
    buf_addc(out, '\n');
}
