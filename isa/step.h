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
    ACCESS_WALK_LOAD, /* hardware table walk */
    ACCESS_WALK_STORE
};

struct access {
    ea_t ea;
    pa_t pa;
    uint8_t size; /* bytes; 32 for whole-line operations */
    uint8_t kind; /* enum access_kind */
    bool io;      /* not memory: answered by a device, never cached */
};

/* lmw moves 32 words, a string 128 bytes that may straddle; a walk adds 18. */
#define STEP_ACCESSES 56

struct step {
    bool taken;              /* a branch that went to its target */
    bool conditional_failed; /* stwcx. that did not store */
    uint8_t accesses;        /* valid entries of access[] */
    struct access access[STEP_ACCESSES];
};

#endif
