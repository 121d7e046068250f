/* timetree_build.c - from an experiment's records to a time tree.
 * A stack is recognised by its program counters, which is cheap; what they
 * mean is worked out once for each. Records of one CPU are in order of time,
 * so there is a run of samples for each, and in the end they are merged.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/did_you_mean.h"
#include "lib/base/grow.h"
#include "lib/base/hash.h"
#include "tools/analysis/profile/samples.h"
#include "tools/analysis/profile/stacktree.h"
#include "tools/analysis/timetree/timetree_put.h"
#include "tools/analysis/experiment/stack.h"

#define RUNS 64              /* more only where damage made times go back */
#define DROP_EVERY (1 << 20) /* samples of a run, its memory is given back */

/* Samples in order of time. */
struct run {
    struct stream stream;
    struct stream_view *view;
    uint64_t last, next;
};

/* A sample for which there was no run. */
struct raw {
    struct stream_sample sample;
    uint64_t serial;
};

struct build {
    struct timetree_file *f;
    struct recording *r;
    const struct timetree_choice *choice;
    struct samples samples; /* frames of stacks */
    uint32_t unit;
    struct run run[RUNS + 1];
    unsigned runs;
    unsigned run_of[RECFILE_CPUS]; /* one more than its number, or 0 */
    struct raw *raw;
    size_t raws, raw_room;
    uint64_t count, latest;
    uint64_t loaded;   /* nothing was loaded after this */
    struct hash known; /* of a record's stack to a distinct stack */
    struct distinct {
        uint32_t *word; /* the counters and flags it was recognised by */
        uint32_t words, type;
    } * distinct;
    size_t distincts, distinct_room;
    struct timetree_put put;
    struct hash name_at; /* function of the load map to name */
    struct stacktree tree;
};

/* ---- names and stacks ---------------------------------------------------- */

static uint32_t name_of(struct build *w, uint32_t function)
{
    bool fresh;
    uint32_t *at = hash_at(&w->name_at, function, &fresh);

    if (fresh)
        *at = timetree_put_name(&w->put, samples_name(w->r, function));
    return *at;
}

/* The frames of an idle sample, leaf first, as samples_stack has those of
 * others. */
static size_t idle_stack(struct build *w, const struct record *record,
                         uint32_t *frame)
{
    struct stack stack = stack_of_record(&w->r->map, record);
    struct stack_frame f;
    size_t n = 0;

    while (stack_next(&stack, &f))
        frame[n++] = samples_frame(
            &w->samples,
            loadmap_find(&w->r->map, f.home, record->cycle).function, f.home,
            record->cycle);
    return n;
}

/* Was this frame put in as what the one below it is a part of? */
static bool is_origin(const struct samples_frame *f)
{
    return !f->pc && !f->cycle && f->function != SAMPLES_TRUNCATED &&
           f->function != EXACT_CYCLES_NAPPING;
}

/* A new node of the tree of calls: frame n of a stack. */
static void put_call(struct build *w, uint32_t parent, const uint32_t *frame,
                     size_t n)
{
    const struct samples_frame *list = w->samples.frame, *at = &list[frame[n]];
    struct timetree_call c;
    size_t part = n;

    while (part && is_origin(&list[frame[part]]))
        part--;
    c = (struct timetree_call){.parent = parent,
                               .name = name_of(w, at->function),
                               .pc = list[frame[part]].pc,
                               .cycle = list[frame[part]].cycle};
    if (at->function == SAMPLES_TRUNCATED)
        c.is = TIMETREE_TRUNCATED;
    else if (at->function == EXACT_CYCLES_NAPPING)
        c.is = TIMETREE_NAPPING;
    else if (part < n)
        c.is = TIMETREE_ORIGIN + (uint32_t)(n - part) - 1;
    timetree_put_call(&w->put, &c);
}

/* The type of a stack: its functions. */
static uint32_t resolve(struct build *w, const struct record *record)
{
    uint32_t frame[SAMPLES_STACK], node = STACKTREE_ROOT;
    size_t n = record->kind == REC_IDLE
                   ? idle_stack(w, record, frame)
                   : samples_stack(&w->samples, w->r, record, frame);

    while (n--) {
        const struct samples_frame *at = &w->samples.frame[frame[n]];
        uint32_t child = stacktree_below(&w->tree, node, at->function);

        if (child == w->f->calls)
            put_call(w, node, frame, n);
        node = child;
    }
    return timetree_put_type(&w->put, node);
}

/* ---- records ------------------------------------------------------------- */

/* The stack of a record, and what else tells it from others. Naps have none. */
static struct record_tail stack_of(const struct build *w,
                                   const struct record *record, uint32_t *kind)
{
    struct record_tail pcs = record_frames(record);

    *kind = record->kind == REC_PROFILE &&
            record_get_profile_flags(record) & PROFILE_TRUNCATED;
    if (samples_naps(w->r, record)) {
        pcs.words = 0;
        *kind = 2;
    }
    return pcs;
}

static bool same(const struct distinct *d, struct record_tail pcs,
                 uint32_t kind)
{
    if (d->words != pcs.words + 1 || d->word[0] != kind)
        return false;
    for (uint32_t i = 0; i < pcs.words; i++)
        if (d->word[1 + i] != record_tail_word(pcs, i))
            return false;
    return true;
}

/* Programs may be loaded while the run goes on: a stack then means what it
 * did only until the next one. */
static uint64_t epoch_of(const struct build *w, uint64_t cycle)
{
    const struct loadmap *m = &w->r->map;
    uint64_t epoch = 0;

    if (cycle >= w->loaded)
        return 0;
    for (size_t i = 0; i < m->segments; i++)
        epoch += m->segment[i].from > cycle;
    return epoch;
}

static uint32_t type_of(struct build *w, const struct record *record)
{
    uint32_t kind, *at;
    struct record_tail pcs = stack_of(w, record, &kind);
    bool fresh;
    uint64_t key;
    struct distinct *d;

    key = (epoch_of(w, record->cycle) * 3 + kind) * 0x9E3779B97F4A7C15u;
    for (uint32_t i = 0; i < pcs.words; i++) {
        key = (key ^ record_tail_word(pcs, i)) * 0xFF51AFD7ED558CCDu;
        key ^= key >> 29;
    }
    for (;; key++) {
        at = hash_at(&w->known, key, &fresh);
        if (fresh)
            break;
        if (same(&w->distinct[*at], pcs, kind))
            return w->distinct[*at].type;
    }
    *at = (uint32_t)w->distincts;
    w->distinct = grow(w->distinct, &w->distinct_room, w->distincts + 1,
                       sizeof *w->distinct);
    d = &w->distinct[w->distincts++];
    *d = (struct distinct){.word = grow_zero(pcs.words + 1, sizeof *d->word),
                           .words = pcs.words + 1};
    d->word[0] = kind;
    for (uint32_t i = 0; i < pcs.words; i++)
        d->word[1 + i] = record_tail_word(pcs, i);
    d->type = resolve(w, record);
    return d->type;
}

static bool wanted(struct build *w, const struct record *record)
{
    const struct timetree_choice *c = w->choice;

    if (record->kind == REC_PROFILE &&
        samples_metric_of(&w->samples.metric, record) ==
            w->samples.metric.count - 1)
        w->f->origin.strange++;
    return (record->kind == REC_PROFILE
                ? record_get_profile_counter(record)
                : record_get_idle_transition(record)) == w->f->origin.number &&
           (!c->one_thread || record->thread == c->thread) &&
           (c->cpu < 0 || record->cpu == (unsigned long)c->cpu) &&
           (!c->wants || c->wants(c->arg, record));
}

static void add_sample(struct build *w, const struct record *record)
{
    struct stream_sample s = {
        record->cycle,
        record->kind == REC_IDLE ? 1 : record_get_profile_events(record),
        type_of(w, record)};
    unsigned *of = &w->run_of[record->cpu];
    struct run *run;

    if ((!*of || s.time < w->run[*of - 1].last) && w->runs < RUNS) {
        w->run[w->runs] = (struct run){.stream.unit = w->unit};
        *of = ++w->runs;
    }
    w->count++;
    w->latest = s.time > w->latest ? s.time : w->latest;
    run = *of ? &w->run[*of - 1] : NULL;
    if (!run || s.time < run->last) {
        w->raw = grow(w->raw, &w->raw_room, w->raws + 1, sizeof *w->raw);
        w->raw[w->raws] = (struct raw){s, w->raws};
        w->raws++;
        return;
    }
    run->last = s.time;
    stream_add(&run->stream, s.time, s.type, s.weight);
}

static bool read_records(struct build *w)
{
    struct record record;
    struct recfile f;

    if (!recording_records(w->r, (unsigned)w->f->origin.kind, &f))
        return false;
    recfile_index(&f);
    while (recfile_next(&f, &record))
        if (wanted(w, &record))
            add_sample(w, &record);
    w->f->origin.strange += f.places + f.nonsense + (f.tail != 0) +
                            (f.error != 0) + recording_lacks(w->r, &f);
    recording_done(w->r, &f);
    return true;
}

/* ---- runs become one ----------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    const struct raw *x = a, *y = b;

    if (x->sample.time != y->sample.time)
        return x->sample.time < y->sample.time ? -1 : 1;
    return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static void sort_raw(struct build *w)
{
    struct run *run = &w->run[w->runs];

    if (!w->raws)
        return;
    qsort(w->raw, w->raws, sizeof *w->raw, by_time);
    *run = (struct run){.stream.unit = w->unit};
    for (size_t i = 0; i < w->raws; i++)
        stream_add(&run->stream, w->raw[i].sample.time, w->raw[i].sample.type,
                   w->raw[i].sample.weight);
    w->runs++;
    free(w->raw);
    w->raw = NULL;
}

/* The next sample of a run; NULL: it is at its end. */
static const struct stream_sample *head(const struct run *run)
{
    if (run->next == run->stream.count ||
        !stream_read(&run->stream, run->view, run->next))
        return NULL;
    return &run->view->sample[run->next - run->view->first];
}

/* Of two at the same time that of the run begun first. */
static struct stream merge(struct build *w)
{
    struct stream out = {.unit = w->unit};

    for (;;) {
        const struct stream_sample *best = NULL;
        struct run *from = NULL;

        for (unsigned i = 0; i < w->runs; i++) {
            const struct stream_sample *s = head(&w->run[i]);

            if (s && (!best || s->time < best->time)) {
                best = s;
                from = &w->run[i];
            }
        }
        if (!best)
            return out;
        stream_add(&out, best->time, best->type, best->weight);
        if (++from->next % DROP_EVERY == 0)
            stream_drop(&from->stream, from->next);
    }
}

static struct stream one_stream(struct build *w)
{
    struct stream out;

    sort_raw(w);
    if (w->runs == 1)
        return w->run[0].stream;
    for (unsigned i = 0; i < w->runs; i++) {
        stream_end(&w->run[i].stream);
        w->run[i].view = grow_zero(1, sizeof *w->run[i].view);
        w->run[i].view->block = STREAM_NONE;
    }
    out = merge(w);
    for (unsigned i = 0; i < w->runs; i++) {
        stream_free(&w->run[i].stream);
        free(w->run[i].view);
    }
    return out;
}

/* ---- which ones ---------------------------------------------------------- */

/* The counter's number in records and its usual weight. */
static void find_counter(struct build *w)
{
    const struct samples_metrics *m = &w->samples.metric;
    const char *event = w->choice->event;

    if (!event)
        event = m->list[1].name;
    w->unit = 1;
    w->f->origin.kind = REC_IDLE;
    w->f->origin.number = *event == 't' ? IDLE_KIND_TO : IDLE_KIND_FROM;
    for (unsigned i = 1; i + 1 < m->count; i++) {
        if (strcmp(m->list[i].name, event) != 0)
            continue;
        w->f->origin.kind = REC_PROFILE;
        w->f->origin.number = m->list[i].number;
        if (m->list[i].period && m->list[i].period <= UINT32_MAX)
            w->unit = (uint32_t)m->list[i].period;
    }
}

/* Is this the name of a counter that took samples? */
static bool is_counter(const struct samples_metrics *m, const char *name)
{
    for (unsigned i = 1; i + 1 < m->count; i++)
        if (!strcmp(m->list[i].name, name))
            return true;
    return false;
}

static bool is_transition(const char *name)
{
    return !strcmp(name, "to-idle") || !strcmp(name, "from-idle") ||
           !strcmp(name, TIMETREE_IDLE);
}

/* Is it the tree of idleness that is meant? */
static bool is_idleness(const struct recording *r,
                        const struct timetree_choice *c)
{
    struct samples_metrics m;
    bool is = c->event && !strcmp(c->event, TIMETREE_IDLE);

    if (!is)
        return false;
    samples_metrics_open(&m, r);
    is = !is_counter(&m, c->event);
    samples_metrics_free(&m);
    return is;
}

/* What is chosen beside the event, as words; the length of all. */
static int put_where(const struct timetree_choice *c,
                     char source[TIMETREE_SOURCE], int n)
{
    if (c->one_thread)
        n += snprintf(source + n, (size_t)(TIMETREE_SOURCE - n),
                      ", thread %" PRIu32, c->thread);
    if (c->cpu >= 0)
        n += snprintf(source + n, (size_t)(TIMETREE_SOURCE - n), ", CPU %ld",
                      c->cpu);
    if (c->where)
        n += snprintf(source + n, (size_t)(TIMETREE_SOURCE - n), ", where %s",
                      c->where);
    return n;
}

static void say_unknown(const struct samples_metrics *m, const char *name,
                        char *why, size_t size)
{
    char text[DID_YOU_MEAN_TEXT];
    struct did_you_mean near;

    did_you_mean_begin(&near, name);
    for (unsigned n = 1; n + 1 < m->count; n++)
        did_you_mean_offer(&near, m->list[n].name);
    did_you_mean_offer(&near, "to-idle");
    did_you_mean_offer(&near, "from-idle");
    did_you_mean_offer(&near, TIMETREE_IDLE);
    snprintf(why, size, "no counter \"%s\" took samples%s", name,
             near.count ? did_you_mean_text(&near, text)
                        : "; the log's lines `profile` name them, or take "
                          "to-idle, from-idle or idle");
}

bool timetree_file_source(const struct recording *r,
                          const struct timetree_choice *c,
                          char source[TIMETREE_SOURCE], char *why, size_t size)
{
    struct samples_metrics m;
    const char *name = c->event;
    bool known;

    samples_metrics_open(&m, r);
    if (!name && m.count > 2)
        name = m.list[1].name;
    known = name && (is_counter(&m, name) || is_transition(name));
    if (!name)
        snprintf(why, size,
                 "no counter took samples (simrun -e EVENT:PERIOD); to-idle "
                 "and from-idle samples are taken by --event");
    else if (!known)
        say_unknown(&m, name, why, size);
    else if (put_where(c, source,
                       snprintf(source, TIMETREE_SOURCE, "%.96s", name)) >=
             TIMETREE_SOURCE) {
        snprintf(why, size, "--filters: too long for the name of a time tree");
        known = false;
    } else if ((c->one_thread || c->cpu >= 0 || c->where) &&
               is_idleness(r, c)) {
        snprintf(why, size,
                 "--event=idle: is of all threads and CPUs; to-idle and "
                 "from-idle can be of some");
        known = false;
    }
    samples_metrics_free(&m);
    return known;
}

/* ---- together ------------------------------------------------------------ */

static void forget(struct build *w)
{
    for (size_t i = 0; i < w->distincts; i++)
        free(w->distinct[i].word);
    free(w->distinct);
    hash_free(&w->known);
    timetree_put_free(&w->put);
    hash_free(&w->name_at);
    stacktree_free(&w->tree);
    samples_free(&w->samples);
}

static void prepare(struct build *w)
{
    for (size_t i = 0; i < w->r->map.segments; i++)
        if (w->r->map.segment[i].from > w->loaded)
            w->loaded = w->r->map.segment[i].from;
    samples_metrics_open(&w->samples.metric, w->r);
    find_counter(w);
    stacktree_init(&w->tree, 1);
    samples_frame(&w->samples, SAMPLES_TOTAL, 0, 0);
    put_call(w, 0, &(uint32_t){0}, 0);
}

bool timetree_file_build(struct timetree_file *f, struct recording *r,
                         const struct timetree_choice *c, char *why,
                         size_t size)
{
    struct build *w = grow_zero(1, sizeof *w);
    struct stream s;
    uint32_t types;
    uint64_t end;

    *f = (struct timetree_file){0};
    *w = (struct build){.f = f, .r = r, .choice = c, .put = {.f = f}};
    if (!timetree_file_source(r, c, f->source, why, size)) {
        free(w);
        return false;
    }
    if (is_idleness(r, c)) {
        free(w);
        return timetree_idle_build(f, r, c, why, size);
    }
    prepare(w);
    timetree_file_origin(f, r);
    if (!read_records(w) || (!w->count && !c->may_be_empty)) {
        snprintf(why, size, "%s: no samples of %s",
                 recfile_name((unsigned)f->origin.kind), f->source);
        forget(w);
        free(w);
        timetree_file_close(f);
        return false;
    }
    end = w->latest;
    s = one_stream(w);
    forget(w);
    free(w);
    /* The run's last cycle belongs to it; what follows does not. */
    end = end > r->end ? end : r->end;
    end += end < UINT64_MAX;
    types = f->tree.types;
    timetree_build(&f->tree, &s, types, 0, end, &c->with);
    return true;
}
