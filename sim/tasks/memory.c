/* memory.c - see memory.h. */
#include "sim/tasks/memory.h"

#include "sim/machine/linux.h"
#include "sim/unwind/frame_flow.h"

uint32_t kernel_word_at(const struct machine *m, const struct core *c,
                        uint32_t ea)
{
    uint32_t pa = kernel_pa(m, ea), value;

    if (pa <= m->ram.size - 4 && pa < LINUX_LOW_MEMORY)
        return kernel_word(m, pa);
    return ea % 4 == 0 && frame_flow_word(c, ea, TLB_LOAD, &value) ? value : 0;
}

bool kernel_task_waits(const struct machine *m,
                       const struct task_description *d, uint32_t pa)
{
    uint32_t at = pa + d->delayed;

    if (!kernel_word(m, pa + d->state))
        return false;
    if (d->on_rq == TASK_UNKNOWN || !kernel_word(m, pa + d->on_rq))
        return true;
    return d->delayed != TASK_UNKNOWN &&
           kernel_word(m, at & ~3u) >> (8 * (3 - at % 4)) & 0xFF;
}
