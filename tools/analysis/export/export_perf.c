/* export_perf.c - writes perf.data, the file of Linux perf.
 * Knows the file's layout and what perf makes of it: header, one attribute
 * block for each counter (and one for context switches), records, features.
 * Every load object is a mapped file of user state, also that of a guest
 * operating system: so perf finds symbols, lines and instructions in the
 * archive by itself. Who the tasks are: export_perf.h.
 * Layout: include/uapi/linux/perf_event.h and perf.data-file-format.txt of
 * Linux 6.1.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/bytes.h"
#include "lib/base/grow.h"
#include "tools/analysis/export/export.h"
#include "tools/analysis/export/export_perf.h"

enum { HEADER = 104, ATTR = 112, ATTR_ENTRY = ATTR + 16 };
enum { ID_FIRST = 100 };

enum record_type {
    TYPE_MMAP = 1,
    TYPE_COMM = 3,
    TYPE_SAMPLE = 9,
    TYPE_MMAP2 = 10
};

enum misc {
    MISC_USER = 2,
    MISC_DATA = 1 << 13,     /* a mapping that is not executable */
    MISC_BUILD_ID = 1 << 14, /* MMAP2 has a build-id, not an inode */
};

#define CONTEXT_USER ((uint64_t)-512)

/* sample_type: IP TID TIME ADDR CALLCHAIN CPU PERIOD IDENTIFIER, RAW,
 * PHYS_ADDR */
#define SAMPLE_FIELDS 0x101AFu
#define SAMPLE_RAW 0x400u
#define SAMPLE_PHYSICAL 0x80000u

/* ---- attributes ---------------------------------------------------------- */

static void put_attr(struct bytes *b, uint32_t type, uint64_t config,
                     uint64_t period, uint64_t fields, uint64_t flags)
{
    bytes_u32(b, type);
    bytes_u32(b, ATTR);
    bytes_u64(b, config);
    bytes_u64(b, period ? period : 1);
    bytes_u64(b, fields);
    bytes_u64(b, 4); /* read_format: ID */
    bytes_u64(b, flags);
    bytes_zero(b, ATTR - 48);
}

/* Events behind the counters. */
enum { SWITCH, WAKEUP, RUNTIME, TRACEPOINTS };

static size_t events_of(const struct perf_writer *w)
{
    return w->e->counters + TRACEPOINTS;
}

/* The attributes of event i; the last ones are tracepoints. */
static void put_event(const struct perf_writer *w, struct bytes *b, size_t i)
{
    /* mmap, comm, task, sample_id_all, mmap2, comm_exec */
    uint64_t flags = 1 << 8 | 1 << 9 | 1 << 13 | 1 << 18 | 1 << 23 | 1 << 24;
    const struct export_counter *c = &w->e->counter[i];

    if (i)
        flags &= ~(uint64_t)(1 << 8 | 1 << 9 | 1 << 13 | 1 << 23);
    if (i >= w->e->counters) {
        put_attr(b, 2, PERF_SWITCH_EVENT + (i - w->e->counters), 1,
                 SAMPLE_FIELDS | SAMPLE_RAW, flags);
        return;
    }
    flags |= (c->user ? 0u : 1u << 4) | (c->kernel ? 0u : 1u << 5);
    if (!strncmp(c->name, "cycles", 6) && (!c->name[6] || c->name[6] == ':'))
        put_attr(b, 0, 0, c->period, SAMPLE_FIELDS | SAMPLE_PHYSICAL, flags);
    else
        put_attr(b, 4, c->number, c->period, SAMPLE_FIELDS | SAMPLE_PHYSICAL,
                 flags);
}

static const char *event_name(const struct perf_writer *w, size_t i)
{
    static const char *const name[TRACEPOINTS] = {
        "sched:sched_switch", "sched:sched_wakeup", "sched:sched_stat_runtime"};

    return i < w->e->counters ? w->e->counter[i].name
                              : name[i - w->e->counters];
}

/* ---- records ------------------------------------------------------------- */

static void begin_record(struct bytes *b, enum record_type type, unsigned misc)
{
    b->count = 0;
    bytes_u32(b, type);
    bytes_u16(b, misc);
    bytes_u16(b, 0); /* size, known at the end */
}

static bool end_record(struct perf_writer *w)
{
    bytes_patch(&w->b, 6, w->b.count, 2);
    return bytes_write(&w->b, w->to);
}

/* What stands behind every record that is no sample. */
static void put_sample_id(struct perf_writer *w, struct perf_task task,
                          uint64_t cycle)
{
    bytes_u32(&w->b, task.pid);
    bytes_u32(&w->b, task.tid);
    bytes_u64(&w->b, export_time(w->e, cycle));
    bytes_u64(&w->b, 0); /* CPU */
    bytes_u64(&w->b, ID_FIRST);
}

static bool put_comm(struct perf_writer *w, struct perf_task task,
                     uint64_t cycle)
{
    begin_record(&w->b, TYPE_COMM, MISC_USER);
    bytes_u32(&w->b, task.pid);
    bytes_u32(&w->b, task.tid);
    bytes_text(&w->b, task.name, PERF_NAME);
    put_sample_id(w, task, cycle);
    return end_record(w);
}

/* The build-id in the archive's name as bytes; 0: none. 16 digits are a hash
 * that the file itself does not have. */
static size_t build_id(const char *archive, unsigned char out[20])
{
    const char *dot = strrchr(archive, '.');
    size_t digits = dot ? strlen(dot + 1) : 0;

    if (digits <= 16 || digits > 40 || digits % 2 ||
        strspn(dot + 1, "0123456789abcdef") != digits)
        return 0;
    for (size_t i = 0; i < digits / 2; i++) {
        char two[3] = {dot[1 + 2 * i], dot[2 + 2 * i], 0};

        out[i] = (unsigned char)strtoul(two, NULL, 16);
    }
    return digits / 2;
}

/* One segment for one process: as MMAP, which is all that perf sched reads,
 * or as MMAP2. Begins on a page, in memory and in the file. */
static bool put_map(struct perf_writer *w, const struct segment *s,
                    uint32_t pid, bool two)
{
    const char *archive = w->e->r->map.image[s->image].archive;
    bool code = strchr(s->flags, 'x') != NULL;
    unsigned char id[20] = {0};
    size_t id_size = two ? build_id(archive, id) : 0;
    uint32_t in_page = s->addr % 4096;

    begin_record(&w->b, two ? TYPE_MMAP2 : TYPE_MMAP,
                 MISC_USER | (code ? 0u : MISC_DATA) |
                     (id_size ? MISC_BUILD_ID : 0u));
    bytes_u32(&w->b, pid);
    bytes_u32(&w->b, pid);
    bytes_u64(&w->b, s->addr - in_page);
    bytes_u64(&w->b, s->size + in_page);
    bytes_u64(&w->b, s->offset > in_page ? s->offset - in_page : 0);
    if (two) {
        bytes_u32(&w->b, id_size); /* one byte, and three of zero */
        bytes_copy(&w->b, id, sizeof id);
        bytes_u32(&w->b, (strchr(s->flags, 'r') ? 1u : 0u) |
                             (strchr(s->flags, 'w') ? 2u : 0u) |
                             (code ? 4u : 0u));
        bytes_u32(&w->b, 2); /* MAP_PRIVATE */
    }
    bytes_copy(&w->b, w->e->path, strlen(w->e->path));
    bytes_copy(&w->b, "/archives/", 10);
    bytes_copy(&w->b, archive, strlen(archive) + 1);
    bytes_pad(&w->b, 8);
    put_sample_id(w, (struct perf_task){.pid = pid, .tid = pid}, s->from);
    return end_record(w);
}

static bool put_maps(struct perf_writer *w)
{
    const struct loadmap *m = &w->e->r->map;
    bool good = true;

    for (size_t p = 0; p < w->pids; p++)
        for (size_t i = 0; i < m->segments; i++)
            good = good && put_map(w, &m->segment[i], w->pid[p], false) &&
                   put_map(w, &m->segment[i], w->pid[p], true);
    return good;
}

static bool put_tasks(struct perf_writer *w)
{
    const struct threads *t = &w->e->r->threads;
    bool good = true;

    for (size_t i = 0; i < t->count && good; i++)
        if (t->list[i].is != THREAD_IS_IDLE)
            good =
                put_comm(w, perf_task_of(w, t->list[i].id, t->list[i].from, 0),
                         t->list[i].from);
    for (size_t i = 0; i < w->strangers && good; i++)
        good = put_comm(w, perf_task_of(w, w->stranger[i], 0, 0), 0);
    return good;
}

/* The fields that samples of all events share, up to the call chain. */
static void begin_sample(struct perf_writer *w, size_t event, uint64_t cycle,
                         unsigned cpu, struct perf_task task)
{
    begin_record(&w->b, TYPE_SAMPLE, MISC_USER);
    bytes_u64(&w->b, ID_FIRST + event);
    bytes_u64(&w->b, 0); /* ip, at 16 */
    bytes_u32(&w->b, task.pid);
    bytes_u32(&w->b, task.tid);
    bytes_u64(&w->b, export_time(w->e, cycle));
    bytes_u64(&w->b, 0); /* data address, at 40 */
    bytes_u64(&w->b, cpu);
}

static bool put_sample(struct perf_writer *w, const struct export_sample *s)
{
    begin_sample(w, s->counter, s->cycle, s->cpu,
                 perf_task_of(w, s->thread, s->cycle, s->cpu));
    bytes_patch(&w->b, 16, s->pc[0], 8);
    bytes_patch(&w->b, 40, s->address, 8);
    bytes_u64(&w->b, s->events);
    bytes_u64(&w->b, s->depth + 1);
    bytes_u64(&w->b, CONTEXT_USER);
    for (size_t i = 0; i < s->depth; i++)
        bytes_u64(&w->b, s->pc[i]);
    bytes_u64(&w->b, s->physical);
    return end_record(w);
}

static void note_time(struct perf_writer *w, uint64_t cycle)
{
    if (cycle < w->first)
        w->first = cycle;
    if (cycle > w->last)
        w->last = cycle;
}

/* A tracepoint that `task` passed at pc, up to its raw part. */
static void begin_tracepoint(struct perf_writer *w, unsigned which,
                             const struct record *r, struct perf_task task,
                             uint32_t pc)
{
    begin_sample(w, w->e->counters + which, r->cycle, r->cpu, task);
    bytes_patch(&w->b, 16, pc, 8);
    bytes_u64(&w->b, 1); /* period */
    bytes_u64(&w->b, 2);
    bytes_u64(&w->b, CONTEXT_USER);
    bytes_u64(&w->b, pc);
}

/* Of the thread that leaves: what it ran since it came, or since the run or
 * what is wanted of it began. */
static bool put_runtime(struct perf_writer *w, const struct record *r,
                        struct perf_task out, uint32_t pc)
{
    uint64_t *since = &w->since[r->cpu % PERF_CPUS];
    uint64_t ran = export_time(w->e, r->cycle) - export_time(w->e, *since);

    *since = r->cycle;
    if (!out.tid || !ran)
        return true;
    begin_tracepoint(w, RUNTIME, r, out, pc);
    perf_put_runtime(&w->b, out, ran);
    return end_record(w);
}

/* Who is on a CPU at the end has run, too. */
static bool put_last_runtimes(struct perf_writer *w)
{
    uint64_t end =
        w->e->r->end < w->e->choice.to ? w->e->r->end : w->e->choice.to;
    bool good = true;

    for (unsigned cpu = 0; cpu < PERF_CPUS && good; cpu++) {
        struct record r = {.cpu = cpu, .cycle = end};

        if (!w->on[cpu] || end <= w->since[cpu])
            continue;
        note_time(w, end);
        good = put_runtime(w, &r, perf_task_of(w, w->on[cpu], end, cpu),
                           EXPORT_NOWHERE);
    }
    return good;
}

static bool put_switch(struct perf_writer *w, const struct record *r)
{
    struct perf_task in = perf_task_of(w, r->thread, r->cycle, r->cpu);
    struct perf_task out =
        perf_task_of(w, record_get_switch_out_thread(r), r->cycle, r->cpu);

    if (!put_runtime(w, r, out, record_get_switch_left(r)))
        return false;
    w->on[r->cpu % PERF_CPUS] = r->thread;
    begin_tracepoint(w, SWITCH, r, out, record_get_switch_left(r));
    perf_put_switch(&w->b, out, in, record_get_switch_out_state(r));
    return end_record(w);
}

static bool put_wakeup(struct perf_writer *w, const struct record *r)
{
    struct perf_task woken = perf_task_of(w, r->thread, r->cycle, r->cpu);
    struct perf_task waker =
        perf_task_of(w, record_get_wake_waker(r), r->cycle, r->cpu);

    begin_tracepoint(w, WAKEUP, r, waker, record_get_wake_pc(r));
    perf_put_wakeup(&w->b, waker, woken, record_get_wake_cpu(r));
    return end_record(w);
}

/* ---- the data section ---------------------------------------------------- */

static bool wanted_event(const struct export_choice *c, const struct record *r)
{
    return (c->cpu < 0 || r->cpu == (unsigned)c->cpu) && r->cycle >= c->from &&
           r->cycle < c->to;
}

/* The next switch, or wake-up. */
static bool next_event(struct perf_writer *w, struct recfile *f,
                       struct record *r)
{
    while (recfile_next(f, r))
        if (wanted_event(&w->e->choice, r)) {
            note_time(w, r->cycle);
            return true;
        }
    recording_done(w->e->r, f);
    return false;
}

static bool next_sample(struct perf_writer *w, struct recfile *f,
                        struct export_sample *s)
{
    if (!export_next(w->e, f, s))
        return false;
    note_time(w, s->cycle);
    return true;
}

/* Samples, switches and wake-ups, merged by time; perf sorts what CPUs
 * interleave. */
static bool put_records(struct perf_writer *w)
{
    struct recfile samples, switches, wakes;
    struct export_sample s;
    struct record r, k;
    bool good = true;
    bool more = export_start(w->e, &samples) && next_sample(w, &samples, &s);
    bool moves = recording_records(w->e->r, REC_SWITCH, &switches) &&
                 next_event(w, &switches, &r);
    bool wake = recording_records(w->e->r, REC_WAKE, &wakes) &&
                next_event(w, &wakes, &k);

    while (more || moves || wake) {
        if (more && (!moves || s.cycle <= r.cycle) &&
            (!wake || s.cycle <= k.cycle)) {
            good = good && put_sample(w, &s);
            more = next_sample(w, &samples, &s);
        } else if (moves && (!wake || r.cycle < k.cycle)) {
            good = good && put_switch(w, &r);
            moves = next_event(w, &switches, &r);
        } else {
            good = good && put_wakeup(w, &k);
            wake = next_event(w, &wakes, &k);
        }
    }
    return good && put_last_runtimes(w);
}

/* ---- features ------------------------------------------------------------ */

static void put_string(struct bytes *b, const char *text)
{
    size_t size = (strlen(text) / 64 + 1) * 64;

    bytes_u32(b, size);
    bytes_text(b, text, size);
}

static void put_event_desc(struct perf_writer *w)
{
    bytes_u32(&w->b, events_of(w));
    bytes_u32(&w->b, ATTR);
    for (size_t i = 0; i < events_of(w); i++) {
        put_event(w, &w->b, i);
        bytes_u32(&w->b, 1);
        put_string(&w->b, event_name(w, i));
        bytes_u64(&w->b, ID_FIRST + i);
    }
}

static void put_command(struct perf_writer *w)
{
    const char *image = text_lines_get(&w->e->r->log, "image");

    bytes_u32(&w->b, 2);
    put_string(&w->b, "simrun");
    put_string(&w->b, image ? image : "");
}

enum feature {
    TRACING_DATA = 1,
    HOSTNAME = 3,
    OSRELEASE = 4,
    VERSION = 5,
    ARCH = 6,
    NRCPUS = 7,
    CPUDESC = 8,
    CPUID = 9,
    CMDLINE = 11,
    EVENT_DESC = 12,
    SAMPLE_TIME = 21,
    FEATURES
};

/* The body of a feature into w->b; false: we do not have it. */
static bool put_feature(struct perf_writer *w, enum feature feature)
{
    static const char *const text[FEATURES] = {
        [HOSTNAME] = "simrun",
        [OSRELEASE] = "simrun",
        [VERSION] = "simprof export",
        [ARCH] = "powerpc", /* "ppc" is not known to every reader */
        [CPUDESC] = "PowerPC 604e (simulated)",
        [CPUID] = "604e"};

    if (feature == TRACING_DATA) {
        perf_put_formats(&w->b);
    } else if (feature == NRCPUS) {
        bytes_u32(&w->b, w->e->r->cpus); /* available */
        bytes_u32(&w->b, w->e->r->cpus); /* online */
    } else if (feature == CMDLINE) {
        put_command(w);
    } else if (feature == EVENT_DESC) {
        put_event_desc(w);
    } else if (feature == SAMPLE_TIME) {
        bytes_u64(&w->b, export_time(w->e, w->first));
        bytes_u64(&w->b, export_time(w->e, w->last));
    } else if (text[feature]) {
        put_string(&w->b, text[feature]);
    } else {
        return false;
    }
    return true;
}

/* The table of sections, then the sections, from file offset `at`. Returns
 * the bits of those that are there. */
static uint64_t put_features(struct perf_writer *w, uint64_t at, bool *good)
{
    struct bytes table = {0}, all = {0};
    uint64_t bits = 0;
    size_t sections = 0;

    for (enum feature f = TRACING_DATA; f < FEATURES; f++) {
        w->b.count = 0;
        if (!put_feature(w, f))
            continue;
        bytes_pad(&w->b, 8);
        bits |= (uint64_t)1 << f;
        bytes_u64(&table, all.count); /* the table's size is added below */
        bytes_u64(&table, w->b.count);
        bytes_copy(&all, w->b.data, w->b.count);
        sections++;
    }
    at += 16 * sections;
    for (size_t i = 0; i < sections; i++) {
        uint64_t offset = 0;

        for (unsigned k = 8; k-- > 0;)
            offset = offset << 8 | table.data[16 * i + k];
        bytes_patch(&table, 16 * i, at + offset, 8);
    }
    *good = bytes_write(&table, w->to) && bytes_write(&all, w->to);
    bytes_free(&table);
    bytes_free(&all);
    return bits;
}

/* ---- the file ------------------------------------------------------------ */

static bool put_head(struct perf_writer *w, uint64_t data_size, uint64_t bits)
{
    size_t events = events_of(w);
    uint64_t attrs = HEADER + 8 * events;

    w->b.count = 0;
    bytes_copy(&w->b, "PERFILE2", 8);
    bytes_u64(&w->b, HEADER);
    bytes_u64(&w->b, ATTR_ENTRY);
    bytes_u64(&w->b, attrs);
    bytes_u64(&w->b, ATTR_ENTRY * events);
    bytes_u64(&w->b, attrs + ATTR_ENTRY * events);
    bytes_u64(&w->b, data_size);
    bytes_zero(&w->b, 16); /* event types: none */
    bytes_u64(&w->b, bits);
    bytes_zero(&w->b, 24);
    for (size_t i = 0; i < events; i++)
        bytes_u64(&w->b, ID_FIRST + i);
    for (size_t i = 0; i < events; i++) {
        put_event(w, &w->b, i);
        bytes_u64(&w->b, HEADER + 8 * i);
        bytes_u64(&w->b, 8);
    }
    return bytes_write(&w->b, w->to);
}

bool export_perf(struct export *e, FILE *to)
{
    struct perf_writer w = {.e = e, .to = to, .first = UINT64_MAX};
    off_t from = 0, end = 0;
    uint64_t bits = 0;
    bool good;

    for (unsigned cpu = 0; cpu < PERF_CPUS; cpu++)
        w.since[cpu] = e->choice.from;
    perf_tasks_open(&w);
    good = put_head(&w, 0, 0) && (from = ftello(to)) >= 0 && put_maps(&w) &&
           put_tasks(&w) && put_records(&w) && (end = ftello(to)) >= 0;
    if (w.first > w.last)
        w.first = w.last = 0;
    if (good)
        bits = put_features(&w, (uint64_t)end, &good);
    good = good && !fseeko(to, 0, SEEK_SET) &&
           put_head(&w, (uint64_t)(end - from), bits) && !fflush(to);
    perf_tasks_close(&w);
    bytes_free(&w.b);
    return good;
}
