/* replay.h - what an instruction asks while it is replayed, by itself
 * (replay.c) or in a trace (trace.c).
 */
#ifndef SIM_CORE_DETAILED_MEMO_REPLAY_H
#define SIM_CORE_DETAILED_MEMO_REPLAY_H

#include "sim/core/detailed/memo/memo_private.h"

#include "isa/mmu.h"
#include "sim/core/detailed/branch.h"
#include "include/board.h"

/* ---- fetch --------------------------------------------------------------- */

/* The line that pa is in; NULL: it is not there. */
static inline struct line *line_of(struct cache *of, pa_t pa)
{
    struct line *l = cache_recent(of, pa);

    if (!l && (l = cache_find(of, pa)))
        cache_keep(of, pa, l);
    return l;
}

/* The line that the group at pc, whose address is pa, begins with is there by
 * cycle `by`: it is asked for. */
static inline bool group(struct core *c, ea_t pc, pa_t pa, cycle_t by)
{
    struct tags *t = &pipe_of(c)->tags;
    struct line *l = line_of(&t->icache, pa);
    ea_t page = pc & ~0xFFFu;
    unsigned frame;

    if (!l)
        return false;
    frame = cache_frame(&t->icache, l);
    if (cache_full(&t->icache, frame) > by)
        return false;
    memo_of(c)->frame = frame;
    if (c->cpu.msr & MSR_IR && page != t->fetch_page) {
        if (!tlb_tags_look(&t->itlb, c->cpu.sr[pc >> 28] & 0xFFFFFF, pc))
            return false;
        t->fetch_page = page;
    }
    cache_touch(&t->icache, l);
    return true;
}

/* ... and so are those of the `ahead` groups behind it in that line. */
static inline bool groups(struct core *c, ea_t pc, pa_t pa, cycle_t by,
                          unsigned ahead)
{
    struct cache *icache = &pipe_of(c)->tags.icache;

    if (!group(c, pc, pa, by))
        return false;
    icache->stamp += ahead;
    icache->line[memo_of(c)->frame].used = icache->stamp;
    return true;
}

/* Fetch is on the page of pc, which cpu.pc is, or turns to it. */
static inline bool on_page(struct core *c, ea_t pc)
{
    const struct pipe *p = pipe_of(c);

    return ((pc & ~0xFFFu) == p->page_ea && !p->page_inhibited) ||
           record_page(c);
}

/* n, whose address is cpu.pc, is fetched as it was. */
static inline bool fetched(struct core *c, const struct memo_node *n,
                           cycle_t base)
{
    return on_page(c, n->pc) && pipe_of(c)->page == n->page &&
           (!n->grouped || group(c, n->pc, n->pa, base + n->fetch - BIAS));
}

/* What is next is fetched, and waits for its dispatch. */
static inline void have(struct core *c, cycle_t dispatch)
{
    pipe_of(c)->have = true;
    c->clock = dispatch;
}

/* ---- registers, memory, predictor ------------------------------------- */

/* Will the access of i go to memory that is translated already? */
static inline bool goes_to_memory(const struct core *c, const struct insn *i,
                                  enum tlb_kind kind)
{
    const uint32_t *gpr = c->cpu.gpr;
    ea_t ea = i->a ? gpr[i->a] : 0;
    pa_t pa;

    ea += i->word >> 26 != 31 ? (uint32_t)i->imm : gpr[i->b];
    pa = ea;
    if (c->cpu.msr & MSR_DR && !tlb_find(&c->cpu, kind, ea, &pa))
        return false;
    return pa < BOARD_IO;
}

/* The second operand of the multiplication i is short. */
static inline bool is_early(const struct core *c, const struct insn *i)
{
    int32_t b = (int32_t)c->cpu.gpr[i->b];

    return c->with.chip->row[i->class].order & EARLY && b == (int16_t)b;
}

/* Was the access that has just been made, of memory, a hit of which no other
 * processor has to hear? Then it is as access_data would have it; else no line
 * was asked for, and memo.absent says whether nothing but the line is missing.
 */
static inline bool hits(struct core *c, bool store)
{
    struct tags *t = &pipe_of(c)->tags;
    struct access_outcome *o = &pipe_of(c)->outcome[0];
    const struct step *s = &c->cpu.step;
    const struct access *a = &s->access[0];
    struct line *l;

    memo_of(c)->absent = false;
    if (s->accesses != 1 || s->marks ||
        !mmu_plain(&c->cpu, a->ea, store ? TLB_STORE : TLB_LOAD) ||
        !(pipe_of(c)->hid0 & HID0_DCE))
        return false;
    l = line_of(&t->dcache, a->pa);
    if ((l && store && l->state == MESI_S) ||
        (c->cpu.msr & MSR_DR &&
         !tlb_tags_look(&t->dtlb, c->cpu.sr[a->ea >> 28] & 0xFFFFFF, a->ea)))
        return false;
    if (!l) {
        memo_of(c)->absent = true;
        return false;
    }
    o->search.searched = false;
    o->line.answer = LINE_HIT;
    o->line.asked = false;
    o->line.found = l->state;
    o->line.frame = (uint16_t)cache_frame(&t->dcache, l);
    o->line.word = (uint8_t)cache_word(&t->dcache, a->pa);
    cache_touch(&t->dcache, l);
    if (store)
        l->state = MESI_M;
    return true;
}

/* Guess what the branch i at pc does; p->next has it. */
static inline void believe(struct core *c, struct insn *i, ea_t pc, ea_t fetch)
{
    struct slot *s = &pipe_of(c)->next;

    s->i = i;
    s->pc = pc;
    s->group = fetch;
    branch_guess(c, s);
    s->target = branch_target(c, s);
}

/* ... and run it. */
static inline struct answer guess(struct core *c, struct insn *i, ea_t pc,
                                  ea_t fetch)
{
    const struct slot *s = &pipe_of(c)->next;

    believe(c, i, pc, fetch);
    isa_exec(&c->cpu, i);
    return answer_branch(s, c->cpu.nia);
}

/* What is left behind of the branch i at pc, which has run. */
static inline void teach(struct core *c, ea_t group, ea_t pc,
                         const struct insn *i)
{
    predict_teach(&pipe_of(c)->predict, group, pc, i->flags & INSN_COND,
                  c->cpu.step.taken, c->cpu.nia);
}

/* ---- replay.c ------------------------------------------------------------ */

/* What the access of pc leaves behind, which was issued in that cycle and told
 * t. */
static inline void accessed(struct core *c, bool store, ea_t pc, cycle_t issue,
                            const struct told *t)
{
    struct pipe *p = pipe_of(c);
    const struct line_outcome *o = &p->outcome[0].line;
    const struct access *a = &c->cpu.step.access[0];
    bool missed = o->answer == LINE_MISS;
    cycle_t commit;

    c->access_cycles[0] = (uint32_t)(t->brought - t->from + 1);
    if (!store) {
        if (missed)
            p->miss_until = cycle_max(p->miss_until, t->brought);
        return;
    }
    if (missed)
        pmu_threshold(&c->pmu, true, o->by.pushed != 0, pc, a->ea,
                      t->brought - p->store_request, t->brought);
    commit = cycle_max(t->brought, p->committed + 1);
    p->tags.dcache.arrival[o->frame].written = commit;
    lsu_pending(p, a, commit);
    ring_push(&p->stores, commit);
    c->pmu.ev.total[EV_store_queue_level] += commit - issue;
}

/* The access of n has been made, and `hit`, or has still to be asked for. */
struct told replay_ask(struct core *c, const struct memo_node *n, bool hit);
/* It has been told t, or raised exc: it goes along an edge, or to the stages.
 */
enum went replay_told(struct core *c, struct memo_node *n, enum exc exc,
                      const struct told *t);
/* The branch of n has run, and was told *a. */
enum went replay_branch(struct core *c, struct memo_node *n,
                        const struct answer *a);
/* The plain instruction of the present node has raised exc. */
enum went replay_raised(struct core *c, enum exc exc);

/* ---- trace_make.c and trace.c -------------------------------------------- */

/* A trace may begin at the present node, to which a branch or another trace
 * led: it does, when that has happened often enough. */
void trace_begins(struct core *c);
/* The present node, n, is in the trace that is followed, or one begins there.
 * False: neither, or it may not be followed now to its end. */
bool trace_meets(struct core *c, struct memo_node *n);
/* Follow that trace as far as it goes. STOOD: the present node is to be
 * replayed by itself. The next turn may go on with it where it TURN_ENDS. */
enum went trace_run(struct core *c, cycle_t stop);
/* m->resumes, and nothing happened since: host code goes on up to the end of
 * the turn. False: it does not; m->tried says whether it was tried, which
 * trace_run goes on from. */
bool trace_resumes(struct core *c, cycle_t stop);

#endif
