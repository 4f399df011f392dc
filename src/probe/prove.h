/* SPDX-License-Identifier: Apache-2.0 */
/* prove - lets TensorFlow itself compute, in the judged environment's Python, and gathers what it answered. */
#ifndef TG_PROBE_PROVE_H
#define TG_PROBE_PROVE_H
#include "formats/proofline.h"
#include "probe/probe.h"

enum { PROVE_DEADLINE_S = 300, PROVE_QUICK_DEADLINE_S = 30, PROVE_DEADLINE_MAX_S = 86400 };

struct prove_ask {
    bool quick;             /* the short form: one GPU is timed, in less time */
    uint32_t deadline_ms;   /* for all of it; then the process and all that it started are killed */
    /* Called when a step begins: its name ("compute"), and what it works on ("GPU:0 matmul float16", or ""). NULL: not wanted. */
    void (*progress)(void *ctx, struct arena *a, const char *stage, const char *what);
    void *ctx;
};

/* Fills f->proof (needs the facts of all other probes; those of the driver are used where they are there).
 * Live: runs data/prove/prove.py, which is part of this program, through the interpreter f->python.exe with the examined environment; it
 * writes no file. Returns at most one second after the deadline. In a captured tree: from the manifest's "proof". */
void probe_prove(struct probe *p, const struct prove_ask *ask);

/* prove_facts.c: an answer into f->proof. Pure; f->cuda_devices tells the memory, which tells two cards of one name apart. */
void prove_facts(struct arena *a, struct facts *f, const struct proofrecord *r);
#endif
