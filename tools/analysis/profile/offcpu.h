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
#include "tools/analysis/states/frames.h"
#include "tools/analysis/states/spans.h"

/* What they are called, and the number of their counter. */
#define OFFCPU_BLOCKED "blocked"
#define OFFCPU_TO_IDLE "to-idle"
#define OFFCPU_FROM_IDLE "from-idle"
enum offcpu_counter {
    OFFCPU_BLOCKED_NUMBER = 0x7FFFFF00,
    OFFCPU_TO_IDLE_NUMBER,
    OFFCPU_FROM_IDLE_NUMBER
};

struct offcpu {
    struct recording *r;
    bool blocked; /* else idle samples */
    bool open;
    struct recfile idle;
    struct spans spans;
    struct frames frames;
    struct record next;           /* made of the span that is cut up */
    uint64_t left;                /* cycles of it */
    uint32_t word[REC_MAX_WORDS]; /* its payload */
    struct bytes bytes;
};

/* Does the run tell what threads wait for; has it idle-transition samples? */
bool offcpu_blocked(struct recording *r);
bool offcpu_idle(struct recording *r);

void offcpu_open(struct offcpu *o, struct recording *r, bool blocked);
/* Valid until the next one. False: that was all, and it is closed. */
bool offcpu_next(struct offcpu *o, struct record *record);

#endif
