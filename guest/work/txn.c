/* txn.c - transactions in four stages, by several workers.
 *
 * PLANTED CAUSE: the commit stage takes the one journal lock and keeps it
 * while the journal is written, a wait of WRITE_CYCLES in which no CPU has
 * anything to do. Throughput is one transaction per hold, however many CPUs
 * there are; the CPUs idle because their workers wait in
 *     txn_worker -> txn_stage_commit -> mutex_lock
 * and the one that holds the lock sleeps in
 *     txn_worker -> txn_stage_commit -> journal_write -> thread_sleep.
 * All other stages run in parallel.
 */
#include "guest/work/work.h"

#define PARSE_WORDS 700
#define LOOKUP_STEPS 900
#define FORMAT_WORDS 400
#define REPLY_WORDS 600
#define WRITE_CYCLES 20000
#define TABLE_SIZE 4096 /* words: half the data cache */
#define WORKERS_MAX 64

static uint32_t table[TABLE_SIZE];
static struct mutex journal_lock;
static uint32_t journal_sum;
static uint32_t per_worker;

/* Fold `count` words of noise into a sum: the work of a stage. */
static uint32_t fold(uint32_t sum, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        sum = (sum << 5 | sum >> 27) + table[(sum ^ i) % TABLE_SIZE];
    return sum;
}

static __attribute__((noinline)) uint32_t txn_stage_parse(uint32_t request)
{
    return fold(request, PARSE_WORDS);
}

/* A walk from entry to entry: each address depends on the last word. */
static __attribute__((noinline)) uint32_t txn_stage_lookup(uint32_t key)
{
    for (unsigned i = 0; i < LOOKUP_STEPS; i++)
        key = table[key % TABLE_SIZE] + i;
    return key;
}

static __attribute__((noinline)) void journal_write(uint32_t entry)
{
    journal_sum += fold(entry, FORMAT_WORDS);
    thread_sleep(WRITE_CYCLES);
}

static __attribute__((noinline)) void txn_stage_commit(uint32_t entry)
{
    mutex_lock(&journal_lock);
    journal_write(entry);
    mutex_unlock(&journal_lock);
}

static __attribute__((noinline)) uint32_t txn_stage_reply(uint32_t entry)
{
    return fold(entry, REPLY_WORDS);
}

static void txn_worker(uint32_t number)
{
    uint32_t request = number;

    for (uint32_t i = 0; i < per_worker; i++) {
        uint32_t entry = txn_stage_parse(request + i);

        entry = txn_stage_lookup(entry);
        txn_stage_commit(entry);
        request = txn_stage_reply(entry);
        stat_add(STAT_TRANSACTIONS, 1);
    }
}

static bool txn_run(const struct options *o)
{
    struct thread *worker[WORKERS_MAX];
    uint32_t noise = random_seed(o->seed, 100);
    uint64_t begun = time_now();
    uint32_t us, done = 0;

    FOR_CPUS (c)
        done -= c->stat[STAT_TRANSACTIONS]; /* of earlier runs */

    for (unsigned i = 0; i < TABLE_SIZE; i++)
        table[i] = random_below(&noise, UINT32_MAX);
    per_worker = o->n;
    for (uint32_t i = 0; i < o->threads; i++)
        worker[i] = thread_numbered("worker", i, 1, ALL_CPUS, txn_worker);
    for (uint32_t i = 0; i < o->threads; i++)
        thread_join(worker[i]);
    us = ticks_to_us(time_now() - begun);
    FOR_CPUS (c)
        done += c->stat[STAT_TRANSACTIONS];
    kprintf("txn: %u transactions in %u us simulated, %u per second\n", done,
            us, (uint32_t)divide((uint64_t)done * 1000000, us ? us : 1));
    return done == o->n * o->threads;
}

static const char *const roles[] = {"worker", NULL};

static const struct work work_txn = {.name = "txn",
                                     .n = 100,
                                     .n_max = 1000000,
                                     .threads = 2,
                                     .threads_max = WORKERS_MAX,
                                     .roles = roles,
                                     .run = txn_run};
WORK(110, work_txn);
