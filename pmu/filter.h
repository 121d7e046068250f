/* filter.h - events that are other events, of some instructions only.
 *
 * Two sorts of rows: `defined_N`, an event that --event defines, and
 * `filtered_N`, what PMCn selects less what its field of PIFF keeps out.
 * While one of them is wanted its base is tapped: every add of it is held
 * until the instruction at work is through and all of struct doing is known,
 * and is then added to the row too, if the condition holds, with the cycle at
 * which it happened. While none is wanted nothing here is called.
 * docs/pif.md, sections 8 and 12.
 */
#ifndef PMU_FILTER_H
#define PMU_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/define.h"
#include "pmu/doing.h"
#include "pmu/names.h"
#include "pmu/signal.h"

/* Adds of one instruction and of the wrong path behind it: a string moves 32
 * words that may each miss, cast out, search a table and cross a threshold. */
#define FILTER_HELD 1024
#define FILTER_ROWS 16

struct held {
    enum event id;
    bool user;  /* the mode in which the host counts it */
    bool exact; /* a threshold: SIA and SDA are known */
    struct data_access data;
    uint64_t n;
    cycle_t at;
};

/* A row that is wanted. */
struct filter_row {
    enum event row, base;
    const struct define *define; /* NULL: filtered, by */
    unsigned code;               /* ... a field of PIFF */
};

struct filter {
    const struct define *define; /* of --event; not owned */
    unsigned defines;
    unsigned counted; /* bit k: the host counts definition k */
    bool active;      /* a row is wanted: the core fills struct doing */
    bool refused;     /* a PMC's event cannot be filtered as PIFF asks */
    unsigned rows;
    struct filter_row row[FILTER_ROWS];
    bool exact; /* of the add that comes: as in struct held */
    unsigned held;
    struct held hold[FILTER_HELD];
};

struct pmu;

/* Right behind pmu_reset: the definitions, n of them. */
void filter_define(struct pmu *p, const struct define *d, unsigned n);

/* The host counts row id whatever the guest does; any row will do. */
void filter_count(struct pmu *p, enum event id);

/* The row of definition k; n from 1: of PMCn's filter. */
enum event filter_defined(unsigned k);
enum event filter_filtered(unsigned n);

/* What PMCn (n from 1) has to count when it selects `event` (-1: nothing),
 * filters being in effect. EV_nothing: it is refused. */
int filter_event(const struct pmu *p, unsigned n, int event);

/* The kind that the adds of row id have: its base's. */
enum event_kind filter_kind(const struct pmu *p, enum event id);

/* Selections changed: find out who is wanted. Private to pmu/. */
void filter_refresh(struct pmu *p);

/* An add of a tapped row. Private to pmu/. */
void filter_hold(struct pmu *p, enum event id, uint64_t n, cycle_t at);

/* The instruction whose adds are held from number `from` on is through, or
 * will never be: `d` is all there is to know. Several nest, a wrong path
 * within its branch: remember `held` before the inner one begins. */
void filter_end(struct pmu *p, unsigned from, const struct doing *d);

#endif
