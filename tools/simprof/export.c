/* export.c - the report `export`: the experiment as a file of another tool.
 * Knows which formats there are and where they go; how they are written is
 * tools/lib/export*.c, what they are good for docs/interop.md.
 */
#include "tools/lib/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/simprof/select.h"

enum { EXIT_USAGE = 2, EXIT_BROKEN = 125 };

static const struct format {
    const char *name;
    bool needs_file; /* cannot go to a pipe */
    /* One of these: all counters, the chosen one, or a directory. */
    bool (*all)(struct export *e, FILE *to);
    bool (*one)(struct export *e, size_t counter, FILE *to);
    bool (*directory)(struct export *e, const char *path);
} formats[] = {
    {"perf", true, export_perf, NULL, NULL},
    {"gprofng", true, NULL, NULL, export_gprofng},
    {"callgrind", false, export_callgrind, NULL, NULL},
    {"speedscope", false, export_speedscope, NULL, NULL},
    {"folded", false, NULL, export_folded, NULL},
    {"csv", false, export_csv, NULL, NULL},
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

static _Noreturn void give_up(const char *name, const char *help)
{
    fprintf(stderr, "simprof: %s: %s%s\n", name, strerror(errno), help);
    exit(EXIT_BROKEN);
}

static bool write_to(struct export *e, const struct format *format,
                     size_t counter, FILE *to)
{
    return format->one ? format->one(e, counter, to) : format->all(e, to);
}

/* Write to the file or directory of this name. */
static void write_named(struct export *e, const struct format *format,
                        size_t counter, const char *name)
{
    FILE *file;
    bool good;

    if (format->directory) {
        if (!access(name, F_OK)) {
            errno = EEXIST;
            give_up(name, ", name a directory that is still to be made");
        }
        if (!format->directory(e, name))
            give_up(name, ", the export is not complete");
        return;
    }
    file = fopen(name, "wb");
    if (!file)
        give_up(name, ", name another file");
    good = write_to(e, format, counter, file);
    if (fclose(file) || !good)
        give_up(name, ", the export is not complete");
}

static void export_to(struct export *e, const struct options *o,
                      const struct format *format, FILE *to)
{
    const char *name = o->text[OPTION_BIT_OUTPUT];
    size_t counter = chosen_counter(e, o, format);

    if (!e->counters)
        problem_add(&e->r->problems, PROBLEM_NOTE,
                    "no samples: simrun -e EVENT:PERIOD takes them");
    if (name)
        write_named(e, format, counter, name);
    else
        write_to(e, format, counter, to);
}

static bool ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n > m && !strcmp(text + n - m, end);
}

void report_export(struct recording *r, const struct options *o, FILE *to)
{
    const struct format *format = chosen_format(o);
    struct export_choice choice = {.cpu = -1, .to = UINT64_MAX};
    bool part = o->cpu >= 0 || o->text[OPTION_BIT_FROM] ||
                o->text[OPTION_BIT_TO] || o->text[OPTION_BIT_FILTERS];
    struct selection s;
    struct export e;

    if (!o->text[OPTION_BIT_OUTPUT] && format->needs_file)
        usage("--format=", format->name,
              "needs a name to write to, add -o NAME");
    if (format->directory && !ends_in(o->text[OPTION_BIT_OUTPUT], ".er"))
        usage("-o ", o->text[OPTION_BIT_OUTPUT],
              "must end in .er, or gprofng does not take it");
    if (part) {
        if (!selection_open(&s, r, o))
            return;
        choice =
            (struct export_choice){s.cpu, s.from, s.to, selection_wants, &s};
    }
    export_open(&e, r, o->experiment, &choice);
    export_to(&e, o, format, to);
    export_close(&e);
    if (part)
        selection_close(&s);
}
