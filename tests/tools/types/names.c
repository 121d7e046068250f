/* names.c - what lib/dwarf/types.c calls addresses of a program.
 *
 *   names FILE BIAS    lines "0xADDRESS NAME" come in; those that it calls
 *                      otherwise go out. BIAS: where a PIE was, less linked
 *   names FILE objects the same of what begins there, or has it for its own
 *   names FILE fuzz SEED COUNT
 *                      read it and look around in it, COUNT times damaged
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/dwarf/inlines.h"
#include "lib/dwarf/lines.h"
#include "lib/dwarf/types.h"

static bool is_called(const struct data_table *t, uint64_t address, bool object,
                      struct data_place *at, char *text, size_t size)
{
    *at = (struct data_place){.start = address, .end = address + 1};
    return object ? data_table_object(t, address, text, size)
                  : data_table_find(t, address, at, text, size);
}

/* The way back from a name with members, unless several share the place: to the
 * first byte that has that name. */
static int goes_elsewhere(const struct data_table *t, const char *name,
                          uint64_t address)
{
    char text[512] = "";
    struct data_place at;
    uint64_t back = 0;

    if (!strpbrk(name, ".[") || strpbrk(name, "(<+"))
        return 0;
    if (data_table_address(t, name, &back) && back <= address &&
        data_table_find(t, back, &at, text, sizeof text) && !strcmp(text, name))
        return 0;
    return printf("%s is at %" PRIx64 ", not %" PRIx64 "\n", name, address,
                  back) > 0;
}

static int compare(const struct data_table *t, uint64_t bias, bool object)
{
    char line[512], name[256], ours[512];
    struct data_place at;
    uint64_t address;
    int bad = 0, n = 0;

    for (; fgets(line, sizeof line, stdin); n++) {
        if (sscanf(line, "%" SCNx64 " %255[^\n]", &address, name) != 2)
            return 1;
        address -= bias;
        if (!is_called(t, address, object, &at, ours, sizeof ours))
            snprintf(ours, sizeof ours, "nothing");
        else if (at.start > address || at.end <= address)
            bad += printf("%s: from %" PRIx64 " to %" PRIx64 "\n", name,
                          at.start, at.end);
        if (strcmp(name, ours))
            bad += printf("%s is called %s\n", name, ours);
        bad += !object && goes_elsewhere(t, name, address);
    }
    printf("%d names\n", n);
    return bad != 0;
}

static uint64_t draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

/* Every table of lib/dwarf, and names at and between all variables. */
static size_t look(unsigned char *bytes, size_t size)
{
    struct elf_image e;
    struct elf_wrong w;
    struct data_table t;
    struct line_table lines;
    struct inline_table inlines;
    size_t found = 0;

    if (!elf_image_borrow(&e, bytes, size, &w))
        return 0;
    data_table_read(&t, &e);
    line_table_read(&lines, &e);
    inline_table_read(&inlines, &e);
    elf_image_close(&e);
    for (size_t i = 0; i < t.variables; i++)
        for (uint64_t k = 0; k < 64 && k < t.variable[i].size; k++) {
            struct data_place at;
            uint64_t back;
            char text[64];

            found += data_table_find(&t, t.variable[i].start + k, &at, text,
                                     sizeof text);
            data_table_object(&t, t.variable[i].start + k, text, sizeof text);
            data_table_address(&t, text, &back);
            data_table_is_in(&t, t.variable[i].start + k, "any");
        }
    data_table_free(&t);
    line_table_free(&lines);
    inline_table_free(&inlines);
    return found;
}

/* Bytes of the debugging sections change, 1 to 8 at a time. */
static int fuzz(const struct elf_image *e, uint64_t seed, unsigned count)
{
    unsigned char *bytes = malloc(e->size);
    struct elf_section s = {0};
    uint64_t from = e->size, to = 0, found = 0;

    while (elf_image_next(e, &s))
        if (s.name && !strncmp(s.name, ".debug_", 7) &&
            elf_section_bytes(e, &s)) {
            from = s.offset < from ? s.offset : from;
            to = s.offset + s.size > to ? s.offset + s.size : to;
        }
    for (unsigned n = 0; bytes && from < to && n < count; n++) {
        memcpy(bytes, e->bytes, e->size);
        for (uint64_t k = draw(&seed) % 8 + 1; k; k--)
            bytes[from + draw(&seed) % (to - from)] =
                (unsigned char)(draw(&seed) >> draw(&seed) % 8);
        found += look(bytes, e->size);
    }
    free(bytes);
    printf("%u damaged files, %" PRIu64 " names\n", count, found);
    return !found;
}

int main(int argc, char **argv)
{
    struct elf_wrong w;
    struct elf_image e;
    struct data_table t;
    int bad;

    if (argc < 3 || !elf_image_open(&e, argv[1], &w))
        return 1;
    if (argc == 5) {
        bad = fuzz(&e, strtoull(argv[3], NULL, 0),
                   (unsigned)strtoul(argv[4], NULL, 0));
    } else {
        data_table_read(&t, &e);
        bad = compare(&t, strtoull(argv[2], NULL, 16),
                      !strcmp(argv[2], "objects"));
        data_table_free(&t);
    }
    elf_image_close(&e);
    return bad;
}
