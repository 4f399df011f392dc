/* SPDX-License-Identifier: Apache-2.0 */
/* engine_data - where engines come from and how much room what they make takes. Data: data/tables/engines.yaml. */
#ifndef TG_KNOWLEDGE_ENGINE_DATA_H
#define TG_KNOWLEDGE_ENGINE_DATA_H
#include <stdbool.h>
#include <stdint.h>

struct engine_room {
    uint32_t installed_mib; /* the environment */
    uint32_t fetched_mib;   /* what an engine keeps of its downloads besides, as they came */
};
const struct engine_room *engine_room(bool cuda);
const char *miniforge_version(void);
const char *miniforge_url(void); /* the folder of all versions; no slash at its end */
#endif
