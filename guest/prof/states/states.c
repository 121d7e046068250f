/* states.c - records of what every thread does and waits for, and of who wakes
 * it (state.rec, wake.rec): with the boot word states=on. Idle threads have no
 * states: a CPU without a thread is idle.
 *
 * What a program waits for is told by the numbers it uses itself; here they
 * become those of threads, if there are such.
 */
#include "guest/kernel/hook.h"
#include "guest/prof/states/trace.h"
#include "guest/process/process.h"

static bool wanted;

static bool take_states(char *value)
{
    return bootline_choice(value, "on", "off", &wanted);
}
BOOT_WORD(215, take_states, "states", "off|on");

static void put(const struct thread *t, const struct waiting *w, uint32_t pc)
{
    uint32_t r[TRACE_HEAD + STATE_LEAST], *words = r + TRACE_HEAD;

    record_put_state_state(words, w->state);
    record_put_state_kind(words, w->kind);
    record_put_state_object(words, w->object);
    record_put_state_owner(words, w->owner);
    record_put_state_pc(words, pc);
    trace_put(this_cpu(), r, REC_STATE, t->tid, STATE_LEAST);
}

static void put_plain(const struct thread *t, uint32_t state)
{
    struct waiting w = {.state = state};

    put(t, &w, 0);
}

/* Where it may run: a hook's narrower mask is gone in a moment. */
static struct waiting runnable(const struct thread *t)
{
    return (struct waiting){STATE_RUNNABLE, OBJECT_CPUS, t->mask, 0};
}

/* The thread that a program knows by a number, in the process of t. Its list is
 * under process_lock, which somebody else may have: tasks stay in memory, so at
 * worst one that begins or ends meanwhile is not found. */
static const struct task *task_known_as(const struct thread *t, uint32_t number)
{
    const struct task *own = task_of(t), *k = own ? own->process->tasks : NULL;

    for (unsigned n = 0; k && n < MAX_THREADS; n++, k = k->next)
        if (k->number == number && k->process == own->process)
            return k;
    return NULL;
}

/* A word of a program: who owns that lock, or whose end it tells. */
static void settle_owner(const struct thread *t, struct waiting *w)
{
    const struct task *task = task_known_as(t, w->owner);

    w->owner = 0;
    if (!task)
        return;
    if (w->state == STATE_LOCK) {
        w->owner = task->thread->tid;
    } else if (task->clear_tid == w->object) {
        w->state = STATE_BARRIER;
        w->owner = task->thread->tid;
    }
}

static struct waiting left_for(const struct thread *t)
{
    struct waiting w = t->waiting;

    switch (t->state) {
    case STATE_READY:
        return runnable(t);
    case STATE_SLEEPING:
        return (struct waiting){.state = STATE_TIMER};
    case STATE_DEAD:
        return (struct waiting){.state = STATE_ENDED};
    default:
        if (w.kind == OBJECT_USER)
            settle_owner(t, &w);
        return w;
    }
}

/* The stack that simrun adds is that of the one who leaves. */
static void on_switch(struct cpu *c, const struct thread *out)
{
    if (out->kind != THREAD_IS_IDLE) {
        struct waiting w = left_for(out);

        put(out, &w, (uint32_t)__builtin_return_address(0));
    }
    if (c->current->kind != THREAD_IS_IDLE)
        put_plain(c->current, STATE_SYSTEM);
}

static uint32_t waker(const struct cpu *c)
{
    switch (c->serving) {
    case 0:
        return c->in_deferred_work ? WAKE_BY_INTERRUPT : WAKE_BY_THREAD;
    case VEC_DECREMENTER:
        return WAKE_BY_TIMER;
    case VEC_EXTERNAL:
        return WAKE_BY_DEVICE;
    default:
        return WAKE_BY_INTERRUPT;
    }
}

static void on_wake(struct cpu *to, const struct thread *t)
{
    uint32_t r[TRACE_HEAD + WAKE_LEAST], *words = r + TRACE_HEAD;
    const struct cpu *c = this_cpu();
    struct waiting w = runnable(t);

    if (t->state == STATE_READY || t->state == STATE_RUNNING)
        return;
    record_put_wake_by(words, waker(c));
    record_put_wake_waker(words, c->current->tid);
    record_put_wake_vector(words, c->serving);
    record_put_wake_cpu(words, to->number);
    record_put_wake_pc(words, (uint32_t)__builtin_return_address(0));
    trace_put(c, r, REC_WAKE, t->tid, WAKE_LEAST);
    put(t, &w, 0);
}

static void to_user(struct cpu *c, const struct thread *t)
{
    (void)c;
    put_plain(t, STATE_USER);
}

static void to_system(struct cpu *c, const struct thread *t)
{
    struct waiting w = {STATE_SYSTEM, OBJECT_EXCEPTION, task_of(t)->vector, 0};

    (void)c;
    put(t, &w, 0);
}

static struct hook switched = {.call = on_switch}, woken = {.call = on_wake};
static struct hook user = {.call = to_user}, system = {.call = to_system};

static void states_start(void)
{
    if (!wanted)
        return;
    put_plain(current, STATE_SYSTEM);
    hook_add(&switch_hooks, &switched);
    hook_add(&wake_hooks, &woken);
    hook_add(&user_hooks, &user);
    hook_add(&system_hooks, &system);
}
HOOK(start, 100, states_start);
