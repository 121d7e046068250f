/* history.c - the latest completions, of which a sampled address is asked. What
 * was replayed in a row is one entry, the steps of its trace, so that replaying
 * an instruction writes nothing here.
 */
#include "sim/core/detailed/pipe.h"

#include "sim/core/detailed/memo/store.h"

#include <string.h>

static ea_t pc_of(const struct past *e, unsigned k)
{
    return e->step ? e->step[k].pc : e->pc;
}

static cycle_t at_of(const struct past *e, unsigned k)
{
    return e->step ? e->at + e->step[k].complete : e->at;
}

/* The entry in front of number *n, the oldest one's being the latest. */
static const struct past *before(const struct pipe *p, unsigned *n)
{
    *n = (*n + HISTORY - 1) % HISTORY;
    return &p->history[*n];
}

static unsigned many(const struct past *e)
{
    return e->step ? e->n : 1;
}

ea_t history_by(const struct pipe *p, cycle_t at)
{
    unsigned left = HISTORY, n = p->history_at;
    ea_t pc = 0;

    while (left) {
        const struct past *e = before(p, &n);

        for (unsigned k = many(e); k && left; left--) {
            pc = pc_of(e, --k);
            if (at_of(e, k) <= at)
                return pc;
        }
    }
    return pc;
}

cycle_t history_last(const struct pipe *p)
{
    unsigned n = p->history_at;
    const struct past *e = before(p, &n);

    return at_of(e, many(e) - 1);
}

void history_spell(struct pipe *p)
{
    struct past one[HISTORY];
    unsigned left = HISTORY, n = p->history_at, end;

    end = (p->history_at + p->history_more) % HISTORY;
    while (left) {
        const struct past *e = before(p, &n);

        for (unsigned k = many(e); k && left; left--) {
            k--;
            one[(end + left - 1) % HISTORY] =
                (struct past){.pc = pc_of(e, k), .at = at_of(e, k)};
        }
    }
    memcpy(p->history, one, sizeof one);
    p->history_at = end;
    p->history_more = 0;
}
