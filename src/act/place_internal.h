/* SPDX-License-Identifier: Apache-2.0 */
/* place_internal - what place.c and place_tree.c share. Private to them. */
#ifndef TG_ACT_PLACE_INTERNAL_H
#define TG_ACT_PLACE_INTERNAL_H
#include "act/place.h"

enum { FOLDER_MODE = 0755, MODE_BITS = 07777 };
int place_fail(struct err *e, int code, const char *path); /* returns code */
void place_close_fd(int *fd);
/* Where nothing is yet. */
int place_rename_new(const struct place *p, const char *from, const char *to, struct err *e);
#endif
