/* event_names.c - the rows of events.def and stalls.def as facts to ask for.
 * Knows the tables and nothing that happens.
 */
#include "pmu/event/event_names.h"

#include <string.h>

#include "pmu/oracle.h"
#include "pmu/pmu.h"

struct row {
    const char *name, *unit, *text;
    enum event_kind kind;
    int adds; /* the row whose adds move this one */
    bool owned;
    enum event_data data;
    int8_t selector[PMU_SELECTS];
};

#define ADDS_POINT(name, unit) EV_##name
#define ADDS_INTERVAL(name, unit) EV_##name
#define ADDS_LEVEL(name, unit) EV_##name
#define ADDS_BUSY(name, unit) EV_##name
#define ADDS_IDLE(name, unit) EV_##unit##_busy
#define ADDS_CLOCK(name, unit) (-1)
#define ADDS_DEFINED(name, unit) EV_##name

#define OWNED_INSN true
#define OWNED_LINE true
#define OWNED_NONE false

static const struct row rows[EV_COUNT] = {
#define EVENT(name, kind, owner, data, p1, p2, p3, p4, unit, text)             \
    [EV_##name] = {#name,                                                      \
                   #unit,                                                      \
                   text,                                                       \
                   KIND_##kind,                                                \
                   ADDS_##kind(name, unit),                                    \
                   OWNED_##owner,                                              \
                   DATA_##data,                                                \
                   {p1, p2, p3, p4}},
#include "pmu/events.def"
#undef EVENT
};

const char *event_name(enum event id)
{
    return rows[id].name;
}

const char *event_text(enum event id)
{
    return rows[id].text;
}

const char *event_unit(enum event id)
{
    return rows[id].unit;
}

enum event_kind event_kind(enum event id)
{
    return rows[id].kind;
}

int event_row(enum event id)
{
    return rows[id].adds;
}

bool event_owned(enum event id)
{
    return rows[id].owned;
}

void event_offer(struct did_you_mean *n)
{
    for (int id = EV_nothing + 1; id < EV_COUNT; id++)
        if (event_kind((enum event)id) != KIND_DEFINED)
            did_you_mean_offer(n, event_name((enum event)id));
}

enum event_data event_data(enum event id)
{
    return rows[id].data;
}

int event_by_name(const char *name)
{
    int id;

    for (id = 0; id < EV_COUNT; id++)
        if (!strcmp(rows[id].name, name))
            return id;
    return -1;
}

int event_selector(enum event id, unsigned pmc)
{
    return rows[id].selector[pmc - 1];
}

int event_selected(unsigned pmc, unsigned selector)
{
    int id;

    for (id = 0; id < EV_COUNT; id++)
        if (rows[id].selector[pmc - 1] == (int)selector)
            return id;
    return -1;
}

static const char *const reasons[REASON_COUNT][2] = {
#define REASON(name, text) {#name, text},
#include "pmu/stalls.def"
#undef REASON
};

const char *reason_name(enum reason r)
{
    return reasons[r][0];
}

const char *reason_text(enum reason r)
{
    return reasons[r][1];
}
