/* window.c - the resources of the window when it is empty, and the
 * calendar of a unit that works out of order.
 */
#include "sim/core/detailed/pipe.h"

#include <assert.h>
#include <string.h>

static void ring_init(struct ring *r, unsigned n)
{
    memset(r, 0, sizeof *r);
    r->n = n;
}

void window_init(struct window *w, const struct params *p)
{
    int u;

    memset(w, 0, sizeof *w);
    ring_init(&w->queue, p->fetch_queue);
    ring_init(&w->rob, p->rob_entries);
    ring_init(&w->gpr, p->gpr_renames);
    ring_init(&w->fpr, p->fpr_renames);
    ring_init(&w->cr, p->cr_renames);
    ring_init(&w->blocks, p->basic_blocks);
    for (u = 0; u < UNIT_COUNT; u++)
        ring_init(&w->station[u], p->station_entries);
    w->group_line = 1;
    w->closed = true;
}

/* First cycle >= at with `length` free cycles; booked. Nothing will be asked
 * before `from` any more. Far-away requests give up on gaps. */
cycle_t busy_reserve(struct busy *b, cycle_t from, cycle_t at, unsigned length)
{
    uint64_t want = length < 64 ? ((uint64_t)1 << length) - 1 : ~(uint64_t)0;

    if (from > b->base) {
        cycle_t by = from - b->base;
        b->bits = by < 64 ? b->bits >> by : 0;
        b->base = from;
    }
    while (at - b->base + length <= 64 && (b->bits & want << (at - b->base)))
        at++;
    if (at - b->base + length > 64) {
        /* APPROX: a request more than 64 cycles ahead queues behind the last
         * one instead of filling a gap; window.c; only behind cache misses. */
        at = cycle_max(at, b->end);
    } else {
        b->bits |= want << (at - b->base);
    }
    b->end = cycle_max(b->end, at + length);
    return at;
}
