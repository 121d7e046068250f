/* parser.h - the state of the parser. Private to scan.c, parse.c and check.c.
 */
#ifndef LIB_EXPR_PARSER_H
#define LIB_EXPR_PARSER_H

#include "lib/expr/tree.h"

struct expr_parser {
    const struct expr_language *l;
    struct expr *e;
    const char *text;
    size_t at; /* the reading place */
    int depth;
    bool failed;
    bool wants_text; /* the operand being read is compared with text */
    struct expr_error *error;
};

/* ---- scan.c -------------------------------------------------------------- */

/* The first error is kept. Returns 0, for callers that return a node. */
__attribute__((format(printf, 3, 4))) size_t
expr_fail(struct expr_parser *p, size_t at, const char *format, ...);

/* Moves over white space. Returns the character there, 0 at the end. */
char expr_next(struct expr_parser *p);

/* The length of the word at the reading place; 0: none. */
size_t expr_word(const struct expr_parser *p);

/* Moves over white space and, if it stands there, this word. */
bool expr_eat(struct expr_parser *p, const char *word);

/* Reads a number. Fails where none stands, and on one too large. */
int64_t expr_number(struct expr_parser *p);

/* Reads a text in quotes. NULL: it has no end, which is told. The caller
 * frees. */
char *expr_quoted(struct expr_parser *p);

/* Reads a place, a name of letters, digits, _ . and $ or in quotes. NULL: none
 * stands there; nothing is told but of a text without an end. The caller
 * frees. */
char *expr_place(struct expr_parser *p, bool *quoted);

/* The binary operator at the reading place and its length; a level of -1:
 * none stands there. */
struct expr_binary {
    enum expr_op op;
    int level;
    size_t length;
};
struct expr_binary expr_operator(struct expr_parser *p);

/* ---- check.c ------------------------------------------------------------- */

/* Fails at `at` unless node n can be a condition. */
void expr_check_condition(struct expr_parser *p, size_t at, size_t n);

/* Fails at `at` unless node n is a number: the operand of a sign or of "in". */
void expr_check_number(struct expr_parser *p, size_t at, size_t n);

/* Checks the operands of a binary operator and sets its type. A text that is
 * compared with a choice becomes the number of its row. */
void expr_check_operands(struct expr_parser *p, struct expr_node *n);

#endif
