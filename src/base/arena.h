/* SPDX-License-Identifier: Apache-2.0 */
/* arena - memory that is freed all at once. Knows nothing of what is stored in it. */
#ifndef TG_BASE_ARENA_H
#define TG_BASE_ARENA_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct arena_block;
struct arena {
    struct arena_block *head; /* newest block; NULL while empty */
    size_t used;              /* bytes handed out in all */
    size_t max;               /* limit for `used`; 0 = none */
};

/* Allocation never returns NULL: running out of memory (or of `max`) ends the process with exit code 3 and one line,
 * because no caller could do better. Sizes that come from a file must be bounded by the caller first. */
void arena_init(struct arena *a, size_t max_bytes);
void arena_done(struct arena *a); /* frees everything; the arena may be used again afterwards */

void *arena_alloc(struct arena *a, size_t size);              /* 16-byte aligned, zeroed */
void *arena_raw(struct arena *a, size_t size);                /* the same, not zeroed: for what is read from a file */
void *arena_array(struct arena *a, size_t count, size_t size); /* checked count*size, zeroed */
/* Grow an array of `count` elements of `size` bytes by one element when it is full (capacities double, starting at 8).
 * Returns the array, moved or not; element [count] is zeroed and free to use. */
void *arena_grow(struct arena *a, void *array, size_t count, size_t size);
static inline bool arena_is_full(size_t count) /* capacities are 8, 16, 32 … */
{
    return (count & (count - 1)) == 0 && (count >= 8 || count == 0);
}
char *arena_strdup(struct arena *a, const char *s);                 /* NULL gives NULL */
char *arena_strndup(struct arena *a, const char *s, size_t n);      /* n bytes, NUL added; embedded NULs are kept */
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
/* Append one zeroed element to (array, count) and give its address: struct x *e = ARENA_PUSH(a, v->items, v->n_items); */
#define ARENA_PUSH(a, array, count) \
    (*((void **)&(array)) = arena_is_full(count) ? arena_grow((a), (array), (count), sizeof *(array)) : (array), &(array)[(count)++])
#endif
