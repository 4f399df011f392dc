/* SPDX-License-Identifier: Apache-2.0 */
/* x86scan - what a short x86-64 function would do, worked out from its bytes: nothing is executed.
 *
 * An abstract interpreter: a value is a known number, an offset from the stack pointer at entry, an offset from one of the
 * function's pointer arguments, or unknown. Branches that are not decided by known values are followed both ways and the
 * states joined until nothing changes, so loops and cold blocks are sound: what comes out as known holds on every path.
 * What an instruction that it does not model writes becomes unknown. Used for functions that build a library's name, for
 * those that state a version, and to name the functions that another one calls.
 */
#ifndef TG_FORMATS_X86SCAN_H
#define TG_FORMATS_X86SCAN_H
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/bytesrc.h"
#include "formats/elf.h"

enum x86_kind { X86_UNKNOWN, X86_CONST, X86_FRAME, X86_ARG };
struct x86_val {
    uint8_t kind;  /* enum x86_kind */
    uint8_t arg;   /* X86_ARG: which argument, 0..5 */
    int64_t v;     /* X86_CONST: the number or address; X86_FRAME, X86_ARG: offset */
};
enum x86_reg { X86_RAX, X86_RCX, X86_RDX, X86_RBX, X86_RSP, X86_RBP, X86_RSI, X86_RDI, X86_R8, X86_R9 };

enum x86_event {
    X86_CALL, X86_TAIL, X86_RET,
    X86_STORE,     /* to memory of an argument */
    X86_IMMEDIATE, /* a number is stored anywhere; only told by x86_sweep */
};
enum x86_result {
    X86_DONE,          /* every path was followed to its end */
    X86_NOT_UNDERSTOOD /* unknown instruction, jump table, too large, not in the file: what was reported may lack something */
};

struct x86_code { const struct bytesrc *src; const struct elf *elf; };
struct x86_scan; /* workspace of 15 kB and 2.4 kB a block; reused by each call of x86_run */
struct x86_state;

struct x86_seen { /* one event; valid during the callback */
    enum x86_event event;
    uint64_t at;                 /* address of the instruction */
    uint64_t target;             /* CALL, TAIL: address, 0 when indirect */
    struct x86_val to, value;    /* STORE: where and what */
    uint8_t size;                /* STORE: bytes */
    const struct x86_state *st;  /* registers and frame before the instruction; RAX at RET */
};
typedef void x86_callback(void *ctx, const struct x86_seen *seen);

/* What a called function is known to do: return true and fill ret when its result is a known number and it changes nothing. */
typedef bool x86_model(void *ctx, const struct x86_seen *call, uint64_t *ret);

/* Memory of the caller that the function may read and does not change: X86_GIVEN bytes at frame offsets -X86_GIVEN .. -1. */
enum { X86_GIVEN = 128, X86_MAX_CODE = 8192 };
struct x86_given {
    unsigned char bytes[X86_GIVEN];
    struct x86_val slot[X86_GIVEN / 8]; /* a pointer where the kind is not X86_UNKNOWN */
};

struct x86_task {
    uint64_t vaddr, size;           /* size: st_size; 0: unknown, as far as the code goes. At most X86_MAX_CODE */
    const struct x86_val *args;     /* [6]: rdi, rsi, rdx, rcx, r8, r9 at entry; NULL: argument i is X86_ARG i, not a null pointer */
    const struct x86_given *given;  /* or NULL */
    x86_callback *on_event;         /* called in address order, once an instruction, with the joined state; or NULL */
    x86_model *on_call;             /* or NULL: nothing is known of any callee */
    void *ctx;                      /* for both */
};

struct x86_scan *x86_scan_new(struct arena *a, const struct x86_code *code);
/* cost: one read of the function, plus one for each read-only constant that it loads; about 10 us for 150 bytes */
enum x86_result x86_run(struct x86_scan *s, const struct x86_task *task);

struct x86_val x86_get(const struct x86_state *st, enum x86_reg r);
/* The 8-byte value that memory at `at` (frame or read-only data) holds. */
struct x86_val x86_load(const struct x86_scan *s, const struct x86_state *st, struct x86_val at);
/* n bytes of known memory at `at` into dst. false: some are unknown. */
bool x86_bytes(const struct x86_scan *s, const struct x86_state *st, struct x86_val at, size_t n, char *dst);

/* Every direct call and every store of an immediate number in the bytes of a function, reached or not, in address order; no
 * state (seen->st is NULL). X86_NOT_UNDERSTOOD: not all bytes are instructions. */
enum x86_result x86_sweep(struct x86_scan *s, uint64_t vaddr, uint64_t size, x86_callback *cb, void *ctx);

/* Name of the function behind a PLT stub at `vaddr`, through its GOT slot's record in DT_JMPREL; NULL when it is no stub. */
const char *x86_plt_name(const struct x86_code *c, uint64_t vaddr, struct arena *a);
#endif
