/* space.h - the address space of a user program: what is mapped where.
 *
 * Regions say what a program may do; pages come when first touched. The
 * machine translates by its own segment registers and hashed page table: the
 * table, in simulated memory, is a cache of what stands here, filled by
 * space_fault. Every change is followed by `changed`, so that processors
 * forget. Addresses below SPACE_TOP belong to the program.
 */
#ifndef SIM_USER_MM_SPACE_H
#define SIM_USER_MM_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/types.h"
#include "sim/mem/ram.h"

#define SPACE_TOP 0xC0000000u
#define SPACE_LOW 0x10000u /* nothing is placed below unasked */
#define SPACE_READ 1u
#define SPACE_WRITE 2u
#define SPACE_EXEC 4u
#define SPACE_TOP_CLASSES 20

struct space_file;

struct region {
    ea_t start, end; /* whole pages; end is behind the last byte */
    unsigned prot;
    bool shared;             /* stores go to the file */
    bool may_write;          /* prot may allow stores */
    struct space_file *file; /* shared.h; NULL: private memory, no file */
    uint64_t offset;         /* of `start` in it */
};

struct space {
    struct ram *ram;
    void *arg;
    void (*changed)(void *arg); /* translations are gone */
    /* A store by the system to physical memory, or a load. */
    void (*stored)(void *arg, pa_t pa, unsigned size);
    void (*loaded)(void *arg, pa_t pa, unsigned size);
    void (*wrote)(void *arg, int host); /* to a file that is mapped */
    /* `reserved` is at most what files in memory take: see what they do. */
    void (*recount)(void *arg);
    uint64_t reserved;
    uint32_t vsid;         /* of segment 0; the next 15 follow */
    struct region *region; /* by address, in the middle of rows: either end can
                            * grow */
    struct region *rows;   /* owned */
    unsigned regions, room;
    ea_t searched_below; /* space_place, the last time: below that */
    ea_t searched[SPACE_TOP_CLASSES]; /* ... no hole of 2^n pages above this */
    uint32_t *table[1024]; /* by EA bits 0-9: frame | 1, 0: not there */
    pa_t htab;
    uint32_t groups;
    uint32_t victim; /* who is evicted next */
    pa_t *free;      /* frames given back */
    unsigned freed;
    pa_t unused, limit; /* frames never used: unused .. limit */
    uint32_t layout;    /* seed of what space_layout draws; 0: nothing */
    ea_t brk_start, brk;
    bool exhausted;            /* a page could not be had */
    struct space_later *later; /* deferred_write.h */
    struct space_file *files;  /* shared.h */
};

enum fault {
    FAULT_FIXED,
    FAULT_UNMAPPED,
    FAULT_DENIED,
    FAULT_BEYOND,
    FAULT_ROOM
};

/* False: no room on the host, or in memory for the page table. */
bool space_init(struct space *s, struct ram *ram);
void space_free(struct space *s);
enum { LAYOUT_STACK, LAYOUT_HEAP, LAYOUT_MAPPINGS }; /* and blocks of frames */
/* 0 to below - 1 (a power of two) by the layout's seed, for purpose `what`. */
uint32_t space_layout(const struct space *s, uint32_t what, uint32_t below);
uint32_t space_sdr1(const struct space *s);

/* ea was touched in a way (one of SPACE_...) that found no translation:
 * make one, or say why there is none. */
enum fault space_fault(struct space *s, ea_t ea, unsigned how);

/* Mapping. Addresses are page-aligned, lengths whole pages and not 0.
 * Each returns 0 or an error number. file: -1 or a host descriptor, which the
 * region duplicates. */
int space_map(struct space *s, ea_t at, uint32_t length, unsigned prot,
              bool shared, int file, uint64_t offset);
/* Map what is like a region, one of this space or not, at another offset. */
int space_map_more(struct space *s, ea_t at, uint32_t length,
                   const struct region *like, uint64_t offset);
int space_unmap(struct space *s, ea_t at, uint32_t length);
/* Pages of r are no longer in memory. */
void space_drop(struct space *s, const struct region *r, ea_t from, ea_t to);
int space_protect(struct space *s, ea_t at, uint32_t length, unsigned prot);
/* Write what a shared file mapping holds back to its file. */
int space_sync(struct space *s, ea_t at, uint32_t length);
/* Drop pages: they read as zeros, or as the file, again. */
int space_discard(struct space *s, ea_t at, uint32_t length);
/* Move length bytes of mapping and pages from one place to another, free. */
int space_move(struct space *s, ea_t from, ea_t to, uint32_t length);
/* The highest free place for so much below `below`; 0: none. */
ea_t space_place(struct space *s, uint32_t length, ea_t below);
/* Is nothing mapped there? Is everything? */
bool space_vacant(const struct space *s, ea_t at, uint32_t length);
bool space_whole(const struct space *s, ea_t at, uint32_t length);
const struct region *space_find(const struct space *s, ea_t at);
bool space_resident(const struct space *s, ea_t at);
/* Where a byte is in memory. False: its page was never touched. */
bool space_frame(const struct space *s, ea_t at, pa_t *pa);

/* The byte's page, if it is in memory, is stored to. */
void space_dirty(struct space *s, ea_t at);

/* A file of the host's that may be mapped: its bytes are about to be read or
 * changed by another process of the host; they were changed; its size was. */
void space_file_sync(struct space *s, int host, uint64_t from, uint64_t size);
void space_file_written(struct space *s, int host, uint64_t from,
                        uint64_t size);
void space_file_cut(struct space *s, int host);
/* Bytes of memory that no page of the program takes. */
uint64_t space_left(const struct space *s);
/* What files of that device take: `sum` is what those of these numbers do.
 * Those that are only mapped come to it, and pages that are in memory do not
 * count twice. */
uint64_t space_nameless(const struct space *s, uint64_t device,
                        const uint64_t *numbers, unsigned n, uint64_t sum);
bool space_file_mapped(const struct space *s, int host);

/* The system's own access, as the program may: false is EFAULT. */
bool space_read(struct space *s, ea_t at, void *bytes, size_t size);
bool space_write(struct space *s, ea_t at, const void *bytes, size_t size);
bool space_read32(struct space *s, ea_t at, uint32_t *v);
bool space_write32(struct space *s, ea_t at, uint32_t v);
/* The same without regard to protection, for a loader. */
bool space_poke(struct space *s, ea_t at, const void *bytes, size_t size);
/* What is mapped there, whether it was touched or not, and touching nothing;
 * protection does not matter. */
bool space_peek(const struct space *s, ea_t at, void *bytes, size_t size);
/* A string with its 0: its length, or -1 EFAULT, or -2 longer than size. */
int space_string(struct space *s, ea_t at, char *text, size_t size);
/* The bytes at `at` on its page, for `how`: *left of them; NULL: EFAULT. */
uint8_t *space_bytes(struct space *s, ea_t at, unsigned how, uint32_t *left);

#endif
