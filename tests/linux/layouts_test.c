/* layouts_test.c - which shared objects an address space has: what is mapped
 * over others takes their place, a copy goes its own way, and one that ended
 * has none (sim/tasks/layouts.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "sim/tasks/layouts.h"

#define MM 0xC1000000u
#define CHILD 0xC1000200u

static void map(struct task_layouts *l, uint32_t mm, uint32_t object,
                uint32_t address, uint32_t size)
{
    struct task_mapping m = {object, address, size, 0};

    task_layouts_map(l, mm, &m);
}

/* The objects of mm are those, which 0 ends. */
static void expect(const struct task_layouts *l, uint32_t mm,
                   const uint32_t *objects)
{
    const struct task_layout *k = task_layouts_of(l, mm);
    size_t n = 0;

    for (; objects[n]; n++) {
        assert_non_null(k);
        assert_in_range(n, 0, k->count - 1);
        assert_int_equal(k->map[n].object, objects[n]);
    }
    assert_int_equal(k ? k->count : 0, n);
}

static void what_lies_over_others_takes_their_place(void **state)
{
    struct task_layouts l = {.count = 0};

    (void)state;
    expect(&l, MM, (const uint32_t[]){0});
    map(&l, MM, 1, 0x1000, 0x1000);
    map(&l, MM, 2, 0x2000, 0x2000); /* begins where 1 ends */
    map(&l, MM, 3, 0x0000, 0x1000); /* ends where 1 begins */
    map(&l, MM, 4, 0xFFFFF000u, 0x1000);
    expect(&l, MM, (const uint32_t[]){1, 2, 3, 4, 0});
    map(&l, MM, 5, 0x1FFF, 2); /* the last byte of 1, the first of 2 */
    expect(&l, MM, (const uint32_t[]){3, 4, 5, 0});
    task_layouts_close(&l);
}

static void every_mapping_is_another_version(void **state)
{
    struct task_layouts l = {.count = 0};
    uint32_t first;

    (void)state;
    map(&l, MM, 1, 0x1000, 0x1000);
    first = task_layouts_of(&l, MM)->version;
    assert_int_not_equal(first, 0);
    map(&l, MM, 1, 0x1000, 0x1000);
    assert_int_not_equal(task_layouts_of(&l, MM)->version, first);
    task_layouts_close(&l);
}

static void a_copy_goes_its_own_way(void **state)
{
    struct task_layouts l = {.count = 0};

    (void)state;
    map(&l, CHILD, 9, 0x9000, 0x1000); /* of an earlier one, there */
    map(&l, MM, 1, 0x1000, 0x1000);
    map(&l, MM, 2, 0x2000, 0x1000);
    task_layouts_copy(&l, MM, CHILD);
    expect(&l, CHILD, (const uint32_t[]){1, 2, 0});
    assert_int_equal(task_layouts_of(&l, CHILD)->version,
                     task_layouts_of(&l, MM)->version);
    map(&l, CHILD, 3, 0x3000, 0x1000);
    expect(&l, CHILD, (const uint32_t[]){1, 2, 3, 0});
    expect(&l, MM, (const uint32_t[]){1, 2, 0});
    task_layouts_forget(&l, MM);
    expect(&l, MM, (const uint32_t[]){0});
    expect(&l, CHILD, (const uint32_t[]){1, 2, 3, 0});
    task_layouts_copy(&l, MM, CHILD); /* of one that has none */
    expect(&l, CHILD, (const uint32_t[]){0});
    task_layouts_close(&l);
}

static void many_copies_are_apart(void **state)
{
    struct task_layouts l = {.count = 0};

    (void)state;
    for (uint32_t n = 1; n < 300; n++) {
        map(&l, n, n, 0x1000, 0x1000);
        task_layouts_copy(&l, n, n + 1000);
        map(&l, n + 1000, n + 1, 0x5000, 0x1000);
    }
    for (uint32_t n = 1; n < 300; n++) {
        expect(&l, n, (const uint32_t[]){n, 0});
        expect(&l, n + 1000, (const uint32_t[]){n, n + 1, 0});
    }
    task_layouts_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_lies_over_others_takes_their_place),
        cmocka_unit_test(every_mapping_is_another_version),
        cmocka_unit_test(a_copy_goes_its_own_way),
        cmocka_unit_test(many_copies_are_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
