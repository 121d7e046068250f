/* shares.h - which part of what a thread ran between two operations is spent in
 * what is scaled, from samples of cycles.
 *
 * Samples are far apart: most stretches have one or none. So those that are
 * alike tell of each other: of the same thread, behind the same thing and in
 * front of the same thing, as from taking a lock to giving it back. Long ones
 * do other things at first than later: of these each interval tells of itself.
 */
#ifndef TOOLS_ANALYSIS_RETIME_SHARES_H
#define TOOLS_ANALYSIS_RETIME_SHARES_H

#include "tools/analysis/retime/graph.h"

struct shares;

/* The caller calls shares_close. */
struct shares *shares_open(const struct retime *g);
void shares_close(struct shares *s);

/* A sample in a GRAPH_RUN, in that interval of the account, is scaled by the
 * k-th of a change, or, below 0, not. */
void shares_add(struct shares *s, const struct graph_op *run, uint64_t slot,
                int k);

/* Behind all samples: of so many cycles of a GRAPH_RUN in that interval those
 * that are scaled by the k-th. False: no sample tells. */
bool shares_part(const struct shares *s, const struct graph_op *run,
                 uint64_t slot, int k, uint64_t cycles, uint64_t *part);

#endif
