/* SPDX-License-Identifier: Apache-2.0 */
/* engine_data - constants of data/tables/engines.yaml. */
#include "knowledge/engine_data.h"
#include "engines_gen.h"

const struct engine_room *engine_room(bool cuda)
{
    return cuda ? &room_cuda : &room_cpu;
}

const char *miniforge_version(void)
{
    return miniforge_number;
}

const char *miniforge_url(void)
{
    return miniforge_base;
}
