/* pieces.c - see pieces.h. */
#include "tools/analysis/retime/pieces.h"

#include "lib/base/grow.h"
#include "tools/analysis/retime/shares.h"

/* ---- samples ------------------------------------------------------------- */

/* What the system does for a program's function is not that function's. */
static int counted(const struct spend *s, int k, bool system)
{
    return k >= 0 && system && !s->kernel[k] ? PIECE_PLAIN : k;
}

static void count_sample(struct spend *s, uint32_t thread, uint32_t stack,
                         int k)
{
    bool fresh;
    uint32_t *at = hash_at(&s->share_at,
                           pieces_key(thread, s->g->function[stack]), &fresh);

    if (fresh) {
        *at = (uint32_t)s->shares;
        s->share =
            grow(s->share, &s->shares_room, s->shares + 1, sizeof *s->share);
        s->share[s->shares++] = (struct share){0};
    }
    s->share[*at].all++;
    if (k >= 0)
        s->share[*at].of[k]++;
}

static void count_spun(struct spend *s, uint32_t thread, uint32_t stack,
                       uint64_t slot, bool spins)
{
    bool fresh;
    uint32_t *at;

    if (!s->g->scene->polls)
        return;
    at = hash_at(&s->spun_at,
                 pieces_slot_key(thread, s->g->function[stack], slot), &fresh);
    if (fresh) {
        *at = (uint32_t)s->spuns;
        s->spun = grow(s->spun, &s->spuns_room, s->spuns + 1, sizeof *s->spun);
        s->spun[s->spuns++] = (struct spun){0};
    }
    s->spun[*at].runs += !spins;
    s->spun[*at].spins += spins;
}

/* ---- pieces -------------------------------------------------------------- */

static uint64_t slot_of(const struct spend *s, uint64_t cycle)
{
    uint64_t interval = s->g->scene->r->interval;

    return interval ? cycle / interval : 0;
}

static bool is_system(const struct spend *s, const struct graph_op *o)
{
    return s->g->scene->stay[o->stay].state == STATE_SYSTEM;
}

static void add(struct spend *s, uint64_t from, uint64_t to, int k)
{
    if (from >= to)
        return;
    s->piece = grow(s->piece, &s->room, s->pieces + 1, sizeof *s->piece);
    s->piece[s->pieces++] = (struct piece){.from = from,
                                           .to = to,
                                           .slot = slot_of(s, from),
                                           .k = k,
                                           .part = k >= 0 ? to - from : 0};
}

/* A part of a run, within an interval of the account: what is scaled by each
 * stands in a row, since only the whole counts. */
static void add_parts(struct spend *s, const struct shares *shares,
                      const struct graph_op *o, uint64_t from, uint64_t to)
{
    uint64_t cycles = to - from, part, begin = from;
    bool known = false;

    for (unsigned k = 0; k < s->change->count && from < to; k++) {
        if (!shares_part(shares, o, slot_of(s, begin), (int)k, cycles, &part))
            break;
        known = true;
        if (part > to - from)
            part = to - from;
        add(s, from, from + part, (int)k);
        from += part;
    }
    add(s, from, to,
        from > begin                                  ? PIECE_BESIDE
        : known || (is_system(s, o) && !s->of_system) ? PIECE_PLAIN
                                                      : PIECE_UNKNOWN);
}

/* A run: what it is in a function that waits for a lock, or lets another thread
 * go on, is no part of what samples further on tell of. */
static void add_run(struct spend *s, const struct shares *shares,
                    const struct graph_op *o, uint64_t apart)
{
    uint64_t interval = s->g->scene->r->interval, from = o->from;

    while (from < o->to) {
        uint64_t until = o->to;

        if (interval && (slot_of(s, from) + 1) * interval < until)
            until = (slot_of(s, from) + 1) * interval;
        if (from < apart && until > apart)
            until = apart;
        if (from < apart)
            add(s, from, until, PIECE_APART);
        else
            add_parts(s, shares, o, from, until);
        from = until;
    }
}

/* Each sample stands for the cycles up to it. */
static void read_samples(struct spend *s, struct shares *shares,
                         const struct graph_op *o, size_t *spot)
{
    const struct scene *scene = s->g->scene;
    const struct scene_thread *who = &scene->thread[o->thread];
    size_t end = who->spot + who->spots;

    for (; *spot < end && scene->spot[*spot].cycle <= o->from; ++*spot)
        if (scene->spot[*spot].sample)
            count_spun(s, o->thread, scene->spot[*spot].stack,
                       slot_of(s, scene->spot[*spot].cycle), true);
    for (; *spot < end && scene->spot[*spot].cycle <= o->to; ++*spot) {
        const struct scene_spot *x = &scene->spot[*spot];
        int k;

        if (!x->sample)
            continue;
        k = counted(s, s->runs[x->stack], is_system(s, o));
        count_sample(s, o->thread, x->stack, k);
        count_spun(s, o->thread, x->stack, slot_of(s, x->cycle), false);
        shares_add(shares, o, slot_of(s, x->cycle), k);
    }
}

/* Is nothing of the stack scaled? */
static bool is_plain(const struct spend *s, uint32_t stack)
{
    return frames_at(&s->g->scene->frames, stack) && s->asked[stack] < 0;
}

/* Behind an operation, up to when is the thread in a function of a lock's? */
static uint64_t apart_behind(const struct spend *s, const struct graph_op *o)
{
    const struct scene *scene = s->g->scene;
    const struct scene_hold *h =
        o->hold == GRAPH_NONE ? NULL : &scene->hold[o->hold];
    const struct scene_stay *t;

    if ((o->is != GRAPH_ASK && o->is != GRAPH_GIVE) ||
        scene->lock[h->lock].kind != OBJECT_USER)
        return 0;
    if (o->is == GRAPH_ASK && h->stay == SCENE_NONE)
        return 0;
    if (o->is == GRAPH_ASK)
        return is_plain(s, scene->stay[h->stay].stack) ? h->taken : 0;
    if (o->target == GRAPH_NONE)
        return 0;
    t = &scene->stay[s->g->op[o->target].stay];
    return is_plain(s, scene->wake[t->wake].stack) ? h->done : 0;
}

void pieces_find(struct spend *s)
{
    const struct retime *g = s->g;
    struct shares *shares = shares_open(g);

    s->first = grow_zero(g->scene->threads + 1, sizeof *s->first);
    for (uint32_t n = 0; n < g->scene->threads; n++) {
        const struct graph_thread *t = &g->thread[n];
        size_t spot = g->scene->thread[n].spot;

        for (size_t k = t->first; k < t->first + t->ops; k++)
            if (g->op[k].is == GRAPH_RUN)
                read_samples(s, shares, &g->op[k], &spot);
    }
    for (uint32_t n = 0; n < g->scene->threads; n++) {
        const struct graph_thread *t = &g->thread[n];
        uint64_t apart = 0, until;

        s->first[n] = s->pieces;
        for (size_t k = t->first; k < t->first + t->ops; k++) {
            until = apart_behind(s, &g->op[k]);
            apart = until ? until : apart;
            if (g->op[k].is == GRAPH_RUN)
                add_run(s, shares, &g->op[k], apart);
        }
    }
    s->first[g->scene->threads] = s->pieces;
    shares_close(shares);
}
