/* simprof.h - simprof run by a test, and what it left. */
#ifndef TESTS_LIB_SIMPROF_H
#define TESTS_LIB_SIMPROF_H

#include <stdbool.h>

#define SIMPROF_TEXT (1 << 17)

struct simprof {
    int status;
    char out[SIMPROF_TEXT], err[SIMPROF_TEXT];
};

/* Run $BUILD/simprof with these arguments (as a shell reads them) on an
 * experiment. What it left is valid until the next call. */
const struct simprof *simprof_run(const char *arguments, const char *exp);

/* Fails the test, and shows the text, unless this is one of its lines. */
void simprof_expect(const char *text, const char *line);
bool simprof_has(const char *text, const char *part);

#endif
