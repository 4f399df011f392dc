/* SPDX-License-Identifier: Apache-2.0 */
/* dso_code - interpretation of DsoLoader's functions; the shapes seen so far are described in docs/formats/tf-code.md. */
#include "probe/dso_code.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { SYMBOL = 160, MAX_DEPTH = 3, EM_X86_64 = 62 };

static bool symbol_name(char *dst, const char *ns, const char *class_name, const char *method)
{
    int n = snprintf(dst, SYMBOL, "_ZN%s%zu%s%zu%sEv", ns, strlen(class_name), class_name, strlen(method), method);
    return n > 0 && n < SYMBOL;
}

static int lookup(struct dso_file *f, const char *class_name, const char *method, struct elf_sym *ret)
{
    char name[SYMBOL];
    return symbol_name(name, f->ns, class_name, method) ? elf_lookup(&f->src, f->elf, name, NULL, ret) : 0;
}

int dso_open(const struct files *files, const char *path, const struct elf *elf, struct dso_file *ret)
{
    struct dso_file *f = ret;
    struct arena *a = &f->a;
    memset(f, 0, sizeof *f);
    int rc = files_open(files, path, &f->f, NULL);
    if (rc < 0)
        return rc;
    f->src = pagesrc_src(pagesrc_new(a, &f->f.src));
    if (!elf) {
        struct elf *own = ARENA_NEW(a, struct elf);
        rc = elf_read(&f->src, false, a, own, NULL);
        elf = own;
    }
    f->elf = elf;
    if (!rc && (elf->verdict != ELF_OK || elf->machine != EM_X86_64))
        rc = -ENOEXEC;
    for (const char *const *ns = tf_loader_namespaces(); !rc && *ns; ns++) {
        struct elf_sym sym;
        f->ns = *ns;
        int found = lookup(f, "DsoLoader", "TryDlopenCUDALibraries", &sym);
        if (found < 0)
            rc = found;
        if (found)
            break;
        f->ns = NULL;
    }
    if (!rc && !f->ns)
        rc = -ENOENT;
    if (rc) {
        dso_close(f);
        return rc;
    }
    f->code = (struct x86_code){.src = &f->src, .elf = elf};
    f->scan = x86_scan_new(a, &f->code);
    return 0;
}

void dso_close(struct dso_file *f)
{
    file_close(&f->f);
    arena_done(&f->a);
}

static struct x86_val plus(struct x86_val v, int64_t by)
{
    v.v += by;
    return v;
}

/* Text of n bytes at `at` into dst[max], when all of it is known and may be part of a file name. */
static bool read_text(struct dso_file *f, const struct x86_state *st, struct x86_val at, struct x86_val n, char *dst, size_t max)
{
    if (n.kind != X86_CONST || n.v < 0 || (uint64_t)n.v >= max || (n.v && !x86_bytes(f->scan, st, at, (size_t)n.v, dst)))
        return false;
    dst[n.v] = '\0';
    for (int64_t i = 0; i < n.v; i++) {
        char c = dst[i];
        bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
        if (!fine)
            return false;
    }
    return true;
}

/* The text at `at` up to its NUL, under the same conditions. */
static bool read_text_z(struct dso_file *f, const struct x86_state *st, struct x86_val at, char *dst, size_t max)
{
    struct x86_val n = {.kind = X86_CONST};
    char c;
    while ((uint64_t)n.v < max && x86_bytes(f->scan, st, plus(at, n.v), 1, &c) && c)
        n.v++;
    return read_text(f, st, at, n, dst, max);
}

/* A std::string in memory: pointer, then length. */
static bool read_string(struct dso_file *f, const struct x86_state *st, struct x86_val object, char *dst, size_t max)
{
    return object.kind == X86_FRAME &&
           read_text(f, st, x86_load(f->scan, st, object), x86_load(f->scan, st, plus(object, 8)), dst, max);
}

/* Calls found in one function. */
struct call_list {
    struct dso_file *f;
    bool wants_names; /* look at the names of the functions that are called */
    bool leaf;   /* it formats a file name or calls the platform's dlopen itself */
    bool unread; /* a call with a name whose version could not be read */
    struct { uint64_t target; struct dso_attempt what; } calls[DSO_ATTEMPTS];
    size_t n;
    struct { int64_t at; char text[DSO_NAME]; } made[2]; /* strings of the old ABI, whose constructor is a call; since the last of `calls` */
    size_t n_made;
};

static const char *callee(struct dso_file *f, uint64_t target)
{
    for (size_t i = 0; i < f->n_stubs; i++)
        if (f->stubs[i].target == target)
            return f->stubs[i].name;
    const char *name = x86_plt_name(&f->code, target, &f->a);
    if (f->n_stubs < DSO_STUBS) {
        f->stubs[f->n_stubs].target = target;
        f->stubs[f->n_stubs++].name = name;
    }
    return name;
}

/* std::string::string(const char *, allocator) of the ABI before C++11: remember what it makes where. */
static bool note_made(struct call_list *l, const struct x86_seen *seen)
{
    struct x86_val object = x86_get(seen->st, X86_RDI), text = x86_get(seen->st, X86_RSI);
    const char *name = object.kind == X86_FRAME && text.kind == X86_CONST ? callee(l->f, seen->target) : NULL;
    if (!str_starts(name, "_ZNSsC1EPKcRKSaIcE") && !str_starts(name, "_ZNSsC2EPKcRKSaIcE"))
        return false;
    if (l->n_made == TG_COUNT(l->made)) {
        l->made[0] = l->made[1];
        l->n_made--;
    }
    l->made[l->n_made].at = object.v;
    if (read_text_z(l->f, seen->st, text, l->made[l->n_made].text, sizeof l->made->text))
        l->n_made++;
    return true;
}

static const char *made_at(const struct call_list *l, struct x86_val object)
{
    for (size_t i = 0; i < l->n_made; i++)
        if (object.kind == X86_FRAME && l->made[i].at == object.v)
            return l->made[i].text;
    return NULL;
}

static void add_call(struct call_list *l, uint64_t target, const struct dso_attempt *what)
{
    if (l->n == DSO_ATTEMPTS) {
        l->unread = true;
        return;
    }
    l->calls[l->n].target = target;
    l->calls[l->n++].what = *what;
}

/* The same call with strings of the old ABI: both must have been made for it. */
static bool old_call(struct call_list *l, const struct x86_seen *seen)
{
    const char *name = made_at(l, x86_get(seen->st, X86_RSI)), *version = made_at(l, x86_get(seen->st, X86_RDX));
    struct dso_attempt what;
    if (!name || !*name || !version || strlen(version) >= sizeof what.version)
        return false;
    snprintf(what.name, sizeof what.name, "%s", name);
    snprintf(what.version, sizeof what.version, "%s", version);
    add_call(l, seen->target, &what);
    l->n_made = 0;
    return true;
}

/* GetDsoHandle(name, version): the result's place in rdi, the name in rsi, the version in rdx as a std::string or in
 * rdx, rcx as a view. Other calls (delete, logging) do not look like that. */
static void on_event(void *ctx, const struct x86_seen *seen)
{
    struct call_list *l = ctx;
    struct dso_attempt what;
    if (seen->event != X86_CALL || !seen->target)
        return;
    const char *name = l->wants_names ? callee(l->f, seen->target) : NULL;
    if (name && (strstr(name, "LoadDynamicLibrary") || strstr(name, "FormatLibraryFileName") || strstr(name, "3Env7DefaultEv")))
        l->leaf = true;
    if (name && !strstr(name, "DsoHandle"))
        return;
    if (note_made(l, seen) || (l->n_made && old_call(l, seen)))
        return;
    if (!read_string(l->f, seen->st, x86_get(seen->st, X86_RSI), what.name, sizeof what.name) || !what.name[0])
        return;
    struct x86_val rdx = x86_get(seen->st, X86_RDX), rcx = x86_get(seen->st, X86_RCX);
    if (!read_string(l->f, seen->st, rdx, what.version, sizeof what.version) &&
        !read_text(l->f, seen->st, rcx, rdx, what.version, sizeof what.version))
        l->unread = true;
    else
        add_call(l, seen->target, &what);
}

/* Comparisons of known text, so that a function that chooses by name is followed on the one path that this name takes. */
static bool on_call(void *ctx, const struct x86_seen *call, uint64_t *ret)
{
    enum { TEXT = 64 };
    struct call_list *l = ctx;
    char a[TEXT], b[TEXT];
    const char *name = call->target ? callee(l->f, call->target) : NULL;
    struct x86_val p = x86_get(call->st, X86_RDI), q = x86_get(call->st, X86_RSI), n = x86_get(call->st, X86_RDX);
    if (!name)
        return false;
    if (strcmp(name, "bcmp") == 0 || strcmp(name, "memcmp") == 0) {
        if (n.kind != X86_CONST || (uint64_t)n.v > TEXT || !x86_bytes(l->f->scan, call->st, p, (size_t)n.v, a) ||
            !x86_bytes(l->f->scan, call->st, q, (size_t)n.v, b))
            return false;
        int d = memcmp(a, b, (size_t)n.v);
        *ret = d < 0 ? 0xFFFFFFFFu : d > 0;
        return true;
    }
    bool is_equal = strncmp(name, "_ZSteqIc", 8) == 0;
    struct x86_val text = is_equal ? q : p;
    size_t len = 0;
    if (!is_equal && strcmp(name, "strlen") != 0)
        return false;
    while (len < TEXT && x86_bytes(l->f->scan, call->st, plus(text, (int64_t)len), 1, b + len) && b[len])
        len++;
    if (len == TEXT || !x86_bytes(l->f->scan, call->st, plus(text, (int64_t)len), 1, b + len))
        return false;
    *ret = len;
    if (!is_equal)
        return true;
    if (!read_string(l->f, call->st, p, a, sizeof a))
        return false;
    *ret = strcmp(a, b) == 0;
    return true;
}

enum { NAME_AT = 32, VERSION_AT = 72, VERSION_OBJECT = 96 }; /* in the caller's memory; the name's object is at 0 */

static void give_string(struct x86_given *g, size_t object, size_t text, const char *s)
{
    size_t n = strlen(s);
    memcpy(g->bytes + text, s, n + 1);
    g->slot[object / 8] = (struct x86_val){.kind = X86_FRAME, .v = (int64_t)text - X86_GIVEN};
    g->bytes[object + 8] = (unsigned char)n;
}

/* What a local helper that is called with this name and version tries. */
static bool follow(struct dso_file *f, uint64_t target, const struct dso_attempt *what, struct call_list *ret)
{
    struct x86_given g = {0};
    bool is_view = true;
    give_string(&g, 0, NAME_AT, what->name);
    give_string(&g, VERSION_OBJECT, VERSION_AT, what->version);
    struct x86_val args[6] = {{.kind = X86_ARG}, {.kind = X86_FRAME, .v = -X86_GIVEN}};
    for (int form = 0; form < 2; form++, is_view = false) {
        args[2] = is_view ? (struct x86_val){.kind = X86_CONST, .v = (int64_t)strlen(what->version)}
                          : (struct x86_val){.kind = X86_FRAME, .v = VERSION_OBJECT - X86_GIVEN};
        args[3] = is_view ? (struct x86_val){.kind = X86_FRAME, .v = VERSION_AT - X86_GIVEN} : (struct x86_val){.kind = X86_UNKNOWN};
        *ret = (struct call_list){.f = f, .wants_names = true};
        struct x86_task t = {.vaddr = target, .args = args, .given = &g, .on_event = on_event, .on_call = on_call, .ctx = ret};
        (void)x86_run(f->scan, &t); /* what matters is whether the calls were seen */
        if (ret->leaf || (ret->n && !ret->unread))
            return true;
    }
    return false;
}

static bool is_leaf(struct dso_file *f, uint64_t target, bool *ret)
{
    for (size_t i = 0; i < f->n_leaves; i++) {
        if (f->leaves[i].target == target) {
            *ret = f->leaves[i].leaf;
            return true;
        }
    }
    return false;
}

static enum dso_result expand(struct dso_file *f, const struct call_list *l, int depth, struct dso_answer *ret)
{
    if (!l->n || l->unread || depth > MAX_DEPTH)
        return DSO_NOT_UNDERSTOOD;
    for (size_t i = 0; i < l->n; i++) {
        bool leaf = false;
        struct call_list inner = {0};
        if (!is_leaf(f, l->calls[i].target, &leaf)) {
            if (!follow(f, l->calls[i].target, &l->calls[i].what, &inner))
                return DSO_NOT_UNDERSTOOD;
            leaf = inner.leaf;
            if (leaf && f->n_leaves < DSO_LEAVES) {
                f->leaves[f->n_leaves].target = l->calls[i].target;
                f->leaves[f->n_leaves++].leaf = true;
            }
        }
        if (!leaf) {
            enum dso_result r = expand(f, &inner, depth + 1, ret);
            if (r != DSO_OK)
                return r;
        } else if (ret->n == DSO_ATTEMPTS) {
            return DSO_NOT_UNDERSTOOD;
        } else {
            ret->attempts[ret->n++] = l->calls[i].what;
        }
    }
    return DSO_OK;
}

enum dso_result dso_function(struct dso_file *f, const char *function, struct dso_answer *ret)
{
    char method[SYMBOL];
    struct elf_sym sym;
    ret->n = 0;
    snprintf(method, sizeof method, "Get%sDsoHandle", function);
    if (lookup(f, "DsoLoader", method, &sym) != 1)
        return DSO_ABSENT;
    struct call_list l = {.f = f};
    struct x86_task t = {.vaddr = sym.value, .size = sym.size, .on_event = on_event, .ctx = &l};
    if (x86_run(f->scan, &t) != X86_DONE)
        return DSO_NOT_UNDERSTOOD;
    return expand(f, &l, 0, ret);
}

struct mandatory { struct dso_file *f; const char **names; size_t n; };

/* A call that stays inside the file without a stub: which of the known functions lies there? */
static const char *by_address(struct dso_file *f, uint64_t target)
{
    static const char *const classes[] = {"CachedDsoLoader", "DsoLoader"};
    size_t n;
    const struct tf_function *known = tf_loader_functions(&n);
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < TG_COUNT(classes); c++) {
            char method[SYMBOL];
            struct elf_sym sym;
            snprintf(method, sizeof method, "Get%sDsoHandle", known[i].name);
            if (lookup(f, classes[c], method, &sym) == 1 && sym.value == target)
                return known[i].name;
        }
    }
    return NULL;
}

static void on_mandatory(void *ctx, const struct x86_seen *seen)
{
    struct mandatory *m = ctx;
    if (seen->event != X86_CALL)
        return;
    const char *symbol = callee(m->f, seen->target), *name = NULL;
    const char *at = symbol ? strstr(symbol, "DsoLoader") : NULL, *end = symbol ? strstr(symbol, "DsoHandleEv") : NULL;
    at = at ? strstr(at, "Get") : NULL;
    if (at && end && end > at + 3)
        name = arena_strndup(&m->f->a, at + 3, (size_t)(end - at - 3));
    else if (!symbol)
        name = by_address(m->f, seen->target);
    for (size_t i = 0; name && i < m->n; i++)
        if (strcmp(m->names[i], name) == 0)
            return;
    if (name && m->n < DSO_MANDATORY)
        m->names[m->n++] = name;
}

enum dso_result dso_mandatory(struct dso_file *f, const char **ret_names, size_t *ret_n)
{
    struct mandatory m = {.f = f, .names = ret_names};
    struct elf_sym sym;
    if (lookup(f, "DsoLoader", "TryDlopenCUDALibraries", &sym) != 1)
        return DSO_ABSENT;
    enum x86_result r = x86_sweep(f->scan, sym.value, sym.size, on_mandatory, &m);
    *ret_n = m.n;
    return r == X86_DONE && m.n ? DSO_OK : DSO_NOT_UNDERSTOOD;
}
