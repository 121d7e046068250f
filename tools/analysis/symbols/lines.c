/* lines.c - line tables of load objects, flattened for lookup. */
#include "tools/analysis/symbols/lines.h"

#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"

/* Addresses [from, to) of a load object, as linked, are of one line. */
struct range {
    uint64_t from, to;
    struct source_line line;
};

struct table_of {
    bool read;
    struct range *range; /* by from */
    size_t count, room;
};

struct sources {
    struct recording *r;
    struct table_of *image; /* by image of the load map */
    char **file;            /* names; [0] unused */
    size_t files, room;
};

struct sources *sources_new(struct recording *r)
{
    struct sources *s = grow_zero(1, sizeof *s);

    s->r = r;
    s->image = grow_zero(r->map.images + 1, sizeof *s->image);
    s->files = 1;
    return s;
}

void sources_free(struct sources *s)
{
    for (size_t i = 0; i < s->r->map.images; i++)
        free(s->image[i].range);
    for (size_t i = 1; i < s->files; i++)
        free(s->file[i]);
    free(s->image);
    free(s->file);
    free(s);
}

/* The number of a file name; the same name, the same number. Names come in
 * runs, so the last is looked at first. */
uint32_t sources_number(struct sources *s, const char *name)
{
    char *copy;

    while (!strncmp(name, "./", 2))
        name += 2;
    copy = grow_text(name);
    text_printable(copy);
    for (size_t i = s->files; i-- > 1;)
        if (!strcmp(s->file[i], copy)) {
            free(copy);
            return (uint32_t)i;
        }
    s->file = grow(s->file, &s->room, s->files + 1, sizeof *s->file);
    s->file[s->files] = copy;
    return (uint32_t)s->files++;
}

static void add(struct table_of *t, uint64_t from, uint64_t to,
                struct source_line line)
{
    if (to <= from || !line.line)
        return;
    t->range = grow(t->range, &t->room, t->count + 1, sizeof *t->range);
    t->range[t->count++] = (struct range){from, to, line};
}

/* One compilation unit. A row holds up to the next row of its sequence. */
static void take_unit(struct sources *s, struct table_of *t, Dwarf_Die *unit)
{
    struct source_line line = {0};
    Dwarf_Lines *lines;
    uint64_t from = 0;
    bool open = false;
    size_t n;

    if (dwarf_getsrclines(unit, &lines, &n))
        return;
    for (size_t i = 0; i < n; i++) {
        Dwarf_Line *row = dwarf_onesrcline(lines, i);
        const char *name = dwarf_linesrc(row, NULL, NULL);
        Dwarf_Addr addr;
        bool last;
        int number;

        if (dwarf_lineaddr(row, &addr) || dwarf_lineno(row, &number) ||
            dwarf_lineendsequence(row, &last))
            continue;
        if (open)
            add(t, from, addr, line);
        open = !last && name;
        from = addr;
        line.line = number > 0 ? (uint32_t)number : 0;
        line.file = open ? sources_number(s, name) : SOURCES_NONE;
    }
}

static int by_from(const void *a, const void *b)
{
    const struct range *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

unsigned sources_dwarf(struct recording *r, size_t image)
{
    int fd = loadmap_open(&r->map, image, r->dir);
    Dwarf *dwarf = fd < 0 ? NULL : dwarf_begin(fd, DWARF_C_READ);
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
    if (fd >= 0)
        close(fd);
    return latest;
}

static void read_image(struct sources *s, size_t image)
{
    struct table_of *t = &s->image[image];
    int fd = loadmap_open(&s->r->map, image, s->r->dir);
    Dwarf_Off at = 0, next;
    size_t head;
    Dwarf *dwarf;

    t->read = true;
    if (fd < 0)
        return;
    dwarf = dwarf_begin(fd, DWARF_C_READ);
    while (dwarf && !dwarf_nextcu(dwarf, at, &next, &head, NULL, NULL, NULL)) {
        Dwarf_Die unit;

        if (dwarf_offdie(dwarf, at + head, &unit))
            take_unit(s, t, &unit);
        at = next;
    }
    dwarf_end(dwarf);
    close(fd);
    if (t->count)
        qsort(t->range, t->count, sizeof *t->range, by_from);
}

struct source_line sources_find(struct sources *s, uint32_t pc, uint64_t cycle)
{
    struct image_spot spot;
    struct table_of *t;
    size_t low = 0, high;

    if (!loadmap_spot(&s->r->map, pc, cycle, &spot))
        return (struct source_line){0};
    t = &s->image[spot.image];
    if (!t->read)
        read_image(s, spot.image);
    high = t->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (t->range[middle].from > spot.addr)
            high = middle;
        else
            low = middle + 1;
    }
    if (!low || t->range[low - 1].to <= spot.addr)
        return (struct source_line){0};
    return t->range[low - 1].line;
}

const char *sources_file(const struct sources *s, uint32_t file)
{
    return file && file < s->files ? s->file[file] : "<Unknown>";
}
