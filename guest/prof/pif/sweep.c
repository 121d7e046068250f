/* sweep.c - how long the accesses of a function take, run by run: all its
 * instructions have a threshold for the data access (PIFM[TA]), which starts at
 * what is documented - a hit of the cache, another cache that supplies the
 * line, memory - and is then raised by half again and again until nothing takes
 * longer. What exceeds the documented times waited for other
 * processors on the bus.
 */
#include "guest/prof/pif/pif.h"

#define HIT_CYCLES 1
#define CACHE_BUS 6  /* bus cycles to the first beat: knob snoop_first */
#define MEMORY_BUS 8 /* ... from memory: knob mem_first */
#define TB_BUS 4     /* bus cycles a time-base tick */
#define RUNS_MAX 32

static uint32_t hits_in(uint32_t from, uint32_t end, uint32_t *worst)
{
    uint32_t sum = 0, most = 0;

    *worst = 0;
    for (uint32_t at = from; at < end; at += 4) {
        uint32_t n = pif_hits(at, false);

        sum += n;
        if (n > most)
            *worst = at;
        if (n > most)
            most = n;
    }
    return sum;
}

/* One run with this threshold: how often was it exceeded? */
static uint32_t sweep_once(const struct options *o, uint32_t from, uint32_t end,
                           uint32_t threshold, bool *good)
{
    uint32_t sum, worst;

    pif_threshold(threshold);
    pif_mark_all(from, end, IND_COUNT | IND_TH0);
    *good &= autopif_counted(o);
    sum = hits_in(from, end, &worst);
    if (sum)
        kprintf("pif: more than %u cycles: %u times, most at %x: %u\n",
                threshold, sum, worst, pif_hits(worst, false));
    else
        kprintf("pif: more than %u cycles: never\n", threshold);
    return sum;
}

bool sweep_run(const struct options *o)
{
    uint32_t bus = machine.tick_cycles / TB_BUS;
    const uint32_t known[] = {0, HIT_CYCLES, CACHE_BUS * bus, MEMORY_BUS * bus};
    bool good = true;
    uint32_t from = autopif_chosen(o, &good), end, threshold = 0, runs = 0;

    if (!from)
        return false;
    if (!pif_covers(from) || !pif_is_text(from) || !function_index(from))
        return report_check(false, "pif=sweep:ADDRESS is in a function");
    end = function_end(function_index(from));
    from = function_start(function_index(from));
    kprintf("pif: accesses of %x to %x\n", from, end);
    do {
        threshold = runs < sizeof known / sizeof *known
                        ? known[runs]
                        : threshold + threshold / 2 + 1;
    } while (sweep_once(o, from, end, threshold, &good) && ++runs < RUNS_MAX);
    return good;
}
