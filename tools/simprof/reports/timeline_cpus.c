/* timeline_cpus.c - see timeline_cpus.h. */
#include "tools/simprof/reports/timeline_cpus.h"

#include <stdlib.h>

#include "lib/base/grow.h"

/* Who ran on a CPU in the step that is gone through, and for how long. */
struct shift {
    size_t step;
    struct turn {
        uint32_t thread;
        uint64_t cycles;
    } * turn;
    size_t turns, room;
};

struct reading {
    struct timeline_cpus *t;
    struct recording *r;
    struct shift *shift; /* by CPU */
    uint64_t *since;     /* by CPU: when the one that runs came */
    uint32_t *on;        /* ... and who; PROBE_NOBODY: the idle thread */
};

const char *timeline_cpus_class(unsigned class)
{
    static const char *const keys[] = {
#define CLASS(name, key, text) key,
#include "tools/analysis/causes/classes.def"
#undef CLASS
    };

    return keys[class];
}

/* The part that lies in the step where it begins; 0: there is none. */
static uint64_t part_of(const struct timeline_cpus *t, uint64_t *from,
                        uint64_t to, size_t *step)
{
    uint64_t left;

    *from = *from > t->from ? *from : t->from;
    to = to < t->to ? to : t->to;
    if (*from >= to)
        return 0;
    *step = (size_t)((*from - t->from) / t->step);
    left = t->step - (*from - t->from) % t->step;
    return to - *from < left ? to - *from : left;
}

void timeline_spread(const struct timeline_cpus *t, uint64_t *at, size_t stride,
                     uint64_t from, uint64_t to)
{
    uint64_t part;
    size_t step;

    for (; (part = part_of(t, &from, to, &step)); from += part)
        at[step * stride] += part;
}

/* ---- who ran ------------------------------------------------------------- */

/* The step is over: the thread that had most of it, the first of such. */
static void shift_ends(struct reading *d, unsigned cpu)
{
    struct shift *s = &d->shift[cpu];
    uint64_t most = 0;

    for (size_t n = 0; n < s->turns; n++)
        if (s->turn[n].cycles > most) {
            most = s->turn[n].cycles;
            d->t->who[timeline_cpus_at(d->t, cpu, s->step)] = s->turn[n].thread;
        }
    s->turns = 0;
}

static void shift_add(struct reading *d, unsigned cpu, size_t step,
                      uint32_t thread, uint64_t cycles)
{
    struct shift *s = &d->shift[cpu];
    size_t n;

    if (s->step != step)
        shift_ends(d, cpu);
    s->step = step;
    for (n = 0; n < s->turns && s->turn[n].thread != thread; n++)
        ;
    if (n == s->turns) {
        s->turn = grow(s->turn, &s->room, n + 1, sizeof *s->turn);
        s->turn[s->turns++] = (struct turn){.thread = thread};
    }
    s->turn[n].cycles += cycles;
}

static void ran(struct reading *d, unsigned cpu, uint32_t thread, uint64_t from,
                uint64_t to)
{
    uint64_t part;
    size_t step;

    for (; (part = part_of(d->t, &from, to, &step)); from += part) {
        d->t->busy[timeline_cpus_at(d->t, cpu, step)] += part;
        shift_add(d, cpu, step, thread, part);
    }
}

static bool is_idle(const struct reading *d, uint32_t thread, uint64_t cycle)
{
    const struct thread *who = threads_find(&d->r->threads, thread, cycle);

    return thread == PROBE_NOBODY || (who && who->is == THREAD_IS_IDLE);
}

static void read_switches(struct reading *d)
{
    struct record r;
    struct recfile f;

    if (!recording_records(d->r, REC_SWITCH, &f))
        return;
    while (recfile_next(&f, &r)) {
        uint32_t out = record_get_switch_out_thread(&r);

        if (r.cpu >= d->t->cpus)
            continue;
        if (!is_idle(d, out, r.cycle))
            ran(d, r.cpu, out, d->since[r.cpu], r.cycle);
        d->since[r.cpu] = r.cycle;
        d->on[r.cpu] = is_idle(d, r.thread, r.cycle) ? PROBE_NOBODY : r.thread;
    }
    recording_done(d->r, &f);
    for (unsigned cpu = 0; cpu < d->t->cpus; cpu++)
        if (d->on[cpu] != PROBE_NOBODY)
            ran(d, cpu, d->on[cpu], d->since[cpu], d->r->end);
}

/* ---- why none did -------------------------------------------------------- */

static void idle_piece(void *arg, unsigned cpu, uint64_t from, uint64_t to,
                       enum causes_class class)
{
    struct timeline_cpus *t = arg;

    timeline_spread(
        t, t->idle + timeline_cpus_at(t, cpu, 0) * CAUSES_CLASSES + class,
        CAUSES_CLASSES, from, to);
}

static void read_idle(struct timeline_cpus *t, struct recording *r)
{
    struct causes_choice choice = {
        .cpu = -1, .thread = SCENE_NONE, .piece = idle_piece, .arg = t};
    struct scene scene;
    struct places places;
    struct naps naps;
    struct causes c;

    scene_read(&scene, r);
    if (scene.stays) {
        places_open(&places, r, &scene);
        naps_of_stints(&naps, &scene, t->from, t->to);
        causes_find(&c, &scene, &naps, &places, &choice);
        causes_free(&c);
        naps_free(&naps);
        places_close(&places);
    }
    scene_free(&scene);
}

/* ---- all ----------------------------------------------------------------- */

void timeline_cpus_read(struct timeline_cpus *t, struct recording *r,
                        uint64_t from, uint64_t to, uint64_t step)
{
    uint64_t length = to > from ? to - from : 0;
    struct reading d = {.t = t, .r = r};
    size_t cells;

    *t = (struct timeline_cpus){
        .from = from, .to = to, .step = step, .cpus = r->cpus};
    t->steps = (size_t)(length / step + (length % step != 0));
    cells = t->cpus * t->steps + 1;
    t->busy = grow_zero(cells, sizeof *t->busy);
    t->who = grow_zero(cells, sizeof *t->who);
    t->idle = grow_zero(cells * CAUSES_CLASSES, sizeof *t->idle);
    d.shift = grow_zero(t->cpus + 1, sizeof *d.shift);
    d.since = grow_zero(t->cpus + 1, sizeof *d.since);
    d.on = grow_zero(t->cpus + 1, sizeof *d.on);
    for (unsigned cpu = 0; cpu < t->cpus; cpu++)
        d.on[cpu] = PROBE_NOBODY;
    read_switches(&d);
    for (unsigned cpu = 0; cpu < t->cpus; cpu++) {
        shift_ends(&d, cpu);
        free(d.shift[cpu].turn);
    }
    free(d.shift);
    free(d.since);
    free(d.on);
    read_idle(t, r);
}

void timeline_cpus_free(struct timeline_cpus *t)
{
    free(t->busy);
    free(t->who);
    free(t->idle);
}
