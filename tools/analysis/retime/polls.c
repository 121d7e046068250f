/* polls.c - does a change make sleeps shorter of a thread that sleeps again and
 * again until something is so? How often it would then is not recorded.
 */
#include "tools/analysis/retime/graph.h"

#define LITTLE 8 /* a part in so many of a sleep, run in front of it */

struct sleeps {
    uint64_t all, again; /* cycles of those that are scaled */
    uint64_t ran;        /* since the last one ended */
    bool behind;         /* there was one, and no other wait since */
};

/* Is it a sleep that takes another time now? Requests to a disk that follow
 * each other are work. */
static bool is_scaled(const struct retime *g, const struct spend *s,
                      const struct graph_op *op)
{
    return op->is == GRAPH_WAIT && op->target == GRAPH_NONE &&
           g->scene->stay[op->stay].state == STATE_TIMER &&
           spend_wait(s, op) != op->to - op->from;
}

static void pass(struct sleeps *z, const struct retime *g,
                 const struct spend *s, const struct graph_op *op)
{
    uint64_t cycles = op->to - op->from;

    if (op->is == GRAPH_RUN) {
        z->ran += cycles;
    } else if (is_scaled(g, s, op)) {
        z->all += cycles;
        if (z->behind && z->ran < cycles / LITTLE)
            z->again += cycles;
        z->behind = true;
        z->ran = 0;
    } else if (op->is == GRAPH_WAIT || op->is == GRAPH_BIRTH) {
        z->behind = false;
    }
}

bool graph_polls(const struct retime *g, const struct spend *s)
{
    struct sleeps z = {.all = 0};

    for (uint32_t t = 0; t < g->scene->threads; t++) {
        const struct graph_thread *of = &g->thread[t];

        z.behind = false;
        for (size_t n = of->first; n < of->first + of->ops; n++)
            pass(&z, g, s, &g->op[n]);
    }
    return z.again > z.all / 2;
}
