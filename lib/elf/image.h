/* image.h - an ELF file of this machine: 32-bit, big-endian, PowerPC. Opens
 * it, checks it, and names its segments and sections. Believes nothing in the
 * file and prints nothing. What a program may load, mark or report is the
 * business of those who ask.
 *
 * Offsets and sizes are in bytes; addresses are those of the file, as linked.
 * They are 64 bits wide so that a sum of two of them is exact.
 */
#ifndef LIB_ELF_IMAGE_H
#define LIB_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_IMAGE_MAX (1u << 30) /* bytes of a file */

enum elf_fault {
    ELF_FAULT_OPEN, /* the file cannot be opened */
    ELF_FAULT_READ,
    ELF_FAULT_DIRECTORY,
    ELF_FAULT_NOT_REGULAR,
    ELF_FAULT_EMPTY,
    ELF_FAULT_LARGE,
    ELF_FAULT_SHRANK, /* while it was read */
    ELF_FAULT_MEMORY, /* the host's */
    ELF_FAULT_MAGIC,  /* no ELF file */
    ELF_FAULT_SHORT,  /* ends inside the ELF header */
    ELF_FAULT_CLASS,
    ELF_FAULT_BYTE_ORDER,
    ELF_FAULT_LIBELF, /* libelf refuses the whole file */
    ELF_FAULT_HEADER, /* ... its ELF header */
    ELF_FAULT_MACHINE,
    ELF_FAULT_SEGMENTS,  /* a program header cannot be read */
    ELF_FAULT_FILLED,    /* a segment has more bytes in the file */
    ELF_FAULT_TRUNCATED, /* a segment ends behind the file */
    ELF_FAULT_ADDRESS,   /* a segment passes the end of addresses */
    ELF_FAULT_PHYSICAL   /* the same of its physical addresses alone */
};

/* What is wrong, and the words for it: "is empty, name an ELF file". The name
 * of the file goes in front of them. */
struct elf_wrong {
    enum elf_fault fault;
    const char *detail; /* libelf's words, of LIBELF and HEADER; static */
    char text[160];
};

/* All zero: not open. */
struct elf_image {
    unsigned char *bytes; /* the file as it is */
    size_t size;
    bool owned;         /* the bytes */
    struct Elf *libelf; /* of lib/elf and lib/dwarf; owned */
    unsigned mode;      /* permissions of the file; 0: it was not a file */
    unsigned type;      /* enum elf_file_type, or another */
    uint64_t entry;
    uint64_t segment_table, section_table; /* offsets; 0: none */
    unsigned segment_size;                 /* bytes of a program header */
    unsigned segments, sections;
};

/* Read and check a file. False: *w says why, nothing is held. */
bool elf_image_open(struct elf_image *e, const char *path, struct elf_wrong *w);
/* The same of an open file, which stays open; its position does not matter
 * and stays. */
bool elf_image_open_fd(struct elf_image *e, int fd, struct elf_wrong *w);
/* The same of bytes in memory, which must outlive the image. */
bool elf_image_borrow(struct elf_image *e, const unsigned char *bytes,
                      size_t size, struct elf_wrong *w);
/* The same of a copy of bytes. */
bool elf_image_copy(struct elf_image *e, const void *bytes, size_t size,
                    struct elf_wrong *w);
/* The same of bytes that malloc made, which become the image's own, even if
 * they are refused. */
bool elf_image_adopt(struct elf_image *e, unsigned char *bytes, size_t size,
                     struct elf_wrong *w);
/* Close an image, if it is open. */
void elf_image_close(struct elf_image *e);
/* Close it and hand its own bytes to the caller, who frees them. */
unsigned char *elf_image_take(struct elf_image *e);

/* ---- segments ------------------------------------------------------------ */

/* Types of segments and sections, and the machine's types of files, that other
 * rooms tell apart (ELF specification: PT_, SHT_, ET_). */
enum elf_segment_type {
    ELF_SEGMENT_LOAD = 1,
    ELF_SEGMENT_INTERPRETER = 3,
    ELF_SEGMENT_NOTE = 4
};
enum elf_section_type {
    ELF_SECTION_UNUSED = 0,
    ELF_SECTION_NOTE = 7,
    ELF_SECTION_EMPTY = 8 /* no bytes in the file: SHT_NOBITS */
};
enum elf_file_type { ELF_FILE_OBJECT = 1, ELF_FILE_PROGRAM, ELF_FILE_SHARED };

struct elf_segment {
    uint32_t type;   /* enum elf_segment_type, or another */
    uint64_t va, pa; /* effective and physical address */
    uint64_t memory; /* bytes there */
    uint64_t file;   /* ... of which the file has the first */
    uint64_t offset; /* where; 0 if it has none */
    uint64_t align;  /* bytes */
    bool read, write, execute;
};

/* Program header n, from 0. False: there is none, or *w says what is wrong. */
bool elf_image_segment(const struct elf_image *e, unsigned n,
                       struct elf_segment *s, struct elf_wrong *w);
/* Do the segment's bytes lie in the file, and its addresses below 2^32?
 * ELF_FAULT_PHYSICAL comes last: all else is well then. False: *w says why. */
bool elf_segment_check(const struct elf_image *e, const struct elf_segment *s,
                       struct elf_wrong *w);
/* "rwx", with - for what is not allowed. */
void elf_segment_flags(const struct elf_segment *s, char flags[4]);

/* ---- sections ------------------------------------------------------------ */

/* All zero: before the first. */
struct elf_section {
    size_t number;
    const char *name; /* in the image; NULL: it has none */
    uint32_t type;    /* enum elf_section_type, or another */
    bool loaded;      /* SHF_ALLOC */
    bool code;        /* SHF_EXECINSTR */
    uint64_t address, offset, size;
};

/* The next section, in order of the section table; one that cannot be read is
 * left out. False: there is none. */
bool elf_image_next(const struct elf_image *e, struct elf_section *s);
/* The next section of this name that is in use; the same otherwise. */
bool elf_image_next_named(const struct elf_image *e, const char *name,
                          struct elf_section *s);
/* Its `size` bytes, in the image; NULL: they are not all in the file. */
const unsigned char *elf_section_bytes(const struct elf_image *e,
                                       const struct elf_section *s);

#endif
