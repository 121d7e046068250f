/* phys.h - memory at a physical address, as words of the host's bytes: what
 * translation and accesses share. Devices are not memory; nothing is noted in
 * the step. Units are bytes; a cpu must have its port.
 */
#ifndef ISA_PHYS_H
#define ISA_PHYS_H

#include <string.h>

#include "isa/cpu.h"
#include "isa/port.h"

/* Do `size` bytes at pa lie in memory? */
static inline bool phys_is_ram(const struct cpu *c, pa_t pa, unsigned size)
{
    return pa <= c->port->ram_size - size && size <= c->port->ram_size;
}

/* The big-endian number of `size` bytes, 1 to 4, at `at`. */
static inline uint32_t phys_get(const uint8_t *at, unsigned size)
{
    uint32_t v = 0;

    if (size == 4) {
        memcpy(&v, at, 4);
        return __builtin_bswap32(v);
    }
    while (size--)
        v = v << 8 | *at++;
    return v;
}

/* ... is v from now on. */
static inline void phys_put(uint8_t *at, unsigned size, uint32_t v)
{
    if (size == 4) {
        v = __builtin_bswap32(v);
        memcpy(at, &v, 4);
        return;
    }
    while (size--) {
        at[size] = (uint8_t)v;
        v >>= 8;
    }
}

/* The same of 1, 2, 4 or 8 bytes, where the compiler knows how many. */
static inline uint64_t phys_read(const uint8_t *at, unsigned size)
{
    uint64_t v;
    uint16_t half;

    if (size != 8 && size != 2)
        return phys_get(at, size);
    memcpy(&half, at, 2);
    if (size == 2)
        return __builtin_bswap16(half);
    memcpy(&v, at, 8);
    return __builtin_bswap64(v);
}

static inline void phys_write(uint8_t *at, unsigned size, uint64_t v)
{
    uint16_t half = __builtin_bswap16((uint16_t)v);

    if (size != 8 && size != 2)
        phys_put(at, size, (uint32_t)v);
    v = __builtin_bswap64(v);
    if (size == 2)
        memcpy(at, &half, 2);
    else if (size == 8)
        memcpy(at, &v, 8);
}

/* Take the reservations of the line of pa from the processors other than c. */
void phys_break_reservations(struct cpu *c, pa_t pa);

/* `size` bytes at pa, in memory, were just stored to by c: the others'
 * reservations and the decoded records of what was there are gone. */
static inline void phys_stored(struct cpu *c, pa_t pa, unsigned size)
{
    const struct port *p = c->port;

    if (UNLIKELY(p->reservations->mask & ~(1u << p->cpu)))
        phys_break_reservations(c, pa);
    if (UNLIKELY(p->code_page[pa >> 12]))
        p->code_written(p->world, pa, size);
}

#endif
