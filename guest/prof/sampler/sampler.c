/* sampler.c - the sampler: a process with a thread for each CPU, in user mode.
 * It is pinned, goes before all others, and sleeps until the kernel has chosen
 * a thread whose stack it is to take (figure 6). It needs nothing of the kernel
 * but its own call; its text is part of guest.elf, where it stands in memory
 * alone in its pages.
 */
#include "guest/prof/sampler/sampler.h"

static int ask(enum sampler_asks what)
{
    register unsigned number __asm__("r0") = CALL_SAMPLER;
    register unsigned first __asm__("r3") = what;

    __asm__ volatile("sc"
                     : "+r"(number), "+r"(first)
                     :
                     : "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12",
                       "ctr", "cr0", "memory");
    return (int)first;
}

/* The target goes on before its stack is looked at. */
static void take_sample(struct sampler_area *area)
{
    ask(SAMPLER_CAPTURE);
    ask(SAMPLER_RELEASE);
    area->samples++;
    if (area->depth > area->deepest)
        area->deepest = area->depth;
    ask(SAMPLER_RECORD);
}

void sampler_process(struct sampler_area *area)
{
    ask(SAMPLER_REGISTER);
    for (;;) {
        ask(SAMPLER_WAIT);
        if (area->kind)
            take_sample(area);
        while (area->ahead && ask(SAMPLER_AHEAD))
            continue;
        ask(SAMPLER_COMPLETE);
    }
}
