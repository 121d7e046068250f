/* export.c - the report `export`: the experiment as a file of another tool.
 * Knows which formats there are and where they go; how they are written is
 * tools/lib/export*.c, what they are good for docs/interop.md.
 */
#include "tools/lib/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/simprof/report.h"

enum { EXIT_USAGE = 2, EXIT_BROKEN = 125 };

enum goes { TO_OUTPUT, TO_FILE };

static bool write_csv(struct export *e, size_t counter, FILE *to)
{
    (void)counter;
    return export_csv(e, to);
}

static bool write_callgrind(struct export *e, size_t counter, FILE *to)
{
    (void)counter;
    return export_callgrind(e, to);
}

static bool write_perf(struct export *e, size_t counter, FILE *to)
{
    (void)counter;
    return export_perf(e, to);
}

static const struct format {
    const char *name;
    enum goes goes; /* where, if no file is named */
    bool one;       /* holds one counter */
    bool (*write)(struct export *e, size_t counter, FILE *to);
} formats[] = {
    {"perf", TO_FILE, false, write_perf},
    {"callgrind", TO_OUTPUT, false, write_callgrind},
    {"folded", TO_OUTPUT, true, export_folded},
    {"csv", TO_OUTPUT, false, write_csv},
};

#define FORMATS (sizeof formats / sizeof formats[0])

static _Noreturn void usage(const char *option, const char *text,
                            const char *what)
{
    fprintf(stderr, "simprof: %s%s: %s\n", option, text, what);
    exit(EXIT_USAGE);
}

static const struct format *chosen_format(const struct options *o)
{
    const char *name = o->text[OPTION_BIT_FORMAT];
    char list[128] = "must be";

    for (size_t i = 0; i < FORMATS; i++) {
        size_t n = strlen(list);

        if (name && !strcmp(name, formats[i].name))
            return &formats[i];
        snprintf(list + n, sizeof list - n, "%s %s",
                 !i                ? ""
                 : i + 1 < FORMATS ? ","
                                   : " or",
                 formats[i].name);
    }
    usage("--format=", name ? name : "?", list);
}

/* The counter that --event names; the first without it. */
static size_t chosen_counter(const struct export *e, const struct options *o,
                             const struct format *format)
{
    const char *name = o->text[OPTION_BIT_EVENT];
    char list[512] = "the counters are";

    if (!name)
        return 0;
    if (!format->one)
        usage("--event=", name, "this format holds all counters");
    for (size_t i = 0; i < e->counters; i++) {
        size_t n = strlen(list);

        if (!strcmp(name, e->counter[i].name))
            return i;
        snprintf(list + n, sizeof list - n, "%s %s", i ? "," : "",
                 e->counter[i].name);
    }
    usage("--event=", name, e->counters ? list : "the run has no counters");
}

static FILE *open_output(const char *name)
{
    FILE *file = fopen(name, "wb");

    if (!file) {
        fprintf(stderr, "simprof: %s: %s, name another file\n", name,
                strerror(errno));
        exit(EXIT_BROKEN);
    }
    return file;
}

void report_export(struct recording *r, const struct options *o, FILE *to)
{
    const struct format *format = chosen_format(o);
    const char *name = o->text[OPTION_BIT_OUTPUT];
    struct export e;
    size_t counter;
    bool good;

    if (!name && format->goes == TO_FILE)
        usage("--format=", format->name,
              "needs a file to write to, add -o FILE");
    export_open(&e, r, o->experiment, o->cpu);
    counter = chosen_counter(&e, o, format);
    if (!e.counters)
        problem_add(&r->problems, PROBLEM_NOTE,
                    "no samples: simrun -e EVENT:PERIOD takes them");
    if (name)
        to = open_output(name);
    good = format->write(&e, counter, to);
    if (name && (fclose(to) || !good)) {
        fprintf(stderr, "simprof: %s: cannot be written: %s\n", name,
                strerror(errno));
        exit(EXIT_BROKEN);
    }
    export_close(&e);
}
