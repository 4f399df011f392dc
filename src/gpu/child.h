/* SPDX-License-Identifier: Apache-2.0 */
/* child - what the two sides of the pipe agree on beside its lines (docs/formats/driver-answers.md). */
#ifndef TG_GPU_CHILD_H
#define TG_GPU_CHILD_H

enum { GPU_CHILD_FD = 3 }; /* the pipe's end in the child; 0 to 2 are /dev/null */
#endif
