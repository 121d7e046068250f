/* lent.c - processes that belong to the kernel's profilers: the sampler and the
 * scan daemon run in user mode, in text of guest.elf that has pages of its own.
 * They have no place in the table of processes, so that programs neither see
 * nor signal them; their pages are shared ones, which never go out.
 */
#include "guest/prof/process/process_prof.h"

/* The place of the first page in memory, where it stays. */
static uint32_t make_pages(struct process *p, uint32_t start, uint32_t end,
                           uint32_t doing, const struct region *like)
{
    uint32_t first = 0;

    if (space_map(p->space, start, end - start, like))
        panic("a profiler's process has no memory");
    for (uint32_t at = start; at < end; at += PAGE) {
        uint32_t place = page_lock(p->space, at, doing);

        if (!place)
            panic("a profiler's process has no memory");
        mutex_unlock(&p->space->lock);
        first = first ? first : place;
    }
    return first;
}

void lent_begin(struct process *p, uint32_t number)
{
    struct region text = {.may = MAY_READ | MAY_RUN,
                          .shared = true,
                          .origin = (const uint8_t *)lent_text,
                          .bytes = (uint32_t)(lent_text_end - lent_text)};

    p->number = number;
    p->state = PROCESS_LIVE;
    p->space = space_new();
    if (!p->space)
        panic("a profiler's process has no memory");
    make_pages(p, (uint32_t)lent_text, (uint32_t)lent_text_end, MAY_READ,
               &text);
}

void *lent_page(struct process *p, uint32_t at)
{
    struct region area = {.may = MAY_READ | MAY_WRITE, .shared = true};

    return (void *)make_pages(p, at, at + PAGE, MAY_WRITE, &area);
}

struct task *lent_thread(struct process *p, uint32_t page, uint32_t from,
                         uint8_t kind, uint8_t prio, uint32_t mask)
{
    struct user_frame start = {.r1 = page + PAGE - LENT_TOP};
    struct task *t;

    start.trap.srr0 = from;
    start.trap.srr1 = MSR_USER;
    start.trap.r3_r12[0] = page;
    t = task_new_as(p, &start, kind, prio, mask);
    if (!t)
        panic("a profiler's process has no thread");
    return t;
}
