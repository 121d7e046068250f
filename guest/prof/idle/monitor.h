/* monitor.h - the registers of the 604e's performance monitor. Counters have
 * numbers from 0 on: PMC1 is 0.
 */
#ifndef GUEST_PROF_IDLE_MONITOR_H
#define GUEST_PROF_IDLE_MONITOR_H

#include "guest/kernel/cpu.h"

#define SPR_MMCR0 952
#define SPR_PMC1 953
#define SPR_PMC2 954
#define SPR_MMCR1 956
#define SPR_PMC3 957
#define SPR_PMC4 958

/* A counter that has this bit interrupts, where MMCR0 lets it. */
#define PMC_NEGATIVE 0x80000000u

static inline uint32_t pmc_read(int i)
{
    switch (i) {
    case 0:
        return mfspr(SPR_PMC1);
    case 1:
        return mfspr(SPR_PMC2);
    case 2:
        return mfspr(SPR_PMC3);
    default:
        return mfspr(SPR_PMC4);
    }
}

static inline void pmc_write(int i, uint32_t v)
{
    switch (i) {
    case 0:
        mtspr(SPR_PMC1, v);
        break;
    case 1:
        mtspr(SPR_PMC2, v);
        break;
    case 2:
        mtspr(SPR_PMC3, v);
        break;
    default:
        mtspr(SPR_PMC4, v);
    }
}

#endif
