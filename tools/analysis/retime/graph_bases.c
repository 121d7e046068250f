/* graph_bases.c - deadlines, and from when threads reckon them; see graph.h.
 * Records say when each was, not when the program read the clock for it.
 *
 * APPROX: deadlines are as far apart as the two that are nearest to each other,
 * and the clock was read as long before the first one. Source: loops that do
 * something at equal distances. Cost: where it was read earlier or later, what
 * a change brings in between.
 */
#include "tools/analysis/retime/graph.h"

#define UNITS (1000000000 / 64) /* a second, of what a record says */

bool graph_is_deadline(const struct scene_stay *t)
{
    return t->state == STATE_TIMER && t->kind == OBJECT_DEADLINE;
}

bool graph_deadline_passed(const struct scene_stay *t)
{
    return t->object >> 31;
}

uint64_t graph_deadline(const struct retime *g, const struct scene_stay *t)
{
    uint64_t by = (uint64_t)(uint32_t)-t->object * g->scene->r->clock_hz /
                  UNITS; /* if it had passed */

    return !graph_deadline_passed(t) ? t->to : by < t->from ? t->from - by : 0;
}

static uint64_t base_of(const struct retime *g, const struct scene_thread *t)
{
    const struct scene *s = g->scene;
    uint64_t first = 0, last = 0, apart = UINT64_MAX, came = UINT64_MAX;

    for (size_t n = t->first; n < t->first + t->stays; n++) {
        const struct scene_stay *stay = &s->stay[n];
        uint64_t deadline;

        if (!graph_is_deadline(stay))
            continue;
        deadline = graph_deadline(g, stay);
        if (came == UINT64_MAX) {
            came = stay->from;
            first = deadline;
        } else if (deadline > last && deadline - last < apart) {
            apart = deadline - last;
        }
        last = deadline;
    }
    if (came == UINT64_MAX || apart == UINT64_MAX)
        return came;
    if (first < apart || first - apart < s->stay[t->first].from)
        return s->stay[t->first].from;
    return first - apart < came ? first - apart : came;
}

void graph_find_bases(struct retime *g)
{
    for (uint32_t n = 0; n < g->scene->threads; n++)
        g->thread[n].base = base_of(g, &g->scene->thread[n]);
}
