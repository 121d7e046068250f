/* tlb.h - a translation lookaside buffer: which pages it holds, not where
 * they are.
 *
 * isa/ translates by the tables; the machine asks here whether the chip would
 * have had to. 604 UM p.37: separate ones for instructions and data, 128
 * entries, 2 ways, least recently used.
 *
 * APPROX: the set is EA[14-19], and tlbie takes both ways of it. Source: a
 * choice, the bits that sets of 64 suggest. Cost: pages that collide here may
 * not on the chip.
 */
#ifndef SIM_MEM_TLB_H
#define SIM_MEM_TLB_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/types.h"

#define TLB_SETS 64u
#define TLB_WAYS 2u

struct tlb_tags {
    uint64_t tag[TLB_SETS][TLB_WAYS]; /* VSID << 20 | page index, and 1 << 63 */
    uint8_t older[TLB_SETS];          /* the way used longer ago */
};

static inline unsigned tlb_set(ea_t ea)
{
    return ea >> 12 & (TLB_SETS - 1);
}

static inline uint64_t tlb_tag(uint32_t vsid, ea_t ea)
{
    return (uint64_t)1 << 63 | (uint64_t)vsid << 20 | (ea >> 12 & 0xFFFF);
}

/* Is the page of ea, in segment vsid, held? Notes the use. */
static inline bool tlb_tags_look(struct tlb_tags *t, uint32_t vsid, ea_t ea)
{
    uint64_t tag = tlb_tag(vsid, ea);
    unsigned set = tlb_set(ea), way;

    for (way = 0; way < TLB_WAYS; way++)
        if (t->tag[set][way] == tag) {
            t->older[set] = (uint8_t)!way;
            return true;
        }
    return false;
}

/* The same, of which nothing is noted. */
static inline bool tlb_tags_hold(const struct tlb_tags *t, uint32_t vsid,
                                 ea_t ea)
{
    const uint64_t *tag = t->tag[tlb_set(ea)];

    return tag[0] == tlb_tag(vsid, ea) || tag[1] == tlb_tag(vsid, ea);
}

/* A note at an answer that the host's side remembers (isa/mmu.h), beside WIMG:
 * its page is memory that is cached and written back, and is held in the way
 * that is not tlb_noted_older. Whatever takes the page out takes the note. */
#define TLB_HELD 0x10u

static inline uint8_t tlb_note(const struct tlb_tags *t, uint32_t vsid, ea_t ea)
{
    unsigned way = t->tag[tlb_set(ea)][0] != tlb_tag(vsid, ea);

    return (uint8_t)(TLB_HELD | !way << 5);
}

static inline uint8_t tlb_noted_older(uint8_t note)
{
    return note >> 5;
}

/* It is now, in the place of the one used longer ago. */
void tlb_tags_enter(struct tlb_tags *t, uint32_t vsid, ea_t ea);

/* tlbie: the whole set of ea, both ways. */
void tlb_tags_forget(struct tlb_tags *t, ea_t ea);

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool tlb_tags_state(struct snap *s, struct tlb_tags *t);

#endif
