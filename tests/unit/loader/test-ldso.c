/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated loader on captured trees: what the differential tests cannot vary on one machine (glibc's version, the
 * distribution's folders, the processor, captures that lack data), and its own bookkeeping (marks, failed requests). */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "elfmake.h"
#include "loader/ldso.h"
#include "tap.h"

static char top[64];
static struct arena a;

static void put_bytes(const char *path, const void *p, size_t n)
{
    char full[512];
    snprintf(full, sizeof full, "%s%s", top, path);
    for (char *s = full + strlen(top) + 1; (s = strchr(s, '/')); s++) {
        *s = '\0';
        mkdir(full, 0755);
        *s = '/';
    }
    FILE *f = fopen(full, "wb");
    if (!f || fwrite(p, 1, n, f) != n || fclose(f) != 0)
        perror(full);
}

static void put(const char *path, const struct mk_elf *m)
{
    size_t n;
    const unsigned char *b = mk_build(m, &n);
    put_bytes(path, b, n);
}

static void lib(const char *path, const char *runpath, const char *needed)
{
    put(path, &(struct mk_elf){.soname = strrchr(path, '/') + 1, .runpath = runpath, .needed = {needed}});
}

static void link_to(const char *path, const char *target)
{
    char full[512];
    put_bytes(path, "", 0);
    snprintf(full, sizeof full, "%s%s", top, path);
    unlink(full);
    if (symlink(target, full) < 0)
        perror(full);
}

static void manifest(const char *cpu, const char *more)
{
    char text[2048];
    int n = snprintf(text, sizeof text,
                     "{\"format\": \"tfgpu.root/1\", \"cwd\": \"/\", \"cpu\": {\"vendor\": \"GenuineIntel\", \"flags\": [%s]}%s}", cpu, more);
    put_bytes("/manifest.json", text, (size_t)n);
}

#define V2 "\"cx16\",\"lahf_lm\",\"popcnt\",\"pni\",\"ssse3\",\"sse4_1\",\"sse4_2\""
#define V3 V2 ",\"avx\",\"avx2\",\"f16c\",\"fma\",\"abm\",\"movbe\",\"bmi1\",\"bmi2\""

/* A small machine: loader and libc (of this version) in `dir`, /bin/prog. */
static void machine(const char *dir, const char *glibc, const char *cpu)
{
    static int number;
    char path[512];
    snprintf(top, sizeof top, "/tmp/tfgpu-ldso-%d-%d", (int)getpid(), number++);
    mkdir(top, 0755);
    manifest(cpu, "");
    snprintf(path, sizeof path, "%s/ld-linux-x86-64.so.2", dir);
    put(path, &(struct mk_elf){.soname = "ld-linux-x86-64.so.2"});
    if (strcmp(dir, "/lib64") != 0)
        link_to("/lib64/ld-linux-x86-64.so.2", path);
    snprintf(path, sizeof path, "%s/libc.so.6", dir);
    put(path, &(struct mk_elf){.soname = "libc.so.6", .defs = {"GLIBC_2.2.5", glibc}});
    put("/bin/prog", &(struct mk_elf){.interp = "/lib64/ld-linux-x86-64.so.2", .needed = {"libc.so.6"}, .flags_1 = DF_1_PIE});
}

static void remove_machine(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", top);
    if (system(command) != 0)
        puts("# cannot remove the tree");
}

static struct ldso *process(struct root **ret_root, const char *llp)
{
    struct ldso *p = NULL;
    struct err e = {0};
    struct ldso_config c = {.program = "/bin/prog", .ld_library_path = llp, .want_shadowed = true, .check_symbols = true};
    if (root_open_tree(&a, top, ret_root, &e) < 0 || ldso_new(*ret_root, &a, &c, &p, &e) < 0)
        printf("# %s\n", e.msg);
    return p;
}

static void ok_answer(const struct ldso_answer *x, enum ldso_outcome o, const char *path, const char *name)
{
    if (!ok(x->outcome == o && (path ? x->path && !strcmp(x->path, path) : !x->path), "%s", name))
        printf("# outcome %s path %s message %s\n", ldso_outcome_id(x->outcome), x->path ? x->path : "-", x->message ? x->message : "-");
}

static void default_folders(void)
{
    static const struct { const char *dir, *glibc, *lib, *what; } rows[] = {
        {"/lib/x86_64-linux-gnu", "GLIBC_2.36", "/usr/lib/x86_64-linux-gnu/libx.so.1", "Debian: multiarch folders"},
        {"/lib/x86_64-linux-gnu", "GLIBC_2.36", "/usr/lib/libx.so.1", "Debian: /usr/lib comes last"},
        {"/lib64", "GLIBC_2.39", "/usr/lib64/libx.so.1", "Fedora: lib64"},
        {"/nix/store/x-glibc/lib", "GLIBC_2.39", "/nix/store/x-glibc/lib/libx.so.1", "elsewhere: libc's own folder"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct root *r;
        machine(rows[i].dir, rows[i].glibc, V2);
        lib(rows[i].lib, NULL, NULL);
        struct ldso *p = process(&r, NULL);
        const struct ldso_answer *x = ldso_dlopen(p, "libx.so.1", NULL);
        ok_answer(x, LDSO_FOUND, rows[i].lib, rows[i].what);
        ok(x->rule == LDSO_DEFAULT && !strcmp(ldso_glibc_version(p), strchr(rows[i].glibc, '_') + 1), "  by default, glibc %s", rows[i].glibc);
        root_close(r);
        remove_machine();
    }
}

static void hardware_folders(void)
{
    static const struct { const char *glibc, *cpu, *path, *what; } rows[] = {
        {"GLIBC_2.39", V3, "/l/glibc-hwcaps/x86-64-v3/libx.so.1", "2.39, v3: glibc-hwcaps"},
        {"GLIBC_2.39", V2, "/l/libx.so.1", "2.39, v2: neither v3 nor the old folders"},
        {"GLIBC_2.36", V2, "/l/tls/x86_64/libx.so.1", "2.36, v2: the old folders still count"},
        {"GLIBC_2.31", V3, "/l/tls/x86_64/libx.so.1", "2.31, v3: no glibc-hwcaps yet"},
        {"GLIBC_2.36", "", "/l/tls/x86_64/libx.so.1", "2.36, v1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct root *r;
        machine("/lib/x86_64-linux-gnu", rows[i].glibc, rows[i].cpu);
        lib("/l/libx.so.1", NULL, NULL);
        lib("/l/glibc-hwcaps/x86-64-v3/libx.so.1", NULL, NULL);
        lib("/l/tls/x86_64/libx.so.1", NULL, NULL);
        ok_answer(ldso_dlopen(process(&r, "/l"), "libx.so.1", NULL), LDSO_FOUND, rows[i].path, rows[i].what);
        root_close(r);
        remove_machine();
    }
}

static void versions_of_glibc(void)
{
    struct root *r;
    machine("/lib/x86_64-linux-gnu", "GLIBC_2.41", V2);
    put("/l/libstack.so", &(struct mk_elf){.execstack = true});
    put("/l/libv3.so", &(struct mk_elf){.isa = 4});
    put("/l/libnew.so", &(struct mk_elf){.needed = {"libc.so.6"}, .needs = {{"libc.so.6", {"GLIBC_2.43"}}}});
    struct ldso *p = process(&r, "/l");
    const struct ldso_answer *x = ldso_dlopen(p, "libstack.so", NULL);
    ok_answer(x, LDSO_FAILED, NULL, "2.41 refuses an executable stack");
    x = ldso_dlopen(p, "libv3.so", NULL);
    ok_answer(x, LDSO_FAILED, "/l/libv3.so", "a file for a better processor");
    ok_str(x->message, "/l/libv3.so: CPU ISA level is lower than required", "  in the loader's words");
    x = ldso_dlopen(p, "libnew.so", NULL);
    ok_str(x->message, "/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.43' not found (required by /l/libnew.so)", "newer glibc wanted");
    ok_str(x->culprit_file, "/lib/x86_64-linux-gnu/libc.so.6", "  libc is to blame");
    root_close(r);
    remove_machine();
}

static void state(void)
{
    struct root *r;
    const struct ldso_obj *const *objs;
    machine("/lib/x86_64-linux-gnu", "GLIBC_2.36", V2);
    lib("/l/libx.so.1", "$ORIGIN/sub", "libdep.so.1");
    lib("/l/sub/libdep.so.1", NULL, NULL);
    lib("/l/libbad.so.1", "$ORIGIN/sub", "libdep.so.1");
    put("/l/libbroken.so.1", &(struct mk_elf){.runpath = "$ORIGIN/sub", .needed = {"libdep.so.1", "libgone.so.1"}});
    lib("/m/libx.so.1", NULL, NULL);
    struct ldso *p = process(&r, "/l:/m");
    size_t mark = ldso_mark(p), before = ldso_objects(p, &objs);
    const struct ldso_answer *x = ldso_dlopen(p, "libbroken.so.1", NULL);
    ok(x->outcome == LDSO_MISSING && !strcmp(x->culprit, "libgone.so.1") && !strcmp(x->culprit_by, "/l/libbroken.so.1"), "a missing dependency is named");
    ok_str(x->path, "/l/libbroken.so.1", "  and the file that won");
    ok(x->n_culprit_trail > 0 && !strcmp(x->culprit_trail[0].path, "/l/libgone.so.1"), "  and where it was looked for");
    ok(ldso_objects(p, &objs) == before && !ldso_find(p, "libdep.so.1"), "a failed request leaves nothing behind");
    x = ldso_dlopen(p, "libx.so.1", NULL);
    ok(x->outcome == LDSO_FOUND && x->n_added == 2 && x->obj->n_deps == 1, "two objects are added");
    ok(x->n_shadowed == 1 && !strcmp(x->shadowed[0], "/m/libx.so.1"), "the later copy is shadowed");
    ok(ldso_find(p, "libdep.so.1") != NULL, "the dependency is loaded");
    ok(ldso_dlopen(p, "libx.so.1", NULL)->rule == LDSO_LOADED, "asked again: loaded already");
    ldso_reset(p, mark);
    ok(ldso_objects(p, &objs) == before && !ldso_find(p, "libx.so.1"), "reset forgets it");
    ok(ldso_dlopen(p, "libx.so.1", NULL)->n_added == 2, "and it can be loaded once more");
    root_close(r);
    remove_machine();
}

static void failures(void)
{
    struct root *r;
    struct ldso *p;
    struct err e = {0};
    machine("/lib/x86_64-linux-gnu", "GLIBC_2.36", V2);
    put_bytes("/bin/script", "#!/bin/sh\nexit 0\n#####################################################\n", 72);
    put("/bin/musl", &(struct mk_elf){.interp = "/lib/ld-musl-x86_64.so.1", .flags_1 = DF_1_PIE});
    put("/bin/needy", &(struct mk_elf){.interp = "/lib64/ld-linux-x86-64.so.2", .needed = {"libgone.so"}, .flags_1 = DF_1_PIE});
    struct ldso_config c = {.program = "/bin/none"};
    ok(root_open_tree(&a, top, &r, &e) == 0, "tree");
    ok(ldso_new(r, &a, &c, &p, &e) == -ENOENT && e.msg[0], "no program");
    c.program = "/bin/script";
    ok(ldso_new(r, &a, &c, &p, &e) == -ENOEXEC, "a script is no program");
    c.program = "/bin/musl";
    ok(ldso_new(r, &a, &c, &p, &e) == 0 && ldso_dlopen(p, "libx.so", NULL)->outcome == LDSO_UNDETERMINED, "musl is not judged");
    c.program = "/bin/needy";
    ok(ldso_new(r, &a, &c, &p, &e) == 0 && ldso_start(p)->outcome == LDSO_MISSING && !strcmp(ldso_start(p)->culprit, "libgone.so"),
       "a program that cannot start");
    ok(ldso_dlopen(p, "libx.so", NULL)->outcome == LDSO_MISSING, "  cannot ask either");
    root_close(r);
    remove_machine();
}

/* The manifest says that the file is longer than what the capture holds. */
static void captures(void)
{
    struct root *r;
    machine("/lib/x86_64-linux-gnu", "GLIBC_2.36", V2);
    put("/l/libx.so.1", &(struct mk_elf){.soname = "libx.so.1"});
    char full[512];
    snprintf(full, sizeof full, "%s/l/libx.so.1", top);
    if (truncate(full, 450) < 0)
        perror(full);
    manifest(V2, ", \"stat\": {\"/l/libx.so.1\": {\"size\": 900000}}");
    lib("/m/libx.so.1", NULL, NULL);
    const struct ldso_answer *x = ldso_dlopen(process(&r, "/l:/m"), "libx.so.1", NULL);
    ok(x->outcome == LDSO_UNDETERMINED && x->n_trail == 1 && x->trail[0].result == LDSO_R_UNKNOWN, "what a capture lacks is not guessed");
    root_close(r);
    remove_machine();
}

/* Nothing is known of the processor: what depends on it is not guessed. */
static void unknown_processor(void)
{
    struct root *r;
    machine("/lib/x86_64-linux-gnu", "GLIBC_2.39", V2);
    static const char text[] = "{\"format\": \"tfgpu.root/1\", \"cwd\": \"/\"}";
    put_bytes("/manifest.json", text, sizeof text - 1);
    lib("/l/libplain.so", NULL, NULL);
    lib("/l/glibc-hwcaps/x86-64-v2/libx.so.1", NULL, NULL);
    put("/l/liblevel.so", &(struct mk_elf){.isa = 3});
    struct ldso *p = process(&r, "/l");
    ok(ldso_cpu_level(p) == 0, "a processor that is not known");
    ok_answer(ldso_dlopen(p, "libplain.so", NULL), LDSO_FOUND, "/l/libplain.so", "  does not matter for most");
    ok_answer(ldso_dlopen(p, "libx.so.1", NULL), LDSO_UNDETERMINED, NULL, "  but for what lies in a hardware folder");
    ok_answer(ldso_dlopen(p, "liblevel.so", NULL), LDSO_UNDETERMINED, "/l/liblevel.so", "  and for what asks for a level");
    root_close(r);
    remove_machine();
}

static void tunable_tls(void)
{
    struct root *r;
    machine("/lib/x86_64-linux-gnu", "GLIBC_2.36", V2);
    put("/l/libbig.so", &(struct mk_elf){.tls = 4000, .flags = DF_STATIC_TLS});
    const struct ldso_answer *x = ldso_dlopen(process(&r, "/l"), "libbig.so", NULL);
    ok_str(x->message, "/l/libbig.so: cannot allocate memory in static TLS block", "too much static TLS");
    root_close(r);
    manifest(V2, ", \"environment\": {\"GLIBC_TUNABLES\": \"a.b=1:glibc.rtld.optional_static_tls=4096\"}");
    ok_answer(ldso_dlopen(process(&r, "/l"), "libbig.so", NULL), LDSO_FOUND, "/l/libbig.so", "  unless the tunable allows it");
    root_close(r);
    remove_machine();
}

int main(void)
{
    arena_init(&a, 0);
    default_folders();
    hardware_folders();
    versions_of_glibc();
    state();
    failures();
    captures();
    unknown_processor();
    tunable_tls();
    arena_done(&a);
    return tap_done();
}
