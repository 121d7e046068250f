/* stencils.c - the bodies of isa/exec, compiled for one shape of record each,
 * to be copied behind one another by blocks.c. Not linked: the object file is
 * kept as data (stencil.c), and its relocations say where the operands go.
 *
 * A stencil is a function of a fixed signature that ends in a jump to another
 * one. What a record would supply is the address of a symbol that does not
 * exist: a hole, filled in with the copy. An instruction has no other meaning
 * here than its body; but a body that would leave plain memory, or fault, gives
 * up before it has changed anything, and the interpreter runs the instruction.
 *
 * Compiled by itself: position-dependent, each function in its own section.
 */
#define BODY(name)                                                             \
    static inline __attribute__((always_inline)) enum exc body_##name(         \
        struct cpu *c, const struct insn *i)

#include "sim/core/fast/stencil.h"
#include "sim/core/fast/runs.h"
#include "sim/core/detailed/pipe.h"

#ifndef WARM
#define WARM 0
#endif
#ifndef MEMO
#define MEMO 0
#endif
#if MEMO
#include "sim/core/detailed/memo/memo_private.h"
#endif

#if STENCILS_HOST

/* Holes need no record, and some bodies not their cpu. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define NONZERO 1
#define ANY 32 /* no field has that */

#define AWAY EXC_COUNT /* the flow leaves, or the interpreter must do it */

#define HOLE(name) ((uintptr_t)hole_##name)
#define X(name) extern char hole_##name[];
STENCIL_HOLES(X)
#undef X

/* A hole's value as a number of 32 bits, in a register. */
#define LOAD_HOLE(to, name)                                                    \
    __asm__ volatile("movl $hole_" #name ", %0" : "=r"(to))
/* The same as an expression: one instruction, where an address as a number of
 * 32 bits takes gcc two. */
#define NUMBER(name)                                                           \
    ({                                                                         \
        uint32_t number;                                                       \
                                                                               \
        __asm__("movl $hole_" #name ", %0" : "=r"(number));                    \
        number;                                                                \
    })

#define GPR(field) (*(uint32_t *)(void *)((char *)c + HOLE(gpr_##field)))
#define FPR(field) (*(uint64_t *)(void *)((char *)c + HOLE(fpr_##field)))
#define IMM ((int32_t)NUMBER(imm))
#define PC ((ea_t)NUMBER(pc))
#define CR_BIT(field) NUMBER(bit_##field)
#define SHIFT (i->sh == ANY ? NUMBER(shift) : i->sh)
#define ROTATE_MASK NUMBER(mask)

static inline enum exc flow_to(struct cpu *c, const struct insn *i, ea_t target)
{
    if (i->flags & INSN_INDIRECT)
        c->nia = target;
    return AWAY;
}

/* gcc does it for `flatten` below. */
#ifdef __clang__
#pragma clang attribute push(__attribute__((always_inline)),                   \
                             apply_to = function)
#endif
#include "isa/exec/exec_int.c"
#undef RA
#undef RB
#undef RS
#include "isa/exec/exec_branch.c"

/* ---- memory ---------------------------------------------------------------
 *
 * In place of isa/mem.h: plain memory that is translated already. Anything else
 * - a device, a page that is not in the TLB, a store to a page of code or to
 * another processor's reservation - is the interpreter's, before anything has
 * changed. Accesses are not noted.
 */
#define ISA_MEM_H
#include "isa/exec/body.h"
#include "isa/mmu.h"
#include "isa/phys.h"

static inline uint32_t mem_mask(unsigned size)
{
    return 0xFFFFFFFFu >> (32 - 8 * size);
}

static inline const struct port *port_of(const struct cpu *c)
{
    return &((const struct core *)(const void *)c)->port;
}

/* Where in memory `size` bytes at ea are; `entries`: the place of the TLB
 * entries of the kind and of the block's mode. */
static inline bool reached(const struct cpu *c, ea_t ea, unsigned size,
                           uintptr_t entries, pa_t *pa)
{
    const struct tlb_entry *e =
        (const struct tlb_entry *)(const void *)((const char *)c + entries) +
        (ea >> 12 & (TLB_ENTRIES - 1));

    *pa = ea;
    if (size > 1 && UNLIKELY((ea & 0xFFF) > 0x1000 - size))
        return false;
    if (LIKELY(c->msr & MSR_DR)) {
        if (UNLIKELY(e->tag != ((ea & ~0xFFFu) | 1)))
            return false;
        *pa = e->page | (ea & 0xFFF);
    }
    return *pa < port_of(c)->ram_size;
}

static inline bool storable(const struct cpu *c, pa_t pa)
{
    const struct port *p = port_of(c);

    return !(p->reservations->mask & NUMBER(others)) && !p->code_page[pa >> 12];
}

static inline struct core *core_of(struct cpu *c)
{
    return (struct core *)(void *)c;
}

/* Call function f of warm.c, which is seldom: nothing is saved around it here,
 * so that a stencil needs no frame. Arguments as stencil_kept has them. */
static inline void call_kept(struct cpu *c, void *f, uint64_t x, uint32_t y,
                             uint32_t z, uint32_t last)
{
    register uint64_t second __asm__("r9") = x;
    register uint64_t fifth __asm__("r10") = last;
    register void *kept __asm__("r11");

    __asm__("movabs $hole_kept, %0" : "=r"(kept));
    __asm__ volatile("call *%0"
                     :
                     : "r"(kept), "a"(f), "D"(c), "r"(second), "d"(y), "c"(z),
                       "r"(fifth)
                     : "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",
                       "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                       "xmm12", "xmm13", "xmm14", "xmm15");
}

#if MEMO

/* Traces: an access is a call of a routine that is there once, so that
 * the code of a trace is short: where it goes is in the host's caches. */
#define ASKED(size)                                                            \
    extern struct asked hole_load##size(struct cpu *c, ea_t ea,                \
                                        uint32_t issued, uint32_t waited,      \
                                        uint32_t collided);                    \
    extern bool hole_store##size(struct cpu *c, ea_t ea, uint32_t asked,       \
                                 uint32_t waited, uint32_t step, uint64_t v);
ASKED(1)
ASKED(2)
ASKED(4)
ASKED(8)

#define LOAD(size, c, ea)                                                      \
    hole_load##size(c, ea, NUMBER(issued), NUMBER(waited), NUMBER(collided))
#define STORE(size, c, ea, v)                                                  \
    hole_store##size(c, ea, NUMBER(issued), NUMBER(waited), NUMBER(step), v)

static inline enum exc mem_load(struct cpu *c, ea_t ea, unsigned size,
                                uint32_t *v)
{
    struct asked a = size == 1   ? LOAD(1, c, ea)
                     : size == 2 ? LOAD(2, c, ea)
                                 : LOAD(4, c, ea);

    *v = (uint32_t)a.v;
    return a.answered ? EXC_NONE : AWAY;
}

static inline enum exc mem_store(struct cpu *c, ea_t ea, unsigned size,
                                 uint32_t v)
{
    bool answered = size == 1   ? STORE(1, c, ea, v)
                    : size == 2 ? STORE(2, c, ea, v)
                                : STORE(4, c, ea, v);

    return answered ? EXC_NONE : AWAY;
}

static inline enum exc mem_load_double(struct cpu *c, ea_t ea, uint32_t *high,
                                       uint32_t *low)
{
    struct asked a = LOAD(8, c, ea);

    *high = (uint32_t)(a.v >> 32);
    *low = (uint32_t)a.v;
    return a.answered ? EXC_NONE : AWAY;
}

static inline enum exc mem_store_double(struct cpu *c, ea_t ea, uint32_t high,
                                        uint32_t low)
{
    return STORE(8, c, ea, (uint64_t)high << 32 | low) ? EXC_NONE : AWAY;
}

#else

/* ---- warm mode: the data cache and its TLB --------------------------------
 *
 * Of a line that c->near has the use is noted here, as access.c would; the rest
 * asks warm.c. An access is of one double word, as one that is two for the
 * pipeline is the interpreter's. */

#if WARM

/* So that an address, masked, is the place of its entry. */
_Static_assert(sizeof(struct core_near) == CORE_NEAR_BYTES, "core.h");

#define NEAR(c, place)                                                         \
    ((struct core_near *)(void *)((char *)(c) + (uintptr_t)(place)))

/* The line of `size` bytes at ea, and the note of its use; NULL: warm.c is to
 * be asked. */
static inline const struct core_near *near(struct cpu *c, ea_t ea,
                                           unsigned size, bool store)
{
    uintptr_t place = ea & (CORE_NEAR - 1) * CORE_NEAR_BYTES;
    const struct core_near *n =
        NEAR((char *)c + place, store ? HOLE(near_store) : HOLE(near_load));
    struct tags *t = &pipe_of(core_of(c))->tags;
    unsigned set = tlb_set(ea);
    uint64_t older;

    if (UNLIKELY(n->ea != (ea & (~(CORE_NEAR_BYTES - 1) | (size - 1)))) ||
        UNLIKELY(!(c->msr & MSR_DR)))
        return NULL;
    older = n->held ^ core_of(c)->tlb.epoch[set];
    if (UNLIKELY(older > 1) || UNLIKELY(n->line->tag != n->pa) ||
        (store && UNLIKELY(n->line->state != MESI_M)))
        return NULL;
    if (store && UNLIKELY(!storable(c, n->pa)))
        return NULL;
    t->dtlb.older[set] = (uint8_t)older;
    cache_touch(&t->dcache, n->line);
    return n;
}

/* Call function f of warm.c: nothing but its results and what C lets a function
 * change is saved around it here, so that a stencil needs no frame. */
static inline struct asked call_far(struct cpu *c, void *f, ea_t ea,
                                    unsigned size, uint64_t v)
{
    register const struct insn *second __asm__("r9");
    register uint64_t fifth __asm__("r10") = v;
    register void *far __asm__("r11");
    uint64_t answer, value;

    __asm__("movabs $hole_record, %0" : "=r"(second));
    __asm__("movabs $hole_far, %0" : "=r"(far));
    __asm__ volatile("call *%2"
                     : "=a"(answer), "=d"(value), "+r"(far), "+r"(second),
                       "+r"(fifth), "+c"(size)
                     : "a"(f), "D"(c), "d"(ea)
                     : "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",
                       "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                       "xmm12", "xmm13", "xmm14", "xmm15");
    return (struct asked){answer & 1, value};
}

static inline bool loaded(struct cpu *c, ea_t ea, unsigned size, uint64_t *v)
{
    const struct core_near *n = near(c, ea, size, false);
    struct asked a;
    void *f;

    if (LIKELY(n)) {
        *v = phys_read(n->host + ea, size);
        return true;
    }
    __asm__("movabs $hole_load, %0" : "=r"(f));
    a = call_far(c, f, ea, size, 0);
    *v = a.v;
    return a.answered;
}

static inline bool stored(struct cpu *c, ea_t ea, unsigned size, uint64_t v)
{
    const struct core_near *n = near(c, ea, size, true);
    void *f;

    if (LIKELY(n)) {
        phys_write(n->host + ea, size, v);
        return true;
    }
    __asm__("movabs $hole_store, %0" : "=r"(f));
    return call_far(c, f, ea, size, v).answered;
}

#else

static inline bool loaded(struct cpu *c, ea_t ea, unsigned size, uint64_t *v)
{
    pa_t pa;

    if (!reached(c, ea, size, HOLE(tlb_load), &pa))
        return false;
    *v = phys_read(port_of(c)->ram + pa, size);
    return true;
}

static inline bool stored(struct cpu *c, ea_t ea, unsigned size, uint64_t v)
{
    pa_t pa;

    if (!reached(c, ea, size, HOLE(tlb_store), &pa) || !storable(c, pa))
        return false;
    phys_write(port_of(c)->ram + pa, size, v);
    return true;
}

#endif

static inline enum exc mem_load(struct cpu *c, ea_t ea, unsigned size,
                                uint32_t *v)
{
    uint64_t all;
    bool answered = loaded(c, ea, size, &all);

    *v = (uint32_t)all;
    return answered ? EXC_NONE : AWAY;
}

static inline enum exc mem_store(struct cpu *c, ea_t ea, unsigned size,
                                 uint32_t v)
{
    return stored(c, ea, size, v) ? EXC_NONE : AWAY;
}

static inline enum exc mem_load_double(struct cpu *c, ea_t ea, uint32_t *high,
                                       uint32_t *low)
{
    uint64_t v;
    bool answered = loaded(c, ea, 8, &v);

    *high = (uint32_t)(v >> 32);
    *low = (uint32_t)v;
    return answered ? EXC_NONE : AWAY;
}

static inline enum exc mem_store_double(struct cpu *c, ea_t ea, uint32_t high,
                                        uint32_t low)
{
    return stored(c, ea, 8, (uint64_t)high << 32 | low) ? EXC_NONE : AWAY;
}

#endif

static inline enum exc mem_misaligned(struct cpu *c, const struct insn *i,
                                      ea_t ea)
{
    (void)c, (void)i, (void)ea;
    return AWAY;
}

#include "isa/exec/exec_fpmem.c"
#include "isa/exec/exec_mem.c"
#undef D_FORM
#undef X_FORM

/* ---- arithmetic: the host's, where it is the same ------------------------ */

#include "isa/fp_host.h"
#define GAVE_UP(out) fp_host_away(out)
#define fp_arith fp_host_arith
#define fp_fused fp_host_fused
#define fp_round_single fp_host_round_single
#define fp_to_word fp_host_to_word
#include "isa/exec/exec_fp.c"
#include "isa/exec/exec_sys.c"

#ifdef __clang__
#pragma clang attribute pop
#endif

/* ---- stencils ------------------------------------------------------------ */

extern struct left hole_next(STENCIL_ARGS), hole_exit(STENCIL_ARGS),
    hole_taken(STENCIL_ARGS);

/* The registers of j and k are free: what they hold there is of no account. In
 * a trace, so are those of n and last. */
#if MEMO
#define GO(where)                                                              \
    do {                                                                       \
        register uint64_t free __asm__("r8");                                  \
                                                                               \
        __asm__("" : "=S"(n), "=d"(j), "=c"(k), "=r"(free));                   \
        return where(c, n, j, k, free);                                        \
    } while (0)
#else
#define GO(where)                                                              \
    do {                                                                       \
        __asm__("" : "=d"(j), "=c"(k));                                        \
        return where(c, n, j, k, last);                                        \
    } while (0)
#endif

#define NEXT(did)                                                              \
    (void)(did);                                                               \
    GO(hole_next)
#define TRY(did)                                                               \
    if (UNLIKELY(did))                                                         \
        GO(hole_exit);                                                         \
    GO(hole_next)
#define BRANCH(did)                                                            \
    if (LIKELY(did))                                                           \
        GO(hole_taken);                                                        \
    GO(hole_next)
#define JUMP(did) BRANCH(did)
#define HOST(did) TRY(did)

#define INLINED __attribute__((flatten))
#define ATTRIBUTES_NEXT INLINED
#define ATTRIBUTES_TRY INLINED
#define ATTRIBUTES_BRANCH INLINED
#define ATTRIBUTES_JUMP INLINED
#define ATTRIBUTES_HOST __attribute__((flatten, target("fma")))

#define STENCIL(id, kind, op, run, flags_, a_, d_, sh_)                        \
    struct left stencil_##id(STENCIL_ARGS);                                    \
    ATTRIBUTES_##kind struct left stencil_##id(STENCIL_ARGS)                   \
    {                                                                          \
        static const struct insn i = {.flags = (flags_),                       \
                                      .a = (a_),                               \
                                      .d = (d_),                               \
                                      .sh = (sh_),                             \
                                      .spr = (sh_)};                           \
        kind(body_##run(c, &i));                                               \
    }
#include "sim/core/fast/stencils.def"
#undef STENCIL

/* The body itself, for what is seldom or long. It changes no flow, reaches no
 * memory, and raises nothing while MSR[FE0,FE1] are off. */
struct left stencil_call(STENCIL_ARGS);
struct left stencil_call(STENCIL_ARGS)
{
    const struct insn *i;

    __asm__("movabs $hole_record, %0" : "=r"(i));
    TRY(i->exec(c, i));
}

struct left stencil_call_fp(STENCIL_ARGS);
struct left stencil_call_fp(STENCIL_ARGS)
{
    const struct insn *i;

    __asm__("movabs $hole_record, %0" : "=r"(i));
    TRY((c->msr & (MSR_FE0 | MSR_FE1)) || i->exec(c, i));
}

/* Behind a branch to a register: to the block at cpu.nia, if it is known. */
struct left stencil_jump(STENCIL_ARGS);
struct left stencil_jump(STENCIL_ARGS)
{
    ea_t to = c->nia;
    const struct jump *known;

    __asm__("movabs $hole_jumps, %0" : "=r"(known));
    known += to >> 2 & (STENCIL_JUMPS - 1);
    if (UNLIKELY(known->to != to || *known->entry != known->expected))
        GO(hole_exit);
    if (!WARM)
        return known->code(c, n, j, k, last);
    if (to == PC + 4)
        GO(hole_exit); /* the group goes on */
    j = (to ^ PC) & ~0xFFFu ? 1 : (pa_t)HOLE(line);
    return known->code(c, n, j, k, last);
}

/* ---- warm mode and traces: the instruction cache and the predictor -------- */

/* Fetch comes to another page, which the TLB holds. */
static inline bool paged(const struct cpu *c, struct tags *t)
{
    if (!tlb_tags_look(&t->itlb, c->sr[PC >> 28] & 0xFFFFFF, PC))
        return false;
    t->fetch_page = PC & ~0xFFFu;
    return true;
}

/* The line of the instruction is asked for, as access_fetch does; `first`: of
 * the block, all of which is on one page. */
static inline bool fetched(struct cpu *c, bool first)
{
    struct tags *t = &pipe_of(core_of(c))->tags;
    const uint8_t *treated = (const uint8_t *)c + HOLE(wimg_fetch);
    struct line *l =
        *(struct line *const *)(const void *)((const char *)t->icache.recent +
                                              HOLE(recent));
    pa_t line;

    LOAD_HOLE(line, line);
    if (UNLIKELY(l->tag != line || *treated & WIMG_I))
        return false;
    if (first && c->msr & MSR_IR && (PC & ~0xFFFu) != t->fetch_page &&
        UNLIKELY(!paged(c, t)))
        return false;
    cache_touch(&t->icache, l);
    return true;
}

#define FETCHED(name, first)                                                   \
    struct left stencil_##name(STENCIL_ARGS);                                  \
    INLINED struct left stencil_##name(STENCIL_ARGS)                           \
    {                                                                          \
        void *call;                                                            \
        ea_t pc;                                                               \
        pa_t pa;                                                               \
                                                                               \
        if (LIKELY(fetched(c, first)))                                         \
            GO(hole_next);                                                     \
        __asm__("movabs $hole_fetched, %0" : "=r"(call));                      \
        LOAD_HOLE(pc, pc);                                                     \
        LOAD_HOLE(pa, pa);                                                     \
        call_kept(c, call, pc, pa, 0, 0);                                      \
        GO(hole_next);                                                         \
    }
FETCHED(page, true)
FETCHED(line, false)

static inline struct predict_place placed(struct predictor *p)
{
    return (struct predict_place){
        (const uint16_t *)(const void *)((const char *)p->hint + HOLE(filter)),
        (uint16_t *)(void *)((char *)p->derived + HOLE(filter)),
        p->bht + HOLE(history)};
}

/* The branch has completed. */
#define BRANCHED(name, conditional, taken, target)                             \
    struct left stencil_##name(STENCIL_ARGS);                                  \
    INLINED struct left stencil_##name(STENCIL_ARGS)                           \
    {                                                                          \
        struct predictor *p = &pipe_of(core_of(c))->predict;                   \
        ea_t fetch, pc;                                                        \
        void *call;                                                            \
                                                                               \
        LOAD_HOLE(fetch, group);                                               \
        LOAD_HOLE(pc, pc);                                                     \
        if (LIKELY(predict_followed(p, placed(p), fetch, pc, conditional,      \
                                    taken, target)))                           \
            GO(hole_next);                                                     \
        LOAD_HOLE(fetch, group);                                               \
        LOAD_HOLE(pc, pc);                                                     \
        __asm__("movabs $hole_branched, %0" : "=r"(call));                     \
        call_kept(c, call, fetch, pc,                                          \
                  (conditional ? WARM_CONDITIONAL : 0) |                       \
                      (taken ? WARM_TAKEN : 0),                                \
                  target);                                                     \
        GO(hole_next);                                                         \
    }
BRANCHED(taken, false, true, NUMBER(target))
BRANCHED(taken_if, true, true, NUMBER(target))
BRANCHED(jumped, false, true, c->nia)
BRANCHED(jumped_if, true, true, c->nia)
BRANCHED(passed, true, false, PC + 4)
#endif
