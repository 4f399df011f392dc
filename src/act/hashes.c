/* SPDX-License-Identifier: Apache-2.0 */
/* hashes - uv pip compile --generate-hashes, or pip install --dry-run --report. */
#include "act/hashes.h"
#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/child.h"
#include "base/i18n.h"
#include "base/util.h"
#include "base/whole.h"
#include "formats/metadata.h"

enum { DEADLINE_MS = 15 * 60 * 1000, OUTPUT_MAX = 32 << 20 };
#define HASH "--hash=sha256:"

static struct lock_package *find(struct hashes_ask *ask, const char *name)
{
    for (size_t i = 0; i < ask->n; i++)
        if (str_eq(ask->packages[i].name, name))
            return &ask->packages[i];
    return NULL;
}

static void add(struct arena *a, struct lock_package *k, const char *hex, size_t n)
{
    const char *sum = arena_strndup(a, hex, n);
    bool good = k && lock_is_sha256(sum) && k->n_sha256 < LOCK_MAX_HASHES;
    for (size_t i = 0; good && i < k->n_sha256; i++)
        good = !str_eq(k->sha256[i], sum);
    if (good)
        *ARENA_PUSH(a, k->sha256, k->n_sha256) = sum;
}

/* Lines "name==version \" and below them "    --hash=sha256:... \". */
static void read_uv(struct arena *a, struct hashes_ask *ask, const struct child_result *r)
{
    struct lock_package *k = NULL;
    struct str line;
    for (size_t pos = 0; str_line(r->output, r->n_output, &pos, &line); ) {
        const char *eq = memmem(line.p, line.n, "==", 2), *sum = memmem(line.p, line.n, HASH, strlen(HASH));
        if (eq && line.p[0] != ' ')
            k = find(ask, metadata_normal_name(a, line.p, (size_t)(eq - line.p)));
        if (sum && sum + strlen(HASH) + 64 <= line.p + line.n)
            add(a, k, sum + strlen(HASH), 64);
    }
}

/* The report, which begins at a line of its own, in whatever else was printed. */
static void read_pip(struct arena *a, struct hashes_ask *ask, const struct child_result *r)
{
    struct str line = {0};
    size_t pos = 0, i;
    const json_t *one;
    while (str_line(r->output, r->n_output, &pos, &line) && !(line.n && line.p[0] == '{'))
        ;
    json_t *doc = line.n ? json_loadb(line.p, (size_t)(r->output + r->n_output - line.p), JSON_DISABLE_EOF_CHECK, NULL) : NULL;
    json_array_foreach(json_object_get(doc, "install"), i, one) {
        const char *name = json_string_value(json_object_get(json_object_get(one, "metadata"), "name"));
        const json_t *archive = json_object_get(json_object_get(one, "download_info"), "archive_info");
        const char *sum = json_string_value(json_object_get(json_object_get(archive, "hashes"), "sha256"));
        if (name && sum)
            add(a, find(ask, metadata_normal_name(a, name, strlen(name))), sum, strlen(sum));
    }
    json_decref(doc);
}

/* The last line that is not empty: where engines say what is wrong. */
static struct str last_line(const struct child_result *r)
{
    struct str line, last = {"", 0};
    for (size_t pos = 0; str_line(r->output, r->n_output, &pos, &line); )
        if (str_trim(line).n)
            last = str_trim(line);
    return last;
}

static char **with_our_own(struct arena *a)
{
    size_t n = 0, k = 0;
    while (environ[n])
        n++;
    char **env = arena_array(a, n + 2, sizeof *env);
    for (size_t i = 0; i < n; i++)
        if (!str_starts(environ[i], "PYTHONNOUSERSITE="))
            env[k++] = environ[i];
    env[k] = arena_strdup(a, "PYTHONNOUSERSITE=1"); /* as with the steps of a plan */
    return env;
}

static int run(struct arena *a, struct hashes_ask *ask, const char **argv, struct err *e)
{
    struct child_result r;
    const struct child_spec spec = {.exe = argv[0], .argv = argv, .envp = (const char *const *)with_our_own(a), .deadline_ms = DEADLINE_MS, .max_output = OUTPUT_MAX};
    int rc = child_run(a, &spec, &r, e);
    if (rc < 0)
        return rc;
    struct str last = last_line(&r);
    if (r.end != CHILD_EXITED || r.code != 0)
        return err_set(e, -EIO, _("%s could not tell the checksums of the packages: %.*s"), path_base(argv[0]), (int)(last.n < 200 ? last.n : 200), last.p);
    if (ask->uv)
        read_uv(a, ask, &r);
    else
        read_pip(a, ask, &r);
    for (size_t i = 0; i < ask->n; i++)
        if (ask->packages[i].n_sha256 == 0)
            return err_set(e, -EIO, _("%s told no checksum of %s %s"), path_base(argv[0]), ask->packages[i].name, ask->packages[i].version);
    return 0;
}

/* uv reads requirements from a file only; this one has no name that anybody else could take. */
static int by_uv(struct arena *a, struct hashes_ask *ask, struct err *e)
{
    struct buf in;
    int fd = memfd_create("requirements", MFD_CLOEXEC);
    if (fd < 0)
        return err_set(e, -errno, "memfd_create: %s", strerror(errno));
    buf_init(&in, 0);
    for (size_t i = 0; i < ask->n; i++)
        buf_addf(&in, "%s==%s\n", ask->packages[i].name, ask->packages[i].version);
    int rc = whole_write(fd, in.p, in.len);
    buf_done(&in);
    const char *file = arena_printf(a, "/proc/%d/fd/%d", (int)getpid(), fd);
    const char *argv[] = {ask->uv, "pip", "compile", "--quiet", "--generate-hashes", "--no-deps", "--no-header", "--no-annotate", "--only-binary", ":all:", "--python",
                          ask->python, file, NULL};
    rc = rc < 0 ? err_set(e, rc, "%s", strerror(-rc)) : run(a, ask, argv, e);
    (void)close(fd);
    return rc;
}

static int by_pip(struct arena *a, struct hashes_ask *ask, struct err *e)
{
    static const char *const words[] = {"-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--quiet", "--dry-run", "--ignore-installed", "--no-deps",
                                        "--only-binary", ":all:", "--report", "-"};
    const char **argv = arena_array(a, 2 + TG_COUNT(words) + ask->n, sizeof *argv);
    size_t n = 0;
    argv[n++] = ask->python;
    for (size_t i = 0; i < TG_COUNT(words); i++)
        argv[n++] = words[i];
    for (size_t i = 0; i < ask->n; i++)
        argv[n++] = arena_printf(a, "%s==%s", ask->packages[i].name, ask->packages[i].version);
    return run(a, ask, argv, e);
}

int hashes_get(struct arena *a, struct hashes_ask *ask, struct err *e)
{
    return ask->uv ? by_uv(a, ask, e) : by_pip(a, ask, e);
}
