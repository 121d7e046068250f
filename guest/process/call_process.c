/* call_process.c - system calls about processes and threads. */
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/wait.h>

#include "guest/process/disk.h"
#include "guest/process/file.h"

#define CR0_SO 0x10000000u
#define TRIES 100 /* to find memory for a copy, while others free some */

/* ---- ending -------------------------------------------------------------- */

int32_t call_exit(struct task *t, const uint32_t *a)
{
    t->status = (a[0] & 0xFF) << 8;
    t->leaving = true;
    return CALL_KEEP;
}

int32_t call_exit_group(struct task *t, const uint32_t *a)
{
    mutex_lock(&process_lock);
    process_end(t->process, (a[0] & 0xFF) << 8);
    mutex_unlock(&process_lock);
    return CALL_KEEP;
}

/* ---- beginning ----------------------------------------------------------- */

struct birth {
    uint32_t flags, stack, parent_tid, tls, child_tid;
};

/* What a new task begins with: where its parent is, and an answer of 0. */
static void first_registers(struct task *t, const struct birth *b,
                            struct user_frame *start)
{
    task_fp_settle(t);
    *start = *t->frame;
    start->trap.r3_r12[0] = 0;
    start->trap.cr &= ~CR0_SO;
    if (b->stack)
        start->r1 = b->stack;
    if (b->flags & CLONE_SETTLS)
        start->r2 = b->tls;
}

/* A task of p, with what it has from the one that asks; not yet running. */
static struct task *bear(struct task *t, struct process *p,
                         const struct birth *b)
{
    struct user_frame start;
    struct task *new;

    first_registers(t, b, &start);
    new = task_new(p, &start);
    if (!new)
        return NULL;
    memcpy(new->fp, t->fp, sizeof t->fp);
    new->blocked = t->blocked;
    new->policy = t->policy;
    new->priority = t->priority;
    new->nice = t->nice;
    new->thread->prio = t->thread->prio;
    new->thread->mask = new->thread->made_mask = t->thread->mask;
    if (b->flags & CLONE_CHILD_CLEARTID)
        new->clear_tid = b->child_tid;
    /* A word that cannot be written is the program's own loss. */
    if (b->flags & CLONE_CHILD_SETTID)
        (void)copy_out(p->space, b->child_tid, &new->number, 4);
    if (b->flags & CLONE_PARENT_SETTID)
        (void)copy_out(t->process->space, b->parent_tid, &new->number, 4);
    return new;
}

static int32_t new_thread(struct task *t, const struct birth *b)
{
    struct task *new = bear(t, t->process, b);
    int32_t number;

    if (!new)
        return -EAGAIN;
    number = (int32_t) new->number;
    task_start(new);
    return number;
}

/* The space of a child: a copy, or the parent's own until the child execs.
 * NULL: no memory. */
static struct space *child_space(struct space *mine, bool same)
{
    struct space *space;

    if (same) {
        space_keep(mine);
        return mine;
    }
    for (uint32_t n = 0; !(space = space_copy(mine)) && n < TRIES; n++) {
        if (!memory_wait(false))
            break;
    }
    return space;
}

static int32_t new_process(struct task *t, const struct birth *b)
{
    bool same = b->flags & CLONE_VM;
    struct space *mine = t->process->space, *space = child_space(mine, same);
    struct process *p;
    struct task *new;
    int32_t number;

    if (!space)
        return -ENOMEM;
    p = process_new(t->process, space);
    new = p ? bear(t, p, b) : NULL;
    if (!new) {
        if (p)
            process_forget(p);
        space_free(space);
        return -EAGAIN;
    }
    new->stack_base = t->stack_base;
    new->stack_size = t->stack_size;
    number = (int32_t)p->number;
    task_start(new);
    if (same)
        space_wait_alone(mine);
    return number;
}

/* In front: flags, of a clone with the parent's stack. */
int32_t call_fork(struct task *t, const uint32_t *a)
{
    struct birth b = {.flags = a[0]};

    return new_process(t, &b);
}

int32_t call_clone(struct task *t, const uint32_t *a)
{
    struct birth b = {a[0], a[1], a[2], a[3], a[4]};

    if (b.flags & CLONE_THREAD)
        return b.flags & CLONE_VM ? new_thread(t, &b) : -EINVAL;
    if (b.flags & CLONE_VM && !(b.flags & CLONE_VFORK))
        return -EINVAL; /* memory is shared by threads of a process only */
    return new_process(t, &b);
}

/* ---- another program ----------------------------------------------------- */

/* Texts of a list of pointers that ends in 0; 0 or -errno. */
static int32_t take_texts(struct task *t, struct image *i, uint32_t list)
{
    char chunk[PATH_SIZE];
    uint32_t at = 0;
    int32_t n;

    for (; list; list += 4) {
        if (!copy_in(t->process->space, &at, list, 4))
            return -EFAULT;
        if (!at)
            break;
        if (!image_begin_text(i))
            return -E2BIG;
        do {
            n = copy_text(t->process->space, chunk, at, sizeof chunk);
            if (n == -EFAULT)
                return n;
            if (!image_bytes(i, chunk, n < 0 ? sizeof chunk : (uint32_t)n + 1))
                return -E2BIG;
            at += sizeof chunk;
        } while (n < 0);
    }
    return image_end_list(i) ? 0 : -E2BIG;
}

int32_t call_execve(struct task *t, const uint32_t *a)
{
    struct image i;
    struct node *n;
    int32_t r;

    mutex_lock(&tree_lock);
    n = path_find(t, AT_FDCWD, a[0], true, &r);
    if (n)
        r = t->process->tasks->next
                ? -EAGAIN /* its other threads would have to end first */
                : image_begin(&i, n);
    mutex_unlock(&tree_lock);
    if (r)
        return r;
    r = take_texts(t, &i, a[1]);
    if (!r)
        r = take_texts(t, &i, a[2]);
    if (!r)
        return exec_replace(&i);
    space_free(i.space);
    return r;
}

/* ---- waiting for children ------------------------------------------------ */

/* A child that has ended, by its number or any (-1). *some: there is one to
 * wait for. process_lock is held. */
static struct process *ended(const struct process *parent, int32_t number,
                             bool *some)
{
    *some = false;
    FOR_PROCESSES(p)
    {
        if (p->state == PROCESS_FREE || p->parent != parent || p == parent ||
            (number > 0 && p->number != (uint32_t)number))
            continue;
        *some = true;
        if (p->state == PROCESS_ENDED)
            return p;
    }
    return NULL;
}

/* In front: whether usage is asked for; the child, where its status goes,
 * options, where the usage goes. */
int32_t call_wait4(struct task *t, const uint32_t *a)
{
    struct event *children = &t->process->children;
    int32_t number = (int32_t)a[1];
    struct process *p;
    uint32_t status = 0, seen;
    bool some;

    for (;;) {
        seen = children->count;
        mutex_lock(&process_lock);
        p = ended(t->process, number, &some);
        if (p) {
            status = p->status;
            number = (int32_t)p->number;
            p->state = PROCESS_FREE;
        }
        mutex_unlock(&process_lock);
        if (p)
            break;
        if (!some)
            return -ECHILD;
        if (a[3] & WNOHANG)
            return 0;
        will_wait(STATE_BARRIER, OBJECT_PROCESS, t->process->number, 0);
        if (event_wait(children, seen, FOR_EVER) == WAKE_SIGNAL)
            return CALL_RESTART;
    }
    if ((a[2] && answer(t, a[2], &status, sizeof status)) ||
        (a[0] && a[4] &&
         !fill_out(t->process->space, a[4], sizeof(struct rusage))))
        return -EFAULT;
    return number;
}

/* ---- who is who ---------------------------------------------------------- */

int32_t call_getpid(struct task *t, const uint32_t *a)
{
    (void)a;
    return (int32_t)t->process->number;
}

int32_t call_gettid(struct task *t, const uint32_t *a)
{
    (void)a;
    return (int32_t)t->number;
}

int32_t call_getppid(struct task *t, const uint32_t *a)
{
    (void)a;
    return t->process->parent ? (int32_t)t->process->parent->number : 1;
}

int32_t call_set_tid_address(struct task *t, const uint32_t *a)
{
    t->clear_tid = a[0];
    return (int32_t)t->number;
}
