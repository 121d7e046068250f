/* statistics.c - the report `statistics`: how long the run, each process and
 * each thread was in each state, by the system's own account, beside what the
 * processors' account has of it. The states are put together as the profile of
 * a program has them: who runs, waits for a CPU, a lock, a page, anything else.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "tools/analysis/experiment/processes.h"
#include "tools/analysis/profile/samples.h"
#include "tools/analysis/states/frames.h"
#include "tools/analysis/states/micro.h"
#include "tools/analysis/states/spans.h"
#include "tools/analysis/states/words.h"
#include "tools/simprof/report/report.h"
#include "tools/simprof/report/select.h"
#include "tools/simprof/reports/statistics/clock.h"

#define INNERMOST 3 /* functions of a stack that a line shows */

/* A thread's times, a process's, or all. */
struct times {
    uint32_t pid, thread;
    uint64_t cycles[MICRO_STATES];
    uint64_t twelfths; /* of the processors' account */
    struct clock_thread clock;
};

struct statistics {
    struct recording *r;
    const struct options *o;
    struct selection s;
    struct processes processes;
    struct times *list; /* by thread */
    size_t count, room;
    struct hash at;
    struct clock clock;
};

static struct times *times_of(struct statistics *s, uint32_t thread,
                              uint64_t cycle)
{
    bool fresh;
    uint32_t *n = hash_at(&s->at, thread, &fresh);

    if (fresh) {
        *n = (uint32_t)s->count;
        s->list = grow(s->list, &s->room, s->count + 1, sizeof *s->list);
        s->list[s->count++] = (struct times){
            .pid = threads_process(&s->r->threads, thread, cycle, thread),
            .thread = thread};
    }
    return &s->list[*n];
}

/* ---- adding up ----------------------------------------------------------- */

static void read_states(struct statistics *s)
{
    struct spans spans;
    struct spans_event e;
    uint64_t end = s->s.to < s->r->end ? s->s.to : s->r->end;

    spans_open(&spans, s->r);
    while (spans_next(&spans, &e)) {
        uint64_t from = e.from > s->s.from ? e.from : s->s.from;
        uint64_t to = e.to < s->s.to ? e.to : s->s.to;
        struct times *t;

        if (e.is != SPANS_STATE || (s->s.one_thread && e.thread != s->s.thread))
            continue;
        t = times_of(s, e.thread, e.from);
        if (to <= from)
            continue;
        t->cycles[micro_of(e.state, e.vector)] += to - from;
        if (s->clock.interval)
            clock_state(&s->clock, &t->clock, &e, from ? from : 1, to);
    }
    spans_close(&spans);
    for (size_t n = 0; s->clock.interval && n < s->count; n++)
        clock_end(&s->clock, &s->list[n].clock, end);
}

/* What threads with states ran, by the account. */
static void read_account(struct statistics *s)
{
    struct record r;
    struct recfile f;

    if (!recording_records(s->r, REC_ORACLE, &f))
        return;
    while (recfile_next(&f, &r)) {
        const uint32_t *n = hash_find(&s->at, r.thread);
        unsigned is = s->r->reason_is[record_get_oracle_reason(&r)];

        if (n && is != REASON_NAP && is != REASON_OFF)
            s->list[*n].twelfths += record_get_oracle_twelfths(&r);
    }
    recording_done(s->r, &f);
}

static void add(struct times *to, const struct times *t)
{
    for (unsigned k = 0; k < MICRO_STATES; k++) {
        to->cycles[k] += t->cycles[k];
        to->clock.recorded[k] += t->clock.recorded[k];
        to->clock.waiting.count[k] += t->clock.waiting.count[k];
    }
    to->twelfths += t->twelfths;
}

static int by_process(const void *a, const void *b)
{
    const struct times *x = a, *y = b;

    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* ---- printing ------------------------------------------------------------ */

/* The micro-states that become a time, of their cycles or counts. */
static uint64_t time_of(const uint64_t by[MICRO_STATES], enum micro_time is)
{
    uint64_t sum = 0;

    for (unsigned m = 0; m < MICRO_STATES; m++)
        if (micro_time_of(m) == is)
            sum += by[m];
    return sum;
}

static uint64_t work_of(const struct times *t)
{
    return time_of(t->cycles, MICRO_TIME_USER_CPU) +
           time_of(t->cycles, MICRO_TIME_SYSTEM_CPU);
}

static uint64_t sum_of(const uint64_t by[MICRO_STATES])
{
    uint64_t sum = 0;

    for (unsigned m = 0; m < MICRO_STATES; m++)
        sum += by[m];
    return sum;
}

/* The columns of a table: micro-states, or the times that they become. */
static bool of_states(const struct statistics *s)
{
    return s->o->part >= PART_STATES;
}

static unsigned columns_of(const struct statistics *s)
{
    return of_states(s) ? MICRO_STATES : MICRO_TIMES;
}

static uint64_t column_of(const struct statistics *s,
                          const uint64_t by[MICRO_STATES], unsigned k)
{
    return of_states(s) ? by[k] : time_of(by, (enum micro_time)k);
}

/* Half of what the shares of exact and sampled columns differ by, in ten
 * thousandths of the exact time; all of it where nothing was recorded. */
static uint64_t apart(const struct statistics *s, const struct times *t)
{
    uint64_t all = sum_of(t->clock.recorded), total = sum_of(t->cycles);
    double sum = 0;

    if (!all)
        return total ? 10000 : 0;
    for (unsigned k = 0; k < columns_of(s); k++) {
        double is = (double)column_of(s, t->cycles, k) /
                    (double)(total ? total : 1),
               has = (double)column_of(s, t->clock.recorded, k) / (double)all;

        sum += is > has ? is - has : has - is;
    }
    return (uint64_t)(sum * 5000 + 0.5);
}

static void put_clock(struct table *t, const struct statistics *s,
                      const struct times *it)
{
    for (unsigned k = 0; k < columns_of(s); k++)
        table_dotted(t,
                     column_of(s, it->clock.recorded, k) * s->clock.interval);
    table_percent(t, apart(s, it), 10000);
    table_dotted(t, sum_of(it->clock.waiting.count));
}

/* What a table has: the exact times, those of --clock, or one behind the other.
 */
enum what { EXACT, SAMPLED, BOTH };

static void put_exact(struct table *t, const struct statistics *s,
                      const struct times *it)
{
    uint64_t work = work_of(it), total = sum_of(it->cycles);

    for (unsigned k = 0; k < columns_of(s); k++)
        table_dotted(t, column_of(s, it->cycles, k));
    table_count(t, work);
    table_count(t, total - work);
    table_count(t, total);
    table_percent(t, work, total);
    table_count(t, (it->twelfths + 6) / 12);
}

static void put(struct table *t, const struct statistics *s, enum what what,
                const struct times *it, const char *of, const char *text,
                uint32_t number)
{
    char csv[TEXT_NUMBER];

    if (what == SAMPLED)
        put_clock(t, s, it);
    else
        put_exact(t, s, it);
    table_text(t, of);
    snprintf(csv, sizeof csv, "%" PRIu32, number);
    table_number(t, csv, csv);
    table_text(t, text);
    if (what == BOTH)
        put_clock(t, s, it);
}

/* No thread has any of that: text leaves the column out. */
static bool is_empty(const struct statistics *s, unsigned k, bool sampled)
{
    for (size_t n = 0; n < s->count; n++)
        if (column_of(
                s, sampled ? s->list[n].clock.recorded : s->list[n].cycles, k))
            return false;
    return true;
}

static void state_columns(const struct statistics *s, struct table *t,
                          const char *before, bool sampled)
{
    char key[32];

    for (unsigned k = 0; k < columns_of(s); k++) {
        snprintf(key, sizeof key, "%s%s", before,
                 of_states(s) ? micro_key((enum micro)k)
                              : micro_time_key((enum micro_time)k));
        table_column(t,
                     of_states(s) ? micro_heading((enum micro)k)
                                  : micro_time_heading((enum micro_time)k),
                     key,
                     TABLE_NUMBER | (is_empty(s, k, sampled) ? TABLE_CSV : 0));
    }
}

static void clock_columns(const struct statistics *s, struct table *t)
{
    state_columns(s, t, "clock_", true);
    table_column(t, "apart", "apart_percent", TABLE_NUMBER);
    table_column(t, "lost", "lost", TABLE_NUMBER);
}

static void columns(const struct statistics *s, struct table *t, enum what what)
{
    if (what == SAMPLED) {
        clock_columns(s, t);
    } else {
        state_columns(s, t, "", false);
        table_column(t, "", "work", TABLE_NUMBER | TABLE_CSV);
        table_column(t, "", "wait", TABLE_NUMBER | TABLE_CSV);
        table_column(t, "", "total", TABLE_NUMBER | TABLE_CSV);
        table_column(t, "work", "work_percent", TABLE_NUMBER);
        table_column(t, "exact", "exact", TABLE_NUMBER);
    }
    table_column(t, "", "of", TABLE_CSV);
    table_column(t, "", "number", TABLE_NUMBER | TABLE_CSV);
    table_column(t, "process, thread", "name", 0);
    if (what == BOTH)
        clock_columns(s, t);
}

/* "kernel"; "mine 1000", in CSV without the number; "process 1" where no
 * program is known. */
static void name_process(const struct statistics *s, uint32_t pid,
                         char text[WORDS_TEXT])
{
    const char *name = processes_name(&s->processes, pid);

    if (!pid)
        snprintf(text, WORDS_TEXT, "kernel");
    else if (!name)
        snprintf(text, WORDS_TEXT, "process %" PRIu32, pid);
    else if (s->o->csv)
        snprintf(text, WORDS_TEXT, "%.100s", name);
    else
        snprintf(text, WORDS_TEXT, "%.100s %" PRIu32, name, pid);
}

/* A process and, indented, its threads from `first` on; returns the next one.
 */
static size_t put_process(struct statistics *s, struct table *t, enum what what,
                          size_t first)
{
    struct times all = {.pid = s->list[first].pid};
    char number[WORDS_NUMBER], text[WORDS_TEXT];
    size_t n = first;

    for (; n < s->count && s->list[n].pid == all.pid; n++)
        add(&all, &s->list[n]);
    name_process(s, all.pid, text);
    put(t, s, what, &all, "process", text, all.pid);
    for (size_t k = first; k < n; k++) {
        const char *name =
            words_thread(s->r, s->list[k].thread, s->r->end, number);

        if (s->o->csv)
            snprintf(text, sizeof text, "%.100s", name);
        else
            snprintf(text, sizeof text, "  %.100s %" PRIu32, name,
                     s->list[k].thread);
        put(t, s, what, &s->list[k], "thread", text, s->list[k].thread);
    }
    return n;
}

static void print_table(struct statistics *s, enum what what, FILE *to)
{
    struct times all = {.pid = 0};
    struct table t = {0};

    columns(s, &t, what);
    for (size_t n = 0; n < s->count; n++)
        add(&all, &s->list[n]);
    put(&t, s, what, &all, "total", "<Total>", 0);
    for (size_t n = 0; n < s->count;)
        n = put_process(s, &t, what, n);
    report_table(&t, s->o, to);
}

static void print_clock(struct statistics *s, FILE *to)
{
    char clock[TEXT_NUMBER];

    report_say(s->o, to,
               "\nBy a clock: at the end of each %s cycles the state that a "
               "thread is in then counts for all of them, and is recorded when "
               "the thread runs its program again.",
               text_count(clock, s->clock.interval));
    print_table(s, SAMPLED, to);
    report_say(
        s->o, to,
        "\napart: half of what the shares of these states and the exact "
        "ones differ by. lost: intervals that ended since the thread ran "
        "its program last.");
}

/* What the clock recorded, one by one. */
static void print_records(struct statistics *s, FILE *to)
{
    char number[WORDS_NUMBER], text[WORDS_TEXT], *inner, *all;
    size_t shown = s->clock.count;
    struct table t = {0};
    struct frames f;

    if (s->o->limit && s->o->limit < shown)
        shown = s->o->limit;
    frames_read(&f, s->r);
    table_column(&t, "cycle", "cycle", TABLE_NUMBER);
    table_column(&t, "thread", "name", 0);
    table_column(&t, "", "thread", TABLE_CSV);
    state_columns(s, &t, "", false);
    table_column(&t, "where it waited", "functions", 0);
    clock_sort(&s->clock);
    for (size_t n = 0; n < shown; n++) {
        const struct clock_record *k = &s->clock.list[n];

        table_count(&t, k->cycle);
        snprintf(text, sizeof text, "%.200s %" PRIu32,
                 words_thread(s->r, k->thread, k->cycle, number), k->thread);
        table_both(&t, text, words_thread(s->r, k->thread, k->cycle, number));
        table_number(&t, number, number);
        for (unsigned c = 0; c < columns_of(s); c++)
            table_dotted(&t, column_of(s, k->count, c));
        inner = frames_text(&f, s->r, k->stack, k->cycle, INNERMOST);
        all = frames_text(&f, s->r, k->stack, k->cycle, 0);
        table_both(&t, inner, all);
        free(inner);
        free(all);
    }
    report_table(&t, s->o, to);
    if (shown < s->clock.count)
        report_say(s->o, to, "%zu more; --limit=0 shows all",
                   s->clock.count - shown);
    table_free(&t);
    frames_free(&f);
}

static void print(struct statistics *s, FILE *to)
{
    bool records = s->o->part == PART_RECORDS;

    if (s->o->csv && records) {
        print_records(s, to);
        return;
    }
    if (s->o->csv) {
        print_table(s, s->clock.interval ? BOTH : EXACT, to);
        return;
    }
    report_head(s->r,
                records ? "what a clock recorded of threads' states, in "
                          "intervals"
                        : "how long threads were in which state",
                to);
    selection_say(&s->s, s->o, to);
    if (records) {
        print_records(s, to);
        return;
    }
    print_table(s, EXACT, to);
    report_say(s->o, to,
               "\nwork: the share of user and system CPU. exact: what the "
               "processors' account has of these threads, spinning included; "
               "what lies between is a switch's own cycles, from one record to "
               "the next.");
    if (s->clock.interval)
        print_clock(s, to);
}

/* False: the options make no sense, which is said. */
static bool options_make_sense(struct statistics *s)
{
    const struct options *o = s->o;

    if (!report_part(o, PART_STATES, PART_RECORDS))
        return false;
    if (o->part == PART_RECORDS && !o->text[OPTION_BIT_CLOCK]) {
        report_refuse(o, "--table=records: add --clock=TIME, whose records "
                         "they are");
        return false;
    }
    return option_cycles(s->r, o, OPTION_BIT_CLOCK, 0, &s->clock.interval);
}

void report_statistics(struct recording *r, const struct options *o, FILE *to)
{
    struct statistics s = {.r = r, .o = o};

    if (!options_make_sense(&s) || !selection_open(&s.s, r, o))
        return;
    if (o->text[OPTION_BIT_CLOCK] && !s.clock.interval) {
        report_refuse(o, "--clock: give more than 0");
        selection_close(&s.s);
        return;
    }
    s.clock.keep = o->part == PART_RECORDS;
    read_states(&s);
    read_account(&s);
    if (s.count)
        qsort(s.list, s.count, sizeof *s.list, by_process);
    processes_read(&s.processes, r);
    if (s.count)
        print(&s, to);
    else
        report_no_states(r, o);
    processes_free(&s.processes);
    clock_free(&s.clock);
    free(s.list);
    hash_free(&s.at);
    selection_close(&s.s);
}
