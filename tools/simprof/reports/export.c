/* export.c - the report `export`: the experiment as a file of another tool.
 * Knows which formats there are and where they go; how they are written is
 * tools/analysis/export, what they are good for docs/interop.md.
 */
#include "tools/analysis/export/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/analysis/profile/offcpu.h"
#include "tools/analysis/symbols/sources.h"
#include "tools/simprof/report/event_hint.h"
#include "tools/simprof/report/output.h"
#include "tools/simprof/report/select.h"
#include "tools/simprof/reports/pipe/pipe_words.h"

static const struct format {
    const char *name;
    bool needs_file; /* cannot go to a pipe */
    /* One of these: all counters, the chosen one, or a directory. */
    bool (*all)(struct export *e, FILE *to);
    bool (*one)(struct export *e, size_t counter, FILE *to);
    bool (*directory)(struct export *e, const char *path);
    /* ... or what are no samples. */
    bool (*run)(struct recording *r, const struct options *o, FILE *to);
} formats[] = {
    {"perf", true, export_perf, NULL, NULL, NULL},
    {"gprofng", true, NULL, NULL, export_gprofng, NULL},
    {"callgrind", false, export_callgrind, NULL, NULL, NULL},
    {"speedscope", false, export_speedscope, NULL, NULL, NULL},
    {"folded", false, NULL, export_folded, NULL, NULL},
    {"chrome", false, export_chrome, NULL, NULL, NULL},
    {"csv", false, export_csv, NULL, NULL, NULL},
    {"konata", false, NULL, NULL, NULL, pipe_konata},
};

#define FORMATS (sizeof formats / sizeof formats[0])

/* NULL: there is no such format, which is said. */
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
    report_refuse(o, "--format=%s: %s", name ? name : "?", list);
    return NULL;
}

/* Is what --event names no counter's? False: the run has none of that, which is
 * said. */
static bool choose_source(struct recording *r, const struct options *o,
                          struct export_choice *c)
{
    const char *name = o->text[OPTION_BIT_EVENT];

    c->waits = name ? offcpu_bit(name) : 0;
    if (c->waits) {
        c->source = EXPORT_WAITS;
        if (!offcpu_blocked(r))
            report_refuse(
                o,
                "--event=%s: the run does not tell what threads "
                "waited for (--append \"states=on\", --switch-stacks)",
                name);
    } else if (name && (!strcmp(name, OFFCPU_TO_IDLE) ||
                        !strcmp(name, OFFCPU_FROM_IDLE))) {
        c->source = EXPORT_IDLE;
        if (!offcpu_idle(r))
            report_refuse(o, "--event=%s: the run has no idle samples", name);
    }
    return !o->refusal->text[0];
}

/* False: the format has no functions but addresses, or there is nothing in this
 * view, which is said. */
static bool choose_view(struct recording *r, const struct options *o,
                        const struct format *format, struct export_choice *c)
{
    bool functions =
        format->one == export_folded || format->all == export_speedscope;

    if (o->viewmode != VIEWMODE_MACHINE && !functions)
        report_refuse(o, "--viewmode goes with --format=folded and "
                         "speedscope");
    else if (!viewmode_open(&c->view, r, o->viewmode))
        report_refuse(o, VIEWMODE_NOTHING);
    return !o->refusal->text[0];
}

/* The counter that --event names; the first without it. False: there is none,
 * which is said. */
static bool choose_counter(const struct export *e, const struct options *o,
                           const struct format *format, size_t *counter)
{
    const char *name = o->text[OPTION_BIT_EVENT];
    char list[512] = "the counters are", near[DID_YOU_MEAN_TEXT];

    *counter = 0;
    if (!name)
        return true;
    if (!format->one && e->choice.source == EXPORT_COUNTERS) {
        report_refuse(o, "--event=%s: this format holds all counters", name);
        return false;
    }
    for (size_t i = 0; i < e->counters; i++) {
        size_t n = strlen(list);

        *counter = i;
        if (!strcmp(name, e->counter[i].name))
            return true;
        snprintf(list + n, sizeof list - n, "%s %s", i ? "," : "",
                 e->counter[i].name);
    }
    report_refuse(o, "--event=%s: %s%s", name,
                  e->counters ? list : "the run has no counters",
                  event_hint(e->r, name, true, near));
    return false;
}

static bool write_to(struct export *e, const struct format *format,
                     size_t counter, FILE *to)
{
    return format->one ? format->one(e, counter, to) : format->all(e, to);
}

/* gprofng reads lines up to DWARF 4 (binutils 2.40, 2.41). */
static void note_lines(struct export *e)
{
    for (size_t i = 0; i < e->r->map.images; i++)
        if (sources_dwarf(e->r, i) > 4)
            problem_add(&e->r->problems, PROBLEM_NOTE,
                        "%s has DWARF 5, of which gprofng reads no source "
                        "lines: compile with -gdwarf-4 to see them there",
                        e->r->map.image[i].archive);
}

/* Make the directory that was named. */
static void write_directory(struct export *e, const struct options *o,
                            const struct format *format)
{
    const char *name = o->text[OPTION_BIT_OUTPUT];

    if (!access(name, F_OK)) {
        errno = EEXIST;
        output_fail(o, ", name a directory that is still to be made");
    } else if (!format->directory(e, name)) {
        output_fail(o, ", the export is not complete");
    } else {
        note_lines(e);
    }
}

/* A format of one counter's samples has none, or one of all has none of any. */
static void note_empty(struct export *e, const struct format *format,
                       size_t counter)
{
    uint64_t samples = 0;

    for (size_t n = 0; n < e->counters; n++)
        if (!format->one || n == counter)
            samples += e->counter[n].samples;
    if (!e->counters)
        problem_add(&e->r->problems, PROBLEM_NOTE,
                    "no samples: simrun -e EVENT:PERIOD takes them");
    else if (!samples && !problems_damage(&e->r->problems))
        problem_add(&e->r->problems, PROBLEM_NOTE,
                    "%s%sno %s is among what is exported",
                    format->one ? e->counter[counter].name : "",
                    format->one ? ": " : "",
                    e->choice.source == EXPORT_WAITS ? "wait" : "sample");
}

static void export_to(struct export *e, const struct options *o,
                      const struct format *format, FILE *to)
{
    struct output out;
    size_t counter;

    if (!choose_counter(e, o, format, &counter))
        return;
    note_empty(e, format, counter);
    if (format->directory)
        write_directory(e, o, format);
    else if (output_open(&out, e->r, o, to))
        output_close(&out, write_to(e, format, counter, out.to));
}

static bool ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n > m && !strcmp(text + n - m, end);
}

/* What cannot go to a pipe wants a name, gprofng's one that it knows. */
static bool is_named_well(const struct options *o, const struct format *format)
{
    const char *name = o->text[OPTION_BIT_OUTPUT];

    if (!name && format->needs_file)
        report_refuse(o, "--format=%s: needs a name to write to, add -o NAME",
                      format->name);
    else if (format->directory && !ends_in(name, ".er"))
        report_refuse(o, "-o %s: must end in .er, or gprofng does not take it",
                      name);
    return !o->refusal->text[0];
}

/* Of what --cpu, --thread, --from and --to choose; it has no samples. */
static void write_run(struct recording *r, const struct options *o,
                      const struct format *format, FILE *to)
{
    struct output out;

    if (o->text[OPTION_BIT_EVENT] || o->text[OPTION_BIT_FILTERS])
        report_refuse(o,
                      "--format=%s: has no samples, so neither --event nor "
                      "--filters choose of them",
                      format->name);
    else if (output_open(&out, r, o, to))
        output_close(&out, format->run(r, o, out.to));
}

void report_export(struct recording *r, const struct options *o, FILE *to)
{
    const struct format *format = chosen_format(o);
    struct export_choice choice = {.cpu = -1, .to = UINT64_MAX};
    bool part = o->cpu >= 0 || o->text[OPTION_BIT_THREAD] ||
                o->text[OPTION_BIT_FROM] || o->text[OPTION_BIT_TO] ||
                o->text[OPTION_BIT_FILTERS];
    struct selection s;
    struct export e;

    if (format && format->run) {
        write_run(r, o, format, to);
        return;
    }
    if (!format || !is_named_well(o, format) || !choose_source(r, o, &choice) ||
        !choose_view(r, o, format, &choice))
        return;
    if (part) {
        if (!selection_open(&s, r, o))
            return;
        choice.cpu = s.cpu;
        choice.from = s.from;
        choice.to = s.to;
        choice.wants = selection_wants;
        choice.arg = &s;
    }
    export_open(&e, r, o->experiment, &choice);
    if (!e.counters && offcpu_idle(r)) {
        export_close(&e);
        choice.source = EXPORT_IDLE;
        export_open(&e, r, o->experiment, &choice);
    }
    export_to(&e, o, format, to);
    export_close(&e);
    if (part)
        selection_close(&s);
}
