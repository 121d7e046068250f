/* scratch.h - a place on the disk for a test. */
#ifndef TESTS_LIB_SCRATCH_H
#define TESTS_LIB_SCRATCH_H

/* A directory of the test's own, made when first asked for. */
const char *scratch_dir(void);

/* The path of an experiment in it that is not there yet. Valid until the next
 * call. */
const char *scratch_path(void);

/* Removes it: a group's teardown. */
int scratch_clean(void **state);

#endif
