/* frames.h - call stacks that records name by a number: frame.rec. */
#ifndef TOOLS_ANALYSIS_STATES_FRAMES_H
#define TOOLS_ANALYSIS_STATES_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "tools/analysis/experiment/recording.h"

/* A place in a stack. */
struct frames_place {
    uint32_t caller; /* its number, below this one's; 0: none */
    uint32_t pc;     /* one instruction behind where the function stands */
    uint32_t thread; /* whose address it is, at `cycle`; 0: anybody's */
    uint64_t cycle;
};

/* By number; number 0, and those that are not in the file, have a pc of 0. */
struct frames {
    struct frames_place *place;
    size_t count, room;
};

/* Read frame.rec. What is wrong joins r->problems. */
void frames_read(struct frames *f, struct recording *r);
void frames_free(struct frames *f);

/* A place more, behind all others: its number. Its caller is one of them or 0.
 */
uint32_t frames_add(struct frames *f, const struct frames_place *place);

/* From here on addresses are looked up as those of that place (loadmap_thread):
 * returns the cycle to do it at, which is `cycle` where that does not matter.
 */
uint64_t frames_whose(const struct frames_place *p, struct loadmap *m,
                      uint64_t cycle);

/* NULL: there is none, the stack has ended. Valid until one is added. */
const struct frames_place *frames_at(const struct frames *f, uint32_t number);

/* The names of the functions of stack `number`, the innermost first, with
 * " < " between two; at most `most`, 0: all. The caller frees. */
char *frames_text(const struct frames *f, struct recording *r, uint32_t number,
                  uint64_t cycle, unsigned most);

#endif
