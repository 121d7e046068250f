/* spend.c - where in a thread's running the cycles of a scaled function are.
 *
 * Samples of cycles say where (pieces.c, shares.c). The account says how many
 * there are: of each thread and interval the cycles of every function, exactly.
 * Those of a function that is called count if all samples of it, in that
 * thread, are within what is scaled; if some are, they may count. What must
 * count and is more than the samples say is given to the cycles of that
 * interval, first to the rest of stretches that are scaled in part, then to
 * those that no sample tells of; what is more than may count is taken from
 * them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/guest.h"
#include "lib/base/grow.h"
#include "lib/base/search.h"
#include "lib/base/text.h"
#include "tools/analysis/retime/pieces.h"
#include "tools/analysis/states/words.h"
#include "tools/analysis/symbols/variables.h"

#define ENOUGH 8 /* samples of a function, to say that all are alike */
#define TWELFTHS 12
#define STILL 64 /* instructions take a cycle at least, however fast */

/* Twelfths of cycles. */
struct bounds {
    uint64_t least, most;
};

/* ---- functions ----------------------------------------------------------- */

static int scaled_by(struct spend *s, uint32_t function)
{
    const struct loadmap *m = &s->g->scene->r->map;

    for (unsigned n = 0; n < s->change->count; n++) {
        const struct retime_scaled *c = &s->change->scaled[n];

        if (!c->lock && function != LOADMAP_UNKNOWN &&
            loadmap_called(m, function, c->name)) {
            s->known[n] = true;
            s->kernel[n] = loadmap_image(m, function) == 0;
            s->of_system |= s->kernel[n];
            return (int)n;
        }
    }
    return PIECE_PLAIN;
}

/* Frames stand behind their callers. */
static void find_frames(struct spend *s)
{
    const struct frames *f = &s->g->scene->frames;
    const struct retime_change *c = s->change;
    size_t count = f->count;

    s->runs = grow_zero(count + 1, sizeof *s->runs);
    s->within = grow_zero(count + 1, sizeof *s->within);
    s->asked = grow_zero(count + 1, sizeof *s->asked);
    s->runs[0] = s->within[0] = s->asked[0] = PIECE_PLAIN;
    for (size_t n = 1; n < count; n++) {
        uint32_t caller = f->place[n].caller;
        int by = scaled_by(s, s->g->function[n]);
        /* What stands there in its place is one of its callees. */
        int left = scaled_by(s, s->g->entered[n]);

        if (left < 0 || !c->scaled[left].callees)
            left = s->within[caller];
        s->within[n] = by >= 0 && c->scaled[by].callees ? by : left;
        s->asked[n] = by >= 0 ? by : left >= 0 ? left : s->asked[caller];
        s->runs[n] = by >= 0 ? by : s->within[n];
    }
}

/* What a function takes while it spins until a word is written is a wait: it is
 * in the account, and in no piece. */
static uint64_t without_spins(const struct spend *s, const struct graph_cost *c)
{
    const uint32_t *at = hash_find(
        &s->spun_at, pieces_slot_key(c->thread, c->function, c->slot));
    const struct spun *x = at ? &s->spun[*at] : NULL;

    return x && x->spins ? c->twelfths * x->runs / (x->runs + x->spins)
                         : c->twelfths;
}

/* Of the cycles of a function, how many are scaled by k at least, and at most:
 * all or none of them, unless it is called by what is scaled and by others.
 * Then pieces tell better than how many samples of it there happen to be. */
static void add_cost(struct spend *s, const struct graph_cost *c, int k,
                     struct bounds *b)
{
    const uint32_t *at =
        hash_find(&s->share_at, pieces_key(c->thread, c->function));
    const struct share *h = at ? &s->share[*at] : NULL;
    int by = scaled_by(s, c->function);
    uint64_t twelfths = without_spins(s, c);

    if (by == k || (by < 0 && h && h->of[k]))
        b->most += twelfths;
    if (by == k || (by < 0 && h && h->all >= ENOUGH && h->of[k] == h->all))
        b->least += twelfths;
}

/* ---- locks --------------------------------------------------------------- */

/* What a lock's holder sleeps, and asks of a disk. */
static void hold_sleeps(struct spend *s, uint32_t thread, uint64_t from,
                        uint64_t to, int k)
{
    const struct scene *scene = s->g->scene;
    const struct scene_thread *who = &scene->thread[thread];
    size_t end = who->first + who->stays;
    size_t n = SEARCH_FIRST(who->first, end, i, scene->stay[i].from >= from);

    for (; n < end && scene->stay[n].from < to; n++)
        if (scene->stay[n].state == STATE_TIMER ||
            scene->stay[n].state == STATE_IO)
            s->held[n] = k;
}

static void hold(struct spend *s, uint32_t thread, uint64_t from, uint64_t to,
                 int k)
{
    size_t end = s->first[thread + 1];
    size_t n = SEARCH_FIRST(s->first[thread], end, i, s->piece[i].to > from);

    hold_sleeps(s, thread, from, to, k);
    for (; n < end && s->piece[n].from < to; n++) {
        struct piece *p = &s->piece[n];
        uint64_t a = p->from > from ? p->from : from;
        uint64_t b = p->to < to ? p->to : to;

        if (p->k >= 0 && p->k != k)
            continue;
        p->part = p->k == k ? p->part + (b - a) : b - a;
        if (p->part > p->to - p->from)
            p->part = p->to - p->from;
        p->k = k;
    }
}

/* Does that lock have the name, as simprof locks prints it or as --what-if
 * hold: has it, or the address? One that a program has made of a word is none
 * that a run takes apart. */
static bool is_lock(const struct spend *s, uint32_t lock, int k)
{
    const struct scene_lock *l = &s->g->scene->lock[lock];
    struct recording *r = s->g->scene->r;
    char text[WORDS_TEXT + 16], wanted[RETIME_NAME];
    char *kernel;
    uint64_t at;

    if (l->word)
        return false;
    memcpy(wanted, s->change->scaled[k].name, sizeof wanted);
    kernel = strstr(wanted, GUEST_KERNELS);
    if (kernel && !kernel[strlen(GUEST_KERNELS)])
        *kernel = '\0';
    if ((l->kind != OBJECT_KERNEL && l->kind != OBJECT_USER) ||
        (kernel && !*kernel && l->kind != OBJECT_KERNEL))
        return false;
    words_hold(r, l->object, l->at, text);
    if (!strcmp(text, wanted) ||
        (strpbrk(wanted, ".[") &&
         variables_is_called(recording_variables(r), l->object, l->at, wanted)))
        return true;
    words_object(r, l->kind, l->object, l->at, text);
    snprintf(text + strlen(text), sizeof text - strlen(text),
             " (0x%08" PRIx32 ")", l->object);
    return !strcmp(text, wanted) ||
           (text_number(wanted, &at) && at == l->object);
}

uint64_t spend_anywhere(const struct spend *s)
{
    return s->anywhere;
}

bool spend_is_lock(const struct spend *s, uint32_t lock)
{
    for (unsigned k = 0; k < s->change->count; k++)
        if (s->change->scaled[k].lock && is_lock(s, lock, (int)k))
            return true;
    return false;
}

/* The first of what is known of a lock from a cycle on. */
static size_t notes_from(const struct owners *o, uint32_t lock, uint64_t cycle)
{
    return SEARCH_FIRST(0, o->count, i,
                        o->note[i].lock > lock || (o->note[i].lock == lock &&
                                                   o->note[i].cycle >= cycle));
}

/* Since when the thread that had a lock up to a cycle had it: since it was let
 * go on there itself, and the lock was no other thread's since; else, as it may
 * have found it free any time, since this wait began. */
static uint64_t held_since(const struct spend *s, uint32_t lock,
                           uint32_t thread, uint64_t from)
{
    const struct owners *o = &s->g->owners;
    size_t n = notes_from(o, lock, from);

    for (; n && o->note[n - 1].lock == lock; n--) {
        const struct owners_note *x = &o->note[n - 1];

        if (x->had == thread)
            from = x->cycle;
        else
            return x->has == thread || x->woken == thread ? x->cycle : from;
    }
    return from;
}

/* A thread's wait for that lock, which another one ended; else NULL. */
static const struct scene_wake *wait_for(const struct spend *s,
                                         const struct scene_stay *t)
{
    const struct scene_wake *w =
        t->wake == SCENE_NONE ? NULL : &s->g->scene->wake[t->wake];

    return scene_wants_lock(t) && w && w->by == WAKE_BY_THREAD &&
                   w->waker != SCENE_NONE && s->named[t->lock]
               ? w
               : NULL;
}

/* The longest that one thread had it while another waited: who had it longer,
 * as no other waited, may have given it back meanwhile. */
static uint64_t longest_held(const struct spend *s)
{
    const struct owners *o = &s->g->owners;
    uint64_t longest = 0;

    for (size_t n = 0; n < s->g->scene->stays; n++) {
        const struct scene_stay *t = &s->g->scene->stay[n];
        const struct scene_wake *w = wait_for(s, t);
        size_t at = w ? notes_from(o, t->lock, w->cycle) : 0;
        uint64_t from = t->from;

        if (at && o->note[at - 1].lock == t->lock)
            from = graph_most(from, o->note[at - 1].cycle);
        if (w && w->cycle > from)
            longest = graph_most(longest, w->cycle - from);
    }
    return longest;
}

static void find_contended(struct spend *s, int k)
{
    const struct scene *scene = s->g->scene;
    uint64_t longest = longest_held(s), from;

    for (size_t n = 0; n < scene->stays; n++) {
        const struct scene_stay *t = &scene->stay[n];
        const struct scene_wake *w = wait_for(s, t);

        if (!w)
            continue;
        s->known[k] = true;
        from = held_since(s, t->lock, w->waker, t->from);
        if (w->cycle > from + longest)
            from = w->cycle - longest;
        hold(s, w->waker, from, w->cycle, k);
    }
}

/* Of all locks once: there are many more holds and waits. */
static void find_named(struct spend *s, int k)
{
    s->named = grow_zero(s->g->scene->locks + 1, sizeof *s->named);
    for (uint32_t n = 0; n < s->g->scene->locks; n++)
        s->named[n] = is_lock(s, n, k);
}

/* Those that are recorded; else what waits tell of them. */
static void find_holds(struct spend *s, int k)
{
    const struct scene *scene = s->g->scene;

    find_named(s, k);
    for (size_t n = 0; n < scene->holds; n++) {
        const struct scene_hold *h = &scene->hold[n];

        if (!s->named[h->lock])
            continue;
        s->known[k] = true;
        hold(s, h->thread, h->taken, h->given, k);
    }
    if (!s->known[k])
        find_contended(s, k);
    free(s->named);
    s->named = NULL;
}

/* ---- the account --------------------------------------------------------- */

struct sums {
    uint64_t known, beside, unknown, other;
};

static uint64_t length(const struct piece *p)
{
    return p->to - p->from;
}

static struct sums add_up(const struct spend *s, size_t from, size_t to, int k)
{
    struct sums sum = {0};

    for (size_t n = from; n < to; n++) {
        const struct piece *p = &s->piece[n];

        if (p->k == k)
            sum.known += p->part;
        else if (p->k == PIECE_BESIDE)
            sum.beside += length(p);
        else if (p->k == PIECE_UNKNOWN)
            sum.unknown += length(p);
        else if (p->k == PIECE_PLAIN)
            sum.other += length(p);
    }
    return sum;
}

static uint64_t part_of(uint64_t n, uint64_t of, uint64_t all)
{
    return all ? (uint64_t)((unsigned __int128)n * of / all) : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Cycles of which it is not known in which of several pieces they are. */
static uint64_t anywhere(const struct spend *s, size_t from, size_t to,
                         uint64_t unknown, uint64_t all)
{
    unsigned pieces = 0;

    for (size_t n = from; n < to; n++)
        pieces += s->piece[n].k == PIECE_UNKNOWN;
    return pieces > 1 ? least(unknown, all - unknown) : 0;
}

/* Pieces of one thread and interval: so many cycles are scaled by k. */
static void settle(struct spend *s, size_t from, size_t to, int k,
                   const struct bounds *b)
{
    struct sums sum = add_up(s, from, to, k);
    uint64_t cycles =
        least(graph_most(sum.known, b->least / TWELFTHS), b->most / TWELFTHS);
    uint64_t known = cycles < sum.known ? cycles : sum.known;
    uint64_t beside = least(cycles -= known, sum.beside);
    uint64_t unknown = least(cycles -= beside, sum.unknown);
    uint64_t other = least(cycles - unknown, sum.other);

    s->anywhere += anywhere(s, from, to, unknown, sum.unknown);
    for (size_t n = from; n < to; n++) {
        struct piece *p = &s->piece[n];

        if (p->k == k) {
            p->part = part_of(p->part, known, sum.known);
        } else if (p->k == PIECE_BESIDE && beside) {
            p->part = part_of(length(p), beside, sum.beside);
            p->k = k;
        } else if (p->k == PIECE_UNKNOWN && unknown) {
            p->part = part_of(length(p), unknown, sum.unknown);
            p->k = k;
        } else if (p->k == PIECE_PLAIN && other) {
            p->part = part_of(length(p), other, sum.other);
            p->k = k;
        }
    }
}

/* Costs and pieces both go by thread and interval. */
static void settle_all(struct spend *s, int k)
{
    const struct retime *g = s->g;
    size_t c = 0;

    for (uint32_t t = 0; t < g->scene->threads; t++) {
        for (size_t n = s->first[t], end; n < s->first[t + 1]; n = end) {
            struct bounds b = {0, 0};
            uint64_t slot = s->piece[n].slot;

            for (end = n; end < s->first[t + 1] && s->piece[end].slot == slot;)
                end++;
            while (c < g->costs &&
                   (g->cost[c].thread < t ||
                    (g->cost[c].thread == t && g->cost[c].slot < slot)))
                c++;
            for (; c < g->costs && g->cost[c].thread == t &&
                   g->cost[c].slot == slot;
                 c++)
                add_cost(s, &g->cost[c], k, &b);
            settle(s, n, end, k, &b);
        }
    }
}

/* ---- all of it ----------------------------------------------------------- */

static uint64_t scaled(const struct retime_scaled *c, uint64_t cycles)
{
    uint64_t least = (cycles + STILL - 1) / STILL;
    uint64_t now = retime_scale(c->millionths, cycles);

    return now > least ? now : least < cycles ? least : now;
}

static void add_changes(struct spend *s)
{
    for (uint32_t t = 0; t < s->g->scene->threads; t++) {
        int64_t sum = 0;

        for (size_t n = s->first[t]; n < s->first[t + 1]; n++) {
            struct piece *p = &s->piece[n];

            p->before = sum;
            if (p->k >= 0 && p->part)
                p->change = (int64_t)scaled(&s->change->scaled[p->k], p->part) -
                            (int64_t)p->part;
            sum += p->change;
        }
    }
}

struct spend *spend_open(const struct retime *g,
                         const struct retime_change *change)
{
    struct spend *s = grow_zero(1, sizeof *s);

    *s = (struct spend){.g = g, .change = change};
    find_frames(s);
    pieces_find(s);
    s->held = grow_zero(g->scene->stays + 1, sizeof *s->held);
    for (size_t n = 0; n < g->scene->stays; n++)
        s->held[n] = PIECE_PLAIN;
    for (unsigned k = 0; k < change->count; k++)
        if (change->scaled[k].lock)
            find_holds(s, (int)k);
        else if (g->costs)
            settle_all(s, (int)k);
    add_changes(s);
    return s;
}

void spend_close(struct spend *s)
{
    free(s->runs);
    free(s->within);
    free(s->asked);
    free(s->held);
    free(s->piece);
    free(s->first);
    free(s->share);
    hash_free(&s->share_at);
    free(s->spun);
    hash_free(&s->spun_at);
    free(s);
}

long spend_unknown(const struct spend *s)
{
    for (unsigned n = 0; n < s->change->count; n++)
        if (!s->known[n])
            return (long)n;
    return -1;
}

/* What the thread's running up to a cycle gains or loses. */
static int64_t change_before(const struct spend *s, uint32_t thread,
                             uint64_t cycle)
{
    size_t first = s->first[thread], end = s->first[thread + 1];
    size_t n = SEARCH_FIRST(first, end, i, s->piece[i].to > cycle);
    const struct piece *p = &s->piece[n];

    if (n == end)
        return n > first ? p[-1].before + p[-1].change : 0;
    if (cycle <= p->from)
        return p->before;
    return p->before +
           (int64_t)((__int128)p->change * (int64_t)(cycle - p->from) /
                     (int64_t)length(p));
}

uint64_t spend_run(const struct spend *s, const struct graph_op *op)
{
    int64_t cycles = (int64_t)(op->to - op->from) +
                     change_before(s, op->thread, op->to) -
                     change_before(s, op->thread, op->from);

    return cycles > 0 ? (uint64_t)cycles : 0;
}

/* Is it one that is over when its time is: a sleep, a request, or a wait for
 * others that has a limit, and came to it? What waits for nothing that is
 * recorded only looks now and then, in the guest. */
static bool is_timed(const struct retime *g, const struct scene_stay *t)
{
    return t->state == STATE_TIMER || t->state == STATE_IO ||
           (t->wake != SCENE_NONE && (g->call || t->kind != OBJECT_NONE) &&
            g->scene->wake[t->wake].by == WAKE_BY_TIMER);
}

/* Before it sleeps, how long ago has the guest's kernel looked at the clock?
 * APPROX: a fifth of its part of the call. Source: 275 of 1,376 cycles of
 * clock_nanosleep. Cost: as many cycles a sleep as it looks sooner or later. */
static uint64_t looked_at(const struct retime *g, const struct scene_stay *t)
{
    const struct scene_stay *call = t - 1;

    return !g->call && t > g->scene->stay && call->thread == t->thread &&
                   call->state == STATE_SYSTEM && t->state == STATE_TIMER
               ? (call->to - call->from) / 5
               : 0;
}

uint64_t spend_sleep(const struct spend *s, uint32_t stay, uint64_t cycles)
{
    const struct scene_stay *t = &s->g->scene->stay[stay];
    int by = s->asked[frames_at(&s->g->scene->frames, t->stack) ? t->stack : 0];

    if (by < 0)
        by = s->held[stay];
    if (t->state == STATE_IO && s->change->device != RETIME_NO_FACTOR)
        cycles = retime_scale(s->change->device, cycles);
    if (by >= 0 && !s->change->scaled[by].awake && is_timed(s->g, t)) {
        uint64_t ago = looked_at(s->g, t);

        cycles = retime_scale(s->change->scaled[by].millionths, cycles + ago);
        cycles -= ago < cycles ? ago : cycles;
    }
    return cycles;
}

uint64_t spend_wait(const struct spend *s, const struct graph_op *op)
{
    return op->is == GRAPH_WAIT ? spend_sleep(s, op->stay, op->to - op->from)
                                : 0;
}

uint64_t spend_stay(const struct spend *s, const struct scene_stay *t)
{
    return spend_sleep(s, (uint32_t)(t - s->g->scene->stay), t->to - t->from);
}
