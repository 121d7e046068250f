/* tried.h - what simprof advise has tried of an experiment, kept in a file
 * `tried` of its directory, so that other reports can say it: a line a change.
 */
#ifndef TOOLS_ANALYSIS_ADVISE_TRIED_H
#define TOOLS_ANALYSIS_ADVISE_TRIED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/analysis/experiment/recording.h"

#define TRIED_SPEC 320

/* A change that was made, in cycles: predicted of those that were recorded,
 * measured of those of the unchanged run. */
struct tried {
    char spec[TRIED_SPEC];
    int64_t predicted, recorded, mean, half,
        base; /* mean - half to mean + half */
    unsigned pairs;
    bool brings;  /* more than unchanged runs differ by, and 1 % */
    bool cause;   /* it brings most, and did so again on fresh seeds */
    bool at_most; /* so much was predicted, or less */
};

/* Two changes that bring much more together, and how much, of `base`. */
struct tried_pair {
    char one[TRIED_SPEC], other[TRIED_SPEC];
    int64_t mean, base;
};

struct tried_list {
    struct tried *list;
    size_t count, room;
    struct tried_pair *pair;
    size_t pairs, pairs_room;
    bool damaged; /* the file is there and has something else in it */
};

/* Nothing was tried: the list is empty. */
void tried_read(struct tried_list *t, const struct recording *r);
void tried_free(struct tried_list *t);

/* What was tried of a change to the same thing, by any factor, with callees or
 * without as that has it, or else the other way; NULL: nothing. A function of
 * C++ is the same with its parameters and without: advise leaves them out where
 * no other is called so.
 */
const struct tried *tried_find(const struct tried_list *t, const char *spec);

/* The other change of such a pair, one of which is to the same thing; NULL:
 * there is none. *percent: what both bring of the run. */
const char *tried_with(const struct tried_list *t, const char *spec,
                       double *percent);

/* Is the run that was tried, in fast mode, another one than the recorded, by a
 * tenth of its cycles? Then it may have another cause. */
bool tried_is_apart(int64_t base, int64_t recorded);

/* Leaves those out that were tried of such a run. */
void tried_keep_near(struct tried_list *t);

/* Is a change, as --what-if has it, one of that function? */
bool tried_is_of(const char *spec, const char *function);

/* "f and what it calls in half the time" of func:f+=x0.5, "in 0.3 times the
 * time" of x0.3; of changes of other things what --what-if has. */
void tried_say_change(const struct tried *t, FILE *to);

/* "the run takes 43.1% fewer cycles (95%: 42.9 to 43.2%; predicted 44.4%)", or
 * that it brings nothing; and of a run that is apart that it is. */
void tried_say(const struct tried *t, FILE *to);

#endif
