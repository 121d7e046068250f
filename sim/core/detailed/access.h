/* access.h - what an access met: TLB, page table, tags, other processors.
 *
 * The first of two halves. The functions here change tags, states and shadow
 * frames, and say what they found; no cycle goes in or comes out. What it costs
 * is the second half (lsu.c, refill.c, search.c, fetch.c), which reads these
 * outcomes and changes calendars, queues and arrivals. Given the outcomes, the
 * time is a function of the state of the second half alone.
 *
 * What ties the two together is order: accesses of one processor come in
 * program order, fetches as groups begin, those of several processors in the
 * order of dispatch (docs/architecture.md, "Outcomes and time").
 */
#ifndef SIM_CORE_DETAILED_ACCESS_H
#define SIM_CORE_DETAILED_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/insn.h"
#include "sim/mem/bus.h"
#include "sim/mem/cache.h"
#include "sim/mem/tlb.h"

struct core;

/* Everything that an outcome depends on, beside the registers, the page table
 * and the same of the other processors. Owned by struct pipe; the arrivals in
 * the caches belong to the second half. */
struct tags {
    struct cache icache, dcache;
    struct tlb_tags itlb, dtlb;
    ea_t fetch_page; /* the page the latest fetch was on; 1: none */
    unsigned marked; /* of the step's R and C, those that an outcome has */
};

enum line_answer {
    LINE_NONE,    /* not asked for */
    LINE_SINGLE,  /* past the cache: a beat on the bus */
    LINE_THROUGH, /* W: stored to memory, no other keeps a copy */
    LINE_HIT,     /* there; a store to S asked the others to give it up */
    LINE_MISS,    /* read from the bus */
    LINE_ZEROED,  /* dcbz: made here, the others gave it up */
    LINE_OUT,     /* dcbst, dcbf, dcbi: a modified copy goes to memory */
    LINE_ICBI     /* no instruction cache has it any more */
};

/* One line, or one beat past the cache. Fields that the answer does not use are
 * not set. */
struct line_outcome {
    uint8_t answer;    /* enum line_answer */
    uint8_t found;     /* enum mesi: of our own copy, before; I: none */
    uint8_t op;        /* enum bus_op, if `asked` */
    bool asked;        /* the bus was, and the others answered */
    bool castout;      /* the frame's modified line makes room */
    uint8_t word;      /* double word of the line that is wanted, from 0 */
    uint16_t frame;    /* where it is now, unless there is none */
    uint32_t shadow;   /* bytes of shadow traffic that the fill causes */
    struct snooped by; /* ... whom it met */
};

/* The page table is searched: a TLB missed, or R or C has to be set. */
struct search_outcome {
    bool searched;
    bool missed;            /* the TLB did not hold the page, and does now */
    bool stored;            /* R or C: `mark` is the line of the entry */
    uint8_t lines, entries; /* of the table, read */
    struct line_outcome line[4], mark;
};

/* One access: translated, then its line. */
struct access_outcome {
    struct search_outcome search;
    struct line_outcome line;
};

/* What the accesses of c->cpu.step met, of the instruction i that has just run,
 * at least one: o[k] of access[k]. Accesses that do not go to memory
 * (a failed stwcx.) have LINE_NONE. */
void access_data(struct core *c, const struct insn *i,
                 struct access_outcome *o);

/* As access_data, of a load or store of memory that is cached as usual, while
 * its page is in the TLB, its line is not in the cache, and the step has no
 * mark. The line goes to `way`, cache_victim's. */
void access_absent(struct core *c, const struct access *a, bool store,
                   struct line *way, struct access_outcome *o);

/* As access_data, of one load or store of memory that is cached as usual, while
 * the facility rests and the step has no mark; without an outcome. */
void access_plain(struct core *c, ea_t ea, pa_t pa, bool store);
/* The same, of an access that the TLB holds, which has noted the use. Returns
 * its line. */
struct line *access_line(struct core *c, pa_t pa, bool store);

/* A group of instructions is fetched, the first at pc and physical pa, with
 * instruction caching inhibited or not. */
void access_fetch(struct core *c, ea_t pc, pa_t pa, bool inhibited,
                  struct access_outcome *o);

/* Is the line of pa still in the instruction cache? *frame is where. */
bool access_fetched(const struct core *c, pa_t pa, unsigned *frame);

#endif
