/* config.c - the knobs by name. Rows: params.def.
 * Knows names, ranges and which values do not go together; knows nothing of
 * what a knob does. Prints nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/did_you_mean.h"
#include "lib/base/text.h"
#include "sim/config/config.h"

#define PARAM(name, value, min, max, unit, text)                               \
    {#name, unit, text, value, min, max, offsetof(struct params, name)},
static const struct param_row rows[] = {
#include "sim/config/params.def"
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

/* There is no such knob, but near ones. */
static void no_knob(const char *text, char *why, size_t size)
{
    char name[64], text_near[DID_YOU_MEAN_TEXT];
    struct did_you_mean near;

    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
    did_you_mean_begin(&near, name);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        did_you_mean_offer(&near, rows[i].name);
    did_you_mean_text(&near, text_near);
    snprintf(why, size, "%s: no such knob%s%s", name, text_near,
             *text_near ? "" : "; simrun --help=all lists them");
}

bool params_set(struct params *p, const char *text, char *why, size_t size)
{
    const char *equals = strchr(text, '=');
    const struct param_row *row;
    uint64_t value;
    uint32_t word;

    row = row_named(text, strcspn(text, "="));
    if (!row) {
        no_knob(text, why, size);
        return false;
    }
    if (!equals || !text_number(equals + 1, &value) || value < row->min ||
        value > row->max) {
        snprintf(why, size, "%.128s: give %s=N with N from %u to %u%s%s", text,
                 row->name, row->min, row->max, *row->unit ? " " : "",
                 row->unit);
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

static void bad_cache(char which, uint32_t kb, uint32_t ways, char *why,
                      size_t size)
{
    snprintf(why, size,
             "%ccache_kb=%u, %ccache_ways=%u: %u divided by %u must be a "
             "power of two",
             which, kb, which, ways, kb, ways);
}

bool params_check(const struct params *p, char *why, size_t size)
{
    if (!power_of_two(p->line_bytes))
        snprintf(why, size, "line_bytes=%u: give 32 or 64", p->line_bytes);
    else if (!cache_fits(p->icache_kb, p->line_bytes, p->icache_ways))
        bad_cache('i', p->icache_kb, p->icache_ways, why, size);
    else if (!cache_fits(p->dcache_kb, p->line_bytes, p->dcache_ways))
        bad_cache('d', p->dcache_kb, p->dcache_ways, why, size);
    else if (!power_of_two(p->bht_entries))
        snprintf(why, size, "bht_entries=%u: give a power of two",
                 p->bht_entries);
    else
        return true;
    return false;
}
