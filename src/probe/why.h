/* SPDX-License-Identifier: Apache-2.0 */
/* why - one question to the simulated loader: which file would this name give, and why? Gathers only; cmd/why.c prints. */
#ifndef TG_PROBE_WHY_H
#define TG_PROBE_WHY_H
#include "probe/probe.h"

struct why_query {
    const char *soname;
    const char *program; /* executable to simulate; NULL: the Python of the judged environment, TensorFlow loaded */
    const char *from;    /* file of the object that calls dlopen; NULL: the program, or the library that asks in TensorFlow */
};

struct why {
    const struct ldso *proc;
    const struct ldso_answer *answer;
    bool from_failed;        /* `answer` is about loading `from`, which must be there before it can ask */
    const char *program;
    const char *from;        /* file of the caller, NULL: the program itself */
    const char *version;     /* of the winner, or NULL */
    const struct fact_copy *copies; size_t n_copies; /* not found: copies of the culprit that are installed all the same */
};

/* errors: -ENOENT, -ENOEXEC … the program cannot be read or is none; -ESRCH there is no interpreter to ask for; `e` says it */
int why_gather(struct probe *p, const struct why_query *q, struct why *ret, struct err *e);
#endif
