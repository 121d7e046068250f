/* cpi.c - the report `cpi`: what cycles were spent on and lost to, by the
 * oracle's reasons, as a stack per function, in cycles an instruction where
 * instructions are known. Of the whole run the simulator counted them; of a
 * function they are known if insn_completed was sampled.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "tools/simprof/view/group.h"

static const struct {
    const char *name, *text;
} known[] = {
#define REASON(name, text) {#name, text},
#include "pmu/stalls.def"
#undef REASON
};

struct stack {
    uint32_t function; /* SAMPLES_TOTAL: all */
    uint64_t cycles, insns;
    uint64_t by[RECORDING_REASONS];
};

struct cpi {
    struct group g;
    struct stack *stack; /* [0] is the total */
    size_t count, room;
    struct hash at;
    int insns;                   /* the metric of insn_completed, or -1 */
    const struct options *asked; /* as they were given */
};

static struct stack *stack_of(struct cpi *c, uint32_t function)
{
    bool fresh;
    uint32_t *at = hash_at(&c->at, function, &fresh);

    if (fresh) {
        *at = (uint32_t)c->count;
        c->stack = grow(c->stack, &c->room, c->count + 1, sizeof *c->stack);
        c->stack[c->count++] = (struct stack){.function = function};
    }
    return &c->stack[*at];
}

static void build(struct cpi *c)
{
    const struct exact_cycles *a = &c->g.samples.account;
    struct totals *t = &c->g.tally;

    stack_of(c, SAMPLES_TOTAL);
    for (size_t i = 0; i < a->count; i++) {
        struct stack *s = stack_of(c, a->cell[i].function);

        s->cycles += a->cell[i].cycles;
        s->by[a->cell[i].reason] += a->cell[i].cycles;
        c->stack[0].cycles += a->cell[i].cycles;
        c->stack[0].by[a->cell[i].reason] += a->cell[i].cycles;
    }
    for (size_t i = 0; c->insns >= 0 && i < t->rows; i++)
        stack_of(c, (uint32_t)t->row[i].key)->insns =
            t->row[i].exclusive[c->insns];
    if (c->insns >= 0)
        c->stack[0].insns = t->total.exclusive[c->insns];
    /* Counted by the simulator: those of all that was selected. */
    if (c->g.selection.all && recording_instructions(c->g.r))
        c->stack[0].insns = recording_instructions(c->g.r);
}

/* What of a stack is work: CPUs that nap or are parked complete nothing. */
static uint64_t worked(const struct cpi *c, const struct stack *s)
{
    uint64_t cycles = s->cycles;

    for (int i = 0; i < RECORDING_REASONS; i++)
        if (c->g.r->reason_is[i] == REASON_NAP ||
            c->g.r->reason_is[i] == REASON_OFF)
            cycles -= s->by[i];
    return cycles;
}

/* Cycles of CPUs that were not released yet: no share is of them. */
static uint64_t parked(const struct cpi *c, const struct stack *s)
{
    for (int i = 0; i < RECORDING_REASONS; i++)
        if (c->g.r->reason_is[i] == REASON_OFF)
            return s->by[i];
    return 0;
}

/* "1.234"; "" without instructions. */
static void put_ratio(struct table *t, uint64_t cycles, uint64_t insns)
{
    char text[TEXT_NUMBER * 2] = "";
    uint64_t n;

    if (insns && cycles) {
        n = (uint64_t)(((unsigned __int128)cycles * 1000 + insns / 2) / insns);
        snprintf(text, sizeof text, "%" PRIu64 ".%03u", n / 1000,
                 (unsigned)(n % 1000));
    }
    table_text(t, text);
}

/* ---- one stack, a line a reason ------------------------------------------ */

static const char *meaning(const char *reason)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!strcmp(known[i].name, reason))
            return known[i].text;
    return "";
}

static void put_reason(struct table *t, const struct stack *s, uint64_t cycles,
                       const char *reason)
{
    table_count(t, cycles);
    table_percent(t, cycles, s->cycles);
    put_ratio(t, cycles, s->insns);
    table_text(t, reason);
    table_text(t, meaning(reason));
}

/* The reason with the most cycles that are below `most`, or as many and a
 * higher number than `after`; -1: none. */
static int next_reason(const struct stack *s, uint64_t most, int after)
{
    int best = -1;

    for (int i = 0; i < RECORDING_REASONS; i++)
        if (s->by[i] && (s->by[i] < most || (s->by[i] == most && i > after)) &&
            (best < 0 || s->by[i] > s->by[best]))
            best = i;
    return best;
}

static void print_stack(const struct cpi *c, const struct stack *s, FILE *to)
{
    struct table t = {0};
    uint64_t most = UINT64_MAX;

    table_column(&t, "cycles", "cycles", TABLE_NUMBER);
    table_column(&t, "share", "percent", TABLE_NUMBER);
    table_column(&t, "CPI", "cpi", TABLE_NUMBER);
    table_column(&t, "reason", "reason", 0);
    table_column(&t, "meaning", "meaning", TABLE_WRAP);
    put_reason(&t, s, s->cycles, "<Total>");
    for (int i = -1; (i = next_reason(s, most, i)) >= 0; most = s->by[i])
        put_reason(&t, s, s->by[i], c->g.r->reason[i]);
    report_table(&t, c->g.o, to);
}

/* ---- all functions, a line each ------------------------------------------ */

static int by_cycles(const void *a, const void *b)
{
    const struct stack *x = a, *y = b;

    if (x->cycles != y->cycles)
        return x->cycles > y->cycles ? -1 : 1;
    return x->function < y->function ? -1 : x->function > y->function;
}

/* "dmiss 43.1%, complete 20.0%, ..." down to one in a hundred. */
static void stack_text(const struct cpi *c, const struct stack *s, char *out,
                       size_t size)
{
    uint64_t most = UINT64_MAX, all = s->cycles - parked(c, s);
    size_t used = 0;

    out[0] = '\0';
    for (int i = -1; (i = next_reason(s, most, i)) >= 0; most = s->by[i]) {
        char share[TEXT_NUMBER];

        if (all && c->g.r->reason_is[i] == REASON_OFF)
            continue;
        if (s->by[i] * 100 < all || used >= size)
            return;
        used += (size_t)snprintf(
            out + used, size - used, "%s%s %s%%", used ? ", " : "",
            c->g.r->reason[i],
            text_percent(share, s->by[i], all ? all : s->cycles));
    }
}

static void put_function(struct table *t, const struct cpi *c,
                         const struct stack *s, const char *called)
{
    char text[1024];

    table_count(t, s->cycles);
    if (s->cycles == parked(c, s))
        table_text(t, ".");
    else
        table_percent(t, s->cycles - parked(c, s),
                      c->stack[0].cycles - parked(c, &c->stack[0]));
    put_ratio(t, worked(c, s), s->insns);
    table_text(t, called);
    stack_text(c, s, text, sizeof text);
    table_text(t, text);
}

static void print_functions(struct cpi *c, FILE *to)
{
    unsigned limit = c->g.o->limit;
    struct stack rest = {0};
    struct table t = {0};
    size_t i;

    qsort(c->stack + 1, c->count - 1, sizeof *c->stack, by_cycles);
    table_column(&t, "cycles", "cycles", TABLE_NUMBER);
    table_column(&t, "share", "percent", TABLE_NUMBER);
    table_column(&t, "CPI", "cpi", TABLE_NUMBER);
    table_column(&t, "function", "function", 0);
    table_column(&t, "where they went", "stack", TABLE_WRAP);
    put_function(&t, c, &c->stack[0], "<Total>");
    for (i = 1; i < c->count && (!limit || i <= limit || c->count <= limit + 1);
         i++)
        if (c->stack[i].cycles)
            put_function(&t, c, &c->stack[i],
                         samples_name(c->g.r, c->stack[i].function));
    for (; i < c->count; i++) {
        rest.cycles += c->stack[i].cycles;
        rest.insns += c->stack[i].insns;
        for (int k = 0; k < RECORDING_REASONS; k++)
            rest.by[k] += c->stack[i].by[k];
    }
    if (rest.cycles)
        put_function(&t, c, &rest, "<all others>");
    report_table(&t, c->g.o, to);
}

/* CSV: a row for each function and reason. */
static void print_csv(struct cpi *c, FILE *to)
{
    struct table t = {0};

    qsort(c->stack + 1, c->count - 1, sizeof *c->stack, by_cycles);
    table_column(&t, "", "function", 0);
    table_column(&t, "", "reason", 0);
    table_column(&t, "", "cycles", 0);
    table_column(&t, "", "instructions", 0);
    for (size_t i = 0; i < c->count; i++)
        for (int k = 0; k < RECORDING_REASONS; k++) {
            if (!c->stack[i].by[k])
                continue;
            table_text(&t, samples_name(c->g.r, c->stack[i].function));
            table_text(&t, c->g.r->reason[k]);
            table_count(&t, c->stack[i].by[k]);
            table_count(&t, c->stack[i].insns);
        }
    report_table(&t, c->g.o, to);
}

static const struct stack *wanted(const struct cpi *c, const char *function)
{
    long row = group_named(&c->g, function);

    for (size_t i = 0; row >= 0 && i < c->count; i++)
        if (c->stack[i].function == c->g.tally.row[row].key)
            return &c->stack[i];
    if (row >= 0)
        report_refuse(c->g.o, "%s: has no exact cycles here", function);
    return NULL;
}

static const char *asked(const struct cpi *c, enum option_bit bit)
{
    const char *text = c->asked->text[bit];

    return text ? text : bit == OPTION_BIT_FROM ? "0" : "the end";
}

static void print(struct cpi *c, FILE *to)
{
    const char *function = c->g.o->text[OPTION_BIT_FUNCTION];
    const struct stack *one = function ? wanted(c, function) : NULL;

    if (function && !one)
        return;
    if (!c->g.o->csv) {
        report_head(c->g.r, "what cycles were spent on and lost to", to);
        selection_say(&c->g.selection, c->g.o, to);
    }
    if (one)
        print_stack(c, one, to);
    else if (c->g.o->csv)
        print_csv(c, to);
    else
        print_functions(c, to);
    if (!c->g.o->csv && c->asked != c->g.o)
        report_say(c->g.o, to,
                   "\nThese are the account's intervals that end from cycle %s "
                   "to %s.",
                   asked(c, OPTION_BIT_FROM), asked(c, OPTION_BIT_TO));
    if (!c->g.o->csv && !one)
        report_say(c->g.o, to,
                   "\nCPI of <Total>: cycles neither napped nor parked.");
    if (!c->g.o->csv && c->insns < 0)
        report_say(c->g.o, to,
                   "CPI of functions: sample instructions (simrun -e "
                   "insn_completed:PERIOD).");
}

/* The instructions of the time that the exact cycles are of. False: there are
 * none of either. */
static bool whole_intervals(struct recording *r, const struct options *o,
                            struct options *with, char text[2][TEXT_NUMBER])
{
    uint64_t from = 0, to = UINT64_MAX;

    *with = *o;
    if (!option_cycles(r, o, OPTION_BIT_FROM, 0, &from) ||
        !option_cycles(r, o, OPTION_BIT_TO, UINT64_MAX, &to) ||
        !recording_intervals(r, &from, &to))
        return false;
    snprintf(text[0], TEXT_NUMBER, "%" PRIu64, from);
    snprintf(text[1], TEXT_NUMBER, "%" PRIu64, to);
    with->text[OPTION_BIT_FROM] = text[0];
    with->text[OPTION_BIT_TO] = text[1];
    return true;
}

void report_cpi(struct recording *r, const struct options *o, FILE *to)
{
    struct grouping by = group_by_function(r);
    struct cpi c = {.asked = o};
    bool part = o->text[OPTION_BIT_FROM] || o->text[OPTION_BIT_TO] ||
                !r->ended; /* samples behind the last interval are there */
    struct options with;
    char text[2][TEXT_NUMBER];
    bool whole = !part || whole_intervals(r, o, &with, text);

    by.functions = false; /* rows of all that was sampled */
    if (!group_open(&c.g, r, part && whole ? &with : o, &by,
                    1 << FLAVOR_EXCLUSIVE))
        return;
    c.insns = samples_metrics_find(&c.g.samples.metric, "insn_completed");
    build(&c);
    print(&c, to);
    hash_free(&c.at);
    free(c.stack);
    group_close(&c.g);
}
