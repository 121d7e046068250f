/* text_lines.h - a small text file of an experiment (log, map) as lines of a
 * key and a value. Bytes that text cannot hold make their line garbage; a last
 * line without its end is still being written. Neither is returned.
 */
#ifndef TOOLS_ANALYSIS_EXPERIMENT_TEXT_LINES_H
#define TOOLS_ANALYSIS_EXPERIMENT_TEXT_LINES_H

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

/* Read `name` in directory `dir`. False: errno says why not. */
bool text_lines_read(struct text_lines *l, int dir, const char *name);
void text_lines_free(struct text_lines *l);

/* The value of the last line with this key; NULL: there is none. */
const char *text_lines_get(const struct text_lines *l, const char *key);

/* Cut the next word off *rest, which moves on; NULL: no more words. */
char *text_lines_word(char **rest);

#endif
