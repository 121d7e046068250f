/* polls.c - sleeps that were asked for, or CPUs that were yielded, again
 * and again until another thread had written a word; see scene.h.
 */
#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/search.h"
#include "tools/analysis/causes/scene/build.h"

#define TURN 64 /* cycles by which clocks of two CPUs may differ */

static uint64_t before(const struct record *k, uint32_t cycles)
{
    return cycles < k->cycle ? k->cycle - cycles : 0;
}

static int by_thread(const void *a, const void *b)
{
    const struct scene_poll *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->since < y->since ? -1 : x->since > y->since;
}

/* ---- without sleeping ---------------------------------------------------- */

/* What was parted keeps its serial. */
static int by_serial(const void *a, const void *b)
{
    const struct happening *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->serial != y->serial)
        return x->serial < y->serial ? -1 : 1;
    return x->cycle < y->cycle ? -1 : x->cycle > y->cycle;
}

/* The last of a thread's happenings up to a cycle; `count`: there is none. */
static size_t in_effect(const struct happenings *h, size_t count,
                        uint32_t thread, uint64_t cycle)
{
    size_t n = SEARCH_FIRST(
        0, count, i,
        h->list[i].thread > thread ||
            (h->list[i].thread == thread && h->list[i].cycle > cycle));

    return n && h->list[n - 1].thread == thread ? n - 1 : count;
}

static void part(struct happenings *h, size_t at, uint64_t cycle)
{
    struct happening x = h->list[at];

    if (x.cycle == cycle)
        return;
    x.cycle = cycle;
    h->list = grow(h->list, &h->room, h->count + 1, sizeof *h->list);
    h->list[h->count++] = x;
}

void scene_part_polls(struct happenings *h, struct recording *r)
{
    size_t count = h->count;
    struct record k;
    struct recfile file;

    if (!count || !recording_records(r, REC_POLL, &file))
        return;
    while (recfile_next(&file, &k)) {
        uint64_t since = before(&k, record_get_poll_since(&k)),
                 ended = before(&k, record_get_poll_ended(&k));
        size_t from = in_effect(h, count, k.thread, since),
               to = in_effect(h, count, k.thread, ended);
        bool calls = record_get_poll_called(&k);
        bool sleeps = from == count || to == count || since >= ended ||
                      !scene_is_running(h->list[from].state) ||
                      !scene_is_running(h->list[to].state);

        for (size_t n = from; !sleeps && !calls && n < to; n++)
            sleeps = !scene_is_running(h->list[n].state) &&
                     h->list[n].state != STATE_RUNNABLE;
        if (sleeps)
            continue;
        part(h, from, since);
        part(h, to, ended);
    }
    recording_done(r, &file);
    if (h->count > count)
        qsort(h->list, h->count, sizeof *h->list, by_serial);
}

/* All that a thread was in from `since` to `ended`, if it did not sleep. */
static bool match_running(struct scene *s, struct scene_poll *p)
{
    const struct scene_thread *who = &s->thread[p->thread];
    size_t end = who->first + who->stays;
    size_t from = SEARCH_FIRST(who->first, end, i, s->stay[i].from >= p->since);
    size_t to = SEARCH_FIRST(from, end, i, s->stay[i].to >= p->ended);

    if (to >= end || s->stay[from].from != p->since ||
        s->stay[to].to != p->ended)
        return false;
    for (size_t n = from; n <= to; n++)
        if (!scene_runs(&s->stay[n]) && s->stay[n].state != STATE_RUNNABLE &&
            !p->called)
            return false;
    p->stay = (uint32_t)from;
    p->stays = (uint32_t)(to + 1 - from);
    p->runs = true;
    return true;
}

/* ---- who works until then ------------------------------------------------ */

static bool is_within(const struct scene_poll *p, uint64_t cycle)
{
    return cycle >= p->since && cycle <= p->ended;
}

/* Does it take locks meanwhile; those that it has alone, or others, too? */
static bool takes_locks(const struct scene *s, const struct scene_poll *p,
                        bool alone)
{
    for (size_t n = 0; n < s->holds; n++)
        if (s->hold[n].thread == p->thread && !(alone && s->hold[n].shared) &&
            (is_within(p, s->hold[n].asked) || is_within(p, s->hold[n].given)))
            return true;
    return false;
}

/* Does no other thread wait for what it does meanwhile, and it for none? */
static bool is_alone(const struct scene *s, const struct scene_poll *p)
{
    for (uint32_t n = 0; n < p->stays; n++)
        if (s->stay[p->stay + n].poll != SCENE_NONE)
            return false;
    for (size_t n = 0; n < s->wakes; n++)
        if (s->wake[n].waker == p->thread && is_within(p, s->wake[n].cycle))
            return false;
    for (uint32_t n = 0; n < s->polls; n++)
        if (s->poll[n].writer == p->thread && is_within(p, s->poll[n].written))
            return false;
    return true;
}

uint64_t scene_runs_until(const struct scene *s, const struct scene_poll *p)
{
    const struct scene_thread *t = &s->thread[p->thread];
    uint64_t sum = 0;

    for (size_t n = t->first; n < t->first + t->stays; n++) {
        const struct scene_stay *at = &s->stay[n];
        uint64_t from = at->from > p->since ? at->from : p->since,
                 to = at->to < p->ended ? at->to : p->ended;

        if (scene_runs(at) && from < to)
            sum += to - from;
    }
    return sum;
}

/* Is q a wait of the thread of p, which works, for that word, too? */
static bool is_same_word(const struct scene_poll *p, const struct scene_poll *q)
{
    return !q->works && q->thread == p->thread && q->object == p->object &&
           q->since < p->ended && q->ended > p->since;
}

/* Does the thread wait for that word, more than once or most of the time? Then
 * it does not work. The last sleep of a loop may look like a wait. */
static bool waits_for(const struct scene *s, const struct scene_poll *p)
{
    uint64_t sum = 0;
    unsigned count = 0;

    for (uint32_t n = 0; n < s->polls; n++) {
        if (!is_same_word(p, &s->poll[n]))
            continue;
        sum += s->poll[n].ended - s->poll[n].since;
        count++;
    }
    return count > 1 || sum > (p->ended - p->since) / 2;
}

/* Of a thread that works until a word is written, or waits for that, one. */
static void drop_waits(struct scene *s)
{
    bool *drop = grow_zero(s->polls + 1, sizeof *drop);
    uint32_t kept = 0;

    for (uint32_t n = 0; n < s->polls; n++) {
        const struct scene_poll *p = &s->poll[n];

        drop[n] |= p->works && waits_for(s, p);
        for (uint32_t k = 0; p->works && !drop[n] && k < s->polls; k++)
            drop[k] |= is_same_word(p, &s->poll[k]);
    }
    for (uint32_t n = 0; n < s->polls; n++)
        if (!drop[n])
            s->poll[kept++] = s->poll[n];
    s->polls = kept;
    free(drop);
}

static void match_work(struct scene *s, uint32_t poll)
{
    struct scene_poll *p = &s->poll[poll];

    p->stay = SCENE_NONE;
    p->locks = takes_locks(s, p, true); /* not to read alone */
    if (!match_running(s, p))
        return;
    if (!takes_locks(s, p, false) && is_alone(s, p)) {
        for (uint32_t n = 0; n < p->stays; n++)
            s->stay[p->stay + n].poll = poll;
        return;
    }
    p->runs = false;
    p->stay = SCENE_NONE;
    p->stays = 0;
}

/* ---- all ----------------------------------------------------------------- */

/* The sleeps of a thread from when it asked for the first one on. */
static void match_sleeps(struct scene *s, struct scene_poll *p)
{
    const struct scene_thread *who = &s->thread[p->thread];
    size_t end = who->first + who->stays;
    size_t n =
        SEARCH_FIRST(who->first, end, i, s->stay[i].from + TURN >= p->since);

    for (; n < end && s->stay[n].to <= p->ended + TURN; n++) {
        if (s->stay[n].state != STATE_TIMER)
            continue;
        if (p->stay == SCENE_NONE)
            p->stay = (uint32_t)n;
        p->stays = (uint32_t)n + 1 - p->stay;
    }
}

static void match(struct scene *s, uint32_t poll)
{
    struct scene_poll *p = &s->poll[poll];

    p->stay = SCENE_NONE;
    if (!match_running(s, p))
        match_sleeps(s, p);
    for (uint32_t n = 0; p->stay != SCENE_NONE && n < p->stays; n++)
        if (p->runs || s->stay[p->stay + n].state == STATE_TIMER)
            s->stay[p->stay + n].poll = poll;
}

/* Is it in a function that takes a lock, of which lock.rec tells, or a few
 * cycles behind? */
static bool takes_lock(const struct scene *s, const struct scene_poll *p)
{
    size_t n = SEARCH_FIRST(
        0, s->holds, i,
        s->hold[i].thread > p->thread ||
            (s->hold[i].thread == p->thread && s->hold[i].taken >= p->since));

    while (n < s->holds && s->lock[s->hold[n].lock].word)
        n++;
    return n < s->holds && s->hold[n].thread == p->thread &&
           s->hold[n].asked <= p->since;
}

#define CONDITION 48 /* bytes of a pthread_cond_t */

/* Is it a word within a condition that the thread signals next? The function
 * that does so looks whether others wait. */
static bool signals(const struct scene *s, const struct scene_poll *p)
{
    size_t n = SEARCH_FIRST(
        0, s->signals, i,
        s->signal[i].thread > p->thread ||
            (s->signal[i].thread == p->thread && s->signal[i].to >= p->ended));

    for (; n < s->signals && s->signal[n].thread == p->thread; n++)
        if (s->signal[n].event == LOCK_SIGNALLED)
            return p->object - s->signal[n].object < CONDITION;
    return false;
}

const struct scene_poll *scene_poll_from(const struct scene *s, uint32_t thread,
                                         uint64_t cycle)
{
    size_t n = SEARCH_FIRST(
        0, s->polls, i,
        s->poll[i].thread > thread ||
            (s->poll[i].thread == thread && s->poll[i].since >= cycle));

    return n < s->polls && s->poll[n].thread == thread ? &s->poll[n] : NULL;
}

static struct scene_poll read_poll(const struct scene *s,
                                   const struct record *k)
{
    return (struct scene_poll){
        .since = before(k, record_get_poll_since(k)),
        .ended = before(k, record_get_poll_ended(k)),
        .written = before(k, record_get_poll_written(k)),
        .thread = scene_thread_of(s, k->thread),
        .writer = scene_thread_of(s, record_get_poll_writer(k)),
        .object = record_get_poll_object(k),
        .firsts = record_get_poll_first(k),
        .tried = record_get_poll_tried(k),
        .works = record_get_poll_worked(k),
        .called = record_get_poll_called(k)
                      ? before(k, record_get_poll_called(k))
                      : 0,
        .yields = record_get_poll_yielded(k)};
}

static void add_poll(struct scene *s, struct scene_poll p)
{
    if (p.thread != SCENE_NONE && p.writer == p.thread) {
        s->thread[p.thread].asks = p.since;
        s->thread[p.thread].asked = p.object;
        return;
    }
    if (p.thread == SCENE_NONE || p.writer == SCENE_NONE ||
        p.since > p.written || p.written > p.ended ||
        (!p.works && (takes_lock(s, &p) || signals(s, &p))))
        return;
    s->poll = grow(s->poll, &s->polls_room, s->polls + 1, sizeof *s->poll);
    s->poll[s->polls++] = p;
}

/* Which waits are for a lock that is such a word. */
static void find_words(struct scene *s)
{
    struct hash words = {0};
    bool fresh;

    for (uint32_t n = 0; n < s->locks; n++)
        if (s->lock[n].word)
            hash_at(&words, s->lock[n].object, &fresh);
    for (uint32_t n = 0; n < s->polls; n++)
        s->poll[n].word =
            s->poll[n].tried && hash_find(&words, s->poll[n].object);
    hash_free(&words);
}

/* A lock that was free each time is taken to be of the same library as others
 * at which threads look in vain and then call the system. */
static void tell_sleeps(struct scene *s)
{
    bool calls = false;

    for (uint32_t n = 0; n < s->polls; n++)
        calls |= s->poll[n].called != 0;
    for (uint32_t n = 0; n < s->locks; n++)
        if (s->lock[n].word && !s->lock[n].waits)
            s->lock[n].sleeps = calls;
}

/* ---- who works until the program ends ------------------------------------ */

static const struct scene_stay *last_stay(const struct scene *s, uint32_t n)
{
    const struct scene_thread *t = &s->thread[n];

    return t->stays && !t->sampler ? &s->stay[t->first + t->stays - 1] : NULL;
}

/* The thread that ended the program, of one under --user: its first thread, if
 * that runs then, or the only one that does. */
static uint32_t ender(const struct scene *s)
{
    uint32_t found = SCENE_NONE, first = UINT32_MAX;
    unsigned run = 0;

    if (!recording_program_ended(s->r))
        return SCENE_NONE;
    for (uint32_t n = 0; n < s->threads; n++) {
        const struct scene_stay *l = last_stay(s, n);

        if (l && s->thread[n].id < first)
            first = s->thread[n].id;
        if (!l || !scene_runs(l) || l->to < s->r->end)
            continue;
        if (found == SCENE_NONE || s->thread[n].id < s->thread[found].id)
            found = n;
        run++;
    }
    return run == 1 || (run && s->thread[found].id == first) ? found
                                                             : SCENE_NONE;
}

/* Since when a thread does not wait any more, also for a word in a loop: the
 * first of its last stays in which it runs or is runnable. */
static uint64_t works_since(const struct scene *s, uint32_t thread)
{
    const struct scene_stay *first = &s->stay[s->thread[thread].first];
    const struct scene_stay *at = last_stay(s, thread);
    uint64_t since;

    while (at > first && (scene_runs(at - 1) || at[-1].state == STATE_RUNNABLE))
        at--;
    since = at->from;
    for (uint32_t n = 0; n < s->polls; n++)
        if (s->poll[n].thread == thread && s->poll[n].ended > since)
            since = s->poll[n].ended;
    return since;
}

/* Those that run then, or wait for a CPU, work; but not in a loop in which they
 * ask a word. */
static void add_unended(struct scene *s)
{
    uint32_t by = ender(s);

    for (uint32_t n = 0; by != SCENE_NONE && n < s->threads; n++) {
        const struct scene_stay *l = n == by ? NULL : last_stay(s, n);
        uint64_t since;

        if (!l || l->to < s->r->end || s->thread[n].asks ||
            (!scene_runs(l) && l->state != STATE_RUNNABLE))
            continue;
        since = works_since(s, n);
        s->poll = grow(s->poll, &s->polls_room, s->polls + 1, sizeof *s->poll);
        s->poll[s->polls++] = (struct scene_poll){.since = since,
                                                  .ended = l->to,
                                                  .written = s->r->end,
                                                  .thread = n,
                                                  .writer = by,
                                                  .works = true};
    }
}

/* ---- all of them --------------------------------------------------------- */

void scene_read_polls(struct scene *s)
{
    struct record k;
    struct recfile file;

    if (recording_records(s->r, REC_POLL, &file)) {
        while (recfile_next(&file, &k))
            add_poll(s, read_poll(s, &k));
        recording_done(s->r, &file);
    }
    add_unended(s);
    drop_waits(s);
    if (s->polls)
        qsort(s->poll, s->polls, sizeof *s->poll, by_thread);
    for (uint32_t n = 0; n < s->polls; n++)
        if (!s->poll[n].works)
            match(s, n);
    for (uint32_t n = 0; n < s->polls; n++)
        if (s->poll[n].works) {
            match_work(s, n);
            s->thread[s->poll[n].thread].works = n;
        }
    find_words(s);
    tell_sleeps(s);
}
