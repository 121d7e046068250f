/* member.c - see member.h. */
#include "sim/symbols/member.h"

#include <string.h>

#include "lib/dwarf/types.h"

bool member_find(const struct image *i, const char *text, uint32_t *at)
{
    struct data_table table;
    struct elf_image file;
    struct elf_wrong unused;
    uint64_t address;
    bool found;

    if (!strpbrk(text, ".[") ||
        !elf_image_borrow(&file, i->bytes, i->size, &unused))
        return false;
    data_table_read(&table, &file);
    elf_image_close(&file);
    found = data_table_address(&table, text, &address);
    data_table_free(&table);
    *at = found ? (uint32_t)address + i->bias : 0;
    return found;
}
