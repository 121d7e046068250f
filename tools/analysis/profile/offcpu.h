/* offcpu.h - what is no sample of a counter, as if it were one: the cycles that
 * threads were blocked, where they were; idle-transition samples. So that
 * reports and exports of samples take them as they are.
 *
 * Each is a record of profile.rec's kind. A wait that has no stack is a
 * truncated one of no address. Of the interval that the recording is set to: a
 * wait that a bound cuts has its part. Neither is in the order of time.
 */
#ifndef TOOLS_ANALYSIS_PROFILE_OFFCPU_H
#define TOOLS_ANALYSIS_PROFILE_OFFCPU_H

#include "lib/base/bytes.h"
#include "tools/analysis/experiment/recording.h"
#include "tools/analysis/profile/slices.h"
#include "tools/analysis/states/frames.h"
#include "tools/analysis/states/spans.h"

/* What they are called, and the number of their counter. Cycles that threads
 * waited are a counter for each STATE_... from STATE_RUNNABLE on, called as
 * words_state has it, and one of all but runnable. */
#define OFFCPU_BLOCKED "blocked"
#define OFFCPU_TO_IDLE "to-idle"
#define OFFCPU_FROM_IDLE "from-idle"
enum offcpu_counter {
    OFFCPU_NUMBER = 0x7FFFFF00, /* of blocked; and a state's behind it */
    OFFCPU_TO_IDLE_NUMBER = OFFCPU_NUMBER + STATES_ALL,
    OFFCPU_FROM_IDLE_NUMBER,
    OFFCPU_END
};

/* Which of the waits: a bit 1 << STATE_..., or this of all that are blocked. */
#define OFFCPU_ALL_BLOCKED 1u

/* The bit of a name; 0: it is none of these. And the name of a bit's number,
 * from 0 to STATES_ALL - 1; NULL: it has none. */
unsigned offcpu_bit(const char *name);
const char *offcpu_name(unsigned number);

struct offcpu {
    struct recording *r;
    /* NULL; or, to be set behind offcpu_open: a wait that lies in several has a
     * part in each. */
    const struct slices *slices;
    unsigned wanted; /* bits of waits; 0: idle samples */
    bool open;
    struct recfile idle;
    struct spans spans;
    struct frames frames;
    struct record next;           /* made of the present span */
    uint64_t from, to;            /* what is left of it */
    uint32_t state;               /* STATE_..., of `next` */
    unsigned of;                  /* the bits of the span */
    unsigned bits;                /* of the part: still to be told */
    unsigned now;                 /* the number of `next` */
    uint64_t cycles;              /* of the part that is told */
    uint64_t left;                /* of these, to be told of this number */
    uint32_t word[REC_MAX_WORDS]; /* the payload of `next` */
    struct bytes bytes;
};

/* Does the run tell what threads wait for; has it idle-transition samples? */
bool offcpu_blocked(struct recording *r);
bool offcpu_idle(struct recording *r);

/* Waits of these bits, each a record for each bit that it is of; of none: idle
 * samples. */
void offcpu_open(struct offcpu *o, struct recording *r, unsigned wanted);
/* Valid until the next one. False: that was all, and it is closed. */
bool offcpu_next(struct offcpu *o, struct record *record);

#endif
