/* recording.c - opens an experiment and judges its files. */
#include "tools/analysis/experiment/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/grow.h"
#include "tools/analysis/symbols/inlines.h"
#include "tools/analysis/symbols/variables.h"
#include "lib/base/text.h"

#define CPUS_MAX 8 /* more than the machine can have: the log is damaged */
#define FORMAT_KEY "simrun-experiment"

static const char *const own_reasons[] = {
#define REASON(name, text) #name,
#include "pmu/stalls.def"
#undef REASON
};

bool recording_number(const struct recording *r, const char *key, uint64_t *n)
{
    const char *value = text_lines_get(&r->log, key);
    char first[32];
    size_t length = value ? strcspn(value, " ") : 0;

    if (!value || length >= sizeof first)
        return false;
    memcpy(first, value, length);
    first[length] = '\0';
    return text_number(first, n);
}

/* "insns CPU N" lines. */
long recording_system(const struct recording *r)
{
    const char *image = text_lines_get(&r->log, "image");

    if (!image || text_lines_get(&r->log, "argument")) /* it is of --user */
        return -1;
    for (size_t n = 0; n < r->map.images; n++)
        if (!strcmp(r->map.image[n].archive, image))
            return (long)n;
    return -1;
}

/* An exit status above is simrun's own, or a signal's, but with these words. */
#define LAST_OWN 123
#define ENDED "the program ended"

/* How the run ended, in words; *status: its exit status. NULL: the log does not
 * say. */
static const char *end_of(const struct recording *r, long *status)
{
    const char *exited = text_lines_get(&r->log, "exit");
    int at = 0;

    return exited && sscanf(exited, "%ld %n", status, &at) == 1 && at
               ? exited + at
               : NULL;
}

bool recording_program_ended(const struct recording *r)
{
    long status;
    const char *end = end_of(r, &status);

    return end && !strncmp(end, ENDED, strlen(ENDED));
}

const char *recording_stopped(const struct recording *r)
{
    long status;
    const char *end = end_of(r, &status);

    return end && status > LAST_OWN && !recording_program_ended(r) ? end : NULL;
}

uint64_t recording_instructions(const struct recording *r)
{
    uint64_t sum = 0, n;
    unsigned cpu;

    for (size_t i = 0; i < r->log.count; i++)
        if (!strcmp(r->log.line[i].key, "insns") &&
            sscanf(r->log.line[i].value, "%u %" SCNu64, &cpu, &n) == 2)
            sum += n;
    return sum;
}

/* The part of the path that names the experiment. The caller frees. */
static char *recording_basename(const char *path)
{
    size_t end = strlen(path), start;

    while (end > 1 && path[end - 1] == '/')
        end--;
    for (start = end; start > 0 && path[start - 1] != '/'; start--)
        continue;
    return grow_bytes(path + start, end - start);
}

/* ---- the directory and its log ------------------------------------------- */

static bool open_directory(struct recording *r, const char *path, char *why,
                           size_t size)
{
    struct stat st;

    if (stat(path, &st)) {
        snprintf(why, size,
                 "%s: %s, give the directory simrun --pmu-trace "
                 "made",
                 path, strerror(errno));
        return false;
    }
    if (!S_ISDIR(st.st_mode)) {
        snprintf(why, size,
                 "%s: not a directory, give the directory simrun "
                 "--pmu-trace made",
                 path);
        return false;
    }
    r->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (r->dir < 0) {
        snprintf(why, size, "%s: %s, make it readable", path, strerror(errno));
        return false;
    }
    r->name = recording_basename(path);
    text_printable(r->name);
    return true;
}

static bool any_records(const struct recording *r)
{
    for (unsigned kind = 1; kind < RECFILE_KINDS; kind++)
        if (!faccessat(r->dir, recfile_name(kind), F_OK, 0))
            return true;
    return false;
}

/* Was it killed before the first line of its log was written? */
static bool never_began(const struct recording *r)
{
    struct stat st;

    if (fstatat(r->dir, "log", &st, 0) || st.st_size)
        return false;
    for (unsigned kind = 1; kind < RECFILE_KINDS; kind++)
        if (!fstatat(r->dir, recfile_name(kind), &st, 0) &&
            st.st_size > REC_FILE_HEADER)
            return false;
    return true;
}

/* The log, and whether this is an experiment that we can read at all. */
static bool read_log(struct recording *r, const char *path, char *why,
                     size_t size)
{
    uint64_t version;

    if (!text_lines_read(&r->log, r->dir, "log")) {
        if (!any_records(r)) {
            snprintf(why, size,
                     "%s: no experiment (no log and no records), "
                     "give the directory simrun --pmu-trace made",
                     path);
            return false;
        }
        problem_add(&r->problems, PROBLEM_DAMAGE,
                    "log: %s, clock and configuration are unknown; run simrun "
                    "again",
                    strerror(errno));
        return true;
    }
    if (never_began(r)) {
        snprintf(why, size,
                 "%s: its log is empty, the run was killed before it began; "
                 "run simrun again",
                 path);
        return false;
    }
    if (r->log.garbage)
        problem_add(&r->problems, PROBLEM_DAMAGE,
                    "log: %u lines are not text (the first is %u), passed "
                    "over; run simrun again if something is missing below",
                    r->log.garbage, r->log.first_garbage);
    if (!recording_number(r, FORMAT_KEY, &version)) {
        problem_add(&r->problems, PROBLEM_DAMAGE,
                    "log: does not say which format this is, taken for "
                    "version %d; run simrun again",
                    REC_VERSION);
    } else if (version != REC_VERSION) {
        snprintf(why, size,
                 "%s/log: format version %" PRIu64 ", this "
                 "simprof reads version %d; use the simprof that was built "
                 "with that simrun",
                 path, version, REC_VERSION);
        return false;
    }
    return true;
}

/* ---- what the log says --------------------------------------------------- */

static enum recording_reason reason_of(const char *name)
{
    return !strcmp(name, "off")      ? REASON_OFF
           : !strcmp(name, "nap")    ? REASON_NAP
           : !strcmp(name, "system") ? REASON_SYSTEM
                                     : REASON_OTHER;
}

static void name_reason(struct recording *r, unsigned index, const char *name)
{
    r->reason_is[index] = (unsigned char)reason_of(name);
    free(r->reason[index]);
    r->reason[index] = grow_text(name);
    text_printable(r->reason[index]);
    if (index >= r->reasons)
        r->reasons = index + 1;
}

/* "reason N NAME" lines; without any, our own table. */
static void read_reasons(struct recording *r)
{
    char number[16];

    for (unsigned i = 0; i < RECORDING_REASONS; i++) {
        snprintf(number, sizeof number, "reason%u", i);
        r->reason[i] = grow_text(number);
    }
    for (size_t i = 0; i < r->log.count; i++) {
        const struct line *l = &r->log.line[i];
        unsigned index;
        char name[64];

        if (!strcmp(l->key, "reason") &&
            sscanf(l->value, "%3u %63[^\n]", &index, name) == 2 &&
            index < RECORDING_REASONS)
            name_reason(r, index, name);
    }
    if (r->reasons)
        return;
    problem_add(&r->problems, PROBLEM_DAMAGE,
                "log: names no reasons, those of this simprof are used");
    for (unsigned i = 0; i < sizeof own_reasons / sizeof own_reasons[0]; i++)
        name_reason(r, i, own_reasons[i]);
}

/* The CPUs and the last cycle of the records of a kind. */
static void survey_kind(struct recording *r, struct recfile *f, unsigned *cpus,
                        uint64_t *last)
{
    struct record record;
    uint64_t latest;

    if (r->cpus && recfile_latest(f, &latest)) {
        *last = latest > *last ? latest : *last;
        return;
    }
    f->tells = r->tells;
    recfile_index(f);
    while (recfile_next(f, &record)) {
        if (record.cpu >= *cpus)
            *cpus = record.cpu + 1;
        if (record.cycle > *last)
            *last = record.cycle;
    }
    if (r->cpus)
        recfile_keep(f);
}

/* Look through every record for what the log should have said. */
static void survey(struct recording *r, unsigned *cpus, uint64_t *last)
{
    unsigned most = r->cpus ? r->cpus : CPUS_MAX;
    struct recfile f;
    uint32_t version;

    for (unsigned kind = 1; kind < RECFILE_KINDS; kind++) {
        if (recfile_open(&f, r->dir, kind, most, &version) != RECFILE_OK)
            continue;
        survey_kind(r, &f, cpus, last);
        recfile_close(&f);
    }
}

/* Cycles of an interval of the exact account: knob account_us. 0: that of an
 * earlier simrun, which kept none. */
static uint64_t interval_of(const struct recording *r)
{
    uint64_t us;

    for (size_t i = 0; i < r->log.count; i++)
        if (!strcmp(r->log.line[i].key, "knob") &&
            sscanf(r->log.line[i].value, "account_us %20" SCNu64, &us) == 1 &&
            us < UINT32_MAX)
            return us * (r->clock_hz / 1000000);
    return 0;
}

static void read_machine(struct recording *r)
{
    uint64_t n, last = 0;
    unsigned cpus = 1;

    r->ended = recording_number(r, "end", &r->end);
    if (!recording_number(r, "clock", &r->clock_hz))
        r->clock_hz = 0;
    r->interval = interval_of(r);
    if (recording_number(r, "cpus", &n) && n >= 1 && n <= CPUS_MAX)
        r->cpus = (unsigned)n;
    if (!r->ended || !r->cpus)
        survey(r, &cpus, &last);
    if (!r->cpus) {
        r->cpus = cpus;
        problem_add(&r->problems, PROBLEM_DAMAGE,
                    "log: does not say how many CPUs there were, taken for "
                    "the %u that appear in the records",
                    cpus);
    }
    r->settled = r->end;
    r->cut = recording_number(r, "cut", &n);
    if (r->cut)
        problem_add(&r->problems, PROBLEM_NOTE,
                    "log: recording stopped at cycle %" PRIu64
                    ", at simrun --trace-limit; the run went on",
                    n);
    if (r->ended)
        return;
    if (!recording_number(r, "at", &r->settled))
        r->settled = last;
    r->end = last > r->settled ? last : r->settled;
    if (r->cut && n > r->end)
        r->end = n;
    if (!r->cut)
        problem_add(
            &r->problems, PROBLEM_NOTE,
            "log: the run has no end (killed, or still going); reported "
            "is what was written by cycle %" PRIu64,
            r->end);
}

/* "records KIND N", of a run that came to its end. */
static void read_promises(struct recording *r)
{
    for (unsigned kind = 0; kind < RECFILE_KINDS; kind++)
        r->promised[kind] = UINT64_MAX;
    for (size_t i = 0; r->ended && i < r->log.count; i++) {
        unsigned kind;
        uint64_t n;

        if (!strcmp(r->log.line[i].key, "records") &&
            sscanf(r->log.line[i].value, "%2u %" SCNu64, &kind, &n) == 2 &&
            kind < RECFILE_KINDS)
            r->promised[kind] = n;
    }
    if (r->ended && !text_lines_get(&r->log, "exit"))
        problem_add(&r->problems, PROBLEM_DAMAGE,
                    "log: its last lines are missing, among them how the run "
                    "ended; run simrun again");
}

/* "archive BYTES NAME": is it still that large? */
static void check_archive(struct recording *r, const char *value)
{
    char name[512], path[640];
    struct stat st;
    uint64_t n;

    if (sscanf(value, "%" SCNu64 " %511[^\n/]", &n, name) != 2)
        return;
    snprintf(path, sizeof path, "archives/%s", name);
    if (!fstatat(r->dir, path, &st, 0) && S_ISREG(st.st_mode) &&
        (uint64_t)st.st_size < n)
        problem_add(&r->problems, PROBLEM_DAMAGE,
                    "%s: has %jd of its %" PRIu64 " bytes, names may be "
                    "missing; put the ELF file of the run there",
                    path, (intmax_t)st.st_size, n);
}

static void read_map(struct recording *r)
{
    uint64_t n;

    loadmap_read(&r->map, r->dir, &r->problems);
    for (size_t i = 0; i < r->log.count; i++)
        if (!strcmp(r->log.line[i].key, "archive"))
            check_archive(r, r->log.line[i].value);
    if (r->ended && recording_number(r, "segments", &n) && r->map.segments < n)
        problem_add(&r->problems, PROBLEM_DAMAGE,
                    "map: has %zu of %" PRIu64 " lines, names may be missing; "
                    "run simrun again",
                    r->map.segments, n);
}

static void read_threads(struct recording *r)
{
    struct record record;
    struct recfile f;

    if (text_lines_get(&r->log, "argument")) /* it is of --user */
        r->threads.program = THREADS_PROGRAM;
    if (!recording_records(r, REC_THREAD, &f))
        return;
    while (recfile_next(&f, &record))
        threads_add(&r->threads, &record);
    recording_done(r, &f);
    threads_order(&r->threads);
}

static void read_spaces(struct recording *r)
{
    struct record record;
    struct recfile f;

    if (!recording_records(r, REC_PROGRAM, &f))
        return;
    while (recfile_next(&f, &record))
        spaces_add(&r->map.spaces, &record);
    recording_done(r, &f);
    spaces_order(&r->map.spaces, &r->threads);
}

bool recording_open(struct recording *r, const char *path, char *why,
                    size_t size)
{
    *r = (struct recording){.dir = -1, .tells = isatty(STDERR_FILENO)};
    if (!open_directory(r, path, why, size) || !read_log(r, path, why, size)) {
        recording_close(r);
        return false;
    }
    read_reasons(r);
    read_machine(r);
    read_promises(r);
    read_map(r);
    read_threads(r);
    read_spaces(r);
    recording_within(r, 0, UINT64_MAX);
    return true;
}

struct inlines *recording_inlines(struct recording *r)
{
    if (!r->inlines)
        r->inlines = inlines_new(&r->map, r->dir);
    return r->inlines;
}

struct variables *recording_variables(struct recording *r)
{
    if (!r->variables)
        r->variables = variables_new(&r->map, r->dir);
    return r->variables;
}

void recording_keep(struct recording_kept *place, void *kept,
                    void (*free)(void *kept))
{
    if (place->kept)
        place->free(place->kept);
    *place = (struct recording_kept){kept, free};
}

void recording_close(struct recording *r)
{
    recording_keep(&r->account, NULL, NULL);
    inlines_free(r->inlines);
    variables_free(r->variables);
    for (unsigned i = 0; i < RECORDING_REASONS; i++)
        free(r->reason[i]);
    free(r->name);
    text_lines_free(&r->log);
    loadmap_free(&r->map);
    threads_free(&r->threads);
    problems_free(&r->problems);
    if (r->dir >= 0)
        close(r->dir);
    *r = (struct recording){.dir = -1};
}

bool recording_argument(const struct recording *r, const char *key,
                        char value[RECORDING_ARGUMENT])
{
    const char *word = text_lines_get(&r->log, "args");
    size_t length = strlen(key);
    bool found = false;

    while (word && *(word += strspn(word, " "))) {
        size_t n = strcspn(word, " ");

        if (n > length && n - length - 1 < RECORDING_ARGUMENT &&
            !memcmp(word, key, length) && word[length] == '=') {
            memcpy(value, word + length + 1, n - length - 1);
            value[n - length - 1] = '\0';
            found = true;
        }
        word += n;
    }
    return found;
}

/* ---- an interval --------------------------------------------------------- */

void recording_within(struct recording *r, uint64_t from, uint64_t to)
{
    r->windowed = from || to != UINT64_MAX;
    r->from = from;
    r->to = to;
}

bool recording_intervals(const struct recording *r, uint64_t *from,
                         uint64_t *to)
{
    uint64_t begin = 0, end = 0, last = 0, at;

    for (size_t i = 0; i < r->log.count; i++) {
        const struct line *line = &r->log.line[i];

        if ((strcmp(line->key, "at") && strcmp(line->key, "end")) ||
            !text_number(line->value, &at))
            continue;
        if (at > *from && at <= *to) {
            begin = end ? begin : last;
            end = at;
        }
        last = at;
    }
    /* The last two are written together, at the end. */
    if (r->interval)
        last = *to / r->interval * r->interval;
    if (end && r->interval && *to < r->settled && last > end)
        end = last;
    if (end <= begin)
        return false;
    *from = begin;
    *to = end;
    return true;
}

uint64_t recording_span(const struct recording *r)
{
    uint64_t to = r->windowed && r->to < r->end ? r->to : r->end;
    uint64_t from = r->windowed ? r->from : 0;

    return to > from ? to - from : 0;
}
