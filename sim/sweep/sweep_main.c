/* sweep_main.c - the command line of `simrun sweep`. Prints and exits as
 * sim/cli/options.c does for the rest.
 */
#define _GNU_SOURCE
#include "sim/sweep/sweep.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/grow.h"
#include "lib/base/replace_file.h"
#include "lib/base/text.h"

enum { STATUS_USAGE = 2, STATUS_FAILED = 125, JOBS_MOST = 1024 };

struct asked {
    struct sweep sweep;
    const char *output, *dir;
    unsigned jobs;
    size_t part, parts;
    bool merge, list, quiet, keep, help;
};

static int say(int status, const char *why)
{
    fprintf(stderr, "simrun sweep: %s\n", why);
    return status;
}

static void help(FILE *to)
{
    fputs("usage: simrun sweep [OPTION...] FILE\n"
          "Does the runs that FILE describes (docs/sweep.md), on all "
          "processors of the host,\nand prints a table of them as CSV. What "
          "was done before is not done again.\n\n"
          "  --jobs=N, -j N   so many runs at a time (all processors)\n"
          "  --output=FILE    write the table there; -o FILE is the same\n"
          "  --part=N/M       do the N-th of M parts of the runs, print no "
          "table: for a\n                   cluster's scheduler\n"
          "  --merge          print the table of what is done, run nothing\n"
          "  --list           print the commands of the runs, run nothing\n"
          "  --runs=DIR       where results are kept (FILE.runs)\n"
          "  --keep-going, -k a run that simrun refuses is a row that says "
          "why, not the end\n"
          "  --quiet, -q      no progress line\n"
          "  --help, -h       this\n",
          to);
}

/* "3/16". */
static bool read_part(struct asked *a, const char *text)
{
    const char *slash = strchr(text, '/');
    uint64_t part, parts;

    if (!slash || !text_digits(text, (size_t)(slash - text), &part) ||
        !text_number(slash + 1, &parts) || !part || part > parts ||
        parts > SWEEP_RUNS)
        return false;
    a->part = part;
    a->parts = parts;
    return true;
}

/* 0, or the status to end with. */
static int read_options(struct asked *a, int argc, char **argv)
{
    static const struct option rows[] = {
        {"jobs", 1, NULL, 'j'},  {"output", 1, NULL, 'o'},
        {"part", 1, NULL, 'p'},  {"merge", 0, NULL, 'm'},
        {"list", 0, NULL, 'l'},  {"runs", 1, NULL, 'r'},
        {"quiet", 0, NULL, 'q'}, {"keep-going", 0, NULL, 'k'},
        {"help", 0, NULL, 'h'},  {0}};
    uint64_t jobs;
    int c;

    opterr = 0;
    while ((c = getopt_long(argc, argv, ":j:o:qkh", rows, NULL)) >= 0) {
        if (c == 'j' && text_number(optarg, &jobs) && jobs && jobs <= JOBS_MOST)
            a->jobs = (unsigned)jobs;
        else if (c == 'o')
            a->output = optarg;
        else if (c == 'r')
            a->dir = optarg;
        else if (c == 'm')
            a->merge = true;
        else if (c == 'l')
            a->list = true;
        else if (c == 'q')
            a->quiet = true;
        else if (c == 'k')
            a->keep = true;
        else if (c == 'h')
            a->help = true;
        else if (c == 'j')
            return say(STATUS_USAGE, "--jobs: give a number from 1 to 1024");
        else if (c != 'p')
            return say(STATUS_USAGE, "no such option, or nothing behind it; "
                                     "simrun sweep --help lists them");
        else if (!read_part(a, optarg))
            return say(STATUS_USAGE, "--part: give N/M, such as 3/16");
    }
    if (a->help)
        return 0;
    if (argc != optind + 1)
        return say(STATUS_USAGE, "give one file; simrun sweep --help "
                                 "explains it");
    if (a->merge + a->list + (a->part > 0) > 1)
        return say(STATUS_USAGE, "--merge, --list and --part do without each "
                                 "other");
    a->sweep.file = argv[optind];
    return 0;
}

static void print_word(const char *word)
{
    if (*word && !strpbrk(word, " '\"\\;&|<>()$`*?[#~{}")) {
        printf(" %s", word);
        return;
    }
    fputs(" '", stdout);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, stdout);
    putchar('\'');
}

static void print_list(const struct sweep *s)
{
    for (size_t run = 0; run < sweep_runs(s); run++) {
        struct sweep_words w = {0};

        sweep_command(s, run, &w);
        fputs("simrun", stdout);
        for (size_t n = 0; n < w.count; n++)
            print_word(w.word[n]);
        putchar('\n');
        sweep_words_free(&w);
    }
}

static int print_table(const struct asked *a, struct sweep_names *n)
{
    struct replace file = {.to = stdout};
    char why[SWEEP_WHY];
    bool good;

    if (a->output && !replace_open(&file, a->output)) {
        snprintf(why, sizeof why, "--output=%s: %s", a->output,
                 strerror(errno));
        return say(STATUS_FAILED, why);
    }
    good = sweep_table(&a->sweep, n, file.to, why);
    if (a->output && !replace_close(&file, good) && good) {
        snprintf(why, sizeof why, "--output=%s: %s", a->output,
                 strerror(errno));
        good = false;
    }
    return good ? 0 : say(STATUS_FAILED, why);
}

static int work(const struct asked *a)
{
    struct sweep_work w = {&a->sweep,
                           NULL,
                           a->part ? a->part : 1,
                           a->part ? a->parts : 1,
                           a->jobs,
                           a->quiet,
                           a->keep};
    size_t size = strlen(a->sweep.file) + 8;
    char *dir = grow_zero(size, 1), why[SWEEP_WHY];
    struct sweep_names names;
    int status = 0;

    snprintf(dir, size, "%s.runs", a->sweep.file);
    sweep_names_open(&names, a->dir ? a->dir : dir);
    free(dir);
    w.names = &names;
    if (!a->merge && !sweep_work(&w, why, &status))
        say(status, why);
    else if (!a->part)
        status = print_table(a, &names);
    sweep_names_close(&names);
    return status;
}

int sweep_main(int argc, char **argv)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct asked a = {.jobs = processors < 1           ? 1
                              : processors > JOBS_MOST ? JOBS_MOST
                                                       : (unsigned)processors};
    char why[SWEEP_WHY];
    int status = read_options(&a, argc, argv);

    if (!status && a.help) {
        help(stdout);
    } else if (!status) {
        if (!sweep_read(&a.sweep, why))
            status = say(STATUS_USAGE, why);
        else if (a.list)
            print_list(&a.sweep);
        else if (!a.merge && !sweep_apart(&a.sweep, why))
            status = say(STATUS_USAGE, why);
        else
            status = work(&a);
        sweep_free(&a.sweep);
    }
    if (!status && (fflush(stdout) || ferror(stdout)))
        status = say(STATUS_FAILED, "stdout cannot be written");
    return status;
}
