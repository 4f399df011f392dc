/* SPDX-License-Identifier: Apache-2.0 */
/* x86scan - abstract interpretation of one function; blocks, joins, fixpoint. Effects of instructions: x86effect.c. */
#include "formats/x86scan.h"
#include <string.h>
#include "formats/x86effect.h"

enum { MAX_BLOCKS = 160, MAX_STATES = 64, MAX_STEPS = 20000, DEFAULT_SIZE = 2048 };

struct block {
    uint32_t begin;      /* offset in the function */
    bool dirty;
    struct x86_state *in; /* NULL: not reached */
};

struct x86_scan {
    struct x86_code code;
    struct block blocks[MAX_BLOCKS];
    size_t n_blocks, n_states;
    struct x86_state *states[MAX_STATES]; /* of the blocks that are reached; made when first needed */
    struct arena *a;
    unsigned char text[X86_MAX_CODE];
    uint64_t vaddr;
    uint32_t size, swept; /* bytes read; bytes that the linear sweep decoded */
    unsigned char begins[X86_MAX_CODE / 8]; /* one bit a byte of the text: a block begins there */
    uint32_t steps;       /* instructions interpreted in this run */
    bool lost;            /* some path was not understood */
};

struct x86_scan *x86_scan_new(struct arena *a, const struct x86_code *code)
{
    struct x86_scan *s = ARENA_NEW(a, struct x86_scan);
    s->code = *code;
    s->a = a;
    return s;
}

static bool is_jcc(const struct x86_insn *i)
{
    return (i->map == X86_MAP_ONE && i->op >= 0x70 && i->op <= 0x7F) || (i->map == X86_MAP_0F && !i->vex && i->op >= 0x80 && i->op <= 0x8F);
}

static bool is_jmp(const struct x86_insn *i)
{
    return i->map == X86_MAP_ONE && (i->op == 0xE9 || i->op == 0xEB);
}

static bool is_jmp_indirect(const struct x86_insn *i)
{
    return i->map == X86_MAP_ONE && i->op == 0xFF && ((i->reg & 7) == 4 || (i->reg & 7) == 5);
}

static bool is_ret(const struct x86_insn *i)
{
    return i->map == X86_MAP_ONE && (i->op == 0xC3 || i->op == 0xC2);
}

static bool is_trap(const struct x86_insn *i)
{
    return (i->map == X86_MAP_0F && i->op == 0x0B) || (i->map == X86_MAP_ONE && (i->op == 0xCC || i->op == 0xF4));
}

static struct block *find_block(struct x86_scan *s, uint32_t off)
{
    if (!(s->begins[off / 8] >> off % 8 & 1))
        return NULL;
    for (size_t i = 0; i < s->n_blocks; i++)
        if (s->blocks[i].begin == off)
            return &s->blocks[i];
    return NULL;
}

static void add_block(struct x86_scan *s, int64_t off)
{
    if (off < 0 || off >= (int64_t)s->size || find_block(s, (uint32_t)off))
        return;
    if (s->n_blocks == MAX_BLOCKS) {
        s->lost = true;
        return;
    }
    size_t i = s->n_blocks++;
    for (; i && s->blocks[i - 1].begin > (uint32_t)off; i--)
        s->blocks[i].begin = s->blocks[i - 1].begin;
    s->blocks[i].begin = (uint32_t)off;
    s->begins[off / 8] |= (unsigned char)(1u << off % 8);
}

/* Every direct jump's target begins a block. Without a stated size the sweep ends behind the last place that is jumped to. */
static void sweep(struct x86_scan *s, bool sized)
{
    struct x86_insn in;
    uint32_t off = 0, furthest = 0;
    s->n_blocks = 0;
    memset(s->begins, 0, sizeof s->begins);
    add_block(s, 0);
    while (off < s->size && x86_decode(s->text + off, s->size - off, &in)) {
        off += in.len;
        bool jump = is_jcc(&in) || is_jmp(&in);
        if (jump) {
            int64_t to = (int64_t)off + in.imm;
            add_block(s, to);
            if (to > furthest && to < (int64_t)s->size)
                furthest = (uint32_t)to;
        }
        if (!sized && off > furthest && (is_jmp(&in) || is_ret(&in) || is_trap(&in) || is_jmp_indirect(&in)))
            break;
    }
    s->swept = off;
}

static struct x86_state *new_state(struct x86_scan *s)
{
    if (s->n_states == MAX_STATES)
        return NULL;
    if (!s->states[s->n_states])
        s->states[s->n_states] = ARENA_NEW(s->a, struct x86_state);
    return s->states[s->n_states++];
}

static void enter(struct x86_scan *s, int64_t off, const struct x86_state *st)
{
    struct block *b = off >= 0 && off < (int64_t)s->swept ? find_block(s, (uint32_t)off) : NULL;
    if (b && b->in) {
        b->dirty |= x86_join(b->in, st);
        return;
    }
    struct x86_state *in = b ? new_state(s) : NULL;
    if (!in) {
        s->lost = true;
        return;
    }
    *in = *st;
    in->flags_known = false;
    b->in = in;
    b->dirty = true;
}

struct run { struct x86_scan *s; const struct x86_task *task; bool loud; };

static void tell(const struct run *r, const struct x86_seen *seen)
{
    if (r->loud && r->task->on_event)
        r->task->on_event(r->task->ctx, seen);
}

/* A jump that leaves the function is a tail call. */
static void jump_to(const struct run *r, int64_t off, uint64_t at, const struct x86_state *st)
{
    struct x86_scan *s = r->s;
    if (off >= 0 && off < (int64_t)s->size) {
        if (!r->loud)
            enter(s, off, st);
        return;
    }
    struct x86_seen seen = {.event = X86_TAIL, .at = at, .target = s->vaddr + (uint64_t)off, .st = st};
    tell(r, &seen);
}

/* Ends the block? Jumps are followed here. */
static bool leave(const struct run *r, const struct x86_insn *in, uint32_t next, struct x86_state *st)
{
    uint64_t at = r->s->vaddr + next - in->len;
    if (is_ret(in)) {
        struct x86_seen seen = {.event = X86_RET, .at = at, .st = st};
        tell(r, &seen);
        return true;
    }
    if (is_trap(in))
        return true;
    if (is_jmp(in)) {
        jump_to(r, (int64_t)next + in->imm, at, st);
        return true;
    }
    if (is_jmp_indirect(in)) {
        /* Through a register: a call through a pointer, or a jump table whose targets we cannot see. */
        struct x86_seen seen = {.event = X86_TAIL, .at = at, .st = st};
        tell(r, &seen);
        r->s->lost = true;
        return true;
    }
    if (is_jcc(in)) {
        int taken = x86_condition(st, in->op & 15);
        if (taken != 0)
            jump_to(r, (int64_t)next + in->imm, at, st);
        return taken == 1;
    }
    return false;
}

static void report_store(void *ctx, struct x86_val to, struct x86_val value, uint8_t size, uint64_t at, const struct x86_state *st)
{
    const struct run *r = ctx;
    struct x86_seen seen = {.event = X86_STORE, .at = at, .to = to, .value = value, .size = size, .st = st};
    tell(r, &seen);
}

static bool is_call(const struct x86_insn *i)
{
    return i->map == X86_MAP_ONE && (i->op == 0xE8 || (i->op == 0xFF && (i->reg & 7) == 2));
}

static void call(const struct run *r, const struct x86_insn *in, const struct x86_effect_env *env, struct x86_state *st)
{
    uint64_t result = 0, target = in->op == 0xE8 ? env->next + (uint64_t)in->imm : 0;
    struct x86_seen seen = {.event = X86_CALL, .at = env->at, .target = target, .st = st};
    tell(r, &seen);
    bool modelled = r->task->on_call && r->task->on_call(r->task->ctx, &seen, &result);
    x86_after_call(st, modelled);
    if (modelled)
        st->reg[X86_RAX] = (struct x86_val){.kind = X86_CONST, .v = (int64_t)result};
}

static void run_block(const struct run *r, const struct block *b)
{
    struct x86_scan *s = r->s;
    struct x86_state st = *b->in;
    struct x86_effect_env env = {.code = &s->code, .on_store = report_store, .ctx = (void *)r};
    for (uint32_t off = b->begin; off < s->swept;) {
        struct x86_insn in;
        if (off != b->begin && find_block(s, off)) {
            if (!r->loud)
                enter(s, off, &st);
            return;
        }
        if (!x86_decode(s->text + off, s->swept - off, &in))
            break;
        if (++s->steps > MAX_STEPS)
            break;
        off += in.len;
        env.next = s->vaddr + off;
        env.at = env.next - in.len;
        if (leave(r, &in, off, &st))
            return;
        if (is_jcc(&in))
            continue;
        if (!is_call(&in)) {
            x86_effect(&env, &in, &st);
            continue;
        }
        call(r, &in, &env, &st);
        if (off == s->size)
            return; /* nothing behind it: it does not come back (stack check, exceptions) */
    }
    s->lost = true; /* ran into bytes that are no instruction, or off the end */
}

static bool read_code(struct x86_scan *s, uint64_t vaddr, uint64_t size)
{
    uint64_t off;
    if (size > X86_MAX_CODE || !elf_vaddr_to_off(s->code.elf, vaddr, &off))
        return false;
    long got = s->code.src->read(s->code.src->ctx, off, s->text, size ? (size_t)size : DEFAULT_SIZE);
    if (got <= 0 || (size && (uint64_t)got < size))
        return false;
    s->vaddr = vaddr;
    s->size = (uint32_t)got;
    return true;
}

enum x86_result x86_run(struct x86_scan *s, const struct x86_task *task)
{
    struct run quiet = {.s = s, .task = task}, loud = {.s = s, .task = task, .loud = true};
    if (!read_code(s, task->vaddr, task->size))
        return X86_NOT_UNDERSTOOD;
    s->lost = false;
    s->steps = 0;
    sweep(s, task->size != 0);
    for (size_t i = 0; i < s->n_blocks; i++) {
        s->blocks[i].in = NULL;
        s->blocks[i].dirty = false;
    }
    s->n_states = 0;
    s->blocks[0].in = new_state(s);
    s->blocks[0].dirty = true;
    x86_entry_state(s->blocks[0].in, task->args, task->given);
    bool again = true;
    while (again) {
        if (s->steps > MAX_STEPS)
            return X86_NOT_UNDERSTOOD;
        again = false;
        for (size_t i = 0; i < s->n_blocks; i++) {
            if (!s->blocks[i].dirty)
                continue;
            s->blocks[i].dirty = false;
            run_block(&quiet, &s->blocks[i]);
        }
        for (size_t i = 0; i < s->n_blocks; i++)
            again |= s->blocks[i].dirty;
    }
    for (size_t i = 0; i < s->n_blocks; i++)
        if (s->blocks[i].in)
            run_block(&loud, &s->blocks[i]);
    return s->lost ? X86_NOT_UNDERSTOOD : X86_DONE;
}

enum x86_result x86_sweep(struct x86_scan *s, uint64_t vaddr, uint64_t size, x86_callback *cb, void *ctx)
{
    struct x86_insn in;
    uint32_t off = 0;
    if (!size || !read_code(s, vaddr, size))
        return X86_NOT_UNDERSTOOD;
    while (off < s->size && x86_decode(s->text + off, s->size - off, &in)) {
        off += in.len;
        struct x86_seen seen = {.at = vaddr + off - in.len};
        if (in.map == X86_MAP_ONE && in.op == 0xE8) {
            seen.event = X86_CALL;
            seen.target = vaddr + off + (uint64_t)in.imm;
        } else if (in.map == X86_MAP_ONE && in.op == 0xC7 && in.is_mem) {
            seen.event = X86_IMMEDIATE;
            seen.value = (struct x86_val){.kind = X86_CONST, .v = in.imm};
        } else {
            continue;
        }
        cb(ctx, &seen);
    }
    return off == s->size ? X86_DONE : X86_NOT_UNDERSTOOD;
}

struct x86_val x86_get(const struct x86_state *st, enum x86_reg r) { return st->reg[r]; }

struct x86_val x86_load(const struct x86_scan *s, const struct x86_state *st, struct x86_val at)
{
    return x86_read_mem(&s->code, st, at, 8);
}

bool x86_bytes(const struct x86_scan *s, const struct x86_state *st, struct x86_val at, size_t n, char *dst)
{
    return x86_read_bytes(&s->code, st, at, n, (unsigned char *)dst);
}

/* A stub is [endbr64] [bnd] jmp *disp32(%rip). */
static bool stub_slot(const struct x86_code *c, uint64_t vaddr, uint64_t *ret)
{
    unsigned char raw[16];
    uint64_t off;
    if (!elf_vaddr_to_off(c->elf, vaddr, &off) || bytesrc_read_exact(c->src, off, raw, sizeof raw))
        return false;
    for (size_t at = 0; at < sizeof raw;) {
        struct x86_insn in;
        if (!x86_decode(raw + at, sizeof raw - at, &in))
            return false;
        at += in.len;
        if (in.map == X86_MAP_ONE && in.op == 0xFF && in.reg == 4 && in.is_mem && in.rip) {
            *ret = vaddr + at + (uint64_t)(int64_t)in.disp;
            return true;
        }
        if (in.map != X86_MAP_0F || in.op != 0x1E) /* endbr64 may stand before it */
            return false;
    }
    return false;
}

static uint64_t le(const unsigned char *p, unsigned n)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < n; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

/* The record of DT_JMPREL for a slot: neighbouring stubs have neighbouring slots and records, so guess by the distance from
 * the first one; else halve (linkers write them in the order of slots). */
static bool slot_symbol(const struct x86_code *c, uint64_t slot, uint32_t *ret)
{
    enum { REC = 24, JUMP_SLOT = 7 };
    uint64_t lo = 0, hi = c->elf->jmprel_size / REC;
    unsigned char rec[REC];
    for (int i = 0; lo < hi && i < 40; i++) {
        uint64_t mid = lo + (hi - lo) / 2;
        if (i == 0)
            mid = 0;
        if (bytesrc_read_exact(c->src, c->elf->jmprel + mid * REC, rec, REC))
            return false;
        uint64_t at = le(rec, 8);
        if (at == slot) {
            *ret = (uint32_t)le(rec + 12, 4);
            return le(rec + 8, 4) == JUMP_SLOT;
        }
        if (i == 0 && slot > at && (slot - at) / 8 < hi) {
            uint64_t guess = (slot - at) / 8;
            if (bytesrc_read_exact(c->src, c->elf->jmprel + guess * REC, rec, REC))
                return false;
            if (le(rec, 8) == slot) {
                *ret = (uint32_t)le(rec + 12, 4);
                return le(rec + 8, 4) == JUMP_SLOT;
            }
        }
        if (at < slot)
            lo = mid + 1;
        else
            hi = mid;
    }
    return false;
}

const char *x86_plt_name(const struct x86_code *c, uint64_t vaddr, struct arena *a)
{
    enum { SYM = 24, NAME_MAX_BYTES = 256 };
    unsigned char sym[SYM];
    char name[NAME_MAX_BYTES];
    uint64_t slot;
    uint32_t index;
    if (!stub_slot(c, vaddr, &slot) || !slot_symbol(c, slot, &index) ||
        bytesrc_read_exact(c->src, c->elf->symtab + (uint64_t)index * SYM, sym, SYM))
        return NULL;
    uint64_t at = le(sym, 4);
    if (at >= c->elf->strsz)
        return NULL;
    uint64_t room = c->elf->strsz - at;
    long got = c->src->read(c->src->ctx, c->elf->strtab + at, name, room < sizeof name ? (size_t)room : sizeof name);
    size_t n = got > 0 ? strnlen(name, (size_t)got) : 0;
    return n && n < (size_t)got ? arena_strndup(a, name, n) : NULL;
}
