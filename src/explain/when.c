/* SPDX-License-Identifier: Apache-2.0 */
/* when - times and ranks of log lines. */
#include "explain/when.h"
#include <string.h>
#include <strings.h>
#include "base/util.h"

enum { PREFIX = 48, LINE_HEAD = 160, DAY_S = 86400 };
static const uint64_t second_us = 1000000;

/* -- a cursor that only goes on when what it wants is there ------------------------------------------------------------------ */

struct cur { const char *p, *end; };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80);
}

static bool one_of(struct cur *c, const char *set)
{
    if (c->p == c->end || !*c->p || !strchr(set, *c->p))
        return false;
    c->p++;
    return true;
}

/* Exactly `width` digits. */
static bool digits(struct cur *c, unsigned width, unsigned *ret)
{
    unsigned v = 0;
    if ((size_t)(c->end - c->p) < width)
        return false;
    for (unsigned i = 0; i < width; i++) {
        if (!is_digit(c->p[i]))
            return false;
        v = v * 10 + (unsigned)(c->p[i] - '0');
    }
    c->p += width;
    *ret = v;
    return true;
}

static bool number(struct cur *c, uint32_t *ret)
{
    const char *from = c->p;
    while (c->p < c->end && is_digit(*c->p))
        c->p++;
    uint64_t v;
    if (c->p == from || str_to_u64(from, (size_t)(c->p - from), 10, &v) < 0 || v > UINT32_MAX)
        return false;
    *ret = (uint32_t)v;
    return true;
}

static bool word(struct cur *c, const char *w)
{
    size_t n = strlen(w);
    if ((size_t)(c->end - c->p) < n || strncasecmp(c->p, w, n) != 0)
        return false;
    c->p += n;
    return true;
}

/* -- times ----------------------------------------------------------------------------------------------------------------- */

static bool fraction(struct cur *c, uint64_t *us)
{
    uint64_t v = 0, unit = second_us;
    if (c->p == c->end || !is_digit(*c->p))
        return false;
    for (; c->p < c->end && is_digit(*c->p); c->p++)
        if (unit > 1) {
            unit /= 10;
            v += unit * (uint64_t)(*c->p - '0');
        }
    *us += v;
    return true;
}

/* 03:04:05[.123456] */
static bool clock_time(struct cur *c, struct when *w)
{
    unsigned h, m, s;
    if (!digits(c, 2, &h) || !one_of(c, ":") || !digits(c, 2, &m) || !one_of(c, ":") || !digits(c, 2, &s) || h > 23 || m > 59 || s > 60)
        return false;
    w->us = ((uint64_t)h * 3600 + m * 60 + (s < 60 ? s : 59)) * second_us; /* a leap second is the one before it again */
    struct cur f = *c;
    if (one_of(&f, ".,") && fraction(&f, &w->us))
        *c = f;
    return c->p == c->end || !is_digit(*c->p);
}

static bool set_date(struct when *w, unsigned year, unsigned month, unsigned day)
{
    w->year = (uint16_t)year;
    w->month = (uint8_t)month;
    w->day = (uint8_t)day;
    return month >= 1 && month <= 12 && day >= 1 && day <= 31 && (year == 0 || (year >= 1970 && year < 2200));
}

static void zone(struct cur *c, struct when *w)
{
    struct cur z = *c;
    unsigned h, m;
    if (one_of(&z, "Z") && (z.p == z.end || !is_word(*z.p))) {
        w->clock = WHEN_ZONED;
        return;
    }
    z = *c;
    if (!one_of(&z, "+-") || !digits(&z, 2, &h) || (one_of(&z, ":"), !digits(&z, 2, &m)) || h > 14 || m > 59 || (z.p < z.end && is_digit(*z.p)))
        return;
    w->clock = WHEN_ZONED;
    w->zone_min = (int16_t)((*c->p == '-' ? -1 : 1) * (int)(h * 60 + m));
}

static bool iso(struct cur c, struct when *w)
{
    unsigned y, m, d;
    if (!digits(&c, 4, &y) || c.p == c.end)
        return false;
    const char sep[2] = {*c.p, '\0'};
    if (!one_of(&c, "-/") || !digits(&c, 2, &m) || !one_of(&c, sep) || !digits(&c, 2, &d) || !one_of(&c, "Tt _"))
        return false;
    w->clock = WHEN_LOCAL;
    if (!set_date(w, y, m, d) || !clock_time(&c, w))
        return false;
    zone(&c, w);
    return true;
}

/* TensorRT's logger: 01/02/2024-03:04:05 */
static bool month_first(struct cur c, struct when *w)
{
    unsigned y, m, d;
    w->clock = WHEN_LOCAL;
    return digits(&c, 2, &m) && one_of(&c, "/") && digits(&c, 2, &d) && one_of(&c, "/") && digits(&c, 4, &y) && one_of(&c, "- ") && set_date(w, y, m, d) &&
           clock_time(&c, w);
}

/* glog and absl: I0102 03:04:05.123456; newer ones with the year in front. */
static bool glog(struct cur c, struct when *w)
{
    unsigned y = 0, m, d;
    if (!one_of(&c, "IWEFDC"))
        return false;
    struct cur dated = c;
    w->clock = WHEN_LOCAL;
    if (digits(&dated, 4, &y) && digits(&dated, 2, &m) && digits(&dated, 2, &d) && one_of(&dated, " "))
        return set_date(w, y, m, d) && clock_time(&dated, w);
    return digits(&c, 2, &m) && digits(&c, 2, &d) && one_of(&c, " ") && set_date(w, 0, m, d) && clock_time(&c, w);
}

static bool syslog(struct cur c, struct when *w)
{
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    unsigned m = 0, d, y = 0;
    while (m < TG_COUNT(months) && !word(&c, months[m]))
        m++;
    if (m == TG_COUNT(months) || !one_of(&c, " "))
        return false;
    if (one_of(&c, " ") ? !digits(&c, 1, &d) : !digits(&c, 2, &d) && !digits(&c, 1, &d))
        return false;
    w->clock = WHEN_LOCAL;
    if (!one_of(&c, " ") || !set_date(w, 0, m + 1, d) || !clock_time(&c, w))
        return false;
    if (one_of(&c, " ") && digits(&c, 4, &y) && (c.p == c.end || !is_word(*c.p))) /* ctime(3) */
        return set_date(w, y, m + 1, d);
    return true;
}

/* The kernel's own: "[12345.678901]", "[    5.123456]". */
static bool uptime(struct cur c, struct when *w)
{
    uint32_t s;
    uint64_t us = 0;
    if (!one_of(&c, "["))
        return false;
    while (one_of(&c, " "))
        ;
    if (!number(&c, &s) || !one_of(&c, ".") || !fraction(&c, &us) || !one_of(&c, "]"))
        return false;
    *w = (struct when){.clock = WHEN_UPTIME, .us = (uint64_t)s * second_us + us};
    return true;
}

static bool time_at(struct cur c, struct when *w)
{
    static bool (*const ways[])(struct cur, struct when *) = {iso, month_first, glog, syslog};
    for (size_t i = 0; i < TG_COUNT(ways); i++) {
        struct when x = {0};
        if (ways[i](c, &x)) {
            *w = x;
            return true;
        }
    }
    return false;
}

struct when when_of_line(const char *p, size_t n)
{
    struct when w = {0};
    size_t skip;
    (void)rank_of_line(p, n, true, &skip);
    const char *end = p + (n < LINE_HEAD ? n : LINE_HEAD);
    struct cur c = {p + (skip < (size_t)(end - p) ? skip : 0), end};
    const char *start = c.p;
    while (one_of(&c, " "))
        ;
    if (uptime(c, &w))
        return w;
    for (const char *q = start; q < end; q++) {
        bool begins = q == start || !is_word(q[-1]);
        bool at = q - start < PREFIX || (q - start >= 4 && memcmp(q - 4, " AT ", 4) == 0); /* slurmstepd: CANCELLED AT … */
        if (begins && at && is_word(*q) && time_at((struct cur){q, end}, &w))
            return w;
    }
    return (struct when){0};
}

/* Days since 1970-01-01 in the Gregorian calendar. */
static int64_t days(unsigned year, unsigned month, unsigned day)
{
    static const unsigned before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    unsigned y = year - 1, leaps = y / 4 - y / 100 + y / 400 - 477; /* 477 up to 1969 */
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return (int64_t)(year - 1970) * 365 + leaps + before[month - 1] + (leap && month > 2) + day - 1;
}

int64_t when_key(const struct when *w, unsigned year)
{
    if (w->clock == WHEN_NONE || w->clock == WHEN_UPTIME)
        return (int64_t)w->us;
    int64_t day = days(w->year ? w->year : year < 1970 ? 1970 : year, w->month, w->day);
    return (day * DAY_S - w->zone_min * 60) * (int64_t)second_us + (int64_t)w->us;
}

const char *when_text(struct arena *a, const struct when *w)
{
    unsigned s = (unsigned)(w->us / second_us), us = (unsigned)(w->us % second_us), zone_min = (unsigned)(w->zone_min < 0 ? -w->zone_min : w->zone_min);
    if (w->clock == WHEN_NONE)
        return NULL;
    if (w->clock == WHEN_UPTIME)
        return arena_printf(a, "%u.%06u", s, us);
    const char *text = w->year ? arena_printf(a, "%04u-%02u-%02u", w->year, w->month, w->day) : arena_printf(a, "--%02u-%02u", w->month, w->day);
    text = arena_printf(a, "%sT%02u:%02u:%02u", text, s / 3600, s / 60 % 60, s % 60);
    if (us)
        text = arena_printf(a, us % 1000 ? "%s.%06u" : "%s.%03u", text, us % 1000 ? us : us / 1000);
    if (w->clock == WHEN_ZONED)
        text = zone_min ? arena_printf(a, "%s%c%02u:%02u", text, w->zone_min < 0 ? '-' : '+', zone_min / 60, zone_min % 60) : arena_printf(a, "%sZ", text);
    return text;
}

/* -- ranks ----------------------------------------------------------------------------------------------------------------- */

static const struct { const char *word; enum rank_kind kind; } rank_words[] = {{"rank", RANK_RANK}, {"task", RANK_TASK}, {"worker", RANK_WORKER}, {"node", RANK_NODE}};

/* "rank3", "rank_3", "rank.03", and no word goes on behind it. */
static bool word_number(struct cur c, const char *w, uint32_t *ret)
{
    if (!word(&c, w))
        return false;
    (void)one_of(&c, "_-.= ");
    return number(&c, ret) && (c.p == c.end || !is_word(*c.p));
}

static struct rank in_component(const char *p, const char *end)
{
    struct rank r = {0};
    for (size_t i = 0; i < TG_COUNT(rank_words); i++)
        for (const char *q = p; q < end; q++)
            if ((q == p || !is_word(q[-1])) && word_number((struct cur){q, end}, rank_words[i].word, &r.number)) {
                r.kind = rank_words[i].kind;
                return r;
            }
    struct cur c = {p, end}; /* sbatch(1): the name of an array's output is slurm-%A_%a.out */
    uint32_t job = 0; /* number of the job, in front of the rank's */
    if (word(&c, "slurm-") && number(&c, &job) && one_of(&c, "_") && number(&c, &r.number) && (c.p == c.end || *c.p == '.'))
        r.kind = RANK_TASK;
    return r;
}

/* torchrun --log-dir: …/attempt_0/3/stderr.log */
static struct rank of_torchrun(const char *dir, const char *end)
{
    struct rank r = {0};
    struct cur c = {dir, end};
    uint32_t attempt;
    for (; c.p < end; c.p++) {
        struct cur at = c;
        if ((c.p == dir || c.p[-1] == '/') && word(&at, "attempt_") && number(&at, &attempt) && one_of(&at, "/") && number(&at, &r.number) && at.p == end)
            r.kind = RANK_RANK;
    }
    return r;
}

struct rank rank_of_name(const char *path)
{
    const char *end = path + strlen(path), *base = path_base(path);
    if (base > path && (strncmp(base, "stderr", 6) == 0 || strncmp(base, "stdout", 6) == 0)) {
        struct rank r = of_torchrun(path, base - 1);
        if (r.kind)
            return r;
    }
    for (;;) { /* the last component first */
        struct rank r = in_component(base, end);
        if (r.kind || base == path)
            return r;
        end = base - 1;
        for (base = end; base > path && base[-1] != '/';)
            base--;
    }
}

static struct rank bracketed(struct cur *c)
{
    static const char *const words[] = {"rank", "default", "trainer"};
    struct rank r = {.kind = RANK_RANK};
    struct cur from = *c;
    for (size_t i = 0; i < TG_COUNT(words); i++) {
        *c = from;
        if (one_of(c, "[") && word(c, words[i]) && (one_of(c, " "), number(c, &r.number)) && one_of(c, "]") && (one_of(c, ":"), true))
            return r;
    }
    uint32_t job = 0; /* number of the job, in front of the rank's */
    *c = from; /* mpirun --tag-output "[1,3]<stderr>:", horovodrun "[3]<stderr>:" */
    if (one_of(c, "[") && number(c, &job) && (r.number = job, !one_of(c, ",") || number(c, &r.number)) && one_of(c, "]") &&
        (word(c, "<stderr>") || word(c, "<stdout>")) && (one_of(c, ":"), true))
        return r;
    *c = from;
    return (struct rank){0};
}

/* Programs that put the name of a container in front: docker compose "worker-2  | ", kubectl logs --prefix "[pod/worker-2/tf] ". */
static struct rank of_container(struct cur *c)
{
    struct cur at = *c;
    bool pod = word(&at, "[pod/");
    const char *from = at.p;
    while (at.p < c->end && at.p - from < PREFIX && (is_word(*at.p) || *at.p == '-' || *at.p == '_' || *at.p == '.'))
        at.p++;
    const char *end = at.p;
    if (pod)
        at.p = at.p < c->end && *at.p == '/' ? memchr(at.p, ']', (size_t)(c->end - at.p)) : NULL;
    while (!pod && one_of(&at, " "))
        ;
    if (!at.p || at.p == c->end || *at.p != (pod ? ']' : '|') || (!pod && at.p == end))
        return (struct rank){0};
    struct rank r = in_component(from, end);
    if (r.kind)
        c->p = at.p + 1;
    return r;
}

/* "srun: error: node7: task 3: Killed" */
static struct rank of_srun(struct cur *c)
{
    struct rank r = {.kind = RANK_TASK};
    struct cur at = *c;
    if (!word(&at, "srun: error: "))
        return (struct rank){0};
    while (at.p < at.end && *at.p != ':' && *at.p != ' ')
        at.p++;
    if (!word(&at, ": task ") || !number(&at, &r.number) || !one_of(&at, ":"))
        return (struct rank){0};
    *c = at;
    return r;
}

struct rank rank_of_line(const char *p, size_t n, bool labelled, size_t *ret_n)
{
    struct cur c = {p, p + n};
    struct rank r = bracketed(&c);
    if (!r.kind)
        r = of_srun(&c);
    if (!r.kind)
        r = of_container(&c);
    if (!r.kind && labelled) {
        while (one_of(&c, " "))
            ;
        if (number(&c, &r.number) && one_of(&c, ":") && (c.p == c.end || *c.p == ' '))
            r.kind = RANK_TASK;
    }
    while (r.kind && one_of(&c, " "))
        ;
    *ret_n = r.kind ? (size_t)(c.p - p) : 0;
    return r.kind ? r : (struct rank){0};
}
