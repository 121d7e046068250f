/* graph_words.c - locks that a program has made of a word; see graph.h. */
#include <stdlib.h>

#include "lib/base/grow.h"
#include "tools/analysis/retime/graph.h"

uint64_t graph_least_looks(const struct retime *g)
{
    const struct scene *s = g->scene;
    uint64_t least = 0;

    for (uint32_t n = 0; n < s->polls; n++) {
        uint64_t left = s->poll[n].called ? graph_poll_left(g, n) : 0;

        if (left > s->poll[n].since &&
            (!least || left - s->poll[n].since < least))
            least = left - s->poll[n].since;
    }
    return least;
}

/* Where no thread did so. APPROX: as under --user. Source: a call takes so long
 * there. Cost: in the guest one takes twice as long, or thrice. */
#define YIELD 400

/* From one try of a thread that yields in between to the next: what it runs
 * meanwhile. */
static uint64_t yields_every(const struct retime *g)
{
    const struct scene *s = g->scene;
    uint64_t cycles = 0, yields = 0;

    for (uint32_t n = 0; n < s->polls; n++) {
        const struct scene_poll *p = &s->poll[n];

        for (uint32_t k = 0; p->yields && k < p->stays; k++)
            if (scene_runs(&s->stay[p->stay + k]))
                cycles += s->stay[p->stay + k].to - s->stay[p->stay + k].from;
        yields += p->yields;
    }
    return yields && cycles / yields ? cycles / yields : YIELD;
}

void graph_find_yields(struct retime *g)
{
    const struct scene *s = g->scene;
    int64_t *sum = grow_zero(s->locks + 1, sizeof *sum);

    g->yields = grow_zero(s->locks + 1, sizeof *g->yields);
    for (size_t n = 0; n < s->holds; n++) {
        const struct scene_hold *h = &s->hold[n];
        const struct scene_poll *p =
            graph_is_word(g, h->lock) ? scene_poll_from(s, h->thread, h->asked)
                                      : NULL;

        if (p && p->since == h->asked)
            sum[h->lock] += p->yields ? 1 : -1;
    }
    for (uint32_t n = 0; n < s->locks; n++)
        g->yields[n] = graph_is_word(g, n) && (sum[n] > 0 || !s->lock[n].waits);
    free(sum);
    g->yield = yields_every(g);
}
