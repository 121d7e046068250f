/* mmu.c - translation as a function of registers and tables (PEM ch. 7).
 * Knows block and segment registers, the hashed page table and the 604e's
 * rule that the processor keeps R and C. Holds nothing but the answers that
 * a struct tlb remembers.
 */
#include "isa/mmu.h"

#include <string.h>

#include "isa/phys.h"
#include "lib/base/snap.h"

/* SRR1 and DSISR say the same with the same bits. */
#define NO_TRANSLATION 0x40000000u
#define NO_EXECUTE 0x10000000u /* N=1, guarded or T=1: fetch only */
#define PROTECTED 0x08000000u
#define DIRECT_STORE 0x80000000u
#define DSISR_STORE 0x02000000u

#define RESERVED_ACCESS 0x04000000u /* lwarx and the like where T=1 */

#define NO_PAGE 1u /* is none: pages are aligned */

#define SR_T 0x80000000u
#define SR_KS 0x40000000u
#define SR_KP 0x20000000u
#define SR_N 0x10000000u

#define PTE_VALID 0x80000000u
#define PTE_SECOND 0x40u /* H */
#define PTE_R 0x100u
#define PTE_C 0x80u
#define PTE_GUARDED 0x8u

#define ENTRY_BYTES 8u
#define GROUP_BYTES 64u /* of eight entries */

/* One question: who asks for what, and the answer so far. */
struct question {
    struct cpu *c;
    ea_t ea;
    enum tlb_kind kind;
    pa_t page;
    uint8_t wimg;
    bool peek;   /* a debugger asks: nothing is marked or remembered */
    bool marked; /* R, and C for a store, stand in the entry */
};

static bool user_mode(const struct question *q)
{
    return q->c->msr & MSR_PR;
}

/* ---- blocks (PEM 7.4) ---------------------------------------------------- */

/* 0, or why the block refuses. PP 0 none, 1 and 3 read only, 2 all. */
static uint32_t block_allows(const struct question *q, unsigned pp)
{
    if (pp == 0 || (q->kind == TLB_STORE && pp != 2))
        return PROTECTED;
    return 0;
}

/* Does a block cover ea? Then *why is 0 or the refusal. */
static bool block_find(struct question *q, uint32_t *why)
{
    const uint32_t *bat = q->kind == TLB_FETCH ? q->c->ibat : q->c->dbat;
    uint32_t valid = user_mode(q) ? 1 : 2;

    if (!((bat[0] | bat[2] | bat[4] | bat[6]) & valid))
        return false;
    for (unsigned n = 0; n < 8; n += 2) {
        uint32_t upper = bat[n], lower = bat[n + 1];
        uint32_t inside = (upper << 15 & 0x0FFE0000u) | 0x1FFFFu;

        if (!(upper & valid) || ((q->ea ^ upper) & 0xFFFE0000u & ~inside) != 0)
            continue;
        *why = block_allows(q, lower & 3);
        q->wimg = lower >> 3 & 15;
        q->marked = true;
        q->page = (lower & 0xFFFE0000u & ~inside) | (q->ea & inside & ~0xFFFu);
        return true;
    }
    return false;
}

/* ---- pages (PEM 7.6) ----------------------------------------------------- */

static uint32_t page_allows(const struct question *q, uint32_t sr, unsigned pp)
{
    bool key = sr & (user_mode(q) ? SR_KP : SR_KS);
    bool reads = !key || pp != 0, writes = key ? pp == 2 : pp != 3;

    return (q->kind == TLB_STORE ? writes : reads) ? 0 : PROTECTED;
}

/* The group of eight entries that a hash names (SDR1, PEM 7.6.1). */
static pa_t group_of(const struct cpu *c, uint32_t hash)
{
    uint32_t mask = (c->sdr1 & 0x1FF) << 16 | 0xFFC0u;

    return (c->sdr1 & 0xFFFF0000u) | (hash << 6 & mask);
}

/* The entry that holds ea's page: its address, or 0xFFFFFFFF. */
static pa_t entry_find(const struct question *q, uint32_t sr)
{
    const struct cpu *c = q->c;
    uint32_t vsid = sr & 0xFFFFFF, index = q->ea >> 12 & 0xFFFF;
    uint32_t hash = (vsid & 0x7FFFF) ^ index;
    uint32_t want = PTE_VALID | vsid << 7 | index >> 10;

    for (unsigned second = 0; second < 2; second++) {
        pa_t group = group_of(c, second ? ~hash : hash);

        if (!phys_is_ram(c, group, GROUP_BYTES))
            continue; /* no device answers: no entry there */
        for (pa_t at = group; at < group + GROUP_BYTES; at += ENTRY_BYTES)
            if (phys_get(c->port->ram + at, 4) ==
                (want | (second ? PTE_SECOND : 0)))
                return at;
    }
    return 0xFFFFFFFFu;
}

/* R, and C for a store, are set in memory; the step says so. */
static void entry_mark(const struct question *q, pa_t at, uint32_t low)
{
    struct step *s = &q->c->step;

    phys_put(q->c->port->ram + at + 4, 4, low);
    phys_stored(q->c, at + 4, 4);
    if (s->marks < STEP_MARKS)
        s->mark[s->marks++] =
            (struct access){q->ea, at + 4, 4, ACCESS_MARK, false};
}

static uint32_t page_find(struct question *q)
{
    uint32_t sr = q->c->sr[q->ea >> 28], low, why;
    uint32_t marks = PTE_R | (q->kind == TLB_STORE ? PTE_C : 0);
    pa_t at;

    if (sr & SR_T)
        return q->kind == TLB_FETCH ? NO_EXECUTE : DIRECT_STORE;
    if (q->kind == TLB_FETCH && sr & SR_N)
        return NO_EXECUTE;
    at = entry_find(q, sr);
    if (at == 0xFFFFFFFFu)
        return NO_TRANSLATION;
    low = phys_get(q->c->port->ram + at + 4, 4);
    if (q->kind == TLB_FETCH && low & PTE_GUARDED)
        return NO_EXECUTE;
    why = page_allows(q, sr, low & 3);
    q->marked = (low & marks) == marks;
    if (!why && !q->peek && !q->marked)
        entry_mark(q, at, low | marks);
    q->page = low & ~0xFFFu;
    q->wimg = low >> 3 & 15;
    return why;
}

/* ---- both ---------------------------------------------------------------- */

static void remember(const struct question *q)
{
    struct tlb *t = q->c->port->tlb;
    unsigned n = q->ea >> 12 & (TLB_ENTRIES - 1);

    if (!t)
        return;
    t->entry[user_mode(q)][q->kind][n] =
        (struct tlb_entry){(q->ea & ~0xFFFu) | 1, q->page};
    t->wimg[user_mode(q)][q->kind][n] = q->wimg;
    t->epoch[n % TLB_EPOCHS] += 2;
}

/* 0 and *pa, or the bits that say why not. */
static uint32_t translate(struct cpu *c, ea_t ea, enum tlb_kind kind, pa_t *pa)
{
    struct question q = {.c = c, .ea = ea, .kind = kind};
    uint32_t why;

    if (tlb_find(c, kind, ea, pa))
        return 0;
    if (!block_find(&q, &why))
        why = page_find(&q);
    if (why)
        return why;
    remember(&q);
    *pa = q.page | (ea & 0xFFF);
    return 0;
}

static struct question peek(const struct cpu *c, ea_t ea, enum tlb_kind kind)
{
    return (struct question){.c = (struct cpu *)c,
                             .ea = ea,
                             .kind = kind,
                             .page = NO_PAGE,
                             .peek = true};
}

static bool translates(const struct cpu *c, enum tlb_kind kind)
{
    return c->msr & (kind == TLB_FETCH ? MSR_IR : MSR_DR);
}

static __attribute__((noinline)) bool peek_further(const struct cpu *c, ea_t ea,
                                                   enum tlb_kind kind, pa_t *pa)
{
    struct question q = peek(c, ea, kind);
    uint32_t why;

    if (!block_find(&q, &why))
        page_find(&q);
    *pa = q.page | (ea & 0xFFF);
    return q.page != NO_PAGE;
}

bool mmu_peek(const struct cpu *c, ea_t ea, enum tlb_kind kind, pa_t *pa)
{
    *pa = ea;
    return !translates(c, kind) || tlb_find(c, kind, ea, pa) ||
           peek_further(c, ea, kind, pa);
}

bool mmu_ready(const struct cpu *c, ea_t ea, enum tlb_kind kind, pa_t *pa)
{
    struct question q = peek(c, ea, kind);
    uint32_t why;

    *pa = ea;
    if (!translates(c, kind) || tlb_find(c, kind, ea, pa))
        return true;
    if (!block_find(&q, &why))
        why = page_find(&q);
    *pa = q.page | (ea & 0xFFF);
    return !why && q.marked;
}

bool mmu_allows(const struct cpu *c, ea_t ea, enum tlb_kind kind, pa_t *pa)
{
    struct question q = peek(c, ea, kind);
    uint32_t why;

    *pa = ea;
    if (!translates(c, kind) || tlb_find(c, kind, ea, pa))
        return true;
    if (!block_find(&q, &why))
        why = page_find(&q);
    *pa = q.page | (ea & 0xFFF);
    return !why;
}

unsigned mmu_wimg(const struct cpu *c, ea_t ea, enum tlb_kind kind)
{
    struct question q = peek(c, ea, kind);
    uint32_t why;
    pa_t pa;

    if (!translates(c, kind))
        return WIMG_M | WIMG_G;
    if (tlb_find(c, kind, ea, &pa))
        return c->port->tlb->wimg[c->msr / MSR_PR & 1][kind]
                                 [ea >> 12 & (TLB_ENTRIES - 1)] &
               WIMG_BITS;
    if (!block_find(&q, &why))
        page_find(&q);
    return q.wimg;
}

void mmu_walk(const struct cpu *c, ea_t ea, enum tlb_kind kind, struct walk *w)
{
    struct question q = peek(c, ea, kind);
    uint32_t sr = c->sr[ea >> 28], why, hash;
    uint32_t bytes = c->port->line_bytes;
    pa_t found;

    *w = (struct walk){.vsid = sr & 0xFFFFFF};
    if (block_find(&q, &why) || sr & SR_T)
        return;
    found = entry_find(&q, sr);
    if (found == 0xFFFFFFFFu)
        return;
    hash = (w->vsid & 0x7FFFF) ^ (ea >> 12 & 0xFFFF);
    for (unsigned n = 0; n < 2 * GROUP_BYTES; n += bytes) {
        pa_t at = group_of(c, n < GROUP_BYTES ? hash : ~hash) + n % GROUP_BYTES;

        w->line[w->lines++] = at;
        if (found >= at && found < at + bytes) {
            w->entries += (found - at) / ENTRY_BYTES + 1;
            return;
        }
        w->entries += bytes / ENTRY_BYTES;
    }
}

/* IABR: word address in bits 0-29, 30 enables, 31 must equal MSR[IR] (604
 * UM 4.6). */
static bool iabr_hit(const struct cpu *c, ea_t ea)
{
    bool translated = c->msr & MSR_IR;

    return (ea & ~3u) == (c->iabr & ~3u) && translated == (c->iabr & 1);
}

enum exc mmu_fetch(struct cpu *c, ea_t ea, pa_t *pa)
{
    uint32_t why;

    c->step.marks = 0;
    if (UNLIKELY(c->iabr & IABR_ENABLE) && iabr_hit(c, ea)) {
        c->cause = 0;
        return EXC_IABR;
    }
    if (!(c->msr & MSR_IR)) {
        *pa = ea;
        return EXC_NONE;
    }
    why = translate(c, ea, TLB_FETCH, pa);
    if (!why)
        return EXC_NONE;
    c->cause = why;
    return EXC_ISI;
}

enum exc mmu_data(struct cpu *c, ea_t ea, bool store, pa_t *pa)
{
    uint32_t why;

    if (!(c->msr & MSR_DR)) {
        *pa = ea;
        return EXC_NONE;
    }
    why = translate(c, ea, store ? TLB_STORE : TLB_LOAD, pa);
    if (!why)
        return EXC_NONE;
    c->cause = why | (store ? DSISR_STORE : 0);
    c->dar = ea;
    return EXC_DSI;
}

bool mmu_direct_store(const struct cpu *c, ea_t ea)
{
    struct question q = peek(c, ea, TLB_LOAD);
    uint32_t why;

    return (c->msr & MSR_DR) && (c->sr[ea >> 28] & SR_T) &&
           !block_find(&q, &why);
}

/* eciwx, ecowx, lwarx and stwcx. have no business where T=1, nor the first two
 * in memory that is written through (604e technical summary p.29, bit 5). */
enum exc mmu_reserved(struct cpu *c, ea_t ea, bool store, bool external)
{
    enum tlb_kind kind = store ? TLB_STORE : TLB_LOAD;

    if (!mmu_direct_store(c, ea) &&
        !(external && mmu_wimg(c, ea, kind) & WIMG_W))
        return EXC_NONE;
    c->cause = RESERVED_ACCESS | (store ? DSISR_STORE : 0);
    c->dar = ea;
    return EXC_DSI;
}

/* ---- forgetting ---------------------------------------------------------- */

void tlb_forget(struct tlb *t, ea_t ea)
{
    for (unsigned user = 0; user < 2; user++)
        for (unsigned kind = 0; kind < 3; kind++)
            for (unsigned n = ea >> 12 & 63; n < TLB_ENTRIES; n += 64)
                t->entry[user][kind][n].tag = t->wimg[user][kind][n] = 0;
    t->epoch[ea >> 12 & (TLB_EPOCHS - 1)] += 2;
}

static void pass_epochs(struct tlb *t)
{
    for (unsigned n = 0; n < TLB_EPOCHS; n++)
        t->epoch[n] += 2;
}

void tlb_clear(struct tlb *t)
{
    memset(t->wimg, 0, sizeof t->wimg);
    memset(t->entry, 0, sizeof t->entry);
    pass_epochs(t);
}

/* ---- save and load -------------------------------------------------------
 */

bool tlb_state(struct snap *s, struct tlb *t)
{
    snap_begin(s, "tlb", 1);
    for (unsigned user = 0; user < 2; user++)
        for (unsigned kind = 0; kind < 3; kind++) {
            for (unsigned n = 0; n < TLB_ENTRIES; n++)
                t->wimg[user][kind][n] &= WIMG_BITS;
            SNAP_ARRAY(s, t->wimg[user][kind]);
            for (unsigned n = 0; n < TLB_ENTRIES; n++) {
                SNAP(s, t->entry[user][kind][n].tag);
                SNAP(s, t->entry[user][kind][n].page);
            }
        }
    SNAP_SKIP(s, t->epoch, "of the host's, who is told that all has changed");
    pass_epochs(t);
    return snap_end(s);
}
