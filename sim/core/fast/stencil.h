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
 * branch in the predictor's tables, in bytes; target: of the branch; wimg_x:
 * the places of WIMG; four functions of warm.c; and stencil_kept. */
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
    X(wimg_load)                                                               \
    X(wimg_store)                                                              \
    X(fetched)                                                                 \
    X(accessed)                                                                \
    X(missed)                                                                  \
    X(branched)                                                                \
    X(kept)

enum hole {
#define X(name) HOLE_##name,
    STENCIL_HOLES(X)
#undef X
        HOLE_data, /* so many */
    HOLE_next = HOLE_data,
    HOLE_exit,
    HOLE_taken,
    HOLE_count
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
#endif

/* Read all of them from the object file, those of warm mode or of fast: by id,
 * owned by the caller. NULL: this host has none or no memory, or *why names the
 * first that cannot be used. */
struct stencil *stencils_read(bool warm, const char **why);

/* The stencil of a decoded record, or STENCIL_COUNT, and how it leaves. */
enum stencil_id stencil_of(const struct insn *i, enum stencil_kind *kind);

#endif
