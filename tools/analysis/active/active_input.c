/* active_input.c - portions by name, and an experiment's probes and switches.
 */
#include "tools/analysis/active/active_input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/grow.h"

bool active_input_find(const struct active_input *in, const char *name,
                       bool section, uint32_t *portion)
{
    for (size_t i = 0; i < in->portions; i++)
        if (in->portion[i].section == section &&
            !strcmp(in->portion[i].name, name)) {
            *portion = (uint32_t)i;
            return true;
        }
    return false;
}

uint32_t active_input_portion(struct active_input *in, const char *name,
                              bool section)
{
    uint32_t portion;

    if (active_input_find(in, name, section, &portion))
        return portion;
    in->portion = grow(in->portion, &in->portions_room, in->portions + 1,
                       sizeof *in->portion);
    in->portion[in->portions] =
        (struct active_portion){grow_text(name), section};
    return (uint32_t)in->portions++;
}

void active_input_free(struct active_input *in)
{
    for (size_t i = 0; i < in->portions; i++)
        free(in->portion[i].name);
    free(in->portion);
    active_tables_free(&in->t);
    *in = (struct active_input){0};
}

/* ---- an experiment ------------------------------------------------------- */

/* The name of section n as the log has it: "section 3 commit". */
static const char *section_name(const struct recording *r, uint32_t n)
{
    for (size_t i = 0; i < r->log.count; i++) {
        const struct line *line = &r->log.line[i];
        char *end;

        if (!strcmp(line->key, "section") &&
            strtoull(line->value, &end, 10) == n && end > line->value &&
            *end == ' ')
            return end + 1;
    }
    return NULL;
}

static uint32_t portion_of(struct active_input *in, struct recording *r,
                           const struct record *record, bool section)
{
    uint32_t what = record_get_probe_portion(record);
    const char *name = NULL;
    char number[16];

    if (section) {
        name = section_name(r, what);
        snprintf(number, sizeof number, "%" PRIu32, what);
    } else {
        struct place place = loadmap_find(&r->map, what, record->cycle);

        if (place.function != LOADMAP_UNKNOWN)
            name = loadmap_name(&r->map, place.function);
        snprintf(number, sizeof number, "0x%08" PRIx32, what);
    }
    return active_input_portion(in, name ? name : number, section);
}

static const enum active_event event_of[] = {
    [PROBE_ENTER] = ACTIVE_ENTER,
    [PROBE_LEAVE] = ACTIVE_EXIT,
    [PROBE_BEGIN] = ACTIVE_BEGIN,
    [PROBE_END] = ACTIVE_END,
};

/* False: no probe says that. */
static bool read_probe(struct active_input *in, struct recording *r,
                       struct hash *known, const struct record *record)
{
    struct active_tables *t = &in->t;
    uint32_t what = record_get_probe_event(record);
    struct active_timer timer = {.time = record->cycle,
                                 .thread = record->thread,
                                 .overhead = record_get_probe_overhead(record),
                                 .ran = record_get_probe_ran(record)};
    bool fresh, section = what == PROBE_BEGIN || what == PROBE_END;
    uint32_t *portion;

    if (what < PROBE_ENTER || what > PROBE_END)
        return false;
    portion = hash_at(
        known, (uint64_t)section << 32 | record_get_probe_portion(record),
        &fresh);
    if (fresh)
        *portion = portion_of(in, r, record, section);
    timer.portion = *portion;
    timer.event = event_of[what];
    timer.judged = timer.ran != PROBE_UNKNOWN;
    t->timer = grow(t->timer, &t->timers_room, t->timers + 1, sizeof *t->timer);
    t->timer[t->timers++] = timer;
    return true;
}

static void read_probes(struct active_input *in, struct recording *r,
                        const struct active_choice *choice)
{
    struct hash known = {0};
    struct record record;
    struct recfile f;
    uint64_t odd = 0, lost;

    if (recording_number(r, "unprobed", &lost) && lost)
        problem_add(&r->problems, PROBLEM_DAMAGE,
                    "%s: %" PRIu64 " calls are missing, too many others were "
                    "going on; probe fewer functions, none that recurs so deep",
                    recfile_name(REC_PROBE), lost);
    if (!recording_records(r, REC_PROBE, &f))
        return;
    while (recfile_next(&f, &record)) {
        if (!read_probe(in, r, &known, &record))
            odd++;
        else if (choice && !choice->wants(choice->arg, &record))
            in->t.timer[in->t.timers - 1].left_out = true;
    }
    if (odd)
        problem_add(&r->problems, PROBLEM_DAMAGE,
                    "%s: %" PRIu64 " records of probes of no kind",
                    recfile_name(REC_PROBE), odd);
    recording_done(r, &f);
    hash_free(&known);
}

static void read_switches(struct active_input *in, struct recording *r)
{
    struct active_tables *t = &in->t;
    struct record record;
    struct recfile f;

    /* A program without a kernel switches nothing. */
    if (faccessat(r->dir, recfile_name(REC_SWITCH), F_OK, 0)) {
        problem_add(&r->problems, PROBLEM_NOTE,
                    "%s: not there; every thread is taken to have run all "
                    "the time",
                    recfile_name(REC_SWITCH));
        return;
    }
    if (!recording_records(r, REC_SWITCH, &f))
        return;
    while (recfile_next(&f, &record)) {
        t->change = grow(t->change, &t->changes_room, t->changes + 1,
                         sizeof *t->change);
        t->change[t->changes++] = (struct active_switch){
            .time = record.cycle,
            .old = record_get_switch_out_thread(&record),
            .new = record.thread,
        };
    }
    recording_done(r, &f);
}

void active_input_records(struct active_input *in, struct recording *r,
                          const struct active_choice *choice)
{
    *in = (struct active_input){.unit = "cycles"};
    for (unsigned i = 0; i < ACTIVE_EVENTS; i++)
        in->t.overhead[i] = ACTIVE_BY_TYPE;
    read_probes(in, r, choice);
    read_switches(in, r);
}
