/* export.c - reads samples and counters for the writers. See export.h. */
#include "tools/analysis/export/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/analysis/profile/offcpu.h"
#include "tools/analysis/profile/samples.h"
#include "lib/base/text.h"
#include "tools/analysis/experiment/stack.h"

#define COUNTERS_MAX 64 /* more are not from simrun */

/* ---- counters ------------------------------------------------------------ */

static struct export_counter *find(struct export *e, uint32_t number)
{
    for (size_t i = 0; i < e->counters; i++)
        if (e->counter[i].number == number)
            return &e->counter[i];
    return NULL;
}

static struct export_counter *add(struct export *e, uint32_t number,
                                  const char *name)
{
    struct export_counter *c;

    e->counter = grow(e->counter, &e->counters_room, e->counters + 1,
                      sizeof *e->counter);
    c = &e->counter[e->counters++];
    *c = (struct export_counter){.name = grow_text(name),
                                 .number = number,
                                 .user = true,
                                 .kernel = true};
    text_printable(c->name);
    return c;
}

/* Are all counters so far called something else? */
static bool new_name(const struct export *e, const char *name)
{
    for (size_t i = 0; i < e->counters; i++)
        if (!strcmp(e->counter[i].name, name))
            return false;
    return true;
}

/* "profile NUMBER NAME PERIOD MODES" lines of the log. A counter over one
 * state is called NAME:u or NAME:k. */
static void read_names(struct export *e)
{
    for (size_t i = 0; i < e->r->log.count; i++) {
        const struct line *l = &e->r->log.line[i];
        char name[72], full[96], modes[8] = "uk";
        uint64_t period = 0;
        uint32_t number;
        struct export_counter *c;

        if (strcmp(l->key, "profile") ||
            sscanf(l->value, "%" SCNu32 " %71s %" SCNu64 " %7s", &number, name,
                   &period, modes) < 2 ||
            find(e, number) || e->counters >= COUNTERS_MAX)
            continue;
        snprintf(full, sizeof full, "%s%s%s", name,
                 strcmp(modes, "uk") ? ":" : "",
                 strcmp(modes, "uk") ? modes : "");
        if (!new_name(e, full))
            snprintf(full, sizeof full, "%s#%" PRIu32, name, number);
        c = add(e, number, full);
        c->period = period;
        c->user = strchr(modes, 'u') != NULL;
        c->kernel = strchr(modes, 'k') != NULL;
    }
}

static bool wanted(const struct export *e, const struct record *record)
{
    return !e->choice.wants || e->choice.wants(e->choice.arg, record);
}

/* The next record, as profile.rec has it. */
static bool next_record(struct export *e, struct recfile *f, struct record *out)
{
    if (e->choice.source == EXPORT_COUNTERS) {
        if (recfile_next(f, out))
            return true;
        recording_done(e->r, f);
        return false;
    }
    if (e->offcpu && offcpu_next(e->offcpu, out))
        return true;
    free(e->offcpu);
    e->offcpu = NULL;
    return false;
}

/* Count the samples; a counter that the log does not name gets a name. */
static void survey(struct export *e)
{
    struct record record;
    struct recfile f;
    bool unnamed = false;
    uint64_t lost = 0;

    if (!export_start(e, &f))
        return;
    while (next_record(e, &f, &record)) {
        struct export_counter *c = find(e, record_get_profile_counter(&record));
        char name[32];

        if (!wanted(e, &record))
            continue;
        if (!c && e->counters >= COUNTERS_MAX) {
            lost++;
            continue;
        }
        if (!c) {
            snprintf(name, sizeof name, "counter%" PRIu32,
                     record_get_profile_counter(&record));
            c = add(e, record_get_profile_counter(&record), name);
            unnamed = true;
        }
        c->samples++;
        c->events += record_get_profile_events(&record);
    }
    if (unnamed)
        problem_add(&e->r->problems, PROBLEM_DAMAGE,
                    "log: does not name every counter of profile.rec; the "
                    "others are called counterN; run simrun again");
    if (lost)
        problem_add(&e->r->problems, PROBLEM_DAMAGE,
                    "profile.rec: %" PRIu64 " samples are of more than %d "
                    "counters, left out; run simrun again",
                    lost, COUNTERS_MAX);
}

void export_open(struct export *e, struct recording *r, const char *path,
                 const struct export_choice *choice)
{
    *e = (struct export){
        .r = r, .path = realpath(path, NULL), .choice = *choice};
    if (!e->path)
        e->path = grow_text(path);
    if (choice->source == EXPORT_COUNTERS) {
        read_names(e);
    } else if (choice->source == EXPORT_WAITS) {
        unsigned n = (unsigned)__builtin_ctz(choice->waits);

        add(e, OFFCPU_NUMBER + n, offcpu_name(n));
    } else {
        add(e, OFFCPU_TO_IDLE_NUMBER, OFFCPU_TO_IDLE);
        add(e, OFFCPU_FROM_IDLE_NUMBER, OFFCPU_FROM_IDLE);
    }
    survey(e);
}

void export_close(struct export *e)
{
    for (size_t i = 0; i < e->counters; i++)
        free(e->counter[i].name);
    free(e->counter);
    free(e->offcpu);
    free(e->path);
    *e = (struct export){0};
}

/* ---- samples ------------------------------------------------------------- */

bool export_start(struct export *e, struct recfile *f)
{
    if (e->choice.source == EXPORT_COUNTERS)
        return recording_records(e->r, REC_PROFILE, f);
    free(e->offcpu);
    e->offcpu = grow_zero(1, sizeof *e->offcpu);
    offcpu_open(e->offcpu, e->r, e->choice.waits);
    return true;
}

static void fill(struct export *e, const struct record *record,
                 struct export_sample *s)
{
    struct stack stack = stack_of_record(&e->r->map, record);
    struct stack_frame f;
    uint32_t flags = record_get_profile_flags(record);

    s->cycle = record->cycle;
    s->cpu = record->cpu;
    s->thread = record->thread;
    s->counter =
        (size_t)(find(e, record_get_profile_counter(record)) - e->counter);
    s->events = record_get_profile_events(record);
    s->event_pc = record_get_profile_pc(record);
    s->data = record_has_profile_physical(record);
    s->address = s->data ? record_get_profile_address(record) : 0;
    s->physical = s->data ? record_get_profile_physical(record) : 0;
    s->napping = samples_naps(e->r, record);
    s->user = flags & PROFILE_USER;
    s->truncated = flags & PROFILE_TRUNCATED;
    s->state = e->choice.source == EXPORT_WAITS ? e->offcpu->state : 0;
    for (s->depth = 0; stack_next(&stack, &f); s->depth++) {
        s->pc[s->depth] = f.at;
        s->home[s->depth] = f.home;
    }
    if (!s->napping || e->naps_whole)
        return;
    s->thread = s->address = s->physical = 0;
    s->event_pc = s->pc[0] = s->home[0] = EXPORT_NOWHERE;
    s->data = false;
    s->truncated = false;
    s->depth = 1;
}

bool export_next(struct export *e, struct recfile *f, struct export_sample *s)
{
    struct record record;

    while (next_record(e, f, &record)) {
        /* A run still going may have written more since the survey. */
        if (!wanted(e, &record) ||
            !find(e, record_get_profile_counter(&record)))
            continue;
        fill(e, &record, s);
        return true;
    }
    return false;
}

uint32_t export_function(struct export *e, const struct export_sample *s,
                         size_t i)
{
    if (s->napping && !e->naps_whole)
        return EXACT_CYCLES_NAPPING;
    return loadmap_find(&e->r->map, s->pc[i], s->cycle).function;
}

uint64_t export_time(const struct export *e, uint64_t cycle)
{
    const uint64_t second = 1000000000;
    uint64_t hz = e->r->clock_hz ? e->r->clock_hz : second;

    return cycle / hz * second +
           (uint64_t)((unsigned __int128)(cycle % hz) * second / hz);
}
