/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include <errno.h>
#include "formats/proofline.h"

static struct arena a;

static bool parse(const char *text, struct proofline *l)
{
    *l = (struct proofline){0};
    return proofline_parse(text, strlen(text), &a, l);
}

static void test_lines(void)
{
    struct proofline l;
    ok(parse("{\"stage\": \"compute\", \"event\": \"end\", \"device\": \"GPU:0\", \"op\": \"matmul\", \"dtype\": \"float32\", \"max_error\": 2.1e-05, "
             "\"tolerance\": 0.07, \"ms\": 12, \"new\": [1, {}], \"size\": null}", &l), "a whole line; what is not known is passed over");
    ok(l.event == PROOFLINE_END && l.max_error.has && l.max_error.v > 2e-5 && l.ms.v == 12 && !l.size && !l.flops.has, "its values");
    ok_str(l.device, "GPU:0", "device");
    ok(parse("{\"stage\":\"compute\",\"event\":\"end\",\"max_error\":\"nan\"}", &l) && !l.max_error.has && strcmp(l.max_error_text, "nan") == 0, "an error that is no number");
    ok(parse("{\"stage\":\"devices\",\"event\":\"end\",\"tf32\":true,\"cuda_build\":false,\"gpus\":0}", &l) && l.tf32 == TRI_YES && l.cuda_build == TRI_NO &&
       l.growth == TRI_UNKNOWN && l.gpus.has, "yes, no, not stated");
    ok(parse("{\"stage\":\"device\",\"event\":\"end\",\"name\":\"None\"}", &l) && !l.name, "Python's None is nothing");
    static const char *const bad[] = {
        "", "x", "[]", "{}", "{\"stage\":\"import\"}", "{\"event\":\"end\"}", "{\"stage\":\"\",\"event\":\"end\"}", "{\"stage\":1,\"event\":\"end\"}",
        "{\"stage\":\"x\",\"event\":\"END\"}", "{\"stage\":\"x\",\"event\":\"end\",\"ms\":-1}", "{\"stage\":\"x\",\"event\":\"end\",\"ms\":\"3\"}",
        "{\"stage\":\"x\",\"event\":\"end\",\"ms\":1e300}", "{\"stage\":\"x\",\"event\":\"end\",\"ms\":1e999}", "{\"stage\":\"x\",\"event\":\"end\",\"tf32\":1}",
        "{\"stage\":\"x\",\"event\":\"end\",\"device\":3}", "{\"stage\":\"x\",\"event\":\"end\"", "{\"stage\":\"x\",\"stage\":\"y\",\"event\":\"end\"}",
        "{\"stage\":\"x\",\"event\":\"end\"} {", "{\"stage\":\"x\\u0000\",\"event\":\"end\"}", "{\"stage\":\"\xff\",\"event\":\"end\"}",
    };
    for (size_t i = 0; i < TG_COUNT(bad); i++)
        ok(!parse(bad[i], &l) && !l.stage, "refused: %s", bad[i]);
}

static void test_answer(void)
{
    static const char text[] = "{\"stage\":\"a\",\"event\":\"begin\"}\r\n\ngarbage\n{\"stage\":\"b\",\"event\":\"skip\"}";
    struct proofrecord r = {.quick = true};
    proofline_parse_all(text, sizeof text - 1, &a, &r);
    ok(r.n_lines == 2 && r.malformed == 1 && r.quick, "lines are taken, others counted");
    ok_str(r.lines[1].stage, "b", "a last line without newline");
    char *many = arena_alloc(&a, 31 * (PROOFLINE_MAX_LINES + 5));
    for (size_t i = 0; i < PROOFLINE_MAX_LINES + 5; i++)
        memcpy(many + 31 * i, "{\"stage\":\"a\",\"event\":\"begin\"}  \n", 29), many[31 * i + 29] = ' ', many[31 * i + 30] = '\n';
    struct proofrecord m = {0};
    proofline_parse_all(many, 31 * (PROOFLINE_MAX_LINES + 5), &a, &m);
    ok(m.n_lines == PROOFLINE_MAX_LINES && m.malformed == 5, "no more lines than the limit");
    char *huge = arena_alloc(&a, PROOFLINE_MAX_BYTES + 100);
    memset(huge, ' ', PROOFLINE_MAX_BYTES + 99);
    memcpy(huge, text, 29);
    struct proofrecord h = {0};
    proofline_parse_all(huge, PROOFLINE_MAX_BYTES + 99, &a, &h);
    ok(h.n_lines == 0 && h.malformed == 1, "a line that is too long");
}

static int record(const char *text, struct proofrecord *r, struct err *e)
{
    *r = (struct proofrecord){0};
    *e = (struct err){0};
    return proofrecord_parse(text, strlen(text), &a, r, e);
}

static void test_record(void)
{
    struct proofrecord r;
    struct err e;
    ok(record("{\"end\": \"signaled\", \"signal\": 11, \"deadline_ms\": 300000, \"quick\": true, \"output\": \"x\", \"lines\": "
              "[{\"stage\": \"import\", \"event\": \"begin\"}, 5, {\"stage\": 1}]}", &r, &e) == 0, "a whole record");
    ok(r.end == PROOFLINE_SIGNALED && r.signal == 11 && r.quick && r.n_lines == 1 && r.malformed == 2 && r.deadline_ms == 300000, "its values");
    ok(record("{}", &r, &e) == 0 && r.end == PROOFLINE_EXITED && r.n_lines == 0, "an empty one");
    static const char *const bad[] = {"", "[]", "{\"end\":\"died\"}", "{\"end\":3}", "{\"lines\":{}}", "{\"code\":-1}", "{\"signal\":\"9\"}", "{\"ms\":4294967296}",
                                      "{\"output\":1}", "{\"quick\":\"yes\"}"};
    for (size_t i = 0; i < TG_COUNT(bad); i++)
        ok(record(bad[i], &r, &e) == -EBADMSG && e.msg[0] && !r.lines, "refused: %s", bad[i]);
}

int main(void)
{
    arena_init(&a, 0);
    test_lines();
    test_answer();
    test_record();
    arena_done(&a);
    return tap_done();
}
