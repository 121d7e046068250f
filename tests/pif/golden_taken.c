/* golden_taken.c - golden.c continued: exceptions that wait, are lost, are
 * resumed. */
#include <stddef.h>

#include "tests/pif/golden.h"

void marks_wait_while_ee_is_off(void)
{
    unmark_all();
    forget();
    mark(&run12[2], IND_EXC, 0);
    mark(&run12[4], IND_EXC, 0);
    mark(&run12[6], IND_EXC, 0);
    pifsync();
    mtmsr(mfmsr() & ~MSR_EE);
    call(run12, 0);
    is("none while EE is 0", seen.count, 0);
    is("pending", (mfspr(SPR_PIFS) & PIFS_PENDING) != 0, 1);
    is("lost", mfspr(SPR_PIFLOST), 2);
    mtmsr((mfmsr() | MSR_EE) & ~MSR_RI);
    is("none while RI is 0", seen.count, 0);
    mtmsr(mfmsr() | MSR_RI);
    is("then one", seen.count, 1);
    is("of the first", seen.ia, (uint32_t)&run12[2]);
    mtspr(SPR_PIFLOST, 0);
    call(run12, 0);
    is("each of them", seen.count, 4);
    is("none lost", mfspr(SPR_PIFLOST), 0);
}

void what_was_resumed_runs_once(void)
{
    unmark_all();
    forget();
    mark(trap_at, IND_EXC | IND_COUNT, 0);
    mark(&trap_at[1], IND_EXC | IND_COUNT, 0);
    pifsync();
    call(trapping, 0);
    is("one for the trap, one for itself, one more", seen.count, 3);
    is("trap is not executed", rdic(trap_at), 0);
    is("the next is, once", rdic(&trap_at[1]), 1);
    is("resume bit", seen.srr1 & SRR1_RESUME, SRR1_RESUME);
}

/* Every instruction on the way into and out of a handler is marked. */
void trap_entry_may_be_marked(void)
{
    uint32_t n = 0;

    unmark_all();
    forget();
    for (const uint32_t *k = enter; k != enter_end; k++, n++)
        mark(k, IND_EXC | IND_COUNT, 0);
    for (uint32_t *k = (uint32_t *)0x700; k < (uint32_t *)0x724; k++)
        mark(k, IND_EXC, 0);
    pifsync();
    call(trapping, 0);
    mtspr(SPR_PIFM, 0);
    is("torture: the trap came", seen.count >= 1, 1);
    is("torture: some are lost", mfspr(SPR_PIFLOST) > 10, 1);
    is("torture: instructions", n > 20, 1);
    mtspr(SPR_PIFS, PIFS_PENDING);
    mtspr(SPR_PIFM, MODE);
}

void data_exceptions_come_behind(void)
{
    unmark_all();
    forget();
    mark(&array[40], IND_EXC, 0);
    pifsync();
    array[40] = 99;
    is("data exception", seen.count, 1);
    is("data cause", seen.cause, PIFX_DATA);
    is("data address", seen.da, (uint32_t)&array[40]);
    is("behind the store", seen.srr0, seen.ia + 4);
    unmark_all();
    is("stored", array[40], 99);
    forget();
    mark(&array[41], IND_COUNT | IND_LIMIT, 2);
    pifsync();
    array[41] = 1;
    array[41] = 2;
    is("limit not passed", seen.count, 0);
    array[41] = 3;
    is("limit passed", seen.count, 1);
    is("cause", seen.cause, PIFX_DATA_LIMIT);
}

/* A slow instruction, and a slow word, interrupt once each. */
void exceedances_may_interrupt(void)
{
    unmark_all();
    forget();
    set_thresholds(0, 50, 100);
    mark(&divide_at[0], IND_TH0 | IND_THEXC, 0);
    pifsync();
    call(divide, 0);
    is("slow instruction", seen.count, 1);
    is("its cause", seen.cause, PIFX_INSN_THRESHOLD);
    is("itself", seen.ia, (uint32_t)&divide_at[0]);
    is("behind it", seen.srr0, (uint32_t)&divide_at[1]);
    unmark_all();
    forget();
    mark(&array[12], IND_TH0 | IND_THEXC, 0);
    pifsync();
    call(load, (uint32_t)&array[12]);
    is("slow word", seen.count, 1);
    is("its cause", seen.cause, PIFX_DATA_THRESHOLD);
    is("its address", seen.da, (uint32_t)&array[12]);
    is("its reader", seen.ia, (uint32_t)&load_at[0]);
    set_thresholds(10, 50, 100);
}

/* From the instruction behind the access on. */
