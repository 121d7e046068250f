/* slices.c - see slices.h. */
#include "tools/analysis/profile/slices.h"

#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/search.h"

bool slices_open(struct slices *s, const struct recording *r, uint64_t from,
                 uint64_t to, unsigned most)
{
    uint64_t first, last, each;

    *s = (struct slices){0};
    if (!r->interval || to <= from || !most)
        return false;
    first = from / r->interval;
    last = (to - 1) / r->interval + 1;
    each = (last - first + most - 1) / most;
    s->edge = grow_zero(most + 2, sizeof *s->edge);
    s->edge[0] = from;
    for (uint64_t n = first + each; n < last; n += each)
        s->edge[++s->count] = n * r->interval;
    s->edge[++s->count] = to;
    return true;
}

void slices_free(struct slices *s)
{
    free(s->edge);
    *s = (struct slices){0};
}

unsigned slices_at(const struct slices *s, uint64_t cycle)
{
    size_t n = SEARCH_FIRST(1, s->count, i, s->edge[i] > cycle);

    return (unsigned)n - 1;
}

void slice_sums_open(struct slice_sums *s, const struct slices *of)
{
    *s = (struct slice_sums){.of = of};
}

void slice_sums_free(struct slice_sums *s)
{
    hash_free(&s->at);
    free(s->list);
    *s = (struct slice_sums){0};
}

static uint64_t *entry(struct slice_sums *s, uint32_t what, uint64_t cycle)
{
    uint32_t slice = slices_at(s->of, cycle), *at;
    bool fresh;

    at = hash_at(&s->at, (uint64_t)slice << 32 | what, &fresh);
    if (fresh) {
        *at = (uint32_t)s->count;
        s->list = grow(s->list, &s->room, s->count + 1, sizeof *s->list);
        s->list[s->count++] = (struct slice_sum){what, slice, 0};
    }
    return &s->list[*at].n;
}

void slice_sums_add(struct slice_sums *s, uint32_t what, uint64_t cycle,
                    uint64_t n)
{
    if (n)
        *entry(s, what, cycle) += n;
}

void slice_sums_most(struct slice_sums *s, uint32_t what, uint64_t cycle,
                     uint64_t n)
{
    uint64_t *is = n ? entry(s, what, cycle) : NULL;

    if (is && n > *is)
        *is = n;
}

static int by_slice(const void *a, const void *b)
{
    const struct slice_sum *x = a, *y = b;

    if (x->slice != y->slice)
        return x->slice < y->slice ? -1 : 1;
    return x->what < y->what ? -1 : x->what > y->what;
}

void slice_sums_sort(struct slice_sums *s)
{
    hash_free(&s->at); /* they move */
    if (s->count)
        qsort(s->list, s->count, sizeof *s->list, by_slice);
}

static void halve_sums(struct slice_sums *s)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->count; i++)
        s->list[i].slice /= 2;
    slice_sums_sort(s);
    for (size_t i = 0; i < s->count; i++)
        if (kept && !by_slice(&s->list[kept - 1], &s->list[i]))
            s->list[kept - 1].n += s->list[i].n;
        else
            s->list[kept++] = s->list[i];
    s->count = kept;
}

void slices_halve(struct slices *s, struct slice_sums *const *sums,
                  size_t count)
{
    unsigned halves = (s->count + 1) / 2;

    for (unsigned k = 1; k < halves; k++)
        s->edge[k] = s->edge[2 * k];
    s->edge[halves] = s->edge[s->count];
    s->count = halves;
    for (size_t i = 0; i < count; i++)
        halve_sums(sums[i]);
}
