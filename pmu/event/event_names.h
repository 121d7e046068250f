/* event_names.h - the rows of events.def as facts: for tools, tests and code
 * that selects an event by its name.
 */
#ifndef PMU_EVENT_EVENT_NAMES_H
#define PMU_EVENT_EVENT_NAMES_H

#include <stdbool.h>

#include "lib/base/did_you_mean.h"
#include "pmu/event/signal.h"

enum event_kind {
    KIND_POINT,
    KIND_INTERVAL,
    KIND_LEVEL,
    KIND_BUSY,
    KIND_IDLE,
    KIND_CLOCK,
    KIND_DEFINED
};

/* Which access a sample of the event is of; a DEFINED row says EACH. */
enum event_data { DATA_NONE, DATA_FIRST, DATA_EACH };

const char *event_name(enum event id);
int event_by_name(const char *name); /* -1: no such event */
/* The events of the table that can be counted, for "did you mean". */
void event_offer(struct did_you_mean *n);
int event_selector(enum event id, unsigned pmc); /* pmc 1-4; -1: not there */
int event_selected(unsigned pmc, unsigned selector); /* -1: nothing */
const char *event_text(enum event id);
const char *event_unit(enum event id);
enum event_kind event_kind(enum event id);
int event_row(enum event id);    /* whose adds move it; -1: the clock's */
bool event_owned(enum event id); /* by an instruction or its line request */
enum event_data event_data(enum event id);

#endif
