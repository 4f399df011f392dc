/* SPDX-License-Identifier: Apache-2.0 */
/* solve - which TensorFlow, Python, CUDA and cuDNN fit a machine, and why nothing fits where nothing does.
 *
 * Pure: an ask and the knowledge tables in, offers and reasons out; no file is opened and no program started. What a release carries
 * (Pythons, pins, GPU code, RUNPATH, floors) comes from knowledge/releases.h alone: nothing here names a version of TensorFlow.
 */
#ifndef TG_SOLVE_SOLVE_H
#define TG_SOLVE_SOLVE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "facts_gen.h"
#include "knowledge/releases.h"

enum solve_os { SOLVE_LINUX, SOLVE_WSL /* the driver's number is a Windows driver's */, SOLVE_MACOS };
enum solve_engine { SOLVE_UV, SOLVE_VENV, SOLVE_CONDA, SOLVE_N_ENGINES };
const char *solve_engine_id(enum solve_engine e); /* "uv", "venv", "conda" */

struct solve_gpu { const char *name; uint32_t cc; /* compute capability times ten */ };
struct solve_want { const char *name, *spec; /* "torch", "==2.5.1"; spec "" any */ };

/* What the package index was asked, and said (act/index_known.h). */
struct solve_online {
    struct known known;
    const char *index;                      /* its address, without password */
    size_t n_projects;                      /* that were asked for */
    const char **unread; size_t n_unread;   /* releases of TensorFlow newer than all whose files were read: they are never offered */
    const char **gone; size_t n_gone;       /* releases of the tables that the index does not have */
    const char **added; size_t n_added;     /* "torch 2.15.1": newer than the tables */
};

/* What is asked. Strings are the caller's and have to live as long as the answer; NULL, 0 and false: not known, or any; what is
 * not known is held against nothing, and `notes` of the answer says so. */
struct solve_ask {
    enum solve_os os;
    const char *machine;        /* "x86_64" */
    const struct solve_gpu *gpus; size_t n_gpus;
    const char *driver;         /* "580.65.06" */
    const char *glibc;          /* "2.36" */
    const char *const *cpu; size_t n_cpu; /* instruction sets as /proc/cpuinfo names them */
    const char *python;         /* "3.12": this one and no other; from uv and conda any other can be had */
    const char *python_here;    /* the interpreter at hand: preferred, and the only one for SOLVE_VENV */
    const char *tf;             /* PEP 440 specifiers, or a bare version */
    const struct solve_want *with; size_t n_with; /* frameworks of solve_is_framework() */
    bool engine_asked;          /* `engine` and no other; else it is the one that the caller would use */
    enum solve_engine engine;
    const struct known *known;  /* what the index has now, of `online`; NULL: the shipped tables */
    const struct solve_online *online; /* where that is from, for `notes`; NULL: nowhere */
};

/* A requirement as pip takes it: `name` and `spec` written together ("tensorflow[and-cuda]" "==2.20.0", "numpy" "<2"). */
struct solve_pin { const char *name, *spec; };
enum solve_code { SOLVE_NATIVE, SOLVE_JIT /* the driver compiles PTX at the first start, minutes long */ };
struct solve_gives { const struct solve_gpu *gpu; enum solve_code code; };

/* What is known to be wrong with a release as its wheels are, and how the offer deals with it. `id` is for programs and for ever:
 *   runpath-incomplete  libraries of the wheels that TensorFlow does not find by itself: `values` are the folders below
 *                       site-packages ("nvidia/cusolver/lib") that a repair has to make reachable
 *   extra-unusable      the extra and-cuda cannot be installed, so it is not planned; `values` are the pins that have no wheel
 *   no-extra            the release has no extra; the pins are those of another release of the same CUDA (values[0])
 *   numpy2-breaks       pip would install a NumPy that breaks the import; a pin holds it back
 *   cudnn-held-back     pip would install a cuDNN without code for this GPU; a pin holds it back; values[0]: the newest
 *   cudnn-unread        whether this cuDNN has code for this GPU was never read
 *   gpu-jit             no machine code for a GPU; values: GPUs
 */
struct solve_defect { const char *id; const char *text; /* translated */ const char **values; size_t n_values; };

/* A second environment for a framework whose pins do not agree with TensorFlow's. */
struct solve_apart { const char *name, *version, *python; struct solve_pin *pins; size_t n_pins; };

struct solve_offer {
    const char *tensorflow, *python; /* "2.20.0", "3.11" */
    const char *cuda;           /* CUDA that it was built for ("12.5.1"); NULL: runs on the CPU only */
    const char *cudnn;          /* version of the cuDNN wheel that is pinned; NULL with cuda NULL */
    enum solve_engine engine;
    struct solve_pin *pins; size_t n_pins; /* tensorflow first, then nvidia wheels, then the rest; complete for CUDA */
    struct solve_gives *gives; size_t n_gives; /* one for each GPU of the ask */
    struct solve_defect *defects; size_t n_defects;
    const char *driver_min;     /* smallest driver number for it and these GPUs */
    uint32_t driver_last;       /* last driver branch that knows all of them; 0: still supported */
    const char *glibc_min;
    const char **cpu; size_t n_cpu; /* instruction sets that it cannot do without */
    struct solve_want *together; size_t n_together; /* frameworks in the same environment; spec is the version */
    struct solve_apart *apart; size_t n_apart;
};

/* One demand or property of the machine that is part of why nothing fits, or of how it could. */
enum solve_part { SOLVE_TF, SOLVE_PYTHON, SOLVE_WITH, SOLVE_ENGINE, SOLVE_DRIVER, SOLVE_GLIBC, SOLVE_GPU, SOLVE_CPU, SOLVE_MACHINE, SOLVE_N_PARTS };
const char *solve_part_id(enum solve_part p); /* "tensorflow", "python", "with", "engine", "driver", "glibc", "gpu", "cpu", "machine" */
struct solve_reason { enum solve_part part; const char *subject; /* a GPU's name, a framework, or NULL */ const char *text; /* translated */ };
/* A change: all its parts together make something fit, none can be left out. `value` is what to change the part to. */
struct solve_step { enum solve_part part; const char *subject, *value, *text; };
struct solve_change { struct solve_step *steps; size_t n_steps; const char *then; /* the TensorFlow that then fits */ };

struct solve_answer {
    struct solve_offer *offers; size_t n_offers;      /* best first */
    struct solve_reason *reasons; size_t n_reasons;   /* without offers: parts that exclude each other, none of which can be left out */
    struct solve_change *changes; size_t n_changes;   /* without offers: cheapest first */
    struct solve_reason *newer; size_t n_newer;       /* with offers: why no newer release (subject) is the first offer */
    const char **notes; size_t n_notes;               /* what was not known and so not held against anything; translated */
};

/* solve - every combination that satisfies the ask, best first.
 *
 * a:     everything in `ret` is allocated here; it also points into `ask` and the tables
 * order: frameworks together before apart; fewest GPUs that need JIT; nothing to repair before something; newest TensorFlow; the Python
 *        at hand, then the one to advise, then newest
 * cost:  releases x Pythons x frameworks' releases, tens of microseconds without frameworks
 * errors: none; specifiers have to be good (solve_check_specs)
 */
void solve(struct arena *a, const struct solve_ask *ask, struct solve_answer *ret);

/* The ask that the facts of a machine make: GPUs (those that CUDA showed, else those on the bus), driver, glibc, CPU, Python at hand.
 * Strings stay the facts'. Engine: uv. */
void solve_ask_from_facts(struct arena *a, const struct facts *f, struct solve_ask *ret);
/* A version ("2.20" means that series, "2.20.0" that release) or specifiers as given on a command line; NULL: they make no sense.
 * ret: specifiers in the arena */
const char *solve_specs(struct arena *a, const char *text);
/* "torch" or "torch==2.5", "jax>=0.5": 0, or -EINVAL (no good specifiers), -ENOENT (not a framework of the tables). */
int solve_with(struct arena *a, const char *text, struct solve_want *ret);
/* A GPU by the name people use ("RTX 5090", "geforce rtx 4090", "H100"), by chip ("AD102") or capability ("8.9").
 * 0; -ENOENT none; -EEXIST products of different capability share it: `ret` is untouched. */
int solve_gpu_named(struct arena *a, const char *name, struct solve_gpu *ret);
#endif
