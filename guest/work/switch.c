/* switch.c - stress: n context switches, by every way there is, while
 * samples are taken.
 *
 * PLANTED CAUSE: none. Threads with different affinity masks yield, contend
 * for a lock, wait for each other, sleep, move themselves, and compute beyond
 * their time slice, at random. At the end nothing may be lost: no flag, no
 * mask, no thread.
 */
#include "guest/work/work.h"

#define THREADS_MAX 96
#define LOOK_EVERY 32
#define CRUNCH_STEPS 60000

static struct mutex lock;
static struct cond turn;
static uint32_t waiting; /* under lock */
static volatile bool over;
static volatile uint32_t strays;        /* found itself on a forbidden CPU */
static uint32_t wanted, seed, crunched; /* wanted: of all runs so far */

static uint32_t switches(void)
{
    uint32_t all = 0;

    FOR_CPUS (c)
        all += c->stat[STAT_SWITCHES];
    return all;
}

static void contend(void)
{
    mutex_lock(&lock);
    thread_yield();
    mutex_unlock(&lock);
}

/* Every other one waits until the next one comes along. */
static void meet(void)
{
    mutex_lock(&lock);
    if (waiting || over) {
        waiting = 0;
        cond_broadcast(&turn);
    } else {
        waiting = 1;
        cond_wait(&turn, &lock);
    }
    mutex_unlock(&lock);
}

/* All CPUs, some, or one. */
static uint32_t some_mask(uint32_t *noise)
{
    uint32_t one = 1u << random_below(noise, machine_cpus());

    switch (random_below(noise, 3)) {
    case 0:
        return ALL_CPUS;
    case 1:
        return one | 1u << random_below(noise, machine_cpus());
    default:
        return one;
    }
}

static void move(uint32_t *noise)
{
    uint32_t mask = some_mask(noise);
    uint32_t msr;

    thread_set_mask(current, mask);
    msr = irq_save();
    if (!(mask >> this_cpu()->number & 1))
        atomic_add(&strays, 1);
    irq_restore(msr);
}

static __attribute__((noinline)) uint32_t crunch_step(uint32_t x)
{
    return (x ^ x >> 13) * 2654435761u;
}

/* Longer than a time slice: threads are interrupted anywhere in here, and
 * another CPU may go on with them. */
static __attribute__((noinline)) uint32_t crunch(uint32_t x)
{
    for (unsigned i = 0; i < CRUNCH_STEPS; i++)
        x += crunch_step(x);
    return x;
}

static void act(uint32_t *noise)
{
    uint32_t dice = random_below(noise, 100);

    if (dice == 0 && random_below(noise, 8) == 0)
        crunched += crunch(*noise);
    else if (dice < 60)
        thread_yield();
    else if (dice < 70)
        contend();
    else if (dice < 80)
        meet();
    else if (dice < 98)
        thread_sleep(500 + random_below(noise, 8000));
    else
        move(noise);
}

static void switcher(uint32_t number)
{
    uint32_t noise = random_seed(seed, 200 + number);

    for (uint32_t i = 0; !over; i++) {
        act(&noise);
        if (i % LOOK_EVERY == 0 && switches() >= wanted)
            over = true;
        stat_add(STAT_TRANSACTIONS, 1);
    }
    meet(); /* threads that still wait are let go */
}

static bool switch_run(const struct options *o)
{
    struct thread *t[THREADS_MAX];
    uint32_t noise = random_seed(o->seed, 300);

    wanted = switches() + o->n;
    seed = o->seed;
    over = false;
    waiting = 0;
    for (uint32_t i = 0; i < o->threads; i++)
        t[i] = thread_numbered("switcher", i, 1, some_mask(&noise), switcher);
    for (uint32_t i = 0; i < o->threads; i++)
        thread_join(t[i]);
    kprintf("switch: %u switches by %u threads\n", switches() + o->n - wanted,
            o->threads);
    kprintf("%s: no thread ran where it may not\n", strays ? "FAIL" : "PASS");
    return !strays && switches() >= wanted;
}

static const char *const roles[] = {"switcher", NULL};

static const struct work work_switch = {.name = "switch",
                                        .n = 20000,
                                        .n_max = 100000000,
                                        .threads = 6,
                                        .threads_max = THREADS_MAX,
                                        .roles = roles,
                                        .run = switch_run};
WORK(140, work_switch);
