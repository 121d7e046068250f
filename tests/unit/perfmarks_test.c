/* perfmarks_test.c - what was asked for from outside reaches the host unit:
 * every word with its indicator and limit, every range under its number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/perfmarks.h"
#include "tests/lib/mkelf.h"

static const struct mkelf_symbol symbols[] = {
    {"start", 0x1000, 0x40, 2 /* STT_FUNC */, false},
    {"work", 0x1040, 0x300, 2, false},
};

static void open_marks(struct perfmarks *m, const struct perfmarks_options *o)
{
    const char *base = getenv("TMPDIR");
    struct mkelf e = {
        .addr = 0x1000, .size = 0x1000, .symbol = symbols, .symbols = 2};
    struct image image;
    FILE *file;
    char path[512], why[512];

    snprintf(path, sizeof path, "%s/perfmarks.elf", base ? base : "/tmp");
    mkelf_write(path, &e);
    file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, 24, SEEK_SET); /* the entry point */
    fwrite("\0\0\x10\0", 1, 4, file);
    fclose(file);
    if (!image_open(&image, path, why, sizeof why))
        fail_msg("%s", why);
    if (!perfmarks_open(m, o, &image, why, sizeof why))
        fail_msg("%s", why);
    image_close(&image);
    remove(path);
}

static void every_word_reaches_the_host_unit(void **state)
{
    static const struct perfmarks_options o = {
        .count = 3,
        .spec = {{PERFMARKS_MARK, "range:start..work=limit:13"},
                 {PERFMARKS_MARK, "data:0x1800,10=pmu,stores-only"},
                 {PERFMARKS_MARK, "addr:start+8=interrupt"}}};
    struct perfmarks m;
    struct hostmarks host;
    unsigned code = 0, data = 0;

    (void)state;
    open_marks(&m, &o);
    hostmarks_init(&host);
    assert_true(perfmarks_install(&m, &host));
    for (uint32_t ea = 0x1000; ea < 0x2000; ea += 4) {
        struct hostmark *i = hostmarks_block(&host, ea, false);
        struct hostmark *d = hostmarks_block(&host, ea, true);
        unsigned word = ea / 4 % 8;

        code += i && i[word].indicator;
        data += d && d[word].indicator;
        if (i && i[word].indicator) {
            assert_int_equal(i[word].indicator,
                             ea == 0x1008 ? 0xB0000000 : 0x90000000);
            assert_int_equal(i[word].limit, 13);
            assert_true(ea < 0x1040);
        }
        if (d && d[word].indicator) {
            assert_int_equal(d[word].indicator, 0x40040000);
            assert_in_range(ea, 0x1800, 0x1808);
        }
    }
    assert_int_equal(code, 16);
    assert_int_equal(data, 3);
    hostmarks_free(&host);
    perfmarks_close(&m);
}

static void ranges_have_the_numbers_of_their_kind(void **state)
{
    static const struct perfmarks_options o = {
        .count = 3,
        .spec = {{PERFMARKS_DATA_RANGE, "0x1100..0x1180"},
                 {PERFMARKS_RANGE, "work"},
                 {PERFMARKS_RANGE, "start..start+12"}}};
    struct pif_range range[2 * PIF_RANGES] = {{0}};
    struct perfmarks m;

    (void)state;
    open_marks(&m, &o);
    perfmarks_ranges(&m, range);
    assert_int_equal(range[0].low, 0x1040);
    assert_int_equal(range[0].high, 0x1340);
    assert_int_equal(range[1].low, 0x1000);
    assert_int_equal(range[1].high, 0x100C);
    assert_int_equal(range[PIF_RANGES].low, 0x1100);
    assert_int_equal(range[PIF_RANGES].high, 0x1180);
    for (unsigned k = 0; k < 2 * PIF_RANGES; k++)
        assert_int_equal(range[k].on, k < 2 || k == PIF_RANGES);
    perfmarks_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_reaches_the_host_unit),
        cmocka_unit_test(ranges_have_the_numbers_of_their_kind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
