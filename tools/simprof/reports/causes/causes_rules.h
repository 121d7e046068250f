/* causes_rules.h - whose an idle CPU's time is, by the three rules of causes.h,
 * and how far these agree. */
#ifndef TOOLS_SIMPROF_REPORTS_CAUSES_CAUSES_RULES_H
#define TOOLS_SIMPROF_REPORTS_CAUSES_CAUSES_RULES_H

#include "tools/analysis/causes/causes.h"
#include "tools/simprof/report/report.h"

/* In a sentence: how much of the idle time that `choice` charges by the rule
 * CAUSES_ARRIVER each of the other two charges to other roots, and which of
 * these has most by it. Nothing where there is no idle time. */
void causes_say_rules(const struct causes *c,
                      const struct causes_choice *choice,
                      const struct options *o, FILE *to);

#endif
