/* account.h - how the oracle's exact account of a run goes to the experiment:
 * by intervals of simulated time (knob account_us), the same on all
 * processors, each as soon as it is over. It decides, too, when what was
 * recorded is handed to the disk.
 */
#ifndef SIM_OBSERVE_ACCOUNT_H
#define SIM_OBSERVE_ACCOUNT_H

#include "pmu/experiment/experiment.h"
#include "sim/observe/observer.h"

struct machine;

#define ACCOUNT_FLUSH 4194304 /* cycles between writes of records, at most */

struct account {
    struct machine *machine;       /* not owned */
    struct experiment *experiment; /* not owned */
    struct observer observer;
    cycle_t settled; /* all up to here is on the disk */
    cycle_t flush;   /* the next write of records */
};

/* Begin to listen to m, whose processors are there and have not run, and write
 * to e. Its last lines are those of `end`; all that is to stand in front of
 * them must be subscribed later. */
void account_open(struct account *a, struct machine *m, struct experiment *e);

/* The run ended at cycle `end`: up to which cycle it is recorded in e. What was
 * counted to the end of the run bears this cycle. */
cycle_t account_cycle(const struct experiment *e, cycle_t end);

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool account_state(struct snap *s, struct account *a);

#endif
