/* tree.h - what a time tree's answer is shown as. */
#ifndef TOOLS_SIMPROF_TREE_H
#define TOOLS_SIMPROF_TREE_H

#include "tools/lib/timetree_file.h"
#include "tools/simprof/report.h"

enum tree_show { TREE_FUNCTIONS, TREE_STACKS, TREE_CALLTREE, TREE_CALLERS };

/* What --show says; false: it says something else, which is refused. */
bool tree_choose(const struct options *o, enum tree_show *show);

/* Between its callers and its callees: the function that --function names. */
void tree_print_callers(const struct timetree_file *f,
                        const struct timetree_answer *a,
                        const struct options *o, FILE *to);

void tree_print(const struct timetree_file *f, const struct timetree_answer *a,
                enum tree_show show, const struct options *o, FILE *to);

#endif
