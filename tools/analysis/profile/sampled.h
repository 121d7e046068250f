/* sampled.h - instructions that simrun --sample-insns followed (sampled.rec;
 * docs/pif.md, section 13), or the guest's own driver, one by one and added up.
 */
#ifndef TOOLS_ANALYSIS_PROFILE_SAMPLED_H
#define TOOLS_ANALYSIS_PROFILE_SAMPLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/hash.h"
#include "tools/analysis/experiment/recording.h"

/* A record. Cycles of stages that were not reached are 0. */
struct sampled_insn {
    unsigned cpu;
    uint64_t cycle;
    uint32_t flags; /* SAMPLED_... of include/record.def */
    uint32_t pc, ea;
    uint32_t dispatch, issue, finish, end; /* each since the one before */
    uint32_t data;                         /* cycles of its slowest access */
    uint32_t oldest; /* since the completion before its own */
};

/* Were instructions sampled, and how often? 0: no. */
uint64_t sampled_period(const struct recording *r);
/* 'u', 'k': in that state alone; 0: in both. */
char sampled_mode(const struct recording *r);

struct sampled_insn sampled_insn(const struct record *k);

/* Those of one function, or of one instruction. */
struct sampled_row {
    uint32_t function;
    uint32_t pc; /* 0: of all the function */
    uint64_t samples, completed, wrong;
    uint64_t imiss, accesses, missed, tlb, branches, mispredicted;
    /* Sums of cycles: of all up to dispatch, of those that got so far up to
     * issue and to finish, of completed ones to the end and of `oldest`. */
    uint64_t dispatch, issue, finish, end, oldest, data;
    uint64_t issued, finished;
};

struct sampled_rows {
    struct sampled_row *row; /* most samples first */
    size_t rows, room;
    struct sampled_row total;
    bool guest; /* they are the guest's; the host followed none */
    struct hash at;
};

/* By function, or by instruction; cpu -1: of all. Those of the host, or, if it
 * followed none, of the guest. What is wrong joins r->problems. */
void sampled_read(struct sampled_rows *s, struct recording *r, bool by_pc,
                  long cpu);
void sampled_free(struct sampled_rows *s);

/* Add what `from` has to `to`. */
void sampled_join(struct sampled_row *to, const struct sampled_row *from);

#endif
