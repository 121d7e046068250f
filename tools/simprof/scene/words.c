/* words.c - see words.h. */
#include "tools/simprof/scene/words.h"

#include <stdarg.h>
#include <stdlib.h>

const char *scene_text(const json_t *row, const char *column)
{
    const char *text = json_string_value(json_object_get(row, column));

    return text ? text : "";
}

int64_t scene_number(const json_t *row, const char *column)
{
    return (int64_t)json_number_value(json_object_get(row, column));
}

FILE *scene_words_open(struct scene_words *w)
{
    *w = (struct scene_words){0};
    w->to = open_memstream(&w->text, &w->size);
    return w->to;
}

json_t *scene_words_close(struct scene_words *w)
{
    json_t *is;

    fclose(w->to);
    is = json_string(w->text);
    free(w->text);
    return is ? is : json_string("");
}

void scene_put(json_t *to, const char *key, const char *format, ...)
{
    struct scene_words w;
    va_list list;

    if (!scene_words_open(&w))
        return;
    va_start(list, format);
    vfprintf(w.to, format, list);
    va_end(list);
    json_object_set_new(to, key, scene_words_close(&w));
}

/* Behind the > that belongs to a text's first <; 0: there is none. That of ->
 * belongs to none. */
static size_t closed(const char *text)
{
    size_t depth = 0;

    for (size_t n = 0; text[n]; n++) {
        depth += text[n] == '<';
        if (text[n] == '>' && text[n - 1] != '-' && !--depth)
            return n + 1;
    }
    return 0;
}

size_t scene_first_name(const char *functions)
{
    size_t n = 0;

    while (functions[n]) {
        size_t pair = functions[n] == '<' ? closed(functions + n) : 1;

        if (!pair)
            break;
        n += pair;
    }
    return n;
}
