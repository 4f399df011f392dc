/* SPDX-License-Identifier: Apache-2.0 */
/* pcidev - /proc/bus/pci/devices: one line a PCI function, with the driver that holds it.
 * format: Linux drivers/pci/proc.c, show_device(): bus and devfn, vendor and device, irq, 7 addresses, 7 sizes, driver's name. */
#ifndef TG_FORMATS_PCIDEV_H
#define TG_FORMATS_PCIDEV_H
#include <stdbool.h>
#include <stdint.h>
#include "base/util.h"

struct pcidev {
    uint8_t bus, slot, fn; /* the domain is not stated */
    uint16_t vendor, device;
    struct str driver;     /* n 0: none */
};

/* One line; false when it is not of this form. The driver's name points into `line`. */
bool pcidev_parse(struct str line, struct pcidev *ret);
#endif
