/* summary.c - puts the figures of report.c together with jansson. */
#include "sim/cli/summary.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/version.h"
#include "sim/host/output.h"
#include "sim/core/timing.h"

#define DIGITS 9 /* of what is no whole number */

/* A text that may hold anything: JSON knows no bytes that are not UTF-8, each
 * becomes a question mark. */
static json_t *text(const char *s)
{
    json_t *whole = json_string(s);
    char *copy;

    if (whole)
        return whole;
    copy = strdup(s);
    for (char *c = copy; c && *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    whole = copy ? json_string(copy) : NULL;
    free(copy);
    return whole;
}

static json_t *number(uint64_t n)
{
    return json_integer((json_int_t)n);
}

static double ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0.0;
}

/* One counter of -e. */
static json_t *count(const struct machine *m, unsigned k)
{
    const struct host_counter_spec *s = &m->with.host_counters[k];
    json_t *by_cpu = json_array();
    uint64_t sum = 0;

    for (unsigned i = 0; i < m->with.cpus; i++) {
        uint64_t n = report_count(m, k, i);

        json_array_append_new(by_cpu, number(n));
        sum += n;
    }
    return json_pack("{s:s, s:s, s:I, s:I, s:o}", "event",
                     machine_event(&m->with, s->event), "states",
                     !s->kernel ? "u"
                     : !s->user ? "k"
                                : "uk",
                     "period", (json_int_t)s->period, "count", (json_int_t)sum,
                     "by_cpu", by_cpu);
}

static json_t *counts(const struct machine *m)
{
    json_t *all = json_array();

    for (unsigned k = 0; k < m->with.nhost_counters; k++)
        json_array_append_new(all, count(m, k));
    return all;
}

static json_t *processors(const struct machine *m)
{
    json_t *all = json_array();

    for (unsigned i = 0; i < m->with.cpus; i++) {
        const struct core *c = &m->core[i];

        json_array_append_new(all, json_pack("{s:I, s:f, s:s}", "insns",
                                             (json_int_t)c->insns, "ipc",
                                             ratio(c->insns, m->cycles),
                                             "state", core_state_name(c)));
    }
    return all;
}

static json_t *whole(const struct report_run *r)
{
    const struct machine *m = r->machine;
    uint64_t insns = machine_insns(m);
    bool own = m->end == MACHINE_POWER || m->end == MACHINE_RETURN ||
               m->end == MACHINE_EXIT;

    return json_pack(
        "{s:s, s:o, s:s, s:s, s:i, s:o, s:o, s:I, s:f, s:I, s:f, s:i, s:o, "
        "s:o, s:o, s:f}",
        "simrun", SIMRUN_VERSION, "program", text(r->program), "mode",
        m->with.timing->name, "end", report_end_name(m->end), "exit", r->status,
        "status", own ? number(m->status) : json_null(), "signal",
        r->signal ? number((uint64_t)r->signal) : json_null(), "cycles",
        (json_int_t)m->cycles, "seconds", report_seconds(m, m->cycles), "insns",
        (json_int_t)insns, "ipc", ratio(insns, m->cycles), "clock_mhz",
        (int)m->with.params.clock_mhz, "cpus", processors(m), "counts",
        counts(m), "experiment",
        r->experiment ? text(r->experiment) : json_null(), "host_seconds",
        r->seconds);
}

/* What was measured of the stretches in detail. */
static json_t *detail(const struct modes *k)
{
    return json_pack("{s:i, s:i, s:I, s:I}", "stretches", (int)k->stretches,
                     "measured", (int)k->done, "insns",
                     (json_int_t)k->measured_insns, "cycles",
                     (json_int_t)k->measured);
}

bool summary_open(FILE **f, const char *file, char *why, size_t size)
{
    *f = *file ? output_open("--summary=json", file, why, size) : stderr;
    return *f != NULL;
}

bool summary_json(FILE *f, const struct report_run *r)
{
    json_t *line = whole(r);

    if (line && r->machine->modes.stretches)
        json_object_set_new(line, "detail", detail(&r->machine->modes));
    bool good =
        line &&
        json_dumpf(line, f, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS)) == 0;

    good = fputc('\n', f) != EOF && good;
    json_decref(line);
    return (f == stderr ? fflush(f) : fclose(f)) == 0 && good;
}
