/* SPDX-License-Identifier: Apache-2.0 */
/* test-judge - order, statuses, verdict, prediction and texts, on facts made by hand. */
#include "base/i18n.h"
#include "rules/judge.h"
#include "tap.h"

static const struct fix_step steps[] = {
    {.when = FIX_ALWAYS, .command = "a"},
    {.when = FIX_WSL | FIX_PIP, .command = "b"},
};
static const struct cause sample = {.id = "sample", .layer = 4, .title = "{subject} in {dir}", .fix = steps, .n_fix = TG_COUNT(steps)};

static struct finding with(struct binding *b, size_t n)
{
    return (struct finding){.cause = &sample, .subject = "libx.so.1", .bindings = b, .n_bindings = n};
}

static void test_text(struct arena *a)
{
    struct binding b[] = {{"dir", "/opt/x"}, {"odd", "it's $(a) `b` \"c\""}, {"pkgs_args", "'a>=1' b"}};
    struct finding f = with(b, TG_COUNT(b));
    ok_str(finding_text(a, &f, "{subject} in {dir}"), "libx.so.1 in /opt/x", "places are filled");
    ok_str(finding_text(a, &f, "{nothing} {"), "{nothing} {", "an unbound place stays visible");
    ok_str(finding_text(a, &f, "${dir} {dir}"), "${dir} /opt/x", "the shell's ${} is left alone");
    ok_str(finding_text(a, &f, NULL), NULL, "no text");
    ok_str(finding_command(a, &f, "ls {dir}"), "ls /opt/x", "a plain value is not quoted");
    ok_str(finding_command(a, &f, "ls {odd}"), "ls 'it'\\''s $(a) `b` \"c\"'", "a bare odd value is quoted");
    ok_str(finding_command(a, &f, "ls '{odd}'"), "ls 'it'\\''s $(a) `b` \"c\"'", "inside single quotes");
    ok_str(finding_command(a, &f, "ls \"{odd}\""), "ls \"it's \\$(a) \\`b\\` \\\"c\\\"\"", "inside double quotes");
    ok_str(finding_command(a, &f, "pip install {pkgs_args}"), "pip install 'a>=1' b", "a list of words goes in as it is");
}

static void test_fix(void)
{
    ok(fix_applies(&steps[0], 0), "always holds");
    ok(!fix_applies(&steps[1], FIX_WSL), "one of two conditions is not enough");
    ok(fix_applies(&steps[1], FIX_WSL | FIX_PIP | FIX_VENV), "both are");
}

static void test_tags(void)
{
    struct fact_package pkg = {.name = "tensorflow", .version = "1", .installer = "uv"};
    struct facts f = {.packages = &pkg, .n_packages = 1};
    f.tensorflow.dist = "tensorflow";
    f.machine.distro_id = "ubuntu";
    f.python.kind = FACT_ENV_KIND_CONDA;
    unsigned t = judge_tags(&f);
    ok((t & (FIX_UV | FIX_PIP | FIX_CONDA)) == FIX_UV, "who installed TensorFlow counts before whose environment it is");
    ok((t & (FIX_BARE | FIX_WSL | FIX_CONTAINER)) == FIX_BARE && (t & FIX_APT), "bare machine with apt");
    pkg.installer = NULL;
    f.machine.kind = FACT_MACHINE_KIND_WSL2;
    ok(judge_tags(&f) & FIX_CONDA, "no installer named: the environment's kind");
    ok(judge_tags(&f) & FIX_WSL, "WSL");
    f.machine.container = FACT_CONTAINER_KIND_DOCKER;
    ok(!(judge_tags(&f) & FIX_WSL) && (judge_tags(&f) & FIX_CONTAINER), "a container is a container, in WSL too");
}

static void test_empty(struct arena *a)
{
    struct facts f = {0};
    struct judgement j;
    judge_run(a, &f, &j);
    ok(j.verdict != VERDICT_WORKS, "no facts never give works");
    ok(j.prediction.import_ok != TRI_YES, "no facts never give a good import");
    for (unsigned n = 1; n <= LAYERS; n++)
        ok(j.layers[n - 1].summary != NULL, "layer %u has a summary", n);
    ok(j.layers[4].status == LAYER_NOT_REACHED && j.layers[6].status == LAYER_NOT_REACHED, "layers 5 to 7 are not reached");
    for (size_t i = 1; i < j.n_findings; i++)
        ok(j.findings[i - 1].layer <= j.findings[i].layer, "finding %zu is in order", i);
}

int main(void)
{
    struct arena a;
    arena_init(&a, 0);
    i18n_init("en");
    test_text(&a);
    test_fix();
    test_tags();
    test_empty(&a);
    arena_done(&a);
    return tap_done();
}
