/* branch.c - guesses, corrections, and the wrong path.
 *
 * A branch is guessed three times: at fetch by the BTAC, at decode by the BHT
 * and its own target, at dispatch by whatever is known then. The earliest
 * stage from which every later one agrees with the truth decides when fetch
 * gets on the right way (604e technical summary p.9: corrections from
 * execute, dispatch, decode). Only a branch corrected in execution lets wrong
 * instructions dispatch: they are walked, not executed.
 */
#include "sim/core/detailed/branch.h"
#include "sim/core/detailed/memo/memo.h"

#include <stddef.h>
#include <string.h>

#include "isa/mmu.h"

/* What dispatch knows: LR and CTR always (the interlock sees to it), the
 * condition when its CR field has been written by then. */
static void guess_at_dispatch(struct core *c, struct slot *s, ea_t actual,
                              ea_t indirect)
{
    struct prediction *g = &s->guess;
    const struct window *w = &pipe_of(c)->w;
    unsigned k;

    g->known = true;
    for (k = 0; k < s->i->nsrc; k++)
        if (w->ready[s->i->src[k]] > s->dispatch)
            g->known = false;
    if (g->known)
        g->at_dispatch = actual;
    else if (s->i->flags & INSN_INDIRECT && g->taken)
        g->at_dispatch = indirect;
    else
        g->at_dispatch = g->at_decode;
}

/* s, on a wrong path, takes its place in w, if it dispatches by `until`.
 * False: it does not, and nothing behind it.
 *
 * APPROX: loads on a wrong path look into no cache and no TLB, since their
 * addresses are not computed: they bring no line in and throw none out, and a
 * load that misses does not hold its station. Source: a choice. Cost: data
 * misses that the chip has, wanted later or not; fetch on a wrong path does
 * fill its cache. */
static bool walk_one(struct core *c, struct window *w, struct slot *s,
                     cycle_t until)
{
    fetch_at(c, w, s);
    if (s->fetch + 2 > until)
        return false;
    dispatch_at(c, w, s);
    if (s->dispatch > until)
        return false;
    dispatch_take(c, w, s);
    issue_ask(c, s);
    issue_at(w, s);
    issue_results(w, s);
    ring_push(&w->station[s->unit], s->issue);
    ring_push(&w->rob, CYCLE_NEVER - 1);
    dispatch_hold_renames(w, s, CYCLE_NEVER - 1);
    return true;
}

/* Where fetch goes on behind s. */
static ea_t walk_on(struct core *c, struct window *w, struct slot *s)
{
    ea_t pc = s->pc + 4;

    if (!(s->i->flags & INSN_BRANCH))
        return pc;
    branch_guess(c, s);
    ring_push(&w->blocks, CYCLE_NEVER - 1);
    pc = s->guess.at_decode;
    if (s->guess.at_fetch != pc)
        fetch_redirect(w, s->fetch + 2);
    else if (pc != s->pc + 4)
        fetch_redirect(w, s->fetch + 1);
    return pc;
}

/* Fetch went on at `pc` from cycle `at` and was wrong; the branch is resolved
 * in `until`. What dispatches by then counts, takes its place in a copy of
 * the window, and leaves nothing but events and cache lines behind. The events
 * are those of the wrong instructions. */
static void walk(struct core *c, ea_t pc, cycle_t at, cycle_t until)
{
    struct window w;
    struct slot s;
    uint32_t cause = c->cpu.cause;
    ea_t branch = c->host_counters.pc;
    struct memo *memo = pipe_of(c)->memo;
    bool goes_on = true;
    enum exc exc;
    pa_t pa;

    memset(&s, 0, offsetof(struct slot, span));
    dispatch_close(c, &pipe_of(c)->w);
    w = pipe_of(c)->w;
    fetch_redirect(&w, at);
    while (goes_on) {
        unsigned held = c->pmu.derived.held;

        if (!mmu_ready(&c->cpu, pc, TLB_FETCH, &pa) ||
            pa >= c->with.ram->size || !fetch_record(c, &s, pc, &exc))
            break;
        if (w.fetch_next > until)
            break;
        c->host_counters.pc = pc;
        goes_on = walk_one(c, &w, &s, until);
        if (insn_info_asked(c))
            insn_cycles_wrong(c, &s, &pipe_of(c)->from, until, held);
        if (goes_on)
            pc = walk_on(c, &w, &s);
        if (memo)
            memo_walked(c, &s, goes_on);
    }
    if (memo)
        memo_walk_ends(c, w.fetch_next > until || !goes_on);
    dispatch_close(c, &w);
    c->host_counters.pc = branch;
    c->cpu.cause = cause;
}

/* APPROX: fetch goes on in the cycle behind the stage that corrects it: one
 * bubble for decode, two for dispatch, and for execution those until the branch
 * executes. Source: the stages, 604 UM p.231, and their order, 604e technical
 * summary p.9; no page counts the bubbles. Cost: a cycle more would cost as
 * many cycles as br_mispredict counts. */
static void correct(struct core *c, struct slot *s, ea_t actual)
{
    struct prediction *g = &s->guess;
    struct window *w = &pipe_of(c)->w;
    struct ev *ev = &c->pmu.ev;

    if (g->at_dispatch != actual) {
        cycle_t from = g->at_dispatch != g->at_decode ? s->dispatch + 1
                       : g->at_decode != g->at_fetch  ? s->fetch + 2
                                                      : s->fetch + 1;
        s->mispredicted = true;
        ev_add(ev, EV_br_mispredict, 1, s->issue);
        walk(c, g->at_dispatch, from, s->issue);
        complete_flush(c, s->pc, REASON_mispredict, s->issue);
    } else if (g->at_decode != actual) {
        ev_add(ev, EV_fetch_fix_dispatch, 1, s->dispatch);
        fetch_redirect(w, s->dispatch + 1);
    } else if (g->at_fetch != actual) {
        ev_add(ev, EV_fetch_fix_decode, 1, s->fetch + 1);
        fetch_redirect(w, s->fetch + 2);
    } else if (actual != s->pc + 4) {
        fetch_redirect(w, s->fetch + 1);
    }
}

void branch_resolve(struct core *c, struct slot *s)
{
    ea_t actual = c->cpu.nia;

    guess_at_dispatch(c, s, actual, s->target);
    if (s->guess.btac)
        ev_add(&c->pmu.ev, EV_btac_hit, 1, s->fetch);
    correct(c, s, actual);
    predict_teach(&pipe_of(c)->predict, s->group, s->pc,
                  s->i->flags & INSN_COND, c->cpu.step.taken, actual);
}
