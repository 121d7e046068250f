/* simprof.c - runs $BUILD/simprof through the shell, output in files. */
#include "tests/lib/simprof.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *simprof_scratch(void)
{
    static char dir[512];
    const char *base = getenv("TMPDIR");

    if (!dir[0]) {
        snprintf(dir, sizeof dir, "%s/simprof.XXXXXX", base ? base : "/tmp");
        assert_non_null(mkdtemp(dir));
    }
    return dir;
}

void simprof_clean(void)
{
    char command[600];

    snprintf(command, sizeof command, "rm -r '%s'", simprof_scratch());
    assert_int_equal(system(command), 0);
}

const char *simprof_path(void)
{
    static char path[600];
    static int n;

    snprintf(path, sizeof path, "%s/%d.exp", simprof_scratch(), n++);
    return path;
}

static void slurp(const char *name, char *text)
{
    char path[700];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", simprof_scratch(), name);
    f = fopen(path, "r");
    assert_non_null(f);
    text[fread(text, 1, SIMPROF_TEXT - 1, f)] = '\0';
    fclose(f);
}

const struct simprof *simprof_run(const char *arguments, const char *exp)
{
    static struct simprof r;
    const char *build = getenv("BUILD");
    char command[4096];

    snprintf(command, sizeof command,
             "'%s/simprof' %s '%s' >'%s/out' 2>'%s/err' </dev/null",
             build ? build : "build", arguments, exp, simprof_scratch(),
             simprof_scratch());
    r.status = WEXITSTATUS(system(command));
    slurp("out", r.out);
    slurp("err", r.err);
    return &r;
}

bool simprof_has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

void simprof_expect(const char *text, const char *line)
{
    size_t n = strlen(line);

    for (const char *s = text; s; s = strchr(s, '\n'), s = s ? s + 1 : NULL)
        if (!strncmp(s, line, n) && (s[n] == '\n' || !s[n]))
            return;
    fail_msg("no line \"%s\" in:\n%s", line, text);
}
