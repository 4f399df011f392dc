/* SPDX-License-Identifier: Apache-2.0 */
/* dso_code - what the functions of TensorFlow's class DsoLoader in one file do: which sonames they try, which of them
 * TryDlopenCUDALibraries calls. Internal to tf_code. */
#ifndef TG_PROBE_DSO_CODE_H
#define TG_PROBE_DSO_CODE_H
#include "base/files.h"
#include "base/pagesrc.h"
#include "formats/x86scan.h"
#include "knowledge/tf_loader.h"

enum { DSO_NAME = 40, DSO_VERSION = 16, DSO_ATTEMPTS = 6, DSO_LEAVES = 8, DSO_STUBS = 64, DSO_MANDATORY = 24 };

struct dso_file { /* one library of TensorFlow */
    struct arena a; /* gone with the file */
    struct open_file f;
    struct bytesrc src;
    const struct elf *elf;
    struct x86_code code;
    struct x86_scan *scan;
    const char *ns; /* mangled namespace that its DsoLoader lives in */
    struct { uint64_t target; bool leaf; } leaves[DSO_LEAVES]; /* functions that load a library themselves, or do not */
    size_t n_leaves;
    struct { uint64_t target; const char *name; } stubs[DSO_STUBS]; /* names of functions that were called */
    size_t n_stubs;
};

enum dso_result { DSO_ABSENT, DSO_NOT_UNDERSTOOD, DSO_OK };

struct dso_answer {
    struct dso_attempt { char name[DSO_NAME], version[DSO_VERSION]; } attempts[DSO_ATTEMPTS]; /* in the order they are made */
    size_t n;
};

/* Open a file and find out where its DsoLoader lives. elf: of the file, or NULL: read here. 0, or a negative errno (-ENOENT: it defines none). */
int dso_open(const struct files *files, const char *path, const struct elf *elf, struct dso_file *ret);
/* Names that the functions below gave end here. */
void dso_close(struct dso_file *f);

/* The libraries that Get<function>DsoHandle tries. */
enum dso_result dso_function(struct dso_file *f, const char *function, struct dso_answer *ret);
/* The functions that TryDlopenCUDALibraries calls, by name ("Cudnn"), in order, each once. */
enum dso_result dso_mandatory(struct dso_file *f, const char **ret_names /* [DSO_MANDATORY] */, size_t *ret_n);
#endif
