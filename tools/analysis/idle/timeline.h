/* timeline.h - when each CPU was idle, from the context switches.
 *
 * An idle period begins when a CPU's idle thread comes in and ends when a
 * thread comes in that is neither the idle thread nor a sampler: a sampler
 * that takes a stack interrupts the idling but not the period. Its idle
 * cycles are those in which the idle thread itself ran. Under --user the idle
 * thread is none. Where an interval is reported on (recording_within), periods
 * are those that overlap it, and of cycles those inside it are counted. None is
 * empty.
 */
#ifndef TOOLS_ANALYSIS_IDLE_TIMELINE_H
#define TOOLS_ANALYSIS_IDLE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/analysis/experiment/recording.h"

struct idle_period {
    unsigned cpu;
    uint64_t from, to; /* to: the first cycle after it, or the run's end */
    uint64_t idle;     /* cycles of the idle thread in it */
    /* The last thread before it, and the first behind it, samplers apart;
     * TIMELINE_NOBODY: the switches do not say. */
    uint32_t left, came;
};

#define TIMELINE_NOBODY UINT32_MAX

/* An idle thread ran, whatever interval is reported on. */
struct idle_stint {
    unsigned cpu;
    uint64_t from, to;
};

struct timeline_cpu {
    bool touched;          /* a period ended where the interval begins */
    size_t first, periods; /* in timeline.period */
    uint64_t switches;
    uint64_t known; /* cycles from the first switch to the end of the run */
    uint64_t idle;
};

struct timeline {
    unsigned cpus;
    struct timeline_cpu *cpu;
    struct idle_period *period; /* by cpu, then time */
    size_t count, room;
    struct idle_stint *stint; /* by cpu, then time */
    size_t stints, stints_room;
    uint64_t begin; /* of the interval */
};

/* Read switch.rec. What is wrong with it joins r->problems. */
void timeline_read(struct timeline *t, struct recording *r);
void timeline_free(struct timeline *t);

/* The period of a CPU that a cycle lies in; a cycle between two belongs to
 * the one that ends there, and so to none if that ended where the interval that
 * is reported on begins. -1: in none. */
long timeline_find(const struct timeline *t, unsigned cpu, uint64_t cycle);

#endif
