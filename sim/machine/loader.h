/* loader.h - an ELF file, checked and put into memory.
 *
 * 32-bit big-endian PowerPC. A bare-metal program is of type ET_EXEC without a
 * dynamic loader: its segments go to their physical addresses, and the entry
 * point is the physical address of the ELF entry. A Linux program may be
 * position-independent and may name a dynamic loader. Everything else is
 * refused with one line that says what is wrong and what to do.
 */
#ifndef SIM_MACHINE_LOADER_H
#define SIM_MACHINE_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/mem/ram.h"

#define IMAGE_SEGMENTS 64
#define IMAGE_NAME 256
#define RAM_MAX UINT32_C(0xFC000000) /* where the devices begin */
/* Where Linux puts a position-independent program that has 32-bit addresses,
 * when it leaves out randomness (ELF_ET_DYN_BASE of Linux 6.1, PowerPC). */
#define IMAGE_PROGRAM_BIAS UINT32_C(0x00400000)

struct image_segment {
    uint32_t va, pa, memory, file, offset; /* sizes in memory and in the file */
    char flags[4];                         /* "rwx", - for what is not set */
};

enum image_kind {
    IMAGE_BARE,    /* runs without a system */
    IMAGE_PROGRAM, /* of Linux; static, position-independent or dynamic */
    IMAGE_SHARED   /* a shared object, or the dynamic loader */
};

struct image {
    char name[IMAGE_NAME];     /* of the file, without its directory */
    char build_id[2 * 64 + 1]; /* hex; a hash of the file if it has none */
    bool is_linux;             /* a note of its C library says so */
    bool is_kernel;            /* a note says that it is Linux itself */
    bool relocatable;          /* ET_DYN: runs wherever image_move puts it */
    uint32_t bias;             /* added to the addresses of the file */
    char interp[IMAGE_NAME];   /* its dynamic loader (PT_INTERP), or "" */
    uint32_t entry;            /* IMAGE_SHARED without one: 0 */
    uint32_t start;            /* the same as an effective address */
    unsigned count;
    struct image_segment segment[IMAGE_SEGMENTS];
    unsigned char *bytes; /* the file as it is; owned */
    size_t size;
    /* Of a program: the first of the shared objects that will be mapped beside
     * it, each where it will be; NULL: unknown, or none. Not owned. */
    const struct image *beside;
};

/* Read and check a file. False: `why` has the line, nothing is held. */
bool image_open(struct image *i, const char *path, enum image_kind kind,
                char *why, size_t size);
/* The same of an open file, which is called `name` and stays open. */
bool image_open_fd(struct image *i, int fd, const char *name,
                   enum image_kind kind, char *why, size_t size);
/* The same of bytes that are in memory already, of which a copy is kept; they
 * are called `name`. */
bool image_read(struct image *i, const char *name, const void *bytes,
                size_t length, enum image_kind kind, char *why, size_t size);
void image_close(struct image *i);

/* Put a relocatable image `bias` bytes higher; a program is at
 * IMAGE_PROGRAM_BIAS already, a shared object at 0. Before its names are read.
 * False: a segment would pass the end of the address space; nothing was
 * changed. */
bool image_move(struct image *i, uint32_t bias);

/* The first physical address behind its segments; at most 2^32 - 1. */
uint32_t image_end(const struct image *i);

/* Copy the segments into memory. False: they do not fit into it. */
bool image_load(const struct image *i, struct ram *r, char *why, size_t size);

/* The word that the file, or one beside it, has for an effective address.
 * False: none. */
bool image_word(const struct image *i, uint32_t address, uint32_t *word);

#endif
