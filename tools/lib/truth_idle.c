/* truth_idle.c - idle.rec against switch.rec and oracle.rec. See
 * truth_idle.h. */
#include "tools/lib/truth_idle.h"

#include <stdlib.h>
#include <string.h>

#include "tools/lib/account.h"
#include "tools/lib/grow.h"

static struct truth_idler *idler(struct truth_transition *t, uint32_t thread)
{
    bool fresh;
    uint32_t *at = hash_at(&t->at, thread, &fresh);

    if (fresh) {
        *at = (uint32_t)t->count++;
        t->list = grow(t->list, &t->room, t->count, sizeof *t->list);
        t->list[*at] = (struct truth_idler){.thread = thread};
    }
    return &t->list[*at];
}

/* ---- what happened ------------------------------------------------------ */

static void add_periods(struct truth_idle *t, const struct timeline *line)
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

/* Idle threads are charged with what they do between naps, too. */
static void add_oracle(struct truth_idle *t, struct recording *r)
{
    struct account_choice choice = {.spots = true};
    struct account a;

    account_choose(&a, r, &choice);
    for (size_t i = 0; i < a.spots; i++) {
        const struct account_spot *s = &a.spot[i];
        const struct thread *who =
            threads_find(&r->threads, s->thread, s->cycle);

        if (s->function != ACCOUNT_PARKED && who && who->is == THREAD_IS_IDLE)
            t->cpu[s->cpu].oracle += s->cycles;
    }
    account_free(&a);
}

/* ---- samples ------------------------------------------------------------ */

static void add_sample(struct truth_transition *t, const struct timeline *line,
                       bool *seen, const struct record *s, bool to)
{
    long n = timeline_find(line, s->cpu, s->cycle);
    const struct idle_period *p = n < 0 ? NULL : &line->period[n];
    struct truth_idler *who = idler(t, s->thread);

    t->samples++;
    who->samples++;
    if (!p) {
        t->outside++;
        return;
    }
    t->wrong += (to ? p->left : p->came) != s->thread;
    if (seen[n])
        return;
    seen[n] = true;
    t->sampled++;
    t->explained += p->idle;
    who->explained += p->idle;
}

static void read_samples(struct truth_idle *t, const struct timeline *line,
                         struct recording *r)
{
    bool *seen_to = grow_zero(line->count + 1, sizeof *seen_to);
    bool *seen_from = grow_zero(line->count + 1, sizeof *seen_from);
    struct record record;
    struct recfile f;

    if (recording_records(r, REC_IDLE, &f)) {
        while (recfile_next(&f, &record)) {
            bool to = record_word(&record, 0) == IDLE_KIND_TO;

            add_sample(to ? &t->to : &t->from, line, to ? seen_to : seen_from,
                       &record, to);
        }
        recording_done(r, &f);
    }
    free(seen_to);
    free(seen_from);
}

static int most_first(const void *a, const void *b)
{
    const struct truth_idler *x = a, *y = b;

    if (x->exact != y->exact)
        return x->exact < y->exact ? 1 : -1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

void truth_idle_read(struct truth_idle *t, struct recording *r)
{
    struct timeline line;

    *t = (struct truth_idle){.cpus = r->cpus};
    t->cpu = grow_zero(r->cpus, sizeof *t->cpu);
    timeline_read(&line, r);
    for (unsigned i = 0; i < r->cpus; i++)
        t->cpu[i].switches = line.cpu[i].idle;
    add_periods(t, &line);
    read_samples(t, &line, r);
    timeline_free(&line);
    add_oracle(t, r);
    if (t->to.count)
        qsort(t->to.list, t->to.count, sizeof *t->to.list, most_first);
    if (t->from.count)
        qsort(t->from.list, t->from.count, sizeof *t->from.list, most_first);
    hash_free(&t->to.at); /* the list was put in order */
    hash_free(&t->from.at);
}

void truth_idle_free(struct truth_idle *t)
{
    free(t->to.list);
    free(t->from.list);
    free(t->cpu);
    *t = (struct truth_idle){0};
}

double truth_idle_error(const struct truth_transition *t, bool explained)
{
    double right = 0, all = (double)(explained ? t->explained : t->samples);

    if (all <= 0 || !t->exact)
        return 0;
    for (size_t i = 0; i < t->count; i++) {
        const struct truth_idler *p = &t->list[i];
        double found = (double)(explained ? p->explained : p->samples) / all;
        double is = (double)p->exact / (double)t->exact;

        right += found < is ? found : is;
    }
    return right < 1 ? 1 - right : 0;
}
