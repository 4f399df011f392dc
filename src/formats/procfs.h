/* SPDX-License-Identifier: Apache-2.0 */
/* procfs - single values of the kernel's texts about memory, limits, control groups and PCI Express links.
 * format: Linux Documentation/filesystems/proc.rst, admin-guide/cgroup-v1/memory.rst, admin-guide/cgroup-v2.rst,
 * drivers/pci/probe.c (pci_speed_string) */
#ifndef TG_FORMATS_PROCFS_H
#define TG_FORMATS_PROCFS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"

/* /proc/meminfo: "MemTotal:  16384 kB" as bytes. false: no such line, or no number. */
bool meminfo_get(const char *text, size_t len, const char *key, uint64_t *ret_bytes);

struct proc_limit { bool unlimited; uint64_t value; };
/* /proc/PID/limits: the soft limit of "Max locked memory". */
bool proc_limit_get(const char *text, size_t len, const char *name, struct proc_limit *ret);

/* /proc/PID/cgroup: the group's path in the hierarchy that has `controller`, or, with NULL, in the unified one ("0::/path").
 * NULL: it is not listed, or the path is not absolute. */
const char *cgroup_path(const char *text, size_t len, const char *controller, struct arena *a);

/* How many numbers a list such as "0-3,8" names ("Cpus_allowed_list:" of /proc/PID/status); false: the text has no such line, or it is
 * not understood. */
bool cpu_list_count(const char *text, size_t len, const char *key, uint32_t *ret);
/* cpu.max of a control group: "150000 100000" is 150 percent of one processor; false for "max" and everything else. */
bool cpu_quota(const char *text, size_t len, uint32_t *ret_percent);
/* One number of a file of sysfs or of a control group; false for "max" and everything else. */
bool sysfs_number(const char *text, size_t len, uint64_t *ret);

/* "16.0 GT/s PCIe" as the generation, 4; 0: not a speed of PCI Express ("Unknown"). */
uint32_t pcie_generation(const char *text);
#endif
