/* tree_rows.c - see tree_rows.h. */
#include "tools/simprof/view/tree_rows.h"

#include <stdlib.h>

#include "lib/base/grow.h"

/* A node and what is below it, as deep as stacks are. */
static void put_below(const struct tree_rows *r, uint32_t node, uint32_t parent)
{
    const struct stacknode *list = r->tree->node;
    uint32_t number = r->put(r->arg, node, parent), *small = NULL;
    unsigned count = 0;
    size_t room = 0;

    for (uint32_t n = list[node].child; n != STACKTREE_NONE;
         n = list[n].sibling) {
        enum tree_worth worth = r->worth(r->arg, n);

        if (worth == TREE_WORTH_ROW) {
            put_below(r, n, number);
        } else if (worth == TREE_WORTH_SMALL && r->put_small) {
            small = grow(small, &room, count + 1, sizeof *small);
            small[count++] = n;
        }
    }
    if (count)
        r->put_small(r->arg, node, number, small, count);
    free(small);
}

void tree_rows_put(const struct tree_rows *rows)
{
    put_below(rows, STACKTREE_ROOT, 0);
}

unsigned tree_rows_step(const struct stacktree *tree)
{
    uint32_t deepest = 0;

    for (size_t n = 0; n < tree->count; n++)
        if (tree->node[n].depth > deepest)
            deepest = tree->node[n].depth;
    return deepest > 10 ? 1 : 2;
}
