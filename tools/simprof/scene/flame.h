/* flame.h - a tree of calls as a flame graph draws it: upright or from the
 * leaves, with recursion folded, or of two runs at once. It is made of rows as
 * the report `calltree` has them.
 */
#ifndef TOOLS_SIMPROF_SCENE_FLAME_H
#define TOOLS_SIMPROF_SCENE_FLAME_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLAME_NONE (-1)

/* Parents stand before their children; node 0 is everything. */
struct flame_node {
    char *name;
    int64_t own, all;   /* without and with those below it */
    int64_t before_own; /* the same of the run to compare with */
    int64_t before;
    long parent, first, next; /* children are chained, the largest first */
    int depth;
};

struct flame {
    struct flame_node *node;
    size_t count, room;
};

enum flame_way {
    FLAME_LEAVES = 1, /* callers behind the function in which it was spent */
    FLAME_FOLD = 2    /* a function below itself is the one further up */
};

/* The tree of a column of rows that begins with "incl_"; ways are added bits.
 * Its sum is that of the rows: nothing is lost. */
void flame_read(struct flame *f, const json_t *rows, const char *column,
                unsigned ways);
/* Another run's rows into the same tree, as `before`. */
void flame_add_before(struct flame *f, const json_t *rows, const char *column,
                      unsigned ways);
void flame_free(struct flame *f);

#endif
