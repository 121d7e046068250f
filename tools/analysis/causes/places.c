/* places.c - see places.h. */
#include "tools/analysis/causes/places.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/analysis/causes/tails.h"
#include "tools/analysis/experiment/stack.h"

/* The load object of a Linux kernel. */
static long kernel_of(const struct recording *r)
{
    return text_lines_get(&r->log, "kernel") ? recording_system(r) : -1;
}

void places_open(struct places *p, struct recording *r, const struct scene *s)
{
    *p = (struct places){
        .r = r, .scene = s, .sources = sources_new(r), .kernel = kernel_of(r)};
    p->own = own_new(r, p->sources);
    p->function = tails_functions(s);
    p->tail = tails_find(s, p->function);
    p->list = grow(p->list, &p->room, 1, sizeof *p->list);
    p->count = 1;
}

void places_close(struct places *p)
{
    own_free(p->own);
    sources_free(p->sources);
    free(p->list);
    free(p->function);
    free(p->tail);
    free(p->text[0]);
    free(p->text[1]);
    hash_free(&p->link);
    hash_free(&p->of_stack);
    hash_free(&p->of_pc);
}

/* One number for a list of words: each link has the number so far. */
static uint32_t number_of(struct places *p, const struct place_of *place)
{
    const uint32_t word[] = {place->function[0], place->function[1],
                             place->function[2], place->line.file,
                             place->line.line};
    uint32_t *at = NULL, so_far = 1, functions = 0;
    bool fresh = false;

    for (size_t n = 0; n < sizeof word / sizeof *word; n++) {
        at = hash_at(&p->link,
                     (uint64_t)so_far << 35 | (uint64_t)n << 32 | word[n],
                     &fresh);
        if (fresh && n + 1 < sizeof word / sizeof *word)
            *at = (uint32_t)p->link.used;
        so_far = *at;
        if (n + 1 == PLACES_FUNCTIONS)
            functions = so_far;
    }
    if (fresh) {
        *at = (uint32_t)p->count;
        p->list = grow(p->list, &p->room, p->count + 1, sizeof *p->list);
        p->list[p->count] = *place;
        p->list[p->count++].functions = functions;
    }
    return *at;
}

/* Is that file the guest's own system? What it does for itself is said of who
 * asked it. */
static bool is_system(const char *file)
{
    static const char *const room[] = {
        "guest/kernel/", "guest/process/", "guest/lib/",          "guest/prof/",
        "guest/calls/",  "guest/boot/",    "include/record_put.h"};

    for (size_t n = 0; n < sizeof room / sizeof *room; n++)
        if (strstr(file, room[n]))
            return true;
    return false;
}

struct walk {
    uint32_t at; /* a frame's number */
    uint32_t function;
    struct source_line line;
};

static bool look(struct places *p, struct walk *w, uint32_t number,
                 uint64_t cycle)
{
    const struct frames_place *f = frames_at(&p->scene->frames, number);
    uint32_t pc, thread = p->r->map.thread;

    if (!f)
        return false;
    cycle = frames_whose(f, &p->r->map, cycle);
    pc = loadmap_home(&p->r->map, stack_before(f->pc), cycle);
    w->at = number;
    w->function = loadmap_find(&p->r->map, pc, cycle).function;
    w->line = sources_own(p->sources, pc, cycle);
    loadmap_thread(&p->r->map, thread);
    return true;
}

static bool is_of_system(const struct places *p, uint32_t function,
                         struct source_line line)
{
    if (p->kernel >= 0)
        return function == LOADMAP_UNKNOWN ||
               loadmap_image(&p->r->map, function) == p->kernel;
    return line.file != SOURCES_NONE &&
           is_system(sources_file(p->sources, line.file));
}

static bool of_system(const struct places *p, const struct walk *w)
{
    return is_of_system(p, w->function, w->line);
}

static bool is_own(struct places *p, const struct walk *w)
{
    return ((w->line.file != SOURCES_NONE &&
             !sources_installed(p->sources, w->line.file)) ||
            own_is(p->own, w->function)) &&
           !of_system(p, w);
}

/* The function behind a frame that ended with a jump to it; false: none did, or
 * one of the system. The guest's image is the first, where it is linked. */
static bool look_tail(struct places *p, struct walk *w, uint32_t frame)
{
    const struct function *f;
    long image;

    w->function = p->tail[frame];
    w->line.file = SOURCES_NONE;
    if (w->function == LOADMAP_UNKNOWN)
        return false;
    image = loadmap_image(&p->r->map, w->function);
    f = loadmap_function(&p->r->map, w->function);
    if (p->kernel >= 0 ? image == p->kernel : image == 0)
        w->line = sources_find(p->sources, (uint32_t)f->start, 0);
    return !of_system(p, w);
}

/* The frame that a waiting thread's place begins with. *tail: with the function
 * behind it. */
static uint32_t own_frame(struct places *p, uint32_t stack, uint64_t cycle,
                          bool *tail)
{
    uint32_t second = 0;
    struct walk w;

    *tail = false;
    for (uint32_t n = stack; look(p, &w, n, cycle);
         n = frames_at(&p->scene->frames, n)->caller) {
        if (is_own(p, &w))
            return n;
        if (!second && !of_system(p, &w))
            second = n;
        *tail = look_tail(p, &w, n) && own_is(p->own, w.function);
        if (*tail)
            return n;
    }
    return second ? second : stack;
}

/* The line of a place is the first one, of a program's own file if there is
 * such a one. */
static void take_line(const struct places *p, struct place_of *place,
                      struct source_line line)
{
    bool own =
        line.file != SOURCES_NONE && !sources_installed(p->sources, line.file);

    if (place->line.file == SOURCES_NONE ||
        (own && sources_installed(p->sources, place->line.file)))
        place->line = line;
}

/* A function that calls itself stands in a place once. */
static void take_function(struct place_of *place, unsigned *n,
                          uint32_t function)
{
    if (!*n || function == LOADMAP_UNKNOWN ||
        place->function[*n - 1] != function)
        place->function[(*n)++] = function;
}

/* `passed`: the frame that stands behind the innermost one, or 0 for its
 * caller. */
static uint32_t place_from(struct places *p, uint32_t stack, uint64_t cycle,
                           bool tail, uint32_t passed)
{
    struct place_of place = {.line = {SOURCES_NONE, 0}};
    struct walk w;
    unsigned n = 0;

    while (n < PLACES_FUNCTIONS && look(p, &w, stack, cycle)) {
        if (!tail)
            take_function(&place, &n, w.function);
        if (!tail)
            take_line(p, &place, w.line);
        tail = false;
        if (n < PLACES_FUNCTIONS && !passed && look_tail(p, &w, stack))
            take_function(&place, &n, w.function);
        stack = passed ? passed : frames_at(&p->scene->frames, stack)->caller;
        passed = 0;
    }
    return n ? number_of(p, &place) : PLACES_NOWHERE;
}

/* Of what a thread runs in libraries, two or more deep, the frame of the
 * program's own function that called these; 0: it is not that deep, or there is
 * none. */
static uint32_t caller_of_libraries(struct places *p, uint32_t stack,
                                    uint64_t cycle)
{
    uint32_t at = stack;
    struct walk w;
    unsigned deep;

    for (deep = 0; look(p, &w, at, cycle) && !is_own(p, &w); deep++) {
        if (of_system(p, &w))
            return 0;
        at = frames_at(&p->scene->frames, at)->caller;
    }
    return deep + 1 >= PLACES_FUNCTIONS ? at : 0;
}

static uint32_t place_of(struct places *p, uint32_t stack, uint64_t cycle,
                         bool runs)
{
    uint64_t key = (uint64_t)runs << 32 | stack;
    const uint32_t *known;
    bool fresh, tail = false;
    uint32_t place, passed = 0;

    if (!stack)
        return PLACES_NOWHERE;
    known = hash_find(&p->of_stack, key);
    if (known)
        return *known;
    if (runs)
        passed = caller_of_libraries(p, stack, cycle);
    else
        stack = own_frame(p, stack, cycle, &tail);
    place = place_from(p, stack, cycle, tail, passed);
    *hash_at(&p->of_stack, key, &fresh) = place;
    return place;
}

uint32_t places_waits(struct places *p, uint32_t stack, uint64_t cycle)
{
    return place_of(p, stack, cycle, false);
}

uint32_t places_runs(struct places *p, uint32_t stack, uint64_t cycle,
                     bool *system)
{
    struct walk w;
    bool tail;

    *system = look(p, &w, stack, cycle) && of_system(p, &w) &&
              (own_frame(p, stack, cycle, &tail) != stack || tail);
    return place_of(p, stack, cycle, !*system);
}

uint32_t places_pc(struct places *p, uint32_t pc, uint64_t cycle)
{
    const uint32_t *known = hash_find(&p->of_pc, pc);
    struct place_of place = {.line = {SOURCES_NONE, 0}};
    uint32_t home, number;
    bool fresh;

    if (known)
        return *known;
    home = loadmap_home(&p->r->map, pc, cycle);
    place.function[0] = loadmap_find(&p->r->map, home, cycle).function;
    place.line = sources_own(p->sources, home, cycle);
    number = number_of(p, &place);
    *hash_at(&p->of_pc, pc, &fresh) = number;
    return number;
}

uint32_t places_short(struct places *p, uint32_t number)
{
    struct place_of place = p->list[number];

    if (number == PLACES_NOWHERE)
        return number;
    place.function[PLACES_FUNCTIONS - 1] = LOADMAP_UNKNOWN;
    return number_of(p, &place);
}

uint32_t places_own(struct places *p, uint32_t frame)
{
    const struct frames_place *f = frames_at(&p->scene->frames, frame);
    struct walk w;

    if (!f || !look(p, &w, frame, f->cycle) || !is_own(p, &w))
        return LOADMAP_UNKNOWN;
    return w.function;
}

bool places_of_system(const struct places *p, uint32_t place)
{
    return place != PLACES_NOWHERE &&
           is_of_system(p, p->list[place].function[0], p->list[place].line);
}

bool places_same(const struct places *p, uint32_t a, uint32_t b)
{
    return p->list[a].functions == p->list[b].functions;
}

int places_order(const struct places *p, uint32_t a, uint32_t b)
{
    const struct place_of *x = &p->list[a], *y = &p->list[b];
    int order = 0;

    for (unsigned n = 0; n < PLACES_FUNCTIONS && !order; n++)
        if (x->function[n] != y->function[n])
            order = strcmp(loadmap_name(&p->r->map, x->function[n]),
                           loadmap_name(&p->r->map, y->function[n]));
    if (!order && x->line.file != y->line.file)
        order = x->line.file == SOURCES_NONE ? -1
                : y->line.file == SOURCES_NONE
                    ? 1
                    : strcmp(sources_file(p->sources, x->line.file),
                             sources_file(p->sources, y->line.file));
    if (!order && x->line.line != y->line.line)
        order = x->line.line < y->line.line ? -1 : 1;
    return order ? order : a < b ? -1 : a > b;
}

/* ---- text ---------------------------------------------------------------- */

static void put(struct places *p, unsigned n, const char *more)
{
    size_t used = p->text[n] ? strlen(p->text[n]) : 0, length = strlen(more);

    p->text[n] = grow(p->text[n], &p->text_room[n], used + length + 1, 1);
    memcpy(p->text[n] + used, more, length + 1);
}

static void clear(struct places *p, unsigned n)
{
    p->text[n] = grow(p->text[n], &p->text_room[n], 1, 1);
    p->text[n][0] = '\0';
}

const char *places_functions(struct places *p, uint32_t place)
{
    const uint32_t *f = p->list[place].function;

    clear(p, 0);
    for (unsigned n = 0; n < PLACES_FUNCTIONS && f[n] != LOADMAP_UNKNOWN; n++) {
        put(p, 0, n ? " < " : "");
        put(p, 0, loadmap_name(&p->r->map, f[n]));
    }
    return p->text[0];
}

const char *places_line(struct places *p, uint32_t place)
{
    struct source_line l = p->list[place].line;
    char number[16];

    clear(p, 1);
    if (l.file == SOURCES_NONE)
        return p->text[1];
    snprintf(number, sizeof number, ":%" PRIu32, l.line);
    put(p, 1, sources_file(p->sources, l.file));
    put(p, 1, number);
    return p->text[1];
}
