/* fields.h - what a record can be asked for by name (fields.def). */
#ifndef TOOLS_ANALYSIS_QUERY_FIELDS_H
#define TOOLS_ANALYSIS_QUERY_FIELDS_H

#include "tools/analysis/query/filter.h"

/* The field of the first n bytes of a name; -1: none. */
int field_find(const char *name, size_t n);

struct expr_value field_value(const struct filter_about *about, int field);

/* Is `text` a name of the field's value? A function has aliases, may be one of
 * several of a name, told apart by their file, and a load object's archive has
 * a build-id behind its name. */
bool field_is(const struct filter_about *about, int field,
              const struct expr_value *value, const char *text);

#define FIELD_WHY 700 /* room for why there is no such value */

/* Can the field be this text, or this number, in the recording; can a function
 * of this name be on a stack? False: `why` says no, and what is near it. */
bool field_knows(const struct filter_about *about, int field, const char *text,
                 char why[FIELD_WHY]);
bool field_counts(const struct filter_about *about, int field, int64_t number,
                  char why[FIELD_WHY]);
bool field_stack_knows(const struct filter_about *about, const char *name,
                       char why[FIELD_WHY]);

/* Is a function of this name on the record's stack, or one that it is an
 * outlined part of? */
struct expr_value field_in_stack(const struct filter_about *about,
                                 const char *name);

/* Name and sentence of field i; NULL: there are no more. */
const char *field_name(int i, const char **sentence);

#endif
