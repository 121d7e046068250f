/* polls.c - threads that sleep, or spin, until something is so: how often they
 * would with something changed is not recorded.
 */
#include <stdlib.h>

#include "lib/base/grow.h"
#include "tools/analysis/retime/graph.h"

/* A part in so many of a sleep, run in front of it; a system call, and what
 * else it costs to look, apart. */
#define LITTLE 8
#define FEW 50 /* a part in so many of the run, of all threads */
#define PART                                                                   \
    8 /* sleeps of a thread count from a part in so many of the run            \
       */

/* With records of locks it is known which sleeps end when a word is written:
 * other ones with a wake-up between them are no looks. */
struct sleeps {
    uint64_t all, again; /* cycles of those that are looked at, and, of those
                          * behind another, from its end on */
    uint64_t ran;        /* its program, since the last one ended */
    uint64_t ended;      /* when that did */
    bool behind;         /* there was one, and nothing for others since */
};

/* Is it a sleep, that takes another time now or does not? Requests to a disk
 * that follow each other are work. */
static bool is_sleep(const struct retime *g, const struct spend *s,
                     const struct graph_op *op, bool scaled)
{
    return op->is == GRAPH_WAIT && op->target == GRAPH_NONE &&
           op->poll == GRAPH_NONE &&
           g->scene->stay[op->stay].state == STATE_TIMER &&
           (spend_wait(s, op) != op->to - op->from) == scaled;
}

/* The guest's kernel is part of what is recorded: what a call takes there is
 * not what a thread does between two sleeps. */
static bool is_system(const struct retime *g, const struct graph_op *op)
{
    return g->scene->stay[op->stay].state == STATE_SYSTEM;
}

static void pass(struct sleeps *z, const struct retime *g,
                 const struct spend *s, const struct graph_op *op, bool scaled)
{
    uint64_t cycles = op->to - op->from;
    uint64_t little =
        scaled ? cycles / LITTLE : (op->to - z->ended) / LITTLE + 2 * g->call;

    if (op->is == GRAPH_RUN) {
        z->ran += !scaled && is_system(g, op) ? 0 : cycles;
    } else if (is_sleep(g, s, op, scaled)) {
        z->all += cycles;
        if (z->behind && z->ran < little)
            z->again += scaled ? cycles : op->to - z->ended;
        z->behind = true;
        z->ended = op->to;
        z->ran = 0;
    } else if (op->is == GRAPH_WAIT || op->is == GRAPH_BIRTH ||
               (op->is == GRAPH_WAKE && (!scaled || g->take))) {
        z->behind = false;
    }
}

static void pass_all(struct sleeps *z, const struct retime *g,
                     const struct spend *s, uint32_t thread, bool scaled)
{
    const struct graph_thread *of = &g->thread[thread];

    z->behind = false;
    for (size_t n = of->first; n < of->first + of->ops; n++)
        pass(z, g, s, &g->op[n], scaled);
}

/* Sleeps of a thread that tries to take a lock: another one may have it first,
 * and the thread then sleeps once more. */
static void pass_tried(struct sleeps *z, const struct retime *g,
                       const struct spend *s, const struct graph_op *op)
{
    const struct scene_poll *p =
        op->poll == GRAPH_NONE ? NULL : &g->scene->poll[op->poll];

    for (uint32_t n = 0; p && p->tried && !p->runs && n < p->stays; n++) {
        const struct scene_stay *t = &g->scene->stay[p->stay + n];
        uint64_t cycles = t->to - t->from;

        if (t->state != STATE_TIMER || spend_stay(s, t) == cycles)
            continue;
        z->all += cycles;
        z->again += cycles;
    }
}

bool graph_polls(const struct retime *g, const struct spend *s)
{
    struct sleeps z = {.all = 0};

    for (uint32_t t = 0; t < g->scene->threads; t++)
        pass_all(&z, g, s, t, true);
    for (size_t n = 0; n < g->ops; n++)
        pass_tried(&z, g, s, &g->op[n]);
    return z.again > z.all / 2;
}

/* Was it without a CPU at times, but not blocked right before? */
static bool was_displaced(const struct scene *s, const struct scene_poll *p)
{
    for (uint32_t n = 0; n < p->stays; n++) {
        const struct scene_stay *t = &s->stay[p->stay + n];

        if (t->state == STATE_RUNNABLE && !(n && scene_blocked(t - 1)))
            return true;
    }
    return false;
}

/* Cycles of a thread that looks at a word without sleeping, up to when it calls
 * the system. */
static uint64_t looks_for(const struct scene *s, const struct scene_poll *p)
{
    uint64_t until = p->called ? p->called : p->ended, sum = 0;

    for (uint32_t n = 0; n < p->stays; n++) {
        const struct scene_stay *t = &s->stay[p->stay + n];

        if (!scene_blocked(t) && t->from < until)
            sum += (t->to < until ? t->to : until) - t->from;
    }
    return sum;
}

/* Cycles of a wait for a word that may be others with a change, as other
 * threads have no CPU meanwhile, or the thread has none. Where it spins that is
 * played (play/spins.h), but who writes the word is not found anew; and with
 * more CPUs, or fewer, a library may call the system later, or sooner. Locks
 * are played, but with fewer CPUs those alone for which threads only spin. */
static uint64_t keeps_cpu(const struct scene *s, const struct scene_poll *p,
                          const struct retime_change *c, bool crowded)
{
    if (!p->runs || p->works)
        return 0;
    if (c->cpus < 0 || c->masks)
        return p->word && !p->yields && !p->called ? 0 : looks_for(s, p);
    if (c->cpus > 0 && p->called)
        return p->ended - p->since;
    if (!p->word)
        return crowded || was_displaced(s, p) ? looks_for(s, p) : 0;
    return (p->yields || c->cpus) && was_displaced(s, p) ? looks_for(s, p) : 0;
}

#define MANY 8 /* waits for words that are no locks */

/* Threads that outnumber CPUs spin for words that are no locks. Where they
 * seldom have to, as those that run do not meet, a change may bring others
 * together. */
static bool may_meet(const struct scene *s, const struct retime_change *c)
{
    unsigned waits = 0;

    for (uint32_t n = 0; c->cpus >= 0 && !c->masks && n < s->polls; n++)
        waits += s->poll[n].runs && !s->poll[n].works && !s->poll[n].word;
    return waits >= MANY;
}

/* Cycles in which threads work until a word is written, while others wait for
 * what they do: how much that is in a run with something changed is not known.
 * Those that take locks meanwhile are taken to share work: what one leaves the
 * others do. */
static uint64_t works_on(const struct scene *s)
{
    uint64_t sum = 0;

    for (uint32_t n = 0; n < s->polls; n++)
        if (s->poll[n].works && !s->poll[n].runs && !s->poll[n].locks)
            sum += scene_runs_until(s, &s->poll[n]);
    return sum;
}

/* The guest's kernel looks now and then whether a file has something (poll,
 * select): such a wait is for nothing that is recorded, and ends by time. What
 * comes sooner is not seen sooner, or a whole period sooner. */
static bool looks_for_file(const struct retime *g, const struct scene_stay *t)
{
    return !g->call && t->kind == OBJECT_NONE && t->state == STATE_QUEUE &&
           t->wake != SCENE_NONE && g->scene->wake[t->wake].by == WAKE_BY_TIMER;
}

bool graph_looks(const struct retime *g, const struct retime_change *c,
                 const struct spend *s)
{
    /* A Linux kernel is told, and does not look. */
    bool told = text_lines_get(&g->scene->r->log, "kernel");
    bool crowded = scene_runnable(g->scene) > retime_recorded(g) / PART;
    uint64_t sum = 0;

    for (size_t n = 0; !told && n < g->scene->stays; n++)
        if (looks_for_file(g, &g->scene->stay[n]))
            sum += g->scene->stay[n].to - g->scene->stay[n].from;
    if (sum > retime_recorded(g) / PART)
        return true;
    sum = works_on(g->scene);

    /* Who spins keeps a CPU from others: how long, in a run with something
     * changed, is not recorded. */
    for (uint32_t n = 0; n < g->scene->polls; n++)
        sum += keeps_cpu(g->scene, &g->scene->poll[n], c, crowded);
    if (sum > retime_recorded(g) / (crowded ? FEW : PART) ||
        (crowded && may_meet(g->scene, c)))
        return true;
    for (uint32_t t = 0; t < g->scene->threads; t++) {
        struct sleeps z = {.all = 0};

        /* A kernel's daemon sleeps until there is work: no thread that waits
         * for it is delayed by the sleep. */
        if (g->scene->thread[t].daemon)
            continue;
        pass_all(&z, g, s, t, false);
        if (z.again > retime_recorded(g) / PART)
            return true;
    }
    return false;
}

/* ---- locks of a program's own --------------------------------------------- */

#define OVERTAKEN 4 /* a part in so many of the waits for a lock */

static int by_object(const void *a, const void *b)
{
    const struct scene_poll *const *x = a, *const *y = b;

    if ((*x)->object != (*y)->object)
        return (*x)->object < (*y)->object ? -1 : 1;
    return (*x)->since < (*y)->since ? -1 : (*x)->since > (*y)->since;
}

/* Of waits for one lock, by their beginning: is a part of them, by their
 * cycles, overtaken, by one that began later and was over sooner, or by a
 * thread that took it at once? Of little time that says nothing. */
static bool are_overtaken(const struct scene_poll *const *p, size_t count,
                          uint64_t little)
{
    uint64_t first = UINT64_MAX, sum = 0, overtaken = 0;

    for (size_t n = count; n-- > 0;) {
        uint64_t cycles = p[n]->ended - p[n]->since;

        sum += cycles;
        if (first < p[n]->ended || p[n]->firsts)
            overtaken += cycles;
        if (p[n]->ended < first)
            first = p[n]->ended;
    }
    return overtaken > sum / OVERTAKEN && overtaken > little;
}

bool graph_overtakes(const struct retime *g)
{
    const struct scene *s = g->scene;
    const struct scene_poll **list = grow_zero(s->polls + 1, sizeof *list);
    bool any = false;
    size_t count = 0;

    for (uint32_t n = 0; n < s->polls; n++)
        if (s->poll[n].runs && s->poll[n].tried)
            list[count++] = &s->poll[n];
    if (count)
        qsort(list, count, sizeof *list, by_object);
    for (size_t n = 0, end; n < count && !any; n = end) {
        for (end = n; end < count && list[end]->object == list[n]->object;)
            end++;
        any = are_overtaken(&list[n], end - n, retime_recorded(g) / FEW);
    }
    free(list);
    return any;
}
