/* ends.c - see ends.h. */
#include "tools/analysis/causes/ends.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/analysis/experiment/stack.h"

/* What a stack has, as bits. */
#define HAS_OWN 1u     /* a function of the program's own */
#define LEAF_IS_OWN 2u /* the innermost is one */
#define OF_PROGRAM 4u  /* a function that is not the guest's */
#define MAKES 8u       /* in front of own ones: it makes a thread, */
#define MEETS 16u      /* or is one of those by which threads meet */

/* The function of a frame, if it is the program's own; or LOADMAP_UNKNOWN. */
static uint32_t own_at(struct ends *e, uint32_t frame)
{
    uint32_t function = places_own(e->places, frame);

    return loadmap_image(&e->scene->r->map, function) == e->machine
               ? LOADMAP_UNKNOWN
               : function;
}

static uint32_t function_at(struct ends *e, const struct frames_place *f)
{
    struct loadmap *m = &e->scene->r->map;
    uint32_t thread = m->thread, function;
    uint64_t cycle = frames_whose(f, m, f->cycle);

    function =
        loadmap_find(m, loadmap_home(m, stack_before(f->pc), cycle), cycle)
            .function;
    loadmap_thread(m, thread);
    return function;
}

/* The functions of POSIX and of C by which threads meet: their names, those
 * that the C library has for versions and parts of them, and the system calls
 * that they make. */
static bool is_meeting(const char *name)
{
    static const char *const begins[] = {"pthread_", "sem_",     "new_sem_",
                                         "old_sem_", "mtx_",     "cnd_",
                                         "lll_",     "call_once"};

    if (strstr(name, "futex"))
        return true;
    name += strspn(name, "_");
    for (size_t n = 0; n < sizeof begins / sizeof *begins; n++)
        if (!strncmp(name, begins[n], strlen(begins[n])))
            return true;
    return false;
}

/* What a frame in front of all own ones says. */
static uint32_t inner_bits(struct ends *e, uint32_t function)
{
    const char *name = loadmap_name(&e->scene->r->map, function);

    return strstr(name, "pthread_create") ? MAKES
           : is_meeting(name)             ? MEETS
                                          : 0;
}

static uint32_t look(struct ends *e, uint32_t stack)
{
    const struct frames_place *f;
    uint32_t has = 0, inner = LOADMAP_UNKNOWN, outer = LOADMAP_UNKNOWN;
    bool fresh;

    for (uint32_t n = stack; (f = frames_at(&e->scene->frames, n));
         n = f->caller) {
        uint32_t own = own_at(e, n), function = function_at(e, f);

        if (loadmap_image(&e->scene->r->map, function) != e->machine)
            has |= OF_PROGRAM;
        if (own != LOADMAP_UNKNOWN) {
            has |= n == stack ? HAS_OWN | LEAF_IS_OWN : HAS_OWN;
            inner = inner == LOADMAP_UNKNOWN ? own : inner;
            outer = own;
        } else if (!(has & HAS_OWN)) {
            has |= inner_bits(e, function);
        }
    }
    *hash_at(&e->inner, stack, &fresh) = inner;
    if (outer != LOADMAP_UNKNOWN)
        *hash_at(&e->begins, outer, &fresh) = 1;
    return has;
}

static uint32_t has_of(struct ends *e, uint32_t stack)
{
    const uint32_t *known = hash_find(&e->of_stack, stack);
    uint32_t has;
    bool fresh;

    if (known)
        return *known;
    has = look(e, stack);
    *hash_at(&e->of_stack, stack, &fresh) = has;
    return has;
}

/* Is its innermost own function one that threads begin with? */
static bool at_begin(struct ends *e, uint32_t stack)
{
    const uint32_t *inner = hash_find(&e->inner, stack);

    return inner && hash_find(&e->begins, *inner);
}

static void read_thread(struct ends *e, uint32_t thread)
{
    const struct scene_thread *t = &e->scene->thread[thread];
    struct ends_thread *is = &e->thread[thread];

    is->first = UINT64_MAX;
    for (size_t n = t->spot; n < t->spot + t->spots; n++) {
        const struct scene_spot *spot = &e->scene->spot[n];

        if (!(has_of(e, spot->stack) & HAS_OWN))
            continue;
        if (is->first == UINT64_MAX)
            is->first = spot->cycle;
        is->last = spot->cycle;
    }
}

/* UINT64_MAX: it has not ended. */
static uint64_t end_of(const struct scene *s, uint32_t thread)
{
    const struct scene_thread *t = &s->thread[thread];
    const struct scene_stay *last = &s->stay[t->first + t->stays - 1];

    return t->stays && last->state == STATE_ENDED ? last->from : UINT64_MAX;
}

void ends_read(struct ends *e, const struct scene *s, struct places *p)
{
    uint64_t last = 0, before = 0;
    unsigned programs = 0;

    *e = (struct ends){.scene = s,
                       .places = p,
                       .machine = recording_system(s->r),
                       .first = UINT64_MAX};
    e->thread = grow_zero(s->threads + 1, sizeof *e->thread);
    for (uint32_t n = 0; n < s->threads; n++)
        read_thread(e, n);
    for (uint32_t n = 0; n < s->threads; n++) {
        uint64_t end = end_of(s, n);

        if (e->thread[n].first == UINT64_MAX)
            continue;
        programs++;
        e->first =
            e->thread[n].first < e->first ? e->thread[n].first : e->first;
        e->last = e->thread[n].last > e->last ? e->thread[n].last : e->last;
        before = end > last ? last : end > before ? end : before;
        last = end > last ? end : last;
    }
    e->alone = programs > 1 ? before : UINT64_MAX;
}

void ends_free(struct ends *e)
{
    free(e->thread);
    hash_free(&e->of_stack);
    hash_free(&e->inner);
    hash_free(&e->begins);
    *e = (struct ends){0};
}

/* No own function is in the thread's stack. */
static enum ends_part part_at(const struct ends *e, uint32_t thread,
                              uint32_t has, uint64_t cycle)
{
    const struct ends_thread *t = &e->thread[thread];
    bool of_guest = t->first == UINT64_MAX;

    if (of_guest && (e->first == UINT64_MAX || has & OF_PROGRAM))
        return ENDS_NEITHER;
    if (cycle < (of_guest ? e->first : t->first))
        return ENDS_START;
    return cycle > (of_guest ? e->last : t->last) ? ENDS_END : ENDS_NEITHER;
}

enum ends_part ends_running(struct ends *e, uint32_t thread, uint32_t stack,
                            uint64_t cycle, uint32_t *place)
{
    uint32_t has = has_of(e, stack);

    *place = PLACES_NOWHERE;
    if (!(has & HAS_OWN))
        return part_at(e, thread, has, cycle);
    if (has & MAKES) {
        *place = places_waits(e->places, stack, cycle);
        return ENDS_START;
    }
    if (has & LEAF_IS_OWN || !at_begin(e, stack))
        return ENDS_NEITHER;
    if (cycle >= e->alone)
        return ENDS_END;
    if (!(has & MEETS))
        return ENDS_NEITHER;
    *place = places_waits(e->places, stack, cycle);
    return ENDS_HANDOVER;
}

enum ends_part ends_woken(struct ends *e, uint32_t thread, uint32_t stack,
                          uint64_t cycle, uint32_t *place)
{
    const struct ends_thread *t = &e->thread[thread];
    uint32_t has = has_of(e, stack);

    *place = PLACES_NOWHERE;
    /* A new one's stack is that of who made it. */
    if (!(has & HAS_OWN) || (t->first != UINT64_MAX && cycle < t->first))
        return part_at(e, thread, has, cycle);
    if (has & MAKES)
        return ENDS_START;
    if (!(has & MEETS) || !at_begin(e, stack))
        return ENDS_NEITHER;
    *place = places_waits(e->places, stack, cycle);
    return ENDS_HANDOVER;
}
