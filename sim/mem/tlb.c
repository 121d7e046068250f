/* tlb.c - tags, two ways, least recently used. See tlb.h. */
#include "sim/mem/tlb.h"

#include "lib/base/snap.h"

void tlb_tags_enter(struct tlb_tags *t, uint32_t vsid, ea_t ea)
{
    unsigned set = tlb_set(ea), way = t->older[set];

    t->tag[set][way] = tlb_tag(vsid, ea);
    t->older[set] = (uint8_t)!way;
}

void tlb_tags_forget(struct tlb_tags *t, ea_t ea)
{
    unsigned way;

    for (way = 0; way < TLB_WAYS; way++)
        t->tag[tlb_set(ea)][way] = 0;
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
