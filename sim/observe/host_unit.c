/* host_unit.c - see host_unit.h. */
#include "sim/observe/host_unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "include/record_put.h"
#include "sim/observe/count_areas.h"
#include "sim/observe/account.h"
#include "sim/machine/machine.h"
#include "sim/unwind/walk.h"

/* ---- what happens while it runs ------------------------------------------ */

static void write_trap(struct machine *m, const struct pif_report *r)
{
    struct experiment_stamp stamp = {REC_TRAP, r->cpu, r->context, r->at};
    uint32_t w[TRAP_WORDS + MACHINE_STACK], *pcs = record_tail_trap_stack(w);
    bool truncated;
    unsigned n = stack_walk(&m->core[r->cpu], &m->names, true, pcs,
                            MACHINE_STACK, &truncated);

    record_put_trap_cause(w, r->cause | (truncated ? TRAP_TRUNCATED : 0));
    record_put_trap_pc(w, r->ia);
    record_put_trap_address(w, r->da);
    record_put_trap_count(w, r->count);
    record_put_trap_depth(w, n);
    experiment_record(m->with.experiment, &stamp, w, record_size_trap_stack(n));
    autoprofile_trap(m, r, pcs, n);
}

static void write_traced(struct machine *m, const struct pif_report *r)
{
    struct experiment_stamp stamp = {REC_TRACED, r->cpu, r->context, r->at};
    uint32_t w[TRACED_WORDS];

    record_put_traced_unit(w, r->unit);
    record_put_traced_pc(w, r->ia);
    record_put_traced_insns(w, (uint32_t)r->count);
    experiment_record(m->with.experiment, &stamp, w, TRACED_WORDS);
}

static void report(void *arg, const struct pif_report *r)
{
    struct machine *m = arg;

    if (!m->with.experiment)
        return;
    if (r->kind == PIF_REPORT_TRAP && r->cause == PIFX_INSN &&
        (autoprofile_of(m) == AUTOPROFILE_CALLS ||
         autoprofile_of(m) == AUTOPROFILE_BRANCHES))
        autoprofile_call(m, r);
    else if (r->kind == PIF_REPORT_TRAP)
        write_trap(m, r);
    else
        write_traced(m, r);
}

/* A sampled instruction is through. */
static void sampled(void *arg, const struct insn_info *d, uint32_t passed)
{
    struct machine *m = arg;
    struct experiment_stamp stamp = {REC_SAMPLED, d->cpu, d->context,
                                     d->complete};
    cycle_t end = d->finish ? d->finish : d->issue ? d->issue : d->dispatch;
    uint32_t w[SAMPLED_WORDS + MACHINE_STACK];
    bool truncated;
    unsigned n =
        stack_walk(&m->core[d->cpu], &m->names, false,
                   record_tail_sampled_stack(w), MACHINE_STACK, &truncated);

    record_put_sampled_flags(w, sampled_flags(d) |
                                    (truncated ? SAMPLED_TRUNCATED : 0));
    record_put_sampled_pc(w, d->pc);
    record_put_sampled_address(w, d->data.ea);
    record_put_sampled_dispatch(w, (uint32_t)(d->dispatch - d->fetch));
    record_put_sampled_issue(w,
                             d->issue ? (uint32_t)(d->issue - d->dispatch) : 0);
    record_put_sampled_finish(w,
                              d->finish ? (uint32_t)(d->finish - d->issue) : 0);
    record_put_sampled_end(w, d->complete > end ? (uint32_t)(d->complete - end)
                                                : 0);
    record_put_sampled_access(w, d->data_latency);
    record_put_sampled_oldest(w, d->oldest);
    record_put_sampled_passed(w, passed);
    record_put_sampled_depth(w, n);
    experiment_record(m->with.experiment, &stamp, w,
                      record_size_sampled_stack(n));
}

static void start_sampling(struct machine *m)
{
    if (!m->with.sample_insns || !m->with.experiment)
        return;
    for (unsigned n = 0; n < m->with.cpus; n++) {
        struct pif *p = &m->core[n].pif;

        sampled_host(&p->sampled, m->with.sample_insns, m->with.sample_states,
                     sampled, m);
        pif_told(p);
    }
}

/* ---- power-on ------------------------------------------------------------ */

/* What has to be looked up for these marks. */
static uint32_t mode_of(const struct machine *m)
{
    const struct perfinst_marks *on = m->host_unit.on;
    const struct params *p = &m->with.params;
    uint32_t mode = PIFM_US | PIFM_SU | PIFM_P1 | PIFM_P0;

    mode |= (m->host_unit.markers.of ? PIF_CARRIER_MARKER
                                     : m->with.params.pif_carrier)
            << PIFM_CA_SHIFT;
    mode |= (p->pif_th_access ? PIFM_TA : 0) |
            (p->pif_th_single ? PIFM_TB : 0) | (p->pif_at_limit ? PIFM_GE : 0) |
            (p->pif_th_coalesce ? PIFM_CO : 0) |
            p->pif_th_slot << PIFM_TQ_SHIFT;
    if (m->host_unit.nlater)
        mode |= PIFM_IE;
    for (size_t k = 0; on && k < on->words; k++)
        mode |= on->word[k].data ? PIFM_DE : PIFM_IE;
    for (unsigned k = 0; on && k < on->ranges; k++)
        mode |= PIFM_RE | (on->range[k].data ? PIFM_DE : PIFM_IE);
    if (on && on->areas)
        mode |= PIFM_DE;
    return mode;
}

static bool carry(struct host_unit *t, const struct perfinst_word *w,
                  bool widened)
{
    struct widened_word *k;

    if (t->markers.of)
        return true;
    if (!widened)
        return hostmarks_add(&t->marks, w->address, w->data, w->indicator,
                             w->limit);
    k = widened_make(&t->host[w->data], w->address);
    if (!k)
        return false;
    k->indicator |= w->indicator | (w->data ? IND_STICKY : 0);
    if (w->limit)
        k->limit = w->limit;
    return true;
}

static void set_thresholds(struct pif_unit *u, const struct params *p)
{
    u->threshold[0] = p->pif_th0;
    u->threshold[1] = p->pif_th1;
    u->threshold[2] = p->pif_th2;
    u->threshold[3] = p->pif_th3;
}

static void set_ranges(struct pif_unit *u, const struct perfinst_marks *on)
{
    unsigned next[2] = {0, PIF_RANGES};

    for (unsigned k = 0; k < on->ranges; k++) {
        const struct perfinst_range *r = &on->range[k];

        u->range[next[r->data]++] = (struct pif_range){
            .on = true, .low = r->low, .high = r->high ? r->high : ~0u};
    }
}

/* The program's marker instructions exist, whether their marks are asked for
 * or not. */
static bool start_markers(struct machine *m)
{
    struct host_unit *t = &m->host_unit;

    if (!m->names.markers.entries)
        return true;
    if (!hostmarkers_init(&t->markers, &m->names.markers))
        return false;
    for (unsigned n = 0; n < m->with.cpus; n++)
        pif_island(&m->core[n].pif, &t->markers);
    return true;
}

bool host_unit_start(struct machine *m, const struct perfinst_marks *on,
                     char *why, size_t size)
{
    struct host_unit *t = &m->host_unit;

    for (unsigned n = 0; n < m->with.cpus; n++) {
        m->core[n].pif.report = report;
        m->core[n].pif.arg = m;
    }
    hostmarks_init(&t->marks, m->with.params.line_bytes);
    start_sampling(m);
    if (!start_markers(m)) {
        snprintf(why, size, "the host has no memory for the marks");
        return false;
    }
    if (!on || (!on->words && !on->ranges && !on->areas))
        return true;
    t->on = on;
    count_areas_start(m, on);
    for (size_t k = 0; k < on->words; k++)
        if (!carry(t, &on->word[k], m->with.params.pif_carrier)) {
            snprintf(why, size, "the host has no memory for the marks");
            return false;
        }
    for (unsigned n = 0; n < m->with.cpus; n++) {
        set_ranges(&m->core[n].pif.unit[PIF_HOST], on);
        set_thresholds(&m->core[n].pif.unit[PIF_HOST], &m->with.params);
        pif_host(&m->core[n].pif, &t->marks, t->host, mode_of(m));
    }
    return true;
}

/* ---- while it runs ------------------------------------------------------- */

/* Every count to its mark; frames are filled again at their next use. */
static void gather(struct machine *m)
{
    for (unsigned n = 0; n < m->with.cpus; n++)
        pif_gather(&m->core[n].pif, false);
}

static void append(struct host_unit *t, const struct perfinst_word *w)
{
    if (t->nlater == t->room) {
        t->room = t->room ? 2 * t->room : 256;
        t->later = realloc(t->later, t->room * sizeof *t->later);
        if (!t->later)
            abort();
    }
    t->later[t->nlater++] = *w;
}

/* Is an instruction marked already, by either carrier? */
static bool is_marked(const struct host_unit *t, uint32_t at)
{
    const struct hostmark *k = hostmarks_word(&t->marks, at, false);
    const struct widened_word *w = widened_find(&t->host[0], at);

    return (k && k->indicator) || (w && w->indicator);
}

void host_unit_mark(struct machine *m, uint32_t at, uint32_t size,
                    uint32_t indicator, uint32_t limit)
{
    struct host_unit *t = &m->host_unit;

    gather(m);
    for (uint32_t n = 0; n < size; n += 4) {
        struct perfinst_word w = {at + n, indicator, limit, false};

        if (!is_marked(t, at + n))
            append(t, &w);
        if (!carry(t, &w, m->with.params.pif_carrier))
            abort();
    }
    for (unsigned n = 0; n < m->with.cpus; n++)
        pif_host(&m->core[n].pif, &t->marks, t->host, mode_of(m));
}

void host_unit_limit(struct machine *m, uint32_t at, uint32_t limit)
{
    struct host_unit *t = &m->host_unit;
    struct widened_word *w = widened_find(&t->host[0], at);

    gather(m);
    if (w)
        w->limit = limit;
    else if (!hostmarks_add(&t->marks, at, false, IND_COUNT | IND_LIMIT, limit))
        abort();
}

void host_unit_free(struct host_unit *t)
{
    free(t->later);
    hostmarks_free(&t->marks);
    hostmarkers_free(&t->markers);
    widened_free(&t->guest);
    widened_free(&t->host[0]);
    widened_free(&t->host[1]);
}

/* ---- the end ------------------------------------------------------------- */

static void write_mark(struct machine *m, uint32_t kind, uint32_t address,
                       uint32_t indicator, uint32_t limit, uint64_t count,
                       uint64_t hits)
{
    struct experiment_stamp stamp = {REC_MARK, 0, 0, account_cycle(m)};
    uint32_t w[MARK_WORDS];

    record_put_mark_flags(w, kind);
    record_put_mark_address(w, address);
    record_put_mark_indicator(w, indicator);
    record_put_mark_limit(w, limit);
    record_put_mark_count(w, count);
    record_put_mark_exceedances(w, hits);
    experiment_record(m->with.experiment, &stamp, w, MARK_WORDS);
}

/* Of a whole program's marks only those that counted are written. */
static bool is_told(const struct machine *m, uint64_t counted)
{
    return counted || autoprofile_of(m) < AUTOPROFILE_CALLS;
}

static bool write_armed(struct machine *m, const struct perfinst_word *w)
{
    const struct hostmarkers *t = &m->host_unit.markers;
    const struct marker *e = t->of ? markers_at(t->of, w->address) : NULL;
    const struct hostmarker *k = e ? &t->entry[e - t->of->entry] : NULL;

    if (k)
        write_mark(m, MARK_HOST, w->address, w->indicator, w->limit,
                   k->before + k->count, k->hits);
    return k;
}

/* The host's, in the order in which they were asked for. */
static void write_words(struct machine *m, const struct perfinst_word *word,
                        size_t words)
{
    const struct host_unit *t = &m->host_unit;

    for (size_t k = 0; k < words; k++) {
        const struct perfinst_word *w = &word[k];
        const struct widened_word *wide =
            widened_find(&t->host[w->data], w->address);
        const struct hostmark *mark =
            hostmarks_word(&t->marks, w->address, w->data);
        uint32_t kind = MARK_HOST | (w->data ? MARK_DATA : 0);

        if (write_armed(m, w))
            continue;
        if (mark) {
            if (is_told(m, mark->before + mark->count))
                write_mark(m, kind, w->address, w->indicator, w->limit,
                           mark->before + mark->count, mark->hits);
        } else if (wide && is_told(m, wide->before + wide->count)) {
            write_mark(m, kind, w->address, w->indicator, w->limit,
                       wide->before + wide->count, wide->hits);
        }
    }
}

static uint32_t word_at(const struct machine *m, uint32_t pa)
{
    const uint8_t *b = m->ram.bytes + pa;

    if (m->ram.size < 4 || pa > m->ram.size - 4)
        return 0;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 |
           b[3];
}

/* The marks of one segment that have counters. */
static void write_segment(struct machine *m, const struct shadow_segment *s)
{
    uint32_t line = m->with.params.line_bytes;

    for (uint32_t at = 0; at < s->size; at += line) {
        uint32_t entry = word_at(m, s->table + at / line * 4);
        uint32_t block = entry & ~(uint32_t)SHADOW_FORMAT;

        if ((entry & SHADOW_FORMAT) != SHADOW_FULL ||
            word_at(m, block + SHADOW_TAG) != s->base + at)
            continue;
        for (unsigned w = 0; w < line / 4; w++) {
            uint32_t k = block + SHADOW_ENTRY + 16 * w;
            uint32_t what = word_at(m, k) | word_at(m, block + SHADOW_ALL) |
                            word_at(m, block + SHADOW_GROUP + w / 4 * 4);

            if (what)
                write_mark(m, s->data && !s->insn ? MARK_DATA : 0,
                           s->base + at + 4 * w, what, word_at(m, k + 8),
                           word_at(m, k + 4), word_at(m, k + 12));
        }
    }
}

/* The guest's, as its processors have them registered; each segment once. */
static void write_guest(struct machine *m)
{
    for (unsigned n = 0; n < m->with.cpus; n++)
        for (unsigned k = 0; k < PIF_SEGMENTS; k++) {
            const struct shadow_segment *s =
                &m->core[n].pif.unit[PIF_GUEST].source.segment[k];
            bool seen = false;

            for (unsigned o = 0; o < n; o++)
                for (unsigned j = 0; j < PIF_SEGMENTS; j++) {
                    const struct shadow_segment *t =
                        &m->core[o].pif.unit[PIF_GUEST].source.segment[j];
                    seen |= t->size == s->size && t->table == s->table &&
                            t->base == s->base;
                }
            if (s->size && !seen)
                write_segment(m, s);
        }
}

static void write_range(struct machine *m, uint32_t flags, uint32_t number,
                        const struct pif_range *r, uint64_t executed,
                        uint64_t entries)
{
    struct experiment_stamp stamp = {REC_MARK, 0, 0, account_cycle(m)};
    uint32_t w[MARK_RANGE_WORDS];

    record_put_mark_range_flags(w, flags);
    record_put_mark_range_low(w, r->low);
    record_put_mark_range_high(w, r->high);
    record_put_mark_range_number(w, number);
    record_put_mark_range_count(w, executed);
    record_put_mark_range_entries(w, entries);
    experiment_record(m->with.experiment, &stamp, w, MARK_RANGE_WORDS);
}

static void write_ranges(struct machine *m, unsigned unit)
{
    for (unsigned k = 0; k < 2 * PIF_RANGES; k++) {
        uint64_t executed = 0, entries = 0;
        const struct pif_range *r = &m->core[0].pif.unit[unit].range[k];

        for (unsigned n = 0; n < m->with.cpus; n++) {
            executed += m->core[n].pif.unit[unit].range[k].executed;
            entries += m->core[n].pif.unit[unit].range[k].entries;
        }
        if (r->on)
            write_range(m,
                        MARK_RANGE | (k >= PIF_RANGES ? MARK_DATA : 0) |
                            (unit == PIF_HOST ? MARK_HOST : 0),
                        k % PIF_RANGES, r, executed, entries);
    }
}

static void say_shadow(struct machine *m, unsigned cpu, unsigned unit,
                       unsigned side)
{
    const struct shadow_side *s = &m->core[cpu].pif.unit[unit].side[side];
    const struct shadow_stats *t = &s->stats;

    if (!t->lookups)
        return;
    experiment_say(
        m->with.experiment,
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
static void say_costs(struct machine *m, unsigned cpu)
{
    const struct core *c = &m->core[cpu];

    if (c->pif_cycles)
        experiment_say(m->with.experiment, "shadow-bus %u %llu", cpu,
                       (unsigned long long)c->pif_cycles);
    if (m->host_unit.markers.of || c->pif.gates)
        experiment_say(m->with.experiment, "marker-slots %u %llu %llu", cpu,
                       (unsigned long long)c->pif.gates,
                       (unsigned long long)c->pif.added);
    if (c->pif_taken || c->pif.lost)
        experiment_say(m->with.experiment, "pif-interrupts %u %llu %lu %llu",
                       cpu, (unsigned long long)c->pif_taken,
                       (unsigned long)c->pif.lost,
                       (unsigned long long)c->pif_handled);
}

static void say_wide(struct machine *m, const char *unit, const char *side,
                     const struct widened *w)
{
    if (w->used)
        experiment_say(m->with.experiment, "widened %s %s %zu %llu %llu", unit,
                       side, w->used, (unsigned long long)w->copies,
                       (unsigned long long)w->clears);
}

static int by_address(const void *a, const void *b)
{
    const struct perfinst_word *x = a, *y = b;

    return x->address < y->address ? -1 : x->address > y->address;
}

static void write_later(struct machine *m)
{
    struct host_unit *t = &m->host_unit;

    if (!t->nlater)
        return;
    qsort(t->later, t->nlater, sizeof *t->later, by_address);
    write_words(m, t->later, t->nlater);
}

/* In how many intervals the guest looked its marks up, and the instructions of
 * all of them and of the last: what its counts are of. */
static void say_looked(struct machine *m, unsigned cpu)
{
    const struct core *c = &m->core[cpu];
    uint64_t last = (c->looking ? c->insns : c->look_end) - c->look_from;

    if (c->look_times)
        experiment_say(m->with.experiment, "looked %u %llu %llu %llu", cpu,
                       (unsigned long long)c->look_times,
                       (unsigned long long)(c->look_insns + last),
                       (unsigned long long)last);
}

void host_unit_finish(struct machine *m)
{
    for (unsigned n = 0; n < m->with.cpus; n++) {
        pif_flush(&m->core[n].pif);
        pif_gather(&m->core[n].pif, false);
        pif_gather(&m->core[n].pif, true);
    }
    if (!m->with.experiment)
        return;
    if (m->host_unit.on)
        write_words(m, m->host_unit.on->word, m->host_unit.on->words);
    write_later(m);
    autoprofile_finish(m);
    write_guest(m);
    write_ranges(m, PIF_HOST);
    write_ranges(m, PIF_GUEST);
    count_areas_write(m);
    say_wide(m, "guest", "both", &m->host_unit.guest);
    say_wide(m, "host", "code", &m->host_unit.host[0]);
    say_wide(m, "host", "data", &m->host_unit.host[1]);
    for (unsigned n = 0; n < m->with.cpus; n++) {
        for (unsigned k = 0; k < 4; k++)
            say_shadow(m, n, k / 2, k % 2);
        say_costs(m, n);
        say_looked(m, n);
    }
}
