/* pif_counts.c - see pif_counts.h. */
#include "sim/observe/pif/pif_counts.h"

#include "include/record_put.h"
#include "lib/base/big_endian.h"
#include "sim/machine/machine.h"
#include "sim/observe/account.h"
#include "sim/observe/pif/count_areas.h"
#include "sim/observe/pif/host_unit.h"

void pif_counts_write(struct experiment *e, cycle_t at, uint32_t kind,
                      uint32_t address, uint32_t indicator, uint32_t limit,
                      uint64_t count, uint64_t hits)
{
    pif_counts_write_of(e, at, 0, kind, address, indicator, limit, count, hits);
}

void pif_counts_write_of(struct experiment *e, cycle_t at, uint32_t space,
                         uint32_t kind, uint32_t address, uint32_t indicator,
                         uint32_t limit, uint64_t count, uint64_t hits)
{
    struct experiment_stamp stamp = {REC_MARK, 0, 0, at};
    uint32_t w[MARK_WORDS];

    record_put_mark_flags(w, kind);
    record_put_mark_address(w, address);
    record_put_mark_indicator(w, indicator);
    record_put_mark_limit(w, limit);
    record_put_mark_count(w, count);
    record_put_mark_exceedances(w, hits);
    record_put_mark_space(w, space);
    experiment_record(e, &stamp, w, MARK_WORDS);
}

static cycle_t until(const struct pif_counts *t)
{
    return account_cycle(t->experiment, t->machine->cycles);
}

/* ---- marks --------------------------------------------------------------- */

static uint32_t word_at(const struct pif_counts *t, uint32_t pa)
{
    if (t->machine->ram.size < 4 || pa > t->machine->ram.size - 4)
        return 0;
    return be_get32(t->machine->ram.bytes + pa);
}

/* The marks of one segment that have counters. */
static void write_segment(const struct pif_counts *t,
                          const struct shadow_segment *s)
{
    uint32_t line = t->machine->with.params.line_bytes;

    for (uint32_t at = 0; at < s->size; at += line) {
        uint32_t entry = word_at(t, s->table + at / line * 4);
        uint32_t block = entry & ~(uint32_t)SHADOW_FORMAT;

        if ((entry & SHADOW_FORMAT) != SHADOW_FULL ||
            word_at(t, block + SHADOW_TAG) != s->base + at)
            continue;
        for (unsigned w = 0; w < line / 4; w++) {
            uint32_t k = block + SHADOW_ENTRY + 16 * w;
            uint32_t what = word_at(t, k) | word_at(t, block + SHADOW_ALL) |
                            word_at(t, block + SHADOW_GROUP + w / 4 * 4);

            if (what)
                pif_counts_write(t->experiment, until(t),
                                 s->data && !s->insn ? MARK_DATA : 0,
                                 s->base + at + 4 * w, what, word_at(t, k + 8),
                                 word_at(t, k + 4), word_at(t, k + 12));
        }
    }
}

/* The guest's, as its processors have them registered; each segment once. */
static void write_guest(const struct pif_counts *t)
{
    const struct machine *m = t->machine;

    for (unsigned n = 0; n < m->with.cpus; n++)
        for (unsigned k = 0; k < PIF_SEGMENTS; k++) {
            const struct shadow_segment *s =
                &m->core[n].pif.unit[PIF_GUEST].source.segment[k];
            bool seen = false;

            for (unsigned o = 0; o < n; o++)
                for (unsigned j = 0; j < PIF_SEGMENTS; j++) {
                    const struct shadow_segment *old =
                        &m->core[o].pif.unit[PIF_GUEST].source.segment[j];
                    seen |= old->size == s->size && old->table == s->table &&
                            old->base == s->base;
                }
            if (s->size && !seen)
                write_segment(t, s);
        }
}

static void write_range(const struct pif_counts *t, uint32_t flags,
                        uint32_t number, const struct pif_range *r,
                        uint64_t executed, uint64_t entries)
{
    struct experiment_stamp stamp = {REC_MARK, 0, 0, until(t)};
    uint32_t w[MARK_RANGE_WORDS];

    record_put_mark_range_flags(w, flags);
    record_put_mark_range_low(w, r->low);
    record_put_mark_range_high(w, r->high);
    record_put_mark_range_number(w, number);
    record_put_mark_range_count(w, executed);
    record_put_mark_range_entries(w, entries);
    experiment_record(t->experiment, &stamp, w, MARK_RANGE_WORDS);
}

static void write_ranges(const struct pif_counts *t, unsigned unit)
{
    const struct machine *m = t->machine;

    for (unsigned k = 0; k < 2 * PIF_RANGES; k++) {
        uint64_t executed = 0, entries = 0;
        const struct pif_range *r = &m->core[0].pif.unit[unit].range[k];

        for (unsigned n = 0; n < m->with.cpus; n++) {
            executed += m->core[n].pif.unit[unit].range[k].executed;
            entries += m->core[n].pif.unit[unit].range[k].entries;
        }
        if (r->on)
            write_range(t,
                        MARK_RANGE | (k >= PIF_RANGES ? MARK_DATA : 0) |
                            (unit == PIF_HOST ? MARK_HOST : 0),
                        k % PIF_RANGES, r, executed, entries);
    }
}

/* ---- what it took -------------------------------------------------------- */

static void say_shadow(const struct pif_counts *h, unsigned cpu, unsigned unit,
                       unsigned side)
{
    const struct shadow_side *s =
        &h->machine->core[cpu].pif.unit[unit].side[side];
    const struct shadow_stats *t = &s->stats;

    if (!t->lookups)
        return;
    experiment_say(
        h->experiment,
        "shadow %u %s %s %llu %llu %llu %llu %llu %llu %llu %llu %u %llu %llu",
        cpu, unit == PIF_HOST ? "host" : "guest", side ? "data" : "code",
        (unsigned long long)t->lookups, (unsigned long long)t->hits,
        (unsigned long long)t->fills, (unsigned long long)t->late,
        (unsigned long long)t->fill_bytes, (unsigned long long)t->writebacks,
        (unsigned long long)t->writeback_bytes,
        (unsigned long long)t->conflicts, shadow_frames(s),
        (unsigned long long)t->evictions, (unsigned long long)shadow_bits(s));
}

/* What one processor spent on marks, beside the traffic itself. */
static void say_costs(const struct pif_counts *t, unsigned cpu)
{
    const struct core *c = &t->machine->core[cpu];

    if (c->pif_cycles)
        experiment_say(t->experiment, "shadow-bus %u %llu", cpu,
                       (unsigned long long)c->pif_cycles);
    if (t->unit->markers.of || c->pif.gates)
        experiment_say(t->experiment, "marker-slots %u %llu %llu", cpu,
                       (unsigned long long)c->pif.gates,
                       (unsigned long long)c->pif.added);
    if (c->pif_taken || c->pif.lost)
        experiment_say(t->experiment, "pif-interrupts %u %llu %lu %llu", cpu,
                       (unsigned long long)c->pif_taken,
                       (unsigned long)c->pif.lost,
                       (unsigned long long)c->pif_handled);
}

static void say_wide(const struct pif_counts *t, const char *unit,
                     const char *side, const struct widened *w)
{
    if (w->used)
        experiment_say(t->experiment, "widened %s %s %zu %llu %llu", unit, side,
                       w->used, (unsigned long long)w->copies,
                       (unsigned long long)w->clears);
}

/* In how many intervals the guest looked its marks up, and the instructions of
 * all of them and of the last: what its counts are of. */
static void say_looked(const struct pif_counts *t, unsigned cpu)
{
    const struct core *c = &t->machine->core[cpu];
    uint64_t last = (c->looking ? c->insns : c->look_end) - c->look_from;

    if (c->look_times)
        experiment_say(t->experiment, "looked %u %llu %llu %llu", cpu,
                       (unsigned long long)c->look_times,
                       (unsigned long long)(c->look_insns + last),
                       (unsigned long long)last);
}

static void end(void *arg, cycle_t at)
{
    const struct pif_counts *t = arg;
    const struct host_unit *unit = t->unit;

    (void)at;
    write_guest(t);
    write_ranges(t, PIF_HOST);
    write_ranges(t, PIF_GUEST);
    count_areas_write(t->machine, t->experiment, until(t), unit->on);
    say_wide(t, "guest", "both", &t->machine->widened);
    say_wide(t, "host", "code", &unit->host[0]);
    say_wide(t, "host", "data", &unit->host[1]);
    for (unsigned n = 0; n < t->machine->with.cpus; n++) {
        for (unsigned k = 0; k < 4; k++)
            say_shadow(t, n, k / 2, k % 2);
        say_costs(t, n);
        say_looked(t, n);
    }
}

void pif_counts_open(struct pif_counts *t, const struct host_unit *unit,
                     struct experiment *e)
{
    *t = (struct pif_counts){
        .machine = unit->machine,
        .unit = unit,
        .experiment = e,
        .observer = {.arg = t, .end = end},
    };
    machine_observe(t->machine, &t->observer, true);
}
