/* opcodes.c - see opcodes.h. The program's own bytes stay where they are; the
 * island is one more segment, in front of all others, between two of them, or
 * where it was wished. Program headers stay too, since programs look for them
 * where they were linked: the new one takes the place of one that names notes,
 * or room behind the table; else the table moves, to the front of the island.
 */
#include "tools/simmark/opcodes.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/big_endian.h"
#include "tools/simmark/island.h"

#define PAGE 0x10000u /* the largest that a kernel has */
#define LOWEST PAGE   /* programs have nothing below it */
#define SMALL 32u     /* what a hole has to be aligned to */

static bool refuse(const struct program *p, const char *what, char *why,
                   size_t room)
{
    snprintf(why, room, "%s: %s", p->path, what);
    return false;
}

/* ---- where it stands ----------------------------------------------------- */

static bool is_free(const struct program *p, uint32_t from, uint32_t size)
{
    uint64_t end = (uint64_t)from + size;

    for (unsigned k = 0; k < p->segments; k++) {
        const struct program_segment *s = &p->segment[k];

        if (from < (uint64_t)s->address + s->memory && s->address < end)
            return false;
    }
    return end <= UINT32_MAX;
}

static uint32_t lowest(const struct program *p)
{
    uint32_t low = UINT32_MAX;

    for (unsigned k = 0; k < p->segments; k++)
        if (p->segment[k].address < low)
            low = p->segment[k].address;
    return low;
}

/* Behind a segment and before the next one. */
static bool find_hole(const struct program *p, uint32_t size, uint32_t *at)
{
    uint32_t top = 0;

    for (unsigned k = 0; k < p->segments; k++)
        if (p->segment[k].address > top)
            top = p->segment[k].address;
    for (unsigned k = 0; k < p->segments; k++) {
        const struct program_segment *s = &p->segment[k];
        uint64_t end = (uint64_t)s->address + s->memory + SMALL - 1;

        *at = (uint32_t)(end & ~(uint64_t)(SMALL - 1));
        if (end < top && *at + (uint64_t)size <= top && is_free(p, *at, size))
            return true;
    }
    return false;
}

static bool find_room(const struct program *p, uint32_t size,
                      const uint32_t *wish, uint32_t *at, char *why,
                      size_t room)
{
    uint32_t whole = (size + PAGE - 1) & ~(PAGE - 1);
    uint32_t low = lowest(p) & ~(PAGE - 1);

    if (wish) {
        *at = *wish;
        if (*at % SMALL == 0 && is_free(p, *at, size))
            return true;
        snprintf(why, room,
                 "%s: --at=0x%" PRIx32 ": %" PRIu32 " bytes are not free "
                 "there, or it is no multiple of %u",
                 p->path, *at, size, SMALL);
        return false;
    }
    *at = low - whole;
    if (low >= LOWEST && low - LOWEST >= whole)
        return true;
    if (find_hole(p, size, at))
        return true;
    snprintf(why, room,
             "%s: there is no room for %" PRIu32 " bytes in front of what is "
             "loaded or between; say with --at=ADDRESS where the program "
             "leaves memory alone, or mark less",
             p->path, size);
    return false;
}

/* ---- headers ------------------------------------------------------------- */

#define PHDR sizeof(Elf32_Phdr)

/* A program header, as words: type, offset, va, pa, file, memory, flags,
 * align. */
enum { P_TYPE, P_OFFSET, P_VA, P_PA, P_FILE, P_MEMORY, P_FLAGS, P_ALIGN };

static uint32_t field(const unsigned char *h, unsigned k)
{
    return be_get32(h + 4 * k);
}

/* How much further down physical memory is, where the code is. */
static uint32_t shift_of(const struct program *p, uint32_t code)
{
    const unsigned char *h = p->elf.bytes + p->elf.segment_table;

    for (unsigned k = 0; k < p->elf.segments; k++, h += PHDR)
        if (field(h, P_TYPE) == PT_LOAD &&
            code - field(h, P_VA) < field(h, P_MEMORY))
            return field(h, P_PA) - field(h, P_VA);
    return 0;
}

struct plan {
    const struct program *p;
    struct island island;
    uint32_t address, size, offset; /* of the segment; in the new file */
    uint32_t head;                  /* room for headers in front of it */
};

/* Is the file unused from `from` on, for one more header? */
static bool is_slack(const struct program *p, size_t from)
{
    struct elf_section s = {0};

    if (from + PHDR > p->elf.size)
        return false;
    for (size_t k = 0; k < PHDR; k++)
        if (p->elf.bytes[from + k])
            return false;
    while (elf_image_next(&p->elf, &s))
        if (s.type != ELF_SECTION_EMPTY && s.offset < from + PHDR &&
            s.offset + s.size > from)
            return false;
    return p->elf.section_table >= from + PHDR ||
           p->elf.section_table + p->elf.sections * sizeof(Elf32_Shdr) <= from;
}

/* Where the new header finds room. */
static void plan_headers(struct plan *q)
{
    const struct program *p = q->p;
    const unsigned char *h = p->elf.bytes + p->elf.segment_table;

    if (is_slack(p, p->elf.segment_table + p->elf.segments * PHDR))
        return;
    for (unsigned k = 0; k < p->elf.segments; k++)
        if (field(h + k * PHDR, P_TYPE) == PT_NOTE)
            return;
    q->head = (uint32_t)((p->elf.segments + 1) * PHDR);
}

/* The table with the new row, in order of addresses, and without those of
 * notes. How many there are. */
static unsigned put_headers(const struct plan *q, unsigned char *to,
                            const uint32_t island[8])
{
    const struct program *p = q->p;
    const unsigned char *h = p->elf.bytes + p->elf.segment_table;
    unsigned n = p->elf.segments, rows = 0;
    bool done = false;

    for (unsigned k = 0; k <= n; k++, h += PHDR) {
        if (!done && (k == n || (field(h, P_TYPE) == PT_LOAD &&
                                 field(h, P_VA) > island[P_VA]))) {
            for (unsigned w = 0; w < 8; w++)
                be_put32(to + rows * PHDR + 4 * w, island[w]);
            rows++;
            done = true;
        }
        if (k < n && field(h, P_TYPE) != PT_NOTE)
            memcpy(to + rows++ * PHDR, h, PHDR);
    }
    for (unsigned k = 0; k < rows; k++, to += PHDR) {
        if (field(to, P_TYPE) != PT_PHDR)
            continue;
        for (unsigned w = P_OFFSET; q->head && w <= P_PA; w++)
            be_put32(to + 4 * w, island[w]);
        be_put32(to + 4 * P_FILE, rows * (unsigned)PHDR);
        be_put32(to + 4 * P_MEMORY, rows * (unsigned)PHDR);
    }
    return rows;
}

/* Without a program header that names them the sections of notes are none
 * either: the build-id is that of the program that this one was made from. */
static void forget_notes(const struct program *p, unsigned char *b)
{
    for (unsigned k = 0; k < p->elf.sections; k++) {
        unsigned char *type =
            b + p->elf.section_table + k * sizeof(Elf32_Shdr) + 4;

        if ((size_t)(type - b) + 4 <= p->elf.size && be_get32(type) == SHT_NOTE)
            be_put32(type, SHT_PROGBITS);
    }
}

/* The old bytes with branches at home, and the new segment behind them. */
static unsigned char *put_together(const struct plan *q, size_t *size)
{
    const struct program *p = q->p;
    uint32_t code = q->island.m.entry[0].home;
    uint32_t at = q->head ? q->offset : (uint32_t)p->elf.segment_table;
    const uint32_t segment[8] = {
        PT_LOAD, q->offset, q->address,  q->address + shift_of(p, code),
        q->size, q->size,   PF_R | PF_X, q->address % PAGE ? 4 : PAGE};
    unsigned char *b;
    unsigned rows;

    *size = q->offset + q->size;
    b = calloc(1, *size);
    if (!b)
        abort();
    memcpy(b, p->elf.bytes, p->elf.size);
    for (uint32_t k = 0; k < q->island.m.entries; k++) {
        const struct marker *e = &q->island.m.entry[k];

        be_put32(b + program_offset(p, e->home), e->is);
    }
    forget_notes(p, b);
    rows = put_headers(q, b + at, segment);
    for (uint32_t k = 0; k < q->island.m.size / 4; k++)
        be_put32(b + q->offset + q->head + 4 * k, q->island.code[k]);
    be_put32(b + 28, at); /* e_phoff, e_phnum */
    b[44] = (unsigned char)(rows >> 8);
    b[45] = (unsigned char)rows;
    return b;
}

static bool write_it(const struct plan *q, const char *path, char *why,
                     size_t room)
{
    struct program_section more[2] = {
        {.name = MARKERS_ISLAND,
         .size = q->island.m.size,
         .address = q->island.m.island,
         .offset = q->offset + q->head,
         .loaded = true},
        {.name = MARKERS_SECTION},
    };
    struct program now;
    unsigned char *marks;
    size_t size;
    unsigned char *bytes = put_together(q, &size);
    bool ok = program_adopt(&now, q->p, bytes, size, why, room);

    if (!ok)
        return false;
    markers_write(&q->island.m, &marks, &size);
    more[1].bytes = marks;
    more[1].size = (uint32_t)size;
    ok = program_write_with(&now, more, 2, path, why, room);
    program_close(&now);
    free(marks);
    return ok;
}

static bool check_program(const struct program *p,
                          const struct perfinst_marks *marks, char *why,
                          size_t room)
{
    if (p->markers.size)
        return refuse(p,
                      "its marks are marker instructions already; begin "
                      "with the program that it was made from",
                      why, room);
    if (marks->ranges)
        return refuse(p,
                      "a range is counted by its addresses, and code that "
                      "has moved is elsewhere; take it out (simmark "
                      "remove), and give simrun --range",
                      why, room);
    if (marks->areas)
        return refuse(p,
                      "a count area is of data, and instructions mark no "
                      "data; take it out (simmark remove)",
                      why, room);
    if (!marks->words)
        return refuse(p, "no instruction is marked; name what is to be", why,
                      room);
    if (p->elf.type != ELF_FILE_PROGRAM)
        return refuse(p, "moves in memory, link it with -static -no-pie", why,
                      room);
    if (!p->elf.segments || p->elf.segment_size != PHDR ||
        p->elf.segments >= PN_XNUM - 1)
        return refuse(p, "its program headers have no room for one more", why,
                      room);
    return true;
}

bool opcodes_write(const struct program *p, struct perfinst_marks *marks,
                   const uint32_t *at, const char *path,
                   struct opcodes_done *done, char *why, size_t room)
{
    struct plan q = {.p = p};
    size_t left = island_leave(p, marks);
    bool ok;

    if (!check_program(p, marks, why, room) ||
        !island_size(p, marks, &q.size, why, room))
        return false;
    plan_headers(&q);
    q.size += q.head;
    if (!find_room(p, q.size, at, &q.address, why, room) ||
        !island_make(&q.island, p, marks, q.address + q.head, why, room))
        return false;
    /* Pages of the file lie in memory as they are. */
    q.offset = (uint32_t)((p->elf.size + PAGE - 1) & ~(size_t)(PAGE - 1)) +
               q.address % PAGE;
    ok = write_it(&q, path, why, room);
    *done = (struct opcodes_done){q.island.m.entries, q.island.m.size,
                                  q.island.m.island, left};
    island_free(&q.island);
    return ok;
}

/* ---- afterwards ---------------------------------------------------------- */

static bool word_at(void *program, uint32_t address, uint32_t *word)
{
    return program_word(program, address, word);
}

bool opcodes_check(const struct program *p, char *why, size_t room)
{
    char what[200];

    return markers_check(&p->markers, word_at, (void *)p, what, sizeof what) ||
           refuse(p, what, why, room);
}

void opcodes_undo(struct program *p)
{
    for (uint32_t k = 0; k < p->markers.entries; k++) {
        const struct marker *e = &p->markers.entry[k];
        long at = program_offset(p, e->home);

        if (at >= 0)
            be_put32(p->elf.bytes + at, e->was);
    }
}
