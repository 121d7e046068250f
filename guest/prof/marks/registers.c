/* registers.c - what marks of programs need of a processor's registers: ranges,
 * the counting window, tracing. A thread of such a program has them on each
 * processor that it runs on; they are loaded and saved where threads are
 * switched, and what they have counted is added to the program's then.
 *
 * Windows, tracing and the places in ranges are each thread's own. A process
 * that is forked goes on as its maker is at that moment; a thread that is
 * cloned, and a program that is executed, begins outside of everything.
 */
#include "guest/prof/marks/marks.h"
#include "guest/prof/pif/pif.h"

#define SPR_PIFS 658
#define SPR_PIFLOST 662
#define SPR_PIFW 663
#define SPR_PIFRS 688
#define SPR_PIFRL 689
#define SPR_PIFRH 690
#define SPR_PIFRC 691
#define SPR_PIFRX 692
#define SPR_PIFRE 693
#define SPR_PIFTC 702

/* As a thread left them: PIFS_WINDOW and PIFS_TRACE, a bit for each range. */
struct saved {
    uint32_t status, inside;
};

static struct saved of_thread[MAX_THREADS]; /* by slot; sched_lock */
static struct {
    struct marked *loaded;     /* whose registers it has; NULL: none's */
    const struct thread *owed; /* whose mark waits to interrupt; NULL: none's */
    uint32_t lost;
} of_cpu[MAX_CPUS]; /* the CPU itself, interrupts off */
static volatile bool begun, over;

static struct saved *saved_of(const struct thread *t)
{
    return &of_thread[(t->tid - 1) % MAX_THREADS];
}

struct marked *marks_of(const struct thread *t)
{
    const struct task *task = task_of(t);
    const struct space *s = task ? task->process->space : NULL;

    return s ? s->marks : NULL;
}

bool registers_range(struct mark_registers *r, const struct entry *e,
                     unsigned *number)
{
    unsigned n = e->data ? PIF_RANGES : 0, end = n + PIF_RANGES;

    while (n < end && r->range[n].high)
        n++;
    if (n == end)
        return false;
    r->range[n].low = e->from;
    r->range[n].high = e->end;
    *number = n;
    return true;
}

/* ---- one processor ------------------------------------------------------- */

/* How its thread stands, which goes on. Interrupts are off. */
static struct saved look(const struct mark_registers *r)
{
    struct saved s = {mfspr(SPR_PIFS) & (PIFS_WINDOW | PIFS_TRACE), 0};

    for (uint32_t n = 0; n < 2 * PIF_RANGES; n++) {
        if (!r->range[n].high)
            continue;
        mtspr(SPR_PIFRS, n);
        s.inside |= (mfspr(SPR_PIFRC) & PIF_RANGE_INSIDE ? 1u : 0u) << n;
    }
    return s;
}

/* What was counted is the program's; the registers are no one's. */
static struct saved leave(unsigned cpu)
{
    struct mark_registers *r = of_cpu[cpu].loaded->registers;
    struct saved s = look(r);

    for (uint32_t n = 0; n < 2 * PIF_RANGES; n++) {
        if (!r->range[n].high)
            continue;
        mtspr(SPR_PIFRS, n);
        mtspr(SPR_PIFRC, 0);
        atomic_add(&r->range[n].executed, mfspr(SPR_PIFRX));
        atomic_add(&r->range[n].entries, mfspr(SPR_PIFRE));
        mtspr(SPR_PIFRX, 0);
        mtspr(SPR_PIFRE, 0);
    }
    mtspr(SPR_PIFS, PIFS_WINDOW | PIFS_TRACE);
    atomic_add(&r->windowed, mfspr(SPR_PIFW));
    atomic_add(&r->traced, mfspr(SPR_PIFTC));
    mtspr(SPR_PIFW, 0);
    mtspr(SPR_PIFTC, 0);
    mtspr(SPR_PIFM, marks_mode());
    of_cpu[cpu].loaded = NULL;
    return s;
}

static void enter(unsigned cpu, struct marked *m, const struct saved *s)
{
    const struct mark_registers *r = m->registers;

    for (uint32_t n = 0; n < 2 * PIF_RANGES; n++) {
        if (!r->range[n].high)
            continue;
        mtspr(SPR_PIFRS, n);
        mtspr(SPR_PIFRL, r->range[n].low);
        mtspr(SPR_PIFRH, r->range[n].high);
        mtspr(SPR_PIFRC,
              PIF_RANGE_ON | (s->inside >> n & 1 ? PIF_RANGE_INSIDE : 0));
    }
    mtspr(SPR_PIFS, (s->status & PIFS_WINDOW ? PIFS_OPEN : 0) |
                        (s->status & PIFS_TRACE ? PIFS_BEGIN : 0));
    mtspr(SPR_PIFM, marks_mode() | PIFM_XE | PIFM_RE);
    of_cpu[cpu].loaded = m;
}

static void change(unsigned cpu, const struct thread *out, struct marked *m,
                   const struct saved *in)
{
    if (of_cpu[cpu].loaded) {
        if (mfspr(SPR_PIFS) & PIFS_PENDING)
            of_cpu[cpu].owed = out;
        *saved_of(out) = leave(cpu);
    }
    if (m && m->registers && !over)
        enter(cpu, m, in);
}

/* ---- threads ------------------------------------------------------------- */

static void on_switch(struct cpu *c, const struct thread *out)
{
    change(c->number, out, marks_of(c->current), saved_of(c->current));
}

/* A new thread is ready for the first time; its maker runs here. It is a copy
 * of the maker where its process is another one. */
static void on_wake(struct cpu *c, const struct thread *t)
{
    const struct marked *m = of_cpu[this_cpu()->number].loaded;

    (void)c;
    if (t->state != STATE_NEW)
        return;
    *saved_of(t) = (struct saved){0, 0};
    if (m && t->pid != current->pid)
        *saved_of(t) = look(m->registers);
}

static struct hook switched = {.call = on_switch}, woken = {.call = on_wake};

void registers_begin(const struct process *p, struct marked *m)
{
    const struct saved none = {0, 0};
    uint32_t msr;

    if (m && m->registers && !begun) {
        begun = true;
        hook_add(&switch_hooks, &switched);
        hook_add(&wake_hooks, &woken);
    }
    if (!begun || !p->tasks)
        return;
    msr = irq_save();
    change(this_cpu()->number, current, m, &none);
    *saved_of(current) = none;
    irq_restore(msr);
}

const struct thread *registers_owner(const struct cpu *c)
{
    const struct thread *owed = of_cpu[c->number].owed;

    of_cpu[c->number].owed = NULL;
    return owed ? owed : current;
}

void registers_stop(const struct cpu *c)
{
    over = true;
    if (of_cpu[c->number].loaded)
        leave(c->number);
    of_cpu[c->number].lost = mfspr(SPR_PIFLOST);
}

uint32_t registers_lost(void)
{
    uint32_t sum = 0;

    FOR_CPUS (c)
        sum += of_cpu[c->number].lost;
    return sum;
}
