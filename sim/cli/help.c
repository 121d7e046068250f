/* help.c - prints help.def, options.def and params.def in 80 columns. */
#include "sim/cli/help.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "sim/config/config.h"

#define WIDTH 79 /* columns */
#define NAMES 34 /* ... of an option's name in front of its text */

/* An option's number in the table. */
enum {
#define OPTION(name, ...) ROW_##name,
#define OPTIONAL OPTION
#define ALIAS(name, ...) ROW_ALIAS_##name,
#include "sim/cli/options.def"
#undef OPTION
#undef OPTIONAL
#undef ALIAS
};

static const char usage[] =
    "usage: simrun [OPTION...] PROGRAM.elf\n"
    "       simrun [OPTION...] --user PROGRAM [ARGUMENT...]\n"
    "Run a program on a simulated PowerPC 604e computer.\n";

static const char statuses[] =
    "\nExit status: the program's own; 2 a wrong command line; 124 a limit "
    "was\n"
    "reached; 125 simrun or the machine failed; 128 + N ended by signal N.\n";

static bool has_letter(const struct argp_option *row)
{
    return row->key > ' ' && row->key < 0x7F;
}

/* "  -e, --event=EVENT": how many columns. */
static int print_name(FILE *f, const struct argp_option *row)
{
    bool may = row->flags & OPTION_ARG_OPTIONAL;
    int n = has_letter(row) ? fprintf(f, "  -%c, ", row->key)
                            : fprintf(f, "      ");

    n += fprintf(f, "--%s", row->name);
    if (row->arg)
        n += fprintf(f, "%s=%s%s", may ? "[" : "", row->arg, may ? "]" : "");
    return n;
}

/* Words from column `at` on, in lines that begin at `indent`. */
static void print_words(FILE *f, const char *text, int at, int indent)
{
    while (*text) {
        int n = (int)strcspn(text, " ");

        if (at + 1 + n > WIDTH && at > indent) {
            fprintf(f, "\n%*s", indent, "");
            at = indent;
        } else if (at > indent) {
            at += fprintf(f, " ");
        }
        at += fprintf(f, "%.*s", n, text);
        text += n;
        text += strspn(text, " ");
    }
    fprintf(f, "\n");
}

static void print_row(FILE *f, const struct argp_option *row, const char *text)
{
    int n = print_name(f, row);

    if (n >= NAMES) {
        fprintf(f, "\n");
        n = 0;
    }
    fprintf(f, "%*s", NAMES - n, "");
    print_words(f, text, NAMES, NAMES);
}

void help_brief(FILE *f, const struct argp_option *rows)
{
    fputs(usage, f);
#define TITLE(text) fprintf(f, "\n%s:\n", text);
#define BRIEF(name, text) print_row(f, &rows[ROW_##name], text);
#define EXAMPLE(command, text) fprintf(f, "  %-39s %s\n", command, text);
#include "sim/cli/help.def"
#undef TITLE
#undef BRIEF
#undef EXAMPLE
    fputs(statuses, f);
}

static void print_knobs(FILE *f)
{
    unsigned count;
    const struct param_row *row = param_rows(&count);

    fprintf(f, "\nKnobs (--set NAME=VALUE), default and range:\n");
    for (; count--; row++) {
        fprintf(f, "  %-16s %4" PRIu32 "  %" PRIu32 "..%" PRIu32 "%s%s\n%*s",
                row->name, row->value, row->min, row->max,
                *row->unit ? " " : "", row->unit, 25, "");
        print_words(f, row->text, 25, 25);
    }
}

void help_all(FILE *f, const struct argp_option *rows)
{
    static const char *const title[] = {
        "", "What the machine is", "What is recorded, and when the run ends",
        "How the run is watched", "What is only printed"};
    int group = 0;

    fputs(usage, f);
    for (; rows->name; rows++) {
        if (rows->group != group)
            fprintf(f, "\n%s:\n", title[group = rows->group]);
        if (rows->flags & OPTION_ALIAS)
            fprintf(f, "      --%s: the same\n", rows->name);
        else
            print_row(f, rows, rows->doc);
    }
    print_knobs(f);
    fputs(statuses, f);
}
