/* methods.h - what other ways of explaining waits say of the same recording,
 * beside our own: for each function of the program how much each method blames
 * it for.
 *
 * A method blames stacks; a function has what stacks with it have. So a score
 * can be held against what `func:NAME+=x0.5` brings. Functions that begin a
 * stack (main, what threads run) are not told: they have everything.
 */
#ifndef TOOLS_ANALYSIS_METHODS_METHODS_H
#define TOOLS_ANALYSIS_METHODS_METHODS_H

#include "tools/analysis/causes/path.h"
#include "tools/analysis/retime/retime.h"

enum method {
#define METHOD(name, key, text) METHOD_##name,
#include "tools/analysis/methods/methods.def"
#undef METHOD
    METHODS
};

struct methods_function {
    uint32_t function; /* of the load map */
    uint64_t score[METHODS];
    int64_t gain; /* cycles of halving it: what it is held against */
    bool has_gain;
    bool outermost; /* it begins a stack */
};

struct methods {
    struct recording *r;
    const struct scene *scene;
    struct places *places;
    struct methods_function *function;
    size_t functions, room;
    struct hash at;
    uint32_t *own; /* by frame: its function, or LOADMAP_UNKNOWN */
};

/* Scores of all methods, functions in order of their names; outermost ones are
 * dropped. Roots and path are those of the interval r is set to. The others are
 * of the whole run. */
void methods_find(struct methods *m, const struct scene *s,
                  struct places *places, const struct causes *causes,
                  const struct path *path, const struct retime *g);
void methods_free(struct methods *m);

/* Gains by prediction: of `func:NAME+=x0.5` each. */
void methods_predict(struct methods *m, const struct retime *g);

/* Functions with a gain that a correlation takes. */
#define METHODS_LEAST 3

/* Spearman's rank correlation of a method's scores with the gains, of functions
 * that have one, equal ones in the middle of their ranks: -1 to 1. False: there
 * are fewer than METHODS_LEAST, or all are equal. */
bool methods_correlation(const struct methods *m, enum method which,
                         double *correlation);

/* The function that a method blames most, and the place, from 1, that it gives
 * to the function of the greatest gain; an index of `function`, or SCENE_NONE
 * and 0. */
uint32_t methods_first(const struct methods *m, enum method which);
unsigned methods_place_of_best(const struct methods *m, enum method which);

#endif
