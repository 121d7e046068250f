/* main.c - simprof: arguments to experiment to report.
 * Exit status: 0 all is well; 1 a report was printed, but the experiment is
 * damaged (standard error says how); 2 wrong usage; 125 nothing to report, or
 * the report could not be written.
 */
#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/text.h"
#include "tools/simprof/active.h"
#include "tools/simprof/report.h"
#include "tools/simprof/select.h"

enum { EXIT_DAMAGED = 1, EXIT_USAGE = 2, EXIT_BROKEN = 125 };

/* Every report takes --help. */
#define CSV OPTION_CSV
#define CPU OPTION_CPU
#define PER_CPU OPTION_PER_CPU
#define REASONS OPTION_REASONS
#define PCS OPTION_PCS
#define TABLE OPTION_TABLE
#define BY OPTION_BY
#define LIMIT OPTION_LIMIT
#define WIDTH OPTION_WIDTH
#define FUNCTION OPTION_FUNCTION
#define THREAD OPTION_THREAD
#define M OPTION_M
#define P OPTION_P
#define N OPTION_N
#define DESCEND OPTION_DESCEND
#define SHOW OPTION_SHOW
#define VERBOSE OPTION_VERBOSE
#define METRICS OPTION_METRICS
#define SORT OPTION_SORT
#define FILTERS OPTION_FILTERS
#define FROM OPTION_FROM
#define TO OPTION_TO
#define STEP OPTION_STEP
#define SOURCES OPTION_SOURCES
#define FORMAT OPTION_FORMAT
#define OUTPUT OPTION_OUTPUT
#define EVENT OPTION_EVENT

static const struct report {
    const char *name, *text;
    unsigned takes;
    void (*print)(struct recording *r, const struct options *o, FILE *to);
} reports[] = {
#define REPORT(name, takes, text)                                              \
    {#name, text, (takes) | OPTION_HELP, report_##name},
#include "tools/simprof/reports.def"
#undef REPORT
};

#define REPORTS (sizeof reports / sizeof reports[0])

static const struct {
    const char *spelling, *argument, *text;
} options[] = {
#define OPTION(name, spelling, argument, text) {spelling, argument, text},
#include "tools/simprof/options.def"
#undef OPTION
};

/* ---- help --------------------------------------------------------------- */

#define NAME 64

/* The name of a report as a person writes it. */
static const char *spelled(const char *name, char out[NAME])
{
    snprintf(out, NAME, "%s", name);
    for (char *c = out; *c; c++)
        if (*c == '_')
            *c = '-';
    return out;
}

static void help(FILE *to)
{
    char name[NAME];

    fputs("usage: simprof REPORT [OPTION...] EXPERIMENT\n"
          "Reports on an experiment that simrun --pmu-trace made.\n\n"
          "Reports:\n",
          to);
    for (size_t i = 0; i < REPORTS; i++)
        fprintf(to, "  %-15s %s\n", spelled(reports[i].name, name),
                reports[i].text);
    fputs("\nsimprof REPORT --help lists the options of a report.\n"
          "Exit status: 0 all is well, 1 reported but the experiment is "
          "damaged,\n2 wrong usage, 125 nothing could be reported.\n",
          to);
}

static void help_report(const struct report *report, FILE *to)
{
    char name[NAME];

    fprintf(to, "usage: simprof %s [OPTION...] EXPERIMENT\nShows %s.\n\n",
            spelled(report->name, name), report->text);
    for (int i = 0; i < OPTION_COUNT; i++) {
        char left[48];

        if (!(report->takes & 1u << i))
            continue;
        snprintf(left, sizeof left, "--%s%s%s", options[i].spelling,
                 options[i].argument ? "=" : "",
                 options[i].argument ? options[i].argument : "");
        fprintf(to, "  %-14s %s\n", left, options[i].text);
    }
}

static _Noreturn void usage(const char *what, const char *which)
{
    fprintf(stderr, "simprof: %s%s (simprof --help lists what there is)\n",
            what, which);
    exit(EXIT_USAGE);
}

/* ---- arguments ---------------------------------------------------------- */

static unsigned number(const char *option, const char *text, unsigned most)
{
    uint64_t n;

    if (!text_number(text, &n) || n > most) {
        fprintf(stderr, "simprof: --%s=%s: must be a number from 0 to %u\n",
                option, text, most);
        exit(EXIT_USAGE);
    }
    return (unsigned)n;
}

/* Which of the names, ended by NULL, an option's argument is. */
static unsigned choice(const char *option, const char *text,
                       const char *const *name)
{
    for (unsigned i = 0; name[i]; i++)
        if (!strcmp(text, name[i]))
            return i;
    fprintf(stderr, "simprof: --%s=%s: must be %s", option, text, name[0]);
    for (unsigned i = 1; name[i]; i++)
        fprintf(stderr, name[i + 1] ? ", %s" : " or %s", name[i]);
    fputs("\n", stderr);
    exit(EXIT_USAGE);
}

static const char *const parts[] = {"all", "cpus", "stacks", "tree", NULL};
static const char *const bys[] = {"function", "pc", "thread", "process", NULL};

static void set_option(struct options *o, const struct report *report, int bit)
{
    const char *name = options[bit].spelling;

    o->text[bit] = optarg ? optarg : "";
    switch (bit) {
    case OPTION_BIT_CSV:
        o->csv = true;
        break;
    case OPTION_BIT_CPU:
        o->cpu = (long)number(name, optarg, 255);
        break;
    case OPTION_BIT_PER_CPU:
        o->per_cpu = true;
        break;
    case OPTION_BIT_REASONS:
        o->reasons = true;
        break;
    case OPTION_BIT_PCS:
        o->pcs = true;
        break;
    case OPTION_BIT_TABLE:
        o->part = (enum part)choice(name, optarg, parts);
        break;
    case OPTION_BIT_BY:
        o->by = (enum interrupts_by)choice(name, optarg, bys);
        break;
    case OPTION_BIT_LIMIT:
        o->limit = number(name, optarg, 1000000000);
        break;
    case OPTION_BIT_WIDTH:
        o->width = number(name, optarg, 10000);
        break;
    case OPTION_BIT_HELP:
        help_report(report, stdout);
        exit(fflush(stdout) || ferror(stdout) ? EXIT_BROKEN : 0);
    default:
        break; /* the report reads o->text */
    }
}

/* Options of a report, argv[0] being its name. */
static void read_options(struct options *o, const struct report *report,
                         int argc, char **argv)
{
    struct option table[OPTION_COUNT + 1] = {{0}};
    bool takes_output = report->takes & OPTION_OUTPUT;
    int n = 0, c;
    const char *letters = takes_output                     ? ":o:v"
                          : report->takes & OPTION_VERBOSE ? ":v"
                                                           : ":";

    for (int i = 0; i < OPTION_COUNT; i++)
        if (report->takes & 1u << i)
            table[n++] = (struct option){
                options[i].spelling,
                options[i].argument ? required_argument : no_argument, NULL, i};
    opterr = 0;
    while ((c = getopt_long(argc, argv, letters, table, NULL)) >= 0) {
        if (c == '?' || c == ':')
            usage(c == ':' ? "an argument is missing behind "
                           : "no such option for this report: ",
                  argv[optind - 1]);
        set_option(o, report,
                   c == 'o'   ? OPTION_BIT_OUTPUT
                   : c == 'v' ? OPTION_BIT_VERBOSE
                              : c);
    }
    if (optind == argc)
        usage("which experiment?", "");
    /* A function, or what to compare with, may stand in front. */
    if (optind + 2 == argc && report->takes & OPTION_BASE)
        o->text[OPTION_BIT_BASE] = argv[optind++];
    else if (optind + 2 == argc && report->takes & OPTION_FUNCTION &&
             !o->text[OPTION_BIT_FUNCTION])
        o->text[OPTION_BIT_FUNCTION] = argv[optind++];
    if (optind + 1 < argc)
        usage("one experiment at a time, not also ", argv[optind + 1]);
    o->experiment = argv[optind];
    if (o->per_cpu && o->cpu >= 0)
        usage("--cpu and --per-cpu do not go together", "");
}

/* callers_callees is written callers-callees, either will do. */
static bool same_name(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if (*a != *b && !(*a == '_' && *b == '-'))
            return false;
    return *a == *b;
}

static const struct report *find_report(const char *name)
{
    for (size_t i = 0; i < REPORTS; i++)
        if (same_name(reports[i].name, name))
            return &reports[i];
    if (name[0] == '-')
        usage("the report comes first, not ", name);
    usage("no such report: ", name);
}

/* Some reports have two words: tree build. */
static const struct report *find_pair(const char *first, const char *second)
{
    char name[NAME];

    snprintf(name, sizeof name, "%s-%s", first, second);
    for (size_t i = 0; i < REPORTS; i++)
        if (same_name(reports[i].name, name))
            return &reports[i];
    return NULL;
}

/* ---- the run ------------------------------------------------------------ */

/* `active` on tables of other programs. */
static int run_tables(const struct options *o)
{
    char why[1024];

    if (!active_tables(o, stdout, why, sizeof why)) {
        text_printable(why);
        fprintf(stderr, "simprof: %s\n", why);
        return EXIT_BROKEN;
    }
    return fflush(stdout) || ferror(stdout) ? EXIT_BROKEN : 0;
}

/* --from and --to, for every report that takes them. False: they make no sense,
 * which is said. The time tree knows what an empty interval is. */
static bool set_interval(struct recording *r, const struct report *report,
                         const struct options *o)
{
    uint64_t from, to;

    if (!option_cycles(o, OPTION_BIT_FROM, 0, &from) ||
        !option_cycles(o, OPTION_BIT_TO, UINT64_MAX, &to))
        return false;
    if (from >= to && report->print != report_tree_query) {
        report_refuse(o, "--from must be below --to");
        return false;
    }
    recording_within(r, from, to);
    return true;
}

static int run(const struct report *report, const struct options *o)
{
    struct recording r;
    char why[1024];
    int status = 0;

    if (report->print == report_active && active_is_tables(o->experiment))
        return run_tables(o);
    if (!recording_open(&r, o->experiment, why, sizeof why)) {
        text_printable(why);
        fprintf(stderr, "simprof: %s\n", why);
        return EXIT_BROKEN;
    }
    if (o->cpu >= (long)r.cpus) {
        fprintf(stderr, "simprof: --cpu=%ld: the machine had CPUs 0 to %u\n",
                o->cpu, r.cpus - 1);
        recording_close(&r);
        return EXIT_USAGE;
    }
    r.verbose = o->text[OPTION_BIT_VERBOSE] != NULL;
    if (set_interval(&r, report, o))
        report->print(&r, o, stdout);
    if (fflush(stdout) || ferror(stdout)) {
        if (errno != EPIPE) /* whoever read it had enough */
            perror("simprof: the report cannot be written");
        status = EXIT_BROKEN;
    }
    if (o->refusal->text[0]) {
        fprintf(stderr, "simprof: %s\n", o->refusal->text);
        status = EXIT_USAGE;
    }
    problems_print(&r.problems, stderr);
    if (!status && problems_damage(&r.problems))
        status = EXIT_DAMAGED;
    recording_close(&r);
    return status;
}

int main(int argc, char **argv)
{
    struct refusal refusal = {""};
    struct options o = {.cpu = -1, .limit = UINT32_MAX, .refusal = &refusal};
    const struct report *report;
    int words;

    if (argc < 2)
        usage("which report?", "");
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        help(stdout);
        return fflush(stdout) || ferror(stdout) ? EXIT_BROKEN : 0;
    }
    report = argc > 2 ? find_pair(argv[1], argv[2]) : NULL;
    words = report ? 2 : 1;
    if (!report)
        report = find_report(argv[1]);
    read_options(&o, report, argc - words, argv + words);
    if (!o.width)
        o.width = table_width(stdout);
    if (o.limit == UINT32_MAX)
        o.limit = o.csv ? 0 : 20;
    return run(report, &o);
}
