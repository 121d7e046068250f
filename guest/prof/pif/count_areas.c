/* count_areas.c - count areas (docs/pif.md 15): accesses of data are counted in
 * an array of the kernel's own, granule by granule, by every processor, and
 * read there like any other variable.
 */
#include "guest/prof/pif/pif.h"

#define SPR_PIFAS 784
#define SPR_PIFAD 785
#define SPR_PIFAB 786
#define SPR_PIFAA 787
#define SPR_PIFAC 788
#define SPR_PIFAL 790

static struct count_area areas[PIF_AREAS];
static uint32_t count;
static volatile uint32_t lost[MAX_CPUS][PIF_AREAS];

static uint32_t logarithm(uint32_t power)
{
    uint32_t n = 0;

    while (power >> (n + 1))
        n++;
    return n;
}

/* False: all are in use. */
bool count_areas_add(const struct count_area *a, uint32_t *number)
{
    if (count == PIF_AREAS)
        return false;
    *number = count;
    areas[count++] = *a;
    return true;
}

bool count_areas_any(void)
{
    return count;
}

/* This processor's registers, which go on counting what is lost. Lookups are
 * off. */
void count_areas_program(bool on)
{
    for (uint32_t n = 0; n < count; n++) {
        const struct count_area *a = &areas[n];

        mtspr(SPR_PIFAS, n);
        lost[this_cpu()->number][n] = mfspr(SPR_PIFAL);
        mtspr(SPR_PIFAD, a->start);
        mtspr(SPR_PIFAB, a->bytes);
        mtspr(SPR_PIFAA, a->at);
        mtspr(SPR_PIFAC, (on ? PIFAC_ON : 0) |
                             logarithm(a->granule) << PIFAC_GRANULE_SHIFT |
                             logarithm(a->size));
    }
}

/* How many there are, and the value of one: a load. */
uint32_t count_areas_units(const struct count_area *a)
{
    return (a->bytes + a->granule - 1) / a->granule;
}

uint32_t count_areas_read(const struct count_area *a, uint32_t unit)
{
    uint32_t at = a->at + unit * a->size;

    return a->size == 1   ? *(volatile uint8_t *)at
           : a->size == 2 ? *(volatile uint16_t *)at
                          : *(volatile uint32_t *)at;
}

/* Of all processors, while lookups are off. */
uint32_t count_areas_lost(uint32_t number)
{
    uint32_t sum = 0;

    FOR_CPUS (c)
        sum += lost[c->number][number];
    return sum;
}
