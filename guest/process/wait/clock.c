/* clock.c - the time base as programs want it: nanoseconds. */
#include "guest/process/process.h"

/* Ticks to nanoseconds and back, by cycles. */
uint64_t clock_ns_of(uint64_t ticks)
{
    return divide(ticks * machine.tick_cycles * 1000, machine.mhz);
}

uint64_t clock_ns(void)
{
    return clock_ns_of(time_now());
}

uint32_t clock_split(uint64_t ns, uint32_t *rest)
{
    uint32_t seconds = (uint32_t)divide(ns, (uint32_t)SECOND);

    *rest = (uint32_t)(ns - seconds * SECOND);
    return seconds;
}

uint64_t clock_due(uint64_t ns)
{
    uint64_t us = divide(ns, 1000), rest = ns - us * 1000;
    uint64_t cycles = us * machine.mhz + divide(rest * machine.mhz + 999, 1000);

    return time_now() + divide(cycles, machine.tick_cycles) + 1;
}
