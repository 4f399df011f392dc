/* SPDX-License-Identifier: Apache-2.0 */
/* tf_code - the libraries TensorFlow opens by name: three sources, one answer, and how they disagree. */
#include "probe/tf_code.h"
#include <string.h>
#include "base/buf.h"
#include "knowledge/cuda_libs.h"
#include "probe/dso_code.h"
#include "probe/tf_record.h"

struct need_list {
    struct fact_need *items;
    size_t n;
};

struct work {
    const struct tf_code_in *in;
    struct arena *a;
    struct buf conflict;
    bool asks_cudnn;
};

static void complain(struct work *w, const char *what, const char *subject, const char *detail)
{
    if (w->conflict.len)
        buf_adds(&w->conflict, "; ");
    buf_addf(&w->conflict, "%s %s%s%s", what, subject, detail ? ": " : "", detail ? detail : "");
}

static const char *function_name(struct arena *a, const char *name)
{
    return arena_printf(a, "DsoLoader::Get%sDsoHandle", name);
}

static struct fact_need *add_need(struct work *w, struct need_list *l, const char *name, const struct tf_function *k, bool mandatory)
{
    struct fact_need *n = ARENA_PUSH(w->a, l->items, l->n);
    n->role = k ? k->role : FACT_LIB_ROLE_OTHER;
    n->function = function_name(w->a, name);
    n->mandatory = mandatory || (k && k->always);
    n->at_import = k && k->at_import;
    return n;
}

static struct fact_need *find_need(const struct need_list *l, const char *function)
{
    for (size_t i = 0; i < l->n; i++)
        if (str_eq(l->items[i].function, function))
            return &l->items[i];
    return NULL;
}

/* One function's attempts as a need. false: a function that must be understood is not. */
static bool need_from_code(struct work *w, struct dso_file *f, const char *name, bool mandatory, struct need_list *l)
{
    const struct tf_function *k = tf_loader_find(name, strlen(name));
    struct dso_answer an;
    enum dso_result r = dso_function(f, name, &an);
    bool must = mandatory || (k && k->always), has_version = false;
    if (r == DSO_ABSENT)
        return !mandatory;
    for (size_t i = 0; r == DSO_OK && i < an.n; i++)
        has_version |= an.attempts[i].version[0] != '\0';
    if (r != DSO_OK || (k && k->versioned && !has_version) || (k && !str_eq(k->library, an.attempts[0].name))) {
        complain(w, "code not understood:", function_name(w->a, name), NULL);
        return !must;
    }
    struct fact_need *n = add_need(w, l, name, k, mandatory);
    for (size_t i = 0; i < an.n; i++) {
        const struct dso_attempt *t = &an.attempts[i];
        *ARENA_PUSH(w->a, n->sonames, n->n_sonames) = arena_printf(w->a, "lib%s.so%s%s", t->name, t->version[0] ? "." : "", t->version);
    }
    return true;
}

static bool asks_cudnn(const struct bytesrc *src, const struct elf *elf)
{
    struct elf_sym sym;
    return elf_lookup(src, elf, tf_loader_cudnn_version_symbol(), NULL, &sym) > 0;
}

static bool needs_from_file(struct work *w, const char *path, const struct elf *elf, struct need_list *l)
{
    struct dso_file f;
    const char *names[DSO_MANDATORY];
    size_t n_names = 0, n;
    const struct tf_function *known = tf_loader_functions(&n);
    if (!path || dso_open(w->in->files, path, elf, &f) < 0)
        return false;
    bool fine = dso_mandatory(&f, names, &n_names) == DSO_OK;
    if (!fine)
        complain(w, "code not understood:", "DsoLoader::TryDlopenCUDALibraries", NULL);
    for (size_t i = 0; fine && i < n_names; i++)
        fine = need_from_code(w, &f, names[i], true, l);
    for (size_t i = 0; fine && i < n; i++)
        if (!find_need(l, function_name(w->a, known[i].name)))
            fine = need_from_code(w, &f, known[i].name, false, l);
    w->asks_cudnn = fine && asks_cudnn(&f.src, f.elf);
    dso_close(&f);
    return fine;
}

static bool needs_from_code(struct work *w, struct need_list *l)
{
    if (needs_from_file(w, w->in->framework, w->in->framework_elf, l))
        return true;
    *l = (struct need_list){0};
    return needs_from_file(w, w->in->cc, w->in->cc_elf, l);
}

static bool needs_from_row(struct work *w, struct need_list *l)
{
    const struct tf_learned *row = w->in->framework_sha256 ? tf_learned_find(w->in->framework_sha256) : NULL;
    if (!row)
        return false;
    const struct tf_learned_need *need = tf_learned_needs(row);
    for (size_t i = 0; i < row->n; i++) {
        struct fact_need *n = add_need(w, l, need[i].function, tf_loader_find(need[i].function, strlen(need[i].function)), need[i].mandatory);
        for (size_t k = 0; k < need[i].n_sonames; k++)
            *ARENA_PUSH(w->a, n->sonames, n->n_sonames) = need[i].sonames[k];
    }
    return true;
}

static bool build_major(const char *version, uint32_t *ret)
{
    return version && ver_major(version, ret);
}

/* The soname that build_info lets expect, or NULL. */
static const char *expected_soname(struct work *w, const struct tf_function *k)
{
    const struct fact_build_info *b = w->in->build;
    uint32_t cuda, cudnn;
    const struct cuda_lib *lib = cuda_lib_find(arena_printf(w->a, "lib%s.so", k->library));
    if (k->role == FACT_LIB_ROLE_CUDNN)
        return b && build_major(b->cudnn_version, &cudnn) ? arena_printf(w->a, "lib%s.so.%u", k->library, cudnn) : NULL;
    if (k->role != FACT_LIB_ROLE_CUDA || !lib || !b || !build_major(b->cuda_version, &cuda))
        return NULL;
    return cuda_lib_soname(lib, cuda);
}

static bool needs_from_build_info(struct work *w, struct need_list *l)
{
    const struct fact_build_info *b = w->in->build;
    const struct tf_function *k;
    uint32_t cuda;
    if (!b || b->is_cuda != TRI_YES || !build_major(b->cuda_version, &cuda))
        return false;
    for (size_t i = 0; (k = tf_loader_fallback(cuda, i)); i++) {
        const char *soname = expected_soname(w, k);
        if (!soname)
            return false;
        struct fact_need *n = add_need(w, l, k->name, k, true);
        n->function = NULL;
        *ARENA_PUSH(w->a, n->sonames, n->n_sonames) = soname;
    }
    if (!l->n)
        return false;
    struct fact_need *n = ARENA_PUSH(w->a, l->items, l->n);
    n->role = FACT_LIB_ROLE_DRIVER;
    n->mandatory = true;
    *ARENA_PUSH(w->a, n->sonames, n->n_sonames) = tf_loader_fallback_driver();
    return true;
}

/* What the row does not hold. */
static bool file_asks_cudnn(struct work *w, const char *path, const struct elf *elf)
{
    struct open_file f;
    if (!path || !elf || elf->verdict != ELF_OK || files_open(w->in->files, path, &f, NULL) < 0)
        return false;
    struct arena scratch;
    arena_init(&scratch, 0);
    struct bytesrc src = pagesrc_src(pagesrc_new(&scratch, &f.src));
    bool asks = asks_cudnn(&src, elf);
    arena_done(&scratch);
    file_close(&f);
    return asks;
}

static const char *join(struct arena *a, const struct fact_need *n)
{
    const char *s = n->n_sonames ? n->sonames[0] : "none";
    for (size_t i = 1; i < n->n_sonames; i++)
        s = arena_printf(a, "%s %s", s, n->sonames[i]);
    return s;
}

static void compare_lists(struct work *w, const struct need_list *row, const struct need_list *code)
{
    for (size_t i = 0; i < row->n; i++) {
        const struct fact_need *r = &row->items[i], *c = find_need(code, r->function);
        if (!c)
            complain(w, "learned, but not in the code:", r->function, NULL);
        else if (!str_eq(join(w->a, r), join(w->a, c)) || r->mandatory != c->mandatory)
            complain(w, "learned and code differ:", r->function,
                     arena_printf(w->a, "%s (%s), %s (%s)", join(w->a, r), r->mandatory ? "mandatory" : "optional", join(w->a, c),
                                  c->mandatory ? "mandatory" : "optional"));
    }
    for (size_t i = 0; i < code->n; i++)
        if (code->items[i].mandatory && !find_need(row, code->items[i].function))
            complain(w, "in the code, but not learned:", code->items[i].function, NULL);
}

/* build_info names CUDA's and cuDNN's major: one of the sonames asked must be that major's. */
static void compare_build_info(struct work *w, const struct need_list *l)
{
    size_t n;
    const struct tf_function *known = tf_loader_functions(&n);
    for (size_t i = 0; i < n; i++) {
        const struct fact_need *need = find_need(l, function_name(w->a, known[i].name));
        const char *want = need && need->mandatory ? expected_soname(w, &known[i]) : NULL;
        bool has = !want;
        for (size_t k = 0; want && k < need->n_sonames; k++)
            has |= str_eq(need->sonames[k], want);
        if (!has)
            complain(w, "build_info lets expect", want, join(w->a, need));
    }
}

void tf_code_find(const struct tf_code_in *in, struct arena *a, struct fact_tensorflow *t)
{
    struct work w = {.in = in, .a = a};
    struct need_list code = {0}, row = {0}, guess = {0};
    buf_init(&w.conflict, 4096);
    bool has_row = needs_from_row(&w, &row), has_code = !(has_row && in->row_is_enough) && needs_from_code(&w, &code);
    if (!has_code && has_row)
        w.asks_cudnn = file_asks_cudnn(&w, in->framework, in->framework_elf) || file_asks_cudnn(&w, in->cc, in->cc_elf);
    const struct need_list *use = has_row ? &row : has_code ? &code : NULL;
    t->needs_source = has_row ? FACT_NEEDS_SOURCE_LEARNED_ROW : has_code ? FACT_NEEDS_SOURCE_CODE : FACT_NEEDS_SOURCE_NONE;
    if (has_row && has_code)
        compare_lists(&w, &row, &code);
    if (use) {
        compare_build_info(&w, use);
    } else if (needs_from_build_info(&w, &guess)) {
        use = &guess;
        t->needs_source = FACT_NEEDS_SOURCE_BUILD_INFO;
    }
    t->lists_with_cudnn = w.asks_cudnn;
    t->needs = use ? use->items : NULL;
    t->n_needs = use ? use->n : 0;
    t->needs_conflict = w.conflict.len ? arena_strndup(a, w.conflict.p, w.conflict.len) : NULL;
    buf_done(&w.conflict);
}

void tf_code_needs(struct probe *p)
{
    struct fact_tensorflow *t = &p->f->tensorflow;
    struct files files = files_of_root(p->root);
    struct tf_code_in in = {.files = &files, .framework = t->framework, .cc = t->cc, .build = &t->build};
    if (p->proc && t->framework)
        in.framework_elf = ldso_elf(p->proc, t->framework);
    if (p->proc && t->cc)
        in.cc_elf = ldso_elf(p->proc, t->cc);
    const struct tf_file *listed = p->record ? tf_record_find(p->record, "libtensorflow_framework.so.2") : NULL;
    in.framework_sha256 = listed ? listed->sha256 : NULL;
    /* A file of the size that RECORD states is taken for the one whose hash it states; --deep compares the hash, and the code. */
    in.row_is_enough = !p->deep && !p->verbose && listed && listed->has_size && in.framework_elf && in.framework_elf->file_size == listed->size;
    tf_code_find(&in, p->a, t);
}
