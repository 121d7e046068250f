/* count_areas.c - count areas (docs/pif.md 15): accesses of data are counted in
 * an array of the kernel's own, granule by granule, by every processor, and
 * read there like any other variable.
 */
#include "guest/kernel/defs.h"

#define SPR_PIFAS 784
#define SPR_PIFAD 785
#define SPR_PIFAB 786
#define SPR_PIFAA 787
#define SPR_PIFAC 788
#define SPR_PIFAL 790

static struct units areas[PIF_AREAS];
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
bool units_add(const struct units *u, uint32_t *number)
{
    if (count == PIF_AREAS)
        return false;
    *number = count;
    areas[count++] = *u;
    return true;
}

bool units_any(void)
{
    return count;
}

/* This processor's registers, which go on counting what is lost. Lookups are
 * off. */
void units_program(bool on)
{
    for (uint32_t n = 0; n < count; n++) {
        const struct units *u = &areas[n];

        mtspr(SPR_PIFAS, n);
        lost[this_cpu()->number][n] = mfspr(SPR_PIFAL);
        mtspr(SPR_PIFAD, u->start);
        mtspr(SPR_PIFAB, u->bytes);
        mtspr(SPR_PIFAA, u->at);
        mtspr(SPR_PIFAC, (on ? PIFAC_ON : 0) |
                             logarithm(u->granule) << PIFAC_GRANULE_SHIFT |
                             logarithm(u->size));
    }
}

/* How many there are, and the value of one: a load. */
uint32_t units_count(const struct units *u)
{
    return (u->bytes + u->granule - 1) / u->granule;
}

uint32_t units_read(const struct units *u, uint32_t n)
{
    uint32_t at = u->at + n * u->size;

    return u->size == 1   ? *(volatile uint8_t *)at
           : u->size == 2 ? *(volatile uint16_t *)at
                          : *(volatile uint32_t *)at;
}

/* Of all processors, while lookups are off. */
uint32_t units_lost(uint32_t number)
{
    uint32_t sum = 0;

    FOR_CPUS (c)
        sum += lost[c->number][number];
    return sum;
}
