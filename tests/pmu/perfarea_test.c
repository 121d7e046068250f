/* perfarea_test.c - count areas as metadata: groups of kind 2 and the action
 * `area` say the same; what cannot be is refused with a line that names the
 * entry or points at the character; what is written reads back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/markspec/perfinst.h"
#include "tests/lib/world.h"

/* small_world: table is 64 bytes at 0x8000, short_one 4 at 0x8046, and the
 * data that may be written 0x8000 to 0x80FF; code is from 0x1000 on. */
static const struct perfinst_action counting = {PERFINST_COUNT, 0};

static void word(unsigned char **at, uint32_t w)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        *(*at)++ = (unsigned char)(w >> shift);
}

/* One group of kind 2 with an entry, or with two that are alike but for where
 * data and count area are. */
struct group {
    uint32_t base, extent, offset, length, granule, area, unit;
    unsigned entries;
    const char *why; /* behind group and entry; NULL: it is right */
};

#define RIGHT                                                                  \
    .base = 0x8000, .length = 64, .granule = 4, .area = 0x8080, .unit = 1,     \
    .entries = 1

static size_t bytes_of(const struct group *g, unsigned char *b)
{
    unsigned char *at = b;

    word(&at, 0x50494E53);
    word(&at, 0x10002);
    word(&at, g->base);
    word(&at, g->extent);
    word(&at, 20 * g->entries);
    for (unsigned k = 0; k < g->entries; k++) {
        word(&at, g->offset + k * g->length);
        word(&at, g->length);
        word(&at, g->granule);
        word(&at, g->area + k * 0x10);
        word(&at, g->unit);
    }
    return (size_t)(at - b);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Winitializer-overrides"
#endif
static const struct group groups[] = {
    {RIGHT, .why = NULL},
    {RIGHT, .granule = 1, .why = NULL},
    {RIGHT, .granule = 4096, .unit = 4, .why = NULL},
    {RIGHT, .length = 0, .why = NULL}, /* all of table */
    {RIGHT, .length = 32, .granule = 2, .entries = 2, .why = NULL},
    {RIGHT, .granule = 0, .why = "a granularity of 0 bytes"},
    {RIGHT, .granule = 3, .why = "a granularity of 3 bytes"},
    {RIGHT, .granule = 8192, .why = "a granularity of 8192 bytes"},
    {RIGHT, .unit = 0, .why = "count units of 0 bytes"},
    {RIGHT, .unit = 8, .why = "count units of 8 bytes"},
    {RIGHT, .unit = 2, .area = 0x8081, .why = "the count area at 0x8081"},
    {RIGHT, .area = 0x80F1, .why = "the count area, 0x80f1 to 0x8100, is not"},
    {RIGHT, .area = 0x1000, .why = "the count area, 0x1000 to 0x100f, is not"},
    {RIGHT, .area = 0x8046, .unit = 2, .length = 12, .base = 0x80A0,
     .why = "the count area needs 6 bytes, short_one has 4"},
    {RIGHT, .area = 0x8030, .why = "the count area overlaps the data"},
    {RIGHT, .length = 0, .offset = 4, .why = "length 0 asks for the whole"},
    {RIGHT, .length = 0x2000000, .extent = 0, .why = "33554432 bytes of data"},
    {RIGHT, .extent = 60, .why = "ends at offset 0x40, but what it is"},
    {RIGHT, .offset = 0xFC, .length = 16, .why = "0x80fc to 0x810b is not"},
};
#pragma GCC diagnostic pop

static void groups_say_what_is_wrong(void **state)
{
    static const char first[] = "prog: .perfinst, group 1, entry 1: ";

    (void)state;
    for (size_t k = 0; k < sizeof groups / sizeof groups[0]; k++) {
        const struct group *g = &groups[k];
        unsigned char b[128];
        size_t n = bytes_of(g, b);
        struct perfinst p = {0};
        char why[512] = "";
        bool ok = perfinst_read(&p, &small_world, b, n, why, sizeof why);

        if (ok != !g->why ||
            (g->why &&
             (strncmp(why, first, sizeof first - 1) ||
              strncmp(why + sizeof first - 1, g->why, strlen(g->why)))))
            fail_msg("case %zu: \"%s\" instead of \"%s\"", k, why,
                     g->why ? g->why : "no complaint");
        assert_null(strchr(why, '\n'));
        if (ok) {
            assert_int_equal(p.count, g->entries);
            assert_int_equal(p.entry[0].address, 0x8000);
            assert_int_equal(p.entry[0].length, g->length ? g->length : 64);
            assert_int_equal(p.entry[0].flags, 0);
            assert_int_equal(p.entry[0].count.granule, g->granule);
            assert_int_equal(p.entry[0].count.area, g->area);
            assert_int_equal(p.entry[0].count.unit, g->unit);
        }
        perfinst_free(&p);
    }
}

/* Entries are 20 bytes. */
static void groups_end_where_they_say(void **state)
{
    struct group g = {RIGHT};
    unsigned char b[128];
    char why[512] = "";
    struct perfinst p = {0};

    (void)state;
    bytes_of(&g, b);
    assert_false(perfinst_read(&p, &small_world, b, 39, why, sizeof why));
    assert_non_null(strstr(why, "group 1: 20 bytes of entries, but"));
    b[19] = 16;
    assert_false(perfinst_read(&p, &small_world, b, 36, why, sizeof why));
    assert_non_null(strstr(why, "16 bytes of entries, which are 20 each"));
    perfinst_free(&p);
}

static bool parse(struct perfinst *p, const char *text,
                  struct perfinst_error *e)
{
    *e = (struct perfinst_error){0};
    return perfinst_parse(p, &small_world, text, &counting, e);
}

static void words_mean_areas(void **state)
{
    static const struct {
        const char *text;
        uint32_t address, length, granule, area, unit;
    } right[] = {
        {"data:table=area:0x8080", 0x8000, 64, 4, 0x8080, 4},
        {"data:table=area:0x8080:32", 0x8000, 64, 32, 0x8080, 4},
        {"data:table=area:0x8081:1:1", 0x8000, 64, 1, 0x8081, 1},
        {"data:table+5,7=area:short_one:8:2", 0x8005, 7, 8, 0x8046, 2},
        {"data:0x8050,4=area:table+8:1:4", 0x8050, 4, 1, 0x8008, 4},
    };
    struct perfinst_error e;

    (void)state;
    for (size_t k = 0; k < sizeof right / sizeof right[0]; k++) {
        struct perfinst p = {0};

        if (!parse(&p, right[k].text, &e))
            fail_msg("%s: %s", right[k].text, e.why);
        assert_int_equal(p.count, 1);
        assert_int_equal(p.entry[0].address, right[k].address);
        assert_int_equal(p.entry[0].length, right[k].length);
        assert_int_equal(p.entry[0].flags, 0);
        assert_true(p.entry[0].data);
        assert_int_equal(p.entry[0].count.granule, right[k].granule);
        assert_int_equal(p.entry[0].count.area, right[k].area);
        assert_int_equal(p.entry[0].count.unit, right[k].unit);
        perfinst_free(&p);
    }
}

static void mistakes_point_at_their_character(void **state)
{
    static const struct {
        const char *text, *below;
        bool lacking;
    } wrong[] = {
        {"data:table=area:", "                ^", false},
        {"data:table=area", "           ^", false},
        {"data:table=area:nope", "                ^", true},
        {"data:table=area:0x8080:", "                       ^", false},
        {"data:table=area:0x8080:3", "                       ^", false},
        {"data:table=area:0x8080:4:8", "                         ^", false},
        {"data:table=area:0x8080:4:4:4", "                          ^", false},
        {"data:table=area:0x8080,count", "                ^", false},
        {"data:table=count,area:0x8080", "                 ^", false},
        {"func:work=area:0x8080", "          ^", false},
        {"data:table=area:short_one", "     ^", true},
        {"data:table=area:0x8082", "     ^", true},
        {"data:table=area:start", "     ^", true},
    };
    struct perfinst_error e;

    (void)state;
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        struct perfinst p = {0};

        if (parse(&p, wrong[k].text, &e))
            fail_msg("%s is taken", wrong[k].text);
        if (e.at != strlen(wrong[k].below) - 1 || e.lacking != wrong[k].lacking)
            fail_msg("%s: %s, at %zu", wrong[k].text, e.why, e.at);
        perfinst_free(&p);
    }
}

/* The same data in several areas; not one area for several. */
static void areas_have_their_own_units(void **state)
{
    struct perfinst p = {0};
    struct perfinst_marks m;
    struct perfinst_error e;
    char why[512] = "";

    (void)state;
    assert_true(parse(&p, "data:table=area:0x8080:4:1", &e));
    assert_true(parse(&p, "data:table=area:0x8090:32:1", &e));
    assert_true(parse(&p, "data:table=count", &e));
    assert_true(perfinst_marks(&p, &small_world, &m, why, sizeof why));
    assert_int_equal(m.areas, 2);
    assert_int_equal(m.words, 16);
    assert_string_equal(m.area[1].text, "data:table=area:0x8090:32:1");
    perfinst_marks_free(&m);
    assert_true(parse(&p, "data:0x8050,4=area:0x808F:4:1", &e));
    assert_false(perfinst_marks(&p, &small_world, &m, why, sizeof why));
    assert_non_null(strstr(why, "two count areas overlap, at 0x8080 and at "
                                "0x808f"));
    perfinst_free(&p);
    for (uint32_t k = 0; k < 9; k++) {
        char text[8][64];

        snprintf(text[k % 8], 64, "data:table=area:0x%x:64:1",
                 (unsigned)(0x8080 + k));
        assert_true(parse(&p, text[k % 8], &e));
    }
    assert_false(perfinst_marks(&p, &small_world, &m, why, sizeof why));
    assert_string_equal(why, "prog: more than 8 count areas, take some away");
    perfinst_free(&p);
}

static void what_is_written_reads_back(void **state)
{
    struct perfinst p = {0}, q = {0};
    struct perfinst_marks m, n;
    struct perfinst_error e;
    unsigned char *bytes;
    size_t size;
    char why[512] = "";

    (void)state;
    assert_true(parse(&p, "func:work", &e));
    assert_true(parse(&p, "data:table=area:0x8080:4:1", &e));
    assert_true(parse(&p, "data:table+3,20=area:0x8094:1:2", &e));
    assert_true(parse(&p, "data:0x8050,4=area:0x80C0", &e));
    assert_true(perfinst_marks(&p, &small_world, &m, why, sizeof why));
    assert_true(
        perfinst_write(&p, &small_world, &bytes, &size, why, sizeof why));
    if (!perfinst_read(&q, &small_world, bytes, size, why, sizeof why) ||
        !perfinst_marks(&q, &small_world, &n, why, sizeof why))
        fail_msg("%s", why);
    assert_int_equal(m.areas, 3);
    assert_int_equal(n.areas, 3);
    assert_int_equal(n.words, m.words);
    for (unsigned k = 0; k < 3; k++) {
        assert_int_equal(m.area[k].address, n.area[k].address);
        assert_int_equal(m.area[k].length, n.area[k].length);
        assert_memory_equal(&m.area[k].count, &n.area[k].count,
                            sizeof m.area[k].count);
    }
    perfinst_marks_free(&m);
    perfinst_marks_free(&n);
    perfinst_free(&p);
    perfinst_free(&q);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_say_what_is_wrong),
        cmocka_unit_test(groups_end_where_they_say),
        cmocka_unit_test(words_mean_areas),
        cmocka_unit_test(mistakes_point_at_their_character),
        cmocka_unit_test(areas_have_their_own_units),
        cmocka_unit_test(what_is_written_reads_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
