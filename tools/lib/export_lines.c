/* export_lines.c - line tables through libdw. See export_lines.h. */
#include "tools/lib/export_lines.h"

#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/lib/grow.h"

static void open_file(struct export_lines_file *f, int dir, const char *archive)
{
    char path[512];
    struct stat st;

    snprintf(path, sizeof path, "archives/%s", archive);
    f->fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (f->fd >= 0 && !fstat(f->fd, &st) && S_ISREG(st.st_mode))
        f->dwarf = dwarf_begin(f->fd, DWARF_C_READ);
}

void export_lines_open(struct export_lines *l, struct recording *r)
{
    const struct loadmap *m = &r->map;

    *l = (struct export_lines){.r = r};
    l->file = grow_zero(m->images + 1, sizeof *l->file);
    for (size_t i = 0; i < m->images; i++) {
        l->file[i].fd = -1;
        if (m->image[i].readable)
            open_file(&l->file[i], r->dir, m->image[i].archive);
    }
}

void export_lines_close(struct export_lines *l)
{
    for (size_t i = 0; l->file && i < l->r->map.images; i++) {
        if (l->file[i].dwarf)
            dwarf_end(l->file[i].dwarf);
        if (l->file[i].fd >= 0)
            close(l->file[i].fd);
    }
    free(l->file);
    *l = (struct export_lines){0};
}

/* The segment that holds pc at this cycle: the last in the map. */
static const struct segment *segment_at(const struct loadmap *m, uint32_t pc,
                                        uint64_t cycle)
{
    for (size_t i = m->segments; i-- > 0;) {
        const struct segment *s = &m->segment[i];

        if (s->from <= cycle && pc >= s->addr && pc - s->addr < s->size)
            return s;
    }
    return NULL;
}

static struct export_line line_at(Dwarf *dwarf, uint64_t addr)
{
    struct export_line found = {0};
    Dwarf_Die unit;
    Dwarf_Line *line;
    int number;

    if (!dwarf_addrdie(dwarf, addr, &unit))
        return found;
    line = dwarf_getsrc_die(&unit, addr);
    if (!line)
        return found;
    found.source = dwarf_linesrc(line, NULL, NULL);
    if (found.source && !dwarf_lineno(line, &number) && number > 0)
        found.line = (unsigned)number;
    return found;
}

struct export_line export_lines_find(struct export_lines *l, uint32_t pc,
                                     uint64_t cycle, long *image)
{
    const struct segment *s = segment_at(&l->r->map, pc, cycle);
    uint64_t addr;

    *image = s ? (long)s->image : -1;
    if (!s || !l->file[s->image].dwarf ||
        !symbols_address(&l->r->map.image[s->image].symbols,
                         s->offset + (pc - s->addr), &addr))
        return (struct export_line){0};
    return line_at(l->file[s->image].dwarf, addr);
}
