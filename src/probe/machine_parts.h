/* SPDX-License-Identifier: Apache-2.0 */
/* machine_parts - the pieces of probe_machine and probe_driver_libs; not for others. Each fills its own facts and may use those
 * that the pieces before it filled; the order is in machine.c. */
#ifndef TG_PROBE_MACHINE_PARTS_H
#define TG_PROBE_MACHINE_PARTS_H
#include <stdbool.h>
#include <stddef.h>
#include "probe/probe.h"

/* gpus.c: f->gpus, f->pci_known. Cost: one read, and per NVIDIA GPU about three more. */
void machine_find_gpus(struct probe *p);
/* wsl.c: the WSL facts of f->driver and the Windows driver's version. Only on WSL2. */
void machine_find_wsl(struct probe *p);
/* driver.c: which kernel driver, whether it is loaded, and, where it is not, why: module files, dkms, Secure Boot, blacklists. */
void machine_find_kmod(struct probe *p);
/* The module file for the running kernel: f->driver.kmod_file and what follows it. */
void machine_find_module_file(struct probe *p);
/* nodes.c: device nodes and who may use them. */
void machine_find_nodes(struct probe *p);

bool machine_exists(struct probe *p, const char *path);              /* follows links; anything */
bool machine_is_dir(struct probe *p, const char *path);
bool machine_is_char(struct probe *p, const char *path);
/* First line of a small file without blanks around it; NULL when it cannot be read or is empty. */
const char *machine_line(struct probe *p, const char *path);
/* A kernel of its own answers under /sys: what is not there is not there. Sandboxes show an empty tree instead. */
bool machine_has_sysfs(struct probe *p);
#endif
