/* text_lines.h - a text file as lines of a key and a value, such as the log
 * and the map of an experiment. A line with a control character is garbage; a
 * last line without its end is still being written. Neither is returned.
 */
#ifndef LIB_BASE_TEXT_LINES_H
#define LIB_BASE_TEXT_LINES_H

#include <stdbool.h>
#include <stddef.h>

struct line {
    const char *key;   /* up to the first blank */
    const char *value; /* what follows that blank, "" if nothing */
    unsigned number;   /* in the file, from 1 */
};

struct text_lines {
    struct line *line;
    size_t count, room;
    unsigned garbage;       /* lines passed over */
    unsigned first_garbage; /* the number of the first of them */
    char *text;             /* what the lines point into */
};

/* Read the file `name` of directory `dir`, at most 256 MB. False: errno says
 * why not, and *l is empty. */
bool text_lines_read(struct text_lines *l, int dir, const char *name);
/* Free the lines and the text that they point into. */
void text_lines_free(struct text_lines *l);

/* The value of the last line with this key; NULL: there is none. */
const char *text_lines_get(const struct text_lines *l, const char *key);

/* Cut the next word off *rest, which moves on; NULL: no more words. */
char *text_lines_word(char **rest);

#endif
