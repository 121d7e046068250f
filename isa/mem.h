/* mem.h - how a body reaches memory. Private to isa/.
 * Plain memory is inline; devices, splits and translation are in mem.c.
 * Every access is noted in c->step. Nothing is stored before every part of
 * an access is known to be allowed.
 */
#ifndef ISA_MEM_H
#define ISA_MEM_H

#include <string.h>

#include "isa/exec/body.h"
#include "isa/mmu.h"

#define DABR_STORES 2u
#define DABR_LOADS 1u

/* Address translation or the data breakpoint may have a say. */
enum exc mem_translate(struct cpu *c, ea_t ea, unsigned size, bool store,
                       pa_t *pa);
enum exc mem_load_slow(struct cpu *c, ea_t ea, pa_t pa, unsigned size,
                       uint32_t *v);
enum exc mem_store_slow(struct cpu *c, ea_t ea, pa_t pa, unsigned size,
                        uint32_t v);
enum exc mem_load_split(struct cpu *c, ea_t ea, unsigned size, uint32_t *v);
enum exc mem_store_split(struct cpu *c, ea_t ea, unsigned size, uint32_t v);
/* A double word, word-aligned: one access, or two words across a boundary.
 * Devices see two words. */
enum exc mem_load_double(struct cpu *c, ea_t ea, uint32_t *high, uint32_t *low);
enum exc mem_store_double(struct cpu *c, ea_t ea, uint32_t high, uint32_t low);
void mem_break_reservations(struct cpu *c, pa_t pa);

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

static inline bool mem_is_ram(const struct cpu *c, pa_t pa, unsigned size)
{
    return pa <= c->port->ram_size - size && size <= c->port->ram_size;
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

/* Big-endian, 1 to 4 bytes. */
static inline uint32_t mem_get(const uint8_t *at, unsigned size)
{
    uint32_t v = 0;

    if (size == 4) {
        memcpy(&v, at, 4);
        return __builtin_bswap32(v);
    }
    while (size--)
        v = v << 8 | *at++;
    return v;
}

static inline void mem_put(uint8_t *at, unsigned size, uint32_t v)
{
    if (size == 4) {
        v = __builtin_bswap32(v);
        memcpy(at, &v, 4);
        return;
    }
    while (size--) {
        at[size] = (uint8_t)v;
        v >>= 8;
    }
}

/* The others' reservations and the decoded records of what was stored. */
static inline void mem_stored(struct cpu *c, pa_t pa, unsigned size)
{
    const struct port *p = c->port;

    if (UNLIKELY(p->reservations->mask & ~(1u << p->cpu)))
        mem_break_reservations(c, pa);
    if (UNLIKELY(p->code_page[pa >> 12]))
        p->code_written(p->world, pa, size);
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
    if (UNLIKELY(!mem_is_ram(c, pa, size)))
        return mem_load_slow(c, ea, pa, size, v);
    mem_note(c, ea, pa, size, ACCESS_LOAD, false);
    *v = mem_get(c->port->ram + pa, size);
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
    if (UNLIKELY(!mem_is_ram(c, pa, size)))
        return mem_store_slow(c, ea, pa, size, v);
    mem_note(c, ea, pa, size, ACCESS_STORE, false);
    mem_put(c->port->ram + pa, size, v);
    mem_stored(c, pa, size);
    return EXC_NONE;
}

/* The alignment exception of i at ea, with its DSISR. */
enum exc mem_misaligned(struct cpu *c, const struct insn *i, ea_t ea);

#endif
