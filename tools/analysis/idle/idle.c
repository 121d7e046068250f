/* idle.c - idle.rec and stat.rec, on the timeline. */
#include "tools/analysis/idle/idle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/analysis/experiment/stack.h"

/* ---- frames -------------------------------------------------------------- */

uint32_t idle_frame(struct idle *d, uint32_t function, uint32_t pc)
{
    bool apart = d->by_pc || function == LOADMAP_UNKNOWN, fresh;
    uint64_t key = (uint64_t)function << 32 | (apart ? pc : 0);
    uint32_t *number = hash_at(&d->frames, key, &fresh);

    if (fresh) {
        *number = (uint32_t)d->frame_count;
        d->frame = grow(d->frame, &d->frame_room, d->frame_count + 1,
                        sizeof *d->frame);
        d->frame[d->frame_count++] =
            (struct idle_frame){.function = function, .pc = apart ? pc : 0};
    }
    return *number;
}

/* The number of the frame for this pc. A return address is looked up one
 * instruction back, at the call; the leaf as it is. */
static uint32_t frame_of(struct idle *d, struct recording *r,
                         const struct stack_frame *f, uint64_t cycle)
{
    struct place place = loadmap_find(&r->map, f->home, cycle);
    size_t known = d->frame_count;
    uint32_t number = idle_frame(d, place.function, f->pc);

    if (number == known) {
        d->frame[number].offset = place.offset + (f->pc - f->at);
        d->frame[number].at = f->home;
        d->frame[number].cycle = cycle;
    }
    return number;
}

const char *idle_name(const struct idle *d, const struct recording *r,
                      uint32_t node, char *out, size_t size)
{
    const struct idle_frame *f;

    if (node == STACKTREE_ROOT)
        return "<Total>";
    f = &d->frame[d->tree.node[node].frame];
    if (f->function == LOADMAP_UNKNOWN) {
        snprintf(out, size, "0x%08" PRIx32, f->pc);
        return out;
    }
    if (!d->by_pc)
        return loadmap_name(&r->map, f->function);
    snprintf(out, size, "%s+0x%" PRIx32, loadmap_name(&r->map, f->function),
             f->offset);
    return out;
}

/* The node of a sample's call stack. */
static uint32_t node_of(struct idle *d, struct recording *r,
                        const struct record *record)
{
    uint32_t frame[REC_MAX_WORDS];
    struct stack stack = stack_of_record(&r->map, record);
    struct stack_frame f;
    size_t n = 0;

    while (stack_next(&stack, &f))
        frame[n++] = frame_of(d, r, &f, record->cycle);
    return stacktree_enter(&d->tree, frame, n);
}

/* ---- samples ------------------------------------------------------------- */

/* What the samples said about one idle period. */
struct finding {
    bool to, from;
};

static void explain(struct idle *d, struct finding *found,
                    struct idle_sample *s, long period)
{
    struct idle_cpu *c = &d->cpu[s->cpu];
    struct finding *f = period < 0 ? NULL : &found[period];

    if (!f) {
        c->outside++;
        return;
    }
    s->opens = !f->to && !f->from;
    s->explains = s->to && !f->to;
    c->sampled += s->opens;
    if (s->explains) {
        s->idle = d->timeline.period[period].idle;
        c->sampled_to++;
        c->explained += s->idle;
        stacktree_add(&d->tree, s->node, s->cpu * IDLE_METRICS + IDLE_EXPLAINED,
                      s->idle);
    }
    f->to |= s->to;
    f->from |= !s->to;
}

/* Keep what an interrupt found. Each that lies in no period is on its own. */
static void draw(struct idle *d, unsigned cpu, bool from, uint32_t what,
                 long period)
{
    uint64_t number =
        period < 0 ? (uint64_t)1 << 63 | d->draws : (uint64_t)period;

    d->draw = grow(d->draw, &d->draws_room, d->draws + 1, sizeof *d->draw);
    d->draw[d->draws++] = (struct idle_draw){cpu, from, what, number};
}

static void read_samples(struct idle *d, struct recording *r,
                         const struct idle_choice *choice)
{
    struct finding *found = grow_zero(d->timeline.count, sizeof *found);
    struct record record;
    struct recfile f;

    if (!recording_records(r, REC_IDLE, &f)) {
        free(found);
        return;
    }
    while (recfile_next(&f, &record)) {
        struct idle_sample s = {
            .cpu = record.cpu,
            .cycle = record.cycle,
            .to = record_get_idle_transition(&record) == IDLE_KIND_TO,
        };
        enum idle_metric metric = s.to ? IDLE_TO : IDLE_FROM;
        long period;

        if (choice->wants && !choice->wants(choice->arg, &record))
            continue;
        s.node = node_of(d, r, &record);
        d->cpu[s.cpu].samples[metric]++;
        d->cpu[s.cpu].kept += record_get_idle_by(&record) == IDLE_BY_KEPT;
        stacktree_add(&d->tree, s.node, s.cpu * IDLE_METRICS + metric, 1);
        period = timeline_find(&d->timeline, s.cpu, s.cycle);
        explain(d, found, &s, period);
        if (choice->draws)
            draw(d, s.cpu, !s.to, s.node, period);
        if (choice->met)
            choice->met(choice->arg, &s);
    }
    recording_done(r, &f);
    free(found);
}

void idle_unsampled(struct idle *d, struct recording *r,
                    const struct idle_choice *choice)
{
    struct record record;
    struct recfile f;

    if (!recording_records(r, REC_UNSAMPLED, &f))
        return;
    while (recfile_next(&f, &record)) {
        uint32_t reason = record_get_unsampled_reason(&record);

        if (choice && choice->wants && !choice->wants(choice->arg, &record))
            continue;
        d->cpu[record.cpu].unsampled[reason]++;
        if (choice && choice->draws)
            draw(d, record.cpu, false, IDLE_UNSAMPLED(reason),
                 timeline_find(&d->timeline, record.cpu, record.cycle));
    }
    recording_done(r, &f);
}

unsigned idle_missed(const struct record *precapture)
{
    switch (record_get_precapture_event(precapture)) {
    case PRECAPTURE_LATE:
        return IDLE_LATE;
    case PRECAPTURE_EXCLUDED:
        return IDLE_EXCLUDED;
    case PRECAPTURE_FAILED:
        return IDLE_FAILED;
    default:
        return 0;
    }
}

void idle_precapture(struct idle *d, struct recording *r,
                     const struct idle_choice *choice)
{
    struct record record;
    struct recfile f;

    if (!recording_records(r, REC_PRECAPTURE, &f))
        return;
    while (recfile_next(&f, &record)) {
        uint32_t event = record_get_precapture_event(&record);
        unsigned missed = idle_missed(&record);
        struct idle_cpu *c = &d->cpu[record.cpu];

        c->taken += event == PRECAPTURE_TAKEN;
        c->kept += !choice && event == PRECAPTURE_USED;
        if (!missed ||
            (choice && choice->wants && !choice->wants(choice->arg, &record)))
            continue;
        c->unsampled[missed]++;
        if (choice && choice->draws)
            draw(d, record.cpu, true, IDLE_UNSAMPLED(missed),
                 timeline_find(&d->timeline, record.cpu, record.cycle));
    }
    recording_done(r, &f);
}

static const char *const reasons[IDLE_REASONS][2] = {
    [UNSAMPLED_NONE] = {"none", "<none: no monitored thread is remembered>"},
    [UNSAMPLED_ENDED] = {"ended", "<stale: the thread has ended>"},
    [UNSAMPLED_RUNNABLE] = {"runnable",
                            "<stale: the thread was woken, has not run>"},
    [UNSAMPLED_MOVED] = {"moved", "<stale: the thread has run elsewhere>"},
    [UNSAMPLED_OUTSTANDING] = {"outstanding",
                               "<suppressed: a sample was outstanding>"},
    [UNSAMPLED_AGAIN] = {"again", "<once: the idle period had a sample>"},
    [IDLE_LATE] = {"late", "<late: no stack was taken since it ran>"},
    [IDLE_EXCLUDED] = {"excluded", "<excluded: by the boot line>"},
    [IDLE_FAILED] = {"failed", "<failed: its stack could not be read before>"},
};

const char *idle_reason(unsigned reason)
{
    return reasons[reason][0];
}

const char *idle_reason_text(unsigned reason)
{
    return reasons[reason][1];
}

uint64_t idle_interrupts(const struct idle_cpu *c)
{
    uint64_t sum = c->samples[IDLE_TO];

    for (unsigned i = 0; i < UNSAMPLED_REASONS; i++)
        sum += c->unsampled[i];
    return sum;
}

uint64_t idle_ends(const struct idle_cpu *c)
{
    uint64_t sum = c->samples[IDLE_FROM];

    for (unsigned i = UNSAMPLED_REASONS; i < IDLE_REASONS; i++)
        sum += c->unsampled[i];
    return sum;
}

void idle_stats(struct idle *d, struct recording *r)
{
    struct record record;
    struct recfile f;

    if (!recording_records(r, REC_STAT, &f))
        return;
    while (recfile_next(&f, &record)) {
        uint32_t which = record_get_stat_counter(&record);

        if (which >= IDLE_STATS)
            continue;
        d->cpu[record.cpu].stat[which] = record_get_stat_value(&record);
        d->cpu[record.cpu].has_stat[which] = true;
        d->cpu[record.cpu].stat_at = record.cycle;
    }
    recording_done(r, &f);
}

/* Periods of a CPU that had begun by a cycle. */
static uint64_t periods_by(const struct idle *d, unsigned cpu, uint64_t cycle)
{
    const struct timeline_cpu *c = &d->timeline.cpu[cpu];
    uint64_t n = 0;

    while (n < c->periods && d->timeline.period[c->first + n].from <= cycle)
        n++;
    return n;
}

/* The two may differ a little: off-level work runs in the idle thread, which a
 * context switch cannot tell from idling. */
static void check_periods(const struct idle *d, struct recording *r,
                          unsigned cpu, uint64_t n)
{
    const struct idle_cpu *c = &d->cpu[cpu];
    uint64_t guest = c->stat[STAT_IDLE_PERIODS];
    uint64_t apart = n > guest ? n - guest : guest - n;

    if (c->has_stat[STAT_IDLE_PERIODS] && d->timeline.cpu[cpu].switches &&
        apart > 2 + guest / 50)
        problem_add(&r->problems, PROBLEM_NOTE,
                    "switch.rec: shows %" PRIu64 " idle periods of CPU %u, "
                    "the guest counted %" PRIu64,
                    n, cpu, guest);
}

/* So many records of one kind there are; the guest counted them too. */
struct kept {
    unsigned stat;
    uint64_t n;
    const char *file, *what;
};

static void check_count(const struct idle_cpu *c, struct recording *r,
                        unsigned cpu, const struct kept *k)
{
    if (c->has_stat[k->stat] && c->stat[k->stat] != k->n)
        problem_add(&r->problems, PROBLEM_NOTE,
                    "%s.rec: holds %" PRIu64 " %s of CPU %u, the guest counted "
                    "%" PRIu64,
                    k->file, k->n, k->what, cpu, c->stat[k->stat]);
}

/* The guest counted its samples and idle periods too; say where it counted
 * otherwise. */
static void cross_check(const struct idle *d, struct recording *r,
                        const uint64_t *begun)
{
    for (unsigned cpu = 0; r->ended && !r->windowed && cpu < d->cpus; cpu++) {
        const struct idle_cpu *c = &d->cpu[cpu];
        const uint64_t *none = c->unsampled;
        uint64_t stale = none[UNSAMPLED_ENDED] + none[UNSAMPLED_RUNNABLE] +
                         none[UNSAMPLED_MOVED];
        const struct kept kept[] = {
            {STAT_TO_IDLE, c->samples[IDLE_TO], "idle", "to-idle samples"},
            {STAT_FROM_IDLE, c->samples[IDLE_FROM], "idle",
             "from-idle samples"},
            {STAT_NONE, none[UNSAMPLED_NONE], "unsampled",
             "idle interrupts without a thread"},
            {STAT_STALE, stale, "unsampled", "stale idle interrupts"}};

        check_periods(d, r, cpu, begun[cpu]);
        for (size_t k = 0; k < sizeof kept / sizeof kept[0]; k++)
            check_count(c, r, cpu, &kept[k]);
    }
}

void idle_begin(struct idle *d, const struct recording *r, bool by_pc)
{
    *d = (struct idle){.cpus = r->cpus, .by_pc = by_pc};
    d->cpu = grow_zero(r->cpus, sizeof *d->cpu);
    stacktree_init(&d->tree, r->cpus * IDLE_METRICS);
}

void idle_end(struct idle *d, struct recording *r, const uint64_t *begun)
{
    if (begun)
        cross_check(d, r, begun);
    stacktree_total(&d->tree);
}

void idle_choose(struct idle *d, struct recording *r,
                 const struct idle_choice *choice)
{
    uint64_t begun[RECFILE_CPUS];

    idle_begin(d, r, choice->by_pc);
    timeline_read(&d->timeline, r);
    read_samples(d, r, choice);
    idle_unsampled(d, r, choice);
    idle_precapture(d, r, choice);
    idle_stats(d, r);
    for (unsigned cpu = 0; cpu < d->cpus; cpu++)
        begun[cpu] = periods_by(d, cpu, d->cpu[cpu].stat_at);
    idle_end(d, r, choice->wants ? NULL : begun);
}

void idle_read(struct idle *d, struct recording *r, bool by_pc)
{
    idle_choose(d, r, &(struct idle_choice){.by_pc = by_pc});
}

void idle_free(struct idle *d)
{
    timeline_free(&d->timeline);
    stacktree_free(&d->tree);
    hash_free(&d->frames);
    free(d->frame);
    free(d->draw);
    free(d->cpu);
    *d = (struct idle){0};
}

const char idle_restarts_text[] =
    "With rearm=complete on its boot line the guest starts the period until "
    "the next sample interrupt anew when a sample is complete: short idle "
    "periods are met too rarely, so shares of interrupts are biased. "
    "rearm=steady, the default, cures that.";

bool idle_restarts(const struct recording *r)
{
    char rule[RECORDING_ARGUMENT];

    return recording_argument(r, "rearm", rule) && !strcmp(rule, "complete");
}
