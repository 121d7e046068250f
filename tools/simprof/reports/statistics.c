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
};

struct statistics {
    struct recording *r;
    const struct options *o;
    struct selection s;
    struct processes processes;
    struct times *list; /* by thread */
    size_t count, room;
    struct hash at;
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

    spans_open(&spans, s->r);
    while (spans_next(&spans, &e)) {
        uint64_t from = e.from > s->s.from ? e.from : s->s.from;
        uint64_t to = e.to < s->s.to ? e.to : s->s.to;

        if (e.is != SPANS_STATE || (s->s.one_thread && e.thread != s->s.thread))
            continue;
        times_of(s, e.thread, e.from)->cycles[statistics_group(e.state)] +=
            to > from ? to - from : 0;
    }
    spans_close(&spans);
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

static void put(struct table *t, const struct times *it, const char *of,
                const char *text, uint32_t number)
{
    char csv[TEXT_NUMBER];

    for (unsigned k = 0; k < GROUPS; k++)
        table_dotted(t, it->cycles[k]);
    table_count(t, work_of(it));
    table_count(t, total_of(it) - work_of(it));
    table_count(t, total_of(it));
    table_percent(t, work_of(it), total_of(it));
    table_count(t, (it->twelfths + 6) / 12);
    table_text(t, of);
    snprintf(csv, sizeof csv, "%" PRIu32, number);
    table_number(t, csv, csv);
    table_text(t, text);
}

static void columns(struct table *t)
{
    for (unsigned k = 0; k < GROUPS; k++)
        table_column(t, groups[k].text, groups[k].key, TABLE_NUMBER);
    table_column(t, "", "work", TABLE_NUMBER | TABLE_CSV);
    table_column(t, "", "wait", TABLE_NUMBER | TABLE_CSV);
    table_column(t, "", "total", TABLE_NUMBER | TABLE_CSV);
    table_column(t, "work", "work_percent", TABLE_NUMBER);
    table_column(t, "exact", "exact", TABLE_NUMBER);
    table_column(t, "", "of", TABLE_CSV);
    table_column(t, "", "number", TABLE_NUMBER | TABLE_CSV);
    table_column(t, "process, thread", "name", 0);
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
static size_t put_process(struct statistics *s, struct table *t, size_t first)
{
    struct times all = {.pid = s->list[first].pid};
    char number[WORDS_NUMBER], text[WORDS_TEXT];
    size_t n = first;

    for (; n < s->count && s->list[n].pid == all.pid; n++)
        add(&all, &s->list[n]);
    name_process(s, all.pid, text);
    put(t, &all, "process", text, all.pid);
    for (size_t k = first; k < n; k++) {
        const char *name =
            words_thread(s->r, s->list[k].thread, s->r->end, number);

        if (s->o->csv)
            snprintf(text, sizeof text, "%.100s", name);
        else
            snprintf(text, sizeof text, "  %.100s %" PRIu32, name,
                     s->list[k].thread);
        put(t, &s->list[k], "thread", text, s->list[k].thread);
    }
    return n;
}

static void print(struct statistics *s, FILE *to)
{
    struct times all = {.pid = 0};
    struct table t = {0};

    if (!s->o->csv) {
        report_head(s->r, "how long threads were in which state", to);
        selection_say(&s->s, s->o, to);
        if (!s->count) {
            report_say(s->o, to,
                       "No states were recorded: the guest does with the boot "
                       "word states=on (simrun --append \"... states=on\"), "
                       "and simrun under --user with --switch-stacks.");
            return;
        }
    }
    columns(&t);
    for (size_t n = 0; n < s->count; n++)
        add(&all, &s->list[n]);
    put(&t, &all, "total", "<Total>", 0);
    for (size_t n = 0; n < s->count;)
        n = put_process(s, &t, n);
    report_table(&t, s->o, to);
    if (s->o->csv)
        return;
    report_say(s->o, to,
               "\nwork: the share of user and system CPU. exact: what the "
               "processors' account has of these threads; what lies between is "
               "a switch's own cycles, from one record to the next.");
}

void report_statistics(struct recording *r, const struct options *o, FILE *to)
{
    struct statistics s = {.r = r, .o = o};

    if (!selection_open(&s.s, r, o))
        return;
    read_states(&s);
    read_account(&s);
    if (s.count)
        qsort(s.list, s.count, sizeof *s.list, by_process);
    processes_read(&s.processes, r);
    print(&s, to);
    processes_free(&s.processes);
    free(s.list);
    hash_free(&s.at);
    selection_close(&s.s);
}
