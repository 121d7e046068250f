/* iomap_test.c - the right device gets the right offset, or nobody answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sim/mem/iomap.h"

struct seen {
    struct io_access last;
    uint32_t stored;
    unsigned count;
};

static bool seen_load(void *dev, const struct io_access *a, uint32_t *value)
{
    struct seen *s = dev;

    s->last = *a;
    s->count++;
    *value = 0x100 + a->offset;
    return true;
}

static bool seen_store(void *dev, const struct io_access *a, uint32_t value)
{
    struct seen *s = dev;

    s->last = *a;
    s->count++;
    s->stored = value;
    return value != 13; /* a value it refuses */
}

static struct seen one, two, top;
static struct iomap map;

static int start(void **state)
{
    (void)state;
    one = two = top = (struct seen){0};
    map = (struct iomap){0};
    iomap_attach(
        &map, (struct io_region){0xFE000000, 8, &one, seen_load, seen_store});
    iomap_attach(&map,
                 (struct io_region){0xFE000008, 4, &two, seen_load, NULL});
    iomap_attach(&map,
                 (struct io_region){0xFFFFFFF0, 16, &top, NULL, seen_store});
    return 0;
}

static bool load(pa_t pa, unsigned size, uint32_t *value)
{
    struct io_access a = {.size = size, .cpu = 3, .at = 99};

    return iomap_load(&map, pa, &a, value);
}

static bool store(pa_t pa, unsigned size, uint32_t value)
{
    struct io_access a = {.size = size, .cpu = 3, .at = 99};

    return iomap_store(&map, pa, &a, value);
}

static void an_access_arrives_with_its_offset(void **state)
{
    uint32_t value;

    (void)state;
    assert_true(load(0xFE000005, 1, &value));
    assert_int_equal(value, 0x105);
    assert_int_equal(one.last.offset, 5);
    assert_int_equal(one.last.size, 1);
    assert_int_equal(one.last.cpu, 3);
    assert_int_equal(one.last.at, 99);
    assert_int_equal(two.count, 0);
    assert_true(load(0xFE000008, 4, &value));
    assert_int_equal(two.last.offset, 0);
    assert_int_equal(one.count, 1);
}

static void nobody_answers_beside_a_region(void **state)
{
    uint32_t value;

    (void)state;
    assert_false(load(0xFDFFFFFF, 1, &value));
    assert_false(load(0xFE00000C, 4, &value));
    assert_false(load(0, 4, &value));
    assert_false(store(0xFFFFFFEF, 1, 1));
    assert_int_equal(one.count + two.count + top.count, 0);
}

static void an_access_that_leaves_its_region_is_not_answered(void **state)
{
    uint32_t value;

    (void)state;
    assert_true(load(0xFE000004, 4, &value));
    assert_false(load(0xFE000005, 4, &value));
    assert_false(load(0xFE000007, 2, &value));
    assert_int_equal(one.count, 1);
}

static void the_last_region_of_the_address_space_works(void **state)
{
    (void)state;
    assert_true(store(0xFFFFFFFC, 4, 5));
    assert_int_equal(top.last.offset, 12);
    assert_false(store(0xFFFFFFFD, 4, 5));
}

static void what_a_device_cannot_do_is_not_answered(void **state)
{
    uint32_t value;

    (void)state;
    assert_false(store(0xFE000008, 4, 1)); /* no store function */
    assert_false(load(0xFFFFFFF0, 4, &value));
    assert_false(store(0xFE000000, 4, 13)); /* it says no */
    assert_true(store(0xFE000000, 4, 12));
    assert_int_equal(one.stored, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_access_arrives_with_its_offset, start),
        cmocka_unit_test_setup(nobody_answers_beside_a_region, start),
        cmocka_unit_test_setup(an_access_that_leaves_its_region_is_not_answered,
                               start),
        cmocka_unit_test_setup(the_last_region_of_the_address_space_works,
                               start),
        cmocka_unit_test_setup(what_a_device_cannot_do_is_not_answered, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
