/* precise.c - every instruction of a function is marked with an indicator
 * exception and a counter: it does what it does without, each exception is in
 * front of an instruction that then executes, once, and none comes from a wrong
 * path. A bare-metal program; its exit status is the number of things that are
 * not so.
 */
#include "tests/pif/common.h"

#define TIMES 700
#define MOST 64

extern uint32_t work(uint32_t n), work_end[], table[64];
static const uint32_t *const code = (const uint32_t *)work;

static uint32_t before[MOST], others;

void handle(struct frame *f)
{
    if (f->vector == 0x1500) {
        uint32_t ia = mfspr(SPR_PIFIA);

        is("cause", mfspr(SPR_PIFX), PIFX_INSN);
        is("place", ia, f->srr0);
        before[(ia - (uint32_t)code) / 4 % MOST]++;
    } else { /* of its own: go on behind it */
        others++;
        if (f->vector != 0xC00)
            f->srr0 += 4;
        f->srr1 &= ~SRR1_RESUME;
    }
    f->srr1 |= MSR_RI;
}

static uint32_t result(void)
{
    for (uint32_t n = 0; n < 64; n++)
        table[n] = 7 * n;
    others = 0;
    return work(TIMES);
}

int main(void)
{
    uint32_t plain, own, total = 0, n;

    install();
    turn_on(MODE);
    register_segment();
    mtmsr(mfmsr() | MSR_EE | MSR_RI);
    plain = result();
    own = others;
    for (const uint32_t *k = code; k < work_end; k++)
        mark(k, IND_EXC | IND_COUNT, 0);
    pifsync();
    is("result", result(), plain);
    is("its own exceptions", others, own);
    is("lost", mfspr(SPR_PIFLOST), 0);
    mtspr(SPR_PIFM, MODE & ~PIFM_XE);
    for (n = 0; code + n < work_end; n++) {
        uint32_t executed = rdic(&code[n]);

        total += executed;
        if (code[n] == 0x7FE00008 || code[n] >> 26 == 46) /* trap, lmw */
            is("not executed", executed, 0);
        else
            is("executed", executed, before[n]);
    }
    is("a loop", total > 10 * TIMES, 1);
    is("exceptions of all kinds", own > 30, 1);
    if (!failures)
        print("all right\n");
    return (int)failures;
}
