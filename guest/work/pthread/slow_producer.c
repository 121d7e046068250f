/* slow_producer.c - cause: one thread makes the work of all others, too slowly.
 *
 * The first thread makes items, each as long as another thread takes to use
 * one; so all others together are busy as long as one would be. Their CPUs idle
 * behind consume > queue_take, and what they wait for is make_item.
 */
#include <pthread.h>
#include <stdio.h>

#include "guest/work/pthread/common/load.h"
#include "guest/work/pthread/common/queue.h"

#define MAKING 4000 /* steps */
#define USING 4000
#define LAST 0 /* no item */

static struct load size = {.rounds = 60, .threads = 4};
static struct queue items;
static uint32_t used[LOAD_THREADS];

static uint32_t make_item(uint32_t x)
{
    return compute(x, MAKING) | 1;
}

static void produce(void)
{
    uint32_t x = 1;

    for (unsigned i = 0; i < size.rounds; i++) {
        x = make_item(x);
        queue_put(&items, x);
    }
    for (unsigned i = 1; i < size.threads; i++)
        queue_put(&items, LAST);
}

static void consume(unsigned me)
{
    for (;;) {
        uint32_t item = queue_take(&items);

        if (item == LAST)
            return;
        used[me] += compute(item, USING);
    }
}

static void *worker(void *index)
{
    unsigned me = *(unsigned *)index;

    if (me == 0)
        produce();
    else
        consume(me);
    return NULL;
}

int main(int count, char **word)
{
    uint32_t sum = 0;

    load_arguments(&size, count, word);
    if (size.threads < 2)
        size.threads = 2;
    queue_init(&items, QUEUE_MOST);
    load_run(size.threads, worker);
    for (unsigned i = 0; i < size.threads; i++)
        sum += used[i];
    printf("slow_producer: %u items, used %u\n", size.rounds, (unsigned)sum);
    return 0;
}
