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
}
