/* did_you_mean.c - how far two names are from each other. */
#include "lib/base/did_you_mean.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 64 /* letters compared */
#define FAR UINT_MAX

static int lower(char c)
{
    return tolower((unsigned char)c);
}

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
            unsigned best = before + (lower(a[k]) != lower(b[i - 1]));

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

/* Where the letters of `part` stand in `whole`, case aside; -1: nowhere. */
static long find(const char *whole, const char *part)
{
    for (long at = 0;; at++) {
        size_t n = 0;

        while (part[n] && lower(whole[at + (long)n]) == lower(part[n]))
            n++;
        if (!part[n])
            return at;
        if (!whole[at])
            return -1;
    }
}

/* Names that begin with what was wanted come before those that hold it, and
 * those before others. */
static unsigned rank(const char *wanted, const char *name)
{
    size_t n = strlen(wanted), m = strlen(name);
    long at = n > 1 ? find(name, wanted) : -1;
    unsigned apart;

    if (at >= 0)
        return (unsigned)(m - n) + (at ? 1000 : 0);
    apart = distance(wanted, name);
    if (apart <= n / 4 + 1 && apart < n && apart < m)
        return 2000 + apart;
    return m > 3 && find(wanted, name) >= 0 ? 3000 + (unsigned)(n - m) : FAR;
}

void did_you_mean_begin(struct did_you_mean *n, const char *wanted)
{
    *n = (struct did_you_mean){.wanted = wanted};
}

static bool before(const struct did_you_mean_name *a,
                   const struct did_you_mean_name *b)
{
    return a->rank != b->rank ? a->rank < b->rank
                              : strcmp(a->name, b->name) < 0;
}

void did_you_mean_offer(struct did_you_mean *n, const char *name)
{
    struct did_you_mean_name new = {name, rank(n->wanted, name)};
    size_t at = n->count;

    if (new.rank == FAR)
        return;
    for (size_t i = 0; i < n->count; i++)
        if (!strcmp(n->best[i].name, name))
            return;
    while (at && before(&new, &n->best[at - 1]))
        at--;
    if (at == DID_YOU_MEAN_SHOWN)
        return;
    if (n->count < DID_YOU_MEAN_SHOWN)
        n->count++;
    memmove(&n->best[at + 1], &n->best[at],
            (n->count - at - 1) * sizeof n->best[0]);
    n->best[at] = new;
}

const char *did_you_mean_text(const struct did_you_mean *n,
                              char out[DID_YOU_MEAN_TEXT])
{
    size_t used = 0;

    out[0] = '\0';
    for (size_t i = 0; i < n->count; i++)
        used +=
            (size_t)snprintf(out + used, DID_YOU_MEAN_TEXT - used, "%s%.80s",
                             !i                 ? "; did you mean "
                             : i + 1 < n->count ? ", "
                                                : " or ",
                             n->best[i].name);
    if (used)
        snprintf(out + used, DID_YOU_MEAN_TEXT - used, "?");
    return out;
}
