/* slow_stage.c - cause: a pipeline is as fast as its slowest stage.
 *
 * Each thread is a stage with a queue in front. All take equally long but
 * encode, the last but one, which takes four times as long. The stages before
 * it idle behind pass_on > queue_put, since its queue is full; the one behind
 * it behind fetch > queue_take, since its own is empty.
 */
#include <pthread.h>
#include <stdio.h>

#include "guest/work/pthread/common/load.h"
#include "guest/work/pthread/common/queue.h"

#define STAGE 1500 /* steps */
#define SLOWER 4   /* times */
#define CAPACITY 2

static struct load size = {.rounds = 60, .threads = 4};
static struct queue before[LOAD_THREADS];
static uint32_t result;

static uint32_t encode(uint32_t x)
{
    return compute(x, STAGE * SLOWER);
}

static uint32_t fetch(unsigned stage, uint32_t number)
{
    return stage ? queue_take(&before[stage]) : number;
}

static void pass_on(unsigned stage, uint32_t x)
{
    if (stage + 1 < size.threads)
        queue_put(&before[stage + 1], x);
    else
        result += x;
}

static void *stage_run(void *index)
{
    unsigned stage = *(unsigned *)index;
    unsigned slow = size.threads > 1 ? size.threads - 2 : 0;

    for (unsigned i = 0; i < size.rounds; i++) {
        uint32_t x = fetch(stage, i);

        x = stage == slow ? encode(x) : compute(x, STAGE);
        pass_on(stage, x);
    }
    return NULL;
}

int main(int count, char **word)
{
    load_arguments(&size, count, word);
    for (unsigned i = 0; i < size.threads; i++)
        queue_init(&before[i], CAPACITY);
    load_run(size.threads, stage_run);
    printf("slow_stage: %u items, result %u\n", size.rounds, (unsigned)result);
    return 0;
}
