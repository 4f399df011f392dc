/* SPDX-License-Identifier: Apache-2.0 */
/* judge - facts in, findings out. Rules are pure: they open no file and print nothing. */
#ifndef TG_RULES_JUDGE_H
#define TG_RULES_JUDGE_H
#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "causes_gen.h"
#include "facts_gen.h"

enum { LAYERS = 7 };
enum layer_status { LAYER_OK, LAYER_DEGRADED, LAYER_BROKEN, LAYER_UNDETERMINED, LAYER_NOT_REACHED };
enum verdict { VERDICT_WORKS, VERDICT_BROKEN, VERDICT_UNDETERMINED };
const char *layer_status_id(enum layer_status s);
const char *verdict_id(enum verdict v);
const char *layer_title(unsigned layer); /* 1..7, translated */

struct evidence { const char *fact, *path, *value; }; /* fact: dotted name in data/facts; path may be NULL */
struct binding { const char *key, *value; };          /* fills {key} in the cause's texts */

struct finding {
    const struct cause *cause;
    unsigned layer;
    enum severity severity;      /* the cause's own unless the rule lowers or raises it */
    const char *subject;         /* the thing at fault: a soname, package, device, file, variable */
    struct evidence *evidence; size_t n_evidence;
    struct binding *bindings; size_t n_bindings;
    const char *unproved;        /* what was not determined, or NULL */
    unsigned tags;               /* FIX_* conditions that hold, beside the machine's own */
    enum prevents prevents;      /* the cause's own unless the rule changes it: PREVENTS_IMPORT when import itself fails */
    const char *dies;            /* signal that ends the process because of it ("SIGILL"), or NULL */
};

/* summary: one line: what is there (ok), what is wrong (broken, degraded), why not judged (undetermined, not-reached) */
struct layer { enum layer_status status; const char *summary; const char *unknown; /* why undetermined, or NULL */ };

struct prediction { /* of the real TensorFlow, started now */
    enum tri import_ok;
    bool has_gpus; unsigned gpus_listed;
    bool hangs; /* listing the GPUs would not come back */
    const char *dies, *culprit, *root;
};

/* What a proof (check --prove) showed; of several the worst. */
enum proof_verdict {
    PROOF_NOT_ASKED, PROOF_REAL_GPU, PROOF_NO_GPU, PROOF_CPU_FALLBACK, PROOF_WRONG_RESULT, PROOF_SLOWS_DOWN, PROOF_SLOW, PROOF_FAILED, PROOF_UNKNOWN
};
const char *proof_verdict_id(enum proof_verdict v);

struct judgement {
    enum verdict verdict;
    const struct finding *first_broken; /* NULL */
    struct layer layers[LAYERS];
    struct finding *findings; size_t n_findings; /* ordered: layer, then severity, then the order in the rule tables */
    struct prediction prediction;
    enum proof_verdict proof;
};

struct judge { /* handed to rules */
    struct arena *a;
    const struct facts *f;
    struct judgement *j;
    struct finding **found; size_t n_found; /* in the order of the tables */
};

/* Add a finding. `subject` is copied. Layer, severity and `prevents` are the cause's until the rule changes them.
 * The address stays good until judge_run returns. */
struct finding *judge_find(struct judge *g, enum cause_id id, const char *subject);
void judge_bind(struct judge *g, struct finding *f, const char *key, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void judge_evidence(struct judge *g, struct finding *f, const char *fact, const char *path, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* This layer cannot be judged whole: a fact is missing. Named in the report; never turns into a pass or a fail. */
void judge_unknown(struct judge *g, unsigned layer, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Summary of a layer when nothing is wrong with it (e.g. "driver 580.65.06, 1 GPU: NVIDIA GeForce RTX 4090"). */
void judge_summary(struct judge *g, unsigned layer, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

struct rule { enum cause_id cause; void (*run)(struct judge *g); };
/* One table a layer, in causal order; each in its own file. A rule may add findings of its own cause only. */
extern const struct rule rules_machine[], rules_cuda[], rules_python[], rules_loader[], rules_devices[], rules_gpu_state[], rules_limits[],
    rules_proof[], rules_topology[];
extern const size_t n_rules_machine, n_rules_cuda, n_rules_python, n_rules_loader, n_rules_devices, n_rules_gpu_state, n_rules_limits,
    n_rules_proof, n_rules_topology;

/* Run all rules; order, verdict, first broken link and prediction are derived here and nowhere else. */
void judge_run(struct arena *a, const struct facts *f, struct judgement *ret);
/* Conditions for fix steps that the machine itself fulfils. Exactly one of FIX_WSL, FIX_CONTAINER, FIX_BARE (a virtual
 * machine counts as bare); exactly one of FIX_PIP, FIX_UV, FIX_CONDA: who installed TensorFlow, else whose environment it
 * is; FIX_VENV, FIX_SYSTEM_PYTHON, FIX_USER, FIX_KERNEL from the environment's kind; FIX_APT or FIX_DNF from the distribution. */
unsigned judge_tags(const struct facts *f);

/* The text with {key} filled from the finding's bindings and {subject}; an unbound key stays visible and fails the tests. */
const char *finding_text(struct arena *a, const struct finding *f, const char *text);
/* The same for a command: a value is quoted as its place asks for ("…", '…' or bare), so that a file's name cannot become
 * shell syntax. A value whose key ends in "_args" is a list of words that the rule quoted itself; it goes in as it is. */
const char *finding_command(struct arena *a, const struct finding *f, const char *command);
/* Does this step apply: all bits of step->when in tags (judge_tags() | finding->tags), FIX_ALWAYS holding always? */
bool fix_applies(const struct fix_step *step, unsigned tags);
const char *severity_id(enum severity s);
const char *fix_side_id(enum fix_side s);
#endif
