/* count_areas.c - see count_areas.h. */
#include "sim/observe/pif/count_areas.h"

#include "include/record_put.h"
#include "pmu/markspec/perfinst.h"
#include "sim/core/mark_feed.h"
#include "sim/machine/machine.h"

void count_areas_start(struct machine *m, const struct perfinst_marks *on)
{
    for (unsigned n = 0; n < m->with.cpus; n++) {
        struct areas *s = &m->core[n].pif.unit[PIF_HOST].areas;

        for (unsigned k = 0; k < on->areas; k++)
            s->area[k] = (struct area){
                .on = true,
                .start = on->area[k].address,
                .bytes = on->area[k].length,
                .at = on->area[k].count.area,
                .granule = on->area[k].count.granule,
                .unit = on->area[k].count.unit,
            };
        areas_refresh(s);
    }
}

/* ---- the end ------------------------------------------------------------- */

/* Whose areas are written, where, and as of which cycle. */
struct end {
    struct machine *m;
    struct experiment *e;
    cycle_t at;
    const struct perfinst_marks *on; /* NULL: the host asked for none */
};

static bool is_same(const struct area *a, const struct area *b)
{
    return a->start == b->start && a->bytes == b->bytes && a->at == b->at &&
           a->granule == b->granule && a->unit == b->unit;
}

static void write_unit(const struct end *end, uint32_t kind, uint32_t number,
                       const struct area *k, uint32_t granule, uint32_t value)
{
    struct experiment_stamp stamp = {REC_MARK, 0, 0, end->at};
    uint32_t w[MARK_AREA_WORDS];

    record_put_mark_area_flags(w, MARK_AREA | MARK_DATA | kind);
    record_put_mark_area_granule(w, k->start + granule * k->granule);
    record_put_mark_area_unit(w, k->at + granule * k->unit);
    record_put_mark_area_number(w, number);
    record_put_mark_area_value(w, value);
    record_put_mark_area_full(w, value == UINT32_MAX >> (32 - 8 * k->unit));
    experiment_record(end->e, &stamp, w, MARK_AREA_WORDS);
}

/* As the program would read it. */
static void write_units(const struct end *end, unsigned cpu, uint32_t kind,
                        uint32_t number, const struct area *k)
{
    uint32_t units = area_units(k), value;

    for (uint32_t g = 0; g < units; g++)
        if (mark_feed_unit(&end->m->core[cpu], k->at + g * k->unit, k->unit,
                           &value) &&
            value)
            write_unit(end, kind, number, k, g, value);
}

/* The descriptor of the processors from cpu on that is like this one, added
 * up; an earlier processor had none. */
static struct area sum(struct machine *m, unsigned unit, const struct area *k,
                       unsigned cpu)
{
    struct area all = *k;

    all.added = all.lost = 0;
    for (; cpu < m->with.cpus; cpu++)
        for (unsigned n = 0; n < PIF_AREAS; n++) {
            const struct area *a = &m->core[cpu].pif.unit[unit].areas.area[n];

            if (is_same(a, k)) {
                all.added += a->added;
                all.lost += a->lost;
            }
        }
    return all;
}

static bool is_first(const struct machine *m, unsigned unit, unsigned cpu,
                     unsigned n)
{
    const struct area *k = &m->core[cpu].pif.unit[unit].areas.area[n];

    for (unsigned c = 0; c <= cpu; c++)
        for (unsigned i = 0; i < (c < cpu ? PIF_AREAS : n); i++)
            if (is_same(&m->core[c].pif.unit[unit].areas.area[i], k))
                return false;
    return true;
}

/* The processor that added last to it, if any did: its state is the one in
 * which the addresses are meant. */
static unsigned reader(const struct machine *m, unsigned unit,
                       const struct area *k, unsigned cpu)
{
    for (unsigned c = cpu; c < m->with.cpus; c++)
        for (unsigned n = 0; n < PIF_AREAS; n++) {
            const struct area *a = &m->core[c].pif.unit[unit].areas.area[n];

            if (is_same(a, k) && a->added)
                return c;
        }
    return cpu;
}

static void write_area(const struct end *end, unsigned unit, unsigned cpu,
                       uint32_t number, const struct area *k)
{
    const struct perfinst_marks *on = end->on;
    const char *text = "-";

    for (unsigned n = 0; unit == PIF_HOST && on && n < on->areas; n++)
        if (on->area[n].count.area == k->at)
            text = on->area[n].text;
    experiment_say(end->e, "area %s %lu 0x%lx %lu %u 0x%lx %u %llu %llu %s",
                   unit == PIF_HOST ? "host" : "guest", (unsigned long)number,
                   (unsigned long)k->start, (unsigned long)k->bytes, k->granule,
                   (unsigned long)k->at, k->unit, (unsigned long long)k->added,
                   (unsigned long long)k->lost, text);
    write_units(end, reader(end->m, unit, k, cpu),
                unit == PIF_HOST ? MARK_HOST : 0, number, k);
}

void count_areas_write(struct machine *m, struct experiment *e, cycle_t at,
                       const struct perfinst_marks *on)
{
    struct end end = {m, e, at, on};

    for (unsigned unit = PIF_UNITS; unit-- > 0;) {
        uint32_t number = 0;

        for (unsigned cpu = 0; cpu < m->with.cpus; cpu++)
            for (unsigned n = 0; n < PIF_AREAS; n++) {
                const struct area *k =
                    &m->core[cpu].pif.unit[unit].areas.area[n];
                struct area all;

                if (!k->bytes || !is_first(m, unit, cpu, n))
                    continue;
                all = sum(m, unit, k, cpu);
                write_area(&end, unit, cpu, number++, &all);
            }
    }
}
