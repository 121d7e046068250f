/* section_notes.c - the notes of an ELF file; believes nothing in them. See
 * section_notes.h. */
#include "sim/observe/section_notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/big_endian.h"
#include "lib/elf/image.h"

#define OWNER "simrun"
#define HEAD 20 /* bytes of a note before the description: 3 words, owner */
#define LEAST (HEAD + 4 + 1)

/* ---- the notes ----------------------------------------------------------- */

/* Where the bytes of the notes lie in the image; 0 bytes: there are none. */
static const unsigned char *notes_of(const struct image *i, size_t *size)
{
    const unsigned char *notes = NULL;
    struct elf_section s = {0};
    struct elf_image file;
    struct elf_wrong unused;

    *size = 0;
    elf_image_borrow(&file, i->bytes, i->size, &unused);
    while (elf_image_next_named(&file, SECTION_NOTE, &s))
        if (s.type == ELF_SECTION_NOTE && elf_section_bytes(&file, &s)) {
            notes = elf_section_bytes(&file, &s);
            *size = s.size;
        }
    elf_image_close(&file);
    return notes;
}

/* The number of the section of this name, new or known. */
static uint32_t section_of(struct section_notes *m, const char *name)
{
    for (uint32_t n = 0; n < m->sections; n++)
        if (!strcmp(m->name[n], name))
            return n + 1;
    m->name[m->sections++] = name;
    return m->sections;
}

/* The log has a line for it. */
static bool can_be_told(const char *name)
{
    const unsigned char *c = (const unsigned char *)name;

    while (*c >= 0x20 && *c != 0x7F)
        c++;
    return *name && !*c;
}

/* What garbage collection of the linker dropped has no address left, and is
 * passed over. */
static bool add_mark(struct section_notes *m, const struct image *i,
                     uint32_t address, uint32_t kind, const char *name)
{
    uint32_t word;

    if (!address)
        return true;
    if ((kind != SECTION_IS_BEGIN && kind != SECTION_IS_END) || address % 4 ||
        !image_word(i, address, &word) || word != SECTION_WORD + kind)
        return false;
    m->list[m->count++] =
        (struct mark){address, section_of(m, name), kind == SECTION_IS_BEGIN};
    return true;
}

static int by_address(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;

    return x->address < y->address ? -1 : x->address > y->address;
}

/* One note; *at goes behind it. */
static bool read_note(struct section_notes *m, const struct image *i,
                      const unsigned char *note, size_t size, size_t *at)
{
    const char *name = (const char *)note + HEAD + 4;
    size_t description;
    uint32_t address;

    if (size < LEAST || be_get32(note) != sizeof OWNER ||
        memcmp(note + 12, OWNER, sizeof OWNER))
        return false;
    description = be_get32(note + 4);
    if (description < 5 || description > size - HEAD ||
        strnlen(name, description - 4) != description - 5 || !can_be_told(name))
        return false;
    *at += (HEAD + description + 3) & ~(size_t)3;
    address = be_get32(note + HEAD);
    return add_mark(m, i, address ? address + i->bias : 0, be_get32(note + 8),
                    name);
}

static bool read_notes(struct section_notes *m, const struct image *i,
                       const unsigned char *notes, size_t size)
{
    size_t at = 0;

    while (at < size)
        if (!read_note(m, i, notes + at, size - at, &at))
            return false;
    if (m->count)
        qsort(m->list, m->count, sizeof *m->list, by_address);
    return at == size;
}

bool section_notes_open(struct section_notes *m, const struct image *i,
                        char *why, size_t size)
{
    size_t bytes;
    const unsigned char *notes = notes_of(i, &bytes);

    *m = (struct section_notes){0};
    if (!bytes)
        return true;
    m->list = calloc(bytes / LEAST + 1, sizeof *m->list);
    m->name = calloc(bytes / LEAST + 1, sizeof *m->name);
    if (m->list && m->name && read_notes(m, i, notes, bytes))
        return true;
    snprintf(why, size,
             "--sections: %s: what stands in " SECTION_NOTE
             " are no marks, make "
             "them with include/section.h alone",
             i->name);
    section_notes_close(m);
    return false;
}

void section_notes_close(struct section_notes *m)
{
    free(m->list);
    free(m->name);
    *m = (struct section_notes){0};
}

const struct mark *section_notes_find(const struct section_notes *m,
                                      uint32_t address)
{
    struct mark key = {.address = address};

    return m->count ? bsearch(&key, m->list, m->count, sizeof key, by_address)
                    : NULL;
}

/* ---- the cost ------------------------------------------------------------ */

#define BODY 8 /* additions in the loop's body, none waits for another */
#define LOOPS 4096
#define PROGRAM (2 * BODY + 8)

/* r3 = LOOPS; each: BODY additions to eight registers, perhaps a mark behind
 * each one; return. */
static unsigned program(uint32_t *word, bool marks)
{
    unsigned n = 0, loop;

    word[n++] = 0x38600000 | LOOPS; /* li r3,LOOPS */
    word[n++] = 0x7C6903A6;         /* mtctr r3 */
    loop = n;
    for (unsigned k = 0; k < BODY; k++) {
        word[n++] = 0x38000001 | (4 + k) << 21 | (4 + k) << 16; /* addi */
        if (marks)
            word[n++] =
                SECTION_WORD + (k % 2 ? SECTION_IS_END : SECTION_IS_BEGIN);
    }
    word[n] = 0x42000000 | ((loop - n) * 4 & 0xFFFC); /* bdnz loop */
    n++;
    word[n++] = 0x4E800020; /* blr */
    return n;
}

static bool measure(const struct machine_setup *like, bool marks,
                    uint64_t *cycles, char *why, size_t size)
{
    struct machine *m = malloc(sizeof *m);
    unsigned char bytes[4 * PROGRAM];
    uint32_t word[PROGRAM];
    unsigned words = program(word, marks);
    struct image image = {.name = "marks", .count = 1, .bytes = bytes};
    struct machine_setup setup = {
        .params = like->params,
        .timing = like->timing,
        .cpus = 1,
        .ram = RAM_MIN,
        .args = "",
        .image = &image,
        .chip = like->chip,
    };
    bool good;

    for (unsigned k = 0; k < 4 * words; k++)
        bytes[k] = (unsigned char)(word[k / 4] >> (24 - k % 4 * 8));
    image.entry = 0x1000;
    image.size = 4 * words;
    image.segment[0] =
        (struct image_segment){0x1000, 0x1000, 4 * words, 4 * words, 0, "r-x"};
    if (!m) {
        snprintf(why, size, "--sections: the host has no memory");
        return false;
    }
    good = machine_init(m, &setup, why, size);
    if (good) {
        machine_run(m);
        good = m->end == MACHINE_RETURN;
        if (!good)
            snprintf(why, size,
                     "--sections: the cost of a mark cannot be "
                     "measured on this machine");
        *cycles = m->cycles;
    }
    machine_free(m);
    free(m);
    return good;
}

bool section_notes_cost(const struct machine_setup *like, uint64_t *thousandths,
                        char *why, size_t size)
{
    uint64_t without, with;

    if (!measure(like, false, &without, why, size) ||
        !measure(like, true, &with, why, size))
        return false;
    *thousandths =
        with > without ? (with - without) * 1000 / (LOOPS * BODY) : 0;
    return true;
}
