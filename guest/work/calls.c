/* calls.c - one thread that calls, level by level, a known number of times.
 *
 * Of n rounds each goes calls_thread > calls_outer > calls_inner > calls_leaf,
 * so that all four are entered n times (the thread but once), and stores once
 * into calls_word. Every QUIET_EVERY rounds calls_quiet computes with
 * interrupts off.
 *
 * PLANTED CAUSE: none of idleness. calls_leaf is the hottest that a timer can
 * see; the work of calls_quiet_step no timer ever sees, and what it finds
 * instead is where interrupts are let in again.
 */
#include "guest/work/work.h"

#define LEAF_STEPS 40
#define QUIET_STEPS 60
#define QUIET_EVERY 4

static uint32_t rounds;
static volatile uint32_t calls_word;

static __attribute__((noinline)) uint32_t calls_leaf(uint32_t x)
{
    for (unsigned i = 0; i < LEAF_STEPS; i++)
        x = (x ^ x >> 13) * 2654435761u + i;
    return x;
}

static __attribute__((noinline)) uint32_t calls_inner(uint32_t x)
{
    return calls_leaf(x + 1) ^ 1;
}

static __attribute__((noinline)) uint32_t calls_outer(uint32_t x)
{
    return calls_inner(x * 3) + 1;
}

static __attribute__((noinline)) uint32_t calls_quiet_step(uint32_t x)
{
    for (unsigned i = 0; i < QUIET_STEPS; i++)
        x = (x << 3 | x >> 29) ^ i;
    return x;
}

static __attribute__((noinline)) uint32_t calls_quiet(uint32_t x)
{
    uint32_t msr = irq_save();

    x = calls_quiet_step(x);
    irq_restore(msr);
    return x;
}

static void calls_thread(uint32_t x)
{
    for (uint32_t i = 0; i < rounds; i++) {
        x = calls_outer(x);
        if (i % QUIET_EVERY == 0)
            x = calls_quiet(x);
        calls_word = x;
    }
    stat_add(STAT_TRANSACTIONS, rounds);
}

static bool calls_run(const struct options *o)
{
    rounds = o->n;
    thread_join(thread_numbered("calls", 0, 1, 1, calls_thread));
    kprintf("calls: %u rounds, %x\n", rounds, calls_word);
    return true;
}

static const char *const roles[] = {"calls", NULL};

static const struct work work_calls = {.name = "calls",
                                       .n = 182,
                                       .n_max = 1000000,
                                       .threads = 1,
                                       .threads_max = 1,
                                       .roles = roles,
                                       .run = calls_run};
WORK(150, work_calls);
