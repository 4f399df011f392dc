/* SPDX-License-Identifier: Apache-2.0 */
/* driver_packages - how a distribution's own packages bring the NVIDIA driver: typed access to data/tables/driver_packages.yaml. */
#ifndef TG_KNOWLEDGE_DRIVER_PACKAGES_H
#define TG_KNOWLEDGE_DRIVER_PACKAGES_H

struct driver_packages {
    const char *const *ids;     /* ID of os-release; all lists end in NULL */
    const unsigned *majors;     /* of VERSION_ID, ended by 0; NULL: any */
    const char *const *repository, *const *headers, *const *open, *const *closed, *const *enrol; /* commands for root, with {kernel} and {major} */
};
/* id, version: of os-release. NULL: not in the table. */
const struct driver_packages *driver_packages_of(const char *id, const char *version);
#endif
