/* predicate_test.c - what --event defines: the language, its mistakes pointed
 * at, and what a condition is true of.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "isa/insn.h"
#include "pmu/predicate/predicate.h"
#include "pmu/event/event_names.h"

static void define(struct predicate *d, const char *text)
{
    struct expr_error e;

    if (!predicate_parse(d, text, &e))
        fail_msg("%s: at %zu: %s", text, e.at, e.why);
}

/* A load of a user program, slow, in ranges 0 and 3. */
static const struct insn_info slow_load = {
    .pc = 0x1000,
    .data = {true, 0x20004, 0x20004},
    .context = 7,
    .op = OP_LWZ,
    .class = CLASS_LOAD,
    .cpu = 2,
    .slot = 3,
    .user = true,
    .load = true,
    .completed = true,
    .latency = 40,
    .data_latency = 30,
    .marked = true,
    .ranges = 0x09,
    .data_ranges = 0x80,
};

static void conditions_are_true_of_what_they_say(void **state)
{
    static const struct {
        const char *text;
        bool holds;
    } cases[] = {
        {"latency > 39", true},
        {"latency > 40", false},
        {"latency >= 40", true},
        {"latency < 41", true},
        {"latency <= 39", false},
        {"latency == 0x28", true},
        {"latency != 40", false},
        {"40 == latency", true},
        {"30 < latency", true},
        {"data_latency < latency", true},
        {"latency == data_latency", false},
        {"user", true},
        {"kernel", false},
        {"not kernel", true},
        {"not not user", true},
        {"load and marked", true},
        {"load and store", false},
        {"(store or load) and completed", true},
        {"(store or branch)", false},
        {"(store and load or user)", true}, /* and binds tighter */
        {"(user or load and store)", true},
        {"not store and user", true}, /* not binds tightest */
        {"not (store or user)", false},
        {"pm", false},
        {"window", false},
        {"wrong", false},
        {"taken", false},
        {"mispredicted", false},
        {"cpu == 2", true},
        {"context == 7", true},
        {"slot == 3", true},
        {"op == \"lwz\"", true},
        {"op == \"lwzx\"", false},
        {"op != \"lwzx\"", true},
        {"(op == \"lwz\")and user", true}, /* what follows the quote counts */
        {"class == \"LOAD\"", true},
        {"class != \"LOAD\"", false},
        {"pc in 0x1000..0x1001", true},
        {"pc in 0xFFF..0x1000", false}, /* before the second */
        {"pc in 0..0x100000000", true},
        {"pc == 4096", true},
        {"ea in 0x20000..0x20008", true},
        {"pc in range0", true},
        {"pc in range1", false},
        {"pc in range3 and pc in range0", true},
        {"ea in range7", true},
        {"ea in range0", false},
        {"not pc in range1", true},
        {"user\tand\n load", true},
        {"user && !store", true}, /* the other spellings */
        {"(store || load) && not kernel", true},
        {"(kernel || store)", false},
        {"latency - data_latency == 10", true}, /* arithmetic */
        {"latency / data_latency * 2 + 1 > 3", false},
        {"ea & 31 == 4", true},
        {"ea % 32 != 4", false},
        {"~latency == -latency - 1", true},
        {"latency > -1", true},
        {"latency / slot >> 1 == 6", true},
        {"latency / (slot - 3) == 0", false}, /* missing */
        {"latency / (slot - 3) != 0", false},
        {"not latency / (slot - 3) in 0..9", true},
        {"latency in 40..41", true},
        {"latency in 1..40", false},
        {"latency - data_latency in 10..11", true},
        {"pc + 4 in 0x1004..0x1008", true},
        {"\"lwz\" == op", true},
        {"\"a\" == \"a\"", true},
        {"\"a\" != \"a\"", false},
        {"\"a\" == \"b\"", false},
    };
    char text[200];
    struct predicate d;

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        snprintf(text, sizeof text, "X = dcache_miss and %s", cases[k].text);
        define(&d, text);
        assert_int_equal(d.base, EV_dcache_miss);
        assert_string_equal(d.name, "X");
        if (predicate_holds(&d, &slow_load) != cases[k].holds)
            fail_msg("%s", cases[k].text);
    }
    define(&d, "all_of_them=dcache_miss");
    assert_true(predicate_holds(&d, &slow_load));
}

/* ^ in the second line is where the first one is wrong. */
static void mistakes_are_pointed_at(void **state)
{
    static const char *const cases[][3] = {
        {"= dcache_miss", "^", "a name"},
        {"1A = dcache_miss", "^", "a name"},
        {"A.b = dcache_miss", "^", "a name"},
        {"A", " ^", "an ="},
        {"A b = dcache_miss", "  ^", "an ="},
        {"cycles = dcache_miss", "^", "already"},
        {"A =", "   ^", "an event"},
        {"A = nonsense", "    ^", "no such event: nonsense"},
        {"A = defined_1", "    ^", "no such event"},
        {"A = cycles", "    ^", "belongs to no instruction"},
        {"A = lsu_idle and load", "    ^", "belongs to no instruction"},
        {"A = load_queue_level", "    ^", "belongs to no instruction"},
        {"A = dcache_miss load", "                ^", "\"and\" should"},
        {"A = dcache_miss or load", "                ^", "\"and\" should"},
        {"A = dcache_miss and", "                   ^", "missing"},
        {"A = dcache_miss and hot", "                    ^", "property: hot"},
        {"A = dcache_miss and icache_miss", "                    ^",
         "only the first word"},
        {"A = dcache_miss and load or user", "                         ^",
         "parentheses"},
        {"A = dcache_miss and (load or user", "                    ^",
         "never closes"},
        {"A = dcache_miss and load)", "                        ^",
         "closes nothing"},
        {"A = dcache_miss and load user", "                         ^",
         "belongs to nothing"},
        {"A = dcache_miss and latency", "                    ^", "comparison"},
        {"A = dcache_miss && (load) || (user)", "                          ^",
         "parentheses"},
        {"A = dcache_miss and load or user or pm", "                         ^",
         "parentheses"},
        {"A = dcache_miss and latency = 20", "                            ^",
         "equal is written =="},
        {"A = dcache_miss and latency > many",
         "                              ^", "no such property: many"},
        {"A = dcache_miss and latency > user", "                            ^",
         "number on both sides"},
        {"A = dcache_miss and latency > 20x",
         "                                ^", "no number"},
        {"A = dcache_miss and latency > 0x", "                               ^",
         "no number"},
        {"A = dcache_miss and latency > 99999999999",
         "                              ^", "too large"},
        {"A = dcache_miss and latency > $", "                              ^",
         "should stand here"},
        {"A = dcache_miss and \"f\" in stack", "                        ^",
         "no stack"},
        {"A = dcache_miss and user == 1", "                         ^",
         "number on both sides"},
        {"A = dcache_miss and 1 < latency < 3",
         "                                ^", "number on both sides"},
        {"A = dcache_miss and op == lwz", "                          ^",
         "in quotes"},
        {"A = dcache_miss and op == \"lzw\"", "                          ^",
         "no such instruction: lzw"},
        {"A = dcache_miss and class == \"lwz\"",
         "                             ^", "no such class: lwz"},
        {"A = dcache_miss and op < \"lwz\"", "                       ^",
         "== and != only"},
        {"A = dcache_miss and op == \"lwz", "                          ^",
         "no end"},
        {"A = dcache_miss and latency in main",
         "                               ^", "only an address"},
        {"A = dcache_miss and pc in", "                         ^",
         "should stand here"},
        {"A = dcache_miss and pc in 1", "                           ^",
         "two dots"},
        {"A = dcache_miss and pc in 1..", "                             ^",
         "a number"},
        {"A = dcache_miss and pc in 9..9", "                          ^",
         "nothing lies"},
        {"A = dcache_miss and pc in \"\"", "                           ^",
         "empty"},
        {"A = dcache_miss and \x01load", "                    ^",
         "no character"},
    };
    struct expr_error e;
    struct predicate d;

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        if (predicate_parse(&d, cases[k][0], &e))
            fail_msg("%s is not refused", cases[k][0]);
        if (e.at != strlen(cases[k][1]) - 1 || !strstr(e.why, cases[k][2]))
            fail_msg("%s: at %zu: %s", cases[k][0], e.at, e.why);
        assert_null(strchr(e.why, '\n'));
    }
}

static void what_is_too_large_is_refused(void **state)
{
    char text[PREDICATE_TEXT + 100] = "A = dcache_miss and ";
    struct expr_error e;
    struct predicate d;
    int k;

    (void)state;
    for (k = 0; k < 200; k++)
        strcat(text, "(");
    assert_false(predicate_parse(&d, text, &e));
    assert_non_null(strstr(e.why, "too many parentheses"));
    strcpy(text, "A = dcache_miss and user");
    for (k = 0; k < 40; k++)
        strcat(text, " and user");
    assert_false(predicate_parse(&d, text, &e));
    assert_non_null(strstr(e.why, "too long"));
    memset(text, ' ', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_false(predicate_parse(&d, text, &e));
    assert_non_null(strstr(e.why, "too long"));
    assert_false(predicate_parse(
        &d, "A234567890123456789012345678901X = dcache_miss", &e));
    assert_non_null(strstr(e.why, "longer than 31"));
}

static void every_owned_event_and_no_other_can_be_a_base(void **state)
{
    char text[100];
    struct expr_error e;
    struct predicate d;

    (void)state;
    for (int id = 0; id < EV_COUNT; id++) {
        bool owned = event_owned((enum event)id) &&
                     event_kind((enum event)id) != KIND_DEFINED;

        snprintf(text, sizeof text, "A = %s and load",
                 event_name((enum event)id));
        assert_int_equal(predicate_parse(&d, text, &e), owned);
        if (owned)
            assert_int_equal(d.base, id);
        else
            assert_int_equal(e.at, 4);
    }
}

static void every_instruction_and_class_has_its_name(void **state)
{
    char text[100];
    struct insn_info g = {0};
    struct predicate d;

    (void)state;
    for (unsigned op = OP_ILLEGAL + 1; op < OP_COUNT; op++) {
        snprintf(text, sizeof text, "A = dcache_miss and op == \"%s\"",
                 isa_op_name((enum op)op));
        define(&d, text);
        for (g.op = 0; g.op < OP_COUNT; g.op++)
            assert_int_equal(predicate_holds(&d, &g), g.op == op);
    }
}

static bool find(const void *arg, const char *name, uint32_t *from,
                 uint32_t *end)
{
    *from = 0x1000;
    *end = 0x1010;
    return strcmp(name, arg) == 0;
}

static void symbols_are_asked_for_by_name(void **state)
{
    struct insn_info in = {.pc = 0x100C}, out = {.pc = 0x1010};
    struct expr_error e;
    struct predicate d;

    (void)state;
    define(&d, "A = dcache_miss and pc in memcpy.part.0");
    assert_false(predicate_resolve(&d, find, "memcpy", &e));
    assert_int_equal(e.at, 26);
    assert_string_equal(e.why, "no such symbol: memcpy.part.0");
    assert_true(predicate_resolve(&d, find, "memcpy.part.0", &e));
    assert_true(predicate_holds(&d, &in));
    assert_false(predicate_holds(&d, &out));
    define(&d, "A = dcache_miss and pc in \"range0\""); /* a function's */
    assert_true(predicate_resolve(&d, find, "range0", &e));
    assert_true(predicate_holds(&d, &in));
}

/* Words of the language in any order: refused with a place inside the text
 * and a line, or true or false of anything. */
static void any_words_end_in_a_verdict(void **state)
{
    static const char *const words[] = {
        "and",         "or",     "not", "(",       ")",     "==",
        "<",           "in",     "pc",  "ea",      "op",    "user",
        "20",          "0x1..9", "0x",  "range0",  "\"a\"", "\"lwz\"",
        "A",           "=",      "..",  "latency", "class", "main",
        "dcache_miss", "cycles", "\"",  "marked",  ">=",    "!=",
        "-",           "#",      "&&",  "||",      "!",     "+",
        "/",           "%",      "&",   "~",       "1..99", "slot",
        "pc",          "(",      ")",   "<<",      "load",  "store",
        "^",           "|",      "*",   "-1",      "0",     "ea",
        "not",         "and",    "or",  "in",      ">",     "3",
        "user",        "level",  "==",  "x",
    };
    uint64_t seed = 1;
    unsigned accepted = 0;
    struct expr_error e;
    struct predicate d;

    (void)state;
    for (int k = 0; k < 200000; k++) {
        char text[600] = "A = dcache_miss and ";
        unsigned n;

        seed = seed * 6364136223846793005u + 1442695040888963407u;
        for (n = (unsigned)(seed >> 60); n; n--) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            strcat(text, words[seed >> 58]);
            strcat(text, " ");
        }
        if (predicate_parse(&d, text, &e)) {
            accepted++;
            predicate_resolve(&d, find, "main", &e);
            predicate_holds(&d, &slow_load);
        } else {
            assert_true(e.at <= strlen(text));
            assert_true(e.why[0] && !strchr(e.why, '\n'));
        }
    }
    assert_in_range(accepted, 500, 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_are_true_of_what_they_say),
        cmocka_unit_test(mistakes_are_pointed_at),
        cmocka_unit_test(what_is_too_large_is_refused),
        cmocka_unit_test(every_owned_event_and_no_other_can_be_a_base),
        cmocka_unit_test(every_instruction_and_class_has_its_name),
        cmocka_unit_test(symbols_are_asked_for_by_name),
        cmocka_unit_test(any_words_end_in_a_verdict),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
