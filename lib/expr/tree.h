/* tree.h - the tree of an expression: for those that compile it into a form of
 * their own or check its literals.
 */
#ifndef LIB_EXPR_TREE_H
#define LIB_EXPR_TREE_H

#include "lib/expr/expr.h"

enum expr_op {
    EXPR_OP_NUMBER,   /* number */
    EXPR_OP_TEXT,     /* text */
    EXPR_OP_ATOM,     /* number: index of the atom */
    EXPR_OP_IN_LIST,  /* text in the language's list */
    EXPR_OP_IN_PLACE, /* left: an atom; text: the place */
    EXPR_OP_BETWEEN,  /* left: a number; from `number`, before `end` */
    EXPR_OP_NOT,      /* left, as for the next two */
    EXPR_OP_MINUS,
    EXPR_OP_FLIP,
#define BINARY(name, spelling, word, level) EXPR_OP_##name,
#include "lib/expr/operators.def"
#undef BINARY
};

#define EXPR_LAST_UNARY EXPR_OP_FLIP /* binary operators follow */

struct expr_node {
    enum expr_op op;
    enum expr_type type;
    bool enclosed; /* in parentheses */
    bool quoted;   /* EXPR_OP_IN_PLACE: the place is in quotes */
    int64_t number, end;
    char *text;         /* the tree's */
    size_t left, right; /* indices of nodes */
    size_t parent;      /* of a binary operator's left operand */
    size_t at;          /* offset in the text; of EXPR_OP_IN_PLACE that of the
                           place, of a binary operator that of the operator */
};

struct expr {
    const struct expr_language *l;
    struct expr_node *node; /* operands before operators */
    size_t count, room, root;
};

/* What an operator between two numbers makes of them; arithmetic wraps as the
 * machine's does. False: it is missing, a division by 0. */
bool expr_compute(enum expr_op op, int64_t a, int64_t b, int64_t *result);

#endif
