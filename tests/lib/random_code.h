/* random_code.h - random programs for tests of sim/core: a loop of loads and
 * stores that hit, miss, are split and move several words, arithmetic of all
 * units, branches that cannot be guessed, reservations, cache operations, and
 * now and then an exception, whose handlers go on behind it.
 */
#ifndef TESTS_LIB_RANDOM_CODE_H
#define TESTS_LIB_RANDOM_CODE_H

#include "tests/lib/bench_board.h"

#define RANDOM_BODY 400u /* random instructions in the loop */
#define RANDOM_MIDDLE (BENCH_CODE + 4 * (RANDOM_BODY / 2))

/* Puts it at BENCH_CODE and the handlers at the vectors; the same for the
 * same seed. It uses r3 to r17, r20 and r28 to r31, and ends with blr. */
void random_program(struct bench_board *b, uint64_t seed);

#endif
