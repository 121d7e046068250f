/* expr_engine_test.c - the expression engine by a language of its own: an
 * animal, with a size, a place, a kind, a name, and a list of what it eats.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/expr/expr.h"
#include "lib/expr/tree.h"

enum { SIZE, PLACE, TAME, KIND, NAME, AGE, ATOMS };

struct animal {
    int64_t size, place, kind;
    bool tame;
    const char *name, *eats;
};

static const char *const kinds[] = {"bird", "fish"};

static const struct expr_atom atoms[ATOMS] = {
    [SIZE] = {.name = "size", .type = EXPR_NUMBER},
    [PLACE] = {.name = "place", .type = EXPR_NUMBER, .address = true},
    [TAME] = {.name = "tame", .type = EXPR_TRUTH},
    [KIND] = {.name = "kind",
              .type = EXPR_CHOICE,
              .what = "kind of animal",
              .rows = kinds,
              .count = 2},
    [NAME] = {.name = "name", .type = EXPR_TEXT},
    [AGE] = {.name = "age", .type = EXPR_NUMBER}, /* always missing */
};

static struct expr_value value(const void *about, size_t atom)
{
    const struct animal *a = about;
    struct expr_value v = {.there = atom != AGE};

    switch (atom) {
    case SIZE:
        v.number = a->size;
        break;
    case PLACE:
        v.number = a->place;
        break;
    case TAME:
        v.number = a->tame;
        break;
    case KIND:
        v.number = a->kind;
        break;
    case NAME:
        v.text = a->name;
        break;
    }
    return v;
}

static struct expr_value eats(const void *about, const char *text)
{
    const struct animal *a = about;

    return (struct expr_value){.there = true,
                               .number = strstr(a->eats, text) != NULL};
}

/* The pond is from 100, before 200. */
static struct expr_value in_place(const void *about, size_t atom,
                                  const char *place, bool quoted)
{
    int64_t at = value(about, atom).number;

    return (struct expr_value){.there = true,
                               .number = !strcmp(place, "po.nd") && !quoted &&
                                         at >= 100 && at < 200};
}

static bool unknown(const char *word, char why[EXPR_WHY])
{
    snprintf(why, EXPR_WHY, "%s is a plant", word);
    return !strcmp(word, "oak");
}

/* Truth and numbers apart, as for --event. */
static const struct expr_language strict = {
    .noun = "trait",
    .atom = atoms,
    .atoms = ATOMS,
    .truth = EXPR_TRUTH,
    .largest = 1000000,
    .nodes = 40,
    .no_list = "nothing is eaten here",
    .places = "a pond",
    .unknown = unknown,
    .value = value,
    .in_place = in_place,
};

/* Truth is 1 or 0, as for --filters. */
static const struct expr_language loose = {
    .noun = "trait",
    .atom = atoms,
    .atoms = ATOMS,
    .truth = EXPR_NUMBER,
    .largest = INT64_MAX,
    .list = "diet",
    .no_places = "there is no pond",
    .value = value,
    .in_list = eats,
};

static const struct animal trout = {
    .size = 40, .place = 120, .kind = 2, .name = "Tina", .eats = "fly worm"};

static bool holds(const struct expr_language *l, const char *text)
{
    struct expr_error error;
    struct expr *e = expr_parse(l, text, 0, &error);
    bool is;

    if (!e)
        fail_msg("%s: %zu: %s", text, error.at, error.why);
    is = expr_holds(e, &trout);
    expr_free(e);
    return is;
}

/* What every language says. Each line holds. */
static const char *const common[] = {
    "size == 40",
    "size > 39 and size >= 40 and size < 41 and size <= 40 and size != 39",
    "size > 39 && size < 41",
    "size == 1 or size == 40",
    "size == 1 || size == 40",
    "not size == 1",
    "!(size == 1)",
    "not not size == 40",
    "size == 40 or size == 1 and size == 2", /* and binds tighter */
    "not size == 1 and size == 40",          /* than or, not than and */
    "not (size == 1 and size == 40)",
    "1 + 2 * 3 == 7 and (1 + 2) * 3 == 9 and 10 - 3 - 2 == 5",
    "7 / 2 == 3 and 7 % 4 == 3",
    "1 << 4 | 1 == 17 and 0x1F & 6 == 6 and 6 ^ 3 == 5",
    "-2 < 1 and - -2 == 2 and ~0 == -1 and 1 >> 70 == 0",
    "not (1 / 0 == 0) and not 1 / 0 != 0", /* missing */
    "not age == 1 and not age != 1 and not age + 1 > 0 and not -age < 5",
    "not age in 0..10",
    "kind == \"fish\" and kind != \"bird\"",
    "\"fish\" == kind",
    "name == \"Tina\" and \"tina\" != name",
    "\"a\" == \"a\" and \"a\" != \"b\"",
    "size in 40..41 and not size in 39..40 and not size in 41..50",
    "size - 30 in 10..11",
    "(size)in 0..0x100 and place==120",
};

static void both_spellings_mean_the_same_everywhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
        if (!holds(&strict, common[i]))
            fail_msg("strict: %s", common[i]);
        if (!holds(&loose, common[i]))
            fail_msg("loose: %s", common[i]);
    }
    assert_true(holds(&strict, "not tame and place in po.nd"));
    assert_true(holds(&strict, "!tame && !(place in \"po.nd\")"));
    assert_true(holds(&loose, "\"fly\" in diet and !\"cat\" in diet"));
    assert_true(holds(&loose, "!tame == 1 && (size > 1) + 1 == 2 && size"));
    assert_true(holds(&loose, "1 < size < 2")); /* as in C */
}

/* A language, a text, where it is wrong, what is said. */
static const struct {
    const struct expr_language *l;
    const char *text;
    size_t at;
    const char *why;
} bad[] = {
    {&strict, "", 0, "something is missing at the end"},
    {&strict, "size >", 6, "something is missing at the end"},
    {&strict, "size = 4", 5, "equal is written =="},
    {&strict, "tame tame", 5, "belongs to nothing before it"},
    {&strict, "(tame", 0, "never closes"},
    {&strict, "tame)", 4, "closes nothing"},
    {&strict, "syze == 1", 0, "no such trait: syze; did you mean size?"},
    {&strict, "qqqqqq == 1", 0,
     "no such trait: qqqqqq; known: size place tame kind name age"},
    {&strict, "tame and oak", 9, "oak is a plant"},
    {&strict, "size == 12ab", 10, "belongs to no number"},
    {&strict, "size == 1.5", 9, "belongs to no number"},
    {&strict, "size == 0x", 9, "belongs to no number"},
    {&strict, "size == 1000001", 8, "too large"},
    {&loose, "size == 99999999999999999999", 8, "too large"},
    {&strict, "name == \"x", 8, "has no end"},
    {&strict, "name < \"x\"", 5, "== and != only"},
    {&strict, "kind < \"fish\"", 5, "== and != only"},
    {&strict, "kind == \"fisch\"", 8, "no such kind of animal: fisch"},
    {&strict, "kind == fish", 8, "in quotes should stand here: \"fish\""},
    {&strict, "kind == name", 8, "in quotes"},
    {&strict, "kind == 2", 5, "text on one side, a number on the other"},
    {&strict, "name == tame", 5, "text on one side, what is true or not"},
    {&strict, "name", 0, "text alone is no condition"},
    {&loose, "size and name", 5, "text alone is no condition"},
    {&strict, "size", 0, "a number alone is no condition"},
    {&strict, "tame and size", 5, "a number alone is no condition"},
    {&strict, "size and tame", 0, "a number alone is no condition"},
    {&strict, "not size", 4, "a number alone is no condition"},
    {&strict, "tame == 1", 5, "a number on both sides"},
    {&strict, "1 < size < 3", 9, "a number on both sides"},
    {&strict, "-tame", 0, "wants a number, not what is true or not"},
    {&loose, "-name == 1", 0, "wants a number, not text"},
    {&loose, "!name", 0, "text alone is no condition"},
    {&loose, "1 + not tame", 4, "\"not\" wants parentheses here"},
    {&strict, "size in", 7,
     "two numbers with two dots between them, or a pond should stand here"},
    {&loose, "size in", 7,
     "two numbers with two dots between them should stand here"},
    {&strict, "size in 1", 9, "two dots and a number"},
    {&strict, "size in 1..", 11, "a number should stand here"},
    {&strict, "size in 9..9", 8, "nothing lies between"},
    {&strict, "size in po.nd", 8, "only an address can be in a place"},
    {&strict, "place + 1 in po.nd", 13, "only an address can be in a place"},
    {&strict, "place in \"\"", 10, "the name is empty"},
    {&strict, "tame in 1..2", 5, "wants a number, not what is true"},
    {&loose, "name in 1..2", 5, "wants a number, not text"},
    {&loose, "!size in 1..2", 6, "wants parentheses around what is in"},
    {&loose, "size in 1..2 in 0..1", 13, "wants parentheses around"},
    {&loose, "place in pond", 9, "there is no pond"},
    {&strict, "\"fly\" in diet", 6, "nothing is eaten here"},
    {&loose, "\"fly\" in diets", 9, "\"in\" wants \"diet\" here"},
    {&loose, "size == $", 8, "a trait, a number or text should stand here"},
};

static void mistakes_are_pointed_at(void **state)
{
    struct expr_error error;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (expr_parse(bad[i].l, bad[i].text, 0, &error))
            fail_msg("%s is not refused", bad[i].text);
        if (error.at != bad[i].at || !strstr(error.why, bad[i].why))
            fail_msg("%s: %zu: %s", bad[i].text, error.at, error.why);
    }
}

/* Behind something else: places are those of the whole text. */
static void an_expression_can_begin_inside_a_text(void **state)
{
    struct expr_error error;
    struct expr *e = expr_parse(&strict, "x = 1 and size == 40", 9, &error);

    (void)state;
    assert_non_null(e);
    assert_true(expr_holds(e, &trout));
    assert_true(expr_only(e, "size"));
    assert_false(expr_only(e, "place"));
    assert_int_equal(e->node[e->root].at, 15);
    expr_free(e);
    assert_null(expr_parse(&strict, "x = 1 and oak", 9, &error));
    assert_int_equal(error.at, 10);
}

static void depth_and_nodes_have_an_end(void **state)
{
    static const char *const nested[] = {"(", "!", "-", "not ", "1+("};
    struct expr_error error;
    char text[8001];

    (void)state;
    for (size_t k = 0; k < sizeof nested / sizeof *nested; k++) {
        text[0] = '\0';
        for (int i = 0; i < 1000; i++)
            strcat(text, nested[k]);
        assert_null(expr_parse(&loose, text, 0, &error));
        assert_string_equal(error.why, "too many parentheses");
    }
    strcpy(text, "tame");
    for (int i = 1; i < 20; i++)
        strcat(text, " or tame");
    expr_free(expr_parse(&strict, text, 0, &error)); /* 39 nodes */
    strcat(text, " or tame");
    assert_null(expr_parse(&strict, text, 0, &error));
    assert_string_equal(error.why, "the expression is too long");
}

static void a_mistake_is_shown_in_its_text(void **state)
{
    struct expr_error error = {.at = 5, .why = "equal is written =="};
    char out[400], text[201];

    (void)state;
    expr_show("size\t= 4", &error, out, sizeof out);
    assert_string_equal(out, "equal is written ==\n  size = 4\n       ^");
    memset(text, 'a', 200);
    text[200] = '\0';
    text[100] = 'b';
    error.at = 100;
    expr_show(text, &error, out, sizeof out);
    assert_int_equal(strchr(strrchr(out, '\n'), '^') - strrchr(out, '\n'),
                     strchr(strchr(out, '\n'), 'b') - strchr(out, '\n'));
    assert_true(strlen(out) < 150);
    error.at = 200;
    expr_show(text, &error, out, 30); /* cut, not overrun */
    assert_int_equal(strlen(out), 29);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_spellings_mean_the_same_everywhere),
        cmocka_unit_test(mistakes_are_pointed_at),
        cmocka_unit_test(an_expression_can_begin_inside_a_text),
        cmocka_unit_test(depth_and_nodes_have_an_end),
        cmocka_unit_test(a_mistake_is_shown_in_its_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
