/* ram.h - main memory and the decoded records made from it.
 * Both are mapped once at start, sparse on the host: a page costs nothing
 * until it is touched. Big-endian bytes at physical 0 up.
 */
#ifndef SIM_MEM_RAM_H
#define SIM_MEM_RAM_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/insn.h"

struct ram {
    uint8_t *bytes;
    uint32_t size;      /* bytes, a multiple of 4 KB */
    struct insn *insns; /* one per word of memory; zeros: not decoded */
    uint8_t *code_page; /* one per 4 KB page: records exist */
    uint64_t forgotten; /* records so far: code changed, or may have */
};

/* False: the host has no room; *why says so in words. Owner frees. */
bool ram_init(struct ram *r, uint32_t size, const char **why);
void ram_free(struct ram *r);

/* The record of the word at pa (word-aligned, inside memory), made if need
 * be. Valid until the word is stored to. */
struct insn *ram_insn(struct ram *r, pa_t pa);

/* The physical address whose record this is. */
static inline pa_t ram_pa(const struct ram *r, const struct insn *i)
{
    return (pa_t)(i - r->insns) * 4;
}

/* Bytes pa .. pa+size-1 changed, or icbi named them: forget their records. */
void ram_forget(struct ram *r, pa_t pa, unsigned size);

#endif
