/* SPDX-License-Identifier: Apache-2.0 */
/* jsonflow - JSON (RFC 8259) as a stream of events, in constant memory: for documents that are too large to be held, as notebooks
 * with pictures are. Documents that fit are jansson's. */
#ifndef TG_FORMATS_JSONFLOW_H
#define TG_FORMATS_JSONFLOW_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JSONFLOW_DEPTH = 256, JSONFLOW_KEY = 128 };

enum jsonflow_event {
    JSONFLOW_OBJECT, JSONFLOW_OBJECT_END, JSONFLOW_ARRAY, JSONFLOW_ARRAY_END,
    JSONFLOW_KEY_IS,     /* p, n: the name of what comes next, cut at JSONFLOW_KEY bytes */
    JSONFLOW_TEXT,       /* p, n: a piece of a string, without escapes, never empty; half a pair of surrogates is U+FFFD */
    JSONFLOW_STRING_END, /* after its pieces */
    JSONFLOW_SCALAR,     /* p, n: a number, true, false or null as it is written, cut at JSONFLOW_KEY bytes */
};
/* The bytes are gone when it returns. */
typedef void jsonflow_fn(void *ctx, enum jsonflow_event event, const char *p, size_t n);

struct jsonflow {
    jsonflow_fn *fn;
    void *ctx;
    uint64_t at;            /* bytes read */
    int state;
    unsigned depth;
    unsigned char is_object[JSONFLOW_DEPTH / 8];
    bool is_key, failed;
    uint32_t hex, high;     /* of a \u escape; first half of a pair */
    unsigned n_hex;
    char word[JSONFLOW_KEY]; size_t n_word;
};

void jsonflow_init(struct jsonflow *j, jsonflow_fn *fn, void *ctx);
/* The document, in pieces of any size. What does not decide where things begin and end (the spelling of numbers) is not checked.
 * errors: -EBADMSG at j->at: no JSON, deeper than JSONFLOW_DEPTH, or something behind the value but blanks
 * cost:   one pass */
int jsonflow_feed(struct jsonflow *j, const char *p, size_t n);
/* The document ends. -ENODATA: in its middle. */
int jsonflow_end(const struct jsonflow *j);
#endif
