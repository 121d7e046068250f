/* account.h - how the oracle's exact account of a run goes to the experiment:
 * by intervals of simulated time (knob account_us), the same on all
 * processors, each as soon as it is over.
 */
#ifndef SIM_OBSERVE_ACCOUNT_H
#define SIM_OBSERVE_ACCOUNT_H

#include "pmu/experiment/experiment.h"

struct core;
struct machine;

/* One processor's. */
struct account_writer {
    struct experiment *experiment;
    struct core *core;
};

/* The processors are there, none has run. Without an experiment there is no
 * account to keep. */
void account_begin(struct machine *m);
/* Every processor has reached cycle `at`: what is complete goes to the disk,
 * and a line in the log says so. */
void account_beat(struct machine *m, cycle_t at);
/* The run is over, every processor's account settled at cycle `at`, and what
 * marks counted is written: all that is left to say. */
void account_end(struct machine *m, cycle_t at);
/* The run has ended: up to which cycle it is recorded. What was counted to the
 * end of the run bears this one. */
cycle_t account_cycle(const struct machine *m);

#endif
