/* pif_registers.c - the guest's registers: docs/pif.md, section 4. */
#include <stddef.h>

#include "pmu/pif/pif.h"
#include "pmu/pmu.h"

#define VERSION 1u

static uint32_t config(const struct pif *p)
{
    return VERSION << 28 | p->with.line_bytes << PIFC_BLOCK_SHIFT |
           PIF_SEGMENTS << 16 | PIF_RANGES << 12 | PIF_RANGES << 8 |
           p->with.pmcs << 4 | PIF_AREAS;
}

static uint32_t status(const struct pif *p)
{
    const struct pif_unit *u = &p->unit[PIF_GUEST];

    return (u->window ? PIFS_WINDOW : 0) | (u->tracing ? PIFS_TRACE : 0) |
           (p->latch.full ? PIFS_PENDING : 0) |
           (p->refused ? PIFS_REFUSED : 0) | (p->resume ? PIFS_RESUME : 0);
}

/* Ones clear what they name, but for those that begin something. */
static void clear_status(struct pif *p, uint32_t bits)
{
    struct pif_unit *u = &p->unit[PIF_GUEST];

    u->window = u->window && !(bits & PIFS_WINDOW);
    u->tracing = u->tracing && !(bits & PIFS_TRACE);
    p->latch.full = p->latch.full && !(bits & PIFS_PENDING);
    p->refused = p->refused && !(bits & PIFS_REFUSED);
    p->resume = p->resume && !(bits & PIFS_RESUME);
    u->window = u->window || bits & PIFS_OPEN;
    u->tracing = u->tracing || bits & PIFS_BEGIN;
}

static uint32_t segment_base(const struct shadow_segment *s)
{
    return s->base | (s->insn ? SEGMENT_INSN : 0) |
           (s->data ? SEGMENT_DATA : 0);
}

static uint32_t read_wide(struct pif *p, unsigned spr)
{
    const struct widened_word *k =
        widened_find(p->unit[PIF_GUEST].wide, p->wide_at);

    if (!k)
        return 0;
    switch (spr) {
    case PMU_PIFWI:
        return k->indicator;
    case PMU_PIFWL:
        return k->limit;
    case PMU_PIFWC:
        return k->count;
    }
    return k->hits;
}

static void write_wide(struct pif *p, unsigned spr, uint32_t value)
{
    struct widened_word *k = widened_make(p->unit[PIF_GUEST].wide, p->wide_at);

    if (!k)
        return;
    if (spr == PMU_PIFWI)
        k->indicator = value & IND_ALL;
    else if (spr == PMU_PIFWL)
        k->limit = value;
    else if (spr == PMU_PIFWC)
        k->count = value;
    else
        k->hits = value;
}

static void write_range(struct pif_range *r, unsigned spr, uint32_t value)
{
    if (spr == PMU_PIFRL)
        r->low = value;
    else if (spr == PMU_PIFRH)
        r->high = value;
    else
        r->on = value & PIF_RANGE_ON;
    /* Another range: nothing was before, unless software says so. */
    r->inside = spr == PMU_PIFRC && value & PIF_RANGE_INSIDE;
}

static uint32_t range_control(const struct pif_range *r)
{
    return (r->on ? PIF_RANGE_ON : 0) | (r->inside ? PIF_RANGE_INSIDE : 0);
}

static uint32_t read_area(const struct area *k, unsigned spr)
{
    switch (spr) {
    case PMU_PIFAD:
        return k->start;
    case PMU_PIFAB:
        return k->bytes;
    case PMU_PIFAA:
        return k->at;
    }
    return area_control(k);
}

static void write_area(struct areas *s, struct area *k, unsigned spr,
                       uint32_t value)
{
    if (spr == PMU_PIFAD)
        k->start = value;
    else if (spr == PMU_PIFAB)
        k->bytes = value & PIFAB_BITS;
    else if (spr == PMU_PIFAA)
        k->at = value;
    else
        area_set_control(k, value);
    areas_refresh(s);
}

static bool is_area(unsigned spr)
{
    return spr >= PMU_PIFAD && spr <= PMU_PIFAC;
}

/* Sampled instructions and the branch record keep their own. */
static bool is_sampled(unsigned spr)
{
    return spr >= PMU_SIC && spr <= PMU_SIDL;
}

static bool is_branches(unsigned spr)
{
    return spr >= PMU_BRC && spr <= PMU_BRT;
}

/* This processor's frames of a segment that is about to change, or has. */
static void drop_segment(struct pif *p, const struct shadow_segment *s)
{
    for (unsigned side = 0; side < 2; side++)
        shadow_drop_stretch(&p->unit[PIF_GUEST].side[side], s->base, s->size);
}

static void write_segment(struct pif *p, unsigned spr, uint32_t value)
{
    struct shadow_segment *s = &p->unit[PIF_GUEST].source.segment[p->segment];
    struct shadow_segment was = *s;

    pif_disturbed(p);
    if (spr == PMU_PIFST) {
        s->table = value & ~3u;
    } else if (spr == PMU_PIFSZ) {
        s->size = value & ~0xFFFu;
    } else {
        s->base = value & ~0xFFFu;
        s->insn = value & SEGMENT_INSN;
        s->data = value & SEGMENT_DATA;
    }
    if (was.base == s->base && was.size == s->size && was.table == s->table &&
        was.insn == s->insn && was.data == s->data)
        return;
    drop_segment(p, &was);
    drop_segment(p, s);
}

/* Registers that are a word of the state, and the bits they have. */
static uint32_t *plain(struct pif *p, unsigned spr, uint32_t *bits)
{
    *bits = ~0u;
    switch (spr) {
    case PMU_PIFX:
        *bits = 7;
        return &p->cause;
    case PMU_PIFIA:
        return &p->ia;
    case PMU_PIFDA:
        return &p->da;
    case PMU_PIFLOST:
        return &p->lost;
    case PMU_PIFTH0:
    case PMU_PIFTH1:
    case PMU_PIFTH2:
        return &p->unit[PIF_GUEST].threshold[spr - PMU_PIFTH0];
    case PMU_PIFTH3:
        return &p->unit[PIF_GUEST].threshold[3];
    case PMU_PIFSEG:
        *bits = PIF_SEGMENTS - 1;
        return &p->segment;
    case PMU_PIFRS:
        *bits = 2 * PIF_RANGES - 1;
        return &p->range;
    case PMU_PIFAS:
        *bits = PIF_AREAS - 1;
        return &p->area;
    case PMU_PIFMT:
        *bits = ~3u;
        return &p->marker_table;
    case PMU_PIFMK:
        *bits = 31u << MARKER_WORDS | 0xFFFF;
        return &p->marker;
    case PMU_PIFMA:
        *bits = ~3u;
        return &p->marker_at;
    case PMU_PIFWA:
        *bits = ~3u;
        return &p->wide_at;
    }
    return NULL;
}

/* Counters that are wider inside. */
static uint64_t *counter(struct pif *p, unsigned spr)
{
    struct pif_unit *u = &p->unit[PIF_GUEST];

    switch (spr) {
    case PMU_PIFW:
        return &u->windowed;
    case PMU_PIFTC:
        return &u->traced;
    case PMU_PIFHC:
        return &u->exceeded;
    case PMU_PIFRX:
        return &u->range[p->range].executed;
    case PMU_PIFRE:
        return &u->range[p->range].entries;
    case PMU_PIFAX:
        return &u->areas.area[p->area].added;
    case PMU_PIFAL:
        return &u->areas.area[p->area].lost;
    }
    return NULL;
}

uint32_t pif_read(struct pif *p, unsigned spr, cycle_t now)
{
    const struct pif_unit *u = &p->unit[PIF_GUEST];
    const struct shadow_segment *s = &u->source.segment[p->segment];
    uint32_t bits, *word = plain(p, spr, &bits);
    const uint64_t *count = counter(p, spr);

    if (is_sampled(spr))
        return sampled_read(&p->sampled, spr);
    if (is_branches(spr))
        return branches_read(&p->branches, spr);
    if (is_area(spr))
        return read_area(&u->areas.area[p->area], spr);
    if (word)
        return *word;
    if (count)
        return (uint32_t)*count;
    switch (spr) {
    case PMU_CYCU:
        return (uint32_t)(now >> 32);
    case PMU_CYCL:
        return (uint32_t)now;
    case PMU_PIFM:
        return u->mode;
    case PMU_PIFC:
        return config(p);
    case PMU_PIFS:
        return status(p);
    case PMU_PIFSB:
        return segment_base(s);
    case PMU_PIFSZ:
        return s->size;
    case PMU_PIFST:
        return s->table;
    case PMU_PIFRL:
        return u->range[p->range].low;
    case PMU_PIFRH:
        return u->range[p->range].high;
    case PMU_PIFRC:
        return range_control(&u->range[p->range]);
    }
    return read_wide(p, spr);
}

void pif_write(struct pif *p, unsigned spr, uint32_t value)
{
    struct pif_unit *u = &p->unit[PIF_GUEST];
    uint32_t bits, *word = plain(p, spr, &bits);
    uint64_t *count = counter(p, spr);

    if (word)
        *word = value & bits;
    else if (count)
        *count = value;
    else if (is_sampled(spr))
        sampled_write(&p->sampled, spr, value);
    else if (is_branches(spr))
        branches_write(&p->branches, spr, value);
    else if (spr == PMU_PIFM)
        pif_mode(p, PIF_GUEST, u->on, value);
    else if (spr == PMU_PIFS)
        clear_status(p, value);
    else if (spr >= PMU_PIFSB && spr <= PMU_PIFST)
        write_segment(p, spr, value);
    else if (is_area(spr))
        write_area(&u->areas, &u->areas.area[p->area], spr, value);
    else if (spr >= PMU_PIFRL && spr <= PMU_PIFRC)
        write_range(&u->range[p->range], spr, value);
    else
        write_wide(p, spr, value);
    pif_told(p);
}
