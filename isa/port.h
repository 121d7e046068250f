/* port.h - the few questions an instruction may ask the world.
 * isa/ calls these; the machine (or a test) supplies them. Plain memory is
 * reached directly through `ram`; everything else goes through a function.
 */
#ifndef ISA_PORT_H
#define ISA_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/types.h"

#define PORT_CPUS 8

/* Reservations of all processors of one machine, shared by their ports.
 * `mask` has bit n set while processor n holds one on line[n]. */
struct reservations {
    uint32_t mask;
    pa_t line[PORT_CPUS];
};

struct tlb; /* isa/mmu.h */

struct port {
    void *world; /* handed back to every function */

    /* Memory at physical 0 .. ram_size-1, big-endian bytes. */
    uint8_t *ram;
    uint32_t ram_size;

    /* One byte per 4 KB page of ram: non-zero where decoded instructions were
     * made from it. A store there calls code_written afterwards. */
    const uint8_t *code_page;
    void (*code_written)(void *world, pa_t pa, unsigned size);

    /* Of a cache line, a power of two up to 64: what dcbz clears, what cache
     * operations name, what a reservation is on. */
    uint32_t line_bytes;

    struct reservations *reservations;
    unsigned cpu; /* my bit in them */

    /* Addresses that are not ram. size 1, 2, 4. False: no device answered,
     * which becomes a machine check (TEA). */
    bool (*io_load)(void *world, pa_t pa, unsigned size, uint32_t *value);
    bool (*io_store)(void *world, pa_t pa, unsigned size, uint32_t value);

    /* Special registers that observe time or have effects outside struct cpu
     * (owner PORT in spr.def): TBL TBU DEC, MMCRn PMCn SIA SDA, HID0.
     * n is the SPR number; for mftb 268 and 269, for mttb 284 and 285.
     * HID0 and the like are stored in struct cpu by isa/ as well; the call
     * tells the world of the new value. */
    uint32_t (*spr_read)(void *world, unsigned n);
    void (*spr_write)(void *world, unsigned n, uint32_t value);
    /* SPRG3 was written, in which Linux keeps whose turn it is: the instruction
     * at cpu.pc. NULL: nobody asks. */
    void (*sprg3_written)(void *world);
    /* The instruction at cpu.pc, whose record isa_watch has seen, is about to
     * run. */
    void (*watched)(void *world);
    /* Is a register of owner OPT or PIF built in? NULL: all are. */
    bool (*spr_there)(void *world, unsigned n);

    /* The instrumentation facility (docs/pif.md 9): the count of the word at
     * pa, of its accesses or, `data` false, of its executions; pifsync. Asked
     * only while HID0[PIFE] is set. */
    uint32_t (*pif_count)(void *world, pa_t pa, bool data, bool clear);
    void (*pif_sync)(void *world);
    /* pmark n,k at pc. False: no unit listens, it is illegal; so is NULL. */
    bool (*pif_marker)(void *world, ea_t pc, unsigned n, unsigned k);

    /* MSR changed by mtmsr, rfi or exception entry. */
    void (*msr_changed)(void *world, uint32_t old, uint32_t now);

    /* Answers of translation, kept for this processor. NULL: none are. */
    struct tlb *tlb;
    /* tlbie: every processor forgets what it names. NULL: I am alone. */
    void (*tlb_invalidate)(void *world, ea_t ea);
};

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool reservations_state(struct snap *s, struct reservations *r);

#endif
