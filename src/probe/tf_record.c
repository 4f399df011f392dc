/* SPDX-License-Identifier: Apache-2.0 */
/* tf_record - what a distribution's RECORD says of the files that matter. */
#include "probe/tf_record.h"
#include <errno.h>
#include <string.h>
#include "formats/record.h"

static const char package[] = "tensorflow/", headers[] = "tensorflow/include/";
enum { PACKAGE_LEN = sizeof package - 1 };

/* Where the path of a line ends, for a path without quotes whose hash is SHA-256; else 0. Most of the 20,000 lines are
 * headers and are passed over by this and one character. */
static size_t path_end(struct str l)
{
    const size_t hash = RECORD_SHA256_TEXT + sizeof "sha256=" - 1;
    size_t i = l.n;
    if (i < hash + 2)
        return 0;
    while (i > hash + 1 && l.p[i - 1] != ',') /* a size that is no number is refused when the line is parsed */
        i--;
    if (i < hash + 2 || l.p[i - 2 - hash] != ',')
        return 0;
    return i - 2 - hash;
}

static bool is_shared_object(const char *s, size_t n)
{
    while (n > 2 && ((s[n - 1] >= '0' && s[n - 1] <= '9') || s[n - 1] == '.'))
        n--;
    return n > 3 && !memcmp(s + n - 3, ".so", 3);
}

/* Python files of the first steps of the import: directly in tensorflow/, tensorflow/python/ and its platform/. */
static bool is_early_python(const char *s, size_t n)
{
    static const char deepest[] = "tensorflow/python/platform/";
    static const unsigned char depths[] = {sizeof "tensorflow/" - 1, sizeof "tensorflow/python/" - 1, sizeof deepest - 1};
    const char *slash = memrchr(s, '/', n);
    size_t dir = slash ? (size_t)(slash - s) + 1 : 0;
    for (size_t i = 0; i < TG_COUNT(depths); i++)
        if (dir == depths[i])
            return !memcmp(s, deepest, dir) && n > 3 && !memcmp(s + n - 3, ".py", 3);
    return false;
}

static bool is_early_or_object(struct str s)
{
    return s.n > PACKAGE_LEN && !memcmp(s.p, package, PACKAGE_LEN) && (is_shared_object(s.p, s.n) || is_early_python(s.p, s.n));
}

static bool wanted(struct str l, enum record_part part, uint32_t *n_python)
{
    size_t n = path_end(l);
    if (!n)
        return l.n && (l.p[0] == '"' || memmem(l.p, l.n, ".so", 3)); /* unusual line: look closer */
    char last = l.p[n - 1];
    if (part == RECORD_LIBRARIES)
        return (last == 'o' || (last >= '0' && last <= '9')) && is_shared_object(l.p, n);
    if (n <= PACKAGE_LEN || (last != 'o' && last != 'y' && !(last >= '0' && last <= '9')) || memcmp(l.p, package, PACKAGE_LEN))
        return false;
    if (last != 'y')
        return is_shared_object(l.p, n);
    *n_python += !memcmp(l.p + n - 3, ".py", 3);
    return is_early_python(l.p, n);
}

static void keep(struct probe *p, struct tf_record *r, enum record_part part, const struct record_entry *en)
{
    struct str s = en->path;
    if (part == RECORD_LIBRARIES ? !is_shared_object(s.p, s.n) : !is_early_or_object(s))
        return;
    struct tf_file *f = ARENA_PUSH(p->a, r->files, r->n_files);
    *f = (struct tf_file){.path = arena_strndup(p->a, s.p, s.n), .has_size = en->has_size, .size = en->size};
    if (en->hash.n == RECORD_SHA256_TEXT && en->hash_name.n == 6 && !memcmp(en->hash_name.p, "sha256", 6))
        f->sha256 = arena_strndup(p->a, en->hash.p, en->hash.n);
    r->lists_package |= str_eq(f->path, "tensorflow/__init__.py");
}

/* Nine tenths of TensorFlow's RECORD are headers: they are passed over as a block. */
static int read_entries(struct probe *p, struct record *rec, enum record_part part, bool skip, struct tf_record *ret)
{
    struct str line;
    struct record_entry en;
    int rc;
    while ((rc = record_line(rec, &line)) > 0) {
        if (skip && line.n >= sizeof headers - 1 && line.p[PACKAGE_LEN] == headers[PACKAGE_LEN] && !memcmp(line.p, headers, sizeof headers - 1)) {
            skip = false;
            (void)record_skip(rec, headers); /* not sorted: the lines are read one by one */
        } else if (wanted(line, part, &ret->n_python) && record_parse(line, &en)) {
            keep(p, ret, part, &en);
        }
    }
    return rc;
}

void tf_record_read(struct probe *p, const char *info, enum record_part part, struct tf_record *ret)
{
    struct rfile *file;
    *ret = (struct tf_record){.path = path_join(p->a, info, "RECORD")};
    int rc = root_open(p->root, ret->path, &file, NULL);
    if (rc < 0) {
        ret->state = rc == -ENOENT ? FACT_ABSENT : rc == -EACCES ? FACT_DENIED : FACT_UNKNOWN;
        return;
    }
    ret->mtime_ns = rfile_stat(file)->mtime_ns;
    struct bytesrc src = rfile_src(file);
    struct arena scratch;
    arena_init(&scratch, 0);
    char *window = arena_raw(&scratch, RECORD_WINDOW);
    struct record rec;
    record_init(&rec, &src, window);
    rc = read_entries(p, &rec, part, part == RECORD_TENSORFLOW, ret);
    if (rc == 0 && part == RECORD_TENSORFLOW && !tf_record_find(ret, "libtensorflow_framework.so.2")) {
        ret->n_files = ret->n_python = 0; /* the block may have hidden it: once more, line by line */
        record_init(&rec, &src, window);
        rc = read_entries(p, &rec, part, false, ret);
    }
    ret->state = rc < 0 ? FACT_MALFORMED : FACT_PRESENT;
    arena_done(&scratch);
    rfile_close(file);
}

const struct tf_record *tf_record_libraries(struct probe *p, const struct fact_package *k)
{
    if (!p->lib_records)
        p->lib_records = arena_array(p->a, p->f->n_packages, sizeof(struct tf_record *));
    struct tf_record **r = &p->lib_records[k - p->f->packages];
    if (!*r) {
        *r = ARENA_NEW(p->a, struct tf_record);
        tf_record_read(p, k->info, RECORD_LIBRARIES, *r);
    }
    return *r;
}

const struct tf_file *tf_record_find(const struct tf_record *r, const char *path)
{
    for (size_t i = 0; r && i < r->n_files; i++)
        if (str_eq(r->files[i].path + PACKAGE_LEN, path))
            return &r->files[i];
    return NULL;
}
