/* happenings.c - see happenings.h. */
#include "tools/analysis/states/happenings.h"

#include <stdlib.h>

#include "lib/base/grow.h"

/* ---- one after the other ------------------------------------------------- */

static void read_state(struct happening *h, const struct record *k)
{
    h->state = record_get_state_state(k);
    h->kind = record_get_state_kind(k);
    h->object = record_get_state_object(k);
    h->owner = record_get_state_owner(k);
    h->stack = record_get_state_stack(k);
}

static void read_wake(struct happening *h, const struct record *k)
{
    h->by = record_get_wake_by(k);
    h->waker = record_get_wake_waker(k);
    h->to = record_get_wake_cpu(k);
    h->stack = record_get_wake_stack(k);
}

void happenings_pass(struct happenings_file *f, struct recording *r)
{
    struct record k;

    f->there = recfile_next(&f->file, &k);
    if (!f->there) {
        recording_done(r, &f->file);
        f->open = false;
        return;
    }
    f->at = (struct happening){.cycle = k.cycle,
                               .serial = f->count++,
                               .cpu = k.cpu,
                               .thread = k.thread,
                               .wake = f->wake};
    if (f->wake)
        read_wake(&f->at, &k);
    else
        read_state(&f->at, &k);
}

void happenings_open(struct happenings_file *f, struct recording *r,
                     unsigned kind)
{
    *f = (struct happenings_file){.wake = kind == REC_WAKE};
    f->open = recording_records(r, kind, &f->file);
    if (f->open)
        happenings_pass(f, r);
}

const struct happening *happenings_at(const struct happenings_file *f)
{
    return f->there ? &f->at : NULL;
}

void happenings_shut(struct happenings_file *f, struct recording *r)
{
    if (f->open)
        recording_done(r, &f->file);
    f->open = f->there = false;
}

/* ---- all ----------------------------------------------------------------- */

void happenings_read(struct happenings *h, struct recording *r, unsigned kind)
{
    struct happenings_file f;

    happenings_open(&f, r, kind);
    for (; happenings_at(&f); happenings_pass(&f, r)) {
        h->list = grow(h->list, &h->room, h->count + 1, sizeof *h->list);
        h->list[h->count] = *happenings_at(&f);
        h->list[h->count].serial = h->count;
        h->count++;
    }
}

void happenings_free(struct happenings *h)
{
    free(h->list);
    *h = (struct happenings){0};
}
