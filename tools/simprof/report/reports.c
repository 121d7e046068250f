/* reports.c - the table of reports. */
#include "tools/simprof/report/reports.h"

#include <ctype.h>
#include <string.h>

#include "tools/simprof/session/options.h"
#include "tools/simprof/report/select.h"

/* Every report takes --help. */
#define CSV OPTION_CSV
#define CPU OPTION_CPU
#define PER_CPU OPTION_PER_CPU
#define REASONS OPTION_REASONS
#define PCS OPTION_PCS
#define TABLE OPTION_TABLE
#define PART OPTION_PART
#define BY OPTION_BY
#define LIMIT OPTION_LIMIT
#define WIDTH OPTION_WIDTH
#define VIEWMODE OPTION_VIEWMODE
#define FUNCTION OPTION_FUNCTION
#define SECTION OPTION_SECTION
#define LEAST OPTION_LEAST
#define WHAT_IF OPTION_WHAT_IF
#define METHODS OPTION_METHODS
#define GAINS OPTION_GAINS
#define BUDGET OPTION_BUDGET
#define PAIRS OPTION_PAIRS
#define FACTOR OPTION_FACTOR
#define WITH OPTION_WITH
#define CLOCK OPTION_CLOCK
#define PLACES OPTION_PLACES
#define SPUN OPTION_SPUN
#define THREAD OPTION_THREAD
#define PROCESS OPTION_PROCESS
#define OBJECT OPTION_OBJECT
#define M OPTION_M
#define P OPTION_P
#define N OPTION_N
#define DESCEND OPTION_DESCEND
#define SHOW OPTION_SHOW
#define KINDS OPTION_KINDS
#define VERBOSE OPTION_VERBOSE
#define METRICS OPTION_METRICS
#define FEW OPTION_FEW
#define INLINES OPTION_INLINES
#define SORT OPTION_SORT
#define FILTERS OPTION_FILTERS
#define FROM OPTION_FROM
#define TO OPTION_TO
#define STEP OPTION_STEP
#define SOURCES OPTION_SOURCES
#define FORMAT OPTION_FORMAT
#define OUTPUT OPTION_OUTPUT
#define EVENT OPTION_EVENT

static const struct report reports[] = {
#define REPORT(name, takes, text)                                              \
    {#name, text,                                                              \
     (takes) | OPTION_HELP | ((takes)&OPTION_CSV ? OPTION_JSON : 0),           \
     report_##name},
#include "tools/simprof/report/reports.def"
#undef REPORT
};

#define REPORTS (sizeof reports / sizeof reports[0])

const struct report *reports_at(size_t i)
{
    return i < REPORTS ? &reports[i] : NULL;
}

const char *reports_spelled(const struct report *report, char out[REPORTS_NAME])
{
    snprintf(out, REPORTS_NAME, "%s", report->name);
    for (char *c = out; *c; c++)
        if (*c == '_')
            *c = '-';
    return out;
}

/* callers_callees is written callers-callees, either will do. */
static bool same_name(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if (*a != *b && !(*a == '_' && *b == '-'))
            return false;
    return *a == *b;
}

static const struct report *named(const char *name)
{
    for (size_t i = 0; i < REPORTS; i++)
        if (same_name(reports[i].name, name))
            return &reports[i];
    return NULL;
}

const struct report *reports_find(int count, char *const *word, int *words)
{
    const struct report *found = NULL;
    char pair[REPORTS_NAME];

    *words = 0;
    if (count > 1) {
        snprintf(pair, sizeof pair, "%s-%s", word[0], word[1]);
        found = named(pair);
        *words = 2;
    }
    if (!found && count) {
        found = named(word[0]);
        *words = 1;
    }
    return found;
}

void reports_help(const struct report *report, FILE *to)
{
    char name[REPORTS_NAME];

    fprintf(to, "usage: simprof %s [OPTION...] %sEXPERIMENT\n",
            reports_spelled(report, name),
            report->takes & OPTION_FUNCTION ? "[FUNCTION] "
            : report->takes & OPTION_NAME   ? "[NAME] "
            : report->print == report_html  ? "[BASE] "
            : report->takes & OPTION_BASE   ? "BASE "
                                            : "");
    fprintf(to, "%c%s.\n\n", toupper((unsigned char)report->text[0]),
            report->text + 1);
    options_help(report->takes, to);
    if (report->takes & OPTION_FROM)
        fputs("\nA TIME is a number of cycles, or has a unit: 1.5ms (s, ms, "
              "us, ns).\n"
              "--from and --to take begin:PROGRAM and end:PROGRAM as well.\n",
              to);
}

static void put_report(FILE *to, const char *name, const char *text)
{
    char spelled[REPORTS_NAME];
    size_t i = 0;

    for (; name[i] && i + 1 < sizeof spelled; i++)
        spelled[i] = name[i] == '_' ? '-' : name[i];
    spelled[i] = '\0';
    report_pair(to, spelled, REPORTS_LEFT, text);
}

void reports_list(FILE *to)
{
#define GROUP(text) fputs("\n" text ":\n", to);
#define REPORT(name, takes, text) put_report(to, #name, text);
#include "tools/simprof/report/reports.def"
#undef REPORT
}

const char *reports_near(const char *word, char out[DID_YOU_MEAN_TEXT])
{
    char spelled[REPORTS][REPORTS_NAME];
    struct did_you_mean n;

    did_you_mean_begin(&n, word);
    for (size_t i = 0; i < REPORTS; i++)
        did_you_mean_offer(&n, reports_spelled(&reports[i], spelled[i]));
    return did_you_mean_text(&n, out);
}

/* --from and --to, for every report that takes them. False: they make no sense,
 * which is said. The time tree knows what an empty interval is. */
static bool set_interval(struct recording *r, const struct report *report,
                         const struct options *o)
{
    uint64_t from, to;

    if (!option_cycles(r, o, OPTION_BIT_FROM, 0, &from) ||
        !option_cycles(r, o, OPTION_BIT_TO, UINT64_MAX, &to))
        return false;
    if (from >= to && report->print != report_tree_query) {
        report_refuse(o, "--from must be below --to");
        return false;
    }
    recording_within(r, from, to);
    return true;
}

void reports_print(const struct report *report, struct recording *r,
                   const struct options *o, FILE *to)
{
    r->verbose = o->text[OPTION_BIT_VERBOSE] != NULL;
    if (o->cpu >= (long)r->cpus)
        report_refuse(o,
                      "--cpu=%ld: no such CPU; the machine had %u, from 0 "
                      "on",
                      o->cpu, r->cpus);
    else if (set_interval(r, report, o))
        report->print(r, o, to);
}
