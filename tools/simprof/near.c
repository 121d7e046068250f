/* near.c - names that are close to one that does not exist: those that hold
 * it or that it holds, then those a few letters away. */
#include "tools/simprof/near.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tools/lib/grow.h"

#define SHOWN 5    /* names */
#define LONGEST 64 /* letters compared */

/* How many letters must be put in, left out or changed to make b of a, case
 * aside; letters behind the first LONGEST do not count. */
static unsigned distance(const char *a, const char *b)
{
    unsigned row[LONGEST + 1], before, n = 0;

    while (b[n] && n < LONGEST)
        n++;
    for (unsigned i = 0; i <= n; i++)
        row[i] = i;
    for (unsigned k = 0; a[k] && k < LONGEST; k++) {
        before = row[0]++;
        for (unsigned i = 1; i <= n; i++) {
            unsigned best = before + !!strncasecmp(&a[k], &b[i - 1], 1);

            before = row[i];
            if (row[i] + 1 < best)
                best = row[i] + 1;
            if (row[i - 1] + 1 < best)
                best = row[i - 1] + 1;
            row[i] = best;
        }
    }
    return row[n];
}

/* The lower the nearer; UINT32_MAX: not near at all. Names that begin with
 * what was wanted come before those that hold it, and those before others. */
static unsigned rank(const char *wanted, const char *name)
{
    size_t n = strlen(wanted), m = strlen(name);
    const char *at = n > 1 ? strstr(name, wanted) : NULL;
    unsigned apart;

    if (at)
        return (unsigned)(m - n) + (at == name ? 0 : 1000);
    apart = distance(wanted, name);
    if (apart <= n / 4 + 1 && apart < n)
        return 2000 + apart;
    return m > 3 && strstr(wanted, name) ? 3000 + (unsigned)(n - m)
                                         : UINT32_MAX;
}

struct found {
    const char *name;
    unsigned rank;
};

static int by_rank(const void *a, const void *b)
{
    const struct found *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return strcmp(x->name, y->name);
}

void near_refuse(const struct recording *r, const struct options *o,
                 const char *wanted)
{
    struct found *list = grow_zero(r->map.functions + 1, sizeof *list);
    size_t found = 0, used = 0;
    char text[512] = "";

    for (uint32_t f = 1; f < r->map.functions; f++) {
        list[found].name = loadmap_name(&r->map, f);
        list[found].rank = rank(wanted, list[found].name);
        found += list[found].rank != UINT32_MAX;
    }
    if (found)
        qsort(list, found, sizeof *list, by_rank);
    for (size_t i = 0; i < found && i < SHOWN && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.80s",
                                 i ? ", " : "; near it: ", list[i].name);
    report_refuse(o, "%.200s: no such function%s", wanted,
                  found ? text : ", simprof functions lists them");
    free(list);
}

uint32_t near_function(const struct recording *r, const char *name)
{
    uint32_t alias = LOADMAP_UNKNOWN;

    for (uint32_t f = 1; f < r->map.functions; f++) {
        if (!strcmp(loadmap_name(&r->map, f), name))
            return f;
        if (alias == LOADMAP_UNKNOWN && loadmap_called(&r->map, f, name))
            alias = f;
    }
    return alias;
}
