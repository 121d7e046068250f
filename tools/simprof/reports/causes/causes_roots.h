/* causes_roots.h - the table of roots, which several reports have. */
#ifndef TOOLS_SIMPROF_REPORTS_CAUSES_CAUSES_ROOTS_H
#define TOOLS_SIMPROF_REPORTS_CAUSES_CAUSES_ROOTS_H

#include "tools/analysis/causes/causes.h"
#include "tools/simprof/report/report.h"

/* Most first; `of` and `key` head the column of shares of c->total. */
void causes_print_roots(const struct causes *c, const struct options *o,
                        const char *of, const char *key, FILE *to);

/* Did threads spin long enough for text to say of roots, classes and chains
 * what of that is theirs? */
bool causes_spins_show(const struct causes *c);

/* How long CPUs were idle, and that it does not limit the run, where it does
 * not. */
void causes_say_idle(const struct naps *n, const struct scene *s,
                     const struct options *o, FILE *to);

/* Did threads run and spin for 5 % of the CPUs' time or more? */
bool causes_spins_matter(const struct naps *n, const struct scene *s);

/* Were CPUs idle for so much of their time that it says something? */
bool causes_idle_matters(const struct naps *n, const struct recording *r);

/* Do so many cycles of idle time matter? And how much is because of what a
 * program does, other than that it and its threads begin and end. */
bool causes_waits_matter(uint64_t cycles, const struct naps *n,
                         const struct recording *r);
void causes_say_waits(const struct causes *c, const struct naps *n,
                      const struct recording *r, const struct options *o,
                      FILE *to);

/* Of threads that are made in one place and do not end together: what sharing
 * out their work would bring; nothing where that is below UNEVEN_MATTERS
 * percent of the run. `before` stands in front. */
#define UNEVEN_MATTERS 3
void causes_say_uneven(const struct causes *c, const char *before,
                       const struct options *o, FILE *to);

/* How it is known where threads ran and waited. */
void causes_say_where(const struct causes *c, const struct options *o,
                      FILE *to);

/* The word for a root in the column `what`. */
const char *causes_root_key(enum chain_root root);

#endif
