/* SPDX-License-Identifier: Apache-2.0 */
/* root - the one way to the files of the judged machine; here: the live machine, and what both kinds share. */
#include "base/root.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "base/root_internal.h"
#include "base/util.h"

void root_stat_from(const struct stat *st, struct root_stat *ret)
{
    mode_t m = st->st_mode;
    *ret = (struct root_stat){
        .type = S_ISREG(m) ? ROOT_FILE : S_ISDIR(m) ? ROOT_DIR : S_ISLNK(m) ? ROOT_LINK : S_ISCHR(m) ? ROOT_CHAR
              : S_ISBLK(m) ? ROOT_BLOCK : S_ISFIFO(m) ? ROOT_FIFO : S_ISSOCK(m) ? ROOT_SOCKET : ROOT_NONE,
        .dev = st->st_dev, .ino = st->st_ino, .size = (uint64_t)st->st_size,
        .mtime_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec,
        .mode = m & 07777, .uid = st->st_uid, .gid = st->st_gid,
        .rdev_major = major(st->st_rdev), .rdev_minor = minor(st->st_rdev),
    };
}

static void live_environ(struct root *r)
{
    for (char **e = environ; e && *e; e++) {
        const char *eq = strchr(*e, '=');
        if (!eq)
            continue;
        struct root_env *v = ARENA_PUSH(r->a, r->env, r->n_env);
        v->name = arena_strndup(r->a, *e, (size_t)(eq - *e));
        v->value = eq + 1; /* the process' own environment outlives us */
    }
}

int root_open_live(struct arena *a, struct root **ret, struct err *e)
{
    (void)e; /* nothing here can fail */
    struct root *r = ARENA_NEW(a, struct root);
    *r = (struct root){.a = a, .live = true, .fd = AT_FDCWD, .label = "this machine", .uid = geteuid(), .gid = getegid()};
    char cwd[4096];
    if (getcwd(cwd, sizeof cwd))
        r->cwd = arena_strdup(a, cwd);
    gid_t groups[256];
    int n = getgroups(TG_COUNT(groups), groups);
    r->n_groups = n > 0 ? (size_t)n : 0;
    r->groups = arena_array(a, r->n_groups, sizeof *r->groups);
    for (size_t i = 0; i < r->n_groups; i++)
        r->groups[i] = groups[i];
    struct utsname u;
    if (uname(&u) == 0) {
        r->release = arena_strdup(a, u.release);
        r->machine = arena_strdup(a, u.machine);
    }
    live_environ(r);
    *ret = r;
    return 0;
}

void root_close(struct root *r)
{
    if (!r)
        return;
    root_keep_done(r);
    if (r->fd >= 0)
        close(r->fd);
}

bool root_is_live(const struct root *r)
{
    return r->live;
}

const char *root_label(const struct root *r)
{
    return r->label;
}

const char *root_cwd(const struct root *r)
{
    return r->cwd ? r->cwd : "/";
}

const char *root_getenv(const struct root *r, const char *name)
{
    for (size_t i = 0; i < r->n_env; i++)
        if (r->env[i].name[0] == name[0] && strcmp(r->env[i].name, name) == 0)
            return r->env[i].value;
    return NULL;
}

const struct root_env *root_environ(const struct root *r, size_t *ret_n)
{
    *ret_n = r->n_env;
    return r->env;
}

const char *root_driver_lines(const struct root *r, const char *lib, size_t *ret_len)
{
    size_t i = strcmp(lib, "cuda") == 0 ? 0 : 1;
    *ret_len = r->driver_len[i];
    return r->driver[i];
}

const char *root_proof(const struct root *r, size_t *ret_len)
{
    *ret_len = r->proof_len;
    return r->proof;
}

uint32_t root_uid(const struct root *r)
{
    return r->uid;
}

size_t root_groups(const struct root *r, const uint32_t **ret_groups)
{
    if (ret_groups)
        *ret_groups = r->groups;
    return r->n_groups;
}

/* Home directory of `uid` in the text of /etc/passwd (name:pw:uid:gid:gecos:home:shell). */
static const char *passwd_home(struct root *r, const char *text, size_t len)
{
    struct str line;
    for (size_t pos = 0; str_line(text, len, &pos, &line);) {
        struct str field[7];
        size_t n = 0;
        for (const char *p = line.p, *end = line.p + line.n; n < 7; n++) {
            const char *colon = memchr(p, ':', (size_t)(end - p));
            field[n] = (struct str){p, (size_t)((colon ? colon : end) - p)};
            if (!colon) {
                n++;
                break;
            }
            p = colon + 1;
        }
        uint64_t uid;
        if (n >= 6 && str_to_u64(field[2].p, field[2].n, 10, &uid) == 0 && uid == r->uid && field[5].n)
            return arena_strndup(r->a, field[5].p, field[5].n);
    }
    return NULL;
}

const char *root_home(const struct root *r)
{
    struct root *w = (struct root *)r; /* a cache, filled once */
    if (!r->home) {
        const char *text, *home = root_getenv(r, "HOME");
        size_t len;
        if (home && home[0] == '/')
            w->home = home;
        else if (root_read(w, "/etc/passwd", 1 << 20, r->a, &text, &len) == 0)
            w->home = passwd_home(w, text, len);
    }
    return r->home;
}

const char *root_kernel_release(const struct root *r)
{
    return r->release;
}

const char *root_arch(const struct root *r)
{
    return r->machine;
}

/* "key : value" of the first processor in /proc/cpuinfo. */
static void cpu_from_text(struct root *r, const char *text, size_t len)
{
    struct str line;
    for (size_t pos = 0; str_line(text, len, &pos, &line) && line.n;) {
        const char *colon = memchr(line.p, ':', line.n);
        if (!colon)
            continue;
        struct str key = str_trim((struct str){line.p, (size_t)(colon - line.p)});
        struct str val = str_trim((struct str){colon + 1, line.n - (size_t)(colon + 1 - line.p)});
        const char **slot = key.n == 9 && !memcmp(key.p, "vendor_id", 9) ? &r->cpu_vendor
                          : key.n == 10 && !memcmp(key.p, "model name", 10) ? &r->cpu_model
                          : key.n == 5 && !memcmp(key.p, "flags", 5) ? &r->cpu_flags : NULL;
        if (slot && !*slot)
            *slot = arena_printf(r->a, slot == &r->cpu_flags ? " %.*s " : "%.*s", (int)val.n, val.p);
    }
}

static void cpu_load(struct root *r)
{
    const char *text;
    size_t len;
    if (r->cpu_known)
        return;
    r->cpu_known = true;
    if (r->live)
        root_cpu_live(r); /* /proc/cpuinfo costs milliseconds on machines with many processors */
    else if (!r->cpu_flags && root_read(r, "/proc/cpuinfo", 8 << 20, r->a, &text, &len) == 0)
        cpu_from_text(r, text, len);
}

const char *root_cpu_vendor(struct root *r)
{
    cpu_load(r);
    if (r->live && !r->cpu_vendor)
        r->cpu_vendor = root_cpu_vendor_live(r->a);
    return r->cpu_vendor;
}

const char *root_cpu_model(struct root *r)
{
    cpu_load(r);
    if (r->live && !r->cpu_model)
        r->cpu_model = root_cpu_model_live(r->a);
    return r->cpu_model;
}

int root_cpu_has(struct root *r, const char *flag)
{
    char key[64];
    cpu_load(r);
    size_t n = strlen(flag);
    if (!r->cpu_flags || n + 3 > sizeof key)
        return -1;
    key[0] = ' ';
    memcpy(key + 1, flag, n);
    key[n + 1] = ' ';
    key[n + 2] = '\0';
    return strstr(r->cpu_flags, key) != NULL;
}

bool root_may(const struct root *r, const struct root_stat *st, int mode)
{
    if (r->uid == 0)
        return !(mode & 1) || st->type == ROOT_DIR || (st->mode & 0111);
    unsigned shift = 0;
    if (st->uid == r->uid)
        shift = 6;
    else if (st->gid == r->gid)
        shift = 3;
    for (size_t i = 0; shift == 0 && i < r->n_groups; i++)
        if (r->groups[i] == st->gid)
            shift = 3;
    return ((st->mode >> shift) & (unsigned)mode & 7) == (unsigned)mode;
}

int root_stat(struct root *r, const char *path, struct root_stat *ret)
{
    if (!r->live)
        return root_tree_stat(r, path, true, ret);
    struct stat st;
    if (root_place_lacks(r, path))
        return -ENOENT;
    int dir = root_near_fd(r, &path);
    if (fstatat(dir, path, &st, 0) < 0)
        return -errno;
    root_stat_from(&st, ret);
    return 0;
}

int root_lstat(struct root *r, const char *path, struct root_stat *ret)
{
    if (!r->live)
        return root_tree_stat(r, path, false, ret);
    struct stat st;
    int dir = root_near_fd(r, &path);
    if (fstatat(dir, path, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return -errno;
    root_stat_from(&st, ret);
    return 0;
}

int root_readlink(struct root *r, const char *path, struct arena *a, const char **ret)
{
    if (!r->live)
        return root_tree_readlink(r, path, a, ret);
    char text[4096];
    int dir = root_near_fd(r, &path);
    ssize_t n = readlinkat(dir, path, text, sizeof text);
    if (n < 0)
        return -errno;
    *ret = arena_strndup(a, text, (size_t)n);
    return 0;
}

int root_access(struct root *r, const char *path, int mode)
{
    struct root_stat st;
    if (r->live) {
        int dir = root_near_fd(r, &path);
        return faccessat(dir, path, mode & 7, AT_EACCESS) < 0 ? -errno : 0;
    }
    int rc = root_tree_stat(r, path, true, &st);
    return rc < 0 ? rc : root_may(r, &st, mode) ? 0 : -EACCES;
}

bool root_noexec(const struct root *r, const char *path)
{
    struct statvfs v;
    const struct rfile *f = r->live ? root_keep_peek(r, path) : NULL; /* the path need not be walked again */
    return r->live && (f ? fstatvfs(f->fd, &v) : statvfs(path, &v)) == 0 && (v.f_flag & ST_NOEXEC);
}

/* By an open descriptor: three calls instead of one for each part of the path. */
static const char *real_live(const char *path, struct arena *a, int *ret_rc)
{
    char text[4096], link[64];
    int fd = open(path, O_PATH | O_CLOEXEC);
    *ret_rc = -errno;
    if (fd < 0 && errno != EMFILE && errno != ENFILE)
        return NULL;
    if (fd >= 0) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t n = readlink(link, text, sizeof text);
        close(fd);
        if (n > 0 && text[0] == '/' && (size_t)n < sizeof text)
            return arena_strndup(a, text, (size_t)n);
    }
    char *p = realpath(path, NULL); /* no /proc, or no descriptor left */
    *ret_rc = -errno;
    const char *real = arena_strdup(a, p);
    free(p);
    return real;
}

int root_realpath(struct root *r, const char *path, struct arena *a, const char **ret)
{
    int rc;
    if (!r->live)
        return root_tree_realpath(r, path, a, ret);
    for (size_t i = 0; i < ROOT_REALS && i < r->n_reals; i++)
        if (strcmp(r->reals[i].path, path) == 0) {
            *ret = arena_strdup(a, r->reals[i].real);
            return 0;
        }
    const char *clean = root_near_is(r, path) ? path_clean(a, path) : NULL;
    const char *real = clean && strcmp(clean, path) == 0 ? clean : real_live(path, a, &rc);
    if (!real)
        return rc;
    r->reals[r->n_reals++ % ROOT_REALS] = (struct root_real){arena_strdup(r->a, path), arena_strdup(r->a, real)};
    *ret = real;
    return 0;
}

/* Without a free descriptor every file looks absent: remembered, so that no answer is built on it. */
static int starve(struct root *r, int rc)
{
    if (rc == -EMFILE || rc == -ENFILE)
        r->starved = rc;
    return rc;
}

int root_starved(const struct root *r)
{
    return r->starved;
}

static int open_once(struct root *r, const char *path, int flags, struct root_stat *st, uint64_t *held)
{
    flags |= O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    if (!r->live)
        return root_tree_open(r, path, flags, st, held);
    if (root_place_lacks(r, path))
        return -ENOENT;
    int dir = root_near_fd(r, &path), fd = openat(dir, path, flags);
    if (fd < 0)
        return -errno;
    struct stat raw;
    if (fstat(fd, &raw) < 0) {
        int rc = -errno;
        close(fd);
        return rc;
    }
    root_stat_from(&raw, st);
    *held = st->size;
    return fd;
}

static int open_fd(struct root *r, const char *path, int flags, struct root_stat *st, uint64_t *held)
{
    int fd = open_once(r, path, flags, st, held);
    if ((fd == -EMFILE || fd == -ENFILE) && root_keep_drop(r))
        fd = open_once(r, path, flags, st, held);
    return fd < 0 ? starve(r, fd) : fd;
}

int root_readdir(struct root *r, const char *path, size_t max, struct arena *a, struct root_dirent **ret, size_t *ret_n)
{
    struct root_stat st;
    uint64_t held;
    int fd = open_fd(r, path, O_DIRECTORY, &st, &held);
    if (fd < 0)
        return fd;
    DIR *d = fdopendir(fd);
    if (!d) {
        int rc = -errno;
        close(fd);
        return rc;
    }
    struct root_dirent *list = NULL;
    size_t n = 0;
    int rc = 0;
    for (struct dirent *e; (e = readdir(d));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        if (n >= max) {
            rc = -E2BIG;
            break;
        }
        static const enum root_type types[] = {[DT_REG] = ROOT_FILE, [DT_DIR] = ROOT_DIR, [DT_LNK] = ROOT_LINK, [DT_CHR] = ROOT_CHAR,
                                               [DT_BLK] = ROOT_BLOCK, [DT_FIFO] = ROOT_FIFO, [DT_SOCK] = ROOT_SOCKET};
        struct root_dirent *x = ARENA_PUSH(a, list, n);
        x->name = arena_strdup(a, e->d_name);
        x->type = e->d_type < TG_COUNT(types) ? types[e->d_type] : ROOT_NONE;
    }
    closedir(d);
    *ret = list;
    *ret_n = n;
    return rc;
}

static int open_file(struct root *r, const char *path, struct rfile **ret, struct err *e)
{
    struct root_stat st;
    uint64_t held;
    int fd = open_fd(r, path, 0, &st, &held), rc = 0;
    if (fd < 0)
        rc = fd;
    else if (st.type != ROOT_FILE)
        rc = st.type == ROOT_DIR ? -EISDIR : -ENXIO;
    if (rc < 0) {
        if (fd >= 0)
            close(fd);
        return err_set(e, rc, "cannot read %s: %s", path, strerror(-rc));
    }
    struct rfile *f = ARENA_NEW(r->a, struct rfile);
    *f = (struct rfile){.fd = fd, .users = 1, .st = st, .held = held};
    *ret = f;
    return 0;
}

int root_open(struct root *r, const char *path, struct rfile **ret, struct err *e)
{
    struct rfile *f = root_keep_find(r, path);
    int rc = f ? 0 : open_file(r, path, &f, e);
    if (rc < 0)
        return rc;
    if (!f->kept)
        root_keep_add(r, path, f);
    *ret = f;
    return 0;
}

void rfile_close(struct rfile *f)
{
    if (f && f->users && --f->users == 0 && !f->kept) {
        close(f->fd);
        f->fd = -1;
    }
}

long rfile_pread(struct rfile *f, void *dst, size_t n, uint64_t off)
{
    if (f->held < f->st.size && off < f->st.size && n > 0) { /* shortened in a capture: what is not there is not known */
        if (off >= f->held)
            return -ENODATA;
        if (n > f->held - off)
            n = (size_t)(f->held - off);
    }
    if (off > INT64_MAX)
        return 0;
    for (;;) {
        ssize_t got = pread(f->fd, dst, n, (off_t)off);
        if (got >= 0)
            return got;
        if (errno != EINTR)
            return -errno;
    }
}

const struct root_stat *rfile_stat(const struct rfile *f)
{
    return &f->st;
}

static long src_read(void *ctx, uint64_t off, void *dst, size_t n)
{
    return rfile_pread(ctx, dst, n, off);
}

struct bytesrc rfile_src(struct rfile *f)
{
    return (struct bytesrc){.size = f->st.size, .read = src_read, .ctx = f};
}

/* Files under /proc and /sys state size 0 or 4096: they are read to their end. */
int root_read(struct root *r, const char *path, size_t max, struct arena *a, const char **ret, size_t *ret_len)
{
    struct rfile *f;
    int rc = open_file(r, path, &f, NULL);
    if (rc < 0)
        return rc;
    if (f->st.size > max) {
        rfile_close(f);
        return -EFBIG;
    }
    size_t cap = f->st.size ? (size_t)f->st.size : 4096, len = 0;
    char *p = arena_raw(a, cap + 1);
    for (;;) {
        long n = rfile_pread(f, p + len, cap - len, len);
        if (n < 0)
            rc = (int)n;
        if (n <= 0)
            break;
        len += (size_t)n;
        if (len < cap)
            continue;
        if (f->st.size && len >= f->st.size && !str_starts(path, "/sys/") && !str_starts(path, "/proc/"))
            break;
        if (len >= max) {
            rc = -EFBIG;
            break;
        }
        size_t more = cap * 2 < max ? cap * 2 : max;
        char *bigger = arena_raw(a, more + 1);
        memcpy(bigger, p, len);
        p = bigger;
        cap = more;
    }
    rfile_close(f);
    if (rc < 0)
        return rc;
    p[len] = '\0';
    *ret = p;
    *ret_len = len;
    return 0;
}
