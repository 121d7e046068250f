/* death.c - where a program stood when a fault of its own ended it: registers,
 * and the stack by the back chain, with names from the program's file; and
 * where each thread waits when none can go on any more.
 */
#include "guest/kernel/hook.h"
#include "guest/process/disk.h"
#include "guest/prof/marks/marks.h"

#define PLACES 16

/* `back`: a call ends there, which may be the last instruction of its function.
 */
static void print_place(const struct node *file, uint32_t at, uint32_t back)
{
    uint32_t offset;
    const char *name = metadata_function(file, at - back, &offset);

    if (*name)
        kprintf("    %x %s+0x%x\n", at, name, offset + back);
    else
        kprintf("    %x\n", at);
}

/* The caller of a frame, and where it goes on. False: it makes no sense. */
static bool walk_up(struct task *t, uint32_t *sp, uint32_t *back)
{
    uint32_t above, frame[2];

    if (!copy_in(t->process->space, &above, *sp, 4) || above <= *sp ||
        !copy_in(t->process->space, frame, above, 8))
        return false;
    *sp = above;
    *back = frame[1];
    return true;
}

/* A leaf's caller may be in LR alone; where it is in memory too it is told
 * once. */
static void print_stack(struct task *t)
{
    const struct node *file = t->process->file;
    const struct user_frame *f = t->frame;
    uint32_t sp = f->r1, back;
    bool more = walk_up(t, &sp, &back);

    print_place(file, f->trap.srr0, 0);
    if (!more || back != f->trap.lr)
        print_place(file, f->trap.lr, 4);
    for (unsigned n = 0; n < PLACES && more && back; n++) {
        print_place(file, back, 4);
        more = walk_up(t, &sp, &back);
    }
}

static void tell_death(struct task *t)
{
    const struct trap_frame *r = &t->frame->trap;

    for (uint32_t n = 0; n < 32; n++) {
        if (n % 8 == 0)
            kprintf("    r%u", n);
        kprintf(n % 8 == 7 ? " %x\n" : " %x", *user_register(t->frame, n));
    }
    kprintf("    lr %x ctr %x cr %x xer %x\n", r->lr, r->ctr, r->cr, r->xer);
    print_stack(t);
}
HOOK(death, 100, tell_death);

/* ---- all wait ------------------------------------------------------------ */

#define LOOK_CYCLES 1000000000u /* between two looks */

static struct waitq stuck; /* sched_lock */
static struct timer look_again;

/* Nothing runs, is ready or has a time to come, and the disk has nothing to do:
 * nothing can wake a thread any more. */
static void look(struct cpu *c, const struct trap_frame *unused)
{
    uint32_t msr = sched_lock();
    bool quiet = !disk_busy();

    (void)unused;
    FOR_CPUS (each)
        quiet &= each->current == each->idle && !each->runq.bits &&
                 !each->deadlines && !each->deferred_count;
    if (quiet)
        thread_wake(&stuck);
    sched_unlock(msr);
    timer_set(c, &look_again, time_now() + cycles_to_ticks(LOOK_CYCLES));
}

static void tell_stuck(void)
{
    kprintf("all processes wait, and nothing can wake one:\n");
    mutex_lock(&process_lock);
    FOR_PROCESSES(p)
    {
        for (struct task *t = p->tasks; t; t = t->next) {
            kprintf("  process %u (%s), thread %u (%s), in system call %u\n",
                    p->number, p->name, t->number, t->thread->name,
                    t->frame->trap.r0);
            print_stack(t);
        }
    }
    mutex_unlock(&process_lock);
}

static void stay(void)
{
    uint32_t msr = irq_save();

    look_again.fire = look;
    look(this_cpu(), NULL);
    irq_restore(msr);
    msr = sched_lock();
    thread_block(&stuck);
    sched_unlock(msr);
    tell_stuck();
    run_over(EXIT_STUCK);
}
HOOK(booted, 100, stay);
