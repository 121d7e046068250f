/* parse.c - a parser by precedence. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/did_you_mean.h"
#include "lib/base/grow.h"
#include "lib/expr/parser.h"

#define DEEPEST                                                                \
    128 /* parentheses, signs and right operands within each other */

/* Levels of operators.def, and one that binds tighter than all of them. */
#define LEVEL_NOT 2
#define LEVEL_IN 3
#define LEVEL_SIGN 10

static size_t parse(struct expr_parser *p, int level);

static size_t make(struct expr_parser *p, const struct expr_node *n)
{
    struct expr *e = p->e;

    if (p->l->nodes && e->count == p->l->nodes)
        expr_fail(p, p->at, "the expression is too long");
    e->node = grow(e->node, &e->room, e->count + 1, sizeof *e->node);
    e->node[e->count] = *n;
    if (n->op > EXPR_LAST_UNARY)
        e->node[n->left].parent = e->count;
    return e->count++;
}

/* ---- operands ------------------------------------------------------------ */

/* "text", or "text" in the list. */
static size_t parse_text(struct expr_parser *p)
{
    struct expr_node n = {.op = EXPR_OP_TEXT, .type = EXPR_TEXT, .at = p->at};
    size_t at;

    n.text = expr_quoted(p);
    if (!n.text)
        return 0;
    expr_next(p);
    at = p->at;
    if (expr_eat(p, "in")) {
        n.op = EXPR_OP_IN_LIST;
        n.type = p->l->truth;
        if (!p->l->list)
            expr_fail(p, at, "%s", p->l->no_list);
        else if (!expr_eat(p, p->l->list))
            expr_fail(p, p->at, "\"in\" wants \"%s\" here", p->l->list);
    }
    return make(p, &n);
}

/* The names of all atoms, to stand behind a sentence. */
static void list_atoms(const struct expr_language *l, char *out, size_t size)
{
    size_t used = (size_t)snprintf(out, size, "; known:");

    for (size_t k = 0; k < l->atoms && used < size; k++)
        used +=
            (size_t)snprintf(out + used, size - used, " %s", l->atom[k].name);
}

static size_t no_atom(struct expr_parser *p, size_t length)
{
    char *name = grow_bytes(p->text + p->at, length);
    char near_by[EXPR_WHY], why[EXPR_WHY];
    struct did_you_mean n;

    did_you_mean_begin(&n, name);
    for (size_t k = 0; k < p->l->atoms; k++)
        did_you_mean_offer(&n, p->l->atom[k].name);
    if (!*did_you_mean_text(&n, near_by))
        list_atoms(p->l, near_by, sizeof near_by);
    if (p->wants_text)
        expr_fail(p, p->at, "a name in quotes should stand here: \"%.60s\"",
                  name);
    else if (p->l->unknown && p->l->unknown(name, why))
        expr_fail(p, p->at, "%s", why);
    else
        expr_fail(p, p->at, "no such %s: %.60s%.600s", p->l->noun, name,
                  near_by);
    free(name);
    return 0;
}

static size_t parse_atom(struct expr_parser *p)
{
    struct expr_node n = {.op = EXPR_OP_ATOM, .at = p->at};
    size_t length = expr_word(p);

    for (size_t k = 0; k < p->l->atoms; k++) {
        const struct expr_atom *a = &p->l->atom[k];

        if (strlen(a->name) == length &&
            !strncmp(a->name, p->text + p->at, length)) {
            p->at += length;
            n.number = (int64_t)k;
            n.type = a->type == EXPR_TRUTH ? p->l->truth : a->type;
            return make(p, &n);
        }
    }
    return no_atom(p, length);
}

static size_t parse_sign(struct expr_parser *p, enum expr_op op)
{
    struct expr_node n = {.op = op, .type = EXPR_NUMBER, .at = p->at++};

    n.left = parse(p, LEVEL_SIGN);
    if (op != EXPR_OP_NOT) {
        expr_check_number(p, n.at, n.left);
    } else {
        n.type = p->l->truth;
        expr_check_condition(p, n.at, n.left);
    }
    return make(p, &n);
}

static size_t parse_not(struct expr_parser *p, int level)
{
    struct expr_node n = {.op = EXPR_OP_NOT, .type = p->l->truth};

    n.at = p->at - strlen("not");
    if (level > LEVEL_NOT)
        return expr_fail(p, n.at, "\"not\" wants parentheses here: (not ...)");
    n.left = parse(p, LEVEL_NOT);
    expr_check_condition(p, p->failed ? 0 : p->e->node[n.left].at, n.left);
    return make(p, &n);
}

static size_t parse_enclosed(struct expr_parser *p)
{
    size_t at = p->at++, inner = parse(p, 0);

    if (p->failed)
        return 0;
    if (expr_next(p) != ')')
        return expr_fail(p, at, "the parenthesis that opens here never closes");
    p->at++;
    p->e->node[inner].enclosed = true;
    return inner;
}

static size_t parse_operand(struct expr_parser *p, int level)
{
    struct expr_node n = {.op = EXPR_OP_NUMBER, .type = EXPR_NUMBER};
    char c = expr_next(p);

    switch (c) {
    case '!':
        return parse_sign(p, EXPR_OP_NOT);
    case '-':
        return parse_sign(p, EXPR_OP_MINUS);
    case '~':
        return parse_sign(p, EXPR_OP_FLIP);
    case '"':
        return parse_text(p);
    case '(':
        return parse_enclosed(p);
    case '\0':
        return expr_fail(p, p->at, "something is missing at the end");
    }
    if (expr_eat(p, "not"))
        return parse_not(p, level);
    if (isdigit((unsigned char)c)) {
        n.at = p->at;
        n.number = expr_number(p);
        return make(p, &n);
    }
    if (expr_word(p))
        return parse_atom(p);
    return expr_fail(p, p->at, "a %s, a number or text should stand here",
                     p->l->noun);
}

/* ---- in ------------------------------------------------------------------ */

static size_t parse_between(struct expr_parser *p, size_t left)
{
    struct expr_node n = {
        .op = EXPR_OP_BETWEEN, .type = p->l->truth, .left = left};

    n.at = p->at;
    n.number = expr_number(p);
    if (!p->failed && strncmp(p->text + p->at, "..", 2))
        return expr_fail(p, p->at, "two dots and a number should stand here");
    p->at += p->failed ? 0 : 2;
    n.end = expr_number(p);
    if (!p->failed && n.number >= n.end)
        return expr_fail(p, n.at, "nothing lies between these two");
    return make(p, &n);
}

/* Behind NUMBER in: two numbers; behind an address a place, too. */
static size_t parse_in(struct expr_parser *p, size_t left, size_t at)
{
    const struct expr_language *l = p->l;
    const struct expr_node *of = &p->e->node[left];
    struct expr_node n = {
        .op = EXPR_OP_IN_PLACE, .type = l->truth, .left = left};

    if (!of->enclosed && (of->op == EXPR_OP_NOT || of->op == EXPR_OP_BETWEEN ||
                          of->op == EXPR_OP_IN_PLACE ||
                          (of->op >= EXPR_OP_EQ && of->op <= EXPR_OP_GE)))
        return expr_fail(p, at, "\"in\" wants parentheses around what is in");
    expr_check_number(p, at, left);
    if (isdigit((unsigned char)expr_next(p)))
        return parse_between(p, left);
    n.at = p->at;
    n.text = expr_place(p, &n.quoted);
    if (!n.text)
        expr_fail(p, p->at,
                  "two numbers with two dots between them%s%s "
                  "should stand here",
                  l->places ? ", or " : "", l->places ? l->places : "");
    else if (!*n.text)
        expr_fail(p, n.at + 1, "the name is empty");
    else if (!l->places)
        expr_fail(p, n.at, "%s", l->no_places);
    else if (of->op != EXPR_OP_ATOM || !l->atom[of->number].address)
        expr_fail(p, n.at, "only an address can be in a place by its name");
    return make(p, &n);
}

/* ---- operators ----------------------------------------------------------- */

/* What stands behind an operand is no operator. */
static void check_end(struct expr_parser *p)
{
    char c = expr_next(p);

    if (c && c != ')' &&
        !(expr_word(p) == 2 && !strncmp(p->text + p->at, "in", 2)))
        expr_fail(p, p->at,
                  c == '=' ? "equal is written =="
                           : "this belongs to nothing before it");
}

static size_t parse(struct expr_parser *p, int level)
{
    bool wants_text = p->wants_text;
    size_t left = 0;

    if (++p->depth > DEEPEST)
        expr_fail(p, p->at, "too many parentheses");
    if (!p->failed)
        left = parse_operand(p, level);
    p->wants_text = false;
    while (!p->failed) {
        struct expr_binary found = expr_operator(p);
        struct expr_node n = {.op = found.op, .left = left, .at = p->at};
        enum expr_type type = p->e->node[left].type;

        if (found.level < 0 && level <= LEVEL_IN && expr_eat(p, "in")) {
            left = parse_in(p, left, n.at);
            continue;
        }
        if (found.level < 0)
            check_end(p);
        if (found.level < level)
            break;
        p->at += found.length;
        p->wants_text = type == EXPR_TEXT || type == EXPR_CHOICE;
        n.right = parse(p, found.level + 1);
        expr_check_operands(p, &n);
        left = make(p, &n);
    }
    p->wants_text = wants_text;
    p->depth--;
    return left;
}

struct expr *expr_parse(const struct expr_language *l, const char *text,
                        size_t from, struct expr_error *error)
{
    struct expr *e = grow_zero(1, sizeof *e);
    struct expr_parser p = {
        .l = l, .e = e, .text = text, .at = from, .error = error};

    e->l = l;
    error->name[0] = '\0';
    e->root = parse(&p, 0);
    if (!p.failed && expr_next(&p) == ')')
        expr_fail(&p, p.at, "this parenthesis closes nothing");
    if (!p.failed)
        expr_check_condition(&p, e->node[e->root].at, e->root);
    if (!p.failed)
        return e;
    expr_free(e);
    return NULL;
}

void expr_free(struct expr *e)
{
    for (size_t i = 0; e && i < e->count; i++)
        free(e->node[i].text);
    if (e)
        free(e->node);
    free(e);
}
