/* SPDX-License-Identifier: Apache-2.0 */
/* table - the commands and their options: --help, the man pages and the completions are made from these tables. */
#include "base/i18n.h"
#include "base/util.h"
#include "cmd/cmd.h"
#include "cmd/setup_driver.h"

static const char *const formats[] = {"text", "json", NULL};
static const char *const fail_ons[] = {"broken", "degraded", NULL};
const char *const lang_choices[] = {"auto", "en", "zh_CN", NULL};

#define AT(member) .offset = offsetof(struct options, member)
#define OPT_ENV {.name = "env", .kind = OPT_TEXT, AT(env), .arg = "ENV", \
    .help = N_("judge this environment: a folder, an interpreter, a Jupyter kernel or a conda environment")}
#define OPT_ROOT {.name = "root", .kind = OPT_TEXT, AT(root), .arg = "DIR", \
    .help = N_("judge the machine whose files lie under DIR, not this one")}
#define OPT_SNAPSHOT {.name = "snapshot", .kind = OPT_TEXT, AT(snapshot), .arg = "FILE", \
    .help = N_("judge the machine whose facts are in FILE (tfgpu snapshot), not this one")}
#define OPT_DEEP {.name = "deep", .kind = OPT_FLAG, AT(deep), \
    .help = N_("compare all installed files with the package's list, not only those that the chain opens")}
#define OPT_DRIVER_TIMEOUT {.name = "driver-timeout", .kind = OPT_TEXT, AT(driver_timeout), .arg = "SECONDS", \
    .help = N_("give the driver so long to answer (10); 0: do not ask it")}
#define OPT_FORMAT {.name = "format", .kind = OPT_CHOICE, AT(format), .choices = formats, .help = N_("how to print the answer")}

#define OPT_DRY_RUN {.name = "dry-run", .kind = OPT_FLAG, AT(dry_run), .help = N_("show what would be done, and do nothing")}
#define OPT_YES {.name = "yes", .letter = 'y', .kind = OPT_FLAG, AT(yes), .help = N_("do it without asking")}

static const struct opt check_opts[] = {
    OPT_ENV,
    OPT_ROOT,
    OPT_SNAPSHOT,
    OPT_FORMAT,
    {.name = "verbose", .letter = 'v', .kind = OPT_FLAG, AT(verbose), .help = N_("show every fact that was judged")},
    OPT_DEEP,
    OPT_DRIVER_TIMEOUT,
    {.name = "prove", .kind = OPT_FLAG, AT(prove), .help = N_("let the environment's TensorFlow compute on CPU and GPU, and compare and time the results (a minute)")},
    {.name = "quick", .kind = OPT_FLAG, AT(quick), .help = N_("with --prove: less of it, in at most 30 seconds")},
    {.name = "prove-timeout", .kind = OPT_TEXT, AT(prove_timeout), .arg = "SECONDS",
     .help = N_("with --prove: stop it after so long (300; with --quick 30)")},
    {.name = "fail-on", .kind = OPT_CHOICE, AT(fail_on), .choices = fail_ons, .help = N_("which findings make the exit code 1")},
    {0},
};

static const struct opt why_opts[] = {
    OPT_ENV,
    {.name = "program", .kind = OPT_TEXT, AT(program), .arg = "EXE", .help = N_("ask for this program instead of an environment's Python")},
    {.name = "from", .kind = OPT_TEXT, AT(from), .arg = "FILE", .help = N_("the loaded object that calls dlopen; its RUNPATH counts")},
    OPT_ROOT,
    OPT_FORMAT,
    {.name = "verbose", .letter = 'v', .kind = OPT_FLAG, AT(verbose), .help = N_("show every place that was tried")},
    {0},
};

static const struct opt env_opts[] = {
    OPT_ENV,
    OPT_ROOT,
    OPT_FORMAT,
    {0},
};

static const struct opt jupyter_opts[] = {
    {.name = "env", .kind = OPT_TEXT, AT(env), .arg = "ENV", .help = N_("with repair: let the KERNELs start this environment's Python")},
    OPT_ROOT,
    OPT_FORMAT,
    OPT_DRY_RUN,
    OPT_YES,
    {0},
};

static const struct opt learn_opts[] = {
    {.name = "package", .kind = OPT_TEXT, AT(package), .arg = "NAME", .help = N_("read this package of the environment, not TensorFlow")},
    OPT_ROOT,
    OPT_FORMAT,
    {0},
};

static const struct opt explain_opts[] = {
    OPT_FORMAT,
    {.name = "run", .kind = OPT_FLAG, AT(run), .help = N_("run the COMMAND behind '--', pass on what it prints, and explain that when it has ended")},
    {.name = "no-machine", .kind = OPT_FLAG, AT(no_machine), .help = N_("judge by the log alone, not by the facts of this machine")},
    OPT_SNAPSHOT,
    {0},
};

static const struct opt kb_opts[] = {
    OPT_FORMAT,
    {0},
};

static const struct opt snapshot_opts[] = {
    {.name = "output", .letter = 'o', .kind = OPT_TEXT, AT(output), .arg = "FILE", .help = N_("write to FILE, all or nothing, not to standard output")},
    OPT_ENV,
    OPT_ROOT,
    OPT_DEEP,
    OPT_DRIVER_TIMEOUT,
    {0},
};

static const struct opt fix_opts[] = {
    OPT_ENV,
    OPT_DRY_RUN,
    OPT_YES,
    {0},
};

/* As enum export of lock.h. */
static const char *const exports[] = {"lock", "requirements", "environment", "conda-explicit", "dockerfile", "compose", "devcontainer", "first-boot", NULL};
static const struct opt lock_opts[] = {
    OPT_ENV,
    {.name = "output", .letter = 'o', .kind = OPT_TEXT, AT(output), .arg = "FILE", .help = N_("write to FILE, all or nothing, not to standard output")},
    {.name = "export", .kind = OPT_CHOICE, AT(export), .choices = exports, .help = N_("write the lock FILE, or the one that the environment holds, for other programs")},
    {.name = "check", .kind = OPT_FLAG, AT(check), .help = N_("say in what the environment differs from the lock FILE, or from the one that it holds")},
    {0},
};

static const struct opt undo_opts[] = {
    {.name = "list", .kind = OPT_FLAG, AT(list), .help = N_("list what tfgpu has changed, oldest first")},
    OPT_DRY_RUN,
    OPT_YES,
    {0},
};

static const char *const engines[] = {"auto", "uv", "venv", "conda", NULL};
static const char *const systems[] = {"auto", "linux", "wsl", "macos", NULL};

/* What a plan has to satisfy; solve and setup take the same. */
#define OPTS_ASK \
    {.name = "tf", .kind = OPT_TEXT, AT(tf), .arg = "VERSION", .help = N_("this TensorFlow: a series (X.Y), a release, or a range ('>=X.Y,<X.Z')")}, \
    {.name = "python", .kind = OPT_TEXT, AT(python), .arg = "3.X", .help = N_("this Python and no other")}, \
    {.name = "with", .kind = OPT_LIST, AT(with), .arg = "NAME[==VERSION]", .help = N_("another framework beside it (torch, jax), in the same environment where the pins agree; may be given several times")}, \
    {.name = "engine", .kind = OPT_CHOICE, AT(engine), .choices = engines, .help = N_("what makes the environment")}, \
    {.name = "gpu", .kind = OPT_LIST, AT(gpus), .arg = "GPU", .help = N_("for this GPU: 'RTX 5090', 'H100', or a compute capability, '8.9'; may be given several times")}, \
    {.name = "glibc", .kind = OPT_TEXT, AT(glibc), .arg = "VERSION", .help = N_("for this glibc, '2.31'")}, \
    {.name = "online", .kind = OPT_FLAG, AT(online), .help = N_("ask the package index which wheels it has today, instead of the tables that tfgpu was built with")}

static const struct opt solve_opts[] = {
    OPTS_ASK,
    {.name = "driver", .kind = OPT_TEXT, AT(driver), .arg = "VERSION", .help = N_("for this driver, '580.65'")},
    {.name = "os", .kind = OPT_CHOICE, AT(os), .choices = systems, .help = N_("for this system")},
    {.name = "wsl", .kind = OPT_FLAG, AT(wsl), .help = N_("the same as --os wsl: the driver's number is that of a Windows driver")},
    OPT_ENV,
    OPT_ROOT,
    OPT_SNAPSHOT,
    OPT_FORMAT,
    {.name = "verbose", .letter = 'v', .kind = OPT_FLAG, AT(verbose), .help = N_("show every combination, not one for each release")},
    {0},
};

static const struct opt setup_opts[] = {
    OPTS_ASK,
    {.name = "driver", .kind = OPT_TEXT, AT(driver), .arg = "VERSION", .bare = SETUP_DRIVER,
     .help = N_("for this driver, '580.65'; without VERSION: show how this machine gets its driver, and do nothing")},
    {.name = "env", .kind = OPT_TEXT, AT(env), .arg = "DIR", .help = N_("the folder of the environment (.venv); it must not exist")},
    {.name = "lock", .kind = OPT_TEXT, AT(lock), .arg = "FILE", .help = N_("make the environment that this lock describes (tfgpu lock), and no other")},
    {.name = "jupyter", .kind = OPT_FLAG, AT(jupyter), .help = N_("register it as a Jupyter kernel, with a notebook that verifies it")},
    {.name = "conda-init", .kind = OPT_FLAG, AT(conda_init), .help = N_("with conda: let new shells know it, as 'conda init' does")},
    OPT_DRY_RUN,
    OPT_YES,
    {0},
};

/* Every command has these; they may also stand in front of the command. */
const struct opt common_opts[] = {
    {.name = "lang", .kind = OPT_CHOICE, AT(lang), .choices = lang_choices, .help = N_("language of the messages")},
    {.name = "no-color", .kind = OPT_FLAG, AT(no_color), .help = N_("no colours, as with NO_COLOR=1")},
    {.name = "help", .letter = 'h', .kind = OPT_FLAG, AT(help), .help = N_("show this help")},
    {.name = "version", .kind = OPT_FLAG, AT(version), .help = N_("show the version and the revision of the data")},
    {.name = "help-man", .kind = OPT_FLAG, AT(help_man)}, /* the OPTIONS section of the man page */
    {0},
};

const struct cmd commands[] = {
    {.name = "check", .run = cmd_check, .opts = check_opts, .args = "",
     .help = N_("say whether TensorFlow will use the GPU, and name the first broken link"),
     .more = N_("Reads the files of the installed TensorFlow, of the packages around it and of the NVIDIA driver. Then it asks "
                "the driver, in a process of its own with a deadline. It starts no Python, unless --prove asks for it, and no other "
                "program, and it uses no network.")},
    {.name = "why", .run = cmd_why, .opts = why_opts, .args = "SONAME", .min_args = 1, .max_args = 1,
     .help = N_("show where the dynamic loader looks for a library and which file wins"),
     .more = N_("Simulates the loader for the environment's Python (or --program) and lists every place in order, why it was passed "
                "over, which file wins by which rule, and what it shadows.")},
    {.name = "env", .run = cmd_env, .opts = env_opts, .args = "list", .min_args = 1, .max_args = 1,
     .help = N_("list the Python environments that a user could mean, and what each would do")},
    {.name = "jupyter", .run = cmd_jupyter, .opts = jupyter_opts, .args = "list|repair [KERNEL...]", .min_args = 1, .max_args = SIZE_MAX,
     .help = N_("list the Jupyter kernels and where each leads; mend those that lead nowhere or astray"),
     .more = N_("A kernel's file names the Python that its notebooks run. 'list' says of each which one that is and whether it can start. 'repair' shows how those "
                "that cannot are pointed to their environment, or removed where there is none, and does it when you agree; 'tfgpu undo' brings them back.")},
    {.name = "explain", .run = cmd_explain, .opts = explain_opts, .args = "[FILE...|-|ID|-- COMMAND...]", .max_args = SIZE_MAX,
     .help = N_("name the cause behind what a program printed, and its fix"),
     .more = N_("Reads logs of TensorFlow, pip, conda, nvidia-smi, docker, the kernel and others (standard input without FILE) and names "
                "the causes that they show, earliest in the chain first, then symptoms and harmless lines. With the name of a cause it "
                "prints what is known of it.")},
    {.name = "kb", .run = cmd_kb, .opts = kb_opts, .args = "list|show ID|lint FILE...", .min_args = 1, .max_args = SIZE_MAX,
     .help = N_("list what 'tfgpu explain' knows, show a page of it, check files of your own"),
     .more = N_("A site can teach 'tfgpu explain' causes of its own: files of one cause each in ~/.config/tfgpu/causes.d and "
                "/etc/tfgpu/causes.d. 'lint' checks such files, and tries their patterns on the lines that they give as examples.")},
    {.name = "learn", .run = cmd_learn, .opts = learn_opts, .args = "WHEEL|ENV", .min_args = 1, .max_args = 1,
     .help = N_("say what a wheel, or the TensorFlow of an environment, was built for and what it needs"),
     .more = N_("Reads a wheel of TensorFlow, torch, jax or an nvidia-* package in place, or the same package where it is installed: CUDA and "
                "cuDNN, needed libraries, GPU code, floors and pins. Nothing is unpacked to disk and nothing of it is executed.")},
    {.name = "lock", .run = cmd_lock, .opts = lock_opts, .args = "[FILE]", .max_args = 1,
     .help = N_("write down an environment exactly, so that it can be made again elsewhere, or compare it with that"),
     .more = N_("The lock names every package with its version and the SHA-256 of each file that may be installed for it, the interpreter, the links that were "
                "needed, and what a machine must have: driver, GPU, glibc, processor. 'tfgpu setup --lock FILE' makes the same environment; 'tfgpu setup' leaves a "
                "lock (tfgpu.lock) in each that it makes. The checksums are asked of uv or pip, which ask the package index.")},
    {.name = "snapshot", .run = cmd_snapshot, .opts = snapshot_opts, .args = "",
     .help = N_("write down what is known of this machine, to be judged elsewhere"),
     .more = N_("Gathers what 'tfgpu check' gathers and writes it as JSON; 'tfgpu check --snapshot FILE' then judges as here. The file has the "
                "paths, packages and settings that are judged, no other files, no other variables and no names of users or hosts but those in "
                "paths. It is changed in one step or not at all.")},
    {.name = "setup", .run = cmd_setup, .opts = setup_opts, .args = "",
     .help = N_("make the environment that fits this machine best, repair it where its wheels need it, and check it"),
     .more = N_("Chooses the TensorFlow that fits this machine's driver, GPUs and Pythons best ('tfgpu solve' shows the choice), shows the plan, and lets uv, "
                "pip or conda carry it out. Libraries that the installed TensorFlow does not find are made reachable by links, as the loader's simulation says. "
                "When a step fails or is stopped all is taken back; 'tfgpu undo' removes a finished environment.")},
    {.name = "fix", .run = cmd_fix, .opts = fix_opts, .args = "[ID]", .max_args = 1,
     .help = N_("mend what check found: what is broken, or the finding ID"),
     .more = N_("Does what can be done inside the environment as the user: packages and pins put right by the engine that made it, libraries made reachable by "
                "links or by the activation. The plan is shown first, check judges the result, and what did not help is taken back. Everything else is explained "
                "with its steps, and the reason why it is left to you. 'tfgpu undo' puts back what was there.")},
    {.name = "undo", .run = cmd_undo, .opts = undo_opts, .args = "[ACTION]", .max_args = 1,
     .help = N_("take back what an earlier command changed"),
     .more = N_("Without ACTION the last one that is not undone yet. Files get their old content, what was made goes; what somebody else has changed "
                "since then stays, and then nothing is undone.")},
    {.name = "solve", .run = cmd_solve, .opts = solve_opts, .args = "",
     .help = N_("say which TensorFlow, Python, CUDA and cuDNN fit this machine, and why nothing newer does"),
     .more = N_("Holds the releases that are known against this machine's GPUs, driver, glibc and processor, or against those that the options "
                "state, and prints what fits, best first, with exact pins. Where nothing fits it names what stands against each other and the "
                "smallest changes that help. It changes nothing and uses no network, unless --online asks for it.")},
};
const size_t n_commands = TG_COUNT(commands);
