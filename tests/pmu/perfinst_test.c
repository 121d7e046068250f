/* perfinst_test.c - the section .perfinst: figure 16's table parses as
 * it stands, whatever is wrong is refused with a line that names file, group
 * and entry, and what is written reads back the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/markspec/perfinst.h"
#include "tests/lib/world.h"

/* ---- sections made by hand ----------------------------------------------- */

struct bytes {
    unsigned char b[512];
    size_t n;
};

static void word(struct bytes *s, uint32_t w)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        s->b[s->n++] = (unsigned char)(w >> shift);
}

static void group(struct bytes *s, uint32_t second, uint32_t base,
                  uint32_t extent, uint32_t bytes)
{
    word(s, 0x50494E53);
    word(s, second);
    word(s, base);
    word(s, extent);
    word(s, bytes);
}

static void entry(struct bytes *s, uint32_t offset, uint32_t length,
                  uint32_t flags, uint32_t limit)
{
    word(s, offset);
    word(s, length);
    word(s, flags);
    word(s, limit);
}

static bool read_bytes(const struct bytes *s, struct perfinst *p, char why[512])
{
    /* As long as it is and no longer, for whoever watches over memory. */
    unsigned char *exact = malloc(s->n ? s->n : 1);
    bool ok;

    memcpy(exact, s->b, s->n);
    ok = perfinst_read(p, &small_world, exact, s->n, why, 512);
    free(exact);
    return ok;
}

/* Figure 16, each number as the figure has it. */
static void figure_16_parses_as_it_stands(void **state)
{
    static const struct perfinst_entry expected[] = {
        {0x1040 + 0, 120, 0x80000000, 0, false, NULL, {0}}, /* 1602 count */
        {0x1040 + 120, 4, 0x20000000, 0, false, NULL, {0}}, /* 1604 exception */
        {0x1040 + 160, 4, 0x00800000, 0, false, NULL, {0}}, /* 1606 100 cycles
                                                             */
        {0x1040 + 256, 4, 0x02000000, 0, false, NULL, {0}}, /* 1608 trace on */
        {0x1040 + 512, 4, 0x01000000, 0, false, NULL, {0}}, /* 1610 trace off */
    };
    struct bytes s = {.n = 0};
    struct perfinst p = {0};
    struct perfinst_marks m;
    char why[512] = "";

    (void)state;
    group(&s, 0x00010000, 0x1040, 0x300, 5 * 16);
    entry(&s, 0, 120, 0x80000000, 0);
    entry(&s, 120, 4, 0x20000000, 0);
    entry(&s, 160, 4, 0x00800000, 0);
    entry(&s, 256, 4, 0x02000000, 0);
    entry(&s, 512, 4, 0x01000000, 0);
    assert_true(read_bytes(&s, &p, why));
    assert_int_equal(p.count, 5);
    for (int k = 0; k < 5; k++) {
        assert_int_equal(p.entry[k].address, expected[k].address);
        assert_int_equal(p.entry[k].length, expected[k].length);
        assert_int_equal(p.entry[k].flags, expected[k].flags);
        assert_int_equal(p.entry[k].limit, 0);
        assert_false(p.entry[k].data);
    }
    /* 120 bytes are 30 instructions, and four more are marked. */
    assert_true(perfinst_marks(&p, &small_world, &m, why, sizeof why));
    assert_int_equal(m.words, 34);
    assert_int_equal(m.word[29].address, 0x1040 + 116);
    assert_int_equal(m.word[29].indicator, 0x80000000);
    assert_int_equal(m.word[30].address, 0x1040 + 120);
    assert_int_equal(m.word[30].indicator, 0x20000000);
    assert_int_equal(m.word[33].address, 0x1040 + 512);
    perfinst_marks_free(&m);
    perfinst_free(&p);
}

/* One group of one entry, right but for what a case changes. */
struct bad {
    uint32_t magic, second, base, extent, bytes;
    uint32_t offset, length, flags, limit;
    size_t cut; /* bytes of the section, 0: all */
    const char *why;
};

#define RIGHT                                                                  \
    .magic = 0x50494E53, .second = 0x10000, .base = 0x1040, .extent = 0x300,   \
    .bytes = 16, .length = 8, .flags = 0x80000000
#define G "prog: .perfinst, group 1: "
#define E "prog: .perfinst, group 1, entry 1: "

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Winitializer-overrides"
#endif
static const struct bad bads[] = {
    {RIGHT, .why = NULL},
    {RIGHT, .cut = 19, .why = G "ends inside its header"},
    {RIGHT, .cut = 35, .why = G "16 bytes of entries, but the section ends"},
    {RIGHT, .magic = 1, .why = G "begins with 0x00000001"},
    {RIGHT, .second = 0x20000, .why = G "version 2, this simrun knows 1"},
    {RIGHT, .second = 0x10003, .why = G "kind 3 is neither code, data nor"},
    {RIGHT, .base = 0x1042, .why = G "its base 0x1042 is no instruction"},
    {RIGHT, .bytes = 8, .why = G "8 bytes of entries, which are 16 each"},
    {RIGHT, .bytes = 32, .why = G "32 bytes of entries, but the section ends"},
    {RIGHT, .bytes = 0xFFFFFFF0, .why = G "4294967280 bytes of entries"},
    {RIGHT, .offset = 2, .why = E "offset 0x2 or length 0x8 is no multiple"},
    {RIGHT, .length = 6, .why = E "offset 0x0 or length 0x6 is no multiple"},
    {RIGHT, .flags = 0x80000002, .why = E "unknown flags 0x2"},
    {RIGHT, .flags = 0x80010000, .why = E "unknown flags 0x10000"},
    {RIGHT, .flags = 0, .why = E "no flags"},
    {RIGHT, .limit = 13, .why = E "a limit of 13 without the flag"},
    {RIGHT, .flags = 0x10000000, .why = E "a limit without a count"},
    {RIGHT, .flags = 0x00100000, .why = E "an exception beyond a threshold"},
    {RIGHT, .flags = 0x80080000, .why = E "LOADS and STORES are for data"},
    {RIGHT, .offset = 0x2FC, .why = E "ends at offset 0x304, but what it is"},
    {RIGHT, .extent = 4, .why = E "ends at offset 0x8, but what it is"},
    {RIGHT, .extent = 0, .offset = 0xFC0, .why = E "0x2000 to 0x2007 is not"},
    {RIGHT, .extent = 0, .base = 0xFFFFFFFC, .why = E "runs past the end of"},
    {RIGHT, .base = 0x8000, .extent = 0,
     .why = E "0x8000 to 0x8007 is not code"},
    {RIGHT, .second = 0x10001, .base = 0x80F9, .extent = 0, .why = E "0x80f9"},
    {RIGHT, .length = 0, .offset = 4, .why = E "length 0 asks for the whole"},
    {RIGHT, .length = 0xFFFFEFBC, .extent = 0, .why = E "0x1040 to 0xfffffffb"},
};
#pragma GCC diagnostic pop

static void what_is_wrong_is_named_with_its_entry(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof bads / sizeof bads[0]; k++) {
        const struct bad *b = &bads[k];
        struct bytes s = {.n = 0};
        struct perfinst p = {0};
        char why[512] = "";
        bool ok;

        word(&s, b->magic);
        word(&s, b->second);
        word(&s, b->base);
        word(&s, b->extent);
        word(&s, b->bytes);
        entry(&s, b->offset, b->length, b->flags, b->limit);
        if (b->cut)
            s.n = b->cut;
        ok = read_bytes(&s, &p, why);
        if (ok != !b->why || (b->why && strncmp(why, b->why, strlen(b->why))))
            fail_msg("case %zu: \"%s\" instead of \"%s\"", k, why,
                     b->why ? b->why : "no complaint");
        assert_null(strchr(why, '\n'));
        perfinst_free(&p);
    }
}

static void entries_that_overlap_are_refused_within_a_group_only(void **state)
{
    struct bytes s = {.n = 0};
    struct perfinst p = {0};
    struct perfinst_marks m;
    char why[512] = "";

    (void)state;
    group(&s, 0x10000, 0x1040, 0x300, 32);
    entry(&s, 0, 16, 0x80000000, 0);
    entry(&s, 12, 8, 0x40000000, 0);
    assert_false(read_bytes(&s, &p, why));
    assert_string_equal(why,
                        "prog: .perfinst, group 1, entry 2: begins at offset "
                        "0xc, inside or before the entry before it, which "
                        "ends at 0x10; put them in order, or into two groups");
    perfinst_free(&p);

    s.n = 0;
    group(&s, 0x10000, 0x1040, 0x300, 16);
    entry(&s, 0, 16, 0x80000000, 0);
    group(&s, 0x10000, 0x1040, 0, 16);
    entry(&s, 12, 8, 0x50000000 | 0x80000000, 13);
    assert_true(read_bytes(&s, &p, why));
    assert_true(perfinst_marks(&p, &small_world, &m, why, sizeof why));
    assert_int_equal(m.words, 5);
    assert_int_equal(m.word[2].indicator, 0x80000000);
    assert_int_equal(m.word[3].indicator, 0xD0000000); /* joined */
    assert_int_equal(m.word[3].limit, 13);
    perfinst_marks_free(&m);

    /* Two limits for a word cannot both be. */
    group(&s, 0x10000, 0x1040, 0, 16);
    entry(&s, 12, 4, 0x90000000, 20);
    perfinst_free(&p);
    assert_true(read_bytes(&s, &p, why));
    assert_false(perfinst_marks(&p, &small_world, &m, why, sizeof why));
    assert_string_equal(why, "prog: 0x104c is marked with two limits, 13 and "
                             "20, keep one");
    perfinst_free(&p);
}

/* Length 0: by the symbol table. */
static void whole_functions_and_objects_are_looked_up(void **state)
{
    struct bytes s = {.n = 0};
    struct perfinst p = {0};
    char why[512] = "";

    (void)state;
    group(&s, 0x10000, 0x1000, 0, 16);
    entry(&s, 0, 0, 0x80000000, 0);
    group(&s, 0x10001, 0x8000, 0, 16);
    entry(&s, 0x41, 0, 0x80000000, 0);
    assert_true(read_bytes(&s, &p, why));
    assert_int_equal(p.entry[0].length, 0x40);
    assert_int_equal(p.entry[1].address, 0x8041);
    assert_int_equal(p.entry[1].length, 1);
    assert_true(p.entry[1].data);
    perfinst_free(&p);
}

/* Eight of each are all there are; one that is named again is no ninth. */
static void a_range_named_twice_is_one(void **state)
{
    struct perfinst p = {0};
    struct perfinst_marks m;
    struct perfinst_error e;
    char text[2][PERFINST_RANGES_MAX + 1][40], why[512];

    (void)state;
    for (unsigned data = 0; data < 2; data++)
        for (unsigned k = 0; k <= PERFINST_RANGES_MAX; k++)
            snprintf(text[data][k], sizeof text[data][k], "0x%x..0x%x",
                     (data ? 0x8000 : 0x1000) + 4 * k,
                     (data ? 0x8080 : 0x1080));
    for (unsigned k = 0; k < 4 * PERFINST_RANGES_MAX; k++)
        assert_true(perfinst_parse_range(
            &p, &small_world, text[k & 1][k / 2 % PERFINST_RANGES_MAX], k & 1,
            &e));
    assert_true(perfinst_marks(&p, &small_world, &m, why, sizeof why));
    assert_int_equal(m.ranges, 2 * PERFINST_RANGES_MAX);
    for (unsigned k = 0; k < m.ranges; k++) {
        assert_int_equal(m.range[k].data, k & 1);
        assert_int_equal(m.range[k].low, (k & 1 ? 0x8000 : 0x1000) + k / 2 * 4);
    }
    perfinst_marks_free(&m);
    assert_true(perfinst_parse_range(&p, &small_world,
                                     text[1][PERFINST_RANGES_MAX], true, &e));
    assert_false(perfinst_marks(&p, &small_world, &m, why, sizeof why));
    assert_string_equal(why,
                        "prog: more than 8 ranges of data, take some away");
    perfinst_free(&p);
}

/* ---- there and back ------------------------------------------------------ */

static uint32_t roll(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

static bool same_marks(const struct perfinst_marks *a,
                       const struct perfinst_marks *b)
{
    bool same = a->words == b->words && a->ranges == b->ranges;

    for (size_t k = 0; same && k < a->words; k++)
        same = a->word[k].address == b->word[k].address &&
               a->word[k].indicator == b->word[k].indicator &&
               a->word[k].limit == b->word[k].limit &&
               a->word[k].data == b->word[k].data;
    for (unsigned k = 0; same && k < a->ranges; k++)
        same = a->range[k].low == b->range[k].low &&
               a->range[k].high == b->range[k].high &&
               a->range[k].data == b->range[k].data;
    return same;
}

/* Random marks, written and read again, are the same words and ranges. */
static void what_is_written_reads_back(void **state)
{
    uint64_t seed = 5;

    (void)state;
    for (int run = 0; run < 2000; run++) {
        struct perfinst p = {0}, q = {0};
        struct perfinst_marks m, n;
        unsigned char *bytes;
        size_t size;
        char why[512] = "";

        for (unsigned k = roll(&seed) % 20; k; k--) {
            bool data = roll(&seed) % 3 == 0;
            struct perfinst_entry e = {
                .address = data ? 0x8000 + roll(&seed) % 0x80
                                : 0x1000 + roll(&seed) % 0x200 * 4,
                .length =
                    data ? 1 + roll(&seed) % 60 : 4 + roll(&seed) % 30 * 4,
                .flags = 1u << (31 - roll(&seed) % 11),
                .data = data};

            e.flags |= e.flags & PERFINST_LIMIT ? PERFINST_COUNT : 0;
            e.limit = e.flags & PERFINST_LIMIT ? 13 : 0;
            if (k < 4)
                e.flags |= PERFINST_RANGE;
            perfinst_add(&p, &e);
        }
        assert_true(perfinst_marks(&p, &small_world, &m, why, sizeof why));
        assert_true(
            perfinst_write(&p, &small_world, &bytes, &size, why, sizeof why));
        if (!perfinst_read(&q, &small_world, bytes, size, why, sizeof why))
            fail_msg("%s", why);
        assert_true(perfinst_marks(&q, &small_world, &n, why, sizeof why));
        assert_true(same_marks(&m, &n));
        perfinst_marks_free(&m);
        perfinst_marks_free(&n);
        perfinst_free(&p);
        perfinst_free(&q);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_16_parses_as_it_stands),
        cmocka_unit_test(what_is_wrong_is_named_with_its_entry),
        cmocka_unit_test(entries_that_overlap_are_refused_within_a_group_only),
        cmocka_unit_test(whole_functions_and_objects_are_looked_up),
        cmocka_unit_test(a_range_named_twice_is_one),
        cmocka_unit_test(what_is_written_reads_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
