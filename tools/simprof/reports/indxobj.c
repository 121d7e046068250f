/* indxobj.c - the reports `threads`, `cpus`, `samples`, `seconds`, `indxobj`
 * and `memobj`: metrics by something that each record has. They are exclusive
 * only.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/query/filter.h"
#include "lib/base/grow.h"
#include "tools/analysis/profile/indexobj.h"
#include "lib/base/text.h"
#include "tools/analysis/symbols/variables.h"
#include "tools/simprof/report/definitions.h"
#include "tools/simprof/view/group.h"

/* An index: the number of a record, and what a number is called. */
struct index_of {
    const struct options *o;
    struct recording *r;
    struct selection selection;
    struct expr *expr;               /* indxobj and memobj only */
    const struct definition *define; /* memobj only */
    unsigned flavors;                /* besides exclusive: VIEW_... */
    uint64_t step;                   /* seconds and samples only */
    bool (*number)(void *arg, const struct record *record, int64_t *key);
    void (*name)(const struct index_of *x, const struct indexobj_row *row,
                 char out[GROUP_NAME]);
};

/* Do rows stand in the order of their numbers? Time does; of others, where a
 * limit leaves some out, the largest are more to the point. */
static bool stands(const struct index_of *x, size_t rows)
{
    return !x->o->text[OPTION_BIT_SORT] && !x->define &&
           (x->step || !x->o->limit || rows <= x->o->limit);
}

static void print_rows(const struct index_of *x, struct indexobj *i,
                       const char *names, FILE *to)
{
    struct view_row *row = grow_zero(i->rows + 1, sizeof *row);
    struct view_row total = {.name = "<Total>", .value = {i->total}};
    char **name = grow_zero(i->rows + 1, sizeof *name);
    struct view v;

    for (size_t n = 0; n < i->rows; n++) {
        char text[GROUP_NAME] = "<Unknown>";

        if (i->row[n].key != INDEXOBJ_UNKNOWN)
            x->name(x, &i->row[n], text);
        text_printable(text);
        name[n] = grow_text(text);
        row[n] = (struct view_row){.name = name[n],
                                   .value = {i->row[n].value},
                                   .parked = i->row[n].parked / 12};
        total.parked += row[n].parked;
    }
    if (view_open(&v, x->r, x->o, &i->metric,
                  1 << FLAVOR_EXCLUSIVE | x->flavors)) {
        v.wrap = x->define != NULL;
        v.as_is |= stands(x, i->rows);
        if (!x->o->csv) {
            char title[GROUP_NAME];

            snprintf(title, sizeof title, "exclusive metrics by %s", names);
            report_head(x->r, title, to);
            selection_say(&x->selection, x->o, to);
        }
        view_print(&v, row, i->rows, &total, names, to);
    }
    for (size_t n = 0; n < i->rows; n++)
        free(name[n]);
    free(name);
    free(row);
}

static void print(struct index_of *x, const char *names, FILE *to)
{
    struct indexobj_choice choice = {
        .number = x->number, .number_arg = x, .step = x->step};
    struct indexobj i;
    bool good;

    choice.waits = view_waits(x->r, x->o, &good);
    if (!good || !selection_open(&x->selection, x->r, x->o))
        return;
    choice.arg = &x->selection;
    choice.wants = x->selection.all ? NULL : selection_wants;
    indexobj_read(&i, x->r, &choice);
    print_rows(x, &i, names, to);
    indexobj_free(&i);
    selection_close(&x->selection);
}

/* ---- threads ------------------------------------------------------------- */

/* What no thread does: they have rows of their own. */
enum { NAPPING = INDEXOBJ_UNKNOWN - 1, PARKED = INDEXOBJ_UNKNOWN - 2 };

static bool thread_number(void *arg, const struct record *record, int64_t *key)
{
    const struct index_of *x = arg;

    if (samples_naps(x->r, record))
        *key = NAPPING;
    else if (record->kind == REC_ORACLE &&
             x->r->reason_is[record_get_oracle_reason(record)] == REASON_OFF)
        *key = PARKED;
    else
        *key = record->thread;
    return true;
}

static void thread_name(const struct index_of *x,
                        const struct indexobj_row *row, char out[GROUP_NAME])
{
    const struct thread *t =
        row->key < 0
            ? NULL
            : threads_find(&x->r->threads, (uint32_t)row->key, row->cycle);

    if (row->key == NAPPING || row->key == PARKED)
        snprintf(out, GROUP_NAME, "%s",
                 samples_name(x->r, row->key == NAPPING ? EXACT_CYCLES_NAPPING
                                                        : EXACT_CYCLES_PARKED));
    else if (t)
        snprintf(out, GROUP_NAME, "%.512s (thread %" PRId64 ")", t->name,
                 row->key);
    else if (row->key)
        snprintf(out, GROUP_NAME, "thread %" PRId64, row->key);
    else
        snprintf(out, GROUP_NAME, "<no thread>");
}

void report_threads(struct recording *r, const struct options *o, FILE *to)
{
    struct index_of x = {
        .o = o, .r = r, .number = thread_number, .name = thread_name};

    print(&x, "thread", to);
}

/* ---- CPUs ---------------------------------------------------------------- */

static bool cpu_number(void *arg, const struct record *record, int64_t *key)
{
    (void)arg;
    *key = record->cpu;
    return true;
}

static void cpu_name(const struct index_of *x, const struct indexobj_row *row,
                     char out[GROUP_NAME])
{
    (void)x;
    snprintf(out, GROUP_NAME, "CPU %" PRId64, row->key);
}

void report_cpus(struct recording *r, const struct options *o, FILE *to)
{
    struct index_of x = {
        .o = o, .r = r, .number = cpu_number, .name = cpu_name};

    print(&x, "CPU", to);
}

/* ---- seconds ------------------------------------------------------------- */

/* A sample is of its cycle, an interval of the oracle of its last one. */
static bool step_number(void *arg, const struct record *record, int64_t *key)
{
    const struct index_of *x = arg;
    bool oracle = record->kind == REC_ORACLE && record->cycle;

    *key = (int64_t)((record->cycle - oracle) / x->step);
    return true;
}

static void step_name(const struct index_of *x, const struct indexobj_row *row,
                      char out[GROUP_NAME])
{
    uint64_t from = (uint64_t)row->key * x->step;
    char cycle[TEXT_NUMBER], time[TEXT_NUMBER];

    text_time(time, from, x->r->clock_hz);
    if (x->o->csv)
        snprintf(out, GROUP_NAME, "%" PRIu64, from);
    else if (!from)
        snprintf(out, GROUP_NAME, "from the start (cycle 0)");
    else
        snprintf(out, GROUP_NAME, "from %s (cycle %s)",
                 time[0] ? time : "there", text_count(cycle, from));
}

/* A second of the clock; of a run that is shorter than ten of them 1, 2 or 5
 * times a power of ten cycles, such that there are ten rows or some more. */
static uint64_t usual_step(const struct recording *r)
{
    static const unsigned times[] = {5, 2, 1};
    uint64_t second = r->clock_hz ? r->clock_hz : 1000000, step = second;

    for (; step >= 10 && r->end / 10 < second; step /= 10)
        for (unsigned i = 0; i < 3; i++)
            if (step / 10 * times[i] <= r->end / 10)
                return step / 10 * times[i];
    return step ? step : 1;
}

void report_seconds(struct recording *r, const struct options *o, FILE *to)
{
    struct index_of x = {
        .o = o, .r = r, .number = step_number, .name = step_name};
    char interval[TEXT_NUMBER];

    if (!option_cycles(r, o, OPTION_BIT_STEP, usual_step(r), &x.step))
        return;
    if (!x.step) {
        report_refuse(o, "--step=0: a length of time cannot be 0");
        return;
    }
    print(&x, o->csv ? "from_cycle" : "time", to);
    if (o->csv || o->refusal->text[0])
        return;
    if (!r->interval)
        report_say(o, to,
                   "\nExact cycles are kept in intervals; each stands where "
                   "it ends.");
    else if (x.step % r->interval)
        report_say(o, to,
                   "\nExact cycles are kept in intervals of %s cycles; "
                   "here " SELECT_SHARE ".",
                   text_count(interval, r->interval));
}

/* ---- samples: the account's intervals, one by one ------------------------ */

static bool sample_number(void *arg, const struct record *record, int64_t *key)
{
    bool known = step_number(arg, record, key);

    ++*key; /* the first is 1 */
    return known;
}

static void sample_name(const struct index_of *x,
                        const struct indexobj_row *row, char out[GROUP_NAME])
{
    uint64_t from = (uint64_t)(row->key - 1) * x->step;
    char cycle[TEXT_NUMBER];

    if (x->o->csv)
        snprintf(out, GROUP_NAME, "%" PRId64, row->key);
    else
        snprintf(out, GROUP_NAME, "sample %" PRId64 ", from cycle %s", row->key,
                 text_count(cycle, from));
}

void report_samples(struct recording *r, const struct options *o, FILE *to)
{
    struct index_of x = {.o = o,
                         .r = r,
                         .number = sample_number,
                         .name = sample_name,
                         .step = r->interval};

    if (r->interval)
        print(&x, "sample", to);
    else
        report_refuse(o, "samples: the log names no interval of the account "
                         "(knob account_us); run simrun again, or use seconds");
}

/* ---- what an expression says --------------------------------------------- */

static bool expr_number(void *arg, const struct record *record, int64_t *key)
{
    const struct index_of *x = arg;
    struct filter_about about = {x->r, &x->selection.metrics, record};

    return expr_value(x->expr, &about, key);
}

static void number_name(const struct index_of *x,
                        const struct indexobj_row *row, char out[GROUP_NAME])
{
    (void)x;
    snprintf(out, GROUP_NAME, "%" PRId64 " (0x%" PRIx64 ")", row->key,
             (uint64_t)row->key);
}

/* The rows of an expression, called `names`. */
static void print_expr(struct index_of *x, const char *text, const char *names,
                       FILE *to)
{
    struct samples_metrics metrics;
    char why[FILTER_WHY];

    samples_metrics_open(&metrics, x->r);
    x->expr = filter_open(text, x->r, &metrics, why, sizeof why);
    samples_metrics_free(&metrics);
    if (x->expr)
        print(x, names, to);
    else
        report_refuse(x->o, "--index: %s", why);
    expr_free(x->expr);
}

/* The definition that an option names, of the session's or the machine's.
 * NULL: there is none, which is said. own: the caller frees. */
static const struct definition *find_define(struct recording *r,
                                            const struct options *o,
                                            bool memory,
                                            struct definitions *own)
{
    const char *name = o->text[OPTION_BIT_NAME];
    const struct definitions *all = o->defined ? o->defined : own;
    const struct definition *found;
    char list[512] = "";

    if (!o->defined)
        definitions_machine(own, r);
    found = definitions_find(all, name, memory);
    for (size_t i = 0; i < all->count && strlen(list) < 400; i++)
        if (all->list[i].memory == memory)
            sprintf(list + strlen(list), "%s%.60s", list[0] ? ", " : "",
                    all->list[i].name);
    if (!found && memory)
        report_refuse(o, "%s: no such memory object; there are %s", name, list);
    else if (!found)
        report_refuse(o,
                      "%s: no such index object; there are threads, cpus, "
                      "samples, seconds%s%s",
                      name, list[0] ? ", " : "", list);
    return found;
}

/* Index objects that are reports themselves. */
static bool predefined(struct recording *r, const struct options *o, FILE *to)
{
    const char *name = o->text[OPTION_BIT_NAME];

    if (!strcmp(name, "threads"))
        report_threads(r, o, to);
    else if (!strcmp(name, "cpus"))
        report_cpus(r, o, to);
    else if (!strcmp(name, "samples"))
        report_samples(r, o, to);
    else if (!strcmp(name, "seconds"))
        report_seconds(r, o, to);
    else
        return false;
    return true;
}

void report_indxobj(struct recording *r, const struct options *o, FILE *to)
{
    const char *text = o->text[OPTION_BIT_INDEX];
    const char *name = o->text[OPTION_BIT_NAME];
    struct index_of x = {
        .o = o, .r = r, .number = expr_number, .name = number_name};
    struct definitions own = {0};
    const struct definition *d;

    if (!text && !name) {
        report_refuse(o, "indxobj: by what? --index=EXPR or a NAME says");
    } else if (text) {
        print_expr(&x, text, text, to);
    } else if (!predefined(r, o, to)) {
        d = find_define(r, o, false, &own);
        if (d)
            print_expr(&x, d->text, d->name, to);
    }
    definitions_free(&own);
}

/* ---- memory -------------------------------------------------------------- */

enum { NO_VARIABLE = INDEXOBJ_UNKNOWN - 1 };

/* Only a sample of an access has an address. */
static bool memory_number(void *arg, const struct record *record, int64_t *key)
{
    const struct index_of *x = arg;
    const struct variable_spot *at;

    if (record->kind != REC_PROFILE || !record_has_profile_physical(record) ||
        !expr_number(arg, record, key))
        return false;
    if (x->define->shape != DEFINITION_VARIABLE &&
        x->define->shape != DEFINITION_MEMBER)
        return true;
    at = variables_at(recording_variables(x->r), (uint32_t)*key, record->cycle);
    *key = !at                                       ? NO_VARIABLE
           : x->define->shape == DEFINITION_VARIABLE ? (int64_t)at->start
                                                     : (int64_t)at->from;
    return true;
}

/* "  CPUs 0 2": who was met there. */
static void put_cpus(const struct indexobj_row *row, char *out, size_t size)
{
    bool several = row->cpus & (row->cpus - 1);
    size_t used = (size_t)snprintf(out, size, "  CPU%s", several ? "s" : "");

    for (unsigned cpu = 0; cpu < 64 && used < size; cpu++)
        if (row->cpus >> cpu & 1)
            used += (size_t)snprintf(out + used, size - used, " %u", cpu);
}

#define VARIABLES 4 /* names of a row, at most */

/* Of two names "threads[12].wait" and "threads[13].pid" "[13].pid", of
 * "stats.hits" and "stats.misses" "misses": where the second one departs. */
static const char *departure(const char *first, const char *second)
{
    size_t i = 0;

    while (first[i] && first[i] == second[i])
        i++;
    while (i && !strchr(".[", second[i - 1]))
        i--;
    return second + i - (i && second[i - 1] == '[');
}

/* The last place from `from` to `end` that is not between members. */
static const struct variable_spot *last_member(const struct index_of *x,
                                               uint32_t from, uint32_t end,
                                               uint64_t cycle)
{
    struct variables *all = recording_variables(x->r);
    const struct variable_spot *at = variables_at(all, end, cycle);

    return at && strstr(at->member, "<padding>") && at->from > from
               ? variables_at(all, (uint32_t)at->from - 1, cycle)
               : at;
}

/* "stats.hits..misses": what of a variable lies in the bytes of a row, as far
 * as is known; "journal+0x40" where members are not. */
static void put_variable(const struct index_of *x,
                         const struct indexobj_row *row,
                         const struct variable *v, uint32_t moved, char *out,
                         size_t size)
{
    uint32_t from = (uint32_t)row->key, start = (uint32_t)v->start + moved;
    uint32_t end = from + x->define->size - 1;
    const struct variable_spot *at;
    char first[VARIABLE_TEXT];
    bool several;

    from = start < from ? from : start;
    at = variables_at(recording_variables(x->r), from, row->cycle);
    snprintf(first, sizeof first, "%s", at ? at->member : v->name);
    snprintf(out, size, "%.100s", first);
    if (end - start >= v->size)
        end = start + (uint32_t)v->size - 1;
    several = at && at->to <= end;
    at = several ? last_member(x, from, end, row->cycle) : NULL;
    if (at && strcmp(first, at->member) && strlen(out) < size)
        snprintf(out + strlen(out), size - strlen(out), "..%.60s",
                 departure(first, at->member));
}

/* "  journal+0x40, started": what the program has there. */
static void put_variables(const struct index_of *x,
                          const struct indexobj_row *row, char *out,
                          size_t size)
{
    uint32_t moved;
    const struct variable *v;
    size_t count, used = 0;

    v = loadmap_variables(&x->r->map, (uint32_t)row->key, x->define->size,
                          row->cycle, &moved, &count);
    for (size_t i = 0; v && i < count && i < VARIABLES && used < size; i++) {
        used += (size_t)snprintf(out + used, size - used, i ? ", " : "  ");
        if (used < size)
            put_variable(x, row, &v[i], moved, out + used, size - used);
        used += strlen(out + used);
    }
    if (v && count > VARIABLES && used < size)
        snprintf(out + used, size - used, " and %zu more", count - VARIABLES);
}

/* "stats.misses": a variable, or what is inside it. */
static void put_member(const struct index_of *x, const struct indexobj_row *row,
                       char *out, size_t size)
{
    const struct variable_spot *at =
        row->key < 0 ? NULL
                     : variables_at(recording_variables(x->r),
                                    (uint32_t)row->key, row->cycle);

    snprintf(out, size, "%s",
             !at                                       ? "<no variable>"
             : x->define->shape == DEFINITION_VARIABLE ? at->variable
                                                       : at->member);
}

static void memory_name(const struct index_of *x,
                        const struct indexobj_row *row, char out[GROUP_NAME])
{
    uint64_t n = (uint64_t)row->key;
    size_t used;

    switch (x->define->shape) {
    case DEFINITION_ADDRESS:
    case DEFINITION_PHYSICAL:
        used = (size_t)snprintf(out, GROUP_NAME, "0x%08" PRIx64, n);
        break;
    case DEFINITION_VARIABLE:
    case DEFINITION_MEMBER:
        put_member(x, row, out, GROUP_NAME);
        used = strlen(out);
        break;
    case DEFINITION_SET:
        used = (size_t)snprintf(out, GROUP_NAME, "set %" PRIu64, n);
        break;
    default:
        used = (size_t)snprintf(out, GROUP_NAME, "0x%" PRIx64 " (%" PRId64 ")",
                                n, row->key);
        break;
    }
    put_cpus(row, out + used, GROUP_NAME - used);
    used = strlen(out);
    if (x->define->shape == DEFINITION_ADDRESS)
        put_variables(x, row, out + used, GROUP_NAME - used);
}

void report_memobj(struct recording *r, const struct options *o, FILE *to)
{
    struct index_of x = {.o = o,
                         .r = r,
                         .number = memory_number,
                         .name = memory_name,
                         .flavors = VIEW_STACKS};
    struct definitions own = {0};
    char title[80];

    if (!o->text[OPTION_BIT_NAME]) {
        report_refuse(o,
                      "memobj: by what? line, page, set, variable, member, or "
                      "a name that mobj_define made");
        return;
    }
    x.define = find_define(r, o, true, &own);
    if (x.define) {
        snprintf(title, sizeof title, "%.60s", x.define->name);
        print_expr(&x, x.define->text, title, to);
    }
    definitions_free(&own);
}
