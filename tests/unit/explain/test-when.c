/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include "base/util.h"
#include "explain/timeline.h"

static struct arena a;

static void test_times(void)
{
    static const struct { const char *line, *want; } cases[] = {
        {"2024-01-02 03:04:05.123456: W tensorflow/x.cc:1] no", "2024-01-02T03:04:05.123456"},
        {"2024-01-02 03:04:05,123 - INFO - hello", "2024-01-02T03:04:05.123"},
        {"[2024-01-02 03:04:05,123] [INFO] x", "2024-01-02T03:04:05.123"},
        {"2024-01-02T03:04:05.123456789Z out", "2024-01-02T03:04:05.123456Z"},
        {"2024-01-02T03:04:05+05:30 host kernel: x", "2024-01-02T03:04:05+05:30"},
        {"2024-01-02T03:04:05-0800 x", "2024-01-02T03:04:05-08:00"},
        {"2024/01/02 03:04:05 x", "2024-01-02T03:04:05"},
        {"[I 2024-01-02 03:04:05.123 ServerApp] x", "2024-01-02T03:04:05.123"},
        {"I0102 03:04:05.123456  1234 a.cc:1] x", "--01-02T03:04:05.123456"},
        {"E20240102 03:04:05.5 1 a.cc:1] x", "2024-01-02T03:04:05.500"},
        {"W0229 23:59:60.000000 1 x", "--02-29T23:59:59"},
        {"Jan  2 03:04:05 host kernel: [12345.678901] NVRM: Xid", "--01-02T03:04:05"},
        {"Dec 31 23:59:59 host x", "--12-31T23:59:59"},
        {"[Tue Jan  2 03:04:05 2024] NVRM", "2024-01-02T03:04:05"},
        {"Tue Jan 12 03:04:05 2024", "2024-01-12T03:04:05"},
        {"[12345.678901] NVRM: Xid", "12345.678901"},
        {"[    5.123] x", "5.123000"},
        {"[01/02/2024-03:04:05] [TRT] [E] x", "2024-01-02T03:04:05"},
        {"[rank3]: 2024-01-02 03:04:05 x", "2024-01-02T03:04:05"},
        {"[1,3]<stderr>:2024-01-02 03:04:05.5: W x", "2024-01-02T03:04:05.500"},
        {" 3: I0102 03:04:05.123 1 x", "--01-02T03:04:05.123"},
        {"(worker pid=7) 2024-01-02 03:04:05 x", "2024-01-02T03:04:05"},
        {"slurmstepd: error: *** STEP 77.0 ON node1 CANCELLED AT 2024-01-02T03:04:05 DUE TO TIME LIMIT ***", "2024-01-02T03:04:05"},
        {"2024-13-02 03:04:05 x", NULL}, {"2024-01-02 25:04:05 x", NULL}, {"12024-01-02 03:04:05", NULL}, {"2024-01-02", NULL}, {"I0102 03:04", NULL},
        {"", NULL}, {"[1234]", NULL}, {"[99999999999.5] x", NULL}, {"Jan 99 03:04:05", NULL}, {"epoch 3: loss 0.5", NULL},
        {"a very long line in which the date 2024-01-02 03:04:05 is far behind", "2024-01-02T03:04:05"},
        {"this certificate is one that has been issued long ago and expired 2024-01-02 03:04:05", NULL},
    };
    for (size_t i = 0; i < TG_COUNT(cases); i++) {
        struct when w = when_of_line(cases[i].line, strlen(cases[i].line));
        const char *got = when_text(&a, &w);
        ok(str_eq(got, cases[i].want), "%s: %s", cases[i].line, got ? got : "none");
        for (size_t n = 0; n < strlen(cases[i].line); n++)
            (void)when_of_line(arena_strndup(&a, cases[i].line, n), n); /* cut anywhere: no harm, as the sanitizers see */
    }
    struct when x = when_of_line("1970-01-01T00:00:00Z", 20), y = when_of_line("2000-03-01T01:00:00+01:00", 25), z = when_of_line("2100-03-01T00:00:00Z", 20);
    ok(when_key(&x, 0) == 0 && when_key(&y, 0) == 951868800000000 && when_key(&z, 0) == 4107542400000000, "seconds since 1970");
}

static void test_ranks(void)
{
    static const struct { const char *path; enum rank_kind kind; uint32_t n; } names[] = {
        {"rank3.log", RANK_RANK, 3}, {"logs/train_rank_12.txt", RANK_RANK, 12}, {"out/rank.003/stderr", RANK_RANK, 3}, {"slurm-123_4.out", RANK_TASK, 4},
        {"worker-2/run.log", RANK_WORKER, 2}, {"/l/x_1/attempt_0/3/stderr.log", RANK_RANK, 3}, {"node7.log", RANK_NODE, 7}, {"Rank5", RANK_RANK, 5},
        {"slurm-123.out", RANK_NONE, 0}, {"frank3.log", RANK_NONE, 0}, {"ranking3.log", RANK_NONE, 0}, {"rank3x.log", RANK_NONE, 0}, {"train.log", RANK_NONE, 0}, {"", RANK_NONE, 0},
        {"/", RANK_NONE, 0}, {"rank99999999999.log", RANK_NONE, 0}, {"rank1/worker2.log", RANK_WORKER, 2}};
    for (size_t i = 0; i < TG_COUNT(names); i++) {
        struct rank r = rank_of_name(names[i].path);
        ok(r.kind == names[i].kind && (!r.kind || r.number == names[i].n), "name %s: %u", names[i].path, r.number);
    }
    static const struct { const char *line; bool labelled; enum rank_kind kind; uint32_t n; size_t len; } lines[] = {
        {"[rank3]: Traceback", false, RANK_RANK, 3, 9}, {"[default1]:x", false, RANK_RANK, 1, 11}, {"[1,3]<stderr>:x", false, RANK_RANK, 3, 14}, {"[3]<stdout>:x", false, RANK_RANK, 3, 12},
        {"3: x", true, RANK_TASK, 3, 3}, {" 12: x", true, RANK_TASK, 12, 5}, {"3: x", false, RANK_NONE, 0, 0}, {"[3] x", true, RANK_NONE, 0, 0}, {"[rank]: x", true, RANK_NONE, 0, 0},
        {"srun: error: node7: task 3: Killed", false, RANK_TASK, 3, 28}, {"srun: error: node7: tasks 0-3: Killed", false, RANK_NONE, 0, 0}, {"srun: error: task 3", false, RANK_NONE, 0, 0},
        {"worker-2  | x", false, RANK_WORKER, 2, 12}, {"tf-worker-2-1 | x", false, RANK_WORKER, 2, 16}, {"worker 2 | x", false, RANK_NONE, 0, 0}, {"web-1  | x", false, RANK_NONE, 0, 0},
        {"worker-2", false, RANK_NONE, 0, 0}, {"worker-2| x", false, RANK_NONE, 0, 0}, {"[pod/tf-worker-2/tensorflow] x", false, RANK_WORKER, 2, 29}, {"[pod/tf-worker-2", false, RANK_NONE, 0, 0},
        {"[pod/worker-2] x", false, RANK_NONE, 0, 0}, {"12:30 x", true, RANK_NONE, 0, 0}, {"", true, RANK_NONE, 0, 0}};
    for (size_t i = 0; i < TG_COUNT(lines); i++) {
        size_t n = 99;
        struct rank r = rank_of_line(lines[i].line, strlen(lines[i].line), lines[i].labelled, &n);
        ok(r.kind == lines[i].kind && r.number == lines[i].n && n == lines[i].len, "line %s: %u, %zu bytes", lines[i].line, r.number, n);
    }
}

static struct sighting seen_at(const struct place *p, const char *line, uint64_t at)
{
    return (struct sighting){.place = p, .when = when_of_line(line, strlen(line)), .at = at};
}

static void test_timeline(void)
{
    static const struct place places[] = {{.file = "a", .file_order = 0}, {.file = "b", .file_order = 1}, {.file = "c", .file_order = 2}};
    struct sighting s[] = {seen_at(&places[0], "W0101 00:00:01.0 1 x", 1), seen_at(&places[1], "2023-12-31 23:59:59 x", 2), seen_at(&places[2], "[5.5] x", 3)};
    const struct sighting *all[] = {&s[0], &s[1], &s[2]};
    struct timeline t = timeline_of(all, 3);
    int64_t x, y;
    ok(t.on && t.clock == WHEN_LOCAL && timeline_key(&t, &s[0], &x) && timeline_key(&t, &s[1], &y) && x - y == 2000000 && t.first == y, "New Year without a year");
    ok(!timeline_key(&t, &s[2], &x), "an uptime has no place among dates");
    timeline_sort(&t, s, 3);
    ok(s[0].at == 2 && s[1].at == 1 && s[2].at == 3, "sorted by time, what has none behind");
    struct sighting one[] = {seen_at(&places[0], "2024-01-02 03:04:05 x", 1), seen_at(&places[0], "2024-01-02 03:04:09 x", 2), seen_at(&places[1], "no time", 3)};
    const struct sighting *alone[] = {&one[0], &one[1], &one[2]};
    ok(!timeline_of(alone, 3).on && !timeline_of(alone, 0).on, "one place alone has no order by time");
}

static void test_sightings(void)
{
    struct places p;
    struct sightings s = {0};
    static const char text[] = "2024-01-02 03:04:05 start\n[rank1]: 2024-01-02 03:04:06 x\n[rank0]: no time\n[rank1]: bad\nplain\n";
    const char *bad = strstr(text, "[rank1]: bad"), *plain = strstr(text, "plain");
    places_init(&p, &a);
    places_file(&p, "f");
    places_feed(&p, text, sizeof text - 1);
    struct sighting *x = sightings_add(&p, &s, bad, 12, 4, 4);
    ok(x && x->place->rank.number == 1 && x->place->rank.kind == RANK_RANK, "the rank of a line");
    ok_str(when_text(&a, &x->when), "2024-01-02T03:04:06", "the time above it, of the same rank");
    x = sightings_add(&p, &s, plain, 5, 5, 5);
    ok(x && !x->place->rank.kind && !sightings_add(&p, &s, plain, 5, 6, 6) && s.n == 2 && s.count == 3 && s.list[1].count == 2, "counted at its place");
    places_feed(&p, NULL, 0);
    struct sightings t = {0};
    x = sightings_add(&p, &t, "elsewhere", 9, 7, 7);
    ok_str(when_text(&a, &x->when), "2024-01-02T03:04:06", "the time before what is fed");
    static const char srun[] = "0: a\n1: b\n0: c\n1: d\n 3: e\n";
    places_file(&p, "g");
    places_feed(&p, srun, sizeof srun - 1);
    x = sightings_add(&p, &t, strstr(srun, " 3: e"), 5, 5, 12);
    ok(x->place->rank.kind == RANK_TASK && x->place->rank.number == 3, "srun's label, where all lines have one");
    x = sightings_add(&p, &t, strstr(srun, "1: b"), 4, 2, 9);
    ok(x->place->rank.kind == RANK_NONE, "not where too few lines tell");
    struct sightings many = {0};
    for (unsigned i = 0; i < SIGHTINGS_MAX + 10; i++) {
        const char *l = arena_printf(&a, "[rank%u]: x", i);
        sightings_add(&p, &many, l, strlen(l), i, i);
    }
    ok(many.n == SIGHTINGS_MAX && many.count == SIGHTINGS_MAX + 10, "there is an end to the places");
}

int main(void)
{
    arena_init(&a, 0);
    test_times();
    test_ranks();
    test_timeline();
    test_sightings();
    arena_done(&a);
    return tap_done();
}
