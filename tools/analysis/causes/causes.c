/* causes.c - goes through a run and says of every idle piece whose it is; see
 * causes.h. A piece lies between two moments at which something changed: a
 * state, an idle stint, an interval of the account, a sample.
 */
#include "tools/analysis/causes/causes.h"

#include <stdlib.h>

#include "lib/base/grow.h"
#include "tools/analysis/causes/tally.h"

struct run {
    const struct scene *scene;
    struct naps *naps;
    const struct causes_choice *choice;
    struct tally tally, spun; /* idle time; time that threads spun */
    struct owners owners;
    struct chain_now now;
    uint64_t *moment;
    size_t moments, moments_room;
    size_t begun;        /* in scene.begins: the next stay */
    uint32_t *last_mask; /* by thread: its latest runnable stay */
    uint32_t *runnable;  /* threads, without samplers */
    unsigned runnables;
    size_t stint[CHAIN_CPUS];     /* by CPU: the next or present one */
    uint32_t expects[CHAIN_CPUS]; /* by idle CPU: a runnable thread, or none */
    struct chain chain;           /* scratch */
};

/* ---- moments ------------------------------------------------------------- */

static void moment(struct run *u, uint64_t cycle)
{
    if (cycle < u->naps->from || cycle > u->naps->to)
        return;
    u->moment =
        grow(u->moment, &u->moments_room, u->moments + 1, sizeof *u->moment);
    u->moment[u->moments++] = cycle;
}

static int by_cycle(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

static void find_moments(struct run *u)
{
    const struct scene *s = u->scene;
    size_t kept = 0;

    moment(u, u->naps->from);
    moment(u, u->naps->to);
    for (size_t n = 0; n < s->stays; n++)
        moment(u, s->stay[n].from);
    for (size_t n = 0; n < s->spins; n++) {
        moment(u, s->spin[n].from);
        moment(u, s->spin[n].to);
    }
    for (size_t n = 0; n < s->stints; n++) {
        moment(u, s->stint[n].from);
        moment(u, s->stint[n].to);
    }
    for (size_t n = 0; n < u->naps->slots; n++) {
        moment(u, u->naps->slot[n].from);
        moment(u, u->naps->slot[n].to);
    }
    for (size_t n = 0; n < s->spots; n++)
        if (s->spot[n].sample)
            moment(u, s->spot[n].cycle);
    /* Intervals of the account, where naps are not its: then what is charged
     * in one does not depend on those beside it. Nor are spins. */
    if ((u->naps->spins || u->choice->spins) && s->r->interval)
        for (uint64_t at = u->naps->from; at < u->naps->to;
             at += s->r->interval - at % s->r->interval)
            moment(u, at);
    qsort(u->moment, u->moments, sizeof *u->moment, by_cycle);
    for (size_t n = 0; n < u->moments; n++)
        if (!kept || u->moment[kept - 1] != u->moment[n])
            u->moment[kept++] = u->moment[n];
    u->moments = kept;
}

/* ---- how things stand ---------------------------------------------------- */

static void leave(struct run *u, uint32_t thread)
{
    uint32_t before = u->now.stay[thread];
    const struct scene_stay *t;

    if (before == SCENE_NONE)
        return;
    t = &u->scene->stay[before];
    if (scene_runs(t) && t->cpu < CHAIN_CPUS &&
        u->now.running[t->cpu] == thread)
        u->now.running[t->cpu] = SCENE_NONE;
    for (unsigned n = 0; t->state == STATE_RUNNABLE && n < u->runnables; n++)
        if (u->runnable[n] == thread)
            u->runnable[n--] = u->runnable[--u->runnables];
}

static void enter(struct run *u, uint32_t stay)
{
    const struct scene_stay *t = &u->scene->stay[stay];

    leave(u, t->thread);
    u->now.stay[t->thread] = t->state == STATE_ENDED ? SCENE_NONE : stay;
    if (scene_runs(t) && t->cpu < CHAIN_CPUS)
        u->now.running[t->cpu] = t->thread;
    if (t->state != STATE_RUNNABLE)
        return;
    u->last_mask[t->thread] = stay;
    if (!u->scene->thread[t->thread].sampler)
        u->runnable[u->runnables++] = t->thread;
}

static void go_to(struct run *u, uint64_t cycle)
{
    const struct scene *s = u->scene;

    u->now.cycle = cycle;
    for (; u->begun < s->stays; u->begun++) {
        uint32_t stay = s->begins[u->begun];

        if (s->stay[stay].from > cycle)
            break;
        enter(u, stay);
    }
    for (unsigned cpu = 0; cpu < s->r->cpus && cpu < CHAIN_CPUS; cpu++) {
        size_t *n = &u->stint[cpu];

        while (*n < s->stints && s->stint[*n].cpu == cpu &&
               s->stint[*n].to <= cycle)
            ++*n;
        u->now.idle[cpu] = *n < s->stints && s->stint[*n].cpu == cpu &&
                           s->stint[*n].from <= cycle;
    }
}

/* ---- whose it is --------------------------------------------------------- */

static const struct scene_stay *stay_of(const struct run *u, uint32_t thread)
{
    return thread == SCENE_NONE || u->now.stay[thread] == SCENE_NONE
               ? NULL
               : &u->scene->stay[u->now.stay[thread]];
}

static bool waits_for(const struct run *u, uint32_t thread, unsigned cpu)
{
    const struct scene_stay *t = stay_of(u, thread);
    uint32_t mask = u->last_mask[thread];

    return t && scene_blocked(t) && !u->scene->thread[thread].sampler &&
           (mask == SCENE_NONE || scene_allowed(&u->scene->stay[mask], cpu));
}

/* Of two threads that wait, is that the one to be told of? */
static bool sooner(const struct run *u, uint32_t thread, uint32_t than)
{
    bool daemon = u->scene->thread[thread].daemon;

    if (than == SCENE_NONE)
        return true;
    if (daemon != u->scene->thread[than].daemon)
        return !daemon;
    return stay_of(u, thread)->to < stay_of(u, than)->to;
}

/* The thread that waits and is woken next, a daemon if no other is; SCENE_NONE:
 * none is. */
static uint32_t woken_next(const struct run *u, unsigned cpu)
{
    uint32_t best = SCENE_NONE;

    for (uint32_t n = 0; n < u->scene->threads; n++)
        if (waits_for(u, n, cpu) && stay_of(u, n)->wake != SCENE_NONE &&
            sooner(u, n, best))
            best = n;
    return best;
}

/* Nobody runs and nobody is woken any more: one that waits for a lock, or else
 * for anything. */
static uint32_t stuck_one(const struct run *u, unsigned cpu)
{
    uint32_t any = SCENE_NONE;

    for (unsigned n = 0; n < CHAIN_CPUS; n++)
        if (u->now.running[n] != SCENE_NONE)
            return SCENE_NONE;
    for (uint32_t n = 0; n < u->scene->threads; n++) {
        if (!waits_for(u, n, cpu))
            continue;
        if (stay_of(u, n)->state == STATE_LOCK)
            return n;
        if (any == SCENE_NONE)
            any = n;
    }
    return any;
}

static bool not_born(const struct run *u, uint32_t thread)
{
    const struct scene_thread *t = &u->scene->thread[thread];

    return t->stays && u->scene->stay[t->first].from > u->now.cycle;
}

/* A thread that an idle CPU is charged to by the rule; SCENE_NONE: nobody
 * waits. */
static uint32_t thread_by_rule(const struct run *u,
                               const struct scene_stint *stint)
{
    uint32_t who = u->choice->rule == CAUSES_LEAVER ? stint->left : stint->came;
    const struct scene_stay *t = stay_of(u, who);

    if (t && scene_blocked(t))
        return who;
    if (who != SCENE_NONE && not_born(u, who))
        return who;
    who = woken_next(u, stint->cpu);
    return who == SCENE_NONE ? stuck_one(u, stint->cpu) : who;
}

static enum causes_class class_of(const struct run *u, uint32_t who)
{
    static const enum causes_class of[STATES_ALL] = {
        [STATE_LOCK] = CAUSES_LOCK,       [STATE_QUEUE] = CAUSES_QUEUE,
        [STATE_BARRIER] = CAUSES_BARRIER, [STATE_IO] = CAUSES_IO,
        [STATE_PAGE] = CAUSES_PAGE,       [STATE_TIMER] = CAUSES_TIMER,
        [STATE_STOPPED] = CAUSES_STOPPED,
    };
    const struct scene_stay *t = stay_of(u, who);

    if (u->chain.root == ROOT_DEADLOCK)
        return CAUSES_DEADLOCK;
    if (t && scene_wants_lock(t))
        return CAUSES_LOCK;
    return t ? of[t->state] : CAUSES_NOT_BORN;
}

/* Is an idle CPU that of a thread that waits for a lock of this one's, which
 * another keeps from its own CPU? Then that is the cause, and no mask. */
static bool is_displaced(const struct run *u, uint32_t thread)
{
    const struct scene *s = u->scene;
    struct chain c;

    for (uint32_t w = 0; w < s->threads; w++) {
        const struct scene_stay *t = stay_of(u, w);
        bool idle = false;

        for (unsigned k = 0; t && k < s->r->cpus && k < CHAIN_CPUS; k++)
            idle |=
                t->state == STATE_LOCK && u->now.idle[k] && waits_for(u, w, k);
        if (!idle)
            continue;
        chain_find(&c, &u->now, w);
        if (c.displaced && c.hop[c.hops - 1].thread == thread)
            return true;
    }
    return false;
}

/* A thread that is runnable and may not use that CPU, while its own are taken.
 */
static uint32_t barred_from(const struct run *u, unsigned cpu)
{
    for (unsigned n = 0; n < u->runnables; n++) {
        const struct scene_stay *t = stay_of(u, u->runnable[n]);
        bool free = false;

        for (unsigned k = 0; k < u->scene->r->cpus && k < CHAIN_CPUS; k++)
            free |= scene_allowed(t, k) && u->now.idle[k];
        if (!free && !scene_allowed(t, cpu) && !is_displaced(u, u->runnable[n]))
            return u->runnable[n];
    }
    return SCENE_NONE;
}

/* The CPU that a runnable thread comes to, if that is idle; else the first idle
 * one without another such thread; CHAIN_CPUS: none. */
static unsigned comes_to(const struct run *u, const struct scene_stay *t)
{
    const struct scene *s = u->scene;
    const struct scene_thread *who = &s->thread[t->thread];
    unsigned to = CHAIN_CPUS;

    if (t + 1 < s->stay + who->first + who->stays && scene_runs(t + 1))
        to = t[1].cpu;
    if (to < CHAIN_CPUS && u->now.idle[to])
        return to;
    for (unsigned cpu = 0; cpu < s->r->cpus && cpu < CHAIN_CPUS; cpu++)
        if (u->now.idle[cpu] && scene_allowed(t, cpu) &&
            u->expects[cpu] == SCENE_NONE)
            return cpu;
    return CHAIN_CPUS;
}

static void find_expected(struct run *u)
{
    for (unsigned cpu = 0; cpu < CHAIN_CPUS; cpu++)
        u->expects[cpu] = SCENE_NONE;
    for (unsigned n = 0; n < u->runnables; n++) {
        unsigned cpu = comes_to(u, stay_of(u, u->runnable[n]));

        if (cpu < CHAIN_CPUS)
            u->expects[cpu] = u->runnable[n];
    }
}

static void put(struct run *u, struct tally_piece *piece, uint32_t who,
                enum causes_class class)
{
    if (u->choice->thread != SCENE_NONE && u->choice->thread != who)
        return;
    if (u->choice->counts &&
        !u->choice->counts(u->choice->counts_arg, who, &u->chain))
        return;
    piece->class = class;
    if (u->choice->piece) {
        u->choice->piece(u->choice->arg, piece->cpu, piece->from, piece->to,
                         class);
        return;
    }
    tally_add(causes_class_spins(class) ? &u->spun : &u->tally, piece,
              &u->chain, &u->now);
}

/* Rules 2 to 4 for one thread. */
static void judge_thread(struct run *u, struct tally_piece *piece, uint32_t who,
                         bool comes)
{
    uint32_t masked = barred_from(u, piece->cpu);

    if (who != SCENE_NONE)
        chain_find(&u->chain, &u->now, who);
    else
        chain_of_running(&u->chain, &u->now);
    if (masked != SCENE_NONE && !(who != SCENE_NONE && u->chain.displaced)) {
        chain_of_mask(&u->chain, &u->now, masked);
        put(u, piece, masked, CAUSES_NOT_ALLOWED);
    } else if (!comes && u->chain.root != ROOT_DEADLOCK) {
        put(u, piece, who, CAUSES_NO_MORE);
    } else if (who == SCENE_NONE) {
        put(u, piece, who, u->chain.threads ? CAUSES_TOO_FEW : CAUSES_UNKNOWN);
    } else {
        put(u, piece, who, class_of(u, who));
    }
}

/* Rule `share`: all that wait, evenly. False: nobody does. */
static bool judge_all(struct run *u, const struct tally_piece *whole)
{
    uint64_t given = 0, count = 0, n = 0;

    for (uint32_t t = 0; t < u->scene->threads; t++)
        count += waits_for(u, t, whole->cpu);
    for (uint32_t t = 0; t < u->scene->threads; t++) {
        struct tally_piece piece = *whole;

        if (!waits_for(u, t, whole->cpu))
            continue;
        piece.cycles = whole->cycles * ++n / count - given;
        given += piece.cycles;
        judge_thread(u, &piece, t, true);
    }
    return count;
}

static void judge(struct run *u, unsigned cpu, uint64_t until)
{
    const struct scene_stint *stint = &u->scene->stint[u->stint[cpu]];
    struct tally_piece piece = {.cpu = cpu, .from = u->now.cycle, .to = until};

    piece.cycles = naps_take(u->naps, cpu, piece.from, piece.to);
    if (!piece.cycles || (u->choice->cpu >= 0 && u->choice->cpu != (long)cpu))
        return;
    if (u->expects[cpu] != SCENE_NONE) {
        chain_of_wakeup(&u->chain, &u->now, u->expects[cpu]);
        put(u, &piece, u->expects[cpu], CAUSES_SCHEDULER);
        return;
    }
    if (u->choice->rule == CAUSES_SHARE && judge_all(u, &piece))
        return;
    judge_thread(u, &piece, thread_by_rule(u, stint),
                 stint->came != SCENE_NONE);
}

/* A CPU is not idle: does the thread there spin? */
static void judge_running(struct run *u, unsigned cpu, uint64_t until)
{
    uint32_t who = u->now.running[cpu];
    struct tally_piece piece = {cpu, u->now.cycle, until, until - u->now.cycle,
                                CAUSES_SPINS_WORD};
    const struct scene_spin *spin;

    if (u->choice->piece || who == SCENE_NONE ||
        u->scene->thread[who].sampler ||
        (u->choice->cpu >= 0 && u->choice->cpu != (long)cpu) ||
        !(spin = chain_spin(&u->now, who)))
        return;
    chain_find(&u->chain, &u->now, who);
    put(u, &piece, who,
        spin->poll == SCENE_NONE || u->scene->poll[spin->poll].tried
            ? CAUSES_SPINS_LOCK
            : CAUSES_SPINS_WORD);
}

/* ---- the run ------------------------------------------------------------- */

static void begin(struct run *u)
{
    const struct scene *s = u->scene;

    u->now = (struct chain_now){.scene = s, .owners = &u->owners};
    u->now.stay = grow_zero(s->threads + 1, sizeof *u->now.stay);
    u->last_mask = grow_zero(s->threads + 1, sizeof *u->last_mask);
    u->runnable = grow_zero(s->threads + 1, sizeof *u->runnable);
    for (size_t n = 0; n < s->threads; n++)
        u->now.stay[n] = u->last_mask[n] = SCENE_NONE;
    for (unsigned n = 0; n < CHAIN_CPUS; n++)
        u->now.running[n] = SCENE_NONE;
    for (size_t n = s->stints; n--;)
        if (s->stint[n].cpu < CHAIN_CPUS)
            u->stint[s->stint[n].cpu] = n;
}

/* A CPU without stints has the index of the next one's, which is not its. */
static void go_through(struct run *u)
{
    unsigned cpus = u->scene->r->cpus;

    for (size_t n = 0; n + 1 < u->moments; n++) {
        go_to(u, u->moment[n]);
        find_expected(u);
        for (unsigned cpu = 0; cpu < cpus && cpu < CHAIN_CPUS; cpu++)
            if (u->now.idle[cpu])
                judge(u, cpu, u->moment[n + 1]);
            else
                judge_running(u, cpu, u->moment[n + 1]);
    }
}

/* In which slices they are. */
static void lay_rest(struct run *u, unsigned cpu)
{
    const struct naps_cpu *c = &u->naps->cpu[cpu];

    for (size_t n = 0; n < c->slots; n++)
        tally_lay(&u->tally, ROOT_UNKNOWN, PLACES_NOWHERE,
                  u->naps->slot[c->first + n].from,
                  naps_left_in(u->naps, cpu, n));
}

/* Naps where the switches know of no idleness. */
static void add_rest(struct run *u, struct causes *c)
{
    for (unsigned cpu = 0; cpu < c->cpus; cpu++) {
        struct tally_piece piece = {
            .cpu = cpu, .to = u->naps->to, .cycles = naps_left(u->naps, cpu)};

        if (u->choice->cpu >= 0 && u->choice->cpu != (long)cpu)
            continue;
        c->naps += u->naps->cpu[cpu].naps;
        u->chain = (struct chain){.root = ROOT_UNKNOWN};
        u->tally.slices = NULL;
        put(u, &piece, SCENE_NONE, CAUSES_UNKNOWN);
        u->tally.slices = u->choice->slices;
        if (u->tally.slices)
            lay_rest(u, cpu);
    }
}

static void begin_causes(struct causes *c, const struct scene *s,
                         struct places *p)
{
    *c =
        (struct causes){.r = s->r, .scene = s, .places = p, .cpus = s->r->cpus};
    c->by_class = grow_zero(c->cpus, sizeof *c->by_class);
}

void causes_find(struct causes *c, const struct scene *s, struct naps *n,
                 struct places *p, const struct causes_choice *choice)
{
    struct run *u = grow_zero(1, sizeof *u);
    struct causes spun;
    struct ends ends;

    begin_causes(c, s, p);
    begin_causes(&spun, s, p);
    *u = (struct run){.scene = s, .naps = n, .choice = choice};
    tally_open(&u->tally, c, s, p);
    ends_read(&ends, s, p);
    u->tally.ends = &ends;
    u->tally.shapes = choice->shapes;
    u->tally.slices = choice->slices;
    tally_open(&u->spun, &spun, s, p);
    u->spun.ends = &ends;
    u->spun.slices = choice->spins;
    u->spun.shapes = choice->shapes;
    owners_read(&u->owners, s);
    begin(u);
    find_moments(u);
    go_through(u);
    if (!choice->piece)
        add_rest(u, c);
    tally_close(&u->tally);
    tally_close(&u->spun);
    tally_join(c, &spun, p);
    c->charged_spins = spun.charged;
    c->charges_spins = spun.charges;
    spun.charged = NULL;
    causes_free(&spun);
    ends_free(&ends);
    owners_free(&u->owners);
    free(u->moment);
    free(u->now.stay);
    free(u->last_mask);
    free(u->runnable);
    free(u);
}

void causes_free(struct causes *c)
{
    free(c->by_class);
    free(c->root);
    free(c->charged);
    free(c->charged_spins);
    free(c->shape);
    *c = (struct causes){0};
}
