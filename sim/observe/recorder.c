/* recorder.c - records as they come, and the recorders of a run put together.
 * See recorder.h.
 */
#include "sim/observe/recorder.h"

#include <stdio.h>
#include <string.h>

#include "include/record_put.h"
#include "lib/base/big_endian.h"
#include "sim/dev/disk.h"

#define STDIO_LINE 1024 /* bytes that a line of the log has, at most */

/* ---- what the guest writes ----------------------------------------------- */

/* The number of the stack of the scheduler's caller, for the scheduler is no
 * news: from behind the place in it that the record has. 0: none is asked for.
 */
static uint32_t number_stack(struct recorder *r, const struct trace_record *t)
{
    const struct machine *m = r->machine;
    uint32_t pc[WALK_MOST];
    unsigned n, k = 1;
    bool truncated;

    if (!t->left)
        return 0;
    n = stack_walk(&m->core[t->cpu], &m->names, false, pc, WALK_MOST,
                   &truncated);
    while (k < n && pc[k] != t->left)
        k++;
    k = k < n ? k + 1 : 1;
    return stack_number(&r->stack_numbers, r->with.experiment, t->at, pc + k,
                        n - k);
}

/* The guest runs a program. */
static void take_program(struct recorder *r, const struct trace_record *t,
                         uint32_t pid)
{
    char name[IMAGE_NAME] = "";
    size_t bytes = 4 * ((size_t)t->count - PROGRAM_WORDS);
    const struct image *i;
    bool fresh;

    memcpy(name, t->words + 4 * (size_t)PROGRAM_WORDS,
           bytes < sizeof name ? bytes : sizeof name - 1);
    i = programs_take(&r->programs, r->machine, t->file, t->size, name, &fresh);
    if (i)
        recorder_image(r, t->at, i, fresh);
    if (i && fresh)
        lock_record_image(&r->lock_record, i, r->programs.latest);
    /* The latest one, or what it was already. */
    lock_record_program(&r->lock_record, pid,
                        programs_number(&r->programs, t->file, t->size));
}

static void record(void *arg, const struct trace_record *t)
{
    struct recorder *r = arg;
    const struct machine *m = r->machine;
    struct experiment_stamp s = {t->kind, t->cpu, t->thread, t->at};
    uint32_t words[REC_MAX_WORDS];
    unsigned count = t->count;

    for (unsigned i = 0; i < count; i++)
        words[i] = be_get32(t->words + 4 * i);
    if (t->kind == REC_PROGRAM)
        take_program(r, t, record_of_program_pid(words));
    if (t->kind == REC_THREAD)
        lock_record_thread(&r->lock_record, t->thread,
                           record_of_thread_pid(words));
    if (t->kind == REC_SWITCH && r->with.switch_stacks) {
        bool truncated;
        unsigned n =
            stack_walk(&m->core[t->cpu], &m->names, false,
                       record_tail_switch_stack(words), WALK_MOST, &truncated);

        record_put_switch_depth(words, n);
        count = record_size_switch_stack(n);
    } else if (r->with.switch_stacks && t->kind == REC_STATE) {
        record_put_state_stack(words, number_stack(r, t));
        count = STATE_WORDS;
    } else if (r->with.switch_stacks && t->kind == REC_WAKE) {
        record_put_wake_stack(words, number_stack(r, t));
        count = WAKE_WORDS;
    }
    experiment_record(r->with.experiment, &s, words, count);
}

static void input(void *arg, cycle_t at, uint8_t byte)
{
    const struct recorder *r = arg;

    experiment_say(r->with.experiment, "input %llu %02x",
                   (unsigned long long)at, byte);
}

static void input_over(void *arg, cycle_t at)
{
    const struct recorder *r = arg;

    experiment_say(r->with.experiment, "input %llu over",
                   (unsigned long long)at);
}

static void disk(void *arg, const struct disk_done *d)
{
    const struct recorder *r = arg;
    const struct disk_request *q = &d->request;
    struct experiment_stamp s = {REC_DISK, q->cpu, q->context, d->end};
    uint32_t words[DISK_WORDS];

    record_put_disk_type(words, d->type);
    record_put_disk_status(words, d->status);
    record_put_disk_sector(words, d->sector);
    record_put_disk_bytes(words, d->bytes);
    record_put_disk_asked(words, q->asked);
    record_put_disk_begin(words, d->begin);
    record_put_disk_served(words, d->number);
    experiment_record(r->with.experiment, &s, words, DISK_WORDS);
}

static void measured(void *arg, cycle_t from, cycle_t to, uint64_t insns)
{
    const struct recorder *r = arg;

    experiment_say(r->with.experiment, "detail %llu %llu %llu",
                   (unsigned long long)from, (unsigned long long)to,
                   (unsigned long long)insns);
}

/* ---- interrupts ---------------------------------------------------------- */

/* For which event the performance monitor interrupts, told once. */
static void monitored(struct recorder *r, int event)
{
    bool first = true;

    if (event < 0 || r->monitored[event])
        return;
    for (unsigned k = 0; k < EV_COUNT; k++)
        first &= !r->monitored[k];
    r->monitored[event] = true;
    experiment_say(r->with.experiment, "monitored%s %s", first ? "" : "-too",
                   event_name((enum event)event));
}

static void interrupt(void *arg, struct core *c, enum exc e, cycle_t signalled,
                      cycle_t taken)
{
    struct recorder *r = arg;
    struct experiment_stamp s = {REC_IRQ, c->number, c->context, taken};
    uint32_t words[IRQ_WORDS];

    if (e == EXC_PERFMON)
        monitored(r, c->pmu.signal_event);
    record_put_irq_vector(words, isa_exc_vector(e));
    record_put_irq_srr0(words, c->cpu.srr0);
    record_put_irq_signalled(words, signalled);
    experiment_record(r->with.experiment, &s, words, IRQ_WORDS);
}

/* ---- samples ------------------------------------------------------------- */

static void rest(void *arg, struct core *c)
{
    struct recorder *r = arg;
    struct recorder_rest *k = &r->rest[c->number];

    k->context = c->context;
    if (r->machine->with.nhost_counters)
        k->n = stack_walk(c, &r->machine->names, false, k->pc, WALK_MOST,
                          &k->truncated);
}

/* A counter of the host overflowed: who ran, and how it got there. */
static void sample(void *arg, struct core *c, const struct core_sample *s)
{
    struct recorder *r = arg;
    const struct machine *m = r->machine;
    struct experiment_stamp stamp = {REC_PROFILE, c->number, c->context, s->at};
    const struct recorder_rest *k = &r->rest[c->number];
    /* One that was pending when its thread left has that thread's stack, too.
     */
    bool resting = s->resting && k->n, truncated = k->truncated;
    bool napping = s->napping && !s->user;
    uint32_t w[PROFILE_WORDS + WALK_MOST + 1];
    uint32_t *pcs = record_tail_profile_stack(w);
    /* What the kernel that simrun plays does for no thread has no stack. */
    bool alone = m->with.supervisor.enter && !c->context && !resting;
    bool has_data = s->data.is && !napping && !alone;
    unsigned n = k->n;

    if (resting) {
        stamp.thread = k->context;
        memcpy(pcs, k->pc, n * sizeof *pcs);
    } else if (alone) {
        n = truncated = 0;
    } else {
        n = stack_walk(c, &m->names, false, pcs, WALK_MOST, &truncated);
        n = tasks_whole_stack(&r->tasks, c, pcs, n, &truncated);
    }
    record_put_profile_counter(w, s->counter);
    record_put_profile_events(w, s->events > UINT32_MAX ? UINT32_MAX
                                                        : (uint32_t)s->events);
    record_put_profile_pc(w, alone                                ? 0
                             : resting && s->pc == s->interrupted ? pcs[0]
                                                                  : s->pc);
    record_put_profile_interrupted(w, alone ? 0 : pcs[0]);
    record_put_profile_address(w, has_data ? s->data.ea : 0);
    record_put_profile_flags(w, (s->user ? PROFILE_USER : 0) |
                                    (napping ? PROFILE_NAPPING : 0) |
                                    (truncated ? PROFILE_TRUNCATED : 0) |
                                    (has_data ? PROFILE_DATA : 0));
    record_put_profile_depth(w, n);
    record_put_profile_physical(w, s->data.pa);
    experiment_record(r->with.experiment, &stamp, w,
                      record_size_profile_stack(n) + has_data);
}

/* A sampled instruction is through. */
static void sampled(void *arg, struct core *c, const struct insn_info *d,
                    uint32_t passed)
{
    struct recorder *r = arg;
    struct experiment_stamp stamp = {REC_SAMPLED, d->cpu, d->context,
                                     d->complete};
    cycle_t end = d->finish ? d->finish : d->issue ? d->issue : d->dispatch;
    uint32_t w[SAMPLED_WORDS + WALK_MOST];
    bool truncated;
    unsigned n =
        stack_walk(c, &r->machine->names, false, record_tail_sampled_stack(w),
                   WALK_MOST, &truncated);

    n = tasks_whole_stack(&r->tasks, c, record_tail_sampled_stack(w), n,
                          &truncated);
    record_put_sampled_flags(w, sampled_flags(d) |
                                    (truncated ? SAMPLED_TRUNCATED : 0));
    record_put_sampled_pc(w, d->pc);
    record_put_sampled_address(w, d->data.ea);
    record_put_sampled_dispatch(w, (uint32_t)(d->dispatch - d->fetch));
    record_put_sampled_issue(w,
                             d->issue ? (uint32_t)(d->issue - d->dispatch) : 0);
    record_put_sampled_finish(w,
                              d->finish ? (uint32_t)(d->finish - d->issue) : 0);
    record_put_sampled_end(w, d->complete > end ? (uint32_t)(d->complete - end)
                                                : 0);
    record_put_sampled_access(w, d->data_latency);
    record_put_sampled_oldest(w, d->oldest);
    record_put_sampled_passed(w, passed);
    record_put_sampled_depth(w, n);
    experiment_record(r->with.experiment, &stamp, w,
                      record_size_sampled_stack(n));
}

/* ---- a debugger, and the end --------------------------------------------- */

static void debugged(void *arg, const char *line)
{
    const struct recorder *r = arg;

    experiment_text(r->with.experiment, line);
}

/* A debugger that looks at the machine may look at its records. */
static void halted(void *arg, cycle_t at)
{
    const struct recorder *r = arg;

    (void)at;
    experiment_write(r->with.experiment);
}

static void beat(void *arg, cycle_t at)
{
    struct recorder *r = arg;

    idle_samples_beat(&r->idle, at);
}

static void end(void *arg, cycle_t at)
{
    struct recorder *r = arg;

    beat(arg, at);
    if (r->with.experiment->cut)
        experiment_ends(r->with.experiment);
    idle_samples_end(&r->idle, at);
}

/* ---- a Linux program ----------------------------------------------------- */

/* Lines of the log that are not too long. */
static void stdio_lines(void *arg, cycle_t at, char kind, int64_t value,
                        const void *bytes, size_t size)
{
    const struct recorder *r = arg;
    const uint8_t *in = bytes;
    char hex[2 * STDIO_LINE + 1];
    bool first = true;

    do {
        size_t now = size < STDIO_LINE ? size : STDIO_LINE;

        for (size_t n = 0; n < now; n++)
            snprintf(hex + 2 * n, 3, "%02x", *in++);
        hex[2 * now] = '\0';
        if (first)
            experiment_say(r->with.experiment, "stdio %llu %c %lld%s%s",
                           (unsigned long long)at, kind, (long long)value,
                           now ? " " : "", hex);
        else
            experiment_say(r->with.experiment, "stdio + %s", hex);
        first = false;
        size -= now;
    } while (size);
}

static void put_segments(struct experiment *e, cycle_t at,
                         const struct image *i, bool physical,
                         const char *archive)
{
    for (unsigned n = 0; n < i->count; n++) {
        const struct image_segment *s = &i->segment[n];
        struct experiment_segment segment = {
            at,        physical ? s->pa : s->va,
            s->memory, s->offset,
            s->flags,  archive,
            0};

        experiment_segment(e, &segment);
    }
}

void recorder_image(const struct recorder *r, cycle_t at, const struct image *i,
                    bool fresh)
{
    struct experiment *e = r->with.experiment;
    char archive[EXPERIMENT_NAME];

    experiment_archive_name(archive, i->name, i->build_id);
    if (fresh)
        experiment_archive(e, archive, i->bytes, i->size);
    if (i->is_kernel)
        put_segments(e, at, i, true, archive);
    put_segments(e, at, i, false, archive);
}

/* Of a supervisor's threads, in the place of what a guest would record. */

static void switched(struct recorder *r, const struct thread_note *n,
                     uint32_t to)
{
    struct experiment_stamp s = {REC_SWITCH, n->cpu, to, n->at};
    uint32_t words[SWITCH_LEAST];

    record_put_switch_pid(words, 0);
    record_put_switch_out_pid(words, 0);
    record_put_switch_out_thread(words, r->running[n->cpu]);
    record_put_switch_out_state(words, machine_thread_left(n));
    record_put_switch_left(words, 0);
    if (r->with.switches)
        experiment_record(r->with.experiment, &s, words, SWITCH_LEAST);
    r->running[n->cpu] = to;
}

/* A thread of the supervisor's begins to run, or leaves its processor: its
 * registers are there. */
static void sample_switch(struct recorder *r, const struct core *c,
                          const struct thread_note *n)
{
    bool runs = n->state == STATE_USER, truncated;
    const struct idle_who none = {.idle = true};
    uint32_t pc[WALK_MOST];
    struct idle_who who = {.thread = n->thread,
                           .waits = n->state != STATE_RUNNABLE,
                           .ended = n->state == STATE_ENDED,
                           .pc = pc};

    if (!r->idle.machine)
        return;
    if (!runs || idle_samples_new(&r->idle, n->thread))
        who.n =
            stack_walk(c, &r->machine->names, false, pc, WALK_MOST, &truncated);
    if (!runs) {
        idle_samples_switch(&r->idle, n->cpu, n->at, &who, &none);
        return;
    }
    if (who.n)
        idle_samples_begins(&r->idle, n->thread, pc, who.n);
    idle_samples_switch(&r->idle, n->cpu, n->at, &none, &who);
}

static uint32_t stack_of(struct recorder *r, const struct core *c,
                         const struct thread_note *n)
{
    uint32_t pc[WALK_MOST];
    bool truncated;

    if (!n->registers)
        return 0;
    return stack_number(
        &r->stack_numbers, r->with.experiment, n->at, pc,
        stack_walk(c, &r->machine->names, false, pc, WALK_MOST, &truncated));
}

static void thread_woken(struct recorder *r, const struct core *c,
                         const struct thread_note *n)
{
    struct experiment_stamp s = {REC_WAKE, n->cpu, n->thread, n->at};
    uint32_t words[WAKE_WORDS];

    record_put_wake_by(words, n->by);
    record_put_wake_waker(words, n->waker);
    record_put_wake_vector(words, n->by == WAKE_BY_THREAD  ? 0
                                  : n->by == WAKE_BY_TIMER ? 0x900
                                                           : 0x500);
    record_put_wake_cpu(words, n->to);
    record_put_wake_pc(words, 0);
    record_put_wake_stack(words, stack_of(r, c, n));
    idle_samples_woken(&r->idle, n->thread, n->at);
    experiment_record(r->with.experiment, &s, words, WAKE_WORDS);
}

static void thread_named(struct recorder *r, const struct thread_note *n)
{
    struct experiment_stamp s = {REC_THREAD, n->cpu, n->thread, n->at};
    uint32_t words[THREAD_WORDS + THREAD_NAME / 4];

    record_put_thread_pid(words, n->process);
    record_put_thread_role(words, THREAD_IS_APP);
    for (unsigned k = 0; k < THREAD_NAME / 4; k++)
        record_tail_thread_name(words)[k] =
            be_get32((const uint8_t *)n->name + 4 * k);
    experiment_record(r->with.experiment, &s, words,
                      record_size_thread_name(THREAD_NAME / 4));
}

static void thread(void *arg, struct core *c, const struct thread_note *n)
{
    struct recorder *r = arg;
    struct experiment_stamp s = {REC_STATE, n->cpu, n->thread, n->at};
    bool runs = n->state == STATE_USER;
    uint32_t words[STATE_WORDS];

    if (!r->with.switch_stacks)
        return;
    if (n->name)
        thread_named(r, n);
    if (n->wake)
        thread_woken(r, c, n);
    if (n->name || n->wake)
        return;
    record_put_state_state(words, n->state);
    record_put_state_kind(words, n->kind);
    record_put_state_object(words, n->object);
    record_put_state_owner(words, n->owner);
    record_put_state_pc(words, 0);
    record_put_state_stack(words, stack_of(r, c, n));
    experiment_record(r->with.experiment, &s, words, STATE_WORDS);
    if (!runs && r->running[n->cpu] != n->thread)
        return;
    sample_switch(r, c, n);
    switched(r, n, runs ? n->thread : PROBE_NOBODY);
}

static void mapped(void *arg, cycle_t at, const struct image *i, bool fresh)
{
    struct recorder *r = arg;

    recorder_image(r, at, i, fresh);
    lock_record_image(&r->lock_record, i, 0);
}

/* ---- put together -------------------------------------------------------- */

static void listen(struct recorder *r)
{
    const struct recorder_setup *s = &r->with;
    struct machine *m = r->machine;

    for (unsigned n = 0; s->sample_insns && n < m->with.cpus; n++)
        core_sample_insns(&m->core[n], s->sample_insns, s->sample_states);
    r->observer = (struct observer){
        .arg = r,
        .interrupt = interrupt,
        .sample = sample,
        .sampled = sampled,
        .record = record,
        .input = input,
        .input_over = input_over,
        .disk = disk,
        .measured = measured,
        .rest = rest,
        .thread = thread,
        .stdio = stdio_lines,
        .mapped = mapped,
        .halted = halted,
        .debugged = debugged,
        .beat = beat,
        .end = end,
    };
    machine_observe(m, &r->observer, true);
}

/* Does anything of it ask for names of the image? */
static bool needs_names(const struct recorder *r)
{
    const struct recorder_setup *s = &r->with;

    return r->machine->with.nhost_counters || s->marks || s->switch_stacks ||
           s->sample_insns || r->machine->with.image->is_kernel;
}

/* At the end the last one to subscribe is the first to write: the counts of
 * the host's marks, what marks found by themselves, the other counts; and the
 * account closes the experiment. */
static void subscribe(struct recorder *r)
{
    const struct recorder_setup *s = &r->with;

    account_open(&r->account, r->machine, s->experiment);
    pif_counts_open(&r->pif_counts, &r->host_unit, s->experiment);
    if (s->autoprofile)
        autoprofile_open(s->autoprofile, &r->host_unit, s->experiment);
    host_unit_listen(&r->host_unit, s->experiment);
    idle_samples_open(&r->idle, r->machine, s->experiment, &s->idle);
    tasks_open(&r->tasks, r->machine, s->experiment, s->sysroot, s->marked,
               s->switch_stacks ? &r->stack_numbers : NULL, &r->idle,
               r->missing, sizeof r->missing);
    listen(r);
    /* Behind the account, which ends the experiment: the last that listens is
     * told first. */
    if (s->locks) {
        poll_record_open(&r->poll_record, r->machine, s->experiment,
                         &r->lock_record);
        flag_record_open(&r->flag_record, r->machine, s->experiment,
                         &r->lock_record);
    }
}

bool recorder_open(struct recorder *r, const struct recorder_setup *s,
                   struct machine *m, char *why, size_t size)
{
    *r = (struct recorder){.with = *s, .machine = m};
    for (unsigned n = 0; n < MACHINE_CPUS; n++)
        r->running[n] = PROBE_NOBODY;
    if (s->idle.period && !m->with.image->is_kernel &&
        !m->with.supervisor.enter) {
        snprintf(why, size,
                 "--sample-idle: simrun does not know the threads of %s; it is "
                 "about programs under --user and Linux kernels (our guest "
                 "samples itself: boot word sampler)",
                 m->with.image->name);
        return false;
    }
    if (needs_names(r) && !machine_read_names(m)) {
        snprintf(why, size, "the host has no memory for the names");
        return false;
    }
    if (!host_unit_open(&r->host_unit, m, s->marks, s->marked, why, size))
        return false;
    if (s->locks && s->experiment &&
        !lock_record_open(&r->lock_record, m, s->experiment, why, size))
        return false;
    if (s->experiment)
        subscribe(r);
    else if (s->marked)
        tasks_open(&r->tasks, m, NULL, s->sysroot, s->marked, NULL, &r->idle,
                   r->missing, sizeof r->missing);
    return true;
}

void recorder_close(struct recorder *r)
{
    host_unit_close(&r->host_unit);
    programs_free(&r->programs);
    stack_numbers_free(&r->stack_numbers);
    tasks_close(&r->tasks);
    idle_samples_close(&r->idle);
    lock_record_close(&r->lock_record);
    poll_record_close(&r->poll_record);
    flag_record_close(&r->flag_record);
    *r = (struct recorder){0};
}
