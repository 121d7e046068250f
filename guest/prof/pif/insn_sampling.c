/* insn_sampling.c - driver of sampled instructions and of the branch record
 * (docs/pif.md 13).
 *
 *   insns     every so many dispatched instructions one is followed; when it is
 *             through, exception 7 comes, and its record is written
 *   branches  at every tick of the profiler by time (tprof.c) the latest
 *             branches are written; the record is frozen from the exception on
 *             until it has been read
 */
#include "guest/kernel/defs.h"

#define SPR_SIC 752
#define SPR_SIP 753
#define SPR_SIN 754
#define SPR_SIPC 755
#define SPR_SIEA 756
#define SPR_SIF 757
#define SPR_SISA 758
#define SPR_SISB 759
#define SPR_SIDL 760
#define SPR_BRC 761
#define SPR_BRS 762
#define SPR_BRF 763
#define SPR_BRT 764
#define BRANCHES 8

#define BRANCHES_ON (BRC_ON | BRC_SU | BRC_FZ)

static volatile uint32_t period; /* 0: nothing is followed */
static volatile bool branches;   /* recorded */
static volatile uint32_t written;

/* ---- this processor's registers ------------------------------------------ */

/* What was asked for changed. Interrupts are off. */
void followed_control(struct cpu *c)
{
    mtspr(SPR_SIC, 0);
    mtspr(SPR_SIF, 0);
    if (period) {
        mtspr(SPR_SIC, options()->dither ? SIC_DI : 0);
        mtspr(SPR_SIP, period);
        c->followed_in = mfspr(SPR_SIN);
        mtspr(SPR_SIC,
              SIC_ON | SIC_SU | SIC_XE | (options()->dither ? SIC_DI : 0));
    }
    mtspr(SPR_BRC, branches ? BRANCHES_ON | BRC_CLEAR : 0);
}

/* ---- sampled instructions ------------------------------------------------ */

/* Exception 7. Its record is gone when SIF is cleared; the next one is as many
 * instructions away as SIN says. It may have waited until nobody wanted it any
 * more. */
void followed_interrupt(struct cpu *c, const struct trap_frame *f)
{
    uint32_t pcs[STACK_DEPTH], w[SAMPLED_WORDS];
    uint32_t flags = mfspr(SPR_SIF), early = mfspr(SPR_SISA);
    uint32_t late = mfspr(SPR_SISB), data = mfspr(SPR_SIDL);

    if (!(flags & SIF_VALID))
        return;
    record_put_sampled_flags(w, (flags & ~(uint32_t)SIF_VALID) | SAMPLED_GUEST);
    record_put_sampled_pc(w, mfspr(SPR_SIPC));
    record_put_sampled_address(w, mfspr(SPR_SIEA));
    record_put_sampled_dispatch(w, early >> 16);
    record_put_sampled_issue(w, early & 0xFFFF);
    record_put_sampled_finish(w, late >> 16);
    record_put_sampled_end(w, late & 0xFFFF);
    record_put_sampled_access(w, data >> 16);
    record_put_sampled_oldest(w, data & 0xFFFF);
    record_put_sampled_passed(w, c->followed_in);
    record_put_sampled_depth(w, stack_walk_trap(f, pcs, STACK_DEPTH));
    c->followed_in = mfspr(SPR_SIN);
    trace_sampled(c, w, pcs);
    atomic_add(&written, 1);
    mtspr(SPR_SIF, 0);
}

/* ---- the branch record --------------------------------------------------- */

/* A tick interrupted the thread at pc; the record is frozen. */
void branches_tick(const struct cpu *c, uint32_t pc)
{
    uint32_t pairs[2 * BRANCHES];
    uint32_t n = 0;

    if (!branches)
        return;
    for (; n < BRANCHES; n++) {
        mtspr(SPR_BRS, n);
        pairs[2 * n] = mfspr(SPR_BRF);
        pairs[2 * n + 1] = mfspr(SPR_BRT);
        if (!pairs[2 * n])
            break;
    }
    trace_branches(c, pc, n, pairs);
    atomic_add(&written, 1);
}

/* The exception is served: record again. */
void branches_thaw(void)
{
    if (branches)
        mtspr(SPR_BRC, BRANCHES_ON);
}

/* ---- runs ---------------------------------------------------------------- */

static bool followed_run(const struct options *o)
{
    bool good;

    written = 0;
    pif_follow(true);
    good = autopif_go(o);
    period = 0;
    branches = false;
    pif_follow(false);
    return good;
}

bool insns_run(const struct options *o)
{
    bool good;

    period = o->pif_number ? o->pif_number : 1000;
    good = followed_run(o);
    kprintf("pif: %u instructions were followed, %u interrupts lost\n", written,
            pif_lost_all());
    return good & autopif_say(written > 0, "instructions were followed");
}

bool branches_run(const struct options *o)
{
    bool good;

    branches = true;
    tprof_run(true);
    good = followed_run(o);
    tprof_run(false);
    kprintf("pif: the branch record was read %u times\n", written);
    return good & autopif_say(written > 0, "the branch record was read");
}
