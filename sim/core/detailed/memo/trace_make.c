/* trace_make.c - how nodes that follow each other become a row: which ones, and
 * what is known of its steps beforehand (trace.c follows it).
 */
#include "sim/core/detailed/memo/replay.h"

#include <string.h>

#define ARRIVALS 12 /* until a trace is made */
#define LEAST 4     /* nodes that are worth one */
#define MOST 64
#define ROUND 32 /* nodes; in front of that a loop is gone round again */

/* Can it be a part of a trace? */
static bool goes_on(const struct memo_node *n)
{
    bool accesses = n->kind == KIND_LOAD || n->kind == KIND_STORE;

    return n->known && n->edge && n->kind != KIND_STAGES &&
           n->kind <= KIND_BRANCH && !n->sums && (n->timed || !accesses);
}

static bool is_hit(const struct memo_node *n, const struct memo_edge *e)
{
    return (n->kind == KIND_LOAD || n->kind == KIND_STORE) && !e->answer.b;
}

static struct memo_step step_of(struct memo_node *n, uint32_t base)
{
    struct memo_edge *e = n->edge;
    struct memo_step s = {
        .insn = n->insn,
        .node = n,
        .edge = e,
        .told = e->answer.a,
        .pc = n->pc,
        .base = base,
        .complete = base + e->complete,
        .issue = e->issue,
        .fetch = n->fetch,
        .kind = n->kind,
        .flags = (uint8_t)((n->grouped ? STEP_GROUPED : 0) |
                           (e->walks ? STEP_WALKS : 0) |
                           (is_hit(n, e) ? STEP_HITS : 0)),
    };

    if (n->kind == KIND_BRANCH) {
        s.branch.target = (ea_t)e->answer.b;
        s.branch.group = n->group;
        s.flags |= (uint8_t)((e->answer.b >> 32 & 1 ? STEP_TAKEN : 0) |
                             (e->answer.b >> 33 & 1 ? STEP_BTAC : 0));
    }
    return s;
}

/* Which groups are the first ones of their lines. */
static void mark_lines(struct memo_step *step, unsigned n, pa_t bytes)
{
    pa_t line = 1;

    for (unsigned k = 0; k < n; k++) {
        pa_t is = step[k].node->pa & ~(bytes - 1);

        if (step[k].flags & STEP_GROUPED && is != line) {
            step[k].flags |= STEP_LINE;
            line = is;
        }
        if (step[k].flags & STEP_WALKS)
            line = 1;
    }
}

/* Backwards: what depends on the steps behind. */
static void look_ahead(struct memo_step *step, unsigned n)
{
    while (n--) {
        const struct memo_step *next = &step[n + 1];

        if (!(next->flags & STEP_LINE))
            step[n].ahead =
                (uint8_t)(next->ahead + !!(next->flags & STEP_GROUPED));
        if (step[n].kind == KIND_PLAIN)
            step[n].run = (uint8_t)(next->run + 1);
    }
}

static void make(struct core *c, struct memo_node *n)
{
    struct memo_step step[MOST + 1];
    struct memo_node *first = n;
    struct memo_trace *t;
    unsigned k;
    uint32_t most = 0, cycles = 0, base = 0, number;
    uint16_t passes = 0;

    for (k = 0; k < MOST && goes_on(n) && (k < ROUND || n != first); k++) {
        step[k] = step_of(n, base);
        step[k].passes = passes;
        passes += n->edge->passes;
        most += n->edge->most;
        cycles = step[k].complete;
        base += n->dispatch;
        n = n->edge->to;
    }
    step[k] = (struct memo_step){.pc = n->pc, .base = base, .passes = passes};
    mark_lines(step, k, pipe_of(c)->tags.icache.bytes);
    look_ahead(step, k);
    if (k < LEAST || !(t = share_take(c, sizeof *t + (k + 1) * sizeof *step,
                                      k + 1, &number)))
        return;
    *t = (struct memo_trace){
        .to = n,
        .most = most,
        .cycles = cycles,
        .number = number,
        .n = (uint16_t)k,
    };
    memcpy(t->step, step, (k + 1) * sizeof *step);
    first->trace = t;
}

void trace_begins(struct core *c)
{
    const struct memo *m = memo_of(c);
    struct memo_node *n = m->node;

    if (n->trace ||
        (m->trace && m->at < m->trace->n && m->trace->step[m->at].node == n))
        return;
    if (++n->heat == ARRIVALS)
        make(c, n);
}
