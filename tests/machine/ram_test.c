/* ram_test.c - memory is zero at first and lazy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/mem/ram.h"

#define MIB (UINT32_C(1) << 20)

static struct ram ram;

static int start(void **state)
{
    const char *why;

    (void)state;
    return ram_init(&ram, MIB, &why) ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    ram_free(&ram);
    return 0;
}

static void memory_is_zero_at_power_on(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < ram.size; i++)
        assert_int_equal(ram.bytes[i], 0);
}

static void the_largest_memory_costs_nothing_until_touched(void **state)
{
    struct rusage before, after;
    struct rlimit room;
    struct ram big;
    const char *why;

    (void)state;
    getrusage(RUSAGE_SELF, &before);
    getrlimit(RLIMIT_AS, &room);
    if (!ram_init(&big, UINT32_C(0xFC000000), &why)) {
        assert_true(room.rlim_cur != RLIM_INFINITY);
        skip(); /* the host has not that much to lend */
    }
    big.bytes[0xFBFFFFFF] = 1;
    getrusage(RUSAGE_SELF, &after);
    assert_true(after.ru_maxrss - before.ru_maxrss < 16 * 1024); /* KiB */
    ram_free(&big);
    assert_null(big.bytes);
}

static void a_host_without_room_is_an_answer(void **state)
{
    int status;

    (void)state;
    if (fork() == 0) {
        struct rlimit little = {MIB, MIB};
        const char *why = NULL;
        struct ram r;

        setrlimit(RLIMIT_AS, &little);
        _exit(!ram_init(&r, 256 * MIB, &why) && why ? 7 : 1);
    }
    wait(&status);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zero_at_power_on),
        cmocka_unit_test(the_largest_memory_costs_nothing_until_touched),
        cmocka_unit_test(a_host_without_room_is_an_answer),
    };

    return cmocka_run_group_tests(tests, start, stop);
}
