/* SPDX-License-Identifier: Apache-2.0 */
/* x86dec - one x86-64 instruction: its length, opcode and operands. Knows nothing of what instructions do. */
#ifndef TG_FORMATS_X86DEC_H
#define TG_FORMATS_X86DEC_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum x86_map { X86_MAP_ONE, X86_MAP_0F, X86_MAP_0F38, X86_MAP_0F3A };
enum { X86_NO_REG = 255 };

struct x86_insn {
    uint8_t len;          /* bytes, 1..15 */
    uint8_t map, op;      /* enum x86_map and the opcode byte */
    uint8_t rep;          /* 0, 0xF2 or 0xF3 */
    bool w, opsize16, vex, lock, fs, addr32;
    uint8_t vvvv, vec_bytes; /* VEX, EVEX: third operand; width of vectors (16 for SSE) */
    bool has_modrm, is_mem;
    uint8_t reg, rm;      /* operands of modrm, extended; rm only when not is_mem */
    uint8_t base, index, scale; /* memory operand: X86_NO_REG when absent; scale is the shift */
    bool rip;             /* base is the next instruction */
    int32_t disp;
    bool has_imm;
    int64_t imm;          /* sign-extended as the instruction does */
};

/* x86_decode - one instruction from up to n bytes. Covers general, SSE, VEX and EVEX encodings in 64-bit mode.
 * returns its length, or 0 when the bytes are no instruction of that kind or end too early. O(1), no I/O. */
size_t x86_decode(const unsigned char *p, size_t n, struct x86_insn *ret);
#endif
