/* words.c - see words.h. */
#include "tools/simprof/scene/words.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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

static const char between[] = " < ";

size_t scene_first_name(const char *functions)
{
    const char *end = strstr(functions, between);

    return end ? (size_t)(end - functions) : strlen(functions);
}

const char *scene_next_name(const char *functions)
{
    const char *end = functions + scene_first_name(functions);

    return *end ? end + sizeof between - 1 : end;
}
