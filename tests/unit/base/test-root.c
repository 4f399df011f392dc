/* SPDX-License-Identifier: Apache-2.0 */
/* A tree never leads outside itself, with openat2 and with our own walk; its manifest answers for what a tree cannot hold. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/root.h"
#include "base/root_internal.h"
#include "tap.h"

static char top[] = "/tmp/tfgpu-root-XXXXXX";

static void put(const char *rel, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", top, rel);
    FILE *f = fopen(path, "w");
    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

static void make(const char *rel)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", top, rel);
    mkdir(path, 0755);
}

static void link_to(const char *rel, const char *target)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", top, rel);
    if (symlink(target, path) < 0)
        perror(path);
}

static void build_tree(void)
{
    make("etc");
    make("dir");
    make("dev");
    put("etc/inside", "inside");
    put("etc/secret", "secret");
    put("short", "0123456789");
    link_to("abs", "/etc/inside");
    link_to("up", "../../../../../../etc/inside");
    link_to("dir/rel", "../etc/inside");
    link_to("loop", "loop");
    link_to("chain", "abs");
    link_to("gone", "/nowhere");
    link_to("dirlink", "/dir");
    link_to("magic", "/proc/self/root/etc/passwd");
    put("manifest.json",
        "{\"format\": \"tfgpu.root/1\", \"environment\": {\"PATH\": \"/bin\"}, \"cwd\": \"/dir\","
        " \"user\": {\"uid\": 1000, \"gid\": 1000, \"groups\": [44]},"
        " \"kernel\": {\"release\": \"6.1\", \"machine\": \"x86_64\"}, \"cpu\": {\"flags\": [\"avx\"]},"
        " \"stat\": {\"/dev/nvidia0\": {\"type\": \"char\", \"major\": 195, \"minor\": 0, \"mode\": \"0660\", \"uid\": 0, \"gid\": 44},"
        " \"/etc/secret\": {\"mode\": \"0600\"}, \"/short\": {\"size\": 100}},"
        " \"space\": {\"/dev/shm\": {\"size\": 67108864, \"free\": 1024}}}");
}

static void reads(struct root *r, struct arena *a, const char *path, const char *want)
{
    const char *text = NULL;
    size_t len;
    int rc = root_read(r, path, 1000, a, &text, &len);
    if (want)
        ok_str(rc == 0 ? text : strerror(-rc), want, path);
    else
        ok(rc < 0, "%s cannot be read (%s)", path, strerror(-rc));
}

static void check(struct arena *a, bool own_walk)
{
    struct root *r;
    struct err e;
    struct root_stat st;
    if (!ok(root_open_tree(a, top, &r, &e) == 0, "tree opens, %s", own_walk ? "own walk" : "openat2"))
        return;
    r->no_openat2 = own_walk;
    reads(r, a, "/etc/inside", "inside");
    reads(r, a, "/abs", "inside");
    reads(r, a, "/up", "inside");
    reads(r, a, "rel", "inside"); /* cwd is /dir */
    reads(r, a, "/dirlink/rel", "inside");
    reads(r, a, "/chain", "inside");
    reads(r, a, "/../../etc/inside", "inside");
    reads(r, a, "/loop", NULL);
    reads(r, a, "/gone", NULL);
    reads(r, a, "/magic", NULL);
    reads(r, a, "/etc/secret", NULL);
    reads(r, a, "/dir", NULL);
    ok(root_stat(r, "/loop", &st) == -ELOOP, "a link to itself is a loop");
    ok(root_lstat(r, "/loop", &st) == 0 && st.type == ROOT_LINK, "a link itself can be looked at");
    ok(root_stat(r, "/dev/nvidia0", &st) == 0 && st.type == ROOT_CHAR && st.rdev_major == 195, "the manifest's device node");
    ok(root_access(r, "/dev/nvidia0", 6) == 0, "group 44 may use it");
    struct root_space space = {0};
    ok(root_space(r, "/dev/shm", &space) == 0 && space.size == 67108864 && space.free == 1024, "the manifest's file system");
    ok(root_space(r, "/", &space) == -ENODATA, "what it does not state is unknown");
    ok(root_access(r, "/etc/secret", 4) == -EACCES, "mode 0600 of uid 0 denies uid 1000");
    ok(root_cpu_has(r, "avx") == 1 && root_cpu_has(r, "avx2") == 0, "CPU flags of the manifest");
    ok_str(root_getenv(r, "PATH"), "/bin", "environment of the manifest");
    ok(root_getenv(r, "HOME") == NULL, "nothing of the live environment");
    const char *real = NULL;
    ok(root_realpath(r, "/dirlink/rel", a, &real) == 0, "realpath");
    ok_str(real, "/etc/inside", "is inside the tree");
    struct rfile *f;
    char byte;
    if (ok(root_open(r, "/short", &f, NULL) == 0, "a shortened file opens")) {
        ok(rfile_stat(f)->size == 100, "with its true size");
        ok(rfile_pread(f, &byte, 1, 9) == 1 && byte == '9', "what is there can be read");
        ok(rfile_pread(f, &byte, 1, 10) == -ENODATA, "what is not there is unknown, not zero");
        ok(rfile_pread(f, &byte, 1, 100) == 0, "the end is the true end");
        rfile_close(f);
    }
    root_close(r);
}

static void check_bad_manifests(struct arena *a)
{
    static const char *const bad[] = {"", "{", "[]", "{\"format\": \"other/1\"}", "{\"format\": \"tfgpu.root/1\", \"stat\": {\"x\": {}}}",
                                      "{\"format\": \"tfgpu.root/1\", \"stat\": {\"/x\": {\"mode\": \"99\"}}}",
                                      "{\"format\": \"tfgpu.root/1\", \"stat\": {\"/x\": {\"mode\": 420}}}",
                                      "{\"format\": \"tfgpu.root/1\", \"environment\": {\"PATH\": 3}}",
                                      "{\"format\": \"tfgpu.root/1\", \"user\": {\"uid\": -1}}",
                                      "{\"format\": \"tfgpu.root/1\", \"user\": {\"groups\": [1.5]}}",
                                      "{\"format\": \"tfgpu.root/1\", \"cpu\": {\"flags\": \"avx\"}}",
                                      "{\"format\": \"tfgpu.root/1\", \"space\": []}",
                                      "{\"format\": \"tfgpu.root/1\", \"space\": {\"/dev/shm\": {\"size\": 5}}}",
                                      "{\"format\": \"tfgpu.root/1\", \"cwd\": \"here\"}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct root *r = NULL;
        struct err e = {0};
        put("manifest.json", bad[i]);
        int rc = root_open_tree(a, top, &r, &e);
        ok(rc == -EBADMSG && strstr(e.msg, "manifest.json"), "bad manifest %zu: %s", i, e.msg);
    }
}

/* The value of a line of the first processor in /proc/cpuinfo, with blanks around it; empty without it. */
static void cpuinfo(const char *key, char *ret, size_t size)
{
    char line[8192];
    FILE *f = fopen("/proc/cpuinfo", "r");
    *ret = '\0';
    while (f && !*ret && fgets(line, sizeof line, f))
        if (strncmp(line, key, strlen(key)) == 0 && strchr(line, ':'))
            snprintf(ret, size, "%.*s ", (int)strcspn(strchr(line, ':') + 1, "\n"), strchr(line, ':') + 1);
    if (f)
        fclose(f);
}

static void check_cpu(struct arena *a)
{
    static const char *const names[] = {"cx16", "popcnt", "pni", "ssse3", "sse4_1", "sse4_2", "movbe", "fma", "avx", "f16c", "hypervisor", "bmi1",
                                        "avx2", "bmi2", "avx512f", "avx512dq", "avx512cd", "avx512bw", "avx512vl", "lahf_lm", "abm"};
    char flags[8192], vendor[256], model[256], padded[64];
    struct root *r;
    cpuinfo("flags", flags, sizeof flags);
    cpuinfo("vendor_id", vendor, sizeof vendor);
    cpuinfo("model name", model, sizeof model);
    if (!*flags || root_open_live(a, &r, NULL) < 0)
        return; /* another architecture */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(padded, sizeof padded, " %s ", names[i]);
        ok(root_cpu_has(r, names[i]) == (strstr(flags, padded) != NULL), "the processor's %s", names[i]);
    }
    ok(root_cpu_vendor(r) && strstr(vendor, root_cpu_vendor(r)), "its vendor");
    ok(root_cpu_model(r) && strstr(model, root_cpu_model(r)), "its model");
    root_close(r);
}

/* Asked once or twice, with or without a folder that paths are walked from. */
static void check_real(struct arena *a)
{
    struct root *r;
    const char *real, *want = arena_printf(a, "%s/etc/inside", top);
    if (root_open_live(a, &r, NULL) < 0)
        return;
    for (int i = 0; i < 2; i++) {
        ok(root_realpath(r, arena_printf(a, "%s/dir/rel", top), a, &real) == 0 && strcmp(real, want) == 0, "a link's canonical path, %d", i);
        ok(root_realpath(r, arena_printf(a, "%s/dir/../etc", top), a, &real) == 0 && strcmp(real, arena_printf(a, "%s/etc", top)) == 0, "without dots");
        ok(root_realpath(r, arena_printf(a, "%s/nothing", top), a, &real) == -ENOENT, "of nothing");
        root_near(r, arena_printf(a, "%s/etc", top));
        root_near(r, arena_printf(a, "%s/dir/../etc", top));
        ok(root_realpath(r, arena_printf(a, "%s/etc", top), a, &real) == 0 && strcmp(real, arena_printf(a, "%s/etc", top)) == 0, "of a folder nearby");
    }
    const struct root_place *at;
    int rc = root_place(r, arena_printf(a, "%s/etc", top), &at);
    if (rc == -ENOSYS || rc == -EPERM)
        return; /* no openat2 here */
    ok(rc == 0 && at, "a folder to walk from");
    ok(root_place(r, arena_printf(a, "%s/none", top), &at) == -ENOENT && !at, "none");
    ok(root_place(r, arena_printf(a, "%s/etc/inside", top), &at) == -ENOTDIR && !at, "a file is none");
    ok(root_place(r, arena_printf(a, "%s/dir/rel", top), &at) == -ELOOP && !at, "a link is not walked");
    root_close(r);
}

int main(void)
{
    struct arena a;
    arena_init(&a, 0);
    if (!mkdtemp(top))
        return 1;
    build_tree();
    check(&a, false);
    check(&a, true);
    check_bad_manifests(&a);
    check_cpu(&a);
    check_real(&a);
    char cmd[128];
    snprintf(cmd, sizeof cmd, "rm -rf %s", top);
    if (system(cmd) != 0)
        return 1;
    arena_done(&a);
    return tap_done();
}
