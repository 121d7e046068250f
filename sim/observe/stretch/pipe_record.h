/* pipe_record.h - simrun --pipe: instructions of chosen stretches of a run go
 * to the experiment with the cycles of their stages and what they waited for
 * (pipe.rec). Looks at a machine and changes nothing in it; it listens to
 * instructions only where a stretch may be near.
 */
#ifndef SIM_OBSERVE_STRETCH_PIPE_RECORD_H
#define SIM_OBSERVE_STRETCH_PIPE_RECORD_H

#include "pmu/experiment/experiment.h"
#include "sim/observe/stretch/moment.h"

#define PIPE_STRETCHES 16
#define PIPE_MOST 1000000 /* instructions of a stretch */
#define PIPE_FROM 200     /* bytes of a moment as text */

/* What was asked for, in the order given. */
struct pipe_options {
    unsigned count;
    struct pipe_stretch {
        char from[PIPE_FROM];
        uint64_t insns;
    } stretch[PIPE_STRETCHES];
};

/* "FROM:COUNT" is one stretch more. False: `why` has the line. */
bool pipe_options_add(struct pipe_options *o, const char *text, char *why,
                      size_t size);

struct pipe_record {
    struct machine *machine; /* NULL: nothing is to be recorded; not owned */
    struct experiment *experiment; /* not owned */
    struct pipe_options with;
    struct moment from[PIPE_STRETCHES];
    unsigned at;       /* the stretch that is looked for, or being recorded */
    bool on;           /* it is being recorded: */
    uint64_t left;     /* so many instructions of it are to come */
    uint64_t recorded; /* of all */
    bool listens;      /* `steps` is subscribed */
    struct observer beats, steps;
    struct names names;
    struct {
        bool busy;
        bool exception; /* meanwhile */
        bool user;
        uint32_t word, context;
    } now[MACHINE_CPUS]; /* the instruction that each is in the middle of */
};

/* Begin to look at m, if anything was asked for, and write to e, which must
 * be open when m runs. False: `why` has the line. pipe_record_close is due in
 * any case, and p must not move before. */
bool pipe_record_open(struct pipe_record *p, const struct pipe_options *o,
                      struct machine *m, struct experiment *e, char *why,
                      size_t size);
/* The stretches as lines of the experiment's log. */
void pipe_record_say(const struct pipe_record *p);
/* Harmless on all zero. */
void pipe_record_close(struct pipe_record *p);

#endif
