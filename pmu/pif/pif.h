/* pif.h - the Performance Instrumentation Facility of one processor:
 * docs/pif.md is the book, and this follows it.
 *
 * The core tells what an instruction did; marks, thresholds, windows, ranges
 * and exceptions follow from that. There are two units of one shape: the
 * guest's, programmed through registers, and the host's. Nothing here knows a
 * pipeline, and nothing changes a cycle: what the traffic would cost is added
 * up for the core to charge or not.
 */
#ifndef PMU_PIF_PIF_H
#define PMU_PIF_PIF_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/pif/area.h"
#include "pmu/pif/branches.h"
#include "pmu/pif/host_markers.h"
#include "include/mark_bits.h"
#include "pmu/pif/sampled.h"
#include "pmu/pif/shadow.h"
#include "pmu/event/signal.h"
#include "pmu/pif/widened.h"

enum { PIF_GUEST, PIF_HOST, PIF_UNITS };

struct pif_range {
    bool on, inside; /* inside: the one before was */
    uint32_t low, high;
    uint64_t executed, entries;
};

/* One access of an instruction to memory. */
struct pif_access {
    uint32_t ea, pa;
    unsigned size; /* bytes */
    bool store;
    unsigned frame; /* of the data cache */
    uint32_t cycles;
    cycle_t at;
};

/* The instruction at work, as the core knows it before it runs (pc, pa, frame,
 * context) and after. */
struct pif_insn {
    uint32_t pc, pa;
    unsigned frame; /* of the instruction cache */
    uint32_t context;
    unsigned slot; /* position in its dispatch group, from 1 */
    cycle_t issue, complete;
    uint32_t data_cycles;        /* of its slowest access */
    struct widened_move move[2]; /* widened words: of each unit */
};

/* A mark that was found, wherever it is carried. */
struct pif_place {
    uint32_t indicator, limit;
    struct shadow_side *side; /* shadow storage */
    struct shadow_frame *frame;
    uint32_t line; /* what the frame held */
    unsigned word;
    struct widened_word *wide; /* widened words */
    uint32_t entry;            /* marker table; 0: none */
    struct host_marker *armed; /* marker table of the host */
};

struct pif_unit {
    bool on;
    uint32_t mode;          /* PIFM */
    bool insns, data;       /* looked up in the present state of MSR */
    bool insns_at, data_at; /* ... when the instruction at work began */
    uint32_t threshold[4];
    uint32_t bits; /* IND_TH of those that are built in */
    struct pif_range range[2 * PIF_RANGES]; /* data behind instructions */
    struct areas areas;
    bool window, tracing;
    uint64_t windowed, traced, exceeded;
    cycle_t exceeding; /* PIFM[CO]: an exceedance lasts until here */
    struct shadow_source source;
    struct shadow_side side[2];       /* instructions, data */
    struct shadow_pool pool;          /* of both */
    struct widened *wide, *wide_data; /* of instructions, of data: the guest has
                                       * one for both; not owned */
    struct pif_place at;              /* of the instruction at work */
    struct {
        uint32_t pc, length, context;
        cycle_t begin;
    } run; /* traced instructions that are not reported yet */
};

/* What goes to the experiment. */
enum pif_report_kind { PIF_REPORT_TRAP, PIF_REPORT_RUN };
struct pif_report {
    enum pif_report_kind kind;
    unsigned cpu, unit;
    unsigned cause; /* TRAP: PIFX_... */
    uint32_t ia, da;
    uint64_t count; /* TRAP: of the mark. RUN: instructions from ia on */
    uint32_t context;
    cycle_t at;
};

/* What an instruction turned out to be, for filters: one unit's view. */
struct pif_seen {
    bool marked, window;
    uint8_t ranges, data_ranges;
};

/* What is known of a page of code: page_filter.c. */
struct pif_page {
    uint32_t page, frame; /* its effective and physical address */
    uint8_t looked;       /* units that look instructions up, a bit each */
    bool known, quiet;
};
#define PIF_PAGES 256

struct pif_knobs {
    bool built_in;
    uint32_t line_bytes;  /* of a cache line: a block */
    bool global_limits;   /* of the guest's marks */
    bool own_host_limits; /* of the host's: each processor's own counts */
    unsigned host_carrier;
    unsigned pmcs;    /* for PIFC */
    uint32_t seed;    /* of the dither of sampled instructions */
    unsigned frames;  /* shadow frames that both sides share; 0: each line's */
    unsigned counter; /* bits of a counter, 1 to 32; 0: 32 */
    unsigned th_bits; /* threshold bits, 1 to 4; 0: 3 */
};

struct pif {
    struct pif_knobs with;
    unsigned cpu;
    bool widened;   /* a unit's carrier is widened words */
    bool active;    /* every instruction has to be looked at */
    bool listening; /* ... or to hear what became of it: one of these two */
    struct sampled sampled;
    struct branches branches;
    struct pif_unit unit[PIF_UNITS];
    struct pif *const *peer; /* of all processors, this one among them */
    unsigned peers;
    bool user, pm, open; /* MSR[PR], [PM]; EE and RI both on */
    /* Guest registers without a use of their own. */
    uint32_t cause, ia, da, lost;
    uint32_t segment, range, area; /* what PIFSEG, PIFRS and PIFAS name */
    uint32_t marker_table, marker, marker_at;
    uint32_t wide_at;
    /* The island of the program's marker instructions, of the host unit. NULL:
     * it has none. And what they cost on this processor. */
    struct host_markers *markers;
    uint64_t gates, added; /* pmarks, and branches that lead to them */
    bool refused;
    /* Exceptions. */
    bool resume;
    bool begun;     /* pif_before has been called for the instruction at work */
    bool masked;    /* one was taken; EE and RI are not both on yet */
    bool masked_at; /* ... when the instruction at work began */
    bool owed;      /* cause 1 of the instruction at work had to wait */
    struct {
        bool full;
        uint32_t cause, ia, da;
        cycle_t at;  /* latch: since when */
    } latch, wanted; /* ... the best cause of the instruction at work */
    unsigned wants;  /* ... how many it has */
    /* What the instruction at work turned out to be, for filters. */
    struct pif_seen seen[PIF_UNITS];
    struct pif_page page[PIF_PAGES];
    void (*report)(void *arg, const struct pif_report *r); /* NULL: none */
    void *arg;
    struct area_port areas; /* where count areas are; set by the core */
};

/* Power-on. peer: pointers to the facilities of n processors. False: the host
 * has no memory. */
bool pif_init(struct pif *p, unsigned cpu, const struct pif_knobs *k,
              struct pif *const *peer, unsigned n, uint8_t *ram,
              uint32_t ram_size, struct widened *wide, unsigned iframes,
              unsigned dframes);
void pif_free(struct pif *p);

#define MARKER_WORDS 27 /* PIFMK: where its count of words is */

/* HID0[PIFE] changed. */
void pif_enable(struct pif *p, bool on);
/* The host's unit: marks to look for (may still be empty), the data side too;
 * widened words of instructions, and behind them those of data. Modes of
 * docs/pif.md 4. */
void pif_host(struct pif *p, struct host_marks *marks, struct widened wide[2],
              uint32_t mode);
/* The processor has another address space from its next instruction on, in
 * which programs that the host marked are where `v` says, of which a copy is
 * kept. Nothing where it is the same list. */
void pif_host_view(struct pif *p, const struct host_view *v);
/* The program has an island: its marker instructions exist from now on. */
void pif_island(struct pif *p, struct host_markers *markers);

/* A unit's mode register, and whether it is on. */
void pif_mode(struct pif *p, unsigned unit, bool on, uint32_t mode);

/* MSR changed: PR, PM, and whether EE and RI are both set. */
void pif_msr(struct pif *p, bool user, bool pm, bool open);

/* mfspr, mtspr of a register of docs/pif.md 4 (not those of section 8, which
 * are the monitor's). */
uint32_t pif_read(struct pif *p, unsigned spr, cycle_t now);
void pif_write(struct pif *p, unsigned spr, uint32_t value);

/* The word of an instruction or of data: its count, for rdac and rdic. */
uint32_t pif_count(struct pif *p, uint32_t pa, bool data, bool clear);
/* pifsync, of either unit. */
void pif_sync(struct pif *p);
/* pmark n,k at pc. False: it is illegal, neither the guest's unit is on nor is
 * it in an island. */
bool pif_marker(struct pif *p, uint32_t pc, unsigned n, unsigned k);

/* A line was filled: its shadow comes along. */
void pif_filled(struct pif *p, bool data, unsigned frame, uint32_t pa,
                uint32_t ea);

/* So was one by a search of the page table, for the data cache. A search knows
 * no effective address, by which host marks are found: those come at the line's
 * next lookup, and what the frame had before goes now. */
void pif_filled_by_search(struct pif *p, unsigned frame, uint32_t pa);

/* The line of pa is gone from the `ways` frames from `first` on. */
void pif_lost(struct pif *p, bool data, unsigned first, unsigned ways,
              uint32_t pa);

/* i is about to run. True: it raises indicator exception 1 first; then
 * pif_excepted. */
bool pif_before(struct pif *p, const struct pif_insn *i);
/* It completed, having made n accesses. */
void pif_done(struct pif *p, const struct pif_insn *i,
              const struct pif_access *a, unsigned n);

/* No instruction of the page of pc, which is at pa, is marked, and nothing else
 * wants to know of those that run: pif_before and pif_done are not needed for
 * them, but for pif_quiet_ran when n were executed, and rfi. */
bool pif_quiet(struct pif *p, uint32_t pc, uint32_t pa);
void pif_quiet_ran(struct pif *p, uint64_t n);
/* Marks may have changed. */
void pif_disturbed(struct pif *p);

/* i is fetched and does not complete, or not now: what it is all the same,
 * as things stand; nothing counts. */
void pif_passing(struct pif *p, const struct pif_insn *i,
                 struct pif_seen seen[PIF_UNITS]);

/* Cause 1 is being taken at pc. */
void pif_excepted(struct pif *p, uint32_t pc);
/* Is an exception pending that may be taken now? */
static inline bool pif_pending(const struct pif *p)
{
    return p->latch.full && p->open && p->unit[PIF_GUEST].on;
}
/* An exception of the guest's sampler, signalled at cycle `at`. False: it is
 * lost. */
bool pif_signal(struct pif *p, unsigned cause, uint32_t ia, uint32_t da,
                cycle_t at);
/* The sampler or the branch record was changed: so is p->listening. */
void pif_told(struct pif *p);
/* It is being taken. */
void pif_taken(struct pif *p);
/* Any exception was entered: bits for its SRR1. */
uint32_t pif_entered(struct pif *p);
/* rfi completed with this SRR1. */
void pif_returned(struct pif *p, uint32_t srr1);

/* Report what is traced so far; write every count of one side back. */
void pif_flush(struct pif *p);
void pif_gather(struct pif *p, bool data);

/* What an addition to a count area takes: the unit is read, and written. */
#define AREA_TRAFFIC 16

/* Bytes of shadow traffic and of additions so far, both sides and
 * units. */
uint64_t pif_traffic(const struct pif *p);

/* Save or load it: lib/base/snap.h. False: s->why says why. Between two
 * instructions; the host's marks come before it. */
struct snap;
bool pif_state(struct snap *s, struct pif *p);

#endif
