/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include "base/whole.h"
#include "facts/snapshot.h"
#include "report/report.h"
#include "rules/judge.h"

static int read_text(const char *text, struct err *e)
{
    struct arena a;
    struct facts f;
    arena_init(&a, 0);
    int r = facts_read(&a, text, strlen(text), &f, e);
    arena_done(&a);
    return r;
}

static void test_errors(void)
{
    static const struct { const char *text; int code; const char *word; } cases[] = {
        {"", -EINVAL, "not a facts file"}, {"[1]", -EINVAL, "not a facts file"}, {"{\"schema\": \"x\"}", -EINVAL, "not a facts file"}, {"{\"schema\": ", -EBADMSG, "line 1"},
        {"{\"schema\": \"tfgpu.facts/9\", \"facts\": {}}", -EINVAL, "tfgpu.facts/9"}, {"{\"schema\": \"tfgpu.facts/1\"}", -EBADMSG, "facts"},
        {"{\"schema\": \"tfgpu.facts/1\", \"facts\": {\"gpus\": [{}, {\"cc\": \"x\"}]}}", -EBADMSG, "facts.gpus[1].cc"},
        {"{\"schema\": \"tfgpu.facts/1\", \"facts\": {\"gpus\": [{\"cc\": 4294967296}]}}", -EBADMSG, "facts.gpus[0].cc"},
        {"{\"schema\": \"tfgpu.facts/1\", \"facts\": {\"machine\": {\"kind\": \"toaster\"}}}", -EBADMSG, "facts.machine.kind"},
        {"{\"schema\": \"tfgpu.facts/1\", \"facts\": {\"cuda\": {\"count\": 4000000000}}}", -EBADMSG, "facts.cuda.count"},
        {"{\"schema\": \"tfgpu.facts/1\", \"facts\": {\"libraries\": [{}]}}", -EBADMSG, "facts.libraries[0].soname"},
        {"{\"schema\": \"tfgpu.facts/1\", \"facts\": {\"machine\": 5}}", -EBADMSG, "facts.machine"}, {"{\"schema\": \"tfgpu.facts/1\", \"schema\": 1, \"facts\": {}}", -EBADMSG, "uplicate"},
        {"{\"schema\": \"tfgpu.facts/1\", \"facts\": {\"ld_preload\": \"a\\u0000b\"}}", -EBADMSG, "line 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err e = {0};
        ok(read_text(cases[i].text, &e) == cases[i].code && strstr(e.msg, cases[i].word), "%s", cases[i].text);
    }
    struct err e = {0};
    ok(read_text("{\"schema\": \"tfgpu.facts/1\", \"more\": 1, \"facts\": {\"later\": [], \"gpus\": [{\"cc\": null}]}}", &e) == 0, "what is not known is passed over, what is missing is unknown");
}

static unsigned tried, accepted;

/* The document as it is now: read, judged, printed. */
static void judge(const json_t *doc)
{
    static const struct term term = {.width = 80};
    struct arena a;
    struct facts f;
    struct judgement j;
    struct buf out;
    struct err e = {0};
    char *text = json_dumps(doc, JSON_COMPACT);
    arena_init(&a, 0);
    buf_init(&out, 0);
    tried++;
    if (facts_read(&a, text, strlen(text), &f, &e) == 0) {
        accepted++;
        judge_run(&a, &f, &j);
        const struct report r = {.a = &a, .f = &f, .j = &j, .term = &term, .verbose = true};
        report_text(&r, &out);
        report_json(&r, &out);
    }
    buf_done(&out);
    arena_done(&a);
    free(text);
}

/* Each value in turn replaced by values that no probe gives, the rest being as it was. */
static void mutate(json_t *doc, json_t *v)
{
    const char *keys[100], *key;
    size_t n = 0;
    json_t *one;
    if (json_is_array(v)) {
        if (json_is_object(json_array_get(v, 0)))
            mutate(doc, json_array_get(v, 0));
        return;
    }
    json_object_foreach(v, key, one) /* what is set again moves to the end: the keys as they are now */
        if (n < sizeof keys / sizeof *keys)
            keys[n++] = key;
    for (size_t k = 0; k < n; k++) {
        json_t *others[] = {json_null(), json_integer(4294967295), json_array()};
        char *name = strdup(keys[k]);
        one = json_incref(json_object_get(v, name));
        for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
            json_object_set_new(v, name, others[i]);
            judge(doc);
        }
        json_object_del(v, name);
        judge(doc);
        json_object_set(v, name, one);
        if (json_is_object(one) || json_is_array(one))
            mutate(doc, one);
        json_decref(one);
        free(name);
    }
}

static void test_odd_values(const char *dir)
{
    struct arena a;
    arena_init(&a, 0);
    DIR *d = opendir(dir);
    for (struct dirent *en; d && (en = readdir(d));) {
        char *text = NULL;
        size_t n;
        struct err e = {0};
        if ((strcmp(en->d_name, "compute-wrong-result.json") != 0 && strcmp(en->d_name, "gpu-peer-access-missing.json") != 0) || whole_read(&a, path_join(&a, dir, en->d_name), FACTS_MAX_BYTES, &text, &n, &e) < 0)
            continue;
        json_t *doc = json_loadb(text, n, 0, NULL);
        mutate(doc, json_object_get(doc, "facts"));
        json_decref(doc);
    }
    if (d)
        closedir(d);
    ok(accepted > 600 && tried > accepted, "values that no probe gives end nothing: %u tried, %u accepted", tried, accepted);
    arena_done(&a);
}

int main(int argc, char **argv)
{
    struct arena a;
    arena_init(&a, 0);
    test_errors();
    test_odd_values(path_join(&a, argc > 1 ? argv[1] : ".", "../fuzz/corpus/facts"));
    arena_done(&a);
    return tap_done();
}
