/* tlb.c - tags, two ways, least recently used. See tlb.h. */
#include "sim/mem/tlb.h"

#include "lib/base/snap.h"

#define VALID ((uint64_t)1 << 63)

static unsigned set_of(ea_t ea)
{
    return ea >> 12 & (TLB_SETS - 1);
}

static uint64_t tag_of(uint32_t vsid, ea_t ea)
{
    return VALID | (uint64_t)vsid << 20 | (ea >> 12 & 0xFFFF);
}

bool tlb_tags_look(struct tlb_tags *t, uint32_t vsid, ea_t ea)
{
    uint64_t tag = tag_of(vsid, ea);
    unsigned set = set_of(ea), way;

    for (way = 0; way < TLB_WAYS; way++)
        if (t->tag[set][way] == tag) {
            t->older[set] = (uint8_t)!way;
            return true;
        }
    return false;
}

void tlb_tags_enter(struct tlb_tags *t, uint32_t vsid, ea_t ea)
{
    unsigned set = set_of(ea), way = t->older[set];

    t->tag[set][way] = tag_of(vsid, ea);
    t->older[set] = (uint8_t)!way;
}

void tlb_tags_forget(struct tlb_tags *t, ea_t ea)
{
    unsigned way;

    for (way = 0; way < TLB_WAYS; way++)
        t->tag[set_of(ea)][way] = 0;
}

bool tlb_tags_state(struct snap *s, struct tlb_tags *t)
{
    snap_begin(s, "tlb tags", 1);
    for (unsigned set = 0; set < TLB_SETS; set++) {
        SNAP_ARRAY(s, t->tag[set]);
        SNAP_BELOW(s, t->older[set], TLB_WAYS);
    }
    return snap_end(s);
}
