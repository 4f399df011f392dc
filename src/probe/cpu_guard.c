/* SPDX-License-Identifier: Apache-2.0 */
/* cpu_guard - numbers that a function hands to those it calls. */
#include "probe/cpu_guard.h"
#include <string.h>
#include "base/pagesrc.h"
#include "base/util.h"
#include "formats/x86scan.h"
#include "knowledge/tf_loader.h"

enum { EM_X86_64 = 62, MAX_NUMBER = 63, WRAPPED = 4096 /* more than the asking function has */ };

struct asked {
    const struct x86_code *code;
    struct arena *a;
    uint64_t numbers;   /* bit n: a function was called with the number n */
    uint64_t goes_to;   /* the last function of the same file that was called or jumped to without a stub */
};

static void on_event(void *ctx, const struct x86_seen *seen)
{
    struct asked *k = ctx;
    if ((seen->event != X86_CALL && seen->event != X86_TAIL) || !seen->target)
        return;
    struct x86_val v = x86_get(seen->st, X86_RDI);
    const char *stub = x86_plt_name(k->code, seen->target, k->a);
    if (stub && !strstr(stub, "TestCPUFeature"))
        return; /* operator new takes numbers too */
    if (v.kind == X86_CONST && v.v > 0 && v.v <= MAX_NUMBER)
        k->numbers |= (uint64_t)1 << v.v;
    else if (!stub)
        k->goes_to = seen->target;
}

/* The function itself is a once-only wrapper around a second one, which may call a third: the innermost asks. */
static uint64_t numbers_asked(const struct x86_code *code, const struct elf_sym *sym, struct arena *a)
{
    struct asked k = {.code = code, .a = a};
    struct x86_scan *scan = x86_scan_new(a, code);
    struct x86_task t = {.vaddr = sym->value, .size = sym->size, .on_event = on_event, .ctx = &k};
    for (int i = 0; i < 3; i++) {
        if (x86_run(scan, &t) != X86_DONE)
            break;
        if (k.numbers || !k.goes_to)
            return k.numbers;
        t.vaddr = k.goes_to;
        t.size = WRAPPED;
        k.goes_to = 0;
    }
    return 0;
}

bool cpu_guard_flags(const struct files *files, const char *framework, struct arena *a, const char ***ret, size_t *ret_n)
{
    struct open_file f;
    struct elf elf;
    struct elf_sym sym;
    uint64_t numbers = 0;
    size_t n;
    if (files_open(files, framework, &f, NULL) < 0)
        return false;
    struct bytesrc src = pagesrc_src(pagesrc_new(a, &f.src));
    bool fine = elf_read(&src, false, a, &elf, NULL) == 0 && elf.verdict == ELF_OK && elf.machine == EM_X86_64;
    if (fine && elf_lookup(&src, &elf, tf_loader_cpu_guard(), NULL, &sym) == 1) {
        struct x86_code code = {.src = &src, .elf = &elf};
        numbers = numbers_asked(&code, &sym, a);
    }
    file_close(&f);
    const struct tf_cpu_feature *k = tf_loader_cpu_features(&n);
    for (size_t i = 0; numbers && i < n; i++)
        if (!(numbers >> k[i].number & 1))
            *ARENA_PUSH(a, *ret, *ret_n) = k[i].flag;
    return numbers != 0;
}
