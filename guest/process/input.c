/* input.c - reading the console. The byte that waits in the line is taken by
 * whichever task reads; one that has nothing to read asks again after a while,
 * since the line has no interrupt here that could tell it. A file or pipe at
 * simrun's stdin has an end, which the line cannot say (docs/board.md).
 */
#include "guest/process/errno.h"
#include "guest/process/file.h"

#define PAUSE_NS 1000000

static struct mutex one; /* reader at a time */

int32_t input_read(struct task *t, uint32_t to, uint32_t bytes)
{
    uint32_t done = 0;
    char byte;

    while (done < bytes) {
        bool got;

        mutex_lock(&one);
        got = console_get(&byte);
        mutex_unlock(&one);
        if (!got && done)
            break;
        if (!got && task_sleep(clock_due(PAUSE_NS)) == WAKE_SIGNAL)
            return CALL_RESTART;
        if (!got)
            continue;
        if (!copy_out(t->process->space, to + done, &byte, 1))
            return -EFAULT;
        done++;
        if (byte == '\n')
            break;
    }
    return (int32_t)done;
}
