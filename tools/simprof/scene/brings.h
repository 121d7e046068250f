/* brings.h - what changing the root of idle time brings, and what of it was
 * tried: for first.c, whose state it reads.
 */
#ifndef TOOLS_SIMPROF_SCENE_BRINGS_H
#define TOOLS_SIMPROF_SCENE_BRINGS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "tools/analysis/advise/tried.h"
#include "tools/simprof/scene/root_words.h"
#include "tools/simprof/scene/saves.h"
#include "tools/simprof/scene/scene.h"

#define BRINGS_LEAST .5 /* percent of the time that are worth a change */
#define BRINGS_STANDS 2 /* ... that stand out */

struct first {
    struct scene *s;
    json_t *functions, *causes;
    json_t *total;          /* the row of everything */
    int64_t all, napping;   /* cycles */
    int64_t spun;           /* cycles in which threads spin */
    bool spins;             /* idle threads run: what they did is `napping` */
    bool idles;             /* idle time, or spinning, is what limits it */
    json_t *root, *busiest; /* rows; NULL: none */
    bool whole;             /* the run, not an interval of it */
    json_t *shared;         /* root_shared_functions */
    json_t *predicted;      /* by change, [percent, how]; null: nothing is */
    struct tried_list tried;
};

/* What changing a root comes to. */
struct brings {
    double gain;     /* percent of the time */
    const char *how; /* "about", "at most", ...: it is predicted; "": tried */
    const struct tried *t; /* NULL: it was not tried */
    bool known;            /* there is a gain */
    char spec[SAVES_SPEC]; /* the change, as --what-if has it; "": none */
};

double brings_percent(int64_t part, int64_t of);

/* Of the time that CPUs are idle, or threads spin on them, what a root has. */
double brings_share(const struct first *f, const json_t *root);

/* The function that a root is the work of; "": it is not known. Returns out. */
const char *brings_name(const struct first *f, const json_t *root,
                        char out[ROOT_FUNCTION]);

/* Of f->root; puts `brings`, `badge` and `try`. */
struct brings brings_root(const struct first *f, json_t *to);

/* The root of which a change was tried that brings most, if one of f->root was;
 * else f->root. */
json_t *brings_most(const struct first *f);

/* What is predicted of changing f->root, in percent; false: nothing, or it was
 * tried. */
bool brings_untried(const struct first *f, double *gain);

/* The change that was tried and brings most; NULL: none brings something, or
 * this is an interval. */
const struct tried *brings_tried_best(const struct first *f);

/* What is predicted of a function that takes half the time, in percent: *how
 * as saves.h has it. False: nothing, or next to that; or it was tried, and
 * *gain is what it brings. */
bool brings_halved(const struct first *f, const char *function, double *gain,
                   const char **how);

/* What a candidate does, and what changing it brings where that is known. The
 * caller owns the reference. *gain: the latter; 0: nothing, or not known. */
json_t *brings_next(const struct first *f, const json_t *root, double *gain);

#endif
