/* stack_frames_test.c - at which instruction the frames of a recorded stack
 * stand (tools/analysis/experiment/stack.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

#include "tools/analysis/experiment/stack.h"

/* Words of a file, lowest byte first. */
static struct record_tail words(unsigned char *bytes, const uint32_t *word,
                                uint32_t n)
{
    for (uint32_t i = 0; i < 4 * n; i++)
        bytes[i] = (unsigned char)(word[i / 4] >> i % 4 * 8);
    return (struct record_tail){bytes, n};
}

static void all_but_the_leaf_stand_in_front_of_their_address(void **state)
{
    static const uint32_t pc[] = {0x1000, 0x2004, 0x3008, 2};
    static const uint32_t at[] = {0x1000, 0x2000, 0x3004, 2};
    const struct loadmap map = {0};
    unsigned char bytes[sizeof pc];
    struct stack s = stack_of_words(&map, words(bytes, pc, 4), 0);
    struct stack_frame f;

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        assert_true(stack_next(&s, &f));
        assert_int_equal(f.is, i ? STACK_BEHIND : STACK_LEAF);
        assert_int_equal(f.pc, pc[i]);
        assert_int_equal(f.at, at[i]);
        assert_int_equal(f.home, at[i]); /* nothing was moved */
    }
    assert_false(stack_next(&s, &f));
}

/* A sample whose stack was not walked stands where it was interrupted. */
static void a_sample_without_a_stack_has_its_leaf(void **state)
{
    uint32_t word[RECORD_WORDS_profile] = {0};
    const struct loadmap map = {0};
    unsigned char bytes[sizeof word];
    struct record r = {.kind = REC_PROFILE, .words = RECORD_WORDS_profile};
    struct stack_frame f;
    struct stack s;

    (void)state;
    word[RECORD_AT_profile_interrupted] = 0x4444;
    r.payload = words(bytes, word, RECORD_WORDS_profile).bytes;
    s = stack_of_record(&map, &r);
    assert_true(stack_next(&s, &f));
    assert_int_equal(f.at, 0x4444);
    assert_false(stack_next(&s, &f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_but_the_leaf_stand_in_front_of_their_address),
        cmocka_unit_test(a_sample_without_a_stack_has_its_leaf),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
