/* happenings.c - see happenings.h. */
#include "tools/analysis/states/happenings.h"

#include <stdlib.h>

#include "lib/base/grow.h"

void happenings_read(struct happenings *h, struct recording *r, unsigned kind)
{
    struct record k;
    struct recfile f;

    if (!recording_records(r, kind, &f))
        return;
    while (recfile_next(&f, &k)) {
        struct happening now = {.cycle = k.cycle,
                                .serial = h->count,
                                .cpu = k.cpu,
                                .thread = k.thread,
                                .wake = kind == REC_WAKE};

        if (now.wake) {
            now.by = record_get_wake_by(&k);
            now.waker = record_get_wake_waker(&k);
            now.to = record_get_wake_cpu(&k);
            now.stack = record_get_wake_stack(&k);
        } else {
            now.state = record_get_state_state(&k);
            now.kind = record_get_state_kind(&k);
            now.object = record_get_state_object(&k);
            now.owner = record_get_state_owner(&k);
            now.stack = record_get_state_stack(&k);
        }
        h->list = grow(h->list, &h->room, h->count + 1, sizeof *h->list);
        h->list[h->count++] = now;
    }
    recording_done(r, &f);
}

void happenings_free(struct happenings *h)
{
    free(h->list);
    *h = (struct happenings){0};
}
