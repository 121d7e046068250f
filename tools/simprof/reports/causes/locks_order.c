/* locks_order.c - see locks_order.h. */
#include "tools/simprof/reports/causes/locks_order.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/analysis/symbols/variables.h"

/* What GCC calls the lock of a `critical` with a name. */
#define CRITICAL ".gomp_critical_user_"

/* Is it in a variable that the program's own source has? */
static bool is_own_variable(const struct scene *s, const struct scene_lock *l)
{
    struct variables *v = recording_variables(s->r);
    const struct variable_spot *at = variables_at(v, l->object, l->at);
    char text[VARIABLE_TEXT];

    return (at && !strncmp(at->variable, CRITICAL, sizeof CRITICAL - 1)) ||
           variables_object(v, l->object, l->at, text, sizeof text);
}

/* By lock: did only functions of libraries take it? */
static bool *of_libraries(const struct scene *s, struct places *p)
{
    bool *other = grow_zero(s->locks + 1, sizeof *other),
         *taken = grow_zero(s->locks + 1, sizeof *taken);

    for (size_t n = 0; n < s->holds; n++) {
        const struct scene_hold *h = &s->hold[n];
        uint32_t place;

        taken[h->lock] = true;
        if (other[h->lock])
            continue;
        place = locks_taken_at(s, p, h);
        other[h->lock] = place == PLACES_NOWHERE ||
                         !own_is_of_library(p->own, p->list[place].function[0]);
    }
    for (uint32_t n = 0; n < s->locks; n++)
        taken[n] &= !other[n] && s->lock[n].kind == OBJECT_USER &&
                    !is_own_variable(s, &s->lock[n]);
    free(other);
    return taken;
}

static int dearest_first(const void *a, const void *b)
{
    const struct locks_row *x = a, *y = b;

    if (x->cost != y->cost)
        return x->cost < y->cost ? 1 : -1;
    if (x->idle != y->idle)
        return x->idle ? 1 : -1;
    if (x->held != y->held)
        return x->held < y->held ? 1 : -1;
    return x->lock < y->lock ? -1 : x->lock > y->lock;
}

struct locks_row *locks_rows(const struct locks *l, struct places *p,
                             size_t *count)
{
    bool *library = of_libraries(l->scene, p);
    struct locks_row *row = grow_zero(l->known + 1, sizeof *row);

    *count = 0;
    for (size_t n = 0; n < l->known; n++) {
        uint32_t lock = l->order[n];
        const struct locks_lock *is = &l->lock[lock];

        if (!is->taken.times)
            continue;
        row[*count] = (struct locks_row){lock, is->waits.cycles + is->spun,
                                         is->taken.cycles, false};
        row[*count].idle = library[lock] && !row[*count].cost && !is->contended;
        ++*count;
    }
    if (*count)
        qsort(row, *count, sizeof *row, dearest_first);
    free(library);
    return row;
}
