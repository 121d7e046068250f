/* value.c - the walk over a tree. */
#include <string.h>

#include "lib/expr/tree.h"

static struct expr_value number(int64_t n)
{
    return (struct expr_value){.there = true, .number = n};
}

bool expr_compute(enum expr_op op, int64_t a, int64_t b, int64_t *result)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;

    switch (op) {
    case EXPR_OP_DIV:
    case EXPR_OP_REM:
        if (!b || (a == INT64_MIN && b == -1))
            return false;
        *result = op == EXPR_OP_DIV ? a / b : a % b;
        return true;
    case EXPR_OP_MUL:
        return *result = (int64_t)(x * y), true;
    case EXPR_OP_ADD:
        return *result = (int64_t)(x + y), true;
    case EXPR_OP_SUB:
        return *result = (int64_t)(x - y), true;
    case EXPR_OP_SHL:
        return *result = y < 64 ? (int64_t)(x << y) : 0, true;
    case EXPR_OP_SHR:
        return *result = y < 64 ? (int64_t)(x >> y) : 0, true;
    case EXPR_OP_LT:
        return *result = a < b, true;
    case EXPR_OP_LE:
        return *result = a <= b, true;
    case EXPR_OP_GT:
        return *result = a > b, true;
    case EXPR_OP_GE:
        return *result = a >= b, true;
    case EXPR_OP_EQ:
        return *result = a == b, true;
    case EXPR_OP_NE:
        return *result = a != b, true;
    case EXPR_OP_BITAND:
        return *result = a & b, true;
    case EXPR_OP_BITXOR:
        return *result = a ^ b, true;
    default:
        return *result = a | b, true;
    }
}

/* A text atom may have more names than the one that is shown. */
static bool is_text(const struct expr *e, const void *about,
                    const struct expr_node *n, const struct expr_value *value,
                    const char *text)
{
    return e->l->is ? e->l->is(about, (size_t)n->number, value, text)
                    : !strcmp(value->text, text);
}

static bool same_text(const struct expr *e, const void *about,
                      const struct expr_node *n, const struct expr_value *a,
                      const struct expr_value *b)
{
    const struct expr_node *left = &e->node[n->left];
    const struct expr_node *right = &e->node[n->right];

    if (left->op == EXPR_OP_ATOM && right->op == EXPR_OP_TEXT)
        return is_text(e, about, left, a, b->text);
    if (left->op == EXPR_OP_TEXT && right->op == EXPR_OP_ATOM)
        return is_text(e, about, right, b, a->text);
    return !strcmp(a->text, b->text);
}

static struct expr_value value_of(const struct expr *e, size_t at,
                                  const void *about);

static bool holds(const struct expr *e, size_t at, const void *about)
{
    struct expr_value v = value_of(e, at, about);

    return v.there && v.number;
}

/* The value of a binary operator, of its left operand. */
static struct expr_value of_binary(const struct expr *e,
                                   const struct expr_node *n,
                                   const struct expr_value *a,
                                   const void *about)
{
    bool left = a->there && a->number;
    struct expr_value b, made = {.there = false};

    if (n->op == EXPR_OP_AND || n->op == EXPR_OP_OR)
        return number(
            left == (n->op == EXPR_OP_OR) ? left : holds(e, n->right, about));
    b = value_of(e, n->right, about);
    if (!a->there || !b.there)
        return made;
    if (e->node[n->left].type == EXPR_TEXT)
        return number(same_text(e, about, n, a, &b) == (n->op == EXPR_OP_EQ));
    made.there = expr_compute(n->op, a->number, b.number, &made.number);
    return made;
}

static struct expr_value of_other(const struct expr *e,
                                  const struct expr_node *n, const void *about)
{
    struct expr_value v;

    switch (n->op) {
    case EXPR_OP_NUMBER:
        return number(n->number);
    case EXPR_OP_TEXT:
        return (struct expr_value){.there = true, .text = n->text};
    case EXPR_OP_ATOM:
        return e->l->value(about, (size_t)n->number);
    case EXPR_OP_IN_LIST:
        return e->l->in_list(about, n->text);
    case EXPR_OP_IN_PLACE:
        return e->l->in_place(about, (size_t)e->node[n->left].number, n->text,
                              n->quoted);
    case EXPR_OP_NOT:
        return number(!holds(e, n->left, about));
    default:
        v = value_of(e, n->left, about);
        v.number = n->op == EXPR_OP_FLIP ? ~v.number
                   : n->op == EXPR_OP_MINUS
                       ? (int64_t)(0 - (uint64_t)v.number)
                       : v.number >= n->number && v.number < n->end;
        return v;
    }
}

/* Down the left operands and up again: a || b || c ... may be very long. Right
 * operands and signs lie within each other a limited number of times. */
static struct expr_value value_of(const struct expr *e, size_t at,
                                  const void *about)
{
    size_t n = at;
    struct expr_value v;

    while (e->node[n].op > EXPR_LAST_UNARY)
        n = e->node[n].left;
    v = of_other(e, &e->node[n], about);
    while (n != at) {
        n = e->node[n].parent;
        v = of_binary(e, &e->node[n], &v, about);
    }
    return v;
}

bool expr_value(const struct expr *e, const void *about, int64_t *value)
{
    struct expr_value v = value_of(e, e->root, about);

    *value = v.number;
    return v.there;
}

bool expr_holds(const struct expr *e, const void *about)
{
    return holds(e, e->root, about);
}

bool expr_only(const struct expr *e, const char *atom)
{
    for (size_t i = 0; i < e->count; i++)
        if (e->node[i].op == EXPR_OP_IN_LIST ||
            (e->node[i].op == EXPR_OP_ATOM &&
             strcmp(e->l->atom[e->node[i].number].name, atom)))
            return false;
    return true;
}
