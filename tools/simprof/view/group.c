/* group.c - from options to a tally to a table. */
#include "tools/simprof/view/group.h"
#include "tools/analysis/profile/offcpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "lib/elf/demangle.h"
#include "tools/analysis/timetree/timetree_samples.h"
#include "tools/simprof/report/function_hint.h"

static uint64_t function_key(void *arg, const struct samples_frame *frame)
{
    (void)arg;
    return frame->function;
}

static void function_name(void *arg, const struct samples_frame *frame,
                          char out[GROUP_NAME])
{
    demangled_fit(samples_name(arg, frame->function), out, GROUP_NAME);
}

struct grouping group_by_function(struct recording *r)
{
    return (struct grouping){function_key, function_name, r, true};
}

static void name_rows(struct group *g, const struct grouping *by)
{
    g->name = grow_zero(g->tally.rows + 1, sizeof *g->name);
    for (size_t i = 0; i < g->tally.rows; i++) {
        char name[GROUP_NAME] = "";

        by->name(by->arg, &g->samples.frame[g->tally.row[i].frame], name);
        text_printable(name);
        g->name[i] = grow_text(name);
    }
}

/* What a time tree cannot tell. */
static void note_scan(const struct group *g)
{
    const char *what = g->selection.filter       ? "--filters"
                       : g->selection.one_thread ? "--thread"
                       : g->selection.cpu >= 0   ? "--cpu"
                                                 : "--inlines";

    if (timetree_samples_there(&g->selection.metrics, g->r))
        problem_add(&g->r->problems, PROBLEM_NOTE,
                    "timetree: knows nothing of %s; the records are read",
                    what);
}

/* Is a row that of parked CPUs? It is nothing else then. */
static bool is_parked(const struct group *g, size_t i)
{
    return g->samples.frame[g->tally.row[i].frame].function ==
           EXACT_CYCLES_PARKED;
}

/* Does --metrics name no counter, so that no sample need be read? Names stand
 * behind the looks of a metric. */
static bool is_unsampled(const struct options *o)
{
    const char *list = o->text[OPTION_BIT_METRICS];
    bool any = false;

    if (!list || o->text[OPTION_BIT_SORT] || o->standing & OPTION_METRICS)
        return false;
    while (*list) {
        size_t size = strcspn(list, ":"), at = size;
        char name[GROUP_NAME];

        while (at && !strchr(".+%!", list[at - 1]))
            at--;
        snprintf(name, sizeof name, "%.*s", (int)(size - at), list + at);
        if (!at || (strcmp(name, "exact") != 0 && !offcpu_bit(name)))
            return false;
        any = true;
        list += size + (list[size] == ':');
    }
    return any;
}

bool group_open(struct group *g, struct recording *r, const struct options *o,
                const struct grouping *by, unsigned flavors)
{
    struct samples_choice choice = {.wants = selection_wants,
                                    .arg = &g->selection};
    bool good;

    *g = (struct group){.r = r, .o = o};
    choice.waits = view_waits(r, o, &good);
    if (!good || !selection_open(&g->selection, r, o))
        return false;
    if (g->selection.all)
        choice.wants = NULL;
    choice.timeless = selection_timeless(&g->selection);
    choice.unfold = o->text[OPTION_BIT_INLINES] != NULL;
    choice.functions = by->functions && g->selection.cpu < 0 &&
                       !g->selection.one_thread && !g->selection.filter &&
                       !choice.unfold && o->viewmode == VIEWMODE_MACHINE;
    choice.unsampled = is_unsampled(o);
    if (!viewmode_open(&choice.view, r, o->viewmode)) {
        report_refuse(o, VIEWMODE_NOTHING);
        selection_close(&g->selection);
        return false;
    }
    if (by->functions && !choice.functions && !choice.unsampled)
        note_scan(g);
    samples_read(&g->samples, r, &choice);
    totals_read(&g->tally, &g->samples, by->key, by->arg);
    name_rows(g, by);
    for (size_t i = 0; i < g->tally.rows; i++)
        if (is_parked(g, i))
            g->parked += g->tally.row[i].exclusive[SAMPLES_EXACT];
    if (view_open(&g->view, r, o, &g->samples.metric, flavors))
        return true;
    group_close(g);
    return false;
}

void group_close(struct group *g)
{
    for (size_t i = 0; g->name && i < g->tally.rows; i++)
        free(g->name[i]);
    free(g->name);
    totals_free(&g->tally);
    samples_free(&g->samples);
    selection_close(&g->selection);
}

struct view_row group_row(const struct group *g, size_t i)
{
    return (struct view_row){
        .name = g->name[i],
        .value = {g->tally.row[i].exclusive, g->tally.row[i].inclusive},
        .parked = is_parked(g, i) ? g->parked : 0};
}

struct view_row group_total(const struct group *g)
{
    return (struct view_row){
        .name = "<Total>",
        .value = {g->tally.total.exclusive, g->tally.total.inclusive},
        .parked = g->parked};
}

long group_named(const struct group *g, const char *name)
{
    uint32_t function = function_hint(g->r, name);
    char inlined[GROUP_NAME];

    snprintf(inlined, sizeof inlined, "%s (inlined)", name);
    for (size_t i = 0; i < g->tally.rows; i++)
        if (!strcmp(g->name[i], name) ||
            (function == LOADMAP_UNKNOWN && !strcmp(g->name[i], inlined)) ||
            (function != LOADMAP_UNKNOWN && g->tally.row[i].key == function))
            return (long)i;
    if (function != LOADMAP_UNKNOWN)
        report_refuse(g->o, "%s: never ran where this report looks", name);
    else
        function_refuse(g->r, g->o, name);
    return -1;
}

/* "; 12 events in none": those behind the last of a CPU, ANA-89. */
static void put_rest(const struct group *g, const struct samples_metric *it,
                     char out[128])
{
    uint64_t counted = 0;
    char n[TEXT_NUMBER];

    for (unsigned cpu = 0; cpu < SAMPLES_CPUS; cpu++)
        counted += it->sampled >> cpu & 1 ? it->counted[cpu] : 0;
    out[0] = '\0';
    if (g->selection.all && counted > it->total)
        snprintf(out, 128, "; %s events in none",
                 text_count(n, counted - it->total));
}

/* Is there a row with a value of few samples? ANA-25. */
static bool has_few(const struct group *g, unsigned metric)
{
    uint64_t least = g->samples.metric.list[metric].period * g->o->few;

    for (size_t i = 0; i < g->tally.rows; i++) {
        uint64_t n = g->tally.row[i].exclusive[metric];

        if (n && n < least)
            return true;
    }
    return false;
}

/* Values that rest on few samples: from where on, and how far they may be off:
 * two standard deviations of a count of that many. */
static void say_few(const struct group *g, FILE *to)
{
    const struct samples_metrics *m = &g->samples.metric;
    char list[SAMPLES_METRICS_MAX * 80] = "", n[TEXT_NUMBER], few[TEXT_NUMBER];
    size_t used = 0;

    for (unsigned i = 1; i < m->count; i++)
        if (view_shows(&g->view, i) && has_few(g, i) && used < sizeof list)
            used += (size_t)snprintf(
                list + used, sizeof list - used, "%s%s %s", used ? " or " : "",
                text_count(n, m->list[i].period * g->o->few), m->list[i].name);
    if (used)
        report_say(g->o, to,
                   "A value below %s is of fewer than %s samples: it may be "
                   "%.0f%% off or more.",
                   list, text_count(few, g->o->few), 200 / sqrt(g->o->few));
}

void group_foot(const struct group *g, FILE *to)
{
    const struct samples_metrics *m = &g->samples.metric;
    char samples[TEXT_NUMBER], period[TEXT_NUMBER], cut[TEXT_NUMBER];
    char rest[128];

    putc('\n', to);
    for (unsigned i = 1; i < m->count; i++) {
        const struct samples_metric *it = &m->list[i];

        if (it->number >= OFFCPU_NUMBER && it->number < OFFCPU_END) {
            report_say(g->o, to, "%s: cycles of %s waits, every one", it->name,
                       text_count(samples, it->samples));
            continue;
        }
        if (is_unsampled(g->o)) { /* they were not read */
            report_say(g->o, to, "%s: not shown (--metrics)", it->name);
            continue;
        }
        put_rest(g, it, rest);
        report_say(g->o, to, "%s: %s samples, one in %s%s%s%s%s", it->name,
                   text_count(samples, it->samples),
                   text_count(period, it->period),
                   it->truncated ? "; stacks not walked to their root: " : "",
                   it->truncated ? text_count(cut, it->truncated) : "", rest,
                   view_shows(&g->view, i) ? "" : "; not shown (--metrics)");
    }
    say_few(g, to);
    if (m->count == 1)
        report_say(g->o, to,
                   "No counter was sampled (simrun -e EVENT:PERIOD): exact "
                   "cycles are all there is, and they have no callers.");
}

void group_report(struct recording *r, const struct options *o,
                  const struct grouping *by, const char *title,
                  const char *names, FILE *to)
{
    unsigned flavors = 1 << FLAVOR_EXCLUSIVE | 1 << FLAVOR_INCLUSIVE;
    struct view_row *row, total;
    struct group g;

    if (!group_open(&g, r, o, by, flavors))
        return;
    if (!o->csv) {
        report_head(r, title, to);
        selection_say(&g.selection, o, to);
    }
    row = grow_zero(g.tally.rows + 1, sizeof *row);
    for (size_t i = 0; i < g.tally.rows; i++)
        row[i] = group_row(&g, i);
    total = group_total(&g);
    view_print(&g.view, row, g.tally.rows, &total, names, to);
    if (!o->csv)
        group_foot(&g, to);
    free(row);
    group_close(&g);
}

char *group_object(const struct recording *r, uint32_t function)
{
    const char *name = loadmap_object(&r->map, function);
    const char *dot = strrchr(name, '.');

    return grow_bytes(name,
                      dot && dot > name ? (size_t)(dot - name) : strlen(name));
}
