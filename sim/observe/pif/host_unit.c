/* host_unit.c - see host_unit.h. */
#include "sim/observe/pif/host_unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "include/record_put.h"
#include "lib/base/snap.h"
#include "sim/observe/pif/count_areas.h"
#include "sim/observe/account.h"
#include "sim/observe/pif/pif_counts.h"
#include "sim/machine/machine.h"
#include "sim/unwind/walk.h"

/* ---- what happens while it runs ------------------------------------------ */

static void write_trap(const struct host_unit *t, const struct core *c,
                       const struct pif_report *r)
{
    struct experiment_stamp stamp = {REC_TRAP, r->cpu, r->context, r->at};
    uint32_t w[TRAP_WORDS + WALK_MOST];
    bool truncated;
    unsigned n = stack_walk(c, &t->machine->names, true,
                            record_tail_trap_stack(w), WALK_MOST, &truncated);

    record_put_trap_cause(w, r->cause | (truncated ? TRAP_TRUNCATED : 0));
    record_put_trap_pc(w, r->ia);
    record_put_trap_address(w, r->da);
    record_put_trap_count(w, r->count);
    record_put_trap_depth(w, n);
    experiment_record(t->experiment, &stamp, w, record_size_trap_stack(n));
}

static void write_traced(const struct host_unit *t, const struct pif_report *r)
{
    struct experiment_stamp stamp = {REC_TRACED, r->cpu, r->context, r->at};
    uint32_t w[TRACED_WORDS];

    record_put_traced_unit(w, r->unit);
    record_put_traced_pc(w, r->ia);
    record_put_traced_insns(w, (uint32_t)r->count);
    experiment_record(t->experiment, &stamp, w, TRACED_WORDS);
}

static void marked(void *arg, struct core *c, const struct pif_report *r)
{
    const struct host_unit *t = arg;

    if (r->kind == PIF_REPORT_TRAP && r->cause == PIFX_INSN && t->unstopped)
        return;
    if (r->kind == PIF_REPORT_TRAP)
        write_trap(t, c, r);
    else
        write_traced(t, r);
}

/* ---- the end ------------------------------------------------------------- */

static cycle_t until(const struct host_unit *t)
{
    return account_cycle(t->experiment, t->machine->cycles);
}

/* Of a whole program's marks only those that counted are written. */
static bool is_told(const struct host_unit *t, uint64_t counted)
{
    return counted || !t->sparse;
}

static bool write_armed(const struct host_unit *t,
                        const struct perfinst_word *w)
{
    const struct host_markers *all = &t->markers;
    const struct marker *e = all->of ? markers_at(all->of, w->address) : NULL;
    const struct host_marker *k = e ? &all->entry[e - all->of->entry] : NULL;

    if (k)
        pif_counts_write(t->experiment, until(t), MARK_HOST, w->address,
                         w->indicator, w->limit, k->before + k->count, k->hits);
    return k;
}

/* The host's, in the order in which they were asked for. */
static void write_words(const struct host_unit *t,
                        const struct perfinst_word *word, size_t words)
{
    for (size_t k = 0; k < words; k++) {
        const struct perfinst_word *w = &word[k];
        const struct widened_word *wide =
            widened_find(&t->host[w->data], w->address);
        const struct host_mark *mark =
            host_marks_word(&t->marks, 0, w->address, w->data);
        uint32_t kind = MARK_HOST | (w->data ? MARK_DATA : 0);

        if (write_armed(t, w))
            continue;
        if (mark) {
            if (is_told(t, mark->before + mark->count))
                pif_counts_write(t->experiment, until(t), kind, w->address,
                                 w->indicator, w->limit,
                                 mark->before + mark->count, mark->hits);
        } else if (wide && is_told(t, wide->before + wide->count)) {
            pif_counts_write(t->experiment, until(t), kind, w->address,
                             w->indicator, w->limit, wide->before + wide->count,
                             wide->hits);
        }
    }
}

/* Of a program inside: where it is in the first address space that had it. */
static void write_program(const struct host_unit *t,
                          const struct marked_file *f, uint16_t program)
{
    if (!f->space)
        experiment_say(t->experiment, "unmapped %s", f->path);
    for (size_t k = 0; f->space && k < f->on.words; k++) {
        const struct perfinst_word *w = &f->on.word[k];
        const struct host_mark *mark =
            host_marks_word(&t->marks, program, w->address, w->data);
        uint32_t kind = MARK_HOST | (w->data ? MARK_DATA : 0);

        pif_counts_write_of(t->experiment, until(t), f->space, kind,
                            w->address + f->up, w->indicator, w->limit,
                            mark->before + mark->count, mark->hits);
    }
}

static int by_address(const void *a, const void *b)
{
    const struct perfinst_word *x = a, *y = b;

    return x->address < y->address ? -1 : x->address > y->address;
}

static void write_later(const struct host_unit *t)
{
    if (!t->nlater)
        return;
    qsort(t->later, t->nlater, sizeof *t->later, by_address);
    write_words(t, t->later, t->nlater);
}

static void end(void *arg, cycle_t at)
{
    const struct host_unit *t = arg;

    (void)at;
    if (t->on)
        write_words(t, t->on->word, t->on->words);
    for (unsigned n = 0; t->programs && n < t->programs->count; n++)
        write_program(t, &t->programs->file[n], (uint16_t)(n + 1));
    write_later(t);
}

/* ---- power-on ------------------------------------------------------------ */

static uint32_t words_mode(const struct perfinst_marks *on)
{
    uint32_t mode = 0;

    for (size_t k = 0; on && k < on->words; k++)
        mode |= on->word[k].data ? PIFM_DE : PIFM_IE;
    return mode;
}

/* What has to be looked up for these marks. */
static uint32_t mode_of(const struct host_unit *t)
{
    const struct perfinst_marks *on = t->on;
    const struct params *p = &t->machine->with.params;
    uint32_t mode = PIFM_US | PIFM_SU | PIFM_P1 | PIFM_P0;

    mode |= (t->markers.of ? PIF_CARRIER_MARKER : p->pif_carrier)
            << PIFM_CA_SHIFT;
    mode |= (p->pif_th_access ? PIFM_TA : 0) |
            (p->pif_th_single ? PIFM_TB : 0) | (p->pif_at_limit ? PIFM_GE : 0) |
            (p->pif_th_coalesce ? PIFM_CO : 0) |
            p->pif_th_slot << PIFM_TQ_SHIFT;
    if (t->nlater)
        mode |= PIFM_IE;
    mode |= words_mode(on);
    for (unsigned n = 0; t->programs && n < t->programs->count; n++)
        mode |= words_mode(&t->programs->file[n].on);
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
        return host_marks_add(&t->marks, 0, w->address, w->data, w->indicator,
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
static bool start_markers(struct host_unit *t)
{
    struct machine *m = t->machine;

    if (!m->names.markers.entries)
        return true;
    if (!host_markers_init(&t->markers, &m->names.markers))
        return false;
    for (unsigned n = 0; n < m->with.cpus; n++)
        pif_island(&m->core[n].pif, &t->markers);
    return true;
}

static bool carry_programs(struct host_unit *t)
{
    for (unsigned n = 0; t->programs && n < t->programs->count; n++) {
        const struct perfinst_marks *on = &t->programs->file[n].on;

        for (size_t k = 0; k < on->words; k++) {
            const struct perfinst_word *w = &on->word[k];

            if (!host_marks_add(&t->marks, (uint16_t)(n + 1), w->address,
                                w->data, w->indicator, w->limit))
                return false;
        }
    }
    return true;
}

/* Has any of them marks? Others are looked for by other options. */
static bool has_marks(const struct marked_files *programs)
{
    for (unsigned n = 0; programs && n < programs->count; n++)
        if (programs->file[n].on.words)
            return true;
    return false;
}

static bool start_marks(struct host_unit *t, const struct perfinst_marks *on,
                        const struct marked_files *programs)
{
    struct machine *m = t->machine;

    if (!on ||
        (!on->words && !on->ranges && !on->areas && !has_marks(programs)))
        return true;
    t->on = on;
    t->programs = programs;
    count_areas_start(m, on);
    for (size_t k = 0; k < on->words; k++)
        if (!carry(t, &on->word[k], m->with.params.pif_carrier))
            return false;
    if (!carry_programs(t))
        return false;
    for (unsigned n = 0; n < m->with.cpus; n++) {
        set_ranges(&m->core[n].pif.unit[PIF_HOST], on);
        set_thresholds(&m->core[n].pif.unit[PIF_HOST], &m->with.params);
        pif_host(&m->core[n].pif, &t->marks, t->host, mode_of(t));
    }
    return true;
}

bool host_unit_open(struct host_unit *t, struct machine *m,
                    const struct perfinst_marks *on,
                    const struct marked_files *programs, char *why, size_t size)
{
    *t = (struct host_unit){.machine = m};
    host_marks_init(&t->marks, m->with.params.line_bytes);
    if (!start_markers(t) || !start_marks(t, on, programs)) {
        snprintf(why, size, "the host has no memory for the marks");
        return false;
    }
    return true;
}

void host_unit_listen(struct host_unit *t, struct experiment *e)
{
    t->experiment = e;
    t->observer = (struct observer){.arg = t, .marked = marked, .end = end};
    machine_observe(t->machine, &t->observer, true);
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
    const struct host_mark *k = host_marks_word(&t->marks, 0, at, false);
    const struct widened_word *w = widened_find(&t->host[0], at);

    return (k && k->indicator) || (w && w->indicator);
}

void host_unit_mark(struct host_unit *t, uint32_t at, uint32_t size,
                    uint32_t indicator, uint32_t limit)
{
    struct machine *m = t->machine;

    gather(m);
    for (uint32_t n = 0; n < size; n += 4) {
        struct perfinst_word w = {at + n, indicator, limit, false};

        if (!is_marked(t, at + n))
            append(t, &w);
        if (!carry(t, &w, m->with.params.pif_carrier))
            abort();
    }
    for (unsigned n = 0; n < m->with.cpus; n++)
        pif_host(&m->core[n].pif, &t->marks, t->host, mode_of(t));
}

void host_unit_limit(struct host_unit *t, uint32_t at, uint32_t limit)
{
    struct widened_word *w = widened_find(&t->host[0], at);

    gather(t->machine);
    if (w)
        w->limit = limit;
    else if (!host_marks_add(&t->marks, 0, at, false, IND_COUNT | IND_LIMIT,
                             limit))
        abort();
}

void host_unit_close(struct host_unit *t)
{
    free(t->later);
    host_marks_free(&t->marks);
    host_markers_free(&t->markers);
    widened_free(&t->host[0]);
    widened_free(&t->host[1]);
}

/* ---- save and load -------------------------------------------------------
 */

bool host_unit_state(struct snap *s, struct host_unit *t)
{
    snap_begin(s, "host unit", 1);
    SNAP_SKIP(s, t->machine, "plugged in by host_unit_open");
    SNAP_SKIP(s, t->experiment, "plugged in by host_unit_listen");
    SNAP_SKIP(s, t->on, "of the command line and the program");
    SNAP_SKIP(s, t->programs, "refused");
    if (t->programs && t->programs->count)
        snap_refuse(s, "programs inside have marks");
    SNAP_SKIP(s, t->later, "of --autoprofile alone");
    SNAP_SKIP(s, t->nlater, "of --autoprofile alone");
    SNAP_SKIP(s, t->room, "of --autoprofile alone");
    if (t->nlater)
        snap_refuse(s, "marks were set while it ran");
    host_marks_state(s, &t->marks);
    widened_state(s, &t->host[0]);
    widened_state(s, &t->host[1]);
    host_markers_state(s, &t->markers);
    SNAP_SKIP(s, t->observer, "made by host_unit_listen");
    SNAP_SKIP(s, t->unstopped, "of --autoprofile alone");
    SNAP_SKIP(s, t->sparse, "of --autoprofile alone");
    return snap_end(s);
}
