/* words.h - rows of reports read, and texts put into objects. */
#ifndef TOOLS_SIMPROF_SCENE_WORDS_H
#define TOOLS_SIMPROF_SCENE_WORDS_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/* A column of a row as text, the row's own, and "" where it has none; as a
 * number, 0 where it has none. */
const char *scene_text(const json_t *row, const char *column);
int64_t scene_number(const json_t *row, const char *column);

/* The length of the first name in a column of functions, which has " < "
 * between them, as no name has it; and what stands behind that, "" behind the
 * last. */
size_t scene_first_name(const char *functions);
const char *scene_next_name(const char *functions);

/* A text that is written piece by piece: open, write to `to`, close. */
struct scene_words {
    char *text;
    size_t size;
    FILE *to;
};

/* NULL: there is no memory, and nothing to close. */
FILE *scene_words_open(struct scene_words *w);
/* What was written; "" where it is no UTF-8. The caller owns the reference. */
json_t *scene_words_close(struct scene_words *w);

/* A text as a value of an object. */
void scene_put(json_t *to, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
