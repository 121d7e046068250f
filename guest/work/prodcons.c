/* prodcons.c - one producer, several consumers, a queue between them.
 *
 * PLANTED CAUSE: the producer makes one item per consumer and then sleeps on
 * a timer for PAUSE_CYCLES, far longer than an item takes to digest. The CPUs
 * idle because the queue is empty:
 *     consumer -> queue_get -> cond_wait
 * and what ends their idleness is the producer, which wakes from
 *     producer -> thread_sleep.
 */
#include "guest/work/work.h"

#define PAUSE_CYCLES 200000
#define DIGEST_STEPS 3000
#define QUEUE_SIZE 128
#define CONSUMERS_MAX 64
#define END_ITEM 0 /* the consumer that gets it ends */

static struct queue {
    struct mutex lock;
    struct cond filled;
    uint32_t item[QUEUE_SIZE];
    unsigned head, count;
} queue;

static uint32_t rounds, consumers;
static volatile uint32_t digested, tasted; /* items, and what came of them */

static __attribute__((noinline)) void queue_put(uint32_t item)
{
    mutex_lock(&queue.lock);
    if (queue.count == QUEUE_SIZE)
        panic("prodcons: the queue is full");
    queue.item[(queue.head + queue.count++) % QUEUE_SIZE] = item;
    mutex_unlock(&queue.lock);
    cond_signal(&queue.filled);
}

static __attribute__((noinline)) uint32_t queue_get(void)
{
    uint32_t item;

    mutex_lock(&queue.lock);
    while (!queue.count)
        cond_wait(&queue.filled, &queue.lock);
    item = queue.item[queue.head];
    queue.head = (queue.head + 1) % QUEUE_SIZE;
    queue.count--;
    mutex_unlock(&queue.lock);
    return item;
}

static void produce(uint32_t item)
{
    for (uint32_t i = 0; i < consumers; i++)
        queue_put(item);
}

/* No more than the queue holds: wait until the last round was taken. */
static void producer(uint32_t unused)
{
    (void)unused;
    for (uint32_t i = 0; i < rounds; i++) {
        produce(i + 1);
        do {
            thread_sleep(PAUSE_CYCLES);
        } while (queue.count);
    }
    produce(END_ITEM);
}

static __attribute__((noinline)) uint32_t digest(uint32_t item)
{
    for (unsigned i = 0; i < DIGEST_STEPS; i++)
        item = item * 1664525 + 1013904223;
    return item;
}

static void consumer(uint32_t unused)
{
    uint32_t item;

    (void)unused;
    while ((item = queue_get()) != END_ITEM) {
        tasted = digest(item);
        atomic_add(&digested, 1);
        stat_add(STAT_TRANSACTIONS, 1);
    }
}

static bool prodcons_run(const struct options *o)
{
    struct thread *eats[CONSUMERS_MAX], *makes;
    uint64_t begun = time_now();

    rounds = o->n;
    digested = 0;
    consumers = o->threads;
    for (uint32_t i = 0; i < consumers; i++)
        eats[i] = thread_numbered("consumer", i, 2, ALL_CPUS, consumer);
    makes = thread_create("producer", 1, THREAD_IS_APP, PRIO_APP, ALL_CPUS,
                          producer, 0);
    thread_join(makes);
    for (uint32_t i = 0; i < consumers; i++)
        thread_join(eats[i]);
    kprintf("prodcons: %u items in %u us simulated\n", digested,
            ticks_to_us(time_now() - begun));
    return digested == rounds * consumers;
}

static const char *const roles[] = {"producer", "consumer", NULL};

static const struct work work_prodcons = {.name = "prodcons",
                                          .n = 150,
                                          .n_max = 1000000,
                                          .threads = 2,
                                          .threads_max = CONSUMERS_MAX,
                                          .roles = roles,
                                          .run = prodcons_run};
WORK(120, work_prodcons);
