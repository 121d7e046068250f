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

#include "tests/lib/scratch.h"

static void slurp(const char *name, char *text)
{
    char path[700];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", scratch_dir(), name);
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
             build ? build : "build", arguments, exp, scratch_dir(),
             scratch_dir());
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
