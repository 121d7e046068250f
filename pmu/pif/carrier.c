/* carrier.c - see carrier.h. */
#include "lib/base/big_endian.h"
#include "pmu/pif/carrier.h"

/* ---- where a mark is ----------------------------------------------------- */

static uint32_t ram_word(const struct pif_unit *u, uint32_t at)
{
    return be_get32(u->source.ram + at);
}

static void ram_put(const struct pif_unit *u, uint32_t at, uint32_t v)
{
    be_put32(u->source.ram + at, v);
}

static void place_shadow(struct pif_place *k, struct shadow_side *side,
                         unsigned frame, uint32_t pa, uint32_t ea,
                         uint32_t context)
{
    struct shadow_frame *f = shadow_look(side, frame, pa, ea, context);

    k->side = side;
    k->frame = f;
    k->word = shadow_word(side->source, pa);
    if (!f)
        return;
    k->line = f->line;
    k->indicator = f->indicator[k->word];
    k->limit = f->limit[k->word];
}

static void place_wide(struct pif_place *k, const struct widened *wide,
                       uint32_t at)
{
    k->wide = wide ? widened_find(wide, at) : NULL;
    if (!k->wide)
        return;
    k->indicator = k->wide->indicator;
    k->limit = k->wide->limit;
}

/* The instruction at pc is marked if a pmark said so. */
static void place_marker(const struct pif *p, struct pif_place *k, uint32_t pc)
{
    const struct pif_unit *u = &p->unit[PIF_GUEST];
    uint32_t at = p->marker_table + 16 * (p->marker & 0xFFFF);

    if (!(p->marker >> MARKER_WORDS) || pc != p->marker_at || at & 3 ||
        u->source.ram_size < 16 || at > u->source.ram_size - 16)
        return;
    k->entry = at;
    k->indicator = ram_word(u, at);
    k->limit = ram_word(u, at + 8);
}

/* The same of the program's island. */
static void place_armed(const struct pif *p, struct pif_place *k, uint32_t pc)
{
    k->armed = p->markers ? host_markers_find(p->markers, pc) : NULL;
    if (!k->armed)
        return;
    k->indicator = k->armed->indicator;
    k->limit = k->armed->limit;
}

void carrier_insn(struct pif *p, unsigned unit, const struct pif_insn *i)
{
    struct pif_unit *u = &p->unit[unit];

    u->at = (struct pif_place){0};
    if (!u->insns)
        return;
    switch (pif_carrier(u)) {
    case PIF_CARRIER_SHADOW:
        place_shadow(&u->at, &u->side[0], i->frame, i->pa, i->pc, i->context);
        break;
    case PIF_CARRIER_WIDE:
        place_wide(&u->at, u->wide, unit == PIF_HOST ? i->pc : i->pa);
        break;
    case PIF_CARRIER_MARKER:
        if (unit == PIF_HOST)
            place_armed(p, &u->at, i->pc);
        else
            place_marker(p, &u->at, i->pc);
        break;
    }
}

void carrier_data(struct pif *p, unsigned unit, struct pif_place *k,
                  const struct pif_access *a, uint32_t ahead, uint32_t context)
{
    struct pif_unit *u = &p->unit[unit];

    *k = (struct pif_place){0};
    if (pif_carrier(u) == PIF_CARRIER_SHADOW)
        place_shadow(k, &u->side[1], a->frame, a->pa + ahead, a->ea + ahead,
                     context);
    else if (pif_carrier(u) == PIF_CARRIER_WIDE)
        place_wide(k, u->wide_data, (unit == PIF_HOST ? a->ea : a->pa) + ahead);
}

/* The shadow cache may have lost the frame since the instruction began. */
void carrier_again(struct pif *p, unsigned unit, const struct pif_insn *i)
{
    struct pif_place *k = &p->unit[unit].at;

    if (k->frame && k->frame->line != k->line)
        place_shadow(k, k->side, i->frame, i->pa, i->pc, i->context);
}

/* ---- marker instructions ------------------------------------------------- */

void pif_island(struct pif *p, struct host_markers *markers)
{
    if (p->with.built_in)
        p->markers = markers;
}

bool pif_marker(struct pif *p, uint32_t pc, unsigned n, unsigned k)
{
    bool island = p->markers && markers_has(p->markers->of, pc);

    if (!island && !p->unit[PIF_GUEST].on)
        return false;
    p->gates++;
    if (island) {
        host_markers_arm(p->markers, n, k);
    } else {
        p->marker = n << MARKER_WORDS | k;
        p->marker_at = pc + 4;
    }
    return true;
}

/* ---- its counter --------------------------------------------------------- */

bool carrier_has_counter(const struct pif_place *k)
{
    return !k->frame || k->frame->format == SHADOW_FULL;
}

/* One more. Returns what the processor now sees as the count. */
uint32_t carrier_count(struct pif *p, struct pif_unit *u, struct pif_place *k,
                       cycle_t at)
{
    uint32_t bits = u->source.counter, count;

    if (k->frame) {
        shadow_count(k->side, k->frame, k->word, at);
        if (k->side->source->marks && !p->with.own_host_limits)
            return shadow_since(k->side, k->frame, k->word) & bits;
        if (p->with.global_limits && !k->side->source->marks)
            shadow_settle_word(k->side, k->frame, k->word);
        return shadow_view(k->frame, k->word) & bits;
    }
    if (k->wide)
        return k->wide->count = (k->wide->count + 1) & bits;
    if (k->armed) {
        k->armed->count++;
        if (~bits)
            k->armed->count &= bits;
        return (uint32_t)k->armed->count;
    }
    count = (ram_word(u, k->entry + 4) + 1) & bits;
    ram_put(u, k->entry + 4, count);
    return count;
}

void carrier_hit(struct pif_unit *u, struct pif_place *k, uint32_t n)
{
    if (k->frame)
        shadow_hit(k->side, k->frame, k->word, n);
    else if (k->wide)
        k->wide->hits += n;
    else if (k->armed)
        k->armed->hits += n;
    else
        ram_put(u, k->entry + 12, ram_word(u, k->entry + 12) + n);
}

/* The host's handler reads and clears as rdicz does: all processors. */
static uint32_t clear_frames(struct pif *p, struct pif_place *k)
{
    for (unsigned n = 0; n < p->peers && k->side->source->marks; n++)
        shadow_clear_soon(&p->peer[n]->unit[PIF_HOST].side[k->side->data],
                          k->frame->mark, k->word);
    return shadow_clear(k->side, k->frame, k->word);
}

uint32_t carrier_clear(struct pif *p, struct pif_unit *u, struct pif_place *k)
{
    uint32_t count;

    if (k->frame)
        return clear_frames(p, k);
    if (k->wide) {
        count = k->wide->count;
        k->wide->before += count;
        k->wide->count = 0;
    } else if (k->armed) {
        count = (uint32_t)k->armed->count;
        k->armed->before += count;
        k->armed->count = 0;
    } else {
        count = ram_word(u, k->entry + 4);
        ram_put(u, k->entry + 4, 0);
    }
    return count;
}
