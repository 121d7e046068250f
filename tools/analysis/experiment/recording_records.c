/* recording_records.c - the record files of an experiment: opened one by one,
 * and what is missing or damaged in them. See recording.h.
 */
#include "tools/analysis/experiment/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* How an interval was read. */
static void say_reading(struct recording *r, struct recfile *f)
{
    const char *name = recfile_name(f->kind);
    bool kept = recfile_keep(f);

    if (r->unsaid)
        return;
    if (f->blocks)
        problem_add(&r->problems, PROBLEM_NOTE,
                    "%s: read by its time index, %" PRIu64 " of %zu blocks",
                    name, f->blocks - f->passed, f->blocks);
    else if (r->windowed && f->making)
        problem_add(&r->problems, PROBLEM_NOTE, "%s: every record was read; %s",
                    name,
                    kept ? "a time index is kept for the next time"
                         : "a time index could not be kept");
    if (r->verbose && f->blocks)
        problem_add(&r->problems, PROBLEM_NOTE,
                    "%s: %" PRIu64 " of %" PRIu64 " records were read", name,
                    f->records, f->index.records);
    else if (r->verbose)
        problem_add(&r->problems, PROBLEM_NOTE,
                    "%s: %" PRIu64 " records were read, all", name, f->records);
}

/* ---- records ------------------------------------------------------------- */

/* The log names the files there are; a run of an earlier simrun had fewer. */
static bool is_promised(const struct recording *r, unsigned kind)
{
    bool any = false;

    for (size_t i = 0; i < r->log.count; i++) {
        if (strcmp(r->log.line[i].key, "file"))
            continue;
        any = true;
        if (strtoul(r->log.line[i].value, NULL, 10) == kind)
            return true;
    }
    return !any;
}

bool recording_records(struct recording *r, unsigned kind, struct recfile *f)
{
    const char *name = recfile_name(kind);
    uint32_t version = 0;
    enum recfile_state state = recfile_open(f, r->dir, kind, r->cpus, &version);

    switch (state) {
    case RECFILE_OK:
        if (r->ended)
            f->until = r->end;
        f->tells = r->tells;
        f->whose = &r->map.thread;
        f->rows.interval = r->interval;
        if (r->windowed && recfile_cuts(kind))
            recfile_within(f, r->from, r->to);
        return true;
    case RECFILE_MISSING:
        if (!is_promised(r, kind))
            break;
        problem_add(&r->problems, PROBLEM_DAMAGE,
                    "%s: missing, its records are lost; run simrun again",
                    name);
        break;
    case RECFILE_UNREADABLE:
        problem_add(&r->problems, PROBLEM_DAMAGE,
                    "%s: %s, make it a readable file", name, strerror(errno));
        break;
    case RECFILE_SHORT: /* a run just begun has written no header yet */
        problem_add(&r->problems, r->ended ? PROBLEM_DAMAGE : PROBLEM_NOTE,
                    "%s: ends before its first record%s", name,
                    r->ended ? ", its records are lost; run simrun again" : "");
        break;
    case RECFILE_FOREIGN:
        problem_add(&r->problems, PROBLEM_DAMAGE,
                    "%s: does not begin as a record file does, left out; run "
                    "simrun again",
                    name);
        break;
    case RECFILE_VERSION:
        problem_add(&r->problems, PROBLEM_DAMAGE,
                    "%s: format version %" PRIu32 ", this simprof reads %d, "
                    "left out; use the simprof of that simrun",
                    name, version, REC_VERSION);
        break;
    }
    return false;
}

uint64_t recording_lacks(const struct recording *r, const struct recfile *f)
{
    uint64_t there = f->blocks ? f->index.records : f->records;
    uint64_t promised = r->promised[f->kind];

    return promised != UINT64_MAX && promised > there ? promised - there : 0;
}

/* Records that are not there, and how the file ends. */
static void say_lack(struct recording *r, const struct recfile *f)
{
    const char *name = recfile_name(f->kind);
    uint64_t lacks = recording_lacks(r, f);
    char lost[96] = "";

    if (lacks)
        snprintf(lost, sizeof lost,
                 "%" PRIu64 " of its %" PRIu64 " records are not there", lacks,
                 r->promised[f->kind]);
    if (f->tail)
        problem_add(&r->problems, r->ended ? PROBLEM_DAMAGE : PROBLEM_NOTE,
                    "%s: ends inside a record, its last %" PRIu64 " bytes are "
                    "left out%s%s%s",
                    name, f->tail, lacks ? ", " : "", lost,
                    r->ended ? "; run simrun again for the rest" : "");
    else if (lacks)
        problem_add(&r->problems, PROBLEM_DAMAGE,
                    "%s: %s; run simrun again for the rest", name, lost);
}

void recording_done(struct recording *r, struct recfile *f)
{
    const char *name = recfile_name(f->kind);

    loadmap_thread(&r->map, 0);
    if (f->error)
        problem_add(&r->problems, PROBLEM_DAMAGE,
                    "%s: %s, the rest is left out; copy the experiment to a "
                    "sound disk",
                    name, strerror(f->error));
    if (f->skipped)
        problem_add(&r->problems, PROBLEM_DAMAGE,
                    "%s: %" PRIu64 " bytes in %" PRIu64 " places are no "
                    "records, passed over; run simrun again for the rest",
                    name, f->skipped, f->places);
    if (f->nonsense)
        problem_add(&r->problems, PROBLEM_DAMAGE,
                    "%s: %" PRIu64 " records hold what cannot be, passed "
                    "over; run simrun again for the rest",
                    name, f->nonsense);
    say_lack(r, f);
    say_reading(r, f);
    recfile_close(f);
}
