/* power.c - the power-off device. Says that the run is over; who stops it
 * is the machine's business.
 */
#include "lib/base/snap.h"
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

bool power_state(struct snap *s, struct power *p)
{
    snap_begin(s, "power", 1);
    SNAP_SKIP(s, p->arg, "wired by machine_init");
    SNAP_SKIP(s, p->off, "wired by machine_init");
    return snap_end(s);
}
