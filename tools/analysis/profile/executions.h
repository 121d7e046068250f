/* executions.h - how often each instruction ran, where marks of the host
 * counted that (--autoprofile=scan, --mark=func:NAME): of the whole run, all
 * threads.
 */
#ifndef TOOLS_ANALYSIS_PROFILE_EXECUTIONS_H
#define TOOLS_ANALYSIS_PROFILE_EXECUTIONS_H

#include "tools/analysis/profile/mark_counts.h"

struct execution {
    struct place at;
    uint64_t count;
};

struct executions {
    struct execution *list; /* each place once */
    size_t count, room;
    struct hash at; /* by function and offset: its number in the list */
};

/* What is wrong joins r->problems. */
void executions_read(struct executions *e, struct recording *r);
void executions_free(struct executions *e);

/* Of the instruction so many bytes into a function; NULL: it was not counted.
 */
const uint64_t *executions_of(const struct executions *e, uint32_t function,
                              uint32_t offset);
/* Was any of a function counted? */
bool executions_any(const struct executions *e, uint32_t function);

#endif
