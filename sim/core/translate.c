/* translate.c - what translation costs: TLB hits are free, a miss searches the
 * page table through the data cache.
 *
 * isa/ has translated already; here only the chip's own TLBs are asked whether
 * it could have done so without the table (604 UM p.37, chapter 5).
 */
#include "sim/core/pipe.h"

#include "isa/mmu.h"

/* The table is searched from `at`: lines through the data cache, an entry a
 * cycle. */
static cycle_t search(struct core *c, const struct walk *w, cycle_t at)
{
    unsigned k, left = w->entries;

    for (k = 0; k < w->lines; k++) {
        unsigned here = left < 4 ? left : 4;

        at = lsu_read_table(c, w->line[k], at) + here;
        left -= here;
    }
    return at;
}

cycle_t translate_data(struct core *c, struct slot *s, ea_t ea, bool store,
                       cycle_t at)
{
    struct walk w;
    cycle_t end;

    if (!(c->cpu.msr & MSR_DR))
        return at;
    if (tlb_tags_look(&c->pipe->dtlb, c->cpu.sr[ea >> 28] & 0xFFFFFF, ea))
        return at;
    mmu_walk(&c->cpu, ea, store ? TLB_STORE : TLB_LOAD, &w);
    if (!w.lines)
        return at; /* a block needs no table */
    tlb_tags_enter(&c->pipe->dtlb, w.vsid, ea);
    end = search(c, &w, at);
    ev_add(&c->pmu.ev, EV_dtlb_miss, 1, at);
    ev_add(&c->pmu.ev, EV_dtable_search, 1, end);
    ev_add(&c->pmu.ev, EV_dtable_cycles, end - at, end);
    slot_wait(s, end, REASON_tlb);
    return end;
}

cycle_t translate_fetch(struct core *c, ea_t pc, cycle_t at)
{
    struct pipe *p = c->pipe;
    struct walk w;
    cycle_t end;

    if (!(c->cpu.msr & MSR_IR) || (pc & ~0xFFFu) == p->itlb_page)
        return at;
    p->itlb_page = pc & ~0xFFFu;
    if (tlb_tags_look(&p->itlb, c->cpu.sr[pc >> 28] & 0xFFFFFF, pc))
        return at;
    mmu_walk(&c->cpu, pc, TLB_FETCH, &w);
    if (!w.lines)
        return at;
    tlb_tags_enter(&p->itlb, w.vsid, pc);
    end = search(c, &w, at);
    ev_add(&c->pmu.ev, EV_itlb_miss, 1, at);
    ev_add(&c->pmu.ev, EV_itable_search, 1, end);
    ev_add(&c->pmu.ev, EV_itable_cycles, end - at, end);
    return end;
}
