/* info.c - the report `info`: what ran, on which machine, how it ended, what
 * was recorded, and what of that cannot be read.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/profile/exact_cycles.h"
#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "tools/simprof/report/report.h"

/* ---- facts: a name, and how it reads to a person and to a program -------- */

static void fact(struct table *t, const char *name, const char *text,
                 const char *csv)
{
    table_text(t, name);
    table_both(t, text, csv);
}

static void fact_count(struct table *t, const char *name, uint64_t n)
{
    char text[TEXT_NUMBER], csv[TEXT_NUMBER];

    snprintf(csv, sizeof csv, "%" PRIu64, n);
    fact(t, name, text_count(text, n), csv);
}

/* "200 MHz" out of a number of Hz. */
static void fact_rate(struct table *t, const char *name, uint64_t hz)
{
    char text[64], csv[TEXT_NUMBER];

    snprintf(csv, sizeof csv, "%" PRIu64, hz);
    if (hz % 1000000 == 0)
        snprintf(text, sizeof text, "%" PRIu64 " MHz", hz / 1000000);
    else
        snprintf(text, sizeof text, "%" PRIu64 ".%06" PRIu64 " MHz",
                 hz / 1000000, hz % 1000000);
    fact(t, name, text, csv);
}

static void fact_size(struct table *t, const char *name, uint64_t bytes)
{
    char text[64], csv[TEXT_NUMBER], count[TEXT_NUMBER];

    snprintf(csv, sizeof csv, "%" PRIu64, bytes);
    if (bytes && bytes % (1 << 20) == 0)
        snprintf(text, sizeof text, "%" PRIu64 " MiB", bytes >> 20);
    else
        snprintf(text, sizeof text, "%s bytes", text_count(count, bytes));
    fact(t, name, text, csv);
}

static void fact_end(struct table *t, const struct recording *r)
{
    char text[128], cycles[TEXT_NUMBER], time[TEXT_NUMBER], csv[TEXT_NUMBER];

    text_count(cycles, r->end);
    text_time(time, r->end, r->clock_hz);
    snprintf(text, sizeof text, "%s%s%s%s", cycles, time[0] ? " (" : "", time,
             time[0] ? ")" : "");
    snprintf(csv, sizeof csv, "%" PRIu64, r->end);
    fact(t, r->ended ? "cycles" : "cycles so far", text, csv);
}

/* Lines of the log that are shown elsewhere, counted, or of no interest. */
static bool told_elsewhere(const char *key)
{
    static const char *const keys[] = {"simrun-experiment",
                                       "file",
                                       "reason",
                                       "at",
                                       "input",
                                       "knob",
                                       "insns",
                                       "cpus",
                                       "ram",
                                       "clock",
                                       "timebase",
                                       "end",
                                       "start",
                                       "image",
                                       "args",
                                       "argument",
                                       "environment",
                                       "archive",
                                       "mode",
                                       "exit",
                                       "debug",
                                       "stdio",
                                       "records",
                                       "segments",
                                       "ignored"};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (!strcmp(keys[i], key))
            return true;
    return false;
}

static size_t lines_with(const struct recording *r, const char *key)
{
    size_t n = 0;

    for (size_t i = 0; i < r->log.count; i++)
        n += !strcmp(r->log.line[i].key, key);
    return n;
}

/* Bytes that a program under --user read from stdin: "stdio CYCLE r N ..." */
static uint64_t bytes_read(const struct recording *r)
{
    uint64_t sum = 0, n;
    char kind;

    for (size_t i = 0; i < r->log.count; i++)
        if (!strcmp(r->log.line[i].key, "stdio") &&
            sscanf(r->log.line[i].value, "%*u %c %" SCNu64, &kind, &n) == 2 &&
            kind == 'r' && n <= INT64_MAX)
            sum += n;
    return sum;
}

static void put_text(struct table *t, const char *name, const char *value)
{
    char *copy = grow_text(value);

    text_printable(copy);
    fact(t, name, copy, NULL);
    free(copy);
}

/* Lines about the counters of -e, a table in text. */
static bool is_counter(const char *key)
{
    return !strcmp(key, "profile") || !strcmp(key, "count");
}

/* What else the log says, as it is; so many lines of it at most. */
#define MORE_LINES 20

static void log_facts(struct table *t, const struct recording *r, bool csv)
{
    uint64_t more = 0;

    for (size_t i = 0; i < r->log.count; i++) {
        char *key;

        if (told_elsewhere(r->log.line[i].key) ||
            (!csv && is_counter(r->log.line[i].key)) || more++ >= MORE_LINES)
            continue;
        key = grow_text(r->log.line[i].key);
        text_printable(key);
        put_text(t, key, r->log.line[i].value);
        free(key);
    }
    if (more > MORE_LINES)
        fact_count(t, "further lines", more - MORE_LINES);
}

/* "insns CPU N" lines. */
static void insn_facts(struct table *t, const struct recording *r)
{
    for (size_t i = 0; i < r->log.count; i++) {
        char name[64];
        unsigned cpu;
        uint64_t n;

        if (!strcmp(r->log.line[i].key, "insns") &&
            sscanf(r->log.line[i].value, "%u %" SCNu64, &cpu, &n) == 2) {
            snprintf(name, sizeof name, "instructions CPU %u", cpu);
            fact_count(t, name, n);
        }
    }
}

/* A line of the log under its own name, if it is there. */
static void fact_line(struct table *t, const struct recording *r,
                      const char *key)
{
    const char *value = text_lines_get(&r->log, key);

    if (value)
        put_text(t, key, value[0] ? value : "(none)");
}

static void given_facts(struct table *t, const struct recording *r)
{
    char *args = report_arguments(r);

    if (args[0] || text_lines_get(&r->log, "args"))
        fact(t, "args", args[0] ? args : "(none)", NULL);
    free(args);
    if (lines_with(r, "argument"))
        fact_count(t, "environment, variables", lines_with(r, "environment"));
}

static void put_facts(struct table *t, const struct recording *r, bool csv)
{
    uint64_t n;

    table_column(t, "what", "what", 0);
    table_column(t, "value", "value", TABLE_WRAP);
    fact_line(t, r, "image");
    given_facts(t, r);
    fact(t, "ended", r->ended ? "yes" : "no: killed, or still going", NULL);
    fact_line(t, r, "exit");
    fact_end(t, r);
    fact(t, "damage",
         problems_damage(&r->problems) ? "found, see the last lines"
                                       : "none found",
         NULL);
    fact_count(t, "CPUs", r->cpus);
    insn_facts(t, r);
    fact_line(t, r, "mode");
    if (r->clock_hz)
        fact_rate(t, "clock", r->clock_hz);
    if (recording_number(r, "timebase", &n))
        fact_rate(t, "time base", n);
    if (recording_number(r, "ram", &n))
        fact_size(t, "RAM", n);
    log_facts(t, r, csv);
    if (recording_number(r, "ignored", &n) && n)
        fact_count(t, "guest records ignored", n);
    if (lines_with(r, "input"))
        fact_count(t, "console input, bytes", lines_with(r, "input"));
    if (bytes_read(r))
        fact_count(t, "standard input read, bytes", bytes_read(r));
    if (lines_with(r, "debug"))
        fact_count(t, "writes by a debugger", lines_with(r, "debug"));
}

/* ---- the record files ---------------------------------------------------- */

struct count {
    uint64_t records, bytes, first, last;
};

static void count_records(struct recording *r, unsigned kind, struct count *c)
{
    struct record record;
    struct recfile f;

    *c = (struct count){0};
    if (!recording_records(r, kind, &f))
        return;
    while (recfile_next(&f, &record)) {
        if (!c->records++ || record.cycle < c->first)
            c->first = record.cycle;
        if (record.cycle > c->last)
            c->last = record.cycle;
        c->bytes += REC_HEADER + 4 * (uint64_t)record.words;
    }
    recording_done(r, &f);
}

static void print_files(const struct count *count, const struct options *o,
                        FILE *to)
{
    struct table t = {0};

    table_column(&t, "records", "", TABLE_NUMBER);
    table_column(&t, "bytes", "", TABLE_NUMBER);
    table_column(&t, "first at cycle", "", TABLE_NUMBER);
    table_column(&t, "last", "", TABLE_NUMBER);
    table_column(&t, "file", "", 0);
    for (unsigned kind = 1; kind < RECFILE_KINDS; kind++) {
        const struct count *c = &count[kind];

        table_count(&t, c->records);
        table_count(&t, c->bytes);
        table_dotted(&t, c->first);
        table_dotted(&t, c->last);
        table_text(&t, recfile_name(kind));
    }
    report_table(&t, o, to);
}

/* The rows that only CSV has: counts of records, knobs. */
static void csv_facts(struct table *t, const struct recording *r,
                      const struct count *count)
{
    for (unsigned kind = 1; kind < RECFILE_KINDS; kind++) {
        char name[64];

        snprintf(name, sizeof name, "records in %s", recfile_name(kind));
        fact_count(t, name, count[kind].records);
    }
    for (size_t i = 0; i < r->log.count; i++) {
        char name[64];
        const char *value = r->log.line[i].value;
        size_t length = strcspn(value, " ");

        if (strcmp(r->log.line[i].key, "knob") || !value[length])
            continue;
        snprintf(name, sizeof name, "knob %.*s", (int)length, value);
        text_printable(name);
        put_text(t, name, value + length + 1);
    }
}

/* ---- counters ------------------------------------------------------------ */

/* What the machine counted for a counter, and how many overflows it lost. */
static void sum_counts(const struct recording *r, unsigned counter,
                       uint64_t *value, uint64_t *lost)
{
    for (size_t i = 0; i < r->log.count; i++) {
        unsigned number;
        uint64_t n, missed;

        if (strcmp(r->log.line[i].key, "count") ||
            sscanf(r->log.line[i].value, "%u %*u %" SCNu64 " %" SCNu64, &number,
                   &n, &missed) != 3 ||
            number != counter)
            continue;
        *value += n;
        *lost += missed;
    }
}

static void put_counter(struct table *t, const struct recording *r,
                        const char *line)
{
    uint64_t period, value = 0, lost = 0;
    char name[80], modes[8] = "uk";
    unsigned number;

    if (sscanf(line, "%u %79s %" SCNu64 " %7s", &number, name, &period, modes) <
        3)
        return;
    text_printable(name);
    sum_counts(r, number, &value, &lost);
    table_text(t, name);
    table_count(t, value);
    table_dotted(t, period);
    table_dotted(t, lost);
    table_text(t, !strcmp(modes, "u")   ? "user"
                  : !strcmp(modes, "k") ? "supervisor"
                                        : "both");
}

/* The counters that simrun -e asked for. */
static void print_counters(const struct recording *r, const struct options *o,
                           FILE *to)
{
    struct table t = {0};

    if (!lines_with(r, "profile"))
        return;
    fputs("\nCounters\n", to);
    table_column(&t, "counter", "", 0);
    table_column(&t, "counted", "", TABLE_NUMBER);
    table_column(&t, "sample one in", "", TABLE_NUMBER);
    table_column(&t, "lost", "", TABLE_NUMBER);
    table_column(&t, "in state", "", 0);
    for (size_t i = 0; i < r->log.count; i++)
        if (!strcmp(r->log.line[i].key, "profile"))
            put_counter(&t, r, r->log.line[i].value);
    report_table(&t, o, to);
}

/* ---- knobs, load map, threads -------------------------------------------- */

/* All the knobs in one paragraph, "name=value". */
static void print_knobs(const struct recording *r, const struct options *o,
                        FILE *to)
{
    unsigned column = 0;

    if (!lines_with(r, "knob"))
        return;
    fputs("\nConfiguration (--set)\n", to);
    for (size_t i = 0; i < r->log.count; i++) {
        char *text, *blank;
        unsigned width;

        if (strcmp(r->log.line[i].key, "knob"))
            continue;
        text = grow_text(r->log.line[i].value);
        text_printable(text);
        blank = strchr(text, ' ');
        if (blank)
            *blank = '=';
        width = (unsigned)strlen(text);
        if (column && column + 1 + width > o->width) {
            putc('\n', to);
            column = 0;
        }
        column += (unsigned)fprintf(to, "%s%s", column ? " " : "", text);
        free(text);
    }
    putc('\n', to);
}

static void print_map(const struct recording *r, const struct options *o,
                      FILE *to)
{
    struct table t = {0};

    if (!r->map.segments)
        return;
    fputs("\nLoad map\n", to);
    table_column(&t, "at cycle", "", TABLE_NUMBER);
    table_column(&t, "address", "", TABLE_NUMBER);
    table_column(&t, "bytes", "", TABLE_NUMBER);
    table_column(&t, "flags", "", 0);
    table_column(&t, "archive", "", 0);
    for (size_t i = 0; i < r->map.segments; i++) {
        const struct segment *s = &r->map.segment[i];
        char text[TEXT_NUMBER], name[512];

        table_count(&t, s->from);
        snprintf(text, sizeof text, "0x%08" PRIx32, s->addr);
        table_text(&t, text);
        table_count(&t, s->size);
        snprintf(text, sizeof text, "%s", s->flags);
        text_printable(text);
        table_text(&t, text);
        snprintf(name, sizeof name, "%s%s", r->map.image[s->image].archive,
                 r->map.image[s->image].readable ? "" : " (unreadable)");
        text_printable(name);
        table_text(&t, name);
    }
    report_table(&t, o, to);
}

static const char *purpose(unsigned is)
{
    static const char *const name[] = {"", "idle", "sampler", "daemon"};

    return is < sizeof name / sizeof name[0] ? name[is] : "?";
}

static void print_threads(const struct recording *r, const struct options *o,
                          FILE *to)
{
    struct table t = {0};

    if (!r->threads.count)
        return;
    fputs("\nThreads\n", to);
    table_column(&t, "thread", "", TABLE_NUMBER);
    table_column(&t, "process", "", TABLE_NUMBER);
    table_column(&t, "since cycle", "", TABLE_NUMBER);
    table_column(&t, "purpose", "", 0);
    table_column(&t, "name", "", 0);
    for (size_t i = 0; i < r->threads.count; i++) {
        const struct thread *thread = &r->threads.list[i];

        table_count(&t, thread->id);
        table_count(&t, thread->pid);
        table_count(&t, thread->from);
        table_text(&t, purpose(thread->is));
        table_text(&t, thread->name);
    }
    report_table(&t, o, to);
}

static void print_notes(const struct recording *r, FILE *to)
{
    struct text_lines notes;

    if (!text_lines_read(&notes, r->dir, "notes"))
        return;
    for (size_t i = 0; i < notes.count; i++) {
        char *key = grow_text(notes.line[i].key);
        char *value = grow_text(notes.line[i].value);

        text_printable(key);
        text_printable(value);
        fprintf(to, "%s%s%s\n", key, value[0] ? " " : "", value);
        free(key);
        free(value);
    }
    putc('\n', to);
    text_lines_free(&notes);
}

void report_info(struct recording *r, const struct options *o, FILE *to)
{
    struct count count[RECFILE_KINDS];
    struct table facts = {0};
    struct exact_cycles a;

    for (unsigned kind = 1; kind < RECFILE_KINDS; kind++)
        count_records(r, kind, &count[kind]);
    exact_cycles_read(&a, r);
    exact_cycles_check(&a, r);
    exact_cycles_free(&a);
    put_facts(&facts, r, o->csv);
    if (o->csv) {
        csv_facts(&facts, r, count);
        report_table(&facts, o, to);
        return;
    }
    print_notes(r, to);
    fprintf(to, "%s: experiment, format %d\n\n", r->name, REC_VERSION);
    report_table(&facts, o, to);
    fputs("\nRecords\n", to);
    print_files(count, o, to);
    print_counters(r, o, to);
    print_knobs(r, o, to);
    print_map(r, o, to);
    print_threads(r, o, to);
}

/* The same under the name that er_print's users know. */
void report_header(struct recording *r, const struct options *o, FILE *to)
{
    report_info(r, o, to);
}
