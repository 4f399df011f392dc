/* SPDX-License-Identifier: Apache-2.0 */
/* modprobe - does a modprobe.d file or the kernel's command line keep a module from being loaded?
 * format: modprobe.d(5): "blacklist NAME" (automatic loading), "install NAME COMMAND", "alias NAME off"; kernel command line:
 * modprobe.blacklist=A,B, module_blacklist=A,B, rd.driver.blacklist=A,B, NAME.modeset=0 */
#ifndef TG_FORMATS_MODPROBE_H
#define TG_FORMATS_MODPROBE_H
#include <stdbool.h>
#include <stddef.h>

/* `module`: with underscores; '-' and '_' count as the same. */
bool modprobe_blocks(const char *text, size_t len, const char *module);
bool cmdline_blocks(const char *text, size_t len, const char *module);
#endif
