/* interrupts.h - where interrupts met the program: ordinary sample-profile
 * data (IDLE-92). Every interrupt taken is a sample of what ran, at the
 * instruction that was next to execute; adding up by function, instruction,
 * thread or process is the reader's choice. Or, of a guest that profiles itself
 * by time, every trace hook: who ran where, in the guest's own words.
 */
#ifndef TOOLS_ANALYSIS_PROFILE_INTERRUPTS_H
#define TOOLS_ANALYSIS_PROFILE_INTERRUPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/hash.h"
#include "tools/analysis/experiment/recording.h"

enum interrupts_by {
    INTERRUPTS_BY_FUNCTION,
    INTERRUPTS_BY_PC,
    INTERRUPTS_BY_THREAD,
    INTERRUPTS_BY_PROCESS
};

/* One of what is added up by. */
struct interrupt_row {
    char *name;
    uint64_t count;
    uint64_t wait; /* cycles from signalled to taken, added up */
    uint64_t *by;  /* counts by vector, an index of interrupts.vector */
    size_t by_room;
};

struct interrupts {
    struct interrupt_row *row; /* most first */
    size_t rows, rows_room;
    struct interrupt_row total;
    uint32_t *vector; /* those that occur, lowest first; of hooks TICK_... */
    size_t vectors, vectors_room;
    bool hooks; /* of tick.rec */
};

/* Read irq.rec, all CPUs (-1) or one. What is wrong joins r->problems. */
void interrupts_read(struct interrupts *s, struct recording *r,
                     enum interrupts_by by, long cpu);

/* The same of those that are wanted, of irq.rec (REC_IRQ) or of tick.rec
 * (REC_TICK), which knows of no wait. */
void interrupts_choose(struct interrupts *s, struct recording *r, unsigned kind,
                       enum interrupts_by by,
                       bool (*wants)(void *arg, const struct record *record),
                       void *arg);
void interrupts_free(struct interrupts *s);

/* "decrementer" for 0x900, or "0x1234". */
const char *interrupts_name(uint32_t vector, char out[16]);

#endif
