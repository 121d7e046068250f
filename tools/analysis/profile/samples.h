/* samples.h - what was counted, by call stack: the counter-overflow samples
 * of profile.rec, and beside them the oracle's exact cycles by instruction.
 * Every report of functions, lines, instructions and calls is computed from
 * this.
 *
 * Metric 0 is the oracle's: exact cycles, exclusive only, for it keeps no
 * stacks. Each counter of the run is one more; a sample counts the events
 * since the one before it. A return address stands for its call, one
 * instruction back. A stack that could not be walked to its root begins with
 * <Truncated-stack>; an outlined part of a function (f.cold, f.part.0), to
 * which the function jumps, gets that function as its caller.
 */
#ifndef TOOLS_ANALYSIS_PROFILE_SAMPLES_H
#define TOOLS_ANALYSIS_PROFILE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/analysis/profile/exact_cycles.h"
#include "tools/analysis/profile/slices.h"
#include "tools/analysis/symbols/inlines.h"
#include "tools/analysis/experiment/recording.h"
#include "tools/analysis/profile/stacktree.h"
#include "tools/analysis/states/viewmode.h"

#define SAMPLES_EXACT 0
#define SAMPLES_METRICS_MAX 64
#define SAMPLES_CPUS 8

/* Functions that are none, besides those of exact_cycles.h. */
#define SAMPLES_TOTAL (UINT32_MAX - 3)
#define SAMPLES_TRUNCATED (UINT32_MAX - 2)

struct samples_metric {
    char *name;      /* "exact", or the counter's; no two the same */
    uint32_t number; /* the counter's in records */
    uint64_t period; /* events a sample, 0: none known */
    bool cycles;     /* counts cycles: may be shown as time */
    uint64_t total;  /* events */
    /* Events that the machine counted, by CPU; those after the last sample are
     * among them. 0: the log does not say. sampled: a bit for each CPU. */
    uint64_t counted[SAMPLES_CPUS];
    unsigned sampled;
    uint64_t samples, truncated;
};

/* The counters of a run, as its log names them. While samples are read the
 * last stands for those that it does not name. */
struct samples_metrics {
    struct samples_metric *list;
    unsigned count;
};

void samples_metrics_open(struct samples_metrics *m, const struct recording *r);
/* More: cycles that threads waited, by bits of offcpu.h. */
void samples_metrics_waits(struct samples_metrics *m, unsigned bits);
/* All samples are read: drop that last one if nothing counted there, else
 * note the damage. */
void samples_metrics_done(struct samples_metrics *m, struct recording *r);
void samples_metrics_free(struct samples_metrics *m);

/* The counters that took no samples, without "exact"; counted is all that is
 * known of them. samples_metrics_free frees them, too. */
void samples_counters_open(struct samples_metrics *m,
                           const struct recording *r);

/* The metric of this name; -1: there is none. */
int samples_metrics_find(const struct samples_metrics *m, const char *name);

/* One instruction of one function. */
struct samples_frame {
    /* Of the load map, of exact_cycles.h, of inlines.h, or of the above. */
    uint32_t function;
    uint32_t pc;    /* 0: where the function is none */
    uint64_t cycle; /* when it was met first: says what was loaded */
    uint32_t level; /* of inlined calls at pc (inlines.h); 0 without */
};

/* What of the run is wanted. */
struct samples_choice {
    uint64_t step;  /* slots of the account, cycles; 0: none */
    unsigned waits; /* what threads waited are metrics, too: offcpu.h */
    bool unfold;    /* inlined functions are frames of their own */
    bool unsampled; /* values of counters do not matter: 0 */
    /* NULL, or: is this record (profile or oracle) wanted? */
    bool (*wants)(void *arg, const struct record *record);
    void *arg;
    bool timeless;  /* it decides as exact_cycles.h has it */
    bool functions; /* it decides by time alone, and of frames only functions
                     * matter: time trees may tell */
    bool inexact;   /* exact cycles do not matter: 0 */
    struct viewmode view; /* of stacks; zero: as they were walked */
    /* NULL, or: what each slice has of `node * metrics + metric` of the tree
     * while samples are read; time trees do not tell. */
    struct slice_sums *slices;
};

struct samples {
    struct samples_metrics metric;
    struct samples_frame *frame;
    size_t frames, frames_room;
    struct hash frame_at;    /* (function, pc) to frame */
    struct hash level_at;    /* (frame of level 0, level) to frame */
    struct inlines *inlines; /* NULL: none are unfolded */
    struct hash origin;      /* function to the one it is a part of */
    struct viewmode view;
    uint32_t state; /* STATE_... of the wait that is read; 0: it is a sample */
    struct stacktree tree; /* of frames; by metric, SAMPLES_EXACT unused */
    uint64_t *exact;       /* by frame: cycles */
    struct exact_cycles account;
};

/* Read profile.rec and oracle.rec. What is wrong joins r->problems. */
void samples_read(struct samples *p, struct recording *r,
                  const struct samples_choice *choice);
void samples_free(struct samples *p);

/* The frame of an instruction of a function, made if it is new. */
uint32_t samples_frame(struct samples *p, uint32_t function, uint32_t pc,
                       uint64_t cycle);

#define SAMPLES_ORIGINS 4 /* a part of a part of a part ... */

/* Room for a stack: every frame may get its origins and inlined functions, one
 * is for the root and one for what stands for a state (viewmode.h). */
#define SAMPLES_STACK                                                          \
    ((1 + SAMPLES_ORIGINS + INLINES_DEEPEST) * REC_MAX_WORDS + 2)

/* The function that `function` is an outlined part of; itself if of none. The
 * second remembers what it found. */
uint32_t samples_part_of(const struct recording *r, uint32_t function);
uint32_t samples_origin(struct samples *p, struct recording *r,
                        uint32_t function);

/* Is a record, of profile.rec or oracle.rec, of a CPU that napped? No thread
 * ran then. In whose place it did is in the record all the same: of a sample,
 * the thread that left the CPU, and its stack. */
bool samples_naps(const struct recording *r, const struct record *record);

/* The frames of a profile record's stack, leaf first; a nap is a function of
 * its own that no one calls. Returns how many. */
size_t samples_stack(struct samples *p, struct recording *r,
                     const struct record *record, uint32_t *frame);

/* The metric that a profile record counts, before samples_metrics_done. */
unsigned samples_metric_of(const struct samples_metrics *m,
                           const struct record *record);

/* "main", "<Total>", "<napping>": any function of a profile. */
const char *samples_name(const struct recording *r, uint32_t function);

#endif
