/* insn_sampling.c - driver of sampled instructions (docs/pif.md 13): every so
 * many dispatched instructions one is followed; when it is through, exception 7
 * comes, and its record is written.
 */
#include "guest/prof/pif/pif.h"

#define SPR_SIC 752
#define SPR_SIP 753
#define SPR_SIN 754
#define SPR_SIPC 755
#define SPR_SIEA 756
#define SPR_SIF 757
#define SPR_SISA 758
#define SPR_SISB 759
#define SPR_SIDL 760

static volatile uint32_t period; /* 0: nothing is followed */
static volatile uint32_t written;
static uint32_t passes[MAX_CPUS]; /* instructions up to the next one */

/* What was asked for changed. Interrupts are off. */
void insn_sampling_control(struct cpu *c)
{
    mtspr(SPR_SIC, 0);
    mtspr(SPR_SIF, 0);
    if (period) {
        mtspr(SPR_SIC, idle_options()->dither ? SIC_DI : 0);
        mtspr(SPR_SIP, period);
        passes[c->number] = mfspr(SPR_SIN);
        mtspr(SPR_SIC,
              SIC_ON | SIC_SU | SIC_XE | (idle_options()->dither ? SIC_DI : 0));
    }
}

/* Exception 7. Its record is gone when SIF is cleared; the next one is as many
 * instructions away as SIN says. It may come after sampling was turned
 * off. */
static void followed(struct cpu *c, const struct trap_frame *f)
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
    record_put_sampled_passed(w, passes[c->number]);
    record_put_sampled_depth(w, stack_walk_trap(f, pcs, STACK_DEPTH));
    passes[c->number] = mfspr(SPR_SIN);
    trace_sampled(c, w, pcs);
    atomic_add(&written, 1);
    mtspr(SPR_SIF, 0);
}

static void insn_sampling_interrupt(struct cpu *c, const struct trap_frame *f)
{
    if (mfspr(SPR_PIFX) == PIFX_SAMPLED)
        followed(c, f);
}
HOOK(marker, 110, insn_sampling_interrupt);

bool insn_sampling_run(const struct options *o)
{
    bool good;

    period = pif_options()->number ? pif_options()->number : 1000;
    written = 0;
    pif_follow(true);
    good = autopif_go(o);
    period = 0;
    pif_follow(false);
    kprintf("pif: %u instructions were followed, %u interrupts lost\n", written,
            pif_lost_all());
    return good & report_check(written > 0, "instructions were followed");
}
