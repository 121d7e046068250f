/* pic.h - the interrupt controller, OpenPIC register layout.
 *
 * Sources are wires, sensitive to a level or an edge of either polarity, and
 * four timers; one with several destinations interrupts one of them. Four
 * inter-processor interrupts are latched per target. A CPU's pin is high while
 * something pending for it has a priority above its task priority and above
 * everything it is serving.
 * Not there: 8259 pass-through, processor reset lines.
 */
#ifndef SIM_DEV_PIC_H
#define SIM_DEV_PIC_H

#include <stdbool.h>
#include <stdint.h>

#include "include/board.h"
#include "sim/mem/iomap.h"

#define PIC_CPUS 8
#define PIC_SOURCES (BOARD_IRQS + PIC_TIMERS)
#define PIC_NEVER UINT64_MAX

struct pic_cpu {
    uint32_t ctpr;
    uint32_t ipis;       /* latched, bit n: IPI n */
    uint32_t in_service; /* bit n: source n; PIC_SOURCES + n: IPI n */
    bool pin;
};

struct pic_source {
    uint32_t vpr; /* mask, sense and polarity, priority, vector */
    uint32_t dest;
    bool line;     /* of a wire */
    bool edge;     /* came, and was not acknowledged yet */
    int chosen;    /* the CPU that is to serve it; -1: it is not pending */
    unsigned last; /* the CPU that served it */
};

struct pic_timer {
    uint32_t base;   /* PIC_TIMER_BASE */
    uint32_t toggle; /* the top bit of PIC_TIMER_COUNT */
    uint64_t zero;   /* the cycle at which it is zero next, or PIC_NEVER */
};

struct pic {
    unsigned cpus;
    uint32_t svr, tfrr;
    uint32_t ipivpr[PIC_IPIS];
    struct pic_source source[PIC_SOURCES]; /* wires, then timers */
    struct pic_timer timer[PIC_TIMERS];
    uint64_t due;  /* the first timer's zero */
    uint64_t tick; /* cycles a count of a timer */
    struct pic_cpu cpu[PIC_CPUS];
    /* Who hears the pins. Called only when a pin changes. */
    void *arg;
    void (*pin)(void *arg, unsigned cpu, bool level, uint64_t at);
};

void pic_init(struct pic *p, unsigned cpus, uint64_t tick, void *arg,
              void (*pin)(void *, unsigned, bool, uint64_t));

/* Words only; an offset without a register is not answered. */
bool pic_load(void *pic, const struct io_access *a, uint32_t *value);
bool pic_store(void *pic, const struct io_access *a, uint32_t value);

/* The wire of a source changes level at cycle `at`. */
void pic_line(struct pic *p, unsigned source, bool level, uint64_t at);

/* When a timer is zero next: PIC_NEVER, if none counts; and what happens then.
 */
static inline uint64_t pic_due(const struct pic *p)
{
    return p->due;
}
void pic_work(struct pic *p);

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool pic_state(struct snap *s, struct pic *p);

#endif
