/* SPDX-License-Identifier: Apache-2.0 */
/* libversion - file names, version functions and version data of NVIDIA's libraries. */
#include "probe/libversion.h"
#include <stdio.h>
#include <string.h>
#include "base/pagesrc.h"
#include "formats/fatbin.h"
#include "formats/x86scan.h"
#include "knowledge/cuda_libs.h"

enum { EM_X86_64 = 62, MAX_LINKS = 8, ISA_READS = 24, MAX_VERSION = 10000000, TEXT_MAX = 1 << 20 };

struct library { /* one open file; `tmp` holds what only this look needs */
    struct arena *a, *tmp;
    struct rfile *f;
    struct bytesrc raw, src;
    const struct elf *elf;
    struct x86_code code;
    struct x86_scan *scan;
};

static bool open_library(struct root *r, const char *path, const struct elf *elf, struct library *l)
{
    if (root_open(r, path, &l->f, NULL) < 0)
        return false;
    l->raw = rfile_src(l->f);
    l->src = pagesrc_src(pagesrc_new(l->tmp, &l->raw));
    if (!elf) {
        struct elf *own = ARENA_NEW(l->tmp, struct elf);
        if (elf_read(&l->src, false, l->tmp, own, NULL) < 0) {
            rfile_close(l->f);
            return false;
        }
        elf = own;
    }
    l->elf = elf;
    l->code = (struct x86_code){.src = &l->src, .elf = elf};
    return true;
}

/* "12.9.3.13" of libcublas.so.12.9.3.13: three numbers or more, as a soname never has but a file name often. */
static const char *name_version(struct arena *a, const char *file)
{
    const char *so = strstr(file, ".so.");
    unsigned parts = 1;
    if (!so)
        return NULL;
    so += 4;
    for (const char *p = so; *p; p++) {
        bool digit = *p >= '0' && *p <= '9';
        if (!digit && (*p != '.' || p == so || p[-1] == '.' || !p[1]))
            return NULL;
        parts += !digit;
    }
    return *so && parts >= 3 ? arena_strdup(a, so) : NULL;
}

static const char *version_of_names(struct root *r, struct arena *a, const char *path)
{
    const char *v = name_version(a, path_base(path)), *to;
    for (int i = 0; !v && i < MAX_LINKS && root_readlink(r, path, a, &to) == 0; i++) {
        path = path_join(a, path_dir(a, path), to);
        v = name_version(a, path_base(path));
    }
    return v;
}

/* What a version function states. */
struct stated {
    const struct library *l;
    bool wants_result;      /* RAX at return, else stores through arguments 0 and 1 */
    bool unclear;           /* differing or unknown values */
    bool has[2];
    uint32_t value[2];
    uint64_t helper;        /* a local function that was handed argument 0 */
};

static void note(struct stated *s, unsigned i, struct x86_val v)
{
    if (v.kind != X86_CONST || v.v < 0 || v.v > MAX_VERSION || (s->has[i] && s->value[i] != (uint32_t)v.v)) {
        s->unclear = true;
        return;
    }
    s->has[i] = true;
    s->value[i] = (uint32_t)v.v;
}

static void on_event(void *ctx, const struct x86_seen *seen)
{
    struct stated *s = ctx;
    if (seen->event == X86_RET && s->wants_result)
        note(s, 0, x86_get(seen->st, X86_RAX));
    if (seen->event == X86_STORE && !s->wants_result && seen->to.arg < 2 && seen->to.v == 0) {
        if (seen->size == 4)
            note(s, seen->to.arg, seen->value);
        else
            s->unclear = true;
    }
    if (seen->event == X86_CALL && seen->target && !s->wants_result) {
        struct x86_val rdi = x86_get(seen->st, X86_RDI), rsi = x86_get(seen->st, X86_RSI);
        if (rdi.kind == X86_ARG && rdi.arg == 0 && rdi.v == 0 && rsi.kind != X86_ARG)
            s->helper = seen->target;
    }
}

static bool ask(struct library *l, const char *function, bool wants_result, struct stated *ret)
{
    struct elf_sym sym;
    *ret = (struct stated){.l = l, .wants_result = wants_result};
    if (l->elf->machine != EM_X86_64 || elf_lookup(&l->src, l->elf, function, NULL, &sym) != 1)
        return false;
    if (!l->scan)
        l->scan = x86_scan_new(l->tmp, &l->code);
    struct x86_task t = {.vaddr = sym.value, .size = sym.size, .on_event = on_event, .ctx = ret};
    if (x86_run(l->scan, &t) != X86_DONE)
        return false;
    if (!ret->has[0] && !ret->unclear && ret->helper) { /* cudaRuntimeGetVersion leaves it to an inner function */
        t.vaddr = ret->helper;
        t.size = 0;
        *ret = (struct stated){.l = l};
        if (x86_run(l->scan, &t) != X86_DONE)
            return false;
    }
    return !ret->unclear;
}

static const char *digits(struct arena *a, const struct cuda_version_way *w, uint32_t v)
{
    if (w->runtime_digits)
        return arena_printf(a, "%u.%u", v / 1000, v % 1000 / 10);
    if (v >= w->wide_from)
        return arena_printf(a, "%u.%u.%u", v / 10000, v / 100 % 100, v % 100);
    return arena_printf(a, "%u.%u.%u", v / 1000, v / 100 % 10, v % 100);
}

static const char *version_of_data(struct library *l, const char *name)
{
    struct elf_sym sym;
    unsigned char raw[4];
    uint64_t off;
    if (elf_lookup(&l->src, l->elf, name, NULL, &sym) != 1 || !elf_vaddr_to_off(l->elf, sym.value, &off) ||
        bytesrc_read_exact(&l->src, off, raw, sizeof raw) || raw[3] || !raw[2])
        return NULL;
    return arena_printf(l->a, "%u.%u.%u", raw[2], raw[1], raw[0]);
}

/* cuDNN's functions store their version in a log record: the only number stored there that can be one of this major. */
struct constants { const struct cuda_version_way *w; uint32_t major, found; bool unclear; };

static uint32_t major_of(const struct cuda_version_way *w, uint32_t v)
{
    return v >= w->wide_from ? v / 10000 : v / 1000;
}

static void on_constant(void *ctx, const struct x86_seen *seen)
{
    struct constants *c = ctx;
    if (seen->event != X86_IMMEDIATE || seen->value.v < 1000 || seen->value.v > MAX_VERSION)
        return;
    uint32_t v = (uint32_t)seen->value.v;
    if (major_of(c->w, v) != c->major)
        return;
    c->unclear |= c->found && c->found != v;
    c->found = v;
}

static const char *version_of_constant(struct library *l, const struct cuda_version_way *w)
{
    struct constants c = {.w = w};
    struct elf_sym sym;
    const char *so = l->elf->soname ? strstr(l->elf->soname, ".so.") : NULL;
    if (!so || !ver_major(so + 4, &c.major) || l->elf->machine != EM_X86_64 || elf_lookup(&l->src, l->elf, w->name, NULL, &sym) != 1)
        return NULL;
    if (!l->scan)
        l->scan = x86_scan_new(l->tmp, &l->code);
    if (x86_sweep(l->scan, sym.value, sym.size, on_constant, &c) != X86_DONE || c.unclear || !c.found)
        return NULL;
    return digits(l->a, w, c.found);
}

static const char *version_of_code(struct library *l, const struct cuda_version_way *w)
{
    struct stated s;
    if (w->how == CUDA_VERSION_DATA)
        return version_of_data(l, w->name);
    if (w->how == CUDA_VERSION_CONSTANT)
        return version_of_constant(l, w);
    if (w->how == CUDA_VERSION_BESIDE || !ask(l, w->name, w->how == CUDA_VERSION_RETURN, &s))
        return NULL;
    unsigned arg = w->how == CUDA_VERSION_STORE ? w->argument : 0;
    if (w->how == CUDA_VERSION_PAIR)
        return s.has[0] && s.has[1] ? arena_printf(l->a, "%u.%u", s.value[0], s.value[1]) : NULL;
    return s.has[arg] && s.value[arg] ? digits(l->a, w, s.value[arg]) : NULL;
}

static void cuda_of_ptx(struct library *l, struct libversion *v)
{
    const struct fatbin_opts o = {.until_ptx = true, .max_reads = ISA_READS};
    struct fatbin fb;
    uint32_t isa = 0;
    if (fatbin_read(&l->src, l->elf, &o, l->tmp, &fb, NULL) < 0)
        return;
    for (size_t i = 0; i < fb.n_archs; i++) {
        const struct fatbin_arch *p = &fb.archs[i];
        if (p->kind != FATBIN_PTX || p->isa_major < isa || !cuda_major_of_ptx_isa(p->isa_major, &v->cuda_major))
            continue;
        isa = p->isa_major;
        v->cuda_source = arena_printf(l->a, "PTX ISA %u.%u", p->isa_major, p->isa_minor);
    }
}

/* The first text with this mark in .rodata, at most TEXT_MAX bytes of which are searched. */
static void cuda_of_text(struct library *l, const char *mark, struct libversion *v)
{
    static const char *const names[] = {".rodata"};
    struct elf_section sec;
    size_t n = strlen(mark);
    if (elf_sections(&l->src, l->elf, names, 1, &sec, NULL) != 1 || sec.off > l->src.size)
        return;
    uint64_t size = sec.size < TEXT_MAX ? sec.size : TEXT_MAX;
    if (size > l->src.size - sec.off)
        size = l->src.size - sec.off;
    char *text = arena_alloc(l->tmp, (size_t)size + 1);
    if (!size || bytesrc_read_exact(&l->src, sec.off, text, (size_t)size))
        return;
    const char *at = memmem(text, (size_t)size, mark, n);
    uint64_t major;
    size_t digit = 0;
    while (at && at[n + digit] >= '0' && at[n + digit] <= '9')
        digit++;
    if (!digit || at[n + digit] != '.' || str_to_u64(at + n, digit, 10, &major) || major > 99)
        return;
    v->cuda_major = (uint32_t)major;
    v->cuda_source = arena_printf(l->a, "text \"%.*s\"", (int)(n + digit), at);
}

static void cuda_of_code(struct library *l, const struct cuda_lib *k, struct libversion *v)
{
    struct stated s;
    const char *soname = l->elf->soname;
    if (soname && cuda_major_of_soname(soname, &v->cuda_major)) {
        v->cuda_source = "soname";
        return;
    }
    if (k->cudart && ask(l, k->cudart, true, &s) && s.has[0] && s.value[0] >= 1000) {
        v->cuda_major = s.value[0] / 1000;
        v->cuda_source = k->cudart;
        return;
    }
    for (size_t i = 0; i < l->elf->n_needed; i++) {
        if (cuda_major_of_soname(l->elf->needed[i], &v->cuda_major)) {
            v->cuda_source = arena_printf(l->a, "needs %s", l->elf->needed[i]);
            return;
        }
    }
    cuda_of_ptx(l, v);
    if (!v->cuda_major && k->cuda_text)
        cuda_of_text(l, k->cuda_text, v);
}

static bool read_one(struct root *r, struct arena *a, struct arena *tmp, const char *path, const struct elf *elf, bool is_beside,
                     bool want_cuda, struct libversion *ret);

/* A shim's own number is that of the library it forwards to, which it opens from its own folder. */
static void read_beside(struct root *r, struct arena *a, struct arena *tmp, const char *path, const char *name, bool want_cuda,
                        struct libversion *v)
{
    struct libversion other;
    if (!read_one(r, a, tmp, path_join(a, path_dir(a, path), name), NULL, true, want_cuda, &other))
        return;
    if (!v->version && other.version) {
        v->version = other.version;
        v->source = arena_printf(a, "%s in %s", other.source, name);
    }
    if (!v->cuda_major && other.cuda_major) {
        v->cuda_major = other.cuda_major;
        v->cuda_source = arena_printf(a, "%s in %s", other.cuda_source, name);
    }
}

static bool read_one(struct root *r, struct arena *a, struct arena *tmp, const char *path, const struct elf *elf, bool is_beside,
                     bool want_cuda, struct libversion *ret)
{
    struct library l = {.a = a, .tmp = tmp};
    struct libversion v = {.version = version_of_names(r, a, path)};
    const struct cuda_lib *k = cuda_lib_find(path_base(path));
    v.source = v.version ? "file name" : NULL;
    if (k && open_library(r, path, elf, &l)) {
        size_t n;
        const struct cuda_version_way *w = cuda_lib_ways(k, &n);
        for (size_t i = 0; i < n && !v.version; i++) {
            v.version = version_of_code(&l, &w[i]);
            v.source = v.version ? w[i].name : NULL;
        }
        if (want_cuda)
            cuda_of_code(&l, k, &v);
        rfile_close(l.f);
        for (size_t i = 0; i < n && !is_beside && (!v.version || (want_cuda && !v.cuda_major)); i++)
            if (w[i].how == CUDA_VERSION_BESIDE)
                read_beside(r, a, tmp, path, w[i].name, want_cuda, &v);
    }
    *ret = v;
    return v.version || v.cuda_major;
}

bool libversion_read(struct root *r, struct arena *a, const char *path, const struct elf *elf, bool want_cuda, struct libversion *ret)
{
    struct arena tmp;
    arena_init(&tmp, 0);
    bool found = read_one(r, a, &tmp, path, elf, false, want_cuda, ret);
    arena_done(&tmp);
    return found;
}

/* "9.28.0" of "9.28.0.42": its first n numbers; NULL when it has none so many. */
static const char *first_numbers(struct arena *a, const char *version, unsigned n)
{
    const char *s = version;
    for (unsigned i = 0; i < n; i++) {
        size_t digits = strspn(s, "0123456789");
        if (!digits || (i + 1 < n && s[digits] != '.'))
            return NULL;
        s += digits + (i + 1 < n);
    }
    return *s == '\0' || *s == '.' ? arena_strndup(a, version, (size_t)(s - version)) : NULL;
}

/* 12 of "nvidia-cudnn-cu12"; 0 when the name does not say. */
static uint32_t cuda_of_name(const char *package)
{
    const char *cu = strrchr(package, '-');
    uint64_t major;
    return cu && str_starts(cu, "-cu") && str_to_u64(cu + 3, strlen(cu + 3), 10, &major) == 0 && major < 100 ? (uint32_t)major : 0;
}

bool libversion_of_wheel(struct arena *a, const char *file, const char *package, const char *wheel_version, bool want_cuda, struct libversion *ret)
{
    const struct cuda_lib *k = cuda_lib_find(file);
    struct libversion v = {0};
    size_t n;
    if (!k)
        return false;
    const struct cuda_version_way *w = cuda_lib_ways(k, &n);
    if (n) {
        v.version = first_numbers(a, wheel_version, w->runtime_digits ? 2 : 3);
        v.source = "RECORD";
    }
    if (want_cuda) {
        v.cuda_major = cuda_of_name(package);
        v.cuda_source = "package";
    }
    if ((n && !v.version) || (want_cuda && !v.cuda_major))
        return false;
    *ret = v;
    return true;
}
