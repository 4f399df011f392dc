/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include <errno.h>
#include "base/buf.h"
#include "base/util.h"
#include "formats/ipynb.h"
#include "formats/jsonflow.h"

static struct arena a;
static struct buf got;
static struct err e;

static void event(void *ctx, enum jsonflow_event is, const char *p, size_t n)
{
    static const char marks[] = "{}[]k.;s";
    bool *joining = ctx;
    if (is != JSONFLOW_TEXT || !*joining)
        buf_addc(&got, marks[is]);
    *joining = is == JSONFLOW_TEXT;
    buf_add(&got, p ? p : "", n);
}

/* The events of a text that is fed in pieces of `step` bytes; pieces of one string are joined. */
static int flow(const char *p, size_t n, size_t step)
{
    struct jsonflow j;
    bool joining = false;
    int r = 0;
    buf_reset(&got);
    buf_adds(&got, "");
    jsonflow_init(&j, event, &joining);
    for (size_t i = 0; r == 0 && i < n; i += step)
        r = jsonflow_feed(&j, p + i, n - i < step ? n - i : step);
    return r < 0 ? r : jsonflow_end(&j);
}

static void test_json(void)
{
    static const struct { const char *in; int want; const char *events; } cases[] = {
        {"{}", 0, "{}"}, {"[]", 0, "[]"}, {" [ 1 , true,null ] ", 0, "[s1strues" "null]"}, {"{\"a\":\"b\",\"c\":[{}]}", 0, "{ka.b;kc[{}]}"},
        {"\"\\u00e9\\n\\\"\\/\"", 0, ".\xc3\xa9\n\"/;"}, {"\"\\ud83d\\ude00\"", 0, ".\xf0\x9f\x98\x80;"}, {"\"\\ud83dx\\ude00\"", 0, ".\xef\xbf\xbdx\xef\xbf\xbd;"},
        {"\"\\ud83d\"", 0, ".\xef\xbf\xbd;"}, {"[-1.5e3,NaN]", 0, "[s-1.5e3sNaN]"}, {"\"\"", 0, ";"}, {"{\"a\\u0062\":1}", 0, "{kabs1}"}, {"12", 0, ""},
        {"", -ENODATA, NULL}, {"[", -ENODATA, NULL}, {"{\"a\"", -ENODATA, NULL}, {"\"a", -ENODATA, NULL}, {"{\"a\":", -ENODATA, NULL},
        {"[1,]", -EBADMSG, NULL}, {"{,}", -EBADMSG, NULL}, {"{\"a\" 1}", -EBADMSG, NULL}, {"[1}", -EBADMSG, NULL}, {"]", -EBADMSG, NULL}, {"{} {}", -EBADMSG, NULL}, {"\"\\x\"", -EBADMSG, NULL},
        {"\"\\u12g4\"", -EBADMSG, NULL}, {"{1:2}", -EBADMSG, NULL}, {"[1\"a\"]", -EBADMSG, NULL}, {"nul{", -EBADMSG, NULL}, {"[\"a\"\"b\"]", -EBADMSG, NULL}};
    for (size_t i = 0; i < TG_COUNT(cases); i++)
        for (size_t step = 1; step < 100; step += 98) {
            int r = flow(cases[i].in, strlen(cases[i].in), step);
            ok(r == cases[i].want && (!cases[i].events || str_eq(got.p, cases[i].events)), "%s, by %zu: %s", cases[i].in, step, got.p);
        }
    char *deep = arena_alloc(&a, 2 * JSONFLOW_DEPTH + 4);
    memset(deep, '[', JSONFLOW_DEPTH);
    memset(deep + JSONFLOW_DEPTH, ']', JSONFLOW_DEPTH);
    ok(flow(deep, 2 * JSONFLOW_DEPTH, 7) == 0 && flow("[", 1, 1) == -ENODATA, "the deepest that is read");
    memset(deep, '[', JSONFLOW_DEPTH + 1);
    ok(flow(deep, JSONFLOW_DEPTH + 1, 7) == -EBADMSG, "too deep");
}

static void text(void *ctx, uint32_t cell, const char *p, size_t n)
{
    uint32_t *now = ctx;
    if (*now != cell)
        buf_addf(&got, "<%u>", cell);
    *now = cell;
    buf_add(&got, p, n);
}

static void cell_end(void *ctx, uint32_t cell, uint32_t run)
{
    (void)ctx;
    buf_addf(&got, "</%u:%u>", cell, run);
}

static int notebook(const char *p, size_t n, size_t step)
{
    uint32_t now = 0;
    const struct ipynb_ops ops = {text, cell_end, &now};
    struct ipynb *b = ipynb_new(&ops);
    int r = 0;
    e = (struct err){0};
    buf_reset(&got);
    buf_adds(&got, "");
    for (size_t i = 0; r == 0 && i < n; i += step)
        r = ipynb_feed(b, p + i, n - i < step ? n - i : step, &e);
    int end = ipynb_end(b, &e);
    ipynb_free(b);
    return r < 0 ? r : end;
}

#define STREAM(text) "{\"output_type\":\"stream\",\"name\":\"stderr\",\"text\":" text "}"
#define CELL(count, outputs) "{\"cell_type\":\"code\",\"execution_count\":" count ",\"source\":[\"text\"],\"outputs\":[" outputs "]}"
#define NOTEBOOK(cells) "{\"cells\":[" cells "],\"metadata\":{\"text\":\"no\"},\"nbformat\":4}"

static void test_notebook(void)
{
    static const struct { const char *in, *want; } cases[] = {
        {NOTEBOOK(CELL("1", STREAM("\"one\\ntwo\""))), "<1>one\ntwo\n</1:1>"},
        {NOTEBOOK(CELL("null", STREAM("[\"one\\n\",\"two\\n\",\"half\",\"half\"]"))), "<1>one\ntwo\nhalfhalf\n</1:0>"},
        {NOTEBOOK("{\"cell_type\":\"markdown\",\"source\":\"x\"}," CELL("9", STREAM("\"a\"") "," STREAM("\"b\"")) "," CELL("3", "")), "<2>a\nb\n</2:9>"},
        {NOTEBOOK("{\"outputs\":[" STREAM("\"late\"") "],\"execution_count\":5}"), "<1>late\n</1:5>"},
        {NOTEBOOK(CELL("2", "{\"output_type\":\"error\",\"ename\":\"E\",\"evalue\":\"why\",\"traceback\":[\"\\u001b[31m--\",\"E: why\"]}")), "<1>\x1b[31m--\nE: why\n</1:2>"},
        {NOTEBOOK(CELL("2", "{\"output_type\":\"error\",\"ename\":\"E\",\"evalue\":\"why\",\"traceback\":[]}")), "<1>E: why\n</1:2>"},
        {NOTEBOOK(CELL("2", "{\"data\":{\"image/png\":\"AAAA\",\"text/plain\":[\"r\"],\"text/html\":\"h\"},\"metadata\":{\"text\":\"no\"}}")), "<1>r\n</1:2>"},
        {"{\"metadata\":{},\"nbformat\":3,\"worksheets\":[{\"cells\":[{\"prompt_number\":4,\"outputs\":[{\"output_type\":\"stream\",\"text\":\"old\"}]}]}]}", "<1>old\n</1:4>"},
        {"\xef\xbb\xbf" NOTEBOOK(CELL("1", STREAM("\"x\""))), "<1>x\n</1:1>"},
        {NOTEBOOK(CELL("\"x\"", STREAM("{\"text\":[\"x\"]}") ",[1],7")), ""}, {"[]", ""}, {"{\"cells\":7}", ""}, {"{\"outputs\":[{\"text\":\"x\"}]}", ""}};
    for (size_t i = 0; i < TG_COUNT(cases); i++)
        for (size_t step = 1; step < 10000; step += 9998) {
            int r = notebook(cases[i].in, strlen(cases[i].in), step);
            ok(r == 0 && str_eq(got.p, cases[i].want), "notebook %zu, by %zu: %s", i, step, got.p);
        }
    static const char cut[] = "{\"cells\":[" CELL("1", STREAM("\"one\"")) ",{\"execution_count\":7,\"outputs\":[{\"text\":\"tw";
    ok(notebook(cut, sizeof cut - 1, 5) == -ENODATA && strstr(e.msg, "cell 2"), "cut: %s", e.msg);
    ok_str(got.p, "<1>one\n</1:1><2>tw\n</2:7>", "what was there came out");
    ok(notebook("{\"cells\":[{]", 12, 5) == -EBADMSG && strstr(e.msg, "byte 11"), "damaged: %s", e.msg);
}

static void test_looks(void)
{
    static const struct { const char *p; bool want; } cases[] = {
        {NOTEBOOK(CELL("1", "")), true}, {" \n{\n \"nbformat\": 4,\n \"cells\": []}", true}, {"{\"metadata\":{\"kernelspec\":{}}", true}, {"{\"cells\":[{\"cell_type\"", true},
        {"{\"metadata\":{\"a\":1}}", false}, {"{\"cells\":[1,2]}", false}, {"{\"level\":\"error\",\"msg\":\"cells\"}", false}, {"[\"cells\"]", false}, {"", false}, {"{", false},
        {"cells", false}, {"{\"cells", false}};
    for (size_t i = 0; i < TG_COUNT(cases); i++)
        ok(ipynb_looks_so(cases[i].p, strlen(cases[i].p)) == cases[i].want, "looks %zu", i);
}

int main(void)
{
    arena_init(&a, 0);
    buf_init(&got, 0);
    test_json();
    test_notebook();
    test_looks();
    buf_done(&got);
    arena_done(&a);
    return tap_done();
}
