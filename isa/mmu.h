/* mmu.h - effective to physical addresses.
 *
 * With MSR[IR] (fetch) or MSR[DR] (data) off, the two are the same. With it
 * on: block registers, segment registers, hashed page table, as PEM ch. 7
 * has them. A struct tlb remembers answers, as the chip's may: software that
 * changes a table says so with tlbie.
 */
#ifndef ISA_MMU_H
#define ISA_MMU_H

#include "isa/cpu.h"
#include "isa/port.h"

#define TLB_ENTRIES 256u

/* How memory is to be treated (PEM 5.2.1); real mode is M and G. */
#define WIMG_W 8u /* write-through */
#define WIMG_I 4u /* caching-inhibited */
#define WIMG_M 2u
#define WIMG_G 1u
#define WIMG_BITS 15u

enum tlb_kind { TLB_LOAD, TLB_STORE, TLB_FETCH };

struct tlb_entry {
    ea_t tag; /* the page, and 1; 0: free */
    pa_t page;
};

#define TLB_EPOCHS 64u

/* By MSR[PR], by kind, by page. All zeros: empty. */
struct tlb {
    /* WIMG_...; further bits are the port's owner's, and 0 where an answer is
     * new or there is none. No answer here depends on them. */
    uint8_t wimg[2][3][TLB_ENTRIES];
    struct tlb_entry entry[2][3][TLB_ENTRIES];
    /* Even numbers, each greater than before whenever an answer for data comes
     * or goes whose place is that one, modulo TLB_EPOCHS. */
    uint64_t epoch[TLB_EPOCHS];
};

/* The physical address to fetch ea from. EXC_ISI: c->cause holds the SRR1
 * bits, *pa is unchanged. EXC_IABR: the breakpoint. While IABR_ENABLE is set
 * the answer holds for this word alone, else for its page. */
enum exc mmu_fetch(struct cpu *c, ea_t ea, pa_t *pa);

/* The physical address of data at ea; the access must not cross a page.
 * EXC_DSI: c->cause holds the DSISR bits and c->dar is ea. */
enum exc mmu_data(struct cpu *c, ea_t ea, bool store, pa_t *pa);

/* Asked before mmu_data by lwarx, stwcx. and (`external`) eciwx and ecowx:
 * EXC_DSI with bit 5 where they may not go at all. */
enum exc mmu_reserved(struct cpu *c, ea_t ea, bool store, bool external);

/* Does ea go to a direct-store segment? Cache control does nothing there. */
bool mmu_direct_store(const struct cpu *c, ea_t ea);

/* For a debugger or a tracer: the physical address that an access of this kind
 * would go to, allowed or not. Leaves no trace. False: there is none. */
bool mmu_peek(const struct cpu *c, ea_t ea, enum tlb_kind kind, pa_t *pa);

/* Could an access of this kind be made now without an exception and without
 * setting R or C? Leaves no trace; *pa is set if so. */
bool mmu_ready(const struct cpu *c, ea_t ea, enum tlb_kind kind, pa_t *pa);
/* The same, whatever R and C say. */
bool mmu_allows(const struct cpu *c, ea_t ea, enum tlb_kind kind, pa_t *pa);

/* WIMG of an access that has been translated, or needs no translation. */
unsigned mmu_wimg(const struct cpu *c, ea_t ea, enum tlb_kind kind);

/* How the hardware would find the page of ea: the table lines it reads, in
 * order. What it stores stands in the step. */
struct walk {
    uint32_t vsid;
    unsigned lines;   /* 0: a block covers ea, or there is no page */
    pa_t line[4];     /* port->line_bytes each, an entry every 8 bytes */
    unsigned entries; /* looked at */
};

/* Describe the walk for an access that has been translated. Changes nothing.
 * Translation for this kind must be on. */
void mmu_walk(const struct cpu *c, ea_t ea, enum tlb_kind kind, struct walk *w);

/* Forget what tlbie names: every page with these EA bits 14 to 19. */
void tlb_forget(struct tlb *t, ea_t ea);
/* A register that translation reads has changed: forget all. */
void tlb_clear(struct tlb *t);

/* Is the answer remembered? MSR[DR] or MSR[IR] must be on. */
static inline bool tlb_find(const struct cpu *c, enum tlb_kind kind, ea_t ea,
                            pa_t *pa)
{
    const struct tlb *t = c->port->tlb;
    const struct tlb_entry *e;

    if (!t)
        return false;
    e = &t->entry[c->msr / MSR_PR & 1][kind][ea >> 12 & (TLB_ENTRIES - 1)];
    if (e->tag != ((ea & ~0xFFFu) | 1))
        return false;
    *pa = e->page | (ea & 0xFFF);
    return true;
}

/* Is ea, not of a fetch, known to be memory that is cached and written back?
 * False: it is not, or that is not remembered. */
static inline bool mmu_plain(const struct cpu *c, ea_t ea, enum tlb_kind kind)
{
    pa_t pa;

    return !(c->msr & MSR_DR) ||
           (tlb_find(c, kind, ea, &pa) &&
            !(c->port->tlb->wimg[c->msr / MSR_PR & 1][kind]
                                [ea >> 12 & (TLB_ENTRIES - 1)] &
              (WIMG_W | WIMG_I)));
}

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool tlb_state(struct snap *s, struct tlb *t);

#endif
