/* decode_cache_test.c - decoded instructions by themselves: made once from the
 * bytes of memory, forgotten by word, in the same place ever after.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "sim/mem/decode_cache.h"

#define MIB (UINT32_C(1) << 20)
#define ADDI 0x38600001 /* addi r3,0,1 */
#define NOP 0x60000000  /* ori 0,0,0 */

static struct ram ram;
static struct decode_cache cache;

static int start(void **state)
{
    const char *why;

    (void)state;
    if (!ram_init(&ram, MIB, &why))
        return -1;
    return decode_cache_init(&cache, &ram, &why) ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    decode_cache_free(&cache);
    ram_free(&ram);
    return 0;
}

static void poke(pa_t pa, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++)
        ram.bytes[pa + i] = (uint8_t)(word >> (24 - 8 * i));
}

static void a_record_is_made_from_big_endian_bytes_once(void **state)
{
    struct insn *i;

    (void)state;
    poke(0x100, ADDI);
    assert_int_equal(decode_cache_code(&cache, 0x100), false);
    i = decode_cache_at(&cache, 0x100);
    assert_int_equal(i->word, ADDI);
    assert_non_null(i->exec);
    assert_int_equal(decode_cache_code(&cache, 0xFFF), true);
    assert_int_equal(decode_cache_code(&cache, 0x1000), false);
    assert_int_equal(decode_cache_pa(&cache, i), 0x100);
    poke(0x100, NOP); /* not told: the record stands */
    assert_int_equal(decode_cache_at(&cache, 0x100)->word, ADDI);
}

static void a_store_makes_the_words_it_touches_new(void **state)
{
    (void)state;
    for (pa_t pa = 0x200; pa < 0x210; pa += 4) {
        poke(pa, ADDI);
        decode_cache_at(&cache, pa);
        poke(pa, NOP);
    }
    decode_cache_forget(&cache, 0x207,
                        2); /* the last byte of one, the first of next */
    assert_int_equal(decode_cache_at(&cache, 0x200)->word, ADDI);
    assert_int_equal(decode_cache_at(&cache, 0x204)->word, NOP);
    assert_int_equal(decode_cache_at(&cache, 0x208)->word, NOP);
    assert_int_equal(decode_cache_at(&cache, 0x20C)->word, ADDI);
}

static void the_last_word_can_be_forgotten_and_more_than_it(void **state)
{
    (void)state;
    poke(MIB - 4, ADDI);
    assert_int_equal(decode_cache_at(&cache, MIB - 4)->word, ADDI);
    poke(MIB - 4, NOP);
    decode_cache_forget(&cache, MIB - 4, 32);
    assert_int_equal(decode_cache_at(&cache, MIB - 4)->word, NOP);
}

/* What a processor that stands on an instruction sees when another one stores
 * over it: its record has no body, until it asks for the word again. */
static void a_forgotten_record_stays_where_it_is(void **state)
{
    const struct insn *i;

    (void)state;
    poke(0x300, ADDI);
    i = decode_cache_at(&cache, 0x300);
    assert_true(decode_cache_has(&cache, 0x302));
    poke(0x300, NOP);
    decode_cache_forget(&cache, 0x300, 4);
    assert_null(i->exec);
    assert_false(decode_cache_has(&cache, 0x300));
    assert_ptr_equal(decode_cache_at(&cache, 0x300), i);
    assert_int_equal(i->word, NOP);
}

/* Only records count: a word that was never fetched is none. */
static void what_was_forgotten_is_counted(void **state)
{
    uint64_t before = cache.forgotten;

    (void)state;
    decode_cache_at(&cache, 0x400);
    decode_cache_at(&cache, 0x408);
    decode_cache_forget(&cache, 0x400, 32);
    assert_int_equal(cache.forgotten - before, 2);
    decode_cache_forget(&cache, 0x400, 32);
    assert_int_equal(cache.forgotten - before, 2);
    assert_true(decode_cache_code(&cache, 0x400)); /* may be: asked again */
}

/* The page behind it, and before, keep theirs. */
static void a_whole_page_can_be_forgotten(void **state)
{
    (void)state;
    for (pa_t pa = 0x4FFC; pa <= 0x6000; pa += 4)
        decode_cache_at(&cache, pa);
    decode_cache_forget(&cache, 0x5000, DECODE_PAGE);
    assert_true(decode_cache_has(&cache, 0x4FFC));
    assert_false(decode_cache_has(&cache, 0x5000));
    assert_false(decode_cache_has(&cache, 0x5FFC));
    assert_true(decode_cache_has(&cache, 0x6000));
}

static void a_cache_of_much_memory_costs_nothing_until_touched(void **state)
{
    struct rusage before, after;
    struct rlimit room;
    struct ram big;
    struct decode_cache of_big;
    const char *why;

    (void)state;
    getrusage(RUSAGE_SELF, &before);
    getrlimit(RLIMIT_AS, &room);
    if (!ram_init(&big, UINT32_C(0xFC000000), &why) ||
        !decode_cache_init(&of_big, &big, &why)) {
        assert_true(room.rlim_cur != RLIM_INFINITY);
        skip(); /* the host has not that much to lend */
    }
    assert_non_null(decode_cache_at(&of_big, 0xFBFFFFFC)->exec);
    getrusage(RUSAGE_SELF, &after);
    assert_true(after.ru_maxrss - before.ru_maxrss < 16 * 1024); /* KiB */
    decode_cache_free(&of_big);
    assert_null(of_big.insns);
    ram_free(&big);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_is_made_from_big_endian_bytes_once),
        cmocka_unit_test(a_store_makes_the_words_it_touches_new),
        cmocka_unit_test(the_last_word_can_be_forgotten_and_more_than_it),
        cmocka_unit_test(a_forgotten_record_stays_where_it_is),
        cmocka_unit_test(what_was_forgotten_is_counted),
        cmocka_unit_test(a_whole_page_can_be_forgotten),
        cmocka_unit_test(a_cache_of_much_memory_costs_nothing_until_touched),
    };

    return cmocka_run_group_tests(tests, start, stop);
}
