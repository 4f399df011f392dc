/* SPDX-License-Identifier: Apache-2.0 */
/* zip, zipmember, wheel: archives that are right, and every way in which one can be wrong. */
#include <errno.h>
#include <stdlib.h>
#include <zlib.h>
#include "../tap.h"
#include "formats/wheel.h"
#include "formats/zip.h"
#include "formats/zipmember.h"

enum { MAX = 8 << 20, BIG = 3000000 };

struct out { /* an archive that is being written; the directory is kept apart until the end */
    unsigned char *p, *dir;
    size_t n, n_dir;
    unsigned entries;
};

static void put(unsigned char **p, uint64_t v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *(*p)++ = (unsigned char)(v >> (8 * i));
}

static size_t squeeze(unsigned char *dst, const void *src, size_t n)
{
    z_stream z = {0};
    deflateInit2(&z, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
    z.next_in = (unsigned char *)(uintptr_t)src;
    z.avail_in = (uInt)n;
    z.next_out = dst;
    z.avail_out = MAX;
    deflate(&z, Z_FINISH);
    size_t got = z.total_out;
    deflateEnd(&z);
    return got;
}

static void add(struct out *o, const char *name, const void *data, size_t n, unsigned method)
{
    size_t len = strlen(name), at = o->n;
    unsigned char *p = o->p + at, *d = o->dir + o->n_dir, *body = p + 30 + len;
    size_t packed = method == ZIP_DEFLATE ? squeeze(body, data, n) : n;
    if (method != ZIP_DEFLATE && n)
        memcpy(body, data, n);
    uint32_t crc = (uint32_t)crc32(0, data, (uInt)n);
    put(&p, 0x04034b50, 4), put(&p, 20, 2), put(&p, 0, 2), put(&p, method, 2), put(&p, 0, 4), put(&p, crc, 4), put(&p, packed, 4), put(&p, n, 4);
    put(&p, len, 2), put(&p, 0, 2);
    memcpy(p, name, len);
    put(&d, 0x02014b50, 4), put(&d, 20, 2), put(&d, 20, 2), put(&d, 0, 2), put(&d, method, 2), put(&d, 0, 4), put(&d, crc, 4), put(&d, packed, 4);
    put(&d, n, 4), put(&d, len, 2), put(&d, 0, 2), put(&d, 0, 2), put(&d, 0, 2), put(&d, 0, 2), put(&d, 0, 4), put(&d, at, 4);
    memcpy(d, name, len);
    o->n += 30 + len + packed;
    o->n_dir += 46 + len;
    o->entries++;
}

static size_t finish(struct out *o)
{
    unsigned char *p = o->p + o->n;
    memcpy(p, o->dir, o->n_dir);
    p += o->n_dir;
    put(&p, 0x06054b50, 4), put(&p, 0, 4), put(&p, o->entries, 2), put(&p, o->entries, 2), put(&p, o->n_dir, 4), put(&p, o->n, 4), put(&p, 0, 2);
    return (size_t)(p - o->p);
}

static struct out start(void)
{
    return (struct out){.p = calloc(1, 2 * MAX), .dir = calloc(1, 1 << 16)};
}

static void done(struct out *o)
{
    free(o->p);
    free(o->dir);
}

static int read_it(const unsigned char *p, size_t n, struct arena *a, struct zip *z, struct err *e)
{
    struct memsrc *m = ARENA_NEW(a, struct memsrc);
    *m = (struct memsrc){p, n};
    struct bytesrc s = bytesrc_mem(m);
    return zip_read(&s, a, z, e);
}

static unsigned char *noise(void)
{
    unsigned char *b = malloc(BIG);
    uint32_t x = 1;
    for (size_t i = 0; i < BIG; i++) {
        x = x * 1664525u + 1013904223u;
        b[i] = i % 7 < 3 ? (unsigned char)(x >> 24) : (unsigned char)(i / 1000);
    }
    return b;
}

static void members(struct arena *a)
{
    struct out o = start();
    unsigned char *big = noise();
    static unsigned char got[BIG];
    struct zip z;
    struct err e = {0};
    add(&o, "b.txt", "hello", 5, ZIP_STORED);
    add(&o, "dir/", "", 0, ZIP_STORED);
    add(&o, "dir/big", big, BIG, ZIP_DEFLATE);
    add(&o, "a.txt", "", 0, ZIP_DEFLATE);
    struct memsrc m = {o.p, finish(&o)};
    struct bytesrc s = bytesrc_mem(&m);
    ok(zip_read(&s, a, &z, &e) == 0 && z.n == 3 && strcmp(z.entries[0].name, "a.txt") == 0, "members by name, without folders: %s", e.msg);
    ok(!zip_find(&z, "dir") && zip_find(&z, "dir/big") && !zip_find(&z, "dir/big2"), "found by name");
    struct zipmember *k;
    ok(zipmember_open(&s, zip_find(&z, "dir/big"), &k, &e) == 0, "a member of several blocks opens: %s", e.msg);
    struct bytesrc q = zipmember_src(k);
    unsigned wrong = 0;
    for (uint64_t i = 0, off = BIG - 70000; i < 300; i++, off = (off * 7919 + 13) % (BIG - 70000)) {
        size_t n = (size_t)(i * 3571 % 70000) + 1;
        wrong += bytesrc_read_exact(&q, off, got, n) != 0 || memcmp(got, big + off, n) != 0;
        if (i % 50 == 49)
            zipmember_trim(k);
    }
    ok(!wrong, "reads all over it give its bytes");
    ok(bytesrc_read_exact(&q, 0, got, BIG) == 0 && memcmp(got, big, BIG) == 0, "and so does one of all of it");
    ok(bytesrc_read_exact(&q, BIG - 3, got, 4) == -EBADMSG && q.read(q.ctx, BIG, got, 4) == 0 && !zipmember_damage(k), "behind its end there is nothing");
    zipmember_close(k);
    ok(zipmember_open(&s, zip_find(&z, "a.txt"), &k, &e) == 0 && zipmember_src(k).size == 0, "an empty member");
    q = zipmember_src(k);
    ok(q.read(q.ctx, 0, got, 4) == 0, "has no bytes");
    zipmember_close(k);
    ok(zipmember_open(&s, zip_find(&z, "b.txt"), &k, &e) == 0, "a stored member");
    q = zipmember_src(k);
    ok(bytesrc_read_exact(&q, 1, got, 4) == 0 && memcmp(got, "ello", 4) == 0, "gives its bytes");
    zipmember_close(k);
    free(big);
    done(&o);
}

/* One member of 3 MB; a change; what reading it through gives. */
static void damaged_member(struct arena *a, const char *name, size_t at_dir, uint32_t value, size_t flip, const char *want)
{
    struct out o = start();
    unsigned char *big = noise();
    static unsigned char got[BIG + 10];
    struct zip z;
    struct err e = {0};
    struct zipmember *k = NULL;
    add(&o, "x", big, BIG, ZIP_DEFLATE);
    unsigned char *d = o.dir + at_dir;
    if (at_dir)
        put(&d, value, 4);
    size_t n = finish(&o);
    if (flip)
        o.p[flip] ^= 0xff;
    struct memsrc m = {o.p, n};
    struct bytesrc s = bytesrc_mem(&m);
    int rc = zip_read(&s, a, &z, &e);
    if (rc == 0)
        rc = zipmember_open(&s, &z.entries[0], &k, &e);
    struct bytesrc q = k ? zipmember_src(k) : (struct bytesrc){0};
    if (rc == 0)
        rc = bytesrc_read_exact(&q, 0, got, (size_t)q.size);
    const char *why = k && zipmember_damage(k) ? zipmember_damage(k) : e.msg;
    ok(rc == -EBADMSG && strstr(why, want), "%s: %s", name, why);
    if (k && rc) /* once found, it stays so */
        ok(q.read(q.ctx, 0, got, 1) == -EBADMSG, "%s: cannot be read any more", name);
    zipmember_close(k);
    free(big);
    done(&o);
}

static void damaged_members(struct arena *a)
{
    struct out o = start();
    add(&o, "x", "y", 1, ZIP_STORED);
    damaged_member(a, "another check sum", 16, 0x12345678, 0, "check sum");
    damaged_member(a, "longer than stated", 24, BIG - 100, 0, "does not end where it should");
    damaged_member(a, "shorter than stated", 24, BIG + 5, 0, "shorter");
    damaged_member(a, "a changed byte", 0, 0, 500000, "");
    damaged_member(a, "less packed data than there is", 20, 400000, 0, "ends too early");
    damaged_member(a, "more packed data than can be", 20, 0x7fffffff, 0, "overlaps");
    damaged_member(a, "a size that deflate cannot reach", 24, 0xfffffff0, 0, "sizes");
    damaged_member(a, "a header elsewhere", 42, 7, 0, "");
    done(&o);
}

static void bad_archives(struct arena *a)
{
    static const char *const names[] = {"../x", "/x", "a/../b", "a//b", "a\\b", "a\nb", "a/./b", "..", "."};
    struct zip z;
    struct err e = {0};
    ok(read_it((const unsigned char *)"", 0, a, &z, &e) == -ENOEXEC, "nothing is no archive: %s", e.msg);
    ok(read_it((const unsigned char *)"plain text, long enough for an end record", 41, a, &z, &e) == -ENOEXEC, "text is none");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct out o = start();
        add(&o, names[i], "x", 1, ZIP_STORED);
        size_t n = finish(&o);
        ok(read_it(o.p, n, a, &z, &e) == -EBADMSG && strstr(e.msg, "leads elsewhere"), "name %zu is refused", i);
        done(&o);
    }
    struct out o = start();
    add(&o, "a", "x", 1, ZIP_STORED);
    add(&o, "a", "y", 1, ZIP_STORED);
    size_t n = finish(&o), whole = n;
    ok(read_it(o.p, n, a, &z, &e) == -EBADMSG && strstr(e.msg, "one name"), "two members of one name: %s", e.msg);
    o.p[o.n + 46] = 'b';
    ok(read_it(o.p, n, a, &z, &e) == 0, "the same with two names");
    struct memsrc m = {o.p, n};
    struct bytesrc s = bytesrc_mem(&m);
    uint64_t off;
    ok(zip_data(&s, zip_find(&z, "b"), &off, &e) == -EBADMSG, "a local header of another name: %s", e.msg);
    o.p[o.n + 47 + 42] = 0; /* header of the second one */
    ok(read_it(o.p, n, a, &z, &e) == -EBADMSG && strstr(e.msg, "overlaps"), "two members in one place: %s", e.msg);
    struct out t = start();
    for (unsigned i = 0; i < 17; i++) { /* each says 4 GB of 4 MB: what deflate can reach */
        char name[8];
        snprintf(name, sizeof name, "m%u", i);
        unsigned char *at = t.dir + t.n_dir;
        add(&t, name, "", 0, ZIP_DEFLATE);
        unsigned char *packed = at + 20, *size = at + 24;
        put(&packed, 0x400000, 4), put(&size, 0xfffffffe, 4);
    }
    n = finish(&t);
    ok(read_it(t.p, n, a, &z, &e) == -E2BIG, "members that unpack to 68 GB: %s", e.msg);
    done(&t);
    unsigned bad = 0;
    for (n = 0; n < whole; n++) {
        int rc = read_it(o.p, n, a, &z, &e);
        bad += rc != -EBADMSG && rc != -ENOEXEC;
    }
    ok(!bad, "cut at every byte: refused each time");
    done(&o);
}

static void wheels(struct arena *a)
{
    struct out o = start();
    struct wheel w;
    struct err e = {0};
    struct open_file f, g;
    const char *text;
    size_t n;
    add(&o, "x-1.data/purelib/x/lib.so", "so", 2, ZIP_STORED);
    add(&o, "x-1.data/scripts/run", "#!", 2, ZIP_STORED);
    add(&o, "x/", "", 0, ZIP_STORED);
    add(&o, "a/", "", 0, ZIP_STORED);
    add(&o, "x/__init__.py", "pass", 4, ZIP_DEFLATE);
    add(&o, "x-1.dist-info/METADATA", "Name: x\n", 8, ZIP_DEFLATE);
    struct memsrc m = {o.p, finish(&o)};
    struct bytesrc s = bytesrc_mem(&m);
    ok(wheel_open(&s, a, &w, &e) == 0 && w.n == 3 && strcmp(w.info, "x-1.dist-info") == 0, "a wheel: %s", e.msg);
    ok(zip_has_folder(&w.zip, "x/") && zip_has_folder(&w.zip, "a/") && !zip_has_folder(&w.zip, "x-1.data/") && !zip_has_folder(&w.zip, "x"), "folders that are members");
    ok(files_read(&w.files, "x/lib.so", 10, a, &text, &n, &e) == 0 && n == 2 && memcmp(text, "so", 2) == 0, "a file of NAME.data/purelib by its installed path");
    ok(files_read(&w.files, "x/none", 10, a, &text, &n, &e) == -ENOENT, "one that is not in it: %s", e.msg);
    ok(files_read(&w.files, "x-1.dist-info/METADATA", 7, a, &text, &n, &e) == -EFBIG, "one that is too large");
    ok(files_open(&w.files, "x/lib.so", &f, &e) == 0 && files_open(&w.files, "x/__init__.py", &g, &e) == 0, "two at a time");
    struct open_file h;
    ok(files_open(&w.files, "x-1.dist-info/METADATA", &h, &e) == -EMFILE, "a third one is refused");
    file_close(&f);
    ok(files_open(&w.files, "x-1.dist-info/METADATA", &h, &e) == 0, "until one is closed");
    file_close(&g);
    file_close(&h);
    file_close(&h);
    wheel_close(&w);
    add(&o, "y-1.dist-info/METADATA", "Name: y\n", 8, ZIP_DEFLATE);
    m.len = finish(&o);
    s = bytesrc_mem(&m);
    ok(wheel_open(&s, a, &w, &e) == -ENOEXEC, "two distributions are no wheel: %s", e.msg);
    done(&o);
}

int main(void)
{
    struct arena a;
    arena_init(&a, 0);
    members(&a);
    damaged_members(&a);
    bad_archives(&a);
    wheels(&a);
    arena_done(&a);
    return tap_done();
}
