/* chain.c - see chain.h. */
#include "tools/analysis/causes/chain.h"

static const struct scene_stay *stay_of(const struct chain_now *now,
                                        uint32_t thread)
{
    return now->stay[thread] == SCENE_NONE
               ? NULL
               : &now->scene->stay[now->stay[thread]];
}

static void begin(struct chain *c)
{
    c->hops = c->threads = 0;
    c->stack = 0;
    c->root = ROOT_UNKNOWN;
    c->displaced = false;
}

static void end(struct chain *c, enum chain_root root, uint32_t thread,
                uint32_t stack)
{
    c->root = root;
    c->stack = stack;
    c->thread[0] = thread;
    c->threads = thread != SCENE_NONE;
}

/* Where a runnable thread is: where it left its CPU, or was woken, or, a new
 * one, where it was made. */
static uint32_t stands_at(const struct scene *s, const struct scene_stay *t)
{
    if (t->stack || t->state != STATE_RUNNABLE)
        return t->stack;
    if (t > s->stay && t[-1].thread == t->thread && scene_blocked(t - 1))
        return t[-1].stack;
    return t->wake == SCENE_NONE ? 0 : s->wake[t->wake].stack;
}

/* It was woken, and is on its way: from where it waited. */
static void end_woken(struct chain *c, const struct chain_now *now,
                      uint32_t thread)
{
    end(c, ROOT_WAKEUP, thread, stands_at(now->scene, stay_of(now, thread)));
}

const struct scene_spin *chain_spin(const struct chain_now *now,
                                    uint32_t thread)
{
    const struct scene_spin *s =
        scene_spin_from(now->scene, thread, now->cycle + 1);

    return s && s->from <= now->cycle ? s : NULL;
}

/* Who keeps a CPU that a thread has: if that spins, who has the lock, if that
 * runs. */
static uint32_t keeper(const struct chain_now *now, uint32_t thread)
{
    const struct scene_spin *spin = chain_spin(now, thread);

    for (unsigned n = 0; spin && n < CHAIN_CPUS; n++) {
        const struct scene_stay *owner = stay_of(now, spin->owner);

        if (!owner || !scene_runs(owner))
            break;
        thread = spin->owner;
        spin = chain_spin(now, thread);
    }
    return thread;
}

/* A runnable thread waits for those on its CPUs; if one of these is idle, or
 * nobody is known there, for the scheduler. */
static void end_runnable(struct chain *c, const struct chain_now *now,
                         uint32_t thread, const struct scene_stay *stay)
{
    unsigned cpus = now->scene->r->cpus;
    bool free = false;
    uint32_t before;

    for (unsigned cpu = 0; cpu < cpus && cpu < CHAIN_CPUS; cpu++) {
        if (!scene_allowed(stay, cpu))
            continue;
        free |= now->idle[cpu];
        if (now->running[cpu] != SCENE_NONE && now->running[cpu] != thread)
            c->thread[c->threads++] = keeper(now, now->running[cpu]);
    }
    c->root = ROOT_RUNS;
    if (free || !c->threads) {
        end_woken(c, now, thread);
        return;
    }
    /* One that is not born yet has no stay. */
    before = c->hops > 1 ? c->hop[c->hops - 2].stay : SCENE_NONE;
    c->displaced =
        before != SCENE_NONE && now->scene->stay[before].state == STATE_LOCK;
}

/* Who is to write the word for which a thread sleeps again and again;
 * SCENE_NONE: it has been written, or this is no such sleep. */
static uint32_t writer(const struct chain_now *now,
                       const struct scene_stay *stay)
{
    const struct scene_poll *p =
        stay->poll == SCENE_NONE ? NULL : &now->scene->poll[stay->poll];

    return p && now->cycle < p->written && stay_of(now, p->writer) ? p->writer
                                                                   : SCENE_NONE;
}

/* Whom does a blocked thread wait for? SCENE_NONE: the chain has ended. */
static uint32_t next(struct chain *c, const struct chain_now *now,
                     const struct scene_stay *stay, bool by_owner)
{
    const struct scene_wake *w =
        stay->wake == SCENE_NONE ? NULL : &now->scene->wake[stay->wake];
    uint32_t who = SCENE_NONE;

    if (by_owner && stay->state == STATE_LOCK)
        who = owners_at(now->owners, stay, now->cycle);
    else if (by_owner)
        who = writer(now, stay);
    if (who == stay->thread) {
        end_woken(c, now, who);
        return SCENE_NONE;
    }
    if (who != SCENE_NONE && stay_of(now, who))
        return who;
    if (stay->state == STATE_TIMER || (w && w->by == WAKE_BY_TIMER))
        end(c, ROOT_SLEEPS, stay->thread, stay->stack);
    else if (!w)
        end(c, stay->to < now->scene->r->end ? ROOT_UNKNOWN : ROOT_NEVER,
            stay->thread, stay->stack);
    else if (w->by == WAKE_BY_DEVICE)
        end(c, ROOT_DEVICE, stay->thread, stay->stack);
    else if (w->by != WAKE_BY_THREAD)
        end(c, ROOT_INTERRUPT, stay->thread, stay->stack);
    else if (w->waker != SCENE_NONE)
        return w->waker;
    else
        end(c, ROOT_UNKNOWN, SCENE_NONE, 0);
    return SCENE_NONE;
}

/* Who made a thread that is not there: before its birth. */
static uint32_t creator(struct chain *c, const struct chain_now *now,
                        uint32_t thread)
{
    const struct scene *s = now->scene;
    const struct scene_thread *t = &s->thread[thread];
    const struct scene_stay *first = &s->stay[t->first];

    if (!t->stays || first->from <= now->cycle) {
        end(c, ROOT_UNKNOWN, thread, 0);
        return SCENE_NONE;
    }
    c->hop[c->hops++] = (struct chain_hop){thread, SCENE_NONE, NULL};
    if (first->wake != SCENE_NONE &&
        s->wake[first->wake].by == WAKE_BY_THREAD &&
        s->wake[first->wake].waker != SCENE_NONE)
        return s->wake[first->wake].waker;
    end(c, ROOT_UNKNOWN, SCENE_NONE, 0);
    return SCENE_NONE;
}

/* Returns SCENE_NONE, or the thread at which it came back to where it had
 * been. */
static uint32_t walk(struct chain *c, const struct chain_now *now,
                     uint32_t thread, bool by_owner)
{
    begin(c);
    while (thread != SCENE_NONE) {
        const struct scene_stay *stay = stay_of(now, thread);
        const struct scene_spin *spin;

        for (unsigned n = 0; n < c->hops; n++)
            if (c->hop[n].thread == thread)
                return thread;
        if (c->hops == CHAIN_HOPS) {
            end(c, ROOT_UNKNOWN, thread, 0);
            break;
        }
        if (!stay) {
            thread = creator(c, now, thread);
            continue;
        }
        spin = by_owner && scene_runs(stay) ? chain_spin(now, thread) : NULL;
        if (scene_runs(stay) && !spin) {
            end(c, ROOT_RUNS, thread, 0);
            break;
        }
        c->hop[c->hops++] = (struct chain_hop){thread, now->stay[thread], spin};
        if (spin) {
            thread = spin->owner;
            continue;
        }
        if (stay->state == STATE_RUNNABLE) {
            end_runnable(c, now, thread, stay);
            break;
        }
        thread = next(c, now, stay, by_owner);
    }
    return SCENE_NONE;
}

void chain_find(struct chain *c, const struct chain_now *now, uint32_t thread)
{
    const struct scene_stay *stay;

    /* Who woke whom cannot go in a circle; who has what can, and so can what
     * is thought of that. */
    if (walk(c, now, thread, true) == SCENE_NONE ||
        (walk(c, now, thread, false) == SCENE_NONE && c->root != ROOT_NEVER))
        return;
    thread = walk(c, now, thread, true);
    stay = stay_of(now, thread);
    end(c, ROOT_DEADLOCK, thread, stay ? stay->stack : 0);
}

void chain_of_running(struct chain *c, const struct chain_now *now)
{
    const struct scene *s = now->scene;

    begin(c);
    for (unsigned cpu = 0; cpu < s->r->cpus && cpu < CHAIN_CPUS; cpu++)
        if (now->running[cpu] != SCENE_NONE &&
            !s->thread[now->running[cpu]].sampler)
            c->thread[c->threads++] = keeper(now, now->running[cpu]);
    if (c->threads)
        c->root = ROOT_RUNS;
}

void chain_of_mask(struct chain *c, const struct chain_now *now,
                   uint32_t thread)
{
    const struct scene *s = now->scene;
    const struct scene_stay *t = &s->stay[s->stay[now->stay[thread]].masked];

    begin(c);
    c->hop[c->hops++] = (struct chain_hop){thread, now->stay[thread], NULL};
    end(c, ROOT_MASK, thread, stands_at(s, t));
}

void chain_of_wakeup(struct chain *c, const struct chain_now *now,
                     uint32_t thread)
{
    begin(c);
    c->hop[c->hops++] = (struct chain_hop){thread, now->stay[thread], NULL};
    end_woken(c, now, thread);
}
