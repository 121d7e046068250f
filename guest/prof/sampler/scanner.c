/* scanner.c - the scan daemon: a process in user mode that marks part after
 * part of every program that runs, each for a turn's time, round after round,
 * and collects what was executed in it (figures 25 and 26). Like the sampler it
 * needs nothing of the kernel but its own call.
 */
#include "guest/prof/sampler/scanner.h"

static unsigned ask(enum scanner_asks what, unsigned program, unsigned part)
{
    register unsigned number __asm__("r0") = CALL_SCANNER;
    register unsigned first __asm__("r3") = what;
    register unsigned second __asm__("r4") = program;
    register unsigned third __asm__("r5") = part;

    __asm__ volatile("sc"
                     : "+r"(number), "+r"(first), "+r"(second), "+r"(third)
                     :
                     : "r6", "r7", "r8", "r9", "r10", "r11", "r12", "ctr",
                       "cr0", "memory");
    return first;
}

static void next_part(struct scanner_area *area, unsigned program)
{
    ask(SCANNER_MARK, program, (area->part + 1) % area->parts);
    area->turns++;
    area->collected += area->executed;
}

void scanner_process(struct scanner_area *area)
{
    for (;;) {
        ask(SCANNER_WAIT, 0, 0);
        for (unsigned n = 0; ask(SCANNER_LOOK, n, 0); n++) {
            if (area->running && area->parts > 1)
                next_part(area, n);
        }
    }
}
