/* loader.h - an ELF file, checked and put into memory.
 *
 * Only 32-bit big-endian PowerPC executables of type ET_EXEC without a
 * dynamic loader. Segments go to their physical addresses; the entry point is
 * the physical address of the ELF entry. Everything else is refused with
 * one line that says what is wrong and what to do.
 */
#ifndef SIM_LOADER_H
#define SIM_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/mem/ram.h"

#define IMAGE_SEGMENTS 64
#define IMAGE_NAME 256
#define IMAGE_MAX (1u << 30)         /* bytes of a file */
#define RAM_MAX UINT32_C(0xFC000000) /* where the devices begin */

struct image_segment {
    uint32_t va, pa, memory, file, offset; /* sizes in memory and in the file */
    char flags[4];                         /* "rwx", - for what is not set */
};

struct image {
    char name[IMAGE_NAME];     /* of the file, without its directory */
    char build_id[2 * 64 + 1]; /* hex; a hash of the file if it has none */
    bool is_linux;             /* a note of its C library says so */
    uint32_t entry;
    unsigned count;
    struct image_segment segment[IMAGE_SEGMENTS];
    unsigned char *bytes; /* the file as it is; owned */
    size_t size;
};

/* Read and check a file. False: `why` has the line, nothing is held. */
bool image_open(struct image *i, const char *path, char *why, size_t size);
/* The same of bytes that are in memory already, of which a copy is kept; they
 * are called `name`. */
bool image_read(struct image *i, const char *name, const void *bytes,
                size_t length, char *why, size_t size);
void image_close(struct image *i);

/* Copy the segments into memory. False: they do not fit into it. */
bool image_load(const struct image *i, struct ram *r, char *why, size_t size);

/* The word that the file has for an effective address. False: none. */
bool image_word(const struct image *i, uint32_t address, uint32_t *word);

#endif
