/* json.c - see json.h. jansson knows how JSON is written; a row is in memory,
 * never the whole table.
 */
#include "tools/simprof/report/json.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"

#define DIGITS 15 /* of a number with a point: as it was written */

static json_t *text_value(const char *text)
{
    json_t *value = json_string(text);
    char *copy;

    if (value)
        return value;
    copy = grow_text(text);
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    value = json_string(copy);
    free(copy);
    return value;
}

/* Plain digits, with a point or without; nothing is null. What is neither, or
 * does not fit, is a text. */
static json_t *number_value(const char *text)
{
    char *end;
    long long whole;
    double real;

    if (!text[0])
        return json_null();
    errno = 0;
    whole = strtoll(text, &end, 10);
    if (!*end && !errno)
        return json_integer(whole);
    real = strtod(text, &end);
    return !*end && !text[strspn(text, "-0123456789.")] ? json_real(real)
                                                        : text_value(text);
}

static json_t *cell_value(const struct table_column *column,
                          const struct table_cell *cell)
{
    const char *text = cell->csv ? cell->csv : cell->text;

    return cell->number || column->flags & TABLE_NUMBER ? number_value(text)
                                                        : text_value(text);
}

static void put_row(const struct table *t, FILE *to,
                    const struct table_cell *row)
{
    json_t *object = json_object();

    for (size_t c = 0; c < t->columns; c++)
        if (!(t->column[c].flags & TABLE_TEXT))
            json_object_set_new(object, t->column[c].key,
                                cell_value(&t->column[c], &row[c]));
    json_dumpf(object, to, JSON_REAL_PRECISION(DIGITS));
    json_decref(object);
}

void json_table(const struct table *t, FILE *to)
{
    putc('[', to);
    for (size_t i = 0; i < t->cells; i += t->columns) {
        fputs(i ? ",\n " : "\n ", to);
        put_row(t, to, &t->cell[i]);
    }
    fputs(t->cells ? "\n]\n" : "]\n", to);
}
