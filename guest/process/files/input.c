/* input.c - reading the console, a line at a time. One that finds nothing asks
 * again after a while, since the line has no interrupt here that could tell it.
 */
#include "guest/process/file.h"

#define PAUSE_NS 100000

static struct mutex one; /* reader at a time */

int32_t input_read(struct task *t, uint32_t to, uint32_t bytes)
{
    enum console_input got;
    uint32_t done = 0;
    char byte = 0;

    while (done < bytes && byte != '\n') {
        mutex_lock(&one);
        got = console_get(&byte);
        mutex_unlock(&one);
        if (got == CONSOLE_OVER)
            break;
        if (got == CONSOLE_BYTE &&
            !copy_out(t->process->space, to + done++, &byte, 1))
            return -EFAULT;
        if (got == CONSOLE_SILENT)
            will_wait(STATE_IO, OBJECT_DEVICE, BOARD_UART, 0);
        if (got == CONSOLE_SILENT &&
            task_sleep(clock_due(PAUSE_NS)) == WAKE_SIGNAL)
            return done ? (int32_t)done : CALL_RESTART;
    }
    return (int32_t)done;
}
