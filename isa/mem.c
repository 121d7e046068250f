/* mem.c - the slow half of accesses: devices, splits, breakpoints.
 */
#include "isa/mem.h"

#include "lib/base/snap.h"

#define DSISR_DABR 0x00400000u
#define DSISR_STORE 0x02000000u
#define DABR_TRANSLATED 4u

/* DABR: double word in bits 0-28, 29 translated accesses, 30 stores, 31
 * loads (604 UM; 29 must equal MSR[DR]). */
static bool dabr_hit(const struct cpu *c, ea_t ea, unsigned size, bool store)
{
    bool translated = c->msr & MSR_DR;

    if (!(c->dabr & (store ? DABR_STORES : DABR_LOADS)) ||
        translated != ((c->dabr & DABR_TRANSLATED) != 0))
        return false;
    return (ea & ~7u) == (c->dabr & ~7u) ||
           ((ea + size - 1) & ~7u) == (c->dabr & ~7u);
}

enum exc mem_translate(struct cpu *c, ea_t ea, unsigned size, bool store,
                       pa_t *pa)
{
    if (dabr_hit(c, ea, size, store)) {
        c->cause = DSISR_DABR | (store ? DSISR_STORE : 0);
        c->dar = ea;
        return EXC_DSI;
    }
    return mmu_data(c, ea, store, pa);
}

static enum exc unanswered(struct cpu *c)
{
    c->cause = SRR1_TEA;
    return EXC_MCHECK;
}

/* A device, or no answer. Odd sizes are put together from bytes. */
enum exc mem_load_slow(struct cpu *c, ea_t ea, pa_t pa, unsigned size,
                       uint32_t *v)
{
    const struct port *p = c->port;
    unsigned unit = size == 3 ? 1 : size;
    uint32_t sum = 0;

    mem_note(c, ea, pa, size, ACCESS_LOAD, true);
    for (unsigned n = 0; n < size; n += unit) {
        uint32_t part;
        if (!p->io_load(p->world, pa + n, unit, &part))
            return unanswered(c);
        sum = unit == 1 ? sum << 8 | (part & 0xFF) : part & mem_mask(unit);
    }
    *v = sum;
    return EXC_NONE;
}

enum exc mem_store_slow(struct cpu *c, ea_t ea, pa_t pa, unsigned size,
                        uint32_t v)
{
    const struct port *p = c->port;
    unsigned unit = size == 3 ? 1 : size;

    mem_note(c, ea, pa, size, ACCESS_STORE, true);
    for (unsigned n = 0; n < size; n += unit) {
        uint32_t part = v >> 8 * (size - unit - n) & mem_mask(unit);
        if (!p->io_store(p->world, pa + n, unit, part))
            return unanswered(c);
    }
    return EXC_NONE;
}

/* One half of a split access, already translated. */
static enum exc half_load(struct cpu *c, ea_t ea, pa_t pa, unsigned size,
                          uint32_t *v)
{
    if (!phys_is_ram(c, pa, size))
        return mem_load_slow(c, ea, pa, size, v);
    mem_note(c, ea, pa, size, ACCESS_LOAD, false);
    *v = phys_get(c->port->ram + pa, size);
    return EXC_NONE;
}

static enum exc half_store(struct cpu *c, ea_t ea, pa_t pa, unsigned size,
                           uint32_t v)
{
    if (!phys_is_ram(c, pa, size))
        return mem_store_slow(c, ea, pa, size, v);
    mem_note(c, ea, pa, size, ACCESS_STORE, false);
    phys_put(c->port->ram + pa, size, v);
    phys_stored(c, pa, size);
    return EXC_NONE;
}

/* The access crosses a double word: two accesses, on two pages perhaps. */
enum exc mem_load_split(struct cpu *c, ea_t ea, unsigned size, uint32_t *v)
{
    unsigned first = 8 - (ea & 7), rest = size - first;
    uint32_t high, low;
    pa_t pa, pb;
    enum exc e;

    e = mem_address(c, ea, first, false, &pa);
    if (!e)
        e = mem_address(c, ea + first, rest, false, &pb);
    if (!e)
        e = half_load(c, ea, pa, first, &high);
    if (!e)
        e = half_load(c, ea + first, pb, rest, &low);
    if (!e)
        *v = high << 8 * rest | low;
    return e;
}

enum exc mem_store_split(struct cpu *c, ea_t ea, unsigned size, uint32_t v)
{
    unsigned first = 8 - (ea & 7), rest = size - first;
    pa_t pa, pb;
    enum exc e;

    e = mem_address(c, ea, first, true, &pa);
    if (!e)
        e = mem_address(c, ea + first, rest, true, &pb);
    if (!e)
        e = half_store(c, ea, pa, first, v >> 8 * rest);
    if (!e)
        e = half_store(c, ea + first, pb, rest, v & mem_mask(rest));
    return e;
}

/* DSISR copies the instruction (PEM table 6-10): X form bits 29-30, 25 and
 * 21-24 to 15-16, 17 and 18-21; D form bits 5 and 1-4 to 17 and 18-21; both
 * rD and rA to 22-31. */
enum exc mem_misaligned(struct cpu *c, const struct insn *i, ea_t ea)
{
    uint32_t w = i->word;

    if (w >> 26 == 31)
        c->cause =
            (w >> 1 & 3) << 15 | (w >> 6 & 1) << 14 | (w >> 7 & 15) << 10;
    else
        c->cause = (w >> 26 & 1) << 14 | (w >> 27 & 15) << 10;
    c->cause |= (w >> 21 & 31) << 5 | (w >> 16 & 31);
    c->dar = ea;
    return EXC_ALIGNMENT;
}

enum exc mem_load_double(struct cpu *c, ea_t ea, uint32_t *high, uint32_t *low)
{
    pa_t pa, pb;
    enum exc e = mem_address(c, ea, 8 - (ea & 4), false, &pa);

    if (e)
        return e;
    if (!(ea & 7) && phys_is_ram(c, pa, 8)) {
        mem_note(c, ea, pa, 8, ACCESS_LOAD, false);
        *high = phys_get(c->port->ram + pa, 4);
        *low = phys_get(c->port->ram + pa + 4, 4);
        return EXC_NONE;
    }
    pb = pa + 4;
    if (ea & 7)
        e = mem_address(c, ea + 4, 4, false, &pb);
    if (!e)
        e = half_load(c, ea, pa, 4, high);
    if (!e)
        e = half_load(c, ea + 4, pb, 4, low);
    return e;
}

enum exc mem_store_double(struct cpu *c, ea_t ea, uint32_t high, uint32_t low)
{
    pa_t pa, pb;
    enum exc e = mem_address(c, ea, 8 - (ea & 4), true, &pa);

    if (e)
        return e;
    if (!(ea & 7) && phys_is_ram(c, pa, 8)) {
        mem_note(c, ea, pa, 8, ACCESS_STORE, false);
        phys_put(c->port->ram + pa, 4, high);
        phys_put(c->port->ram + pa + 4, 4, low);
        phys_stored(c, pa, 8);
        return EXC_NONE;
    }
    pb = pa + 4;
    if (ea & 7)
        e = mem_address(c, ea + 4, 4, true, &pb);
    if (!e)
        e = half_store(c, ea, pa, 4, high);
    if (!e)
        e = half_store(c, ea + 4, pb, 4, low);
    return e;
}

/* ---- save and load -------------------------------------------------------
 */

bool reservations_state(struct snap *s, struct reservations *r)
{
    snap_begin(s, "reservations", 1);
    SNAP_BELOW(s, r->mask, 1u << PORT_CPUS);
    SNAP_ARRAY(s, r->line);
    return snap_end(s);
}
