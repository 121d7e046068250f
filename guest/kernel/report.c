/* report.c - what the guest says about itself: the boot line as understood,
 * and at the end the samples, the top stacks, and whether the sampler kept
 * its promises. Names come from the host's tools; here are addresses.
 */
#include "guest/kernel/defs.h"

#define TOP 3

static const char *kinds(const struct options *o)
{
    if (o->to_idle)
        return o->from_idle ? "both" : "to-idle";
    return o->from_idle ? "from-idle" : "off";
}

void report_start(void)
{
    const struct options *o = options();

    kprintf("guest: %u CPUs, work=%s n=%u threads=%u sampler=%s idle=%s "
            "seed=%u dither=%s\n",
            machine_cpus(), o->work->name, o->n, o->threads, kinds(o),
            o->spin ? "spin" : "nap", o->seed, o->dither ? "on" : "off");
    if (o->trigger == TRIGGER_TIME)
        kprintf("guest: trigger every %u cycles (%u time-base ticks)\n",
                o->period * machine.tick_cycles, o->period);
    else
        kprintf("guest: trigger every %u of %s\n", o->period,
                trigger_event_name(o->event));
}

static void print_cpu(const struct cpu *c)
{
    const uint32_t *s = c->stat;

    kprintf("cpu %u: interrupts %u busy %u suppressed %u none %u stale %u "
            "to-idle %u from-idle %u idle-periods %u sampled %u switches %u "
            "affinity %u flags %u\n",
            c->number, s[STAT_INTERRUPTS], s[STAT_BUSY], s[STAT_SUPPRESSED],
            s[STAT_NONE], s[STAT_STALE], s[STAT_TO_IDLE], s[STAT_FROM_IDLE],
            s[STAT_IDLE_PERIODS], s[STAT_SAMPLED_PERIODS], s[STAT_SWITCHES],
            s[STAT_AFFINITY], c->flags_set);
}

static uint32_t *count_of(struct tree_node *n, bool to_idle)
{
    return to_idle ? &n->to_idle : &n->from_idle;
}

/* The node with the largest count below (limit, or equal and later). */
static struct tree_node *next_top(bool to_idle, struct tree_node *after)
{
    struct tree *t = sampler_tree();
    struct tree_node *best = NULL;

    for (uint32_t i = 1; i < t->used; i++) {
        struct tree_node *n = &t->node[i];
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
    struct tree_node *n = NULL;

    for (int i = 0; i < TOP; i++) {
        n = next_top(to_idle, n);
        if (!n)
            return;
        kprintf("top %s %u:", to_idle ? "to-idle" : "from-idle",
                *count_of(n, to_idle));
        for (struct tree_node *p = n; p->parent; p = p->parent)
            kprintf(" %x", p->pc);
        kprintf("\n");
    }
}

static bool check(bool good, const char *what)
{
    kprintf("%s: %s\n", good ? "PASS" : "FAIL", what);
    return good;
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

static bool app_ended(void)
{
    for (unsigned slot = 0; slot < MAX_THREADS; slot++) {
        const struct thread *t = thread_at(slot);

        if (t && t->kind == THREAD_IS_APP && t->state != STATE_DEAD)
            return false;
    }
    return true;
}

static bool none_outstanding(void)
{
    FOR_CPUS (c) {
        if (sampler_monitor()->cpu[c->number].outstanding || c->signalled)
            return false;
    }
    return true;
}

struct sums {
    uint32_t to_idle, from_idle, affinity, overlaps, throttled;
    uint32_t queued, worked, late, moved, wrong_leaf, misplaced;
    uint32_t not_idle, late_restore, latency, remember;
};

static struct sums sum_up(void)
{
    struct sums s = {0};

    FOR_CPUS (c) {
        s.to_idle += c->stat[STAT_TO_IDLE];
        s.from_idle += c->stat[STAT_FROM_IDLE];
        s.affinity += c->stat[STAT_AFFINITY];
        s.overlaps += c->overlaps;
        s.throttled += c->throttled;
        s.queued += c->queued;
        s.worked += c->worked;
        s.late += c->late_sampler;
        s.moved += c->moved;
        s.wrong_leaf += c->wrong_leaf;
        s.misplaced += c->misplaced;
        s.not_idle += c->not_idle;
        s.late_restore += c->late_restore;
        if (c->latency_max > s.latency)
            s.latency = c->latency_max;
        s.remember += sampler_monitor()->cpu[c->number].saved_tid != 0;
    }
    return s;
}

static bool self_check(const struct sums *s)
{
    uint32_t to_idle, from_idle;
    bool good;

    tree_sums(sampler_tree(), &to_idle, &from_idle);
    good = check(to_idle == s->to_idle && from_idle == s->from_idle &&
                     !sampler_tree()->lost,
                 "leaf counts add up to the completed samples");
    good &= check(masks_restored(), "every affinity mask is restored");
    good &= check(s->affinity == 2 * (s->to_idle + s->from_idle),
                  "each sample narrowed and restored one mask");
    good &= check(!s->late_restore,
                  "masks are restored before stacks are processed");
    good &= check(!s->not_idle, "to-idle samples met the idle thread");
    good &= check(!s->moved, "no target ran between choice and capture");
    good &= check(!s->wrong_leaf,
                  "every stack begins where its thread left the CPU");
    good &= check(!s->misplaced,
                  "nobody ran where it may not, stacks were taken in place");
    good &= check(s->queued == s->worked,
                  "off-level work ran once, with interrupts on");
    good &= check(!s->late, "the sampler ran next after every wake-up");
    good &= check(none_outstanding(), "no sample is outstanding");
    return good;
}

/* `ticks`: how long the workload took. */
bool report(uint64_t ticks)
{
    struct sums s = sum_up();
    bool sampled = options()->to_idle || options()->from_idle;
    bool good = true;

    kprintf("guest: %u us simulated\n", ticks_to_us(ticks));
    FOR_CPUS (c) {
        trace_stats(c);
        print_cpu(c);
    }
    if (sampled) {
        kprintf("samples: to-idle %u from-idle %u, %u overlapped another "
                "CPU's, %u stacks in %u nodes, %u triggers throttled\n",
                s.to_idle, s.from_idle, s.overlaps, tree_stacks(sampler_tree()),
                sampler_tree()->used - 1, s.throttled);
        kprintf("samples: captured within %u cycles of their cause, %u CPUs "
                "remember a thread\n",
                s.latency * machine.tick_cycles, s.remember);
        print_top(true);
        print_top(false);
        good = self_check(&s);
    }
    good &= check(app_ended(), "no thread is stuck");
    return good;
}
