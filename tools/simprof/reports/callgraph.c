/* callgraph.c - the report `calls`: who called whom how often, who returned,
 * and who was interrupted, as simrun --autoprofile=calls counted every call,
 * return, system call and interrupt. Exact numbers: nothing here is sampled.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/analysis/profile/interrupts.h"
#include "tools/analysis/profile/samples.h"
#include "lib/base/text.h"
#include "tools/simprof/report/report.h"

#define VECTOR_SC 0xC00

/* Calls of one function by another; of returns only `callee` is known: who
 * returned. Of exceptions the callee is the vector. */
struct edge {
    uint32_t caller, callee; /* functions */
    uint64_t count;
    size_t places;
};

struct edges {
    struct edge *list;
    size_t count, room;
    uint64_t total;
};

/* All that was counted. */
struct graph {
    struct edges call, back, exception;
    uint64_t resumed; /* by rfi */
};

/* "0xFROM 0xTO COUNT" of the log. */
static bool read_line(const struct line *line, uint32_t *from, uint32_t *to,
                      uint64_t *count)
{
    return sscanf(line->value, "0x%" SCNx32 " 0x%" SCNx32 " %" SCNu64, from, to,
                  count) == 3;
}

static void add(struct edges *e, uint32_t caller, uint32_t callee,
                uint64_t count)
{
    e->list = grow(e->list, &e->room, e->count + 1, sizeof *e->list);
    e->list[e->count++] = (struct edge){caller, callee, count, 1};
    e->total += count;
}

static int by_pair(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;

    if (x->callee != y->callee)
        return x->callee < y->callee ? -1 : 1;
    return x->caller < y->caller ? -1 : x->caller > y->caller;
}

static int by_count(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;

    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return by_pair(a, b);
}

/* Those of the same two functions become one. */
static void join(struct edges *e)
{
    size_t n = 0;

    if (!e->count)
        return;
    qsort(e->list, e->count, sizeof *e->list, by_pair);
    for (size_t k = 1; k < e->count; k++) {
        if (by_pair(&e->list[k], &e->list[n])) {
            e->list[++n] = e->list[k];
            continue;
        }
        e->list[n].count += e->list[k].count;
        e->list[n].places += e->list[k].places;
    }
    e->count = n + 1;
}

static void read_edge(struct recording *r, const struct line *line,
                      struct graph *g)
{
    uint32_t from, to, in;
    uint64_t count;

    if (!read_line(line, &from, &to, &count))
        return;
    in = loadmap_find(&r->map, from, r->end).function;
    if (!strcmp(line->key, "call"))
        add(&g->call, in, loadmap_find(&r->map, to, r->end).function, count);
    else if (!strcmp(line->key, "return"))
        add(&g->back, 0, in, count);
    else if (!strcmp(line->key, "exception"))
        add(&g->exception, in, to, count);
    else if (!strcmp(line->key, "rfi"))
        g->resumed += count;
}

static void read_graph(struct recording *r, struct graph *g)
{
    for (size_t k = 0; k < r->log.count; k++)
        read_edge(r, &r->log.line[k], g);
    join(&g->call);
    join(&g->back);
    join(&g->exception);
}

static const char *vector_name(uint32_t vector, char out[16])
{
    return vector == VECTOR_SC ? "system call" : interrupts_name(vector, out);
}

/* The busiest first. */
static size_t put_edges(struct recording *r, const struct options *o,
                        struct edges *e, bool exceptions, struct table *t)
{
    size_t shown = o->limit && e->count > o->limit ? o->limit : e->count;
    char name[16];

    if (e->count)
        qsort(e->list, e->count, sizeof *e->list, by_count);
    for (size_t k = 0; k < shown; k++) {
        const struct edge *x = &e->list[k];

        table_count(t, x->count);
        table_count(t, x->places);
        table_text(t, samples_name(r, x->caller));
        table_text(t, exceptions ? vector_name(x->callee, name)
                                 : samples_name(r, x->callee));
        if (o->csv)
            table_text(t, !exceptions              ? "call"
                          : x->callee == VECTOR_SC ? "system call"
                                                   : "exception");
    }
    return shown;
}

static void print_edges(const struct options *o, const struct edges *e,
                        size_t shown, struct table *t, FILE *to)
{
    report_table(t, o, to);
    if (shown < e->count && !o->csv)
        report_say(o, to, "%zu more; --limit=0 shows all", e->count - shown);
    table_free(t);
}

/* CSV: and the exceptions behind them. */
static void print_calls(struct recording *r, const struct options *o,
                        struct graph *g, FILE *to)
{
    struct table t = {0};
    size_t shown;

    table_column(&t, "calls", "calls", TABLE_NUMBER);
    table_column(&t, "places", "places", TABLE_NUMBER);
    table_column(&t, "caller", "caller", 0);
    table_column(&t, "callee", "callee", 0);
    if (o->csv)
        table_column(&t, "kind", "kind", 0);
    shown = put_edges(r, o, &g->call, false, &t);
    if (o->csv)
        put_edges(r, o, &g->exception, true, &t);
    print_edges(o, &g->call, shown, &t, to);
}

/* Under --user nothing returns: simrun is the kernel. */
static void print_exceptions(struct recording *r, const struct options *o,
                             struct graph *g, FILE *to)
{
    struct table t = {0};
    char back[64] = "";
    size_t shown;

    if (!g->exception.count)
        return;
    table_column(&t, "times", "times", TABLE_NUMBER);
    table_column(&t, "places", "places", TABLE_NUMBER);
    table_column(&t, "function", "function", 0);
    table_column(&t, "met by", "exception", 0);
    shown = put_edges(r, o, &g->exception, true, &t);
    if (g->resumed)
        snprintf(back, sizeof back, "; %" PRIu64 " returns by rfi", g->resumed);
    report_say(o, to,
               "\n%" PRIu64 " exceptions - system calls, interrupts, faults%s:",
               g->exception.total, back);
    print_edges(o, &g->exception, shown, &t, to);
}

/* Functions that returned less or more often than they were called: entered by
 * a jump, left by one, or still at work at the end. Both are by function. */
static void print_odd(struct recording *r, const struct options *o,
                      const struct edges *calls, const struct edges *returns,
                      FILE *to)
{
    struct table t = {0};
    size_t c = 0, n = 0;

    table_column(&t, "called", "called", TABLE_NUMBER);
    table_column(&t, "returned", "returned", TABLE_NUMBER);
    table_column(&t, "function", "function", 0);
    while (c < calls->count || n < returns->count) {
        uint32_t f = UINT32_MAX;
        uint64_t called = 0, returned = 0;

        if (c < calls->count)
            f = calls->list[c].callee;
        if (n < returns->count && returns->list[n].callee < f)
            f = returns->list[n].callee;
        for (; c < calls->count && calls->list[c].callee == f; c++)
            called += calls->list[c].count;
        for (; n < returns->count && returns->list[n].callee == f; n++)
            returned += returns->list[n].count;
        if (called == returned)
            continue;
        table_count(&t, called);
        table_count(&t, returned);
        table_text(&t, samples_name(r, f));
    }
    if (t.cells) {
        report_say(o, to, "\nReached or left by a jump, or never left:");
        report_table(&t, o, to);
    }
    table_free(&t);
}

void report_calls(struct recording *r, const struct options *o, FILE *to)
{
    struct edges by_callee = {0};
    struct graph g = {0};

    read_graph(r, &g);
    for (size_t k = 0; k < g.call.count; k++)
        add(&by_callee, g.call.list[k].caller, g.call.list[k].callee,
            g.call.list[k].count);
    if (!o->csv)
        report_head(r, "who called whom, counted exactly", to);
    if (!g.call.count && !o->csv)
        report_say(
            o, to, "No calls were counted%s",
            report_counted(r, "calls") ? "." : ": simrun --autoprofile=calls.");
    else if (!o->csv)
        report_say(o, to,
                   "%" PRIu64 " calls, %" PRIu64 " returns:", g.call.total,
                   g.back.total);
    if (g.call.count || o->csv)
        print_calls(r, o, &g, to);
    if (!o->csv)
        print_exceptions(r, o, &g, to);
    if (!o->csv && o->limit == 0)
        print_odd(r, o, &by_callee, &g.back, to);
    free(g.call.list);
    free(g.back.list);
    free(g.exception.list);
    free(by_callee.list);
}
