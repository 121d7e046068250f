/* power.c - the power-off device. Says that the run is over; who stops it
 * is the machine's business.
 */
#include "sim/dev/power.h"

bool power_load(void *power, const struct io_access *a, uint32_t *value)
{
    (void)power;
    *value = 0;
    return a->size == 4;
}

bool power_store(void *power, const struct io_access *a, uint32_t value)
{
    struct power *p = power;

    if (a->size != 4)
        return false;
    p->off(p->arg, value & 0xFF, a->at);
    return true;
}
