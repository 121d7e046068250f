/* predicate.c - a parser by descent for what --event defines. The language:
 * predicate.h; what it makes: predicate_tree.h; what can be asked:
 * properties.def.
 */
#include "pmu/predicate/predicate_tree.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/event/event_names.h"

#define DEEPEST 50 /* parentheses and nots within each other */
#define RANGES 8   /* of instructions, and as many of data */

/* ---- what can be asked --------------------------------------------------- */

enum type { TYPE_NUMBER, TYPE_FLAG, TYPE_OP, TYPE_CLASS };

static const struct {
    const char *name;
    enum type type;
} properties[PROPERTIES] = {
#define PROPERTY(name, type, value, text) {#name, TYPE_##type},
#include "pmu/predicate/properties.def"
#undef PROPERTY
};

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

static const struct {
    const char *spelling;
    enum what what;
} comparisons[] = {
    {"==", WHAT_EQ}, {"!=", WHAT_NE}, {"<=", WHAT_LE},
    {">=", WHAT_GE}, {"<", WHAT_LT},  {">", WHAT_GT},
};

/* ---- words --------------------------------------------------------------- */

struct parser {
    struct predicate *d;
    size_t at;
    unsigned depth;
    bool failed;
    struct predicate_error *error;
};

__attribute__((format(printf, 3, 4))) static unsigned
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

static unsigned make(struct parser *p, const struct predicate_node *n)
{
    struct predicate *d = p->d;

    if (d->nodes == PREDICATE_NODES)
        return fail(p, p->at, "the condition is too long");
    d->node[d->nodes] = *n;
    return d->nodes++;
}

/* ---- values and comparisons ---------------------------------------------- */

static uint64_t number(struct parser *p)
{
    const char *from = p->d->text + p->at;
    bool hex = from[0] == '0' && (from[1] == 'x' || from[1] == 'X');
    char *end;
    uint64_t n;

    if (!isdigit((unsigned char)*from))
        return fail(p, p->at, "a number should stand here");
    n = strtoull(from, &end, hex ? 16 : 10); /* the largest, if too large */
    if (n > UINT32_MAX + UINT64_C(1))
        return fail(p, p->at, "the number is too large");
    if ((in_word(*end) && strncmp(end, "..", 2) != 0) ||
        (hex && end < from + 3))
        return fail(p, (size_t)(end - p->d->text), "this is no digit");
    p->at = (size_t)(end - p->d->text);
    return n;
}

/* A text in quotes, or a bare word: where it stands. */
static bool name(struct parser *p, size_t *at, size_t *length)
{
    const char *from, *end;

    if (next(p) != '"') {
        *length = word(p);
        *at = p->at;
        p->at += *length;
        return *length > 0;
    }
    from = p->d->text + p->at + 1;
    end = strchr(from, '"');
    if (!end) {
        fail(p, p->at, "the text that begins here has no end");
        return false;
    }
    *at = p->at + 1;
    *length = (size_t)(end - from);
    p->at += *length + 2;
    return true;
}

/* The number of a row by its name in quotes, from 1. */
static uint64_t row(struct parser *p, const char *const *rows, size_t count,
                    const char *what)
{
    size_t at, length, begin;
    char text[61], near_by[DID_YOU_MEAN_TEXT];
    struct did_you_mean n;

    if (next(p) != '"')
        return fail(p, p->at, "a name in quotes should stand here");
    begin = p->at;
    if (!name(p, &at, &length))
        return 0;
    for (size_t k = 0; k < count; k++)
        if (strlen(rows[k]) == length &&
            strncmp(rows[k], p->d->text + at, length) == 0)
            return k + 1;
    snprintf(text, sizeof text, "%.*s", (int)length, p->d->text + at);
    did_you_mean_begin(&n, text);
    for (size_t k = 0; k < count; k++)
        did_you_mean_offer(&n, rows[k]);
    return fail(p, begin, "no such %s: %s%s", what, text,
                did_you_mean_text(&n, near_by));
}

static int find_property(struct parser *p, size_t length)
{
    for (int k = 0; k < PROPERTIES; k++)
        if (is_word(p, length, properties[k].name))
            return k;
    return -1;
}

static bool is_event(const struct parser *p, size_t length)
{
    for (int id = 0; id < EV_COUNT; id++)
        if (is_word(p, length, event_name((enum event)id)))
            return true;
    return false;
}

static void no_property(struct parser *p, size_t length, const char *known)
{
    char name[61], near_by[DID_YOU_MEAN_TEXT];
    struct did_you_mean n;

    snprintf(name, sizeof name, "%.*s", (int)length, p->d->text + p->at);
    did_you_mean_begin(&n, name);
    for (int k = 0; k < PROPERTIES; k++)
        did_you_mean_offer(&n, properties[k].name);
    did_you_mean_text(&n, near_by);
    fail(p, p->at, "no such property: %s%s%s", name,
         *near_by ? near_by : "; known:", *near_by ? "" : known);
}

static enum property property(struct parser *p)
{
    char known[320] = "";
    size_t n = word(p);
    int found = find_property(p, n);

    if (found >= 0) {
        p->at += n;
        return (enum property)found;
    }
    for (int k = 0; k < PROPERTIES; k++) {
        strcat(known, " ");
        strcat(known, properties[k].name);
    }
    if (!n && !p->d->text[p->at])
        fail(p, p->at, "something is missing at the end");
    else if (!n)
        fail(p, p->at, "a property should stand here; known:%s", known);
    else if (is_event(p, n))
        fail(p, p->at, "%.*s is an event; only the first word can be one",
             (int)n, p->d->text + p->at);
    else
        no_property(p, n, known);
    return PROPERTIES;
}

/* Behind "pc in" or "ea in". */
static unsigned place(struct parser *p, enum property which)
{
    struct predicate_node n = {.what = WHAT_IN, .left = which};
    const char *text = p->d->text;
    size_t at = 0, length;
    bool quoted;

    quoted = next(p) == '"';
    at = p->at;
    if (isdigit((unsigned char)text[at])) {
        n.a = number(p);
        if (!p->failed && strncmp(text + p->at, "..", 2) != 0)
            return fail(p, p->at, "two dots and an address should stand here");
        p->at += 2;
        n.b = number(p);
        if (n.a >= n.b)
            return fail(p, at, "nothing lies between these two");
        return make(p, &n);
    }
    if (!name(p, &at, &length))
        return fail(p, p->at,
                    "a range, two addresses with two dots between them, or a "
                    "symbol should stand here");
    if (!quoted && length == 6 && strncmp(text + at, "range", 5) == 0 &&
        text[at + 5] >= '0' && text[at + 5] < '0' + RANGES) {
        n.what = WHAT_RANGE;
        n.a = (uint64_t)(text[at + 5] - '0');
        return make(p, &n);
    }
    n.at = (uint16_t)at;
    n.length = (uint16_t)length;
    if (!length)
        return fail(p, at, "the name is empty");
    return make(p, &n);
}

/* The other side of a comparison with something of this type. */
static unsigned other(struct parser *p, enum type type)
{
    struct predicate_node n = {.what = WHAT_NUMBER};
    enum property which;
    size_t at;

    switch (type) {
    case TYPE_OP:
        n.a = row(p, ops, sizeof ops / sizeof *ops, "instruction");
        break;
    case TYPE_CLASS:
        n.a = row(p, classes, sizeof classes / sizeof *classes, "class");
        break;
    default:
        if (isdigit((unsigned char)next(p))) {
            n.a = number(p);
            break;
        }
        at = p->at;
        which = property(p);
        if (!p->failed && properties[which].type != TYPE_NUMBER)
            return fail(p, at, "%s is no number", properties[which].name);
        n.what = WHAT_PROPERTY;
        n.left = which;
    }
    return make(p, &n);
}

/* The comparison at the reading place, eaten; -1: none. */
static int comparison(struct parser *p)
{
    next(p);
    for (size_t k = 0; k < sizeof comparisons / sizeof *comparisons; k++) {
        size_t n = strlen(comparisons[k].spelling);

        if (strncmp(p->d->text + p->at, comparisons[k].spelling, n) == 0) {
            p->at += n;
            return (int)comparisons[k].what;
        }
    }
    return -1;
}

static unsigned compare(struct parser *p, const struct predicate_node *left,
                        enum type type)
{
    struct predicate_node n = {0};
    size_t at;
    int what;

    next(p);
    at = p->at;
    what = comparison(p);
    if (what < 0)
        return fail(p, at,
                    p->d->text[at] == '='
                        ? "equal is written =="
                        : "a comparison should stand here: == != < <= > >=");
    if (type != TYPE_NUMBER && what != WHAT_EQ && what != WHAT_NE)
        return fail(p, at, "names can be compared by == and != only");
    n.what = (uint8_t)what;
    n.left = (uint8_t)make(p, left);
    n.right = (uint8_t)other(p, type);
    return make(p, &n);
}

static unsigned parse_or(struct parser *p);

/* A condition without "and", "or" and "not" at its front. */
static unsigned parse_one(struct parser *p)
{
    struct predicate_node n = {0};
    enum property which;
    unsigned inner;
    size_t at;

    next(p);
    at = p->at;
    if (p->d->text[at] == '(') {
        p->at++;
        inner = parse_or(p);
        if (!p->failed && next(p) != ')')
            return fail(p, at, "the parenthesis that opens here never closes");
        p->at++;
        return inner;
    }
    if (isdigit((unsigned char)p->d->text[at])) {
        n.what = WHAT_NUMBER;
        n.a = number(p);
        return compare(p, &n, TYPE_NUMBER);
    }
    which = property(p);
    if (p->failed)
        return 0;
    n.left = which;
    n.what = WHAT_FLAG;
    if (properties[which].type == TYPE_FLAG)
        return make(p, &n);
    if (eat(p, "in")) {
        if (which == PROPERTY_pc || which == PROPERTY_ea)
            return place(p, which);
        return fail(p, at, "only pc and ea can be in something");
    }
    n.what = WHAT_PROPERTY;
    return compare(p, &n, properties[which].type);
}

static unsigned parse_not(struct parser *p)
{
    struct predicate_node n = {.what = WHAT_NOT};
    unsigned made;

    if (++p->depth > DEEPEST)
        fail(p, p->at, "too many parentheses");
    if (p->failed)
        return 0;
    if (eat(p, "not")) {
        n.left = (uint8_t)parse_not(p);
        made = make(p, &n);
    } else {
        made = parse_one(p);
    }
    p->depth--;
    return made;
}

static unsigned parse_and(struct parser *p)
{
    unsigned left = parse_not(p);

    while (!p->failed && eat(p, "and")) {
        struct predicate_node n = {.what = WHAT_AND, .left = (uint8_t)left};

        n.right = (uint8_t)parse_not(p);
        left = make(p, &n);
    }
    return left;
}

static unsigned parse_or(struct parser *p)
{
    unsigned left = parse_and(p);

    while (!p->failed && eat(p, "or")) {
        struct predicate_node n = {.what = WHAT_OR, .left = (uint8_t)left};

        n.right = (uint8_t)parse_and(p);
        left = make(p, &n);
    }
    return left;
}

/* ---- a definition -------------------------------------------------------- */

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
    else if (is_event(p, n))
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

static void parse_condition(struct parser *p)
{
    if (!next(p)) {
        p->d->always = true;
        return;
    }
    if (!eat(p, "and")) {
        fail(p, p->at, "\"and\" should stand here, or nothing more");
        return;
    }
    p->d->root = (uint8_t)parse_and(p);
    if (p->failed || !next(p))
        return;
    if (eat(p, "or"))
        fail(p, p->at - 2,
             "behind the event, \"or\" wants parentheses: EVENT and (... or "
             "...)");
    else
        fail(p, p->at,
             next(p) == ')' ? "this parenthesis closes nothing"
                            : "this belongs to nothing before it");
}

bool predicate_parse(struct predicate *d, const char *text,
                     struct predicate_error *e)
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
                       const void *arg, struct predicate_error *e)
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
            snprintf(e->symbol, sizeof e->symbol, "%.63s", symbol);
            return false;
        }
        n->a = from;
        n->b = end;
    }
    return true;
}
