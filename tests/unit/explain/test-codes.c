/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include "base/buf.h"
#include "explain/explain.h"

static struct arena a;
static struct explain_catalog k;

static struct explain_answer explain(const char *log)
{
    struct explain_answer answer = {0};
    struct explain *x = NULL;
    struct err e = {0};
    if (explain_new(&a, &k, NULL, &x, &e) < 0)
        return answer;
    explain_file(x, "f");
    explain_feed(x, log, strlen(log));
    explain_end(x);
    explain_judge(x, &answer);
    explain_free(x);
    return answer;
}

static const char *first_name(const struct explain_answer *x)
{
    return x->n_codes && x->codes[0].n_readings ? explain_str(x->codes[0].readings[0].row->name) : "";
}

/* How codes are printed, and what they are: the only code of the log. */
static void test_formats(void)
{
    static const struct { const char *line, *name; size_t readings; } cases[] = {
        {"NVRM: Xid (PCI:0000:03:00): 109, pid=77, name=python3", "ROBUST_CHANNEL_CTXSW_TIMEOUT_ERROR", 1},
        {"failed call to cuInit: UNKNOWN ERROR (303)", "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED", 1},
        {"cudaErrorLaunchTimeout: the launch timed out", "CUDA_ERROR_LAUNCH_TIMEOUT", 1},
        {"CUDA failure 716: misaligned address ; GPU=0", "CUDA_ERROR_MISALIGNED_ADDRESS", 1},
        {"RuntimeError: cuda runtime error (77) : at x.cu:47", "CUDA_ERROR_ILLEGAL_ADDRESS", 1},
        {"cudaMalloc failed with error code 4", "CUDA_ERROR_DEINITIALIZED", 2},
        {"cudaMalloc failed with error code 2", "CUDA_ERROR_OUT_OF_MEMORY", 1},
        {"RuntimeError: CUDA error: Too Many resources requested for launch now", "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", 1},
        {"cuDNN status: 9", "CUDNN_STATUS_NOT_SUPPORTED", 1},
        {"cuDNN error 3000", "CUDNN_STATUS_NOT_SUPPORTED", 1},
        {"cudnnCreate failed with status 4003", "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED", 1},
        {"pynvml.NVMLError_CorruptedInforom: x", "NVML_ERROR_CORRUPTED_INFOROM", 1},
        {"nvmlDeviceGetHandleByIndex returned error 16", "NVML_ERROR_RESET_REQUIRED", 1},
        {"failed to start: failed to initialize NVML: ERROR_INSUFFICIENT_POWER", "NVML_ERROR_INSUFFICIENT_POWER", 1},
        {"n1:81:140 [0] NCCL INFO init.cc:1501 -> 5 [Async thread]", "ncclInvalidUsage", 1},
        {"NCCL Error 3: internal error", "ncclInternalError", 1},
        {"CUBLAS failure 13: GPU=0", "CUBLAS_STATUS_EXECUTION_FAILED", 1},
        {"GPU synchronization failed with error code 910", "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct explain_answer x = explain(cases[i].line);
        ok(x.n_codes == 1 && strcmp(first_name(&x), cases[i].name) == 0 && x.codes[0].n_readings == cases[i].readings, "%s", cases[i].line);
    }
    static const char *const none[] = {"CUDA_ERROR_CHECK is on", "cuda error 0", "Xid = 79", "xid 79", "error code 42", "NVML: ERROR_OF_NO_KIND", "page: ERROR_TIMEOUT", "CUDA error 123456", "cuDNN error 55", "nccl error 9"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        ok(explain(none[i]).n_codes == 0, "%s", none[i]);
}

static void test_versions(void)
{
    struct explain_answer x = explain("libcudart.so.10.0 loaded\ncudaMalloc failed with error code 4\n");
    ok(x.n_codes == 1 && x.codes[0].n_readings == 1 && strcmp(explain_str(x.codes[0].readings[0].row->name2), "cudaErrorLaunchFailure") == 0, "CUDA 10.0: the old numbers");
    x = explain("cudaMalloc failed with error code 4\nlibcudart.so.12\n");
    ok(x.n_codes == 1 && x.codes[0].n_readings == 1 && strcmp(first_name(&x), "CUDA_ERROR_DEINITIALIZED") == 0, "CUDA 12, stated later: the new numbers");
    x = explain("| NVIDIA-SMI 535.113.01    Driver Version: 535.113.01 |\nkernel reported version is: 470.57.2\n");
    ok(x.driver && strcmp(x.driver, "535.113.01") == 0, "the first version of the driver");
    x = explain("CUDNN_STATUS_BAD_PARAM\n");
    ok(strstr(explain_code_text(&a, &x.codes[0]), "2000 since cuDNN 9, 3 up to cuDNN 8") != NULL, "cuDNN without a version: both numbers");
    x = explain("Loaded cuDNN version 8902\nCUDNN_STATUS_BAD_PARAM\n");
    ok(strstr(explain_code_text(&a, &x.codes[0]), "(3 up to cuDNN 8)") != NULL, "cuDNN 8");
    x = explain("Loaded cuDNN version 90300\nCUDNN_STATUS_BAD_PARAM\n");
    ok(strstr(explain_code_text(&a, &x.codes[0]), "(2000 since cuDNN 9)") != NULL, "cuDNN 9");
}

/* Which codes become answers of their own. */
static void test_answers(void)
{
    struct explain_answer x = explain("NVRM: Xid (PCI:0000:03:00): 79, pid=1, GPU has fallen off the bus.\n");
    ok(x.n == 1 && strcmp(explain_str(x.found[0].entry->id), "gpu-fell-off-bus") == 0 && x.n_codes == 1 && x.codes[0].entry == x.found[0].entry, "the cause of the line explains the code");
    x = explain("Xid error 79\n");
    ok(x.n == 1 && strcmp(explain_str(x.found[0].entry->id), "gpu-fell-off-bus") == 0 && x.found[0].code == &x.codes[0], "printed otherwise: the code leads to its cause");
    x = explain("NVRM: Xid (PCI:0000:03:00): 45, pid=9\nNVRM: Xid (PCI:0000:03:00): 45, pid=10\n");
    ok(x.n == 1 && x.found[0].entry->kind == KIND_SYMPTOM && x.found[0].entry->severity == SEV_NOTE && x.codes[0].count == 2, "Xid 45 is a consequence");
    x = explain("CUDA_ERROR_MAP_FAILED and CUDA_ERROR_UNMAP_FAILED, cudaErrorTimeout\n");
    ok(x.n_codes == 3, "three codes on one line");
    x = explain("the call failed with error code 301\n");
    ok(x.n == 0 && x.n_codes == 1, "a bare number that may be anything's is no answer");
    x = explain("the call failed with error code 700\n");
    ok(x.n == 1 && strcmp(explain_str(x.found[0].entry->id), "code-ambiguous") == 0, "a bare number that is CUDA's alone is, with a doubt");
    x = explain("NVRM: Xid (PCI:0000:03:00): 250, pid=9\n");
    ok(x.n == 1 && strcmp(explain_str(x.found[0].entry->id), "code-unknown") == 0, "an Xid that no table has");
    x = explain("CUDA_ERROR_NOT_READY\n");
    ok(x.n == 1 && x.found[0].entry->kind == KIND_BENIGN, "an answer that is no fault");
    struct buf log;
    buf_init(&log, 0);
    for (unsigned i = 1; i < 1000; i++)
        buf_addf(&log, "Xid error %u\n", i);
    buf_addc(&log, '\0');
    ok(explain(log.p).n_codes <= 256, "a log of codes only: bounded");
    buf_done(&log);
}

static void test_find(void)
{
    static const struct { const char *typed, *id; size_t n; } cases[] = {
        {"xid:79", "xid:79", 1}, {"Xid 79", "xid:79", 1}, {"cudaerrornodevice", "CUDA_ERROR_NO_DEVICE", 1}, {"cuda:700", "CUDA_ERROR_ILLEGAL_ADDRESS", 1},
        {"cudart:77", "CUDA_ERROR_ILLEGAL_ADDRESS", 1}, {"cudart:4", "CUDA_ERROR_DEINITIALIZED", 2}, {"cudnn8:3", "CUDNN_STATUS_BAD_PARAM", 1},
        {"cudnn9:3", "", 0}, {"nccl:2", "ncclSystemError", 1}, {"700", "CUDA_ERROR_ILLEGAL_ADDRESS", 1}, {"13", "xid:13", 5}, {"0", "", 0}, {"xid:", "", 0}, {"", "", 0},
        {"xid:99999999999", "", 0}, {"xid:79x", "", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct explained_reading r[16];
        size_t n = explain_code_find(cases[i].typed, r, 16);
        ok(n == cases[i].n && (n == 0 || strcmp(explain_str(explain_code_page(&k, r[0].row)->id), cases[i].id) == 0), "%s", cases[i].typed);
    }
    struct explained_reading r[2];
    ok(explain_code_find("13", r, 2) == 2, "no more than there is room for");
}

int main(void)
{
    arena_init(&a, 0);
    k = catalog_shipped();
    test_formats();
    test_versions();
    test_answers();
    test_find();
    arena_done(&a);
    return tap_done();
}
