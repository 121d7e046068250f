/* lines.c - what lines_test.sh records the lines of memory of: two threads that
 * count in words of their own in one line, then together in one word; and a
 * thread that touches more lines than are kept.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TIMES 1000

static volatile uint32_t apart[8] __attribute__((aligned(64)));
static uint32_t together[8] __attribute__((aligned(64)));
static uint8_t many[2 << 20];

/* Nothing else is in it: where to begin and end. */
__attribute__((noipa)) void recorded(void)
{
}

__attribute__((noipa)) void over(void)
{
}

static void *count(void *index)
{
    volatile uint32_t *mine = &apart[*(int *)index * 4];

    for (int i = 0; i < TIMES; i++) {
        *mine += 1;
        __atomic_fetch_add(&together[3], 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static int number[2] = {0, 1};
    pthread_t thread[2];

    (void)argv;
    recorded();
    if (argc > 1)
        for (unsigned i = 0; i < sizeof many; i += 32)
            ((volatile uint8_t *)many)[i] = 1;
    for (int i = 0; argc == 1 && i < 2; i++)
        pthread_create(&thread[i], NULL, count, &number[i]);
    for (int i = 0; argc == 1 && i < 2; i++)
        pthread_join(thread[i], NULL);
    over();
    return apart[0] + apart[4] != (argc == 1 ? 2 * TIMES : 0);
}
