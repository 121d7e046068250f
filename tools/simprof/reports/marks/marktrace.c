/* marktrace.c - see marktrace.h. A record is a stretch: instructions that
 * follow each other in memory and were executed one behind the other
 * (docs/pif.md 7).
 */
#include "tools/simprof/reports/marks/marktrace.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/hash.h"
#include "tools/analysis/profile/samples.h"
#include "tools/simprof/reports/marks/marks.h"

struct traced {
    uint32_t function;
    bool host;
    uint64_t insns, stretches;
};

struct traces {
    struct traced *at;
    size_t n, room;
    struct hash of; /* host or not, and function: place in `at`, from 1 */
    uint64_t insns, stretches;
};

struct stretch {
    bool host;
    uint32_t pc, insns;
};

static struct stretch stretch_of(const struct record *k)
{
    return (struct stretch){record_get_traced_unit(k) != 0,
                            record_get_traced_pc(k),
                            record_get_traced_insns(k)};
}

static uint32_t function_at(struct recording *r, uint32_t pc, uint64_t cycle)
{
    return loadmap_find(&r->map, pc, cycle).function;
}

static void add(struct traces *t, bool host, uint32_t function, uint64_t insns,
                bool begins)
{
    bool fresh;
    uint32_t *place = hash_at(&t->of, (uint64_t)host << 32 | function, &fresh);

    if (fresh) {
        t->at = grow(t->at, &t->room, t->n + 1, sizeof *t->at);
        t->at[t->n] = (struct traced){.function = function, .host = host};
        *place = (uint32_t)++t->n;
    }
    t->at[*place - 1].insns += insns;
    t->at[*place - 1].stretches += begins;
    t->insns += insns;
    t->stretches += begins;
}

/* A stretch may go on from one function into the next. What comes behind a
 * place of which nothing is known is not looked up: a damaged record may say
 * that all of memory was executed. */
static void add_stretch(struct traces *t, struct recording *r,
                        const struct record *k)
{
    struct stretch s = stretch_of(k);
    uint32_t last = s.pc + 4 * (s.insns ? s.insns - 1 : 0);
    uint32_t function = function_at(r, s.pc, k->cycle);

    if (function == function_at(r, last, k->cycle)) {
        add(t, s.host, function, s.insns, true);
        return;
    }
    for (uint32_t n = 0; n < s.insns; n++) {
        function = function_at(r, s.pc + 4 * n, k->cycle);
        if (function == LOADMAP_UNKNOWN) { /* the rest: it may be 2^32 */
            add(t, s.host, function, s.insns - n, !n);
            return;
        }
        add(t, s.host, function, 1, !n);
    }
}

static int by_insns(const void *a, const void *b)
{
    const struct traced *x = a, *y = b;

    if (x->insns != y->insns)
        return x->insns > y->insns ? -1 : 1;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    return x->host - y->host;
}

static void by_function(struct recording *r, const struct options *o,
                        struct traces *t, const char *title, FILE *to,
                        bool *begun)
{
    size_t shown = o->limit && t->n > o->limit ? o->limit : t->n;
    struct table table = {0};

    if (t->n)
        qsort(t->at, t->n, sizeof *t->at, by_insns);
    table_column(&table, "instructions", "instructions", TABLE_NUMBER);
    table_column(&table, "stretches", "stretches", TABLE_NUMBER);
    table_column(&table, "by", "unit", 0);
    table_column(&table, "function", "function", 0);
    for (size_t i = 0; i < shown; i++) {
        table_count(&table, t->at[i].insns);
        table_count(&table, t->at[i].stretches);
        table_text(&table, t->at[i].host ? "host" : "guest");
        table_text(&table, samples_name(r, t->at[i].function));
    }
    marks_table(o, to, begun, title, &table);
    marks_more(o, to, t->n - shown);
}

/* ---- each stretch -------------------------------------------------------- */

static void put_place(struct recording *r, struct table *t, uint32_t pc,
                      uint64_t cycle)
{
    struct place at = loadmap_find(&r->map, pc, cycle);
    char name[512];

    if (at.offset)
        snprintf(name, sizeof name, "%s+0x%" PRIx32,
                 samples_name(r, at.function), at.offset);
    else
        snprintf(name, sizeof name, "%s", samples_name(r, at.function));
    table_text(t, name);
}

static void put_stretch(struct recording *r, struct table *t,
                        const struct record *k)
{
    struct stretch s = stretch_of(k);

    table_count(t, k->cycle);
    table_count(t, k->cpu);
    table_count(t, s.insns);
    table_text(t, s.host ? "host" : "guest");
    put_place(r, t, s.pc, k->cycle);
}

static void by_stretch(struct recording *r, const struct options *o,
                       uint64_t stretches, const char *title, FILE *to,
                       bool *begun)
{
    struct table t = {0};
    struct recfile f;
    struct record k;
    uint64_t shown = 0;

    if (!recording_records(r, REC_TRACED, &f))
        return;
    table_column(&t, "at cycle", "cycle", TABLE_NUMBER);
    table_column(&t, "cpu", "cpu", TABLE_NUMBER);
    table_column(&t, "instructions", "instructions", TABLE_NUMBER);
    table_column(&t, "by", "unit", 0);
    table_column(&t, "from", "place", 0);
    while (recfile_next(&f, &k))
        if (!o->limit || shown < o->limit) {
            put_stretch(r, &t, &k);
            shown++;
        }
    recording_done(r, &f);
    marks_table(o, to, begun, title, &t);
    marks_more(o, to, stretches - shown);
}

void report_marktrace(struct recording *r, const struct options *o, FILE *to,
                      bool *begun)
{
    char title[120];
    struct traces t = {0};
    struct recfile f;
    struct record k;

    if (!recording_records(r, REC_TRACED, &f))
        return;
    while (recfile_next(&f, &k))
        add_stretch(&t, r, &k);
    recording_done(r, &f);
    snprintf(title, sizeof title,
             "Traced between marks, %" PRIu64 " instructions in %" PRIu64
             " stretches:",
             t.insns, t.stretches);
    if (o->pcs)
        by_stretch(r, o, t.stretches, title, to, begun);
    else
        by_function(r, o, &t, title, to, begun);
    hash_free(&t.of);
    free(t.at);
}
