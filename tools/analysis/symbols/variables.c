/* variables.c - variables of load objects, by DWARF or by symbol. */
#include "tools/analysis/symbols/variables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "lib/dwarf/types.h"

struct data_of {
    bool read;
    struct data_table table;
};

struct variables {
    const struct loadmap *map;
    int dir;
    struct data_of *image;   /* by image of the load map */
    struct variable_spot at; /* what was asked for last */
};

struct variables *variables_new(const struct loadmap *m, int dir)
{
    struct variables *v = grow_zero(1, sizeof *v);

    v->map = m;
    v->dir = dir;
    v->image = grow_zero(m->images + 1, sizeof *v->image);
    return v;
}

void variables_free(struct variables *v)
{
    if (!v)
        return;
    for (size_t i = 0; i < v->map->images; i++)
        data_table_free(&v->image[i].table);
    free(v->image);
    free(v);
}

static const struct data_table *table_of(struct variables *v, size_t image)
{
    struct data_of *d = &v->image[image];
    struct elf_image file;

    if (!d->read && loadmap_elf(v->map, image, v->dir, &file)) {
        data_table_read(&d->table, &file);
        elf_image_close(&file);
        for (size_t i = 0; i < d->table.variables; i++)
            text_printable(d->table.variable[i].name);
        for (size_t i = 0; i < d->table.members; i++)
            if (d->table.member[i].name)
                text_printable(d->table.member[i].name);
    }
    d->read = true;
    return &d->table;
}

static bool by_symbol(const struct variables *v, uint32_t address,
                      uint64_t cycle, struct variable_spot *at)
{
    uint32_t moved;
    size_t count;
    const struct variable *found =
        loadmap_variables(v->map, address, 1, cycle, &moved, &count);
    uint64_t offset;

    if (!found || (uint32_t)found->start + moved > address)
        return false;
    at->variable = found->name;
    at->start = at->from = (uint32_t)found->start + moved;
    at->end = at->to = at->start + found->size;
    offset = address - at->start;
    snprintf(at->member, sizeof at->member, offset ? "%s+0x%" PRIx64 : "%s",
             found->name, offset);
    return true;
}

const struct variable_spot *variables_at(struct variables *v, uint32_t address,
                                         uint64_t cycle)
{
    struct variable_spot *at = &v->at;
    struct data_place place;
    uint32_t moved;
    size_t image;

    if (!loadmap_moved(v->map, address, cycle, &image, &moved))
        return NULL;
    if (!data_table_find(table_of(v, image), address - moved, &place,
                         at->member, sizeof at->member))
        return by_symbol(v, address, cycle, at) ? at : NULL;
    at->variable = place.variable->name;
    at->start = place.variable->start + moved;
    at->end = at->start + place.variable->size;
    at->from = place.start + moved;
    at->to = place.end + moved;
    return at;
}

bool variables_object(struct variables *v, uint32_t address, uint64_t cycle,
                      char *text, size_t size)
{
    uint32_t moved;
    size_t image;

    return loadmap_moved(v->map, address, cycle, &image, &moved) &&
           data_table_object(table_of(v, image), address - moved, text, size);
}

bool variables_is_in(struct variables *v, uint32_t address, uint64_t cycle,
                     const char *type)
{
    uint32_t moved;
    size_t image;

    return loadmap_moved(v->map, address, cycle, &image, &moved) &&
           data_table_is_in(table_of(v, image), address - moved, type);
}

bool variables_is_called(struct variables *v, uint32_t address, uint64_t cycle,
                         const char *text)
{
    uint32_t moved;
    uint64_t at;
    size_t image;

    return loadmap_moved(v->map, address, cycle, &image, &moved) &&
           data_table_address(table_of(v, image), text, &at) &&
           at + moved == address;
}

void variables_each(struct variables *v,
                    void (*offer)(void *arg, const char *name), void *arg)
{
    for (size_t i = 0; i < v->map->images; i++) {
        const struct data_table *t = table_of(v, i);
        const struct symbols *s = &v->map->image[i].symbols;

        for (size_t n = 0; n < t->variables; n++)
            offer(arg, t->variable[n].name);
        for (size_t n = 0; v->map->image[i].readable && n < s->variables; n++)
            offer(arg, s->variable[n].name);
    }
}
