/* SPDX-License-Identifier: Apache-2.0 */
/* tf_record - what a distribution's RECORD says of the files that matter: read once in one pass, kept for all who ask. */
#ifndef TG_PROBE_TF_RECORD_H
#define TG_PROBE_TF_RECORD_H
#include <stdbool.h>
#include <stdint.h>
#include "probe/probe.h"

struct tf_file {
    const char *path;    /* relative to the folder that holds tensorflow/ */
    const char *sha256;  /* URL-safe base64 without padding (43 characters), or NULL */
    bool has_size;
    uint64_t size;       /* bytes */
};

struct tf_record {
    enum fact_state state;  /* ABSENT: no RECORD (system packages, develop installs) */
    const char *path;       /* of RECORD */
    int64_t mtime_ns;       /* of RECORD: what was installed with it is not newer */
    bool lists_package;     /* tensorflow/__init__.py is in it */
    uint32_t n_python;      /* Python files below tensorflow/, RECORD_TENSORFLOW only */
    struct tf_file *files; size_t n_files; /* the part that was asked for */
};

enum record_part {
    RECORD_TENSORFLOW, /* shared objects below tensorflow/, and the Python files of its first steps */
    RECORD_LIBRARIES,  /* shared objects anywhere */
};

/* Read `info`/RECORD. Cost: one read per 64 kB and one memchr per line, TensorFlow's headers passed over; nothing is
 * kept but the wanted entries. */
void tf_record_read(struct probe *p, const char *info, enum record_part part, struct tf_record *ret);
/* RECORD_LIBRARIES of one of p->f->packages that has an `info`, read at the first call. Kept in `p`. */
const struct tf_record *tf_record_libraries(struct probe *p, const struct fact_package *k);
/* The entry of a path below tensorflow/ ("libtensorflow_framework.so.2"), or NULL. */
const struct tf_file *tf_record_find(const struct tf_record *r, const char *path);
#endif
