/* SPDX-License-Identifier: Apache-2.0 */
/* plan - what an action will do, step by step, before anything is done. Knows nothing of what the steps are for.
 *
 * A plan is data: it is shown, stored in the journal and read back from it. A program is an argument vector, never a shell string. Every
 * path lies in one of the plan's folders.
 */
#ifndef TG_ACT_PLAN_H
#define TG_ACT_PLAN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

enum step_kind {
    STEP_RUN,      /* a program */
    STEP_WRITE,    /* a file gets these bytes */
    STEP_LINK,     /* a symbolic link */
    STEP_REMOVE,   /* a file, a link or a whole folder goes */
    STEP_DOWNLOAD, /* a file from the network, with a checksum */
    STEP_KEEP,     /* a copy of a folder is kept, by hard links: what later steps do in the folder is taken back with this one */
};

struct step {
    enum step_kind kind;
    const char *title;  /* what it is good for, one line, translated */
    const char *path;   /* absolute and clean: what is written, linked, removed, fetched, kept. RUN: the folder that the program makes, which must
                         * not exist before and goes when the step is undone; NULL: it makes none */
    /* RUN */
    const char **argv; size_t n_argv;   /* [0] is searched along PATH unless it has a slash */
    const char **env; size_t n_env;     /* NAME=VALUE on top of ours */
    const char *cwd;                    /* NULL: ours */
    size_t again;                       /* cut short or failed, the work starts again at this step (one of the same plan, at most this one):
                                         * the step that made the folder in which this one works; its own index when it stands alone */
    /* WRITE */
    const char *bytes; size_t n_bytes;
    unsigned mode;                      /* permission bits of the new file; 0: 0644, or those of the file that was there */
    const char *expect;                 /* SHA-256 (hex) of the bytes that the new ones were made from, "absent" when there were none; NULL: whatever is there */
    /* LINK */
    const char *target;                 /* as it is written into the link */
    /* DOWNLOAD */
    const char *url, *sha256;           /* sha256: hex, of the whole file */
};

struct plan {
    const char *command;                /* what the user typed, for messages ("tfgpu setup"); two plans of one command and subject are one action */
    const char *subject;                /* what it is about: the folder of the environment */
    const char **folders; size_t n_folders; /* absolute and clean; all paths lie at or below one of them */
    struct step *steps; size_t n_steps;
};

enum { PLAN_MAX_BYTES = 16 << 20 };

/* Appends a step; its `again` is its own index until the caller changes it. Strings are not copied. */
struct step *plan_add(struct arena *a, struct plan *p, enum step_kind kind, const char *title, const char *path);
void plan_folder(struct arena *a, struct plan *p, const char *path);
/* The same step as in an earlier plan, which may have changed already what this one was made from: what writes `path`. false: it had none. */
bool plan_as_before(struct arena *a, const struct plan *earlier, const char *path, struct plan *p);
void plan_arg(struct arena *a, struct step *s, const char *arg);
void plan_env(struct arena *a, struct step *s, const char *name_value);

/* Does it lie at or below one of the plan's folders? */
bool plan_holds(const struct plan *p, const char *path);

/* Absolute, clean, of UTF-8 and without control characters. */
bool plan_is_path(const char *path);
/* Is it one that may be done? Paths absolute, without "." and "..", inside the folders, UTF-8, no control characters; texts
 * there; checksums well formed. errors: -EINVAL, `e` names the step. */
int plan_check(const struct plan *p, struct err *e);

/* Two plans of one action: the same command and subject. Two steps that do the same. */
bool plan_same_action(const struct plan *x, const struct plan *y);
bool step_same(const struct step *x, const struct step *y);

/* As JSON ("tfgpu.plan/1", docs/formats/plan.md) and back. plan_read: strings in the arena; errors: -EBADMSG, also where plan_check would refuse it. */
void plan_write(const struct plan *p, struct buf *out);
int plan_read(struct arena *a, const char *text, size_t n, struct plan *ret, struct err *e);
#endif
