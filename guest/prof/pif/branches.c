/* branches.c - driver of the branch record (docs/pif.md 13): at every tick of
 * the profiler by time (tprof.c) the latest branches are written; the record is
 * frozen from the exception on until it has been read.
 */
#include "guest/prof/pif/pif.h"

#define SPR_BRC 761
#define SPR_BRS 762
#define SPR_BRF 763
#define SPR_BRT 764
#define BRANCHES 8

#define BRANCHES_ON (BRC_ON | BRC_SU | BRC_FZ)

static volatile bool branches; /* recorded */
static volatile uint32_t written;

/* This processor's registers: what was asked for changed. Interrupts are off.
 */
void branches_control(void)
{
    mtspr(SPR_BRC, branches ? BRANCHES_ON | BRC_CLEAR : 0);
}

/* A tick interrupted f; the record is frozen. */
static void branches_tick(struct cpu *c, const struct trap_frame *f)
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
    trace_branches(c, f->srr0, n, pairs);
    atomic_add(&written, 1);
}

/* The exception is served: record again. */
static void branches_thaw(struct cpu *c, const struct thread *t)
{
    (void)c;
    (void)t;
    if (branches)
        mtspr(SPR_BRC, BRANCHES_ON);
}

static struct hook thaw = {.call = branches_thaw};

bool branches_run(const struct options *o)
{
    bool good;

    branches = true;
    hook_add(&trap_hooks, &thaw);
    pif_follow(true);
    tprof_start(branches_tick);
    good = autopif_go(o);
    branches = false;
    pif_follow(false);
    tprof_stop();
    hook_remove(&trap_hooks, &thaw);
    kprintf("pif: the branch record was read %u times\n", written);
    return good & report_check(written > 0, "the branch record was read");
}
