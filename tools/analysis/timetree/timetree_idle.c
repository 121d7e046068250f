/* timetree_idle.c - the time tree of idleness, from context switches and idle
 * samples; tools/analysis/idle/idle_tree.c reads it. What a sample says hangs
 * on its period, so the whole timeline is there before the first sample is
 * taken.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/grow.h"
#include "tools/analysis/idle/idle.h"
#include "tools/analysis/timetree/timetree_put.h"

struct event {
    struct stream_sample sample;
    uint64_t serial;
};

struct build {
    struct idle d;
    struct recording *r;
    struct timetree_put put;
    struct hash call_at; /* (call, node of stacks) to the call below */
    struct event *event;
    size_t events, room;
    uint64_t samples;
    uint64_t last[RECFILE_CPUS]; /* sample, by CPU */
    bool strange;
};

/* ---- calls --------------------------------------------------------------- */

/* The call below another, made if it is new. `key` tells it from others. */
static uint32_t call_below(struct build *w, uint32_t parent, uint32_t key,
                           const struct timetree_call *new)
{
    bool fresh;
    uint32_t *at = hash_at(&w->call_at, (uint64_t)parent << 32 | key, &fresh);

    if (fresh)
        *at = timetree_put_call(&w->put, new);
    return *at;
}

static uint32_t label_call(struct build *w, unsigned cpu,
                           enum timetree_label label)
{
    static const char *const words[TIMETREE_LABELS] = {
        "idle thread", "idle period",       "switches",
        "to-idle",     "to-idle, explains", "to-idle, opens and explains",
        "from-idle",   "from-idle, opens"};
    struct timetree_call c = {.is = TIMETREE_LABEL + cpu * TIMETREE_LABELS +
                                    label};
    char name[64];

    snprintf(name, sizeof name, "<CPU %u: %s>", cpu, words[label]);
    c.name = timetree_put_name(&w->put, name);
    return call_below(w, 0, c.is, &c);
}

/* The call of a node of the stacks below a label. */
static uint32_t node_call(struct build *w, uint32_t label, uint32_t node)
{
    uint32_t path[REC_MAX_WORDS], call = label;
    size_t n = 0;

    for (; node != STACKTREE_ROOT; node = w->d.tree.node[node].parent)
        path[n++] = node;
    while (n--) {
        const struct idle_frame *f = &w->d.frame[w->d.tree.node[path[n]].frame];
        struct timetree_call c = {
            .parent = call, .pc = f->at, .cycle = f->cycle};
        char name[256];

        c.name = timetree_put_name(
            &w->put, idle_name(&w->d, w->r, path[n], name, sizeof name));
        call = call_below(w, call, path[n], &c);
    }
    return call;
}

/* ---- events -------------------------------------------------------------- */

static void put_event(struct build *w, uint64_t time, uint32_t call,
                      uint64_t more)
{
    w->event = grow(w->event, &w->room, w->events + 1, sizeof *w->event);
    w->event[w->events] = (struct event){
        {time, 1 + more, timetree_put_type(&w->put, call)}, w->events};
    w->events++;
}

static void put_sample(void *arg, const struct idle_sample *s)
{
    struct build *w = arg;
    enum timetree_label label = s->opens && s->to ? TIMETREE_TO_OPENS
                                : s->opens        ? TIMETREE_FROM_OPENS
                                : s->explains     ? TIMETREE_TO_EXPLAINS
                                : s->to           ? TIMETREE_TO
                                                  : TIMETREE_FROM;

    w->strange |= s->cycle < w->last[s->cpu];
    w->last[s->cpu] = s->cycle;
    w->samples++;
    put_event(w, s->cycle, node_call(w, label_call(w, s->cpu, label), s->node),
              s->idle);
}

static void put_timeline(struct build *w)
{
    const struct timeline *t = &w->d.timeline;

    for (unsigned cpu = 0; cpu < t->cpus; cpu++)
        if (t->cpu[cpu].switches)
            put_event(w, 0, label_call(w, cpu, TIMETREE_SWITCHES), 0);
    for (size_t i = 0; i < t->count; i++)
        put_event(w, t->period[i].to,
                  label_call(w, t->period[i].cpu, TIMETREE_PERIOD),
                  t->period[i].to - t->period[i].from);
    for (size_t i = 0; i < t->stints; i++)
        put_event(w, t->stint[i].to,
                  label_call(w, t->stint[i].cpu, TIMETREE_STINT),
                  t->stint[i].to - t->stint[i].from);
}

static int by_time(const void *a, const void *b)
{
    const struct event *x = a, *y = b;

    if (x->sample.time != y->sample.time)
        return x->sample.time < y->sample.time ? -1 : 1;
    return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static struct stream in_order(struct build *w)
{
    struct stream s = {.unit = 1};

    if (w->events)
        qsort(w->event, w->events, sizeof *w->event, by_time);
    for (size_t i = 0; i < w->events; i++)
        stream_add(&s, w->event[i].sample.time, w->event[i].sample.type,
                   w->event[i].sample.weight);
    return s;
}

/* ---- together ------------------------------------------------------------ */

static void forget(struct build *w)
{
    idle_free(&w->d);
    timetree_put_free(&w->put);
    hash_free(&w->call_at);
    free(w->event);
    free(w);
}

bool timetree_idle_build(struct timetree_file *f, struct recording *r,
                         const struct timetree_choice *c, char *why,
                         size_t size)
{
    struct build *w = grow_zero(1, sizeof *w);
    struct idle_choice choice = {.met = put_sample, .arg = w};
    struct stream s;

    w->r = r;
    w->put.f = f;
    f->origin.kind = REC_IDLE;
    timetree_file_origin(f, r);
    timetree_put_call(
        &w->put,
        &(struct timetree_call){.name = timetree_put_name(&w->put, "<Total>")});
    idle_choose(&w->d, r, &choice);
    if (!w->samples) {
        snprintf(why, size, "%s: no samples of idle transitions",
                 recfile_name(REC_IDLE));
        forget(w);
        timetree_file_close(f);
        return false;
    }
    put_timeline(w);
    f->origin.strange = w->strange || problems_damage(&r->problems);
    s = in_order(w);
    /* The run's last cycle belongs to it; what follows does not. */
    timetree_build(&f->tree, &s, f->tree.types, 0,
                   w->event[w->events - 1].sample.time > r->end
                       ? w->event[w->events - 1].sample.time + 1
                       : r->end + 1,
                   &c->with);
    forget(w);
    return true;
}
