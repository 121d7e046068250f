/* inlines.c - inlined calls of load objects, with one number for a name. */
#include "tools/analysis/symbols/inlines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/elf/demangle.h"
#include "lib/base/grow.h"
#include "lib/base/hash.h"
#include "lib/base/text.h"
#include "lib/dwarf/inlines.h"

struct calls_of {
    bool read;
    struct inline_table table;
    uint32_t *number; /* of its functions */
};

struct inlines {
    const struct loadmap *map;
    int dir;
    struct calls_of *image; /* by image of the load map */
    char **name;            /* by number - INLINES_FIRST */
    size_t names, names_room;
    struct hash named; /* digests of names to numbers */
    struct demangler demangler;
    struct inline_level found[INLINES_DEEPEST];
};

struct inlines *inlines_new(const struct loadmap *map, int dir)
{
    struct inlines *x = grow_zero(1, sizeof *x);

    x->map = map;
    x->dir = dir;
    x->image = grow_zero(map->images + 1, sizeof *x->image);
    demangler_open(&x->demangler);
    return x;
}

void inlines_free(struct inlines *x)
{
    if (!x)
        return;
    for (size_t i = 0; i < x->map->images; i++) {
        inline_table_free(&x->image[i].table);
        free(x->image[i].number);
    }
    for (size_t i = 0; i < x->names; i++)
        free(x->name[i]);
    free(x->image);
    free(x->name);
    hash_free(&x->named);
    demangler_close(&x->demangler);
    free(x);
}

/* ---- names --------------------------------------------------------------- */

static uint64_t digest(const char *text)
{
    uint64_t n = 0xCBF29CE484222325u;

    for (; *text; text++)
        n = (n ^ (unsigned char)*text) * 0x100000001B3u;
    return n;
}

/* The number of an inlined function: the same name, the same number. Of two
 * names with one digest each keeps its own by asking for the next. */
static uint32_t number_of(struct inlines *x, const char *name)
{
    char whole[1024];

    snprintf(whole, sizeof whole, "%.1000s (inlined)", name);
    text_printable(whole);
    for (uint64_t key = digest(whole);; key++) {
        bool fresh;
        uint32_t *at = hash_at(&x->named, key, &fresh);

        if (fresh) {
            *at = (uint32_t)x->names;
            x->name =
                grow(x->name, &x->names_room, x->names + 1, sizeof *x->name);
            x->name[x->names++] = grow_text(whole);
        }
        if (!strcmp(x->name[*at], whole))
            return INLINES_FIRST + *at;
    }
}

const char *inlines_name(const struct inlines *x, uint32_t function)
{
    size_t n = function - INLINES_FIRST;

    return function >= INLINES_FIRST && x && n < x->names ? x->name[n] : NULL;
}

/* By its name in full, as that of a function that was not inlined: templates
 * and overloads differ by it. */
static uint32_t function_number(struct inlines *x,
                                const struct inline_function *f)
{
    char *meant = f->linkage ? demangle(&x->demangler, f->linkage) : NULL;
    uint32_t number = number_of(x, meant ? meant : f->name);

    free(meant);
    return number;
}

static void read_image(struct inlines *x, size_t image)
{
    struct calls_of *c = &x->image[image];
    struct elf_image file;

    c->read = true;
    if (!loadmap_elf(x->map, image, x->dir, &file))
        return;
    inline_table_read(&c->table, &file);
    elf_image_close(&file);
    c->number = grow_zero(c->table.functions + 1, sizeof *c->number);
    for (size_t i = 0; i < c->table.functions; i++)
        c->number[i] = function_number(x, &c->table.function[i]);
}

/* ---- lookup -------------------------------------------------------------- */

/* What is known of the load object at pc; NULL: it is none. */
static struct calls_of *calls_at(struct inlines *x, uint32_t pc, uint64_t cycle,
                                 uint64_t *addr)
{
    struct image_spot spot;

    if (!loadmap_spot(x->map, pc, cycle, &spot))
        return NULL;
    if (!x->image[spot.image].read)
        read_image(x, spot.image);
    *addr = spot.addr;
    return &x->image[spot.image];
}

bool inlines_written(struct inlines *x, uint32_t pc, uint64_t cycle,
                     const char **file, uint32_t *line)
{
    uint64_t addr;
    struct calls_of *c = calls_at(x, pc, cycle, &addr);
    const struct inline_part *part =
        c ? inline_table_part(&c->table, addr) : NULL;

    if (!part)
        return false;
    *file = c->table.file[part->file];
    *line = part->line;
    return true;
}

size_t inlines_find(struct inlines *x, uint32_t pc, uint64_t cycle,
                    const struct inline_level **level)
{
    size_t call[INLINES_DEEPEST], n;
    uint64_t addr;
    struct calls_of *c = calls_at(x, pc, cycle, &addr);

    *level = x->found;
    n = c ? inline_table_calls(&c->table, addr, call, INLINES_DEEPEST) : 0;
    for (size_t i = 0; i < n; i++) {
        const struct inline_call *at = &c->table.call[call[i]];

        x->found[i] = (struct inline_level){
            .function = c->number[at->function],
            .file = at->file == INLINE_NO_FILE ? NULL : c->table.file[at->file],
            .line = at->line,
        };
    }
    return n;
}
