/* layouts.c - see layouts.h. */
#include "sim/tasks/layouts.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"

static struct task_layout *layout_at(struct task_layouts *l, uint32_t mm)
{
    bool fresh;
    uint32_t *at = hash_at(&l->index, mm, &fresh);

    if (fresh) {
        *at = (uint32_t)l->count;
        l->list = grow(l->list, &l->room, l->count + 1, sizeof *l->list);
        l->list[l->count++] = (struct task_layout){.count = 0};
    }
    return &l->list[*at];
}

static void add(struct task_layout *k, const struct task_mapping *map)
{
    k->map = grow(k->map, &k->room, k->count + 1, sizeof *k->map);
    k->map[k->count++] = *map;
}

/* Does one end where the other begins, or before that? */
static bool apart(const struct task_mapping *a, const struct task_mapping *b)
{
    return a->address < b->address ? b->address - a->address >= a->size
                                   : a->address - b->address >= b->size;
}

void task_layouts_map(struct task_layouts *l, uint32_t mm,
                      const struct task_mapping *map)
{
    struct task_layout *k = layout_at(l, mm);
    size_t left = 0;

    for (size_t n = 0; n < k->count; n++)
        if (apart(&k->map[n], map))
            k->map[left++] = k->map[n];
    k->count = left;
    add(k, map);
    k->version = ++l->versions;
}

void task_layouts_copy(struct task_layouts *l, uint32_t from, uint32_t to)
{
    const struct task_layout *k = task_layouts_of(l, from);
    struct task_layout *new;

    task_layouts_forget(l, to);
    if (!k)
        return;
    new = layout_at(l, to);
    k = task_layouts_of(l, from); /* the list may have moved */
    new->version = k->version;
    for (size_t n = 0; n < k->count; n++)
        add(new, &k->map[n]);
}

void task_layouts_forget(struct task_layouts *l, uint32_t mm)
{
    const uint32_t *at = hash_find(&l->index, mm);

    if (at) {
        l->list[*at].count = 0;
        l->list[*at].version = 0;
    }
}

const struct task_layout *task_layouts_of(const struct task_layouts *l,
                                          uint32_t mm)
{
    const uint32_t *at = hash_find(&l->index, mm);

    return at && l->list[*at].count ? &l->list[*at] : NULL;
}

void task_layouts_close(struct task_layouts *l)
{
    for (size_t k = 0; k < l->count; k++)
        free(l->list[k].map);
    free(l->list);
    hash_free(&l->index);
    *l = (struct task_layouts){.count = 0};
}
