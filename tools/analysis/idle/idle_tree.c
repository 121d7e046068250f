/* idle_tree.c - the idle report's numbers out of the time tree of idleness.
 *
 * What lies inside the interval is what the tree says of it. Then each of its
 * ends is put right: a period that begins before `from` may be explained by a
 * later sample, and of one that an end cuts only a part counts. Per CPU that
 * is one period an end, found by looking for the next event of a kind.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/grow.h"
#include "tools/analysis/idle/idle.h"
#include "tools/analysis/timetree/timetree_file.h"

#define BIT(label) (1u << (label))
#define TOS                                                                    \
    (BIT(TIMETREE_TO) | BIT(TIMETREE_TO_EXPLAINS) | BIT(TIMETREE_TO_OPENS))
#define FROMS (BIT(TIMETREE_FROM) | BIT(TIMETREE_FROM_OPENS))
#define OPENS (BIT(TIMETREE_TO_OPENS) | BIT(TIMETREE_FROM_OPENS))
#define EXPLAINS (BIT(TIMETREE_TO_EXPLAINS) | BIT(TIMETREE_TO_OPENS))

struct look {
    struct idle *d;
    struct recording *r;
    struct timetree_file f;
    struct timetree_answer a; /* of the interval */
    uint64_t from, to;
    uint32_t *label; /* by call: CPU and label that it is or stands below */
    uint32_t *node;  /* by call: of d->tree; made when needed */
    bool *wanted;    /* by type */
    uint64_t read;   /* looking for events */
    bool damaged;
};

static unsigned cpu_of(const struct look *k, uint32_t type)
{
    return k->label[k->f.call_of[type]] / TIMETREE_LABELS;
}

static unsigned label_of(const struct look *k, uint32_t type)
{
    return k->label[k->f.call_of[type]] % TIMETREE_LABELS;
}

/* ---- what calls are ------------------------------------------------------ */

/* The function of a call, and of one that is in none the counter. */
static uint32_t find_function(const struct look *k, uint32_t call, uint32_t *pc)
{
    const struct timetree_call *c = &k->f.call[call];
    uint32_t function = loadmap_find(&k->r->map, c->pc, c->cycle).function;

    *pc = 0;
    if (function == LOADMAP_UNKNOWN)
        *pc = (uint32_t)strtoul(timetree_name(&k->f, call), NULL, 16);
    return function;
}

/* Labels below the root, functions that have their names still below those. */
static bool calls_known(struct look *k)
{
    for (uint32_t i = 1; i < k->f.calls; i++) {
        const struct timetree_call *c = &k->f.call[i];
        char number[16];
        uint32_t function, pc;

        k->label[i] = c->parent ? k->label[c->parent] : c->is - TIMETREE_LABEL;
        if (!c->parent && (c->is < TIMETREE_LABEL ||
                           k->label[i] / TIMETREE_LABELS >= k->r->cpus))
            return false;
        if (!c->parent)
            continue;
        function = find_function(k, i, &pc);
        snprintf(number, sizeof number, "0x%08" PRIx32, pc);
        if (strcmp(timetree_name(&k->f, i),
                   function == LOADMAP_UNKNOWN
                       ? number
                       : loadmap_name(&k->r->map, function)))
            return false;
    }
    for (uint32_t i = 0; i < k->f.tree.types; i++)
        if (!k->f.call_of[i])
            return false;
    return true;
}

/* Why the tree cannot be taken; NULL: it can. */
static const char *why_not(struct look *k)
{
    switch (timetree_file_open(&k->f, k->r->dir, TIMETREE_IDLE)) {
    case TIMETREE_FILE_OK:
        break;
    case TIMETREE_FILE_MISSING:
        return "there is none";
    default:
        return "it is damaged or of another version";
    }
    k->label = grow_zero(k->f.calls, sizeof *k->label);
    k->node = grow_zero(k->f.calls, sizeof *k->node);
    k->wanted = grow_zero((size_t)k->f.tree.types + 1, sizeof *k->wanted);
    if (!timetree_file_idleness(&k->f))
        return "it is a counter's";
    if (!timetree_file_fresh(&k->f, k->r))
        return "its records have changed since it was made";
    if (k->f.origin.strange)
        return "some records are damaged";
    if (k->f.tree.with.inherit)
        return "with --descend=inherit it does not tell everything";
    if (!calls_known(k))
        return "the programs that it names are not those in archives";
    return NULL;
}

/* ---- questions ----------------------------------------------------------- */

static void ask(struct look *k, uint64_t from, uint64_t to,
                struct timetree_answer *a)
{
    struct timetree_query q = {.from = from, .to = to, .exact = true};

    timetree_ask(&k->f.tree, &q, a);
    k->damaged |= a->damaged;
}

/* Count and value of a label of a CPU in an answer. */
static void sum_up(const struct look *k, const struct timetree_answer *a,
                   unsigned cpu, enum timetree_label label, uint64_t *count,
                   uint64_t *value)
{
    *count = *value = 0;
    for (uint32_t i = 0; i < k->f.tree.types; i++)
        if (a->count[i] && cpu_of(k, i) == cpu && label_of(k, i) == label) {
            *count += a->count[i];
            *value += a->weight[i] - a->count[i];
        }
}

/* The next event of a CPU with one of these labels, at `from` or later. */
static bool next(struct look *k, unsigned cpu, unsigned labels, uint64_t from,
                 struct stream_sample *s)
{
    struct timetree_found found;

    for (uint32_t i = 0; i < k->f.tree.types; i++)
        k->wanted[i] =
            cpu_of(k, i) == cpu && (labels & BIT(label_of(k, i))) != 0;
    timetree_next(&k->f.tree, from, k->wanted, &found);
    k->read += found.read;
    k->damaged |= found.damaged;
    *s = found.sample;
    s->weight -= found.any; /* now its value */
    return found.any;
}

/* When what ends with this event began. */
static uint64_t begin_of(const struct stream_sample *s)
{
    return s->time - s->weight;
}

/* What of the idle thread's stint that goes over an instant is before it. */
static uint64_t before(struct look *k, unsigned cpu, uint64_t at)
{
    struct stream_sample s;

    return next(k, cpu, BIT(TIMETREE_STINT), at, &s) && begin_of(&s) < at
               ? at - begin_of(&s)
               : 0;
}

/* Cycles of the idle thread, of stints that end there: `ended`. */
static uint64_t cut(struct look *k, unsigned cpu, uint64_t from, uint64_t to,
                    uint64_t ended)
{
    return ended + before(k, cpu, to) - before(k, cpu, from);
}

static uint64_t idle_in(struct look *k, unsigned cpu, uint64_t from,
                        uint64_t to)
{
    struct timetree_answer a;
    uint64_t count, value;

    ask(k, from, to, &a);
    sum_up(k, &a, cpu, TIMETREE_STINT, &count, &value);
    timetree_forget(&a);
    return cut(k, cpu, from, to, value);
}

/* ---- what lies inside ---------------------------------------------------- */

static uint32_t node_of(struct look *k, uint32_t call)
{
    const struct timetree_call *c = &k->f.call[call];
    uint32_t function, pc;

    if (!c->parent)
        return STACKTREE_ROOT;
    if (!k->node[call]) {
        function = find_function(k, call, &pc);
        k->node[call] = stacktree_below(&k->d->tree, node_of(k, c->parent),
                                        idle_frame(k->d, function, pc));
    }
    return k->node[call];
}

static void add(struct look *k, uint32_t type, enum idle_metric m, uint64_t n)
{
    stacktree_add(&k->d->tree, node_of(k, k->f.call_of[type]),
                  cpu_of(k, type) * IDLE_METRICS + m, n);
}

static void take(struct look *k, uint32_t type)
{
    unsigned bit = BIT(label_of(k, type)), cpu = cpu_of(k, type);
    struct timeline_cpu *t = &k->d->timeline.cpu[cpu];
    uint64_t count = k->a.count[type], value = k->a.weight[type] - count;
    struct idle_cpu *c = &k->d->cpu[cpu];

    t->idle += bit & BIT(TIMETREE_STINT) ? value : 0;
    t->periods += bit & BIT(TIMETREE_PERIOD) ? count : 0;
    c->sampled += bit & OPENS ? count : 0;
    c->sampled_to += bit & EXPLAINS ? count : 0;
    c->explained += bit & EXPLAINS ? value : 0;
    c->samples[IDLE_TO] += bit & TOS ? count : 0;
    c->samples[IDLE_FROM] += bit & FROMS ? count : 0;
    if (bit & (TOS | FROMS))
        add(k, type, bit & TOS ? IDLE_TO : IDLE_FROM, count);
    if (bit & EXPLAINS)
        add(k, type, IDLE_EXPLAINED, value);
}

/* ---- the ends ------------------------------------------------------------ */

/* A sample explains so much more, or less, than the tree says. */
static void explain(struct look *k, const struct stream_sample *s,
                    uint64_t more)
{
    k->d->cpu[cpu_of(k, s->type)].explained += more;
    add(k, s->type, IDLE_EXPLAINED, more);
}

/* Period p begins before the interval and ends in or behind it, or where it
 * begins, which is outside. */
static void fix_first(struct look *k, unsigned cpu,
                      const struct stream_sample *p)
{
    uint64_t end = p->time < k->to ? p->time : k->to;
    bool counts = p->time > k->from;
    struct idle_cpu *c = &k->d->cpu[cpu];
    struct stream_sample s;

    if (next(k, cpu, TOS | FROMS, k->from, &s) && s.time <= p->time &&
        s.time < k->to)
        c->sampled += counts - !!(BIT(label_of(k, s.type)) & OPENS);
    if (next(k, cpu, TOS, k->from, &s) && s.time <= p->time && s.time < k->to) {
        c->sampled_to += counts - !!(BIT(label_of(k, s.type)) & EXPLAINS);
        explain(k, &s, (counts ? idle_in(k, cpu, k->from, end) : 0) - s.weight);
    }
}

/* Period p begins inside the interval and ends behind it. */
static void fix_last(struct look *k, unsigned cpu,
                     const struct stream_sample *p)
{
    uint64_t from = begin_of(p);
    struct stream_sample s;

    /* A sample where one period ends and the next begins is the first's. */
    if (next(k, cpu, BIT(TIMETREE_PERIOD), from, &s) && s.time == from)
        from++;
    if (next(k, cpu, EXPLAINS, from, &s) && s.time <= p->time && s.time < k->to)
        explain(k, &s, idle_in(k, cpu, begin_of(p), k->to) - s.weight);
}

static void fix_cpu(struct look *k, unsigned cpu)
{
    struct timeline_cpu *t = &k->d->timeline.cpu[cpu];
    struct stream_sample p, q;
    bool first = next(k, cpu, BIT(TIMETREE_PERIOD), k->from, &p) &&
                 begin_of(&p) < k->from;
    bool last =
        next(k, cpu, BIT(TIMETREE_PERIOD), k->to, &q) && begin_of(&q) < k->to;

    t->idle = cut(k, cpu, k->from, k->to, t->idle);
    t->periods += last;
    t->periods -= first && p.time == k->from;
    if (first)
        fix_first(k, cpu, &p);
    if (last && !(first && p.time == q.time))
        fix_last(k, cpu, &q);
}

/* ---- together ------------------------------------------------------------ */

/* Periods of a CPU that had begun by an instant. */
static uint64_t begun_by(struct look *k, unsigned cpu, uint64_t at)
{
    uint64_t count, value;
    struct timetree_answer a;
    struct stream_sample s;

    ask(k, 0, at + 1, &a);
    sum_up(k, &a, cpu, TIMETREE_PERIOD, &count, &value);
    timetree_forget(&a);
    return count + (next(k, cpu, BIT(TIMETREE_PERIOD), at + 1, &s) &&
                    begin_of(&s) <= at);
}

static void begin(struct look *k)
{
    struct idle *d = k->d;

    idle_begin(d, k->r, false);
    d->timeline.cpus = k->r->cpus;
    d->timeline.cpu = grow_zero(k->r->cpus, sizeof *d->timeline.cpu);
    for (uint32_t i = 0; i < k->f.tree.types; i++)
        if (label_of(k, i) == TIMETREE_SWITCHES)
            d->timeline.cpu[cpu_of(k, i)].switches = 1;
}

static void fill(struct look *k)
{
    uint64_t begun[RECFILE_CPUS];

    begin(k);
    ask(k, k->from, k->to, &k->a);
    for (uint32_t i = 0; i < k->f.tree.types && !k->damaged; i++)
        if (k->a.count[i])
            take(k, i);
    for (unsigned cpu = 0; cpu < k->d->cpus && k->r->windowed; cpu++)
        fix_cpu(k, cpu);
    idle_unsampled(k->d, k->r, NULL);
    idle_precapture(k->d, k->r, NULL);
    idle_stats(k->d, k->r);
    for (unsigned cpu = 0; cpu < k->d->cpus && !k->r->windowed; cpu++)
        begun[cpu] = begun_by(k, cpu, k->d->cpu[cpu].stat_at);
    idle_end(k->d, k->r, k->r->windowed || k->damaged ? NULL : begun);
    if (k->damaged)
        idle_free(k->d);
    else if (k->r->verbose)
        problem_add(&k->r->problems, PROBLEM_NOTE,
                    TIMETREE_FILE "." TIMETREE_IDLE ": %" PRIu64 " of %" PRIu64
                                  " samples and idle times were read, %" PRIu64
                                  " nodes merged",
                    k->a.read + k->read, k->f.tree.node[0].raw, k->a.merged);
    timetree_forget(&k->a);
}

bool idle_tree_there(const struct recording *r)
{
    return !faccessat(r->dir, TIMETREE_FILE "." TIMETREE_IDLE, F_OK, 0);
}

bool idle_tree(struct idle *d, struct recording *r)
{
    struct look k = {.d = d, .r = r, .to = UINT64_MAX};
    const char *why;

    if (!idle_tree_there(r))
        return false;
    if (r->windowed) {
        k.from = r->from;
        k.to = r->to;
    }
    why = why_not(&k);
    if (!why) {
        fill(&k);
        why = k.damaged ? "it is damaged" : NULL;
    }
    if (why)
        problem_add(&r->problems, PROBLEM_NOTE,
                    TIMETREE_FILE "." TIMETREE_IDLE
                                  ": %s; the records are read instead",
                    why);
    free(k.label);
    free(k.node);
    free(k.wanted);
    if (k.f.map)
        timetree_file_close(&k.f);
    return !why;
}
