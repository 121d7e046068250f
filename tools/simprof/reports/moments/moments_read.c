/* moments_read.c - see moments.h. Of samples and interrupts no more are read
 * than are kept: a run may have hundreds of millions.
 */
#include <stdlib.h>

#include "lib/base/grow.h"
#include "tools/analysis/active/active_input.h"
#include "tools/analysis/idle/timeline.h"
#include "tools/analysis/states/spans.h"
#include "tools/simprof/reports/moments/moments.h"

/* Does it overlap the interval, and is it of the CPU and thread asked for? */
static bool wanted(const struct moments *m, const struct moment *k)
{
    const struct selection *s = m->s;

    if (k->to < s->from || k->from >= s->to ||
        (k->to == s->from && k->to > k->from))
        return false;
    if (s->cpu >= 0 && k->cpu != (unsigned long)s->cpu)
        return false;
    return !s->one_thread || k->thread == s->thread || k->by == s->thread;
}

/* False: there is no room for another one of its kind. */
static bool add(struct moments *m, const struct moment *k)
{
    if (!wanted(m, k))
        return true;
    if (m->most && m->kept[k->kind] == m->most) {
        m->more[k->kind] = true;
        return false;
    }
    m->list = grow(m->list, &m->room, m->count + 1, sizeof *m->list);
    m->list[m->count] = *k;
    m->list[m->count].serial = m->count;
    m->count++;
    m->kept[k->kind]++;
    return true;
}

/* ---- idle gaps ----------------------------------------------------------- */

static uint32_t known(uint32_t thread)
{
    return thread == TIMELINE_NOBODY ? MOMENT_NOBODY : thread;
}

static void read_idle(struct moments *m)
{
    struct timeline t;

    timeline_read(&t, m->r);
    for (size_t i = 0; i < t.count; i++)
        add(m, &(struct moment){.kind = MOMENT_IDLE,
                                .from = t.period[i].from,
                                .to = t.period[i].to,
                                .cpu = t.period[i].cpu,
                                .thread = known(t.period[i].came),
                                .by = known(t.period[i].left)});
    timeline_free(&t);
}

/* ---- states -------------------------------------------------------------- */

/* Holds of a lock in a row. */
struct run {
    struct moment at;
};

struct runs {
    struct run *of; /* by lock */
    size_t count, room;
};

static void end_run(struct moments *m, const struct run *run)
{
    if (run->at.about >= CONVOY_LEAST && m->wants[MOMENT_CONVOY])
        add(m, &run->at);
}

static void add_hold(struct moments *m, struct runs *runs,
                     const struct spans_lock *l, const struct spans_event *e)
{
    struct moment k = {.kind = MOMENT_HOLD,
                       .from = e->from,
                       .to = e->to,
                       .cpu = MOMENT_NO_CPU,
                       .thread = e->thread,
                       .by = MOMENT_NOBODY,
                       .about = e->waiting,
                       .kind_of = l->kind,
                       .object = l->object};
    struct run *run;

    if (m->wants[MOMENT_HOLD])
        add(m, &k);
    for (; runs->count <= e->lock; runs->count++) {
        runs->of =
            grow(runs->of, &runs->room, runs->count + 1, sizeof *runs->of);
        runs->of[runs->count] = (struct run){.at.about = 0};
    }
    run = &runs->of[e->lock];
    if (!run->at.about || run->at.to != e->from) {
        end_run(m, run);
        run->at = k;
        run->at.kind = MOMENT_CONVOY;
        run->at.about = 0;
    }
    run->at.to = e->to;
    run->at.about++;
}

static void add_wake(struct moments *m, const struct spans_event *e)
{
    bool thread = e->by == WAKE_BY_THREAD;

    add(m, &(struct moment){.kind = MOMENT_WAKE,
                            .from = e->from,
                            .to = e->to > e->from ? e->to : e->from,
                            .cpu = e->cpu,
                            .thread = e->thread,
                            .by = thread ? e->waker : MOMENT_NOBODY,
                            .about = e->by});
}

static void read_states(struct moments *m)
{
    struct runs runs = {.count = 0};
    struct spans spans;
    struct spans_event e;

    spans_open(&spans, m->r);
    while (spans_next(&spans, &e)) {
        if (e.is == SPANS_LOCK)
            add_hold(m, &runs, &spans.lock[e.lock], &e);
        else if (e.is == SPANS_WAKE && m->wants[MOMENT_WAKE])
            add_wake(m, &e);
    }
    for (size_t i = 0; i < runs.count; i++)
        end_run(m, &runs.of[i]);
    spans_close(&spans);
    free(runs.of);
}

/* ---- records that are moments -------------------------------------------- */

static uint32_t about(enum moment_kind kind, const struct record *r)
{
    return kind == MOMENT_INTERRUPT ? record_get_irq_vector(r)
           : kind == MOMENT_SAMPLE  ? record_get_profile_counter(r)
                                    : record_get_trap_pc(r);
}

static void read_records(struct moments *m, enum moment_kind kind,
                         unsigned file)
{
    struct record r;
    struct recfile f;
    bool room = true;

    if (!m->wants[kind] || !recording_records(m->r, file, &f))
        return;
    while (room && recfile_next(&f, &r))
        room = add(m, &(struct moment){.kind = kind,
                                       .from = r.cycle,
                                       .to = r.cycle,
                                       .cpu = r.cpu,
                                       .thread = r.thread,
                                       .by = MOMENT_NOBODY,
                                       .about = about(kind, &r)});
    if (room)
        recording_done(m->r, &f);
    else
        recfile_close(&f); /* what is behind was not looked at */
}

/* ---- what is probed ------------------------------------------------------ */

static void add_calls(struct moments *m, struct active_input *in,
                      uint32_t thread)
{
    struct active_thread t;
    enum active_event missing;

    if (!active_read(&t, &in->t, thread, &missing))
        return;
    for (size_t i = 0; i < t.calls; i++)
        add(m, &(struct moment){.kind = MOMENT_SECTION,
                                .from = t.call[i].from,
                                .to = t.call[i].to,
                                .cpu = MOMENT_NO_CPU,
                                .thread = thread,
                                .by = MOMENT_NOBODY,
                                .about = t.call[i].portion});
    active_free(&t);
}

static int by_id(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void read_sections(struct moments *m)
{
    struct active_input in;
    struct hash seen = {0};
    uint32_t *thread;
    size_t threads = 0;

    active_input_records(&in, m->r, NULL);
    thread = grow_zero(in.t.timers + 1, sizeof *thread);
    for (size_t i = 0; i < in.t.timers; i++) {
        bool fresh;

        hash_at(&seen, in.t.timer[i].thread, &fresh);
        if (fresh)
            thread[threads++] = in.t.timer[i].thread;
    }
    if (threads)
        qsort(thread, threads, sizeof *thread, by_id);
    for (size_t i = 0; i < threads; i++)
        add_calls(m, &in, thread[i]);
    for (size_t i = 0; i < in.portions; i++) {
        m->section = grow(m->section, &m->sections_room, m->sections + 1,
                          sizeof *m->section);
        m->section[m->sections++] = grow_text(in.portion[i].name);
    }
    free(thread);
    hash_free(&seen);
    active_input_free(&in);
}

/* ---- all of them --------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->serial > y->serial) - (x->serial < y->serial);
}

void moments_read(struct moments *m)
{
    if (m->wants[MOMENT_IDLE])
        read_idle(m);
    if (m->wants[MOMENT_WAKE] || m->wants[MOMENT_HOLD] ||
        m->wants[MOMENT_CONVOY])
        read_states(m);
    read_records(m, MOMENT_INTERRUPT, REC_IRQ);
    read_records(m, MOMENT_SAMPLE, REC_PROFILE);
    read_records(m, MOMENT_MARK, REC_TRAP);
    if (m->wants[MOMENT_SECTION])
        read_sections(m);
    if (m->count)
        qsort(m->list, m->count, sizeof *m->list, by_time);
}

void moments_free(struct moments *m)
{
    for (size_t i = 0; i < m->sections; i++)
        free(m->section[i]);
    free(m->section);
    free(m->list);
    m->section = NULL;
    m->list = NULL;
    m->count = m->sections = 0;
}
