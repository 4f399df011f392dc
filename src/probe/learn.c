/* SPDX-License-Identifier: Apache-2.0 */
/* learn - what a distribution states of itself: METADATA, WHEEL, RECORD, TensorFlow's build_info and loader code. */
#include "probe/learn.h"
#include <errno.h>
#include <string.h>
#include "formats/metadata.h"
#include "formats/record.h"
#include "knowledge/layout.h"
#include "knowledge/pydata.h"
#include "knowledge/wheel_kinds.h"
#include "probe/cpu_guard.h"
#include "probe/tf_build.h"
#include "probe/tf_code.h"

enum { METADATA_MAX = 16 << 20, WHEEL_MAX = 1 << 16, VERSION_FILE_MAX = 1 << 16 };
static const char tensorflow[] = "tensorflow", framework[] = "tensorflow/libtensorflow_framework.so.2";

bool learn_is_object(const char *path)
{
    const char *base = path_base(path), *so = strstr(base, ".so");
    while (so && so[3] && so[3] != '.')
        so = strstr(so + 1, ".so");
    if (!so || so == base)
        return false;
    for (so += 3; *so; so++)
        if (*so != '.' && (*so < '0' || *so > '9'))
            return false;
    return true;
}

static int read_metadata(const struct learn_in *in, struct arena *a, struct fact_wheel *w, struct err *e)
{
    const char *path = path_join(a, in->info, "METADATA"), *text;
    struct metadata m;
    struct err why = {0};
    size_t n;
    int rc = files_read(in->files, path, METADATA_MAX, a, &text, &n, e);
    if (rc < 0)
        return rc;
    rc = metadata_parse(text, n, a, &m, &why);
    if (rc == 0 && (!m.name || !m.version))
        rc = err_set(&why, -EBADMSG, "no name or no version");
    if (rc < 0)
        return err_set(e, rc, "%s: %s", path, why.msg);
    w->name = metadata_normal_name(a, m.name, strlen(m.name));
    w->version = m.version;
    w->requires_python = m.requires_python;
    w->requires = m.requires_dist;
    w->n_requires = m.n_requires_dist;
    w->extras = m.provides_extra;
    w->n_extras = m.n_provides_extra;
    if (files_read(in->files, path_join(a, in->info, "WHEEL"), WHEEL_MAX, a, &text, &n, NULL) == 0)
        (void)metadata_parse_wheel(text, n, a, &w->tags, &w->n_tags, NULL); /* none: no tags */
    return 0;
}

/* What RECORD states for the framework library. */
static const char *record_hash(const struct learn_in *in, struct arena *a)
{
    struct open_file f;
    struct record r;
    struct str line;
    const char *found = NULL;
    size_t n = strlen(framework);
    if (files_open(in->files, path_join(a, in->info, "RECORD"), &f, NULL) < 0)
        return NULL;
    record_init(&r, &f.src, arena_raw(a, RECORD_WINDOW));
    while (!found && record_line(&r, &line) == 1) {
        struct record_entry en;
        if (line.n > n && line.p[n] == ',' && memcmp(line.p, framework, n) == 0 && record_parse(line, &en) && en.hash.n == RECORD_SHA256_TEXT)
            found = arena_strndup(a, en.hash.p, en.hash.n);
    }
    file_close(&f);
    return found;
}

static bool has_object(const struct learn_in *in, const char *path)
{
    for (size_t i = 0; i < in->n_objects; i++)
        if (strcmp(in->objects[i], path) == 0)
            return true;
    return false;
}

static void learn_tensorflow(const struct learn_in *in, struct arena *a, struct fact_wheel *w)
{
    static const char cc[] = "tensorflow/libtensorflow_cc.so.2", old_cc[] = "tensorflow/python/_pywrap_tensorflow_internal.so";
    struct fact_tensorflow t = {0};
    tf_build_info(in->files, tensorflow, a, &w->build);
    w->cuda = w->build.cuda_version;
    w->cudnn = w->build.cudnn_version;
    w->cudnn_compiled = tf_build_cudnn_header(in->files, tensorflow, a);
    w->framework_sha256 = record_hash(in, a);
    if (cpu_guard_flags(in->files, framework, a, &w->cpu, &w->n_cpu))
        w->cpu_source = FACT_CPU_SOURCE_GUARD_CODE;
    if (w->build.is_cuda == TRI_NO)
        return;
    struct tf_code_in code = {.files = in->files, .framework = framework, .cc = has_object(in, cc) ? cc : old_cc, .build = &w->build};
    tf_code_find(&code, a, &t);
    w->needs = t.needs;
    w->n_needs = t.n_needs;
    w->needs_source = t.needs_source;
    w->needs_conflict = t.needs_conflict;
}

/* The value of `name = 'x'` or `name: type = 'x'` in a Python file; NULL when it is something else. */
static const char *python_string(const char *text, size_t len, const char *name, struct arena *a)
{
    struct str line;
    size_t n = strlen(name);
    for (size_t pos = 0; str_line(text, len, &pos, &line);) {
        if (line.n <= n || memcmp(line.p, name, n) != 0 || !strchr(" :=", line.p[n]))
            continue;
        const char *eq = memchr(line.p, '=', line.n);
        struct str v = eq ? str_trim((struct str){eq + 1, line.n - (size_t)(eq + 1 - line.p)}) : (struct str){0};
        if (v.n >= 2 && (v.p[0] == '\'' || v.p[0] == '"') && v.p[v.n - 1] == v.p[0])
            return arena_strndup(a, v.p + 1, v.n - 2);
    }
    return NULL;
}

/* "12" of "nvidia-cublas-cu12" and "jax-cuda12-plugin"; NULL when the name does not say. */
static const char *cuda_of_name(const char *name, struct arena *a)
{
    for (const char *at = strstr(name, "-cu"); at; at = strstr(at + 1, "-cu")) {
        const char *number = at + (str_starts(at, "-cuda") ? 5 : 3);
        size_t n = strspn(number, "0123456789");
        if (n && (number[n] == '\0' || number[n] == '-'))
            return arena_strndup(a, number, n);
    }
    return NULL;
}

static void learn_others(const struct learn_in *in, const struct wheel_kind *k, struct arena *a, struct fact_wheel *w)
{
    const char *text;
    size_t n;
    w->kind = k->kind;
    if (k->version_file && files_read(in->files, k->version_file, VERSION_FILE_MAX, a, &text, &n, NULL) == 0)
        w->cuda = python_string(text, n, k->cuda, a);
    if (!w->cuda)
        w->cuda = cuda_of_name(w->name, a);
}

int learn_distribution(const struct learn_in *in, struct arena *a, struct fact_wheel *ret, struct err *e)
{
    *ret = (struct fact_wheel){.schema = "tfgpu.learn/1"};
    int rc = read_metadata(in, a, ret, e);
    if (rc < 0)
        return rc;
    const struct wheel_kind *k = wheel_kind_find(ret->name);
    const char *const *entries = k && k->entries[0] ? k->entries : NULL;
    if (pydata_tf_dist(ret->name)) {
        const char **list = NULL;
        size_t n = 0;
        for (const char *const *m = layout_import_chain(); *m; m++)
            *ARENA_PUSH(a, list, n) = path_join(a, tensorflow, *m);
        *ARENA_PUSH(a, list, n) = NULL;
        entries = list;
        ret->kind = FACT_WHEEL_KIND_TENSORFLOW;
    } else if (k) {
        learn_others(in, k, a, ret);
    }
    rc = learn_objects(in, entries, a, ret, e);
    if (rc == 0 && ret->kind == FACT_WHEEL_KIND_TENSORFLOW)
        learn_tensorflow(in, a, ret);
    return rc;
}
