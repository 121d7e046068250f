/* ram_test.c - memory is big-endian, lazy, and forgets what was rewritten. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/mem/ram.h"

#define MIB (UINT32_C(1) << 20)
#define ADDI 0x38600001 /* addi r3,0,1 */
#define NOP 0x60000000  /* ori 0,0,0 */

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

static void poke(pa_t pa, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++)
        ram.bytes[pa + i] = (uint8_t)(word >> (24 - 8 * i));
}

static void memory_is_zero_at_power_on(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < ram.size; i++)
        assert_int_equal(ram.bytes[i], 0);
}

static void a_record_is_made_from_big_endian_bytes_once(void **state)
{
    struct insn *i;

    (void)state;
    poke(0x100, ADDI);
    assert_int_equal(ram.code_page[0], 0);
    i = ram_insn(&ram, 0x100);
    assert_int_equal(i->word, ADDI);
    assert_non_null(i->exec);
    assert_int_equal(ram.code_page[0], 1);
    assert_int_equal(ram.code_page[1], 0);
    assert_int_equal(ram_pa(&ram, i), 0x100);
    poke(0x100, NOP); /* not told: the record stands */
    assert_int_equal(ram_insn(&ram, 0x100)->word, ADDI);
}

static void a_store_makes_the_words_it_touches_new(void **state)
{
    (void)state;
    for (pa_t pa = 0x200; pa < 0x210; pa += 4) {
        poke(pa, ADDI);
        ram_insn(&ram, pa);
        poke(pa, NOP);
    }
    ram_forget(&ram, 0x207, 2); /* the last byte of one, the first of next */
    assert_int_equal(ram_insn(&ram, 0x200)->word, ADDI);
    assert_int_equal(ram_insn(&ram, 0x204)->word, NOP);
    assert_int_equal(ram_insn(&ram, 0x208)->word, NOP);
    assert_int_equal(ram_insn(&ram, 0x20C)->word, ADDI);
}

static void the_last_word_can_be_forgotten_and_more_than_it(void **state)
{
    (void)state;
    poke(MIB - 4, ADDI);
    assert_int_equal(ram_insn(&ram, MIB - 4)->word, ADDI);
    poke(MIB - 4, NOP);
    ram_forget(&ram, MIB - 4, 32);
    assert_int_equal(ram_insn(&ram, MIB - 4)->word, NOP);
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
    assert_non_null(ram_insn(&big, 0xFBFFFFFC)->exec);
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
        cmocka_unit_test(a_record_is_made_from_big_endian_bytes_once),
        cmocka_unit_test(a_store_makes_the_words_it_touches_new),
        cmocka_unit_test(the_last_word_can_be_forgotten_and_more_than_it),
        cmocka_unit_test(the_largest_memory_costs_nothing_until_touched),
        cmocka_unit_test(a_host_without_room_is_an_answer),
    };

    return cmocka_run_group_tests(tests, start, stop);
}
