/* predicate_tree.h - the nodes of a condition. Private to predicate.c, which
 * makes them, and predicate_eval.c, which asks them.
 */
#ifndef PMU_PREDICATE_PREDICATE_TREE_H
#define PMU_PREDICATE_PREDICATE_TREE_H

#include "lib/expr/tree.h"
#include "pmu/predicate/predicate.h"

enum property {
#define PROPERTY(name, type, value, text) PROPERTY_##name,
#include "pmu/predicate/properties.def"
#undef PROPERTY
    PROPERTIES
};

enum what {
    WHAT_OR,
    WHAT_AND,
    WHAT_NOT,
    WHAT_EQ, /* left and right are values, as for all comparisons */
    WHAT_NE,
    WHAT_LT,
    WHAT_LE,
    WHAT_GT,
    WHAT_GE,
    WHAT_FLAG,     /* left: the property; so for the rest */
    WHAT_PROPERTY, /* a value */
    WHAT_NUMBER,   /* a value: a */
    WHAT_IN,       /* from a, before b */
    WHAT_RANGE,    /* in range a */
    WHAT_BETWEEN,  /* left: a value or WHAT_COMPUTE; from a, before b */
    WHAT_COMPARE,  /* as WHAT_EQ to WHAT_GE, a: enum expr_op, of values one of
                      which is WHAT_COMPUTE */
    WHAT_COMPUTE   /* a value: arithmetic, a: enum expr_op */
};

#endif
