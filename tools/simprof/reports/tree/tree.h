/* tree.h - what a time tree's answer is shown as. */
#ifndef TOOLS_SIMPROF_REPORTS_TREE_TREE_H
#define TOOLS_SIMPROF_REPORTS_TREE_TREE_H

#include "tools/analysis/timetree/timetree_file.h"
#include "tools/simprof/report/report.h"
#include "tools/simprof/report/select.h"

enum tree_show { TREE_FUNCTIONS, TREE_STACKS, TREE_CALLTREE, TREE_CALLERS };

/* What --show says; false: it says something else, which is refused. */
bool tree_choose_show(const struct options *o, enum tree_show *show);

/* Between its callers and its callees: the function that --function names. */
void tree_print_callers(const struct timetree_file *f,
                        const struct timetree_answer *a,
                        const struct options *o, FILE *to);

void tree_print(const struct timetree_file *f, const struct timetree_answer *a,
                enum tree_show show, const struct options *o, FILE *to);

/* What --m, --p, --n, --descend, --event, --thread, --cpu and --filters say;
 * false: no sense, which is said. The selection holds the filter; the caller
 * closes it when the choice is not needed any more. */
bool tree_choice(struct recording *r, const struct options *o,
                 struct timetree_choice *c, struct selection *s);

/* The experiment's tree of a source; false: there is none, and unless it is
 * merely missing and `must` is false that is said. */
bool tree_open(struct recording *r, const struct options *o, const char *source,
               bool must, struct timetree_file *f);

/* Its size and how it was built, in words. */
void tree_say_shape(const struct timetree_file *f, const struct options *o,
                    FILE *to);

/* "leaf < its caller < ...", and from the root with ; between. The caller
 * frees. */
char *tree_spell(const struct timetree_file *f, uint32_t call, bool csv);

#endif
