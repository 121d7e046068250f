/* uneven.h - threads that are created at one place of a program, begin with the
 * same function of it, which the creating thread may call as well, and finish
 * their work at different times: the work was divided unevenly, or into few
 * pieces.
 */
#ifndef TOOLS_ANALYSIS_CAUSES_UNEVEN_H
#define TOOLS_ANALYSIS_CAUSES_UNEVEN_H

#include "tools/analysis/causes/places.h"

struct uneven {
    uint32_t place;    /* where the threads are made */
    uint32_t begins;   /* the function; LOADMAP_UNKNOWN: it is not known */
    unsigned threads;  /* that worked */
    uint32_t maker;    /* one of them, which makes the others, as an index of
                        * scene.thread; SCENE_NONE: that has no part of it */
    uint64_t from, to; /* cycles: when the first, and the last, had done its
                        * work */
    uint32_t last;     /* the thread, as an index of scene.thread */
    uint64_t gain;     /* cycles less if their work from then on were shared
                        * out evenly among them and the CPUs they had: at most
                        */
};

/* Of all such groups of threads the one with the greatest gain. False: there is
 * none. A last thread that waits for others for a tenth of that time has no
 * work that could be divided, and one that a mask keeps off a CPU of theirs has
 * other reasons to be late. Of a whole run, not of an interval. */
bool uneven_find(struct uneven *u, const struct scene *s, struct places *p);

#endif
