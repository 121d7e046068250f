/* locks.c - which locks there are, and who had them; see scene.h. */
#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/search.h"
#include "tools/analysis/causes/scene/build.h"

struct finder {
    struct scene *s;
    struct hash at;   /* locks by kind, object and process */
    struct hash open; /* by lock and thread: an index of `hold`, from 1 */
    struct hash odd;  /* locks taken twice, or given back by who had them not */
};

static uint32_t process_of(const struct scene *s, uint32_t kind,
                           uint32_t thread, uint64_t at)
{
    return kind == OBJECT_USER
               ? threads_process(&s->r->threads, s->thread[thread].id, at, 0)
               : 0;
}

uint32_t scene_process_of(const struct scene *s, uint32_t lock)
{
    const struct scene_lock *l = &s->lock[lock];

    return process_of(s, l->kind, l->thread, l->at);
}

/* A word of a program is its process's. */
uint32_t scene_number_lock(struct scene *s, struct hash *at,
                           const struct scene_lock *l)
{
    uint64_t process = process_of(s, l->kind, l->thread, l->at);
    bool fresh;
    uint32_t *lock =
        hash_at(at, (process << 3 ^ l->kind) << 32 | l->object, &fresh);

    if (!fresh)
        return *lock;
    s->lock = grow(s->lock, &s->locks_room, s->locks + 1, sizeof *s->lock);
    s->lock[s->locks] = *l;
    return *lock = s->locks++;
}

static uint32_t number(struct finder *f, const struct scene_lock *l)
{
    return scene_number_lock(f->s, &f->at, l);
}

static void number_waits(struct finder *f)
{
    for (size_t n = 0; n < f->s->stays; n++) {
        struct scene_stay *t = &f->s->stay[n];

        if (t->state == STATE_LOCK)
            t->lock = number(f, &(struct scene_lock){.kind = t->kind,
                                                     .object = t->object,
                                                     .thread = t->thread,
                                                     .at = t->from});
    }
}

/* ---- holds --------------------------------------------------------------- */

static void take(struct finder *f, const struct scene_hold *h)
{
    struct scene *s = f->s;
    bool fresh;
    uint32_t *open =
        hash_at(&f->open, (uint64_t)h->lock << 32 | h->thread, &fresh);

    if (*open) {
        s->hold[*open - 1].deep++;
        hash_at(&f->odd, h->lock, &fresh);
        return;
    }
    s->hold = grow(s->hold, &s->holds_room, s->holds + 1, sizeof *s->hold);
    s->hold[s->holds++] = *h;
    *open = (uint32_t)s->holds;
}

static void give(struct finder *f, const struct scene_hold *h)
{
    bool fresh;
    uint32_t *open =
        hash_at(&f->open, (uint64_t)h->lock << 32 | h->thread, &fresh);
    struct scene_hold *had = *open ? &f->s->hold[*open - 1] : NULL;

    if (!had) {
        hash_at(&f->odd, h->lock, &fresh);
        return; /* it was taken before the recording began */
    }
    if (had->deep) {
        had->deep--;
        return;
    }
    had->given = h->asked > had->taken ? h->asked : had->taken;
    had->done = h->taken;
    *open = 0;
}

static void add_signal(struct scene *s, const struct record *k)
{
    struct scene_signal g = {k->cycle - record_get_lock_since(k), k->cycle,
                             scene_thread_of(s, k->thread),
                             record_get_lock_event(k),
                             record_get_lock_object(k)};

    if (g.thread == SCENE_NONE)
        return;
    s->signal =
        grow(s->signal, &s->signals_room, s->signals + 1, sizeof *s->signal);
    s->signal[s->signals++] = g;
}

/* What an event is of. */
enum kind_of { OF_LOCKS, OF_SEMAPHORES, OF_WORDS, OF_OTHERS };

static enum kind_of kind_of(uint32_t event)
{
    switch (event) {
    case LOCK_DOWN:
    case LOCK_UP:
        return OF_SEMAPHORES;
    case LOCK_WORD_TAKEN:
    case LOCK_WORD_GIVEN:
    case LOCK_NONE:
        return OF_WORDS;
    case LOCK_SIGNALLED:
    case LOCK_JOINED:
        return OF_OTHERS;
    default:
        return OF_LOCKS;
    }
}

static bool gives(uint32_t event)
{
    return event == LOCK_GIVEN || event == LOCK_UP || event == LOCK_WORD_GIVEN;
}

static void read_holds(struct finder *f, enum kind_of kind)
{
    struct scene *s = f->s;
    struct record k;
    struct recfile file;
    bool fresh;

    if (!recording_records(s->r, REC_LOCK, &file))
        return;
    while (recfile_next(&file, &k)) {
        uint32_t event = record_get_lock_event(&k);
        /* The store that gives a word back takes no time: `since` is when the
         * thread began a loop that this store ends, which may be that in which
         * it has tried to take the word. */
        uint32_t since =
            event == LOCK_WORD_GIVEN ? 0 : record_get_lock_since(&k);
        struct scene_hold h = {.asked = since < k.cycle ? k.cycle - since : 0,
                               .taken = k.cycle,
                               .given = s->r->end,
                               .done = s->r->end,
                               .thread = scene_thread_of(s, k.thread),
                               .stay = SCENE_NONE,
                               .caller = record_get_lock_caller(&k),
                               .shared = event == LOCK_SHARED};

        if ((kind_of(event) == OF_OTHERS || event == LOCK_DOWN) &&
            kind == OF_LOCKS)
            add_signal(s, &k);
        if (h.thread == SCENE_NONE || kind_of(event) != kind)
            continue;
        h.lock =
            number(f, &(struct scene_lock){.kind = record_get_lock_kind(&k),
                                           .object = record_get_lock_object(&k),
                                           .thread = h.thread,
                                           .at = h.asked});
        s->lock[h.lock].readers |= h.shared;
        s->lock[h.lock].spins |= event == LOCK_SPIN_TAKEN;
        if (event == LOCK_NONE)
            hash_at(&f->odd, h.lock, &fresh);
        else if (gives(event))
            give(f, &h);
        else
            take(f, &h);
    }
    recording_done(s->r, &file);
}

/* ---- semaphores ---------------------------------------------------------- */

#define SEMAPHORE_SIZE 16 /* bytes */
#define TURN 64           /* cycles by which clocks of two CPUs may differ */

static int by_lock(const void *a, const void *b)
{
    const struct scene_hold *x = a, *y = b;

    if (x->lock != y->lock)
        return x->lock < y->lock ? -1 : 1;
    if (x->taken != y->taken)
        return x->taken < y->taken ? -1 : 1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* How many threads had each at a time, at most. */
static void find_slots(struct finder *f)
{
    struct scene *s = f->s;
    uint64_t *until = grow_zero(s->holds + 1, sizeof *until);
    uint32_t had = 0;

    if (s->holds)
        qsort(s->hold, s->holds, sizeof *s->hold, by_lock);
    for (size_t n = 0; n < s->holds; n++) {
        const struct scene_hold *h = &s->hold[n];
        uint32_t before = n && h[-1].lock == h->lock ? had : 0;

        had = 0;
        for (uint32_t k = 0; k < before; k++)
            if (h->taken + TURN < until[k])
                until[had++] = until[k];
        until[had++] = h->given;
        if (had > s->lock[h->lock].slots)
            s->lock[h->lock].slots = had;
    }
    free(until);
}

/* The words of programs that threads wait for in a queue. */
static struct hash waited_words(const struct scene *s)
{
    struct hash words = {0};
    bool fresh;

    for (size_t n = 0; n < s->stays; n++)
        if (s->stay[n].state == STATE_QUEUE && s->stay[n].kind == OBJECT_USER)
            hash_at(&words, s->stay[n].object, &fresh);
    return words;
}

/* Is one of them a semaphore's? */
static bool is_waited_for(const struct hash *words, const struct scene_lock *l)
{
    for (uint32_t byte = 0; byte < SEMAPHORE_SIZE; byte += 4)
        if (hash_find(words, l->object + byte))
            return true;
    return false;
}

/* To read holds of some kind into, of the same threads. */
static struct scene empty(const struct scene *s)
{
    return (struct scene){.r = s->r,
                          .thread = s->thread,
                          .threads = s->threads,
                          .by_id = s->by_id};
}

static void add_hold(struct scene *s, const struct scene_hold *h)
{
    s->hold = grow(s->hold, &s->holds_room, s->holds + 1, sizeof *s->hold);
    s->hold[s->holds++] = *h;
}

/* What was read into such a one. */
static void close_found(struct finder *found)
{
    free(found->s->lock);
    free(found->s->hold);
    hash_free(&found->at);
    hash_free(&found->open);
    hash_free(&found->odd);
}

/* A semaphore that threads have in turn is a lock like any other. One that
 * several have at a time counts so many, if another one has had to wait. */
static void read_semaphores(struct finder *f)
{
    struct scene *s = f->s, own = empty(s);
    struct finder found = {.s = &own};
    struct hash words;
    bool fresh;

    read_holds(&found, OF_SEMAPHORES);
    find_slots(&found);
    words = waited_words(s);
    for (size_t n = 0; n < own.locks; n++)
        if (own.lock[n].slots > 1 && !is_waited_for(&words, &own.lock[n]))
            hash_at(&found.odd, (uint32_t)n, &fresh);
    for (size_t n = 0; n < own.holds; n++) {
        struct scene_hold *h = &own.hold[n];
        uint32_t slots = own.lock[h->lock].slots;

        if (hash_find(&found.odd, h->lock))
            continue; /* it counts, or tells another thread something */
        h->lock = number(f, &own.lock[h->lock]);
        s->lock[h->lock].slots = slots > 1 ? slots : 0;
        s->lock[h->lock].counted = true;
        add_hold(s, h);
    }
    close_found(&found);
    hash_free(&words);
}

static bool is_for_word(const struct scene_stay *t, uint32_t word)
{
    return scene_blocked(t) && t->kind == OBJECT_USER && t->object == word;
}

/* Was a thread blocked for a word while it took the lock? */
static bool sleeps_for(const struct scene *s, const struct scene_hold *h,
                       uint32_t word)
{
    const struct scene_thread *who = &s->thread[h->thread];
    size_t end = who->first + who->stays;
    size_t n = SEARCH_FIRST(who->first, end, i, s->stay[i].from >= h->asked);

    for (; n < end && s->stay[n].from < h->taken; n++)
        if (is_for_word(&s->stay[n], word))
            return true;
    return false;
}

/* Which of these words are locks: those for which a thread has had to wait, and
 * those that several threads take. The caller frees the list. */
static bool *are_locks(struct scene *own)
{
    bool *is = grow_zero(own->locks + 1, sizeof *is);

    for (size_t n = 0; n < own->holds; n++) {
        const struct scene_hold *h = &own->hold[n];
        struct scene_lock *l = &own->lock[h->lock];

        l->waits |= h->asked < h->taken;
        l->sleeps |= sleeps_for(own, h, l->object);
        is[h->lock] |= l->waits || h->thread != l->thread;
    }
    return is;
}

/* But not those of the C library's, of which its functions tell. */
static void read_words(struct finder *f)
{
    struct scene *s = f->s, own = empty(s);
    struct finder found = {.s = &own};
    bool *known = grow_zero(s->locks + 1, sizeof *known), *is;
    uint32_t locks = s->locks;

    for (size_t n = 0; n < s->holds; n++)
        known[s->hold[n].lock] = true;
    own.stay = s->stay;
    read_holds(&found, OF_WORDS);
    is = are_locks(&own);
    for (size_t n = 0; n < own.holds; n++) {
        struct scene_hold *h = &own.hold[n];
        const struct scene_lock *l = &own.lock[h->lock];

        if (hash_find(&found.odd, h->lock) || !is[h->lock])
            continue;
        h->lock = number(f, l);
        if (h->lock < locks && known[h->lock])
            continue;
        s->lock[h->lock].word = true;
        s->lock[h->lock].waits = l->waits;
        s->lock[h->lock].sleeps = l->sleeps;
        h->done += h->done < s->r->end; /* it does not wait for a condition */
        add_hold(s, h);
    }
    close_found(&found);
    free(known);
    free(is);
}

static int by_thread(const void *a, const void *b)
{
    const struct scene_hold *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->taken != y->taken)
        return x->taken < y->taken ? -1 : 1;
    return x->lock < y->lock ? -1 : x->lock > y->lock;
}

static int by_signaller(const void *a, const void *b)
{
    const struct scene_signal *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

#define RWLOCK_SIZE                                                            \
    32 /* bytes of a read-write lock, for whose words it waits */

/* Is it a wait for that lock? Of a mutex the state says so; one for a
 * read-write lock looks like one for a condition, but for where its word is. */
static bool is_for(const struct scene *s, const struct scene_stay *t,
                   const struct scene_hold *x)
{
    const struct scene_lock *l = &s->lock[x->lock];

    if (l->word)
        return is_for_word(t, l->object);
    return t->state == STATE_LOCK
               ? t->lock == x->lock
               : t->state == STATE_QUEUE && t->kind == OBJECT_USER &&
                     l->kind == OBJECT_USER && t->object >= l->object &&
                     t->object - l->object < RWLOCK_SIZE;
}

static void match_waits(struct scene *s)
{
    for (size_t h = 0; h < s->holds; h++) {
        struct scene_hold *x = &s->hold[h];
        const struct scene_thread *who = &s->thread[x->thread];
        size_t end = who->first + who->stays;
        size_t n = SEARCH_FIRST(who->first, end, i, s->stay[i].to > x->asked);

        if (s->lock[x->lock].word && !s->lock[x->lock].sleeps)
            continue;
        for (; n < end && s->stay[n].from <= x->taken; n++)
            if (is_for(s, &s->stay[n], x)) {
                s->stay[n].lock = x->lock;
                s->stay[n].shared = x->shared;
                x->stay = x->stay == SCENE_NONE ? (uint32_t)n : x->stay;
            }
    }
}

void scene_read_locks(struct scene *s)
{
    struct finder f = {.s = s};

    number_waits(&f);
    read_holds(&f, OF_LOCKS);
    read_semaphores(&f);
    read_words(&f);
    if (s->holds)
        qsort(s->hold, s->holds, sizeof *s->hold, by_thread);
    if (s->signals)
        qsort(s->signal, s->signals, sizeof *s->signal, by_signaller);
    match_waits(s);
    scene_read_rwlocks(s, &f.at);
    hash_free(&f.at);
    hash_free(&f.open);
    hash_free(&f.odd);
}
