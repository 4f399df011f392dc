/* SPDX-License-Identifier: Apache-2.0 */
/* pb2 - the head of a Python file that protoc generated: which protobuf runtime may import it.
 * Format: output of protoc --python_out, 3.6 to 6.31. */
#ifndef TG_FORMATS_PB2_H
#define TG_FORMATS_PB2_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pb2_style {
    PB2_UNKNOWN,
    PB2_DESCRIPTORS, /* protoc < 3.19: builds descriptors by hand; the runtime from 4.21 on refuses that */
    PB2_BUILDER,     /* protoc 3.19 (3.20 with its builder module): no statement of a version */
    PB2_VERSIONED,   /* protoc 5.26 and later: calls ValidateProtobufRuntimeVersion with `version` */
};
struct pb2 {
    enum pb2_style style;
    bool needs_builder;      /* imports google.protobuf.internal.builder, which a runtime before 3.20 does not have */
    uint32_t version[3];     /* PB2_VERSIONED: version of the generated code */
};

/* pb2_parse - text,len: the beginning of the file (4 kB hold the head of all styles). Never fails: PB2_UNKNOWN. */
struct pb2 pb2_parse(const char *text, size_t len);
#endif
