/* port.c - what instructions ask of the world (isa/port.h), answered for one
 * processor: devices, registers that observe time or have effects, the
 * instrumentation facility, translations that others keep.
 */
#include <assert.h>

#include "sim/core/core_private.h"
#include "sim/core/timing.h"

#include "isa/mmu.h"
#include "include/board.h"

#define SPR_DEC 22
#define SPR_TBL 268
#define SPR_TBU 269
#define SPR_TBL_WRITE 284
#define SPR_TBU_WRITE 285
#define SPR_HID0 1008
#define SPR_PIF_FIRST 640
#define SPR_PIF_LAST 799

/* ---- the port: what instructions ask ------------------------------------- */

/* The monitor as words of the board, while HID0[PIFE] is on; nothing answers
 * for less than an aligned word. What stands before a load in the program has
 * been counted, whatever the timing model; behind a store nothing begins before
 * it is through. */
static bool is_monitor(const struct core *c, pa_t pa, unsigned size)
{
    return pa - BOARD_MONITOR < BOARD_MONITOR_SIZE && pa % 4 == 0 &&
           size == 4 && c->cpu.hid0 & HID0_PIFE;
}

static void catch_up(struct core *c)
{
    if (c->with.timing->catch_up)
        c->with.timing->catch_up(c);
}

static uint32_t monitor_load(struct core *c, unsigned spr)
{
    catch_up(c);
    return pmu_numbered(&c->pmu, spr)
               ? pmu_read(&c->pmu, spr, c->observed_cycle)
               : 0;
}

static void monitor_store(struct core *c, unsigned spr, uint32_t value)
{
    catch_up(c);
    if (pmu_numbered(&c->pmu, spr))
        pmu_write(&c->pmu, spr, value, c->observed_cycle);
    c->serialize = true;
    c->attention = 0;
}

static bool port_io_load(void *world, pa_t pa, unsigned size, uint32_t *value)
{
    struct core *c = world;
    struct io_access a = {
        .size = size, .cpu = c->number, .at = c->observed_cycle};

    c->yield = true;
    if (pa == BOARD_TRACE + c->number * BOARD_TRACE_STRIDE + TRACE_CONTEXT &&
        size == 4) {
        *value = c->context;
        return true;
    }
    if (is_monitor(c, pa, size)) {
        *value = monitor_load(c, (pa - BOARD_MONITOR) / 4);
        return true;
    }
    return iomap_load(c->with.iomap, pa, &a, value);
}

static bool port_io_store(void *world, pa_t pa, unsigned size, uint32_t value)
{
    struct core *c = world;
    struct io_access a = {
        .size = size, .cpu = c->number, .at = c->observed_cycle};

    c->yield = true;
    if (is_monitor(c, pa, size)) {
        monitor_store(c, (pa - BOARD_MONITOR) / 4, value);
        return true;
    }
    return iomap_store(c->with.iomap, pa, &a, value);
}

static uint32_t port_spr_read(void *world, unsigned n)
{
    struct core *c = world;

    if (pmu_has(n) || (n >= SPR_PIF_FIRST && n <= SPR_PIF_LAST))
        core_tally(c);
    if (pmu_has(n))
        return pmu_read(&c->pmu, n, c->observed_cycle);
    if (n >= SPR_PIF_FIRST && n <= SPR_PIF_LAST) {
        c->pif.refused = c->pmu.derived.refused;
        return pif_read(&c->pif, n, c->observed_cycle);
    }
    switch (n) {
    case SPR_TBL:
        return (uint32_t)timebase_read(&c->tb, c->observed_cycle);
    case SPR_TBU:
        return (uint32_t)(timebase_read(&c->tb, c->observed_cycle) >> 32);
    case SPR_DEC:
        return timebase_dec(&c->tb, c->observed_cycle);
    case SPR_HID0:
        return c->cpu.hid0;
    }
    assert(!"spr.def says PORT, core.c does not know it");
    return 0;
}

static void write_timebase(struct core *c, uint64_t value)
{
    timebase_write(&c->tb, value, c->observed_cycle);
    pmu_timebase(&c->pmu, c->tb.offset, c->observed_cycle);
}

/* The guest's PIFM or PIFE may have changed: an interval in which it looks
 * marks up begins or ends. */
static void note_look(struct core *c)
{
    const struct pif_unit *u = &c->pif.unit[PIF_GUEST];
    bool looks = u->on && u->mode & (PIFM_IE | PIFM_DE);

    if (looks && !c->looking) {
        c->look_insns += c->look_end - c->look_from;
        c->look_from = c->look_end = c->insns;
        c->look_times++;
    } else if (!looks && c->looking) {
        c->look_end = c->insns;
    }
    c->looking = looks;
}

static void port_spr_write(void *world, unsigned n, uint32_t value)
{
    struct core *c = world;
    uint64_t tb = timebase_read(&c->tb, c->observed_cycle);

    if (n != SPR_DEC)
        core_tally(c);
    if (pmu_has(n)) {
        pmu_write(&c->pmu, n, value, c->observed_cycle);
    } else if (n >= SPR_PIF_FIRST && n <= SPR_PIF_LAST) {
        c->pif.refused = c->pmu.derived.refused;
        pif_write(&c->pif, n, value);
        c->pmu.derived.refused = c->pif.refused;
        note_look(c);
    } else if (n == SPR_TBL_WRITE) {
        write_timebase(c, (tb & ~(uint64_t)0xFFFFFFFF) | value);
    } else if (n == SPR_TBU_WRITE) {
        write_timebase(c, (uint64_t)value << 32 | (uint32_t)tb);
    } else if (n == SPR_DEC) {
        timebase_set_dec(&c->tb, value, c->observed_cycle);
    } else if (n == SPR_HID0) {
        if (!c->with.params->pif)
            c->cpu.hid0 &= ~HID0_PIFE;
        pif_enable(&c->pif, c->cpu.hid0 & HID0_PIFE);
        pmu_pif(&c->pmu, c->cpu.hid0 & HID0_PIFE, c->observed_cycle);
        note_look(c);
        if (c->with.timing->hid0)
            c->with.timing->hid0(c, value);
    } else {
        assert(!"spr.def says PORT, core.c does not know it");
    }
    c->attention = 0;
}

static bool port_spr_there(void *world, unsigned n)
{
    const struct core *c = world;

    return n == PMU_PIFTH3 ? c->with.params->pif_th_bits == 4
                           : pmu_there(&c->pmu, n);
}

bool core_counts(const struct core *c)
{
    const struct pmu *p = &c->pmu;
    bool any =
        host_counters_count(&c->host_counters) || p->deadline != CYCLE_NEVER;

    for (unsigned n = 0; n < p->pmcs; n++)
        any |= p->pmc[n].row >= 0;
    return any;
}

void core_tally_counting(struct core *c)
{
    if (core_counts(c))
        core_tally(c);
}

void core_msr_changed(struct core *c, uint32_t old, uint32_t now)
{
    bool handled;

    core_tally_counting(c);
    if ((old ^ now) & MSR_PR)
        host_counters_mode(&c->host_counters, now & MSR_PR, c->observed_cycle);
    pmu_msr(&c->pmu, now & MSR_PR, now & MSR_PM, now & MSR_EE,
            c->observed_cycle);
    handled = c->pif.masked && now & MSR_EE && now & MSR_RI;
    if (handled && c->observed_cycle > c->pif_since)
        c->pif_handled += c->observed_cycle - c->pif_since;
    pif_msr(&c->pif, now & MSR_PR, now & MSR_PM, now & MSR_EE && now & MSR_RI);
    c->attention = 0;
    if (now & ~old & MSR_PR)
        OBSERVERS_TELL(c->with.observers, to_user, c);
    if (now & MSR_LE)
        core_stop(c, "little-endian mode (MSR[LE]) is not modelled");
}

static void port_msr_changed(void *world, uint32_t old, uint32_t now)
{
    core_msr_changed(world, old, now);
}

static void port_code_written(void *world, pa_t pa, unsigned size)
{
    struct core *c = world;

    decode_cache_forget(c->with.decoded, pa, size);
}

static void port_tlb_invalidate(void *world, ea_t ea)
{
    struct core *c = world;

    for (unsigned n = 0; n < c->with.ncores; n++) {
        struct core *of = &c->with.cores[n];

        tlb_forget(&of->tlb, ea);
        if (of->with.timing->tlbie)
            of->with.timing->tlbie(of, ea);
    }
}

static uint32_t port_pif_count(void *world, pa_t pa, bool data, bool clear)
{
    struct core *c = world;

    c->yield = true; /* others may count as well */
    return pif_count(&c->pif, pa, data, clear);
}

static void port_pif_sync(void *world)
{
    struct core *c = world;

    c->yield = true;
    pif_sync(&c->pif);
}

static bool port_pif_marker(void *world, ea_t pc, unsigned n, unsigned k)
{
    struct core *c = world;

    return pif_marker(&c->pif, pc, n, k);
}

void port_init(struct core *c)
{
    c->port = (struct port){
        .world = c,
        .ram = c->with.ram->bytes,
        .ram_size = c->with.ram->size,
        .code_page = c->with.decoded->code_page,
        .code_written = port_code_written,
        .line_bytes = c->with.params->line_bytes,
        .reservations = c->with.reservations,
        .cpu = c->number,
        .io_load = port_io_load,
        .io_store = port_io_store,
        .spr_read = port_spr_read,
        .spr_write = port_spr_write,
        .spr_there = port_spr_there,
        .msr_changed = port_msr_changed,
        .pif_count = port_pif_count,
        .pif_sync = port_pif_sync,
        .pif_marker = port_pif_marker,
        .tlb = &c->tlb,
        .tlb_invalidate = port_tlb_invalidate,
    };
    c->cpu.port = &c->port;
}
