/* candidates.c - what may be changed, by what the recording shows: functions on
 * the critical path and at the ends of chains, locks that threads wait for,
 * disks, masks, priorities, processors.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/elf/demangle.h"
#include "tools/analysis/advise/advise.h"
#include "tools/analysis/states/words.h"

#define ROOTS 12u   /* looked at, of the path and of idle time each */
#define LOCKS 4u    /* the longest waited for */
#define NEAR 10u    /* percent: not told apart by what is predicted */
#define LOCK 200    /* bytes of a lock's name; a longer one has its address */
#define LITTLE 200u /* one part in so many of the run */

struct advise_candidate *advise_add(struct advise *a, enum advise_kind kind)
{
    a->candidate =
        grow(a->candidate, &a->room, a->candidates + 1, sizeof *a->candidate);
    a->candidate[a->candidates] = (struct advise_candidate){.kind = kind};
    return &a->candidate[a->candidates++];
}

static void put_factor(char out[16], uint32_t factor)
{
    size_t used;

    snprintf(out, 16, "x%u.%06u", factor / ADVISE_UNIT, factor % ADVISE_UNIT);
    for (used = strlen(out); out[used - 1] == '0'; used--)
        out[used - 1] = '\0';
    if (out[used - 1] == '.')
        out[used - 1] = '\0';
}

/* ---- functions ----------------------------------------------------------- */

static const char *fit(const struct advise *a, uint32_t function,
                       char out[ADVISE_NAME])
{
    return demangled_fit(loadmap_name(&a->r->map, function), out, ADVISE_NAME);
}

/* "f < g < h", of a place. */
static void put_stack(const struct advise *a, uint32_t place,
                      char out[ADVISE_TEXT])
{
    const struct place_of *p = &a->places->list[place];
    size_t used = strlen(out);
    char name[ADVISE_NAME];

    for (unsigned n = 0; n < PLACES_FUNCTIONS; n++) {
        if (p->function[n] == LOADMAP_UNKNOWN)
            break;
        snprintf(out + used, ADVISE_TEXT - used, "%s%s", n ? " < " : "",
                 fit(a, p->function[n], name));
        used += strlen(out + used);
    }
}

/* Is it of a program inside a Linux kernel? */
static bool is_inside(const struct advise *a, uint32_t function)
{
    return text_lines_get(&a->r->log, "kernel") &&
           loadmap_image(&a->r->map, function) > 0;
}

/* A name of C++ without its parameters, if no other function is called that. */
static size_t short_name(const struct loadmap *m, uint32_t function)
{
    const char *name = loadmap_name(m, function);
    size_t length = demangled_short(name);

    if (!length || !strchr(name, '('))
        return strlen(name);
    for (uint32_t f = 1; f < m->functions; f++) {
        const char *other = loadmap_name(m, f);

        if (f != function && !strncmp(other, name, length) &&
            (!other[length] || demangled_short(other) == length))
            return strlen(name);
    }
    return length;
}

/* What simrun --what-if calls it; inside, "PROGRAM:NAME". */
static void put_name(const struct advise *a, uint32_t function, char *out,
                     size_t size)
{
    const struct loadmap *m = &a->r->map;
    const char *name = loadmap_name(m, function),
               *object = loadmap_object(m, function),
               *end = strrchr(object, '.');

    if (is_inside(a, function) && end)
        snprintf(out, size, "%.*s:%.*s", (int)(end - object), object,
                 (int)strcspn(name, " "), name);
    else
        snprintf(out, size, "%.*s", (int)short_name(m, function), name);
}

/* Can simrun --what-if mean it by its name? */
static bool has_name(const struct advise *a, uint32_t function)
{
    const char *name = loadmap_name(&a->r->map, function);

    if (!loadmap_function(&a->r->map, function) || *name == '<' ||
        strpbrk(name, ";=") || short_name(&a->r->map, function) > 120)
        return false;
    return !is_inside(a, function) || a->sysroot;
}

bool advise_change(const struct advise *a, uint32_t function, bool whole,
                   uint32_t factor, struct advise_candidate *c)
{
    char k[16], name[WORDS_TEXT];

    if (function == LOADMAP_UNKNOWN || !has_name(a, function))
        return false;
    put_name(a, function, name, sizeof name);
    put_factor(k, factor);
    c->kind = ADVISE_FUNCTION;
    c->function = function;
    c->whole = whole;
    c->factor = factor;
    snprintf(c->spec, sizeof c->spec, "func:%.260s%s=%s", name,
             whole ? "+" : "", k);
    return true;
}

/* What a function does, and where, as a root has it. */
static void describe(const struct advise *a, const struct causes_root *r,
                     struct advise_candidate *c)
{
    char name[ADVISE_NAME];

    c->place = r->place;
    snprintf(c->what, sizeof c->what, "%s ",
             r->is == ROOT_SLEEPS   ? "sleeps"
             : r->is == ROOT_DEVICE ? "waits for the disk in"
                                    : "runs");
    if (c->function == a->places->list[r->place].function[0] &&
        advise_helps_several(a, c->function))
        snprintf(c->what + strlen(c->what), ADVISE_TEXT - strlen(c->what),
                 "%s, for several callers", fit(a, c->function, name));
    else
        put_stack(a, r->place, c->what);
}

/* Is it a library's that calls the program's own, as OpenMP's do that run tasks
 * while they wait? What it takes with these is that of many. */
static bool calls_back(const struct advise *a, uint32_t function)
{
    const struct frames *f = &a->scene->frames;
    const uint32_t *of = a->places->function;

    for (size_t n = 1; n < f->count && !advise_is_own(a, function); n++) {
        uint32_t caller = f->place[n].caller;

        if (of[n] == LOADMAP_UNKNOWN || !advise_is_own(a, of[n]))
            continue;
        while (caller && of[caller] != function)
            caller = f->place[caller].caller;
        if (caller)
            return true;
    }
    return false;
}

/* Is it a library's by which a sleep is asked for? What the program calls it
 * for says more. */
static bool asks_for_sleep(const struct advise *a, uint32_t function)
{
    const struct scene *s = a->scene;
    const struct frames_place *f;

    if (advise_is_own(a, function))
        return false;
    for (size_t n = 0; n < s->stays; n++) {
        uint32_t stack = s->stay[n].stack;

        if (s->stay[n].state != STATE_TIMER || !a->path.stack[stack])
            continue;
        for (; (f = frames_at(&s->frames, stack)); stack = f->caller)
            if (a->places->function[stack] == function)
                return true;
    }
    return false;
}

/* `whole`: with what it calls, even if it is what a thread begins with; else
 * all of a thread in half the time would say nothing: what it does itself. Of
 * several roots the first, which has most, describes it. */
static void add_function(struct advise *a, uint32_t function,
                         const struct causes_root *r, bool whole,
                         uint32_t factor)
{
    struct advise_candidate *c = NULL;
    bool begins;

    if (function == LOADMAP_UNKNOWN || !has_name(a, function) ||
        advise_is_entry(a, function) || calls_back(a, function) ||
        asks_for_sleep(a, function))
        return;
    begins = advise_begins(a, function);
    for (size_t n = 0; n < a->candidates && !c; n++)
        if (a->candidate[n].kind == ADVISE_FUNCTION &&
            a->candidate[n].function == function)
            c = &a->candidate[n];
    if (c && (c->whole || !whole))
        return;
    if (!c) {
        c = advise_add(a, ADVISE_FUNCTION);
        c->function = function;
        describe(a, r, c);
    }
    whole |= !begins;
    advise_change(a, function, whole, factor, c);
    c->thread = whole && (begins || advise_leads(a, function));
}

/* What a function does on the path may not be what CPUs idle for: of that which
 * is changed with it they may idle longer for something else. */
static void describe_by_idle(const struct advise *a, struct advise_candidate *c)
{
    const struct causes_root *most = NULL;
    uint64_t now = 0;

    if (c->kind != ADVISE_FUNCTION || !c->whole || c->thread)
        return;
    for (size_t n = 0; n < a->causes.roots; n++) {
        const struct causes_root *r = &a->causes.root[n];
        const uint32_t *f = a->places->list[r->place].function;

        if ((r->is != ROOT_RUNS && r->is != ROOT_SLEEPS &&
             r->is != ROOT_DEVICE) ||
            (f[0] != c->function && f[1] != c->function))
            continue;
        if (r->place == c->place && r->cycles > now)
            now = r->cycles;
        if (!most || r->cycles > most->cycles)
            most = r;
    }
    if (most && most->cycles / 2 > now)
        describe(a, most, c);
}

/* Of the samples that are in a function or what it calls, as deep as that may
 * be, the function that most are in; or, of those that are in `leaf`, the
 * place. So many of them. */
static uint32_t most_within(const struct advise *a, uint32_t function,
                            uint32_t leaf, uint32_t *is)
{
    const struct scene *s = a->scene;
    struct hash at = {0};
    uint32_t most = 0;
    bool fresh, system;

    for (size_t k = 0; k < s->spots; k++) {
        uint32_t frame = s->spot[k].stack, place, f, *n;

        while (frames_at(&s->frames, frame) &&
               a->places->function[frame] != function)
            frame = s->frames.place[frame].caller;
        if (!s->spot[k].sample || !frames_at(&s->frames, frame))
            continue;
        place =
            places_runs(a->places, s->spot[k].stack, s->spot[k].cycle, &system);
        f = a->places->list[place].function[0];
        if (f == LOADMAP_UNKNOWN || (leaf != LOADMAP_UNKNOWN && f != leaf))
            continue;
        f = leaf == LOADMAP_UNKNOWN ? f : place;
        n = hash_at(&at, f, &fresh);
        if (++*n > most) {
            most = *n;
            *is = f;
        }
    }
    hash_free(&at);
    return most;
}

/* Where what is changed is more than its place says, which tells of three
 * functions alone: it is named, and where most of it is. */
static void describe_deep(const struct advise *a, struct advise_candidate *c)
{
    const uint32_t *f = a->places->list[c->place].function;
    uint32_t leaf = LOADMAP_UNKNOWN;
    char name[ADVISE_NAME], inner[ADVISE_NAME];
    uint64_t most, all;

    if (c->kind != ADVISE_FUNCTION || !c->whole || f[0] == c->function ||
        strncmp(c->what, "runs ", 5) || c->function >= a->r->map.functions ||
        !a->inside[c->function])
        return;
    all = a->inside[c->function];
    most = most_within(a, c->function, LOADMAP_UNKNOWN, &leaf) * a->sample;
    if (!most || (most > all / 2 && f[0] == leaf) || leaf == c->function)
        return;
    most_within(a, c->function, leaf, &c->place);
    snprintf(c->what, sizeof c->what, "runs %s, %u%% of it in %s",
             fit(a, c->function, name),
             (unsigned)((most * 100 + all / 2) / all), fit(a, leaf, inner));
}

static bool says_something(const struct advise *a, uint32_t function)
{
    return advise_is_own(a, function) && !advise_begins(a, function);
}

/* The innermost function of a root, but for those that a library has for its
 * own, and for the means of several; and its caller if that says something; the
 * caller's caller is mostly what a thread began with, and so is what has no
 * caller. */
static void add_functions(struct advise *a, const struct causes *c,
                          uint32_t factor)
{
    for (size_t n = 0; n < c->roots && n < ROOTS; n++) {
        const struct causes_root *r = &c->root[n];
        const struct place_of *p = &a->places->list[r->place];
        int first = advise_blamed(a, p);

        if (first == ADVISE_NOBODY ||
            (r->is != ROOT_RUNS && r->is != ROOT_SYSTEM &&
             r->is != ROOT_SLEEPS && r->is != ROOT_DEVICE))
            continue;
        if (first)
            add_function(a, p->function[first], r, true, factor);
        for (int k = first ? first + 1 : 0; k + 1 < PLACES_FUNCTIONS; k++)
            if (p->function[k + 1] != LOADMAP_UNKNOWN &&
                (k ? says_something(a, p->function[k])
                   : advise_is_own(a, p->function[0]) ||
                         advise_is_own(a, p->function[1])))
                add_function(a, p->function[k], r, false, factor);
    }
}

/* ---- the rest ------------------------------------------------------------ */

/* Where it is held for most of the time that others wait for it. */
static void put_holder(const struct advise *a, uint32_t lock,
                       struct advise_candidate *c)
{
    const struct locks *l = &a->locks;

    for (size_t n = 0; n < l->places; n++) {
        const struct locks_place *p = &l->place[n];

        if (p->lock != lock || !p->holds ||
            p->sum.cycles * 2 <= l->lock[lock].holds.cycles)
            continue;
        if (a->places->list[p->place].function[0] == LOADMAP_UNKNOWN)
            return;
        snprintf(c->what + strlen(c->what), ADVISE_TEXT - strlen(c->what),
                 ", mostly in ");
        put_stack(a, p->place, c->what);
        c->place = p->place;
        return;
    }
}

static void add_locks(struct advise *a, uint32_t factor)
{
    char name[WORDS_TEXT], said[WORDS_TEXT], in_words[LOCK + 1], k[16];

    put_factor(k, factor);
    for (size_t n = 0; n < a->locks.shown && n < LOCKS; n++) {
        uint32_t lock = a->locks.order[n];
        const struct scene_lock *t = &a->scene->lock[lock];
        struct advise_candidate *c;

        if ((t->kind != OBJECT_KERNEL && t->kind != OBJECT_USER) || t->word)
            continue;
        words_hold(a->r, t->object, t->at, name);
        words_object(a->r, t->kind, t->object, t->at, said);
        /* Such as that of a process's memory: no program can change it. */
        if (t->kind == OBJECT_KERNEL && !strncmp(name, "0x", 2))
            continue;
        c = advise_add(a, ADVISE_LOCK);
        c->lock = lock;
        c->factor = factor;
        if (strlen(name) > LOCK || strchr(name, ';') || strchr(name, ' '))
            snprintf(name, sizeof name, "0x%08" PRIx32, t->object);
        snprintf(c->spec, sizeof c->spec, "hold:%.*s=%s", LOCK, name, k);
        snprintf(c->what, sizeof c->what, "the lock %s is held",
                 demangled_fit(said, in_words, sizeof in_words));
        put_holder(a, lock, c);
    }
}

static bool has_root(const struct causes *c, enum chain_root is)
{
    for (size_t n = 0; n < c->roots; n++)
        if (c->root[n].is == is)
            return true;
    return false;
}

static void add_device(struct advise *a, uint32_t factor)
{
    struct advise_candidate *c;
    char k[16];

    if (!has_root(&a->causes, ROOT_DEVICE) &&
        !has_root(&a->path.c, ROOT_DEVICE))
        return;
    c = advise_add(a, ADVISE_DEVICE);
    c->factor = factor;
    put_factor(k, factor);
    snprintf(c->spec, sizeof c->spec, "device:disk latency=%s", k);
    snprintf(c->what, sizeof c->what, "the disk serves requests");
}

static void add_mask(struct advise *a)
{
    struct advise_candidate *c;
    uint64_t most = 0;

    if (!has_root(&a->causes, ROOT_MASK) ||
        text_lines_get(&a->r->log, "kernel")) /* Linux's cannot be told */
        return;
    c = advise_add(a, ADVISE_AFFINITY);
    snprintf(c->spec, sizeof c->spec, "affinity:all=all");
    snprintf(c->what, sizeof c->what, "masks that forbid idle CPUs");
    for (size_t n = 0; n < a->causes.roots; n++) {
        const struct causes_root *r = &a->causes.root[n];

        if (r->is == ROOT_MASK && r->cycles > most) {
            most = r->cycles;
            c->place = r->place;
        }
    }
    if (c->place == PLACES_NOWHERE)
        return;
    snprintf(c->what + strlen(c->what), ADVISE_TEXT - strlen(c->what),
             ", most set in ");
    put_stack(a, c->place, c->what);
}

/* The guest's own workloads begin more threads where there are more CPUs, and
 * these do more: that is no shorter run. */
static bool grows_with_cpus(const struct advise *a)
{
    const char *args = text_lines_get(&a->r->log, "args");

    return !text_lines_get(&a->r->log, "self") &&
           !text_lines_get(&a->r->log, "kernel") &&
           !(args && strstr(args, "run="));
}

static void add_processor(struct advise *a)
{
    uint64_t waiting = scene_runnable(a->scene), all = a->r->end * a->r->cpus;
    struct advise_candidate *c;

    if (a->r->cpus >= 8 || grows_with_cpus(a))
        return;
    c = advise_add(a, ADVISE_CPUS);
    snprintf(c->spec, sizeof c->spec, "cpus=+1");
    snprintf(c->what, sizeof c->what, "%s",
             waiting >= all / 100 ? "threads wait for a CPU" : "one CPU more");
}

/* ---- order --------------------------------------------------------------- */

/* Cycles that all CPUs together were idle since a function ran, slept, or
 * waited for a device: as cycles of the run. */
static uint64_t idle_for(const struct advise *a, uint32_t function)
{
    uint64_t sum = 0;

    for (size_t n = 0; n < a->causes.roots; n++) {
        const struct causes_root *r = &a->causes.root[n];
        const struct place_of *p = &a->places->list[r->place];

        if ((r->is == ROOT_RUNS || r->is == ROOT_SLEEPS ||
             r->is == ROOT_DEVICE) &&
            (p->function[0] == function || p->function[1] == function))
            sum += r->cycles;
    }
    return sum / a->r->cpus;
}

/* By which it is ordered: what is predicted, or, where the path has less of it,
 * what idle time is charged to it; a quarter of what the path has of it, where
 * another path would take over. A function says where to change something,
 * more than a lock that it takes; one of a library less. */
static uint64_t rank(struct advise *a, const struct advise_candidate *c)
{
    uint64_t predicted = c->predicted > 0 ? (uint64_t)c->predicted : 0, idle;

    if (c->kind == ADVISE_LOCK)
        return predicted * 4 / 5;
    if (c->kind != ADVISE_FUNCTION)
        return predicted;
    idle = retime_scale(ADVISE_UNIT - c->factor, idle_for(a, c->function));
    if (idle < predicted)
        idle = predicted;
    if (idle < c->on_path / 4)
        idle = c->on_path / 4;
    return advise_is_own(a, c->function) ? idle : idle / 4;
}

/* What ranks below that is not tried, but for changes that need no work. */
static bool is_little(const struct advise *a, const struct advise_candidate *c)
{
    return c->rank < a->path.c.total / LITTLE &&
           (c->kind == ADVISE_FUNCTION || c->kind == ADVISE_LOCK ||
            c->kind == ADVISE_DEVICE);
}

/* Was the run recorded with a change of the same? */
static bool is_given(const struct advise *a, const struct advise_candidate *c)
{
    size_t of = strcspn(c->spec, "+=");

    for (size_t n = 0; n < a->r->log.count; n++)
        if (!strcmp(a->r->log.line[n].key, "what-if") &&
            !strncmp(a->r->log.line[n].value, c->spec, of) &&
            strchr("+=", a->r->log.line[n].value[of]))
            return true;
    return false;
}

static void drop_little(struct advise *a)
{
    size_t kept = 0;

    for (size_t n = 0; n < a->candidates; n++)
        if (!is_little(a, &a->candidate[n]) && !is_given(a, &a->candidate[n]))
            a->candidate[kept++] = a->candidate[n];
    a->candidates = kept;
}

/* Of two functions that rank nearly the same, the first in
 * order: does the other say more? The callee does, unless it is a helper, of
 * which the caller says more. */
static bool says_more(const struct advise *a, const struct advise_candidate *c,
                      const struct advise_candidate *other)
{
    if (c->kind != ADVISE_FUNCTION || other->kind != ADVISE_FUNCTION ||
        other->rank < c->rank - c->rank * NEAR / 100 ||
        advise_helps_several(a, other->function))
        return false;
    return advise_helps_several(a, c->function) ||
           advise_is_within(a, other->function, c->function);
}

/* Most first. */
static void order(struct advise *a)
{
    for (size_t n = 1; n < a->candidates; n++) {
        struct advise_candidate c = a->candidate[n];
        size_t k = n;

        for (; k && a->candidate[k - 1].rank < c.rank; k--)
            a->candidate[k] = a->candidate[k - 1];
        a->candidate[k] = c;
    }
    for (size_t round = 0; round < a->candidates; round++)
        for (size_t n = 0; n + 1 < a->candidates; n++) {
            struct advise_candidate *c = &a->candidate[n], first = *c;

            if (!says_more(a, c, &c[1]))
                continue;
            *c = c[1];
            c[1] = first;
        }
}

void advise_open(struct advise *a, const struct scene *s,
                 const struct scene *run, struct places *p, bool sysroot)
{
    struct causes_choice choice = {.cpu = -1, .thread = SCENE_NONE};
    struct naps naps;

    *a =
        (struct advise){.r = s->r, .scene = s, .places = p, .sysroot = sysroot};
    a->graph = retime_open(run, s->r->windowed ? s->r->to : UINT64_MAX);
    path_find(&a->path, s, p, SCENE_NONE);
    naps_read(&naps, s, s->r);
    causes_find(&a->causes, s, &naps, p, &choice);
    naps_free(&naps);
    advise_find_done(a);
    advise_find_begun(a);
}

void advise_find(struct advise *a, uint32_t factor)
{
    locks_find(&a->locks, a->scene, a->places, SCENE_NONE, 0);
    add_mask(a);
    advise_find_priorities(a);
    add_device(a, factor);
    add_processor(a);
    add_functions(a, &a->path.c, factor);
    add_functions(a, &a->path.taken, factor);
    add_functions(a, &a->causes, factor);
    add_locks(a, factor);
    for (size_t n = 0; n < a->candidates; n++)
        describe_by_idle(a, &a->candidate[n]);
    for (size_t n = 0; n < a->candidates; n++)
        describe_deep(a, &a->candidate[n]);
    for (size_t n = 0; n < a->candidates; n++)
        advise_predict(a, &a->candidate[n]);
    for (size_t n = 0; n < a->candidates; n++)
        a->candidate[n].rank = rank(a, &a->candidate[n]);
    drop_little(a);
    order(a);
}

void advise_free(struct advise *a)
{
    retime_close(a->graph);
    causes_free(&a->causes);
    locks_free(&a->locks);
    path_free(&a->path);
    free(a->done.root);
    hash_free(&a->begun);
    hash_free(&a->entries);
    free(a->inside);
    free(a->candidate);
    *a = (struct advise){0};
}
