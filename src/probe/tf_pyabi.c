/* SPDX-License-Identifier: Apache-2.0 */
/* tf_pyabi - which NumPy C API and which protobuf runtime the installed files were made for, as the files themselves show. */
#include <string.h>
#include "formats/pb2.h"
#include "knowledge/pydata.h"
#include "probe/probe.h"

enum { CHUNK = 1 << 16, OVERLAP = 64, NUMPY_FILE_MAX = 32 << 20, PB2_HEAD = 4096, PY_MAX = 1 << 18 };

/* Which of the two names does the file hold? 2: the new one, 1: only the old one, 0: neither. */
static unsigned scan_numpy(struct probe *p, const char *path, char *buf)
{
    const struct numpy_marks *m = pydata_numpy_marks();
    struct rfile *f;
    unsigned api = 0;
    if (root_open(p->root, path, &f, NULL) < 0)
        return 0;
    uint64_t size = rfile_stat(f)->size;
    for (uint64_t off = 0; api < 2 && off < size && size <= NUMPY_FILE_MAX; off += CHUNK - OVERLAP) {
        long n = rfile_pread(f, buf, CHUNK, off);
        if (n <= 0)
            break;
        if (memmem(buf, (size_t)n, m->new_name, strlen(m->new_name)))
            api = 2;
        else if (!api && memmem(buf, (size_t)n, m->old_name, strlen(m->old_name)))
            api = 1;
    }
    rfile_close(f);
    return api;
}

static void find_numpy_api(struct probe *p, const char *dir, struct fact_py_abi *r, char *buf)
{
    for (const char *const *f = pydata_numpy_marks()->files; *f && !r->numpy_api; f++) {
        const char *path = path_join(p->a, dir, *f);
        r->numpy_api = scan_numpy(p, path, buf);
        if (r->numpy_api)
            r->numpy_file = path;
    }
}

static bool is_unmet(const struct probe *p, const char *dist)
{
    for (size_t i = 0; i < p->f->tensorflow.n_requirements; i++) {
        const struct fact_requirement *r = &p->f->tensorflow.requirements[i];
        if (str_eq(r->name, dist) && r->installed && r->met == TRI_NO)
            return true;
    }
    return false;
}

/* Packages beside TensorFlow: looked into only where TensorFlow's metadata does not vouch for them. */
static void find_numpy_user(struct probe *p, struct fact_py_abi *r, char *buf)
{
    const struct facts *f = p->f;
    for (const struct numpy_user *u = pydata_numpy_users(); f->python.soabi && u->dist && !r->numpy_user; u++) {
        for (size_t i = 0; is_unmet(p, u->dist) && i < f->n_packages; i++) {
            const struct fact_package *k = &f->packages[i];
            if (!str_eq(k->name, u->dist) || k->shadowed_by || !k->dir)
                continue;
            const char *path = arena_printf(p->a, "%s/%s.%s.so", k->dir, u->file, f->python.soabi);
            if (scan_numpy(p, path, buf) == 1)
                r->numpy_user = u->dist, r->numpy_user_file = path;
        }
    }
}

static void find_protobuf(struct probe *p, const char *dir, struct fact_py_abi *r, char *buf)
{
    static const enum fact_protobuf_style style[] = {FACT_PROTOBUF_STYLE_UNKNOWN, FACT_PROTOBUF_STYLE_DESCRIPTORS, FACT_PROTOBUF_STYLE_BUILDER,
                                                     FACT_PROTOBUF_STYLE_VERSIONED};
    for (const char *const *f = pydata_protobuf_files(); *f && !r->protobuf_style; f++) {
        struct rfile *file;
        const char *path = path_join(p->a, dir, *f);
        if (root_open(p->root, path, &file, NULL) < 0)
            continue;
        long n = rfile_pread(file, buf, PB2_HEAD, 0);
        rfile_close(file);
        struct pb2 b = pb2_parse(buf, n > 0 ? (size_t)n : 0);
        r->protobuf_style = style[b.style];
        r->protobuf_builder = b.needs_builder;
        if (b.style == PB2_VERSIONED)
            r->protobuf_gencode = arena_printf(p->a, "%u.%u.%u", b.version[0], b.version[1], b.version[2]);
        if (b.style != PB2_UNKNOWN)
            r->protobuf_file = path;
    }
}

/* What the runtime says of itself is what the generated code asks: files of two versions may lie in one folder. */
static void find_runtime(struct probe *p, struct fact_py_abi *r, char *buf)
{
    static const char *const keys[] = {"OSS_MAJOR = ", "OSS_MINOR = ", "OSS_PATCH = "};
    struct rfile *file;
    uint64_t part[TG_COUNT(keys)];
    const char *dir = path_dir(p->a, p->f->tensorflow.package_dir);
    for (size_t i = 0; i < p->f->n_packages; i++)
        if (str_eq(p->f->packages[i].name, "protobuf") && p->f->packages[i].dir && !p->f->packages[i].shadowed_by)
            dir = p->f->packages[i].dir;
    if (!is_unmet(p, "protobuf") || root_open(p->root, path_join(p->a, dir, "google/protobuf/runtime_version.py"), &file, NULL) < 0)
        return;
    long n = rfile_pread(file, buf, PB2_HEAD, 0);
    rfile_close(file);
    for (size_t i = 0; i < TG_COUNT(keys); i++) {
        const char *at = n > 0 ? memmem(buf, (size_t)n, keys[i], strlen(keys[i])) : NULL;
        size_t len = at ? strspn(at += strlen(keys[i]), "0123456789") : 0;
        if (!len || str_to_u64(at, len, 10, &part[i]) < 0)
            return;
    }
    r->protobuf_runtime = arena_printf(p->a, "%llu.%llu.%llu", (unsigned long long)part[0], (unsigned long long)part[1], (unsigned long long)part[2]);
}

static bool is_word(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool has_word(struct str text, struct str word)
{
    const char *end = text.p + text.n, *at = text.p;
    for (; (at = memmem(at, (size_t)(end - at), word.p, word.n)) != NULL; at++)
        if ((at == text.p || !is_word(at[-1])) && (at + word.n == end || !is_word(at[word.n])))
            return true;
    return false;
}

/* Names that a Python file of TensorFlow takes of a package in statements that run while it is imported. */
static const char *first_lacking(struct str tf, const char *module, struct str init, struct arena *a)
{
    const char *key = arena_printf(a, "%s.", module);
    size_t pos = 0;
    struct str line;
    while (str_line(tf.p, tf.n, &pos, &line)) {
        const char *at = line.n && line.p[0] == '_' ? memmem(line.p, line.n, key, strlen(key)) : NULL;
        if (!at)
            continue;
        at += strlen(key);
        size_t n = 0;
        while (at + n < line.p + line.n && is_word(at[n]))
            n++;
        if (n && !has_word(init, (struct str){at, n}))
            return arena_strndup(a, at, n);
    }
    return NULL;
}

/* A package that is not the one that TensorFlow asks for may lack a name that is taken of it. */
static void find_lacking(struct probe *p, struct fact_py_abi *r)
{
    static const struct { const char *dist, *module, *file; } rows[] = {{"ml-dtypes", "ml_dtypes", "python/framework/dtypes.py"}};
    const struct facts *f = p->f;
    for (size_t i = 0; i < TG_COUNT(rows); i++) {
        struct str tf, init;
        const char *file = path_join(p->a, f->tensorflow.package_dir, rows[i].file), *dir = NULL;
        for (size_t k = 0; k < f->n_packages; k++)
            if (str_eq(f->packages[k].name, rows[i].dist) && !f->packages[k].shadowed_by)
                dir = f->packages[k].dir;
        const char *own = dir ? arena_printf(p->a, "%s/%s/__init__.py", dir, rows[i].module) : NULL;
        if (!own || !is_unmet(p, rows[i].dist) || root_read(p->root, file, PY_MAX, p->a, &tf.p, &tf.n) < 0 || root_read(p->root, own, PY_MAX, p->a, &init.p, &init.n) < 0)
            continue;
        r->lacking = first_lacking(tf, rows[i].module, init, p->a);
        if (r->lacking)
            r->lacking_of = rows[i].dist, r->lacking_file = file;
    }
}

/* The variable picks how protobuf is carried out; only one of the choices may be in another file than the default. */
static void find_protobuf_choice(struct probe *p, struct fact_py_abi *r)
{
    const struct facts *f = p->f;
    const char *names[] = {NULL, "_message.abi3.so", "_message.so"};
    r->protobuf_asked = probe_variable(p, "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION");
    names[0] = f->python.soabi ? arena_printf(p->a, "_message.%s.so", f->python.soabi) : NULL;
    for (size_t i = 0; r->protobuf_asked && i < f->n_packages; i++) {
        const struct fact_package *k = &f->packages[i];
        for (size_t n = 0; str_eq(k->name, "protobuf") && !k->shadowed_by && k->dir && n < TG_COUNT(names) && !r->protobuf_cpp; n++) {
            struct root_stat st;
            const char *path = names[n] ? arena_printf(p->a, "%s/google/protobuf/pyext/%s", k->dir, names[n]) : NULL;
            if (path && root_stat(p->root, path, &st) == 0 && st.type == ROOT_FILE)
                r->protobuf_cpp = path;
        }
    }
}

/* A file of TensorFlow that searches a docstring and does not ask whether there is one: `import tensorflow` runs it. */
static void find_docstring_user(struct probe *p, const char *dir, struct fact_py_abi *r, char *buf)
{
    static const char use[] = ".finditer(doc_module.__doc__)", guard[] = "doc_module.__doc__ is None";
    const char *path = path_join(p->a, dir, "python/util/all_util.py");
    struct rfile *file;
    if (!probe_drops_docstrings(p) || root_open(p->root, path, &file, NULL) < 0)
        return;
    long n = rfile_pread(file, buf, CHUNK, 0);
    rfile_close(file);
    if (n > 0 && memmem(buf, (size_t)n, use, sizeof use - 1) && !memmem(buf, (size_t)n, guard, sizeof guard - 1))
        r->docstring_user = path;
}

void probe_tf_pyabi(struct probe *p)
{
    struct fact_tensorflow *t = &p->f->tensorflow;
    struct arena scratch;
    if (!t->package_dir)
        return;
    arena_init(&scratch, 0);
    char *buf = arena_raw(&scratch, CHUNK);
    find_numpy_api(p, t->package_dir, &t->py_abi, buf);
    find_numpy_user(p, &t->py_abi, buf);
    find_protobuf(p, t->package_dir, &t->py_abi, buf);
    find_runtime(p, &t->py_abi, buf);
    find_protobuf_choice(p, &t->py_abi);
    find_lacking(p, &t->py_abi);
    find_docstring_user(p, t->package_dir, &t->py_abi, buf);
    t->py_abi.state = t->py_abi.numpy_api || t->py_abi.protobuf_style || t->py_abi.protobuf_asked ? FACT_PRESENT : FACT_UNKNOWN;
    arena_done(&scratch);
}
