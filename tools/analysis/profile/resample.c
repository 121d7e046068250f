/* resample.c - drawing idle periods again. See resample.h. */
#include "tools/analysis/profile/resample.h"

#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/hash.h"

void resample_add(struct resample *s, uint64_t group, uint32_t what)
{
    s->draw = grow(s->draw, &s->room, s->count + 1, sizeof *s->draw);
    s->draw[s->count++] = (struct resample_draw){group, what};
}

void resample_free(struct resample *s)
{
    free(s->draw);
    *s = (struct resample){0};
}

#define TOGETHER 1024 /* columns, of which there is room for all shares */

/* So many draws of a group found one thing. */
struct cell {
    uint32_t group, column, n;
};

struct groups {
    uint32_t count;
    uint64_t *size;     /* draws by group */
    struct cell *cell;  /* by group, then column; of columns only */
    size_t *first;      /* cell by group, and the end of the last */
    uint64_t *found;    /* draws by column */
    uint64_t all;       /* draws */
    double independent; /* draws that tell as much */
};

/* Steele, Lea and Flood's SplitMix64: any state is a good one. */
static uint32_t below(uint64_t *state, uint32_t n)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return (uint32_t)((z >> 32) * n >> 32);
}

static int by_group(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;

    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return x->column < y->column ? -1 : x->column > y->column;
}

/* The number of each draw's group, in the order in which they came. */
static uint32_t *number_groups(const struct resample *s, uint32_t *count)
{
    uint32_t *number = grow_zero(s->count + 1, sizeof *number);
    struct hash at = {0};

    *count = 0;
    for (size_t i = 0; i < s->count; i++) {
        bool fresh;
        uint32_t *known = hash_at(&at, s->draw[i].group, &fresh);

        if (fresh)
            *known = (*count)++;
        number[i] = *known;
    }
    hash_free(&at);
    if (*count > RESAMPLE_GROUPS) {
        for (size_t i = 0; i < s->count; i++)
            number[i] =
                (uint32_t)((uint64_t)number[i] * RESAMPLE_GROUPS / *count);
        *count = RESAMPLE_GROUPS;
    }
    return number;
}

/* The draws that found one of the columns, in order, equal ones as one. */
static size_t put_cells(struct groups *g, const struct resample *s,
                        const uint32_t *number, const struct hash *column)
{
    size_t n = 0, kept = 0;

    for (size_t i = 0; i < s->count; i++) {
        const uint32_t *c = hash_find(column, s->draw[i].what);

        if (c)
            g->cell[n++] = (struct cell){number[i], *c, 1};
    }
    if (n)
        qsort(g->cell, n, sizeof *g->cell, by_group);
    for (size_t i = 0; i < n; i++) {
        g->found[g->cell[i].column]++;
        if (kept && !by_group(&g->cell[kept - 1], &g->cell[i]))
            g->cell[kept - 1].n++;
        else
            g->cell[kept++] = g->cell[i];
    }
    return kept;
}

static void gather(struct groups *g, const struct resample *s,
                   const uint32_t *what, size_t n)
{
    uint32_t *number = number_groups(s, &g->count);
    struct hash column = {0};
    double squares = 0;
    size_t cells, at = 0;
    bool fresh;

    for (size_t i = 0; i < n; i++)
        *hash_at(&column, what[i], &fresh) = (uint32_t)i;
    g->all = s->count;
    g->size = grow_zero((size_t)g->count + 1, sizeof *g->size);
    g->cell = grow_zero(s->count + 1, sizeof *g->cell);
    g->first = grow_zero((size_t)g->count + 1, sizeof *g->first);
    g->found = grow_zero(n + 1, sizeof *g->found);
    for (size_t i = 0; i < s->count; i++)
        g->size[number[i]]++;
    for (uint32_t i = 0; i < g->count; i++)
        squares += (double)g->size[i] * (double)g->size[i];
    g->independent =
        squares > 0 ? (double)g->all * (double)g->all / squares : 0;
    cells = put_cells(g, s, number, &column);
    for (uint32_t i = 0; i <= g->count; i++) {
        while (at < cells && g->cell[at].group < i)
            at++;
        g->first[i] = at;
    }
    hash_free(&column);
    free(number);
}

/* As many groups as there are, drawn again: the share of each column, RESAMPLE_
 * TIMES apart. */
static void draw_again(const struct groups *g, size_t n, uint64_t *state,
                       uint64_t *sum, float *share)
{
    uint64_t all = 0;

    for (size_t i = 0; i < n; i++)
        sum[i] = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t k = below(state, g->count);

        all += g->size[k];
        for (size_t c = g->first[k]; c < g->first[k + 1]; c++)
            sum[g->cell[c].column] += g->cell[c].n;
    }
    for (size_t i = 0; i < n; i++)
        share[i * RESAMPLE_TIMES] = (float)((double)sum[i] / (double)all);
}

static int by_size(const void *a, const void *b)
{
    const float *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* Of sorted shares of one column. */
static struct accuracy_interval middle(const struct groups *g, size_t column,
                                       const float *share)
{
    const size_t out = RESAMPLE_TIMES / 40; /* 2.5 % either side */
    struct accuracy_interval is = {(double)share[out],
                                   (double)share[RESAMPLE_TIMES - 1 - out]};
    uint64_t found = g->found[column];

    if (!found || found == g->all || g->count < RESAMPLE_FEW) {
        struct accuracy_interval few =
            accuracy_wilson((double)found / (double)g->all, g->independent);

        is.low = few.low < is.low ? few.low : is.low;
        is.high = few.high > is.high ? few.high : is.high;
    }
    return is;
}

static void intervals_of(const struct resample *s, const uint32_t *what,
                         size_t n, struct accuracy_interval *interval)
{
    struct groups g = {0};
    uint64_t state = 1, *sum = grow_zero(n + 1, sizeof *sum);
    float *share = grow_zero(n * RESAMPLE_TIMES + 1, sizeof *share);

    gather(&g, s, what, n);
    for (size_t i = 0; g.all && i < RESAMPLE_TIMES; i++)
        draw_again(&g, n, &state, sum, share + i);
    for (size_t i = 0; i < n; i++) {
        float *mine = share + i * RESAMPLE_TIMES;

        qsort(mine, RESAMPLE_TIMES, sizeof *mine, by_size);
        interval[i] =
            g.all ? middle(&g, i, mine) : (struct accuracy_interval){0, 1};
    }
    free(share);
    free(sum);
    free(g.size);
    free(g.cell);
    free(g.first);
    free(g.found);
}

/* The seed is the same each time, so these are parts of one experiment. */
void resample_intervals(const struct resample *s, const uint32_t *what,
                        size_t n, struct accuracy_interval *interval)
{
    for (size_t i = 0; i < n; i += TOGETHER)
        intervals_of(s, what + i, n - i < TOGETHER ? n - i : TOGETHER,
                     interval + i);
}
