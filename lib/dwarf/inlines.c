/* inlines.c - walks the debugging entries of each unit. See inlines.h. */
#include "lib/dwarf/inlines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/hash.h"
#include "lib/base/search.h"
#include "lib/dwarf/scopes.h"

#define DEEPEST 200 /* blocks within blocks; more is damage */

struct reading {
    struct inline_table *table;
    Dwarf_Files *files; /* of the unit, or NULL */
    struct hash origin; /* where a function is described, to its index */
    struct hash known;  /* where a file's name stands, to its index */
};

/* ---- names --------------------------------------------------------------- */

/* libdw has one text for a file of a unit: where it stands is looked up first.
 */
static uint32_t file_index(struct reading *r, const char *name)
{
    struct inline_table *t = r->table;
    bool fresh;
    uint32_t *at = hash_at(&r->known, (uint64_t)(uintptr_t)name, &fresh);

    if (fresh)
        *at = (uint32_t)grow_name(&t->file, &t->files, &t->files_room, name);
    return *at;
}

/* Functions of C stand in no scope; to look for one goes through all of the
 * unit. */
static bool is_c(Dwarf_Die *die)
{
    Dwarf_Die unit;
    int language =
        dwarf_diecu(die, &unit, NULL, NULL) ? dwarf_srclang(&unit) : -1;

    return language == DW_LANG_C || language == DW_LANG_C89 ||
           language == DW_LANG_C99 || language == DW_LANG_C11;
}

/* The index of the function that was inlined, once for each description. */
static uint32_t function_index(struct reading *r, Dwarf_Die *die,
                               const char *name)
{
    struct inline_table *t = r->table;
    struct inline_function *new;
    Dwarf_Attribute attr;
    Dwarf_Die origin = *die;
    const char *linkage;
    char whole[SCOPED_NAME];
    uint32_t *at;
    bool fresh;

    dwarf_formref_die(dwarf_attr(die, DW_AT_abstract_origin, &attr), &origin);
    at = hash_at(&r->origin, dwarf_dieoffset(&origin), &fresh);
    if (!fresh)
        return *at;
    linkage = dwarf_formstring(
        dwarf_attr_integrate(&origin, DW_AT_linkage_name, &attr));
    if (is_c(&origin))
        snprintf(whole, sizeof whole, "%.200s", name);
    else
        scoped_name(&origin, name, whole);
    t->function = grow(t->function, &t->functions_room, t->functions + 1,
                       sizeof *t->function);
    new = &t->function[t->functions];
    new->linkage = linkage ? grow_text(linkage) : NULL;
    new->name = grow_text(whole);
    return *at = (uint32_t)t->functions++;
}

/* ---- entries ------------------------------------------------------------- */

static void read_place(struct reading *r, Dwarf_Die *die,
                       struct inline_call *call)
{
    Dwarf_Attribute attr;
    Dwarf_Word file, line;
    const char *name;

    if (!dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attr), &line))
        call->line = (uint32_t)line;
    if (!r->files ||
        dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attr), &file))
        return;
    name = dwarf_filesrc(r->files, (size_t)file, NULL, NULL);
    if (name)
        call->file = file_index(r, name);
}

static void read_call(struct reading *r, Dwarf_Die *die, unsigned depth)
{
    struct inline_call call = {.depth = depth, .file = INLINE_NO_FILE};
    const char *name = dwarf_diename(die);
    struct inline_table *t = r->table;
    Dwarf_Addr base, from, to;
    ptrdiff_t at = 0;

    if (!name)
        return;
    call.function = function_index(r, die, name);
    read_place(r, die, &call);
    while ((at = dwarf_ranges(die, at, &base, &from, &to)) > 0) {
        if (from >= to)
            continue;
        call.from = from;
        call.to = to;
        t->call = grow(t->call, &t->calls_room, t->calls + 1, sizeof *t->call);
        t->call[t->calls++] = call;
    }
}

/* A function that has code, in one part or more: f, f.cold. */
static void read_function(struct reading *r, Dwarf_Die *die)
{
    const char *file = dwarf_decl_file(die);
    struct inline_table *t = r->table;
    Dwarf_Addr base, from, to;
    ptrdiff_t at = 0;
    int line;

    if (!file || dwarf_decl_line(die, &line) || line <= 0)
        return;
    while ((at = dwarf_ranges(die, at, &base, &from, &to)) > 0) {
        t->part = grow(t->part, &t->parts_room, t->parts + 1, sizeof *t->part);
        t->part[t->parts++] =
            (struct inline_part){from, file_index(r, file), (uint32_t)line};
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
            read_call(r, &die, depth);
        if (tag == DW_TAG_subprogram)
            read_function(r, &die);
        if (inlined || tag == DW_TAG_subprogram ||
            tag == DW_TAG_lexical_block || tag == DW_TAG_namespace)
            walk(r, &die, depth + inlined, blocks + 1);
    } while (!dwarf_siblingof(&die, &die));
}

static int by_from(const void *a, const void *b)
{
    const struct inline_call *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to > y->to ? -1 : 1;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return x->function < y->function ? -1 : x->function > y->function;
}

static int by_start(const void *a, const void *b)
{
    const struct inline_part *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static void order(struct inline_table *t)
{
    if (t->parts)
        qsort(t->part, t->parts, sizeof *t->part, by_start);
    if (t->calls)
        qsort(t->call, t->calls, sizeof *t->call, by_from);
    t->reach = grow_zero(t->calls + 1, sizeof *t->reach);
    for (size_t i = 0; i < t->calls; i++) {
        t->reach[i] = t->call[i].to;
        if (i && t->reach[i - 1] > t->reach[i])
            t->reach[i] = t->reach[i - 1];
    }
}

void inline_table_read(struct inline_table *t, const struct elf_image *e)
{
    Dwarf *dwarf = dwarf_begin_elf(e->libelf, DWARF_C_READ, NULL);
    struct reading r = {.table = t};
    Dwarf_Off at = 0, next;
    size_t head;

    *t = (struct inline_table){0};
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
    hash_free(&r.known);
    dwarf_end(dwarf);
    order(t);
}

void inline_table_free(struct inline_table *t)
{
    for (size_t i = 0; i < t->functions; i++) {
        free(t->function[i].linkage);
        free(t->function[i].name);
    }
    for (size_t i = 0; i < t->files; i++)
        free(t->file[i]);
    free(t->function);
    free(t->call);
    free(t->reach);
    free(t->part);
    free(t->file);
    *t = (struct inline_table){0};
}

/* ---- lookup -------------------------------------------------------------- */

/* The first call that begins behind an address. */
static size_t behind(const struct inline_table *t, uint64_t address)
{
    return SEARCH_FIRST(0, t->calls, i, t->call[i].from > address);
}

size_t inline_table_calls(const struct inline_table *t, uint64_t address,
                          size_t *call, size_t most)
{
    size_t n = 0;

    for (size_t i = behind(t, address);
         i-- > 0 && t->reach[i] > address && n < most;) {
        size_t to = n;

        if (t->call[i].to <= address)
            continue;
        for (; to && t->call[call[to - 1]].depth < t->call[i].depth; to--)
            call[to] = call[to - 1]; /* the deepest stands first */
        call[to] = i;
        n++;
    }
    return n;
}

const struct inline_part *inline_table_part(const struct inline_table *t,
                                            uint64_t address)
{
    size_t n = SEARCH_FIRST(0, t->parts, i, t->part[i].from >= address);

    return n < t->parts && t->part[n].from == address ? &t->part[n] : NULL;
}
