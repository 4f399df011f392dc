/* SPDX-License-Identifier: Apache-2.0 */
/* kerasjson - keras.json, Keras' settings, as Keras and TensorFlow's own copy of it read them while they are imported. */
#ifndef TG_FORMATS_KERASJSON_H
#define TG_FORMATS_KERASJSON_H
#include "base/arena.h"

struct kerasjson {
    const char *key, *value; /* the first setting that is refused, and its value as JSON; NULL: none. key "": the document is no object */
    const char *backend;     /* text of "backend"; NULL: not set. Another value than a text is taken as its JSON, which names no backend */
    bool number;             /* the refused one is a number where one with a fraction is wanted */
};

/* kerasjson_read - the file's bytes. What is no JSON for Python (which takes NaN and Infinity) counts as empty, as there.
 *
 * ret:   always filled; texts in `a`
 * cost:  O(n), one copy
 * rules: floatx is float16, float32 or float64; epsilon a number with a point or an exponent; image_data_format channels_last or
 *        channels_first (keras/src/backend/config.py; tensorflow/python/keras/backend.py)
 */
void kerasjson_read(const char *p, size_t n, struct arena *a, struct kerasjson *ret);
#endif
