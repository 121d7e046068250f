/* trace.c - nodes that follow each other become a row, which is replayed
 * without going from one to the next through the host's memory.
 *
 * A trace is what the first edges of its nodes were when it was made. It is
 * followed for as long as each instruction is told what it was told then; at
 * the first one that is not, the edges of that node decide (replay.c), and if
 * they lead back to the trace, it goes on. Lines of the instruction cache are
 * looked up once for all groups that follow each other in one: nothing but
 * wrong paths and the stages changes that cache in between.
 */
#include "sim/core/detailed/memo/replay.h"

#include <string.h>

#include "pmu/pif/ahead.h"

#define SOON 256 /* instructions */
#define EXPECTED                                                               \
    4            /* steps: about as many as a turn of several processors has */
#define OFTEN 16 /* followed: it becomes host code */

/* The b of the answer that the branch of s was told. */
static inline uint64_t told_branch(const struct memo_step *s)
{
    return s->branch.target | (uint64_t) !!(s->flags & STEP_TAKEN) << 32 |
           (uint64_t) !!(s->flags & STEP_BTAC) << 33;
}

/* ---- followed ------------------------------------------------------------ */

/* No counter overflows in t. Where one soon may, that is not found out anew for
 * each trace. */
static bool has_room(struct core *c, const struct memo_trace *t)
{
    const struct memo *m = memo_of(c);

    return m->slack > t->most + 16 ||
           (c->insns - m->flushed > SOON && memo_slack(c) > t->most + 16);
}

bool trace_meets(struct core *c, struct memo_node *n)
{
    struct memo *m = memo_of(c);
    struct memo_trace *t = m->trace;

    if (m->open) /* all of it was looked at when it was entered */
        return true;
    if (!t || m->at >= t->n || t->step[m->at].node != n) {
        if (!n->trace)
            return false;
        m->trace = t = n->trace;
        m->at = 0;
    }
    m->steps = t->n;
    return has_room(c, t) && m->base + t->cycles < c->edge;
}

/* The page that fetch is on is that of s, whose address this is then; s was
 * fetched in that cycle. */
static inline bool same_page(const struct core *c, const struct memo_step *s)
{
    return pipe_of(c)->page == s->insn - (s->pc % DECODE_PAGE) / 4;
}

static inline pa_t address(const struct core *c, const struct memo_step *s)
{
    return pipe_of(c)->page_pa | (s->pc & 0xFFC);
}

static inline cycle_t by(const struct memo_step *s, cycle_t begin)
{
    return begin + s->base + s->fetch - BIAS;
}

/* The groups of s and those ahead of it find their line, which is asked for as
 * often. */
static inline bool lines(struct core *c, const struct memo_step *s,
                         cycle_t begin)
{
    c->cpu.pc = s->pc;
    return on_page(c, s->pc) && same_page(c, s) &&
           groups(c, s->pc, address(c, s), by(s, begin), s->ahead);
}

/* ... but `less` of those have not been fetched after all; s had been. */
static inline void take_back(struct core *c, struct memo_step *s)
{
    struct cache *icache = &pipe_of(c)->tags.icache;
    unsigned less = s->ahead;

    if (!less)
        return;
    icache->stamp -= less;
    cache_find(icache, address(c, s))->used = icache->stamp;
}

/* s is fetched: so are the groups ahead of it, whose line was the last that was
 * asked for, unless their page has to be looked up again. */
static inline bool ahead(struct core *c, const struct memo_step *s,
                         cycle_t begin)
{
    struct pipe *p = pipe_of(c);
    struct cache *icache = &p->tags.icache;
    struct line *l = line_of(icache, address(c, s));
    unsigned frame;

    if (!l || l->used != icache->stamp ||
        (c->cpu.msr & MSR_IR && (s->pc & ~0xFFFu) != p->tags.fetch_page))
        return false;
    frame = cache_frame(icache, l);
    if (cache_full(icache, frame) > by(s, begin))
        return false;
    memo_of(c)->frame = frame;
    icache->stamp += s->ahead;
    l->used = icache->stamp;
    return true;
}

/* The line that the latest group was found in is there still. */
static inline bool still_there(const struct core *c)
{
    return pipe_of(c)->tags.icache.line[memo_of(c)->frame].state != MESI_I;
}

/* May a trace be entered at s? It may be fetched already. */
static inline __attribute__((always_inline)) bool
enters(struct core *c, const struct memo_step *s, cycle_t begin)
{
    const struct pipe *p = pipe_of(c);

    if (!p->have && s->flags & STEP_LINE)
        return true;
    if (!p->have && s->flags & STEP_GROUPED)
        return lines(c, s, begin);
    if ((s->pc & ~0xFFFu) != p->page_ea)
        return false;
    if (memo_of(c)->ahead)
        return still_there(c);
    return !p->page_inhibited && same_page(c, s) &&
           (!s->ahead || (p->have && ahead(c, s, begin)));
}

void trace_complete(struct core *c)
{
    struct memo *m = memo_of(c);
    const struct memo_step *s = m->trace->step;

    if (m->at > m->completed)
        history_add_steps(pipe_of(c), s + m->completed, m->at - m->completed,
                          m->base - s[m->at].base);
    m->completed = m->at;
}

void trace_close(struct core *c)
{
    struct memo *m = memo_of(c);
    struct cache *icache = &pipe_of(c)->tags.icache;

    trace_complete(c);
    ledger_leaves(m->to, m->trace, m->at);
    m->open = false;
    if (!m->ahead)
        return;
    icache->stamp -= m->ahead;
    if (still_there(c))
        icache->line[m->frame].used = icache->stamp;
    m->ahead = 0;
}

/* The steps from s on are next: other processors have their turns first, or
 * another trace was followed before, so that their lines are in no cache of the
 * host that is near. */
static inline void expect(const struct memo_step *s)
{
    for (unsigned k = 0; k < EXPECTED; k++)
        __builtin_prefetch(s + k);
}

/* m->trace is followed from m->at on. */
static inline void open(struct core *c, struct memo *m)
{
    if (ledger_full(m->to))
        ledgers_widen(c);
    ledger_enters(m->to, m->trace, m->at);
    m->slack -= m->trace->most;
    m->open = true;
    m->completed = m->at;
}

/* What was done in m->trace from m->at up to s is counted; s is next. */
static inline void stay(struct core *c, struct memo *m, struct memo_step *s)
{
    struct memo_trace *t = m->trace;
    const struct memo_step *from = &t->step[m->at];
    cycle_t begin = m->base - from->base;

    c->cpu.pc = s->pc;
    if (s == from)
        return;
    if (!m->open)
        open(c, m);
    c->observed_cycle = begin + s[-1].base + s[-1].issue;
    c->insns += (uint64_t)(s - from);
    if (m->heard) {
        m->may -= (uint32_t)(s->passes - from->passes);
        m->bare += (uint32_t)(s - from);
        if (t->tallied || m->ranging)
            heard_passed(c, from, s, begin);
    }
    c->clock = m->base = begin + s->base; /* s[-1] dispatched then */
    m->at = (unsigned)(s - t->step);
    m->node = m->at < m->steps ? s->node : t->to;
    m->fresh = m->resumes = false;
}

/* ... and not by this trace, or not to be gone on with in it before its node
 * has been looked at. */
static inline void leave(struct core *c, struct memo *m, struct memo_step *s)
{
    stay(c, m, s);
    memo_close(c);
}

/* The trace ends in front of s, which is not fetched. */
static inline void leave_before(struct core *c, struct memo *m,
                                struct memo_step *s)
{
    if (s > &m->trace->step[m->at])
        take_back(c, s - 1);
    leave(c, m, s);
}

/* s is fetched, and its node's own edges are to say how it goes on. */
static inline void leave_at(struct core *c, struct memo *m, struct memo_step *s)
{
    cycle_t begin = m->base - m->trace->step[m->at].base;

    take_back(c, s);
    leave(c, m, s);
    have(c, begin + s[1].base);
}

/* The same, but the turn ends in front of s, and the next one may go on: in
 * host code, if the trace has `code` now. */
static inline void pause(struct core *c, struct memo *m, struct memo_step *s,
                         bool code)
{
    cycle_t begin = m->base - m->trace->step[m->at].base;

    stay(c, m, s);
    if (!m->open)
        open(c, m);
    m->resumes = code;
    have(c, begin + s[1].base);
    m->ahead = s->ahead;
    expect(s + 2);
}

/* The access of s is made and hits, and waits as long as it did. Else *hit is
 * set if it was one. */
static inline bool same_hit(struct core *c, const struct memo_step *s,
                            cycle_t begin, struct told *t)
{
    struct pipe *p = pipe_of(c);
    const struct access *x = &c->cpu.step.access[0];
    const struct line_outcome *o = &p->outcome[0].line;
    bool store = s->kind == KIND_STORE;
    cycle_t at = begin + s->base + s->issue + 1u, from, usable;
    struct waited w = {.queued = 0};

    t->hit = hits(c, store);
    if (!t->hit || !(s->flags & STEP_HITS))
        return false;
    if (store) {
        if (s->insn->flags & INSN_FP && lsu_shifts(c, s->insn))
            return false;
        from = begin + s->complete + 1u;
        w.queued = lsu_queued(p, begin + s->base + s->node->issue);
    } else {
        from = p->committed < at ? at : lsu_clear(p, x, at);
        w.stores = from - at;
    }
    usable = cycle_max(from, cache_usable(&p->tags.dcache, o->frame, o->word));
    if (!store)
        w.filled = usable - from;
    t->from = from;
    t->brought = usable;
    if (s->told != answer_waits(w) || (c->pif.active && !heard_access(c)))
        return false;
    c->last_ea = x->ea;
    return true;
}

/* The access of s, which told->hit or not, asks, and is told what it was. */
static inline bool same_answer(struct core *c, struct memo *m,
                               const struct memo_step *s, cycle_t begin,
                               struct told *told)
{
    cycle_t base = m->base;

    m->base = begin + s->base;
    c->clock = begin + s[1].base;
    *told = replay_ask(c, s->node, told->hit);
    m->base = base;
    return told->known && told->answer.a == s->told &&
           told->answer.b == s->edge->answer.b;
}

/* The access of s is told what it was. Else told->asked says whether *told is
 * what instead, and told->hit what it was if it was not asked. */
static inline bool same_access(struct core *c, struct memo *m,
                               const struct memo_step *s, cycle_t begin,
                               struct told *told)
{
    if (!same_hit(c, s, begin, told)) {
        if (m->shadows) /* marks hear of those in front before a line comes */
            return false;
        if (!same_answer(c, m, s, begin, told))
            return false;
    }
    accessed(c, s->kind == KIND_STORE, s->pc, begin + s->base + s->issue, told);
    return true;
}

/* The branch of s, which has run, was told *a, and goes on as it did. */
static inline bool same_way(struct core *c, struct memo *m,
                            const struct memo_step *s, cycle_t begin,
                            const struct answer *a)
{
    cycle_t base = m->base;
    bool same;

    if (a->a != s->told || a->b != told_branch(s))
        return false;
    if (s->flags & STEP_WALKS) {
        m->base = begin + s->base;
        same = walk_same(c, s->edge);
        m->base = base;
        if (!same)
            return false;
    }
    if (s->flags & STEP_WALKS)
        walk_ask(c, s->edge);
    teach(c, s->branch.group, s->pc, s->insn);
    return true;
}

/* The branch of s is told and goes where it was and did; else *a says what. */
static inline bool same_branch(struct core *c, struct memo *m,
                               const struct memo_step *s, cycle_t begin,
                               struct answer *a)
{
    *a = guess(c, s->insn, s->pc, s->branch.group);
    return same_way(c, m, s, begin, a);
}

/* Plain instructions from s up to `end`, or until one is not fetched as it was,
 * or raises *exc. Returns that one. */
static inline struct memo_step *run(struct core *c, struct memo_step *s,
                                    const struct memo_step *end, cycle_t begin,
                                    enum exc *exc)
{
    c->cpu.step.accesses = c->cpu.step.marks = 0;
    c->cpu.step.taken = false;
    do {
        *exc = s->insn->exec(&c->cpu, s->insn);
        if (*exc)
            break;
        s++;
    } while (s < end && (!(s->flags & STEP_LINE) || lines(c, s, begin)));
    return s;
}

/* The plain instructions from s on that dispatch before `stop`, of those in
 * front of `end`: s does. */
static inline const struct memo_step *run_end(const struct memo_step *s,
                                              const struct memo_step *end,
                                              cycle_t begin, cycle_t stop)
{
    const struct memo_step *last = s + s->run;

    if (last > end)
        last = end;
    while (begin + last->base >= stop)
        last--;
    return last;
}

/* The branch of s has run as host code, and was taken or not; but is not known
 * to have been guessed and gone as it was. If it was, true; else as step. */
static bool same_after_all(struct core *c, struct memo *m, struct memo_step *s,
                           cycle_t begin, bool taken, enum went *went)
{
    const struct insn *i = s->insn;
    struct answer a;

    c->cpu.pc = s->pc;
    believe(c, s->insn, s->pc, s->branch.group);
    c->cpu.step.taken = taken;
    if (!taken)
        c->cpu.nia = s->pc + 4;
    else if (!(i->flags & INSN_INDIRECT))
        c->cpu.nia = pipe_of(c)->next.target;
    a = answer_branch(&pipe_of(c)->next, c->cpu.nia);
    if (same_way(c, m, s, begin, &a))
        return true;
    leave_at(c, m, s);
    *went = replay_branch(c, s->node, &a);
    m->at++;
    return false;
}

/* The access of s has asked in host code, and *told is not what it was. */
static enum went told_else(struct core *c, struct memo *m, struct memo_step *s,
                           const struct told *told)
{
    enum went went;

    c->cpu.pc = s->pc;
    isa_exec(&c->cpu, s->insn); /* raises nothing */
    leave_at(c, m, s);
    c->observed_cycle = m->base + s->issue;
    went = replay_told(c, s->node, EXC_NONE, told);
    m->at++;
    return went;
}

/* Registers are as host code has them. */
static inline bool plain_registers(const struct core *c)
{
    return (pipe_of(c)->hid0 & (HID0_DCE | HID0_BHTE | HID0_BTCD)) ==
               (HID0_DCE | HID0_BHTE) &&
           !(c->cpu.dabr & 3); /* nor a data breakpoint */
}

/* May steps of the trace up to the one in front of `end` run as host code,
 * which ends in front of cycle *stop? With marks all of them do, or none: that
 * code tells marks of no access, and stops where the turn does. With samplers
 * it is to stop early. */
static inline bool has_code(struct core *c, const struct memo_step *end,
                            cycle_t begin, cycle_t *stop)
{
    const struct memo *m = memo_of(c);
    const struct memo_trace *t = m->trace;

    if (!t->code || m->levels || !plain_registers(c))
        return false;
    if (!m->heard || (!c->pif.active && end == t->step + t->n))
        return true;
    if (c->pif.active)
        return begin + end->base < *stop && end == t->step + t->n && !m->data;
    *stop = cycle_min(*stop, begin + end->base);
    return true;
}

/* What host code has to know, of a trace that counts from `begin`. */
static inline struct core_trace code_reads(const struct core *c, cycle_t begin)
{
    static const uint8_t none[3 * TLB_ENTRIES];
    unsigned user = c->cpu.msr / MSR_PR & 1;

    return (struct core_trace){
        .begin = begin,
        .entry = c->tlb.entry[user][0],
        .note = c->cpu.msr & MSR_DR ? c->tlb.wimg[user][0] : none,
    };
}

/* ... of a turn that ends at `stop`. */
static inline void code_stops(struct core *c, cycle_t stop)
{
    c->trace.stop = (uint32_t)cycle_min(stop - c->trace.begin, UINT32_MAX);
}

/* Run the code of s, which is step `at` and whose line was asked for. Returns
 * what PIECE_STEP says of. */
static inline unsigned piece_run(struct core *c, struct memo *m,
                                 const struct memo_step *s, unsigned at,
                                 struct told *told)
{
    const uint8_t *place = m->trace->code + s->code * MEMO_PLACE;

    c->cpu.step.accesses = c->cpu.step.marks = 0;
    c->cpu.step.taken = false;
    m->told = told;
    m->coded -= at;
    at = (unsigned)stencil_enter(&c->cpu, 0, 0, 0, 0, place).n;
    m->coded += at & PIECE_STEP;
    return at;
}

/* Where the host code of a trace has come to. */
enum coded {
    CODED_ON,    /* a step whose line has not been asked for */
    CODED_UP_TO, /* one whose line has been */
    CODED_NEAR,  /* the same, and a sampler's instruction is near */
    CODED_LEFT   /* out of the trace, or the turn ends: *went */
};

/* Run the code of *at, if it has any; or, if that is what was `tried` before,
 * take up what it returned. *at is then the step that it came to. */
static inline __attribute__((always_inline)) enum coded
run_code(struct core *c, struct memo *m, struct memo_step **at, cycle_t begin,
         cycle_t stop, bool tried, enum went *went)
{
    struct told new, *told = tried ? &m->code_told : &new;
    unsigned is = (unsigned)(*at - m->trace->step);
    struct memo_step *s;

    new.asked = false;
    if (tried)
        is = m->code;
    else if ((*at)->code)
        is = piece_run(c, m, *at, is, &new);
    *at = s = &m->trace->step[is & PIECE_STEP];
    if (is & PIECE_TURN) {
        if (begin + s[1].base < stop)
            return CODED_NEAR;
        pause(c, m, s, true);
        *went = TURN_ENDS;
        return CODED_LEFT;
    }
    if (told->asked) {
        *went = told_else(c, m, s, told);
        return CODED_LEFT;
    }
    if (is & PIECE_RAN) {
        *at = s + 1;
        return same_after_all(c, m, s, begin, is & PIECE_TAKEN, went)
                   ? CODED_ON
                   : CODED_LEFT;
    }
    return is & PIECE_LINE ? CODED_ON : CODED_UP_TO;
}

/* What s does that is no plain instruction, if that is what it did; else *went
 * is what was done instead of it; STOOD: it is fetched. */
static inline bool step(struct core *c, struct memo *m, struct memo_step *s,
                        cycle_t begin, enum went *went)
{
    struct answer a = {0, 0};
    struct told told = {.asked = false};
    enum exc exc;

    c->cpu.pc = s->pc;
    *went = WENT_ON;
    switch (s->kind) {
    case KIND_BRANCH:
        if (same_branch(c, m, s, begin, &a))
            return true;
        leave_at(c, m, s);
        *went = replay_branch(c, s->node, &a);
        break;
    case KIND_EARLY:
        if (is_early(c, s->insn) == s->told) {
            isa_exec(&c->cpu, s->insn); /* raises nothing */
            return true;
        }
        leave_at(c, m, s);
        *went = STOOD;
        return false;
    default:
        if ((s->kind == KIND_STORE && m->levels) ||
            !goes_to_memory(c, s->insn,
                            s->kind == KIND_STORE ? TLB_STORE : TLB_LOAD)) {
            leave_at(c, m, s);
            *went = STOOD;
            return false;
        }
        exc = isa_exec(&c->cpu, s->insn);
        if (!exc && same_access(c, m, s, begin, &told))
            return true;
        leave_at(c, m, s);
        c->observed_cycle = m->base + s->issue;
        if (!exc && !told.asked)
            told = replay_ask(c, s->node, told.hit);
        *went = replay_told(c, s->node, exc, &told);
        break;
    }
    m->at++;
    return false;
}

/* A plain instruction, that of s, raised exc. */
static __attribute__((noinline)) enum went
raised(struct core *c, struct memo *m, struct memo_step *s, enum exc exc)
{
    leave_at(c, m, s);
    c->cpu.nia = s->pc + 4;
    return replay_raised(c, exc);
}

/* As heard_end; mostly marks have looked at t, and a sampler's next instruction
 * is behind all of it. */
static inline const struct memo_step *
goes_to(struct core *c, struct memo_trace *t, const struct memo_step *s)
{
    const struct memo_step *end = t->step + t->n;

    if ((!c->pif.active ||
         (t->epoch == memo_of(c)->epoch && t->bare == t->n)) &&
        (uint32_t)(end->passes - s->passes) <= memo_of(c)->may)
        return end;
    return heard_end(c, t, s);
}

/* May the trace be entered at s? If so, it is, and c->trace is set where steps
 * in front of *end may run as host code: *code. */
static inline bool entered(struct core *c, struct memo_step *s,
                           const struct memo_step **end, cycle_t begin,
                           cycle_t stop, bool *code)
{
    struct memo *m = memo_of(c);

    if ((m->heard && (*end = goes_to(c, m->trace, s)) == s) ||
        !enters(c, s, begin)) {
        memo_close(c);
        return false;
    }
    if (!m->open && !m->trace->code)
        expect(s + 1);
    m->ahead = 0;
    if (m->trace->followed < OFTEN && ++m->trace->followed == OFTEN)
        pieces_make(c, m->trace);
    m->so = c->cpu.xer & XER_SO; /* which nothing in a trace changes */
    *code = has_code(c, *end, begin, &stop);
    if (*code) {
        c->trace = code_reads(c, begin);
        code_stops(c, stop);
    }
    return true;
}

enum went trace_run(struct core *c, cycle_t stop)
{
    struct memo *m = memo_of(c);
    bool tried = m->tried;
    struct memo_step *s = &m->trace->step[m->at];
    const struct memo_step *from = s, *end = m->trace->step + m->steps;
    cycle_t begin = m->base - s->base;
    bool is, code = true; /* is: s is fetched already */
    enum went went;
    enum exc exc;

    if (!tried && !entered(c, s, &end, begin, stop, &code))
        return STOOD;
    m->tried = false;
    is = tried || pipe_of(c)->have;
    pipe_of(c)->have = false;
    while (s < end && (is || !(s->flags & STEP_LINE) || lines(c, s, begin))) {
        is = false;
        if (!tried && begin + s[1].base >= stop) {
            pause(c, m, s, code);
            return TURN_ENDS;
        }
        if (code && (tried || s[1].base < c->trace.stop)) {
            enum coded coded = run_code(c, m, &s, begin, stop, tried, &went);

            tried = false;
            if (coded == CODED_LEFT)
                return went;
            if (coded == CODED_NEAR) {
                code = false;
                is = true;
            }
            if (coded != CODED_UP_TO)
                continue;
        }
        if (s->run) {
            const struct memo_step *last = run_end(s, end, begin, stop);

            s = run(c, s, last, begin, &exc);
            if (exc)
                return raised(c, m, s, exc);
            if (s < last)
                break; /* not fetched as it was */
            continue;
        }
        if (!step(c, m, s, begin, &went))
            return went;
        if (s++->kind == KIND_STORE &&
            c->with.decoded->forgotten != m->store->generation)
            break;
    }
    leave_before(c, m, s);
    return s > from ? WENT_ON : STOOD;
}

/* pause, after host code that went on from the last one; s is step `at`. */
static inline void pause_again(struct core *c, struct memo *m,
                               const struct memo_step *s, unsigned at)
{
    cycle_t begin = c->trace.begin;

    c->cpu.pc = s->pc;
    c->observed_cycle = begin + s[-1].base + s[-1].issue;
    c->insns += at - m->at;
    m->base = begin + s->base;
    m->at = at;
    m->node = s->node;
    m->fresh = false;
    have(c, begin + s[1].base);
    m->ahead = s->ahead;
    expect(s + 2);
}

bool trace_resumes(struct core *c, cycle_t stop)
{
    struct memo *m = memo_of(c);
    struct memo_trace *t = m->trace;
    const struct memo_step *s = &t->step[m->at];
    cycle_t begin = c->trace.begin;

    if (begin + s[1].base >= stop || !t->code || !s->code ||
        !plain_registers(c) || !enters(c, s, begin))
        return false;
    m->ahead = 0;
    code_stops(c, stop);
    m->code_told.asked = false;
    m->code = piece_run(c, m, s, m->at, &m->code_told);
    s = &t->step[m->code & PIECE_STEP];
    m->tried = !(m->code & PIECE_TURN) || begin + s[1].base >= c->attention;
    if (m->tried)
        return false;
    pause_again(c, m, s, m->code & PIECE_STEP);
    return true;
}
