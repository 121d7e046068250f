/* probe.h - simrun --probe FUNC: when functions are entered and left.
 *
 * By symbol, without touching the program. A probe may cost guest time (knob
 * probe_cycles), as one in the program would; at 0 nothing changes. Records:
 * REC_PROBE in pmu/record.h.
 */
#ifndef SIM_PROBE_H
#define SIM_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/machine.h"

#define PROBES 64
#define PROBE_ACTIVE 4096 /* entered and not left, over all threads */

struct probe_options {
    unsigned count;
    const char *function[PROBES];
};

/* An entered function: where and with which stack it returns. */
struct probe_call {
    uint32_t context, back, stack, function;
};

struct probes {
    struct machine *machine;
    struct core_probe probe;
    unsigned count;
    uint32_t function[PROBES];
    unsigned active;
    struct probe_call call[PROBE_ACTIVE];
    uint64_t filter[16]; /* hashes of functions and of ways back */
    uint64_t lost;       /* entries that found no room */
};

/* Look at the machine from now on. False: why[] has the line. Without options
 * nothing is done. `p` must outlive the machine's run. */
bool probes_open(struct probes *p, const struct probe_options *o,
                 struct machine *m, char *why, size_t size);

#endif
