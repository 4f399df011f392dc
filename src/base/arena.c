/* SPDX-License-Identifier: Apache-2.0 */
/* arena - memory that is freed all at once. */
#include "base/arena.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BLOCK = 2 * 1024, BLOCK_SIZE = 32 * 1024, ALIGN = 16 };

struct arena_block {
    struct arena_block *next;
    size_t used, size;
    _Alignas(ALIGN) unsigned char data[];
};

static _Noreturn void out_of_memory(void)
{
    fputs("tfgpu: out of memory\n", stderr);
    exit(3);
}

void arena_init(struct arena *a, size_t max_bytes)
{
    *a = (struct arena){.max = max_bytes};
}

void arena_done(struct arena *a)
{
    for (struct arena_block *b = a->head, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    *a = (struct arena){.max = a->max};
}

static struct arena_block *block_new(size_t size)
{
    struct arena_block *b = size > SIZE_MAX - sizeof *b ? NULL : malloc(sizeof *b + size);
    if (!b)
        out_of_memory();
    *b = (struct arena_block){.size = size};
    return b;
}

void *arena_raw(struct arena *a, size_t size)
{
    size_t n;
    if (__builtin_add_overflow(size, (size_t)(ALIGN - 1), &n))
        out_of_memory();
    n &= ~(size_t)(ALIGN - 1);
    if (n == 0)
        n = ALIGN;
    if (a->max && (n > a->max || a->used > a->max - n))
        out_of_memory();
    a->used += n;
    struct arena_block *b = a->head;
    if (b && b->size - b->used >= n) {
        void *p = b->data + b->used;
        b->used += n;
        return p;
    }
    size_t next = !b ? FIRST_BLOCK : b->size < BLOCK_SIZE / 2 ? b->size * 2 : BLOCK_SIZE; /* short-lived arenas stay small */
    if (n > next / 4) { /* big ones get a block of their own behind the current one */
        struct arena_block *big = block_new(n);
        big->used = n;
        if (b) {
            big->next = b->next;
            b->next = big;
        } else {
            a->head = big;
        }
        return big->data;
    }
    struct arena_block *fresh = block_new(next);
    fresh->next = b;
    a->head = fresh;
    fresh->used = n;
    return fresh->data;
}

void *arena_alloc(struct arena *a, size_t size)
{
    void *p = arena_raw(a, size);
    return memset(p, 0, size ? size : 1);
}

void *arena_array(struct arena *a, size_t count, size_t size)
{
    size_t n;
    if (__builtin_mul_overflow(count, size, &n))
        out_of_memory();
    return arena_alloc(a, n);
}

void *arena_grow(struct arena *a, void *array, size_t count, size_t size)
{
    if (count == 0)
        return arena_array(a, 8, size);
    if (!arena_is_full(count))
        return array;
    void *p = arena_array(a, count * 2, size);
    memcpy(p, array, count * size);
    return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
    size_t size;
    if (__builtin_add_overflow(n, (size_t)1, &size))
        out_of_memory();
    char *p = arena_raw(a, size);
    if (n)
        memcpy(p, s, n);
    p[n] = '\0';
    return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
    return s ? arena_strndup(a, s, strlen(s)) : NULL;
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
    char small[256];
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(small, sizeof small, fmt, ap);
    if (n < 0)
        out_of_memory();
    char *p;
    if ((size_t)n < sizeof small) {
        p = arena_strndup(a, small, (size_t)n);
    } else {
        p = arena_alloc(a, (size_t)n + 1);
        vsnprintf(p, (size_t)n + 1, fmt, again);
    }
    va_end(again);
    return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *p = arena_vprintf(a, fmt, ap);
    va_end(ap);
    return p;
}
