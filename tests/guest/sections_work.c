/* sections_work.c - a workload that marks sections, for sections_test.sh,
 * which links it into the guest beside the usual ones.
 *
 * Threads that outnumber the CPUs go through n rounds each. In a round: a
 * recursion 3 deep, a lock, a sleep, a yield; every fourth leaves a section
 * by a long jump. The last section of each thread never ends.
 */
#include "guest/work/work.h"
#include "include/section.h"

static struct mutex lock;
static uint32_t rounds;
static volatile uint32_t sink;

static void compute(uint32_t steps)
{
    uint32_t x = steps;

    for (uint32_t i = 0; i < steps; i++)
        x = (x ^ x >> 15) * 2246822519u + i;
    sink = x;
}

static __attribute__((noinline)) void deep(uint32_t levels)
{
    SECTION_BEGIN("deep");
    compute(50);
    if (levels > 1)
        deep(levels - 1);
    SECTION_END("deep");
}

static __attribute__((noinline)) void jump(void **where)
{
    SECTION_BEGIN("left");
    compute(20);
    __builtin_longjmp(where, 1);
}

static __attribute__((noinline)) void leave(void)
{
    void *where[5];

    if (!__builtin_setjmp(where))
        jump(where);
}

static void one_round(uint32_t i, uint32_t number)
{
    SECTION_BEGIN("round");
    deep(3);
    mutex_lock(&lock);
    SECTION_BEGIN("locked");
    compute(400 + 10 * number);
    thread_yield();
    SECTION_END("locked");
    mutex_unlock(&lock);
    if (i % 4 == 3)
        leave();
    thread_sleep(3000 + 700 * number);
    compute(3000);
    SECTION_END("round");
}

static void worker(uint32_t number)
{
    for (uint32_t i = 0; i < rounds; i++)
        one_round(i, number);
    SECTION_BEGIN("open");
    compute(100);
}

static bool sections_run(const struct options *o)
{
    struct thread *t[16];
    uint32_t all = (1u << machine_cpus()) - 1;

    rounds = o->n;
    window_open();
    for (uint32_t i = 0; i < o->threads; i++)
        t[i] = thread_numbered("worker", i, 1, all, worker);
    for (uint32_t i = 0; i < o->threads; i++)
        thread_join(t[i]);
    window_close();
    kprintf("sections: %u rounds of %u threads\n", rounds, o->threads);
    return true;
}

static const char *const roles[] = {"worker", NULL};

static const struct work work_sections = {.name = "sections",
                                          .n = 20,
                                          .n_max = 1000,
                                          .threads = 6,
                                          .threads_max = 16,
                                          .roles = roles,
                                          .own_window = true,
                                          .run = sections_run};
WORK(210, work_sections);
