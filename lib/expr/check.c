/* check.c - which operands an operator can have. */
#include <string.h>

#include "lib/base/did_you_mean.h"
#include "lib/expr/parser.h"

static enum expr_type type_of(const struct expr_parser *p, size_t n)
{
    return p->e->node[n].type;
}

void expr_check_condition(struct expr_parser *p, size_t at, size_t n)
{
    if (p->failed)
        return;
    if (type_of(p, n) == EXPR_TEXT || type_of(p, n) == EXPR_CHOICE)
        expr_fail(p, at,
                  "text alone is no condition; compare it with something");
    else if (type_of(p, n) != p->l->truth)
        expr_fail(p, at,
                  "a number alone is no condition; a comparison should stand "
                  "here: == != < <= > >= in");
}

void expr_check_number(struct expr_parser *p, size_t at, size_t n)
{
    if (p->failed || type_of(p, n) == EXPR_NUMBER)
        return;
    expr_fail(p, at, "this wants a number, not %s",
              type_of(p, n) == EXPR_TRUTH ? "what is true or not" : "text");
}

/* A text becomes the number of its row. */
static void choose(struct expr_parser *p, const struct expr_atom *a,
                   struct expr_node *text)
{
    char near_by[DID_YOU_MEAN_TEXT];
    struct did_you_mean n;

    text->op = EXPR_OP_NUMBER;
    text->type = EXPR_CHOICE;
    for (size_t k = 0; k < a->count; k++)
        if (!strcmp(a->rows[k], text->text)) {
            text->number = (int64_t)k + 1;
            return;
        }
    did_you_mean_begin(&n, text->text);
    for (size_t k = 0; k < a->count; k++)
        did_you_mean_offer(&n, a->rows[k]);
    expr_fail(p, text->at, "no such %s: %.60s%s", a->what, text->text,
              did_you_mean_text(&n, near_by));
}

static void check_choice(struct expr_parser *p, const struct expr_node *n)
{
    struct expr_node *left = &p->e->node[n->left];
    struct expr_node *right = &p->e->node[n->right];
    bool swapped = left->type != EXPR_CHOICE;
    struct expr_node *choice = swapped ? right : left;
    struct expr_node *text = swapped ? left : right;

    if (text->op != EXPR_OP_TEXT)
        expr_fail(p, text->at, "a name in quotes should stand here");
    else
        choose(p, &p->l->atom[choice->number], text);
}

void expr_check_operands(struct expr_parser *p, struct expr_node *n)
{
    bool compares = n->op >= EXPR_OP_EQ && n->op <= EXPR_OP_GE;
    enum expr_type left, right;
    bool text;

    if (p->failed)
        return;
    left = type_of(p, n->left);
    right = type_of(p, n->right);
    text = left == EXPR_TEXT || left == EXPR_CHOICE;
    n->type = EXPR_NUMBER;
    if (compares || n->op == EXPR_OP_AND || n->op == EXPR_OP_OR)
        n->type = p->l->truth;
    if (n->op == EXPR_OP_AND || n->op == EXPR_OP_OR) {
        expr_check_condition(
            p, left == p->l->truth || text ? n->at : p->e->node[n->left].at,
            n->left);
        expr_check_condition(p, n->at, n->right);
    } else if (text != (right == EXPR_TEXT || right == EXPR_CHOICE)) {
        expr_fail(p, n->at, "text on one side, %s on the other",
                  left == EXPR_TRUTH || right == EXPR_TRUTH
                      ? "what is true or not"
                      : "a number");
    } else if (text && n->op != EXPR_OP_EQ && n->op != EXPR_OP_NE) {
        expr_fail(p, n->at, "text can be compared by == and != only");
    } else if (left == EXPR_CHOICE || right == EXPR_CHOICE) {
        check_choice(p, n);
    } else if (left == EXPR_TRUTH || right == EXPR_TRUTH) {
        expr_fail(p, n->at,
                  "this wants a number on both sides; what is true or not is "
                  "asked by its name alone");
    }
}
