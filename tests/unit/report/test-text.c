/* SPDX-License-Identifier: Apache-2.0 */
/* test-text - the whole report for people, from facts and findings made by hand. */
#include "base/i18n.h"
#include "report/report.h"
#include "tap.h"

static const struct fix_step steps[] = {
    {.when = FIX_ALWAYS, .command = "export LD_LIBRARY_PATH=\"{dir}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}:and/so/on/until/it/is/longer/than/any/terminal\"",
     .note = "for this shell"},
    {.when = FIX_WSL, .command = "never shown"},
    {.when = FIX_BARE, .needs_root = true, .command = "ldconfig"},
    {.side = SIDE_HOST, .when = FIX_ALWAYS, .note = "or ask the owner of {dir}"},
};
static const struct cause cause_loader = {.id = "sample-loader", .layer = 4, .title = "{subject} is not reached", .why = "It lies in {dir}, which nobody searches.",
    .fix = steps, .n_fix = TG_COUNT(steps), .confirm = "tfgpu why {subject}"};
static const struct cause cause_note = {.id = "sample-note", .layer = 2, .severity = SEV_NOTE, .title = "a remark", .why = "It teaches."};

static const char *const want =
    "Environment: /opt/env (venv, Python 3.11.2), because it was asked for\n"
    "\n"
    " 1 ok   NVIDIA driver    driver 1.2\n"
    " 2 ok   CUDA libraries   CUDA 12.5\n"
    " 3 ?    Python and ABI   not determined: a file is missing\n"
    " 4 FAIL Library loading  libx.so.1 is not reached\n"
    " 5 -    GPU visibility   not judged: layer 4 is broken\n"
    " 6 -    Computation      not judged: no proof\n"
    " 7 -    Several GPUs     not judged: no proof\n"
    "\n"
    "First broken link: layer 4, sample-loader\n"
    "  libx.so.1 is not reached\n"
    "  'import tensorflow' would work, but it would list no GPU.\n"
    "\n"
    "Seen\n"
    "  /opt/env/lib/libx.so.1: version 7\n"
    "  not proved: whether it fits\n"
    "\n"
    "Why\n"
    "  It lies in /opt/a b, which nobody searches.\n"
    "\n"
    "Fix\n"
    "  1. run:\n"
    "       export LD_LIBRARY_PATH=\"/opt/a b${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}:and/so/on/until/it/is/longer/than/any/terminal\"\n"
    "         for this shell\n"
    "  2. as root:\n"
    "       ldconfig\n"
    "  3. on the host: or ask the owner of /opt/a b\n"
    "\n"
    "Then check\n"
    "  tfgpu why libx.so.1\n"
    "\n"
    "Also\n"
    " 2 -    a remark [sample-note]\n";

static struct finding findings[2];
static struct binding bind_dir[] = {{"dir", "/opt/a b"}};
static struct evidence seen[] = {{"libraries.path", "/opt/env/lib/libx.so.1", "version 7"}};

static struct judgement judgement(void)
{
    struct judgement j = {.verdict = VERDICT_BROKEN, .findings = findings, .n_findings = 2, .first_broken = &findings[1],
        .prediction = {.import_ok = TRI_YES, .has_gpus = true}};
    findings[0] = (struct finding){.cause = &cause_note, .layer = 2, .severity = SEV_NOTE, .subject = "x"};
    findings[1] = (struct finding){.cause = &cause_loader, .layer = 4, .subject = "libx.so.1", .evidence = seen, .n_evidence = 1, .bindings = bind_dir,
        .n_bindings = 1, .unproved = "whether it fits"};
    j.layers[0] = (struct layer){.status = LAYER_OK, .summary = "driver 1.2"};
    j.layers[1] = (struct layer){.status = LAYER_OK, .summary = "CUDA 12.5"};
    j.layers[2] = (struct layer){.status = LAYER_UNDETERMINED, .summary = "a file is missing", .unknown = "a file is missing"};
    j.layers[3] = (struct layer){.status = LAYER_BROKEN, .summary = "libx.so.1 is not reached"};
    j.layers[4] = (struct layer){.status = LAYER_NOT_REACHED, .summary = "layer 4 is broken"};
    j.layers[5] = j.layers[6] = (struct layer){.status = LAYER_NOT_REACHED, .summary = "no proof"};
    return j;
}

static struct facts facts(void)
{
    struct facts f = {.selected_by = "because it was asked for"};
    f.python.prefix = "/opt/env";
    f.python.version = "3.11.2";
    f.python.kind = FACT_ENV_KIND_VENV;
    return f;
}

static bool contains(const struct buf *b, const char *s)
{
    return b->p && strstr(b->p, s) != NULL;
}

int main(void)
{
    struct arena a;
    struct buf b;
    arena_init(&a, 0);
    buf_init(&b, 0);
    i18n_init("en");
    struct judgement j = judgement();
    struct facts f = facts();
    struct term t = {.width = 80};
    struct report r = {.a = &a, .f = &f, .j = &j, .term = &t};
    report_text(&r, &b);
    ok_str(b.p, want, "the report in ASCII, without colour");

    buf_reset(&b);
    t = (struct term){.width = 80, .utf8 = true, .color = true, .tty = true};
    report_text(&r, &b);
    ok(contains(&b, "\033[1;31m\xe2\x9c\x97\033[0m Library loading"), "coloured UTF-8 marks");

    buf_reset(&b);
    t = (struct term){.width = 40};
    r.verbose = true;
    report_text(&r, &b);
    ok(contains(&b, "It teaches."), "verbose explains the other findings");
    ok(contains(&b, " 7 -    Several GPUs     not judged: no\n"), "a summary wraps at the width");

    buf_reset(&b);
    i18n_init("zh_CN");
    report_text(&r, &b);
    ok(contains(&b, "\xe7\xac\xac 4 \xe5\xb1\x82"), "Chinese");
    buf_done(&b);
    arena_done(&a);
    return tap_done();
}
