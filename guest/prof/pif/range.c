/* range.c - range registers (docs/pif.md 7): the same ranges on every
 * processor, and what all of them counted.
 */
#include "guest/prof/pif/pif.h"

#define SPR_PIFRS 688
#define SPR_PIFRL 689
#define SPR_PIFRH 690
#define SPR_PIFRC 691
#define SPR_PIFRX 692
#define SPR_PIFRE 693

/* As PIFRS numbers them: those of data behind those of instructions. */
static struct {
    uint32_t low, high; /* high 0: not in use */
    volatile uint32_t executed, entries;
} ranges[2 * PIF_RANGES];

/* False: all are in use. */
bool range_add(uint32_t low, uint32_t high, bool data, unsigned *number)
{
    unsigned n = data ? PIF_RANGES : 0, end = n + PIF_RANGES;

    while (n < end && ranges[n].high)
        n++;
    if (n == end)
        return false;
    ranges[n].low = low;
    ranges[n].high = high;
    *number = n;
    return true;
}

/* Is one of instructions, or of data? */
bool range_any(bool data)
{
    return ranges[data ? PIF_RANGES : 0].high;
}

/* This processor's registers: on with them, or what they have is added up.
 * Lookups are off. */
void range_program(bool on)
{
    for (uint32_t n = 0; n < 2 * PIF_RANGES; n++) {
        if (!ranges[n].high)
            continue;
        mtspr(SPR_PIFRS, n);
        if (!on) {
            atomic_add(&ranges[n].executed, mfspr(SPR_PIFRX));
            atomic_add(&ranges[n].entries, mfspr(SPR_PIFRE));
        }
        mtspr(SPR_PIFRX, 0);
        mtspr(SPR_PIFRE, 0);
        mtspr(SPR_PIFRL, ranges[n].low);
        mtspr(SPR_PIFRH, ranges[n].high);
        mtspr(SPR_PIFRC, on ? PIF_RANGE_ON : 0);
    }
}

/* Of all processors, while lookups are off. */
uint32_t range_executed(unsigned number)
{
    return ranges[number].executed;
}

uint32_t range_entries(unsigned number)
{
    return ranges[number].entries;
}
