/* export_chrome.c - writes the Trace Event Format, which Perfetto and
 * chrome://tracing read: who ran on each CPU, what each thread did and waited
 * for, an arrow for each wake-up, each lock while it was waited for or spun
 * for, and what counters counted, in time. An event is written as soon as it
 * has ended; kept are the threads' present states, and sums of counters by
 * time; of a run with records of locks all its states, to know who spun.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "tools/analysis/causes/spun.h"
#include "tools/analysis/experiment/processes.h"
#include "tools/analysis/export/export.h"
#include "tools/analysis/states/frames.h"
#include "tools/analysis/states/spans.h"
#include "tools/analysis/states/words.h"

#define STEPS 1000 /* of a counter's curve */
#define DIGITS 15

struct chrome {
    struct export *e;
    FILE *to;
    struct frames frames;
    struct processes processes;
    uint64_t from, until;       /* cycles */
    uint64_t arrows;            /* so far */
    uint32_t cpus, locks, spun; /* numbers of processes for these tracks */
    size_t lock;                /* locks that have a track */
    uint32_t *on;               /* by CPU: the thread that runs there */
    uint64_t *since;            /* ... and since when */
    uint64_t step;              /* cycles */
    uint64_t *sum;              /* by counter, step and CPU */
    bool begun;                 /* an event was written */
};

/* ---- events -------------------------------------------------------------- */

static json_t *text_of(const char *text)
{
    char *copy = grow_text(text);
    json_t *value;

    text_printable(copy);
    value = json_string(copy);
    free(copy);
    return value ? value : json_string("?");
}

/* Microseconds with three digits. */
static json_t *time_of(const struct chrome *c, uint64_t cycle)
{
    return json_real((double)export_time(c->e, cycle) / 1000);
}

/* One event; args become its own. Every event has all of these, whatever its
 * phase needs: not every reader does without. */
static json_t *event(const struct chrome *c, const char *phase,
                     const char *name, const char *category, uint64_t cycle,
                     uint32_t process, uint32_t thread)
{
    json_t *o = json_object();

    json_object_set_new(o, "name", text_of(name));
    json_object_set_new(o, "cat", json_string(category));
    json_object_set_new(o, "ph", json_string(phase));
    json_object_set_new(o, "ts", time_of(c, cycle));
    json_object_set_new(o, "pid", json_integer(process));
    json_object_set_new(o, "tid", json_integer(thread));
    json_object_set_new(o, "args", json_object());
    return o;
}

static void arg(json_t *o, const char *key, json_t *value)
{
    json_object_set_new(json_object_get(o, "args"), key, value);
}

static void put(struct chrome *c, json_t *o)
{
    fputs(c->begun ? ",\n" : "\n", c->to);
    c->begun = true;
    json_dumpf(o, c->to, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));
    json_decref(o);
}

/* A slice from one cycle to another, as far as it is wanted; NULL: not at all.
 */
static json_t *slice(const struct chrome *c, const char *name,
                     const char *category, uint64_t from, uint64_t to,
                     uint32_t process, uint32_t thread)
{
    json_t *o;

    from = from > c->from ? from : c->from;
    to = to < c->until ? to : c->until;
    if (from >= to)
        return NULL;
    o = event(c, "X", name, category, from, process, thread);
    json_object_set_new(
        o, "dur",
        json_real((double)(export_time(c->e, to) - export_time(c->e, from)) /
                  1000));
    return o;
}

static void put_name(struct chrome *c, const char *what, const char *name,
                     uint32_t process, uint32_t thread)
{
    json_t *o = event(c, "M", what, "__metadata", c->from, process, thread);

    arg(o, "name", text_of(name));
    put(c, o);
}

/* A thread of a process without a program runs code of the kernel: it is of the
 * kernel's process, 0. */
static uint32_t process_of(const struct chrome *c, uint32_t thread,
                           uint64_t cycle)
{
    const struct thread *t = threads_find(&c->e->r->threads, thread, cycle);
    uint32_t pid = threads_process(&c->e->r->threads, thread, cycle, thread);

    return t && !processes_name(&c->processes, pid) ? 0 : pid;
}

/* ---- what threads do ----------------------------------------------------- */

/* "lock journal_lock", "runnable". */
static void put_state(struct chrome *c, const struct spans_event *s)
{
    char object[WORDS_TEXT], name[WORDS_TEXT + 16], number[WORDS_NUMBER],
        *stack;
    json_t *o;

    words_object(c->e->r, s->kind, s->object, s->from, object);
    snprintf(name, sizeof name, "%s%s%s", words_state(s->state),
             object[0] && s->kind != OBJECT_CPUS ? " " : "",
             s->kind != OBJECT_CPUS ? object : "");
    o = slice(c, name, "state", s->from, s->to,
              process_of(c, s->thread, s->from), s->thread);
    if (!o)
        return;
    if (s->owner)
        arg(o, "owner",
            text_of(words_thread(c->e->r, s->owner, s->from, number)));
    stack = frames_text(&c->frames, c->e->r, s->stack, s->from, 0);
    if (stack[0])
        arg(o, "stack", text_of(stack));
    free(stack);
    put(c, o);
}

/* The stretch in which a lock was waited for, up to when its holder let the
 * thread of that wait go on. */
static void put_lock(struct chrome *c, const struct spans *spans,
                     const struct spans_event *s)
{
    const struct spans_lock *l = &spans->lock[s->lock];
    char number[WORDS_NUMBER], name[WORDS_TEXT];
    json_t *o = slice(c, words_thread(c->e->r, s->thread, s->to, number),
                      "lock", s->from, s->to, c->locks, s->lock);

    if (!o)
        return;
    for (; c->lock < spans->locks; c->lock++) {
        l = &spans->lock[c->lock];
        put_name(c, "thread_name",
                 words_object(c->e->r, l->kind, l->object, s->from, name),
                 c->locks, (uint32_t)c->lock);
    }
    arg(o, "waiting", json_integer(s->waiting));
    put(c, o);
}

static void put_woken(struct chrome *c, const struct spans_event *s)
{
    static const char *const by[] = {"?", "thread", "timer", "device",
                                     "interrupt"};
    json_t *o = event(c, "i", "woken", "wake", s->to,
                      process_of(c, s->thread, s->to), s->thread);

    json_object_set_new(o, "s", json_string("t"));
    arg(o, "by", json_string(by[s->by < sizeof by / sizeof *by ? s->by : 0]));
    put(c, o);
}

/* From what the waker does to what the woken thread does then. */
static void put_arrow(struct chrome *c, const struct spans_event *s)
{
    if (s->from < c->from || s->to >= c->until)
        return;
    if (s->by != WAKE_BY_THREAD) {
        put_woken(c, s);
        return;
    }
    c->arrows++;
    for (int end = 0; end < 2; end++) {
        uint32_t thread = end ? s->thread : s->waker;
        uint64_t cycle = end ? s->to : s->from;
        json_t *o = event(c, end ? "f" : "s", "wake", "wake", cycle,
                          process_of(c, thread, cycle), thread);

        json_object_set_new(o, "id", json_integer((json_int_t)c->arrows));
        if (end)
            json_object_set_new(o, "bp", json_string("e"));
        put(c, o);
    }
}

/* A thread that never named itself is called as its program. */
static void put_unnamed(struct chrome *c, const struct spans *spans)
{
    const struct threads *t = &c->e->r->threads;
    const char *program = processes_name(&c->processes, t->program);

    for (size_t i = 0; program && i < spans->threads; i++) {
        uint32_t id = spans->thread[i].now.thread;

        if (!threads_find(t, id, c->from))
            put_name(c, "thread_name", program, t->program, id);
    }
}

static void put_states(struct chrome *c)
{
    struct spans spans;
    struct spans_event s;

    frames_read(&c->frames, c->e->r);
    put_name(c, "process_name", "locks, while they are waited for", c->locks,
             0);
    spans_open(&spans, c->e->r);
    while (spans_next(&spans, &s))
        if (s.is == SPANS_STATE)
            put_state(c, &s);
        else if (s.is == SPANS_LOCK)
            put_lock(c, &spans, &s);
        else
            put_arrow(c, &s);
    put_unnamed(c, &spans);
    spans_close(&spans);
    frames_free(&c->frames);
}

/* ---- locks that threads spin for ------------------------------------------ */

/* From when on a lock is spun for, by this spin and those that end later. */
struct spinning_for {
    uint32_t lock;
    uint64_t since;
    const struct scene_spin *spin;
};

static int by_end(const void *a, const void *b)
{
    const struct spinning_for *x = a, *y = b;

    if (x->lock != y->lock)
        return x->lock < y->lock ? -1 : 1;
    if (x->spin->to != y->spin->to)
        return x->spin->to < y->spin->to ? -1 : 1;
    return x->spin < y->spin ? -1 : x->spin > y->spin;
}

/* Those for locks, in order; *count: how many. The caller frees. */
static struct spinning_for *list_spins(const struct scene *s, size_t *count)
{
    struct spinning_for *list = grow_zero(s->spins + 1, sizeof *list);
    struct spun locks;

    *count = 0;
    spun_open(&locks, s);
    for (size_t n = 0; n < s->spins; n++) {
        const struct scene_spin *spin = &s->spin[n];
        uint32_t lock = spun_lock(&locks, spin);

        if (lock != SCENE_NONE)
            list[(*count)++] = (struct spinning_for){lock, spin->from, spin};
    }
    spun_close(&locks);
    if (*count)
        qsort(list, *count, sizeof *list, by_end);
    for (size_t n = *count; n-- > 1;)
        if (list[n - 1].lock == list[n].lock &&
            list[n - 1].since > list[n].since)
            list[n - 1].since = list[n].since;
    return list;
}

static void put_lock_name(struct chrome *c, const struct scene *s,
                          uint32_t lock)
{
    const struct scene_lock *l = &s->lock[lock];
    char name[WORDS_TEXT];

    put_name(c, "thread_name",
             words_object(c->e->r, l->kind, l->object, l->at, name), c->spun,
             lock);
}

/* Each lock as long as a thread spins for it: who had it. */
static void put_spins(struct chrome *c)
{
    char number[WORDS_NUMBER];
    struct scene s;
    struct spinning_for *list;
    uint64_t end = 0;
    size_t count;

    if (!text_lines_get(&c->e->r->log, "record-locks"))
        return;
    scene_read(&s, c->e->r);
    list = list_spins(&s, &count);
    for (size_t n = 0; n < count; n++) {
        const struct scene_spin *spin = list[n].spin;
        bool first = !n || list[n].lock != list[n - 1].lock;
        uint64_t from = first || list[n].since > end ? list[n].since : end;
        uint32_t owner = s.thread[spin->owner].id;
        json_t *o = slice(c, words_thread(c->e->r, owner, spin->to, number),
                          "spun", from, spin->to, c->spun, list[n].lock);

        end = spin->to;
        if (!n)
            put_name(c, "process_name", "locks, while threads spin for them",
                     c->spun, 0);
        if (first)
            put_lock_name(c, &s, list[n].lock);
        if (o)
            put(c, o);
    }
    free(list);
    scene_free(&s);
}

/* ---- who runs where ------------------------------------------------------ */

static void leave(struct chrome *c, unsigned cpu, uint64_t cycle)
{
    uint32_t thread = c->on[cpu];
    const struct thread *t =
        threads_find(&c->e->r->threads, thread, c->since[cpu]);
    char number[WORDS_NUMBER];
    json_t *o = NULL;

    if (thread && thread != PROBE_NOBODY && !(t && t->is == THREAD_IS_IDLE) &&
        (c->e->choice.cpu < 0 || cpu == (unsigned)c->e->choice.cpu))
        o = slice(c, words_thread(c->e->r, thread, c->since[cpu], number),
                  "cpu", c->since[cpu], cycle, c->cpus, cpu);
    if (!o)
        return;
    arg(o, "thread", json_integer(thread));
    put(c, o);
}

static void put_switches(struct chrome *c)
{
    struct record r;
    struct recfile f;
    unsigned cpus = c->e->r->cpus;

    if (!recording_records(c->e->r, REC_SWITCH, &f))
        return;
    while (recfile_next(&f, &r)) {
        if (r.cpu >= cpus)
            continue;
        if (!c->on[r.cpu])
            c->on[r.cpu] = record_get_switch_out_thread(&r);
        leave(c, r.cpu, r.cycle);
        c->on[r.cpu] = r.thread;
        c->since[r.cpu] = r.cycle;
    }
    recording_done(c->e->r, &f);
    for (unsigned cpu = 0; cpu < cpus; cpu++)
        leave(c, cpu, c->e->r->end);
}

/* ---- counters ------------------------------------------------------------ */

static uint64_t *sum_at(struct chrome *c, size_t counter, uint64_t step,
                        unsigned cpu)
{
    return &c->sum[(counter * STEPS + step) * c->e->r->cpus + cpu];
}

static void put_step(struct chrome *c, size_t counter, uint64_t step)
{
    json_t *o = event(c, "C", c->e->counter[counter].name, "counter",
                      c->from + step * c->step, c->cpus, 0);

    for (unsigned cpu = 0; cpu < c->e->r->cpus; cpu++) {
        char key[24];

        snprintf(key, sizeof key, "CPU %u", cpu);
        arg(o, key, json_integer((json_int_t)*sum_at(c, counter, step, cpu)));
    }
    put(c, o);
}

static void count(struct chrome *c, const struct export_sample *s)
{
    uint64_t step;

    if (s->cycle < c->from || s->cycle > c->until || s->cpu >= c->e->r->cpus)
        return;
    step = (s->cycle - c->from) / c->step;
    *sum_at(c, s->counter, step < STEPS ? step : STEPS - 1, s->cpu) +=
        s->events;
}

/* What was counted in each step; curves, not samples. */
static void put_counters(struct chrome *c)
{
    struct export_sample s;
    struct recfile f;

    c->step = c->until > c->from ? (c->until - c->from) / STEPS + 1 : 1;
    c->sum =
        grow_zero(c->e->counters * STEPS * c->e->r->cpus + 1, sizeof *c->sum);
    if (export_start(c->e, &f))
        while (export_next(c->e, &f, &s))
            count(c, &s);
    for (size_t k = 0; k < c->e->counters; k++)
        for (uint64_t n = 0; n < STEPS && c->from + n * c->step < c->until; n++)
            put_step(c, k, n);
    free(c->sum);
}

/* ---- the file ------------------------------------------------------------ */

static void number_tracks(struct chrome *c)
{
    const struct threads *t = &c->e->r->threads;
    uint32_t most = t->program;

    for (size_t i = 0; i < t->count; i++)
        most = t->list[i].pid > most ? t->list[i].pid : most;
    for (c->cpus = 10; c->cpus <= most && c->cpus < 1000000000;)
        c->cpus *= 10;
    c->locks = c->cpus + 1;
    c->spun = c->cpus + 2;
}

static void put_names(struct chrome *c)
{
    const struct threads *t = &c->e->r->threads;
    bool kernel = false; /* it was named */
    char name[32];

    put_name(c, "process_name", "CPUs", c->cpus, 0);
    for (unsigned cpu = 0; cpu < c->e->r->cpus; cpu++) {
        snprintf(name, sizeof name, "CPU %u", cpu);
        put_name(c, "thread_name", name, c->cpus, cpu);
    }
    for (size_t i = 0; i < c->processes.count; i++)
        put_name(c, "process_name", c->processes.list[i].name,
                 c->processes.list[i].pid, 0);
    for (size_t i = 0; i < t->count; i++) {
        const struct thread *it = &t->list[i];
        uint32_t pid = process_of(c, it->id, it->from);

        if (!pid && !kernel)
            put_name(c, "process_name", "kernel", 0, 0);
        kernel = kernel || !pid;
        if (it->is != THREAD_IS_IDLE)
            put_name(c, "thread_name", it->name, pid, it->id);
    }
}

bool export_chrome(struct export *e, FILE *to)
{
    struct chrome c = {.e = e, .to = to, .from = e->choice.from};

    c.until = e->choice.to < e->r->end ? e->choice.to : e->r->end;
    c.on = grow_zero(e->r->cpus + 1, sizeof *c.on);
    c.since = grow_zero(e->r->cpus + 1, sizeof *c.since);
    number_tracks(&c);
    fputs(
        "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"exporter\":\"simprof\"},"
        "\"traceEvents\":[",
        to);
    processes_read(&c.processes, e->r);
    put_names(&c);
    put_switches(&c);
    put_states(&c);
    put_spins(&c);
    put_counters(&c);
    fputs("\n]}\n", to);
    processes_free(&c.processes);
    free(c.on);
    free(c.since);
    return !ferror(to);
}
