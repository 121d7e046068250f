/* define_holds.c - is a condition true of an instruction? The nodes are those
 * of define_tree.h.
 */
#include "pmu/define_tree.h"

static uint64_t property_of(const struct doing *d, enum property p)
{
    switch (p) {
#define PROPERTY(name, type, value, text)                                      \
    case PROPERTY_##name:                                                      \
        return (value);
#include "pmu/properties.def"
#undef PROPERTY
    default:
        return 0;
    }
}

static uint64_t value_of(const struct define_node *n, const struct doing *g)
{
    return n->what == WHAT_NUMBER ? n->a
                                  : property_of(g, (enum property)n->left);
}

static bool compares(enum what what, uint64_t a, uint64_t b)
{
    switch (what) {
    case WHAT_EQ:
        return a == b;
    case WHAT_NE:
        return a != b;
    case WHAT_LT:
        return a < b;
    case WHAT_LE:
        return a <= b;
    case WHAT_GT:
        return a > b;
    default:
        return a >= b;
    }
}

static bool holds(const struct define *d, unsigned at, const struct doing *g)
{
    const struct define_node *n = &d->node[at];
    enum property which = (enum property)n->left;
    uint64_t value;

    switch ((enum what)n->what) {
    case WHAT_OR:
        return holds(d, n->left, g) || holds(d, n->right, g);
    case WHAT_AND:
        return holds(d, n->left, g) && holds(d, n->right, g);
    case WHAT_NOT:
        return !holds(d, n->left, g);
    case WHAT_FLAG:
        return property_of(g, which);
    case WHAT_IN:
        value = property_of(g, which);
        return value >= n->a && value < n->b;
    case WHAT_RANGE:
        return (which == PROPERTY_pc ? g->ranges : g->data_ranges) >> n->a & 1;
    default:
        return compares((enum what)n->what, value_of(&d->node[n->left], g),
                        value_of(&d->node[n->right], g));
    }
}

bool define_holds(const struct define *d, const struct doing *doing)
{
    return d->always || holds(d, d->root, doing);
}
