/* golden.c - the worked examples of docs/pif.md, run on the machine: a
 * bare-metal program whose exit status is the number of things that are not as
 * the book says.
 */
#include <stddef.h>

#include "tests/pif/golden.h"

volatile uint32_t array[64] __attribute__((aligned(64)));

/* ---- exceptions ---------------------------------------------------------- */

volatile struct seen seen;

void handle(struct frame *f)
{
    seen.count++;
    seen.vector = f->vector;
    seen.srr0 = f->srr0;
    seen.srr1 = f->srr1;
    seen.lr = f->lr;
    seen.cause = mfspr(SPR_PIFX);
    seen.ia = mfspr(SPR_PIFIA);
    seen.da = mfspr(SPR_PIFDA);
    if (f->vector == 0x1500 && seen.cause == PIFX_INSN_LIMIT)
        seen.captured = rdicz((void *)seen.ia);
    if (f->vector == 0x700) { /* skip it, and what was to resume */
        f->srr0 += 4;
        f->srr1 &= ~SRR1_RESUME;
    }
    f->srr1 |= MSR_RI;
}

void forget(void)
{
    seen.count = seen.cause = seen.ia = seen.da = seen.captured = 0;
    mtspr(SPR_PIFLOST, 0);
}

void set_thresholds(uint32_t a, uint32_t b, uint32_t c)
{
    mtspr(SPR_PIFTH0, a);
    mtspr(SPR_PIFTH1, b);
    mtspr(SPR_PIFTH2, c);
}

/* ---- G-H1: marked instructions ------------------------------------------- */

uint32_t completed(const void *f, uint32_t n)
{
    mtspr(SPR_MMCR0, 0);
    mtspr(SPR_PMC1, 0);
    mtspr(SPR_MMCR0, 2u << 6); /* PMC1: instructions completed */
    call(f, n);
    mtspr(SPR_MMCR0, 0x80000000u);
    return mfspr(SPR_PMC1);
}

/* Of the last of four calls, when everything is where it will stay. */
static __attribute__((noinline)) uint32_t cycles(const void *f, uint32_t n)
{
    uint32_t from = 0;

    for (int k = 0; k < 4; k++) {
        from = mfspr(SPR_CYCL);
        call(f, n);
        from = mfspr(SPR_CYCL) - from;
    }
    return from;
}

static void marked_instructions_alone_are_counted(void)
{
    uint32_t plain, with;

    unmark_all();
    plain = cycles(loop10, 1000);
    mark(&loop10_at[1], IND_COUNT | IND_PMU, 0);
    mark(&loop10_at[4], IND_COUNT | IND_PMU, 0);
    mark(&loop10_at[9], IND_COUNT | IND_PMU, 0);
    pifsync();
    with = cycles(loop10, 1000);
    is("H1 cycles", with, plain);
    is("H1 count", rdicz(&loop10_at[1]), 4000);
    is("H1 count", rdicz(&loop10_at[4]), 4000);
    is("H1 count", rdic(&loop10_at[9]), 4000);
    is("H1 neighbour", rdic(&loop10_at[2]), 0);
    mtspr(SPR_PIFF, PIFF_MARKED << 28);
    is("H1 marked", completed(loop10, 1000), 3000);
    mtspr(SPR_PIFF, 0);
    is("H1 all", completed(loop10, 1000) >= 10000, 1);
    rdicz(&loop10_at[4]);
    mtspr(SPR_PIFM, 0);
    mtspr(SPR_PIFF, PIFF_MARKED << 28);
    is("H1 off", completed(loop10, 1000), 0);
    mtspr(SPR_PIFF, 0);
    is("H1 off count", rdic(&loop10_at[4]), 0);
    mtspr(SPR_PIFM, MODE);
}

/* ---- G-H2: data ---------------------------------------------------------- */

static void words_of_data_are_counted(void)
{
    unmark_all();
    mark(&array[2], IND_COUNT, 0);
    mark(&array[5], IND_COUNT, 0);
    mark(&array[33], IND_COUNT | IND_LOADS, 0);
    mark(&array[34], IND_COUNT | IND_STORES, 0);
    pifsync();
    for (int n = 0; n < 100; n++)
        sweep(array);
    is("H2 word 2", rdac(&array[2]), 200);
    is("H2 word 5", rdac(&array[5]), 100);
    is("H2 unmarked", rdac(&array[6]), 0);
    ((volatile uint8_t *)&array[2])[1] = 7;
    is("H2 byte", rdac((volatile uint8_t *)&array[2] + 3), 201);
    (void)*(volatile uint16_t *)((volatile uint8_t *)&array[4] + 3);
    is("H2 across", rdac(&array[5]), 101);
    array[33] = array[33] + 1;
    array[34] = array[34] + 1;
    is("H2 loads", rdacz(&array[33]), 1);
    is("H2 stores", rdacz(&array[34]), 1);
    is("H2 cleared", rdac(&array[34]), 0);
    __asm__ volatile("dcbz 0,%0" ::"r"(&array[0]) : "memory");
    is("H2 dcbz", rdac(&array[2]), 202);
    mark(&array[9], IND_COUNT, 0);
    pifsync();
    __asm__ volatile("lswi 5,%0,8" ::"b"((volatile uint8_t *)&array[8] + 1)
                     : "5", "6");
    is("H2 in two transfers", rdac(&array[9]), 1);
}

/* ---- G-H4: the five entries of figure 16
 * ------------------------------------- */

static void figure_16(void)
{
    uint32_t traced = mfspr(SPR_PIFTC), sum = 0;

    unmark_all();
    forget();
    for (int n = 0; n < 30; n++)
        mark(&straight[n], IND_COUNT, 0);
    mark(&straight[30], IND_EXC, 0);
    mark(&straight[40], IND_TH2, 0);
    mark(&straight[64], IND_TSTART, 0);
    mark(&straight[128], IND_TSTOP, 0);
    pifsync();
    for (int k = 0; k < 5; k++) {
        call(straight, 0);
        is("H4 SRR0", seen.srr0, (uint32_t)&straight[30]);
        is("H4 PIFIA", seen.ia, (uint32_t)&straight[30]);
        is("H4 cause", seen.cause, PIFX_INSN);
    }
    for (int n = 0; n < 30; n++)
        sum += rdic(&straight[n]);
    is("H4 range", sum, 150);
    is("H4 exceptions", seen.count, 5);
    is("H4 threshold", hits(&straight[40]), 0);
    is("H4 traced", mfspr(SPR_PIFTC) - traced, 5 * 64);
}

/* ---- G-H5: a hot instruction
 * -------------------------------------------------- */

static void limit(uint32_t mode, uint32_t n, uint32_t fires, uint32_t rest)
{
    mtspr(SPR_PIFM, mode);
    unmark_all();
    forget();
    mark(leaf_at, IND_COUNT | IND_LIMIT, 13);
    pifsync();
    call(hot, n);
    is("H5 interrupts", seen.count, fires);
    is("H5 residue", rdic(leaf_at), rest);
    is("H5 captured", seen.captured, mode & PIFM_GE ? 13 : 14);
    is("H5 caller", seen.lr, (uint32_t)hot_call);
    is("H5 SRR0", seen.srr0, (uint32_t)&leaf_at[1]);
    mtspr(SPR_PIFM, MODE);
}

/* ---- G-H7, G-H9: ranges and windows
 * ------------------------------------------ */

static void set_range(uint32_t n, const volatile void *low,
                      const volatile void *high)
{
    mtspr(SPR_PIFRS, n);
    mtspr(SPR_PIFRL, (uint32_t)low);
    mtspr(SPR_PIFRH, (uint32_t)high);
    mtspr(SPR_PIFRX, 0);
    mtspr(SPR_PIFRE, 0);
    mtspr(SPR_PIFRC, PIF_RANGE_ON);
}

static void ranges_count_executions_and_entries(void)
{
    unmark_all();
    set_range(0, seven, seven_end);
    set_range(3, outer, outer_end);
    set_range(5, seven, outer_end); /* both */
    for (int n = 0; n < 10; n++) {
        call(seven, 0);
        call(outer, 0);
    }
    mtspr(SPR_PIFRS, 0);
    is("H7 executed", mfspr(SPR_PIFRX), 70);
    is("H7 entries", mfspr(SPR_PIFRE), 10);
    mtspr(SPR_PIFRC, 0);
    mtspr(SPR_PIFRS, 3);
    is("H7 executed", mfspr(SPR_PIFRX), 70);
    is("H7 re-entries", mfspr(SPR_PIFRE), 20);
    mtspr(SPR_PIFRC, 0);
    mtspr(SPR_PIFRS, 5);
    is("H7 overlapping", mfspr(SPR_PIFRX), 140);
    is("H7 overlapping", mfspr(SPR_PIFRE), 30);
    mtspr(SPR_PIFRC, 0);
    set_range(8, &array[16], &array[32]);
    array[0] = 1;
    array[16] = 1;
    array[31] = 1;
    array[32] = 1;
    array[20] = 1;
    mtspr(SPR_PIFRC, 0);
    is("data range accesses", mfspr(SPR_PIFRX), 3);
    is("data range entries", mfspr(SPR_PIFRE), 2);
}

static void windows_open_and_close(void)
{
    unmark_all();
    mark(&run12[5], IND_TOGGLE, 0);
    mark(&run12[12], IND_TOGGLE, 0);
    mark(&with_call[2], IND_START, 0);
    mark(&with_call[9], IND_STOP, 0);
    pifsync();
    mtspr(SPR_PIFW, 0);
    call(run12, 0);
    is("H9 window", mfspr(SPR_PIFW), 7);
    is("H9 closed", mfspr(SPR_PIFS) & PIFS_WINDOW, 0);
    call(with_call, 0);
    is("H9 with a call", mfspr(SPR_PIFW), 7 + 7 + 3);
    unmark_all();
    mark(&run12[2], IND_START, 0);
    mark(&run12[4], IND_START, 0); /* a second start does not close it */
    mark(&run12[6], IND_STOP, 0);
    mark(leaf, IND_START, 0);
    pifsync();
    mtspr(SPR_PIFW, 0);
    call(run12, 0);
    is("started twice", mfspr(SPR_PIFW), 4);
    call(leaf, 0);
    is("open", (mfspr(SPR_PIFS) & PIFS_WINDOW) != 0, 1);
    mtspr(SPR_PIFS, PIFS_WINDOW);
    is("closed by software", mfspr(SPR_PIFS) & PIFS_WINDOW, 0);
}

/* The mtspr that opens it counts, the one that closes it does not, as with
 * marks. */
static void software_opens_the_window(void)
{
    uint32_t traced = mfspr(SPR_PIFTC);

    unmark_all();
    pifsync();
    mtspr(SPR_PIFW, 0);
    __asm__ volatile("mtspr %0,%1\n\tnop\n\tnop\n\tnop\n\tmtspr %0,%2"
                     :
                     : "i"(SPR_PIFS), "r"(PIFS_OPEN | PIFS_BEGIN),
                       "r"(PIFS_WINDOW | PIFS_TRACE));
    is("by mtspr", mfspr(SPR_PIFW), 4);
    is("traced by mtspr", mfspr(SPR_PIFTC) - traced, 4);
    is("closed by mtspr", mfspr(SPR_PIFS), 0);
}

static void data_may_open_the_window(void)
{
    unmark_all();
    mark(&array[13], IND_START, 0);
    mark(&seven[6], IND_STOP, 0);
    pifsync();
    mtspr(SPR_PIFW, 0);
    call(load, (uint32_t)&array[12]);
    is("another word", mfspr(SPR_PIFS) & PIFS_WINDOW, 0);
    call(load, (uint32_t)&array[13]);
    is("opened by data", (mfspr(SPR_PIFS) & PIFS_WINDOW) != 0, 1);
    mtspr(SPR_PIFW, 0);
    call(seven, 0);
    is("closed by code", mfspr(SPR_PIFS) & PIFS_WINDOW, 0);
    is("counted", mfspr(SPR_PIFW) >= 6, 1);
}

int main(void)
{
    install();
    turn_on(MODE);
    register_segment();
    mtmsr(mfmsr() | MSR_EE | MSR_RI);
    __asm__ volatile("dcbf 0,%0; sync" ::"r"(&array[60]) : "memory");
    seen.misses = mfspr(SPR_CYCL);
    (void)array[60];
    seen.misses = mfspr(SPR_CYCL) - seen.misses > 20;
    marked_instructions_alone_are_counted();
    words_of_data_are_counted();
    thresholds_are_strict();
    slow_words_exceed();
    each_bit_may_be_a_threshold();
    several_are_in_flight();
    positions_restrict_thresholds();
    figure_16();
    limit(MODE, 182, 13, 0);
    limit(MODE, 100, 7, 2);
    limit(MODE | PIFM_GE, 182, 14, 0);
    limit(MODE | PIFM_GE, 100, 7, 9);
    ranges_count_executions_and_entries();
    windows_open_and_close();
    software_opens_the_window();
    marks_wait_while_ee_is_off();
    what_was_resumed_runs_once();
    trap_entry_may_be_marked();
    data_exceptions_come_behind();
    exceedances_may_interrupt();
    data_may_open_the_window();
    enables_choose();
    formats_mark_the_same();
    widened_words_travel();
    marker_instructions_mark_what_follows();
    if (!failures)
        print("all right\n");
    return (int)failures;
}
