/* markspec_test.c - marks in words, as --mark and lists have them: they name
 * what they say, mistakes point at their character, lists say their line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/markspec/perfinst.h"
#include "tests/lib/world.h"

static const struct perfinst_action counting = {PERFINST_COUNT, 0};

/* A spec gives these words: "1040+30 8000" means 30 words from 0x1040 on. */
static void gives(const char *spec, const char *words, uint32_t indicator,
                  uint32_t limit)
{
    struct perfinst p = {0};
    struct perfinst_error e = {0};
    struct perfinst_marks m;
    char why[512] = "", got[512] = "";
    size_t used = 0;

    if (!perfinst_parse(&p, &small_world, spec, &counting, &e))
        fail_msg("%s: %s", spec, e.why);
    assert_true(perfinst_marks(&p, &small_world, &m, why, sizeof why));
    for (size_t k = 0, n; k < m.words; k += n) {
        for (n = 1; k + n < m.words &&
                    m.word[k + n].address == m.word[k].address + 4 * n;
             n++)
            ;
        used += (size_t)snprintf(got + used, sizeof got - used, "%s%x+%zu",
                                 used ? " " : "", m.word[k].address, n);
        assert_int_equal(m.word[k].indicator, indicator);
        assert_int_equal(m.word[k].limit, limit);
    }
    assert_string_equal(got, words);
    perfinst_marks_free(&m);
    perfinst_free(&p);
}

static void specs_name_what_they_say(void **state)
{
    (void)state;
    gives("func:work", "1040+192", 0x80000000, 0);
    gives("func:work*", "1040+200", 0x80000000, 0);
    gives("func:?tart=pmu", "1000+16", 0x40000000, 0);
    gives("addr:0x1040", "1040+1", 0x80000000, 0);
    gives("addr:work+8=interrupt", "1048+1", 0x20000000, 0);
    gives("range:start..work", "1000+16", 0x80000000, 0);
    gives("range:0x1000..start+8=toggle", "1000+2", 0x0C000000, 0);
    gives("loads:start=pmu,count", "1004+1 1014+1 1024+1 1034+1", 0xC0000000,
          0);
    gives("calls:start=limit:13", "100c+1 101c+1 102c+1 103c+1", 0x90000000,
          13);
    gives("branches:start", "100c+1 101c+1 102c+1 103c+1", 0x80000000, 0);
    gives("returns:start", "", 0, 0);
    gives("data:table=count,loads-only", "8000+16", 0x80080000, 0);
    gives("data:table+60", "803c+1", 0x80000000, 0);
    gives("data:0x8010,8", "8010+2", 0x80000000, 0);
    gives("data:byte", "8040+1", 0x80000000, 0); /* rounded outwards */
    gives("data:short_one", "8044+2", 0x80000000, 0);
    gives("addr:0x1000=threshold:10", "1000+1", 0x00200000, 0);
    gives("addr:0x1000=threshold:50", "1000+1", 0x00400000, 0);
    gives("addr:0x1000=threshold:60", "1000+1", 0x00600000, 0);
    gives("addr:0x1000=threshold:100", "1000+1", 0x00800000, 0);
    gives("addr:0x1000=threshold:110", "1000+1", 0x00A00000, 0);
    gives("addr:0x1000=threshold:150", "1000+1", 0x00C00000, 0);
    gives("addr:0x1000=threshold:160,late-interrupt", "1000+1", 0x00F00000, 0);
    gives("addr:loop=start", "1010+1", 0x08000000, 0);
    gives("addr:loop=stop", "1010+1", 0x04000000, 0);
    gives("addr:loop=trace-start", "1010+1", 0x02000000, 0);
    gives("addr:loop=trace-stop", "1010+1", 0x01000000, 0);
    gives("func:loop", "1010+4", 0x80000000, 0); /* a label */
}

static void callers_are_calls_that_name_the_function(void **state)
{
    struct perfinst p = {0};
    struct perfinst_error e = {0};

    (void)state;
    assert_true(
        perfinst_parse(&p, &small_world, "callers:work=pmu", &counting, &e));
    assert_int_equal(p.count, 0x1000 / 64);
    for (size_t k = 0; k < p.count; k++) {
        assert_int_equal(p.entry[k].address, 0x1000 + 64 * k + 12);
        assert_int_equal(p.entry[k].flags, PERFINST_PMU);
    }
    perfinst_free(&p);
    assert_true(
        perfinst_parse(&p, &small_world, "callers:start", &counting, &e));
    assert_int_equal(p.count, 0);
    assert_false(
        perfinst_parse(&p, &small_world, "callers:nope", &counting, &e));
    assert_int_equal(e.at, 8);
}

/* The character at fault is the one under the ^. */
static void mistakes_point_at_their_character(void **state)
{
    static const struct {
        const char *spec, *below;
    } wrong[] = {
        {"fnc:work", "^"},
        {"func:", "     ^"},
        {"func:wrk", "     ^"},
        {"func:none_*", "     ^"},
        {"func:twice", "     ^"},
        {"func:work=", "          ^"},
        {"func:work=count,", "                ^"},
        {"func:work=count,cuont", "                ^"},
        {"func:work=limit", "               ^"},
        {"func:work=limit:x", "                ^"},
        {"func:work=limit:4294967296", "                ^"},
        {"func:work=count:3", "               ^"},
        {"func:work=threshold:70", "                    ^"},
        {"func:work=threshold:0", "                    ^"},
        {"func:work=late-interrupt", "          ^"},
        {"func:work=loads-only", "^"},
        {"addr:0x10zz", "     ^"},
        {"addr:work+x", "          ^"},
        {"addr:0x1002", "     ^"},
        {"addr:0x3000", "     ^"},
        {"addr:0x8000", "     ^"},
        {"range:work", "          ^"},
        {"range:work..start", "            ^"},
        {"range:start..0x1003", "             ^"},
        {"range:start..0x8000", "      ^"},
        {"data:table+64", "          ^"},
        {"data:0x8000,none", "            ^"},
        {"data:loop,0", "          ^"},
        {"data:0x9000", "     ^"},
        {"line:a.c:3", "     ^"},
        {"file:no/such/list", "     ^"},
        {"func:wo\trk", "       ^"},
        {"", "^"},
    };

    (void)state;
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        struct perfinst p = {0};
        struct perfinst_error e = {0};

        if (perfinst_parse(&p, &small_world, wrong[k].spec, &counting, &e))
            fail_msg("%s is taken", wrong[k].spec);
        if (e.at != strlen(wrong[k].below) - 1)
            fail_msg("%s: %s, at %zu", wrong[k].spec, e.why, e.at);
        assert_true(e.why[0] && !strchr(e.why, '\n'));
        perfinst_free(&p);
    }
}

static void
what_the_program_lacks_is_told_from_what_makes_no_sense(void **state)
{
    static const char *const lacking[] = {
        "func:wrk",
        "func:none_*",
        "func:twice",
        "addr:0x3000",
        "addr:work+2",
        "range:work..start",
        "range:start..0x8000",
        "data:table+64",
        "data:0x9000",
    };
    static const char *const senseless[] = {
        "",
        "fnc:work",
        "func:work=cuont",
        "func:work=limit",
        "addr:0x10z",
        "addr:0x1002",
        "range:0x8..0x4",
        "range:work",
        "data:0x8000,none",
        "line:a.c:3",
        "file:no/such/list",
    };
    struct perfinst_error e = {0};
    struct perfinst p = {0};

    (void)state;
    for (size_t k = 0; k < sizeof lacking / sizeof *lacking; k++) {
        assert_false(
            perfinst_parse(&p, &small_world, lacking[k], &counting, &e));
        if (!e.lacking)
            fail_msg("%s: %s", lacking[k], e.why);
    }
    for (size_t k = 0; k < sizeof senseless / sizeof *senseless; k++) {
        assert_false(
            perfinst_parse(&p, &small_world, senseless[k], &counting, &e));
        if (e.lacking)
            fail_msg("%s: %s", senseless[k], e.why);
    }
    perfinst_free(&p);
}

static void ranges_are_numbered_and_limited_to_eight(void **state)
{
    struct perfinst p = {0};
    struct perfinst_error e = {0};
    struct perfinst_marks m;
    char why[512] = "", text[32];

    (void)state;
    assert_true(perfinst_parse_range(&p, &small_world, "work", false, &e));
    assert_true(perfinst_parse_range(&p, &small_world, "table", true, &e));
    assert_true(
        perfinst_parse_range(&p, &small_world, "0x1000..loop+4", false, &e));
    assert_true(perfinst_marks(&p, &small_world, &m, why, sizeof why));
    assert_int_equal(m.words, 0);
    assert_int_equal(m.ranges, 3);
    assert_int_equal(m.range[0].low, 0x1040);
    assert_int_equal(m.range[0].high, 0x1340);
    assert_true(m.range[1].data);
    assert_int_equal(m.range[1].high, 0x8040);
    assert_int_equal(m.range[2].high, 0x1014);
    assert_string_equal(m.range[2].text, "0x1000..loop+4");
    perfinst_marks_free(&m);
    for (int k = 0; k < 7; k++) {
        snprintf(text, sizeof text, "work..work+%d", 8 + 4 * k);
        assert_true(perfinst_parse_range(&p, &small_world, text, false, &e));
    }
    assert_false(perfinst_marks(&p, &small_world, &m, why, sizeof why));
    assert_string_equal(why, "prog: more than 8 ranges of instructions, take "
                             "some away");
    assert_false(
        perfinst_parse_range(&p, &small_world, "work..nope", false, &e));
    assert_int_equal(e.at, 6);
    perfinst_free(&p);
}

static void lists_say_their_line(void **state)
{
    const char *base = getenv("TMPDIR");
    char path[512], spec[600];
    struct perfinst p = {0};
    struct perfinst_error e = {0};
    FILE *f;

    (void)state;
    snprintf(path, sizeof path, "%s/marks.list", base ? base : "/tmp");
    f = fopen(path, "w");
    assert_non_null(f);
    fputs("# hot\n\n  func:start=limit:13  # thirteen\naddr:loop\n", f);
    fclose(f);
    snprintf(spec, sizeof spec, "file:%s=pmu", path);
    assert_true(perfinst_parse(&p, &small_world, spec, &counting, &e));
    assert_int_equal(p.count, 2);
    assert_int_equal(p.entry[0].flags, PERFINST_COUNT | PERFINST_LIMIT);
    assert_int_equal(p.entry[1].flags, PERFINST_PMU);
    f = fopen(path, "a");
    assert_non_null(f);
    fputs("  func:nope\n", f);
    fclose(f);
    assert_false(perfinst_parse(&p, &small_world, spec, &counting, &e));
    assert_non_null(strstr(e.why, "marks.list:5:8: prog has no symbol"));
    f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "file:%s\n", path);
    fclose(f);
    assert_false(perfinst_parse(&p, &small_world, spec, &counting, &e));
    assert_non_null(strstr(e.why, "a list cannot name another one"));
    remove(path);
    perfinst_free(&p);
}

/* Every action's word gives flags that are written as that word. */
static void actions_are_their_own_words(void **state)
{
    static const char *const words[] = {
#define ACTION(word, flags, number, text) number ? NULL : word,
#include "pmu/markspec/actions.def"
#undef ACTION
        "limit:13",
        "limit:0",
        "threshold:160",
        "limit:7,pmu,toggle,threshold:60,late-interrupt,range",
    };

    (void)state;
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        struct perfinst_action a;
        struct perfinst_error e = {0};
        char text[PERFINST_TEXT];

        if (!words[k])
            continue;
        if (!strcmp(words[k], "late-interrupt")) {
            assert_false(perfinst_action_parse(words[k], NULL, &a, &e));
            continue;
        }
        assert_true(perfinst_action_parse(words[k], NULL, &a, &e));
        perfinst_text(a.flags, a.limit, NULL, text);
        assert_string_equal(text, words[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(specs_name_what_they_say),
        cmocka_unit_test(callers_are_calls_that_name_the_function),
        cmocka_unit_test(mistakes_point_at_their_character),
        cmocka_unit_test(
            what_the_program_lacks_is_told_from_what_makes_no_sense),
        cmocka_unit_test(ranges_are_numbered_and_limited_to_eight),
        cmocka_unit_test(lists_say_their_line),
        cmocka_unit_test(actions_are_their_own_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
