/* join.c - samples of processes' threads have the whole stack, and a process
 * that executes another program is of interest by that one's name.
 */
#include "guest/prof/idle/idle.h"
#include "guest/prof/process/process_prof.h"

static void join_stacks(void)
{
    sampler_join(user_stack_join);
}
HOOK(start, 130, join_stacks);

static void program_named(const struct process *p, const struct node *file)
{
    (void)file;
    if (p->tasks)
        thread_filter_made(p->tasks->thread);
}
HOOK(program, 105, program_named);
