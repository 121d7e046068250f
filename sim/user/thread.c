/* thread.c - who runs on which processor, and who waits for what.
 *
 * A thread that can run takes an idle processor, the one it was on before if
 * that is idle; if none is, it queues, and a thread that has run for a slice
 * makes room for the one that has waited longest. One that is preferred to it
 * (priority.c) does not wait for that. Processor 0 keeps the time:
 * it is interrupted when the next timer or time limit is due. All of it happens
 * at simulated cycles, so that it is the same in every run.
 */
#include "sim/user/process.h"

#include <errno.h>
#include <string.h>

#define MSR_IDLE (MSR_EE | MSR_ME | MSR_POW)
#define TIMER_LEAST 4 /* interrupts' worth of cycles between two rings */

static cycle_t after_ring(const struct user *u, cycle_t at)
{
    return at + (cycle_t)TIMER_LEAST * u->m->with.params.trap_cycles;
}

/* ---- registers ----------------------------------------------------------- */

/* What belongs to a thread, and not to the processor it is on. */
static void move_registers(struct cpu *to, const struct cpu *from)
{
    memcpy(to->gpr, from->gpr, sizeof to->gpr);
    memcpy(to->fpr, from->fpr, sizeof to->fpr);
    memcpy(to->sr, from->sr, sizeof to->sr);
    to->cr = from->cr;
    to->xer = from->xer;
    to->lr = from->lr;
    to->ctr = from->ctr;
    to->pc = from->pc;
    to->nia = from->nia;
    to->msr = from->msr;
    to->fpscr = from->fpscr;
    to->sdr1 = from->sdr1;
}

/* ---- coming and going ---------------------------------------------------- */

static bool is_meant(const struct what_if_thread *f, const struct thread *t)
{
    if (f->number)
        return f->number == t->tid;
    return !*f->name || strncmp(f->name, t->name, sizeof t->name) == 0;
}

/* The last word counts. */
void thread_force(struct user *u, struct thread *t)
{
    struct what_if *w = &u->m->with.what_if;
    uint64_t have = (UINT64_C(1) << u->m->with.cpus) - 1;

    t->forced_cpus = 0;
    t->forced_rank = NULL;
    for (unsigned n = 0; n < w->threads; n++) {
        struct what_if_thread *f = &w->thread[n];

        if (!is_meant(f, t))
            continue;
        f->met = true;
        if (!f->ranked) {
            t->forced_cpus = f->affinity & have;
            continue;
        }
        t->forced_rank = f;
        u->ranked = true;
    }
}

struct thread *thread_new(struct user *u)
{
    for (unsigned i = 0; i < USER_THREADS; i++) {
        struct thread *t = &u->thread[i];

        if (t->state != THREAD_FREE)
            continue;
        memset(t, 0, sizeof *t);
        t->tid = u->next_tid++;
        t->wake_at = CYCLE_NEVER;
        t->affinity = ~UINT64_C(0);
        t->state = THREAD_BLOCKED; /* until it is made ready */
        if (i >= u->threads)
            u->threads = i + 1;
        return t;
    }
    return NULL;
}

struct thread *thread_find(struct user *u, int tid)
{
    for (unsigned i = 0; i < u->threads; i++)
        if (u->thread[i].state != THREAD_FREE && u->thread[i].tid == tid)
            return &u->thread[i];
    return NULL;
}

/* Mutexes that say on a list that they are mine: their next owner is told. */
static void leave_robust(struct call *k)
{
    struct thread *t = k->t;
    struct space *s = &k->u->space;
    uint32_t entry, offset, word, left = 2048;

    if (!t->robust || !space_read32(s, t->robust, &entry) ||
        !space_read32(s, t->robust + 4, &offset))
        return;
    while (entry && (entry & ~1u) != t->robust && left--) {
        ea_t at = (entry & ~1u) + offset;
        uint32_t rest;
        uint8_t *b;

        if (space_read32(s, at, &word) &&
            (word & ABI_FUTEX_TID) == (uint32_t)t->tid) {
            space_write32(s, at, (word & 0x80000000u) | 0x40000000u);
            b = space_bytes(s, at, SPACE_READ, &rest);
            if (b && word & 0x80000000u)
                thread_futex_wake(k->u, (pa_t)(b - s->ram->bytes), 1,
                                  0xFFFFFFFFu, k->now);
        }
        if (!space_read32(s, entry & ~1u, &entry))
            return;
    }
}

/* Locks that others wait for as their owner's: the next one learns that this
 * one died. */
static void leave_locks(struct call *k)
{
    struct user *u = k->u;

    for (unsigned i = 0; i < u->threads; i++) {
        struct thread *w = &u->thread[i];

        if (w->state == THREAD_BLOCKED && w->waiting == WAIT_LOCK &&
            w->owner == k->t->tid)
            thread_lock_pass(u, w->futex_pa, w->wait_for, ABI_FUTEX_OWNER_DIED,
                             k->now);
    }
}

void thread_exit(struct call *k)
{
    struct thread *t = k->t;
    struct space *s = &k->u->space;
    uint32_t left;

    leave_robust(k);
    if (t->clear_tid && space_write32(s, t->clear_tid, 0)) {
        uint8_t *b = space_bytes(s, t->clear_tid, SPACE_READ, &left);

        if (b)
            thread_futex_wake(k->u, (pa_t)(b - s->ram->bytes), 1, 0xFFFFFFFFu,
                              k->now);
    }
    signal_forget(k->u, &t->pending, ~UINT64_C(0));
    leave_locks(k);
    t->state = THREAD_FREE;
}

/* ---- running ------------------------------------------------------------- */

static bool may_run(const struct thread *t, unsigned cpu)
{
    return thread_cpus(t) >> cpu & 1;
}

static void run_on(struct user *u, struct thread *t, unsigned cpu, cycle_t at)
{
    struct core *core = &u->m->core[cpu];

    move_registers(&core->cpu, &t->cpu_state);
    u->current[cpu] = t;
    t->state = THREAD_RUNNING;
    t->cpu = cpu;
    t->since = at;
    tell_runs(u, t, at);
}

/* Give t an idle processor. One that never ran begins now; one that naps gets
 * an interrupt, and finds the registers when it wakes. */
static void start_on(struct user *u, struct thread *t, unsigned cpu, cycle_t at)
{
    struct core *core = &u->m->core[cpu];

    if (core->state == CORE_PARKED) {
        core_start(core, 0, 0, at);
        core->context = (uint32_t)t->tid;
        run_on(u, t, cpu, at);
        core->port.msr_changed(core, 0, core->cpu.msr);
        u->m->next[cpu] = core_next(core);
        return;
    }
    run_on(u, t, cpu, at);
    u->kick[cpu] = at;
}

static bool idle(const struct user *u, unsigned cpu)
{
    return !u->current[cpu] && u->m->core[cpu].state != CORE_RUNNING;
}

static void find_place(struct user *u, struct thread *t, cycle_t at)
{
    unsigned cpus = u->m->with.cpus;

    if (idle(u, t->cpu) && may_run(t, t->cpu)) {
        start_on(u, t, t->cpu, at);
        return;
    }
    for (unsigned cpu = 0; cpu < cpus; cpu++)
        if (idle(u, cpu) && may_run(t, cpu)) {
            start_on(u, t, cpu, at);
            return;
        }
}

void thread_ready(struct user *u, struct thread *t, cycle_t at)
{
    tell_ready(u, t, t->waiting, t->state == THREAD_BLOCKED, at);
    t->waiting = WAIT_NOTHING;
    t->wake_at = CYCLE_NEVER;
    t->state = THREAD_READY;
    t->queued = ++u->queue_tick;
    find_place(u, t, at);
}

/* t made room before its time: it is the next of its rank. */
static void ready_first(struct user *u, struct thread *t, cycle_t at)
{
    tell_ready(u, t, WAIT_NOTHING, false, at);
    t->ran += at > t->since ? at - t->since : 0;
    t->state = THREAD_READY;
    t->queued = -++u->queue_tick;
    find_place(u, t, at);
}

static struct thread *next_ready(struct user *u, unsigned cpu)
{
    struct thread *first = NULL;

    for (unsigned i = 0; i < u->threads; i++)
        if (u->thread[i].state == THREAD_READY && may_run(&u->thread[i], cpu))
            first = thread_preferred(u, first, &u->thread[i]);
    return first;
}

/* ---- interrupts ---------------------------------------------------------- */

static cycle_t next_timer(const struct user *u)
{
    cycle_t at = CYCLE_NEVER;

    for (unsigned i = 0; i < u->threads; i++)
        if (u->thread[i].state == THREAD_BLOCKED && u->thread[i].wake_at < at)
            at = u->thread[i].wake_at;
    for (unsigned i = 0; i < USER_CLOCKS; i++)
        if (u->timer[i].at < at)
            at = u->timer[i].at;
    return at;
}

/* When processor 0 is to be interrupted for one of them: however many timers
 * and sleeps there are, the program gets on in between, behind an interrupt for
 * a quarter of what that takes. */
static cycle_t next_look(const struct user *u)
{
    cycle_t at = next_timer(u), least = after_ring(u, u->rang),
            trap = u->m->with.params.trap_cycles,
            looked = u->looked + trap + (trap + 3) / 4;

    if (u->rang && at < least)
        at = least;
    return u->looked && at < looked ? looked : at;
}

/* When a timer of processor time could be over: each of those that run now
 * brings it nearer. Looked at again then, and whenever a thread comes or
 * goes. */
static void foresee(struct user *u, struct timer *t, cycle_t now)
{
    cycle_t spent = clock_spent(u, t, now), left;
    unsigned run = 0;

    for (unsigned cpu = 0; cpu < u->m->with.cpus; cpu++)
        run += u->current[cpu] &&
               (!t->cpu_of || u->current[cpu]->tid == t->cpu_of);
    left = t->due > spent ? t->due - spent : 0;
    t->at = run ? now + (left + run - 1) / run : CYCLE_NEVER;
}

/* Set each processor's next interrupt. */
static void arm(struct user *u, cycle_t now)
{
    for (unsigned i = 0; i < USER_CLOCKS; i++)
        if (u->timer[i].cpu && u->timer[i].due != CYCLE_NEVER)
            foresee(u, &u->timer[i], now);
    thread_displace(u, now);
    for (unsigned cpu = 0; cpu < u->m->with.cpus; cpu++) {
        struct core *core = &u->m->core[cpu];
        const struct thread *t = u->current[cpu], *next;
        cycle_t at = u->kick[cpu], slice;

        if (core->state == CORE_PARKED)
            continue;
        if (cpu == 0)
            at = at < next_look(u) ? at : next_look(u);
        next = t ? next_ready(u, cpu) : NULL;
        if (next && thread_rank(u, next) == thread_rank(u, t)) {
            slice = thread_slice(u, t);
            at = at < slice ? at : slice;
        }
        core_irq(core, false, 0);
        if (at != CYCLE_NEVER)
            core_irq(core, true, at);
        if (core->state == CORE_NAPPING)
            u->m->next[cpu] = core_next(core);
    }
}

void thread_kick(struct user *u, struct thread *t, cycle_t at)
{
    if (t->state == THREAD_RUNNING && at < u->kick[t->cpu])
        u->kick[t->cpu] = at;
}

static bool slice_over(const struct user *u, const struct thread *t, cycle_t at)
{
    return at >= thread_slice(u, t) || u->yielding == t;
}

/* Does t have to make room at cycle `at`? */
static bool makes_room(struct user *u, const struct thread *t, unsigned cpu,
                       cycle_t at)
{
    const struct thread *next;

    if (!may_run(t, cpu))
        return true;
    next = next_ready(u, cpu);
    if (!next || thread_rank(u, next) < thread_rank(u, t))
        return false;
    return slice_over(u, t, at) || thread_rank(u, next) > thread_rank(u, t);
}

static void account(struct user *u, struct thread *t, cycle_t at)
{
    cycle_t used = at > t->since ? at - t->since : 0;

    t->used += used;
    u->used += used;
}

/* Nothing to run here. It is t, if there was one, that left: what comes until
 * another one runs is charged to none. */
static void rest(struct user *u, struct core *core, const struct thread *t)
{
    if (t)
        machine_rest(u->m, core->number);
    core->context = 0;
    core->cpu.msr = MSR_IDLE;
}

void thread_schedule(struct user *u, struct core *core, cycle_t at)
{
    unsigned cpu = core->number;
    struct thread *t = u->current[cpu], *next;

    u->kick[cpu] = CYCLE_NEVER;
    u->coming[cpu] = NULL;
    if (t && t->state == THREAD_RUNNING && makes_room(u, t, cpu, at)) {
        move_registers(&t->cpu_state, &core->cpu);
        account(u, t, at);
        u->current[cpu] = NULL;
        if (may_run(t, cpu) && !slice_over(u, t, at)) {
            ready_first(u, t, at);
        } else {
            t->ran = 0;
            thread_ready(u, t, at);
        }
    } else if (t && t->state != THREAD_RUNNING) {
        tell_leaves(u, t, u->now);
        move_registers(&t->cpu_state, &core->cpu);
        account(u, t, at);
        t->ran = 0;
        u->current[cpu] = NULL;
    }
    u->yielding = NULL;
    if (!u->current[cpu]) {
        next = next_ready(u, cpu);
        if (next)
            run_on(u, next, cpu, at);
        else
            rest(u, core, t);
    }
    if (u->current[cpu])
        core->context = (uint32_t)u->current[cpu]->tid;
    arm(u, at);
    stuck_look(u, at);
}

/* ---- waiting ------------------------------------------------------------- */

void thread_block(struct call *k, enum waiting w, cycle_t until)
{
    k->t->state = THREAD_BLOCKED;
    k->t->waiting = w;
    k->t->wait_call = k->core->cpu.gpr[0];
    k->t->wait_for = k->a[0];
    k->t->wake_at = until;
}

/* r3 and CR0[SO] as a system call leaves them. */
static void set_result(struct cpu *c, int32_t r)
{
    c->cr &= ~0x10000000u;
    if (r < 0 && r > -4096) {
        c->cr |= 0x10000000u;
        r = -r;
    }
    c->gpr[3] = (uint32_t)r;
}

void thread_wake(struct user *u, struct thread *t, int32_t result, cycle_t at)
{
    if (t->waiting == WAIT_IO)
        t->cpu_state.pc += 4; /* it stood at its sc to begin again */
    t->polling = false;
    set_result(&t->cpu_state, result);
    thread_ready(u, t, at);
}

void thread_again(struct user *u, struct thread *t, cycle_t at)
{
    if (t->waiting != WAIT_IO)
        t->cpu_state.pc -= 4;
    thread_ready(u, t, at);
}

void thread_io(struct user *u, cycle_t at)
{
    for (unsigned i = 0; i < u->threads; i++)
        if (u->thread[i].state == THREAD_BLOCKED &&
            u->thread[i].waiting == WAIT_IO)
            thread_again(u, &u->thread[i], at);
}

int thread_futex_wake(struct user *u, pa_t pa, int n, uint32_t bits, cycle_t at)
{
    int woken = 0;

    while (woken < n) {
        struct thread *first = NULL;

        for (unsigned i = 0; i < u->threads; i++) {
            struct thread *t = &u->thread[i];

            if (t->state == THREAD_BLOCKED && t->waiting == WAIT_FUTEX &&
                t->futex_pa == pa && t->futex_bits & bits)
                first = thread_preferred(u, first, t);
        }
        if (!first)
            break;
        thread_wake(u, first, 0, at);
        woken++;
    }
    return woken;
}

static bool waits_for_lock(const struct thread *t, pa_t pa)
{
    return t->state == THREAD_BLOCKED && t->waiting == WAIT_LOCK &&
           t->futex_pa == pa;
}

bool thread_lock_pass(struct user *u, pa_t pa, ea_t ea, uint32_t bits,
                      cycle_t at)
{
    struct thread *next = NULL;
    bool more = false;

    for (unsigned i = 0; i < u->threads; i++)
        if (waits_for_lock(&u->thread[i], pa)) {
            more = next;
            next = thread_preferred(u, next, &u->thread[i]);
        }
    if (!next)
        return false;
    space_write32(&u->space, ea,
                  (uint32_t)next->tid | bits | (more ? ABI_FUTEX_WAITERS : 0));
    for (unsigned i = 0; i < u->threads; i++)
        if (waits_for_lock(&u->thread[i], pa))
            u->thread[i].owner = next->tid;
    thread_wake(u, next, 0, at);
    return true;
}

static void time_out(struct user *u, struct thread *t, cycle_t at)
{
    switch (t->waiting) {
    case WAIT_FUTEX:
    case WAIT_LOCK:
        thread_wake(u, t, -ETIMEDOUT, at);
        break;
    case WAIT_DISK:
        disk_over(u, t, at);
        break;
    case WAIT_SIGNAL:
        thread_wake(u, t, -EAGAIN, at);
        break;
    case WAIT_IO: /* its call tidies up */
        thread_again(u, t, at);
        break;
    default:
        thread_wake(u, t, 0, at);
        break;
    }
}

static void fire(struct user *u, struct timer *t, cycle_t at)
{
    struct siginfo info = {t->id < 0 ? ABI_SI_KERNEL : ABI_SI_TIMER,
                           {(uint32_t)t->id, 0, t->value}};
    struct thread *to = t->tid ? thread_find(u, t->tid) : NULL;
    /* its own clock: the machine's, or processor time */
    cycle_t now = t->cpu ? clock_spent(u, t, at) : at;
    cycle_t due = t->cpu ? t->due : t->at, next = CYCLE_NEVER;
    struct siginfo *waits = signal_of_timer(u, to, t);
    uint64_t missed = 0;

    if (t->interval) {
        missed = (now - due) / t->interval;
        next = due + (missed + 1) * t->interval;
        /* however short it is, the program gets on in between */
        if (next < after_ring(u, now))
            next = after_ring(u, now);
    }
    t->at = t->cpu ? CYCLE_NEVER : next; /* arm() foresees it */
    t->due = t->cpu ? next : CYCLE_NEVER;
    if (t == &u->timer[USER_CPU_LIMIT])
        t->signal = limit_cpu_signal(u, now);
    u->rang = at;
    if (waits) /* once more, before it was taken */
        missed += waits->word[1] + UINT64_C(1);
    t->overrun = (uint32_t)(missed < INT32_MAX ? missed : INT32_MAX);
    if (waits)
        waits->word[1] = t->overrun;
    info.word[1] = t->id < 0 ? 0 : t->overrun;
    if (!waits && t->signal)
        signal_send(u, to, t->signal, &info, at);
}

void thread_clock(struct user *u, cycle_t at)
{
    if (next_timer(u) > at)
        return;
    for (unsigned i = 0; i < u->threads; i++)
        if (u->thread[i].state == THREAD_BLOCKED && u->thread[i].wake_at <= at)
            time_out(u, &u->thread[i], at);
    for (unsigned i = 0; i < USER_CLOCKS; i++) {
        struct timer *t = &u->timer[i];

        if (t->at <= at && t->cpu && clock_spent(u, t, at) < t->due)
            t->at = CYCLE_NEVER; /* not yet: arm() foresees it anew */
        else if (t->at <= at)
            fire(u, t, at);
    }
}
