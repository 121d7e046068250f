/* tree_rows.h - a tree of calls as rows: which nodes have one, in which order,
 * and what becomes of the small ones. What a row says is the report's.
 */
#ifndef TOOLS_SIMPROF_VIEW_TREE_ROWS_H
#define TOOLS_SIMPROF_VIEW_TREE_ROWS_H

#include "tools/analysis/profile/stacktree.h"

#define TREE_ROWS_SMALL 100 /* a branch below 1/100 of the total is small */

/* What becomes of a node and of all below it. */
enum tree_worth {
    TREE_WORTH_ROW,    /* it has a row */
    TREE_WORTH_SMALL,  /* it is one of "(3 more, each below 1%)" */
    TREE_WORTH_NOTHING /* it has nothing of what is shown */
};

struct tree_rows {
    const struct stacktree *tree; /* its children in order */
    enum tree_worth (*worth)(const void *arg, uint32_t node);
    /* Put the row of a node. `parent` is what this returned for its parent, 0
     * at the root; so rows can be numbered. */
    uint32_t (*put)(void *arg, uint32_t node, uint32_t parent);
    /* Put one row for the `count` small children of a node, whose number is
     * `parent`: behind those that have a row. NULL: they have none. */
    void (*put_small)(void *arg, uint32_t node, uint32_t parent,
                      const uint32_t *small, unsigned count);
    void *arg;
};

/* The rows of the root and of what is below it, parents first. */
void tree_rows_put(const struct tree_rows *rows);

/* Blanks a level, as many as keep most names in view. */
unsigned tree_rows_step(const struct stacktree *tree);

#endif
