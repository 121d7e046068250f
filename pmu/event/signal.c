/* signal.c - the wire as saved state. See signal.h. */
#include "pmu/event/signal.h"

#include "lib/base/snap.h"

bool data_access_state(struct snap *s, struct data_access *d)
{
    SNAP(s, d->is);
    SNAP(s, d->ea);
    SNAP(s, d->pa);
    return !s->bad;
}

bool ev_state(struct snap *s, struct ev *ev)
{
    snap_begin(s, "events", 1);
    SNAP_ARRAY(s, ev->total);
    SNAP_ARRAY(s, ev->limit);
    SNAP_ARRAY(s, ev->own);
    SNAP_ARRAY(s, ev->host);
    SNAP_ARRAY(s, ev->tap);
    SNAP_SKIP(s, ev->touched, "all of them are behind a load");
    for (unsigned k = 0; snap_loading(s) && k < EV_COUNT; k++)
        ev->touched[k / EV_BITS] |= (uint32_t)1 << k % EV_BITS;
    data_access_state(s, &ev->data);
    SNAP_SKIP(s, ev->host_counters, "plugged in by core_init");
    return snap_end(s);
}
