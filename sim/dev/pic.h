/* pic.h - the interrupt controller, OpenPIC register layout.
 *
 * Sources are wires with a level; four inter-processor interrupts are
 * latched per target. A CPU's pin is high while something pending for it has
 * a priority above its task priority and above everything it is serving.
 * Not there: timers, 8259 pass-through, processor reset lines.
 */
#ifndef SIM_DEV_PIC_H
#define SIM_DEV_PIC_H

#include <stdbool.h>
#include <stdint.h>

#include "include/board.h"
#include "sim/mem/iomap.h"

#define PIC_CPUS 8

struct pic_cpu {
    uint32_t ctpr;
    uint32_t ipis;       /* latched, bit n: IPI n */
    uint32_t in_service; /* bit n: source n; bit BOARD_IRQS + n: IPI n */
    bool pin;
};

struct pic_source {
    uint32_t vpr; /* mask, priority, vector */
    uint32_t dest;
    bool line;
};

struct pic {
    unsigned cpus;
    uint32_t svr, tfrr;
    uint32_t ipivpr[PIC_IPIS];
    struct pic_source source[BOARD_IRQS];
    struct pic_cpu cpu[PIC_CPUS];
    /* Who hears the pins. Called only when a pin changes. */
    void *arg;
    void (*pin)(void *arg, unsigned cpu, bool level, uint64_t at);
};

void pic_init(struct pic *p, unsigned cpus, void *arg,
              void (*pin)(void *, unsigned, bool, uint64_t));

/* Words only; an offset without a register is not answered. */
bool pic_load(void *pic, const struct io_access *a, uint32_t *value);
bool pic_store(void *pic, const struct io_access *a, uint32_t value);

/* The wire of a source changes level at cycle `at`. */
void pic_line(struct pic *p, unsigned source, bool level, uint64_t at);

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool pic_state(struct snap *s, struct pic *p);

#endif
