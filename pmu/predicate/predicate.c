/* predicate.c - what --event defines: the language of its conditions, and the
 * tree of a condition (lib/expr) compiled to the nodes of predicate_tree.h.
 * What can be asked: properties.def.
 */
#include "pmu/predicate/predicate_tree.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/did_you_mean.h"
#include "pmu/event/event_names.h"

#define RANGES 8 /* of instructions, and as many of data */

/* ---- the language -------------------------------------------------------- */

/* In the order of enum op and of enum class, from 1. */
static const char *const ops[] = {
#define INSN(id, name, encoding, operands, class, flags, writes, reads, body)  \
    name,
#include "isa/insns.def"
#undef INSN
};

static const char *const classes[] = {
#define CLASS(name, text) #name,
#include "isa/class.def"
#undef CLASS
};

/* What the types of properties.def are to the engine. */
#define NUMBER .type = EXPR_NUMBER
#define ADDRESS .type = EXPR_NUMBER, .address = true
#define FLAG .type = EXPR_TRUTH
#define OP                                                                     \
    .type = EXPR_CHOICE, .what = "instruction", .rows = ops,                   \
    .count = sizeof ops / sizeof *ops
#define CLASS                                                                  \
    .type = EXPR_CHOICE, .what = "class", .rows = classes,                     \
    .count = sizeof classes / sizeof *classes

static const struct expr_atom properties[PROPERTIES] = {
#define PROPERTY(name, type, value, text) {#name, type},
#include "pmu/predicate/properties.def"
#undef PROPERTY
};

static bool is_event(const char *word)
{
    for (int id = 0; id < EV_COUNT; id++)
        if (!strcmp(word, event_name((enum event)id)))
            return true;
    return false;
}

static bool unknown(const char *word, char why[EXPR_WHY])
{
    if (is_event(word))
        snprintf(why, EXPR_WHY,
                 "%s is an event; only the first word can be one", word);
    return is_event(word);
}

static const struct expr_language language = {
    .noun = "property",
    .atom = properties,
    .atoms = PROPERTIES,
    .truth = EXPR_TRUTH,
    .largest = UINT32_MAX + INT64_C(1),
    .nodes = PREDICATE_TEXT,
    .no_list = "an instruction has no stack; simprof --filters asks for "
               "functions on the stacks of samples",
    .places = "a range or a symbol",
    .unknown = unknown,
};

/* ---- a condition, compiled ----------------------------------------------- */

struct compiler {
    struct predicate *d;
    const struct expr *e;
    bool failed;
    struct expr_error *error;
};

static unsigned make(struct compiler *c, size_t at,
                     const struct predicate_node *n)
{
    struct predicate *d = c->d;

    if (d->nodes < PREDICATE_NODES) {
        d->node[d->nodes] = *n;
        return d->nodes++;
    }
    if (!c->failed) {
        c->failed = true;
        c->error->at = at;
        strcpy(c->error->why, "the condition is too long");
    }
    return 0;
}

/* pc in range0, or in what a symbol names. */
static struct predicate_node compile_place(const struct expr_node *from,
                                           unsigned property)
{
    struct predicate_node n = {.what = WHAT_IN, .left = (uint8_t)property};
    const char *name = from->text;
    size_t length = strlen(name);

    if (!from->quoted && length == 6 && !strncmp(name, "range", 5) &&
        name[5] >= '0' && name[5] < '0' + RANGES) {
        n.what = WHAT_RANGE;
        n.a = (uint64_t)(name[5] - '0');
    } else {
        n.at = (uint16_t)(from->at + from->quoted);
        n.length = (uint16_t)length;
    }
    return n;
}

static unsigned compile(struct compiler *c, size_t at);

static struct predicate_node compile_between(struct compiler *c,
                                             const struct expr_node *from)
{
    const struct expr_node *of = &c->e->node[from->left];
    struct predicate_node n = {.what = WHAT_IN};

    n.a = (uint64_t)from->number;
    n.b = (uint64_t)from->end;
    if (of->op == EXPR_OP_ATOM) {
        n.left = (uint8_t)of->number;
    } else {
        n.what = WHAT_BETWEEN;
        n.left = (uint8_t)compile(c, from->left);
    }
    return n;
}

static const uint8_t comparisons[] = {
    [EXPR_OP_OR] = WHAT_OR, [EXPR_OP_AND] = WHAT_AND, [EXPR_OP_EQ] = WHAT_EQ,
    [EXPR_OP_NE] = WHAT_NE, [EXPR_OP_LT] = WHAT_LT,   [EXPR_OP_LE] = WHAT_LE,
    [EXPR_OP_GT] = WHAT_GT, [EXPR_OP_GE] = WHAT_GE,
};

/* One of two texts that are compared with each other: equal ones are equal
 * numbers. */
static unsigned compile_text(struct compiler *c, const struct expr_node *from,
                             const char *first)
{
    struct predicate_node n = {.what = WHAT_NUMBER};

    n.a = strcmp(from->text, first) != 0;
    return make(c, from->at, &n);
}

/* A node with operands: a sign, arithmetic, a comparison, and, or, not. */
static struct predicate_node compile_operator(struct compiler *c,
                                              const struct expr_node *from)
{
    const struct expr_node *left = &c->e->node[from->left];
    struct predicate_node n = {.what = WHAT_COMPUTE, .a = from->op};

    if (left->op == EXPR_OP_TEXT) {
        n.left = (uint8_t)compile_text(c, left, left->text);
        n.right =
            (uint8_t)compile_text(c, &c->e->node[from->right], left->text);
    } else {
        n.left = (uint8_t)compile(c, from->left);
        if (from->op > EXPR_LAST_UNARY)
            n.right = (uint8_t)compile(c, from->right);
    }
    if (from->op == EXPR_OP_NOT)
        n.what = WHAT_NOT;
    else if (from->op >= EXPR_OP_OR && from->op <= EXPR_OP_GE)
        n.what = comparisons[from->op];
    if (from->op >= EXPR_OP_EQ && from->op <= EXPR_OP_GE &&
        (c->d->node[n.left].what == WHAT_COMPUTE ||
         c->d->node[n.right].what == WHAT_COMPUTE))
        n.what = WHAT_COMPARE;
    return n;
}

static unsigned compile(struct compiler *c, size_t at)
{
    const struct expr_node *from = &c->e->node[at];
    struct predicate_node n = {0};

    switch (from->op) {
    case EXPR_OP_NUMBER:
        n.what = WHAT_NUMBER;
        n.a = (uint64_t)from->number;
        break;
    case EXPR_OP_ATOM:
        n.what = from->type == EXPR_TRUTH ? WHAT_FLAG : WHAT_PROPERTY;
        n.left = (uint8_t)from->number;
        break;
    case EXPR_OP_IN_PLACE:
        n = compile_place(from, (unsigned)c->e->node[from->left].number);
        break;
    case EXPR_OP_BETWEEN:
        n = compile_between(c, from);
        break;
    default:
        n = compile_operator(c, from);
    }
    return make(c, from->at, &n);
}

/* ---- a definition -------------------------------------------------------- */

struct parser {
    struct predicate *d;
    size_t at;
    bool failed;
    struct expr_error *error;
};

__attribute__((format(printf, 3, 4))) static void
fail(struct parser *p, size_t at, const char *format, ...)
{
    va_list args;

    if (p->failed)
        return;
    p->failed = true;
    p->error->at = at;
    va_start(args, format);
    vsnprintf(p->error->why, sizeof p->error->why, format, args);
    va_end(args);
}

static char next(struct parser *p)
{
    while (isspace((unsigned char)p->d->text[p->at]))
        p->at++;
    return p->d->text[p->at];
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

/* The word at the reading place: its length, 0 for none. */
static size_t word(struct parser *p)
{
    const char *from;
    size_t n = 0;

    next(p);
    from = p->d->text + p->at;
    while (in_word(from[n]))
        n++;
    return n;
}

static bool is_word(const struct parser *p, size_t length, const char *text)
{
    return length == strlen(text) &&
           strncmp(p->d->text + p->at, text, length) == 0;
}

static bool eat(struct parser *p, const char *text)
{
    size_t n = word(p);

    if (!is_word(p, n, text))
        return false;
    p->at += n;
    return true;
}

static bool is_event_word(const struct parser *p, size_t length)
{
    for (int id = 0; id < EV_COUNT; id++)
        if (is_word(p, length, event_name((enum event)id)))
            return true;
    return false;
}

bool predicate_is(const char *text)
{
    return strchr(text, '=') != NULL;
}

/* NAME =, where NAME is a word of its own. */
static void parse_name(struct parser *p)
{
    struct predicate *d = p->d;
    size_t n = word(p);

    if (!n || isdigit((unsigned char)d->text[p->at]) ||
        memchr(d->text + p->at, '.', n) || memchr(d->text + p->at, '$', n))
        fail(p, p->at, "a name of letters, digits and _ should stand here");
    else if (n >= sizeof d->name)
        fail(p, p->at, "the name is longer than %d characters",
             PREDICATE_NAME - 1);
    else if (is_event_word(p, n))
        fail(p, p->at, "there is an event of this name already");
    if (p->failed)
        return;
    memcpy(d->name, d->text + p->at, n);
    p->at += n;
    if (next(p) != '=')
        fail(p, p->at, "an = should stand here");
    else
        p->at++;
}

static void no_event(struct parser *p, size_t length)
{
    char name[61], near_by[DID_YOU_MEAN_TEXT];
    struct did_you_mean n;

    snprintf(name, sizeof name, "%.*s", (int)length, p->d->text + p->at);
    did_you_mean_begin(&n, name);
    event_offer(&n);
    did_you_mean_text(&n, near_by);
    fail(p, p->at, "no such event: %s%s", name,
         *near_by ? near_by : "; --list-events lists them");
}

static void parse_base(struct parser *p)
{
    struct predicate *d = p->d;
    size_t n = word(p);
    int id;

    for (id = 0; id < EV_COUNT; id++)
        if (is_word(p, n, event_name((enum event)id)))
            break;
    if (!n)
        fail(p, p->at, "an event should stand here");
    else if (id == EV_COUNT || event_kind((enum event)id) == KIND_DEFINED)
        no_event(p, n);
    else if (!event_owned((enum event)id))
        fail(p, p->at, "%s belongs to no instruction: nothing can be asked",
             event_name((enum event)id));
    d->base = (enum event)id;
    p->at += n;
}

/* Of A or B or C the first "or". */
static size_t first_or(const struct expr *e)
{
    size_t n = e->root;

    while (e->node[e->node[n].left].op == EXPR_OP_OR &&
           !e->node[e->node[n].left].enclosed)
        n = e->node[n].left;
    return e->node[n].at;
}

/* Behind the event: [and CONDITION]. */
static void parse_condition(struct parser *p)
{
    struct compiler c = {.d = p->d, .error = p->error};
    struct expr *e;

    if (!next(p)) {
        p->d->always = true;
        return;
    }
    if (!strncmp(p->d->text + p->at, "&&", 2)) {
        p->at += 2;
    } else if (!eat(p, "and")) {
        fail(p, p->at, "\"and\" should stand here, or nothing more");
        return;
    }
    c.e = e = expr_parse(&language, p->d->text, p->at, p->error);
    if (!e) {
        p->failed = true;
    } else if (e->node[e->root].op == EXPR_OP_OR &&
               !e->node[e->root].enclosed) {
        fail(p, first_or(e),
             "behind the event, \"or\" wants parentheses: EVENT and (... or "
             "...)");
    } else {
        p->d->root = (uint8_t)compile(&c, e->root);
        p->failed = c.failed;
    }
    expr_free(e);
}

bool predicate_parse(struct predicate *d, const char *text,
                     struct expr_error *e)
{
    struct parser p = {.d = d, .error = e};
    size_t length = strlen(text), k;

    memset(d, 0, sizeof *d);
    memcpy(d->text, text,
           length < PREDICATE_TEXT ? length : PREDICATE_TEXT - 1);
    if (length >= PREDICATE_TEXT)
        fail(&p, PREDICATE_TEXT - 1, "the definition is too long");
    for (k = 0; d->text[k]; k++) { /* it goes to a log, as a line */
        if (isspace((unsigned char)d->text[k]))
            d->text[k] = ' ';
        else if (iscntrl((unsigned char)d->text[k]))
            fail(&p, k, "no character of a definition");
    }
    if (!p.failed)
        parse_name(&p);
    if (!p.failed)
        parse_base(&p);
    if (!p.failed)
        parse_condition(&p);
    return !p.failed;
}

bool predicate_resolve(struct predicate *d, predicate_symbol *find,
                       const void *arg, struct expr_error *e)
{
    char symbol[PREDICATE_TEXT];

    for (unsigned k = 0; k < d->nodes; k++) {
        struct predicate_node *n = &d->node[k];
        uint32_t from = 0, end = 0;

        if (!n->length)
            continue;
        memcpy(symbol, d->text + n->at, n->length);
        symbol[n->length] = '\0';
        if (!find(arg, symbol, &from, &end)) {
            e->at = n->at;
            snprintf(e->why, sizeof e->why, "no such symbol: %.200s", symbol);
            snprintf(e->name, sizeof e->name, "%.63s", symbol);
            return false;
        }
        n->a = from;
        n->b = end;
    }
    return true;
}
