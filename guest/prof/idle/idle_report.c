/* idle_report.c - what the samplers say at the end: their numbers of each CPU,
 * the top stacks, and whether they kept their promises.
 */
#include "guest/prof/idle/idle.h"

#define TOP 3

static uint32_t flags_set(const struct cpu *c)
{
    return idle_cpu(c)->flags_set;
}

COLUMN(110, interrupts, "interrupts", STAT_INTERRUPTS, NULL);
COLUMN(120, busy, "busy", STAT_BUSY, NULL);
COLUMN(130, suppressed, "suppressed", STAT_SUPPRESSED, NULL);
COLUMN(140, none, "none", STAT_NONE, NULL);
COLUMN(150, stale, "stale", STAT_STALE, NULL);
COLUMN(160, to_idle, "to-idle", STAT_TO_IDLE, NULL);
COLUMN(170, from_idle, "from-idle", STAT_FROM_IDLE, NULL);
COLUMN(190, sampled, "sampled", STAT_SAMPLED_PERIODS, NULL);
COLUMN(210, affinity, "affinity", STAT_AFFINITY, NULL);
COLUMN(220, flags, "flags", 0, flags_set);

static uint32_t *count_of(struct stack_tree_node *n, bool to_idle)
{
    return to_idle ? &n->to_idle : &n->from_idle;
}

/* The node with the largest count below (limit, or equal and later). */
static struct stack_tree_node *next_top(bool to_idle,
                                        struct stack_tree_node *after)
{
    struct stack_tree *t = sampler_tree();
    struct stack_tree_node *best = NULL;

    for (uint32_t i = 1; i < t->used; i++) {
        struct stack_tree_node *n = &t->node[i];
        uint32_t count = *count_of(n, to_idle);
        uint32_t limit = after ? *count_of(after, to_idle) : UINT32_MAX;

        if (!count || count > limit || (count == limit && n <= after))
            continue;
        if (!best || count > *count_of(best, to_idle))
            best = n;
    }
    return best;
}

static void print_top(bool to_idle)
{
    struct stack_tree_node *n = NULL;

    for (int i = 0; i < TOP; i++) {
        n = next_top(to_idle, n);
        if (!n)
            return;
        kprintf("top %s %u:", to_idle ? "to-idle" : "from-idle",
                *count_of(n, to_idle));
        for (struct stack_tree_node *p = n; p->parent; p = p->parent)
            kprintf(" %x", p->pc);
        kprintf("\n");
    }
}

static bool masks_restored(void)
{
    for (unsigned slot = 0; slot < MAX_THREADS; slot++) {
        const struct thread *t = thread_at(slot);

        if (t && (t->narrow || t->held || t->mask != t->made_mask))
            return false;
    }
    return true;
}

static bool none_outstanding(void)
{
    FOR_CPUS (c) {
        if (sampler_monitor()->cpu[c->number].outstanding ||
            idle_cpu(c)->signalled)
            return false;
    }
    return true;
}

struct sums {
    uint32_t to_idle, from_idle, affinity, overlaps, throttled;
    uint32_t queued, worked, late, moved, wrong_leaf, misplaced;
    uint32_t not_idle, late_restore, latency, remember;
    uint32_t captures, gone, met;
    uint32_t events[PRECAPTURE_EVENTS];
};

static struct sums sum_up(void)
{
    struct sums s = {0};

    FOR_CPUS (c) {
        const struct idle_cpu *i = idle_cpu(c);

        s.to_idle += c->stat[STAT_TO_IDLE];
        s.from_idle += c->stat[STAT_FROM_IDLE];
        s.affinity += c->stat[STAT_AFFINITY];
        s.overlaps += i->overlaps;
        s.throttled += i->throttled;
        s.queued += c->queued;
        s.worked += c->worked;
        s.late += i->late_sampler;
        s.captures += i->captures;
        s.gone += i->gone;
        s.met += i->met;
        for (unsigned e = 0; e < PRECAPTURE_EVENTS; e++)
            s.events[e] += i->events[e];
        s.moved += i->moved;
        s.wrong_leaf += i->wrong_leaf;
        s.misplaced += c->misplaced + i->misplaced;
        s.not_idle += i->not_idle;
        s.late_restore += i->late_restore;
        if (i->latency_max > s.latency)
            s.latency = i->latency_max;
        s.remember += sampler_monitor()->cpu[c->number].saved_tid != 0;
    }
    return s;
}

/* How often the strategy that was asked for let a target get away. */
static void print_strategy(const struct sums *s)
{
    if (strategy_named())
        kprintf("samples: strategy %s, %u captures, %u of a target that moved, "
                "%u that began elsewhere, %u of a thread that had ended\n",
                strategy_named(), s->captures, s->moved, s->wrong_leaf,
                s->gone);
}

/* What became of stacks that were taken beforehand. */
static void print_precapture(const struct sums *s)
{
    const uint32_t *e = s->events;

    if (!idle_options()->precapture)
        return;
    kprintf("samples: taken beforehand %u stacks, %u used, %u could not be "
            "read, %u changed meanwhile, %u left to another CPU's sampler\n",
            e[PRECAPTURE_TAKEN], e[PRECAPTURE_USED], e[PRECAPTURE_NOTHING],
            e[PRECAPTURE_CHANGED], s->met);
    kprintf("samples: no stack kept of %u threads that ended an idle period, "
            "of %u that are excluded, of %u whose could not be read\n",
            e[PRECAPTURE_LATE], e[PRECAPTURE_EXCLUDED], e[PRECAPTURE_FAILED]);
}

/* Samples that a caller of theirs stands for. */
static void print_cut(const struct stack_tree *t)
{
    if (t->cut)
        kprintf(
            "samples: %u counted at a caller, since the tree's %u nodes are "
            "used up; their records are whole\n",
            t->cut, t->size);
}

/* A check of what holds only where the target is confined. */
static bool check_confined(bool good, const char *what)
{
    return strategy() != STRATEGY_AFFINITY || report_check(good, what);
}

static bool self_check(const struct sums *s)
{
    uint32_t to_idle, from_idle;
    bool good;

    stack_tree_sums(sampler_tree(), &to_idle, &from_idle);
    good = report_check(to_idle == s->to_idle && from_idle == s->from_idle,
                        "leaf counts add up to the completed samples");
    good &= report_check(masks_restored(), "every affinity mask is restored");
    good &= check_confined(s->affinity == 2 * (s->to_idle + s->from_idle -
                                               s->events[PRECAPTURE_USED]),
                           "each sample narrowed and restored one mask");
    good &= report_check(!s->late_restore,
                         "masks are restored before stacks are processed");
    good &= report_check(!s->not_idle, "to-idle samples met the idle thread");
    good &= check_confined(!s->moved && !s->gone,
                           "no target ran between choice and capture");
    good &= check_confined(!s->wrong_leaf,
                           "every stack begins where its thread left the CPU");
    good &=
        report_check(!s->misplaced,
                     "nobody ran where it may not, stacks were taken in place");
    good &= report_check(s->queued == s->worked,
                         "off-level work ran once, with interrupts on");
    good &= report_check(!s->late, "the sampler ran next after every wake-up");
    good &= report_check(none_outstanding(), "no sample is outstanding");
    return good;
}

static bool print_samples(void)
{
    const struct stack_tree *t = sampler_tree();
    struct sums s;

    if (!idle_options()->to_idle && !idle_options()->from_idle)
        return true;
    s = sum_up();
    print_strategy(&s);
    print_cut(t);
    if (options()->program)
        return self_check(&s);
    kprintf("samples: to-idle %u from-idle %u, %u overlapped another "
            "CPU's, %u stacks in %u nodes, %u triggers throttled\n",
            s.to_idle, s.from_idle, s.overlaps, stack_tree_stacks(t),
            t->used - 1, s.throttled);
    kprintf("samples: captured within %u cycles of their cause, %u CPUs "
            "remember a thread\n",
            s.latency * machine.tick_cycles, s.remember);
    print_precapture(&s);
    print_top(true);
    print_top(false);
    return self_check(&s);
}
HOOK(report, 110, print_samples);
