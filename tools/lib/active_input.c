/* active_input.c - portions by name, and an experiment's probes and switches.
 */
#include "tools/lib/active_input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/lib/grow.h"

bool active_input_find(const struct active_input *in, const char *name,
                       uint32_t *portion)
{
    for (size_t i = 0; i < in->portions; i++)
        if (!strcmp(in->portion[i], name)) {
            *portion = (uint32_t)i;
            return true;
        }
    return false;
}

uint32_t active_input_portion(struct active_input *in, const char *name)
{
    uint32_t portion;

    if (active_input_find(in, name, &portion))
        return portion;
    in->portion = grow(in->portion, &in->portions_room, in->portions + 1,
                       sizeof *in->portion);
    in->portion[in->portions] = grow_text(name);
    return (uint32_t)in->portions++;
}

void active_input_free(struct active_input *in)
{
    for (size_t i = 0; i < in->portions; i++)
        free(in->portion[i]);
    free(in->portion);
    active_tables_free(&in->t);
    *in = (struct active_input){0};
}

/* ---- an experiment ------------------------------------------------------ */

static uint32_t portion_of(struct active_input *in, struct recording *r,
                           uint32_t address, uint64_t cycle)
{
    struct place place = loadmap_find(&r->map, address, cycle);
    char name[16];

    if (place.function != LOADMAP_UNKNOWN)
        return active_input_portion(in, loadmap_name(&r->map, place.function));
    snprintf(name, sizeof name, "0x%08" PRIx32, address);
    return active_input_portion(in, name);
}

static void read_probes(struct active_input *in, struct recording *r)
{
    struct active_tables *t = &in->t;
    struct hash known = {0};
    struct record record;
    struct recfile f;

    if (!recording_records(r, REC_PROBE, &f))
        return;
    while (recfile_next(&f, &record)) {
        uint32_t address = record_word(&record, 1);
        bool fresh;
        uint32_t *portion = hash_at(&known, address, &fresh);

        if (fresh)
            *portion = portion_of(in, r, address, record.cycle);
        t->timer =
            grow(t->timer, &t->timers_room, t->timers + 1, sizeof *t->timer);
        t->timer[t->timers++] = (struct active_timer){
            .time = record.cycle,
            .thread = record.thread,
            .portion = *portion,
            .overhead = record_word(&record, 2),
            .event = record_word(&record, 0) == PROBE_LEAVE ? ACTIVE_EXIT
                                                            : ACTIVE_ENTER,
        };
    }
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
            .old = record_word(&record, 2),
            .new = record.thread,
        };
    }
    recording_done(r, &f);
}

void active_input_records(struct active_input *in, struct recording *r)
{
    *in = (struct active_input){.unit = "cycles"};
    for (unsigned i = 0; i < ACTIVE_EVENTS; i++)
        in->t.overhead[i] = ACTIVE_BY_TYPE;
    read_probes(in, r);
    read_switches(in, r);
}
