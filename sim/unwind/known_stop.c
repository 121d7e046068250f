/* known_stop.c - see known_stop.h. What has no room is not kept. */
#include "sim/unwind/known_stop.h"

#include "isa/mmu.h"

#define PAGE 0xFFFu
#define MANY 0xFFFFu /* pages: more than there is room for */

/* NULL: nothing is kept. */
static struct known_stop *place(const struct names *names, ea_t pc)
{
    return names->stops ? &names->stops[pc >> 2 & (KNOWN_STOPS - 1)] : NULL;
}

/* Is the back chain at sp `offset` bytes off? */
static bool chained(const struct core *c, ea_t sp, int32_t offset)
{
    uint32_t chain;

    return frame_flow_word(c, sp, TLB_LOAD, &chain) &&
           chain == sp - (ea_t)offset;
}

static bool stands(const struct core *c, const struct known_stop *k)
{
    pa_t pa;

    if (k->forgotten != c->with.decoded->forgotten)
        return false;
    for (unsigned n = 0; n < k->pages; n++)
        if (!mmu_peek(&c->cpu, k->page[n], TLB_FETCH, &pa) || pa != k->frame[n])
            return false;
    return true;
}

bool known_stop_find(const struct core *c, const struct names *names, ea_t pc,
                     ea_t sp, bool *found, struct frame_flow *u)
{
    const struct known_stop *k = place(names, pc);

    if (!k || !k->pages || k->pc != pc || !stands(c, k))
        return false;
    for (unsigned n = 0; n < k->asked; n++)
        if (chained(c, sp, k->offset[n]) != k->yes[n])
            return false;
    *found = k->found;
    if (k->found)
        *u = (struct frame_flow){
            .sp = (enum frame_flow_sp)k->sp,
            .offset = k->frame_offset,
            .back = (enum frame_flow_back)k->back,
            .gpr = k->gpr,
            .slot = k->slot,
        };
    return true;
}

void known_stop_begin(const struct core *c, struct known_stop *k, ea_t pc)
{
    k->forgotten = c->with.decoded->forgotten;
    k->pc = pc;
    k->pages = k->asked = 0;
}

void known_stop_reads(const struct core *c, struct known_stop *k, ea_t ea)
{
    unsigned n = k->pages;

    ea &= ~PAGE;
    while (n && n <= KNOWN_PAGES && k->page[n - 1] != ea)
        n--;
    if (n)
        return;
    if (k->pages >= KNOWN_PAGES ||
        !mmu_peek(&c->cpu, ea, TLB_FETCH, &k->frame[k->pages])) {
        k->pages = MANY;
        return;
    }
    k->page[k->pages++] = ea;
}

bool known_stop_asks(const struct core *c, struct known_stop *k, ea_t sp,
                     int32_t offset)
{
    bool yes = chained(c, sp, offset);

    for (unsigned n = 0; n < k->asked; n++)
        if (k->offset[n] == offset)
            return yes;
    if (k->asked == KNOWN_ASKED) {
        k->pages = MANY;
        return yes;
    }
    k->offset[k->asked] = offset;
    k->yes[k->asked++] = yes;
    return yes;
}

void known_stop_keep(const struct names *names, const struct known_stop *k,
                     bool found, const struct frame_flow *u)
{
    struct known_stop *to = place(names, k->pc);

    if (!to || k->pages > KNOWN_PAGES)
        return;
    *to = *k;
    to->found = found;
    to->sp = u->sp;
    to->back = u->back;
    to->frame_offset = u->offset;
    to->slot = u->slot;
    to->gpr = u->gpr;
}
