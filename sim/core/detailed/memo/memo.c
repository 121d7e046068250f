/* memo.c - when instructions are replayed and when the stages work: life of the
 * memo, the way from one to the other, and what is handed over to counters and
 * account.
 */
#include "sim/core/detailed/memo/replay.h"

#include <stdlib.h>
#include <string.h>

#define MANY ((uint64_t)1 << 62)
#define ADDS ((uint64_t)1 << 16) /* to an event, an instruction at most */
#define NEAR ((uint64_t)1 << 20)
#define COUNTS ((uint64_t)1 << 31) /* what counts of edges have room for */

/* ---- life ---------------------------------------------------------------- */

bool memo_init(struct core *c)
{
    size_t mb = c->with.memo_mb ? c->with.memo_mb : MEMO_MB;
    struct memo *m;

    if (c->with.memo == MEMO_UNSAID)
        c->with.memo = MEMO_DEFAULT;
    if (c->with.params->jitter) /* no two visits cost the same */
        c->with.memo = MEMO_OFF;
    if (c->with.memo == MEMO_OFF)
        return true;
    m = calloc(1, sizeof *m);
    pipe_of(c)->memo = m;
    if (!m)
        return false;
    m->key = malloc(sizeof *m->key + KEY_MOST);
    m->unsure = true;
    m->calls = memo_calls;
    return m->key && share_join(c, (size_t)mb << 20) && ledgers_init(c);
}

void memo_free(struct core *c)
{
    struct memo *m = memo_of(c);

    if (!m)
        return;
    share_leave(c);
    ledgers_free(c);
    free(m->key);
    free(m);
    pipe_of(c)->memo = NULL;
}

/* ---- handing over -------------------------------------------------------- */

void memo_flush(struct core *c)
{
    struct memo *m = memo_of(c);

    if (!m)
        return;
    m->unsure = true;
    m->flushed = c->insns;
    memo_close(c);
    ledgers_flush(c);
}

void memo_complete(struct core *c)
{
    if (memo_of(c)->open)
        trace_complete(c);
}

/* ---- from the stages to the memo and back -------------------------------- */

/* Does nothing listen to instructions that has to hear of each from the stages?
 */
static bool unheard(struct core *c)
{
    return !core_observed(c) && heard_listen(c) && !c->pmu.derived.held &&
           !host_counters_owed(&c->host_counters) &&
           !(c->cpu.iabr & IABR_ENABLE) && !c->with.params->quantum;
}

/* ... nor act in front of the next one or behind it? */
static bool undisturbed(const struct core *c)
{
    return !c->serialize && !c->pmu.news &&
           !(c->cpu.msr & (MSR_SE | MSR_BE | MSR_POW));
}

static uint64_t slack_of(const struct ev *ev)
{
    uint64_t least = MANY;

    for (unsigned k = 0; k < EV_COUNT; k++) {
        uint64_t left =
            ev->limit[k] > ev->total[k] ? ev->limit[k] - ev->total[k] : 0;

        least = left < least ? left : least;
    }
    return least;
}

uint64_t memo_slack(struct core *c)
{
    struct memo *m = memo_of(c);

    memo_flush(c);
    m->slack = slack_of(&c->pmu.ev);
    m->armed = m->slack < MANY;
    m->levels = c->pmu.ev.limit[EV_store_queue_level] != UINT64_MAX;
    return m->slack;
}

void memo_charge_to(struct core *c)
{
    struct memo *m = memo_of(c);

    if (m->to->context != c->context || !m->to->turned)
        ledgers_turn(c);
    m->context = c->context;
}

/* A counter may have to act soon. */
static bool is_near(const struct memo *m)
{
    return m->armed && m->slack < NEAR;
}

static void enter(struct core *c, struct memo_node *n)
{
    struct memo *m = memo_of(c);

    /* What may set a limit was preceded by memo_flush. Else the stages have had
     * one instruction since memo_leave. */
    if (m->unsure || is_near(m))
        memo_slack(c);
    else
        m->slack -= ADDS;
    m->unsure = false;
    memo_charge_to(c);
    m->node = n;
    m->base = pipe_of(c)->w.dispatched;
    m->fresh = true;
    if (m->trace && m->at + 1 < m->trace->n &&
        m->trace->step[m->at + 1].node == n)
        m->at++;
}

/* p->next, which is fetched, as the front of the pipeline leaves it. */
static void restore_front(struct core *c, const struct memo_node *n,
                          cycle_t base)
{
    struct pipe *p = pipe_of(c);
    struct slot *s = &p->next;
    struct window *w = &p->w;

    s->i = decode_cache_place(c->with.decoded, n->pa);
    s->chip = &c->with.chip->row[n->class];
    s->pc = n->pc;
    s->pa = n->pa;
    s->group = n->group;
    s->unit = n->unit;
    s->fetch = base + n->fetch - BIAS;
    s->dispatch = base + n->dispatch;
    s->imiss = s->itlb = s->dtlb = s->mispredicted = false;
    s->level = 0;
    s->position = 0;
    s->data_latency = s->slow = 0;
    s->slow_cycles = 0;
    s->grouped = s->fetched = n->grouped;
    s->stalls = n->stalls;
    for (unsigned k = 0; k < n->stalls; k++) {
        s->stall[k].event = (enum event)n->stall[k].event;
        s->stall[k].cycles = n->stall[k].cycles;
        s->stall[k].at = base + n->stall[k].at;
    }
    if (n->grouped) {
        w->group = s->fetch;
        w->group_pc = n->pc;
        w->grouped = 1;
        w->group_line = cache_line(&p->tags.icache, n->pa);
        w->fetch_next = s->fetch + 1;
        w->line_full = cache_full(&p->tags.icache, memo_of(c)->frame);
    } else {
        w->grouped++;
    }
    c->host_counters.pc = n->pc;
    c->pmu.ev.data.is = false;
    c->cpu.step.marks = 0;
    p->tags.marked = 0;
    p->from = (struct from){c->cpu.msr, memo_of(c)->context, base};
}

void memo_leave(struct core *c)
{
    struct memo *m = memo_of(c);
    struct memo_node *n;

    if (!m || !m->node)
        return;
    memo_close(c);
    heard_count(c);
    n = m->node;
    m->node = NULL;
    if (is_near(m))
        memo_flush(c);
    if (!m->fresh)
        key_restore(c, n->pa, n->key, m->base);
    if (pipe_of(c)->have)
        restore_front(c, n, m->base);
}

/* p->next without what is left in it of the instruction before. */
static void tidy_slot(struct pipe *p)
{
    struct slot old = p->next, *s = &p->next;

    memset(s, 0, sizeof *s);
    if (!p->have) {
        p->from = (struct from){0};
        return;
    }
    s->i = old.i;
    s->chip = old.chip;
    s->pc = old.pc;
    s->pa = old.pa;
    s->group = old.group;
    s->unit = old.unit;
    s->fetch = old.fetch;
    s->dispatch = old.dispatch;
    s->imiss = old.imiss;
    s->itlb = old.itlb;
    s->grouped = old.grouped;
    s->fetched = old.grouped && old.fetched;
    s->stalls = old.stalls;
    memcpy(s->stall, old.stall, old.stalls * sizeof *s->stall);
}

void memo_tidy(struct core *c)
{
    struct pipe *p = pipe_of(c);

    memo_leave(c);
    memo_flush(c);
    memo_cancel(c);
    history_spell(p);
    key_tidy(c);
    tidy_slot(p);
    c->cpu.nia = c->cpu.pc; /* the next instruction sets it */
    heard_tidy(c);
    p->tags.marked = 0;
    if (!c->pmu.ev.data.is)
        c->pmu.ev.data = (struct data_access){0};
}

/* Whether a counter has to act is seen from totals, and marks may act on them;
 * a sampler of instructions does not. What reads or stops counters asks for
 * them (core_tally). */
void memo_settle(struct core *c)
{
    const struct memo *m = memo_of(c);

    if (m && (m->armed || m->unsure || (m->heard && c->pif.active)))
        memo_flush(c);
}

void memo_hand_back(struct core *c)
{
    struct memo_node *n = memo_of(c)->node;

    memo_leave(c);
    if (n->kind == KIND_STAGES)
        memo_settle(c);
    else
        record_watch(c, n);
}

/* ---- the turn ------------------------------------------------------------ */

/* The stages have had one instruction before this one. */
static void watch(struct core *c, struct memo_node *n)
{
    struct memo *m = memo_of(c);

    if (is_near(m))
        memo_flush(c);
    else
        m->slack -= ADDS;
    record_watch(c, n);
}

/* Where the stages stand, if the memo knows it. False: they go on. */
static bool find(struct core *c)
{
    struct memo *m = memo_of(c);
    struct memo_node *n;

    if (c->with.decoded->forgotten != m->store->generation)
        share_empty(c);
    if (!share_is_set(c)) {
        share_set(c);
        memo_cancel(c);
    }
    if (!unheard(c)) {
        m->from = NULL;
        memo_flush(c);
        return false;
    }
    if (!undisturbed(c)) {
        m->from = NULL;
        memo_settle(c);
        return false;
    }
    n = record_node(c);
    if (!n || n->kind == KIND_STAGES)
        memo_settle(c);
    else if (c->with.memo == MEMO_CHECK || !n->known)
        watch(c, n);
    else
        enter(c, n);
    return m->node;
}

/* Others have had their turns since the last one, in which nothing happened
 * that would have to be looked at: what the processor itself does alone changes
 * the rest, and it is in the middle of a trace. */
static inline bool is_steady(const struct core *c)
{
    const struct memo *m = memo_of(c);

    return m->open && !m->heard &&
           c->with.decoded->forgotten == m->store->generation &&
           !core_observed(c) && !c->pif.active && !c->pif.listening &&
           !c->pmu.derived.held && !c->pmu.derived.active &&
           !host_counters_owed(&c->host_counters) && !c->pmu.news &&
           m->context == c->context;
}

static inline cycle_t stop_of(const struct core *c, cycle_t until)
{
    return cycle_min(c->attention, until == CYCLE_NEVER ? until : until + 1);
}

bool memo_resumes(struct core *c, uint64_t until)
{
    return memo_of(c)->resumes && is_steady(c) &&
           trace_resumes(c, stop_of(c, until));
}

static void look_again(struct core *c)
{
    struct memo *m = memo_of(c);

    if (c->with.decoded->forgotten != m->store->generation) {
        share_empty(c);
    } else if (!unheard(c) || !undisturbed(c) || m->context != c->context) {
        memo_leave(c);
        memo_flush(c);
    }
}

/* What is next, which is fetched, has reached c->attention, but nothing is due
 * except samples, which do not ask the stages. Those would have found that as
 * they do in `interrupted`. */
static bool is_calm(struct core *c)
{
    struct memo *m = memo_of(c);
    struct pipe *p = pipe_of(c);
    cycle_t completed = p->w.completed;

    memo_complete(c);
    if (!m->fresh)
        completed = history_last(p);
    while (c->clock >= c->attention)
        if (!core_attend_calm(
                c, cycle_min(c->clock, cycle_max(c->attention, completed + 1))))
            return false;
    return true;
}

bool memo_replay(struct core *c, uint64_t until)
{
    struct memo *m = memo_of(c);
    struct pipe *p = pipe_of(c);
    enum went went;

    if (!m->tried && !is_steady(c)) {
        if (m->node)
            look_again(c);
        if (!m->node && p->have)
            return true;
    }
    do {
        if (!m->node && !find(c))
            return c->state == CORE_RUNNING;
        if (c->insns - m->flushed > COUNTS)
            memo_flush(c);
        went = replay_run(c, stop_of(c, until));
        if (m->heard)
            heard_count(c);
        if (went == HANDED)
            return true;
        if (went == TURN_ENDS) {
            if (c->clock < c->attention)
                return false;
            if (is_calm(c))
                continue;
            memo_hand_back(c);
            return true;
        }
        if (went == RESUMED && m->node)
            look_again(c);
    } while (!c->yield && c->state == CORE_RUNNING);
    return false;
}
