/* scan.c - words, numbers, texts and operators of an expression. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/expr/parser.h"

static const struct {
    const char *spelling, *word;
    enum expr_op op;
    int level;
} binary[] = {
#define BINARY(name, spelling, word, level)                                    \
    {spelling, word, EXPR_OP_##name, level},
#include "lib/expr/operators.def"
#undef BINARY
};

size_t expr_fail(struct expr_parser *p, size_t at, const char *format, ...)
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

char expr_next(struct expr_parser *p)
{
    while (isspace((unsigned char)p->text[p->at]))
        p->at++;
    return p->text[p->at];
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

size_t expr_word(const struct expr_parser *p)
{
    size_t n = 0;

    while (in_word(p->text[p->at + n]))
        n++;
    return n;
}

static bool is_word(const struct expr_parser *p, const char *word)
{
    size_t n = strlen(word);

    return n && expr_word(p) == n && !strncmp(p->text + p->at, word, n);
}

bool expr_eat(struct expr_parser *p, const char *word)
{
    expr_next(p);
    if (!is_word(p, word))
        return false;
    p->at += strlen(word);
    return true;
}

int64_t expr_number(struct expr_parser *p)
{
    const char *from, *after;
    char *end;
    bool hex;
    uint64_t n;

    if (!isdigit((unsigned char)expr_next(p)))
        return (int64_t)expr_fail(p, p->at, "a number should stand here");
    from = p->text + p->at;
    hex = from[0] == '0' && (from[1] == 'x' || from[1] == 'X');
    errno = 0;
    n = strtoull(from, &end, hex ? 16 : 10);
    if (errno || n > (uint64_t)p->l->largest)
        return (int64_t)expr_fail(p, p->at, "the number is too large");
    after = end;
    if (in_word(*after) || *after == '$' || (hex && end < from + 3) ||
        (after[0] == '.' && after[1] != '.'))
        return (int64_t)expr_fail(p, (size_t)(end - p->text),
                                  "this belongs to no number");
    p->at = (size_t)(end - p->text);
    return (int64_t)n;
}

char *expr_quoted(struct expr_parser *p)
{
    size_t from = p->at + 1;
    const char *end = strchr(p->text + from, '"');

    if (!end) {
        expr_fail(p, p->at, "the text that begins here has no end");
        return NULL;
    }
    p->at = (size_t)(end - p->text) + 1;
    return grow_bytes(p->text + from, (size_t)(end - p->text) - from);
}

char *expr_place(struct expr_parser *p, bool *quoted)
{
    const char *from;
    size_t n = 0;

    *quoted = expr_next(p) == '"';
    if (*quoted)
        return expr_quoted(p);
    from = p->text + p->at;
    while (in_word(from[n]) || from[n] == '.' || from[n] == '$')
        n++;
    p->at += n;
    return n ? grow_bytes(from, n) : NULL;
}

struct expr_binary expr_operator(struct expr_parser *p)
{
    struct expr_binary found = {.level = -1};

    expr_next(p);
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++) {
        const char *spelling = binary[i].spelling;

        if (is_word(p, binary[i].word))
            spelling = binary[i].word;
        else if (strncmp(p->text + p->at, spelling, strlen(spelling)))
            continue;
        if (strlen(spelling) > found.length)
            found = (struct expr_binary){binary[i].op, binary[i].level,
                                         strlen(spelling)};
    }
    return found;
}
