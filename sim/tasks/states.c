/* states.c - see states.h. */
#include "sim/tasks/states.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/record_put.h"
#include "isa/insn.h"
#include "lib/base/grow.h"
#include "lib/base/snap.h"
#include "sim/tasks/memory.h"
#include "sim/tasks/objects.h"
#include "sim/unwind/walk.h"

/* Of a task's __state, in Linux. */
#define STATE_WAKING 0x200u /* it was woken while it was leaving its CPU */

/* What is heard: rows of linux-waits.def have numbers below these. */
enum { HOOK_SCHEDULE = 10000, HOOK_WAKE, HOOK_NEW, HOOK_MASK };

static uint32_t word(const struct task_states *s, uint32_t pa, uint32_t offset)
{
    return offset == TASK_UNKNOWN ? 0 : kernel_word(s->machine, pa + offset);
}

static uint32_t state_of(const struct task_states *s, uint32_t pa)
{
    return word(s, pa, s->is.state);
}

static struct task_book *book_of(struct task_states *s, uint32_t context)
{
    bool fresh;
    uint32_t *at = hash_at(&s->index, context, &fresh);

    if (fresh) {
        *at = (uint32_t)s->books;
        s->book = grow(s->book, &s->room, s->books + 1, sizeof *s->book);
        s->book[s->books++] = (struct task_book){.row = WAITS_NO_ROW};
    }
    return &s->book[*at];
}

/* Whose the addresses are that the task at pa has of its own: those of its
 * process, until that has another program. */
static struct stack_owner owner_of_stack(struct task_states *s, uint32_t pa)
{
    uint32_t tgid = word(s, pa, s->is.tgid), mm = word(s, pa, s->is.mm);
    struct task_book *process = book_of(s, tgid);

    if (mm && mm != process->mm) {
        process->mm = mm;
        process->program = s->programs++;
    }
    return (struct stack_owner){tgid, process->program,
                                s->machine->with.image->start};
}

/* The number of the stack of the task at pa, from the scheduler's caller on:
 * the scheduler is no news. */
static uint32_t number(struct task_states *s, const struct core *c, uint32_t pa,
                       const uint32_t *pc, unsigned n)
{
    struct stack_owner owner = owner_of_stack(s, pa);
    unsigned k = waits_skip(&s->waits, pc, n);

    return stack_number_of(s->numbers, s->experiment, c->observed_cycle, &owner,
                           pc + k, n - k);
}

/* ---- records ------------------------------------------------------------- */

/* A wait of the task ends at cycle `at`, if it is in one. */
static void settle_wait(struct task_states *s, struct task_book *b, cycle_t at)
{
    struct task_waits *w = b->known ? &s->known : &s->unknown;

    if (b->waits && at > b->since)
        w->cycles += at - b->since;
    b->waits = false;
}

/* The task with that number is in state w from cycle `at` on; on c, or seen
 * from there. */
static void put_state(struct task_states *s, const struct core *c,
                      uint32_t context, cycle_t at, const struct task_wait *w)
{
    struct experiment_stamp stamp = {REC_STATE, c->number, context, at};
    struct task_book *b = book_of(s, context);
    uint32_t words[STATE_WORDS];

    record_put_state_state(words, w->state);
    record_put_state_kind(words, w->kind);
    record_put_state_object(words, w->object);
    record_put_state_owner(words, w->owner);
    record_put_state_pc(words, w->state >= STATE_RUNNABLE ? c->cpu.pc : 0);
    record_put_state_stack(words, w->stack);
    experiment_record(s->experiment, &stamp, words, STATE_WORDS);
    settle_wait(s, b, at);
    b->state = w->state;
}

static void put_change(struct task_states *s, const struct core *c,
                       uint32_t context, cycle_t at, const struct task_wait *w)
{
    if (context && book_of(s, context)->state != w->state)
        put_state(s, c, context, at, w);
}

static void put_plain(struct task_states *s, const struct core *c,
                      uint32_t context, cycle_t at, uint32_t state)
{
    struct task_wait w = {.state = state};

    put_change(s, c, context, at, &w);
}

/* Where it may run. */
static struct task_wait runnable(const struct task_states *s, uint32_t pa)
{
    uint32_t all = (1u << s->machine->with.cpus) - 1;
    uint32_t mask = word(s, pa, s->waits_are.cpus) & all;

    return (struct task_wait){.state = STATE_RUNNABLE,
                              .kind = OBJECT_CPUS,
                              .object = mask ? mask : all};
}

/* ---- the scheduler's functions ------------------------------------------- */

/* The task on c is about to get a mask from itself, which it has by the time
 * that it goes on: where that is asked for. */
static void asks_mask(struct task_states *s, const struct core *c)
{
    struct task_place *p = &s->place[c->number];
    uint32_t pc[WALK_MOST];
    bool truncated;
    unsigned n;

    if (!p->context || kernel_pa(s->machine, c->cpu.gpr[3]) != p->pa)
        return;
    n = stack_walk(c, &s->machine->names, false, pc, WALK_MOST, &truncated);
    p->mask = runnable(s, p->pa);
    p->mask.stack = number(s, c, p->pa, pc, n);
}

/* Where it has another mask now, it was runnable with that for a moment: the
 * CPU that it is on may be one of these, and it would not be told before it
 * makes way for another task. */
static void settle_mask(struct task_states *s, const struct core *c)
{
    struct task_place *p = &s->place[c->number];
    struct task_wait w = p->mask;

    p->mask.state = 0;
    if (!p->context || !w.state)
        return;
    p->mask = runnable(s, p->pa);
    if (p->mask.object != w.object) {
        p->mask.stack = w.stack;
        put_state(s, c, p->context, c->observed_cycle, &p->mask);
        put_plain(s, c, p->context, c->observed_cycle, STATE_SYSTEM);
    }
    p->mask.state = 0;
}

/* The task on c enters the scheduler. It may still come back at once. */
static void enters_scheduler(struct task_states *s, const struct core *c)
{
    struct task_place *p = &s->place[c->number];
    uint32_t pc[WALK_MOST];
    bool truncated;
    unsigned n;

    if (!p->context)
        return;
    n = stack_walk(c, &s->machine->names, false, pc, WALK_MOST, &truncated);
    settle_mask(s, c);
    p->row = waits_find(&s->waits, pc, n);
    p->leaves = state_of(s, p->pa)
                    ? task_wait_of(s, c, p, book_of(s, p->context))
                    : runnable(s, p->pa);
    p->leaves.stack = number(s, c, p->pa, pc, n);
}

/* Is the task at pa on a CPU? */
static bool runs(const struct task_states *s, uint32_t pa)
{
    for (unsigned n = 0; n < s->machine->with.cpus; n++)
        if (s->place[n].pa == pa)
            return true;
    return false;
}

/* The task at pa may run again, or for the first time. */
static void wake(struct task_states *s, const struct core *c, uint32_t pa)
{
    uint32_t context = word(s, pa, s->is.pid), by, pc[WALK_MOST];
    struct experiment_stamp stamp = {REC_WAKE, c->number, context,
                                     c->observed_cycle};
    const struct task_place *p = &s->place[c->number];
    struct task_wait w = runnable(s, pa);
    uint32_t words[WAKE_WORDS], cpu = word(s, pa, s->waits_are.cpu);
    bool truncated;
    unsigned n =
        stack_walk(c, &s->machine->names, false, pc, WALK_MOST, &truncated);

    by = waits_by(&s->waits, pc, n);
    record_put_wake_by(words, by);
    record_put_wake_waker(words, c->context);
    record_put_wake_vector(words, by == WAKE_BY_THREAD ? 0 : p->vector);
    record_put_wake_cpu(words, cpu < s->machine->with.cpus ? cpu : 0);
    record_put_wake_pc(words, c->cpu.pc);
    record_put_wake_stack(words, number(s, c, p->pa, pc, n));
    experiment_record(s->experiment, &stamp, words, WAKE_WORDS);
    put_state(s, c, context, c->observed_cycle, &w);
    book_of(s, context)->pa = pa;
    idle_samples_woken(s->idle, context, c->observed_cycle);
}

/* One that is on its way already, or does not wait in a state that is asked
 * for, is not woken. */
static void wakes(struct task_states *s, const struct core *c)
{
    uint32_t pa = kernel_pa(s->machine, c->cpu.gpr[3]);
    uint32_t context = word(s, pa, s->is.pid);

    if (context && state_of(s, pa) & c->cpu.gpr[4] && !runs(s, pa) &&
        book_of(s, context)->state != STATE_RUNNABLE)
        wake(s, c, pa);
}

/* The registers that the program of the task at pa goes on with, to *of. False:
 * it has none. */
static bool program_of(const struct task_states *s, const struct core *c,
                       uint32_t pa, struct cpu *of)
{
    const struct wait_description *d = &s->waits_are;
    uint32_t regs, gpr[32];

    if (d->regs == TASK_UNKNOWN || d->gpr == TASK_UNKNOWN ||
        d->nip == TASK_UNKNOWN || d->link == TASK_UNKNOWN ||
        d->msr == TASK_UNKNOWN)
        return false;
    regs = kernel_word(s->machine, pa + s->is.thread + d->regs);
    if (!regs)
        return false;
    for (uint32_t n = 0; n < 32; n++)
        gpr[n] = kernel_word_at(s->machine, c, regs + d->gpr + 4 * n);
    of->pc = kernel_word_at(s->machine, c, regs + d->nip);
    of->lr = kernel_word_at(s->machine, c, regs + d->link);
    of->msr = kernel_word_at(s->machine, c, regs + d->msr);
    memcpy(of->gpr, gpr, sizeof gpr);
    return of->msr & MSR_PR;
}

/* The stack with which the new task at pa begins: in the kernel, on the way
 * back to a copy of its creator's program, whose translation c still has. */
static void tell_start(struct task_states *s, const struct core *c, uint32_t pa)
{
    struct core user = *c;
    uint32_t pc[WALK_MOST] = {s->start_kernel};
    unsigned n = s->start_kernel ? 1 : 0;
    bool truncated;

    if (!s->idle->machine)
        return;
    if (program_of(s, c, pa, &user.cpu)) {
        pc[0] = s->start_user;
        n = s->start_user ? 1 : 0;
        n += stack_walk(&user, &s->machine->names, false, pc + n, WALK_MOST - n,
                        &truncated);
        pc[1] += s->start_user ? 4 : 0;
    }
    idle_samples_begins(s->idle, word(s, pa, s->is.pid), pc, n);
}

static void begins(struct task_states *s, const struct core *c)
{
    uint32_t pa = kernel_pa(s->machine, c->cpu.gpr[3]);

    if (!word(s, pa, s->is.pid))
        return;
    wake(s, c, pa);
    tell_start(s, c, pa);
}

void task_states_watched(struct task_states *s, const struct core *c)
{
    const struct task_place *p = &s->place[c->number];

    for (size_t k = 0; k < s->hook.count; k++) {
        unsigned what = s->hook.part[k].row;

        if (s->hook.part[k].from != c->cpu.pc)
            continue;
        if (what == HOOK_SCHEDULE) {
            enters_scheduler(s, c);
        } else if (what == HOOK_WAKE) {
            wakes(s, c);
        } else if (what == HOOK_NEW) {
            begins(s, c);
        } else if (what == HOOK_MASK) {
            asks_mask(s, c);
        } else if (p->context) {
            book_of(s, p->context)->row = what;
            book_of(s, p->context)->argument = c->cpu.gpr[3];
        }
    }
}

/* ---- whose turn it is ---------------------------------------------------- */

/* The task that leaves p waits from cycle `at` on, as p->row says. */
static void begin_wait(struct task_states *s, const struct task_place *p,
                       cycle_t at)
{
    struct task_book *b = book_of(s, p->context);

    b->waits = true;
    b->known = p->row != WAITS_NO_ROW;
    b->since = at;
    (b->known ? &s->known : &s->unknown)->times++;
}

/* What becomes of the task that leaves its place on c. */
static void leaves(struct task_states *s, const struct core *c,
                   struct task_place *p)
{
    struct task_wait w = p->leaves;
    bool waits = false;

    if (!kernel_task_waits(s->machine, &s->is, p->pa) ||
        state_of(s, p->pa) & STATE_WAKING) {
        w = runnable(s, p->pa);
        w.stack = p->leaves.stack;
    } else if (word(s, p->pa, s->is.exit_state)) {
        w = (struct task_wait){.state = STATE_ENDED, .stack = w.stack};
    } else {
        if (!w.state || w.state == STATE_RUNNABLE) {
            w = (struct task_wait){.state = STATE_QUEUE, .stack = w.stack};
            p->row = WAITS_NO_ROW;
        }
        waits = true;
    }
    put_state(s, c, p->context, c->observed_cycle, &w);
    if (waits)
        begin_wait(s, p, c->observed_cycle);
}

void task_states_switched(struct task_states *s, const struct core *c,
                          uint32_t to, uint32_t context)
{
    struct task_place *p = &s->place[c->number];

    if (!s->machine)
        return;
    if (p->context)
        leaves(s, c, p);
    p->pa = to;
    p->context = context;
    p->leaves.state = 0;
    p->mask.state = 0;
    if (!context)
        return;
    book_of(s, context)->pa = to;
    put_plain(s, c, context, c->observed_cycle, STATE_SYSTEM);
}

void task_states_to_user(struct task_states *s, const struct core *c)
{
    settle_mask(s, c);
    put_plain(s, c, s->place[c->number].context, c->observed_cycle, STATE_USER);
}

void task_states_entered(struct task_states *s, const struct core *c,
                         enum exc e, cycle_t at)
{
    struct task_place *p = &s->place[c->number];
    struct task_wait w = {.state = STATE_SYSTEM,
                          .kind = OBJECT_EXCEPTION,
                          .object = isa_exc_vector(e)};

    if (!s->machine)
        return;
    if (e == EXC_EXTERNAL || e == EXC_DECREMENTER || e == EXC_PERFMON)
        p->vector = w.object;
    if (c->cpu.srr1 & MSR_PR)
        put_change(s, c, p->context, at, &w);
}

void task_states_idles(struct task_states *s, const struct core *c)
{
    struct task_place *p = &s->place[c->number];

    if (!s->machine || !p->context)
        return;
    put_plain(s, c, p->context, c->observed_cycle, STATE_ENDED);
    p->context = 0;
}

/* ---- life ---------------------------------------------------------------- */

/* Functions of the scheduler; older kernels have the same. */
static bool seek_hooks(struct task_states *s, char *why, size_t size)
{
    static const struct {
        const char *function;
        unsigned what;
        bool needed;
    } of[] = {{"__schedule", HOOK_SCHEDULE, true},
              {"try_to_wake_up", HOOK_WAKE, true},
              {"wake_up_new_task", HOOK_NEW, true},
              {"set_cpus_allowed_common", HOOK_MASK, false}};
    const struct names *names = &s->machine->names;

    for (unsigned k = 0; k < sizeof of / sizeof *of; k++) {
        size_t before = s->hook.count;

        waits_seek(&s->hook, names, of[k].function, of[k].what);
        if (s->hook.count == before && of[k].needed) {
            snprintf(why, size,
                     "%s: it has no function %s; what its tasks wait for is "
                     "not recorded",
                     s->machine->with.image->name, of[k].function);
            return false;
        }
    }
    return true;
}

/* Functions whose argument matters, too. */
static bool watch(struct task_states *s)
{
    struct machine *m = s->machine;

    for (size_t k = 0; k < s->waits.wait.count; k++) {
        const struct waits_part *p = &s->waits.wait.part[k];

        if (waits_row(p->row)->object < WAITS_FIRST ||
            waits_row(p->row)->object > WAITS_RWSEM)
            continue;
        s->hook.part = grow(s->hook.part, &s->hook.room, s->hook.count + 1,
                            sizeof *s->hook.part);
        s->hook.part[s->hook.count++] = *p;
    }
    for (size_t k = 0; k < s->hook.count; k++)
        for (unsigned n = 0; n < m->with.cpus; n++) {
            uint32_t pa = kernel_pa(m, s->hook.part[k].from);

            if (pa % 4 || pa > m->ram.size - 4 || !core_watch(&m->core[n], pa))
                return false;
        }
    return true;
}

bool task_states_open(struct task_states *s, struct machine *m,
                      struct experiment *e, struct stack_numbers *numbers,
                      struct idle_samples *idle,
                      const struct task_description *is, char *why, size_t size)
{
    uint32_t end;

    *s = (struct task_states){.machine = m,
                              .experiment = e,
                              .numbers = numbers,
                              .idle = idle,
                              .is = *is};
    waits_open(&s->waits, &m->names);
    wait_description_read(&s->waits_are, m->with.image);
    if (!names_extent(&m->names, "ret_from_fork", &s->start_user, &end))
        s->start_user = 0;
    if (!names_extent(&m->names, "ret_from_kernel_thread", &s->start_kernel,
                      &end) &&
        !names_extent(&m->names, "start_kernel_thread", &s->start_kernel, &end))
        s->start_kernel = 0; /* Linux 6.5 has it by its second name */
    if (seek_hooks(s, why, size) && watch(s))
        return true;
    s->machine = NULL;
    return false;
}

void task_states_close(struct task_states *s)
{
    waits_close(&s->waits);
    free(s->hook.part);
    hash_free(&s->index);
    free(s->book);
    *s = (struct task_states){.machine = NULL};
}

void task_states_end(const struct task_states *s)
{
    if (s->machine)
        experiment_say(
            s->experiment, "waits %llu %llu %llu %llu",
            (unsigned long long)(s->known.times + s->unknown.times),
            (unsigned long long)s->unknown.times,
            (unsigned long long)(s->known.cycles + s->unknown.cycles),
            (unsigned long long)s->unknown.cycles);
}

bool task_states_state(struct snap *n, struct task_states *s)
{
    static const char *const here = "another experiment begins without any";

    snap_begin(n, "task states", 1);
    SNAP_SKIP(n, s->machine, "plugged in by task_states_open");
    SNAP_SKIP(n, s->experiment, "plugged in by task_states_open");
    SNAP_SKIP(n, s->numbers, "plugged in by task_states_open");
    SNAP_SKIP(n, s->idle, "plugged in by task_states_open");
    SNAP_SKIP(n, s->is, "of the kernel's file");
    SNAP_SKIP(n, s->waits_are, "of the kernel's file");
    SNAP_SKIP(n, s->waits, "of the kernel's file");
    SNAP_SKIP(n, s->hook, "of the kernel's file");
    SNAP_SKIP(n, s->start_user, "of the kernel's file");
    SNAP_SKIP(n, s->start_kernel, "of the kernel's file");
    for (unsigned k = 0; k < MACHINE_CPUS; k++) {
        struct task_place *p = &s->place[k];

        SNAP(n, p->pa);
        SNAP(n, p->context);
        SNAP(n, p->vector);
        SNAP_SKIP(n, p->leaves, here);
        SNAP_SKIP(n, p->mask, here);
        SNAP_SKIP(n, p->row, here);
    }
    SNAP_SKIP(n, s->index, here);
    SNAP_SKIP(n, s->book, here);
    SNAP_SKIP(n, s->books, here);
    SNAP_SKIP(n, s->room, here);
    SNAP_SKIP(n, s->programs, here);
    SNAP_SKIP(n, s->known, here);
    SNAP_SKIP(n, s->unknown, here);
    return snap_end(n);
}
