/* samples.c - profile.rec and oracle.rec become frames and a tree of stacks. */
#include "tools/analysis/profile/samples.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/analysis/profile/offcpu.h"
#include "tools/analysis/symbols/inlines.h"
#include "lib/base/text.h"
#include "tools/analysis/timetree/timetree_samples.h"
#include "tools/analysis/experiment/stack.h"

/* ---- metrics ------------------------------------------------------------- */

int samples_metrics_find(const struct samples_metrics *m, const char *name)
{
    for (unsigned i = 0; i < m->count; i++)
        if (!strcmp(m->list[i].name, name))
            return (int)i;
    return -1;
}

static struct samples_metric *add_metric(struct samples_metrics *m,
                                         const char *name)
{
    char other[96];

    snprintf(other, sizeof other, "%s", name);
    text_printable(other);
    for (unsigned n = 2; samples_metrics_find(m, other) >= 0; n++)
        snprintf(other, sizeof other, "%.64s#%u", name, n);
    m->list[m->count] = (struct samples_metric){.name = grow_text(other)};
    return &m->list[m->count++];
}

/* A line "N NAME PERIOD MODES" of the log, of a counter that `sampled`, or one
 * without a period. Of one MODE only, the name says which: cycles.u, cycles.k.
 */
static bool read_name(const char *value, bool sampled,
                      struct samples_metric *it, char name[96])
{
    char event[80], modes[8] = "";

    if (sscanf(value, "%" SCNu32 " %79s %" SCNu64 " %7s", &it->number, event,
               &it->period, modes) < 3 ||
        (it->period != 0) != sampled)
        return false;
    it->cycles = !strcmp(event, "cycles");
    snprintf(name, 96, "%s%s%s", event, strlen(modes) == 1 ? "." : "",
             strlen(modes) == 1 ? modes : "");
    return true;
}

static void new_metrics(struct samples_metrics *m)
{
    *m = (struct samples_metrics){0};
    m->list = grow_zero(SAMPLES_METRICS_MAX, sizeof *m->list);
}

static void read_names(struct samples_metrics *m, const struct recording *r,
                       bool sampled)
{
    for (size_t i = 0; i < r->log.count; i++) {
        struct samples_metric it = {0}, *new;
        char name[96];

        if (strcmp(r->log.line[i].key, "profile") ||
            m->count == SAMPLES_METRICS_MAX - 1 ||
            !read_name(r->log.line[i].value, sampled, &it, name))
            continue;
        new = add_metric(m, name);
        it.name = new->name;
        *new = it;
    }
}

/* Lines "COUNTER CPU VALUE LOST" of the log. */
static void read_counts(struct samples_metrics *m, const struct recording *r)
{
    for (size_t i = 0; i < r->log.count; i++) {
        uint32_t number, cpu;
        uint64_t value;

        if (strcmp(r->log.line[i].key, "count") ||
            sscanf(r->log.line[i].value, "%" SCNu32 " %" SCNu32 " %" SCNu64,
                   &number, &cpu, &value) != 3 ||
            cpu >= SAMPLES_CPUS)
            continue;
        for (unsigned k = 0; k < m->count; k++)
            if (m->list[k].number == number)
                m->list[k].counted[cpu] = value;
    }
}

void samples_counters_open(struct samples_metrics *m, const struct recording *r)
{
    new_metrics(m);
    read_names(m, r, false);
    read_counts(m, r);
}

void samples_metrics_free(struct samples_metrics *m)
{
    for (unsigned i = 0; i < m->count; i++)
        free(m->list[i].name);
    free(m->list);
    *m = (struct samples_metrics){0};
}

unsigned samples_metric_of(const struct samples_metrics *m,
                           const struct record *record)
{
    uint32_t number = record_get_profile_counter(record);

    for (unsigned i = 1; i + 1 < m->count; i++)
        if (m->list[i].number == number)
            return i;
    return m->count - 1;
}

/* ---- frames -------------------------------------------------------------- */

const char *samples_name(const struct recording *r, uint32_t function)
{
    if (function == SAMPLES_TOTAL)
        return "<Total>";
    if (function == SAMPLES_TRUNCATED)
        return "<Truncated-stack>";
    if (viewmode_name(function))
        return viewmode_name(function);
    if (inlines_name(r->inlines, function))
        return inlines_name(r->inlines, function);
    return exact_cycles_name(r, function);
}

static uint32_t new_frame(struct samples *p, const struct samples_frame *f)
{
    p->frame = grow(p->frame, &p->frames_room, p->frames + 1, sizeof *p->frame);
    p->frame[p->frames] = *f;
    return (uint32_t)p->frames++;
}

uint32_t samples_frame(struct samples *p, uint32_t function, uint32_t pc,
                       uint64_t cycle)
{
    struct samples_frame f = {.function = function, .pc = pc, .cycle = cycle};
    bool fresh;
    uint32_t *at = hash_at(&p->frame_at, (uint64_t)function << 32 | pc, &fresh);

    if (fresh)
        *at = new_frame(p, &f);
    return *at;
}

/* The same, of what level 0 was inlined into. */
static uint32_t frame_above(struct samples *p, uint32_t zero, uint32_t level,
                            uint32_t function)
{
    struct samples_frame f = p->frame[zero];
    bool fresh;
    uint32_t *at = hash_at(&p->level_at, (uint64_t)zero << 8 | level, &fresh);

    f.function = function;
    f.level = level;
    if (fresh)
        *at = new_frame(p, &f);
    return *at;
}

/* The frames at one instruction of a function, the innermost first. Returns
 * how many. */
static size_t calls_at(struct samples *p, uint32_t function, uint32_t pc,
                       uint64_t cycle, uint32_t *frame)
{
    const struct inline_level *level;
    size_t n = p->inlines ? inlines_find(p->inlines, pc, cycle, &level) : 0;

    if (!n) {
        frame[0] = samples_frame(p, function, pc, cycle);
        return 1;
    }
    frame[0] = samples_frame(p, level[0].function, pc, cycle);
    for (size_t i = 1; i <= n; i++)
        frame[i] = frame_above(p, frame[0], (uint32_t)i,
                               i < n ? level[i].function : function);
    return n + 1;
}

/* Where the name of an outlined part goes on behind that of its function, as
 * the compiler has it: f.cold, f.part.0; NULL: it is none. Parts of parts end
 * in the last. */
static const char *part_of(const char *name)
{
    const char *cold = strstr(name, ".cold"), *part = strstr(name, ".part.");

    if (cold && (cold == name || (cold[5] && !strchr(". ", cold[5]))))
        cold = NULL;
    if (part == name)
        part = NULL;
    return !cold || (part && part > cold) ? part : cold;
}

uint32_t samples_part_of(const struct recording *r, uint32_t function)
{
    const char *name = samples_name(r, function), *end, *file;
    uint32_t found = LOADMAP_UNKNOWN;
    char whole[512];

    end = strchr(name, '.') ? part_of(name) : NULL;
    if (!end)
        return function;
    file = strchr(end, ' '); /* " (uart.c)" tells both apart from others */
    if (file && snprintf(whole, sizeof whole, "%.*s%s", (int)(end - name), name,
                         file) < (int)sizeof whole)
        found = loadmap_named(&r->map, function, whole, strlen(whole));
    if (found == LOADMAP_UNKNOWN)
        found = loadmap_named(&r->map, function, name, (size_t)(end - name));
    return found != LOADMAP_UNKNOWN ? found : function;
}

uint32_t samples_origin(struct samples *p, struct recording *r,
                        uint32_t function)
{
    bool fresh;
    uint32_t *at = hash_at(&p->origin, function, &fresh);

    if (fresh)
        *at = samples_part_of(r, function);
    return *at;
}

/* A part of f, whose caller is not f, was jumped to: f stands between. */
static size_t add_origins(struct samples *p, struct recording *r, uint32_t part,
                          uint32_t caller, uint32_t *frame)
{
    uint32_t origin = samples_origin(p, r, part);
    size_t n = 0;

    for (; origin != part && origin != caller && n < SAMPLES_ORIGINS; n++) {
        frame[n] = samples_frame(p, origin, 0, 0);
        part = origin;
        origin = samples_origin(p, r, part);
    }
    return n;
}

bool samples_naps(const struct recording *r, const struct record *record)
{
    if (record->kind == REC_ORACLE)
        return r->reason_is[record_get_oracle_reason(record)] == REASON_NAP;
    return record->kind == REC_PROFILE &&
           record_get_profile_flags(record) & PROFILE_NAPPING;
}

size_t samples_stack(struct samples *p, struct recording *r,
                     const struct record *record, uint32_t *frame)
{
    struct stack stack = stack_of_record(&r->map, record);
    uint32_t before = UINT32_MAX, leaf;
    struct stack_frame f;
    size_t n = 0;

    if (samples_naps(r, record)) {
        frame[0] = samples_frame(p, EXACT_CYCLES_NAPPING, 0, record->cycle);
        return 1;
    }

    leaf = viewmode_leaf(&p->view, p->state);
    if (leaf != LOADMAP_UNKNOWN)
        frame[n++] = samples_frame(p, leaf, 0, 0);
    while (stack_next(&stack, &f)) {
        uint32_t function =
            loadmap_find(&r->map, f.home, record->cycle).function;

        if (viewmode_hides(&p->view, r, function)) {
            if (!n)
                frame[n++] = samples_frame(p, VIEWMODE_SYSTEM, 0, 0);
            continue;
        }
        if (before != UINT32_MAX)
            n += add_origins(p, r, before, function, frame + n);
        n += calls_at(p, function, f.home, record->cycle, frame + n);
        before = function;
    }
    if (before != UINT32_MAX)
        n += add_origins(p, r, before, UINT32_MAX, frame + n);
    if (record_get_profile_flags(record) & PROFILE_TRUNCATED)
        frame[n++] = samples_frame(p, SAMPLES_TRUNCATED, 0, 0);
    return n;
}

/* ---- stacks seen before -------------------------------------------------- */

/* Once nothing is loaded any more the same addresses mean the same frames, and
 * most stacks come again: their nodes are kept, up to so many. */
#define MEMO_MAX (1 << 18)

struct samples_memo {
    uint64_t steady; /* from this cycle on the load map does not change */
    struct hash at;  /* a digest of the addresses to one of: */
    struct seen {
        size_t from; /* in bytes */
        size_t size;
        uint32_t node;
        uint32_t space; /* whose addresses they are */
        uint32_t state;
        bool truncated;
    } * seen;
    size_t count, room;
    unsigned char *bytes;
    size_t used, bytes_room;
};

static struct samples_memo memo_new(const struct recording *r)
{
    struct samples_memo m = {0};

    for (size_t i = 0; i < r->map.segments; i++)
        if (r->map.segment[i].from > m.steady)
            m.steady = r->map.segment[i].from;
    return m;
}

static void memo_free(struct samples_memo *m)
{
    hash_free(&m->at);
    free(m->seen);
    free(m->bytes);
}

static uint64_t digest(const unsigned char *bytes, size_t size, uint64_t more)
{
    uint64_t n = 0x9E3779B97F4A7C15u + more;

    for (size_t i = 0; i + 4 <= size; i += 4) {
        uint32_t word;

        memcpy(&word, bytes + i, 4);
        n = (n ^ word) * 0xD6E8FEB86659FD93u;
        n ^= n >> 32;
    }
    return n;
}

static void remember(struct samples_memo *m, uint64_t key,
                     const struct seen *new, const unsigned char *bytes)
{
    bool fresh;

    if (m->count == MEMO_MAX)
        return;
    *hash_at(&m->at, key, &fresh) = (uint32_t)m->count;
    m->seen = grow(m->seen, &m->room, m->count + 1, sizeof *m->seen);
    m->seen[m->count] = *new;
    m->seen[m->count++].from = m->used;
    m->bytes = grow(m->bytes, &m->bytes_room, m->used + new->size, 1);
    memcpy(m->bytes + m->used, bytes, new->size);
    m->used += new->size;
}

/* The node of a record's stack. */
static uint32_t node_of(struct samples *p, struct recording *r,
                        struct samples_memo *m, const struct record *record)
{
    struct record_tail pcs = record_get_profile_stack(record);
    struct seen new = {
        .size = 4 * (size_t)pcs.words,
        .space = spaces_at(&r->map.spaces, record->thread, record->cycle),
        .state = p->view.is == VIEWMODE_MACHINE ? 0 : p->state,
        .truncated = record_get_profile_flags(record) & PROFILE_TRUNCATED};
    uint64_t key = digest(pcs.bytes, new.size,
                          (uint64_t) new.state << 40 |
                              (2 * (uint64_t) new.space + new.truncated));
    bool keeps =
        new.size && record->cycle >= m->steady && !samples_naps(r, record);
    const uint32_t *at = keeps ? hash_find(&m->at, key) : NULL;
    uint32_t frame[SAMPLES_STACK];
    size_t n;

    if (at && m->seen[*at].size == new.size &&
        m->seen[*at].truncated == new.truncated &&
        m->seen[*at].space == new.space && m->seen[*at].state == new.state &&
        !memcmp(m->bytes + m->seen[*at].from, pcs.bytes, new.size))
        return m->seen[*at].node;
    n = samples_stack(p, r, record, frame);
    new.node = stacktree_enter(&p->tree, frame, n);
    if (keeps && !at)
        remember(m, key, &new, pcs.bytes);
    return new.node;
}

/* ---- reading ------------------------------------------------------------- */

static void take(struct samples *p, struct recording *r,
                 struct samples_memo *memo, const struct record *record,
                 struct slice_sums *slices)
{
    unsigned m = samples_metric_of(&p->metric, record);
    struct samples_metric *metric = &p->metric.list[m];
    uint32_t node = node_of(p, r, memo, record);

    metric->total += record_get_profile_events(record);
    metric->samples++;
    metric->sampled |= 1u << record->cpu % SAMPLES_CPUS;
    metric->truncated += !samples_naps(r, record) &&
                         record_get_profile_flags(record) & PROFILE_TRUNCATED;
    stacktree_add(&p->tree, node, m, record_get_profile_events(record));
    if (slices)
        slice_sums_add(slices, node * p->tree.metrics + m, record->cycle,
                       record_get_profile_events(record));
}

static void read_samples(struct samples *p, struct recording *r,
                         const struct samples_choice *choice)
{
    struct samples_memo memo = memo_new(r);
    struct record record;
    struct recfile f;

    if (!recording_records(r, REC_PROFILE, &f))
        return;
    while (recfile_next(&f, &record))
        if (!choice->wants || choice->wants(choice->arg, &record))
            take(p, r, &memo, &record, choice->slices);
    recording_done(r, &f);
    memo_free(&memo);
}

/* What threads waited, as if it had been sampled. */
static void read_waits(struct samples *p, struct recording *r,
                       const struct samples_choice *choice)
{
    struct samples_memo memo = memo_new(r);
    struct record record;
    struct offcpu o;

    offcpu_open(&o, r, choice->waits);
    o.slices = choice->slices ? choice->slices->of : NULL;
    while (offcpu_next(&o, &record)) {
        p->state = o.state;
        if (!choice->wants || choice->wants(choice->arg, &record))
            take(p, r, &memo, &record, choice->slices);
    }
    p->state = 0;
    memo_free(&memo);
}

static void read_exact(struct samples *p, struct recording *r,
                       const struct samples_choice *choice)
{
    struct exact_cycles_choice all = {.spots = true,
                                      .step = choice->step,
                                      .wants = choice->wants,
                                      .arg = choice->arg,
                                      .timeless = choice->timeless};
    struct exact_cycles *a = &p->account;
    uint32_t *at, frame[INLINES_DEEPEST + 1];

    exact_cycles_choose(a, r, &all);
    at = grow_zero(a->spots + 1, sizeof *at);
    for (size_t i = 0; i < a->spots; i++) {
        bool none = a->spot[i].function == EXACT_CYCLES_NAPPING ||
                    a->spot[i].function == EXACT_CYCLES_PARKED;

        loadmap_thread(&r->map, a->spot[i].thread);
        if (viewmode_hides(&p->view, r, a->spot[i].function)) {
            at[i] = samples_frame(p, VIEWMODE_SYSTEM, 0, 0);
            continue;
        }
        calls_at(p, a->spot[i].function, none ? 0 : a->spot[i].pc,
                 a->spot[i].cycle, frame);
        at[i] = frame[0];
    }
    loadmap_thread(&r->map, 0);
    p->exact = grow_zero(p->frames + 1, sizeof *p->exact);
    for (size_t i = 0; i < a->spots; i++) {
        p->exact[at[i]] += a->spot[i].cycles;
        p->metric.list[SAMPLES_EXACT].total += a->spot[i].cycles;
    }
    free(at);
}

void samples_metrics_open(struct samples_metrics *m, const struct recording *r)
{
    struct samples_metric *exact;

    new_metrics(m);
    exact = add_metric(m, "exact");
    exact->cycles = true;
    exact->number = UINT32_MAX; /* no counter's */
    read_names(m, r, true);
    read_counts(m, r);
    add_metric(m, "unnamed");
}

void samples_metrics_waits(struct samples_metrics *m, unsigned bits)
{
    for (unsigned n = 0; n < STATES_ALL; n++) {
        struct samples_metric unnamed, *it;

        if (!(bits & 1u << n) || m->count == SAMPLES_METRICS_MAX)
            continue;
        unnamed = m->list[--m->count];
        it = add_metric(m, offcpu_name(n));
        it->number = OFFCPU_NUMBER + n;
        it->cycles = true;
        m->list[m->count++] = unnamed;
    }
}

void samples_metrics_done(struct samples_metrics *m, struct recording *r)
{
    if (m->list[m->count - 1].samples) {
        problem_add(&r->problems, PROBLEM_DAMAGE,
                    "log: does not name every counter of profile.rec; samples "
                    "of those it does not are put together as unnamed");
        return;
    }
    free(m->list[--m->count].name);
}

void samples_read(struct samples *p, struct recording *r,
                  const struct samples_choice *choice)
{
    *p = (struct samples){.inlines =
                              choice->unfold ? recording_inlines(r) : NULL,
                          .view = choice->view};
    samples_metrics_open(&p->metric, r);
    samples_metrics_waits(&p->metric, choice->waits);
    stacktree_init(&p->tree, p->metric.count);
    if (!choice->unsampled && (choice->waits || choice->slices ||
                               !choice->functions || !timetree_samples(p, r)))
        read_samples(p, r, choice);
    if (choice->waits)
        read_waits(p, r, choice);
    if (!choice->inexact)
        read_exact(p, r, choice);
    samples_metrics_done(&p->metric, r);
}

void samples_free(struct samples *p)
{
    samples_metrics_free(&p->metric);
    hash_free(&p->frame_at);
    hash_free(&p->level_at);
    hash_free(&p->origin);
    stacktree_free(&p->tree);
    exact_cycles_free(&p->account);
    free(p->frame);
    free(p->exact);
    *p = (struct samples){0};
}
