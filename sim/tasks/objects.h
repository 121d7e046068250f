/* objects.h - what a task waits for, and who has that or has to do it: words of
 * programs, as the system call names them, and locks of the kernel's. It is
 * read while the task is still on its CPU.
 */
#ifndef SIM_TASKS_OBJECTS_H
#define SIM_TASKS_OBJECTS_H

#include "sim/tasks/states.h"

/* What the task at p, which runs on c and is in a function of row p->row,
 * waits for; `book` is its own. No row: STATE_QUEUE of nothing. The stack is
 * the caller's to add. */
struct task_wait task_wait_of(const struct task_states *s, const struct core *c,
                              const struct task_place *p,
                              const struct task_book *book);

#endif
