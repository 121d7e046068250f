/* golden_threshold.c - golden.c continued: accesses and instructions that take
 * longer than a threshold (G-H3). */
#include <stddef.h>

#include "tests/pif/golden.h"

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

void thresholds_are_strict(void)
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

void slow_words_exceed(void)
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

void each_bit_may_be_a_threshold(void)
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
void several_are_in_flight(void)
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
void positions_restrict_thresholds(void)
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
