/* rules.c - rules of docs/pif.md in corners: which of several causes of one
 * instruction is signalled, and in which states marks are looked up. A
 * bare-metal program; its exit status is the number of things that are not as
 * the book says.
 */
#include "tests/pif/common.h"

#define MSR_PM 0x0004u

typedef uint32_t code[];
extern code load, load_at, leaf, leaf_at;

static volatile uint32_t array[16] __attribute__((aligned(64)));
static volatile uint32_t exceptions, cause, ia, da;

static uint32_t call(const void *f, uint32_t argument)
{
    return ((uint32_t(*)(uint32_t))f)(argument);
}

void handle(struct frame *f)
{
    if (f->vector == 0x1500) {
        exceptions++;
        cause = mfspr(SPR_PIFX);
        ia = mfspr(SPR_PIFIA);
        da = mfspr(SPR_PIFDA);
    } else if (f->vector == 0xC00) { /* back from user state */
        f->srr1 &= ~(MSR_PR | MSR_PM);
    }
    f->srr1 |= MSR_RI;
}

/* ---- several causes of one instruction ---------------------------------- */

/* `load` reads array[0] with these two marks. */
static void load_with(uint32_t insn, uint32_t data)
{
    unmark_all();
    mark(load_at, insn, 0);
    mark(&array[0], data, 0);
    pifsync();
    exceptions = cause = 0;
    mtspr(SPR_PIFLOST, 0);
    call(load, (uint32_t)&array[0]);
}

static void lowest_cause_is_signalled(void)
{
    mtspr(SPR_PIFTH0, 0);
    load_with(IND_LIMIT, IND_EXC);
    is("limit and data exception", cause, PIFX_DATA);
    is("one of them", exceptions, 1);
    is("the other is lost", mfspr(SPR_PIFLOST), 1);
    is("its data", da, (uint32_t)&array[0]);
    load_with(IND_TH0 | IND_THEXC, IND_LIMIT);
    is("threshold and data limit", cause, PIFX_DATA_LIMIT);
    load_with(IND_TH0 | IND_THEXC | IND_LIMIT, IND_LIMIT | IND_TH0 | IND_THEXC);
    is("all four", cause, PIFX_INSN_LIMIT);
    is("itself", ia, (uint32_t)load_at);
    is("three are lost", mfspr(SPR_PIFLOST), 3);
    load_with(IND_LIMIT, IND_TH0 | IND_THEXC);
    is("limit and data threshold", cause, PIFX_INSN_LIMIT);
    load_with(IND_EXC, IND_EXC);
    is("before and behind", exceptions, 2);
    is("nothing is lost", mfspr(SPR_PIFLOST), 0);
    unmark_all();
    mark(&array[2], IND_TH0 | IND_THEXC, 0);
    mark(&array[3], IND_EXC, 0);
    pifsync();
    exceptions = 0;
    __asm__ volatile("lfd 1,0(%0)" ::"b"(&array[2]) : "fr1");
    is("two words", exceptions, 1);
    is("the exception", cause, PIFX_DATA);
    is("of the second", da, (uint32_t)&array[3]);
    mtspr(SPR_PIFTH0, 10);
}

/* ---- where marks are looked up ------------------------------------------- */

/* Calls of leaf counted in the four states: a bit each, supervisor 1, user 2,
 * the same with MSR[PM] 4 and 8. */
static uint32_t states(uint32_t mode)
{
    uint32_t seen = 0, at = 0;

    mtspr(SPR_PIFM, mode);
    for (uint32_t s = 0; s < 4; s++) {
        uint32_t msr = (s & 1 ? MSR_PR : 0) | (s & 2 ? MSR_PM : 0), now;

        __asm__ volatile("mtmsr %0; isync" ::"r"(mfmsr() | msr) : "memory");
        call(leaf, 0);
        __asm__ volatile("sc" ::: "memory");
        now = rdic(leaf_at);
        seen |= (now - at) << s;
        at = now;
    }
    mtspr(SPR_PIFM, MODE);
    return seen;
}

static void enables_are_two_of_each(void)
{
    const uint32_t on = PIFM_IE | PIFM_DE;

    for (uint32_t k = 0; k < 16; k++) {
        uint32_t want = (k & 1 ? 5 : 0) | (k & 2 ? 10 : 0);

        want &= (k & 4 ? 3u : 0) | (k & 8 ? 12 : 0);
        unmark_all();
        mark(leaf_at, IND_COUNT, 0);
        pifsync();
        is("states",
           states(on | (k & 1 ? PIFM_SU : 0) | (k & 2 ? PIFM_US : 0) |
                  (k & 4 ? PIFM_P0 : 0) | (k & 8 ? PIFM_P1 : 0)),
           want);
    }
}

int main(void)
{
    install();
    turn_on(MODE);
    register_segment();
    mtmsr(mfmsr() | MSR_EE | MSR_RI | 0x2000);
    lowest_cause_is_signalled();
    enables_are_two_of_each();
    if (!failures)
        print("all right\n");
    return (int)failures;
}
