/* SPDX-License-Identifier: Apache-2.0 */
/* x86effect - effects of the instructions that compilers use to build short strings and to state constants; whatever else
 * occurs makes unknown what it might write. */
#include "formats/x86effect.h"
#include <string.h>

static const struct x86_val unknown = {.kind = X86_UNKNOWN};

static struct x86_val number(int64_t v) { return (struct x86_val){.kind = X86_CONST, .v = v}; }

static struct x86_val shifted(struct x86_val a, int64_t by)
{
    if (a.kind != X86_UNKNOWN)
        a.v = (int64_t)((uint64_t)a.v + (uint64_t)by);
    return a;
}

static void set_reg(struct x86_state *st, unsigned r, struct x86_val v, unsigned size)
{
    st->reg[r & 15] = size < 4 ? unknown : x86_fit(v, size); /* 8 and 16 bits keep the rest of the register */
}

static struct x86_val address(const struct x86_effect_env *env, const struct x86_insn *in, const struct x86_state *st)
{
    if (in->fs || in->addr32)
        return unknown;
    struct x86_val a = in->rip ? number((int64_t)env->next) : in->base == X86_NO_REG ? number(0) : st->reg[in->base];
    if (in->index != X86_NO_REG) {
        struct x86_val x = st->reg[in->index];
        if (x.kind != X86_CONST)
            return unknown;
        a = shifted(a, (int64_t)((uint64_t)x.v << in->scale));
    }
    return shifted(a, in->disp);
}

static unsigned op_size(const struct x86_insn *in, bool is_byte)
{
    return is_byte ? 1 : in->w ? 8 : in->opsize16 ? 2 : 4;
}

static struct x86_val read_rm(const struct x86_effect_env *env, const struct x86_insn *in, const struct x86_state *st, unsigned size)
{
    if (in->is_mem)
        return x86_read_mem(env->code, st, address(env, in, st), size);
    if (size == 1 && in->rm >= 4)
        return unknown; /* ah..bh or spl..dil: not told apart */
    return x86_fit(st->reg[in->rm], size);
}

static void write_rm(const struct x86_effect_env *env, const struct x86_insn *in, struct x86_state *st, struct x86_val v, unsigned size)
{
    if (in->is_mem)
        x86_write_mem(env, st, address(env, in, st), v, size);
    else
        set_reg(st, size == 1 ? in->rm & 3 : in->rm, v, size);
    if (!in->is_mem && size == 1)
        st->reg[in->rm] = unknown;
}

static int64_t sign_extend(int64_t v, unsigned size)
{
    return size == 8 ? v : size == 4 ? (int32_t)v : size == 2 ? (int16_t)v : (int8_t)v;
}

static void compare(struct x86_state *st, struct x86_val a, struct x86_val b, unsigned size, bool is_test)
{
    st->flags_known = false;
    if (a.kind == X86_CONST && b.kind == X86_CONST) {
        int64_t x = sign_extend(a.v, size), y = sign_extend(b.v, size), both = x & y;
        st->zero = is_test ? both == 0 : x == y;
        st->less = is_test ? both < 0 : x < y;
        st->below = !is_test && (uint64_t)x86_fit(a, size).v < (uint64_t)x86_fit(b, size).v;
        st->flags_known = true;
    } else if (size == 8 && a.kind == X86_ARG && (is_test ? x86_same(a, b) : b.kind == X86_CONST && b.v == 0)) {
        st->zero = st->less = st->below = false; /* a pointer argument is not NULL */
        st->flags_known = true;
    }
}

int x86_condition(const struct x86_state *st, unsigned cc)
{
    bool r;
    if (!st->flags_known)
        return -1;
    switch (cc >> 1) {
    case 1: r = st->below; break;
    case 2: r = st->zero; break;
    case 3: r = st->below || st->zero; break;
    case 6: r = st->less; break;
    case 7: r = st->less || st->zero; break;
    default: return -1;
    }
    return r != (cc & 1);
}

static struct x86_val arithmetic(unsigned what, struct x86_val a, struct x86_val b)
{
    bool both = a.kind == X86_CONST && b.kind == X86_CONST;
    uint64_t x = (uint64_t)a.v, y = (uint64_t)b.v;
    if (what == 0 && (both || b.kind == X86_CONST))
        return shifted(a, b.v);
    if (what == 5 && b.kind == X86_CONST)
        return shifted(a, (int64_t)(0 - y));
    if (what == 4 && a.kind == X86_FRAME && b.kind == X86_CONST && b.v >= -64 && b.v < 0) {
        a.v = (int64_t)((x + 8) & y) - 8; /* stack alignment; the caller's is taken as 64 * k + 8 */
        return a;
    }
    if (!both || what == 2 || what == 3)
        return unknown;
    return number((int64_t)(what == 1 ? x | y : what == 4 ? x & y : x ^ y));
}

/* add or adc sbb and sub xor cmp, in all their forms; `what` is the number in that order. */
static void alu(const struct x86_effect_env *env, const struct x86_insn *in, struct x86_state *st, unsigned what, bool is_byte,
                bool to_reg, bool with_imm)
{
    unsigned size = op_size(in, is_byte);
    bool plain = !in->has_modrm; /* al/eax with an immediate */
    struct x86_val reg = x86_fit(plain ? st->reg[X86_RAX] : st->reg[in->reg], size), rm = plain ? reg : read_rm(env, in, st, size);
    struct x86_val imm = number(in->imm), a = to_reg ? reg : rm, b = with_imm ? imm : to_reg ? rm : reg;
    if (is_byte && !with_imm && in->reg >= 4)
        a = b = unknown;
    if (what == 7) {
        compare(st, a, b, size, false);
        return;
    }
    bool cleared = !with_imm && !plain && !in->is_mem && in->reg == in->rm && (what == 5 || what == 6);
    struct x86_val v = cleared ? number(0) : arithmetic(what, a, b);
    st->flags_known = false;
    if (plain)
        set_reg(st, X86_RAX, v, size);
    else if (to_reg)
        st->reg[in->reg] = size < 4 ? unknown : x86_fit(v, size);
    else
        write_rm(env, in, st, v, size);
}

static void push(const struct x86_effect_env *env, struct x86_state *st, struct x86_val v)
{
    st->reg[X86_RSP] = shifted(st->reg[X86_RSP], -8);
    x86_write_mem(env, st, st->reg[X86_RSP], v, 8);
}

static struct x86_val pop(const struct x86_effect_env *env, struct x86_state *st)
{
    struct x86_val v = x86_read_mem(env->code, st, st->reg[X86_RSP], 8);
    st->reg[X86_RSP] = shifted(st->reg[X86_RSP], 8);
    return v;
}

/* ins, movs, stos: as far as the count says, from rdi upwards or downwards. */
static void clobber_string(const struct x86_effect_env *env, struct x86_state *st)
{
    struct x86_val to = st->reg[X86_RDI];
    if (to.kind == X86_FRAME || to.kind == X86_UNKNOWN)
        x86_forget_frame(st, -X86_FRAME_BYTES, X86_FRAME_BYTES);
    if (to.kind == X86_ARG && env->on_store)
        env->on_store(env->ctx, (struct x86_val){.kind = X86_ARG, .arg = to.arg}, unknown, 8, env->at, st);
}

static void clobber(const struct x86_effect_env *env, const struct x86_insn *in, struct x86_state *st)
{
    bool is_string = in->map == X86_MAP_ONE && !in->vex &&
                     ((in->op >= 0xA4 && in->op <= 0xA5) || (in->op >= 0xAA && in->op <= 0xAB) || (in->op >= 0x6C && in->op <= 0x6D));
    static const uint8_t implicit[] = {X86_RAX, X86_RCX, X86_RDX, X86_RSI, X86_RDI};
    struct x86_val at = in->is_mem ? address(env, in, st) : unknown; /* before its registers are lost */
    if (is_string)
        clobber_string(env, st);
    for (size_t i = 0; i < sizeof implicit; i++)
        st->reg[implicit[i]] = unknown;
    if (in->has_modrm) {
        st->reg[in->reg & 15] = unknown;
        st->vec[in->reg & 15] = 0;
        if (in->is_mem) {
            x86_forget_mem(st, at, 64);
            if (at.kind == X86_ARG && env->on_store)
                env->on_store(env->ctx, at, unknown, 8, env->at, st);
        } else {
            st->reg[in->rm & 15] = unknown;
            st->vec[in->rm & 15] = 0;
        }
    } else if (in->map == X86_MAP_ONE && in->op >= 0x50 && in->op <= 0xBF) {
        st->reg[in->rm & 15] = unknown;
    }
    st->flags_known = false;
}

static bool effect_group(const struct x86_effect_env *env, const struct x86_insn *in, struct x86_state *st)
{
    unsigned sub = in->reg & 7;
    bool is_byte = in->op == 0x80 || in->op == 0xC6 || in->op == 0xF6;
    unsigned size = op_size(in, is_byte);
    switch (in->op) {
    case 0x80: case 0x81: case 0x83:
        alu(env, in, st, sub, is_byte, false, true);
        return true;
    case 0xC6: case 0xC7:
        if (sub)
            return false;
        write_rm(env, in, st, number(in->imm), size);
        return true;
    case 0xF6: case 0xF7:
        if (sub > 1)
            return false;
        compare(st, read_rm(env, in, st, size), number(in->imm), size, true);
        return true;
    case 0xFF:
        if (sub != 6)
            return false;
        push(env, st, read_rm(env, in, st, 8));
        return true;
    default:
        return false;
    }
}

static bool effect_move(const struct x86_effect_env *env, const struct x86_insn *in, struct x86_state *st)
{
    unsigned size = op_size(in, in->op == 0x84 || in->op == 0x88 || in->op == 0x8A || in->op == 0xA8);
    switch (in->op) {
    case 0x63:
        st->reg[in->reg] = read_rm(env, in, st, 4);
        if (st->reg[in->reg].kind == X86_CONST)
            st->reg[in->reg] = x86_fit(number((int32_t)st->reg[in->reg].v), size);
        return true;
    case 0x68: case 0x6A:
        push(env, st, number(in->imm));
        return true;
    case 0x84: case 0x85: {
        struct x86_val reg = size == 1 && in->reg >= 4 ? unknown : x86_fit(st->reg[in->reg], size);
        compare(st, read_rm(env, in, st, size), reg, size, true);
        return true;
    }
    case 0xA8: case 0xA9:
        compare(st, x86_fit(st->reg[X86_RAX], size), number(in->imm), size, true);
        return true;
    case 0x88: case 0x89:
        write_rm(env, in, st, size == 1 && in->reg >= 4 ? unknown : st->reg[in->reg], size);
        return true;
    case 0x8A: case 0x8B:
        if (size == 1 && !in->is_mem)
            st->reg[in->reg & 3] = unknown;
        set_reg(st, in->reg, read_rm(env, in, st, size), size);
        if (size == 1)
            st->reg[in->reg & 3] = unknown;
        return true;
    case 0x8D:
        if (!in->is_mem)
            return false;
        set_reg(st, in->reg, address(env, in, st), size);
        return true;
    case 0x90:
        if (in->rm == 0)
            return true;
        return false;
    case 0xC9:
        st->reg[X86_RSP] = st->reg[X86_RBP];
        st->reg[X86_RBP] = pop(env, st);
        return true;
    default:
        return effect_group(env, in, st);
    }
}

static bool effect_one_byte(const struct x86_effect_env *env, const struct x86_insn *in, struct x86_state *st)
{
    unsigned op = in->op;
    if (op < 0x40) {
        alu(env, in, st, op >> 3, !(op & 1), in->has_modrm && op & 2, !in->has_modrm);
        return true;
    }
    if (op >= 0x50 && op <= 0x57) {
        push(env, st, st->reg[in->rm]);
        return true;
    }
    if (op >= 0x58 && op <= 0x5F) {
        struct x86_val v = pop(env, st);
        st->reg[in->rm] = v;
        return true;
    }
    if (op >= 0xB8 && op <= 0xBF) {
        set_reg(st, in->rm, number(in->imm), op_size(in, false));
        return true;
    }
    return effect_move(env, in, st);
}

/* Vector moves: enough to see text copied from read-only data into the frame, and zeroes. */
static bool effect_vector(const struct x86_effect_env *env, const struct x86_insn *in, struct x86_state *st)
{
    bool scalar = in->rep && in->op != 0x6F && in->op != 0x7F;
    unsigned size = scalar ? (in->rep == 0xF3 ? 4 : 8) : in->vec_bytes;
    unsigned char raw[64];
    switch (in->op) {
    case 0x10: case 0x28: case 0x6F: {
        struct x86_val at = in->is_mem ? address(env, in, st) : unknown;
        st->vec[in->reg & 15] = in->is_mem ? (at.kind == X86_CONST && !scalar ? (uint64_t)at.v : 0) : st->vec[in->rm & 15];
        return true;
    }
    case 0x57: case 0xEF:
        if (in->is_mem || in->reg != in->rm || (in->vex && in->vvvv != in->rm))
            return false;
        st->vec[in->reg & 15] = 1;
        return true;
    case 0x13: case 0x17: case 0xD6:
        size = 8;
        break;
    case 0x11: case 0x29: case 0x7F:
        break;
    default:
        return false;
    }
    if (!in->is_mem) {
        st->vec[in->rm & 15] = 0;
        return true;
    }
    struct x86_val at = address(env, in, st);
    uint64_t from = in->op == 0x17 ? 0 : st->vec[in->reg & 15];
    bool have = from == 1 || (from && x86_read_bytes(env->code, st, number((int64_t)from), size, raw));
    if (from == 1)
        memset(raw, 0, sizeof raw);
    x86_forget_mem(st, at, size);
    for (unsigned i = 0; have && i < size; i++)
        x86_write_mem(env, st, shifted(at, i), number(raw[i]), 1);
    if (!have && at.kind == X86_ARG)
        x86_write_mem(env, st, at, unknown, 8);
    return true;
}

static bool effect_two_byte(const struct x86_effect_env *env, const struct x86_insn *in, struct x86_state *st)
{
    unsigned op = in->op;
    if (op == 0x1E || op == 0x1F || op == 0x0D || op == 0x18)
        return true; /* endbr64, nop, prefetch */
    if (op >= 0x40 && op <= 0x4F) {
        struct x86_val v = read_rm(env, in, st, op_size(in, false)), old = st->reg[in->reg];
        int taken = x86_condition(st, op & 15);
        set_reg(st, in->reg, taken == 1 || x86_same(v, old) ? v : taken == 0 ? old : unknown, op_size(in, false));
        return true;
    }
    if (op >= 0x90 && op <= 0x9F) {
        int taken = x86_condition(st, op & 15);
        write_rm(env, in, st, taken < 0 ? unknown : number(taken), 1);
        return true;
    }
    if (op == 0xB6 || op == 0xB7) {
        st->reg[in->reg] = read_rm(env, in, st, op == 0xB6 ? 1 : 2);
        return true;
    }
    return effect_vector(env, in, st);
}

void x86_effect(const struct x86_effect_env *env, const struct x86_insn *in, struct x86_state *st)
{
    bool done = false;
    if (in->lock)
        done = false;
    else if (in->vex)
        done = in->map == X86_MAP_0F && (in->op == 0x77 || effect_vector(env, in, st));
    else if (in->map == X86_MAP_ONE && (!in->rep || in->op == 0x90))
        done = effect_one_byte(env, in, st);
    else if (in->map == X86_MAP_0F)
        done = effect_two_byte(env, in, st);
    if (!done)
        clobber(env, in, st);
}

