/* SPDX-License-Identifier: Apache-2.0 */
/* x86state - registers and stack frame as x86scan knows them: reads, writes, what a call leaves, joins of two paths. */
#include <string.h>
#include "base/util.h"
#include "formats/x86effect.h"

enum { PF_WRITE = 2 };
static const struct x86_val unknown = {.kind = X86_UNKNOWN};

static struct x86_val number(int64_t v) { return (struct x86_val){.kind = X86_CONST, .v = v}; }

bool x86_same(struct x86_val a, struct x86_val b)
{
    return a.kind == b.kind && (a.kind == X86_UNKNOWN || (a.v == b.v && a.arg == b.arg));
}

/* Bits [from, to) of a mask, one word at a time. */
static uint64_t bits_of_word(size_t word, size_t from, size_t to)
{
    size_t lo = word * 64, a = from > lo ? from - lo : 0, b = to < lo + 64 ? to - lo : 64;
    return (b == 64 ? UINT64_MAX : ((uint64_t)1 << b) - 1) & (UINT64_MAX << a);
}

static void know(struct x86_state *st, size_t from, size_t n)
{
    for (size_t w = from / 64; n && w <= (from + n - 1) / 64; w++)
        st->known[w] |= bits_of_word(w, from, from + n);
}

static bool knows(const struct x86_state *st, size_t from, size_t n)
{
    for (size_t w = from / 64; n && w <= (from + n - 1) / 64; w++) {
        uint64_t want = bits_of_word(w, from, from + n);
        if ((st->known[w] & want) != want)
            return false;
    }
    return true;
}

static bool has_slot(const struct x86_state *st, size_t i) { return st->slots >> i & 1; }

static void set_slot(struct x86_state *st, size_t i, struct x86_val v)
{
    st->slot[i] = v;
    st->slots |= (uint64_t)(v.kind != X86_UNKNOWN) << i;
}

void x86_entry_state(struct x86_state *st, const struct x86_val *args, const struct x86_given *given)
{
    static const uint8_t regs[6] = {X86_RDI, X86_RSI, X86_RDX, X86_RCX, X86_R8, X86_R9};
    memset(st, 0, sizeof *st);
    st->reg[X86_RSP] = (struct x86_val){.kind = X86_FRAME};
    for (uint8_t i = 0; i < 6; i++)
        st->reg[regs[i]] = args ? args[i] : (struct x86_val){.kind = X86_ARG, .arg = i};
    if (!given)
        return;
    st->given = st->escaped = -X86_GIVEN;
    st->reg[X86_RSP].v = -X86_GIVEN - 8;
    memcpy(st->frame + X86_FRAME_BYTES - X86_GIVEN, given->bytes, X86_GIVEN);
    know(st, X86_FRAME_BYTES - X86_GIVEN, X86_GIVEN);
    for (size_t i = 0; i < X86_GIVEN / 8; i++)
        set_slot(st, X86_FRAME_SLOTS - X86_GIVEN / 8 + i, given->slot[i]);
}

struct x86_val x86_fit(struct x86_val v, unsigned size)
{
    if (size == 8)
        return v;
    if (v.kind != X86_CONST)
        return unknown;
    return number((int64_t)((uint64_t)v.v & (size == 4 ? 0xFFFFFFFFu : size == 2 ? 0xFFFFu : 0xFFu)));
}

static bool frame_index(struct x86_val at, size_t n, size_t *ret)
{
    if (at.kind != X86_FRAME || at.v < -X86_FRAME_BYTES || at.v >= 0 || n > (size_t)-at.v)
        return false;
    *ret = (size_t)(at.v + X86_FRAME_BYTES);
    return true;
}

void x86_forget_frame(struct x86_state *st, int64_t from, int64_t n)
{
    int64_t lo = from < -X86_FRAME_BYTES ? -X86_FRAME_BYTES : from, hi = n > -from ? 0 : from + n;
    if (hi > st->given)
        hi = st->given;
    if (lo >= hi)
        return;
    size_t a = (size_t)(lo + X86_FRAME_BYTES), b = (size_t)(hi + X86_FRAME_BYTES);
    for (size_t w = a / 64; w <= (b - 1) / 64; w++)
        st->known[w] &= ~bits_of_word(w, a, b);
    st->slots &= ~bits_of_word(0, a / 8, (b - 1) / 8 + 1);
}

/* A write of n bytes that we do not follow. */
void x86_forget_mem(struct x86_state *st, struct x86_val at, int64_t n)
{
    if (at.kind == X86_FRAME && at.v < 0)
        x86_forget_frame(st, at.v, n);
    else if (at.kind == X86_UNKNOWN)
        x86_forget_frame(st, st->escaped, -st->escaped);
}

void x86_write_mem(const struct x86_effect_env *env, struct x86_state *st, struct x86_val at, struct x86_val v, unsigned size)
{
    size_t i;
    if (at.kind == X86_ARG && env->on_store)
        env->on_store(env->ctx, at, x86_fit(v, size), (uint8_t)size, env->at, st);
    x86_forget_mem(st, at, size);
    if (!frame_index(at, size, &i) || at.v + (int64_t)size > st->given)
        return;
    v = x86_fit(v, size);
    if (v.kind == X86_CONST) {
        for (unsigned b = 0; b < size; b++)
            st->frame[i + b] = (unsigned char)((uint64_t)v.v >> 8 * b);
        know(st, i, size);
    } else if (size == 8 && i % 8 == 0) {
        set_slot(st, i / 8, v);
    }
}

static bool read_only(const struct x86_code *c, uint64_t at, size_t n, uint64_t *ret_off)
{
    for (size_t i = 0; i < c->elf->n_segs; i++) {
        const struct elf_seg *s = &c->elf->segs[i];
        if (s->type == 1 && at >= s->vaddr && at - s->vaddr < s->filesz && n <= s->filesz - (at - s->vaddr))
            return !(s->flags & PF_WRITE) && elf_vaddr_to_off(c->elf, at, ret_off);
    }
    return false;
}

bool x86_read_bytes(const struct x86_code *c, const struct x86_state *st, struct x86_val at, size_t n, unsigned char *dst)
{
    size_t i;
    uint64_t off;
    if (frame_index(at, n, &i)) {
        if (!knows(st, i, n))
            return false;
        memcpy(dst, st->frame + i, n);
        return true;
    }
    return at.kind == X86_CONST && read_only(c, (uint64_t)at.v, n, &off) && bytesrc_read_exact(c->src, off, dst, n) == 0;
}

struct x86_val x86_read_mem(const struct x86_code *c, const struct x86_state *st, struct x86_val at, unsigned size)
{
    size_t i;
    unsigned char raw[8] = {0};
    uint64_t v = 0;
    if (size == 8 && frame_index(at, 8, &i) && i % 8 == 0 && has_slot(st, i / 8))
        return st->slot[i / 8];
    if (size > 8 || !x86_read_bytes(c, st, at, size, raw))
        return unknown;
    for (unsigned b = 0; b < size; b++)
        v |= (uint64_t)raw[b] << 8 * b;
    return number((int64_t)v);
}

/* Frame addresses that the callee is given, or finds where those lead, are open to it from now on. */
static void escape(struct x86_state *st)
{
    static const uint8_t passed[] = {X86_RDI, X86_RSI, X86_RDX, X86_RCX, X86_R8, X86_R9};
    for (size_t i = 0; i < sizeof passed; i++)
        if (st->reg[passed[i]].kind == X86_FRAME && st->reg[passed[i]].v < st->escaped)
            st->escaped = st->reg[passed[i]].v;
    for (bool again = true; again;) {
        again = false;
        for (uint64_t left = st->slots; left; left &= left - 1) {
            int i = __builtin_ctzll(left);
            int64_t at = (int64_t)i * 8 - X86_FRAME_BYTES;
            if (at >= st->escaped && at < st->given && st->slot[i].kind == X86_FRAME && st->slot[i].v < st->escaped) {
                st->escaped = st->slot[i].v;
                again = true;
            }
        }
    }
}

void x86_after_call(struct x86_state *st, bool pure)
{
    static const uint8_t lost[] = {X86_RAX, X86_RCX, X86_RDX, X86_RSI, X86_RDI, X86_R8, X86_R9, 10, 11};
    if (!pure) {
        escape(st);
        x86_forget_frame(st, st->escaped, -st->escaped);
    }
    for (size_t i = 0; i < sizeof lost; i++)
        st->reg[lost[i]] = unknown;
    memset(st->vec, 0, sizeof st->vec);
    st->flags_known = false;
}

static bool join_frame(struct x86_state *into, const struct x86_state *other)
{
    bool changed = false;
    for (size_t w = 0; w < TG_COUNT(into->known); w++) {
        uint64_t same = into->known[w] & other->known[w];
        for (uint64_t left = same; left; left &= left - 1) {
            int b = __builtin_ctzll(left);
            if (into->frame[w * 64 + (size_t)b] != other->frame[w * 64 + (size_t)b])
                same &= ~((uint64_t)1 << b);
        }
        changed |= same != into->known[w];
        into->known[w] = same;
    }
    uint64_t slots = into->slots;
    for (uint64_t left = slots; left; left &= left - 1) {
        size_t i = (size_t)__builtin_ctzll(left);
        if (!has_slot(other, i) || !x86_same(into->slot[i], other->slot[i]))
            into->slots &= ~((uint64_t)1 << i);
    }
    return changed || into->slots != slots;
}

bool x86_join(struct x86_state *into, const struct x86_state *other)
{
    bool changed = false;
    for (size_t i = 0; i < 16; i++) {
        if (into->reg[i].kind != X86_UNKNOWN && !x86_same(into->reg[i], other->reg[i])) {
            into->reg[i] = unknown;
            changed = true;
        }
        if (into->vec[i] && into->vec[i] != other->vec[i]) {
            into->vec[i] = 0;
            changed = true;
        }
    }
    changed |= join_frame(into, other);
    if (other->escaped < into->escaped) {
        into->escaped = other->escaped;
        changed = true;
    }
    return changed;
}
