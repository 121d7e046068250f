/* active.c - a thread's time cut into pieces, and calls measured on them. */
#include "tools/analysis/active/active.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/search.h"

static const struct {
    const char *word, *type;
} events[ACTIVE_EVENTS] = {
    [ACTIVE_ENTER] = {"enter", "function entry"},
    [ACTIVE_EXIT] = {"exit", "function exit"},
    [ACTIVE_BEGIN] = {"begin", "section begin"},
    [ACTIVE_END] = {"end", "section end"},
};

const char *active_type(enum active_event e)
{
    return events[e].type;
}

bool active_word(const char *word, size_t length, enum active_event *e)
{
    for (unsigned i = 0; i < ACTIVE_EVENTS; i++)
        if (strlen(events[i].word) == length &&
            !memcmp(events[i].word, word, length)) {
            *e = (enum active_event)i;
            return true;
        }
    return false;
}

/* ---- swapped out --------------------------------------------------------- */

/* An element of the switch table that this thread is part of. */
struct move {
    uint64_t time;
    size_t serial;
    bool out;
};

struct moves {
    struct move *list;
    size_t count, room;
};

static int move_order(const void *a, const void *b)
{
    const struct move *x = a, *y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static void moves_read(struct moves *m, const struct active_tables *t,
                       uint32_t thread)
{
    for (size_t i = 0; i < t->changes; i++) {
        const struct active_switch *s = &t->change[i];

        if (s->old == s->new || (s->old != thread && s->new != thread))
            continue;
        m->list = grow(m->list, &m->room, m->count + 1, sizeof *m->list);
        m->list[m->count] = (struct move){s->time, m->count, s->old == thread};
        m->count++;
    }
    if (m->count)
        qsort(m->list, m->count, sizeof *m->list, move_order);
}

static struct active_piece *piece_add(struct active_thread *a, uint64_t from,
                                      uint64_t to, bool overhead)
{
    if (from >= to)
        return NULL;
    a->piece = grow(a->piece, &a->pieces_room, a->pieces + 1, sizeof *a->piece);
    a->piece[a->pieces] =
        (struct active_piece){.from = from, .to = to, .overhead = overhead};
    return &a->piece[a->pieces++];
}

/* Out, in, out, in: each pair is a piece. Records of two processors at the
 * same instant may stand in either order; the one that fits comes first. */
static void pieces_out(struct active_thread *a, struct moves *m)
{
    bool out = m->count && !m->list[0].out;
    uint64_t since = 0;

    if (m->count > 1 && out && m->list[1].out &&
        m->list[1].time == m->list[0].time)
        out = false; /* at that instant it went out and came in */
    for (size_t i = 0; i < m->count; i++) {
        struct move *now = &m->list[i];

        if (now->out == out && i + 1 < m->count && now[1].out != out &&
            now[1].time == now->time) {
            struct move swapped = now[0];

            now[0] = now[1];
            now[1] = swapped;
        }
        if (now->out == out)
            a->misplaced++;
        else if (out)
            piece_add(a, since, now->time, false);
        if (now->out)
            since = now->time;
        out = now->out;
    }
    if (out)
        piece_add(a, since, UINT64_MAX, false);
}

/* ---- overhead ------------------------------------------------------------ */

static int timer_order(const void *a, const void *b)
{
    const struct active_timer *const *x = a, *const *y = b;

    if ((*x)->time != (*y)->time)
        return (*x)->time < (*y)->time ? -1 : 1;
    return *x < *y ? -1 : *x > *y;
}

/* This thread's elements of the timer table, by time. */
static const struct active_timer **timers_of(const struct active_tables *t,
                                             uint32_t thread, size_t *count)
{
    const struct active_timer **list = grow_zero(t->timers + 1, sizeof *list);

    *count = 0;
    for (size_t i = 0; i < t->timers; i++)
        if (t->timer[i].thread == thread)
            list[(*count)++] = &t->timer[i];
    qsort(list, *count, sizeof *list, timer_order);
    return list;
}

static int piece_order(const void *a, const void *b)
{
    const struct active_piece *x = a, *y = b;

    return x->from < y->from ? -1 : x->from > y->from;
}

/* Lay a probe's overhead into the time in which the thread ran, from `from`
 * on; *at is the first piece out that ends later. Returns where it ends. */
static uint64_t lay(struct active_thread *a, size_t outs, size_t *at,
                    uint64_t from, uint64_t overhead)
{
    while (overhead) {
        uint64_t to =
            UINT64_MAX - from < overhead ? UINT64_MAX : from + overhead;

        while (*at < outs && a->piece[*at].to <= from)
            ++*at;
        if (*at < outs && a->piece[*at].from <= from) {
            from = a->piece[*at].to;
            if (from == UINT64_MAX)
                break;
            continue;
        }
        if (*at < outs && to > a->piece[*at].from)
            to = a->piece[*at].from;
        piece_add(a, from, to, true);
        overhead -= to - from;
        if (to == UINT64_MAX)
            break;
        from = to;
    }
    return from;
}

/* When the processor time from..to of the thread, without what is out, has
 * passed by `overhead`: where two probes meet, each instant counts once. */
static bool pieces_overhead(struct active_thread *a,
                            const struct active_tables *t,
                            const struct active_timer **timer, size_t count,
                            enum active_event *missing)
{
    size_t outs = a->pieces, at = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t cost = timer[i]->overhead;
        uint64_t next = i + 1 < count ? timer[i + 1]->time : UINT64_MAX;
        size_t first = a->pieces;

        if (cost == ACTIVE_BY_TYPE)
            cost = t->overhead[timer[i]->event];
        if (cost == ACTIVE_BY_TYPE) {
            *missing = timer[i]->event;
            return false;
        }
        while (at < outs && a->piece[at].to <= timer[i]->time)
            at++;
        if (at < outs && a->piece[at].from < timer[i]->time)
            a->impossible++;
        lay(a, outs, &at, timer[i]->time, cost);
        /* The next probe begins its own. */
        while (a->pieces > first && a->piece[a->pieces - 1].from >= next)
            a->pieces--;
        if (a->pieces > first && a->piece[a->pieces - 1].to > next)
            a->piece[a->pieces - 1].to = next;
        while (at && a->piece[at - 1].to > next)
            at--;
    }
    return true;
}

static void pieces_add_up(struct active_thread *a)
{
    uint64_t out = 0, overhead = 0;

    if (a->pieces)
        qsort(a->piece, a->pieces, sizeof *a->piece, piece_order);
    for (size_t i = 0; i < a->pieces; i++) {
        struct active_piece *p = &a->piece[i];

        p->out_before = out;
        p->overhead_before = overhead;
        *(p->overhead ? &overhead : &out) += p->to - p->from;
    }
}

/* ---- sums ---------------------------------------------------------------- */

/* The first piece that ends after `time`. */
static size_t piece_at(const struct active_thread *a, uint64_t time)
{
    return SEARCH_FIRST(0, a->pieces, i, a->piece[i].to > time);
}

/* What was out and overhead before `time`. */
static void before(const struct active_thread *a, uint64_t time, uint64_t *out,
                   uint64_t *overhead)
{
    size_t i = piece_at(a, time);
    const struct active_piece *p = i < a->pieces ? &a->piece[i] : NULL;

    *out = *overhead = 0;
    if (!p && !a->pieces)
        return;
    if (!p) {
        p = &a->piece[a->pieces - 1];
        time = p->to;
    }
    *out = p->out_before;
    *overhead = p->overhead_before;
    if (time > p->from)
        *(p->overhead ? overhead : out) += time - p->from;
}

struct active_sums active_between(const struct active_thread *a, uint64_t from,
                                  uint64_t to)
{
    struct active_sums s = {0};
    uint64_t out[2], overhead[2];

    if (from >= to)
        return s;
    before(a, from, &out[0], &overhead[0]);
    before(a, to, &out[1], &overhead[1]);
    s.elapsed = to - from;
    s.out = out[1] - out[0];
    s.overhead = overhead[1] - overhead[0];
    s.active = s.elapsed - s.out - s.overhead;
    return s;
}

size_t active_list(const struct active_thread *a, uint64_t from, uint64_t to,
                   bool overhead, struct active_piece *out, size_t room)
{
    size_t count = 0;

    for (size_t i = piece_at(a, from); i < a->pieces; i++) {
        struct active_piece p = a->piece[i];

        if (p.from >= to)
            break;
        if (p.overhead != overhead)
            continue;
        p.from = p.from < from ? from : p.from;
        p.to = p.to > to ? to : p.to;
        if (count < room)
            out[count] = p;
        count++;
    }
    return count;
}

/* ---- calls --------------------------------------------------------------- */

/* Portions begun and not ended yet, innermost last. */
struct open {
    struct active_call *list;
    size_t count, room;
};

static void begin(struct open *o, const struct active_timer *t)
{
    struct active_call *c;

    o->list = grow(o->list, &o->room, o->count + 1, sizeof *o->list);
    c = &o->list[o->count];
    *c = (struct active_call){.from = t->time,
                              .portion = t->portion,
                              .depth = (unsigned)o->count,
                              .left_out = t->left_out,
                              .judged = t->judged,
                              .ran = t->ran};
    o->count++;
}

static void end(struct active_thread *a, struct open *o,
                const struct active_timer *t)
{
    size_t i = o->count;
    struct active_call *c;

    while (i && o->list[i - 1].portion != t->portion)
        i--;
    if (!i) {
        a->unbegun++;
        return;
    }
    c = &o->list[i - 1];
    a->crossed += o->count - i;
    for (size_t k = i; k < o->count; k++) { /* what was complete in those */
        c->exclusive += o->list[k].exclusive;
        c->own += o->list[k].own;
    }
    o->count = i - 1;
    c->to = t->time;
    c->judged = c->judged && t->judged && t->ran >= c->ran;
    c->ran = c->judged ? t->ran - c->ran : 0;
    c->sums = active_between(a, c->from, c->to);
    /* What is inside ended before, and told this one. */
    c->exclusive = c->sums.active - c->exclusive;
    c->own = c->sums.overhead - c->own;
    if (i > 1) {
        o->list[i - 2].exclusive += c->sums.active;
        o->list[i - 2].own += c->sums.overhead;
    }
    a->call = grow(a->call, &a->calls_room, a->calls + 1, sizeof *a->call);
    a->call[a->calls++] = *c;
}

static int call_order(const void *a, const void *b)
{
    const struct active_call *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->depth < y->depth ? -1 : x->depth > y->depth;
}

/* Calls are in order: the one around each is the last that lies less deep
 * and holds it. What began and never ended is around nothing. */
static void find_parents(struct active_thread *a)
{
    size_t around = ACTIVE_NONE;

    for (size_t i = 0; i < a->calls; i++) {
        struct active_call *c = &a->call[i];

        while (around != ACTIVE_NONE && (a->call[around].depth >= c->depth ||
                                         a->call[around].to < c->to))
            around = a->call[around].parent;
        c->parent = around;
        around = i;
    }
    for (size_t i = 0; i < a->calls; i++) {
        struct active_call *c = &a->call[i];

        c->depth = c->within = 0;
        for (size_t p = c->parent; p != ACTIVE_NONE; p = a->call[p].parent) {
            c->depth++;
            c->within += a->call[p].portion == c->portion;
        }
    }
}

bool active_read(struct active_thread *a, struct active_tables *t,
                 uint32_t thread, enum active_event *missing)
{
    struct moves moves = {0};
    struct open open = {0};
    const struct active_timer **timer;
    size_t count;
    bool good;

    *a = (struct active_thread){.thread = thread};
    moves_read(&moves, t, thread);
    pieces_out(a, &moves);
    free(moves.list);
    timer = timers_of(t, thread, &count);
    good = pieces_overhead(a, t, timer, count, missing);
    pieces_add_up(a);
    for (size_t i = 0; good && i < count; i++) {
        if (active_begins(timer[i]->event))
            begin(&open, timer[i]);
        else
            end(a, &open, timer[i]);
    }
    a->open = open.count;
    free(open.list);
    free(timer);
    if (a->calls)
        qsort(a->call, a->calls, sizeof *a->call, call_order);
    find_parents(a);
    return good;
}

void active_free(struct active_thread *a)
{
    free(a->piece);
    free(a->call);
    *a = (struct active_thread){0};
}

void active_tables_free(struct active_tables *t)
{
    free(t->timer);
    free(t->change);
    *t = (struct active_tables){0};
}
