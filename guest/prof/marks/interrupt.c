/* interrupt.c - marks of programs that interrupt (docs/pif.md 10): each is
 * counted for the entries that asked for it, and goes to the experiment with
 * the program's call stack. A count that has passed its limit is taken, and
 * begins anew.
 *
 * The handler has interrupts off: of the stack it reads what is in memory, and
 * a page that is out ends it.
 */
#include "guest/prof/marks/marks.h"
#include "guest/prof/pif/pif.h"
#include "guest/prof/process/process_prof.h"

#define SPR_PIFIA 660
#define SPR_PIFDA 661
#define WORD 4

/* What asks for such an interrupt, by its cause. */
static const struct {
    uint32_t flag;
    bool data, limit;
} causes[] = {[PIFX_INSN] = {IND_EXC, false, false},
              [PIFX_DATA] = {IND_EXC, true, false},
              [PIFX_INSN_LIMIT] = {IND_LIMIT, false, true},
              [PIFX_DATA_LIMIT] = {IND_LIMIT, true, true},
              [PIFX_INSN_THRESHOLD] = {IND_THEXC, false, false},
              [PIFX_DATA_THRESHOLD] = {IND_THEXC, true, false}};

static void met(struct cpu *c, const struct task *t, struct marked *m,
                uint32_t cause)
{
    uint32_t at = mfspr(SPR_PIFIA), address = mfspr(SPR_PIFDA), count = 0;
    uint32_t place = (causes[cause].data ? address : at) & ~(WORD - 1u);
    uint32_t pcs[STACK_DEPTH];
    unsigned depth = user_stack_now(t, pcs, STACK_DEPTH);

    if (causes[cause].limit)
        count = marks_take(m, t->process->space, place, causes[cause].data);
    for (struct entry *e = m->entries; e; e = e->next) {
        if (e->data != causes[cause].data || !(e->flags & causes[cause].flag) ||
            place < e->from || place >= e->end)
            continue;
        atomic_add(&e->interrupts, 1);
        atomic_add(&e->captured, count);
    }
    trace_trap(c, t->thread->tid, cause, at, address, count, pcs, depth);
}

/* Vector 0x1500. Interrupts are off. */
static void mark_interrupt(struct cpu *c, const struct trap_frame *f)
{
    uint32_t cause = mfspr(SPR_PIFX);
    const struct thread *owner;
    struct marked *m;

    (void)f;
    if (!options()->program || cause < PIFX_INSN || cause >= PIFX_SAMPLED)
        return;
    owner = registers_owner(c);
    m = marks_of(owner);
    if (m)
        met(c, task_of(owner), m, cause);
}
HOOK(marker, 130, mark_interrupt);
