/* callgraph.c - the report `calls`: who called whom how often, and who
 * returned, as simrun --autoprofile=calls counted every call and return. Exact
 * numbers: nothing here is sampled.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/grow.h"
#include "tools/lib/samples.h"
#include "tools/lib/text.h"
#include "tools/simprof/report.h"

/* Calls of one function by another; of returns only `callee` is known: who
 * returned. */
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

static void read_edges(struct recording *r, struct edges *calls,
                       struct edges *returns)
{
    for (size_t k = 0; k < r->log.count; k++) {
        const struct line *line = &r->log.line[k];
        bool is_call = !strcmp(line->key, "call");
        uint32_t from, to, in;
        uint64_t count;

        if ((!is_call && strcmp(line->key, "return")) ||
            !read_line(line, &from, &to, &count))
            continue;
        in = loadmap_find(&r->map, from, r->end).function;
        if (is_call)
            add(calls, in, loadmap_find(&r->map, to, r->end).function, count);
        else
            add(returns, 0, in, count);
    }
    join(calls);
    join(returns);
}

static void print_calls(struct recording *r, const struct options *o,
                        struct edges *calls, FILE *to)
{
    size_t shown = calls->count;
    struct table t = {0};

    if (o->limit && shown > o->limit)
        shown = o->limit;
    if (calls->count)
        qsort(calls->list, calls->count, sizeof *calls->list, by_count);
    table_column(&t, "calls", "calls", TABLE_NUMBER);
    table_column(&t, "places", "places", TABLE_NUMBER);
    table_column(&t, "caller", "caller", 0);
    table_column(&t, "callee", "callee", 0);
    for (size_t k = 0; k < shown; k++) {
        table_count(&t, calls->list[k].count);
        table_count(&t, calls->list[k].places);
        table_text(&t, samples_name(r, calls->list[k].caller));
        table_text(&t, samples_name(r, calls->list[k].callee));
    }
    report_table(&t, o, to);
    if (shown < calls->count && !o->csv)
        report_say(o, to, "%zu more; --limit=0 shows all",
                   calls->count - shown);
    table_free(&t);
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
    struct edges calls = {0}, returns = {0}, by_callee = {0};

    read_edges(r, &calls, &returns);
    for (size_t k = 0; k < calls.count; k++)
        add(&by_callee, calls.list[k].caller, calls.list[k].callee,
            calls.list[k].count);
    if (!o->csv)
        report_head(r, "who called whom, counted exactly", to);
    if (!calls.count && !o->csv)
        report_say(o, to, "No calls were counted: simrun --autoprofile=calls.");
    else if (!o->csv)
        report_say(o, to,
                   "%" PRIu64 " calls, %" PRIu64 " returns:", calls.total,
                   returns.total);
    if (calls.count || o->csv)
        print_calls(r, o, &calls, to);
    if (!o->csv && o->limit == 0)
        print_odd(r, o, &by_callee, &returns, to);
    free(calls.list);
    free(returns.list);
    free(by_callee.list);
}
