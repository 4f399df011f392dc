/* SPDX-License-Identifier: Apache-2.0 */
/* x86scan: short functions, assembled beforehand with the text in the comments (GNU as; `call .+64` is a call of some function). */
#include "formats/x86scan.h"
#include "../tap.h"

enum { VADDR = 0x10000, IMAGE = 1024 };

static const struct code { const char *name; size_t n; const char *bytes; } codes[] = {
    /* test %rdi,%rdi; je 1f; movl $12090,(%rdi); xor %eax,%eax; ret; 1: mov $3,%eax; ret */
    {"store", 20,
     "\x48\x85\xff\x74\x09\xc7\x07\x3a\x2f\x00\x00\x31\xc0\xc3\xb8\x03\x00\x00\x00\xc3"},
    /* push %rbp; mov %rsp,%rbp; sub $0x20,%rsp; 2: call .+64; test %al,%al; jne 2b; add $0x20,%rsp; mov $92800,%eax; pop
     * %rbp; ret */
    {"result", 28,
     "\x55\x48\x89\xe5\x48\x83\xec\x20\xe8\x3b\x00\x00\x00\x84\xc0\x75\xf7\x48\x83\xc4\x20\xb8\x80\x6a\x01\x00\x5d\xc3"},
    /* cmp $1,%edi; je 1f; test %edi,%edi; je 2f; cmp $2,%edi; jne 3f; movl $7,(%rsi); xor %eax,%eax; ret; 1: movl
     * $4,(%rsi); xor %eax,%eax; ret; 2: movl $11,(%rsi); xor %eax,%eax; ret; 3: mov $3,%eax; ret */
    {"switch", 47,
     "\x83\xff\x01\x74\x12\x85\xff\x74\x17\x83\xff\x02\x75\x1b\xc7\x06\x07\x00\x00\x00\x31\xc0\xc3\xc7\x06\x04\x00\x00"
     "\x00\x31\xc0\xc3\xc7\x06\x0b\x00\x00\x00\x31\xc0\xc3\xb8\x03\x00\x00\x00\xc3"},
    /* push %rbx; mov %rdi,%rbx; call .+64; movl $5,(%rbx); xor %eax,%eax; pop %rbx; ret */
    {"kept", 19,
     "\x53\x48\x89\xfb\xe8\x3b\x00\x00\x00\xc7\x03\x05\x00\x00\x00\x31\xc0\x5b\xc3"},
    /* push %rbp; mov %rsp,%rbp; push %rbx; sub $0x38,%rsp; mov %rdi,%rbx; lea -0x28(%rbp),%rax; mov %rax,-0x38(%rbp); movl
     * $0x6e647563,-0x28(%rbp); movw $0x6e,-0x24(%rbp); movq $5,-0x30(%rbp); lea -0x38(%rbp),%rsi; call .+64; lea
     * -0x38(%rbp),%rsi; call .+64; add $0x38,%rsp; pop %rbx; pop %rbp; ret */
    {"string", 66,
     "\x55\x48\x89\xe5\x53\x48\x83\xec\x38\x48\x89\xfb\x48\x8d\x45\xd8\x48\x89\x45\xc8\xc7\x45\xd8\x63\x75\x64\x6e\x66"
     "\xc7\x45\xdc\x6e\x00\x48\xc7\x45\xd0\x05\x00\x00\x00\x48\x8d\x75\xc8\xe8\x3b\x00\x00\x00\x48\x8d\x75\xc8\xe8\x3b"
     "\x00\x00\x00\x48\x83\xc4\x38\x5b\x5d\xc3"},
    /* sub $0x28,%rsp; movabs $0x5f7265666e69766e,%rax; mov %rax,8(%rsp); movb $0,16(%rsp); lea 8(%rsp),%rsi; mov $8,%edx;
     * call .+64; add $0x28,%rsp; ret */
    {"movabs", 44,
     "\x48\x83\xec\x28\x48\xb8\x6e\x76\x69\x6e\x66\x65\x72\x5f\x48\x89\x44\x24\x08\xc6\x44\x24\x10\x00\x48\x8d\x74\x24"
     "\x08\xba\x08\x00\x00\x00\xe8\x3b\x00\x00\x00\x48\x83\xc4\x28\xc3"},
    /* sub $0x28,%rsp; movups 0x40(%rip),%xmm0; movups %xmm0,(%rsp); mov %rsp,%rsi; mov $16,%edx; call .+64; add
     * $0x28,%rsp; ret */
    {"vector", 33,
     "\x48\x83\xec\x28\x0f\x10\x05\x40\x00\x00\x00\x0f\x11\x04\x24\x48\x89\xe6\xba\x10\x00\x00\x00\xe8\x3b\x00\x00\x00"
     "\x48\x83\xc4\x28\xc3"},
    /* sub $0x48,%rsp; vmovups 0x40(%rip),%ymm0; vmovups %ymm0,(%rsp); vzeroupper; mov %rsp,%rsi; mov $32,%edx; call .+64;
     * add $0x48,%rsp; ret */
    {"vex", 38,
     "\x48\x83\xec\x48\xc5\xfc\x10\x05\x40\x00\x00\x00\xc5\xfc\x11\x04\x24\xc5\xf8\x77\x48\x89\xe6\xba\x20\x00\x00\x00"
     "\xe8\x3b\x00\x00\x00\x48\x83\xc4\x48\xc3"},
    /* sub $0x18,%rsp; movl $0x31,(%rsp); test %edi,%edi; je 1f; movl $0x32,(%rsp); 1: mov %rsp,%rsi; mov $1,%edx; call
     * .+64; add $0x18,%rsp; ret */
    {"joined", 40,
     "\x48\x83\xec\x18\xc7\x04\x24\x31\x00\x00\x00\x85\xff\x74\x07\xc7\x04\x24\x32\x00\x00\x00\x48\x89\xe6\xba\x01\x00"
     "\x00\x00\xe8\x3b\x00\x00\x00\x48\x83\xc4\x18\xc3"},
    /* sub $0x28,%rsp; movl $0x31,8(%rsp); mov %rsp,%rdi; xor %eax,%eax; mov $2,%ecx; rep stosq; lea 8(%rsp),%rsi; mov
     * $1,%edx; call .+64; add $0x28,%rsp; ret */
    {"strings", 45,
     "\x48\x83\xec\x28\xc7\x44\x24\x08\x31\x00\x00\x00\x48\x89\xe7\x31\xc0\xb9\x02\x00\x00\x00\xf3\x48\xab\x48\x8d\x74"
     "\x24\x08\xba\x01\x00\x00\x00\xe8\x3b\x00\x00\x00\x48\x83\xc4\x28\xc3"},
    /* xor %eax,%eax; 1: add $1,%eax; cmp $10,%eax; jne 1b; ret */
    {"loop", 11,
     "\x31\xc0\x83\xc0\x01\x83\xf8\x0a\x75\xf8\xc3"},
    /* jmp *(%rax,%rdi,8) */
    {"table", 3,
     "\xff\x24\xf8"},
    /* movl $12090,(%rdi); incl (%rdi); xor %eax,%eax; ret */
    {"overwritten", 11,
     "\xc7\x07\x3a\x2f\x00\x00\xff\x07\x31\xc0\xc3"},
    /* mov $1,%eax; mov $2,%ecx; test %edi,%edi; cmove %ecx,%eax; ret */
    {"cmov", 16,
     "\xb8\x01\x00\x00\x00\xb9\x02\x00\x00\x00\x85\xff\x0f\x44\xc1\xc3"},
    /* push %rbp; mov %rsp,%rbp; and $-32,%rsp; sub $0x40,%rsp; movl $0x78,8(%rsp); lea 8(%rsp),%rsi; mov $1,%edx; call
     * .+64; leave; ret */
    {"aligned", 37,
     "\x55\x48\x89\xe5\x48\x83\xe4\xe0\x48\x83\xec\x40\xc7\x44\x24\x08\x78\x00\x00\x00\x48\x8d\x74\x24\x08\xba\x01\x00"
     "\x00\x00\xe8\x3b\x00\x00\x00\xc9\xc3"},
    /* .byte 0x06; ret */
    {"invalid", 2,
     "\x06\xc3"},
    /* mov $1,%edi; jmp .+0x1000 */
    {"tail", 10,
     "\xbf\x01\x00\x00\x00\xe9\xfb\x0f\x00\x00"},
};

struct result {
    struct x86_scan *scan;
    size_t calls, rets, stores, tails;
    char text[64];              /* rdx bytes at rsi, of the last call; "?" when not known */
    struct x86_val rax, value;  /* of the last return and the last store */
    uint8_t arg;
};

static void on_event(void *ctx, const struct x86_seen *e)
{
    struct result *r = ctx;
    char text[64] = "?";
    struct x86_val n;
    switch (e->event) {
    case X86_CALL:
        n = x86_get(e->st, X86_RDX);
        if (n.kind != X86_CONST || n.v > 60 || !x86_bytes(r->scan, e->st, x86_get(e->st, X86_RSI), (size_t)n.v, text))
            memcpy(text, "?", 2);
        else
            text[n.v] = '\0';
        memcpy(r->text, text, sizeof text);
        r->calls++;
        break;
    case X86_RET:
        r->rets++;
        r->rax = x86_get(e->st, X86_RAX);
        break;
    case X86_STORE:
        r->stores++;
        r->value = e->value;
        r->arg = e->to.arg;
        break;
    case X86_TAIL:
        r->tails++;
        break;
    case X86_IMMEDIATE:
        break;
    }
}

static enum x86_result run_with(const char *name, const struct x86_val *args, struct result *ret)
{
    static unsigned char image[IMAGE];
    struct elf_seg seg = {.type = 1, .flags = 5, .vaddr = VADDR, .filesz = IMAGE, .memsz = IMAGE};
    struct elf elf = {.machine = 62, .segs = &seg, .n_segs = 1};
    struct memsrc m = {image, IMAGE};
    struct bytesrc s = bytesrc_mem(&m);
    struct x86_code code = {&s, &elf};
    const struct code *c = codes;
    struct arena a;
    while (strcmp(c->name, name) != 0)
        c++;
    for (size_t i = 0; i < IMAGE; i++)
        image[i] = (unsigned char)('A' + i % 26);
    memcpy(image, c->bytes, c->n);
    arena_init(&a, 0);
    *ret = (struct result){.scan = x86_scan_new(&a, &code)};
    struct x86_task t = {.vaddr = VADDR, .size = c->n, .args = args, .on_event = on_event, .ctx = ret};
    enum x86_result r = x86_run(ret->scan, &t);
    arena_done(&a);
    return r;
}

static enum x86_result run(const char *name, struct result *ret) { return run_with(name, NULL, ret); }

static bool is_number(struct x86_val v, int64_t n) { return v.kind == X86_CONST && v.v == n; }

static void test_versions(void)
{
    struct result r;
    ok(run("store", &r) == X86_DONE && r.stores == 1 && is_number(r.value, 12090) && r.arg == 0, "a number stored through an argument");
    ok(r.rets == 1 && is_number(r.rax, 0), "an argument that is a pointer is not null: that path is not taken");
    ok(run("result", &r) == X86_DONE && r.rets == 1 && is_number(r.rax, 92800), "a number returned behind a loop with a call");
    ok(run("kept", &r) == X86_DONE && is_number(r.value, 5) && r.arg == 0, "an argument kept over a call in a saved register");
    ok(run("overwritten", &r) == X86_DONE && r.stores == 2 && r.value.kind == X86_UNKNOWN, "a later change of the number is seen as unknown");
    ok(run("cmov", &r) == X86_DONE && r.rax.kind == X86_UNKNOWN, "a conditional move of an unknown condition gives no number");
    ok(run("loop", &r) == X86_DONE && r.rets == 1 && r.rax.kind == X86_UNKNOWN, "a counted loop gives no number");
    for (int64_t i = 0; i < 4; i++) {
        static const int64_t want[] = {11, 4, 7};
        struct x86_val args[6] = {{.kind = X86_CONST, .v = i}, {.kind = X86_ARG, .arg = 1}};
        bool fine = run_with("switch", args, &r) == X86_DONE && r.rets == 1;
        ok(fine && (i < 3 ? r.stores == 1 && is_number(r.value, want[i]) : r.stores == 0 && is_number(r.rax, 3)), "a switch over a given %d", (int)i);
    }
    ok(run("switch", &r) == X86_DONE && r.stores == 3, "a switch over an unknown number: all branches");
}

static void test_text(void)
{
    struct result r;
    ok(run("movabs", &r) == X86_DONE, "text from a 64-bit number: done");
    ok_str(r.text, "nvinfer_", "text from a 64-bit number");
    ok(run("vector", &r) == X86_DONE, "text copied by a vector register: done");
    ok_str(r.text, "XYZABCDEFGHIJKLM", "text copied by a vector register");
    ok(run("vex", &r) == X86_DONE, "32 bytes by AVX: done");
    ok_str(r.text, "YZABCDEFGHIJKLMNOPQRSTUVWXYZABCD", "32 bytes by AVX");
    ok(run("aligned", &r) == X86_DONE, "aligned frame: done");
    ok_str(r.text, "x", "aligned frame");
    ok(run("joined", &r) == X86_DONE, "two paths: done");
    ok_str(r.text, "?", "text that differs on two paths is not known");
    ok(run("strings", &r) == X86_DONE, "rep stos: done");
    ok_str(r.text, "?", "text that rep stos went over is not known");
}

struct string_seen { struct x86_scan *scan; int calls; char text[2][16]; };

static void on_string(void *ctx, const struct x86_seen *e)
{
    struct string_seen *s = ctx;
    if (e->event != X86_CALL || s->calls == 2)
        return;
    char *dst = s->text[s->calls++];
    struct x86_val object = x86_get(e->st, X86_RSI), size = object;
    size.v += 8;
    struct x86_val p = x86_load(s->scan, e->st, object), n = x86_load(s->scan, e->st, size);
    if (n.kind != X86_CONST || n.v > 15 || !x86_bytes(s->scan, e->st, p, (size_t)n.v, dst))
        dst[0] = '?';
}

static void test_string_object(void)
{
    const struct code *c = codes;
    while (strcmp(c->name, "string") != 0)
        c++;
    struct elf_seg seg = {.type = 1, .flags = 5, .vaddr = VADDR, .filesz = c->n, .memsz = c->n};
    struct elf elf = {.machine = 62, .segs = &seg, .n_segs = 1};
    struct memsrc m = {(const unsigned char *)c->bytes, c->n};
    struct bytesrc s = bytesrc_mem(&m);
    struct x86_code code = {&s, &elf};
    struct arena a;
    arena_init(&a, 0);
    struct string_seen seen = {.scan = x86_scan_new(&a, &code)};
    struct x86_task t = {.vaddr = VADDR, .size = c->n, .on_event = on_string, .ctx = &seen};
    ok(x86_run(seen.scan, &t) == X86_DONE && seen.calls == 2, "std::string in the frame: two calls");
    ok_str(seen.text[0], "cudnn", "std::string in the frame: pointer, length, text");
    ok_str(seen.text[1], "?", "what a callee was handed is not known behind the call");
    t.size = 20;
    ok(x86_run(seen.scan, &t) == X86_NOT_UNDERSTOOD, "a function cut in the middle");
    t.size = X86_MAX_CODE + 1;
    ok(x86_run(seen.scan, &t) == X86_NOT_UNDERSTOOD, "a function too large");
    t.size = 16;
    t.vaddr = 0x500000;
    ok(x86_run(seen.scan, &t) == X86_NOT_UNDERSTOOD, "an address that is not in the file");
    arena_done(&a);
}

struct swept { int calls, numbers; int64_t last; };

static void on_sweep(void *ctx, const struct x86_seen *e)
{
    struct swept *s = ctx;
    s->calls += e->event == X86_CALL;
    s->numbers += e->event == X86_IMMEDIATE;
    s->last = e->event == X86_IMMEDIATE ? e->value.v : s->last;
}

static void test_sweep(void)
{
    static const unsigned char text[] = "\xc7\x07\x3a\x2f\x00\x00\xc3\xe8\x10\x00\x00\x00\xc6\x07\x05\x48\xc7\x45\xf8\x80\x6a\x01\x00\xff\x10";
    struct elf_seg seg = {.type = 1, .flags = 5, .vaddr = VADDR, .filesz = sizeof text - 1, .memsz = sizeof text - 1};
    struct elf elf = {.machine = 62, .segs = &seg, .n_segs = 1};
    struct memsrc m = {text, sizeof text - 1};
    struct bytesrc s = bytesrc_mem(&m);
    struct x86_code code = {&s, &elf};
    struct arena a;
    struct swept seen = {0};
    arena_init(&a, 0);
    struct x86_scan *scan = x86_scan_new(&a, &code);
    ok(x86_sweep(scan, VADDR, sizeof text - 1, on_sweep, &seen) == X86_DONE && seen.calls == 1 && seen.numbers == 2 && seen.last == 92800,
       "a sweep tells direct calls and stored numbers, behind a return too");
    ok(x86_sweep(scan, VADDR, sizeof text - 2, on_sweep, &seen) == X86_NOT_UNDERSTOOD, "a sweep that ends inside an instruction");
    arena_done(&a);
}

static void test_limits(void)
{
    struct result r;
    ok(run("table", &r) == X86_NOT_UNDERSTOOD && r.tails == 1, "a jump table is not understood");
    ok(run("invalid", &r) == X86_NOT_UNDERSTOOD && r.rets == 0, "bytes that are no instruction are not understood");
    ok(run("tail", &r) == X86_DONE && r.tails == 1, "a jump out of the function is a tail call");
}

int main(void)
{
    test_versions();
    test_text();
    test_string_object();
    test_limits();
    test_sweep();
    return tap_done();
}
