/* sources.c - line tables of load objects, with one number for a file name. */
#include "tools/analysis/symbols/sources.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "lib/dwarf/lines.h"
#include "tools/analysis/symbols/inlines.h"

struct table_of {
    bool read;
    struct line_table table;
    uint32_t *number; /* of its files */
};

struct sources {
    struct recording *r;
    struct table_of *image; /* by image of the load map */
    char **file;            /* names; file n is at n - 1 */
    size_t files, room;
};

struct sources *sources_new(struct recording *r)
{
    struct sources *s = grow_zero(1, sizeof *s);

    s->r = r;
    s->image = grow_zero(r->map.images + 1, sizeof *s->image);
    return s;
}

void sources_free(struct sources *s)
{
    for (size_t i = 0; i < s->r->map.images; i++) {
        line_table_free(&s->image[i].table);
        free(s->image[i].number);
    }
    for (size_t i = 0; i < s->files; i++)
        free(s->file[i]);
    free(s->image);
    free(s->file);
    free(s);
}

/* The number of a file name; the same name, the same number. */
uint32_t sources_number(struct sources *s, const char *name)
{
    uint32_t number;
    char *copy;

    while (!strncmp(name, "./", 2))
        name += 2;
    copy = grow_text(name);
    text_printable(copy);
    number = (uint32_t)grow_name(&s->file, &s->files, &s->room, copy) + 1;
    free(copy);
    return number;
}

unsigned sources_dwarf(struct recording *r, size_t image)
{
    struct elf_image file;
    unsigned latest;

    if (!loadmap_elf(&r->map, image, r->dir, &file))
        return 0;
    latest = line_table_version(&file);
    elf_image_close(&file);
    return latest;
}

static void read_image(struct sources *s, size_t image)
{
    struct table_of *t = &s->image[image];
    struct elf_image file;

    t->read = true;
    if (!loadmap_elf(&s->r->map, image, s->r->dir, &file))
        return;
    line_table_read(&t->table, &file);
    elf_image_close(&file);
    t->number = grow_zero(t->table.files + 1, sizeof *t->number);
    for (size_t i = 0; i < t->table.files; i++)
        t->number[i] = sources_number(s, t->table.file[i]);
}

/* Of an address that the file itself has. */
static struct source_line find_in(struct sources *s, size_t image,
                                  uint64_t addr)
{
    struct table_of *t = &s->image[image];
    const struct line_range *range;

    if (!t->read)
        read_image(s, image);
    range = line_table_find(&t->table, addr);
    if (!range)
        return (struct source_line){0};
    return (struct source_line){t->number[range->file], range->line};
}

struct source_line sources_find(struct sources *s, uint32_t pc, uint64_t cycle)
{
    struct image_spot spot;

    if (!loadmap_spot(&s->r->map, pc, cycle, &spot))
        return (struct source_line){0};
    return find_in(s, spot.image, spot.addr);
}

struct source_line sources_of(struct sources *s, uint32_t function)
{
    const struct function *f = loadmap_function(&s->r->map, function);
    long image = loadmap_image(&s->r->map, function);

    if (!f || image < 0)
        return (struct source_line){0};
    return find_in(s, (size_t)image, f->start);
}

const char *sources_file(const struct sources *s, uint32_t file)
{
    return file && file <= s->files ? s->file[file - 1] : "<Unknown>";
}

bool sources_installed(const struct sources *s, uint32_t file)
{
    const char *name = sources_file(s, file);

    return !strncmp(name, "/usr/", 5) && strncmp(name, "/usr/src/", 9) != 0 &&
           strncmp(name, "/usr/local/src/", 15) != 0;
}

struct source_line sources_own(struct sources *s, uint32_t pc, uint64_t cycle)
{
    struct source_line line = sources_find(s, pc, cycle);
    const struct inline_level *level;
    size_t n;

    if (line.file == SOURCES_NONE || !sources_installed(s, line.file))
        return line;
    n = inlines_find(recording_inlines(s->r), pc, cycle, &level);
    for (size_t i = 0; i < n; i++) {
        uint32_t file =
            level[i].file ? sources_number(s, level[i].file) : SOURCES_NONE;

        if (file != SOURCES_NONE && !sources_installed(s, file))
            return (struct source_line){file, level[i].line};
    }
    return line;
}
