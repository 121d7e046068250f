/* treesame_test.c - reports of functions, calls and idleness are the same to
 * the last byte, whether they come from the records or from time trees; and
 * where a tree cannot tell, the records are read, which is said.
 * timeout: 120 s */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/mkexp.h"
#include "tests/lib/scratch.h"
#include "tests/lib/simprof.h"
#include "tools/analysis/idle/idle.h"
#include "tools/analysis/timetree/timetree_file.h"

#define LENGTH 60000u /* cycles, about; mkexp says that the run had more */

static uint32_t dice(uint32_t sides)
{
    return ((uint32_t)rand() << 15 ^ (uint32_t)rand()) % sides;
}

/* Any functions, some of them twice, some addresses in none. */
static void random_stack(uint32_t stack[12])
{
    uint32_t depth = 1 + dice(8);

    for (uint32_t i = 0; i < depth; i++)
        stack[i] = MKEXP_TEXT + 0x100 * dice(dice(3) ? 4 : FN_COUNT + 1) +
                   4 * dice(8) + 8;
    stack[depth] = 0;
}

/* Two counters on two CPUs that run a little apart; stacks from a small stock
 * which changes as the run goes on. */
static const char *experiment(unsigned seed)
{
    static uint32_t stack[40][12];
    static char path[512];
    uint64_t at[2] = {0, 0};
    struct mkexp *m;
    char elf[600];

    srand(seed);
    strcpy(path, scratch_path());
    m = mkexp_new(path);
    snprintf(elf, sizeof elf, "%s/program", path);
    mkexp_program(m, elf);
    mkexp_say(m, "profile 3 cycles 100 uk");
    mkexp_say(m, "profile 5 dcache_miss 10 u");
    for (unsigned i = 0; i < 40; i++)
        random_stack(stack[i]);
    for (unsigned i = 0; i < 4000; i++) {
        unsigned cpu = i / 7 % 2, which = dice(40) * dice(40) / 40;
        bool cycles = dice(3);

        at[cpu] += dice(LENGTH / 1000); /* half of it a sample */
        if (!dice(50))
            random_stack(stack[dice(40)]);
        mkexp_profile(m, cpu, at[cpu], 10 + cpu, cycles ? 3 : 5,
                      cycles ? 90 + dice(20) : dice(1000),
                      dice(30) ? 0 : PROFILE_TRUNCATED, stack[which]);
        if (!dice(20))
            mkexp_oracle(m, cpu, at[cpu], stack[which][0], dice(3),
                         12 * dice(100));
    }
    mkexp_close(m, seed % 2);
    return path;
}

static const char *const reports[] = {
    "functions --csv",
    "functions",
    "callers-callees",
    "callers-callees --csv",
    "calltree --csv",
    "calltree --limit=0 --sort=i.dcache_miss",
    "overview",
    "objects --csv",
    "csingle --function=txn",
    "functions --metrics=i%cycles:e+dcache_miss --sort=name"};

#define REPORTS (sizeof reports / sizeof reports[0])
#define INTERVALS 5

static void from_records_or_from_trees_it_is_the_same(void **state)
{
    static char *was[REPORTS][INTERVALS];
    char command[200], build[100], interval[INTERVALS][64] = {""};

    (void)state;
    for (unsigned seed = 1; seed <= 3; seed++) {
        const char *path = experiment(seed);

        for (unsigned k = 1; k < INTERVALS; k++) {
            unsigned from = dice(LENGTH / 2);

            snprintf(interval[k], sizeof interval[k], "--from=%u --to=%u", from,
                     from + 1 + dice(k % 2 ? LENGTH : LENGTH / 50));
        }
        for (unsigned pass = 0; pass < 2; pass++)
            for (unsigned i = 0; i < REPORTS * INTERVALS; i++) {
                char **old = &was[i / INTERVALS][i % INTERVALS];
                const struct simprof *s;

                if (pass && !i) {
                    snprintf(build, sizeof build,
                             "tree build --m=%u --p=%u --n=%u", 20 + dice(300),
                             50 + dice(49), 2 + dice(4));
                    assert_int_equal(simprof_run(build, path)->status, 0);
                }
                snprintf(command, sizeof command, "%s -v %s",
                         reports[i / INTERVALS], interval[i % INTERVALS]);
                s = simprof_run(command, path);
                assert_int_equal(simprof_has(s->err, "timetree.cycles: "),
                                 pass);
                assert_int_equal(simprof_has(s->err, "timetree.dcache_miss.u"),
                                 pass);
                assert_int_equal(simprof_has(s->err, "profile.rec: "), !pass);
                if (!pass)
                    *old = strdup(s->out);
                else if (strcmp(*old, s->out))
                    fail_msg("seed %u: %s: from records\n%s\nfrom a tree\n%s",
                             seed, command, *old, s->out);
                if (pass)
                    free(*old);
            }
    }
}

static void expect_scan(const char *path, const char *report, const char *why)
{
    const struct simprof *s = simprof_run(report, path);

    assert_in_range(s->status, 0, 1);
    if (!simprof_has(s->err, why))
        fail_msg("%s: wanted \"%s\", got %s", report, why, s->err);
    assert_false(simprof_has(s->err, "samples were read"));
}

static void append(const char *path, const char *file, const char *text,
                   size_t size)
{
    char name[600];
    FILE *f;

    snprintf(name, sizeof name, "%s/%s", path, file);
    f = fopen(name, "ab");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, size, f), size);
    fclose(f);
}

static void what_a_tree_cannot_tell_is_read_and_said(void **state)
{
    const char *path = experiment(9);
    char command[700];

    (void)state;
    assert_int_equal(simprof_run("tree build", path)->status, 0);
    expect_scan(path, "functions -v --cpu=1",
                "timetree: knows nothing of --cpu; the records are read");
    expect_scan(path, "functions -v --filters='thread==10'",
                "timetree: knows nothing of --filters; the records are read");
    assert_int_equal(
        simprof_run("tree build --event=cycles --descend=inherit", path)
            ->status,
        0);
    expect_scan(path, "functions -v",
                "timetree.cycles: with --descend=inherit it does not tell "
                "everything; the records are read instead");
    assert_int_equal(simprof_run("tree build", path)->status, 0);
    append(path, "timetree.dcache_miss.u", "12345678", 8);
    expect_scan(path, "functions -v",
                "timetree.dcache_miss.u: it is damaged or of another version; "
                "the records are read instead");
    snprintf(command, sizeof command, "rm %s/timetree.dcache_miss.u", path);
    assert_int_equal(system(command), 0);
    expect_scan(path, "functions -v",
                "timetree.dcache_miss.u: there is none; the records");
    assert_int_equal(simprof_run("tree build", path)->status, 0);
    append(path, "profile.rec", "\030\0\007\0\0\0\0\0", 8);
    expect_scan(path, "functions -v",
                "timetree.cycles: its records have changed since it was made");
    simprof_run("tree build", path); /* of a file with a damaged end */
    expect_scan(path, "functions -v",
                "timetree.cycles: some records are damaged");
    /* what the programs were is not known any more */
    path = experiment(11);
    assert_int_equal(simprof_run("tree build", path)->status, 0);
    snprintf(command, sizeof command, "rm %s/archives/*", path);
    assert_int_equal(system(command), 0);
    expect_scan(path, "functions -v",
                "timetree.cycles: the programs that it names are not those in "
                "archives");
}

/* The first number of the row of <Total>. */
static unsigned long total(const char *csv)
{
    const char *line = strstr(csv, ",<Total>");

    assert_non_null(line);
    while (line > csv && line[-1] != '\n')
        line--;
    return strtoul(line, NULL, 10);
}

/* Names of files have no place for operators: the trees are told apart. */
static void a_tree_may_be_of_what_a_filter_leaves(void **state)
{
    static char was[SIMPROF_TEXT];
    const char *path = experiment(13);
    const struct simprof *s;
    unsigned long all, one, other;

    (void)state;
    s = simprof_run("tree query --csv --show=stacks --filters='cpu==1'", path);
    assert_int_equal(s->status, 0);
    assert_true(simprof_has(s->err, "timetree: there is none of cycles, where "
                                    "cpu==1; every record was read instead"));
    strcpy(was, s->out);
    simprof_run("tree build --event=cycles --m=100000", path);
    simprof_run("tree build --event=cycles --m=100000 --filters='cpu==1'",
                path);
    s = simprof_run("tree build --event=cycles --m=100000 --filters='cpu!=1'",
                    path);
    assert_int_equal(s->status, 0);
    assert_true(simprof_has(s->out, "samples of cycles, where cpu!=1"));
    s = simprof_run("tree query --csv --show=stacks --filters='cpu==1'", path);
    assert_string_equal(s->err, "");
    assert_string_equal(s->out, was);
    all = total(simprof_run("tree query --csv", path)->out);
    one = total(simprof_run("tree query --csv --filters='cpu==1'", path)->out);
    other =
        total(simprof_run("tree query --csv --filters='cpu!=1'", path)->out);
    assert_true(one && other);
    assert_int_equal(one + other, all);
    assert_int_equal(simprof_run("tree build --filters='cpu=1'", path)->status,
                     2);
}

/* A counter that took no samples has a tree of none, so that reports need not
 * read the records of the others. */
static void a_counter_without_samples_keeps_no_one_from_trees(void **state)
{
    static const uint32_t stack[] = {MKEXP_PC(txn, 8), 0};
    static char was[SIMPROF_TEXT], path[512];
    const struct simprof *s;
    struct mkexp *m;
    char elf[600];

    (void)state;
    strcpy(path, scratch_path());
    m = mkexp_new(path);
    snprintf(elf, sizeof elf, "%s/program", path);
    mkexp_program(m, elf);
    mkexp_say(m, "profile 3 cycles 100 uk");
    mkexp_say(m, "profile 5 dcache_miss 10 u");
    for (unsigned i = 0; i < 10; i++)
        mkexp_profile(m, 0, 100 * i, 10, 3, 100, 0, stack);
    mkexp_close(m, 1);
    strcpy(was, simprof_run("functions --csv", path)->out);
    assert_int_equal(simprof_run("tree build", path)->status, 0);
    s = simprof_run("functions --csv -v", path);
    assert_true(simprof_has(s->err, "timetree.dcache_miss.u: 0 of 0 samples"));
    assert_string_equal(s->out, was);
    assert_int_equal(
        simprof_run("tree query --event=dcache_miss.u -v", path)->status, 0);
    assert_int_equal(simprof_run("tree build --thread=99", path)->status, 2);
}

/* ---- idleness ------------------------------------------------------------ */

#define MOMENTS 4000

static uint64_t moment[MOMENTS]; /* at which something happened */
static unsigned moments;

static uint64_t at_moment(uint64_t at)
{
    if (moments < MOMENTS)
        moment[moments++] = at;
    return at;
}

/* A CPU's idle thread, its sampler and workers take turns, and samples are
 * taken, also at the very moment of a switch. */
static void random_turns(struct mkexp *m, unsigned cpu)
{
    uint32_t stack[12], was = 10, now;
    uint64_t at = dice(500), end;

    while (at < MKEXP_END - 400) {
        now = dice(3) ? 1 + cpu : dice(4) ? 10 + dice(3) : 3 + cpu;
        mkexp_switch(m, cpu, at_moment(at), was, now);
        end = at + (dice(6) ? 1 + dice(300) : 0);
        while (at < end && !dice(3)) {
            at += dice(3) ? dice((uint32_t)(end - at) + 1) : 0;
            random_stack(stack);
            if (dice(40)) /* of two kinds of stacks */
                stack[2 + dice(2)] = 0;
            mkexp_idle(m, cpu, at_moment(at),
                       dice(3) ? IDLE_KIND_TO : IDLE_KIND_FROM, 10, stack);
        }
        at = end;
        was = now;
    }
    mkexp_stat(m, cpu, STAT_IDLE_PERIODS, 100);
    mkexp_stat(m, cpu, STAT_TO_IDLE, 12);
}

static const char *idle_experiment(unsigned seed)
{
    static char path[512];
    struct mkexp *m;
    char elf[600];

    srand(seed);
    moments = 0;
    strcpy(path, scratch_path());
    m = mkexp_new(path);
    snprintf(elf, sizeof elf, "%s/program", path);
    mkexp_program(m, elf);
    for (uint32_t i = 0; i < 2; i++) {
        mkexp_thread(m, 1 + i, THREAD_IS_IDLE, "idle");
        mkexp_thread(m, 3 + i, THREAD_IS_SAMPLER, "sampler");
    }
    for (uint32_t i = 10; i < 13; i++)
        mkexp_thread(m, i, THREAD_IS_APP, "worker");
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        if (!cpu || seed % 4)
            random_turns(m, cpu);
        mkexp_oracle(m, cpu, MKEXP_END, MKEXP_PC(txn, 0), 2, 12 * MKEXP_END);
    }
    mkexp_close(m, seed % 2);
    return path;
}

/* All that is known of a stack, as a line; of all of them, in order. */
static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void spell(const struct idle *d, const struct recording *r, char *out,
                  size_t size)
{
    char *line[4096];
    size_t lines = 0, used = 0;

    for (uint32_t n = 0; n < d->tree.count; n++) {
        char text[2048] = "", name[256];
        uint64_t any = 0;

        for (uint32_t at = n; at != STACKTREE_ROOT;
             at = d->tree.node[at].parent)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s<",
                     idle_name(d, r, at, name, sizeof name));
        for (unsigned k = 0; k < d->tree.metrics; k++) {
            any |= stacktree_base(&d->tree, n, k);
            snprintf(text + strlen(text), sizeof text - strlen(text), " %llu",
                     (unsigned long long)stacktree_base(&d->tree, n, k));
        }
        assert_true(lines < 4096);
        if (any)
            line[lines++] = strdup(text);
    }
    qsort(line, lines, sizeof *line, by_text);
    for (unsigned i = 0; i < d->cpus; i++) {
        const struct timeline_cpu *t = &d->timeline.cpu[i];
        const struct idle_cpu *c = &d->cpu[i];

        used += (size_t)snprintf(
            out + used, size - used,
            "CPU %u: %d idle %llu periods %zu samples %llu %llu sampled %llu "
            "%llu explained %llu\n",
            i, t->switches > 0, (unsigned long long)t->idle, t->periods,
            (unsigned long long)c->samples[0],
            (unsigned long long)c->samples[1], (unsigned long long)c->sampled,
            (unsigned long long)c->sampled_to,
            (unsigned long long)c->explained);
    }
    for (size_t i = 0; i < lines; i++) {
        used += (size_t)snprintf(out + used, size - used, "%s\n", line[i]);
        assert_true(used < size);
        free(line[i]);
    }
}

static void same_idleness(struct recording *r, uint64_t from, uint64_t to)
{
    static char scan[1 << 17], tree[1 << 17];
    struct idle d;

    recording_within(r, from, to);
    idle_read(&d, r, false);
    spell(&d, r, scan, sizeof scan);
    idle_free(&d);
    assert_true(idle_tree(&d, r));
    spell(&d, r, tree, sizeof tree);
    idle_free(&d);
    if (strcmp(scan, tree))
        fail_msg("[%llu, %llu): from records\n%s\nfrom the tree\n%s",
                 (unsigned long long)from, (unsigned long long)to, scan, tree);
}

/* Beginning and ending anywhere, and where or next to where something
 * happened. */
static uint64_t random_moment(void)
{
    uint64_t at = moment[dice(moments)];

    switch (dice(5)) {
    case 0:
        return dice(MKEXP_END + 10);
    case 1:
        return at + 1;
    case 2:
        return at ? at - 1 : 0;
    default:
        return at;
    }
}

static void idleness_of_any_interval_is_the_same(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 8; seed++) {
        struct timetree_choice c = {
            .with = {20 + seed % 3 * 100, 60, 2 + seed % 3, false},
            .event = TIMETREE_IDLE,
            .cpu = -1};
        const char *path = idle_experiment(seed);
        struct timetree_file f;
        struct recording r;
        char why[512];

        assert_true(recording_open(&r, path, why, sizeof why));
        assert_true(timetree_file_build(&f, &r, &c, why, sizeof why));
        assert_true(timetree_whole(&f.tree));
        assert_true(timetree_file_write(&f, r.dir));
        timetree_file_close(&f);
        same_idleness(&r, 0, UINT64_MAX);
        for (unsigned i = 0; i < 100; i++) {
            uint64_t from = random_moment(), to = random_moment();

            if (from > to) {
                uint64_t swap = from;

                from = to;
                to = swap;
            }
            same_idleness(&r, from, from == to ? to + 1 : to);
            same_idleness(&r, from, UINT64_MAX);
            same_idleness(&r, 0, to + 1);
        }
        recording_close(&r);
    }
}

/* "note: idle.rec: 200 records were read, all" */
static bool was_read(const char *text, const char *file)
{
    char note[64];
    const char *at;

    snprintf(note, sizeof note, "note: %s: ", file);
    at = strstr(text, note);
    return at && at[strlen(note)] >= '0' && at[strlen(note)] <= '9';
}

static void idle_prints_the_same_from_its_tree(void **state)
{
    static const char *const report[] = {
        "idle -v --no-intervals",
        "idle -v --no-intervals --per-cpu --from=20011 --to=70007",
        "idle -v --no-intervals --csv --cpu=1",
        "idle -v --csv --table=tree --per-cpu",
        "idle -v --csv --table=cpus --from=50000",
        "idle -v --no-intervals --limit=0 --to=40001",
    };
    static char *was[sizeof report / sizeof report[0]];
    const char *path = idle_experiment(21);
    const struct simprof *s;

    (void)state;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned i = 0; i < sizeof report / sizeof report[0]; i++) {
            s = simprof_run(report[i], path);
            if (s->status)
                fail_msg("%s: %s", report[i], s->err);
            assert_int_equal(simprof_has(s->err, "timetree.idle: "), pass);
            assert_int_equal(was_read(s->err, "idle.rec"), !pass);
            assert_int_equal(was_read(s->err, "switch.rec"), !pass);
            /* what the guest counted is compared with either */
            assert_int_equal(simprof_has(s->err, "the guest counted 100"),
                             !strstr(report[i], "--from") &&
                                 !strstr(report[i], "--to"));
            if (!pass)
                was[i] = strdup(s->out);
            else
                assert_string_equal(was[i], s->out);
            if (pass)
                free(was[i]);
        }
        s = simprof_run("tree build", path);
        assert_int_equal(s->status, 0);
        assert_true(simprof_has(s->out, "samples and times of idle, "));
    }
    expect_scan(path, "idle -v --pcs", "timetree: knows nothing of --pcs; the");
    expect_scan(path, "idle -v",
                "timetree: knows nothing of 95 % intervals (--no-intervals); "
                "the records are read");
    expect_scan(path, "idle -v --filters='cpu==1'",
                "timetree: knows nothing of --filters; the records are read");
    s = simprof_run("tree build --event=idle --cpu=1", path);
    assert_int_equal(s->status, 2);
    append(path, "switch.rec", "\050\0\002\0\0\0\0\0", 8);
    expect_scan(path, "idle -v --no-intervals",
                "timetree.idle: its records have changed since it was made; "
                "the records are read instead");
    simprof_run("tree build", path);
    expect_scan(path, "idle -v --no-intervals",
                "timetree.idle: some records are damaged");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_records_or_from_trees_it_is_the_same),
        cmocka_unit_test(what_a_tree_cannot_tell_is_read_and_said),
        cmocka_unit_test(a_tree_may_be_of_what_a_filter_leaves),
        cmocka_unit_test(a_counter_without_samples_keeps_no_one_from_trees),
        cmocka_unit_test(idleness_of_any_interval_is_the_same),
        cmocka_unit_test(idle_prints_the_same_from_its_tree),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    scratch_clean(NULL);
    return failed;
}
