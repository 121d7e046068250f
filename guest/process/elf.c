/* elf.c - programs: static ELF files for 32-bit PowerPC in the RAM disk. Their
 * pages come from the file when they are touched. Nothing in the file is
 * believed.
 */
#include "guest/process/errno.h"
#include "guest/process/file.h"

#define HEADER 52
#define PROGRAM_HEADER 32
#define SECTION_HEADER 40
#define SYMBOL 16
#define ELF_32_BIG 0x7F454C46u
#define TYPE_EXECUTABLE 2
#define MACHINE_PPC 20
#define LOAD 1
#define INTERPRETER 3
#define SYMBOL_TABLE 2
#define FUNCTION 2

static uint32_t word(const struct node *f, uint32_t at)
{
    const uint8_t *b = f->bytes + at;

    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 |
           b[3];
}

static uint32_t half(const struct node *f, uint32_t at)
{
    return (uint32_t)f->bytes[at] << 8 | f->bytes[at + 1];
}

static bool inside(const struct node *f, uint32_t at, uint32_t bytes)
{
    return at <= f->size && bytes <= f->size - at;
}

static bool is_program(const struct node *f)
{
    return f->size >= HEADER && word(f, 0) == ELF_32_BIG && f->bytes[4] == 1 &&
           f->bytes[5] == 2 && half(f, 16) == TYPE_EXECUTABLE &&
           half(f, 18) == MACHINE_PPC && half(f, 42) == PROGRAM_HEADER &&
           inside(f, word(f, 28), half(f, 44) * PROGRAM_HEADER);
}

/* One segment, with the rest of its first page in front of it. */
static int32_t map_segment(struct space *s, const struct node *f, uint32_t at,
                           struct program *p)
{
    uint32_t offset = word(f, at + 4), va = word(f, at + 8);
    uint32_t file = word(f, at + 16), memory = word(f, at + 20);
    uint32_t flags = word(f, at + 24), skip = va & PAGE_MASK;
    struct region r = {.may = (flags & 4 ? MAY_READ : 0) |
                              (flags & 2 ? MAY_WRITE : 0) |
                              (flags & 1 ? MAY_RUN : 0)};
    uint32_t end = (va + memory + PAGE_MASK) & ~PAGE_MASK;

    if (!memory)
        return 0;
    if (file > memory || !inside(f, offset, file) || va >= MAP_TOP ||
        memory >= MAP_TOP - va || offset < skip)
        return -ENOEXEC;
    if (file) {
        r.origin = f->bytes + offset - skip;
        r.bytes = file + skip;
    }
    if (end > p->end)
        p->end = end;
    /* Where the table of these headers is in memory. */
    if (word(f, 28) >= offset && word(f, 28) < offset + file)
        p->headers = va + word(f, 28) - offset;
    return space_map(s, va - skip, end - (va - skip), &r);
}

int32_t elf_map(struct space *s, const struct node *file, struct program *p)
{
    uint32_t count, at;

    if (!is_program(file))
        return -ENOEXEC;
    count = half(file, 44);
    at = word(file, 28);
    *p = (struct program){.entry = word(file, 24), .header_count = count};
    for (; count; count--, at += PROGRAM_HEADER) {
        int32_t error = 0;

        if (word(file, at) == INTERPRETER)
            return -ENOEXEC; /* static programs only */
        if (word(file, at) == LOAD)
            error = map_segment(s, file, at, p);
        if (error)
            return error;
    }
    s->brk_start = s->brk = p->end;
    return 0;
}

/* ---- symbols ------------------------------------------------------------- */

struct best {
    uint32_t value, name; /* name: in the file */
};

static void look(const struct node *f, uint32_t at, uint32_t texts,
                 uint32_t wanted, struct best *best)
{
    uint32_t name = word(f, at), value = word(f, at + 4);

    if ((f->bytes[at + 12] & 15) == FUNCTION && value <= wanted &&
        value > best->value && inside(f, texts + name, 1)) {
        best->value = value;
        best->name = texts + name;
    }
}

static void search(const struct node *f, uint32_t section, uint32_t wanted,
                   struct best *best)
{
    uint32_t at = word(f, section + 16), bytes = word(f, section + 20);
    uint32_t link = word(f, section + 24), table = word(f, 32);

    if (link >= half(f, 48) || !inside(f, at, bytes))
        return;
    link = word(f, table + link * SECTION_HEADER + 16);
    for (; bytes >= SYMBOL; bytes -= SYMBOL, at += SYMBOL)
        look(f, at, link, wanted, best);
}

/* The text ends in the file, or in the zeros behind the archive. */
const char *elf_symbol(const struct node *f, uint32_t wanted, uint32_t *offset)
{
    struct best best = {0, 0};
    uint32_t table;

    *offset = 0;
    if (!is_program(f))
        return "";
    table = word(f, 32);
    if (half(f, 46) != SECTION_HEADER ||
        !inside(f, table, half(f, 48) * SECTION_HEADER))
        return "";
    for (uint32_t k = 0; k < half(f, 48); k++) {
        if (word(f, table + k * SECTION_HEADER + 4) == SYMBOL_TABLE)
            search(f, table + k * SECTION_HEADER, wanted, &best);
    }
    *offset = wanted - best.value;
    return best.value ? (const char *)f->bytes + best.name : "";
}
