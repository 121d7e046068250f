/* code.h - host code of one processor: blocks of instructions, put together
 * from stencils, and the exits that lead from one to the other.
 *
 * A block is a stretch of decoded records of one page in one mode (MSR[IR] and
 * MSR[PR]). It runs whole or is left through an exit; each exit counts how
 * often it was taken, which is all the account needs: the instructions from the
 * block's first one up to the exit. Where instructions are scaled (scale.h) the
 * account has to know in which order they ran: then an exit writes its number
 * down. A block is of one way to be scaled, and leads to such ones alone.
 */
#ifndef SIM_CORE_FAST_CODE_H
#define SIM_CORE_FAST_CODE_H

#include "sim/core/fast/runs.h"
#include "sim/core/fast/stencil.h"

#define BLOCK_INSNS 48u
#define CODE_EXITS (1u << 16)
#define CODE_GROUP 32u       /* exits */
#define CODE_HASH (1u << 12) /* a power of two */
#define CODE_WAY 8u
#define CODE_WAYS 8u   /* ... of so many */
#define CODE_LOG 4096u /* exits */

struct block {
    ea_t ea;
    pa_t pa;
    unsigned mode;   /* MSR[IR] and MSR[PR]; << 2: its phase (warm_phase);
                        << CODE_WAY: how it is scaled */
    uint32_t length; /* instructions */
    uint8_t *code, *head_exit;
    struct block *same_hash, *same_page;
};

struct exit {
    ea_t start;         /* of its block */
    pa_t pa;            /* ... */
    uint32_t length;    /* instructions that have run */
    ea_t to;            /* where it leads */
    unsigned mode;      /* ... without the phase */
    bool jumps;         /* ... to cpu.nia */
    bool crosses;       /* ... to another page, translated */
    uint8_t *check;     /* crosses: the place of the expected TLB entry's tag */
    uint8_t *link;      /* the jump's distance; NULL: it always leads out */
    struct group group; /* warm: behind them */
};

struct code {
    struct stencil *stencil;
    uint8_t *memory; /* counts, then code */
    uint8_t *free;
    bool warm;
    uint64_t *count;   /* by exit; [0]: see code_aside */
    uint8_t *counted;  /* by group of exits: 1: one of them may have counted */
    uint32_t **logged; /* where the next exit is written; to `log` and up */
    uint32_t log[CODE_LOG];
    uint32_t logs; /* a bit a way: exits are not counted, but logged */
    struct exit *exit;
    uint32_t exits; /* in use; number 0 is none */
    struct block *block;
    uint32_t blocks;
    struct block *hash[CODE_HASH];      /* by ea */
    struct block *page[CODE_HASH];      /* by physical page */
    struct jump (*jump)[STENCIL_JUMPS]; /* by mode, and by way */
    unsigned jumps;                     /* ... so many */
};

/* Of one that is all zeros, which has no block; for warm mode or for fast, with
 * so many ways. False: the host has no memory, or lends none that can be run.
 */
bool code_open(struct code *k, bool warm, unsigned ways);
void code_close(struct code *k); /* all zeros again */

/* The block at ea, pa in the mode of c; NULL: there is none. */
struct block *code_find(struct code *k, ea_t ea, pa_t pa, unsigned mode);
/* Make it. NULL: its first instruction has no record or no stencil, or there is
 * no room: code_clear. */
struct block *code_make(struct code *k, struct core *c, ea_t ea, pa_t pa,
                        unsigned mode);
bool code_full(const struct code *k);
/* Forget every block. The counts must be handed over. */
void code_clear(struct code *k);
/* Forget those with an instruction in bytes pa to pa + size - 1. */
void code_forget(struct code *k, pa_t pa, unsigned size);
/* Warm: was the last block that was entered left in front of its first
 * instruction, whose line had been asked for? Then its exit, once. */
const struct exit *code_aside(struct code *k);
/* From exit number e the flow comes to b, if it leads there. */
void code_link(struct code *k, struct core *c, uint32_t e,
               const struct block *b);

#endif
