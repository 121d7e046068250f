/* mem.h - how a body reaches memory at an effective address. Private to isa/.
 * Plain memory is inline (phys.h); devices and splits are in mem.c, translation
 * in mmu.c.
 * Every access is noted in c->step. Nothing is stored before every part of
 * an access is known to be allowed.
 */
#ifndef ISA_MEM_H
#define ISA_MEM_H

#include "isa/exec/body.h"
#include "isa/mmu.h"
#include "isa/phys.h"

#define DABR_STORES 2u
#define DABR_LOADS 1u

/* The physical address of `size` bytes at ea, on one page, where translation or
 * the data breakpoint may refuse: EXC_DSI, c->cause and c->dar are set. */
enum exc mem_translate(struct cpu *c, ea_t ea, unsigned size, bool store,
                       pa_t *pa);
/* An access that is not to memory, but to a device at pa. *v is big-endian.
 * EXC_MCHECK: there is none. */
enum exc mem_load_slow(struct cpu *c, ea_t ea, pa_t pa, unsigned size,
                       uint32_t *v);
enum exc mem_store_slow(struct cpu *c, ea_t ea, pa_t pa, unsigned size,
                        uint32_t v);
/* An access that crosses a double word, of 2 to 4 bytes: two accesses. */
enum exc mem_load_split(struct cpu *c, ea_t ea, unsigned size, uint32_t *v);
enum exc mem_store_split(struct cpu *c, ea_t ea, unsigned size, uint32_t v);
/* A double word, word-aligned: one access, or two words across a boundary.
 * Devices see two words. */
enum exc mem_load_double(struct cpu *c, ea_t ea, uint32_t *high, uint32_t *low);
enum exc mem_store_double(struct cpu *c, ea_t ea, uint32_t high, uint32_t low);

static inline uint32_t mem_mask(unsigned size)
{
    return 0xFFFFFFFFu >> (32 - 8 * size);
}

static inline void mem_note(struct cpu *c, ea_t ea, pa_t pa, unsigned size,
                            enum access_kind kind, bool io)
{
    struct step *s = &c->step;

    if (s->accesses < STEP_ACCESSES)
        s->access[s->accesses++] =
            (struct access){ea, pa, (uint8_t)size, (uint8_t)kind, io};
}

static inline enum exc mem_address(struct cpu *c, ea_t ea, unsigned size,
                                   bool store, pa_t *pa)
{
    if (LIKELY(!((c->msr & MSR_DR) | (c->dabr & 3)))) {
        *pa = ea;
        return EXC_NONE;
    }
    if (LIKELY(!(c->dabr & 3)) &&
        LIKELY(tlb_find(c, store ? TLB_STORE : TLB_LOAD, ea, pa)))
        return EXC_NONE;
    return mem_translate(c, ea, size, store, pa);
}

/* size is 1 to 4 and a constant wherever it matters. */
static inline enum exc mem_load(struct cpu *c, ea_t ea, unsigned size,
                                uint32_t *v)
{
    enum exc e;
    pa_t pa;

    if (UNLIKELY((ea & 7) + size > 8))
        return mem_load_split(c, ea, size, v);
    e = mem_address(c, ea, size, false, &pa);
    if (UNLIKELY(e))
        return e;
    if (UNLIKELY(!phys_is_ram(c, pa, size)))
        return mem_load_slow(c, ea, pa, size, v);
    mem_note(c, ea, pa, size, ACCESS_LOAD, false);
    *v = phys_get(c->port->ram + pa, size);
    return EXC_NONE;
}

static inline enum exc mem_store(struct cpu *c, ea_t ea, unsigned size,
                                 uint32_t v)
{
    enum exc e;
    pa_t pa;

    if (UNLIKELY((ea & 7) + size > 8))
        return mem_store_split(c, ea, size, v);
    e = mem_address(c, ea, size, true, &pa);
    if (UNLIKELY(e))
        return e;
    if (UNLIKELY(!phys_is_ram(c, pa, size)))
        return mem_store_slow(c, ea, pa, size, v);
    mem_note(c, ea, pa, size, ACCESS_STORE, false);
    phys_put(c->port->ram + pa, size, v);
    phys_stored(c, pa, size);
    return EXC_NONE;
}

/* The alignment exception of i at ea, with its DSISR. */
enum exc mem_misaligned(struct cpu *c, const struct insn *i, ea_t ea);

#endif
