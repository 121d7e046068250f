/* memory.c - the guest's memory as the debugger sees it.
 * Main memory only: to read a device may change it, so devices are refused.
 */
#include <string.h>

#include "isa/mmu.h"
#include "sim/gdb/stub.h"

#define PAGE 4096u

bool memory_translate(const struct gdb *g, unsigned cpu, ea_t ea, pa_t *pa)
{
    const struct cpu *c = &g->machine->core[cpu].cpu;

    return mmu_peek(c, ea, TLB_LOAD, pa) || mmu_peek(c, ea, TLB_FETCH, pa);
}

/* The part of [ea, ea + size) that lies on ea's page: how much, and where.
 * False: it is not main memory. */
static bool part(const struct gdb *g, unsigned cpu, ea_t ea, uint32_t *size,
                 uint8_t **at, pa_t *pa)
{
    const struct ram *r = &g->machine->ram;

    if (*size > PAGE - ea % PAGE)
        *size = PAGE - ea % PAGE;
    if (!memory_translate(g, cpu, ea, pa) || *pa >= r->size ||
        r->size - *pa < *size)
        return false;
    *at = r->bytes + *pa;
    return true;
}

bool memory_read(const struct gdb *g, unsigned cpu, ea_t ea, void *bytes,
                 uint32_t size)
{
    const struct core_supervisor *system = &g->machine->with.supervisor;
    uint8_t *out = bytes, *at;
    pa_t pa;

    if (system->peek) /* a program's pages may not be there yet */
        return system->peek(system->arg, ea, bytes, size);
    while (size) {
        uint32_t now = size;

        if (!part(g, cpu, ea, &now, &at, &pa))
            return false;
        memcpy(out, at, now);
        out += now;
        ea += now;
        size -= now;
    }
    return true;
}

/* What a store by another processor does besides: reservations on the lines are
 * lost, and decoded records are made anew, since a core may hold one. */
static void stored(struct machine *m, pa_t pa, uint32_t size)
{
    struct reservations *r = &m->reservations;

    for (unsigned n = 0; n < PORT_CPUS; n++)
        if (r->line[n] + m->with.params.line_bytes > pa &&
            r->line[n] < pa + size)
            r->mask &= ~(1u << n);
    for (pa_t word = pa & ~3u; word < pa + size; word += 4)
        if (decode_cache_has(&m->decoded, word)) {
            decode_cache_forget(&m->decoded, word, 4);
            decode_cache_at(&m->decoded, word);
        }
}

static void note(struct gdb *g, unsigned cpu, ea_t ea, const uint8_t *bytes,
                 uint32_t size)
{
    while (size) {
        uint32_t now = size < 64 ? size : 64;
        char text[2 * 64 + 1], *out = text;

        for (uint32_t k = 0; k < now; k++) {
            *out++ = "0123456789abcdef"[bytes[k] >> 4];
            *out++ = "0123456789abcdef"[bytes[k] & 15];
        }
        *out = '\0';
        gdb_note(g, cpu, "mem 0x%x %s", ea, text);
        bytes += now;
        ea += now;
        size -= now;
    }
}

bool memory_write(struct gdb *g, unsigned cpu, ea_t ea, const void *bytes,
                  uint32_t size)
{
    const uint8_t *in = bytes;
    uint8_t *at;
    pa_t pa;

    for (uint32_t done = 0, now; done < size; done += now) {
        now = size - done;
        if (!part(g, cpu, ea + done, &now, &at, &pa))
            return false;
    }
    if (size)
        note(g, cpu, ea, bytes, size);
    while (size) {
        uint32_t now = size;

        if (!part(g, cpu, ea, &now, &at, &pa))
            return false;
        memcpy(at, in, now);
        stored(g->machine, pa, now);
        in += now;
        ea += now;
        size -= now;
    }
    return true;
}
