/* SPDX-License-Identifier: Apache-2.0 */
/* pep440 - versions and version specifiers of Python packages. */
#include "formats/pep440.h"
#include <errno.h>
#include <string.h>

struct cur { const char *p, *end; };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_alnum(char c)
{
    return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z');
}

static bool is_sep(char c)
{
    return c == '-' || c == '_' || c == '.';
}

static struct str strip(struct str s)
{
    while (s.n && (s.p[0] == ' ' || (s.p[0] >= '\t' && s.p[0] <= '\r')))
        s.p++, s.n--;
    while (s.n && (s.p[s.n - 1] == ' ' || (s.p[s.n - 1] >= '\t' && s.p[s.n - 1] <= '\r')))
        s.n--;
    return s;
}

/* Digits, at least one. 0, -EINVAL when there is none, -ERANGE. */
static int take_number(struct cur *c, uint64_t *ret)
{
    const char *start = c->p;
    while (c->p < c->end && is_digit(*c->p))
        c->p++;
    return c->p == start ? -EINVAL : str_to_u64(start, (size_t)(c->p - start), 10, ret);
}

/* A word, with an optional separator before it; the longest spelling must come first in the caller's order. */
static bool take_word(struct cur *c, const char *word)
{
    const char *p = c->p;
    if (p < c->end && is_sep(*p))
        p++;
    for (; *word; word++, p++)
        if (p == c->end || lower(*p) != *word)
            return false;
    c->p = p;
    return true;
}

/* The number behind a word: "rc1", "rc.1", "rc" (0). */
static int take_word_number(struct cur *c, uint64_t *ret)
{
    if (c->p < c->end && is_sep(*c->p))
        c->p++;
    int r = take_number(c, ret);
    if (r == -EINVAL)
        *ret = 0;
    return r == -EINVAL ? 0 : r;
}

static int take_release(struct cur *c, struct pep440 *v)
{
    for (;;) {
        if (v->n_release == PEP440_MAX_RELEASE)
            return -ERANGE;
        int r = take_number(c, &v->release[v->n_release]);
        if (r < 0)
            return r;
        v->n_release++;
        if (c->end - c->p < 2 || c->p[0] != '.' || !is_digit(c->p[1]))
            return 0;
        c->p++;
    }
}

static int take_epoch(struct cur *c, struct pep440 *v)
{
    const char *p = c->p;
    while (p < c->end && is_digit(*p))
        p++;
    if (p == c->p || p == c->end || *p != '!')
        return 0;
    int r = take_number(c, &v->epoch);
    c->p = p + 1;
    return r;
}

static int take_suffixes(struct cur *c, struct pep440 *v)
{
    static const struct { const char *word; enum pep440_pre pre; } pre[] = {
        {"alpha", PEP440_PRE_A}, {"a", PEP440_PRE_A}, {"beta", PEP440_PRE_B}, {"b", PEP440_PRE_B},
        {"preview", PEP440_PRE_RC}, {"pre", PEP440_PRE_RC}, {"rc", PEP440_PRE_RC}, {"c", PEP440_PRE_RC},
    };
    int r = 0;
    for (size_t i = 0; i < TG_COUNT(pre) && v->pre == PEP440_PRE_NONE; i++)
        if (take_word(c, pre[i].word)) {
            v->pre = pre[i].pre;
            r = take_word_number(c, &v->pre_n);
        }
    if (!r && c->end - c->p >= 2 && c->p[0] == '-' && is_digit(c->p[1])) {
        c->p++;
        v->has_post = true;
        r = take_number(c, &v->post_n);
    } else if (!r && (take_word(c, "post") || take_word(c, "rev") || take_word(c, "r"))) {
        v->has_post = true;
        r = take_word_number(c, &v->post_n);
    }
    if (!r && take_word(c, "dev")) {
        v->has_dev = true;
        r = take_word_number(c, &v->dev_n);
    }
    return r;
}

static int take_local(struct cur *c, struct pep440 *v)
{
    if (c->p == c->end || *c->p != '+')
        return 0;
    const char *start = ++c->p;
    bool sep = true;
    for (; c->p < c->end && (is_alnum(*c->p) || is_sep(*c->p)); c->p++) {
        if (sep && is_sep(*c->p))
            return -EINVAL;
        sep = is_sep(*c->p);
    }
    v->local = (struct str){start, (size_t)(c->p - start)};
    return sep ? -EINVAL : 0;
}

int pep440_parse(const char *s, size_t n, struct pep440 *ret)
{
    struct str t = strip((struct str){s, n});
    struct cur c = {t.p, t.p + t.n};
    struct pep440 v = {.pre = PEP440_PRE_NONE};
    if (c.p < c.end && lower(*c.p) == 'v')
        c.p++;
    int r = take_epoch(&c, &v);
    if (!r)
        r = take_release(&c, &v);
    if (!r)
        r = take_suffixes(&c, &v);
    if (!r)
        r = take_local(&c, &v);
    if (!r && c.p != c.end)
        r = -EINVAL;
    if (!r)
        *ret = v;
    return r;
}

static int cmp_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static uint64_t part(const struct pep440 *v, size_t i)
{
    return i < v->n_release ? v->release[i] : 0;
}

static int cmp_base(const struct pep440 *a, const struct pep440 *b)
{
    int r = cmp_u64(a->epoch, b->epoch);
    for (size_t i = 0; !r && i < PEP440_MAX_RELEASE; i++)
        r = cmp_u64(part(a, i), part(b, i));
    return r;
}

/* Phase of the pre-release: a development release of the final version comes before its alpha. */
static int pre_rank(const struct pep440 *v)
{
    return v->pre == PEP440_PRE_NONE && !v->has_post && v->has_dev ? -1 : (int)v->pre;
}

static struct str local_part(struct str *rest)
{
    size_t n = 0;
    while (n < rest->n && !is_sep(rest->p[n]))
        n++;
    struct str s = {rest->p, n};
    size_t skip = n < rest->n ? n + 1 : n;
    rest->p += skip, rest->n -= skip;
    return s;
}

/* Numbers of any length compare by value, and are larger than words. */
static int cmp_local_part(struct str a, struct str b)
{
    bool num_a = true, num_b = true;
    for (size_t i = 0; i < a.n; i++)
        num_a = num_a && is_digit(a.p[i]);
    for (size_t i = 0; i < b.n; i++)
        num_b = num_b && is_digit(b.p[i]);
    if (num_a != num_b)
        return num_a ? 1 : -1;
    if (num_a) {
        while (a.n > 1 && *a.p == '0')
            a.p++, a.n--;
        while (b.n > 1 && *b.p == '0')
            b.p++, b.n--;
        if (a.n != b.n)
            return a.n > b.n ? 1 : -1;
    }
    for (size_t i = 0; i < a.n && i < b.n; i++)
        if (lower(a.p[i]) != lower(b.p[i]))
            return lower(a.p[i]) > lower(b.p[i]) ? 1 : -1;
    return cmp_u64(a.n, b.n);
}

static int cmp_local(struct str a, struct str b)
{
    while (a.n && b.n) {
        int r = cmp_local_part(local_part(&a), local_part(&b));
        if (r)
            return r;
    }
    return (a.n > 0) - (b.n > 0);
}

int pep440_cmp(const struct pep440 *a, const struct pep440 *b)
{
    int r = cmp_base(a, b);
    if (!r)
        r = pre_rank(a) - pre_rank(b);
    if (!r)
        r = cmp_u64(a->pre_n, b->pre_n);
    if (!r)
        r = (int)a->has_post - (int)b->has_post;
    if (!r)
        r = cmp_u64(a->post_n, b->post_n);
    if (!r)
        r = (int)b->has_dev - (int)a->has_dev;
    if (!r)
        r = cmp_u64(a->dev_n, b->dev_n);
    return r ? r : cmp_local(a->local, b->local);
}

bool pep440_is_prerelease(const struct pep440 *v)
{
    return v->pre != PEP440_PRE_NONE || v->has_dev;
}

enum op { OP_ARBITRARY, OP_COMPATIBLE, OP_EQ, OP_NE, OP_LE, OP_GE, OP_LT, OP_GT, OP_NONE };

static enum op take_op(struct str *s)
{
    static const struct { const char *text; enum op op; } ops[] = { /* longest first */
        {"===", OP_ARBITRARY}, {"~=", OP_COMPATIBLE}, {"==", OP_EQ}, {"!=", OP_NE},
        {"<=", OP_LE}, {">=", OP_GE}, {"<", OP_LT}, {">", OP_GT},
    };
    for (size_t i = 0; i < TG_COUNT(ops); i++) {
        size_t n = strlen(ops[i].text);
        if (s->n >= n && !memcmp(s->p, ops[i].text, n)) {
            s->p += n, s->n -= n;
            return ops[i].op;
        }
    }
    return OP_NONE;
}

static bool prefix_matches(const struct pep440 *v, const struct pep440 *spec, size_t parts)
{
    if (v->epoch != spec->epoch)
        return false;
    for (size_t i = 0; i < parts; i++)
        if (part(v, i) != spec->release[i])
            return false;
    return true;
}

static bool same_text(struct str a, struct str b)
{
    if (a.n != b.n)
        return false;
    for (size_t i = 0; i < a.n; i++)
        if (lower(a.p[i]) != lower(b.p[i]))
            return false;
    return true;
}

static enum tri yes(bool b)
{
    return b ? TRI_YES : TRI_NO;
}

/* Ordered operators. "<" and ">" leave out what belongs to the very release they name: "<1.0" excludes 1.0rc1,
 * ">1.0" excludes 1.0.post1 and 1.0+local. */
static enum tri match_order(enum op op, const struct pep440 *v, const struct pep440 *spec)
{
    struct pep440 pub = *v;
    pub.local = (struct str){NULL, 0};
    int full = pep440_cmp(v, spec), r = pep440_cmp(&pub, spec);
    bool same_base = !cmp_base(v, spec);
    if (op == OP_LE)
        return yes(r <= 0);
    if (op == OP_GE)
        return yes(r >= 0);
    if (op == OP_LT)
        return yes(full < 0 && !(same_base && !pep440_is_prerelease(spec) && pep440_is_prerelease(v)));
    return yes(full > 0 && !(same_base && ((!spec->has_post && v->has_post) || v->local.n)));
}

static enum tri match_one(struct str version, struct str spec)
{
    struct pep440 v, want;
    spec = strip(spec);
    enum op op = take_op(&spec);
    spec = strip(spec);
    if (op == OP_NONE || !spec.n)
        return TRI_UNKNOWN;
    if (op == OP_ARBITRARY)
        return yes(same_text(strip(version), spec));
    bool wild = (op == OP_EQ || op == OP_NE) && spec.n > 2 && !memcmp(spec.p + spec.n - 2, ".*", 2);
    if (pep440_parse(version.p, version.n, &v) || pep440_parse(spec.p, wild ? spec.n - 2 : spec.n, &want))
        return TRI_UNKNOWN;
    if (wild && (want.pre != PEP440_PRE_NONE || want.has_post || want.has_dev || want.local.n))
        return TRI_UNKNOWN;
    if (want.local.n && op != OP_EQ && op != OP_NE)
        return TRI_UNKNOWN;
    if (op == OP_EQ || op == OP_NE) {
        if (!want.local.n)
            v.local = (struct str){NULL, 0};
        bool eq = wild ? prefix_matches(&v, &want, want.n_release) : !pep440_cmp(&v, &want);
        return yes(eq == (op == OP_EQ));
    }
    if (op == OP_COMPATIBLE)
        return want.n_release < 2 ? TRI_UNKNOWN
                                  : yes(prefix_matches(&v, &want, want.n_release - 1) && match_order(OP_GE, &v, &want) == TRI_YES);
    return match_order(op, &v, &want);
}

/* Next element of the comma separated list; false at the end. */
static bool next_spec(struct str *rest, struct str *ret)
{
    while (rest->n) {
        const char *comma = memchr(rest->p, ',', rest->n);
        size_t n = comma ? (size_t)(comma - rest->p) : rest->n, skip = comma ? n + 1 : n;
        *ret = strip((struct str){rest->p, n});
        rest->p += skip, rest->n -= skip;
        if (ret->n)
            return true;
    }
    return false;
}

enum tri pep440_match(struct str version, struct str specs)
{
    enum tri all = TRI_YES;
    struct str one;
    while (next_spec(&specs, &one)) {
        enum tri t = match_one(version, one);
        if (t == TRI_UNKNOWN)
            return t;
        if (t == TRI_NO)
            all = t;
    }
    return all;
}

struct str pep440_first_unmet(struct str version, struct str specs)
{
    struct str one;
    while (next_spec(&specs, &one))
        if (match_one(version, one) == TRI_NO)
            return one;
    return (struct str){NULL, 0};
}
