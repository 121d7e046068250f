/* busy.c - every CPU computes, all the time.
 *
 * PLANTED CAUSE: none. One thread is pinned to each CPU and never waits, so
 * the idle report must be empty. Sampling covers the section that is
 * measured: from when all threads run until the first has finished. What a
 * thread computes depends on nothing else, so its sum also tells whether an
 * interrupt ever disturbed it.
 */
#include "guest/work/work.h"

#define UNIT_STEPS 10000

static uint32_t units;
static volatile uint32_t running, finished;
static uint32_t sum[MAX_CPUS];

static __attribute__((noinline)) uint32_t busy_unit(uint32_t x)
{
    for (unsigned i = 0; i < UNIT_STEPS; i++)
        x = (x ^ x >> 15) * 2246822519u + i;
    return x;
}

/* All must run before the first measures: no thread sleeps meanwhile. */
static void start_together(void)
{
    if (atomic_add(&running, 1) == machine_cpus() - 1) {
        window_open();
        running++;
    }
    while (running <= machine_cpus())
        continue;
}

static void busy_thread(uint32_t number)
{
    uint32_t x = number + 1;

    start_together();
    for (uint32_t i = 0; i < units; i++) {
        x = busy_unit(x);
        stat_add(STAT_TRANSACTIONS, 1);
    }
    sum[number] = x;
    if (!atomic_add(&finished, 1))
        window_close();
}

static bool busy_run(const struct options *o)
{
    struct thread *t[MAX_CPUS];
    uint32_t all = 0;

    units = o->n;
    running = finished = 0;
    for (uint32_t i = 0; i < machine_cpus(); i++)
        t[i] = thread_numbered("busy", i, 1, 1u << i, busy_thread);
    for (uint32_t i = 0; i < machine_cpus(); i++) {
        thread_join(t[i]);
        all = all * 31 + sum[i];
    }
    kprintf("busy: %u units on each of %u CPUs, sum %x\n", units,
            machine_cpus(), all);
    return true;
}

static const char *const roles[] = {"busy", NULL};

static const struct work work_busy = {.name = "busy",
                                      .n = 100,
                                      .n_max = 1000000,
                                      .threads = 1,
                                      .threads_max = MAX_CPUS,
                                      .roles = roles,
                                      .own_window = true,
                                      .run = busy_run};
WORK(130, work_busy);
