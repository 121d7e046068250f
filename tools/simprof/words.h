/* words.h - a command of a script as words. */
#ifndef TOOLS_SIMPROF_WORDS_H
#define TOOLS_SIMPROF_WORDS_H

#include <stddef.h>

struct words {
    char **word; /* word[0] is the command; one more is NULL */
    int count;   /* 0: an empty line, or a comment */
    char *rest;  /* what stands behind word[0], as it was written */
    size_t room; /* private */
    char *text;
};

/* Split a line: blanks separate words, '...' and "..." keep theirs, what
 * begins with # is a comment. NULL, or what is wrong with the line. */
const char *words_split(struct words *w, const char *line);

/* Words that are split already. */
void words_take(struct words *w, int count, char *const *word);
void words_free(struct words *w);

/* The text without the '...' or "..." that all of it stands in, as er_print
 * wants expressions with blanks. It is changed. */
char *words_unquoted(char *text);

/* The rest as one text, unquoted. It may be changed. */
char *words_whole(const struct words *w);

#endif
