/* treegolden_test.c - the worked example of the time tree's design through
 * simprof: records in, nodes, entries, samples and answers out, number by
 * number (TREE-12, TREE-14, TREE-15, TREE-25 to TREE-43). */
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

/* Types A to I are chains of two functions. */
static uint32_t leaf(unsigned type)
{
    static const enum mkexp_function of[] = {FN_thread_start, FN_worker, FN_txn,
                                             FN_mutex_lock};

    return MKEXP_TEXT + 0x100u * (unsigned)of[type % 4] + 8;
}

static void put_samples(struct mkexp *m, uint64_t from, uint64_t to,
                        const char *what)
{
    unsigned count[9] = {0}, n = 0, k = 0;
    char type;

    for (int many, used; sscanf(what, " %c%d%n", &type, &many, &used) == 2;
         what += used) {
        count[type - 'A'] = (unsigned)many;
        n += (unsigned)many;
    }
    for (unsigned t = 0; t < 9; t++)
        for (unsigned i = 0; i < count[t]; i++, k++) {
            uint32_t stack[3] = {leaf(t),
                                 MKEXP_TEXT + 0x100u * (4 + t / 4) + 0x10, 0};
            uint64_t at =
                from * 1000 + (2 * k + 1) * (to - from) * 1000 / (2 * n);

            mkexp_profile(m, 0, at, 10, 3, 100, 0, stack);
        }
}

/* 330 samples in [0, 1000000); the run's last cycle is 999999. */
static const char *example(void)
{
    static char path[512];
    struct mkexp *m;
    char elf[600];

    strcpy(path, scratch_path());
    m = mkexp_new(path);
    snprintf(elf, sizeof elf, "%s/program", path);
    mkexp_program(m, elf);
    mkexp_say(m, "profile 3 cycles 100 uk");
    put_samples(m, 0, 250, "A32 B18 C10 D11 E6 F13 G10");
    put_samples(m, 250, 375, "A16 B10 C10 D3 E6");
    put_samples(m, 375, 500, "A24 B16 C15 D6 E9 F1");
    put_samples(m, 500, 1000, "A41 B31 C11 D5 E3 F5 G3 H9 I6");
    mkexp_oracle(m, 0, 999999, leaf(0), 0, 12);
    mkexp_close(m, 0);
    return path;
}

static const char *build(const char *path, const char *how)
{
    char command[200];

    snprintf(command, sizeof command, "tree build --m=100 --p=95 --n=2 %s",
             how);
    assert_int_equal(simprof_run(command, path)->status, 0);
    return path;
}

/* Types are numbered as they first occur: A is 0, for in every interval the
 * first samples are A's; H and I come last. */
static char letter(unsigned number)
{
    return (char)('A' + number);
}

/* "A113 B75 ..." of a node, those of the rows that are `is`. */
static const char *held(const char *csv, unsigned node, const char *is)
{
    static char text[1 << 12];
    size_t at = 0;

    text[0] = '\0';
    for (const char *line = csv; line && *line;
         line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        unsigned n, samples, number, events;
        char word[16], cycle[32];

        if (sscanf(line, "%u,%15[^,],%31[0-9],%u,%u,%u,", &n, word, cycle,
                   &samples, &events, &number) != 6 &&
            sscanf(line, "%u,%15[^,],,%u,%u,%u,", &n, word, &samples, &events,
                   &number) != 5)
            continue;
        assert_int_equal(events, samples * 100);
        if (n == node && !strcmp(word, is))
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%c%u",
                                   at ? " " : "", letter(number), samples);
    }
    return text;
}

static unsigned count(const char *text)
{
    unsigned n = *text != '\0';

    for (; *text; text++)
        n += *text == ' ';
    return n;
}

static void inherit_is_as_in_the_document(void **state)
{
    const char *path = build(example(), "--descend=inherit");
    const char *csv;

    (void)state;
    csv = simprof_run("tree show --csv", path)->out;
    simprof_expect(csv, "0,1,0,1000000,330,330,7,315,95.5,node");
    simprof_expect(csv, "1,2,0,500000,216,216,6,206,95.4,node");
    simprof_expect(csv, "2,3,0,250000,100,90,6,90,100.0,leaf");
    simprof_expect(csv, "3,3,250000,500000,116,116,5,115,99.1,node");
    simprof_expect(csv, "4,4,250000,375000,45,45,5,45,100.0,leaf");
    simprof_expect(csv, "5,4,375000,500000,71,70,5,70,100.0,leaf");
    simprof_expect(csv, "6,2,500000,1000000,114,99,7,99,100.0,leaf");
    assert_null(strstr(csv, "\n7,"));
    csv = simprof_run("tree show -v --csv", path)->out;
    assert_string_equal(held(csv, 0, "kept"), "A113 B75 C46 D25 E24 F19 G13");
    assert_string_equal(held(csv, 1, "kept"), "A72 B44 C35 E21 D20 F14");
    assert_string_equal(held(csv, 2, "kept"), "A32 B18 F13 D11 C10 E6");
    assert_string_equal(held(csv, 3, "kept"), "A40 B26 C25 E15 D9");
    assert_string_equal(held(csv, 6, "kept"), "A41 B31 C11 D5 F5 E3 G3");
    assert_string_equal(held(csv, 0, "dropped"), "");
    assert_int_equal(count(held(csv, 2, "sample")), 90);
    assert_int_equal(count(held(csv, 4, "sample")), 45);
    assert_int_equal(count(held(csv, 5, "sample")), 70);
    assert_int_equal(count(held(csv, 6, "sample")), 99);
    assert_int_equal(count(held(csv, 1, "sample")), 0);
}

static void literal_keeps_what_it_drops_aside(void **state)
{
    const char *path = build(example(), "");
    const char *csv;

    (void)state;
    csv = simprof_run("tree show --csv", path)->out;
    simprof_expect(csv, "2,3,0,250000,100,100,7,100,100.0,node");
    simprof_expect(csv, "7,4,375000,500000,71,71,6,71,100.0,leaf");
    simprof_expect(csv, "8,2,500000,1000000,114,114,8,111,97.4,node");
    simprof_expect(csv, "10,3,750000,1000000,57,57,8,57,100.0,leaf");
    assert_null(strstr(csv, "\n11,"));
    csv = simprof_run("tree show -v --csv", path)->out;
    assert_string_equal(held(csv, 0, "dropped"), "H9 I6");
    assert_string_equal(held(csv, 1, "dropped"), "G10");
    assert_string_equal(held(csv, 5, "dropped"), "F1");
    assert_string_equal(held(csv, 8, "dropped"), "G3");
}

static void expect_query(const char *path, const char *interval,
                         const char *visited, const char *read)
{
    char command[200], last[200];
    const struct simprof *s;

    snprintf(command, sizeof command, "tree query -v --width=400 %s", interval);
    s = simprof_run(command, path);
    assert_int_equal(s->status, 0);
    if (!simprof_has(s->out, visited))
        fail_msg("%s: wanted\n%s\ngot\n%s", interval, visited, s->out);
    snprintf(last, sizeof last, "Samples read one by one: %s of 330 ", read);
    assert_true(simprof_has(s->out, last));
}

static void queries_visit_and_read_what_they_should(void **state)
{
    const char *path = build(example(), "--descend=inherit");

    (void)state;
    expect_query(
        path, "--from=700000 --to=1000000",
        "\nnode 0 [0, 1000000): partly inside, its children\n"
        "node 1 [0, 500000): outside, passed over\n"
        "node 6 [500000, 1000000): partly inside, its samples read\n\n",
        "99");
    expect_query(
        path, "--to=700000",
        "\nnode 0 [0, 1000000): partly inside, its children\n"
        "node 1 [0, 500000): inside, merged\n"
        "node 6 [500000, 1000000): partly inside, its samples read\n\n",
        "99");
    expect_query(
        path, "--from=300000 --to=700000",
        "\nnode 0 [0, 1000000): partly inside, its children\n"
        "node 1 [0, 500000): partly inside, its children\n"
        "node 2 [0, 250000): outside, passed over\n"
        "node 3 [250000, 500000): partly inside, its children\n"
        "node 4 [250000, 375000): partly inside, its samples read\n"
        "node 5 [375000, 500000): inside, merged\n"
        "node 6 [500000, 1000000): partly inside, its samples read\n\n",
        "144");
    expect_query(path, "", "\nnode 0 [0, 1000000): inside, merged\n\n", "0");
    assert_int_equal(
        simprof_run("tree query --from=2000000 --to=3000000", path)->status, 2);
    expect_query(path, "--from=400000 --to=400000", "", "0");
}

/* A65 B29 C25 D9 E15 and what the document has for the other two. */
static void answers_are_those_of_the_document(void **state)
{
    const char *path = build(example(), "--descend=inherit");
    const char *csv;

    (void)state;
    csv = simprof_run(
              "tree query --csv --show=stacks --from=300000 --to=700000", path)
              ->out;
    simprof_expect(csv, "65,45.1,sched;thread_start");
    simprof_expect(csv, "29,20.1,sched;worker");
    simprof_expect(csv, "25,17.4,sched;txn");
    simprof_expect(csv, "9,6.3,sched;mutex_lock");
    simprof_expect(csv, "15,10.4,producer;thread_start");
    csv =
        simprof_run("tree query --csv --show=stacks --from=700000", path)->out;
    simprof_expect(csv, "26,49.1,sched;worker");
    csv = simprof_run("tree query --csv --show=stacks --to=700000", path)->out;
    simprof_expect(csv, "113,43.1,sched;thread_start");
    csv = simprof_run("tree query --csv --show=stacks --from=-10 --to=3.5ms",
                      path)
              ->out; /* before the beginning, and in a unit */
    simprof_expect(csv, "113,43.1,sched;thread_start");
    simprof_expect(csv, "10,3.8,<Other>");
}

/* Of 330: A113 B75 C46 D25 E24 F19 G13 H9 I6. */
static void as_few_stacks_are_kept_as_make_up_p(void **state)
{
    static const struct {
        const char *p;
        unsigned kept, samples;
    } cases[] = {{"80", 5, 283}, {"90", 6, 302}, {"95", 7, 315},
                 {"99", 9, 330}, {"34", 1, 113}, {"35", 2, 188}};
    static const char *const refused[] = {"--p=100",       "--p=0", "--p=x",
                                          "--n=1",         "--m=0", "--n=1001",
                                          "--descend=both"};
    const char *path = example();

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char command[100], row[100];

        snprintf(command, sizeof command, "tree build --m=100 --p=%s",
                 cases[i].p);
        assert_int_equal(simprof_run(command, path)->status, 0);
        snprintf(row, sizeof row, "0,1,0,1000000,330,330,%u,%u,", cases[i].kept,
                 cases[i].samples);
        assert_true(
            simprof_has(simprof_run("tree show --csv", path)->out, row));
    }
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        char command[100];

        snprintf(command, sizeof command, "tree build %s", refused[i]);
        assert_int_equal(simprof_run(command, path)->status, 2);
    }
    /* An interval the wrong way round is a mistake, an empty one is not. */
    assert_int_equal(
        simprof_run("tree query --from=700 --to=300", path)->status, 2);
    assert_int_equal(
        simprof_run("tree query --from=300 --to=300", path)->status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inherit_is_as_in_the_document),
        cmocka_unit_test(literal_keeps_what_it_drops_aside),
        cmocka_unit_test(queries_visit_and_read_what_they_should),
        cmocka_unit_test(answers_are_those_of_the_document),
        cmocka_unit_test(as_few_stacks_are_kept_as_make_up_p),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    scratch_clean(NULL);
    return failed;
}
