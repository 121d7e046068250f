/* event_hint.c - see event_hint.h. */
#include "tools/simprof/report/event_hint.h"

#include "tools/analysis/profile/offcpu.h"
#include "tools/analysis/profile/samples.h"

const char *event_hint(struct recording *r, const char *wanted, bool others,
                       char out[DID_YOU_MEAN_TEXT])
{
    struct samples_metrics m;
    struct did_you_mean near;

    did_you_mean_begin(&near, wanted);
    samples_metrics_open(&m, r);
    for (unsigned n = 1; n + 1 < m.count; n++)
        did_you_mean_offer(&near, m.list[n].name);
    for (unsigned n = 0; others && offcpu_blocked(r) && n < STATES_ALL; n++)
        if (offcpu_name(n))
            did_you_mean_offer(&near, offcpu_name(n));
    if (others && offcpu_idle(r)) {
        did_you_mean_offer(&near, OFFCPU_TO_IDLE);
        did_you_mean_offer(&near, OFFCPU_FROM_IDLE);
    }
    did_you_mean_text(&near, out);
    samples_metrics_free(&m);
    return out;
}
