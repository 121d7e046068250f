/* objects.c - see objects.h. */
#include "sim/tasks/objects.h"

#include "sim/tasks/memory.h"
#include "sim/unwind/frame_flow.h"

/* System calls on a word, and what they do with it. */
#define FUTEX_COMMAND 0x7Fu
#define FUTEX_WAIT 0u
#define LOCKED_WAITED 2u /* glibc, lowlevellock.h: such a word is a lock */
#define OWNER 8u         /* glibc, struct __pthread_mutex_s, bytes */
#define OWNER_FLAGS 7u   /* the kernel's locks: low bits of who has it */

static uint32_t word(const struct task_states *s, uint32_t pa, uint32_t offset)
{
    return offset == TASK_UNKNOWN ? 0 : kernel_word(s->machine, pa + offset);
}

/* The word of the program at ea, whose translation c still has; 0: none. */
static uint32_t user_word(const struct core *c, uint32_t ea, uint32_t msr)
{
    struct core user = *c;
    uint32_t value;

    user.cpu.msr = msr;
    return frame_flow_word(&user, ea, TLB_LOAD, &value) ? value : 0;
}

/* The task of that number, if there is one of the same process. */
static const struct task_book *peer(const struct task_states *s, uint32_t pa,
                                    uint32_t number)
{
    const uint32_t *at = hash_find(&s->index, number);
    const struct task_book *b = at ? &s->book[*at] : NULL;

    return b && b->pa && word(s, b->pa, s->is.pid) == number &&
                   word(s, b->pa, s->is.tgid) == word(s, pa, s->is.tgid)
               ? b
               : NULL;
}

/* A word of the program, as its system call names it: a lock with an owner, a
 * thread's end, or neither (sim/user/tell.c does the same). */
static void find_futex(const struct task_states *s, const struct core *c,
                       uint32_t pa, struct task_wait *w)
{
    const struct wait_description *d = &s->waits_are;
    uint32_t regs, gpr, at, command, value, msr;
    const struct task_book *of;

    if (d->regs == TASK_UNKNOWN || d->gpr == TASK_UNKNOWN)
        return;
    regs = kernel_word(s->machine, pa + s->is.thread + d->regs);
    if (!regs)
        return;
    gpr = regs + d->gpr;
    at = d->gpr3 == TASK_UNKNOWN ? gpr + 12 : regs + d->gpr3;
    w->kind = OBJECT_USER;
    w->object = kernel_word_at(s->machine, c, at);
    command = kernel_word_at(s->machine, c, gpr + 16) & FUTEX_COMMAND;
    value = kernel_word_at(s->machine, c, gpr + 20);
    msr = d->msr == TASK_UNKNOWN ? 0
                                 : kernel_word_at(s->machine, c, regs + d->msr);
    of = peer(s, pa, value);
    if (command == FUTEX_WAIT && value == LOCKED_WAITED) {
        uint32_t owner = user_word(c, w->object + OWNER, msr);

        w->state = STATE_LOCK;
        w->owner = peer(s, pa, owner) ? owner : 0;
    } else if (of && word(s, of->pa, s->waits_are.clear_tid) == w->object) {
        w->state = STATE_BARRIER;
        w->owner = value;
    }
}

/* A lock of the kernel's, which says who has it: `owner` is where in it. One
 * that readers have says only that. */
static uint32_t owner_of(const struct task_states *s, const struct core *c,
                         uint32_t lock, uint32_t owner, bool readers)
{
    uint32_t who =
        owner == TASK_UNKNOWN ? 0 : kernel_word_at(s->machine, c, lock + owner);

    if ((readers && who & 1) || !(who & ~OWNER_FLAGS))
        return 0;
    return word(s, kernel_pa(s->machine, who & ~OWNER_FLAGS), s->is.pid);
}

static void find_argument(const struct task_states *s, const struct core *c,
                          const struct task_book *b, unsigned row,
                          struct task_wait *w)
{
    enum waits_object is = waits_row(row)->object;

    if (b->row != row)
        return;
    w->kind = OBJECT_KERNEL;
    w->object = b->argument;
    if (is == WAITS_MUTEX)
        w->owner = owner_of(s, c, w->object, s->waits_are.mutex_owner, false);
    else if (is == WAITS_RWSEM)
        w->owner = owner_of(s, c, w->object, s->waits_are.rwsem_owner, true);
}

struct task_wait task_wait_of(const struct task_states *s, const struct core *c,
                              const struct task_place *p,
                              const struct task_book *book)
{
    struct task_wait w = {.state = STATE_QUEUE};
    unsigned row = p->row;

    if (row == WAITS_NO_ROW)
        return w;
    w.state = waits_row(row)->state;
    switch (waits_row(row)->object) {
    case WAITS_NOTHING:
        break;
    case WAITS_FUTEX:
        find_futex(s, c, p->pa, &w);
        break;
    case WAITS_CHILDREN:
        w.kind = OBJECT_PROCESS;
        w.object = word(s, p->pa, s->is.tgid);
        break;
    default:
        find_argument(s, c, book, row, &w);
        break;
    }
    return w;
}
