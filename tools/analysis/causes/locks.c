/* locks.c - see locks.h. What locks have in common with queues, the passing on
 * from thread to thread, is in convoys.c; who spun in spun.c.
 */
#include "tools/analysis/causes/locks.h"

#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/search.h"
#include "tools/analysis/causes/convoys.h"
#include "tools/analysis/causes/spun.h"
#include "tools/analysis/experiment/stack.h"

/* A thread waits for a lock. */
struct wait {
    uint32_t lock, stay;
    uint64_t to;
    uint64_t waiting_since; /* of this one and those behind it the first */
};

/* A thread ran on a CPU. */
struct ran {
    unsigned cpu;
    uint64_t from, to;
    uint32_t thread;
};

/* Cycles of a thread on a CPU that the holder of a lock waited for. */
struct displacer {
    uint32_t lock, thread;
    uint64_t cycles;
};

struct find {
    struct locks *l;
    const struct scene *s;
    struct places *places;
    struct owners owners;
    const struct locks_listener
        *listener; /* NULL: waits are told to no listener */
    uint64_t from, to;
    struct wait *wait; /* by lock, then end */
    size_t waits, waits_room;
    struct ran *ran; /* by CPU, then time */
    size_t rans;
    struct hash
        wants; /* lock and thread, of each that ever waited or took it */
    struct hash place_at, displacer_at;
    struct displacer *displacer;
    size_t displacers, displacers_room;
};

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t sooner(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t key_of(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

static void sum_add(struct locks_sum *sum, uint64_t cycles)
{
    sum->times++;
    sum->cycles += cycles;
    if (cycles > sum->longest)
        sum->longest = cycles;
}

static void add_place(struct find *f, uint32_t lock, uint32_t place, bool holds,
                      uint64_t cycles)
{
    struct locks *l = f->l;
    bool fresh;
    uint32_t *at =
        hash_at(&f->place_at, key_of(lock << 1 | holds, place), &fresh);

    if (fresh) {
        *at = (uint32_t)l->places;
        l->place =
            grow(l->place, &l->places_room, l->places + 1, sizeof *l->place);
        l->place[l->places++] =
            (struct locks_place){.lock = lock, .place = place, .holds = holds};
    }
    sum_add(&l->place[*at].sum, cycles);
}

/* ---- lists --------------------------------------------------------------- */

static int by_lock(const void *a, const void *b)
{
    const struct wait *x = a, *y = b;

    if (x->lock != y->lock)
        return x->lock < y->lock ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->stay < y->stay ? -1 : x->stay > y->stay;
}

static int by_cpu(const void *a, const void *b)
{
    const struct ran *x = a, *y = b;

    if (x->cpu != y->cpu)
        return x->cpu < y->cpu ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static void list_waits(struct find *f)
{
    const struct scene *s = f->s;
    bool fresh;

    f->ran = grow_zero(s->stays + 1, sizeof *f->ran);
    for (uint32_t n = 0; n < s->stays; n++) {
        const struct scene_stay *t = &s->stay[n];

        if (scene_runs(t))
            f->ran[f->rans++] = (struct ran){t->cpu, t->from, t->to, t->thread};
        if (!scene_wants_lock(t))
            continue;
        hash_at(&f->wants, key_of(t->lock, t->thread), &fresh);
        f->wait = grow(f->wait, &f->waits_room, f->waits + 1, sizeof *f->wait);
        f->wait[f->waits++] = (struct wait){t->lock, n, t->to, t->from};
    }
    for (size_t n = 0; n < s->holds; n++)
        hash_at(&f->wants, key_of(s->hold[n].lock, s->hold[n].thread), &fresh);
    if (f->rans)
        qsort(f->ran, f->rans, sizeof *f->ran, by_cpu);
    if (f->waits)
        qsort(f->wait, f->waits, sizeof *f->wait, by_lock);
    for (size_t n = f->waits; n-- > 1;)
        if (f->wait[n - 1].lock == f->wait[n].lock)
            f->wait[n - 1].waiting_since =
                sooner(f->wait[n - 1].waiting_since, f->wait[n].waiting_since);
}

/* ---- what the holder did ------------------------------------------------- */

static void tell(const struct find *f, uint32_t lock, unsigned is,
                 uint64_t from, uint64_t to)
{
    if (f->listener && from < to)
        f->listener->told(f->listener->arg, lock, is, from, to);
}

static void add_did(struct find *f, uint32_t lock, enum locks_holder did,
                    uint64_t from, uint64_t to)
{
    f->l->lock[lock].did[did] += to - from;
    tell(f, lock, did, from, to);
}

static void displace(struct find *f, uint32_t lock, uint32_t thread,
                     uint64_t cycles)
{
    bool fresh;
    uint32_t *at = hash_at(&f->displacer_at, key_of(lock, thread), &fresh);

    if (fresh) {
        *at = (uint32_t)f->displacers;
        f->displacer = grow(f->displacer, &f->displacers_room,
                            f->displacers + 1, sizeof *f->displacer);
        f->displacer[f->displacers++] =
            (struct displacer){.lock = lock, .thread = thread};
    }
    f->displacer[*at].cycles += cycles;
}

/* Who ran where the holder came to run in the end, and never wants the lock;
 * who reads seldom waits, so of a read-write lock only lock.rec knows that. */
static void add_displacers(struct find *f, uint32_t lock, unsigned cpu,
                           uint64_t from, uint64_t to)
{
    size_t n = SEARCH_FIRST(0, f->rans, i,
                            f->ran[i].cpu > cpu ||
                                (f->ran[i].cpu == cpu && f->ran[i].to > from));

    if (f->s->lock[lock].readers && !f->s->holds)
        return;
    for (; n < f->rans && f->ran[n].cpu == cpu && f->ran[n].from < to; n++) {
        const struct ran *r = &f->ran[n];
        uint64_t begin = later(r->from, from), end = sooner(r->to, to);

        if (begin < end && !hash_find(&f->wants, key_of(lock, r->thread)))
            displace(f, lock, r->thread, end - begin);
    }
}

static void add_runnable(struct find *f, uint32_t lock, size_t stay,
                         uint64_t from, uint64_t to)
{
    const struct scene_stay *t = &f->s->stay[stay];
    const struct scene_thread *who = &f->s->thread[t->thread];
    bool comes = stay + 1 < who->first + who->stays;

    add_did(f, lock, LOCKS_NO_CPU, from, to);
    add_displacers(f, lock, comes ? t[1].cpu : t->cpu, from, to);
}

/* From one cycle to another a thread had the lock. */
static void add_owner(struct find *f, uint32_t lock, uint32_t owner,
                      uint64_t from, uint64_t to)
{
    const struct scene *s = f->s;
    const struct scene_thread *who =
        owner == SCENE_NONE ? NULL : &s->thread[owner];
    size_t end = who ? who->first + who->stays : 0, n = 0;

    if (who)
        n = SEARCH_FIRST(who->first, end, i, s->stay[i].to > from);
    for (; n < end && from < to; n++) {
        const struct scene_stay *t = &s->stay[n];
        uint64_t begin = later(t->from, from), until = sooner(t->to, to);

        if (begin >= until)
            continue;
        add_did(f, lock, LOCKS_HAND_OVER, from, begin);
        from = until;
        if (t->state == STATE_RUNNABLE)
            add_runnable(f, lock, n, begin, until);
        else
            add_did(f, lock,
                    scene_runs(t)      ? LOCKS_RAN
                    : scene_blocked(t) ? LOCKS_WAITED
                                       : LOCKS_HAND_OVER,
                    begin, until);
    }
    add_did(f, lock, LOCKS_HAND_OVER, from, to);
}

/* Piece by piece, between two records of who has the lock. */
static void add_owners(struct find *f, const struct scene_stay *t,
                       uint64_t from, uint64_t to)
{
    const struct owners *o = &f->owners;
    size_t n =
        SEARCH_FIRST(0, o->count, i,
                     o->note[i].lock > t->lock || (o->note[i].lock == t->lock &&
                                                   o->note[i].cycle > from));

    while (from < to) {
        uint64_t until = n < o->count && o->note[n].lock == t->lock
                             ? sooner(o->note[n].cycle, to)
                             : to;

        if (from < until)
            add_owner(f, t->lock, owners_at(o, t, from), from, until);
        from = until;
        n++;
    }
}

/* ---- waits and holds ----------------------------------------------------- */

static void add_wait(struct find *f, const struct scene_stay *t, uint64_t least)
{
    struct locks *l = f->l;
    uint64_t from = later(t->from, f->from), to = sooner(t->to, f->to);

    if (from >= to)
        return;
    if (t->to - t->from < least) {
        l->short_++;
        l->below += to - from;
        return;
    }
    sum_add(&l->all, to - from);
    sum_add(&l->lock[t->lock].waits, to - from);
    sum_add(&l->lock[t->lock].share[t->shared].waits, to - from);
    tell(f, t->lock, LOCKS_WAIT, from, to);
    add_place(f, t->lock, places_waits(f->places, t->stack, t->from), false,
              to - from);
    add_owners(f, t, from, to);
}

/* Who ended wait n had the lock until then, and from then on is waited for
 * again; `before` is when that began last. */
static void add_hold(struct find *f, size_t n, uint64_t before)
{
    const struct scene *s = f->s;
    const struct wait *w = &f->wait[n];
    const struct scene_wake *by = &s->wake[s->stay[w->stay].wake];
    uint64_t from = later(later(before, w->waiting_since), f->from);
    uint64_t to = sooner(w->to, f->to);

    if (from >= to)
        return;
    sum_add(&f->l->lock[w->lock].holds, to - from);
    tell(f, w->lock, LOCKS_HOLD, from, to);
    add_place(f, w->lock, places_waits(f->places, by->stack, by->cycle), true,
              to - from);
}

static void add_waits(struct find *f, uint32_t thread, uint64_t least)
{
    const struct scene *s = f->s;
    struct hash seen = {0};
    uint64_t before = 0;
    bool fresh;

    for (size_t n = 0; n < f->waits; n++) {
        const struct wait *w = &f->wait[n];
        const struct scene_stay *t = &s->stay[w->stay];
        bool wanted = thread == SCENE_NONE || thread == t->thread;
        struct locks_lock *lock = &f->l->lock[w->lock];

        if (n && w->lock != w[-1].lock)
            before = 0;
        hash_at(&seen, key_of(w->lock, t->thread), &fresh);
        lock->threads += fresh;
        if (wanted)
            add_wait(f, t, least);
        if (t->wake == SCENE_NONE || s->wake[t->wake].by != WAKE_BY_THREAD)
            continue;
        if (wanted && t->to - t->from >= least)
            add_hold(f, n, before);
        before = w->to;
    }
    hash_free(&seen);
}

/* Taken in the interval, and held as far as it goes. */
static void add_taken(struct find *f, uint32_t thread)
{
    const struct scene *s = f->s;

    for (size_t n = 0; n < s->holds; n++) {
        const struct scene_hold *h = &s->hold[n];
        struct locks_lock *lock = &f->l->lock[h->lock];

        if ((thread != SCENE_NONE && thread != h->thread) ||
            h->taken < f->from || h->taken >= f->to)
            continue;
        sum_add(&lock->taken, sooner(h->given, f->to) - h->taken);
        sum_add(&lock->share[h->shared].taken,
                sooner(h->given, f->to) - h->taken);
        lock->contended += scene_hold_waited(s, h);
        lock->share[h->shared].contended += scene_hold_waited(s, h);
    }
}

/* ---- all of it ----------------------------------------------------------- */

struct rank {
    uint64_t cost, cycles;
    uint32_t lock;
};

static int most_waited(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;

    if (x->cost != y->cost)
        return x->cost < y->cost ? 1 : -1;
    if (x->cycles != y->cycles)
        return x->cycles < y->cycles ? 1 : -1;
    return x->lock < y->lock ? -1 : x->lock > y->lock;
}

static int most_cycles(const void *a, const void *b)
{
    const struct locks_place *x = a, *y = b;

    if (x->holds != y->holds)
        return x->holds ? 1 : -1;
    if (x->sum.cycles != y->sum.cycles)
        return x->sum.cycles < y->sum.cycles ? 1 : -1;
    if (x->lock != y->lock)
        return x->lock < y->lock ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static void put_in_order(struct find *f)
{
    struct locks *l = f->l;
    struct rank *rank = grow_zero(f->s->locks + 1, sizeof *rank);

    l->order = grow_zero(f->s->locks + 1, sizeof *l->order);
    for (uint32_t n = 0; n < f->s->locks; n++)
        if (l->lock[n].waits.times)
            rank[l->shown++] = (struct rank){l->lock[n].waits.cycles, 0, n};
    l->known = l->shown;
    for (uint32_t n = 0; n < f->s->locks; n++)
        if (!l->lock[n].waits.times && l->lock[n].taken.times)
            rank[l->known++] =
                (struct rank){l->lock[n].spun, l->lock[n].taken.cycles, n};
    if (l->shown)
        qsort(rank, l->shown, sizeof *rank, most_waited);
    if (l->known > l->shown)
        qsort(rank + l->shown, l->known - l->shown, sizeof *rank, most_waited);
    for (size_t n = 0; n < l->known; n++)
        l->order[n] = rank[n].lock;
    if (l->places)
        qsort(l->place, l->places, sizeof *l->place, most_cycles);
    for (size_t n = 0; n < f->displacers; n++) {
        struct locks_lock *lock = &l->lock[f->displacer[n].lock];

        if (f->displacer[n].cycles <= lock->displaced)
            continue;
        lock->displaced = f->displacer[n].cycles;
        lock->displaced_by = f->displacer[n].thread;
    }
    free(rank);
}

static void find_path(struct find *f)
{
    struct path path;

    path_find(&path, f->s, f->places, SCENE_NONE);
    f->l->path = path.c.total;
    for (uint32_t n = 0; n < f->s->locks; n++)
        f->l->lock[n].path = path.lock[n];
    path_free(&path);
}

void locks_find(struct locks *l, const struct scene *s, struct places *p,
                uint32_t thread, uint64_t least)
{
    locks_listen(l, s, p, thread, least, NULL);
}

void locks_listen(struct locks *l, const struct scene *s, struct places *p,
                  uint32_t thread, uint64_t least,
                  const struct locks_listener *listener)
{
    const struct recording *r = s->r;
    struct find f = {.l = l,
                     .s = s,
                     .places = p,
                     .listener = listener,
                     .from = r->windowed ? r->from : 0,
                     .to = r->windowed ? sooner(r->to, r->end) : r->end};

    *l = (struct locks){.scene = s};
    l->lock = grow_zero(s->locks + 1, sizeof *l->lock);
    for (uint32_t n = 0; n < s->locks; n++)
        l->lock[n].displaced_by = SCENE_NONE;
    owners_read(&f.owners, s);
    list_waits(&f);
    add_waits(&f, thread, least);
    add_taken(&f, thread);
    spun_find(l, s, thread, f.from, f.to);
    find_path(&f);
    convoys_find(l, s, p, f.from, f.to);
    put_in_order(&f);
    owners_free(&f.owners);
    hash_free(&f.wants);
    hash_free(&f.place_at);
    hash_free(&f.displacer_at);
    free(f.wait);
    free(f.ran);
    free(f.displacer);
}

/* Of a word the instruction is recorded, of a function where it returns to. */
uint32_t locks_taken_at(const struct scene *s, struct places *p,
                        const struct scene_hold *h)
{
    uint32_t pc = s->lock[h->lock].word ? h->caller : stack_before(h->caller);

    return h->caller ? places_pc(p, pc, h->taken) : PLACES_NOWHERE;
}

bool locks_is_inverted(const struct locks_lock *l)
{
    return l->displaced_by != SCENE_NONE &&
           l->displaced >= l->waits.cycles / 10;
}

void locks_free(struct locks *l)
{
    free(l->lock);
    free(l->order);
    free(l->place);
    free(l->convoy);
    *l = (struct locks){0};
}
