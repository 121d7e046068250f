/* config.c - the knobs by name. Rows: params.def.
 * Knows names, ranges and which values do not go together; knows nothing of
 * what a knob does. Prints nothing.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/config.h"

#define PARAM(name, value, min, max, unit, text)                               \
    {#name, unit, text, value, min, max, offsetof(struct params, name)},
static const struct param_row rows[] = {
#include "sim/params.def"
};
#undef PARAM

const struct param_row *param_rows(unsigned *count)
{
    *count = sizeof rows / sizeof rows[0];
    return rows;
}

uint32_t param_get(const struct params *p, const struct param_row *row)
{
    uint32_t value;

    memcpy(&value, (const char *)p + row->offset, sizeof value);
    return value;
}

void params_default(struct params *p)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        memcpy((char *)p + rows[i].offset, &rows[i].value,
               sizeof rows[i].value);
}

static const struct param_row *row_named(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strlen(rows[i].name) == length &&
            memcmp(rows[i].name, name, length) == 0)
            return &rows[i];
    return NULL;
}

static void list_names(char *why, size_t size)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t used = strlen(why);

        snprintf(why + used, size - used, " %s", rows[i].name);
    }
}

bool number_parse(const char *text, uint64_t *value)
{
    char *end;

    if (!isdigit((unsigned char)text[0]))
        return false; /* strtoull takes signs and spaces; we do not */
    errno = 0;
    *value = strtoull(text, &end, 0);
    return errno == 0 && *end == '\0';
}

bool params_set(struct params *p, const char *text, char *why, size_t size)
{
    const char *equals = strchr(text, '=');
    const struct param_row *row;
    uint64_t value;
    uint32_t word;

    if (!equals) {
        snprintf(why, size, "%s: not of the form name=value", text);
        return false;
    }
    row = row_named(text, (size_t)(equals - text));
    if (!row) {
        snprintf(why, size, "%.*s: no such knob; known:", (int)(equals - text),
                 text);
        list_names(why, size);
        return false;
    }
    if (!number_parse(equals + 1, &value)) {
        snprintf(why, size, "%s: the value must be a number", text);
        return false;
    }
    if (value < row->min || value > row->max) {
        snprintf(why, size, "%s: out of range, give %u to %u", text, row->min,
                 row->max);
        return false;
    }
    word = (uint32_t)value;
    memcpy((char *)p + row->offset, &word, sizeof word);
    return true;
}

static bool power_of_two(uint32_t n)
{
    return n && (n & (n - 1)) == 0;
}

/* A cache needs a power of two of sets. */
static bool cache_fits(uint32_t kb, uint32_t line, uint32_t ways)
{
    return power_of_two(kb * 1024 / line / ways);
}

bool params_check(const struct params *p, char *why, size_t size)
{
    const char *what = NULL;

    if (!power_of_two(p->line_bytes))
        what = "line_bytes: must be 32 or 64";
    else if (!cache_fits(p->icache_kb, p->line_bytes, p->icache_ways))
        what = "icache_kb / icache_ways: must be a power of two";
    else if (!cache_fits(p->dcache_kb, p->line_bytes, p->dcache_ways))
        what = "dcache_kb / dcache_ways: must be a power of two";
    else if (!power_of_two(p->bht_entries))
        what = "bht_entries: must be a power of two";
    if (what)
        snprintf(why, size, "%s", what);
    return !what;
}
