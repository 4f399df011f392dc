/* SPDX-License-Identifier: Apache-2.0 */
/* sieve - a set of hashed pieces, and groups ruled out by nibbles of bytes (the "Teddy" of Hyperscan), with AVX2; with AVX-512, by bytes. */
#include "explain/sieve.h"
#include <stdint.h>
#include <string.h>
#include "base/util.h"
#include "explain/grouping.h"
#ifdef __x86_64__
#include <immintrin.h>
#include <sys/platform/x86.h>

enum {
    PIECE = 4, STRIDE = 4, LONG = PIECE + STRIDE - 1,   /* a text of LONG bytes has a piece on each place modulo STRIDE */
    SET_BITS = 12, HEAD_BITS = 13,                      /* words of 32 bits of the set, which the first cache holds; lists of entries */
    SET_SHIFT = 32 - SET_BITS, BIT = 5,                 /* three bits of one word say that a hash is there */
    BLOCK = 64, REACH = BLOCK + 8,                      /* bytes a step, bytes it reads */
    KEY = 8,                                            /* bytes that are compared first */
    ENOUGH = SIEVE_SAMPLE_PLACES / 8,                   /* places of a sample that tell more than logs in general */
    WINDOW_EVERY = SIEVE_SAMPLE_PLACES / GROUPING_WINDOWS /* of those places, one in so many is also a window for the groups */
};

/* A piece of a text: where in the text it is, and `KEY` bytes of the text from `back` bytes before it, or fewer, which `shift` tells. */
struct entry { uint64_t key; uint16_t text; uint8_t at, back, shift; };
struct entries { struct entry *of; uint32_t head[(1 << HEAD_BITS) + 1]; size_t n; };

struct sieve {
    bool wide;
    uint32_t set[1 << SET_BITS];
    struct grouping_tables groups; /* of pieces of short texts */
    struct entries pieces, windows;
    const struct texts *texts;
};

/* The compiler's own question has each start of the program run CPUID. */
bool sieve_usable(void)
{
    return CPU_FEATURE_ACTIVE(AVX2) && CPU_FEATURE_ACTIVE(BMI2);
}

static bool wide_usable(void)
{
    return CPU_FEATURE_ACTIVE(AVX512F) && CPU_FEATURE_ACTIVE(AVX512BW) && CPU_FEATURE_ACTIVE(AVX512_VBMI);
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

void sieve_learn(struct sieve_sample *sample, const char *p, size_t n, size_t step)
{
    size_t i = sample->skip;
    for (; i < n; i += step)
        if (n - i >= PIECE) {
            sample->pieces[hash_piece(p + i) >> (32 - SIEVE_SAMPLE_BITS)]++;
            memcpy(&sample->windows[sample->n_places++ / WINDOW_EVERY % GROUPING_WINDOWS], p + i, PIECE);
        }
    sample->skip = i - n;
}

/* What is rare: by this log, as far as it was read, then by logs in general. */
struct rarity { const struct sieve_sample *sample; double share[256]; };

/* Of a text: the first of LONG bytes in a row that are the rarest. */
static size_t rarest(const struct rarity *w, const char *text, size_t len, double *ret_seen)
{
    size_t best = 0;
    double least = 0;
    uint32_t pieces[LITERAL_MOST];
    for (size_t i = 0; i + PIECE <= len; i++)
        pieces[i] = w->sample ? w->sample->pieces[hash_piece(text + i) >> (32 - SIEVE_SAMPLE_BITS)] : 0;
    for (size_t i = 0; i + LONG <= len; i++) {
        double general = 1e-18, seen = 0;
        for (size_t k = i; k < i + LONG; k++)
            general *= w->share[(unsigned char)text[k]];
        for (size_t k = i; k < i + STRIDE; k++)
            seen += pieces[k];
        if (i == 0 || seen + general < least) {
            least = seen + general;
            best = i;
            *ret_seen = seen;
        }
    }
    return best;
}

static uint32_t list_of(uint32_t hash)
{
    return hash >> (32 - HEAD_BITS);
}

static uint64_t key_at(const char *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return x | (uint64_t)fold << 32 | fold;
}

static void entry_add(const struct sieve *s, struct entries *e, size_t text, size_t at, size_t back)
{
    char key[KEY] = {0};
    size_t n = PIECE, room = s->texts->length[text] - (at - back);
    while (n < KEY && n < room)
        n++;
    unsigned shift = (unsigned)(KEY - n) * 8;
    memcpy(key, s->texts->of[text] + at - back, n);
    e->of[e->n++] = (struct entry){key_at(key) << shift, (uint16_t)text, (uint8_t)at, (uint8_t)back, (uint8_t)shift};
}

static uint32_t hash_of(const struct sieve *s, const struct entry *x)
{
    return hash_piece(s->texts->of[x->text] + x->at);
}

/* Sort by list, once all are there. */
static void entries_sort(struct arena *a, const struct sieve *s, struct entries *e)
{
    struct entry *sorted = arena_array(a, e->n + 1, sizeof *sorted);
    uint32_t next[1 << HEAD_BITS];
    for (size_t i = 0; i < e->n; i++)
        e->head[list_of(hash_of(s, &e->of[i])) + 1]++;
    for (size_t i = 0; i < TG_COUNT(next); i++)
        e->head[i + 1] += next[i] = e->head[i];
    for (size_t i = 0; i < e->n; i++)
        sorted[next[list_of(hash_of(s, &e->of[i]))]++] = e->of[i];
    e->of = sorted;
}

static void add_long(struct sieve *s, size_t text, size_t from)
{
    for (size_t i = 0; i < STRIDE; i++) {
        uint32_t h = hash_piece(s->texts->of[text] + from + i);
        s->set[h >> SET_SHIFT] |= 1u << (h >> (SET_SHIFT - BIT) & 31) | 1u << (h >> (SET_SHIFT - 2 * BIT) & 31) | 1u << (h >> (SET_SHIFT - 3 * BIT) & 31);
        entry_add(s, &s->pieces, text, from + i, i);
    }
}

/* What logs are made of, while this one is not known. */
static const char general[] =
    "2026-03-14 09:26:53.589793: I tensorflow/core/platform/cpu_feature_guard.cc:210] This TensorFlow binary is optimized to use available CPU instructions.\n"
    "2026-03-14 09:27:01,123 INFO [train.main:88] step 12000 of 50000: loss=1.23456, lr 3.0e-04, 512 images/s\n"
    "Epoch 3/90 782/1563 [=========>..........] - ETA: 1:07 - accuracy: 0.8125 - loss: 0.5477\n"
    "Collecting numpy<3.0.0,>=1.26.4 (from -r requirements.txt (line 12)) Downloading wheel (18.3 MB) Requirement already satisfied\n"
    "Traceback (most recent call last): File \"/usr/lib/python3/dist-packages/module.py\", line 123, in __call__ return self.function(*args, **kwargs)\n"
    "Mar 14 09:26:53 host kernel: [12345.678901] usb 1-4: new high-speed device number 7 using xhci_hcd\n"
    "WARNING: the default value will change in a later version\n"
    "Get:5 http://archive.example.org/ubuntu jammy/main amd64 package amd64 1.2-3 [456 kB] Setting up, Unpacking, Selecting previously unselected ...\n";

static struct grouping *groups(struct arena *a, const struct sieve_sample *sample)
{
    uint32_t windows[sizeof general - PIECE];
    if (sample && sample->n_places >= ENOUGH)
        return grouping_new(a, sample->windows, sample->n_places < SIEVE_SAMPLE_PLACES ? sample->n_places / WINDOW_EVERY : GROUPING_WINDOWS);
    for (size_t i = 0; i < TG_COUNT(windows); i++)
        memcpy(&windows[i], general + i, PIECE);
    return grouping_new(a, windows, TG_COUNT(windows));
}

/* Into the set, if it is long enough and its pieces are rare, or if less is let through by it than in a group. */
static void add_text(struct sieve *s, struct grouping *g, const struct rarity *rarity, size_t i)
{
    const struct texts *t = s->texts;
    double seen = 0;
    size_t from = t->length[i] < LONG ? 0 : rarest(rarity, t->of[i], t->length[i], &seen), most = SIZE_MAX, at;
    if (t->length[i] >= LONG) /* in windows; the set is asked at each place modulo STRIDE only */
        most = rarity->sample ? (size_t)(seen / STRIDE * GROUPING_WINDOWS / (double)(rarity->sample->n_places + 1) + 0.5) : 0;
    if (most && grouping_add(g, t->of[i], t->length[i], t->any_case[i], most, &at))
        entry_add(s, &s->windows, i, at, 0);
    else
        add_long(s, i, from);
}

struct sieve *sieve_new(struct arena *a, const struct texts *texts, const struct sieve_sample *sample, bool narrow)
{
    struct sieve *s = ARENA_NEW(a, struct sieve);
    struct rarity rarity = {.sample = sample};
    struct arena own;
    if (texts->n > UINT16_MAX)
        return NULL;
    arena_init(&own, 0);
    struct grouping *g = groups(&own, sample);
    for (unsigned c = 0; c < TG_COUNT(rarity.share); c++)
        rarity.share[c] = common(lower((char)c));
    s->wide = !narrow && wide_usable();
    s->texts = texts;
    s->pieces.of = arena_array(a, texts->n + 1, STRIDE * sizeof *s->pieces.of);
    s->windows.of = arena_array(a, texts->n + 1, sizeof *s->windows.of);
    for (size_t i = 0; i < texts->n; i++)
        add_text(s, g, &rarity, i);
    entries_sort(a, s, &s->pieces);
    entries_sort(a, s, &s->windows);
    grouping_get(g, &s->groups);
    arena_done(&own);
    return s;
}

/* -- the search -------------------------------------------------------------------------------------------------------------- */
struct search { const struct sieve *s; const char *p; size_t n; literal_fn *fn; void *ctx; };

static void compare(const struct search *q, const struct entries *e, uint32_t hash, size_t at)
{
    uint32_t list = list_of(hash);
    for (uint32_t i = e->head[list]; i < e->head[list + 1]; i++) {
        const struct entry *x = &e->of[i];
        size_t from = at - x->back;
        if (x->at > at || (q->n - from >= KEY && key_at(q->p + from) << x->shift != x->key))
            continue;
        if (texts_at(q->s->texts, x->text, q->p + at - x->at, q->n - (at - x->at)))
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

struct nibbles { __m256i low[PIECE], high[PIECE]; };

VECTOR void load_nibbles(const struct sieve *s, struct nibbles *m)
{
    for (unsigned k = 0; k < PIECE; k++) {
        m->low[k] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)s->groups.low[k]));
        m->high[k] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)s->groups.high[k]));
    }
}

/* Not zero: bytes of places that a group lets through. */
VECTOR __m256i grouped(const struct nibbles *m, const char *p)
{
    const __m256i mask = _mm256_set1_epi8(15);
    __m256i all = _mm256_set1_epi8(-1);
#pragma GCC unroll 4
    for (unsigned k = 0; k < PIECE; k++) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(p + k));
        __m256i low = _mm256_and_si256(v, mask), high = _mm256_and_si256(_mm256_srli_epi16(v, 3), mask);
        all = _mm256_and_si256(all, _mm256_and_si256(_mm256_shuffle_epi8(m->low[k], low), _mm256_shuffle_epi8(m->high[k], high)));
    }
    return all;
}

/* Words of the set. One by one: a gather is no faster, and much slower on some processors. */
VECTOR __m256i words_of(const uint32_t *set, __m256i at)
{
    uint64_t a = (uint64_t)_mm256_extract_epi64(at, 0), b = (uint64_t)_mm256_extract_epi64(at, 1);
    uint64_t c = (uint64_t)_mm256_extract_epi64(at, 2), d = (uint64_t)_mm256_extract_epi64(at, 3);
    __m128i low = _mm_setr_epi32((int)set[(uint32_t)a], (int)set[a >> 32], (int)set[(uint32_t)b], (int)set[b >> 32]);
    __m128i high = _mm_setr_epi32((int)set[(uint32_t)c], (int)set[c >> 32], (int)set[(uint32_t)d], (int)set[d >> 32]);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

/* To the lowest bit of each lane: the bit of the word that the hash names, `n` steps below its upper bits. */
VECTOR __m256i bit_of(__m256i words, __m256i hash, int n)
{
    return _mm256_srlv_epi32(words, _mm256_and_si256(_mm256_srli_epi32(hash, SET_SHIFT - n * BIT), _mm256_set1_epi32(31)));
}

/* A bit in each lane: is the piece there in the set? */
VECTOR __m256i in_set(const struct sieve *s, const char *p)
{
    __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)p);
    __m256i h = _mm256_mullo_epi32(_mm256_or_si256(v, _mm256_set1_epi32((int)fold)), _mm256_set1_epi32((int)factor));
    __m256i words = words_of(s->set, _mm256_srli_epi32(h, SET_SHIFT));
    return _mm256_and_si256(_mm256_and_si256(bit_of(words, h, 1), bit_of(words, h, 2)), bit_of(words, h, 3));
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

/* -- the same with AVX-512 and its tables of 128 bytes ------------------------------------------------------------------------ */
#define WIDE __attribute__((target("avx2,avx512f,avx512bw,avx512vbmi,bmi,bmi2"), always_inline)) static inline

struct exact { __m512i low[PIECE], high[PIECE]; };

WIDE __m512i load_wide(const void *p)
{
    return _mm512_loadu_si512(p);
}

/* Places that a group lets through. */
WIDE uint64_t grouped_wide(const struct exact *m, const char *p)
{
    __m512i all = _mm512_set1_epi8(-1);
#pragma GCC unroll 4
    for (unsigned k = 0; k < PIECE; k++)
        all = _mm512_and_si512(all, _mm512_permutex2var_epi8(m->low[k], load_wide(p + k), m->high[k]));
    return _mm512_test_epi8_mask(all, all);
}

/* On the place of each lane's first byte: is the piece there in the set? A rotation takes the lower five bits of its count only. */
WIDE uint64_t in_set_wide(const struct sieve *s, const char *p)
{
    __m512i h = _mm512_mullo_epi32(_mm512_or_si512(load_wide(p), _mm512_set1_epi32((int)fold)), _mm512_set1_epi32((int)factor));
    __m512i at = _mm512_srli_epi32(h, SET_SHIFT);
    __m512i words = _mm512_inserti64x4(_mm512_castsi256_si512(words_of(s->set, _mm512_castsi512_si256(at))), words_of(s->set, _mm512_extracti64x4_epi64(at, 1)), 1);
    __m512i one = _mm512_rorv_epi32(words, _mm512_srli_epi32(h, SET_SHIFT - BIT)), two = _mm512_rorv_epi32(words, _mm512_srli_epi32(h, SET_SHIFT - 2 * BIT));
    __m512i all = _mm512_and_si512(_mm512_and_si512(one, two), _mm512_rorv_epi32(words, _mm512_srli_epi32(h, SET_SHIFT - 3 * BIT)));
    return _pdep_u64(_mm512_test_epi32_mask(all, _mm512_set1_epi32(1)), 0x1111111111111111u);
}

WIDE void block_wide(const struct search *q, const struct exact *m, const char *p, size_t at)
{
    uint64_t hashed = in_set_wide(q->s, p), grouped = grouped_wide(m, p);
    if (__builtin_expect((hashed | grouped) != 0, 0))
        left(q, p, at, hashed, grouped);
}

__attribute__((target("avx2,avx512f,avx512bw,avx512vbmi,bmi,bmi2"))) static void find_wide(const struct search *q)
{
    struct exact m;
    char tail[BLOCK + REACH] = {0};
    size_t at = 0;
    for (unsigned k = 0; k < PIECE; k++) {
        m.low[k] = load_wide(q->s->groups.exact[k]);
        m.high[k] = load_wide(q->s->groups.exact[k] + BLOCK);
    }
    for (; q->n - at >= REACH; at += BLOCK)
        block_wide(q, &m, q->p + at, at);
    memcpy(tail, q->p + at, q->n - at);
    for (size_t end = at; at < q->n; at += BLOCK)
        block_wide(q, &m, tail + (at - end), at);
}

void sieve_find(const struct sieve *s, const char *p, size_t n, literal_fn *fn, void *ctx)
{
    struct search q = {s, p, n, fn, ctx};
    if (n && s->wide)
        find_wide(&q);
    else if (n)
        find(&q);
}

#else
bool sieve_usable(void)
{
    return false;
}

struct sieve *sieve_new(struct arena *a, const struct texts *texts, const struct sieve_sample *sample, bool narrow)
{
    (void)a, (void)texts, (void)sample, (void)narrow;
    return NULL;
}

void sieve_learn(struct sieve_sample *sample, const char *p, size_t n, size_t step)
{
    (void)sample, (void)p, (void)n, (void)step;
}

void sieve_find(const struct sieve *s, const char *p, size_t n, literal_fn *fn, void *ctx)
{
    (void)s, (void)p, (void)n, (void)fn, (void)ctx;
}
#endif
