/* derived.h - events that are other events, of some instructions only.
 *
 * Two sorts of rows: `defined_N`, an event that --event defines, and
 * `filtered_N`, what PMCn selects less what its field of PIFF keeps out.
 * While one of them is wanted its base is tapped: every add of it is held
 * until the instruction at work is through and all of struct insn_info is
 * known, and is then added to the row too, if the condition holds, with the
 * cycle at which it happened. While none is wanted nothing here is called.
 * docs/pif.md, sections 8 and 12.
 */
#ifndef PMU_COUNTER_DERIVED_H
#define PMU_COUNTER_DERIVED_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/predicate/predicate.h"
#include "pmu/predicate/insn_info.h"
#include "pmu/event/event_names.h"
#include "pmu/event/signal.h"

/* Adds of one instruction and of the wrong path behind it: a string moves 32
 * words that may each miss, cast out, search a table and cross a threshold. */
#define DERIVED_HELD 1024
#define DERIVED_ROWS 16

struct held {
    enum event id;
    bool user;  /* the mode in which the host counts it */
    bool exact; /* a threshold: SIA and SDA are known */
    struct data_access data;
    uint64_t n;
    cycle_t at;
};

/* A row that is wanted. */
struct derived_row {
    enum event row, base;
    const struct predicate *define; /* NULL: filtered, by */
    unsigned code;                  /* ... a field of PIFF */
};

struct derived {
    const struct predicate *define; /* of --event; not owned */
    unsigned defines;
    unsigned counted; /* bit k: the host counts definition k */
    bool active;      /* a row is wanted: the core fills struct insn_info */
    bool refused;     /* a PMC's event cannot be filtered as PIFF asks */
    unsigned rows;
    struct derived_row row[DERIVED_ROWS];
    bool exact; /* of the add that comes: as in struct held */
    unsigned held;
    struct held hold[DERIVED_HELD];
};

struct pmu;

/* Right behind pmu_reset: the definitions, n of them. */
void derived_define(struct pmu *p, const struct predicate *d, unsigned n);

/* The host counts row id whatever the guest does; any row will do. */
void derived_count(struct pmu *p, enum event id);

/* The row of definition k. */
enum event derived_defined(unsigned k);

/* What PMCn (n from 1) has to count when it selects `event` (-1: nothing),
 * filters being in effect. EV_nothing: it is refused. */
int derived_event(const struct pmu *p, unsigned n, int event);

/* The kind that the adds of row id have: its base's. */
enum event_kind derived_kind(const struct pmu *p, enum event id);

/* Selections changed: find out who is wanted. Private to pmu/. */
void derived_refresh(struct pmu *p);

/* An add of a tapped row. Private to pmu/. */
void derived_hold(struct pmu *p, enum event id, uint64_t n, cycle_t at);

/* The instruction whose adds are held from number `from` on is through, or
 * will never be: `d` is all there is to know. Several nest, a wrong path
 * within its branch: remember `held` before the inner one begins. */
void derived_end(struct pmu *p, unsigned from, const struct insn_info *d);

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool derived_state(struct snap *s, struct derived *f);

#endif
