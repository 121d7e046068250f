/* uneven.h - threads that one place of a program makes, that begin with the
 * same of its functions, and that do not end together: the last ones are still
 * at work when others have none any more, since it was divided unevenly, or
 * into few pieces.
 */
#ifndef TOOLS_ANALYSIS_CAUSES_UNEVEN_H
#define TOOLS_ANALYSIS_CAUSES_UNEVEN_H

#include "tools/analysis/causes/places.h"

struct uneven {
    uint32_t place;    /* where the threads are made */
    uint32_t begins;   /* the function; LOADMAP_UNKNOWN: it is not known */
    unsigned threads;  /* that worked */
    uint64_t from, to; /* cycles: when the first, and the last, had done its
                        * work */
    uint32_t last;     /* the thread, as an index of scene.thread */
    uint64_t gain;     /* cycles less if their work from then on were shared
                        * out evenly among them and the CPUs they had: at most
                        */
};

/* Of all that are made so those that would bring most. False: none. Work that
 * the last thread does not do by itself, but waits for, is not theirs to share
 * out. The run is all of it, not a part. */
bool uneven_find(struct uneven *u, const struct scene *s, struct places *p);

#endif
