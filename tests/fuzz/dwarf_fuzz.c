/* dwarf_fuzz.c - any bytes at all, offered as an ELF file with debugging
 * information: its lines, inlined calls, variables and types are read, and
 * every variable is asked for what is inside it. Lists are in order, and the
 * bytes of a name lie around the address that was asked for.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "lib/dwarf/inlines.h"
#include "lib/dwarf/lines.h"
#include "lib/dwarf/types.h"

#define NAMES 4096 /* asked for, of a file */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(const struct data_table *t)
{
    struct data_place at;
    unsigned left = NAMES;
    char text[64];

    for (size_t i = 0; i < t->variables; i++) {
        const struct data_variable *v = &t->variable[i];

        assert(v->size && v->name);
        assert(!i || v[-1].start + v[-1].size <= v->start);
        for (uint64_t k = 0; k < v->size && left; k = at.end - v->start) {
            assert(data_table_find(t, v->start + k, &at, text, sizeof text));
            assert(at.variable == v && memchr(text, 0, sizeof text));
            assert(at.start <= v->start + k && v->start + k < at.end);
            assert(at.start >= v->start && at.end <= v->start + v->size);
            left--;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct line_table lines;
    struct inline_table inlines;
    struct data_table t;
    struct elf_wrong w;
    struct elf_image e;

    if (!elf_image_copy(&e, data, size, &w))
        return 0;
    data_table_read(&t, &e);
    line_table_read(&lines, &e);
    inline_table_read(&inlines, &e);
    elf_image_close(&e);
    look(&t);
    for (size_t i = 1; i < lines.count; i++)
        assert(lines.by_address[i - 1]->from <= lines.by_address[i]->from);
    data_table_free(&t);
    line_table_free(&lines);
    inline_table_free(&inlines);
    return 0;
}
