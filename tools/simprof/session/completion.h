/* completion.h - what the last word of a line that is being typed may become:
 * commands, options, and what stands behind them: metrics, functions, events
 * and words.
 */
#ifndef TOOLS_SIMPROF_SESSION_COMPLETION_H
#define TOOLS_SIMPROF_SESSION_COMPLETION_H

#include "tools/simprof/session/session.h"

struct completion {
    size_t from; /* where in the line stands what is completed */
    char **name; /* what it may become, in order, no two the same */
    size_t names, room;
    char behind; /* what stands behind a whole one; 0: nothing */
};

/* Of a line's first n bytes. */
void complete(struct completion *c, const struct session *s, const char *line,
              size_t n);
void completion_free(struct completion *c);

/* How many bytes of the names are the same. */
size_t completion_common(const struct completion *c);

#endif
