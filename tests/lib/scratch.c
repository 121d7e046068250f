/* scratch.c - below TMPDIR, which the runner empties anyway. */
#include "tests/lib/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

const char *scratch_dir(void)
{
    static char dir[512];
    const char *base = getenv("TMPDIR");

    if (!dir[0]) {
        snprintf(dir, sizeof dir, "%s/test.XXXXXX", base ? base : "/tmp");
        assert_non_null(mkdtemp(dir));
    }
    return dir;
}

const char *scratch_path(void)
{
    static char path[600];
    static int n;

    snprintf(path, sizeof path, "%s/%d.exp", scratch_dir(), n++);
    return path;
}

int scratch_clean(void **state)
{
    char command[600];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", scratch_dir());
    return system(command);
}
