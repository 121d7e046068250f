/* mark_feed.h - what the instrumentation facility (pmu/pif/pif.h) is told of an
 * instruction. mark_feed_before is called only while
 * c->pif.active, mark_feed_done for those for which it was (c->pif.begun).
 */
#ifndef SIM_CORE_MARK_FEED_H
#define SIM_CORE_MARK_FEED_H

#include "sim/core/core.h"
#include "sim/mem/cache.h"

/* After pif_init: where the facility finds count areas. */
void mark_feed_init(struct core *c);

/* The count unit of `size` bytes at ea, as the processor's latest addition to
 * a count area would find it, or, without one, as a store would now. False: it
 * would not. Changes nothing. */
bool mark_feed_unit(struct core *c, ea_t ea, unsigned size, uint32_t *value);

/* i, at cpu.pc and physical pa, is about to run. True: its mark raises an
 * exception first. */
bool mark_feed_before(struct core *c, pa_t pa);

/* It completed. `slot` is its position in the dispatch group. */
void mark_feed_done(struct core *c, const struct insn *i, pa_t pa,
                    unsigned slot, cycle_t issue, cycle_t complete);

/* What is marked, for struct doing: of the instruction that just completed,
 * or of s, which did not. */
void mark_feed_say(const struct core *c, struct insn_info *d);
void mark_feed_passing(struct core *c, pa_t pa, struct insn_info *d);

/* A frame of the instruction or data cache was just filled with the line of pa,
 * asked for by effective address ea: its shadow comes along. */
void mark_feed_filled(struct core *c, bool data, unsigned frame, pa_t pa,
                      ea_t ea);
/* A frame of the data cache was filled by a search of the page table. */
void mark_feed_searched(struct core *c, unsigned frame, pa_t pa);
/* The bytes that the shadow cache moved since this was asked last. */
uint32_t mark_feed_traffic(struct core *c);
/* They take the bus from cycle `at` on, or would (knob pif_charge). */
void mark_feed_charge(struct core *c, uint32_t bytes, cycle_t at);
/* A line of c may be gone from its cache. */
void mark_feed_lost(struct core *c, bool data, pa_t pa);

/* Frames of the instruction or data cache, as shadow frames are numbered; a
 * frame of their number: not cached. Without caches frames go by address. */
unsigned mark_feed_frames(const struct core *c, bool data);
#define MARK_FEED_FRAMES 1024 /* without caches */

#endif
