/* align.h - which cycle of a run stands beside which cycle of another, so that
 * both can be drawn one below the other, and where they part.
 *
 * Runs of the same program stand beside each other cycle by cycle: up to the
 * first record that differs they are the same. After an edit the n-th time that
 * something happened stands beside the n-th time that it happened in the other:
 * what --probe or a section named was entered, a mark was met, a lock that
 * others waited for was taken, a thread was woken; the first of these that both
 * have twice. Of several names it is the one that both have most often.
 */
#ifndef TOOLS_SIMPROF_SCENE_ALIGN_H
#define TOOLS_SIMPROF_SCENE_ALIGN_H

#include <jansson.h>

#include "tools/simprof/report/report.h"

#define ALIGN_WORDS 200
#define ALIGN_PAIRS 400 /* that are kept, at even distances */

struct align {
    char by[ALIGN_WORDS]; /* "by cycle", or by what */
    uint64_t (*pair)[2];  /* cycles of the base and of the run, ascending */
    size_t pairs;         /* at least one: [0] is 0, 0 */
    bool parts;           /* they differ, first in */
    char kind[32];        /* ... a record of this kind */
    uint64_t differ[2];   /* ... at this cycle; UINT64_MAX: it has no more */
};

/* Of the run `experiment` beside the base, both open. */
void align_read(struct align *a, struct recording *base,
                const char *base_experiment, struct recording *r,
                const char *experiment);
void align_free(struct align *a);

/* The cycle of the run that a cycle of the base stands beside, and the other
 * way: between two pairs in proportion, behind the last one as far. */
uint64_t align_after(const struct align *a, uint64_t before);
uint64_t align_before(const struct align *a, uint64_t after);

/* Both in words: "Aligned by cycle. First record that differs: ...". */
#define ALIGN_SENTENCE 400
void align_say(const struct align *a, char out[ALIGN_SENTENCE]);

/* {words, pairs: [before, after, ...], differ: the cycle of the run where they
 * part first, or null}. The caller owns the reference. */
json_t *align_json(const struct align *a);

#endif
