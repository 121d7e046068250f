/* step.h - what one instruction did, written by isa/, read by timing. */
#ifndef ISA_STEP_H
#define ISA_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/types.h"

enum exc {
    EXC_NONE,
#define EXC(name, vector, priority, kind, text) EXC_##name,
#include "isa/exc.def"
#undef EXC
    EXC_COUNT
};

enum access_kind {
    ACCESS_LOAD,
    ACCESS_STORE,
    ACCESS_TOUCH,   /* dcbt */
    ACCESS_TOUCHST, /* dcbtst */
    ACCESS_DCBZ,
    ACCESS_DCBST,
    ACCESS_DCBF,
    ACCESS_DCBI,
    ACCESS_ICBI,
    ACCESS_MARK /* translation stores R, or R and C */
};

struct access {
    ea_t ea;
    pa_t pa;
    uint8_t size; /* bytes; of a line for whole-line operations */
    uint8_t kind; /* enum access_kind */
    bool io;      /* not memory: answered by a device, never cached */
};

/* lmw moves 32 words; a string of 128 bytes straddles 15 double words. */
#define STEP_ACCESSES 48
#define STEP_MARKS 4 /* two pages, and room */

struct step {
    bool taken;              /* a branch that went to its target */
    bool conditional_failed; /* stwcx. that did not store */
    uint8_t accesses;        /* valid entries of access[] */
    uint8_t marks;           /* ... of mark[] */
    struct access access[STEP_ACCESSES];
    /* Page table entries that translation changed on the way, fetch included:
     * `ea` is what was translated, `pa` the entry's second word. */
    struct access mark[STEP_MARKS];
};

#endif
