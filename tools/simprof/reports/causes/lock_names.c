/* lock_names.c - see lock_names.h. */
#include "tools/simprof/reports/causes/lock_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/analysis/states/words.h"

struct named {
    const char *name;
    uint32_t lock, kind, object;
};

static int by_name(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    if (order)
        return order;
    return x->kind != y->kind
               ? (x->kind < y->kind ? -1 : 1)
               : (x->object > y->object) - (x->object < y->object);
}

/* Of locks that are the same in two processes the address is the same, too. */
static bool are_twins(const struct named *a, const struct named *b)
{
    return !strcmp(a->name, b->name) && a->kind == b->kind &&
           a->object != b->object;
}

/* The locks of one name stand together, by their addresses. */
static bool is_twin(const struct named *all, uint32_t count, uint32_t n)
{
    uint32_t first = n, last = n;

    while (first && !strcmp(all[first - 1].name, all[n].name))
        first--;
    while (last + 1 < count && !strcmp(all[last + 1].name, all[n].name))
        last++;
    for (uint32_t k = first; k <= last; k++)
        if (are_twins(&all[k], &all[n]))
            return true;
    return false;
}

void lock_names_open(struct lock_names *n, const struct scene *s)
{
    struct named *all = grow_zero((size_t)s->locks + 1, sizeof *all);
    char text[WORDS_TEXT], whole[WORDS_TEXT + 16];

    n->count = s->locks;
    n->name = grow_zero((size_t)s->locks + 1, sizeof *n->name);
    for (uint32_t k = 0; k < s->locks; k++) {
        const struct scene_lock *l = &s->lock[k];

        words_object(s->r, l->kind, l->object, l->at, text);
        n->name[k] = grow_text(text);
        all[k] = (struct named){n->name[k], k, l->kind, l->object};
    }
    qsort(all, s->locks, sizeof *all, by_name);
    for (uint32_t k = 0; k < s->locks; k++) {
        if (!is_twin(all, s->locks, k))
            continue;
        snprintf(whole, sizeof whole, "%s (0x%08" PRIx32 ")", all[k].name,
                 all[k].object);
        n->name[all[k].lock] = grow_text(whole);
    }
    for (uint32_t k = 0; k < s->locks; k++)
        if (n->name[all[k].lock] != all[k].name)
            free((char *)all[k].name);
    free(all);
}

void lock_names_close(struct lock_names *n)
{
    for (uint32_t k = 0; k < n->count; k++)
        free(n->name[k]);
    free(n->name);
    *n = (struct lock_names){0};
}
