/* SPDX-License-Identifier: Apache-2.0 */
/* probe - fills the facts from a root. Each probe gathers its part once, never prints and never judges; what it cannot read
 * becomes a state in the facts (absent, denied, malformed), not an error. The order is a table in probe.c. */
#ifndef TG_PROBE_PROBE_H
#define TG_PROBE_PROBE_H
#include "base/arena.h"
#include "base/err.h"
#include "base/root.h"
#include "facts_gen.h"
#include "loader/ldso.h"

struct probe { /* one run; handed to every probe */
    struct root *root;
    struct arena *a;
    struct facts *f;
    const char *env_arg;    /* --env, or NULL */
    bool deep;              /* compare all of RECORD */
    bool verbose;           /* facts that only -v or JSON shows may be gathered too */
    const struct kernel *kernel; /* the Jupyter kernel that names the environment, or NULL; set by probe_select */
    struct syspath *sys;    /* sys.path with the listings of its site folders (probe/syspath.h); set by probe_python */
    struct tf_record **lib_records; /* by package, read when asked for; see tf_record.h */
    struct tf_record *record; /* RECORD of TensorFlow's distribution; set by probe_tf_metadata, NULL when there is none */
    struct ldso *proc;      /* the simulated python process; set by probe_tensorflow, NULL when there is no interpreter */
    void (*driver_known)(struct probe *p); /* called once the driver's libraries are known, while other probes are still to come; or NULL */
    void *caller;           /* the caller's own */
    size_t import_mark;     /* its state after the import of TensorFlow, before any CUDA library is opened; 0: it never got there */
};

enum { /* facts that a command needs */
    NEED_MACHINE = 1 << 0, NEED_PYTHON = 1 << 1, NEED_PACKAGES = 1 << 2, NEED_TENSORFLOW = 1 << 3, NEED_DRIVER = 1 << 4, NEED_SHELL = 1 << 5,
    NEED_ENVS = 1 << 6, NEED_TITLES = 1 << 7, /* names that no rule asks for */
    NEED_ALL = NEED_MACHINE | NEED_PYTHON | NEED_PACKAGES | NEED_TENSORFLOW | NEED_DRIVER | NEED_SHELL
};
/* errors: -ENOENT  --env names nothing (usage error 2); -EEXIST it is ambiguous: `e` lists the hits; others are our own failures */
int probe_run(struct probe *p, unsigned needs, struct err *e);
/* What the simulated loader did with a request, as a fact. */
enum fact_outcome probe_outcome(enum ldso_outcome o);

/* machine.c: machine, cpu, gpus, kernel driver, nodes, WSL. Fills f->machine, f->gpus, f->driver (files only). */
void probe_machine(struct probe *p);
void probe_cpu_model(struct probe *p); /* f->machine.cpu.model */
/* pcie.c: f->gpus[].pcie, and the ways between two GPUs in f->gpu_links. Cost: about 40 system calls a GPU, none without one. */
void probe_pcie(struct probe *p);
/* limits.c: f->gpu_limits, where there is an NVIDIA GPU (needs f->gpus, f->driver.nodes). Cost: about 40 system calls. */
void probe_limits(struct probe *p);
/* driver_libs.c: copies of libcuda/libnvidia-ml; which one p->proc would load (needs p->proc or makes a plain process). */
void probe_driver_libs(struct probe *p);
/* environments.c: which environment is judged (architecture's order), and interpreter facts. */
int probe_select(struct probe *p, struct err *e);
void probe_list_envs(struct probe *p); /* f->environments, all of them */
/* Version of the distribution that gives `import tensorflow` there (the first folder that holds the package), or NULL. */
const char *probe_tensorflow_on(struct probe *p, struct syspath *s);
void probe_python(struct probe *p);    /* f->python incl. sys_path; f->ld_library_path etc. */
/* pystart.c: f->python.refused, _value, _want: a variable with which the interpreter does not start (needs f->python.stdlib and .minor) */
void probe_python_start(struct probe *p);
bool probe_drops_docstrings(struct probe *p); /* PYTHONOPTIMIZE; likewise in pystart.c */
void probe_libpython(struct probe *p); /* f->python.libpython, from the process that probe_tensorflow starts */
void probe_packages(struct probe *p);  /* f->packages */
void probe_shell(struct probe *p);     /* f->commands, f->kernels, f->shell_files */
/* tensorflow.c: f->tensorflow; libraries.c: f->libraries through the simulated loader. */
void probe_tensorflow(struct probe *p);
void probe_libraries(struct probe *p);
/* tf_metadata.c: which distribution owns tensorflow/ (needs f->tensorflow.package_dir, f->packages, f->python): dist, version,
 * info, other_dists, requires_python, wheel_tags, requirements, cuda_extra_in_use, and p->record. Called by probe_tensorflow.
 * Without package_dir it names the distribution whose files should be there. */
void probe_tf_metadata(struct probe *p);
/* tf_pyabi.c: f->tensorflow.py_abi (needs f->tensorflow.requirements) */
void probe_tf_pyabi(struct probe *p);
/* A variable of the judged process: as the chosen kernel or the caller sets it, and then what the interpreter does to itself at its start
 * (needs f->python). NULL: not set. In gpu_env.c. */
const char *probe_variable(struct probe *p, const char *name);
/* gpu_env.c: f->gpu_env, f->cuda_visible_devices, f->jit_cache (needs f->driver.libcuda) */
void probe_gpu_env(struct probe *p);
/* The environment of the examined process: the caller's, with what the chosen kernel sets and with f->ld_library_path. In the arena. */
void probe_process_environment(struct probe *p, struct root_env **ret, size_t *ret_n);
/* gpu_code.c: f->tensorflow.archs */
void probe_gpu_code(struct probe *p);
/* nccl.c: f->tensorflow.nccl_inside */
void probe_nccl(struct probe *p);
/* Once more when the driver showed a GPU whose compute capability no GPU on the PCI bus has (WSL2, sandboxes): what a sample lacks is
 * looked for. Needs f->cuda_devices. cost: nothing elsewhere */
void probe_gpu_code_again(struct probe *p);
/* integrity.c: f->tensorflow.tampered, .shadows */
void probe_integrity(struct probe *p);
/* tf_flags.c: f->tensorflow.refused_flag. cost: nothing where neither variable is set; else the texts of a library are read, 80 MB, 30 ms */
void probe_tf_flags(struct probe *p);
/* keras_config.c: f->tensorflow.keras_config (needs .shadows). cost: one open; two small files more where a setting is not one of the usual */
void probe_keras_config(struct probe *p);
/* import_symbols.c: f->tensorflow.modules again, symbols looked up, when one of TensorFlow's own libraries was exchanged (0.1 to 1 s) */
void probe_import_symbols(struct probe *p);
#endif
