/* SPDX-License-Identifier: Apache-2.0 */
/* x86effect - the state that x86scan follows, and what one instruction does to it. Internal to x86scan. */
#ifndef TG_FORMATS_X86EFFECT_H
#define TG_FORMATS_X86EFFECT_H
#include "formats/x86dec.h"
#include "formats/x86scan.h"

enum { X86_FRAME_BYTES = 512, X86_FRAME_SLOTS = X86_FRAME_BYTES / 8, X86_VECS = 16 };

struct x86_state {
    struct x86_val reg[16];
    uint64_t vec[X86_VECS];          /* address of the read-only data that a vector register holds; 0 unknown, 1 zeroes */
    /* The 512 bytes below the stack pointer at entry; [0] is the lowest. Numbers live in the bytes, pointers in slots. */
    unsigned char frame[X86_FRAME_BYTES];
    uint64_t known[X86_FRAME_BYTES / 64]; /* one bit a byte of `frame` */
    uint64_t slots;                  /* one bit a slot: a pointer lies there */
    struct x86_val slot[X86_FRAME_SLOTS]; /* at 8-aligned offsets; meaningless without its bit */
    int64_t given;                   /* what lies here and above is the caller's and stays */
    int64_t escaped;                 /* lowest frame offset that a callee was given: it may write there and above */
    bool flags_known;
    bool zero, less, below;          /* of the last compare: ZF, SF != OF, CF */
};

struct x86_effect_env {
    const struct x86_code *code;
    uint64_t at, next;               /* addresses of the instruction and of the one behind it */
    void (*on_store)(void *ctx, struct x86_val to, struct x86_val value, uint8_t size, uint64_t at, const struct x86_state *st);
    void *ctx;
};

/* x86state.c: the state itself. */
bool x86_same(struct x86_val a, struct x86_val b);
struct x86_val x86_fit(struct x86_val v, unsigned size); /* the low bytes; unknown for a part of a pointer */
void x86_forget_frame(struct x86_state *st, int64_t from, int64_t n);
void x86_forget_mem(struct x86_state *st, struct x86_val at, int64_t n); /* a write of n bytes that is not followed */
void x86_write_mem(const struct x86_effect_env *env, struct x86_state *st, struct x86_val at, struct x86_val v, unsigned size);
void x86_entry_state(struct x86_state *st, const struct x86_val *args, const struct x86_given *given);
void x86_effect(const struct x86_effect_env *env, const struct x86_insn *in, struct x86_state *st);
/* pure: the callee changes no memory that is followed. */
void x86_after_call(struct x86_state *st, bool pure);
/* Condition code 0..15 of the last compare: 1 taken, 0 not, -1 unknown. */
int x86_condition(const struct x86_state *st, unsigned cc);
/* Lower `into` to what holds in both. Returns whether it changed. */
bool x86_join(struct x86_state *into, const struct x86_state *other);
struct x86_val x86_read_mem(const struct x86_code *c, const struct x86_state *st, struct x86_val at, unsigned size);
bool x86_read_bytes(const struct x86_code *c, const struct x86_state *st, struct x86_val at, size_t n, unsigned char *dst);
#endif
