/* SPDX-License-Identifier: Apache-2.0 */
/* sieve - a set of hashed pieces, and groups ruled out by nibbles of bytes (the "Teddy" of Hyperscan), with AVX2. */
#include "explain/sieve.h"
#include <stdint.h>
#include <string.h>
#include "base/util.h"
#ifdef __x86_64__
#include <immintrin.h>
#include <sys/platform/x86.h>

enum {
    PIECE = 4, STRIDE = 4, LONG = PIECE + STRIDE - 1,   /* a text of LONG bytes has a piece on each place modulo STRIDE */
    GROUPS = 16,                                        /* of pieces of short texts */
    SET_BITS = 14, HEAD_BITS = 12,                      /* words of 32 bits of the set; lists of entries */
    SET_SHIFT = 32 - SET_BITS, BIT1_SHIFT = SET_SHIFT - 5, BIT2_SHIFT = BIT1_SHIFT - 5, /* two bits of one word say that a hash is there */
    BLOCK = 64, REACH = BLOCK + 8                       /* bytes a step, bytes it reads */
};

/* A piece of a text: what it hashes to, and where in the text it is. */
struct entry { uint32_t hash; uint16_t text; uint8_t at; };
struct entries { struct entry *of; uint32_t head[(1 << HEAD_BITS) + 1]; size_t n; };

struct sieve {
    uint32_t set[1 << SET_BITS];
    uint8_t low[2][PIECE][16], high[2][PIECE][16]; /* of each half of the groups, each byte: groups that allow the nibble */
    struct entries pieces, windows;
    const struct texts *texts;
};

bool sieve_usable(void)
{
    return CPU_FEATURE_ACTIVE(AVX2) && CPU_FEATURE_ACTIVE(BMI2); /* the compiler's own question has each start of the program run CPUID */
}

static unsigned char lower(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c);
}

static const uint32_t factor = 0x9e3779b1u, fold = 0x20202020u;

/* The case bit is set in all bytes, letters or not: more is let through, nothing is lost. */
static uint32_t hash_piece(const char *p)
{
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return (x | fold) * factor;
}

/* How common the byte is in logs, in parts of 1000, roughly. */
static unsigned common(unsigned char c)
{
    static const char *const classes[] = {"etaoinsr0123456789", "hlducmfpgy.:/-_="};
    if (c == ' ')
        return 120;
    for (unsigned i = 0; i < 2; i++)
        if (c && strchr(classes[i], c))
            return i ? 24 : 52;
    return c >= 0x20 && c < 0x7f ? 4 : 1;
}

/* What logs are made of: this one, as far as it was read, or else logs in general. */
struct shares { const struct sieve_sample *sample; uint32_t bytes[256], general[256]; };

static struct shares shares_of(const struct sieve_sample *sample)
{
    struct shares w = {.sample = sample};
    for (unsigned c = 0; c < 256; c++) {
        w.general[c] = common((unsigned char)c);
        w.bytes[c] = sample ? (uint32_t)(sample->bytes[c] * 1500 / (sample->n + 1)) + 1 : w.general[c];
    }
    return w;
}

void sieve_learn(struct sieve_sample *sample, const char *p, size_t n)
{
    for (size_t i = 0; i + PIECE <= n; i++) {
        uint32_t h = hash_piece(p + i) >> (32 - SIEVE_SAMPLE_BITS);
        sample->pieces[h]++;
        sample->bytes[(unsigned char)p[i]]++;
    }
    sample->n += n;
}

/* Of a text: the first byte of the rarest `n` bytes in a row. */
static size_t rarest(const struct shares *w, const char *text, size_t len, size_t n)
{
    size_t best = 0;
    double least = 0;
    for (size_t i = 0; i + n <= len; i++) {
        double general = 1e-18, seen = 0;
        for (size_t k = i; k < i + n; k++)
            general *= w->general[lower(text[k])];
        for (size_t k = i; w->sample && k + PIECE <= i + n; k++)
            seen += w->sample->pieces[hash_piece(text + k) >> (32 - SIEVE_SAMPLE_BITS)];
        if (i == 0 || seen + general < least) {
            least = seen + general;
            best = i;
        }
    }
    return best;
}

static uint32_t list_of(uint32_t hash)
{
    return hash >> (32 - HEAD_BITS);
}

/* Sort by list, once all are there. */
static void entries_sort(struct arena *a, struct entries *e)
{
    struct entry *sorted = arena_array(a, e->n + 1, sizeof *sorted);
    uint32_t next[1 << HEAD_BITS];
    for (size_t i = 0; i < e->n; i++)
        e->head[list_of(e->of[i].hash) + 1]++;
    for (size_t i = 0; i < TG_COUNT(next); i++)
        e->head[i + 1] += next[i] = e->head[i];
    for (size_t i = 0; i < e->n; i++)
        sorted[next[list_of(e->of[i].hash)]++] = e->of[i];
    e->of = sorted;
}

static void add_long(struct sieve *s, const struct shares *weights, size_t text)
{
    size_t from = rarest(weights, s->texts->of[text], s->texts->length[text], LONG);
    for (size_t i = 0; i < STRIDE; i++) {
        uint32_t h = hash_piece(s->texts->of[text] + from + i);
        s->set[h >> SET_SHIFT] |= 1u << (h >> BIT1_SHIFT & 31) | 1u << (h >> BIT2_SHIFT & 31);
        s->pieces.of[s->pieces.n++] = (struct entry){h, (uint16_t)text, (uint8_t)(from + i)};
    }
}

/* -- groups of short texts ----------------------------------------------------------------------------------------------- */
struct group { uint16_t low[PIECE], high[PIECE]; double passes; };

/* The share of places that a group lets through. */
static double passes(const struct shares *weights, const struct group *g)
{
    double p = 1;
    for (unsigned k = 0; k < PIECE; k++) {
        unsigned sum = 0;
        for (unsigned h = 0; h < 16; h++)
            for (unsigned l = g->high[k] >> h & 1 ? g->low[k] : 0; l; l &= l - 1)
                sum += weights->bytes[h << 4 | (unsigned)__builtin_ctz(l)];
        p *= sum / 1500.0;
    }
    return p;
}

static struct group with(struct group g, const char *window, bool any_case)
{
    for (unsigned k = 0; k < PIECE; k++) {
        unsigned char c = (unsigned char)window[k];
        g.low[k] |= (uint16_t)(1u << (c & 15));
        g.high[k] |= (uint16_t)(1u << (c >> 4));
        if (any_case && c >= 'a' && c <= 'z')
            g.high[k] |= (uint16_t)(1u << ((c ^ 0x20) >> 4));
    }
    return g;
}

/* Into the group that lets least more through by it. */
static void add_short(struct sieve *s, const struct shares *weights, struct group *groups, size_t text)
{
    const char *window = s->texts->of[text] + rarest(weights, s->texts->of[text], s->texts->length[text], PIECE);
    unsigned best = 0;
    struct group now = {0};
    for (unsigned i = 0; i < GROUPS; i++) {
        struct group g = with(groups[i], window, s->texts->any_case[text]);
        g.passes = memcmp(g.low, groups[i].low, sizeof g.low) || memcmp(g.high, groups[i].high, sizeof g.high) ? passes(weights, &g) : g.passes;
        if (i == 0 || g.passes - groups[i].passes < now.passes - groups[best].passes) {
            best = i;
            now = g;
        }
    }
    groups[best] = now;
    s->windows.of[s->windows.n++] = (struct entry){hash_piece(window), (uint16_t)text, (uint8_t)(window - s->texts->of[text])};
}

static void take_groups(struct sieve *s, const struct group *groups)
{
    for (unsigned i = 0; i < GROUPS; i++)
        for (unsigned k = 0; k < PIECE; k++)
            for (unsigned nibble = 0; nibble < 16; nibble++) {
                s->low[i / 8][k][nibble] |= (uint8_t)((groups[i].low[k] >> nibble & 1) << i % 8);
                s->high[i / 8][k][nibble] |= (uint8_t)((groups[i].high[k] >> nibble & 1) << i % 8);
            }
}

struct sieve *sieve_new(struct arena *a, const struct texts *texts, const struct sieve_sample *sample)
{
    struct sieve *s = ARENA_NEW(a, struct sieve);
    struct group groups[GROUPS] = {0};
    struct shares weights = shares_of(sample);
    if (texts->n > UINT16_MAX)
        return NULL;
    s->texts = texts;
    s->pieces.of = arena_array(a, texts->n + 1, STRIDE * sizeof *s->pieces.of);
    s->windows.of = arena_array(a, texts->n + 1, sizeof *s->windows.of);
    for (size_t i = 0; i < texts->n; i++)
        if (texts->length[i] >= LONG)
            add_long(s, &weights, i);
        else
            add_short(s, &weights, groups, i);
    entries_sort(a, &s->pieces);
    entries_sort(a, &s->windows);
    take_groups(s, groups);
    return s;
}

/* -- the search -------------------------------------------------------------------------------------------------------------- */
struct search { const struct sieve *s; const char *p; size_t n; literal_fn *fn; void *ctx; };

static void compare(const struct search *q, const struct entries *e, uint32_t hash, size_t at)
{
    uint32_t list = list_of(hash);
    for (uint32_t i = e->head[list]; i < e->head[list + 1]; i++) {
        const struct entry *x = &e->of[i];
        if (x->hash == hash && x->at <= at && texts_at(q->s->texts, x->text, q->p + at - x->at, q->n - (at - x->at)))
            q->fn(q->ctx, x->text, at);
    }
}

/* The places of a block that are left: `hashed`, a bit for each STRIDE bytes; `grouped`, for each byte. `block` has REACH bytes and is
 * what stands at `at`. */
static void left(const struct search *q, const char *block, size_t at, uint64_t hashed, uint64_t grouped)
{
    uint64_t all = hashed | grouped;
    for (; all; all &= all - 1) {
        unsigned i = (unsigned)__builtin_ctzll(all);
        if (at + i >= q->n)
            return;
        if (hashed >> i & 1)
            compare(q, &q->s->pieces, hash_piece(block + i), at + i);
        if (grouped >> i & 1)
            compare(q, &q->s->windows, hash_piece(block + i), at + i);
    }
}

#define VECTOR __attribute__((target("avx2,bmi,bmi2"), always_inline)) static inline

struct nibbles { __m256i low[2][PIECE], high[2][PIECE]; };

VECTOR void load_nibbles(const struct sieve *s, struct nibbles *m)
{
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < PIECE; k++) {
            m->low[i][k] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)s->low[i][k]));
            m->high[i][k] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)s->high[i][k]));
        }
}

/* Not zero: bytes of places that a group lets through. */
VECTOR __m256i grouped(const struct nibbles *m, const char *p)
{
    const __m256i mask = _mm256_set1_epi8(15);
    __m256i a = _mm256_set1_epi8(-1), b = a;
    for (unsigned k = 0; k < PIECE; k++) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(p + k));
        __m256i low = _mm256_and_si256(v, mask), high = _mm256_and_si256(_mm256_srli_epi16(v, 4), mask);
        a = _mm256_and_si256(a, _mm256_and_si256(_mm256_shuffle_epi8(m->low[0][k], low), _mm256_shuffle_epi8(m->high[0][k], high)));
        b = _mm256_and_si256(b, _mm256_and_si256(_mm256_shuffle_epi8(m->low[1][k], low), _mm256_shuffle_epi8(m->high[1][k], high)));
    }
    return _mm256_or_si256(a, b);
}

/* A bit in each lane: is the piece there in the set? */
VECTOR __m256i in_set(const struct sieve *s, const char *p)
{
    __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)p);
    __m256i h = _mm256_mullo_epi32(_mm256_or_si256(v, _mm256_set1_epi32((int)fold)), _mm256_set1_epi32((int)factor));
    __m256i words = _mm256_i32gather_epi32((const int *)(const void *)s->set, _mm256_srli_epi32(h, SET_SHIFT), 4), mask = _mm256_set1_epi32(31);
    return _mm256_and_si256(_mm256_srlv_epi32(words, _mm256_and_si256(_mm256_srli_epi32(h, BIT1_SHIFT), mask)),
                            _mm256_srlv_epi32(words, _mm256_and_si256(_mm256_srli_epi32(h, BIT2_SHIFT), mask)));
}

VECTOR uint32_t mask_of(__m256i v)
{
    return ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, _mm256_setzero_si256()));
}

/* The low bit of each lane, on the place of its lane's first byte. */
VECTOR uint32_t lanes_of(__m256i v)
{
    return (uint32_t)_mm256_movemask_epi8(_mm256_slli_epi32(v, 7)) & 0x11111111u;
}

VECTOR void block(const struct search *q, const struct nibbles *m, const char *p, size_t at)
{
    __m256i a = grouped(m, p), b = grouped(m, p + 32);
    __m256i x = in_set(q->s, p), y = in_set(q->s, p + 32);
    __m256i any = _mm256_or_si256(_mm256_or_si256(a, b), _mm256_and_si256(_mm256_or_si256(x, y), _mm256_set1_epi32(1)));
    if (__builtin_expect(!_mm256_testz_si256(any, any), 0))
        left(q, p, at, lanes_of(x) | (uint64_t)lanes_of(y) << 32, mask_of(a) | (uint64_t)mask_of(b) << 32);
}

__attribute__((target("avx2,bmi,bmi2"))) static void find(const struct search *q)
{
    struct nibbles m;
    char tail[BLOCK + REACH] = {0};
    size_t at = 0;
    load_nibbles(q->s, &m);
    for (; q->n - at >= REACH; at += BLOCK)
        block(q, &m, q->p + at, at);
    memcpy(tail, q->p + at, q->n - at);
    for (size_t end = at; at < q->n; at += BLOCK)
        block(q, &m, tail + (at - end), at);
}

void sieve_find(const struct sieve *s, const char *p, size_t n, literal_fn *fn, void *ctx)
{
    struct search q = {s, p, n, fn, ctx};
    if (n)
        find(&q);
}

#else
bool sieve_usable(void)
{
    return false;
}

struct sieve *sieve_new(struct arena *a, const struct texts *texts, const struct sieve_sample *sample)
{
    (void)a, (void)texts, (void)sample;
    return NULL;
}

void sieve_learn(struct sieve_sample *sample, const char *p, size_t n)
{
    (void)sample, (void)p, (void)n;
}

void sieve_find(const struct sieve *s, const char *p, size_t n, literal_fn *fn, void *ctx)
{
    (void)s, (void)p, (void)n, (void)fn, (void)ctx;
}
#endif
