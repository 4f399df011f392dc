/* SPDX-License-Identifier: Apache-2.0 */
/* pcidev - lines of /proc/bus/pci/devices. */
#include "formats/pcidev.h"

/* Next field, ended by a tab or the end; blanks around it are dropped. */
static bool field(struct str *rest, struct str *ret)
{
    size_t i = 0;
    if (!rest->p)
        return false;
    while (i < rest->n && rest->p[i] != '\t')
        i++;
    *ret = str_trim((struct str){rest->p, i});
    *rest = i < rest->n ? (struct str){rest->p + i + 1, rest->n - i - 1} : (struct str){NULL, 0};
    return true;
}

bool pcidev_parse(struct str line, struct pcidev *ret)
{
    enum { NUMBERS = 1 + 7 + 7 }; /* irq, addresses, sizes */
    struct str rest = line, place, ids, skip, driver = {NULL, 0};
    uint64_t p, i;
    if (!field(&rest, &place) || !field(&rest, &ids) || place.n != 4 || ids.n != 8)
        return false;
    if (str_to_u64(place.p, place.n, 16, &p) < 0 || str_to_u64(ids.p, ids.n, 16, &i) < 0)
        return false;
    for (int n = 0; n < NUMBERS; n++)
        if (!field(&rest, &skip))
            return false;
    (void)field(&rest, &driver); /* the last field is missing in very old kernels */
    *ret = (struct pcidev){.bus = (uint8_t)(p >> 8), .slot = (uint8_t)(p >> 3 & 31), .fn = (uint8_t)(p & 7),
                           .vendor = (uint16_t)(i >> 16), .device = (uint16_t)i, .driver = driver};
    return true;
}
