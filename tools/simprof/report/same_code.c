/* same_code.c - see same_code.h. */
#include "tools/simprof/report/same_code.h"

#include <string.h>

#include "tools/simprof/report/report.h"

#define TEXT 1000

/* Names of C++ that the compiler wrote, and those without parameters, are of
 * the function itself. */
static bool is_another(const char *name, const char *alias)
{
    size_t length = strlen(alias);

    return strncmp(alias, "_Z", 2) &&
           !(strncmp(name, alias, length) == 0 && name[length] == '(');
}

static bool put(const struct recording *r, uint32_t function, char text[TEXT])
{
    const struct function *f = loadmap_function(&r->map, function);
    const char *name = loadmap_name(&r->map, function);
    unsigned others = 0;
    size_t used;

    if (!f)
        return false;
    used = (size_t)snprintf(text, TEXT, "%.200s (same code as ", name);
    for (size_t n = 0; n < f->aliases && used + 210 < TEXT; n++)
        if (is_another(f->name, f->alias[n]))
            used += (size_t)snprintf(text + used, TEXT - used, "%s%.200s",
                                     others++ ? ", " : "", f->alias[n]);
    snprintf(text + used, TEXT - used, ").");
    return others;
}

void same_code_say(struct recording *r, struct sources *sources,
                   const uint32_t *function, size_t count,
                   const struct options *o, FILE *to)
{
    char text[TEXT];

    for (size_t n = 0; n < count; n++) {
        bool said = function[n] == LOADMAP_UNKNOWN;

        for (size_t k = 0; k < n; k++)
            said |= function[k] == function[n];
        if (!said && sources_of(sources, function[n]).file &&
            put(r, function[n], text))
            report_say(o, to, "%s", text);
    }
}
