/* translate.c - what translation costs: TLB hits are free, a miss searches the
 * page table through the data cache, and R and C are stored there.
 *
 * isa/ has translated already; here only the chip's own TLBs are asked whether
 * it could have done so without the table (604 UM p.37, chapter 5).
 */
#include "sim/core/detailed/pipe.h"

#include "isa/mmu.h"

/* The table is searched from `at`: lines through the data cache, an entry a
 * cycle. */
static cycle_t search(struct core *c, const struct walk *w, cycle_t at)
{
    unsigned k, left = w->entries, row = c->port.line_bytes / 8;

    for (k = 0; k < w->lines; k++) {
        unsigned here = left < row ? left : row;

        at = lsu_read_table(c, w->line[k], at) + here;
        left -= here;
    }
    return at;
}

/* R or C was set for the page of ea, and that has not been timed yet. */
static const struct access *mark_of(struct core *c, ea_t ea)
{
    const struct step *s = &c->cpu.step;
    const struct access *m = &s->mark[pipe_of(c)->marked];

    if (pipe_of(c)->marked == s->marks || (m->ea ^ ea) >= 0x1000)
        return NULL;
    pipe_of(c)->marked++;
    return m;
}

/* A store that finds C clear searches again, as a miss does, to set it. */
cycle_t translate_data(struct core *c, struct slot *s, ea_t ea, bool store,
                       cycle_t at)
{
    const struct access *m;
    struct walk w;
    cycle_t end;
    bool held;

    if (!(c->cpu.msr & MSR_DR))
        return at;
    m = mark_of(c, ea);
    held = tlb_tags_look(&pipe_of(c)->dtlb, c->cpu.sr[ea >> 28] & 0xFFFFFF, ea);
    if (held && !m)
        return at;
    mmu_walk(&c->cpu, ea, store ? TLB_STORE : TLB_LOAD, &w);
    if (!w.lines)
        return at; /* a block needs no table */
    end = search(c, &w, at);
    if (m)
        end = lsu_write_table(c, m->pa, end);
    if (!held) {
        tlb_tags_enter(&pipe_of(c)->dtlb, w.vsid, ea);
        ev_add(&c->pmu.ev, EV_dtlb_miss, 1, at);
    }
    ev_add(&c->pmu.ev, EV_dtable_search, 1, end);
    ev_add(&c->pmu.ev, EV_dtable_cycles, end - at, end);
    s->dtlb = true;
    slot_wait(s, at, end, REASON_tlb);
    return end;
}

cycle_t translate_fetch(struct core *c, ea_t pc, cycle_t at)
{
    struct pipe *p = pipe_of(c);
    const struct access *m;
    struct walk w;
    cycle_t end;
    bool held;

    if (!(c->cpu.msr & MSR_IR) || (pc & ~0xFFFu) == p->itlb_page)
        return at;
    p->itlb_page = pc & ~0xFFFu;
    m = mark_of(c, pc);
    held = tlb_tags_look(&p->itlb, c->cpu.sr[pc >> 28] & 0xFFFFFF, pc);
    if (held && !m)
        return at;
    mmu_walk(&c->cpu, pc, TLB_FETCH, &w);
    if (!w.lines)
        return at;
    end = search(c, &w, at);
    if (m)
        end = lsu_write_table(c, m->pa, end);
    if (!held) {
        tlb_tags_enter(&p->itlb, w.vsid, pc);
        ev_add(&c->pmu.ev, EV_itlb_miss, 1, at);
    }
    ev_add(&c->pmu.ev, EV_itable_search, 1, end);
    ev_add(&c->pmu.ev, EV_itable_cycles, end - at, end);
    return end;
}
