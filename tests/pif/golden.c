/* golden.c - the worked examples of docs/pif.md, run on the machine: a
 * bare-metal program whose exit status is the number of things that are not as
 * the book says.
 */
#include <stddef.h>

#include "tests/pif/common.h"

typedef uint32_t code[];
extern code loop10, loop10_at, straight, seven, seven_end, outer, outer_end,
    run12, with_call, divide, divide_at, load, load_at, hot, leaf, leaf_at,
    hot_call, two_loads, marked, trapping, trap_at, enter, enter_end;

static uint32_t call(const void *f, uint32_t argument)
{
    return ((uint32_t(*)(uint32_t))f)(argument);
}
extern void sweep(volatile uint32_t *a);

static volatile uint32_t array[64] __attribute__((aligned(64)));

/* ---- exceptions -------------------------------------------------------------
 */

static volatile struct {
    uint32_t count, vector, srr0, srr1, cause, ia, da, lr, captured, misses;
} seen;

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

static void forget(void)
{
    seen.count = seen.cause = seen.ia = seen.da = seen.captured = 0;
    mtspr(SPR_PIFLOST, 0);
}

/* ---- G-H1: marked instructions ---------------------------------------------
 */

static uint32_t completed(const void *f, uint32_t n)
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

/* ---- G-H2: data -------------------------------------------------------------
 */

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

/* ---- G-H3: thresholds
 * -------------------------------------------------------- */

static void set_thresholds(uint32_t a, uint32_t b, uint32_t c)
{
    mtspr(SPR_PIFTH0, a);
    mtspr(SPR_PIFTH1, b);
    mtspr(SPR_PIFTH2, c);
}

/* The first threshold that divide does not exceed: its latency. */
static uint32_t latency_of(const void *f, const void *at, uint32_t argument)
{
    uint32_t t;

    for (t = 1; t < 400; t++) {
        uint32_t before = hits(at);

        mtspr(SPR_PIFTH0, t);
        call(f, argument);
        if (hits(at) == before)
            break;
    }
    return t;
}

static void thresholds_are_strict(void)
{
    static const uint32_t of[3] = {3, 5, 11};
    uint32_t latency;

    unmark_all();
    is("H3 default",
       mfspr(SPR_PIFTH0) + mfspr(SPR_PIFTH1) * 1000 +
           mfspr(SPR_PIFTH2) * 1000000,
       100050010);
    mark(&divide_at[0], IND_TH0, 0);
    pifsync();
    latency = latency_of(divide, &divide_at[0], 0);
    is("H3 latency", latency, seen.misses ? 20 : 1); /* fast_cpi */
    for (uint32_t bits = 0; bits < 8; bits++) {
        uint32_t sum = 0;

        for (int b = 0; b < 3; b++)
            sum += bits >> b & 1 ? of[b] : 0;
        for (uint32_t by = 0; by < 3; by++) { /* sum is L - 1, L, L + 1 */
            uint32_t want = bits && by == 0, t[3] = {of[0], of[1], of[2]};
            int top = bits & 4 ? 2 : bits & 2 ? 1 : 0;

            if (latency - 1 + by + t[top] < sum)
                continue; /* too short for this one */
            t[top] += latency - 1 + by - sum;
            set_thresholds(t[0], t[1], t[2]);
            mark(&divide_at[0], bits << 21, 0);
            pifsync();
            call(divide, 0);
            is("H3 encoding", hits(&divide_at[0]), bits ? want : 0);
        }
    }
    set_thresholds(10, 50, 100);
}

static void slow_words_exceed(void)
{
    unmark_all();
    mark(&array[8], IND_TH0 | IND_COUNT, 0);
    pifsync();
    __asm__ volatile("dcbf 0,%0; sync" ::"r"(&array[8]) : "memory");
    call(load, (uint32_t)&array[8]);
    is("H3 miss", hits(&array[8]), seen.misses);
    call(load, (uint32_t)&array[8]);
    is("H3 hit", hits(&array[8]), seen.misses);
    is("H3 accesses", rdac(&array[8]), 2);
}

static void each_bit_may_be_a_threshold(void)
{
    unmark_all();
    mtspr(SPR_PIFM, MODE | PIFM_TB);
    set_thresholds(0, 0, 100000);
    mark(&divide_at[0], IND_TH0 | IND_TH1 | IND_TH2, 0);
    pifsync();
    call(divide, 0);
    is("TB", hits(&divide_at[0]), 2);
    set_thresholds(10, 50, 100);
    mtspr(SPR_PIFM, MODE);
}

static void flush(const volatile void *at)
{
    __asm__ volatile("dcbf 0,%0; sync" ::"r"(at) : "memory");
}

/* Two misses under way at once: two exceedances, or one if they coalesce. */
static void several_are_in_flight(void)
{
    static volatile uint32_t far[32] __attribute__((aligned(128)));

    for (uint32_t one = 0; one < 2; one++) {
        unmark_all();
        mtspr(SPR_PIFM, MODE | (one ? PIFM_CO : 0));
        mark(&far[0], IND_TH0, 0);
        mark(&far[16], IND_TH0, 0);
        pifsync();
        call(two_loads, (uint32_t)far);
        flush(&far[0]);
        flush(&far[16]);
        unmark_all();
        mark(&far[0], IND_TH0, 0);
        mark(&far[16], IND_TH0, 0);
        pifsync();
        mtspr(SPR_PIFHC, 0);
        call(two_loads, (uint32_t)far);
        is("in flight", mfspr(SPR_PIFHC), seen.misses ? 2 - one : 0);
    }
    mtspr(SPR_PIFM, MODE);
}

/* The divide dispatches first of its group, alone. */
static void positions_restrict_thresholds(void)
{
    unmark_all();
    set_thresholds(1, 50, 100);
    mark(&divide_at[0], IND_TH0, 0);
    pifsync();
    mtspr(SPR_PIFHC, 0);
    for (uint32_t slot = 1; slot <= 4; slot++) {
        mtspr(SPR_PIFM, MODE | slot << PIFM_TQ_SHIFT);
        call(divide, 0);
        is("position", mfspr(SPR_PIFHC), seen.misses ? 1 : 0);
    }
    mtspr(SPR_PIFM, MODE);
    set_thresholds(10, 50, 100);
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

/* ---- exceptions: pending, lost, resumed
 * --------------------------------------- */

static void marks_wait_while_ee_is_off(void)
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

static void what_was_resumed_runs_once(void)
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
static void trap_entry_may_be_marked(void)
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

static void data_exceptions_come_behind(void)
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
static void exceedances_may_interrupt(void)
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

/* ---- enables, formats, carriers
 * ----------------------------------------------- */

static void enables_choose(void)
{
    unmark_all();
    mark(leaf_at, IND_COUNT, 0);
    pifsync();
    mtspr(SPR_PIFM, MODE & ~PIFM_SU);
    call(hot, 5);
    mtspr(SPR_PIFM, MODE & ~PIFM_P0);
    call(hot, 5);
    mtspr(SPR_PIFM, MODE & ~PIFM_IE);
    call(hot, 5);
    mtspr(SPR_PIFM, MODE);
    is("not enabled", rdic(leaf_at), 0);
    call(hot, 5);
    is("enabled", rdic(leaf_at), 5);
}

static void formats_mark_the_same(void)
{
    static uint32_t words[8] __attribute__((aligned(32)));
    static uint32_t bits;
    uint32_t n;
    volatile uint32_t *full;

    unmark_all();
    full = shadow(loop10_at); /* gives the line a table entry */
    (void)full;
    mtspr(SPR_PIFF, PIFF_MARKED << 28);
    n = (uint32_t)loop10_at >> 2 & 7;
    /* the eight words of the line, of which some are in the loop */
    uint32_t in = 8 - n < 10 ? 8 - n : 8;
    mark(loop10_at, 0, 0);
    full[SHADOW_ALL / 4] = IND_PMU | IND_COUNT;
    pifsync();
    is("block flag", completed(loop10, 100) >= 100 * in, 1);
    is("block flag counts", rdic(loop10_at), 100);
    full[SHADOW_ALL / 4] = 0;
    full[SHADOW_GROUP / 4 + n / 4] = IND_PMU;
    pifsync();
    is("group", completed(loop10, 100), 100 * (4 - n % 4) + (n % 4 > 0));
    for (uint32_t w = 0; w < 8; w++)
        words[w] = w == n ? IND_PMU : 0;
    *entry_of(loop10_at) = (uint32_t)words | SHADOW_WORDS;
    pifsync();
    is("words", completed(loop10, 100), 100);
    bits = (0x80u >> n) << (24 - 8 * ((uint32_t)loop10_at / 32 % 4));
    *entry_of(loop10_at) = (uint32_t)&bits | SHADOW_BITS;
    pifsync();
    is("bits", completed(loop10, 100), 100);
    *entry_of(loop10_at) = (uint32_t)full | SHADOW_FULL;
    full[SHADOW_GROUP / 4 + n / 4] = 0;
    full[SHADOW_ALL / 4] = IND_PMU;
    full[SHADOW_CONTEXT / 4] = 77;
    pifsync();
    is("another context", completed(loop10, 100), 0);
    full[SHADOW_CONTEXT / 4] = 0;
    full[SHADOW_TAG / 4] ^= 32;
    pifsync();
    is("another block", completed(loop10, 100), 0);
    full[SHADOW_TAG / 4] ^= 32;
    mtspr(SPR_PIFF, 0);
}

static void wide(const volatile void *at, uint32_t indicator)
{
    mtspr(SPR_PIFWA, (uint32_t)at);
    mtspr(SPR_PIFWI, indicator);
    mtspr(SPR_PIFWC, 0);
}

static uint32_t wide_count(const volatile void *at)
{
    mtspr(SPR_PIFWA, (uint32_t)at);
    return mfspr(SPR_PIFWC);
}

static uint32_t wide_indicator(const volatile void *at)
{
    mtspr(SPR_PIFWA, (uint32_t)at);
    return mfspr(SPR_PIFWI);
}

static void widened_words_travel(void)
{
    unmark_all();
    wide(&loop10_at[1], IND_COUNT);
    wide(&array[2], IND_COUNT | IND_STICKY);
    wide(&array[50], IND_COUNT);
    mtspr(SPR_PIFM, MODE | PIF_CARRIER_WIDE << PIFM_CA_SHIFT);
    call(loop10, 1000);
    for (int n = 0; n < 100; n++)
        sweep(array);
    array[51] = array[50]; /* a copy: the mark comes along */
    __asm__ volatile("lwz 4,0(%0); mr 5,4; stw 5,8(%0)" ::"r"(&array[50])
                     : "4", "5", "memory");
    array[50] = 7; /* a plain store clears it */
    mtspr(SPR_PIFM, MODE);
    is("wide code", wide_count(&loop10_at[1]), 1000);
    is("wide data", wide_count(&array[2]), 200);
    is("copied", wide_indicator(&array[51]), IND_COUNT);
    is("copied by mr", wide_indicator(&array[52]), IND_COUNT);
    is("cleared", wide_indicator(&array[50]), 0);
    is("counted before", wide_count(&array[50]), 3);
    wide(&array[2], 0);
    wide(&loop10_at[1], 0);
}

static void marker_instructions_mark_what_follows(void)
{
    static uint32_t entries[8][4] __attribute__((aligned(16)));

    unmark_all();
    entries[4][0] = IND_COUNT;
    entries[5][0] = IND_COUNT;
    entries[6][0] = IND_COUNT;
    mtspr(SPR_PIFMT, (uint32_t)entries);
    mtspr(SPR_PIFM, MODE | (uint32_t)PIF_CARRIER_MARKER << PIFM_CA_SHIFT);
    call(marked, 100);
    mtspr(SPR_PIFM, MODE);
    is("marker", ((volatile uint32_t *)entries[4])[1], 100);
    is("marker", ((volatile uint32_t *)entries[5])[1], 100);
    is("marker end", ((volatile uint32_t *)entries[6])[1], 0);
}

int main(void)
{
    install();
    turn_on(MODE);
    register_segment();
    mtmsr(mfmsr() | MSR_EE | MSR_RI);
    /* Is there a cache to miss? Not in fast mode. */
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
