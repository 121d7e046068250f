/* sampled.h - sampled instructions: one that is dispatched, chosen by its
 * number and not by what it does, followed until it has completed or has
 * turned out not to. docs/pif.md, section 13.
 *
 * The guest's sampler has registers, which keep one record until software has
 * taken it; the host's hands every record on.
 */
#ifndef PMU_PIF_SAMPLED_H
#define PMU_PIF_SAMPLED_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/predicate/insn_info.h"

#define SAMPLED_IN_USER 1
#define SAMPLED_IN_KERNEL 2

struct sampler {
    bool on, dither;
    unsigned states; /* in which it counts */
    uint32_t period;
    uint32_t left;   /* instructions until the next one, itself included */
    uint32_t passed; /* since the one before */
    uint32_t random;
};

/* The chosen one is through; `passed` instructions were dispatched since the
 * one before, itself included. */
typedef void sampled_report(void *arg, const struct insn_info *d,
                            uint32_t passed);

struct sampled {
    bool active; /* every instruction has to be reported */
    bool there;  /* HID0[PIFE]: the guest's registers exist */
    struct sampler guest, host;
    uint32_t control; /* SIC */
    /* The guest's latest record, as its registers have it. */
    uint32_t pc, ea, flags, early, late, data;
    sampled_report *report; /* of the host's */
    void *arg;
};

void sampled_init(struct sampled *s, uint32_t seed);
/* The host's sampler: every period-th on average of those in these states of
 * MSR[PR]; 0: in both. */
void sampled_host(struct sampled *s, uint32_t period, unsigned states,
                  sampled_report *report, void *arg);
/* HID0[PIFE] changed. */
void sampled_enable(struct sampled *s, bool on);

/* An instruction is through. True: the guest has a new record and wants an
 * exception for it; if that cannot be, sampled_lost. */
bool sampled_end(struct sampled *s, const struct insn_info *d);
void sampled_lost(struct sampled *s);

/* What became of it: SAMPLED_... of include/record.h. */
uint32_t sampled_flags(const struct insn_info *d);

/* Registers SIC to SIDL. */
uint32_t sampled_read(const struct sampled *s, unsigned spr);
void sampled_write(struct sampled *s, unsigned spr, uint32_t value);

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool sampled_state(struct snap *s, struct sampled *k);

#endif
