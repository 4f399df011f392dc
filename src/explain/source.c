/* SPDX-License-Identifier: Apache-2.0 */
/* source - holds the first bytes back until they tell what the file is; then hands all on to the decoder. */
#include "explain/source.h"
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include "base/arena.h"
#include "base/i18n.h"
#include "base/util.h"
#include "explain/sniff.h"
#include "formats/ipynb.h"
#include "formats/unpack.h"

enum { HEAD = 8192, CELL_TEXT = 64 * 1024 };
/* What any archive may unpack to, however small it is: what a log of a long job may be. */
static const uint64_t free_bytes = 5ull << 30;

struct source {
    struct arena a;
    struct source_sink to;
    unsigned char head[HEAD];
    size_t n_head;
    bool known;              /* what it is */
    bool failed;
    bool is_inner;           /* it is what an archive holds */
    struct unpack *unpack;   /* of an archive */
    struct ipynb *notebook;  /* of a notebook; neither: text */
    struct ipynb_ops ops;
    uint32_t cell;           /* whose text is fed */
    char *text; size_t n_text; /* of that cell, not fed yet: its pieces may be single bytes */
    struct source *inner;    /* what comes out of the archive */
    struct err inner_err;
};

static void into_feed(void *x, const void *p, size_t n) { explain_feed(x, p, n); }
static void into_end(void *x) { explain_end(x); }
static void into_cell(void *x, uint32_t cell) { explain_cell(x, cell); }
static void into_cell_run(void *x, uint32_t cell, uint32_t run) { explain_cell_run(x, cell, run); }

struct source_sink source_into(struct explain *x)
{
    return (struct source_sink){x, into_feed, into_end, into_cell, into_cell_run};
}

struct source *source_new(const struct source_sink *sink)
{
    struct arena a;
    arena_init(&a, 0);
    struct source *s = ARENA_NEW(&a, struct source);
    s->to = *sink;
    s->a = a;
    return s;
}

void source_free(struct source *s)
{
    if (!s)
        return;
    unpack_free(s->unpack);
    ipynb_free(s->notebook);
    source_free(s->inner);
    struct arena a = s->a; /* it holds *s */
    arena_done(&a);
}

static int refuse(const struct source *s, enum sniffed kind, struct err *e)
{
    static const char *const programs[] = {[SNIFF_GZIP] = "gzip -dc", [SNIFF_ZSTD] = "zstd -dc", [SNIFF_XZ] = "xz -dc", [SNIFF_BZIP2] = "bzip2 -dc",
                                           [SNIFF_ZIP] = "unzip -p", [SNIFF_TAR] = "tar -xOf"};
    if (kind == SNIFF_BINARY)
        return err_set(e, -EMEDIUMTYPE, s->is_inner ? _("an archive of what is not a log: binary data") : _("not a log: binary data"));
    if (kind == SNIFF_TAR)
        return err_set(e, -EMEDIUMTYPE, _("an archive of files; take the log out of it: tar -xOf FILE NAME | tfgpu explain"));
    if (s->is_inner)
        return err_set(e, -EMEDIUMTYPE, _("packed twice; unpack it once: tfgpu explain takes what comes out"));
    return err_set(e, -EMEDIUMTYPE, _("packed; unpack it on the way: %s FILE | tfgpu explain"), programs[kind]);
}

static int from_archive(void *ctx, const void *p, size_t n)
{
    struct source *s = ctx;
    return source_feed(s->inner, p, n, &s->inner_err);
}

static void flush(struct source *s)
{
    if (s->n_text)
        s->to.feed(s->to.ctx, s->text, s->n_text);
    s->n_text = 0;
}

static void cell_text(void *ctx, uint32_t cell, const char *p, size_t n)
{
    struct source *s = ctx;
    if (s->cell != cell)
        s->to.cell(s->to.ctx, cell);
    s->cell = cell;
    while (n) {
        size_t room = CELL_TEXT - s->n_text, take = n < room ? n : room;
        memcpy(s->text + s->n_text, p, take);
        s->n_text += take;
        p += take;
        n -= take;
        if (s->n_text == CELL_TEXT)
            flush(s);
    }
}

static void cell_end(void *ctx, uint32_t cell, uint32_t run)
{
    struct source *s = ctx;
    flush(s);
    s->to.end(s->to.ctx);
    s->to.cell_run(s->to.ctx, cell, run);
}

static int feed_known(struct source *s, const void *p, size_t n, struct err *e)
{
    if (s->notebook)
        return ipynb_feed(s->notebook, p, n, e);
    if (!s->unpack) {
        s->to.feed(s->to.ctx, p, n);
        return 0;
    }
    int r = unpack_feed(s->unpack, p, n, e);
    if (r < 0 && s->inner->failed)
        *e = s->inner_err;
    return r;
}

/* Decide what it is by the bytes that were held back, and feed them. */
static int decide(struct source *s, struct err *e)
{
    enum sniffed kind = sniff(s->head, s->n_head);
    bool packed = kind == SNIFF_GZIP || kind == SNIFF_ZSTD;
    s->known = true;
    if (kind > SNIFF_ZSTD || (packed && s->is_inner))
        return refuse(s, kind, e);
    if (packed) {
        if (unpack_new(kind == SNIFF_GZIP ? UNPACK_GZIP : UNPACK_ZSTD, free_bytes, from_archive, s, &s->unpack) < 0)
            return err_set(e, -ENOMEM, _("out of memory"));
        s->inner = source_new(&s->to);
        s->inner->is_inner = true;
    } else if (kind == SNIFF_TEXT && ipynb_looks_so((const char *)s->head, s->n_head)) {
        s->ops = (struct ipynb_ops){cell_text, cell_end, s};
        s->text = arena_raw(&s->a, CELL_TEXT);
        if (!(s->notebook = ipynb_new(&s->ops)))
            return err_set(e, -ENOMEM, _("out of memory"));
    } else if (kind != SNIFF_TEXT) {
        s->to.feed(s->to.ctx, kind == SNIFF_UTF16LE ? "\xff\xfe" : "\xfe\xff", 2); /* the mark that it lacks */
    }
    return feed_known(s, s->head, s->n_head, e);
}

int source_feed(struct source *s, const void *data, size_t n, struct err *e)
{
    const unsigned char *p = data;
    int r = 0;
    if (!s->known) {
        size_t take = n < HEAD - s->n_head ? n : HEAD - s->n_head;
        memcpy(s->head + s->n_head, p, take);
        s->n_head += take;
        p += take;
        n -= take;
        if (s->n_head == HEAD)
            r = decide(s, e);
    }
    if (r == 0 && n)
        r = feed_known(s, p, n, e);
    s->failed |= r < 0;
    return r;
}

int source_end(struct source *s, struct err *e)
{
    struct err late = {0};
    int r = 0;
    if (!s->known && !s->failed)
        r = decide(s, e);
    if (s->unpack && r == 0 && !s->failed)
        r = unpack_end(s->unpack, e);
    if (s->notebook) {
        int cut = ipynb_end(s->notebook, s->failed ? &late : e);
        r = s->failed ? r : cut;
    }
    if (s->inner) { /* what came out of a cut archive may be so little that it is judged here */
        int inner = source_end(s->inner, &late);
        if (inner < 0 && (r == 0 || inner == -EMEDIUMTYPE)) {
            *e = late;
            r = inner;
        }
    } else {
        s->to.end(s->to.ctx);
    }
    s->failed |= r < 0;
    return r;
}
