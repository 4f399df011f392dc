/* SPDX-License-Identifier: Apache-2.0 */
/* kernelspec - kernel.json of a Jupyter kernel. */
#include "formats/kernelspec.h"
#include <errno.h>
#include <jansson.h>
#include "base/util.h"

static int read_argv(json_t *argv, struct arena *a, struct kernelspec *k, struct err *e)
{
    size_t n = json_array_size(argv);
    if (!json_is_array(argv) || n == 0)
        return err_set(e, -EBADMSG, "kernel.json: argv is missing, empty or no list");
    if (n > KERNELSPEC_MAX_ARGS)
        return err_set(e, -E2BIG, "kernel.json: argv has %zu elements", n);
    k->argv = arena_array(a, n, sizeof *k->argv);
    for (size_t i = 0; i < n; i++) {
        const char *s = json_string_value(json_array_get(argv, i));
        if (!s)
            return err_set(e, -EBADMSG, "kernel.json: argv[%zu] is no text", i);
        k->argv[k->n_argv++] = arena_strdup(a, s);
    }
    return 0;
}

static int read_env(json_t *env, struct arena *a, struct kernelspec *k, struct err *e)
{
    const char *key;
    json_t *value;
    if (!env || json_is_null(env))
        return 0;
    if (!json_is_object(env))
        return err_set(e, -EBADMSG, "kernel.json: env is no object");
    if (json_object_size(env) > KERNELSPEC_MAX_ENV)
        return err_set(e, -E2BIG, "kernel.json: env has %zu members", json_object_size(env));
    k->env = arena_array(a, json_object_size(env) + 1, sizeof *k->env);
    json_object_foreach(env, key, value) {
        if (!json_is_string(value))
            return err_set(e, -EBADMSG, "kernel.json: env.%s is no text", key);
        k->env[k->n_env++] = (struct kernelspec_env){arena_strdup(a, key), arena_strdup(a, json_string_value(value))};
    }
    return 0;
}

int kernelspec_parse(const char *buf, size_t len, struct arena *a, struct kernelspec *ret, struct err *e)
{
    json_error_t je;
    struct kernelspec k = {0};
    json_t *doc = json_loadb(buf, len, 0, &je);
    if (!doc)
        return err_set(e, -EBADMSG, "kernel.json: line %d, column %d: %s", je.line, je.column, je.text);
    int rc = read_argv(json_object_get(doc, "argv"), a, &k, e);
    if (rc == 0)
        rc = read_env(json_object_get(doc, "env"), a, &k, e);
    if (rc == 0) {
        k.display_name = arena_strdup(a, json_string_value(json_object_get(doc, "display_name")));
        k.language = arena_strdup(a, json_string_value(json_object_get(doc, "language")));
        *ret = k;
    }
    json_decref(doc);
    return rc;
}

const char *kernelspec_getenv(const struct kernelspec *k, const char *name)
{
    for (size_t i = 0; i < k->n_env; i++)
        if (str_eq(k->env[i].name, name))
            return k->env[i].value;
    return NULL;
}
