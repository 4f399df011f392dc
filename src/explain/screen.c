/* SPDX-License-Identifier: Apache-2.0 */
/* screen - one line as a terminal shows it. Sequences: ECMA-48. */
#include "explain/screen.h"
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#include <sys/platform/x86.h>
#endif

enum { ESC = 0x1b };

struct screen { uint32_t *cells; size_t n, at, max; };

static bool is_odd(const char *p, size_t i, size_t n)
{
    return p[i] == ESC || p[i] == '\b' || (p[i] == '\r' && (i + 1 == n || p[i + 1] != '\n'));
}

#ifdef __x86_64__
enum { STEP = 32, SUM_MOST = 255 };

static __m128i load(const char *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

static size_t sum_of(__m128i bytes)
{
    __m128i sum = _mm_sad_epu8(bytes, _mm_setzero_si128());
    return (size_t)_mm_cvtsi128_si64(sum) + (size_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(sum, sum));
}

/* Not zero: bytes that may be odd. */
static __m128i may_be_odd(__m128i v)
{
    return _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(ESC)), _mm_cmpeq_epi8(v, _mm_set1_epi8('\b'))), _mm_cmpeq_epi8(v, _mm_set1_epi8('\r')));
}

/* Is one of 16 bytes odd? The one behind them is read too. */
static bool has_odd(const char *p)
{
    __m128i v = load(p), end_of_line = _mm_and_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('\r')), _mm_cmpeq_epi8(load(p + 1), _mm_set1_epi8('\n')));
    return _mm_movemask_epi8(_mm_andnot_si128(end_of_line, may_be_odd(v)));
}

/* Up to the first STEP bytes with an odd one, or to the last few. Newlines are counted on the way. */
static size_t skip_even(const char *p, size_t n, size_t *newlines)
{
    const __m128i newline = _mm_set1_epi8('\n');
    size_t i = 0;
    for (bool odd = false; !odd && n - i > STEP;) {
        __m128i sum = _mm_setzero_si128();
        for (unsigned k = 0; k < SUM_MOST / 2 && n - i > STEP; k++, i += STEP) {
            __m128i a = load(p + i), b = load(p + i + 16);
            if (_mm_movemask_epi8(_mm_or_si128(may_be_odd(a), may_be_odd(b))) && (has_odd(p + i) || has_odd(p + i + 16))) {
                odd = true;
                break;
            }
            sum = _mm_sub_epi8(_mm_sub_epi8(sum, _mm_cmpeq_epi8(a, newline)), _mm_cmpeq_epi8(b, newline));
        }
        *newlines += sum_of(sum);
    }
    return i;
}

#define WIDE __attribute__((target("avx2")))

WIDE static __m256i load_wide(const char *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

/* Not zero: bytes that may be odd. A byte is held against the one such byte that ends as it does. */
WIDE static __m256i may_be_odd_wide(__m256i v)
{
    const __m256i odd = _mm256_broadcastsi128_si256(_mm_setr_epi8(1, 0, 0, 0, 0, 0, 0, 0, '\b', 0, 0, ESC, 0, '\r', 0, 0));
    return _mm256_cmpeq_epi8(_mm256_shuffle_epi8(odd, v), v);
}

WIDE static size_t sum_of_wide(__m256i bytes)
{
    __m256i sum = _mm256_sad_epu8(bytes, _mm256_setzero_si256());
    return (size_t)(_mm256_extract_epi64(sum, 0) + _mm256_extract_epi64(sum, 1) + _mm256_extract_epi64(sum, 2) + _mm256_extract_epi64(sum, 3));
}

/* As skip_even, for processors with AVX2. */
WIDE static size_t skip_even_wide(const char *p, size_t n, size_t *newlines)
{
    const __m256i newline = _mm256_set1_epi8('\n');
    size_t i = 0;
    for (bool odd = false; !odd && n - i > 2 * STEP;) {
        __m256i sum = _mm256_setzero_si256();
        for (unsigned k = 0; k < SUM_MOST / 2 && n - i > 2 * STEP; k++, i += 2 * STEP) {
            __m256i a = load_wide(p + i), b = load_wide(p + i + STEP), any = _mm256_or_si256(may_be_odd_wide(a), may_be_odd_wide(b));
            if (!_mm256_testz_si256(any, any) && (has_odd(p + i) || has_odd(p + i + 16) || has_odd(p + i + 32) || has_odd(p + i + 48))) {
                odd = true;
                break;
            }
            sum = _mm256_sub_epi8(_mm256_sub_epi8(sum, _mm256_cmpeq_epi8(a, newline)), _mm256_cmpeq_epi8(b, newline));
        }
        *newlines += sum_of_wide(sum);
    }
    return i;
}

WIDE static size_t count_newlines_wide(const char *p, size_t n, size_t *done)
{
    size_t count = 0, i = 0;
    while (n - i >= STEP) {
        __m256i sum = _mm256_setzero_si256();
        for (unsigned k = 0; k < SUM_MOST && n - i >= STEP; k++, i += STEP)
            sum = _mm256_sub_epi8(sum, _mm256_cmpeq_epi8(load_wide(p + i), _mm256_set1_epi8('\n')));
        count += sum_of_wide(sum);
    }
    *done = i;
    return count;
}
#endif

size_t count_newlines(const char *p, size_t n)
{
    size_t count = 0, i = 0;
#ifdef __x86_64__
    if (CPU_FEATURE_ACTIVE(AVX2))
        count = count_newlines_wide(p, n, &i);
    while (n - i >= 16) {
        __m128i sum = _mm_setzero_si128();
        for (unsigned k = 0; k < SUM_MOST && n - i >= 16; k++, i += 16)
            sum = _mm_sub_epi8(sum, _mm_cmpeq_epi8(load(p + i), _mm_set1_epi8('\n')));
        count += sum_of(sum);
    }
#endif
    for (; i < n; i++)
        count += p[i] == '\n';
    return count;
}

size_t screen_first(const char *p, size_t n, size_t *ret_newlines)
{
    size_t newlines = 0, i = 0;
#ifdef __x86_64__
    if (CPU_FEATURE_ACTIVE(AVX2))
        i = skip_even_wide(p, n, &newlines);
    i += skip_even(p + i, n - i, &newlines);
#endif
    for (; i < n && !is_odd(p, i, n); i++)
        newlines += p[i] == '\n';
    *ret_newlines = newlines;
    return i;
}

bool screen_needed(const char *p, size_t n)
{
    return memchr(p, '\r', n) || memchr(p, ESC, n) || memchr(p, '\b', n);
}

/* Length of a well-formed UTF-8 character, else 0. */
static size_t char_len(const unsigned char *p, size_t n)
{
    size_t len = *p < 0x80 ? 1 : *p >= 0xf0 && *p < 0xf5 ? 4 : *p >= 0xe0 && *p < 0xf0 ? 3 : *p >= 0xc2 && *p < 0xe0 ? 2 : 0;
    if (len > n)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    return len;
}

static void put(struct screen *s, uint32_t cell)
{
    while (s->n < s->at && s->n < s->max)
        s->cells[s->n++] = ' ';
    if (s->at >= s->max)
        return;
    s->cells[s->at++] = cell;
    if (s->at > s->n)
        s->n = s->at;
}

static void erase(struct screen *s, unsigned how)
{
    if (how == 0 && s->at < s->n)
        s->n = s->at;
    for (size_t i = 0; how == 1 && i <= s->at && i < s->n; i++)
        s->cells[i] = ' ';
    if (how == 2)
        s->n = 0;
}

static void control(struct screen *s, char final, unsigned arg, bool given)
{
    size_t step = given && arg ? arg : 1;
    switch (final) {
    case 'C': s->at = s->at + step < s->max ? s->at + step : s->max; break;
    case 'D': s->at = s->at > step ? s->at - step : 0; break;
    case 'G': s->at = step - 1 < s->max ? step - 1 : s->max; break;
    case 'K': erase(s, given ? arg : 0); break;
    default: break; /* colours, and what moves between lines */
    }
}

/* Length of the escape sequence at p[0] == ESC; it is obeyed. */
static size_t escape(struct screen *s, const char *p, size_t n)
{
    size_t i = 2;
    unsigned arg = 0;
    bool given = false;
    if (n < 2)
        return n;
    if (p[1] == ']') { /* operating system command: to BEL or ST */
        for (; i < n; i++)
            if (p[i] == '\a' || (p[i] == '\\' && p[i - 1] == ESC))
                return i + 1;
        return n;
    }
    if (p[1] != '[') {
        for (i = 1; i < n && p[i] >= 0x20 && p[i] < 0x30;)
            i++;
        return i < n ? i + 1 : n;
    }
    for (; i < n && p[i] >= 0x30 && p[i] < 0x40; i++)
        if (p[i] >= '0' && p[i] <= '9' && arg < 100000) {
            arg = arg * 10 + (unsigned)(p[i] - '0');
            given = true;
        }
    while (i < n && p[i] >= 0x20 && p[i] < 0x30)
        i++;
    if (i < n && p[i] >= 0x40)
        control(s, p[i++], arg, given);
    return i;
}

/* -- without cells ----------------------------------------------------------------------------------------------------------- */

/* Copies up to the first escape, backspace or carriage return; out has room for SCREEN_SLACK bytes more. */
static size_t copy_even(const char *p, size_t n, char *out)
{
    size_t i = 0;
#ifdef __x86_64__
    for (; n - i >= 16; i += 16) {
        __m128i v = load(p + i);
        unsigned odd = (unsigned)_mm_movemask_epi8(may_be_odd(v));
        _mm_storeu_si128((__m128i *)(void *)(out + i), v);
        if (odd)
            return i + (unsigned)__builtin_ctz(odd);
    }
#endif
    for (; i < n && p[i] != ESC && p[i] != '\b' && p[i] != '\r'; i++)
        out[i] = p[i];
    return i;
}

/* Length of an escape sequence with that final letter, with numbers at most; else 0. */
static size_t sequence(const char *p, size_t n, char final)
{
    size_t i = 2;
    if (n < 3 || p[0] != ESC || p[1] != '[')
        return 0;
    while (i < n && ((p[i] >= '0' && p[i] <= '9') || p[i] == ';' || p[i] == ':'))
        i++;
    return i < n && p[i] == final ? i + 1 : 0;
}

size_t screen_strip(const char *p, size_t n, char *out, size_t *ret_n)
{
    size_t i = 0, o = 0;
    for (;;) {
        size_t len = copy_even(p + i, n - i, out + o);
        i += len;
        o += len;
        if (i == n || is_odd(p, i, n)) {
            len = i < n ? sequence(p + i, n - i, 'm') : 0;
            if (!len)
                break;
        } else {
            out[o++] = p[i];
            len = 1;
        }
        i += len;
    }
    *ret_n = o;
    return i;
}

#ifdef __x86_64__
/* Which of 16 bytes are at least that. */
static unsigned at_least(__m128i v, int least)
{
    return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(v, _mm_set1_epi8((char)least)), v));
}

static unsigned count_bits(unsigned x)
{
    x -= x >> 1 & 0x5555;
    x = (x & 0x3333) + (x >> 2 & 0x3333);
    x = (x + (x >> 4)) & 0x0f0f;
    return (x + (x >> 8)) & 0x1f;
}

/* How many of 16 bytes continue a character. *due: which of them must, by those before; then, of the next ones. false: others do. */
static bool continued(__m128i v, unsigned *due, unsigned *ret)
{
    unsigned none = at_least(v, 0xf5), two = at_least(v, 0xc2) & ~none, three = at_least(v, 0xe0) & ~none, four = at_least(v, 0xf0) & ~none;
    unsigned all = *due | two << 1 | three << 2 | four << 3, have = at_least(v, 0x80) & ~at_least(v, 0xc0);
    *due = all >> 16;
    *ret = count_bits(have);
    return (all & 0xffff) == have;
}

/* How many cells the text takes; all of it is UTF-8 as char_len takes it, or it is SIZE_MAX. */
static size_t cells_of(const char *p, size_t n)
{
    size_t cells = n;
    unsigned due = 0, more;
    for (size_t i = 0; i < n; i += 16) {
        char last[16] = {0};
        if (n - i < 16)
            memcpy(last, p + i, n - i);
        __m128i v = load(n - i < 16 ? last : p + i);
        if (!due && !_mm_movemask_epi8(v))
            continue;
        if (!continued(v, &due, &more))
            return SIZE_MAX;
        cells -= more;
    }
    return due ? SIZE_MAX : cells;
}
#else
static size_t cells_of(const char *p, size_t n)
{
    size_t cells = 0;
    for (size_t i = 0, len; i < n; i += len, cells++)
        if (!(len = char_len((const unsigned char *)p + i, n - i)))
            return SIZE_MAX;
    return cells;
}
#endif

/* Where cell number `cell` of UTF-8 begins. */
static size_t cell_at(const char *p, size_t n, size_t cell)
{
    size_t i = 0;
    for (; i < n; i++)
        if (((unsigned char)p[i] & 0xc0) != 0x80 && cell-- == 0)
            break;
    return i;
}

/* From p to the next carriage return: what is written over the line from its start. *erase: the line ends behind it. false: there is more in
 * it than colours and such an end. */
static bool pass(const char *p, size_t n, char *out, size_t *ret_read, size_t *ret_n, bool *ret_erase)
{
    size_t i = 0, o = 0, len;
    *ret_erase = false;
    for (;; i += len) {
        len = copy_even(p + i, n - i, out + o);
        i += len;
        o += len;
        if (i == n || p[i] == '\r')
            break;
        if (!(len = sequence(p + i, n - i, 'm'))) {
            len = sequence(p + i, n - i, 'K');
            if (len != 3 && !(len == 4 && (p[i + 2] == '0' || (p[i + 2] == '2' && o == 0))))
                return false;
            *ret_erase = true;
        }
        if (i + len < n && ((unsigned char)p[i + len] & 0xc0) == 0x80)
            return false; /* it is inside a character, which it breaks */
    }
    *ret_read = i;
    *ret_n = o;
    return true;
}

/* A line that is written over from its start, several times perhaps. false: it must be done cell by cell. */
static bool show_passes(const char *p, size_t n, char *out, size_t *ret_n)
{
    size_t have = 0, width = 0, len, eaten;
    char *fresh = out + 2 * n; /* what is shown has no more than n bytes */
    bool erase;
    if (n < 2 * SCREEN_SLACK)
        return false;
    for (size_t i = 0; i < n; i += eaten + 1) {
        if (!pass(p + i, n - i, fresh, &eaten, &len, &erase))
            return false;
        size_t cells = cells_of(fresh, len), tail = 0;
        if (cells == SIZE_MAX)
            return false;
        if (erase)
            have = width = 0;
        if (cells < width) {
            tail = cell_at(out, have, cells);
            memmove(out + len, out + tail, have - tail);
            have -= tail;
        } else {
            have = 0;
            width = cells;
        }
        memcpy(out, fresh, len);
        have += len;
    }
    *ret_n = have;
    return true;
}

size_t screen_show(const char *p, size_t n, uint32_t *cells, char *out)
{
    struct screen s = {.cells = cells, .max = n};
    char *o = out;
    size_t passes;
    if (show_passes(p, n, out, &passes))
        return passes;
    for (size_t i = 0; i < n;) {
        size_t len = 1;
        if (p[i] == ESC)
            len = escape(&s, p + i, n - i);
        else if (p[i] == '\r')
            s.at = 0;
        else if (p[i] == '\b')
            s.at -= s.at > 0;
        else if ((len = char_len((const unsigned char *)p + i, n - i))) {
            uint32_t cell = 0;
            for (size_t k = 0; k < len; k++)
                cell |= (uint32_t)(unsigned char)p[i + k] << 8 * k;
            put(&s, cell);
        } else {
            put(&s, (unsigned char)p[i]);
            len = 1;
        }
        i += len;
    }
    for (size_t i = 0; i < s.n; i++) {
        uint32_t c = s.cells[i];
        do
            *o++ = (char)(c & 0xff);
        while (c >>= 8);
    }
    return (size_t)(o - out);
}
