/* candidates.h - roots of idle time beside the first: which may come next, and
 * which is the root after all. For first.c, whose state it reads.
 */
#ifndef TOOLS_SIMPROF_SCENE_CANDIDATES_H
#define TOOLS_SIMPROF_SCENE_CANDIDATES_H

#include "tools/simprof/scene/brings.h"

#define CANDIDATES_MOST 4 /* that are looked at */

/* A row of causes; what it does and brings, which the caller frees. */
struct candidate {
    json_t *root, *does;
    double gain;
};

/* Is a row of causes a root: is it known what was waited for? */
bool candidates_root(const json_t *row);

/* Is there a root in front of it of the same name and kind, at another line? */
bool candidates_twin(const struct first *f, const json_t *root);

/* Of f->causes those beside f->root with most idle time, what brings most
 * first; returns how many. */
size_t candidates_find(const struct first *f,
                       struct candidate list[CANDIDATES_MOST]);

/* f->root, or the candidate that is predicted to bring so much more that it is
 * the root. */
json_t *candidates_most(const struct first *f);

#endif
