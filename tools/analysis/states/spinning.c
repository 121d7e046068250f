/* spinning.c - see spinning.h. */
#include "tools/analysis/states/spinning.h"

#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/hash.h"

struct spin {
    uint64_t from, to;
    uint32_t thread, writer, object;
};

/* What state.rec has of a thread, and the spin it is in. */
struct spinner {
    struct happening now;
    const struct spin *spin; /* NULL: none */
};

struct spinning {
    struct spin *spin; /* by beginning */
    const struct spin **by_end;
    size_t spins, room, begun, ended;
    struct hash by_thread;
    struct spinner *thread;
    size_t threads, threads_room;
};

static int by_from(const void *a, const void *b)
{
    const struct spin *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static int by_to(const void *a, const void *b)
{
    const struct spin *const *x = a, *const *y = b;

    if ((*x)->to != (*y)->to)
        return (*x)->to < (*y)->to ? -1 : 1;
    return (*x)->thread < (*y)->thread ? -1 : (*x)->thread > (*y)->thread;
}

static void add(struct spinning *s, const struct record *k)
{
    uint64_t since = record_get_poll_since(k),
             written = record_get_poll_written(k);
    uint32_t writer = record_get_poll_writer(k);

    if (writer == k->thread || since > k->cycle || written >= since ||
        record_get_poll_worked(k))
        return;
    s->spin = grow(s->spin, &s->room, s->spins + 1, sizeof *s->spin);
    s->spin[s->spins++] =
        (struct spin){k->cycle - since, k->cycle - written, k->thread, writer,
                      record_get_poll_object(k)};
}

struct spinning *spinning_read(struct recording *r)
{
    struct spinning *s = grow_zero(1, sizeof *s);
    struct record k;
    struct recfile f;

    if (recording_records(r, REC_POLL, &f)) {
        while (recfile_next(&f, &k))
            add(s, &k);
        recording_done(r, &f);
    }
    if (!s->spins) {
        spinning_free(s);
        return NULL;
    }
    qsort(s->spin, s->spins, sizeof *s->spin, by_from);
    s->by_end = grow_zero(s->spins, sizeof *s->by_end);
    for (size_t n = 0; n < s->spins; n++)
        s->by_end[n] = &s->spin[n];
    qsort(s->by_end, s->spins, sizeof *s->by_end, by_to);
    return s;
}

void spinning_free(struct spinning *s)
{
    if (!s)
        return;
    free(s->spin);
    free(s->by_end);
    free(s->thread);
    hash_free(&s->by_thread);
    free(s);
}

static struct spinner *spinner_of(struct spinning *s, uint32_t thread)
{
    bool fresh;
    uint32_t *n = hash_at(&s->by_thread, thread, &fresh);

    if (fresh) {
        *n = (uint32_t)s->threads;
        s->thread = grow(s->thread, &s->threads_room, s->threads + 1,
                         sizeof *s->thread);
        s->thread[s->threads++] = (struct spinner){.spin = NULL};
    }
    return &s->thread[*n];
}

static void tell(struct happening *h, const struct spin *spin)
{
    h->state = STATE_SPINNING;
    h->kind = OBJECT_USER;
    h->object = spin->object;
    h->owner = spin->writer;
}

static bool begin(struct spinning *s, struct happening *change)
{
    const struct spin *spin = &s->spin[s->begun++];
    struct spinner *t = spinner_of(s, spin->thread);

    t->spin = spin;
    if (t->now.state != STATE_USER)
        return false;
    *change = t->now;
    change->cycle = spin->from;
    tell(change, spin);
    return true;
}

static bool end(struct spinning *s, struct happening *change)
{
    const struct spin *spin = s->by_end[s->ended++];
    struct spinner *t = spinner_of(s, spin->thread);

    if (t->spin != spin)
        return false;
    t->spin = NULL;
    if (t->now.state != STATE_USER)
        return false;
    *change = t->now;
    change->cycle = spin->to;
    return true;
}

bool spinning_before(struct spinning *s, const struct happening *record,
                     struct happening *change)
{
    bool told = false;

    while (!told && s->ended < s->spins) {
        bool begins = s->begun < s->spins &&
                      s->spin[s->begun].from < s->by_end[s->ended]->to;
        uint64_t cycle =
            begins ? s->spin[s->begun].from : s->by_end[s->ended]->to;

        if (record && cycle > record->cycle)
            break;
        told = begins ? begin(s, change) : end(s, change);
        change->serial = 0;
    }
    return told;
}

void spinning_pass(struct spinning *s, struct happening *record)
{
    struct spinner *t = spinner_of(s, record->thread);

    t->now = *record;
    if (t->spin && record->state == STATE_USER)
        tell(record, t->spin);
}
