/* predicate_eval.c - is a condition true of an instruction? The nodes are those
 * of predicate_tree.h.
 */
#include "pmu/predicate/predicate_tree.h"

static uint64_t property_of(const struct insn_info *d, enum property p)
{
    switch (p) {
#define PROPERTY(name, type, value, text)                                      \
    case PROPERTY_##name:                                                      \
        return (value);
#include "pmu/predicate/properties.def"
#undef PROPERTY
    default:
        return 0;
    }
}

/* Of a number or a property; arithmetic is computed apart. */
static uint64_t value_of(const struct predicate_node *n,
                         const struct insn_info *g)
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

/* The value of a node, arithmetic too. False: it is missing, a division by 0.
 */
static bool compute(const struct predicate *d, const struct predicate_node *n,
                    const struct insn_info *g, int64_t *value)
{
    int64_t left, right;

    if (n->what != WHAT_COMPUTE) {
        *value = (int64_t)value_of(n, g);
        return true;
    }
    if (!compute(d, &d->node[n->left], g, &left))
        return false;
    if (n->a == EXPR_OP_MINUS)
        *value = (int64_t)(0 - (uint64_t)left);
    else if (n->a == EXPR_OP_FLIP)
        *value = ~left;
    else
        return compute(d, &d->node[n->right], g, &right) &&
               expr_compute((enum expr_op)n->a, left, right, value);
    return true;
}

/* A condition on values that are computed: apart from holds(), which most
 * conditions are through with. */
__attribute__((noinline)) static bool
computed_holds(const struct predicate *d, const struct predicate_node *n,
               const struct insn_info *g)
{
    int64_t left, right, is;

    if (!compute(d, &d->node[n->left], g, &left))
        return false;
    if (n->what == WHAT_BETWEEN)
        return left >= (int64_t)n->a && left < (int64_t)n->b;
    return compute(d, &d->node[n->right], g, &right) &&
           expr_compute((enum expr_op)n->a, left, right, &is) && is;
}

static bool holds(const struct predicate *d, unsigned at,
                  const struct insn_info *g)
{
    const struct predicate_node *n = &d->node[at];
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
    case WHAT_BETWEEN:
    case WHAT_COMPARE:
        return computed_holds(d, n, g);
    default:
        return compares((enum what)n->what, value_of(&d->node[n->left], g),
                        value_of(&d->node[n->right], g));
    }
}

struct predicate_needs predicate_needs(const struct predicate *d)
{
    struct predicate_needs needs = {0};

    for (unsigned k = 0; k < d->nodes; k++) {
        const struct predicate_node *n = &d->node[k];

        if (n->what == WHAT_RANGE && n->left == PROPERTY_pc)
            needs.ranges |= (uint8_t)(1u << n->a);
        else if (n->what == WHAT_RANGE)
            needs.data_ranges |= (uint8_t)(1u << n->a);
        else if (n->what == WHAT_FLAG && n->left == PROPERTY_marked)
            needs.marked = true;
        else if (n->what == WHAT_FLAG && n->left == PROPERTY_window)
            needs.window = true;
    }
    return needs;
}

/* Is this one of the things that there must be? Then: is it there? */
static bool is_needed(const struct predicate_node *n,
                      const struct predicate_needs *there, bool *is)
{
    if (n->what == WHAT_RANGE)
        *is = (n->left == PROPERTY_pc ? there->ranges : there->data_ranges) >>
                  n->a &
              1;
    else if (n->what == WHAT_FLAG && n->left == PROPERTY_marked)
        *is = there->marked;
    else if (n->what == WHAT_FLAG && n->left == PROPERTY_window)
        *is = there->window;
    else
        return false;
    return true;
}

/* Can node `at` have this value? What is not there is false, of all else
 * nothing is known. */
static bool may_be(const struct predicate *d, unsigned at, bool value,
                   const struct predicate_needs *there)
{
    const struct predicate_node *n = &d->node[at];
    bool is;

    switch ((enum what)n->what) {
    case WHAT_OR:
    case WHAT_AND:
        if ((n->what == WHAT_OR) == value)
            return may_be(d, n->left, value, there) ||
                   may_be(d, n->right, value, there);
        return may_be(d, n->left, value, there) &&
               may_be(d, n->right, value, there);
    case WHAT_NOT:
        return may_be(d, n->left, !value, there);
    default:
        return !is_needed(n, there, &is) || is || !value;
    }
}

bool predicate_may(const struct predicate *d,
                   const struct predicate_needs *there)
{
    return d->always || may_be(d, d->root, true, there);
}

bool predicate_holds(const struct predicate *d,
                     const struct insn_info *insn_info)
{
    return d->always || holds(d, d->root, insn_info);
}
