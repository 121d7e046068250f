/* stencil.h - pieces of host code to be copied: stencils.c, compiled, with its
 * relocations. Only on hosts where STENCILS_HOST is 1.
 */
#ifndef SIM_CORE_FAST_STENCIL_H
#define SIM_CORE_FAST_STENCIL_H

#include "sim/core/core.h"

#if defined __x86_64__ && defined __ELF__
#define STENCILS_HOST 1
#else
#define STENCILS_HOST 0
#endif

/* What is put into a copy. Of a register: its place behind struct cpu. bit_x:
 * the CR bit that field x names, as a mask. tlb_x: the place of the TLB entries
 * of the kind, for MSR[PR] of the block. others: the bits of the other
 * processors. record: the address of the decoded record. jumps: where blocks of
 * the mode are found that are jumped to. Of warm mode: pa: of the instruction;
 * line: that of pa; recent: where the cache has it in mind, in bytes; group:
 * where its fetch began; filter, history: the places of that fetch and of the
 * branch in the predictor's tables, in bytes; target: of the branch;
 * wimg_fetch: the place of WIMG; near_x: those of c->near; four functions of
 * warm.c; stencil_kept and stencil_far. Of a
 * trace, in cycles behind its beginning: issued: when the access asks (of one
 * that misses: the number of its step), a store for its line; filled: by when
 * the line of the instruction is to be full; dispatch: when it dispatches.
 * waited: by a load for its line; of a store how long before `issued` it was
 * issued, and STORE_QUEUED; collided: what a load waits for stores; step: the
 * number of a store's; ahead: groups behind it in its line; guess: what is
 * believed of the branch, GUESS_...; at_fetch: the target that the BTAC is to
 * have. */
#define STENCIL_HOLES(X)                                                       \
    X(gpr_a)                                                                   \
    X(gpr_b)                                                                   \
    X(gpr_d)                                                                   \
    X(fpr_a)                                                                   \
    X(fpr_b)                                                                   \
    X(fpr_c)                                                                   \
    X(fpr_d)                                                                   \
    X(imm)                                                                     \
    X(pc)                                                                      \
    X(bit_a)                                                                   \
    X(bit_b)                                                                   \
    X(bit_d)                                                                   \
    X(shift)                                                                   \
    X(mask)                                                                    \
    X(tlb_load)                                                                \
    X(tlb_store)                                                               \
    X(others)                                                                  \
    X(record)                                                                  \
    X(jumps)                                                                   \
    X(pa)                                                                      \
    X(line)                                                                    \
    X(recent)                                                                  \
    X(group)                                                                   \
    X(filter)                                                                  \
    X(history)                                                                 \
    X(target)                                                                  \
    X(wimg_fetch)                                                              \
    X(near_load)                                                               \
    X(near_store)                                                              \
    X(load)                                                                    \
    X(store)                                                                   \
    X(fetched)                                                                 \
    X(branched)                                                                \
    X(kept)                                                                    \
    X(far)                                                                     \
    X(issued)                                                                  \
    X(step)                                                                    \
    X(filled)                                                                  \
    X(waited)                                                                  \
    X(collided)                                                                \
    X(ahead)                                                                   \
    X(guess)                                                                   \
    X(at_fetch)                                                                \
    X(dispatch)

/* Routines that stencils of traces call, which are copied once. Accesses that
 * waited for nothing have a short way, which may go on in the long one, and
 * those that missed one of their own; all in the same order. */
#define STENCIL_ROUTINES(X)                                                    \
    X(load1)                                                                   \
    X(load2)                                                                   \
    X(load4)                                                                   \
    X(load8)                                                                   \
    X(store1)                                                                  \
    X(store2)                                                                  \
    X(store4)                                                                  \
    X(store8)                                                                  \
    X(calm_load1)                                                              \
    X(calm_load2)                                                              \
    X(calm_load4)                                                              \
    X(calm_load8)                                                              \
    X(calm_store1)                                                             \
    X(calm_store2)                                                             \
    X(calm_store4)                                                             \
    X(calm_store8)                                                             \
    X(miss_load1)                                                              \
    X(miss_load2)                                                              \
    X(miss_load4)                                                              \
    X(miss_load8)                                                              \
    X(lines)                                                                   \
    X(walks)                                                                   \
    X(was_taken)                                                               \
    X(was_taken_if)                                                            \
    X(was_passed)

enum hole {
#define X(name) HOLE_##name,
    STENCIL_HOLES(X)
#undef X
        HOLE_data, /* so many */
    HOLE_next = HOLE_data,
    HOLE_exit,
    HOLE_taken,
    HOLE_routines, /* those of a trace */
#define X(name) HOLE_##name,
    STENCIL_ROUTINES(X)
#undef X
        HOLE_count
};

/* What a routine that loads answers. */
struct asked {
    bool answered;
    uint64_t v;
};

/* What a stencil is called with, and what comes back where the code is left:
 * how many more instructions may run, and BLOCK_AT of the address of the next
 * one and of the last exit that was counted. */
struct left {
    int64_t n;
    uint64_t at;
};
#define STENCIL_ARGS                                                           \
    struct cpu *c, int64_t n, uint64_t j, uint64_t k, uint64_t last

/* Where an address that is jumped to goes on, while the TLB entry still is what
 * it was. */
#define STENCIL_JUMPS 1024u /* a power of two; by the address */
struct jump {
    ea_t to;
    const uint64_t *entry;
    uint64_t expected;
    struct left (*code)(STENCIL_ARGS); /* NULL: free */
};

/* A place of a stencil that gets a value: `size` 4 or 8 bytes; relative: to
 * where it stands. */
struct patch {
    uint16_t at;
    uint8_t hole;
    uint8_t size;
    bool relative;
    int32_t addend;
};

struct stencil {
    const uint8_t *code; /* NULL: none of that name */
    uint32_t size;
    uint32_t patches;
    struct patch patch[32];
};

/* How a stencil leaves: see stencils.def. */
enum stencil_kind {
    STENCIL_NONE,
    STENCIL_NEXT,
    STENCIL_TRY,
    STENCIL_HOST, /* as TRY, of a host with a fused multiply-add */
    STENCIL_BRANCH,
    STENCIL_JUMP
};

enum stencil_id {
    STENCIL_ID_call,
    STENCIL_ID_call_fp,
    STENCIL_ID_jump,
    STENCIL_ID_page,
    STENCIL_ID_line,
    STENCIL_ID_taken,
    STENCIL_ID_taken_if,
    STENCIL_ID_jumped,
    STENCIL_ID_jumped_if,
    STENCIL_ID_passed,
    STENCIL_TRACES, /* from here to STENCIL_MODES: of traces alone */
    STENCIL_ID_told_line = STENCIL_TRACES,
    STENCIL_ID_told_turn,
    STENCIL_ID_told_early,
    STENCIL_ID_told_late,
    STENCIL_ID_told_taken,
    STENCIL_ID_told_taken_if,
    STENCIL_ID_told_passed,
    STENCIL_ID_told_loops,
    STENCIL_ID_told_loops_if,
    STENCIL_ID_told_passes,
    STENCIL_ID_told_arrives,
    STENCIL_ID_told_walks,
#define X(name) STENCIL_ID_##name,
    STENCIL_ROUTINES(X)
#undef X
        STENCIL_MODES,
    STENCIL_BEFORE = STENCIL_MODES - 1,
#define STENCIL(id, kind, op, body, flags, a, d, sh) STENCIL_ID_##id,
#include "sim/core/fast/stencils.def"
#undef STENCIL
    STENCIL_COUNT
};

#if STENCILS_HOST
/* What a stencil calls a function of warm.c by, which is in rax: all registers
 * but those of floating point are as before. Arguments are rdi, r9, rdx, rcx
 * and r10, in this order. Not to be called from C. */
void stencil_kept(void);
/* The same of a function with a result; what is kept is rdi, rsi and r8, and
 * what C keeps. */
void stencil_far(void);
#endif

/* Run the copies at `code`, with what they are called with. They use registers
 * that C expects to be kept. */
struct left stencil_enter(STENCIL_ARGS, const uint8_t *code);

/* Whose stencils: of fast mode, of warm mode, of traces. */
enum stencils { STENCILS_OF_FAST, STENCILS_OF_WARM, STENCILS_OF_MEMO };

#define GUESS_TAKEN 1u
#define GUESS_BTAC 2u /* by what remembers targets */
#define GUESS_IF 4u   /* of a conditional branch, */
#define GUESS_WENT 8u /* ... of one that is taken */

/* Read all of them from the object file: by id, owned by the caller. NULL: this
 * host has none or no memory, or *why names the first that cannot be used. */
struct stencil *stencils_read(enum stencils of, const char **why);

/* What is put into the copy of a stencil of i, if the record alone says it.
 * False: it does not. */
bool stencil_operand(const struct insn *i, enum hole hole, uint64_t *v);

/* What else is put into a copy, and where it leads. */
struct stencil_copy { /* `of` goes to both functions */
    uint64_t (*value)(void *of, enum hole hole);
    /* The jump whose distance lies at `at` leads to `hole`; `next` is what
     * follows the copy. */
    void (*flow)(void *of, uint8_t *at, enum hole hole, const uint8_t *next);
    void *of;
};
/* Copy s to `to`. A jump to `falls` at its end is none: that follows. Returns
 * the end of the copy. */
uint8_t *stencil_put(uint8_t *to, const struct stencil *s, enum hole falls,
                     const struct stencil_copy *how);
/* The distance of a jump, at `at`, leads to `to`. */
void stencil_aim(uint8_t *at, const uint8_t *to);
/* Memory that may be written and run; NULL: the host lends none. It is given
 * back by stencil_memory_free, with the same size. */
uint8_t *stencil_memory(size_t size);
void stencil_memory_free(uint8_t *p, size_t size);

/* The stencil of a decoded record, or STENCIL_COUNT, and how it leaves. */
enum stencil_id stencil_of(const struct insn *i, enum stencil_kind *kind);

#endif
