/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include "base/arena.h"
#include "formats/driverlog.h"

static struct arena a;

static struct driverlog parse(const char *text)
{
    struct driverlog l;
    driverlog_parse(text, strlen(text), &a, &l);
    return l;
}

static void healthy(void)
{
    struct driverlog l = parse("> open\n< @812 open = 0\n> cuInit\n< @48211 cuInit = 0\n"
                               "> cuDeviceGetName 0\n< cuDeviceGetName 0 = 0 NVIDIA GeForce RTX 4090\n"
                               "> nvmlDeviceGetMemoryInfo 0\n< nvmlDeviceGetMemoryInfo 0 = 0 25757220864 -1 7\r\n! end\n! ms 61\n");
    int64_t n = 0;
    ok(l.n_calls == 4 && l.bad == 0 && l.at == NULL && l.end == DRIVERLOG_END && l.timed && l.ms == 61, "a healthy run");
    const struct driverlog_call *init = driverlog_find(&l, "cuInit"), *name = driverlog_find(&l, "cuDeviceGetName 0"),
                                *mem = driverlog_find(&l, "nvmlDeviceGetMemoryInfo 0");
    ok(init && init->back && init->code == 0 && init->timed && init->us == 48211, "code and time of a call");
    ok_str(name ? name->value : NULL, "NVIDIA GeForce RTX 4090", "a text is the rest of the line");
    ok(mem && driverlog_number(mem, 0, &n) && n == 25757220864 && driverlog_number(mem, 1, &n) && n == -1 && driverlog_number(mem, 2, &n) && n == 7 &&
       !driverlog_number(mem, 3, &n) && !driverlog_number(name, 0, &n), "numbers of an answer");
    ok(!driverlog_find(&l, "cuDeviceGetName") && !driverlog_find(&l, "cuDeviceGetName 01"), "other arguments are another call");
}

static void ends(void)
{
    struct driverlog l = parse("> cuInit\n! signal 11\n");
    ok(l.end == DRIVERLOG_SIGNAL && l.number == 11, "a crash");
    ok_str(l.at, "cuInit", "names the call");
    l = parse("> cuInit\n< cuInit = 0\n> cuDeviceGet 1\n! timeout 10000\n! left\n");
    ok(l.end == DRIVERLOG_TIMEOUT && l.number == 10000 && l.left, "a child that hangs and cannot be killed");
    ok_str(l.at, "cuDeviceGet 1", "the call that hangs");
    l = parse("> cuInit\n< cuInit = 0\n! signal 6\n");
    ok(l.at == NULL && l.end == DRIVERLOG_SIGNAL, "a crash behind the last call");
    l = parse("> cuInit\n< cuIn");
    ok(l.end == DRIVERLOG_CUT && l.bad == 1 && l.at, "lines that stop");
    l = parse("");
    ok(l.n_calls == 0 && l.end == DRIVERLOG_CUT, "nothing");
    l = parse("! exit 3\n");
    ok(l.end == DRIVERLOG_EXIT && l.number == 3, "an exit of its own");
}

static void damaged(void)
{
    static const char *const lines[] = {
        "", " ", ">", "> ", ">cuInit", "> 1x", "> a  b", "> a ", "< cuInit", "< cuInit =", "< cuInit = ", "< cuInit = x", "< cuInit = 1e3", "< @ cuInit = 0",
        "< @-1 cuInit = 0", "<  = 0", "< cuInit = 99999999999999999999", "< cuInit = --1", "! signal", "! signal -3", "! signal 11 12", "! ms x", "! nothing", "? cuInit",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "%s\n", lines[i]);
        struct driverlog l = parse(text);
        ok(l.n_calls == 0 && l.bad == 1 && l.end == DRIVERLOG_CUT, "passed over: '%s'", lines[i]);
    }
    struct driverlog l = parse("< cuInit = 0\n< cuInit = 999\n> cuInit\n");
    ok(l.n_calls == 1 && l.calls[0].code == 0 && l.bad == 2 && !l.at, "the first answer counts");
    l = parse("< cuDeviceGetUuid_v2 0 = missing\n< f = -1 a = b\n");
    ok(l.n_calls == 2 && l.calls[0].missing && l.calls[1].code == -1, "a function that is not exported; an answer with a sign in it");
    ok_str(l.calls[1].value, "a = b", "whole");
    static char big[2 * DRIVERLOG_LINE_MAX];
    memset(big, 'x', sizeof big - 1);
    memcpy(big, "> ", 2);
    l = parse(big);
    ok(l.n_calls == 0 && l.bad == 1, "a line that is too long");
    driverlog_parse("> a\0b\n", 6, &a, &l);
    ok(l.n_calls == 0 && l.bad == 1, "a NUL in a line");
}

int main(void)
{
    arena_init(&a, 0);
    healthy();
    ends();
    damaged();
    arena_done(&a);
    return tap_done();
}
