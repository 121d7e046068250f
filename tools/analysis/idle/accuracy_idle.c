/* accuracy_idle.c - idle.rec against switch.rec and oracle.rec. See
 * accuracy_idle.h. */
#include "tools/analysis/idle/accuracy_idle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/profile/exact_cycles.h"
#include "lib/base/grow.h"
#include "tools/analysis/idle/idle.h"
#include "tools/analysis/experiment/stack.h"

static struct truth_idler *idler(struct truth_transition *t, uint32_t who)
{
    bool fresh;
    uint32_t *at = hash_at(&t->at, who, &fresh);

    if (fresh) {
        *at = (uint32_t)t->count++;
        t->list = grow(t->list, &t->room, t->count, sizeof *t->list);
        t->list[*at] = (struct truth_idler){.who = who};
    }
    return &t->list[*at];
}

/* ---- what happened ------------------------------------------------------- */

static void add_periods(struct accuracy_idle *t, const struct timeline *line)
{
    for (size_t i = 0; i < line->count; i++) {
        const struct idle_period *p = &line->period[i];

        t->to.periods++;
        t->from.periods++;
        t->to.exact += p->idle;
        t->from.exact += p->idle;
        idler(&t->to, p->left)->exact += p->idle;
        idler(&t->from, p->came)->exact += p->idle;
    }
}

/* Idle threads are charged with what they do between naps, too. Under --user
 * there are none, and no thread is what naps. */
static void add_oracle(struct accuracy_idle *t, struct recording *r)
{
    struct exact_cycles_choice choice = {.spots = true};
    bool user = text_lines_get(&r->log, "argument");
    struct exact_cycles a;

    exact_cycles_choose(&a, r, &choice);
    for (size_t i = 0; i < a.spots; i++) {
        const struct exact_cycles_spot *s = &a.spot[i];
        const struct thread *who =
            threads_find(&r->threads, s->thread, s->cycle);

        if (user ? s->function == EXACT_CYCLES_NAPPING
                 : s->function != EXACT_CYCLES_PARKED && who &&
                       who->is == THREAD_IS_IDLE)
            t->cpu[s->cpu].oracle += s->cycles;
    }
    exact_cycles_free(&a);
}

/* ---- causes -------------------------------------------------------------- */

/* The cause that these frames are, leaf first, without what lies below the
 * scheduler's own function, and that. */
static uint32_t cause_of(struct accuracy_idle *t, struct recording *r,
                         struct record_tail pcs, uint64_t cycle)
{
    struct stack stack = stack_of_words(&r->map, pcs, cycle);
    uint32_t function[REC_MAX_WORDS], n = 0, from = 0;
    struct stack_frame f;

    while (stack_next(&stack, &f)) {
        function[n] = loadmap_find(&r->map, f.home, cycle).function;
        if (function[n++] == t->scheduler && !from)
            from = n;
    }
    return stacktree_enter(&t->stacks, function + from, n - from);
}

/* Whose stack each idle period began with; STACKTREE_NONE: not known. */
static uint32_t *read_causes(struct accuracy_idle *t,
                             const struct timeline *line, struct recording *r)
{
    uint32_t *cause = grow_zero(line->count + 1, sizeof *cause);
    uint32_t left[RECFILE_CPUS];
    struct record s;
    struct recfile f;

    memset(left, 0xFF, sizeof left);
    memset(cause, 0xFF, (line->count + 1) * sizeof *cause);
    if (!recording_records(r, REC_SWITCH, &f))
        return cause;
    while (recfile_next(&f, &s)) {
        const struct thread *in = threads_find(&r->threads, s.thread, s.cycle);
        const struct thread *out = threads_find(
            &r->threads, record_get_switch_out_thread(&s), s.cycle);
        struct record_tail pcs = record_get_switch_stack(&s);
        long n;

        if (!out ||
            (out->is != THREAD_IS_IDLE && out->is != THREAD_IS_SAMPLER)) {
            t->scheduler =
                loadmap_find(&r->map, stack_before(record_get_switch_left(&s)),
                             s.cycle)
                    .function;
            loadmap_thread(&r->map, record_get_switch_out_thread(&s));
            left[s.cpu] =
                pcs.words ? cause_of(t, r, pcs, s.cycle) : STACKTREE_NONE;
        }
        if (!in || in->is != THREAD_IS_IDLE)
            continue;
        n = timeline_find(line, s.cpu, s.cycle + 1);
        if (n >= 0 && line->period[n].from == s.cycle)
            cause[n] = left[s.cpu];
    }
    recording_done(r, &f);
    return cause;
}

static void add_causes(struct accuracy_idle *t, const struct timeline *line,
                       const uint32_t *cause)
{
    for (size_t i = 0; i < line->count; i++) {
        if (cause[i] == STACKTREE_NONE)
            continue;
        t->cause.periods++;
        t->cause.exact += line->period[i].idle;
        idler(&t->cause, cause[i])->exact += line->period[i].idle;
    }
}

/* ---- samples ------------------------------------------------------------- */

/* Those that lie in no period are each on its own. */
static uint64_t period_number(const struct truth_transition *t, long n)
{
    return n < 0 ? (uint64_t)1 << 63 | t->draws.count : (uint64_t)n;
}

/* A sample that names `who`, of period n, of which `truth` is true. */
static void add_sample(struct truth_transition *t, const struct timeline *line,
                       bool *seen, long n, uint32_t who, uint32_t truth,
                       bool monitored)
{
    struct truth_idler *named = idler(t, who);

    t->samples++;
    named->samples++;
    resample_add(&t->draws, period_number(t, n), who);
    if (n < 0) {
        t->outside++;
        return;
    }
    t->wrong += who != truth;
    t->unmonitored += who != truth && !monitored;
    if (seen[n])
        return;
    seen[n] = true;
    t->sampled++;
    t->explained += line->period[n].idle;
    named->explained += line->period[n].idle;
}

/* What samples said of the periods, and what is true. */
struct seen {
    bool *to, *from, *cause;
    uint32_t *is; /* their causes */
};

static bool monitored(struct recording *r, uint32_t thread, uint64_t cycle)
{
    const struct thread *who = threads_find(&r->threads, thread, cycle);

    return !who || who->is != THREAD_IS_DAEMON;
}

static void read_sample(struct accuracy_idle *t, struct recording *r,
                        const struct timeline *line, struct seen *seen,
                        const struct record *s)
{
    long n = timeline_find(line, s->cpu, s->cycle);
    const struct idle_period *p = n < 0 ? NULL : &line->period[n];
    bool left = !p || monitored(r, p->left, s->cycle);

    if (record_get_idle_transition(s) != IDLE_KIND_TO) {
        add_sample(&t->from, line, seen->from, n, s->thread, p ? p->came : 0,
                   !p || monitored(r, p->came, s->cycle));
        return;
    }
    add_sample(&t->to, line, seen->to, n, s->thread, p ? p->left : 0, left);
    if (t->cause.periods)
        add_sample(&t->cause, line, seen->cause, n,
                   cause_of(t, r, record_get_idle_stack(s), s->cycle),
                   p ? seen->is[n] : 0, left);
}

static void read_unsampled(struct accuracy_idle *t, const struct timeline *line,
                           struct recording *r)
{
    struct record s;
    struct recfile f;

    if (!recording_records(r, REC_UNSAMPLED, &f))
        return;
    while (recfile_next(&f, &s)) {
        long n = timeline_find(line, s.cpu, s.cycle);
        uint32_t reason = record_get_unsampled_reason(&s);

        t->to.unsampled[reason]++;
        resample_add(&t->to.draws, period_number(&t->to, n),
                     IDLE_UNSAMPLED(reason));
        if (!t->cause.periods)
            continue;
        t->cause.unsampled[reason]++;
        resample_add(&t->cause.draws, period_number(&t->cause, n),
                     IDLE_UNSAMPLED(reason));
    }
    recording_done(r, &f);
}

/* Threads that ended an idle period, and of which no stack was kept. */
static void read_missed(struct accuracy_idle *t, const struct timeline *line,
                        struct recording *r)
{
    struct record s;
    struct recfile f;

    if (!recording_records(r, REC_PRECAPTURE, &f))
        return;
    while (recfile_next(&f, &s)) {
        unsigned reason = idle_missed(&s);

        if (!reason)
            continue;
        t->from.unsampled[reason]++;
        resample_add(
            &t->from.draws,
            period_number(&t->from, timeline_find(line, s.cpu, s.cycle)),
            IDLE_UNSAMPLED(reason));
    }
    recording_done(r, &f);
}

static void read_samples(struct accuracy_idle *t, const struct timeline *line,
                         struct recording *r)
{
    struct seen seen = {
        .to = grow_zero(line->count + 1, sizeof(bool)),
        .from = grow_zero(line->count + 1, sizeof(bool)),
        .cause = grow_zero(line->count + 1, sizeof(bool)),
        .is = read_causes(t, line, r),
    };
    struct record record;
    struct recfile f;

    add_causes(t, line, seen.is);
    if (recording_records(r, REC_IDLE, &f)) {
        while (recfile_next(&f, &record))
            read_sample(t, r, line, &seen, &record);
        recording_done(r, &f);
    }
    read_unsampled(t, line, r);
    read_missed(t, line, r);
    free(seen.to);
    free(seen.from);
    free(seen.cause);
    free(seen.is);
}

static int most_first(const void *a, const void *b)
{
    const struct truth_idler *x = a, *y = b;

    if (x->exact != y->exact)
        return x->exact < y->exact ? 1 : -1;
    return x->who < y->who ? -1 : x->who > y->who;
}

static void order(struct truth_transition *t)
{
    if (t->count)
        qsort(t->list, t->count, sizeof *t->list, most_first);
    hash_free(&t->at); /* of before */
}

void accuracy_idle_read(struct accuracy_idle *t, struct recording *r)
{
    struct timeline line;

    *t = (struct accuracy_idle){.cpus = r->cpus};
    t->cpu = grow_zero(r->cpus, sizeof *t->cpu);
    stacktree_init(&t->stacks, 1);
    timeline_read(&line, r);
    for (unsigned i = 0; i < r->cpus; i++)
        t->cpu[i].switches = line.cpu[i].idle;
    add_periods(t, &line);
    read_samples(t, &line, r);
    timeline_free(&line);
    add_oracle(t, r);
    order(&t->to);
    order(&t->from);
    order(&t->cause);
}

void accuracy_idle_free(struct accuracy_idle *t)
{
    free(t->to.list);
    free(t->from.list);
    free(t->cause.list);
    resample_free(&t->to.draws);
    resample_free(&t->from.draws);
    resample_free(&t->cause.draws);
    stacktree_free(&t->stacks);
    free(t->cpu);
    *t = (struct accuracy_idle){0};
}

void accuracy_idle_name(const struct accuracy_idle *t,
                        const struct recording *r, uint32_t cause, char *out,
                        size_t size)
{
    size_t n = 0;

    *out = '\0';
    while (cause != STACKTREE_ROOT && n < size) {
        const struct stacknode *node = &t->stacks.node[cause];

        n += (size_t)snprintf(out + n, size - n, "%s%s", n ? " < " : "",
                              loadmap_name(&r->map, node->frame));
        cause = node->parent;
    }
}

uint64_t accuracy_idle_whole(const struct truth_transition *t)
{
    uint64_t sum = t->samples;

    for (unsigned i = 0; i < IDLE_REASONS; i++)
        sum += t->unsampled[i];
    return sum;
}

double accuracy_idle_error(const struct truth_transition *t, bool explained)
{
    double all = (double)(explained ? t->exact : accuracy_idle_whole(t));
    double sum = 0, rest;

    if (all <= 0 || !t->exact)
        return 0;
    for (size_t i = 0; i < t->count; i++) {
        const struct truth_idler *p = &t->list[i];
        double found = (double)(explained ? p->explained : p->samples) / all;

        sum += fabs(found - (double)p->exact / (double)t->exact);
    }
    rest = all - (double)(explained ? t->explained : t->samples);
    return (sum + (rest > 0 ? rest / all : 0)) / 2;
}

double accuracy_idle_noise(const struct truth_transition *t)
{
    double n = (double)accuracy_idle_whole(t), sum = 0;

    for (size_t i = 0; n > 0 && t->exact && i < t->count; i++)
        sum +=
            accuracy_distance((double)t->list[i].exact / (double)t->exact, n);
    return sum / 2;
}
