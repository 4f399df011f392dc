/* SPDX-License-Identifier: Apache-2.0 */
/* ldso_dirs - path lists of the loader: separators, tokens, hardware sub-directories. Source: glibc elf/dl-load.c
 * (fillin_rpath, _dl_dst_substitute), elf/dl-hwcaps.c, sysdeps/x86/cpu-features.c. */
#include <errno.h>
#include <string.h>
#include "base/buf.h"
#include "base/util.h"
#include "loader/ldso_internal.h"

enum { MAX_TEXT = 1 << 20 };

static bool is_word(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* Length of the token `name` at `s` (behind the dollar), braces included; 0 when it is not there. */
static size_t token_at(const char *s, const char *name)
{
    size_t curly = s[0] == '{', n = strlen(name);
    if (strncmp(s + curly, name, n) != 0)
        return 0;
    char next = s[curly + n];
    return curly ? (next == '}' ? n + 2 : 0) : (is_word(next) ? 0 : n);
}

/* Append n bytes of text with its tokens replaced; false when a token has no value here. */
static bool expand_into(struct ldso *p, const char *text, size_t n, const char *origin, struct buf *b)
{
    const struct { const char *name, *value; } tokens[] = {{"ORIGIN", origin}, {"PLATFORM", p->platform}, {"LIB", p->lib_token}};
    for (const char *s = text, *end = text + n; s < end; s++) {
        size_t len = 0;
        for (size_t i = 0; *s == '$' && i < TG_COUNT(tokens) && !len; i++) {
            len = token_at(s + 1, tokens[i].name);
            if (len && !tokens[i].value)
                return false;
            if (len)
                buf_adds(b, tokens[i].value);
        }
        if (len) {
            s += len;
            continue;
        }
        const char *next = memchr(s + 1, '$', (size_t)(end - s) - 1);
        size_t plain = (size_t)((next ? next : end) - s);
        buf_add(b, s, plain);
        s += plain - 1;
    }
    return true;
}

const char *ldso_expand(struct ldso *p, const char *text, const char *origin)
{
    struct buf b;
    if (!strchr(text, '$'))
        return text;
    buf_init(&b, MAX_TEXT);
    bool whole = expand_into(p, text, strlen(text), origin, &b) && b.len;
    const char *r = whole ? arena_strndup(p->a, b.p, b.len) : NULL;
    buf_done(&b);
    return r;
}

/* The directory with this text (n bytes), new or known. */
static struct ldso_dir *dir_of(struct ldso *p, const char *text, size_t n)
{
    for (size_t i = 0; i < p->n_dirs; i++)
        if (p->dirs[i]->len == n && memcmp(p->dirs[i]->text, text, n) == 0)
            return p->dirs[i];
    struct ldso_dir *d = ARENA_NEW(p->a, struct ldso_dir);
    d->text = arena_strndup(p->a, text, n);
    d->len = n;
    d->relative = text[0] != '/' || n == 0;
    *ARENA_PUSH(p->a, p->dirs, p->n_dirs) = d;
    return d;
}

static void list_add(struct ldso *p, struct ldso_dirs *l, struct ldso_dir *d)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->d[i] == d)
            return; /* equal texts are tried once */
    *ARENA_PUSH(p->a, l->d, l->n) = d;
}

/* One element as the loader normalises it: tokens, trailing slashes, one slash at the end. An empty one is the current
 * directory; one that a token without a value spoils is dropped. */
static void list_add_text(struct ldso *p, struct ldso_dirs *l, const char *elem, size_t n, const char *origin, struct buf *b)
{
    if (n == 0) {
        list_add(p, l, dir_of(p, "", 0));
        return;
    }
    buf_reset(b);
    if (!expand_into(p, elem, n, origin, b) || !b->len)
        return;
    n = b->len;
    while (n > 1 && b->p[n - 1] == '/')
        n--;
    b->len = n;
    if (b->p[n - 1] != '/')
        buf_addc(b, '/');
    list_add(p, l, dir_of(p, b->p, b->len));
}

enum { SEEN = 64 };

void ldso_dirs_split(struct ldso *p, const char *text, const char *seps, const char *origin, struct ldso_dirs *ret)
{
    struct buf b;
    ret->split = true;
    if (!text || !*text)
        return;
    buf_init(&b, MAX_TEXT);
    struct str seen[SEEN]; /* a RUNPATH of 20 kB repeats the same few elements: those are not expanded again */
    size_t n_seen = 0;
    for (const char *s = text;; s++) {
        size_t n = strcspn(s, seps), i = 0;
        while (i < n_seen && (seen[i].n != n || memcmp(seen[i].p, s, n) != 0))
            i++;
        if (i == n_seen) {
            list_add_text(p, ret, s, n, origin, &b);
            if (n_seen < SEEN)
                seen[n_seen++] = (struct str){s, n};
        }
        s += n;
        if (!*s)
            break;
    }
    buf_done(&b);
}

/* Where libc lies tells how the distribution built its loader: multiarch (Debian, Ubuntu), lib64 (Fedora, RHEL, SUSE) or other. */
void ldso_dirs_defaults(struct ldso *p, const char *libc_dir)
{
    static const char debian[] = "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib:/usr/lib", lib64[] = "/lib64:/usr/lib64";
    const char *text = lib64;
    p->lib_token = "lib64";
    if (libc_dir && str_ends(libc_dir, "/x86_64-linux-gnu")) {
        text = debian;
        p->lib_token = "lib/x86_64-linux-gnu";
    } else if (libc_dir && !str_ends(libc_dir, "/lib64")) {
        text = libc_dir;
        p->lib_token = "lib";
    }
    ldso_dirs_split(p, text, ":", NULL, &p->defaults);
}

static bool is_dir(struct ldso *p, const char *path)
{
    struct root_stat st;
    return root_stat(p->root, ldso_abs(p, path), &st) == 0 && st.type == ROOT_DIR;
}

static void sub_add(struct ldso *p, struct ldso_dir *d, const char *sub)
{
    if (is_dir(p, arena_printf(p->a, "%s%s", d->text, sub)))
        *ARENA_PUSH(p->a, d->subs, d->n_subs) = arena_strdup(p->a, sub);
}

static void named_subs(struct ldso *p, struct ldso_dir *d)
{
    static const char *const levels[] = {"glibc-hwcaps/x86-64-v4/", "glibc-hwcaps/x86-64-v3/", "glibc-hwcaps/x86-64-v2/"};
    char path[4096];
    if (d->len + sizeof "glibc-hwcaps" > sizeof path)
        return;
    memcpy(path, d->text, d->len);
    memcpy(path + d->len, "glibc-hwcaps", sizeof "glibc-hwcaps");
    if (!is_dir(p, path))
        return;
    for (unsigned i = 0; i < TG_COUNT(levels); i++)
        if (4 - i <= p->cpu.level)
            sub_add(p, d, levels[i]);
}

/* Before 2.37: every combination of tls, platform and hardware names, longest first. */
static void legacy_subs(struct ldso *p, struct ldso_dir *d)
{
    const char *part[4] = {"x86_64", NULL, NULL, NULL}; /* lowest bit first */
    unsigned n = 1, there = 0;
    if (p->cpu.legacy_mask & 4)
        part[n++] = "avx512_1";
    part[n++] = p->platform;
    part[n++] = "tls";
    for (unsigned i = 0; i < n; i++) {
        char path[4096];
        size_t len = strlen(part[i]);
        if (i && strcmp(part[i], part[0]) == 0) { /* a processor without a name of its own: "x86_64" twice */
            there |= (there & 1) << i;
            continue;
        }
        if (d->len + len + 1 > sizeof path)
            return;
        memcpy(path, d->text, d->len);
        memcpy(path + d->len, part[i], len + 1);
        there |= (unsigned)is_dir(p, path) << i;
    }
    for (unsigned set = (1u << n) - 1; there && set > 0; set--) {
        struct buf b;
        unsigned top = 31 - (unsigned)__builtin_clz(set);
        if (!(there & (1u << top)))
            continue; /* its first folder is not there */
        buf_init(&b, 256);
        for (unsigned i = n; i-- > 0;)
            if (set & (1u << i))
                buf_addf(&b, "%s/", part[i]);
        sub_add(p, d, b.p);
        buf_done(&b);
    }
}

void ldso_dir_look(struct ldso *p, struct ldso_dir *d)
{
    if (d->known)
        return;
    d->known = true;
    int rc = root_place(p->root, d->text, &d->place);
    d->exists = rc == 0;
    if (rc != 0 && rc != -ENOENT && rc != -ENOTDIR && rc != -EACCES) {
        struct root_stat st;
        rc = root_stat(p->root, ldso_abs(p, d->len ? d->text : "."), &st);
        d->exists = rc == 0 && st.type == ROOT_DIR;
    }
    d->denied = rc == -EACCES;
    root_from(p->root, d->place);
    if (d->exists && p->cpu.named_hwcaps)
        named_subs(p, d);
    if (d->exists && p->cpu.legacy_hwcaps)
        legacy_subs(p, d);
}

static bool has_all(struct ldso *p, const char *const *flags, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (root_cpu_has(p->root, flags[i]) <= 0)
            return false;
    return true;
}

/* Levels as glibc sees them; names as in /proc/cpuinfo (pni is SSE3, abm is LZCNT). */
static uint32_t cpu_level(struct ldso *p)
{
    static const char *const v2[] = {"cx16", "lahf_lm", "popcnt", "pni", "ssse3", "sse4_1", "sse4_2"};
    static const char *const v3[] = {"avx", "avx2", "f16c", "fma", "abm", "movbe"};
    static const char *const v4[] = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"};
    if (!has_all(p, v2, TG_COUNT(v2)))
        return 1;
    if (!has_all(p, v3, TG_COUNT(v3)))
        return 2;
    return has_all(p, v4, TG_COUNT(v4)) ? 4 : 3;
}

void ldso_cpu_init(struct ldso *p)
{
    static const char *const haswell[] = {"avx2", "bmi1", "bmi2", "abm", "movbe", "popcnt"};
    bool known = p->glibc_minor > 0;
    p->cpu_unknown = root_cpu_has(p->root, "pni") < 0;
    p->cpu.level = p->cpu_unknown ? 4 : cpu_level(p);
    p->cpu.named_hwcaps = !known || p->glibc_minor >= 33;
    p->cpu.legacy_hwcaps = known && p->glibc_minor < 37;
    p->platform = "x86_64"; /* what the kernel says; only Intel processors get another name */
    p->cpu.legacy_mask = 2; /* HWCAP_X86_64 */
    if (!str_eq(root_cpu_vendor(p->root), "GenuineIntel"))
        return;
    if (has_all(p, haswell, TG_COUNT(haswell))) {
        p->platform = "haswell";
        p->cpu.legacy_mask |= UINT64_C(1) << 48; /* first platform bit of cache entries */
    }
    if (p->cpu.level == 4)
        p->cpu.legacy_mask |= 4; /* HWCAP_X86_AVX512_1 */
}
