/* command_words.h - a command of a script as words. */
#ifndef TOOLS_SIMPROF_SESSION_COMMAND_WORDS_H
#define TOOLS_SIMPROF_SESSION_COMMAND_WORDS_H

#include <stddef.h>

struct command_words {
    char **word; /* word[0] is the command; one more is NULL */
    int count;   /* 0: an empty line, or a comment */
    char *rest;  /* what stands behind word[0], as it was written */
    size_t room; /* private */
    char *text;
};

/* Split a line: blanks separate words, '...' and "..." keep theirs, what
 * begins with # is a comment. NULL, or what is wrong with the line. */
const char *command_words_split(struct command_words *w, const char *line);

/* Words that are split already. */
void command_words_take(struct command_words *w, int count, char *const *word);
void command_words_free(struct command_words *w);

/* The text without the '...' or "..." that all of it stands in, as er_print
 * wants expressions with blanks. It is changed. */
char *command_words_unquoted(char *text);

/* The rest as one text, unquoted. It may be changed. */
char *command_words_whole(const struct command_words *w);

#endif
