/* expr.h - expressions, as --event and --filters read them: a parser by
 * precedence, a type check and an evaluation. The engine knows operators and
 * literals; a language supplies the atoms, that is the names that can stand in
 * its expressions, with their types and values. docs/expressions.md is the
 * manual.
 *
 *   or ||  <  and &&  <  not  <  == !=  <  < <= > >= in  <  |  <  ^  <  &
 *   <  << >>  <  + -  <  * / %  <  ! - ~
 *
 * Numbers are of 64 bits, signed. A value may be missing: what is computed
 * from it is missing too, and no comparison with it holds. A division by 0 is
 * missing. Missing is not true.
 */
#ifndef LIB_EXPR_EXPR_H
#define LIB_EXPR_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPR_WHY 800 /* bytes of a reason, with its end */

enum expr_type {
    EXPR_NUMBER,
    EXPR_TRUTH,
    EXPR_TEXT,
    EXPR_CHOICE /* one of a list of names, compared by == and != */
};

struct expr_atom {
    const char *name;
    enum expr_type type;
    bool address;            /* EXPR_NUMBER: can be in a place */
    const char *what;        /* EXPR_CHOICE: what a name is of */
    const char *const *rows; /* EXPR_CHOICE: the names; the value of the first
                                is 1 */
    size_t count;            /* of rows */
};

struct expr_value {
    bool there; /* not missing */
    int64_t number;
    const char *text; /* EXPR_TEXT; lives until the caller of the evaluation
                         has its result */
};

/* A language: its atoms, its rules, and where values come from. `about` is what
 * the caller of the evaluation passes; an atom is named by its index. */
struct expr_language {
    const char *noun; /* what an atom is called in errors: "field" */
    const struct expr_atom *atom;
    size_t atoms;
    /* The type of comparisons and conditions: EXPR_NUMBER (1 or 0, as in C) or
     * EXPR_TRUTH (kept apart from numbers). */
    enum expr_type truth;
    int64_t largest; /* number that can be written */
    size_t nodes;    /* of one tree; 0: any number */
    /* "TEXT in LIST": the name of the list, or NULL and why there is none. */
    const char *list, *no_list;
    /* "ATOM in PLACE": what a place is, or NULL and why there is none. */
    const char *places, *no_places;
    /* Writes why a word that is no atom cannot stand here, of at most EXPR_WHY
     * bytes. False: there is no better reason than that. May be NULL. */
    bool (*unknown)(const char *word, char why[EXPR_WHY]);

    /* The rest is asked by the evaluation only. */
    struct expr_value (*value)(const void *about, size_t atom);
    /* Is `text` a name of this value of a text atom? NULL: if they are equal.
     */
    bool (*is)(const void *about, size_t atom, const struct expr_value *value,
               const char *text);
    struct expr_value (*in_list)(const void *about, const char *text);
    /* `quoted`: the place was written in quotes. */
    struct expr_value (*in_place)(const void *about, size_t atom,
                                  const char *place, bool quoted);
};

/* Where and why a text is no expression. */
struct expr_error {
    size_t at;          /* offset of the character in the text */
    char why[EXPR_WHY]; /* one line, without an end of line */
    char name[64];      /* the name that does not exist, for a caller that looks
                           for others like it; "": no such thing */
};

struct expr; /* a tree; lib/expr/tree.h */

/* Reads the expression of `text` from offset `from` to its end. NULL: *error
 * says why it is none. `l` must live as long as the tree, which the caller
 * frees. */
struct expr *expr_parse(const struct expr_language *l, const char *text,
                        size_t from, struct expr_error *error);
void expr_free(struct expr *e); /* or NULL */

/* The value as a number. False: it is missing. */
bool expr_value(const struct expr *e, const void *about, int64_t *value);

/* Does it hold: neither missing nor 0? */
bool expr_holds(const struct expr *e, const void *about);

/* Does it ask for nothing but this atom? Literals are nothing asked for. */
bool expr_only(const struct expr *e, const char *atom);

/* Writes three lines: the reason, the text and a caret below its place. Of a
 * text of more than 60 characters those around the place are shown; control
 * characters as spaces. The last line has no end of line. */
void expr_show(const char *text, const struct expr_error *error, char *out,
               size_t size);

#endif
