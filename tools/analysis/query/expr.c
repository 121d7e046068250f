/* expr.c - a parser by precedence, and the walk over what it made.
 * Fields are looked up in fields.c. */
#include "tools/analysis/query/expr.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/did_you_mean.h"
#include "tools/analysis/query/fields.h"
#include "lib/base/grow.h"

#define DEEPEST 100 /* parentheses and signs within each other */

enum op {
    OP_NUMBER,
    OP_TEXT,
    OP_FIELD,
    OP_IN_STACK,
    OP_NOT,
    OP_MINUS,
    OP_FLIP,
#define BINARY(name, spelling, level) OP_##name,
#include "tools/analysis/query/operators.def"
#undef BINARY
};

static const struct {
    const char *spelling;
    enum op op;
    int level;
} binary[] = {
#define BINARY(name, spelling, level) {spelling, OP_##name, level},
#include "tools/analysis/query/operators.def"
#undef BINARY
};

#define BINARIES (sizeof binary / sizeof binary[0])
#define LEVELS 10

struct node {
    enum op op;
    bool is_text;
    int64_t number;     /* OP_NUMBER; OP_FIELD: which */
    char *text;         /* OP_TEXT, OP_IN_STACK */
    size_t left, right; /* nodes */
    size_t parent;      /* of a binary operator's left side */
    size_t at;          /* where it begins in the text */
};

struct expr {
    struct node *node;
    size_t count, room, root;
};

struct parser {
    struct expr *e;
    const char *text;
    size_t at;
    int depth;
    bool failed;
    struct expr_error *error;
};

/* ---- parsing ------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static size_t
fail(struct parser *p, size_t at, const char *format, ...)
{
    va_list args;

    if (p->failed)
        return 0;
    p->failed = true;
    p->error->at = at;
    va_start(args, format);
    vsnprintf(p->error->why, sizeof p->error->why, format, args);
    va_end(args);
    return 0;
}

static size_t make(struct parser *p, const struct node *n)
{
    struct expr *e = p->e;

    e->node = grow(e->node, &e->room, e->count + 1, sizeof *e->node);
    e->node[e->count] = *n;
    if (n->op > OP_FLIP)
        e->node[n->left].parent = e->count;
    return e->count++;
}

static char next(struct parser *p)
{
    while (isspace((unsigned char)p->text[p->at]))
        p->at++;
    return p->text[p->at];
}

static size_t parse(struct parser *p, int level);

static size_t parse_number(struct parser *p)
{
    const char *from = p->text + p->at;
    bool hex = from[0] == '0' && (from[1] == 'x' || from[1] == 'X');
    size_t at = p->at;
    char *end;
    uint64_t n;

    errno = 0;
    n = strtoull(from, &end, hex ? 16 : 10);
    if (errno || n > INT64_MAX)
        return fail(p, p->at, "the number is too large");
    if (isalnum((unsigned char)*end) || *end == '_' || (hex && end < from + 3))
        return fail(p, (size_t)(end - p->text), "this belongs to no number");
    p->at = (size_t)(end - p->text);
    return make(
        p, &(struct node){.op = OP_NUMBER, .number = (int64_t)n, .at = at});
}

/* The word at the reading place, or "". */
static size_t word_length(const struct parser *p)
{
    size_t n = 0;

    while (isalnum((unsigned char)p->text[p->at + n]) ||
           p->text[p->at + n] == '_')
        n++;
    return n;
}

static bool eat_word(struct parser *p, const char *word)
{
    next(p);
    if (word_length(p) != strlen(word) ||
        strncmp(p->text + p->at, word, strlen(word)))
        return false;
    p->at += strlen(word);
    return true;
}

/* "text", or "text" in stack. */
static size_t parse_text(struct parser *p)
{
    size_t from = p->at + 1;
    const char *end = strchr(p->text + from, '"');
    struct node n = {.op = OP_TEXT, .is_text = true, .at = p->at};

    if (!end)
        return fail(p, p->at, "the text that begins here has no end");
    n.text = grow_bytes(p->text + from, (size_t)(end - p->text) - from);
    p->at = (size_t)(end - p->text) + 1;
    if (eat_word(p, "in")) {
        n.op = OP_IN_STACK;
        n.is_text = false;
        if (!eat_word(p, "stack"))
            fail(p, p->at, "\"in\" wants \"stack\" here");
    }
    return make(p, &n);
}

static size_t fail_field(struct parser *p, size_t length)
{
    char *name = grow_bytes(p->text + p->at, length);
    char near[DID_YOU_MEAN_TEXT];
    const char *sentence, *field;
    struct did_you_mean n;

    did_you_mean_begin(&n, name);
    for (int i = 0; (field = field_name(i, &sentence)); i++)
        did_you_mean_offer(&n, field);
    fail(p, p->at, "no such field: %.60s%s", name, did_you_mean_text(&n, near));
    free(name);
    return 0;
}

static size_t parse_field(struct parser *p)
{
    size_t n = word_length(p), at = p->at;
    int field = field_find(p->text + at, n);

    if (field < 0)
        return fail_field(p, n);
    p->at += n;
    return make(p, &(struct node){.op = OP_FIELD,
                                  .number = field,
                                  .at = at,
                                  .is_text = field_is_text(field)});
}

static size_t parse_sign(struct parser *p, enum op op)
{
    size_t at = p->at++, left = parse(p, LEVELS);

    if (!p->failed && p->e->node[left].is_text)
        return fail(p, at, "this wants a number behind it, not text");
    return make(p, &(struct node){.op = op, .left = left});
}

static size_t parse_one(struct parser *p)
{
    char c = next(p);
    size_t at = p->at, inner;

    switch (c) {
    case '!':
        return parse_sign(p, OP_NOT);
    case '-':
        return parse_sign(p, OP_MINUS);
    case '~':
        return parse_sign(p, OP_FLIP);
    case '"':
        return parse_text(p);
    case '(':
        p->at++;
        inner = parse(p, 0);
        if (!p->failed && next(p) != ')')
            return fail(p, at, "the parenthesis that opens here never closes");
        p->at++;
        return inner;
    case '\0':
        return fail(p, p->at, "something is missing at the end");
    }
    if (isdigit((unsigned char)c))
        return parse_number(p);
    if (isalpha((unsigned char)c) || c == '_')
        return parse_field(p);
    return fail(p, p->at, "a field, a number or text should stand here");
}

/* The operator at the reading place: the longest that fits; -1: none. */
static int find_operator(struct parser *p)
{
    int best = -1;

    next(p);
    for (size_t i = 0; i < BINARIES; i++) {
        size_t n = strlen(binary[i].spelling);

        if (!strncmp(p->text + p->at, binary[i].spelling, n) &&
            (best < 0 || n > strlen(binary[best].spelling)))
            best = (int)i;
    }
    return best;
}

/* Two sides that can stand on this operator? */
static void check_sides(struct parser *p, size_t at, const struct node *n)
{
    bool left, right, compares = n->op == OP_EQ || n->op == OP_NE;

    if (p->failed)
        return;
    left = p->e->node[n->left].is_text;
    right = p->e->node[n->right].is_text;
    if ((left || right) && (n->op == OP_AND || n->op == OP_OR))
        fail(p, at, "text alone is no condition; compare it with something");
    else if (left != right)
        fail(p, at, "text on one side, a number on the other");
    else if (left && !compares)
        fail(p, at, "text can be compared by == and != only");
}

static size_t parse(struct parser *p, int level)
{
    size_t left = 0;

    if (++p->depth > DEEPEST)
        fail(p, p->at, "too many parentheses");
    if (!p->failed)
        left = parse_one(p);
    while (!p->failed) {
        int found = find_operator(p);
        struct node n = {.left = left};
        size_t at = p->at;

        if (found < 0 && next(p) && next(p) != ')')
            fail(p, at,
                 next(p) == '=' ? "equal is written =="
                                : "this belongs to nothing before it");
        if (found < 0 || binary[found].level < level)
            break;
        p->at += strlen(binary[found].spelling);
        n.op = binary[found].op;
        n.right = parse(p, binary[found].level + 1);
        check_sides(p, at, &n);
        left = make(p, &n);
    }
    p->depth--;
    return left;
}

struct expr *expr_new(const char *text, struct expr_error *error)
{
    struct expr *e = grow_zero(1, sizeof *e);
    struct parser p = {.e = e, .text = text, .error = error};

    e->root = parse(&p, 0);
    if (!p.failed && next(&p))
        fail(&p, p.at, "this parenthesis closes nothing");
    if (!p.failed && e->node[e->root].is_text)
        fail(&p, 0, "text alone is no condition; compare it with something");
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

/* ---- values -------------------------------------------------------------- */

static struct field_value number(int64_t n)
{
    return (struct field_value){.there = true, .number = n};
}

/* A field may have more names than the one that is shown. */
static bool same_text(const struct expr_about *about, const struct node *left,
                      const struct field_value *a, const struct node *right,
                      const struct field_value *b)
{
    if (left->op == OP_FIELD && right->op == OP_TEXT)
        return field_is(about, (int)left->number, a, b->text);
    if (left->op == OP_TEXT && right->op == OP_FIELD)
        return field_is(about, (int)right->number, b, a->text);
    return !strcmp(a->text, b->text);
}

/* Signed arithmetic that wraps as the machine's does. */
static struct field_value compute(enum op op, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;

    switch (op) {
    case OP_MUL:
        return number((int64_t)(x * y));
    case OP_DIV:
    case OP_REM:
        if (!b || (a == INT64_MIN && b == -1))
            return (struct field_value){0};
        return number(op == OP_DIV ? a / b : a % b);
    case OP_ADD:
        return number((int64_t)(x + y));
    case OP_SUB:
        return number((int64_t)(x - y));
    case OP_SHL:
        return number(y < 64 ? (int64_t)(x << y) : 0);
    case OP_SHR:
        return number(y < 64 ? (int64_t)(x >> y) : 0);
    case OP_LT:
        return number(a < b);
    case OP_LE:
        return number(a <= b);
    case OP_GT:
        return number(a > b);
    case OP_GE:
        return number(a >= b);
    case OP_EQ:
        return number(a == b);
    case OP_NE:
        return number(a != b);
    case OP_BITAND:
        return number(a & b);
    case OP_BITXOR:
        return number(a ^ b);
    default:
        return number(a | b);
    }
}

static struct field_value value_of(const struct expr *e, size_t at,
                                   const struct expr_about *about);

static bool holds(const struct expr *e, size_t at,
                  const struct expr_about *about)
{
    struct field_value v = value_of(e, at, about);

    return v.there && v.number;
}

/* What a binary operator makes of its left side. */
static struct field_value two_sides(const struct expr *e, const struct node *n,
                                    const struct field_value *a,
                                    const struct expr_about *about)
{
    bool left = a->there && a->number;
    struct field_value b;

    if (n->op == OP_AND || n->op == OP_OR)
        return number(left == (n->op == OP_OR) ? left
                                               : holds(e, n->right, about));
    b = value_of(e, n->right, about);
    if (!a->there || !b.there)
        return (struct field_value){0};
    if (e->node[n->left].is_text)
        return number(same_text(about, &e->node[n->left], a, &e->node[n->right],
                                &b) == (n->op == OP_EQ));
    return compute(n->op, a->number, b.number);
}

static struct field_value one_side(const struct expr *e, const struct node *n,
                                   const struct expr_about *about)
{
    struct field_value v;

    switch (n->op) {
    case OP_NUMBER:
        return number(n->number);
    case OP_TEXT:
        return (struct field_value){.there = true, .text = n->text};
    case OP_FIELD:
        return field_value(about, (int)n->number);
    case OP_IN_STACK:
        return field_in_stack(about, n->text);
    case OP_NOT:
        return number(!holds(e, n->left, about));
    default:
        v = value_of(e, n->left, about);
        v.number =
            n->op == OP_FLIP ? ~v.number : (int64_t)(0 - (uint64_t)v.number);
        return v;
    }
}

/* Down the left sides and up again: a || b || c ... may be very long. Right
 * sides and signs lie within each other DEEPEST times at most. */
static struct field_value value_of(const struct expr *e, size_t at,
                                   const struct expr_about *about)
{
    size_t n = at;
    struct field_value v;

    while (e->node[n].op > OP_FLIP)
        n = e->node[n].left;
    v = one_side(e, &e->node[n], about);
    while (n != at) {
        n = e->node[n].parent;
        v = two_sides(e, &e->node[n], &v, about);
    }
    return v;
}

bool expr_value(const struct expr *e, const struct expr_about *about,
                int64_t *value)
{
    struct field_value v = value_of(e, e->root, about);

    *value = v.number;
    return v.there;
}

bool expr_holds(const struct expr *e, const struct expr_about *about)
{
    return holds(e, e->root, about);
}

/* ---- names --------------------------------------------------------------- */

/* The field that a text or a number is compared with; -1: none. */
static int compared_with(const struct expr *e, const struct node *n, size_t *is)
{
    const struct node *left = &e->node[n->left], *right = &e->node[n->right];
    bool swapped = right->op == OP_FIELD;
    const struct node *field = swapped ? right : left;

    *is = swapped ? n->left : n->right;
    return field->op == OP_FIELD ? (int)field->number : -1;
}

bool expr_names(const struct expr *e, const struct expr_about *about,
                struct expr_error *error)
{
    char why[FIELD_WHY];
    bool good = true;

    for (size_t i = 0; good && i < e->count; i++) {
        const struct node *n = &e->node[i], *is = n;
        size_t at = i;
        int field = -1;

        if (n->op == OP_EQ || n->op == OP_NE)
            field = compared_with(e, n, &at);
        is = &e->node[at];
        if (n->op == OP_IN_STACK)
            good = field_stack_knows(about, n->text, why);
        else if (field >= 0 && is->op == OP_TEXT)
            good = field_knows(about, field, is->text, why);
        else if (field >= 0 && is->op == OP_NUMBER)
            good = field_counts(about, field, is->number, why);
        if (good)
            continue;
        error->at = is->at;
        snprintf(error->why, sizeof error->why, "%s", why);
    }
    return good;
}

bool expr_only(const struct expr *e, const char *field)
{
    for (size_t i = 0; i < e->count; i++)
        if (e->node[i].op == OP_IN_STACK ||
            (e->node[i].op == OP_FIELD &&
             e->node[i].number != field_find(field, strlen(field))))
            return false;
    return true;
}
