/* SPDX-License-Identifier: Apache-2.0 */
/* The three layouts of ld.so.cache, its order, and which of several entries the loader takes. */
#include <errno.h>
#include <stdlib.h>
#include "formats/ldcache.h"
#include "tap.h"

struct row { const char *soname, *path; int32_t flags; uint64_t hwcap; };
enum { X64 = 0x303 };
#define NAMED(i) (UINT64_C(1) << 62 | (i))

static unsigned char image[8192];

static void put32(size_t at, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        image[at + (size_t)i] = (unsigned char)(v >> 8 * i);
}

static size_t text(size_t *end, const char *s)
{
    size_t at = *end;
    memcpy(image + at, s, strlen(s) + 1);
    *end += strlen(s) + 1;
    return at;
}

/* The new table at `base`, rows in the order given; returns the image's length. */
static size_t new_table(size_t base, const struct row *r, uint32_t n)
{
    size_t end = base + 48 + 24 * n;
    memcpy(image + base, "glibc-ld.so.cache1.1", 20);
    put32(base + 20, n);
    image[base + 28] = 2;
    for (uint32_t i = 0; i < n; i++) {
        size_t e = base + 48 + 24 * i;
        put32(e, (uint32_t)r[i].flags);
        put32(e + 4, (uint32_t)(text(&end, r[i].soname) - base));
        put32(e + 8, (uint32_t)(text(&end, r[i].path) - base));
        put32(e + 16, (uint32_t)r[i].hwcap);
        put32(e + 20, (uint32_t)(r[i].hwcap >> 32));
    }
    uint32_t v2 = (uint32_t)(text(&end, "x86-64-v2") - base), v3 = (uint32_t)(text(&end, "x86-64-v3") - base);
    end = (end + 7) & ~(size_t)7;
    put32(base + 32, (uint32_t)(end - base));
    put32(end, 0xEAA42174u);
    put32(end + 4, 1);
    put32(end + 8, 1);
    put32(end + 16, (uint32_t)(end - base + 24));
    put32(end + 20, 8);
    put32(end + 24, v2);
    put32(end + 28, v3);
    return end + 32;
}

static const struct row rows[] = {
    {"libx.so.10", "/a/libx.so.10", X64, 0},
    {"libx.so.9", "/v2/libx.so.9", X64, NAMED(0)},
    {"libx.so.9", "/v3/libx.so.9", X64, NAMED(1)},
    {"libx.so.9", "/legacy/libx.so.9", X64, 4},
    {"libx.so.9", "/a/libx.so.9", X64, 0},
    {"libx.so.9", "/b/libx.so.9", X64, 0},
    {"libonly32.so.1", "/i386/libonly32.so.1", 3, 0},
    {"libb.so.1", "/b/libb.so.1", X64, 0},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

/* `levels`: a compat file as ldconfig writes it has levels that no loader recognises. */
static void chooses(const struct ldcache *c, bool levels)
{
    struct ldcache_cpu cpu = {.level = 1, .named_hwcaps = true};
    ok_str(ldcache_lookup(c, "libx.so.9", &cpu), "/a/libx.so.9", "level 1: the first plain entry");
    cpu.level = 2;
    ok_str(ldcache_lookup(c, "libx.so.9", &cpu), levels ? "/v2/libx.so.9" : "/a/libx.so.9", "level 2: its entry");
    cpu.level = 4;
    ok_str(ldcache_lookup(c, "libx.so.9", &cpu), levels ? "/v3/libx.so.9" : "/a/libx.so.9", "level 4: the best there is");
    cpu = (struct ldcache_cpu){.level = 4, .legacy_hwcaps = true, .legacy_mask = 6};
    ok_str(ldcache_lookup(c, "libx.so.9", &cpu), "/legacy/libx.so.9", "an old loader: its own kind of entry");
    cpu.legacy_mask = 2;
    ok_str(ldcache_lookup(c, "libx.so.9", &cpu), "/a/libx.so.9", "… only when the processor has it");
    ok_str(ldcache_lookup(c, "libx.so.10", &cpu), "/a/libx.so.10", "numbers compare as numbers");
    ok_str(ldcache_lookup(c, "libb.so.1", &cpu), "/b/libb.so.1", "the last entry is found");
    ok_str(ldcache_lookup(c, "libonly32.so.1", &cpu), NULL, "32-bit entries do not count");
    ok_str(ldcache_lookup(c, "libx.so.99", &cpu), NULL, "absent");
}

static void reads_layouts(void)
{
    struct ldcache c;
    struct err e = {0};
    size_t n = new_table(0, rows, N_ROWS);
    ok(ldcache_parse(image, n, &c, &e) == 0 && c.kind == LDCACHE_NEW && c.count == N_ROWS && c.n_hwcaps == 2, "new layout");
    chooses(&c, true);
    struct ldcache_entry entry;
    ok(ldcache_entry(&c, 2, &entry) && !strcmp(entry.hwcap, "x86-64-v3") && !ldcache_entry(&c, N_ROWS, &entry), "entries by number");

    memset(image, 0, sizeof image);
    memcpy(image, "ld.so-1.7.0", 11);
    put32(12, 0);
    n = new_table(16, rows, N_ROWS);
    ok(ldcache_parse(image, n, &c, &e) == 0 && c.kind == LDCACHE_COMPAT && c.count == N_ROWS, "old header, new table behind it");
    chooses(&c, false);

    memset(image, 0, sizeof image);
    memcpy(image, "ld.so-1.7.0", 11);
    put32(12, 1);
    put32(16, X64);
    put32(20, 0);
    put32(24, 8);
    memcpy(image + 28, "libx.so\0/o/libx.so", 19);
    struct ldcache_cpu cpu = {.level = 1};
    ok(ldcache_parse(image, 47, &c, &e) == 0 && c.kind == LDCACHE_OLD, "old layout");
    ok_str(ldcache_lookup(&c, "libx.so", &cpu), "/o/libx.so", "its strings count from behind the entries");
}

static void refuses(void)
{
    struct ldcache c;
    struct err e = {0};
    size_t n = new_table(0, rows, N_ROWS);
    ok(ldcache_parse(image, 0, &c, &e) == -EBADMSG && e.msg[0], "empty");
    ok(ldcache_parse(image, 40, &c, &e) == -EBADMSG, "a cut header");
    ok(ldcache_parse(image, 100, &c, &e) == -EBADMSG, "a count that does not fit");
    image[28] = 3;
    ok(ldcache_parse(image, n, &c, &e) == -EBADMSG, "big-endian");
    image[28] = 2;
    put32(48 + 4, 0x7fffffff);
    struct ldcache_cpu cpu = {.level = 1};
    ok(ldcache_parse(image, n, &c, &e) == 0 && !ldcache_lookup(&c, "libx.so.99", &cpu), "a string behind the end ends the search");
}

int main(void)
{
    reads_layouts();
    refuses();
    ok(ldcache_compare("liba.so.9", "liba.so.10") < 0 && ldcache_compare("lib2", "libc") > 0 && ldcache_compare("lib", "lib") == 0,
       "digits sort behind letters and by value");
    return tap_done();
}
