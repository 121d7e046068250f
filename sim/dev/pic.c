/* pic.c - the interrupt controller. Layout and behaviour: the OpenPIC
 * register interface specification 1.2; which parts stand, pic.h.
 *
 * APPROX: of several destinations of a source the next one in turn that may be
 * interrupted is chosen when it becomes pending, and stays chosen. Source: the
 * specification leaves the choice open. Cost: which processor serves it.
 */
#include <assert.h>

#include "lib/base/snap.h"
#include "sim/dev/pic.h"

#define GCR_RESET 0x80000000u
#define VPR_KEPT (PIC_MASK | 0xFu << PIC_PRIORITY_SHIFT | PIC_VECTOR_MASK)
#define SENSES (PIC_LEVEL | PIC_HIGH)
/* An interrupt's number here: wires, then timers, then IPIs. */
#define FIRST_TIMER BOARD_IRQS
#define FIRST_IPI PIC_SOURCES
#define IRQ_COUNT (FIRST_IPI + PIC_IPIS)
#define CTPR_MAX 15
#define TIMER_STRIDE 0x40u
#define TIMER_STOPPED 0x80000000u /* in TBCR: does not count */
#define TIMER_TOGGLE 0x80000000u  /* in TCCR: changes at each zero */

static uint32_t priority_of(uint32_t vpr)
{
    return vpr >> PIC_PRIORITY_SHIFT & 0xF;
}

static uint32_t *vpr_of(struct pic *p, unsigned irq)
{
    return irq < FIRST_IPI ? &p->source[irq].vpr : &p->ipivpr[irq - FIRST_IPI];
}

static bool served(const struct pic *p, unsigned irq)
{
    for (unsigned i = 0; i < p->cpus; i++)
        if (p->cpu[i].in_service >> irq & 1)
            return true;
    return false;
}

static bool is_active(const struct pic_source *s)
{
    return s->line == ((s->vpr & PIC_HIGH) != 0);
}

/* Has a wire or timer something to say? A level as long as it lasts, an edge
 * until it was acknowledged. */
static bool is_pending(const struct pic *p, unsigned irq)
{
    const struct pic_source *s = &p->source[irq];

    if (irq < FIRST_TIMER && (s->vpr & PIC_LEVEL))
        return is_active(s) && !served(p, irq);
    return s->edge;
}

/* Is irq waiting to be acknowledged by this CPU, masks left aside? */
static bool waits(const struct pic *p, unsigned cpu, unsigned irq)
{
    if (irq >= FIRST_IPI)
        return p->cpu[cpu].ipis >> (irq - FIRST_IPI) & 1;
    return is_pending(p, irq) && p->source[irq].chosen == (int)cpu;
}

/* What the CPU must not be interrupted below. */
static uint32_t threshold(struct pic *p, unsigned cpu)
{
    uint32_t highest = p->cpu[cpu].ctpr;

    for (unsigned irq = 0; irq < IRQ_COUNT; irq++)
        if (p->cpu[cpu].in_service >> irq & 1) {
            uint32_t priority = priority_of(*vpr_of(p, irq));

            highest = priority > highest ? priority : highest;
        }
    return highest;
}

/* The irq that IACK would hand out now, or -1. Equal priorities: IPIs first,
 * then the lower number. */
static int next_irq(struct pic *p, unsigned cpu)
{
    uint32_t above = threshold(p, cpu);
    int best = -1;

    for (unsigned i = 0; i < IRQ_COUNT; i++) {
        unsigned irq = (i + FIRST_IPI) % IRQ_COUNT;
        uint32_t vpr = *vpr_of(p, irq);

        if (!(vpr & PIC_MASK) && priority_of(vpr) > above &&
            waits(p, cpu, irq)) {
            above = priority_of(vpr);
            best = (int)irq;
        }
    }
    return best;
}

/* Who is to serve a source that is pending: the next destination in turn whose
 * task and interrupts leave room for it; where none does, the first that comes
 * to. One that was chosen stays, unless it is no destination any more. */
static int choose(struct pic *p, unsigned irq)
{
    struct pic_source *s = &p->source[irq];
    int first = -1;

    if (!is_pending(p, irq))
        return -1;
    if (s->chosen >= 0 && (s->dest >> s->chosen & 1))
        return s->chosen;
    for (unsigned k = 1; k <= p->cpus; k++) {
        unsigned cpu = (s->last + k) % p->cpus;

        if (!(s->dest >> cpu & 1))
            continue;
        first = first < 0 ? (int)cpu : first;
        if (priority_of(s->vpr) > threshold(p, cpu))
            return (int)cpu;
    }
    return (s->dest & (s->dest - 1)) ? -1 : first;
}

static void settle_pins(struct pic *p, uint64_t at)
{
    for (unsigned irq = 0; irq < PIC_SOURCES; irq++)
        p->source[irq].chosen = choose(p, irq);
    for (unsigned i = 0; i < p->cpus; i++) {
        bool level = next_irq(p, i) >= 0;

        if (level == p->cpu[i].pin)
            continue;
        p->cpu[i].pin = level;
        p->pin(p->arg, i, level, at);
    }
}

/* Registers as after power-on; wires and pins are as they are. */
static void reset(struct pic *p)
{
    p->svr = PIC_VECTOR_MASK;
    p->tfrr = 0;
    for (unsigned i = 0; i < PIC_IPIS; i++)
        p->ipivpr[i] = PIC_MASK;
    for (unsigned i = 0; i < PIC_SOURCES; i++) {
        p->source[i].vpr = PIC_MASK;
        p->source[i].dest = 1;
        p->source[i].edge = false;
        p->source[i].chosen = -1;
        p->source[i].last = p->cpus - 1;
    }
    for (unsigned i = 0; i < PIC_TIMERS; i++)
        p->timer[i] = (struct pic_timer){TIMER_STOPPED, 0, PIC_NEVER};
    p->due = PIC_NEVER;
    for (unsigned i = 0; i < PIC_CPUS; i++) {
        p->cpu[i].ctpr = CTPR_MAX;
        p->cpu[i].ipis = p->cpu[i].in_service = 0;
    }
}

void pic_init(struct pic *p, unsigned cpus, uint64_t tick, void *arg,
              void (*pin)(void *, unsigned, bool, uint64_t))
{
    assert(cpus >= 1 && cpus <= PIC_CPUS && tick);
    *p = (struct pic){.cpus = cpus, .tick = tick, .arg = arg, .pin = pin};
    reset(p);
}

void pic_line(struct pic *p, unsigned source, bool level, uint64_t at)
{
    struct pic_source *s = &p->source[source];
    bool before = is_active(s);

    assert(source < BOARD_IRQS);
    s->line = level;
    if (!before && is_active(s) && !(s->vpr & PIC_LEVEL))
        s->edge = true;
    settle_pins(p, at);
}

static uint32_t acknowledge(struct pic *p, unsigned cpu)
{
    int irq = next_irq(p, cpu);

    if (irq < 0)
        return p->svr;
    if (irq >= FIRST_IPI) {
        p->cpu[cpu].ipis &= ~(1u << (irq - FIRST_IPI));
    } else {
        p->source[irq].edge = false;
        p->source[irq].last = cpu;
    }
    p->cpu[cpu].in_service |= 1u << irq;
    return *vpr_of(p, (unsigned)irq) & PIC_VECTOR_MASK;
}

/* The highest priority in service is done. */
static void end_of_interrupt(struct pic *p, unsigned cpu)
{
    int best = -1;

    for (unsigned irq = 0; irq < IRQ_COUNT; irq++)
        if ((p->cpu[cpu].in_service >> irq & 1) &&
            (best < 0 || priority_of(*vpr_of(p, irq)) >
                             priority_of(*vpr_of(p, (unsigned)best))))
            best = (int)irq;
    if (best >= 0)
        p->cpu[cpu].in_service &= ~(1u << best);
}

static uint32_t vpr_load(struct pic *p, unsigned irq)
{
    bool active = served(p, irq) || (irq < FIRST_IPI && is_pending(p, irq));

    for (unsigned i = 0; i < p->cpus; i++)
        active = active || waits(p, i, irq);
    return *vpr_of(p, irq) | (active ? PIC_ACTIVITY : 0);
}

/* The window that an offset lies in: the CPU it is for, or -1. */
static int window_cpu(const struct pic *p, const struct io_access *a,
                      uint32_t *reg)
{
    uint32_t window = a->offset / 0x1000;

    *reg = a->offset % 0x1000;
    if (window == 0)
        return (int)a->cpu;
    window -= PIC_CPU / 0x1000;
    return window < p->cpus ? (int)window : -1;
}

static bool cpu_load(struct pic *p, const struct io_access *a, uint32_t *value)
{
    uint32_t reg;
    int cpu = window_cpu(p, a, &reg);

    if (cpu < 0)
        return false;
    switch (reg) {
    case PIC_CTPR:
        *value = p->cpu[cpu].ctpr;
        return true;
    case PIC_WHOAMI:
        *value = a->cpu;
        return true;
    case PIC_IACK:
        *value = acknowledge(p, (unsigned)cpu);
        return true;
    case PIC_EOI:
        *value = 0;
        return true;
    default:
        return false;
    }
}

static void send_ipi(struct pic *p, unsigned ipi, uint32_t targets)
{
    for (unsigned i = 0; i < p->cpus; i++)
        if (targets >> i & 1)
            p->cpu[i].ipis |= 1u << ipi;
}

static bool cpu_store(struct pic *p, const struct io_access *a, uint32_t value)
{
    uint32_t reg;
    int cpu = window_cpu(p, a, &reg);

    if (cpu < 0)
        return false;
    switch (reg) {
    case PIC_IPIDR:
    case PIC_IPIDR + 0x10:
    case PIC_IPIDR + 0x20:
    case PIC_IPIDR + 0x30:
        send_ipi(p, (reg - PIC_IPIDR) / 0x10, value);
        return true;
    case PIC_CTPR:
        p->cpu[cpu].ctpr = value & 0xF;
        return true;
    case PIC_EOI:
        end_of_interrupt(p, (unsigned)cpu);
        return true;
    default:
        return false;
    }
}

/* ---- timers -------------------------------------------------------------- */

/* The register of a timer at this offset, and which timer. False: none. */
static bool timer_at(uint32_t offset, unsigned *timer, uint32_t *reg)
{
    *timer = (offset - PIC_TIMER) / TIMER_STRIDE;
    *reg = (offset - PIC_TIMER) % TIMER_STRIDE;
    return offset >= PIC_TIMER && *timer < PIC_TIMERS && *reg % 0x10 == 0;
}

static uint32_t timer_count(const struct pic *p, const struct pic_timer *t,
                            uint64_t at)
{
    if (t->zero == PIC_NEVER)
        return t->toggle | (t->base & ~TIMER_STOPPED);
    return t->toggle | (uint32_t)((t->zero - at + p->tick - 1) / p->tick);
}

static void find_due(struct pic *p)
{
    p->due = PIC_NEVER;
    for (unsigned i = 0; i < PIC_TIMERS; i++)
        p->due = p->timer[i].zero < p->due ? p->timer[i].zero : p->due;
}

/* It starts to count when its bit goes from stopped to not. A base of zero
 * counts nothing. */
static void timer_base(struct pic *p, struct pic_timer *t, uint32_t value,
                       uint64_t at)
{
    uint32_t count = value & ~TIMER_STOPPED;

    if ((value & TIMER_STOPPED) || !count)
        t->zero = PIC_NEVER;
    else if (t->base & TIMER_STOPPED || t->zero == PIC_NEVER) {
        t->zero = at + count * p->tick;
        t->toggle = 0;
    }
    t->base = value;
    find_due(p);
}

void pic_work(struct pic *p)
{
    uint64_t due = p->due;

    for (unsigned i = 0; i < PIC_TIMERS; i++) {
        struct pic_timer *t = &p->timer[i];

        if (t->zero != due)
            continue;
        t->zero += (t->base & ~TIMER_STOPPED) * p->tick;
        t->toggle ^= TIMER_TOGGLE;
        p->source[FIRST_TIMER + i].edge = true;
    }
    find_due(p);
    settle_pins(p, due);
}

/* ---- registers that all processors share --------------------------------- */

/* The source or IPI whose vector/priority register this is, or -1. */
static int vpr_at(uint32_t offset)
{
    uint32_t ipi = (offset - PIC_IPIVPR) / 0x10;
    uint32_t source = (offset - PIC_IVPR) / 0x20;
    uint32_t reg;
    unsigned timer;

    if (offset >= PIC_IPIVPR && ipi < PIC_IPIS && offset % 0x10 == 0)
        return (int)(FIRST_IPI + ipi);
    if (timer_at(offset, &timer, &reg) && reg == PIC_TIMER_VPR)
        return (int)(FIRST_TIMER + timer);
    if (offset >= PIC_IVPR && source < BOARD_IRQS && offset % 0x20 == 0)
        return (int)source;
    return -1;
}

/* The source whose destination register this is, or -1. */
static int dest_at(uint32_t offset)
{
    uint32_t source = (offset - PIC_IDR) / 0x20;
    uint32_t reg;
    unsigned timer;

    if (timer_at(offset, &timer, &reg) && reg == PIC_TIMER_DEST)
        return (int)(FIRST_TIMER + timer);
    if (offset >= PIC_IDR && source < BOARD_IRQS &&
        offset % 0x20 == PIC_IDR % 0x20)
        return (int)source;
    return -1;
}

static bool global_load(struct pic *p, uint32_t offset, uint64_t at,
                        uint32_t *value)
{
    int irq = vpr_at(offset), source = dest_at(offset);
    uint32_t reg;
    unsigned timer;

    if (irq >= 0)
        *value = vpr_load(p, (unsigned)irq);
    else if (source >= 0)
        *value = p->source[source].dest;
    else if (timer_at(offset, &timer, &reg))
        *value = reg == PIC_TIMER_COUNT ? timer_count(p, &p->timer[timer], at)
                                        : p->timer[timer].base;
    else if (offset == PIC_FRR)
        *value = (BOARD_IRQS - 1) << 16 | (p->cpus - 1) << 8 | 2;
    else if (offset == PIC_GCR || offset == PIC_VIR || offset == PIC_INIT)
        *value = 0;
    else if (offset == PIC_SVR)
        *value = p->svr;
    else if (offset == PIC_TFRR)
        *value = p->tfrr;
    else
        return false;
    return true;
}

/* Wires alone have a sense; a timer's and an IPI's bits are not kept. */
static void vpr_store(struct pic *p, unsigned irq, uint32_t value)
{
    *vpr_of(p, irq) = value & (irq < BOARD_IRQS ? VPR_KEPT | SENSES : VPR_KEPT);
}

static bool global_store(struct pic *p, uint32_t offset, uint64_t at,
                         uint32_t value)
{
    int irq = vpr_at(offset), source = dest_at(offset);
    uint32_t reg;
    unsigned timer;

    if (irq >= 0)
        vpr_store(p, (unsigned)irq, value);
    else if (source >= 0)
        p->source[source].dest = value & ((1u << p->cpus) - 1);
    else if (timer_at(offset, &timer, &reg) && reg == PIC_TIMER_BASE)
        timer_base(p, &p->timer[timer], value, at);
    else if (offset == PIC_GCR && (value & GCR_RESET))
        reset(p);
    else if (offset == PIC_SVR)
        p->svr = value & PIC_VECTOR_MASK;
    else if (offset == PIC_TFRR)
        p->tfrr = value;
    else
        return offset == PIC_GCR || offset == PIC_INIT; /* no effect */
    return true;
}

static bool is_window(uint32_t offset)
{
    return offset < 0x1000 || offset >= PIC_CPU;
}

bool pic_load(void *pic, const struct io_access *a, uint32_t *value)
{
    struct pic *p = pic;
    bool answered;

    if (a->size != 4 || a->offset % 4)
        return false;
    answered = is_window(a->offset) ? cpu_load(p, a, value)
                                    : global_load(p, a->offset, a->at, value);
    settle_pins(p, a->at); /* IACK lowers the pin */
    return answered;
}

bool pic_store(void *pic, const struct io_access *a, uint32_t value)
{
    struct pic *p = pic;
    bool answered;

    if (a->size != 4 || a->offset % 4)
        return false;
    answered = is_window(a->offset) ? cpu_store(p, a, value)
                                    : global_store(p, a->offset, a->at, value);
    settle_pins(p, a->at);
    return answered;
}

bool pic_state(struct snap *s, struct pic *p)
{
    snap_begin(s, "pic", 2);
    SNAP_SAME(s, p->cpus);
    SNAP_SAME(s, p->tick);
    SNAP(s, p->svr);
    SNAP(s, p->tfrr);
    SNAP_ARRAY(s, p->ipivpr);
    for (unsigned n = 0; n < PIC_SOURCES; n++) {
        SNAP(s, p->source[n].vpr);
        SNAP(s, p->source[n].dest);
        SNAP(s, p->source[n].line);
        SNAP(s, p->source[n].edge);
        SNAP(s, p->source[n].chosen);
        SNAP(s, p->source[n].last);
    }
    for (unsigned n = 0; n < PIC_TIMERS; n++) {
        SNAP(s, p->timer[n].base);
        SNAP(s, p->timer[n].toggle);
        SNAP(s, p->timer[n].zero);
    }
    SNAP(s, p->due);
    for (unsigned n = 0; n < PIC_CPUS; n++) {
        SNAP(s, p->cpu[n].ctpr);
        SNAP(s, p->cpu[n].ipis);
        SNAP(s, p->cpu[n].in_service);
        SNAP(s, p->cpu[n].pin);
    }
    SNAP_SKIP(s, p->arg, "wired by pic_init");
    SNAP_SKIP(s, p->pin, "wired by pic_init");
    return snap_end(s);
}
