/* expfuzz.h - experiments broken at random, read by everything simprof has. */
#ifndef TESTS_LIB_EXPFUZZ_H
#define TESTS_LIB_EXPFUZZ_H

#include <stdbool.h>
#include <stdint.h>

/* Break the standard experiment `count` times, from seed `first` on, each
 * time from the start, and read it with the library; every `run`th time (0:
 * never) also with all reports of $BUILD/simprof. A crash, more than 10
 * seconds or an unknown exit status ends the program; where the seed stands is
 * printed first. Returns how many of them opened. */
uint64_t expfuzz(uint64_t first, uint64_t count, uint64_t run);

/* The standard experiment with time trees, and time indices of its records,
 * which break at random as well. */
void expfuzz_make(const char *path);

/* Read an experiment with everything the library has, of an interval or of
 * all, as random says. False: it cannot be opened. Ends the program if what
 * should add up does not. */
bool expfuzz_read(const char *path, uint64_t random);

#endif
