/* timeline.c - the report `timeline`: what each CPU and each thread did, in
 * time, a letter for each step: the state that had most of it. CSV has the
 * cycles of every state in every step.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "tools/analysis/states/spans.h"
#include "tools/analysis/states/words.h"
#include "tools/simprof/report/report.h"
#include "tools/simprof/report/select.h"
#include "tools/simprof/reports/timeline_cpus.h"

#define STEPS_MAX 100000
#define NAME_ROOM 24  /* columns of text in front of the letters */
#define STATE_ROOM 24 /* bytes of a state's name */

/* A thread's cycles by step and state; or a CPU's, of threads that run. */
struct row {
    uint32_t thread;
    uint64_t *cycles; /* [step * STATES_ALL + state] */
};

struct timeline {
    struct recording *r;
    const struct options *o;
    struct selection s;
    struct timeline_cpus cpus;
    struct row *row; /* by number of the thread */
    size_t rows, room;
    struct hash by_thread;
    bool any;
};

/* ---- adding up ----------------------------------------------------------- */

static struct row *row_of(struct timeline *t, uint32_t thread)
{
    bool fresh;
    uint32_t *n = hash_at(&t->by_thread, thread, &fresh);

    if (fresh) {
        *n = (uint32_t)t->rows;
        t->row = grow(t->row, &t->room, t->rows + 1, sizeof *t->row);
        t->row[t->rows++] = (struct row){
            thread, grow_zero(t->cpus.steps * STATES_ALL, sizeof(uint64_t))};
    }
    return &t->row[*n];
}

static void read_spans(struct timeline *t)
{
    struct spans spans;
    struct spans_event e;

    spans_open(&spans, t->r);
    while (spans_next(&spans, &e)) {
        if (e.is != SPANS_STATE)
            continue;
        t->any = true;
        if (!t->s.one_thread || e.thread == t->s.thread)
            timeline_spread(&t->cpus, row_of(t, e.thread)->cycles + e.state,
                            STATES_ALL, e.from, e.to);
    }
    spans_close(&spans);
}

static int by_number(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* ---- text ---------------------------------------------------------------- */

/* Letters of states, by STATE_... . */
static const char letter[STATES_ALL + 1] = "?Us*rLqbdptx?";

static char state_in(const struct row *row, size_t step)
{
    const uint64_t *c = row->cycles + step * STATES_ALL;
    unsigned most = 0;

    for (unsigned k = 1; k < STATE_ENDED; k++)
        if (c[k] > c[most])
            most = k;
    return most && c[most] ? letter[most] : ' ';
}

/* What most of a CPU's idle time was, where that is a thread's state. */
static char idle_in(const uint64_t *idle)
{
    static const char of[CAUSES_CLASSES] = {
        [CAUSES_LOCK] = 'L',   [CAUSES_QUEUE] = 'q', [CAUSES_BARRIER] = 'b',
        [CAUSES_IO] = 'd',     [CAUSES_PAGE] = 'p',  [CAUSES_TIMER] = 't',
        [CAUSES_STOPPED] = 'x'};
    unsigned most = 0;

    for (unsigned k = 1; k < CAUSES_CLASSES; k++)
        if (idle[k] > idle[most])
            most = k;
    return idle[most] && of[most] ? of[most] : ' ';
}

/* Tenths of a step that a CPU was busy: 1 to 9, # of all; of none, why. */
static char busy_in(const struct timeline_cpus *t, unsigned cpu, size_t step)
{
    uint64_t length = t->step, from = t->from + step * t->step;
    size_t at = timeline_cpus_at(t, cpu, step);
    uint64_t busy = t->busy[at], tenths;

    if (from + length > t->to)
        length = t->to - from;
    tenths = length ? (busy * 10 + length / 2) / length : 0;
    return tenths >= 10 ? '#'
           : tenths     ? (char)('0' + tenths)
                        : idle_in(t->idle + at * CAUSES_CLASSES);
}

static void print_cpus(const struct timeline *t, FILE *to)
{
    for (unsigned cpu = 0; cpu < t->r->cpus; cpu++) {
        if (t->o->cpu >= 0 && cpu != (unsigned)t->o->cpu)
            continue;
        fprintf(to, "CPU %-*u|", NAME_ROOM - 5, cpu);
        for (size_t n = 0; n < t->cpus.steps; n++)
            putc(busy_in(&t->cpus, cpu, n), to);
        fputs("|\n", to);
    }
}

static void print_threads(const struct timeline *t, FILE *to)
{
    size_t shown = t->o->limit && t->rows > t->o->limit ? t->o->limit : t->rows;
    char name[NAME_ROOM + 32], number[WORDS_NUMBER];

    for (size_t k = 0; k < shown; k++) {
        const struct row *row = &t->row[k];

        snprintf(name, sizeof name, "%.16s %" PRIu32,
                 words_thread(t->r, row->thread, t->cpus.to, number),
                 row->thread);
        fprintf(to, "%-*.*s|", NAME_ROOM - 1, NAME_ROOM - 1, name);
        for (size_t n = 0; n < t->cpus.steps; n++)
            putc(state_in(row, n), to);
        fputs("|\n", to);
    }
    if (shown < t->rows)
        report_say(t->o, to, "%zu more; --limit=0 shows all", t->rows - shown);
}

static void print_text(const struct timeline *t, FILE *to)
{
    char step[TEXT_NUMBER], from[TEXT_NUMBER];

    report_head(t->r, "what CPUs and threads did, in time", to);
    selection_say(&t->s, t->o, to);
    report_say(t->o, to,
               "Each letter is %s cycles, the first from cycle %s on.",
               text_count(step, t->cpus.step), text_count(from, t->cpus.from));
    putc('\n', to);
    print_cpus(t, to);
    if (!t->any) {
        report_say(t->o, to,
                   "\nNo states were recorded: the guest does with the boot "
                   "word states=on (simrun --append \"... states=on\"), and "
                   "simrun under --user with --switch-stacks.");
        return;
    }
    print_threads(t, to);
    report_say(
        t->o, to,
        "\nCPUs: tenths that they were busy, # all; of none, what the threads "
        "waited for that would have run there, blank if there were none. "
        "Threads: what had most of it: U user, s system, * spinning, r "
        "runnable; waiting for L a lock, q a queue, b others, d a device, p a "
        "page, t a time, x to be continued; blank: not born, or ended.");
}

/* ---- CSV ----------------------------------------------------------------- */

static void put_cycles(struct table *t, uint64_t from, const char *what,
                       const char *number, const char *name, const char *state,
                       uint64_t cycles)
{
    table_count(t, from);
    table_text(t, what);
    table_number(t, number, number);
    table_text(t, name);
    table_text(t, state);
    table_count(t, cycles);
}

/* Of a CPU, with the thread that ran longest; and why it was idle. */
static void put_cpu(const struct timeline *t, struct table *table, unsigned cpu,
                    size_t n, uint64_t from)
{
    size_t at = timeline_cpus_at(&t->cpus, cpu, n);
    const uint64_t *idle = t->cpus.idle + at * CAUSES_CLASSES;
    char number[WORDS_NUMBER], who[WORDS_NUMBER], state[STATE_ROOM];

    snprintf(number, sizeof number, "%u", cpu);
    if (t->cpus.busy[at])
        put_cycles(table, from, "cpu", number,
                   words_thread(t->r, t->cpus.who[at], from, who), "busy",
                   t->cpus.busy[at]);
    for (unsigned k = 0; k < CAUSES_CLASSES; k++) {
        snprintf(state, sizeof state, "idle:%s", timeline_cpus_class(k));
        if (idle[k])
            put_cycles(table, from, "cpu", number, "", state, idle[k]);
    }
}

static void put_step(const struct timeline *t, struct table *table, size_t n)
{
    uint64_t from = t->cpus.from + n * t->cpus.step;
    char number[WORDS_NUMBER];

    for (unsigned cpu = 0; cpu < t->cpus.cpus; cpu++)
        if (t->o->cpu < 0 || cpu == (unsigned)t->o->cpu)
            put_cpu(t, table, cpu, n, from);
    for (size_t k = 0; k < t->rows; k++)
        for (unsigned s = 1; s < STATE_ENDED; s++) {
            uint64_t cycles = t->row[k].cycles[n * STATES_ALL + s];
            const char *name =
                words_thread(t->r, t->row[k].thread, from, number);

            if (cycles)
                put_cycles(table, from, "thread", number, name, words_state(s),
                           cycles);
        }
}

static void print_csv(const struct timeline *t, FILE *to)
{
    struct table table = {0};

    table_column(&table, "", "from_cycle", TABLE_NUMBER);
    table_column(&table, "", "what", 0);
    table_column(&table, "", "number", TABLE_NUMBER);
    table_column(&table, "", "name", 0);
    table_column(&table, "", "state", 0);
    table_column(&table, "", "cycles", TABLE_NUMBER);
    for (size_t n = 0; n < t->cpus.steps; n++)
        put_step(t, &table, n);
    report_table(&table, t->o, to);
}

/* ---- the report ---------------------------------------------------------- */

/* Without states the context switches still say when CPUs ran threads, where
 * they are recorded. */
static bool is_any_busy(const struct timeline_cpus *t)
{
    for (unsigned cpu = 0; cpu < t->cpus; cpu++)
        for (size_t n = 0; n < t->steps; n++)
            if (t->busy[timeline_cpus_at(t, cpu, n)])
                return true;
    return false;
}

/* As many steps as fit into the width, or as long as was asked for; they are
 * read. */
static bool read_cpus(struct timeline *t)
{
    unsigned room =
        t->o->width > NAME_ROOM + 12 ? t->o->width - NAME_ROOM - 1 : 12;
    uint64_t from = t->s.from, to = t->s.to < t->r->end ? t->s.to : t->r->end;
    uint64_t length = to > from ? to - from : 0, step;
    uint64_t usual = length / room + (length % room != 0);

    if (!option_cycles(t->r, t->o, OPTION_BIT_STEP, usual ? usual : 1, &step))
        return false;
    if (!step || length / step >= STEPS_MAX) {
        report_refuse(t->o, "--step=%s: makes more than %d steps",
                      t->o->text[OPTION_BIT_STEP], STEPS_MAX);
        return false;
    }
    timeline_cpus_read(&t->cpus, t->r, from, to, step);
    return true;
}

void report_timeline(struct recording *r, const struct options *o, FILE *to)
{
    struct timeline t = {.r = r, .o = o};

    if (!selection_open(&t.s, r, o))
        return;
    if (read_cpus(&t)) {
        read_spans(&t);
        if (t.rows)
            qsort(t.row, t.rows, sizeof *t.row, by_number);
        if (!t.any && !is_any_busy(&t.cpus))
            report_no_states(r, o);
        else if (o->csv)
            print_csv(&t, to);
        else
            print_text(&t, to);
    }
    for (size_t n = 0; n < t.rows; n++)
        free(t.row[n].cycles);
    free(t.row);
    timeline_cpus_free(&t.cpus);
    hash_free(&t.by_thread);
    selection_close(&t.s);
}
