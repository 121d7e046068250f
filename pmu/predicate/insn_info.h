/* insn_info.h - the instruction at work, as filters and marks see it.
 *
 * The core fills one in while an instruction passes through; all of it is
 * known when the instruction has completed, or has turned out not to. Nothing
 * is filled in unless pif.active is set.
 */
#ifndef PMU_PREDICATE_INSN_INFO_H
#define PMU_PREDICATE_INSN_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/event/signal.h"

struct insn_info {
    uint32_t pc;             /* effective address */
    struct data_access data; /* its first access, or touch */
    uint32_t context;        /* as the oracle's */
    uint16_t op;             /* enum op of isa/insn.h */
    uint8_t class;           /* enum class */
    uint8_t cpu;
    uint8_t slot; /* position in its dispatch group, from 1; 0: unknown */
    bool user, pm;
    bool load, store, branch;
    bool taken;        /* a branch that went to its target */
    bool mispredicted; /* ... whose execution corrected fetch */
    bool completed;    /* false: raised an exception, or never ran */
    bool wrong;        /* walked on a wrong path */
    cycle_t fetch, dispatch, issue, finish, complete;
    uint32_t latency;      /* cycles from issue to completion */
    uint32_t data_latency; /* of its slowest data access; 0: none */
    bool dispatched;       /* it did */
    bool imiss, itlb;      /* its fetch waited for a line, for a table search */
    bool dtlb;             /* its access waited for a table search */
    uint8_t level;         /* LEVEL_... of include/record.h */
    uint32_t oldest;       /* cycles since the completion before its own */
    bool marked;           /* an indicator with PMU, its own or its data's */
    bool window;           /* the counting window was open for it */
    uint8_t ranges;        /* bit n: inside instruction range n */
    uint8_t data_ranges;   /* bit n: accessed data range n */
    /* Of these, what the guest's unit alone says: for PIFF. */
    bool guest_marked, guest_window;
    uint8_t guest_ranges;
};

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool insn_info_state(struct snap *s, struct insn_info *d);

#endif
