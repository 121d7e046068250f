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
#include "tools/analysis/states/spans.h"
#include "tools/analysis/states/words.h"
#include "tools/simprof/report/report.h"
#include "tools/simprof/report/select.h"
#include "tools/simprof/reports/statistics.h"

enum group {
    USER_CPU,
    SYSTEM_CPU,
    WAIT_CPU,
    USER_LOCK,
    PAGE_FAULT,
    OTHER_WAIT,
    GROUPS = STATISTICS_GROUPS
};

static const struct {
    const char *key, *text;
} groups[GROUPS] = {
    [USER_CPU] = {"user_cpu", "user\nCPU"},
    [SYSTEM_CPU] = {"system_cpu", "system\nCPU"},
    [WAIT_CPU] = {"wait_cpu", "wait\nCPU"},
    [USER_LOCK] = {"user_lock", "lock"},
    [PAGE_FAULT] = {"page_fault", "page\nfault"},
    [OTHER_WAIT] = {"other_wait", "other\nwait"},
};

/* Who spins works for nobody: it waits for the lock. */
unsigned statistics_group(uint32_t state)
{
    switch (state) {
    case STATE_USER:
        return USER_CPU;
    case STATE_SYSTEM:
        return SYSTEM_CPU;
    case STATE_RUNNABLE:
        return WAIT_CPU;
    case STATE_SPINNING:
    case STATE_LOCK:
        return USER_LOCK;
    case STATE_PAGE:
        return PAGE_FAULT;
    default:
        return OTHER_WAIT;
    }
}

/* A thread's times, a process's, or all. */
struct times {
    uint32_t pid, thread;
    uint64_t cycles[GROUPS];
    uint64_t twelfths; /* of the processors' account */
    /* With --clock, intervals that ended in each group: recorded, and since the
     * thread ran its program last. */
    uint64_t recorded[GROUPS], waiting[GROUPS];
    bool in_user; /* it has run a program */
};

struct statistics {
    struct recording *r;
    const struct options *o;
    struct selection s;
    struct processes processes;
    struct times *list; /* by thread */
    size_t count, room;
    struct hash at;
    uint64_t clock; /* cycles of an interval; 0: none */
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

static void record_clock(struct times *t)
{
    for (unsigned k = 0; k < GROUPS; k++) {
        t->recorded[k] += t->waiting[k];
        t->waiting[k] = 0;
    }
}

/* ANA-20, ANA-21: at the end of each interval the counter of the state that a
 * thread is in then goes up, and what was counted is recorded when the thread
 * runs its program again. */
static void clock_state(const struct statistics *s, struct times *t,
                        uint32_t state, uint64_t from, uint64_t to)
{
    unsigned group = statistics_group(state);

    if (state == STATE_USER || state == STATE_SPINNING) {
        t->in_user = true;
        record_clock(t);
    }
    t->waiting[group] += (to - 1) / s->clock - (from - 1) / s->clock;
}

static void read_states(struct statistics *s)
{
    struct spans spans;
    struct spans_event e;

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
        t->cycles[statistics_group(e.state)] += to - from;
        if (s->clock)
            clock_state(s, t, e.state, from ? from : 1, to);
    }
    spans_close(&spans);
    /* A thread of the kernel's never comes to a program: all of it counts. Of
     * one that runs its program at the end that which it runs does. */
    for (size_t n = 0; s->clock && n < s->count; n++) {
        struct times *t = &s->list[n];

        t->recorded[USER_CPU] += t->waiting[USER_CPU];
        t->waiting[USER_CPU] = 0;
        if (!t->in_user)
            record_clock(t);
    }
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
    for (unsigned k = 0; k < GROUPS; k++)
        to->cycles[k] += t->cycles[k];
    to->twelfths += t->twelfths;
    for (unsigned k = 0; k < GROUPS; k++) {
        to->recorded[k] += t->recorded[k];
        to->waiting[k] += t->waiting[k];
    }
}

static int by_process(const void *a, const void *b)
{
    const struct times *x = a, *y = b;

    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* ---- printing ------------------------------------------------------------ */

static uint64_t work_of(const struct times *t)
{
    return t->cycles[USER_CPU] + t->cycles[SYSTEM_CPU];
}

static uint64_t total_of(const struct times *t)
{
    uint64_t sum = 0;

    for (unsigned k = 0; k < GROUPS; k++)
        sum += t->cycles[k];
    return sum;
}

/* Half of what the shares of exact and sampled states differ by, in ten
 * thousandths of the exact time; all of it where nothing was recorded. */
static uint64_t apart(const struct times *t)
{
    uint64_t all = 0, total = total_of(t);
    double sum = 0;

    for (unsigned k = 0; k < GROUPS; k++)
        all += t->recorded[k];
    if (!all)
        return total ? 10000 : 0;
    for (unsigned k = 0; k < GROUPS; k++) {
        double is = (double)t->cycles[k] / (double)(total ? total : 1),
               has = (double)t->recorded[k] / (double)all;

        sum += is > has ? is - has : has - is;
    }
    return (uint64_t)(sum * 5000 + 0.5);
}

static void put_clock(struct table *t, const struct statistics *s,
                      const struct times *it)
{
    uint64_t lost = 0;

    for (unsigned k = 0; k < GROUPS; k++) {
        table_dotted(t, it->recorded[k] * s->clock);
        lost += it->waiting[k];
    }
    table_percent(t, apart(it), 10000);
    table_dotted(t, lost);
}

/* What a table has: the exact times, those of --clock, or one behind the other.
 */
enum what { EXACT, SAMPLED, BOTH };

static void put_exact(struct table *t, const struct times *it)
{
    for (unsigned k = 0; k < GROUPS; k++)
        table_dotted(t, it->cycles[k]);
    table_count(t, work_of(it));
    table_count(t, total_of(it) - work_of(it));
    table_count(t, total_of(it));
    table_percent(t, work_of(it), total_of(it));
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
        put_exact(t, it);
    table_text(t, of);
    snprintf(csv, sizeof csv, "%" PRIu32, number);
    table_number(t, csv, csv);
    table_text(t, text);
    if (what == BOTH)
        put_clock(t, s, it);
}

static void clock_columns(struct table *t)
{
    static const char *const key[GROUPS] = {
        "clock_user_cpu",  "clock_system_cpu", "clock_wait_cpu",
        "clock_user_lock", "clock_page_fault", "clock_other_wait"};

    for (unsigned k = 0; k < GROUPS; k++)
        table_column(t, groups[k].text, key[k], TABLE_NUMBER);
    table_column(t, "apart", "apart_percent", TABLE_NUMBER);
    table_column(t, "lost", "lost", TABLE_NUMBER);
}

static void columns(struct table *t, enum what what)
{
    for (unsigned k = 0; k < GROUPS && what != SAMPLED; k++)
        table_column(t, groups[k].text, groups[k].key, TABLE_NUMBER);
    if (what == SAMPLED) {
        clock_columns(t);
    } else {
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
        clock_columns(t);
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

    columns(&t, what);
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
               text_count(clock, s->clock));
    print_table(s, SAMPLED, to);
    report_say(
        s->o, to,
        "\napart: half of what the shares of these states and the exact "
        "ones differ by. lost: intervals that ended since the thread ran "
        "its program last.");
}

static void print(struct statistics *s, FILE *to)
{
    if (s->o->csv) {
        print_table(s, s->clock ? BOTH : EXACT, to);
        return;
    }
    report_head(s->r, "how long threads were in which state", to);
    selection_say(&s->s, s->o, to);
    print_table(s, EXACT, to);
    report_say(s->o, to,
               "\nwork: the share of user and system CPU. exact: what the "
               "processors' account has of these threads; what lies between is "
               "a switch's own cycles, from one record to the next.");
    if (s->clock)
        print_clock(s, to);
}

void report_statistics(struct recording *r, const struct options *o, FILE *to)
{
    struct statistics s = {.r = r, .o = o};

    if (!option_cycles(r, o, OPTION_BIT_CLOCK, 0, &s.clock) ||
        !selection_open(&s.s, r, o))
        return;
    if (o->text[OPTION_BIT_CLOCK] && !s.clock) {
        report_refuse(o, "--clock: give more than 0");
        selection_close(&s.s);
        return;
    }
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
    free(s.list);
    hash_free(&s.at);
    selection_close(&s.s);
}
