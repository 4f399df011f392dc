/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include <errno.h>
#include "formats/kernelspec.h"

static struct arena a;

static int parse(const char *text, struct kernelspec *k, struct err *e)
{
    *e = (struct err){0};
    return kernelspec_parse(text, strlen(text), &a, k, e);
}

int main(void)
{
    struct kernelspec k;
    struct err e;
    arena_init(&a, 0);
    ok(parse("{\"argv\": [\"/v/bin/python\", \"-m\", \"ipykernel_launcher\", \"-f\", \"{connection_file}\"], \"display_name\": \"TF\", "
             "\"language\": \"python\", \"env\": {\"LD_LIBRARY_PATH\": \"/x:${LD_LIBRARY_PATH}\"}}", &k, &e) == 0, "a whole file");
    ok(k.n_argv == 5 && k.n_env == 1, "argv and env");
    ok_str(k.argv[0], "/v/bin/python", "argv[0]");
    ok_str(k.display_name, "TF", "display_name");
    ok_str(kernelspec_getenv(&k, "LD_LIBRARY_PATH"), "/x:${LD_LIBRARY_PATH}", "env as written");
    ok(!kernelspec_getenv(&k, "PATH"), "a variable that is not there");
    ok(parse("{\"argv\": [\"python\"]}", &k, &e) == 0 && !k.display_name && k.n_env == 0, "argv alone is enough");
    ok(parse("{\"argv\": []}", &k, &e) == -EBADMSG && e.msg[0], "empty argv");
    ok(parse("{\"display_name\": \"x\"}", &k, &e) == -EBADMSG, "no argv");
    ok(parse("{\"argv\": [1]}", &k, &e) == -EBADMSG, "argv of numbers");
    ok(parse("{\"argv\": [\"p\"], \"env\": {\"A\": 1}}", &k, &e) == -EBADMSG, "a variable that is a number");
    ok(parse("[]", &k, &e) == -EBADMSG, "a list");
    ok(parse("{\"argv\": [\"p\"", &k, &e) == -EBADMSG && strstr(e.msg, "line 1"), "cut JSON names the line");
    arena_done(&a);
    return tap_done();
}
