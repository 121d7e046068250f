/* main.c - simprof: arguments to experiment to report, or to a session.
 * Exit status: 0 all is well; 1 a report was printed, but the experiment is
 * damaged (standard error says how); 2 wrong usage; 125 nothing to report, or
 * the report could not be written.
 */
#include <errno.h>
#include <glob.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/version.h"
#include "lib/base/text.h"
#include "tools/simprof/reports/active/active.h"
#include "tools/simprof/session/options.h"
#include "tools/simprof/session/prompt.h"
#include "tools/simprof/report/reports.h"
#include "tools/simprof/session/session.h"

enum { EXIT_DAMAGED = 1, EXIT_USAGE = 2, EXIT_BROKEN = 125 };

static void help(FILE *to)
{
    fputs("usage: simprof REPORT [OPTION...] EXPERIMENT\n"
          "       simprof EXPERIMENT REPORT [OPTION...]\n"
          "       simprof EXPERIMENT [-COMMAND [ARGUMENT...]]...\n"
          "Reports on an experiment that simrun --pmu-trace made. Without a "
          "report or\ncommand: a prompt, or a script from standard input.\n",
          to);
    reports_list(to);
    fputs("\nExamples:\n"
          "  simprof functions run.exp              what took the cycles\n"
          "  simprof csingle mutex_lock run.exp     who calls it, and what it "
          "calls\n"
          "  simprof lines --from=2ms --limit=5 --filters='cpu == 1' run.exp\n"
          "  simprof run.exp -limit 5 -functions -calltree   several at once\n"
          "\nsimprof REPORT --help lists the options of a report, simprof "
          "EXPERIMENT -help\nthe commands, -script FILE among them; simprof "
          "--version which one this is.\n"
          "Exit status: 0 all is well, 1 reported but the experiment is "
          "damaged,\n2 wrong usage, 125 nothing could be reported.\n",
          to);
}

static int flushed(void)
{
    return fflush(stdout) || ferror(stdout) ? EXIT_BROKEN : 0;
}

static int usage(const char *what, const char *which)
{
    fprintf(stderr, "simprof: %s%s (simprof --help lists what there is)\n",
            what, which);
    return EXIT_USAGE;
}

/* No such report or command: what may have been meant. */
static int no_report(const char *what, const char *word)
{
    char near[DID_YOU_MEAN_TEXT];

    reports_near(word + strspn(word, "-"), near);
    fprintf(stderr, "simprof: %s: %s%s\n", word, what,
            near[0] ? near : " (simprof --help lists what there is)");
    return EXIT_USAGE;
}

static bool open_recording(struct recording *r, const char *path)
{
    char why[1024];

    if (recording_open(r, path, why, sizeof why))
        return true;
    text_printable(why);
    fprintf(stderr, "simprof: %s\n", why);
    return false;
}

/* ---- one report ---------------------------------------------------------- */

/* All is written, and what could not be done is said. */
static int finish(const struct options *o)
{
    int status = 0;

    if (flushed()) {
        if (errno != EPIPE) /* the reader had enough */
            perror("simprof: the report cannot be written");
        status = EXIT_BROKEN;
    }
    if (o->refusal->text[0]) {
        fprintf(stderr, "simprof: %s\n", o->refusal->text);
        status = o->refusal->broken ? EXIT_BROKEN : EXIT_USAGE;
    }
    return status;
}

/* `active` on tables of other programs. */
static int run_tables(const struct options *o)
{
    active_tables(o, stdout);
    text_printable(o->refusal->text); /* it may have words of theirs */
    return finish(o);
}

static int run(const struct report *report, const struct options *o)
{
    struct recording r;
    int status;

    if (report->print == report_active && active_is_tables(o->experiment))
        return run_tables(o);
    if (!open_recording(&r, o->experiment))
        return EXIT_BROKEN;
    reports_print(report, &r, o, stdout);
    status = finish(o);
    problems_print(&r.problems, stderr);
    if (!status && problems_damage(&r.problems))
        status = EXIT_DAMAGED;
    recording_close(&r);
    return status;
}

static bool is_directory(const char *path)
{
    struct stat st;

    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static void swap(char **word)
{
    char *first = word[0];

    word[0] = word[1];
    word[1] = first;
}

/* No experiment is named: which is the newest in this directory? */
static int no_experiment(void)
{
    const char *newest = NULL;
    struct stat st;
    time_t then = 0;
    glob_t all;
    int status;

    if (!glob("*.exp", GLOB_ONLYDIR, NULL, &all))
        for (size_t k = 0; k < all.gl_pathc; k++)
            if (!stat(all.gl_pathv[k], &st) && S_ISDIR(st.st_mode) &&
                (!newest || st.st_mtime >= then)) {
                newest = all.gl_pathv[k];
                then = st.st_mtime;
            }
    status = newest ? usage("which experiment? The newest here is ", newest)
                    : usage("which experiment?", "");
    globfree(&all);
    return status;
}

/* Two words, where an experiment should be alone: the one that is none is the
 * wrong one. */
static int too_many(char *const *word)
{
    int wrong = is_directory(word[0]) && !is_directory(word[1]);

    if (is_directory(word[0]) == is_directory(word[1]))
        return usage("one experiment at a time, not also ", word[1]);
    return usage("the report takes nothing beside an experiment, not ",
                 word[wrong]);
}

/* argv[0] is the report's name, or the second word of it. */
static int run_report(const struct report *report, int argc, char **argv)
{
    struct refusal refusal = {.text = ""};
    struct options o = {.cpu = -1, .limit = UINT32_MAX, .refusal = &refusal};
    int at;

    switch (options_read(&o, report->takes, argc, argv, &at)) {
    case OPTIONS_HELP:
        reports_help(report, stdout);
        return flushed();
    case OPTIONS_REFUSED:
        fprintf(stderr, "simprof: %s\n", refusal.text);
        return EXIT_USAGE;
    case OPTIONS_READ:
        break;
    }
    if (at == argc)
        return no_experiment();
    /* A function, or what to compare with, may stand in front; or behind. */
    if (at + 2 == argc && is_directory(argv[at]) && !is_directory(argv[at + 1]))
        swap(argv + at);
    if (at + 2 == argc && options_operand(&o, report->takes, argv[at]))
        at++;
    if (at + 1 < argc)
        return too_many(argv + at);
    o.experiment = argv[at];
    options_settle(&o, stdout);
    return run(report, &o);
}

/* ---- a session ----------------------------------------------------------- */

/* How many arguments the command at argv[0] has: up to the next command. The
 * first may begin with a dash, as in -sort -e.cycles, if none is a command. */
static int arguments(int argc, char **argv)
{
    int n = 1;

    while (n < argc && (argv[n][0] != '-' || !argv[n][1] || argv[n][1] == '-' ||
                        (n == 1 && !strcmp(argv[0], "-sort"))))
        n++;
    return n;
}

/* Is every command there is? As er_print, else none is obeyed. */
static bool all_known(int argc, char **argv)
{
    int words;

    for (int at = 0; at < argc; at += arguments(argc - at, argv + at)) {
        char *name = argv[at] + 1;

        if (argv[at][0] == '-' && argv[at][1] != '-' &&
            (commands_find(name) || reports_find(1, &name, &words)))
            continue;
        no_report("no such command", argv[at]);
        return false;
    }
    return true;
}

static void obey(struct session *s, int argc, char **argv)
{
    for (int at = 0; at < argc && !s->quit;) {
        int n = arguments(argc - at, argv + at);
        struct command_words w;

        command_words_take(&w, n, argv + at);
        w.word[0]++; /* the dash */
        session_obey(s, &w);
        command_words_free(&w);
        at += n;
    }
}

static int run_session(const char *experiment, int argc, char **argv)
{
    struct recording r;
    struct session s;
    int status;

    if (!all_known(argc, argv))
        return EXIT_USAGE;
    if (!open_recording(&r, experiment))
        return EXIT_BROKEN;
    session_open(&s, &r, experiment);
    s.told = problems_print_from(&r.problems, 0, stderr);
    if (argc)
        obey(&s, argc, argv);
    else if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
        prompt_run(&s);
    else
        session_read(&s, stdin, "standard input");
    session_close(&s);
    status = s.broken || s.failed           ? EXIT_BROKEN
             : s.refused                    ? EXIT_USAGE
             : problems_damage(&r.problems) ? EXIT_DAMAGED
                                            : 0;
    recording_close(&r);
    return status;
}

/* "EXPERIMENT REPORT ...": the experiment goes to the end. NULL: it is not
 * that. */
static const struct report *behind(int argc, char **argv, int *words)
{
    const struct report *report = NULL;
    char *experiment = argv[1];

    if (argc > 2 && argv[2][0] != '-')
        report = reports_find(argc - 2, argv + 2, words);
    if (!report)
        return NULL;
    memmove(argv + 1, argv + 2, (size_t)(argc - 2) * sizeof *argv);
    argv[argc - 1] = experiment;
    return report;
}

/* --help, -h or help, of a report if one is named. */
static int run_help(int argc, char **argv)
{
    int words;
    const struct report *report = reports_find(argc - 2, argv + 2, &words);

    if (argc > 2 && !report && argv[1][0] == 'h')
        return no_report("no such report", argv[2]);
    if (report)
        reports_help(report, stdout);
    else
        help(stdout);
    return flushed();
}

static bool is_help(const char *word)
{
    return !strcmp(word, "--help") || !strcmp(word, "-h") ||
           !strcmp(word, "--help=all");
}

int main(int argc, char **argv)
{
    const struct report *report;
    int words;

    if (argc < 2)
        return usage("which report?", "");
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
        printf("simprof %s\n", SIMRUN_VERSION);
        return flushed();
    }
    if (is_help(argv[1]) || !strcmp(argv[1], "help"))
        return run_help(argc, argv);
    report = reports_find(argc - 1, argv + 1, &words);
    if (!report && argv[1][0] != '-' &&
        (is_directory(argv[1]) || strchr(argv[1], '/')))
        report = behind(argc, argv, &words);
    if (report)
        return run_report(report, argc - words, argv + words);
    if (argv[1][0] == '-' && argv[1][1] == '-')
        return usage("the report comes first, not ", argv[1]);
    if (argv[1][0] == '-' && argc > 2) /* as er_print has it */
        return run_session(argv[argc - 1], argc - 2, argv + 1);
    if (argc == 3 && is_help(argv[2]))
        return run_help(2, argv);
    if (is_directory(argv[1]) || strchr(argv[1], '/'))
        return run_session(argv[1], argc - 2, argv + 2);
    if (!strcmp(argv[1], "tree"))
        return usage("which one? tree build, tree query, tree show", "");
    return no_report("no such report, and no experiment", argv[1]);
}
