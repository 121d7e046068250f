/* output.c - see output.h. */
#include "tools/simprof/report/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void output_fail(const struct options *o, const char *help)
{
    report_fail(o, "%s: %s%s", o->text[OPTION_BIT_OUTPUT], strerror(errno),
                help);
}

/* Is it a file of the experiment, whatever it is called? */
static bool is_read(const struct recording *r, const char *name)
{
    char *real = realpath(name, NULL), *slash;
    struct stat dir, at;
    bool known = real && fstat(r->dir, &dir) == 0, found = false;

    while (known && !found && (slash = strrchr(real, '/'))) {
        *slash = '\0';
        found = !stat(*real ? real : "/", &at) && at.st_dev == dir.st_dev &&
                at.st_ino == dir.st_ino;
    }
    free(real);
    return found;
}

bool output_open(struct output *out, const struct recording *r,
                 const struct options *o, FILE *to)
{
    const char *name = o->text[OPTION_BIT_OUTPUT];

    *out = (struct output){.to = to, .o = o};
    if (!name)
        return true;
    if (is_read(r, name)) {
        report_refuse(o, "-o %s: is a file of the experiment, name another",
                      name);
        return false;
    }
    if (!replace_open(&out->file, name)) {
        output_fail(o, ", name another file");
        return false;
    }
    out->to = out->file.to;
    return true;
}

void output_close(struct output *out, bool good)
{
    good = good && !ferror(out->to);
    if (out->o->text[OPTION_BIT_OUTPUT] && !replace_close(&out->file, good))
        output_fail(out->o, ", the file is not complete");
}
