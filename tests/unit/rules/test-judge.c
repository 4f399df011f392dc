/* SPDX-License-Identifier: Apache-2.0 */
/* test-judge - order, statuses, verdict, prediction and texts, on facts made by hand. */
#include "base/i18n.h"
#include "rules/judge_priv.h"
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

static void test_guard(struct arena *a)
{
    struct fact_module_load mod = {.path = "/sp/tensorflow/x.so", .outcome = FACT_OUTCOME_FAILS, .message = "file too short"};
    struct facts f = {0};
    struct judgement j;
    f.python.exe = "/usr/bin/python3";
    f.python.state = FACT_PRESENT;
    f.tensorflow = (struct fact_tensorflow){.state = FACT_PRESENT, .modules = &mod, .n_modules = 1};
    judge_run(a, &f, &j);
    ok(j.layers[2].status == LAYER_BROKEN && j.prediction.import_ok == TRI_NO, "a module that does not load never leaves layer 3 ok");
}

static struct prediction predict(const struct facts *f, struct finding *list, size_t n)
{
    struct judgement j = {.findings = list, .n_findings = n};
    judge_predict(&j, f);
    return j.prediction;
}

static void test_predict(void)
{
    struct fact_module_load mod = {.path = "/sp/tensorflow/x.so", .outcome = FACT_OUTCOME_FOUND};
    struct fact_library libs[] = {
        {.soname = "libopt.so.1", .outcome = FACT_OUTCOME_MISSING},
        {.soname = "libcublas.so.12", .mandatory = true, .outcome = FACT_OUTCOME_MISSING, .culprit = "libcublasLt.so.12"},
    };
    struct facts f = {.libraries = libs, .n_libraries = 2};
    f.tensorflow = (struct fact_tensorflow){.state = FACT_PRESENT, .modules = &mod, .n_modules = 1};
    struct prediction p = predict(&f, NULL, 0);
    ok(p.import_ok == TRI_YES && p.has_gpus && p.gpus_listed == 0, "all modules load: the import works; a mandatory library that is not had hides the GPUs");
    ok_str(p.culprit, "libcublas.so.12", "the first mandatory library that is not had is the culprit");
    ok_str(p.root, "libcublasLt.so.12", "the root is what it needs");

    struct finding lost = {.cause = &sample, .layer = 4, .severity = SEV_BROKEN, .prevents = PREVENTS_GPUS};
    p = predict(&f, &lost, 1);
    ok(p.import_ok == TRI_YES && p.has_gpus && p.gpus_listed == 0, "a broken link hides the GPUs, the import works");
    lost.severity = SEV_DEGRADED;
    f.n_libraries = 1;
    ok(!predict(&f, &lost, 1).has_gpus, "a degraded one and an optional library hide nothing: only the driver knows");
    f.n_libraries = 2;

    libs[0].outcome = FACT_OUTCOME_KILLS;
    libs[0].signal = "SIGBUS";
    p = predict(&f, NULL, 0);
    ok(p.import_ok == TRI_YES && str_eq(p.dies, "SIGBUS") && str_eq(p.culprit, "libopt.so.1"), "a library that kills does so when it is optional too");

    struct fact_library with_driver[] = {{.soname = "libcuda.so.1", .role = FACT_LIB_ROLE_DRIVER, .mandatory = true, .outcome = FACT_OUTCOME_MISSING},
                                        {.soname = "libcudnn.so.9", .mandatory = true, .outcome = FACT_OUTCOME_KILLS, .signal = "SIGBUS"}};
    f.libraries = with_driver;
    p = predict(&f, NULL, 0);
    ok(p.import_ok == TRI_YES && !p.dies, "without the driver's library no other is opened, so none kills");
    with_driver[0].outcome = FACT_OUTCOME_FAILS;
    with_driver[1].at_import = true;
    p = predict(&f, NULL, 0);
    ok(p.import_ok == TRI_NO && str_eq(p.dies, "SIGBUS") && str_eq(p.culprit, "libcudnn.so.9"), "a library opened while importing kills the import");
    with_driver[0].role = FACT_LIB_ROLE_CUDA;
    with_driver[1].at_import = false;
    p = predict(&f, NULL, 0);
    ok(str_eq(p.dies, "SIGBUS") && str_eq(p.culprit, "libcuda.so.1"), "a library that fails does not keep a later one from killing");
    f.libraries = libs;

    struct finding avx = {.cause = &sample, .layer = 3, .severity = SEV_BROKEN, .prevents = PREVENTS_IMPORT, .dies = "SIGILL", .subject = "avx"};
    p = predict(&f, &avx, 1);
    ok(p.import_ok == TRI_NO && str_eq(p.dies, "SIGILL") && str_eq(p.root, "avx") && p.has_gpus && p.gpus_listed == 0, "a finding that prevents the import");

    mod.outcome = FACT_OUTCOME_MISSING;
    mod.culprit = "libframework.so.2";
    p = predict(&f, NULL, 0);
    ok(p.import_ok == TRI_NO && !p.dies && str_eq(p.culprit, "x.so") && str_eq(p.root, "libframework.so.2"), "a module that does not load");
    mod.outcome = FACT_OUTCOME_UNDETERMINED;
    ok(predict(&f, NULL, 0).import_ok == TRI_UNKNOWN, "a module that cannot be judged");
    f.tensorflow.n_modules = 0;
    ok(predict(&f, NULL, 0).import_ok == TRI_UNKNOWN, "no module was looked at");
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
    test_guard(&a);
    test_predict();
    arena_done(&a);
    return tap_done();
}
