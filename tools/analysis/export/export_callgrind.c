/* export_callgrind.c - writes what callgrind_annotate and KCachegrind read.
 * A function has cost lines (instruction, source line, events of each
 * counter) and calls: from an instruction to a function, with the events of
 * all samples whose stack has that call. Stacks as such are not in this
 * format. How often a call was made no sampler knows; the count given is that
 * of samples that saw it.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/export/export.h"
#include "lib/base/grow.h"
#include "tools/analysis/symbols/sources.h"

/* What is known of a function, by its number. */
struct callee {
    uint32_t start; /* where it begins in memory */
    uint64_t cycle; /* when it was met first */
    uint64_t last;  /* number of the sample that it was in last */
    bool named;     /* its number has been given its name */
};

/* What happened at one instruction of a function, or in one of its calls. */
struct spot {
    uint32_t function, pc, callee;
    bool call;
    uint64_t cycle; /* when it was met first: what was loaded then */
    uint64_t samples;
};

struct callgrind {
    struct export *e;
    FILE *to;
    struct hash spot_at; /* (function, pc) to spot */
    struct hash call_at; /* (spot + 1, callee) to spot */
    struct spot *spot;
    size_t spots, spots_room;
    uint64_t *cost; /* [spot * counters + counter] */
    size_t cost_room;
    struct sources *sources;
    struct callee *function;
};

/* ---- gathering ----------------------------------------------------------- */

/* The function of stack entry i. */
static uint32_t function_at(struct callgrind *c, const struct export_sample *s,
                            size_t i)
{
    struct place place = loadmap_find(&c->e->r->map, s->pc[i], s->cycle);
    struct callee *f = &c->function[place.function];

    if (!f->cycle) {
        f->start = s->home[i] - place.offset;
        f->cycle = s->cycle;
    }
    return place.function;
}

static size_t spot_of(struct callgrind *c, struct hash *h, uint64_t key,
                      struct spot new)
{
    bool fresh;
    uint32_t *at = hash_at(h, key, &fresh);

    if (!fresh)
        return *at;
    *at = (uint32_t)c->spots;
    c->spot = grow(c->spot, &c->spots_room, c->spots + 1, sizeof *c->spot);
    c->cost = grow(c->cost, &c->cost_room, (c->spots + 1) * c->e->counters,
                   sizeof *c->cost);
    c->spot[c->spots] = new;
    return c->spots++;
}

static void count(struct callgrind *c, size_t spot,
                  const struct export_sample *s)
{
    c->spot[spot].samples++;
    c->cost[spot * c->e->counters + s->counter] += s->events;
}

/* The spot where stack entry i is; fresh or not. */
static size_t place_of(struct callgrind *c, const struct export_sample *s,
                       size_t i, uint32_t function)
{
    struct spot spot = {
        .function = function, .pc = s->home[i], .cycle = s->cycle};

    return spot_of(c, &c->spot_at, (uint64_t)function << 32 | s->home[i], spot);
}

/* One sample, from its root to its leaf. Of a function that recursion has
 * several times in a stack only the outermost call counts: so the calls of a
 * function add up to the events of the samples that it is in. */
static void take(struct callgrind *c, const struct export_sample *s,
                 uint64_t number)
{
    size_t caller = 0, at = 0;

    for (size_t i = s->depth; i-- > 0; caller = at) {
        uint32_t function = function_at(c, s, i);
        struct spot call;

        at = place_of(c, s, i, function);
        if (c->function[function].last != number && i + 1 < s->depth) {
            call = c->spot[caller];
            call.call = true;
            call.callee = function;
            call.samples = 0;
            count(c,
                  spot_of(c, &c->call_at,
                          (uint64_t)(caller + 1) << 32 | function, call),
                  s);
        }
        c->function[function].last = number;
    }
    count(c, at, s);
}

static int by_place(const void *a, const void *b)
{
    const struct spot *x = *(struct spot *const *)a;
    const struct spot *y = *(struct spot *const *)b;

    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    if (x->pc != y->pc)
        return x->pc < y->pc ? -1 : 1;
    if (x->call != y->call)
        return x->call ? 1 : -1;
    return x->callee < y->callee ? -1 : x->callee > y->callee;
}

/* ---- writing ------------------------------------------------------------- */

/* Letters, digits and _ are all that an event's name may have. */
static void put_event_name(const char *name, FILE *to)
{
    if (!isalpha((unsigned char)*name))
        putc('_', to);
    for (; *name; name++)
        putc(isalnum((unsigned char)*name) ? *name : '_', to);
}

static void put_function(struct callgrind *c, const char *key, uint32_t f)
{
    fprintf(c->to, "%s=(%" PRIu32 ")", key, f);
    if (!c->function[f].named)
        fprintf(c->to, " %s", loadmap_name(&c->e->r->map, f));
    c->function[f].named = true;
    putc('\n', c->to);
}

static void put_costs(struct callgrind *c, const struct spot *s, unsigned line)
{
    const uint64_t *cost = c->cost + (size_t)(s - c->spot) * c->e->counters;

    fprintf(c->to, "0x%" PRIx32 " %u", s->pc, line);
    for (size_t i = 0; i < c->e->counters; i++)
        fprintf(c->to, " %" PRIu64, cost[i]);
    putc('\n', c->to);
}

/* The source file of a line; "???": none is known. */
static const char *file_of(const struct callgrind *c, struct source_line l)
{
    return l.file ? sources_file(c->sources, l.file) : "???";
}

static struct source_line line_of(struct callgrind *c, uint32_t f)
{
    const struct callee *function = &c->function[f];

    if (f == LOADMAP_UNKNOWN)
        return (struct source_line){0};
    return sources_find(c->sources, function->start, function->cycle);
}

/* The object and source file of a function, and its name; keys as they are
 * for a function or for one that is called. */
static struct source_line put_who(struct callgrind *c, uint32_t f,
                                  const char *object, const char *file,
                                  const char *function)
{
    long image = loadmap_image(&c->e->r->map, f);
    struct source_line l = line_of(c, f);

    fprintf(c->to, "%s=%s\n%s=%s\n", object,
            image < 0 ? "???" : c->e->r->map.image[image].archive, file,
            file_of(c, l));
    put_function(c, function, f);
    return l;
}

/* A line of another file, out of an inlined function, says so. *file is the
 * one that holds. Not by fi=, with which callgrind_annotate would take the
 * function for two; fl= only says what file lines are of, and before fn= what
 * the function's own is. */
static void put_spot(struct callgrind *c, const struct spot *s, uint32_t *file)
{
    struct source_line l = sources_find(c->sources, s->pc, s->cycle);

    if (l.file && l.file != *file) {
        *file = l.file;
        fprintf(c->to, "fl=%s\n", file_of(c, l));
    }
    if (s->call) {
        unsigned line = put_who(c, s->callee, "cob", "cfi", "cfn").line;

        fprintf(c->to, "calls=%" PRIu64 " 0x%" PRIx32 " %u\n", s->samples,
                c->function[s->callee].start, line);
    }
    put_costs(c, s, l.line);
}

static void put_spots(struct callgrind *c)
{
    struct spot **order = grow_zero(c->spots + 1, sizeof *order);
    uint32_t before = UINT32_MAX;
    struct source_line own = {SOURCES_NONE, 0};
    uint32_t file = SOURCES_NONE;

    for (size_t i = 0; i < c->spots; i++)
        order[i] = &c->spot[i];
    qsort(order, c->spots, sizeof *order, by_place);
    for (size_t i = 0; i < c->spots; i++) {
        if (!order[i]->samples) /* a place that only calls */
            continue;
        if (order[i]->function != before) {
            putc('\n', c->to);
            own = put_who(c, order[i]->function, "ob", "fl", "fn");
            file = own.file;
        }
        before = order[i]->function;
        put_spot(c, order[i], &file);
    }
    if (before != UINT32_MAX) /* the last one's name is made again at the end */
        fprintf(c->to, "fl=%s\n", file_of(c, own));
    free(order);
}

static void put_head(struct callgrind *c)
{
    const char *image = text_lines_get(&c->e->r->log, "image");

    fprintf(c->to,
            "# callgrind format\nversion: 1\ncreator: simprof\ncmd: %s\n"
            "positions: instr line\nevents:",
            image ? image : "?");
    for (size_t i = 0; i < c->e->counters; i++) {
        putc(' ', c->to);
        put_event_name(c->e->counter[i].name, c->to);
    }
    fputs("\nsummary:", c->to);
    for (size_t i = 0; i < c->e->counters; i++)
        fprintf(c->to, " %" PRIu64, c->e->counter[i].events);
    putc('\n', c->to);
}

bool export_callgrind(struct export *e, FILE *to)
{
    struct callgrind c = {.e = e, .to = to};
    struct export_sample s;
    struct recfile f;
    uint64_t number = 0;

    c.function = grow_zero(e->r->map.functions + 1, sizeof *c.function);
    c.sources = sources_new(e->r);
    if (export_start(e, &f))
        while (export_next(e, &f, &s))
            take(&c, &s, ++number);
    put_head(&c);
    put_spots(&c);
    sources_free(c.sources);
    hash_free(&c.spot_at);
    hash_free(&c.call_at);
    free(c.spot);
    free(c.cost);
    free(c.function);
    return !ferror(to);
}
