/* user_stack.c - the call stack of a process's thread in one piece: the
 * kernel's part up to the entry from user mode, then the program's, from the
 * registers that the entry kept, along the back chain in the process's own
 * memory.
 *
 * The thread stands still meanwhile. Pages that are there are read without a
 * lock. One that is out is brought back as by a page fault, with the lock of
 * the space: the thread itself may have that, or another that waits for what
 * the thread holds, so after a while the rest of the stack is given up.
 *
 * With strategy=none it may run, and end, meanwhile: what is read may be of no
 * moment, but it is memory, for its space is kept. With strategy=spin nothing
 * else runs, so that a page that is out ends the stack.
 */
#include "guest/prof/idle/idle.h"
#include "guest/prof/process/process_prof.h"

#define VEC_SYSCALL 0xC00
#define INSN 4
#define TRIES 50
#define PAUSE 2000 /* cycles between two */

#define LINK 1u            /* bit of a branch */
#define BRANCH 0x48000000u /* b: 24 bits of displacement */
#define BRANCH_MASK 0xFC000003u
#define STWU_R1 0x94210000u /* stwu r1,d(r1): a prologue makes the frame */
#define OPERANDS 0xFFFF0000u
#define FUNCTION_MOST 1024u /* bytes from a function's first word to a stop */

struct walk {
    const struct thread *t;
    struct space *space;
    uint32_t *pcs;
    unsigned depth, max;
    bool now; /* a page that is out stays out */
};

static void add_pc(struct walk *w, uint32_t pc)
{
    if (w->depth < w->max)
        w->pcs[w->depth++] = pc;
}

/* Is the lock to be had? False: the thread has it itself, or one has it who may
 * be waiting for the thread. */
static bool space_free_now(const struct walk *w)
{
    struct mutex *lock = &w->space->lock;

    for (unsigned n = 0; n < TRIES; n++) {
        if ((lock->owner & ~1u) == (uint32_t)w->t)
            return false;
        if (mutex_try(lock)) {
            mutex_unlock(lock);
            return true;
        }
        thread_sleep(PAUSE);
    }
    return false;
}

/* A word of a page that is not there: it comes back for it. */
static bool fetch_word(const struct walk *w, uint32_t at, uint32_t *value)
{
    uint32_t place;

    if (w->now || strategy() == STRATEGY_SPIN || !space_free_now(w))
        return false;
    place = page_lock(w->space, at, MAY_READ);
    if (!place)
        return false;
    *value = *(const uint32_t *)place;
    mutex_unlock(&w->space->lock);
    return true;
}

/* A word of the program. A page that is in memory is read without a lock: the
 * frame can be read even if it is given to another page meanwhile. The entry is
 * read again afterwards: if it has not changed, the word was this page's.
 * Tables stay as long as the space does. */
static bool user_word(const struct walk *w, uint32_t at, uint32_t *value)
{
    volatile const uint32_t *leaf, *entry;
    uint32_t is;

    if (at & 3 || at >= USER_END)
        return false;
    leaf = w->space->table[at >> 22];
    entry = leaf ? &leaf[at >> 12 & 0x3FF] : NULL;
    is = entry ? *entry : 0;
    if (is & ENTRY_HERE) {
        *value =
            *(volatile const uint32_t *)((is & ~PAGE_MASK) | (at & PAGE_MASK));
        if (*entry == is)
            return true;
    }
    return fetch_word(w, at, value);
}

/* The frame above, and where it goes on. False: there is none. */
static bool frame_above(const struct walk *w, uint32_t *sp, uint32_t *back)
{
    uint32_t above;

    if (!user_word(w, *sp, &above) || above <= *sp ||
        !user_word(w, above + 4, back))
        return false;
    *sp = above;
    return *back;
}

/* Is LR the way back of the function that stopped at pc? It is if it follows a
 * call of that function, and no frame has been made in it yet: one that has a
 * frame keeps the way back there, and calls others.
 * APPROX: a function is entered by its own caller's bl; what is reached through
 * a pointer, or by a jump, has its way back in the chain alone. Source: SysV
 * ABI PowerPC supplement, ch. 3. Cost: the caller of such a leaf is missing. */
static bool lr_is_live(const struct walk *w, uint32_t pc, uint32_t lr)
{
    uint32_t insn, from;

    if (!user_word(w, lr - INSN, &insn) ||
        (insn & BRANCH_MASK) != (BRANCH | LINK))
        return false;
    from = lr - INSN + (uint32_t)((int32_t)(insn << 6) >> 6 & ~3);
    if (from > pc || pc - from > FUNCTION_MOST)
        return false;
    for (; from < pc; from += INSN) {
        if (!user_word(w, from, &insn) || (insn & OPERANDS) == STWU_R1)
            return false;
    }
    return true;
}

/* Does a frame from which none can be reached end the chain otherwise than by a
 * word of zeros? */
static bool is_broken(const struct walk *w, uint32_t sp)
{
    uint32_t above, back;

    if (!user_word(w, sp, &above))
        return true;
    return above && (above <= sp || !user_word(w, above + 4, &back));
}

/* False: not even the first frame can be read. */
static bool walk_user(struct walk *w, const struct user_frame *f)
{
    uint32_t sp = f->r1, back = 0;
    bool more = frame_above(w, &sp, &back), good = more || !is_broken(w, sp);

    if (f->trap.lr != back && lr_is_live(w, f->trap.srr0, f->trap.lr))
        add_pc(w, f->trap.lr);
    while (more && w->depth < w->max) {
        add_pc(w, back);
        more = frame_above(w, &sp, &back);
    }
    return good;
}

/* The space of a thread that may end meanwhile, kept until space_free, and its
 * registers there. NULL: it is no process's, or has ended. */
static struct space *keep_space(const struct thread *t,
                                const struct user_frame **f)
{
    uint32_t msr = sched_lock();
    const struct task *task = task_of(t);
    struct space *space = task ? task->process->space : NULL;

    if (space && space->users && t->state != STATE_DEAD)
        space_keep(space);
    else
        space = NULL;
    *f = space ? task->frame : NULL;
    sched_unlock(msr);
    return space;
}

unsigned user_stack_join(const struct thread *t, uint32_t *pcs, unsigned depth,
                         unsigned max, bool *broken)
{
    struct walk w = {.t = t, .pcs = pcs, .max = max};
    const struct user_frame *f;

    while (w.depth < depth && pcs[w.depth] != (uint32_t)user_trap_return)
        w.depth++;
    if (w.depth == depth)
        return depth;
    w.space = keep_space(t, &f);
    *broken |= !w.space;
    if (!w.space)
        return depth;
    w.depth++;
    /* Behind a call, or as if behind one. */
    add_pc(&w, f->vector == VEC_SYSCALL ? f->trap.srr0 : f->trap.srr0 + INSN);
    *broken |= !walk_user(&w, f);
    space_free(w.space);
    return w.depth;
}

unsigned user_stack_now(const struct task *t, uint32_t *pcs, unsigned max)
{
    struct walk w = {.t = t->thread,
                     .space = t->process->space,
                     .pcs = pcs,
                     .max = max,
                     .now = true};

    add_pc(&w, t->frame->trap.srr0);
    walk_user(&w, t->frame);
    return w.depth;
}
