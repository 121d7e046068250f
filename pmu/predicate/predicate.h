/* predicate.h - events that are defined on the command line:
 *
 *     NAME = EVENT [and CONDITION]
 *
 * EVENT is a row of events.def that belongs to an instruction. The condition
 * is an expression (lib/expr/expr.h) about that instruction, whose atoms are
 * the rows of properties.def. It is compiled to nodes that are asked of every
 * instruction.
 *
 * Knows the text and struct insn_info, no counter and no machine.
 * docs/pif.md 12, docs/expressions.md.
 */
#ifndef PMU_PREDICATE_PREDICATE_H
#define PMU_PREDICATE_PREDICATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/expr/expr.h"
#include "pmu/predicate/insn_info.h"
#include "pmu/event/signal.h"

#define PREDICATE_MAX 8
#define PREDICATE_NAME 32
#define PREDICATE_TEXT 512
#define PREDICATE_NODES 64

struct predicate_node {
    uint8_t what;        /* private to predicate.c */
    uint8_t left, right; /* nodes, or a property */
    uint16_t at, length; /* of a symbol's name in `text`; 0: none */
    uint64_t a, b;       /* a number; from a, before b; an operator */
};

struct predicate {
    char name[PREDICATE_NAME];
    char text[PREDICATE_TEXT]; /* all of it, as it was given */
    enum event base;
    bool always; /* there is no condition */
    uint8_t root, nodes;
    struct predicate_node node[PREDICATE_NODES];
};

/* What a condition asks of marks: bit n of ranges stands for range n. */
struct predicate_needs {
    uint8_t ranges, data_ranges;
    bool marked, window;
};
struct predicate_needs predicate_needs(const struct predicate *d);
/* Can it be true of an instruction when there is no more than that? */
bool predicate_may(const struct predicate *d,
                   const struct predicate_needs *there);

/* Does the text look like a definition rather than an event's name? */
bool predicate_is(const char *text);

/* Reads one. False: *e says why, and where in the text. Symbols are still
 * without addresses. */
bool predicate_parse(struct predicate *d, const char *text,
                     struct expr_error *e);

/* Asks for the addresses of its symbols: from *from, before *end. False: *e
 * says which there is not, its name in e->name. */
typedef bool predicate_symbol(const void *arg, const char *name, uint32_t *from,
                              uint32_t *end);
bool predicate_resolve(struct predicate *d, predicate_symbol *find,
                       const void *arg, struct expr_error *e);

/* Does the condition hold? */
bool predicate_holds(const struct predicate *d,
                     const struct insn_info *insn_info);

#endif
