/* happenings.c - see happenings.h. */
#include "tools/analysis/states/happenings.h"

#include <stdlib.h>

#include "lib/base/grow.h"
#include "tools/analysis/states/plain_words.h"
#include "tools/analysis/states/spinning.h"

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

static void read_next(struct happenings_file *f, struct recording *r)
{
    struct record k;

    if (!f->open)
        return;
    f->more = recfile_next(&f->file, &k);
    if (!f->more) {
        recording_done(r, &f->file);
        f->open = false;
        return;
    }
    f->next = (struct happening){
        .cycle = k.cycle, .cpu = k.cpu, .thread = k.thread, .wake = f->wake};
    if (f->wake)
        read_wake(&f->next, &k);
    else
        read_state(&f->next, &k);
    if (f->plain)
        plain_words_tell(f->plain, r, &f->next);
}

void happenings_pass(struct happenings_file *f, struct recording *r)
{
    const struct happening *next = f->more ? &f->next : NULL;

    f->there = true;
    if (f->spinning && spinning_before(f->spinning, next, &f->at)) {
        f->at.serial = f->count++;
        return;
    }
    f->there = f->more;
    if (!f->there)
        return;
    f->at = f->next;
    f->at.serial = f->count++;
    if (f->spinning)
        spinning_pass(f->spinning, &f->at);
    read_next(f, r);
}

static void open_file(struct happenings_file *f, struct recording *r,
                      unsigned kind, bool spins)
{
    *f = (struct happenings_file){.wake = kind == REC_WAKE};
    f->plain = kind == REC_STATE ? plain_words_read(r) : NULL;
    f->open = recording_records(r, kind, &f->file);
    f->spinning = f->open && spins ? spinning_read(r) : NULL;
    read_next(f, r);
    happenings_pass(f, r);
}

void happenings_open(struct happenings_file *f, struct recording *r,
                     unsigned kind)
{
    open_file(f, r, kind, kind == REC_STATE);
}

const struct happening *happenings_at(const struct happenings_file *f)
{
    return f->there ? &f->at : NULL;
}

void happenings_shut(struct happenings_file *f, struct recording *r)
{
    if (f->open)
        recording_done(r, &f->file);
    spinning_free(f->spinning);
    plain_words_free(f->plain);
    f->spinning = NULL;
    f->plain = NULL;
    f->open = f->there = f->more = false;
}

/* ---- all ----------------------------------------------------------------- */

static void read_all(struct happenings *h, struct recording *r, unsigned kind,
                     bool spins)
{
    struct happenings_file f;

    open_file(&f, r, kind, spins);
    for (; happenings_at(&f); happenings_pass(&f, r)) {
        h->list = grow(h->list, &h->room, h->count + 1, sizeof *h->list);
        h->list[h->count] = *happenings_at(&f);
        h->list[h->count].serial = h->count;
        h->count++;
    }
    happenings_shut(&f, r);
}

void happenings_read(struct happenings *h, struct recording *r, unsigned kind)
{
    read_all(h, r, kind, kind == REC_STATE);
}

void happenings_read_recorded(struct happenings *h, struct recording *r,
                              unsigned kind)
{
    read_all(h, r, kind, false);
}

void happenings_free(struct happenings *h)
{
    free(h->list);
    *h = (struct happenings){0};
}
