/* spans.c - see spans.h. */
#include "tools/analysis/states/spans.h"

#include <assert.h>
#include <stdlib.h>

#include "lib/base/grow.h"

static struct spans_event *make(struct spans *s, enum spans_kind is)
{
    struct spans_event *e = &s->ready[(s->first + s->count) % SPANS_READY];

    assert(s->count < SPANS_READY);
    s->count++;
    *e = (struct spans_event){.is = is};
    return e;
}

static struct spans_thread *thread_of(struct spans *s, uint32_t id)
{
    bool fresh;
    uint32_t *n = hash_at(&s->by_id, id, &fresh);

    if (fresh) {
        *n = (uint32_t)s->threads;
        s->thread = grow(s->thread, &s->threads_room, s->threads + 1,
                         sizeof *s->thread);
        s->thread[s->threads++] = (struct spans_thread){.now = {.thread = id}};
    }
    return &s->thread[*n];
}

/* A word of a program is its process's. */
static uint32_t lock_of(struct spans *s, const struct happening *h)
{
    uint32_t pid = h->kind == OBJECT_USER
                       ? threads_process(&s->r->threads, h->thread, h->cycle, 0)
                       : 0;
    bool fresh;
    uint32_t *n =
        hash_at(&s->by_lock, (((uint64_t)pid << 3) ^ h->kind) << 32 | h->object,
                &fresh);

    if (fresh) {
        *n = (uint32_t)s->locks;
        s->lock = grow(s->lock, &s->locks_room, s->locks + 1, sizeof *s->lock);
        s->lock[s->locks++] = (struct spans_lock){
            .kind = h->kind, .object = h->object, .pid = pid};
    }
    return *n;
}

/* ---- a state ends -------------------------------------------------------- */

static void end_state(struct spans *s, struct spans_thread *t, uint64_t cycle)
{
    const struct happening *now = &t->now;
    struct spans_event *e;

    if (!now->state || now->state == STATE_ENDED)
        return;
    e = make(s, SPANS_STATE);
    e->from = now->cycle;
    e->to = cycle;
    e->thread = now->thread;
    e->state = now->state;
    e->kind = now->kind;
    e->object = now->object;
    e->owner = now->owner;
    e->stack = now->stack;
    e->cpu = now->cpu;
    e->lock = t->lock;
    e->vector = t->vector;
}

/* A wait for a lock is over: by a thread, that had it; or by a time. */
static void end_wait(struct spans *s, const struct spans_thread *t,
                     uint64_t cycle)
{
    struct spans_lock *l = &s->lock[t->lock];
    struct spans_event *e;

    if (t->woken.by == WAKE_BY_THREAD && cycle > l->since) {
        e = make(s, SPANS_LOCK);
        e->from = l->since;
        e->to = cycle;
        e->thread = t->woken.waker;
        e->lock = t->lock;
        e->waiting = l->waiting;
        l->since = cycle;
    }
    l->waiting--;
}

static void begin_wait(struct spans *s, struct spans_thread *t)
{
    struct spans_lock *l;

    t->lock = lock_of(s, &t->now);
    l = &s->lock[t->lock];
    if (!l->waiting++ && t->now.cycle > l->since)
        l->since = t->now.cycle;
}

static void tell_woken(struct spans *s, struct spans_thread *t)
{
    struct spans_event *e;

    if (!t->woken.by)
        return;
    e = make(s, SPANS_WAKE);
    e->from = t->woken.cycle;
    e->to = t->now.cycle;
    e->thread = t->now.thread;
    e->by = t->woken.by;
    e->waker = t->woken.waker;
    e->stack = t->woken.stack;
    e->cpu = t->woken.cpu;
    t->woken.by = 0;
}

/* Clocks of two CPUs may differ by a turn: no state is shorter than nothing. */
static void take_state(struct spans *s, const struct happening *h)
{
    struct spans_thread *t = thread_of(s, h->thread);
    uint64_t cycle = h->cycle > t->now.cycle ? h->cycle : t->now.cycle;
    uint32_t stack = h->stack;

    /* Who was woken stands where it waited. */
    if (!stack && h->state == STATE_RUNNABLE && t->now.state >= STATE_LOCK)
        stack = t->now.stack;
    end_state(s, t, cycle);
    if (t->now.state == STATE_LOCK)
        end_wait(s, t, cycle);
    if (h->state == STATE_USER || h->kind == OBJECT_EXCEPTION)
        t->vector = h->kind == OBJECT_EXCEPTION ? h->object : 0;
    t->now = *h;
    t->now.cycle = cycle;
    t->now.stack = stack;
    if (h->state == STATE_LOCK)
        begin_wait(s, t);
    tell_woken(s, t);
}

/* ---- all of it ----------------------------------------------------------- */

void spans_open(struct spans *s, struct recording *r)
{
    *s = (struct spans){.r = r};
    happenings_open(&s->state, r, REC_STATE);
    happenings_open(&s->wake, r, REC_WAKE);
}

/* One record; false: there are none. */
static bool take(struct spans *s)
{
    const struct happening *state = happenings_at(&s->state);
    const struct happening *wake = happenings_at(&s->wake);

    if (wake && (!state || wake->cycle <= state->cycle)) {
        thread_of(s, wake->thread)->woken = *wake;
        happenings_pass(&s->wake, s->r);
    } else if (state) {
        take_state(s, state);
        happenings_pass(&s->state, s->r);
    } else {
        return false;
    }
    return true;
}

bool spans_next(struct spans *s, struct spans_event *e)
{
    while (!s->count && take(s))
        continue;
    while (!s->count && s->closed < s->threads) {
        struct spans_thread *t = &s->thread[s->closed++];

        end_state(s, t, s->r->end > t->now.cycle ? s->r->end : t->now.cycle);
    }
    if (!s->count)
        return false;
    *e = s->ready[s->first];
    s->first = (s->first + 1) % SPANS_READY;
    s->count--;
    return true;
}

void spans_close(struct spans *s)
{
    happenings_shut(&s->state, s->r);
    happenings_shut(&s->wake, s->r);
    free(s->thread);
    free(s->lock);
    hash_free(&s->by_id);
    hash_free(&s->by_lock);
    *s = (struct spans){.first = 0};
}
