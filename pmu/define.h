/* define.h - events that are defined on the command line:
 *
 *     NAME = EVENT [and CONDITION]
 *
 * EVENT is a row of events.def that belongs to an instruction. The condition
 * is about that instruction (properties.def):
 *
 *     not, and, or, parentheses          binding in this order
 *     latency > 20, == != < <= > >=      numbers, decimal or 0x
 *     user, marked, ...                  what is true or not
 *     op == "lwz", class != "LOAD"       rows of insns.def and class.def
 *     pc in range0 ... range7            instruction ranges; ea: data ranges
 *     pc in 0x1000..0x1FF0               from the first, before the second
 *     pc in memcpy, ea in "range0"       a symbol of the program
 *
 * Knows the text and struct doing, no counter and no machine. docs/pif.md 12.
 */
#ifndef PMU_DEFINE_H
#define PMU_DEFINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/doing.h"
#include "pmu/signal.h"

#define DEFINE_MAX 8
#define DEFINE_NAME 32
#define DEFINE_TEXT 512
#define DEFINE_NODES 64

struct define_node {
    uint8_t what;        /* private to define.c */
    uint8_t left, right; /* nodes, or a property */
    uint16_t at, length; /* of a symbol's name in `text`; 0: none */
    uint64_t a, b;       /* a number; or from a, before b */
};

struct define {
    char name[DEFINE_NAME];
    char text[DEFINE_TEXT]; /* all of it, as it was given */
    enum event base;
    bool always; /* there is no condition */
    uint8_t root, nodes;
    struct define_node node[DEFINE_NODES];
};

/* What a condition asks of marks: bit n of ranges stands for range n. */
struct define_needs {
    uint8_t ranges, data_ranges;
    bool marked, window;
};
struct define_needs define_needs(const struct define *d);
/* Can it be true of an instruction when there is no more than that? */
bool define_may(const struct define *d, const struct define_needs *there);

/* Where and why a text defines nothing. */
struct define_error {
    size_t at; /* offset of the character */
    char why[640];
    char symbol[64]; /* of define_resolve: that there is not */
};

/* Does the text look like a definition rather than an event's name? */
bool define_is(const char *text);

/* Read one. False: *e says why. Symbols are still without addresses. */
bool define_parse(struct define *d, const char *text, struct define_error *e);

/* Ask for the addresses of its symbols: from *from, before *end. */
typedef bool define_symbol(const void *arg, const char *name, uint32_t *from,
                           uint32_t *end);
bool define_resolve(struct define *d, define_symbol *find, const void *arg,
                    struct define_error *e);

/* Does the condition hold? */
bool define_holds(const struct define *d, const struct doing *doing);

#endif
