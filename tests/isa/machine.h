/* machine.h - the least world an instruction can live in, for tests.
 * RAM from 0 up, no devices, special registers that remember what they got.
 */
#ifndef TESTS_ISA_MACHINE_H
#define TESTS_ISA_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "isa/cpu.h"
#include "isa/port.h"

#define MACHINE_RAM 0x10000u

struct machine {
    uint8_t ram[MACHINE_RAM];
    uint8_t code_page[MACHINE_RAM >> 12];
    struct reservations reservations;
    struct port port;
    struct cpu cpu;
    /* What the port was told. */
    uint32_t spr[1024], msr_old, msr_new;
    unsigned msr_changes, writes, written_size;
    pa_t written;
    /* A device of one word at `device`, 0: none. */
    pa_t device;
    uint32_t device_value;
    unsigned device_size;
};

static inline void machine_written(void *world, pa_t pa, unsigned size)
{
    struct machine *m = world;

    m->writes++;
    m->written = pa;
    m->written_size = size;
}

static inline bool machine_load(void *world, pa_t pa, unsigned size,
                                uint32_t *value)
{
    struct machine *m = world;

    if (!m->device || (pa & ~3u) != m->device)
        return false;
    *value = m->device_value;
    m->device_size = size;
    return true;
}

static inline bool machine_store(void *world, pa_t pa, unsigned size,
                                 uint32_t value)
{
    struct machine *m = world;

    if (!m->device || (pa & ~3u) != m->device)
        return false;
    m->device_value = value;
    m->device_size = size;
    return true;
}

static inline uint32_t machine_spr_read(void *world, unsigned n)
{
    struct machine *m = world;

    return m->spr[n];
}

static inline void machine_spr_write(void *world, unsigned n, uint32_t value)
{
    struct machine *m = world;

    m->spr[n] = value;
}

static inline void machine_msr(void *world, uint32_t old, uint32_t now)
{
    struct machine *m = world;

    m->msr_changes++;
    m->msr_old = old;
    m->msr_new = now;
}

/* Everything zero, caches on, real mode, the CPU at 0. */
static inline void machine_init(struct machine *m)
{
    memset(m, 0, sizeof *m);
    m->port = (struct port){.world = m,
                            .ram = m->ram,
                            .ram_size = MACHINE_RAM,
                            .code_page = m->code_page,
                            .code_written = machine_written,
                            .line_bytes = 32,
                            .reservations = &m->reservations,
                            .io_load = machine_load,
                            .io_store = machine_store,
                            .spr_read = machine_spr_read,
                            .spr_write = machine_spr_write,
                            .msr_changed = machine_msr};
    m->cpu.port = &m->port;
    m->cpu.hid0 = HID0_ICE | HID0_DCE;
}

/* A deterministic source of bits (splitmix64). */
static inline uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15ull;

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return z ^ z >> 31;
}

static inline uint32_t random_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)((random_bits(state) >> 32) * n >> 32);
}

/* A word that likes corners. */
static inline uint32_t random_word(uint64_t *state)
{
    static const uint32_t corner[] = {
        0,          1,          2,          0xFFFFFFFF, 0xFFFFFFFE,
        0x7FFFFFFF, 0x80000000, 0x80000001, 0x7FFFFFFE, 0x0000FFFF,
        0x00008000, 0xFFFF8000, 0x000000FF, 0x00000080, 32};
    uint32_t v = (uint32_t)random_bits(state);

    switch (random_below(state, 4)) {
    case 0:
        return corner[v % (sizeof corner / sizeof corner[0])];
    case 1:
        return v >> random_below(state, 32);
    case 2:
        return (uint32_t)((int32_t)v >> random_below(state, 32));
    default:
        return v;
    }
}

#endif
