/* SPDX-License-Identifier: Apache-2.0 */
/* index_known - pages of an index as the solver's tables. */
#include "act/index_known.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "act/index_get.h"
#include "base/i18n.h"
#include "base/util.h"
#include "formats/metadata.h"
#include "formats/pep440.h"
#include "formats/pep508.h"
#include "formats/simpleindex.h"
#include "formats/wheelname.h"

enum { MINORS = 32, GLIBC_FLOOR = 17 /* as the tables: no older system is told apart */, NEW_MAX = 8, MIDDLE = 11 };
#define TENSORFLOW "tensorflow"

struct row { struct pep440 order; struct wheel_version v; uint32_t pythons; unsigned glibc; const char *metadata; bool middle; };
struct project { const char *name, *page; struct row *rows; size_t n; const char *requires; uint32_t allowed; };
struct reader {
    struct arena *a;
    const char *curl;
    const struct index_conf *conf;
    struct project *projects; size_t n;
    struct project *now;
};

/* -- pages --------------------------------------------------------------------------------------------------------------- */

static uint32_t allowed_by(const char *requires)
{
    uint32_t mask = 0;
    struct str specs = {requires, strlen(requires)};
    for (unsigned m = 0; m < MINORS; m++) {
        char first[16] = "3.", last[16];
        size_t n = 2;
        if (m > 9)
            first[n++] = (char)('0' + m / 10);
        first[n++] = (char)('0' + m % 10);
        memcpy(last, first, n);
        memcpy(first + n, ".0", 2);
        memcpy(last + n, ".99", 3);
        if (pep440_match((struct str){first, n + 2}, specs) != TRI_NO || pep440_match((struct str){last, n + 3}, specs) == TRI_YES)
            mask |= UINT32_C(1) << m;
    }
    return mask;
}

/* An address of a page, which may be relative to it. curl folds "..". */
static const char *resolve(struct arena *a, const char *page, const char *url)
{
    const char *host = strstr(page, "://");
    if (strstr(url, "://") || !host)
        return url;
    size_t n = url[0] == '/' && url[1] == '/' ? (size_t)(host - page) + 1 : (size_t)(host + 3 - page) + (url[0] == '/' ? strcspn(host + 3, "/") : strlen(host + 3));
    return arena_printf(a, "%.*s%s", (int)n, page, url);
}

static struct row *row_of(struct reader *r, struct str version)
{
    struct pep440 v;
    struct project *p = r->now;
    const char *text = arena_strndup(r->a, version.p, version.n);
    if (pep440_parse(text, version.n, &v) < 0 || pep440_is_prerelease(&v) || v.local.n)
        return NULL;
    for (size_t i = p->n; i-- > 0;)
        if (pep440_cmp(&p->rows[i].order, &v) == 0)
            return &p->rows[i];
    struct row *row = ARENA_PUSH(r->a, p->rows, p->n);
    *row = (struct row){.order = v, .v = {.version = text}, .glibc = UINT32_MAX};
    return row;
}

static void on_file(void *ctx, const struct simpleindex_file *f)
{
    struct reader *r = ctx;
    struct project *p = r->now;
    struct wheelname w;
    if (f->yanked || !wheelname_parse(f->name, &w))
        return;
    if (!str_eq(p->requires, f->requires_python)) {
        p->requires = arena_strdup(r->a, f->requires_python);
        p->allowed = allowed_by(p->requires);
    }
    uint32_t pythons = w.pythons & p->allowed;
    struct row *row = pythons ? row_of(r, w.version) : NULL;
    if (!row)
        return;
    bool middle = pythons >> MIDDLE & 1;
    row->pythons |= pythons;
    row->glibc = w.glibc_minor < row->glibc ? w.glibc_minor : row->glibc;
    if (f->has_metadata && (!row->metadata || (middle && !row->middle))) {
        row->metadata = arena_printf(r->a, "%s.metadata", resolve(r->a, p->page, f->url));
        row->middle = middle;
    }
}

static int by_version(const void *pa, const void *pb)
{
    const struct row *a = pa, *b = pb;
    return pep440_cmp(&a->order, &b->order);
}

static void finish(struct reader *r, struct project *p)
{
    if (p->n)
        qsort(p->rows, p->n, sizeof *p->rows, by_version);
    for (size_t i = 0; i < p->n; i++) {
        struct row *row = &p->rows[i];
        row->v.glibc = arena_printf(r->a, "2.%u", row->glibc > GLIBC_FLOOR ? row->glibc : GLIBC_FLOOR);
        row->v.python_min = (unsigned)__builtin_ctz(row->pythons);
        row->v.python_max = MINORS - 1 - (unsigned)__builtin_clz(row->pythons);
    }
}

static struct project *project_of(struct reader *r, const char *name)
{
    for (size_t i = 0; i < r->n; i++)
        if (str_eq(r->projects[i].name, name))
            return &r->projects[i];
    return NULL;
}

static void want(struct reader *r, const char *name)
{
    if (!project_of(r, name))
        *ARENA_PUSH(r->a, r->projects, r->n) = (struct project){.name = name};
}

/* The projects from `first` on. */
static int ask(struct reader *r, size_t first, struct err *e)
{
    size_t n = r->n - first;
    struct index_page *pages = arena_array(r->a, n ? n : 1, sizeof *pages);
    for (size_t i = 0; i < n; i++)
        pages[i].url = r->projects[first + i].page = arena_printf(r->a, "%s/%s/", r->conf->url, r->projects[first + i].name);
    int rc = n ? index_get(r->a, r->curl, r->conf, pages, n, e) : 0;
    for (size_t i = 0; i < n && rc == 0; i++) {
        struct err why = {0};
        r->now = &r->projects[first + i];
        if (pages[i].has && (rc = simpleindex_read(pages[i].text, pages[i].n, on_file, r, &why)) < 0)
            err_set(e, rc, "%s: %s", index_shown(r->a, pages[i].url), why.msg);
        finish(r, r->now);
    }
    return rc;
}

/* -- what is asked for ---------------------------------------------------------------------------------------------------- */

static void want_required(struct reader *r, const char *const *requires, bool also_new)
{
    for (size_t i = 0; requires[i]; i++) {
        struct pep508 q;
        struct err e = {0};
        if (pep508_parse(requires[i], strlen(requires[i]), r->a, &q, &e) == 0 && (wheel_dist_known(q.name) || (also_new && str_starts(q.name, "nvidia-"))))
            want(r, q.name);
    }
}

static void want_known(struct reader *r, const struct solve_want *with, size_t n_with)
{
    size_t n;
    const struct release *rel = releases_all(NULL, &n);
    want(r, TENSORFLOW);
    for (size_t i = 0; i < n; i++)
        want_required(r, rel[i].requires, false);
    for (size_t i = 0; i < n_with; i++) {
        const struct framework *f = framework_of(with[i].name);
        const struct framework_release *t = framework_releases_all(NULL, &n);
        for (size_t k = 0; f && f->parts[k]; k++)
            want(r, f->parts[k]);
        for (size_t k = 0; k < n; k++)
            if (str_eq(t[k].name, with[i].name))
                want_required(r, t[k].requires, false);
    }
}

/* -- tables ---------------------------------------------------------------------------------------------------------------- */

static const struct row *find(const struct project *p, const char *version)
{
    struct pep440 v;
    if (!p || pep440_parse(version, strlen(version), &v) < 0)
        return NULL;
    for (size_t i = 0; i < p->n; i++)
        if (pep440_cmp(&p->rows[i].order, &v) == 0)
            return &p->rows[i];
    return NULL;
}

static void fill_releases(struct reader *r, struct solve_online *ret)
{
    size_t n;
    const struct release *all = releases_all(NULL, &n);
    const struct project *p = project_of(r, TENSORFLOW);
    struct release *have = arena_array(r->a, n, sizeof *have);
    struct pep440 newest = {0};
    for (size_t i = 0; i < n; i++) {
        const struct row *row = find(p, all[i].version);
        if (!row) {
            *ARENA_PUSH(r->a, ret->gone, ret->n_gone) = all[i].version;
            continue;
        }
        struct release *to = &have[ret->known.n_releases++];
        *to = all[i];
        to->wheel = (struct wheel_span){row->v.glibc, row->v.python_min, row->v.python_max};
    }
    ret->known.releases = have;
    (void)pep440_parse(all[n - 1].version, strlen(all[n - 1].version), &newest); /* the tables' own: good */
    for (size_t i = 0; i < p->n; i++)
        if (pep440_cmp(&p->rows[i].order, &newest) > 0)
            *ARENA_PUSH(r->a, ret->unread, ret->n_unread) = p->rows[i].v.version;
}

/* Do all parts of a framework exist in this version? Their common span. */
static bool span_of(struct reader *r, const struct framework *f, const char *version, struct wheel_span *ret)
{
    uint32_t pythons = UINT32_MAX;
    *ret = (struct wheel_span){.glibc = ""};
    for (size_t i = 0; f->parts[i]; i++) {
        const struct row *row = find(project_of(r, f->parts[i]), version);
        if (!row)
            return false;
        pythons &= row->pythons;
        if (!*ret->glibc || ver_cmp(row->v.glibc, ret->glibc) > 0)
            ret->glibc = row->v.glibc;
    }
    if (!pythons)
        return false;
    ret->python_min = (unsigned)__builtin_ctz(pythons);
    ret->python_max = MINORS - 1 - (unsigned)__builtin_clz(pythons);
    return true;
}

static void fill_dists(struct reader *r, struct solve_online *ret)
{
    static const struct wheel_version none;
    struct wheel_dist *dists = arena_array(r->a, r->n, sizeof *dists);
    for (size_t i = 0; i < r->n; i++) {
        const struct project *p = &r->projects[i];
        struct wheel_version *v = p->n ? arena_array(r->a, p->n, sizeof *v) : NULL;
        for (size_t k = 0; k < p->n; k++)
            v[k] = p->rows[k].v;
        dists[i] = (struct wheel_dist){p->name, v ? v : &none, p->n};
    }
    ret->known.dists = dists;
    ret->known.n_dists = ret->n_projects = r->n;
}

/* -- frameworks newer than the tables ----------------------------------------------------------------------------------- */

static bool is_part(const struct framework *f, const char *name)
{
    for (size_t i = 0; f->parts[i]; i++)
        if (str_eq(f->parts[i], name))
            return true;
    return false;
}

/* A requirement that holds without further extras; of the framework's own extra without its mention. NULL: of another one. */
static const char *without_extra(struct arena *a, const struct framework *f, const char *part, const char *text)
{
    const char *semicolon = strchr(text, ';'), *extra = semicolon ? strstr(semicolon, "extra") : NULL;
    if (!extra)
        return text;
    const char *quote = extra + strcspn(extra, "\"'"), *end = *quote ? strchr(quote + 1, *quote) : NULL;
    if (!end || !f->extra || !str_eq(part, f->extra_of) || !str_eq(metadata_normal_name(a, quote + 1, (size_t)(end - quote - 1)), f->extra))
        return NULL;
    struct str s = str_trim((struct str){text, (size_t)(extra - text)});
    if (s.n > 3 && memcmp(s.p + s.n - 3, "and", 3) == 0)
        s = str_trim((struct str){s.p, s.n - 3});
    if (s.n && s.p[s.n - 1] == ';')
        s.n--;
    return arena_strndup(a, s.p, s.n);
}

static int add_requires(struct reader *r, const struct framework *f, const char *part, const struct index_page *page, const char ***list, size_t *n, struct err *e)
{
    struct metadata m;
    int rc = metadata_parse(page->text, page->n, r->a, &m, e);
    for (size_t i = 0; rc == 0 && i < m.n_requires_dist; i++) {
        struct pep508 q;
        struct err why = {0};
        const char *text = without_extra(r->a, f, part, m.requires_dist[i]);
        if (text && pep508_parse(text, strlen(text), r->a, &q, &why) == 0 && !is_part(f, q.name))
            *ARENA_PUSH(r->a, *list, *n) = text;
    }
    return rc;
}

/* What one release asks for. *ret NULL: the index does not say. */
static int requires_of(struct reader *r, const struct framework *f, const char *version, const char ***ret, struct err *e)
{
    struct index_page pages[8] = {0};
    const char **list = NULL;
    size_t n = 0, parts = 0;
    int rc = 0;
    for (*ret = NULL; f->parts[parts]; parts++) {
        const struct row *row = find(project_of(r, f->parts[parts]), version);
        if (parts == TG_COUNT(pages) || !row || !row->metadata)
            return 0;
        pages[parts].url = row->metadata;
    }
    if ((rc = index_get(r->a, r->curl, r->conf, pages, parts, e)) < 0)
        return rc;
    for (size_t i = 0; i < parts; i++) {
        struct err why = {0};
        if (!pages[i].has)
            return 0;
        if ((rc = add_requires(r, f, f->parts[i], &pages[i], &list, &n, &why)) < 0)
            return err_set(e, rc, "%s: %s", index_shown(r->a, pages[i].url), why.msg);
    }
    *ARENA_PUSH(r->a, list, n) = NULL;
    *ret = list;
    return 0;
}

/* Of a framework in one part the newest of each series, of others all: as the tables have them. */
static bool is_superseded(const struct project *p, const struct framework *f, size_t i)
{
    return !f->parts[1] && i + 1 < p->n && p->rows[i + 1].order.release[0] == p->rows[i].order.release[0] && p->rows[i + 1].order.release[1] == p->rows[i].order.release[1];
}

static int add_newer(struct reader *r, const struct framework *f, const char *newest, struct solve_online *ret, struct framework_release **list, size_t *n, struct err *e)
{
    const struct project *p = project_of(r, f->parts[0]);
    struct pep440 last = {0};
    (void)pep440_parse(newest, strlen(newest), &last); /* the tables' own: good */
    for (size_t i = p->n > NEW_MAX ? p->n - NEW_MAX : 0; i < p->n; i++) {
        struct framework_release t = {.name = f->name, .version = p->rows[i].v.version, .install = f->install};
        const char **requires;
        if (pep440_cmp(&p->rows[i].order, &last) <= 0 || is_superseded(p, f, i) || !span_of(r, f, t.version, &t.wheel))
            continue;
        int rc = requires_of(r, f, t.version, &requires, e);
        if (rc < 0)
            return rc;
        if (!requires)
            continue;
        t.requires = requires;
        *ARENA_PUSH(r->a, *list, *n) = t;
        *ARENA_PUSH(r->a, ret->added, ret->n_added) = arena_printf(r->a, "%s %s", t.name, t.version);
        want_required(r, requires, true);
    }
    return 0;
}

static bool is_wanted(const struct solve_want *with, size_t n_with, const char *name)
{
    for (size_t i = 0; i < n_with; i++)
        if (str_eq(with[i].name, name))
            return true;
    return false;
}

static int fill_frameworks(struct reader *r, const struct solve_want *with, size_t n_with, struct solve_online *ret, struct err *e)
{
    size_t n, n_have = 0;
    const struct framework_release *all = framework_releases_all(NULL, &n);
    struct framework_release *have = NULL;
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0; i++) {
        struct framework_release t = all[i];
        const struct framework *f = framework_of(t.name);
        bool asked = f && is_wanted(with, n_with, t.name);
        if (!asked || span_of(r, f, t.version, &t.wheel))
            *ARENA_PUSH(r->a, have, n_have) = t;
        if (asked && (i + 1 == n || !str_eq(all[i + 1].name, t.name)))
            rc = add_newer(r, f, t.version, ret, &have, &n_have, e);
    }
    ret->known.frameworks = have;
    ret->known.n_frameworks = n_have;
    return rc;
}

int index_known(struct arena *a, const char *curl, const struct index_conf *conf, const struct solve_want *with, size_t n_with, struct solve_online *ret, struct err *e)
{
    struct reader r = {.a = a, .curl = curl, .conf = conf};
    *ret = (struct solve_online){.index = index_shown(a, conf->url)};
    want_known(&r, with, n_with);
    int rc = ask(&r, 0, e);
    if (rc < 0)
        return rc;
    if (!project_of(&r, TENSORFLOW)->n)
        return err_set(e, -ENOENT, _("%s has no TensorFlow for Linux on x86-64"), index_shown(a, conf->url));
    fill_releases(&r, ret);
    if (!ret->known.n_releases)
        return err_set(e, -ENOENT, _("%s has no release of TensorFlow whose files this tfgpu has read"), index_shown(a, conf->url));
    size_t asked = r.n;
    rc = fill_frameworks(&r, with, n_with, ret, e);
    if (rc == 0)
        rc = ask(&r, asked, e);
    fill_dists(&r, ret);
    return rc;
}
