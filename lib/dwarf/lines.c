/* lines.c - asks libdw for the rows of each unit. See lines.h. */
#include "lib/dwarf/lines.h"

#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/hash.h"
#include "lib/base/search.h"

/* libdw has one text for a file of a unit: where it stands is looked up first.
 */
static uint32_t file_index(struct line_table *t, struct hash *known,
                           const char *name)
{
    bool fresh;
    uint32_t *at = hash_at(known, (uint64_t)(uintptr_t)name, &fresh);

    if (fresh)
        *at = (uint32_t)grow_name(&t->file, &t->files, &t->files_room, name);
    return *at;
}

static void add_range(struct line_table *t, const struct line_range *range)
{
    if (range->to <= range->from || !range->line)
        return;
    t->range = grow(t->range, &t->room, t->count + 1, sizeof *t->range);
    t->range[t->count++] = *range;
}

static void read_unit(struct line_table *t, struct hash *known, Dwarf_Die *unit)
{
    struct line_range range = {0};
    Dwarf_Lines *lines;
    bool open = false;
    size_t n;

    if (dwarf_getsrclines(unit, &lines, &n))
        return;
    for (size_t i = 0; i < n; i++) {
        Dwarf_Line *row = dwarf_onesrcline(lines, i);
        const char *name = dwarf_linesrc(row, NULL, NULL);
        Dwarf_Addr address;
        bool last, begins, same;
        int number;

        if (dwarf_lineaddr(row, &address) || dwarf_lineno(row, &number) ||
            dwarf_lineendsequence(row, &last) ||
            dwarf_linebeginstatement(row, &begins))
            continue;
        same = open && name && range.from == address && !begins &&
               !strcmp(t->file[range.file], name);
        range.to = address;
        if (open)
            add_range(t, &range);
        open = !last && name;
        range.from = address;
        range.line = number > 0 ? (uint32_t)number : 0;
        range.file = open ? file_index(t, known, name) : 0;
        range.statement = same ? range.statement : range.line;
    }
}

static int by_from(const void *a, const void *b)
{
    const struct line_range *x = *(const struct line_range *const *)a;
    const struct line_range *y = *(const struct line_range *const *)b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x < y ? -1 : x > y;
}

void line_table_read(struct line_table *t, const struct elf_image *e)
{
    Dwarf *dwarf = dwarf_begin_elf(e->libelf, DWARF_C_READ, NULL);
    struct hash known = {0};
    Dwarf_Off at = 0, next;
    size_t head;

    *t = (struct line_table){0};
    while (dwarf && !dwarf_nextcu(dwarf, at, &next, &head, NULL, NULL, NULL)) {
        Dwarf_Die unit;

        if (dwarf_offdie(dwarf, at + head, &unit))
            read_unit(t, &known, &unit);
        at = next;
    }
    dwarf_end(dwarf);
    hash_free(&known);
    t->by_address = grow_zero(t->count + 1, sizeof *t->by_address);
    for (size_t i = 0; i < t->count; i++)
        t->by_address[i] = &t->range[i];
    if (t->count)
        qsort(t->by_address, t->count, sizeof *t->by_address, by_from);
}

void line_table_free(struct line_table *t)
{
    for (size_t i = 0; i < t->files; i++)
        free(t->file[i]);
    free(t->file);
    free(t->range);
    free(t->by_address);
    *t = (struct line_table){0};
}

const struct line_range *line_table_find(const struct line_table *t,
                                         uint64_t address)
{
    size_t n = SEARCH_FIRST(0, t->count, i, t->by_address[i]->from > address);
    const struct line_range *found = n ? t->by_address[n - 1] : NULL;

    return found && found->to > address ? found : NULL;
}

unsigned line_table_version(const struct elf_image *e)
{
    Dwarf *dwarf = dwarf_begin_elf(e->libelf, DWARF_C_READ, NULL);
    Dwarf_Off at = 0, next;
    Dwarf_Half version;
    unsigned latest = 0;
    size_t head;

    while (dwarf && !dwarf_next_unit(dwarf, at, &next, &head, &version, NULL,
                                     NULL, NULL, NULL, NULL)) {
        latest = version > latest ? version : latest;
        at = next;
    }
    dwarf_end(dwarf);
    return latest;
}
