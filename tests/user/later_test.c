/* later_test.c - what somebody outside adds to a page of a user program that
 * the program has not touched: the page does not come for it, has it when it
 * comes, shows it to a debugger before, and loses it with its mapping. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

#include "sim/user/abi.h"
#include "sim/user/mm/deferred_write.h"

#define AT 0x10000000u

static void nothing(void *arg)
{
    (void)arg;
}

static void no_bytes(void *arg, pa_t pa, unsigned size)
{
    (void)arg;
    (void)pa;
    (void)size;
}

struct fixture {
    struct ram ram;
    struct space space;
};

static void begin(struct fixture *f)
{
    const char *why;

    *f = (struct fixture){0};
    assert_true(ram_init(&f->ram, 8u << 20, &why));
    f->space.changed = nothing;
    f->space.stored = f->space.loaded = no_bytes;
    assert_true(space_init(&f->space, &f->ram));
    assert_int_equal(space_map(&f->space, AT, 4 * ABI_PAGE,
                               SPACE_READ | SPACE_WRITE, false, -1, 0),
                     0);
}

static void end(struct fixture *f)
{
    space_free(&f->space);
    ram_free(&f->ram);
}

static uint8_t peek(struct fixture *f, ea_t at)
{
    uint8_t byte = 0;

    assert_true(space_peek(&f->space, at, &byte, 1));
    return byte;
}

static void a_page_has_it_when_it_comes(void **state)
{
    struct fixture f;
    pa_t pa;

    (void)state;
    begin(&f);
    *deferred_write_bytes(&f.space, AT + 5) = 7;
    *deferred_write_bytes(&f.space, AT + ABI_PAGE) = 8;
    (*deferred_write_bytes(&f.space, AT + 5))++;
    assert_false(space_frame(&f.space, AT, &pa));
    assert_int_equal(peek(&f, AT + 5), 8);
    assert_int_equal(peek(&f, AT + 4), 0);
    assert_int_equal(space_fault(&f.space, AT + 100, SPACE_READ), FAULT_FIXED);
    assert_true(space_frame(&f.space, AT + 5, &pa));
    assert_int_equal(f.ram.bytes[pa], 8);
    assert_null(deferred_write_find(&f.space, AT));
    assert_non_null(deferred_write_find(&f.space, AT + ABI_PAGE));
    assert_int_equal(peek(&f, AT + ABI_PAGE), 8);
    end(&f);
}

/* The first touch may be the system's. */
static void it_is_below_what_is_stored_later(void **state)
{
    struct fixture f;
    uint8_t byte = 1, both[2];

    (void)state;
    begin(&f);
    memset(deferred_write_bytes(&f.space, AT), 9, 2);
    assert_true(space_write(&f.space, AT + 1, &byte, 1));
    assert_true(space_read(&f.space, AT, both, 2));
    assert_int_equal(both[0], 9);
    assert_int_equal(both[1], 1);
    end(&f);
}

static void it_goes_and_moves_with_its_mapping(void **state)
{
    struct fixture f;
    ea_t to = AT + 64 * ABI_PAGE;

    (void)state;
    begin(&f);
    for (ea_t n = 0; n < 4; n++)
        *deferred_write_bytes(&f.space, AT + n * ABI_PAGE) = (uint8_t)(n + 1);
    assert_int_equal(space_discard(&f.space, AT, ABI_PAGE), 0);
    assert_int_equal(peek(&f, AT), 0);
    assert_int_equal(space_unmap(&f.space, AT + ABI_PAGE, ABI_PAGE), 0);
    assert_null(deferred_write_bytes(&f.space, AT + ABI_PAGE));
    assert_int_equal(space_move(&f.space, AT + 2 * ABI_PAGE, to, ABI_PAGE), 0);
    assert_int_equal(peek(&f, to), 3);
    assert_null(deferred_write_find(&f.space, AT + 2 * ABI_PAGE));
    assert_int_equal(peek(&f, AT + 3 * ABI_PAGE), 4);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_has_it_when_it_comes),
        cmocka_unit_test(it_is_below_what_is_stored_later),
        cmocka_unit_test(it_goes_and_moves_with_its_mapping),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
