/* mark_feed.c - see mark_feed.h. Which cache frames an instruction and its
 * accesses are in, and how long the accesses took, is known here; what marks do
 * about it is in pmu/pif/pif.c.
 */
#include "sim/core/mark_feed.h"

#include "isa/mmu.h"
#include "isa/phys.h"
#include "sim/mem/bus.h"

/* The cache of instructions or data; NULL: the timing model has none. */
static struct cache *cache_of(const struct core *c, bool data)
{
    const struct bus *bus = c->with.bus;

    return (data ? bus->dcache : bus->icache)[c->number];
}

unsigned mark_feed_frames(const struct core *c, bool data)
{
    const struct cache *cache = cache_of(c, data);

    return cache ? cache->sets * cache->ways : MARK_FEED_FRAMES;
}

static unsigned frame_of(const struct core *c, bool data, pa_t pa)
{
    struct cache *cache = cache_of(c, data);
    const struct line *l;

    if (!cache)
        return (pa >> __builtin_ctz(c->port.line_bytes)) % MARK_FEED_FRAMES;
    l = cache_find(cache, pa);
    return l ? (unsigned)(l - cache->line) : cache->sets * cache->ways;
}

uint32_t mark_feed_traffic(struct core *c)
{
    uint64_t bytes = pif_traffic(&c->pif), n = bytes - c->pif_charged;

    c->pif_charged = bytes;
    return (uint32_t)n;
}

void mark_feed_charge(struct core *c, uint32_t bytes, cycle_t at)
{
    if (bytes)
        c->pif_cycles +=
            bus_transfer(c->with.bus, at, bytes, c->with.params->pif_charge);
}

void mark_feed_filled(struct core *c, bool data, unsigned frame, pa_t pa,
                      ea_t ea)
{
    pif_filled(&c->pif, data, frame, pa, ea);
}

void mark_feed_searched(struct core *c, unsigned frame, pa_t pa)
{
    pif_filled_by_search(&c->pif, frame, pa);
}

void mark_feed_lost(struct core *c, bool data, pa_t pa)
{
    struct cache *cache = cache_of(c, data);
    unsigned set = (pa >> cache->shift) & (cache->sets - 1);

    if (!cache_find(cache, pa))
        pif_lost(&c->pif, data, set * cache->ways, cache->ways, pa);
}

/* ---- count areas --------------------------------------------------------- */

static uint8_t *reach(struct core *c, const struct cpu *as, ea_t ea,
                      unsigned size, pa_t *pa)
{
    const struct core_supervisor *s = &c->with.supervisor;
    const struct ram *r = c->with.ram;
    uint8_t *later = NULL;

    if (s->reach ? !s->reach(s->arg, ea, pa, &later)
                 : !mmu_allows(as, ea, TLB_STORE, pa))
        return NULL;
    if (later)
        return later;
    return *pa <= r->size - size ? r->bytes + *pa : NULL;
}

static uint8_t *reach_to_add(void *arg, unsigned unit, uint32_t ea,
                             unsigned size)
{
    struct core *c = arg;
    pa_t pa = 0;
    uint8_t *at = reach(c, &c->cpu, ea, size, &pa);

    (void)unit;
    if (at && at == c->with.ram->bytes + pa)
        phys_stored(&c->cpu, pa, size); /* as any store */
    c->area_msr = c->cpu.msr;
    c->area_added = true;
    return at;
}

void mark_feed_init(struct core *c)
{
    c->pif.areas = (struct area_port){reach_to_add, c};
}

bool mark_feed_unit(struct core *c, ea_t ea, unsigned size, uint32_t *value)
{
    struct cpu as = c->cpu;
    uint8_t *at;
    pa_t pa;

    if (c->area_added)
        as.msr = c->area_msr;
    at = reach(c, &as, ea, size, &pa);
    if (at)
        *value = area_get(at, size);
    return at;
}

/* ---- one instruction, before and for conditions -------------------------- */

bool mark_feed_before(struct core *c, pa_t pa)
{
    struct pif_insn k = {
        .pc = c->cpu.pc,
        .pa = pa,
        .frame = frame_of(c, false, pa),
        .context = c->context,
    };

    return pif_before(&c->pif, &k);
}

static void say(const struct pif_seen seen[PIF_UNITS], struct insn_info *d)
{
    for (unsigned n = 0; n < PIF_UNITS; n++) {
        d->marked |= seen[n].marked;
        d->window |= seen[n].window;
        d->ranges |= seen[n].ranges;
        d->data_ranges |= seen[n].data_ranges;
    }
    d->guest_marked = seen[PIF_GUEST].marked;
    d->guest_window = seen[PIF_GUEST].window;
    d->guest_ranges = seen[PIF_GUEST].ranges;
}

void mark_feed_say(const struct core *c, struct insn_info *d)
{
    say(c->pif.seen, d);
}

void mark_feed_passing(struct core *c, pa_t pa, struct insn_info *d)
{
    struct pif_insn k = {
        .pc = d->pc,
        .pa = pa,
        .frame = frame_of(c, false, pa),
        .context = d->context,
    };
    struct pif_seen seen[PIF_UNITS];

    pif_passing(&c->pif, &k, seen);
    say(seen, d);
}

static bool is_store(const struct access *a)
{
    return a->kind == ACCESS_STORE || a->kind == ACCESS_DCBZ;
}

/* The accesses to memory, with their frames. */
static unsigned list_accesses(struct core *c, const struct insn *i,
                              struct pif_access *to, cycle_t complete,
                              uint32_t *slowest)
{
    const struct step *step = &c->cpu.step;
    unsigned n = 0;

    *slowest = 0;
    if (i->class == CLASS_STWCX && step->conditional_failed)
        return 0;
    for (unsigned k = 0; k < step->accesses; k++) {
        const struct access *a = &step->access[k];
        uint32_t cycles = c->access_cycles[k];

        if (a->io || (a->kind != ACCESS_LOAD && !is_store(a)))
            continue;
        *slowest = cycles > *slowest ? cycles : *slowest;
        to[n++] = (struct pif_access){
            .ea = a->ea,
            .pa = a->pa,
            .size = a->size,
            .store = is_store(a),
            .frame = frame_of(c, true, a->pa),
            .cycles = cycles,
            .at = complete,
        };
    }
    return n;
}

/* ---- widened words: how marks move --------------------------------------- */

/* APPROX: the words of an lmw or stmw across a page boundary are taken to
 * follow each other in memory; docs/pif.md 3; marks of the words behind the
 * boundary go astray when the pages are not neighbours. */

static uint32_t gprs_written(const struct insn *i)
{
    uint32_t mask = 0;

    for (unsigned n = 0; n < i->ndst; n++)
        if (i->dst[n] < REG_FPR0)
            mask |= 1u << i->dst[n];
    if (i->op == OP_LMW)
        mask |= ~0u << i->d;
    if (i->op == OP_LSWI || i->op == OP_LSWX)
        mask = ~0u; /* whatever the count: their marks are not words' */
    return mask;
}

static bool moves_words(const struct insn *i)
{
    switch ((enum op)i->op) {
    case OP_LWZ:
    case OP_LWZX:
    case OP_LWZU:
    case OP_LWZUX:
    case OP_LMW:
    case OP_STW:
    case OP_STWX:
    case OP_STWU:
    case OP_STWUX:
    case OP_STMW:
        return true;
    default:
        return false;
    }
}

static struct widened_move move_of(const struct insn *i,
                                   const struct pif_access *a, unsigned n,
                                   bool effective)
{
    struct widened_move m = {.reg = i->d, .clears = gprs_written(i)};
    uint32_t address = n ? (effective ? a->ea : a->pa) : 0;

    if (i->op == OP_OR && i->d == i->b && !(i->flags & INSN_RC)) {
        m.copy = true; /* or rA,rS,rS */
        m.reg = i->a;
        m.from = i->d;
    }
    if (!n)
        return m;
    if (moves_words(i) && !(address & 3)) {
        m.load = i->flags & INSN_LOAD;
        m.store = i->flags & INSN_STORE;
        m.address = address;
        m.words = (uint8_t)(i->flags & INSN_MULTIPLE ? 32 - i->d : 1);
    } else if (a->store) {
        const struct pif_access *last = &a[n - 1];

        m.plain = address & ~3u;
        m.plain_end =
            ((effective ? last->ea : last->pa) + last->size + 3) & ~3u;
    }
    return m;
}

/* ---- one instruction ----------------------------------------------------- */

void mark_feed_done(struct core *c, const struct insn *i, pa_t pa,
                    unsigned slot, cycle_t issue, cycle_t complete)
{
    struct pif_access access[STEP_ACCESSES];
    struct pif_insn k = {
        .pc = c->cpu.pc,
        .pa = pa,
        .frame = frame_of(c, false, pa),
        .context = c->context,
        .slot = slot,
        .issue = issue,
        .complete = complete,
    };
    unsigned n = list_accesses(c, i, access, complete, &k.data_cycles);

    if (c->pif.widened) {
        k.move[PIF_GUEST] = move_of(i, access, n, false);
        k.move[PIF_HOST] = move_of(i, access, n, true);
    }
    pif_done(&c->pif, &k, access, n);
    if (cache_of(c, true)) /* a model without caches does not time the bus */
        mark_feed_charge(c, mark_feed_traffic(c), complete);
    if (i->class == CLASS_RFI)
        pif_returned(&c->pif, c->cpu.srr1);
    if (pif_pending(&c->pif))
        c->attention = 0;
}
