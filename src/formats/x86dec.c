/* SPDX-License-Identifier: Apache-2.0 */
/* x86dec - instruction lengths and operands; format: Intel SDM volume 2, chapter 2 and opcode maps of appendix A. */
#include "formats/x86dec.h"
#include <string.h>

enum {
    NO = 0, PL = 1, M = 2, I8 = 4, IZ = 8, IW = 16, MO = 32, IV = 64, G3 = 128, /* what follows an opcode; bits add up */
    M8 = M | I8, MZ = M | IZ, W8 = IW | I8, G8 = M | I8 | G3, GZ = M | IZ | G3,
};
/* NO not valid (or a prefix), PL nothing, M modrm, I8/IW immediate of 8/16 bits, IZ 32 bits (16 with 0x66), IV the same but
 * 64 with REX.W, MO 8-byte address, G3 the immediate only for /0 and /1. */
static const uint8_t one_byte[256] = {
    M, M, M, M, I8, IZ, NO, NO, M, M, M, M, I8, IZ, NO, NO, /* %X0 */
    M, M, M, M, I8, IZ, NO, NO, M, M, M, M, I8, IZ, NO, NO, /* %X0 */
    M, M, M, M, I8, IZ, NO, NO, M, M, M, M, I8, IZ, NO, NO, /* %X0 */
    M, M, M, M, I8, IZ, NO, NO, M, M, M, M, I8, IZ, NO, NO, /* %X0 */
    NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, /* %X0 */
    PL, PL, PL, PL, PL, PL, PL, PL, PL, PL, PL, PL, PL, PL, PL, PL, /* %X0 */
    NO, NO, NO, M, NO, NO, NO, NO, IZ, MZ, I8, M8, PL, PL, PL, PL, /* %X0 */
    I8, I8, I8, I8, I8, I8, I8, I8, I8, I8, I8, I8, I8, I8, I8, I8, /* %X0 */
    M8, MZ, NO, M8, M, M, M, M, M, M, M, M, M, M, M, M, /* %X0 */
    PL, PL, PL, PL, PL, PL, PL, PL, PL, PL, NO, PL, PL, PL, PL, PL, /* %X0 */
    MO, MO, MO, MO, PL, PL, PL, PL, I8, IZ, PL, PL, PL, PL, PL, PL, /* %X0 */
    I8, I8, I8, I8, I8, I8, I8, I8, IV, IV, IV, IV, IV, IV, IV, IV, /* %X0 */
    M8, M8, IW, PL, NO, NO, M8, MZ, W8, PL, IW, PL, PL, I8, NO, PL, /* %X0 */
    M, M, M, M, NO, NO, NO, PL, M, M, M, M, M, M, M, M, /* %X0 */
    I8, I8, I8, I8, I8, I8, I8, I8, IZ, IZ, NO, I8, PL, PL, PL, PL, /* %X0 */
    NO, PL, NO, NO, PL, PL, G8, GZ, PL, PL, PL, PL, PL, PL, M, M, /* %X0 */
};

static uint8_t shape_of(unsigned map, unsigned op)
{
    if (map == X86_MAP_0F38)
        return M;
    if (map == X86_MAP_0F3A)
        return M8;
    if (map == X86_MAP_ONE)
        return one_byte[op];
    if ((op >= 0x05 && op <= 0x09) || op == 0x0B || (op >= 0x30 && op <= 0x37) || op == 0x77 || (op >= 0xA0 && op <= 0xA2) ||
        (op >= 0xA8 && op <= 0xAA) || (op >= 0xC8 && op <= 0xCF))
        return PL;
    if (op >= 0x80 && op <= 0x8F)
        return IZ;
    if ((op >= 0x70 && op <= 0x73) || op == 0xA4 || op == 0xAC || op == 0xBA || op == 0xC2 || (op >= 0xC4 && op <= 0xC6))
        return M8;
    return op == 0x04 || op == 0x0A || op == 0x0C || op == 0x0E || op == 0x0F ? NO : M;
}

struct cur { const unsigned char *p; size_t n, at; bool bad; };

static uint8_t byte(struct cur *c)
{
    if (c->at >= c->n || c->at >= 15) {
        c->bad = true;
        return 0;
    }
    return c->p[c->at++];
}

static uint64_t bytes(struct cur *c, unsigned n)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < n; i++)
        v |= (uint64_t)byte(c) << 8 * i;
    return v;
}

struct rex { bool w, r, x, b; unsigned evex_scale; };

static void read_modrm(struct cur *c, const struct rex *x, struct x86_insn *i)
{
    uint8_t m = byte(c), mod = m >> 6, rm = m & 7;
    i->has_modrm = true;
    i->reg = (uint8_t)((m >> 3 & 7) | (x->r ? 8 : 0));
    i->rm = (uint8_t)(rm | (x->b ? 8 : 0));
    i->base = i->index = X86_NO_REG;
    i->is_mem = mod != 3;
    if (!i->is_mem)
        return;
    i->base = i->rm;
    if (rm == 4) {
        uint8_t s = byte(c), index = (uint8_t)((s >> 3 & 7) | (x->x ? 8 : 0));
        i->scale = s >> 6;
        i->index = index == 4 ? X86_NO_REG : index;
        i->base = (uint8_t)((s & 7) | (x->b ? 8 : 0));
        if ((s & 7) == 5 && mod == 0)
            i->base = X86_NO_REG;
    } else if (rm == 5 && mod == 0) {
        i->base = X86_NO_REG;
        i->rip = true;
    }
    if (mod == 1)
        i->disp = (int8_t)byte(c) * (int32_t)(x->evex_scale ? x->evex_scale : 1);
    else if (mod == 2 || i->base == X86_NO_REG)
        i->disp = (int32_t)(uint32_t)bytes(c, 4);
}

/* Behind C5, C4 or 62. */
static void read_vex(struct cur *c, uint8_t lead, struct rex *x, struct x86_insn *i)
{
    static const uint8_t reps[4] = {0, 0, 0xF3, 0xF2};
    uint8_t a = byte(c), b = lead == 0xC5 ? a : byte(c);
    i->vex = true;
    x->r = !(a & 0x80);
    i->map = X86_MAP_0F;
    if (lead != 0xC5) {
        x->x = !(a & 0x40);
        x->b = !(a & 0x20);
        x->w = b & 0x80;
        i->map = a & (lead == 0x62 ? 7 : 31);
        if (i->map < X86_MAP_0F || i->map > X86_MAP_0F3A)
            c->bad = true;
    }
    i->opsize16 = (b & 3) == 1;
    i->rep = reps[b & 3];
    i->vvvv = (uint8_t)(~b >> 3 & 15);
    i->vec_bytes = b & 4 ? 32 : 16;
    if (lead == 0x62) {
        uint8_t d = byte(c);
        i->vec_bytes = (uint8_t)(16u << (d >> 5 & 3));
        x->evex_scale = 16u << (d >> 5 & 3); /* full vectors; broadcast and scalar forms differ, lengths do not */
    }
    i->op = byte(c);
}

static void read_opcode(struct cur *c, struct rex *x, struct x86_insn *i)
{
    uint8_t b = byte(c);
    for (; b == 0x66 || b == 0xF2 || b == 0xF3 || b == 0xF0 || b == 0x2E || b == 0x36 || b == 0x3E || b == 0x26 || b == 0x64 ||
           b == 0x65 || b == 0x67; b = byte(c)) {
        i->addr32 |= b == 0x67;
        i->opsize16 |= b == 0x66;
        i->lock |= b == 0xF0;
        i->fs |= b == 0x64 || b == 0x65;
        if (b == 0xF2 || b == 0xF3)
            i->rep = b;
        if (c->bad)
            return;
    }
    if ((b & 0xF0) == 0x40) {
        x->w = b & 8;
        x->r = b & 4;
        x->x = b & 2;
        x->b = b & 1;
        b = byte(c);
    }
    if (b == 0xC4 || b == 0xC5 || b == 0x62) {
        read_vex(c, b, x, i);
        return;
    }
    i->op = b;
    if (b != 0x0F)
        return;
    i->map = X86_MAP_0F;
    i->op = byte(c);
    if (i->op == 0x38 || i->op == 0x3A) {
        i->map = i->op == 0x38 ? X86_MAP_0F38 : X86_MAP_0F3A;
        i->op = byte(c);
    }
}

static void read_imm(struct cur *c, uint8_t shape, struct x86_insn *i)
{
    if (shape & G3 && (i->reg & 7) > 1)
        return;
    i->has_imm = true;
    if (shape & MO)
        i->imm = (int64_t)bytes(c, 8);
    if (shape & IW)
        i->imm = (int64_t)bytes(c, 2);
    bool branch = (i->map == X86_MAP_ONE && (i->op == 0xE8 || i->op == 0xE9)) || (i->map == X86_MAP_0F && shape == IZ);
    if (shape & IV && i->w)
        i->imm = (int64_t)bytes(c, 8);
    else if (shape & (IZ | IV))
        i->imm = i->opsize16 && !branch ? (int16_t)bytes(c, 2) : (int32_t)(uint32_t)bytes(c, 4);
    if (shape & I8) {
        int64_t b = (int8_t)byte(c);
        if (!(shape & IW))
            i->imm = b;
    }
}

size_t x86_decode(const unsigned char *p, size_t n, struct x86_insn *ret)
{
    struct cur c = {.p = p, .n = n};
    struct rex x = {0};
    memset(ret, 0, sizeof *ret);
    ret->base = ret->index = X86_NO_REG;
    ret->vec_bytes = 16;
    read_opcode(&c, &x, ret);
    ret->w = x.w;
    uint8_t shape = c.bad ? NO : shape_of(ret->map, ret->op);
    if (ret->vex && shape == IZ)
        shape = M; /* opmask instructions of AVX-512 sit where the branches are */
    if (shape == NO)
        return 0;
    if (shape & M)
        read_modrm(&c, &x, ret);
    else if (ret->map == X86_MAP_ONE && ret->op >= 0x50 && ret->op <= 0xBF)
        ret->rm = (uint8_t)((ret->op & 7) | (x.b ? 8 : 0)); /* push, pop, xchg, mov immediate */
    if (shape & (I8 | IZ | IW | MO | IV))
        read_imm(&c, shape, ret);
    ret->len = (uint8_t)c.at;
    return c.bad ? 0 : c.at;
}
