/* timetree_build.c - from an experiment's records to a time tree.
 * A stack is recognised by its program counters, which is cheap; what they
 * mean is worked out once for each.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/lib/grow.h"
#include "tools/lib/hash.h"
#include "tools/lib/samples.h"
#include "tools/lib/stacktree.h"
#include "tools/lib/timetree_file.h"

#define STACK_MAX (2 * REC_MAX_WORDS + 2)

/* A sample as its record has it. */
struct raw {
    uint64_t cycle, serial;
    uint32_t type;
};

struct build {
    struct timetree_file *f;
    struct recording *r;
    const struct timetree_choice *choice;
    unsigned kind;   /* REC_PROFILE or REC_IDLE */
    uint32_t number; /* of the counter, or IDLE_KIND_ */
    struct raw *raw; /* only when records are not in order of time */
    struct stream stream;
    uint64_t count, last;
    size_t raw_room;
    bool sorted;
    uint64_t loaded;   /* nothing was loaded after this */
    struct hash known; /* of a record's stack to a distinct stack */
    struct distinct {
        uint32_t *word; /* the counters and flags it was recognised by */
        uint32_t words, type;
        uint64_t cycle;
    } * distinct;
    size_t distincts, distinct_room;
    struct hash name_at; /* function of the load map to name */
    struct hash type_at; /* node of the tree to type */
    struct stacktree tree;
    size_t names_room, types_room, text_room;
};

/* ---- names and stacks --------------------------------------------------- */

static uint32_t add_name(struct build *w, const char *name)
{
    struct timetree_file *f = w->f;
    size_t n = strlen(name) + 1;

    for (uint64_t i = 0; i < f->names; i++) /* functions, not samples */
        if (!strcmp(f->text + f->name[i], name))
            return (uint32_t)i;
    f->name = grow(f->name, &w->names_room, f->names + 1, sizeof *f->name);
    f->text = grow(f->text, &w->text_room, f->text_size + n, 1);
    memcpy(f->text + f->text_size, name, n);
    f->name[f->names] = f->text_size;
    f->text_size += n;
    return (uint32_t)f->names++;
}

static uint32_t name_of(struct build *w, uint32_t pc, uint64_t cycle)
{
    uint32_t function = loadmap_find(&w->r->map, pc, cycle).function;
    bool fresh;
    uint32_t *at = hash_at(&w->name_at, function, &fresh);

    if (fresh)
        *at = add_name(w, samples_name(w->r, function));
    return *at;
}

/* A cold part of a function has that function as its caller. */
static size_t put_frame(struct build *w, uint32_t *frame, size_t n,
                        uint32_t name)
{
    const char *cold =
        n ? strstr(w->f->text + w->f->name[frame[n - 1]], ".cold") : NULL;

    if (cold) {
        const char *whole = w->f->text + w->f->name[frame[n - 1]];
        char *origin = grow_bytes(whole, (size_t)(cold - whole));

        if (*origin && strcmp(origin, w->f->text + w->f->name[name]))
            frame[n++] = add_name(w, origin);
        free(origin);
    }
    frame[n++] = name;
    return n;
}

/* The type of a stack: its functions, leaf first. */
static uint32_t resolve(struct build *w, const struct distinct *d)
{
    uint32_t frame[STACK_MAX], node, *type;
    size_t n = 0;
    bool fresh;

    for (uint32_t i = 1; i < d->words; i++) {
        uint32_t pc = d->word[i];

        n = put_frame(w, frame, n,
                      name_of(w, i > 1 && pc >= 4 ? pc - 4 : pc, d->cycle));
    }
    if (d->word[0])
        frame[n++] = add_name(w, samples_name(w->r, SAMPLES_TRUNCATED));
    node = stacktree_enter(&w->tree, frame, n);
    type = hash_at(&w->type_at, node, &fresh);
    if (fresh) {
        *type = w->f->tree.types++;
        w->f->call_of = grow(w->f->call_of, &w->types_room, *type + 1,
                             sizeof *w->f->call_of);
        w->f->call_of[*type] = node;
    }
    return *type;
}

/* ---- records ------------------------------------------------------------ */

/* Where in a record the stack is. */
static void stack_of(const struct record *record, unsigned *first,
                     uint32_t *depth, bool *truncated)
{
    bool idle = record->kind == REC_IDLE;

    *first = idle ? IDLE_WORDS : PROFILE_WORDS;
    *depth = record_word(record, idle ? 4 : 6);
    *truncated = !idle && (record_word(record, 5) & PROFILE_TRUNCATED);
    if (!idle && !*depth) { /* no stack was walked: where it was */
        *first = 3;
        *depth = 1;
    }
}

static bool same(const struct distinct *d, const struct record *record,
                 unsigned first, uint32_t depth, bool truncated)
{
    if (d->words != depth + 1 || d->word[0] != truncated)
        return false;
    for (uint32_t i = 0; i < depth; i++)
        if (d->word[1 + i] != record_word(record, first + i))
            return false;
    return true;
}

/* Programs may be loaded while the run goes on: a stack then means what it
 * did only until the next one. */
static uint64_t epoch_of(const struct build *w, uint64_t cycle)
{
    const struct loadmap *m = &w->r->map;
    uint64_t epoch = 0;

    if (cycle >= w->loaded)
        return 0;
    for (size_t i = 0; i < m->segments; i++)
        epoch += m->segment[i].from > cycle;
    return epoch;
}

static uint32_t type_of(struct build *w, const struct record *record)
{
    unsigned first;
    uint32_t depth, *at;
    bool truncated, fresh;
    uint64_t key;
    struct distinct *d;

    stack_of(record, &first, &depth, &truncated);
    key = (epoch_of(w, record->cycle) * 2 + truncated) * 0x9E3779B97F4A7C15u;
    for (uint32_t i = 0; i < depth; i++) {
        key = (key ^ record_word(record, first + i)) * 0xFF51AFD7ED558CCDu;
        key ^= key >> 29;
    }
    for (;; key++) {
        at = hash_at(&w->known, key, &fresh);
        if (fresh)
            break;
        if (same(&w->distinct[*at], record, first, depth, truncated))
            return w->distinct[*at].type;
    }
    *at = (uint32_t)w->distincts;
    w->distinct = grow(w->distinct, &w->distinct_room, w->distincts + 1,
                       sizeof *w->distinct);
    d = &w->distinct[w->distincts++];
    *d = (struct distinct){.word = grow_zero(depth + 1, sizeof *d->word),
                           .words = depth + 1,
                           .cycle = record->cycle};
    d->word[0] = truncated;
    for (uint32_t i = 0; i < depth; i++)
        d->word[1 + i] = record_word(record, first + i);
    d->type = resolve(w, d);
    return d->type;
}

static bool wanted(const struct build *w, const struct record *record)
{
    const struct timetree_choice *c = w->choice;

    return record_word(record, 0) == w->number &&
           (!c->one_thread || record->thread == c->thread) &&
           (c->cpu < 0 || record->cpu == (unsigned long)c->cpu);
}

/* What was in order until now is to be sorted after all. */
static void unsort(struct build *w)
{
    w->sorted = false;
    for (uint64_t i = 0; i < w->stream.count; i++) {
        w->raw = grow(w->raw, &w->raw_room, i + 1, sizeof *w->raw);
        w->raw[i] =
            (struct raw){stream_time(&w->stream, i), i, w->stream.type[i]};
    }
    stream_free(&w->stream);
}

static void add_sample(struct build *w, uint64_t cycle, uint32_t type)
{
    if (w->sorted && w->count && cycle < w->last)
        unsort(w);
    w->last = cycle;
    if (w->sorted) {
        stream_add(&w->stream, cycle, type);
    } else {
        w->raw = grow(w->raw, &w->raw_room, w->count + 1, sizeof *w->raw);
        w->raw[w->count] = (struct raw){cycle, w->count, type};
    }
    w->count++;
}

static int by_time(const void *a, const void *b)
{
    const struct raw *x = a, *y = b;

    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static void sort(struct build *w)
{
    if (w->sorted)
        return;
    qsort(w->raw, w->count, sizeof *w->raw, by_time);
    for (uint64_t i = 0; i < w->count; i++)
        stream_add(&w->stream, w->raw[i].cycle, w->raw[i].type);
    free(w->raw);
    w->raw = NULL;
}

static bool read_records(struct build *w)
{
    struct record record;
    struct recfile f;

    if (!recording_records(w->r, w->kind, &f))
        return false;
    w->f->seen = f.size;
    w->f->kind = w->kind;
    while (recfile_next(&f, &record))
        if (wanted(w, &record))
            add_sample(w, record.cycle, type_of(w, &record));
    recording_done(w->r, &f);
    return true;
}

/* ---- which ones --------------------------------------------------------- */

/* The counter by its name in the log, "profile N NAME PERIOD MODES", or the
 * first one that takes samples. Of one MODE only, cycles is cycles.u. */
static bool find_counter(struct build *w, const char **name, char counter[80])
{
    for (size_t i = 0; i < w->r->log.count; i++) {
        const struct line *l = &w->r->log.line[i];
        char event[64], modes[8] = "";
        uint64_t period;

        if (strcmp(l->key, "profile") ||
            sscanf(l->value, "%" SCNu32 " %63s %" SCNu64 " %7s", &w->number,
                   event, &period, modes) < 3 ||
            !period)
            continue;
        snprintf(counter, 80, "%s%s%s", event, modes[0] && !modes[1] ? "." : "",
                 modes[0] && !modes[1] ? modes : "");
        if (!*name || !strcmp(*name, counter)) {
            *name = counter;
            return true;
        }
    }
    return false;
}

static bool choose(struct build *w, char *why, size_t size)
{
    const struct timetree_choice *c = w->choice;
    const char *name = c->event;
    char counter[80];
    int n;

    w->kind = REC_PROFILE;
    if (name && (!strcmp(name, "to-idle") || !strcmp(name, "from-idle"))) {
        w->kind = REC_IDLE;
        w->number = *name == 't' ? IDLE_KIND_TO : IDLE_KIND_FROM;
    } else if (!find_counter(w, &name, counter)) {
        snprintf(why, size,
                 name ? "no counter \"%s\" took samples; the log's lines "
                        "`profile` name them, or take to-idle or from-idle"
                      : "no counter took samples (simrun -e EVENT:PERIOD); "
                        "to-idle and from-idle samples are taken by --event",
                 name);
        return false;
    }
    n = snprintf(w->f->source, TIMETREE_SOURCE, "%s", name);
    if (c->one_thread)
        n += snprintf(w->f->source + n, (size_t)(TIMETREE_SOURCE - n),
                      ", thread %" PRIu32, c->thread);
    if (c->cpu >= 0)
        snprintf(w->f->source + n, (size_t)(TIMETREE_SOURCE - n), ", CPU %ld",
                 c->cpu);
    return true;
}

/* ---- together ----------------------------------------------------------- */

static void keep_calls(struct build *w)
{
    struct timetree_file *f = w->f;

    f->calls = w->tree.count;
    f->call = grow_zero(f->calls, sizeof *f->call);
    for (uint64_t i = 1; i < f->calls; i++)
        f->call[i] = (struct timetree_call){w->tree.node[i].parent,
                                            w->tree.node[i].frame};
}

static void forget(struct build *w)
{
    for (size_t i = 0; i < w->distincts; i++)
        free(w->distinct[i].word);
    free(w->distinct);
    hash_free(&w->known);
    hash_free(&w->name_at);
    hash_free(&w->type_at);
    stacktree_free(&w->tree);
}

bool timetree_file_build(struct timetree_file *f, struct recording *r,
                         const struct timetree_choice *c, char *why,
                         size_t size)
{
    struct build w = {.f = f, .r = r, .choice = c, .sorted = true};
    uint32_t types;
    uint64_t end;

    *f = (struct timetree_file){0};
    if (!choose(&w, why, size))
        return false;
    for (size_t i = 0; i < r->map.segments; i++)
        if (r->map.segment[i].from > w.loaded)
            w.loaded = r->map.segment[i].from;
    stacktree_init(&w.tree, 1);
    add_name(&w, samples_name(r, SAMPLES_TOTAL));
    if (!read_records(&w) || !w.count) {
        snprintf(why, size, "%s: no samples of %s", recfile_name(w.kind),
                 f->source);
        forget(&w);
        timetree_file_close(f);
        return false;
    }
    sort(&w);
    keep_calls(&w);
    forget(&w);
    /* The run's last cycle belongs to it; what follows does not. */
    end = stream_time(&w.stream, w.stream.count - 1);
    end = (end > r->end ? end : r->end) + 1;
    types = f->tree.types;
    timetree_build(&f->tree, &w.stream, types, 0, end, &c->with);
    return true;
}
