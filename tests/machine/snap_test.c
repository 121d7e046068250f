/* snap_test.c - numbers and sections through a stream and back, and every way
 * in which a stream is not the one expected (lib/base/snap.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/snap.h"

enum colour { RED, GREEN, BLUE };

struct sample {
    bool on;
    uint8_t small;
    uint16_t middle;
    int number;
    uint64_t large;
    uint16_t list[3];
    enum colour colour;
    unsigned size; /* of the setup */
    void *self;
};

static void inner_state(struct snap *s, struct sample *x)
{
    snap_begin(s, "inner", 1);
    SNAP(s, x->large);
    snap_end(s);
}

static bool sample_state(struct snap *s, struct sample *x, uint32_t version)
{
    snap_begin(s, "sample", version);
    SNAP_SAME(s, x->size);
    SNAP(s, x->on);
    SNAP(s, x->small);
    inner_state(s, x);
    SNAP(s, x->middle);
    SNAP(s, x->number);
    SNAP_ARRAY(s, x->list);
    SNAP_BELOW(s, x->colour, BLUE + 1);
    SNAP_SKIP(s, x->self, "where the host has it");
    return snap_end(s);
}

static const struct sample full = {
    .on = true,
    .small = 200,
    .middle = 0xFEDC,
    .number = -7,
    .large = UINT64_C(0x0123456789ABCDEF),
    .list = {1, 0, 65535},
    .colour = BLUE,
    .size = 9,
};

static struct snap saved(const struct sample *x)
{
    struct sample copy = *x;
    struct snap s;

    snap_save(&s);
    assert_true(sample_state(&s, &copy, 1));
    assert_true(snap_finish(&s));
    return s;
}

static void comes_back(void **state)
{
    struct snap s = saved(&full), l;
    struct sample x = {.size = 9};

    (void)state;
    x.self = &x;
    snap_load(&l, s.out.byte, s.out.size);
    assert_true(sample_state(&l, &x, 1));
    assert_true(snap_finish(&l));
    assert_true(x.on);
    assert_int_equal(x.small, 200);
    assert_int_equal(x.middle, 0xFEDC);
    assert_int_equal(x.number, -7);
    assert_true(x.large == full.large);
    assert_memory_equal(x.list, full.list, sizeof x.list);
    assert_int_equal(x.colour, BLUE);
    assert_ptr_equal(x.self, &x);
    snap_free(&s);
}

/* Loading `size` of these bytes fails with a line that ends so. */
static void refuses(const void *bytes, size_t size, uint32_t version,
                    const char *end)
{
    struct sample x = {.size = 9};
    struct snap s;

    snap_load(&s, bytes, size);
    sample_state(&s, &x, version);
    assert_false(snap_finish(&s));
    assert_true(strlen(s.why) > strlen(end));
    assert_string_equal(s.why + strlen(s.why) - strlen(end), end);
}

static void another_setup_or_version(void **state)
{
    struct sample other = full;
    struct snap s = saved(&full), t;

    (void)state;
    refuses(s.out.byte, s.out.size, 2,
            "section sample: it is of version 1, this simrun has 2");
    other.size = 10;
    t = saved(&other);
    refuses(t.out.byte, t.out.size, 1,
            "section sample: x->size is 10 there and 9 here");
    snap_free(&s);
    snap_free(&t);
}

/* A number out of its range is refused though the sum is right. */
static void a_value_out_of_range(void **state)
{
    struct sample x = full;
    struct snap s;
    uint8_t two = 2;

    (void)state;
    snap_save(&s);
    snap_begin(&s, "sample", 1);
    SNAP(&s, x.size);
    SNAP(&s, x.on);
    assert_true(snap_end(&s));
    s.out.byte[s.out.size - 10] = two; /* in front of ']' and the sum */
    refuses(s.out.byte, s.out.size, 1,
            "section sample: x->on is 2, not below 2: damaged");
    snap_free(&s);

    x.colour = (enum colour)3;
    snap_save(&s);
    assert_false(sample_state(&s, &x, 1));
    assert_non_null(strstr(s.why, "x->colour is 3, not below 3"));
    snap_free(&s);
}

/* Each byte wrong, each length too short. */
static void every_byte_counts(void **state)
{
    struct snap s = saved(&full);
    struct sample x;
    struct snap l;

    (void)state;
    for (size_t n = 0; n < s.out.size; n++) {
        s.out.byte[n] ^= 0x10;
        x = (struct sample){.size = 9};
        snap_load(&l, s.out.byte, s.out.size);
        sample_state(&l, &x, 1);
        assert_false(snap_finish(&l));
        assert_true(*l.why);
        s.out.byte[n] ^= 0x10;

        x = (struct sample){.size = 9};
        snap_load(&l, s.out.byte, n);
        sample_state(&l, &x, 1);
        assert_false(snap_finish(&l));
    }
    pack_room(&s.out, 1);
    s.out.byte[s.out.size] = 0;
    refuses(s.out.byte, s.out.size + 1, 1, "bytes follow its last section");
    refuses("simrun", 6, 1, "it was not written by this version of simrun");
    snap_free(&s);
}

static void damage_names_the_inner_section(void **state)
{
    struct snap s = saved(&full);
    uint8_t *large = memchr(s.out.byte, 0xEF, s.out.size);

    (void)state;
    assert_non_null(large);
    *large ^= 1;
    refuses(s.out.byte, s.out.size, 1,
            "section sample/inner: its sum is wrong: damaged");
    snap_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),
        cmocka_unit_test(another_setup_or_version),
        cmocka_unit_test(a_value_out_of_range),
        cmocka_unit_test(every_byte_counts),
        cmocka_unit_test(damage_names_the_inner_section),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
