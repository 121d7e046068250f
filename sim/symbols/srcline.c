/* srcline.c - see srcline.h. */
#include "sim/symbols/srcline.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/dwarf/lines.h"

void srcline_text(const struct image *i, uint32_t address,
                  char text[SRCLINE_TEXT])
{
    const struct line_range *range;
    struct line_table table;
    struct elf_image file;
    struct elf_wrong unused;

    *text = '\0';
    if (!elf_image_borrow(&file, i->bytes, i->size, &unused))
        return;
    line_table_read(&table, &file);
    elf_image_close(&file);
    range = line_table_find(&table, address);
    if (range) {
        const char *name = table.file[range->file];
        const char *slash = strrchr(name, '/');

        snprintf(text, SRCLINE_TEXT, "%.80s:%" PRIu32, slash ? slash + 1 : name,
                 range->statement);
    }
    line_table_free(&table);
}
