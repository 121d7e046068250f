/* tell.c - what observers hear of threads: what each does, what it waits for,
 * who wakes it. The C library's locks are its own affair; a wait of the kind
 * and with the value that they use is told as one (guest/process/wait/futex.c
 * does the same).
 */
#include "sim/user/process.h"

#include "include/record.h"

#define LOCKED_WAITED 2 /* glibc, lowlevellock.h */
#define OWNER 8         /* glibc, struct __pthread_mutex_s, bytes */

static struct thread_note note_of(const struct thread *t, cycle_t at)
{
    return (struct thread_note){.at = at,
                                .thread = (uint32_t)t->tid,
                                .process = USER_PID,
                                .cpu = t->cpu,
                                .registers = true};
}

static void tell(struct user *u, const struct thread_note *n)
{
    if (u->tells)
        machine_thread(u->m, n);
}

void user_tell_threads(struct user *u)
{
    u->tells = true;
    for (unsigned i = 0; i < u->threads; i++)
        if (u->thread[i].state == THREAD_RUNNING)
            tell_runs(u, &u->thread[i], 0);
}

void tell_runs(struct user *u, const struct thread *t, cycle_t at)
{
    struct thread_note n = note_of(t, at);

    n.state = STATE_USER;
    n.registers = false;
    tell(u, &n);
}

void tell_named(struct user *u, const struct thread *t, cycle_t at)
{
    struct thread_note n = note_of(t, at);

    n.name = t->name;
    tell(u, &n);
}

/* A thread of the program by its number, or 0. */
static uint32_t known(struct user *u, uint32_t number)
{
    return thread_find(u, (int)number) ? number : 0;
}

/* A word that is waited for: a lock with an owner, a thread's end, or neither.
 */
static void note_futex(struct user *u, const struct thread *t,
                       struct thread_note *n)
{
    const struct thread *of = thread_find(u, (int)t->futex_value);
    uint32_t owner = 0;

    n->state = STATE_QUEUE;
    n->kind = OBJECT_USER;
    n->object = t->wait_for;
    if (t->futex_plain && t->futex_value == LOCKED_WAITED) {
        n->state = STATE_LOCK;
        space_read32(&u->space, t->wait_for + OWNER, &owner);
        n->owner = known(u, owner);
    } else if (of && of->clear_tid == t->wait_for) {
        n->state = STATE_BARRIER;
        n->owner = (uint32_t)of->tid;
    }
}

static void note_wait(struct user *u, const struct thread *t,
                      struct thread_note *n)
{
    switch (t->waiting) {
    case WAIT_TIME:
        n->state = STATE_TIMER;
        n->kind = t->deadline ? OBJECT_DEADLINE : OBJECT_NONE;
        n->object = t->deadline ? t->deadline_in : 0;
        break;
    case WAIT_FUTEX:
        note_futex(u, t, n);
        break;
    case WAIT_LOCK:
        n->state = STATE_LOCK;
        n->kind = OBJECT_USER;
        n->object = t->wait_for;
        n->owner = known(u, (uint32_t)t->owner);
        break;
    case WAIT_DISK:
        n->state = STATE_IO;
        break;
    case WAIT_IO: /* a pipe or an event, or for a time in poll */
        n->state = STATE_QUEUE;
        break;
    default:
        n->state = STATE_STOPPED;
        break;
    }
}

void tell_leaves(struct user *u, const struct thread *t, cycle_t at)
{
    struct thread_note n = note_of(t, at);

    if (t->state == THREAD_FREE)
        n.state = STATE_ENDED;
    else
        note_wait(u, t, &n);
    tell(u, &n);
}

void tell_passed(struct user *u, const struct thread *t, cycle_t at)
{
    struct thread_note n = note_of(t, at);

    n.state = STATE_TIMER;
    n.kind = OBJECT_DEADLINE;
    n.object = t->deadline_in;
    tell(u, &n);
    tell_runs(u, t, at);
}

static void tell_woken(struct user *u, const struct thread *t,
                       enum waiting ended, cycle_t at)
{
    struct thread_note n = note_of(t, at);

    n.wake = true;
    n.to = t->cpu;
    n.by = ended == WAIT_DISK ? WAKE_BY_DEVICE : WAKE_BY_TIMER;
    n.registers = u->acting != NULL;
    if (u->acting) {
        n.by = WAKE_BY_THREAD;
        n.waker = (uint32_t)u->acting->tid;
        n.cpu = u->acting->cpu;
    }
    tell(u, &n);
}

void tell_ready(struct user *u, const struct thread *t, enum waiting ended,
                bool woken, cycle_t at)
{
    struct thread_note n = note_of(t, at);

    if (woken)
        tell_woken(u, t, ended, at);
    n.state = STATE_RUNNABLE;
    n.kind = OBJECT_CPUS;
    n.object = (uint32_t)thread_cpus(t) & ((1u << u->m->with.cpus) - 1);
    n.registers = !woken;
    tell(u, &n);
}
