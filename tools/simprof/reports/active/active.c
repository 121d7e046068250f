/* active.c - the report `active`: what a function, or a section of code that
 * the program marks, really cost: elapsed less swapped out less the probes'
 * own overhead; each with its list, by call and in all, beside the oracle.
 */
#define _GNU_SOURCE
#include "tools/simprof/reports/active/active.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "tools/simprof/reports/active/active_view.h"
#include "tools/simprof/report/function_hint.h"

/* ---- adding up ----------------------------------------------------------- */

bool active_wanted(const struct active_view *v, const struct active_call *c)
{
    return !c->left_out && (!v->chosen || c->portion == v->portion);
}

static void add_call(struct active_row *row, const struct active_call *c)
{
    row->exclusive += c->exclusive;
    row->own += c->own;
    if (c->within) {
        row->inner++;
        return;
    }
    if (!row->calls || c->sums.active < row->least)
        row->least = c->sums.active;
    if (c->sums.active > row->most)
        row->most = c->sums.active;
    if (!row->calls)
        row->from = c->from;
    row->to = c->to;
    row->calls++;
    row->sums.elapsed += c->sums.elapsed;
    row->sums.out += c->sums.out;
    row->sums.overhead += c->sums.overhead;
    row->sums.active += c->sums.active;
}

static void add_row(struct active_row *total, const struct active_row *row)
{
    if (!total->calls || row->least < total->least)
        total->least = row->least;
    if (row->most > total->most)
        total->most = row->most;
    total->calls += row->calls;
    total->inner += row->inner;
    total->exclusive += row->exclusive;
    total->own += row->own;
    total->sums.elapsed += row->sums.elapsed;
    total->sums.out += row->sums.out;
    total->sums.overhead += row->sums.overhead;
    total->sums.active += row->sums.active;
}

struct active_row *active_rows(const struct active_view *v,
                               const struct active_thread *a)
{
    struct active_row *row = grow_zero(v->in->portions + 1, sizeof *row);

    for (size_t i = 0; i < a->calls; i++)
        if (!a->call[i].left_out)
            add_call(&row[a->call[i].portion], &a->call[i]);
    return row;
}

static void put_row(struct table *t, const struct active_view *v,
                    const struct active_row *row, const char *thread,
                    uint32_t portion)
{
    const char *name = active_name(v, portion);
    bool section = v->in->portion[portion].section;
    char *text = NULL;

    table_count(t, row->calls);
    active_put_sums(t, v, &row->sums);
    active_put_time(t, v, row->exclusive);
    active_put_time(t, v, row->least);
    active_put_time(t, v, row->most);
    table_text(t, thread);
    if (asprintf(&text, "%s%s", section ? "section " : "", name) < 0)
        text = NULL;
    table_both(t, text ? text : name, name);
    table_text(t, section ? "section" : "function");
    free(text);
}

/* Every portion in every thread, and all threads if it is one portion. */
static struct active_row summary(const struct active_view *v)
{
    struct table t = {0};
    struct active_row total = {0};
    size_t shown = 0;

    table_column(&t, "calls", "calls", TABLE_NUMBER);
    active_sum_columns(&t);
    table_column(&t, "exclusive", "exclusive", TABLE_NUMBER);
    table_column(&t, "least\na call", "least", TABLE_NUMBER);
    table_column(&t, "most\na call", "most", TABLE_NUMBER);
    table_column(&t, "thread", "thread", TABLE_NUMBER);
    table_column(&t, "function", "function", 0);
    table_column(&t, "", "kind", TABLE_CSV);
    for (size_t i = 0; i < v->threads; i++) {
        struct active_row *row = active_rows(v, &v->thread[i]);
        char thread[16];

        snprintf(thread, sizeof thread, "%" PRIu32, v->thread[i].thread);
        for (uint32_t p = 0; p < v->in->portions; p++) {
            if (!row[p].calls || (v->chosen && p != v->portion))
                continue;
            put_row(&t, v, &row[p], thread, p);
            add_row(&total, &row[p]);
            shown++;
        }
        free(row);
    }
    if (v->chosen && shown > 1)
        put_row(&t, v, &total, "all", v->portion);
    if (shown || v->o->csv)
        report_table(&t, v->o, v->to);
    table_free(&t);
    return total;
}

/* ---- the report ---------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

static bool want_thread(const struct active_view *v, uint32_t id)
{
    const char *text = v->o->text[OPTION_BIT_THREAD];
    uint64_t n;

    return !text || (text_number(text, &n) && n == id);
}

bool active_work_out(struct active_view *v, char *why, size_t size)
{
    struct active_tables *t = &v->in->t;
    uint32_t *id = grow_zero(t->timers + 1, sizeof *id);
    enum active_event missing;
    size_t ids = 0;
    bool good = true;

    for (size_t i = 0; i < t->timers; i++)
        id[ids++] = t->timer[i].thread;
    qsort(id, ids, sizeof *id, by_id);
    for (size_t i = 0; good && i < ids; i++) {
        if ((i && id[i] == id[i - 1]) || !want_thread(v, id[i]))
            continue;
        v->thread =
            grow(v->thread, &v->room, v->threads + 1, sizeof *v->thread);
        good = active_read(&v->thread[v->threads], t, id[i], &missing);
        v->threads++;
    }
    if (!good)
        snprintf(why, size, "the overhead of %s is in no table, add it",
                 active_type(missing));
    free(id);
    return good;
}

void active_view_free(struct active_view *v)
{
    for (size_t i = 0; i < v->threads; i++)
        active_free(&v->thread[i]);
    free(v->thread);
}

/* A function by another of its names, or without the file that tells it apart
 * from others of its name, if of those one alone was probed. */
static bool find_function(struct active_view *v, const char *name)
{
    uint32_t f = v->r ? function_hint(v->r, name) : LOADMAP_UNKNOWN;
    size_t n = strlen(name), found = 0;

    if (f != LOADMAP_UNKNOWN &&
        active_input_find(v->in, loadmap_name(&v->r->map, f), false,
                          &v->portion))
        return true;
    for (uint32_t i = 0; i < v->in->portions; i++) {
        const char *whole = v->in->portion[i].name;

        if (v->in->portion[i].section || strncmp(whole, name, n) ||
            strncmp(whole + n, " (", 2))
            continue;
        found++;
        v->portion = i;
    }
    return found == 1;
}

/* The portion that --function or --section names. */
static bool choose_portion(struct active_view *v)
{
    bool section = v->o->text[OPTION_BIT_SECTION];
    const char *option = section ? "section" : "function";
    const char *name =
        v->o->text[section ? OPTION_BIT_SECTION : OPTION_BIT_FUNCTION];
    uint32_t other;

    v->chosen = name != NULL;
    if (!name || active_input_find(v->in, name, section, &v->portion) ||
        (!section && find_function(v, name)))
        return true;
    if (active_input_find(v->in, name, !section, &other))
        report_refuse(v->o, "\"%s\" is a %s: --%s=%s", name,
                      section ? "function" : "section",
                      section ? "function" : "section", name);
    else
        report_refuse(v->o,
                      "no probe says \"%s\"; without --%s all that were "
                      "probed are shown",
                      name, option);
    return false;
}

static bool choose_thread(const struct active_view *v)
{
    const char *thread = v->o->text[OPTION_BIT_THREAD];
    uint64_t n;

    if (!thread)
        return true;
    if (!text_number(thread, &n)) {
        report_refuse(v->o, "--thread=%s: must be the number of a thread",
                      thread);
        return false;
    }
    for (size_t i = 0; i < v->in->t.timers; i++)
        if (v->in->t.timer[i].thread == n)
            return true;
    report_refuse(v->o,
                  "--thread=%s: passed no probe; without it all that did are "
                  "shown",
                  thread);
    return false;
}

/* What was asked for, worked out. */
static bool open_view(struct active_view *v)
{
    char why[512];

    if (v->o->text[OPTION_BIT_SECTION] && v->o->text[OPTION_BIT_FUNCTION]) {
        report_refuse(v->o, "--function and --section do not go together");
        return false;
    }
    if (!choose_portion(v) || !choose_thread(v))
        return false;
    if (!active_work_out(v, why, sizeof why)) {
        report_fail(v->o, "%s", why);
        return false;
    }
    return true;
}

static void put_chosen(const struct active_view *v)
{
    struct active_row total = summary(v);

    if (!total.calls) {
        report_say(v->o, v->to, "No call of %s was recorded whole.",
                   active_name(v, v->portion));
        return;
    }
    if (v->threads == 1)
        active_put_lists(v, &v->thread[0]);
    fprintf(v->to, "\nEvery call\n");
    active_put_calls(v);
    if (total.calls > 1) {
        fprintf(v->to, "\nActive time a call\n");
        active_put_histogram(v);
    }
    if (v->r)
        active_put_residual(v, &total);
}

static void report(struct active_view *v)
{
    if (v->chosen && v->o->csv)
        active_put_calls(v);
    else if (v->chosen)
        put_chosen(v);
    else
        summary(v);
    if (v->o->csv)
        return;
    if (!v->in->t.timers)
        report_say(v->o, v->to, "No probe was passed.");
    else if (!v->chosen)
        report_say(v->o, v->to,
                   "\n(times in %s; --function=NAME or --section=NAME "
                   "shows calls, lists and a histogram)",
                   v->in->unit);
    active_put_doubts(v);
}

void report_active(struct recording *r, const struct options *o, FILE *to)
{
    struct selection selection;
    struct options others = *o;
    struct active_choice choice = {selection_wants, &selection};
    struct active_input in;
    struct active_view v = {
        .in = &in, .o = o, .r = r, .selection = &selection, .to = to};
    bool good;

    others.text[OPTION_BIT_THREAD] = NULL; /* chosen of what was read */
    if (!selection_open(&selection, r, &others))
        return;
    selection.no_exact = true;
    active_input_records(&in, r, &choice);
    good = open_view(&v);
    if (good && !o->csv) {
        report_head(r, "active time: elapsed, less swapped out, less probes",
                    to);
        if (!selection.all)
            report_say(o, to, "only calls whose beginning is chosen:");
        selection_say(&selection, o, to);
    }
    if (good)
        report(&v);
    active_view_free(&v);
    active_input_free(&in);
    selection_close(&selection);
}

bool active_is_tables(const char *experiment)
{
    struct stat st;

    return stat(experiment, &st) ? strchr(experiment, ',') != NULL
                                 : S_ISREG(st.st_mode);
}

/* --from and --to of tables: whole numbers of their unit. */
static bool choose_rows(struct active_view *v)
{
    const char *from = v->o->text[OPTION_BIT_FROM];
    const char *to = v->o->text[OPTION_BIT_TO];
    uint64_t first = 0, until = UINT64_MAX;

    if ((from && !text_number(from, &first)) ||
        (to && !text_number(to, &until)) || first >= until) {
        report_refuse(v->o, "--from, --to: must be whole numbers, --from the "
                            "smaller one");
        return false;
    }
    for (unsigned i = 0; i < v->in->decimals; i++) {
        first = first > UINT64_MAX / 10 ? UINT64_MAX : first * 10;
        until = until > UINT64_MAX / 10 ? UINT64_MAX : until * 10;
    }
    for (size_t i = 0; i < v->in->t.timers; i++) {
        struct active_timer *timer = &v->in->t.timer[i];

        timer->left_out = timer->time < first || timer->time >= until;
    }
    return true;
}

void active_tables(const struct options *o, FILE *to)
{
    struct active_input in;
    struct active_view v = {.in = &in, .o = o, .to = to};
    char why[1024];

    if (o->text[OPTION_BIT_FILTERS] || o->text[OPTION_BIT_CPU]) {
        report_refuse(o, "--filters and --cpu choose records of an experiment, "
                         "not rows of tables");
        return;
    }
    if (!active_input_csv(&in, o->experiment, why, sizeof why)) {
        report_fail(o, "%s", why);
        return;
    }
    if (choose_rows(&v) && open_view(&v)) {
        if (!o->csv)
            fprintf(to, "%s: active time, in %s\n\n", o->experiment, in.unit);
        report(&v);
    }
    active_view_free(&v);
    active_input_free(&in);
}
