/* expr.h - expressions over the fields of a record, as filters and as the
 * index of index objects.
 *
 *   numbers  17 0x1F, + - * / %, & | ^ ~ << >>, as in C, of 64 bits signed
 *   truth    == != < <= > >= ! && ||, 1 or 0
 *   text     "txn", compared by == and !=
 *   fields   those of fields.def
 *   stacks   "txn" in stack: is a function of that name on it?
 *
 * A field that a kind of record does not have is missing: what is computed
 * from it is missing too, and no comparison with it holds. Division by 0 is
 * missing. Missing is not true.
 */
#ifndef TOOLS_ANALYSIS_QUERY_EXPR_H
#define TOOLS_ANALYSIS_QUERY_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/analysis/profile/samples.h"

struct expr;

/* Where and why a text is no expression. */
struct expr_error {
    size_t at; /* offset of the character */
    char why[800];
};

/* NULL: *error says why. The caller frees. */
struct expr *expr_new(const char *text, struct expr_error *error);
void expr_free(struct expr *e);

/* What an expression is asked about. */
struct expr_about {
    struct recording *r;
    const struct samples_metrics *metrics;
    const struct record *record; /* REC_PROFILE, _ORACLE, _IDLE or _IRQ */
};

/* Is there everything that it names in this recording: functions, load objects,
 * counters, threads, CPUs, states? False: *error says what is not. No record is
 * asked for. */
bool expr_names(const struct expr *e, const struct expr_about *about,
                struct expr_error *error);

/* The value as a number. False: it is missing. */
bool expr_value(const struct expr *e, const struct expr_about *about,
                int64_t *value);

/* Does it ask for nothing but this field? */
bool expr_only(const struct expr *e, const char *field);

/* Does it hold: neither missing nor 0? */
bool expr_holds(const struct expr *e, const struct expr_about *about);

#endif
