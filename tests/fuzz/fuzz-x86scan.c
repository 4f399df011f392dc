/* SPDX-License-Identifier: Apache-2.0 */
/* x86scan: any bytes as code and as the data that it reads; ends, stays inside the bytes, and what it reports is in them. */
#include <stdint.h>
#include <stdlib.h>
#include "formats/x86dec.h"
#include "formats/x86scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen { struct x86_scan *s; uint64_t size; };

static void on_event(void *ctx, const struct x86_seen *e)
{
    const struct seen *c = ctx;
    char text[64];
    if (e->at < 4096 || e->at >= 4096 + c->size)
        abort();
    if (!e->st)
        return;
    for (int r = X86_RAX; r <= X86_R9; r++) {
        struct x86_val v = x86_get(e->st, (enum x86_reg)r);
        (void)x86_load(c->s, e->st, v); /* only that they end */
        (void)x86_bytes(c->s, e->st, v, sizeof text, text);
    }
}

static bool on_call(void *ctx, const struct x86_seen *e, uint64_t *ret)
{
    (void)ctx;
    *ret = e->at & 3;
    return e->at & 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memsrc m = {data, size};
    struct bytesrc s = bytesrc_mem(&m);
    struct elf_seg seg = {.type = 1, .flags = 5, .vaddr = 4096, .filesz = size, .memsz = size};
    struct elf elf = {.machine = 62, .segs = &seg, .n_segs = 1, .jmprel = 16, .jmprel_size = size / 2, .symtab = 8, .strtab = 4, .strsz = size};
    struct x86_code code = {&s, &elf};
    struct x86_given given = {{0}, {{.kind = X86_FRAME, .v = -64}}};
    struct arena a;
    struct x86_insn in;
    arena_init(&a, 0);
    for (size_t i = 0; i < size && i < 64; i++)
        if (x86_decode(data + i, size - i, &in) > size - i || in.len > 15)
            abort();
    struct seen ctx = {x86_scan_new(&a, &code), size};
    struct x86_task t = {.vaddr = 4096, .on_event = on_event, .ctx = &ctx};
    (void)x86_run(ctx.s, &t);
    t.size = size < X86_MAX_CODE ? size : X86_MAX_CODE;
    t.given = &given;
    t.on_call = on_call;
    (void)x86_run(ctx.s, &t);
    (void)x86_sweep(ctx.s, 4096, t.size, on_event, &ctx);
    (void)x86_plt_name(&code, 4096, &a);
    arena_done(&a);
    return 0;
}
