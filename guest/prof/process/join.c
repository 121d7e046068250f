/* join.c - samples of processes' threads have the whole stack. */
#include "guest/prof/idle/idle.h"
#include "guest/prof/process/process_prof.h"

static void join_stacks(void)
{
    sampler_join(user_stack_join);
}
HOOK(start, 130, join_stacks);
