/* strategy.c - what keeps a target where it is while its stack is taken
 * (strategy=): it is held and confined to its CPU, the others go on (affinity);
 * all other CPUs wait in a loop meanwhile (spin); or nothing does (none). The
 * last two are there to be compared with the first.
 *
 * To box the others out, a sampler asks each by an interrupt; one that spins
 * has taken it with interrupts on before, so that it has no spinlock. One
 * sampler does it at a time; it waits with interrupts on, and can be boxed out
 * itself until it is the one.
 */
#include "guest/prof/idle/idle.h"

static enum strategy chosen;
static bool named;              /* the line has the word */
static volatile uint32_t boxer; /* number + 1 of the CPU that boxes; 0: none */
static volatile bool closed;    /* the others are to spin */
static volatile uint32_t boxed; /* a bit for each CPU that does */

static const char *const names[] = {[STRATEGY_AFFINITY] = "affinity",
                                    [STRATEGY_SPIN] = "spin",
                                    [STRATEGY_NONE] = "none"};

static bool take_strategy(char *value)
{
    named = true;
    for (chosen = STRATEGY_AFFINITY; chosen <= STRATEGY_NONE; chosen++) {
        if (text_equal(value, names[chosen]))
            return true;
    }
    return false;
}
BOOT_WORD(125, take_strategy, "strategy", "affinity|spin|none");

enum strategy strategy(void)
{
    return chosen;
}

const char *strategy_named(void)
{
    return named ? names[chosen] : NULL;
}

/* ---- the box ------------------------------------------------------------- */

/* At the end of each exception: spin as long as another CPU wants it. A call
 * that a third one waits for is made meanwhile. */
static void spin_boxed(struct cpu *c, const struct thread *t)
{
    (void)t;
    if (!closed || boxer == c->number + 1)
        return;
    atomic_add(&boxed, 1u << c->number);
    while (closed)
        cpu_answer(c);
    atomic_add(&boxed, -(1u << c->number));
}

static void box_others(const struct cpu *c)
{
    uint32_t others = ((1u << machine_cpus()) - 1) & ~(1u << c->number);

    while (atomic_swap_if(&boxer, 0, c->number + 1))
        continue;
    closed = true;
    __asm__ volatile("sync" : : : "memory");
    FOR_CPUS (other) {
        if (other != c)
            pic_ipi(other->number);
    }
    while (boxed != others)
        continue;
}

static void unbox_others(void)
{
    closed = false;
    while (boxed)
        continue;
    __asm__ volatile("sync" : : : "memory");
    boxer = 0;
}

static struct hook box = {.call = spin_boxed};

/* Not with sched_lock. */
void strategy_window(bool open)
{
    if (chosen != STRATEGY_SPIN)
        return;
    if (open)
        hook_add(&trap_hooks, &box);
    else
        hook_remove(&trap_hooks, &box);
}

/* ---- of one sample ------------------------------------------------------- */

void strategy_begin(struct cpu *c, struct thread *t)
{
    if (chosen != STRATEGY_AFFINITY)
        return;
    t->held = true;
    t->narrow = 1u << c->number;
    c->stat[STAT_AFFINITY]++;
}

void strategy_capture(const struct cpu *c)
{
    if (chosen == STRATEGY_SPIN)
        box_others(c);
}

void strategy_captured(void)
{
    if (chosen == STRATEGY_SPIN)
        unbox_others();
}

void strategy_end(struct cpu *c, struct thread *t)
{
    if (chosen != STRATEGY_AFFINITY)
        return;
    t->narrow = 0;
    t->held = false;
    c->stat[STAT_AFFINITY]++;
    sched_replace(t);
}
