/* inlines.c - DW_TAG_inlined_subroutine of every unit as ranges by address. */
#include "tools/analysis/symbols/inlines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/analysis/symbols/demangle.h"
#include "lib/base/grow.h"
#include "lib/base/hash.h"
#include "lib/base/text.h"

#define DEEPEST 200 /* blocks within blocks; more is damage */

/* Addresses [from, to) of a load object, as linked, hold an inlined call. */
struct call {
    uint64_t from, to;
    unsigned depth; /* calls it stands in */
    struct inline_level level;
};

/* A part of a function, where its code begins. */
struct part {
    uint64_t from;
    const char *file;
    uint32_t line;
};

struct calls_of {
    bool read;
    struct part *part; /* by from */
    size_t parts, parts_room;
    struct call *call; /* by from, the longest first */
    size_t count, room;
    uint64_t *reach; /* furthest end of calls 0 to i */
};

struct inlines {
    const struct loadmap *map;
    int dir;
    struct calls_of *image; /* by image of the load map */
    char **name;            /* by number - INLINES_FIRST */
    size_t names, names_room;
    char **file;
    size_t files, files_room;
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
        free(x->image[i].part);
        free(x->image[i].call);
        free(x->image[i].reach);
    }
    for (size_t i = 0; i < x->names; i++)
        free(x->name[i]);
    for (size_t i = 0; i < x->files; i++)
        free(x->file[i]);
    free(x->image);
    free(x->name);
    free(x->file);
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

/* Files come in runs: the last is looked at first. */
static const char *file_of(struct inlines *x, const char *name)
{
    for (size_t i = x->files; i-- > 0;)
        if (!strcmp(x->file[i], name))
            return x->file[i];
    x->file = grow(x->file, &x->files_room, x->files + 1, sizeof *x->file);
    return x->file[x->files++] = grow_text(name);
}

/* ---- DWARF --------------------------------------------------------------- */

struct reading {
    struct inlines *x;
    struct calls_of *calls;
    Dwarf_Files *files; /* of the unit, or NULL */
    struct hash origin; /* where a function is described, to its number */
};

/* What a function may be described in, by name; NULL: no scope of its name. */
static const char *scope_name(Dwarf_Die *scope)
{
    const char *name = dwarf_diename(scope);

    switch (dwarf_tag(scope)) {
    case DW_TAG_namespace:
        return name ? name : "(anonymous namespace)";
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        return name ? name : "<lambda>";
    case DW_TAG_subprogram:
        return name;
    default:
        return NULL;
    }
}

/* "geo::Shape::" of a function that is described there. */
static void put_scopes(Dwarf_Die *die, char *out, size_t size)
{
    Dwarf_Die *scope = NULL;
    int n = dwarf_getscopes_die(die, &scope);
    size_t used = 0;

    out[0] = '\0';
    for (int i = n - 1; i > 0 && used < size; i--) {
        const char *name = scope_name(&scope[i]);

        if (name)
            used += (size_t)snprintf(out + used, size - used, "%.200s::", name);
    }
    if (n > 0)
        free(scope);
}

/* The number of the function that was inlined: by its name in full, as that of
 * a function that was not. Templates and overloads differ by it. */
static uint32_t read_function(struct reading *r, Dwarf_Die *die,
                              const char *name)
{
    Dwarf_Attribute attr;
    Dwarf_Die origin = *die, declared;
    const char *linkage;
    char *meant = NULL, scopes[800], whole[1024];
    uint32_t *at;
    bool fresh;

    dwarf_formref_die(dwarf_attr(die, DW_AT_abstract_origin, &attr), &origin);
    at = hash_at(&r->origin, dwarf_dieoffset(&origin), &fresh);
    if (!fresh)
        return *at;
    linkage = dwarf_formstring(
        dwarf_attr_integrate(&origin, DW_AT_linkage_name, &attr));
    if (linkage)
        meant = demangle(&r->x->demangler, linkage);
    if (!meant) {
        declared = origin;
        dwarf_formref_die(dwarf_attr(&origin, DW_AT_specification, &attr),
                          &declared);
        put_scopes(&declared, scopes, sizeof scopes);
        snprintf(whole, sizeof whole, "%s%.200s", scopes, name);
    }
    *at = number_of(r->x, meant ? meant : whole);
    free(meant);
    return *at;
}

static void read_place(struct reading *r, Dwarf_Die *die,
                       struct inline_level *level)
{
    Dwarf_Attribute attr;
    Dwarf_Word file, line;
    const char *name;

    if (!dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attr), &line))
        level->line = (uint32_t)line;
    if (!r->files ||
        dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attr), &file))
        return;
    name = dwarf_filesrc(r->files, (size_t)file, NULL, NULL);
    if (name)
        level->file = file_of(r->x, name);
}

static void take_call(struct reading *r, Dwarf_Die *die, unsigned depth)
{
    const char *name = dwarf_diename(die);
    struct call call = {.depth = depth};
    Dwarf_Addr base, from, to;
    ptrdiff_t at = 0;

    if (!name)
        return;
    call.level.function = read_function(r, die, name);
    read_place(r, die, &call.level);
    while ((at = dwarf_ranges(die, at, &base, &from, &to)) > 0) {
        struct calls_of *c = r->calls;

        if (from >= to)
            continue;
        call.from = from;
        call.to = to;
        c->call = grow(c->call, &c->room, c->count + 1, sizeof *c->call);
        c->call[c->count++] = call;
    }
}

/* A function that has code, in one part or more: f, f.cold. */
static void take_function(struct reading *r, Dwarf_Die *die)
{
    const char *file = dwarf_decl_file(die);
    Dwarf_Addr base, from, to;
    ptrdiff_t at = 0;
    int line;

    if (!file || dwarf_decl_line(die, &line) || line <= 0)
        return;
    while ((at = dwarf_ranges(die, at, &base, &from, &to)) > 0) {
        struct calls_of *c = r->calls;

        c->part = grow(c->part, &c->parts_room, c->parts + 1, sizeof *c->part);
        c->part[c->parts++] =
            (struct part){from, file_of(r->x, file), (uint32_t)line};
    }
}

/* What stands in a unit, a function or a block; depth counts inlined calls. */
static void walk(struct reading *r, Dwarf_Die *parent, unsigned depth,
                 unsigned blocks)
{
    Dwarf_Die die;

    if (blocks == DEEPEST || dwarf_child(parent, &die))
        return;
    do {
        int tag = dwarf_tag(&die);
        bool inlined = tag == DW_TAG_inlined_subroutine;

        if (inlined)
            take_call(r, &die, depth);
        if (tag == DW_TAG_subprogram)
            take_function(r, &die);
        if (inlined || tag == DW_TAG_subprogram ||
            tag == DW_TAG_lexical_block || tag == DW_TAG_namespace)
            walk(r, &die, depth + inlined, blocks + 1);
    } while (!dwarf_siblingof(&die, &die));
}

static int by_from(const void *a, const void *b)
{
    const struct call *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to > y->to ? -1 : 1;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return x->level.function < y->level.function   ? -1
           : x->level.function > y->level.function ? 1
                                                   : 0;
}

static int by_start(const void *a, const void *b)
{
    const struct part *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static void order(struct calls_of *c)
{
    if (c->parts)
        qsort(c->part, c->parts, sizeof *c->part, by_start);
    if (c->count)
        qsort(c->call, c->count, sizeof *c->call, by_from);
    c->reach = grow_zero(c->count + 1, sizeof *c->reach);
    for (size_t i = 0; i < c->count; i++) {
        c->reach[i] = c->call[i].to;
        if (i && c->reach[i - 1] > c->reach[i])
            c->reach[i] = c->reach[i - 1];
    }
}

static void read_image(struct inlines *x, size_t image)
{
    struct reading r = {.x = x, .calls = &x->image[image]};
    int fd = loadmap_open(x->map, image, x->dir);
    Dwarf_Off at = 0, next;
    Dwarf *dwarf;
    size_t head;

    r.calls->read = true;
    if (fd < 0) {
        order(r.calls);
        return;
    }
    dwarf = dwarf_begin(fd, DWARF_C_READ);
    while (dwarf && !dwarf_nextcu(dwarf, at, &next, &head, NULL, NULL, NULL)) {
        Dwarf_Die unit;
        size_t n;

        if (dwarf_offdie(dwarf, at + head, &unit)) {
            if (dwarf_getsrcfiles(&unit, &r.files, &n))
                r.files = NULL;
            walk(&r, &unit, 0, 0);
        }
        at = next;
    }
    hash_free(&r.origin);
    dwarf_end(dwarf);
    close(fd);
    order(r.calls);
}

/* ---- lookup -------------------------------------------------------------- */

/* The first call that begins behind addr. */
static size_t behind(const struct calls_of *c, uint64_t addr)
{
    size_t low = 0, high = c->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (c->call[middle].from > addr)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

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
    size_t low = 0, high = c ? c->parts : 0;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (c->part[middle].from >= addr)
            high = middle;
        else
            low = middle + 1;
    }
    if (!c || low == c->parts || c->part[low].from != addr)
        return false;
    *file = c->part[low].file;
    *line = c->part[low].line;
    return true;
}

size_t inlines_find(struct inlines *x, uint32_t pc, uint64_t cycle,
                    const struct inline_level **level)
{
    unsigned depth[INLINES_DEEPEST];
    uint64_t addr;
    struct calls_of *c = calls_at(x, pc, cycle, &addr);
    size_t n = 0;

    *level = x->found;
    for (size_t i = c ? behind(c, addr) : 0;
         i-- > 0 && c->reach[i] > addr && n < INLINES_DEEPEST;) {
        size_t to = n;

        if (c->call[i].to <= addr)
            continue;
        for (; to && depth[to - 1] < c->call[i].depth; to--) {
            depth[to] = depth[to - 1]; /* the deepest stands first */
            x->found[to] = x->found[to - 1];
        }
        depth[to] = c->call[i].depth;
        x->found[to] = c->call[i].level;
        n++;
    }
    return n;
}
