/* program.h - an ELF file that is marked: what simmark reads of it, and how a
 * new one is written that differs in nothing that is loaded.
 *
 * 32-bit big-endian PowerPC, executable or shared; symbols, section table and
 * debugging information may be missing.
 */
#ifndef TOOLS_SIMMARK_PROGRAM_H
#define TOOLS_SIMMARK_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/dwarf/lines.h"
#include "lib/elf/image.h"
#include "pmu/markspec/markers.h"
#include "pmu/markspec/perfinst.h"

#define PROGRAM_SEGMENTS 64

/* Something that is loaded. */
struct program_segment {
    uint32_t address, memory, offset, file;
    char flags[4]; /* "r-x" */
};

struct program {
    const char *path;
    struct elf_image elf;
    struct line_table lines; /* read when first asked for */
    bool lines_read;
    struct program_segment segment[PROGRAM_SEGMENTS];
    unsigned segments;
    struct perfinst_place place[PROGRAM_SEGMENTS];
    struct perfinst_symbol *symbol; /* by address */
    size_t symbols;
    struct perfinst_world world;
    struct perfinst own;    /* marks of its section .perfinst */
    struct perfinst loaded; /* ... of such sections that are loaded */
    struct markers markers; /* those that marker instructions carry */
};

/* Read a file and its marks. False: why has a line, nothing is held. A
 * program must not move in memory. */
bool program_open(struct program *p, const char *path, char *why, size_t size);
/* The same of bytes, which become its own, with name and mode of another. */
bool program_adopt(struct program *p, const struct program *like,
                   unsigned char *bytes, size_t length, char *why, size_t size);
void program_close(struct program *p);

/* Where in the file the word at an address is; -1: nowhere. And what it is. */
long program_offset(const struct program *p, uint32_t address);
bool program_word(const struct program *p, uint32_t address, uint32_t *word);

/* What is loaded of a segment as one number; the three fields of the ELF
 * header that say where the section table is count as zero. */
uint64_t program_checksum(const struct program *p, unsigned segment);

/* Write it to a file with these marks instead of its own; none: without the
 * section. What is loaded is the same, to the byte, but for those fields. */
bool program_write(const struct program *p, const struct perfinst *marks,
                   const char *path, char *why, size_t size);

/* Another section: one that is loaded has its bytes in a segment already. */
struct program_section {
    const char *name;
    const unsigned char *bytes; /* NULL: those at `offset` */
    uint32_t size, address, offset;
    bool loaded;
};

/* The same without marks, with more sections. */
bool program_write_with(const struct program *p,
                        const struct program_section *more, size_t count,
                        const char *path, char *why, size_t size);

/* The symbol that covers an address; NULL: unknown. */
const struct perfinst_symbol *program_symbol(const struct program *p,
                                             uint32_t address, bool data);

/* perfinst_world.line, by DWARF. */
unsigned program_line(void *program, const char *file, unsigned line, void *to,
                      void (*found)(void *to, uint32_t start, uint32_t size));

/* Has another place the name of this one, which only a source file knows? Then
 * the file tells them apart. */
bool program_has_another(const struct program *p,
                         const struct perfinst_symbol *s);

#endif
