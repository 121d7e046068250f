/* options.h - the options of reports (options.def): words to values. */
#ifndef TOOLS_SIMPROF_SESSION_OPTIONS_H
#define TOOLS_SIMPROF_SESSION_OPTIONS_H

#include <stdint.h>

#include "tools/simprof/report/report.h"

/* What reading words came to. */
enum options_end {
    OPTIONS_READ,
    OPTIONS_REFUSED, /* o->refusal says why */
    OPTIONS_HELP     /* --help was among them */
};

/* One option with what stood behind it (NULL: it takes nothing). False: that
 * makes no sense, which o->refusal says. The text must live as long as o. */
bool options_set(struct options *o, int bit, const char *text);

/* Options `takes` (bits OPTION_...) of argv[1..argc-1], argv[0] being the
 * report's name. *left is the index of the first word that is none; words are
 * put in order, options first. */
enum options_end options_read(struct options *o, uint64_t takes, int argc,
                              char **argv, int *left);

/* A word that stands before the experiment: a function, a name, or what to
 * compare with. False: the report has no place for it. */
bool options_operand(struct options *o, uint64_t takes, const char *word);

/* Width, limit and few, where nothing was said, as suits what is written to. */
void options_settle(struct options *o, FILE *to);

/* How option `bit` is spelled behind its dashes. */
const char *options_spelling(int bit);

/* Has it an argument? */
bool options_argument(int bit);

/* The words that its argument is one of, ended by NULL; NULL: any. */
const char *const *options_words(int bit);

#define HELP_LEFT 19 /* columns that an option has in --help */

/* The lines of --help: an option each. */
void options_help(uint64_t takes, FILE *to);

#endif
