/* mkexp.c - experiments for tests, through pmu/experiment/experiment.h.
 *
 * The standard experiment: 2 CPUs, cycles 0 to 100000. W waits in sched <
 * mutex_lock < txn < worker < thread_start, P in sched < timer_sleep <
 * producer < thread_start. `s` is a sampler that takes a stack.
 *
 *   CPU 0   0 W(10) | 20000 idle | 30000 s 30100 idle | 40000 s(from W)
 *           40200 W | 70000 idle | 80000 W .. 100000
 *   CPU 1   0 W(11) | 10000 idle | 20000 s 20200 idle | 50000 P(12)
 *           60000 idle | 90000 s 90100 idle .. 100000
 *
 * So CPU 0 has 2 idle periods: 20000 to 40200 with 19900 idle cycles in it,
 * sampled; 70000 to 80000 with 10000, not. CPU 1 has 2: 10000 to 50000 with
 * 39800, sampled; 60000 to the end with 39900, sampled. Idle in all 29900 +
 * 79700 = 109600 of 200000 cycles, explained 19900 + 79700 = 99600.
 * To-idle: W on CPU 0 and CPU 1 (2 samples), P on CPU 1 (1 sample).
 * From-idle: W on CPU 0 (1 sample).
 */
#include "tests/lib/mkexp.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pmu/experiment/experiment.h"
#include "include/mark_bits.h"
#include "include/record_put.h"
#include "tests/lib/mkelf.h"

struct mkexp {
    struct experiment e;
};

static const char *const function_name[FN_COUNT] = {
    "thread_start", "worker",   "txn",         "mutex_lock",
    "sched",        "producer", "timer_sleep", "idle_loop"};

static void check(const struct mkexp *m)
{
    if (!m->e.error[0])
        return;
    fprintf(stderr, "mkexp: %s\n", m->e.error);
    exit(99);
}

struct mkexp *mkexp_new(const char *path)
{
    struct mkexp *m = calloc(1, sizeof *m);

    experiment_open(&m->e, path, "");
    check(m);
    experiment_text(&m->e, "image " MKEXP_ARCHIVE "\nmode detailed\ncpus 2\n"
                           "ram 536870912\nclock 200000000\n"
                           "timebase 16666666\nseed 1\n"
                           "args work=txn sampler=both\n"
                           "knob clock_mhz 200\nknob bus_ratio 3\nstart 0\n");
    return m;
}

static void write_program(const char *path)
{
    struct mkelf_symbol symbol[FN_COUNT];
    struct mkelf elf = {
        .addr = MKEXP_TEXT,
        .size = 0x100 * FN_COUNT,
        .build_id = "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20\21\22\23\24",
        .symbol = symbol,
        .symbols = FN_COUNT,
    };

    for (unsigned i = 0; i < FN_COUNT; i++)
        symbol[i] = (struct mkelf_symbol){.name = function_name[i],
                                          .addr = MKEXP_TEXT + 0x100 * i,
                                          .size = 0x100,
                                          .type = STT_FUNC};
    mkelf_write(path, &elf);
}

void mkexp_program(struct mkexp *m, const char *path)
{
    static char bytes[65536];
    struct experiment_segment s = {
        0, MKEXP_TEXT, 0x100 * FN_COUNT, 0x100, "r-x", MKEXP_ARCHIVE, 0};
    FILE *f;
    size_t size;

    write_program(path);
    f = fopen(path, "rb");
    size = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    if (!f || !size || fclose(f) || unlink(path)) {
        perror(path);
        exit(99);
    }
    experiment_archive(&m->e, MKEXP_ARCHIVE, bytes, size);
    experiment_segment(&m->e, &s);
}

static void record(struct mkexp *m, unsigned kind, unsigned cpu,
                   uint32_t thread, uint64_t at, const uint32_t *words,
                   unsigned count)
{
    struct experiment_stamp s = {kind, cpu, thread, at};

    experiment_record(&m->e, &s, words, count);
    check(m);
}

static void put_thread(struct mkexp *m, uint64_t at, uint32_t thread,
                       uint32_t pid, uint32_t is, const char *name)
{
    uint32_t words[THREAD_WORDS + 16] = {0};
    uint32_t *tail = record_tail_thread_name(words);
    unsigned count = 0;

    record_put_thread_pid(words, pid);
    record_put_thread_role(words, is);
    for (size_t i = 0; i < strlen(name) && i < 64; i++) {
        tail[i / 4] |= (uint32_t)(unsigned char)name[i] << (24 - 8 * (i % 4));
        count = 1 + (unsigned)i / 4;
    }
    record(m, REC_THREAD, 0, thread, at, words, record_size_thread_name(count));
}

void mkexp_thread(struct mkexp *m, uint32_t thread, uint32_t is,
                  const char *name)
{
    put_thread(m, 0, thread, 1, is, name);
}

void mkexp_task(struct mkexp *m, uint32_t thread, uint32_t pid,
                const char *name)
{
    put_thread(m, 0, thread, pid, THREAD_IS_APP, name);
}

void mkexp_renamed(struct mkexp *m, uint64_t at, uint32_t thread, uint32_t pid,
                   const char *name)
{
    put_thread(m, at, thread, pid, THREAD_IS_APP, name);
}

static void put_switch(uint32_t *words, uint32_t out, uint32_t left)
{
    record_put_switch_pid(words, 1);
    record_put_switch_out_pid(words, 1);
    record_put_switch_out_thread(words, out);
    record_put_switch_out_state(words, THREAD_STATE_BLOCKED);
    record_put_switch_left(words, left);
}

void mkexp_switch(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t out,
                  uint32_t in)
{
    uint32_t words[SWITCH_LEAST];

    put_switch(words, out, 0);
    record(m, REC_SWITCH, cpu, in, at, words, SWITCH_LEAST);
}

void mkexp_ends(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t out,
                uint32_t in)
{
    uint32_t words[SWITCH_LEAST];

    put_switch(words, out, 0);
    record_put_switch_out_state(words, THREAD_STATE_DEAD);
    record(m, REC_SWITCH, cpu, in, at, words, SWITCH_LEAST);
}

/* Copy a stack, which 0 ends; how many there are. */
static unsigned put_stack(uint32_t *tail, const uint32_t *pcs)
{
    unsigned n = 0;

    for (; pcs[n]; n++)
        tail[n] = pcs[n];
    return n;
}

void mkexp_switch_from(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t out,
                       uint32_t in, uint32_t left, const uint32_t *pcs)
{
    uint32_t words[REC_MAX_WORDS];
    unsigned depth = put_stack(record_tail_switch_stack(words), pcs);

    put_switch(words, out, left);
    record_put_switch_depth(words, depth);
    record(m, REC_SWITCH, cpu, in, at, words, record_size_switch_stack(depth));
}

void mkexp_idle(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t kind,
                uint32_t thread, const uint32_t *pcs)
{
    uint32_t words[REC_MAX_WORDS];
    unsigned depth = put_stack(record_tail_idle_stack(words), pcs);

    record_put_idle_transition(words, kind);
    record_put_idle_by(words, IDLE_BY_IRQ);
    record_put_idle_pid(words, 1);
    record_put_idle_number(words, 1);
    record_put_idle_depth(words, depth);
    record(m, REC_IDLE, cpu, thread, at, words, record_size_idle_stack(depth));
}

void mkexp_stat(struct mkexp *m, unsigned cpu, uint32_t which, uint64_t n)
{
    uint32_t words[STAT_WORDS];

    record_put_stat_counter(words, which);
    record_put_stat_value(words, n);
    record(m, REC_STAT, cpu, 0, MKEXP_END, words, STAT_WORDS);
}

void mkexp_oracle(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t pc,
                  unsigned reason, uint64_t twelfths)
{
    mkexp_spent(m, cpu, at, 0, pc, reason, twelfths);
}

void mkexp_spent(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                 uint32_t pc, unsigned reason, uint64_t twelfths)
{
    uint32_t words[ORACLE_WORDS];

    record_put_oracle_pc(words, pc);
    record_put_oracle_reason(words, reason);
    record_put_oracle_twelfths(words, twelfths);
    record(m, REC_ORACLE, cpu, thread, at, words, ORACLE_WORDS);
}

void mkexp_irq(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
               uint32_t vector, uint32_t pc, uint64_t wait)
{
    uint32_t words[IRQ_WORDS];

    record_put_irq_vector(words, vector);
    record_put_irq_srr0(words, pc);
    record_put_irq_signalled(words, at - wait);
    record(m, REC_IRQ, cpu, thread, at, words, IRQ_WORDS);
}

static void sample(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                   uint32_t number, uint32_t events, uint32_t flags,
                   uint32_t address, const uint32_t *pcs)
{
    uint32_t words[REC_MAX_WORDS];
    unsigned depth = put_stack(record_tail_profile_stack(words), pcs);

    record_put_profile_counter(words, number);
    record_put_profile_events(words, events);
    record_put_profile_pc(words, pcs[0]);
    record_put_profile_interrupted(words, pcs[0]);
    record_put_profile_address(words, address);
    record_put_profile_flags(words, flags);
    record_put_profile_depth(words, depth);
    record_put_profile_physical(words, MKEXP_PHYSICAL + address);
    record(m, REC_PROFILE, cpu, thread, at, words,
           record_size_profile_stack(depth) + !!(flags & PROFILE_DATA));
}

void mkexp_profile(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                   uint32_t number, uint32_t events, uint32_t flags,
                   const uint32_t *pcs)
{
    sample(m, cpu, at, thread, number, events, flags, 0, pcs);
}

void mkexp_access(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                  uint32_t number, uint32_t events, uint32_t address,
                  const uint32_t *pcs)
{
    sample(m, cpu, at, thread, number, events, PROFILE_DATA, address, pcs);
}

void mkexp_probe(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                 uint32_t what, uint32_t function, uint32_t overhead)
{
    mkexp_judged(m, cpu, at, thread, what, function, overhead, PROBE_UNKNOWN);
}

void mkexp_judged(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                  uint32_t what, uint32_t function, uint32_t overhead,
                  uint64_t ran)
{
    uint32_t words[PROBE_WORDS];

    record_put_probe_event(words, what);
    record_put_probe_portion(words, function);
    record_put_probe_overhead(words, overhead);
    record_put_probe_sp(words, 0);
    record_put_probe_ran(words, ran);
    record(m, REC_PROBE, cpu, thread, at, words, PROBE_WORDS);
}

void mkexp_mark(struct mkexp *m, unsigned cpu, uint32_t address, uint32_t n)
{
    uint32_t words[MARK_WORDS] = {0};

    record_put_mark_address(words, address);
    record_put_mark_count(words, n);
    record(m, REC_MARK, cpu, 0, MKEXP_END, words, MARK_WORDS);
}

void mkexp_trap(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                uint32_t pc, const uint32_t *pcs)
{
    uint32_t words[REC_MAX_WORDS];
    unsigned depth = put_stack(record_tail_trap_stack(words), pcs);

    record_put_trap_cause(words, PIFX_INSN);
    record_put_trap_pc(words, pc);
    record_put_trap_address(words, 0x1234);
    record_put_trap_count(words, 7);
    record_put_trap_depth(words, depth);
    record(m, REC_TRAP, cpu, thread, at, words, record_size_trap_stack(depth));
}

void mkexp_traced(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                  uint32_t pc, uint32_t insns)
{
    uint32_t words[TRACED_WORDS];

    record_put_traced_unit(words, 1);
    record_put_traced_pc(words, pc);
    record_put_traced_insns(words, insns);
    record(m, REC_TRACED, cpu, thread, at, words, TRACED_WORDS);
}

void mkexp_followed(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                    uint32_t pc, uint32_t next)
{
    uint32_t words[SAMPLED_WORDS + 1] = {0};

    record_put_sampled_flags(words, SAMPLED_COMPLETED);
    record_put_sampled_pc(words, pc);
    record_put_sampled_dispatch(words, 4);
    record_put_sampled_issue(words, 1);
    record_put_sampled_finish(words, 2);
    record_put_sampled_end(words, 3);
    record_put_sampled_oldest(words, 1);
    record_put_sampled_passed(words, 9);
    record_put_sampled_depth(words, 1);
    *record_tail_sampled_stack(words) = next;
    record(m, REC_SAMPLED, cpu, thread, at, words,
           record_size_sampled_stack(1));
}

void mkexp_branches(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                    uint32_t pc, const uint32_t *pairs)
{
    uint32_t words[REC_MAX_WORDS];
    unsigned n = put_stack(record_tail_branches_pair(words), pairs) / 2;

    record_put_branches_pc(words, pc);
    record_put_branches_count(words, n);
    record(m, REC_BRANCHES, cpu, thread, at, words,
           record_size_branches_pair(n));
}

void mkexp_unsampled(struct mkexp *m, unsigned cpu, uint64_t at,
                     uint32_t thread, uint32_t reason)
{
    uint32_t words[UNSAMPLED_WORDS];

    record_put_unsampled_reason(words, reason);
    record_put_unsampled_pid(words, reason != UNSAMPLED_NONE);
    record(m, REC_UNSAMPLED, cpu, thread, at, words, UNSAMPLED_WORDS);
}

void mkexp_tick(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                uint32_t pc)
{
    uint32_t words[TICK_WORDS];

    record_put_tick_pid(words, 1);
    record_put_tick_pc(words, pc);
    record_put_tick_mode(words, TICK_USER);
    record(m, REC_TICK, cpu, thread, at, words, TICK_WORDS);
}

void mkexp_pipe(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                uint32_t pc, uint64_t number)
{
    uint32_t words[PIPE_WORDS + 3];

    record_put_pipe_flags(words, PIPE_USER);
    record_put_pipe_pc(words, pc);
    record_put_pipe_word(words, 0x60000000);
    record_put_pipe_number(words, number);
    record_put_pipe_unit(words, 0x4C53550000000000u);
    record_put_pipe_fetch(words, at < 9 ? 0 : at - 9);
    record_put_pipe_dispatch(words, at < 9 ? (uint32_t)at : 4);
    record_put_pipe_issue(words, at < 9 ? 0 : 2);
    record_put_pipe_finish(words, at < 9 ? 0 : 2);
    record_put_pipe_end(words, at < 9 ? 0 : 1);
    record_put_pipe_waits(words, 1);
    record_tail_pipe_wait(words)[0] = 1;
    record_tail_pipe_wait(words)[1] = 0;
    record_tail_pipe_wait(words)[2] = at < 9 ? 0 : 3;
    record(m, REC_PIPE, cpu, thread, at, words, record_size_pipe_wait(1));
}

void mkexp_memline(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                   uint32_t address)
{
    uint32_t words[MEMLINE_WORDS];

    record_put_memline_address(words, address);
    record_put_memline_ea(words, address);
    record_put_memline_bytes(words, 32);
    record_put_memline_stretch(words, 0);
    record_put_memline_begin(words, 0);
    record_put_memline_set(words, 3);
    record_put_memline_way(words, 1);
    record_put_memline_state(words, MEMLINE_MODIFIED);
    record_put_memline_loads(words, 5);
    record_put_memline_stores(words, 4);
    record_put_memline_taken(words, 2);
    record_put_memline_apart(words, 2);
    record_put_memline_cycles(words, 70);
    record_put_memline_read(words, 15u << (4 * cpu));
    record_put_memline_dirty(words, 15u << (4 * cpu));
    record(m, REC_MEMLINE, cpu, thread, at, words, MEMLINE_WORDS);
}

void mkexp_precapture(struct mkexp *m, unsigned cpu, uint64_t at,
                      uint32_t thread, uint32_t event)
{
    uint32_t words[PRECAPTURE_WORDS];

    record_put_precapture_event(words, event);
    record_put_precapture_pid(words, 1);
    record_put_precapture_round(words, event < PRECAPTURE_USED);
    record_put_precapture_depth(words, 3);
    record(m, REC_PRECAPTURE, cpu, thread, at, words, PRECAPTURE_WORDS);
}

void mkexp_disk(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                uint32_t type, uint32_t status, uint32_t bytes)
{
    uint32_t words[DISK_WORDS];

    record_put_disk_type(words, type);
    record_put_disk_status(words, status);
    record_put_disk_sector(words, 77);
    record_put_disk_bytes(words, bytes);
    record_put_disk_asked(words, at - 900);
    record_put_disk_begin(words, at - 700);
    record_put_disk_served(words, 0);
    record(m, REC_DISK, cpu, thread, at, words, DISK_WORDS);
}

void mkexp_state(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                 uint32_t state, uint32_t owner, uint32_t stack)
{
    mkexp_waits(m, cpu, at, thread, state,
                state == STATE_LOCK ? OBJECT_KERNEL : 0, 0x5000, owner, stack);
}

void mkexp_waits(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                 uint32_t state, uint32_t kind, uint32_t object, uint32_t owner,
                 uint32_t stack)
{
    uint32_t words[STATE_WORDS];

    record_put_state_state(words, state);
    record_put_state_kind(words, kind);
    record_put_state_object(words, object);
    record_put_state_owner(words, owner);
    record_put_state_pc(words, stack ? MKEXP_PC(txn, 8) : 0);
    record_put_state_stack(words, stack);
    record(m, REC_STATE, cpu, thread, at, words,
           stack ? STATE_WORDS : STATE_LEAST);
}

void mkexp_wake(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                uint32_t waker, uint32_t stack)
{
    uint32_t words[WAKE_WORDS];

    record_put_wake_by(words, waker ? WAKE_BY_THREAD : WAKE_BY_TIMER);
    record_put_wake_waker(words, waker);
    record_put_wake_vector(words, waker ? 0 : 0x900);
    record_put_wake_cpu(words, cpu);
    record_put_wake_pc(words, MKEXP_PC(txn, 12));
    record_put_wake_stack(words, stack);
    record(m, REC_WAKE, cpu, thread, at, words,
           stack ? WAKE_WORDS : WAKE_LEAST);
}

void mkexp_process(struct mkexp *m, uint64_t at, uint32_t pid)
{
    uint32_t words[PROGRAM_WORDS + 1];

    record_put_program_pid(words, pid);
    record_put_program_at(words, 0x100000);
    record_put_program_size(words, 4096);
    *record_tail_program_name(words) = 0x6D696E65; /* "mine" */
    record(m, REC_PROGRAM, 0, 10, at, words, record_size_program_name(1));
}

void mkexp_owns(struct mkexp *m, uint64_t at, uint32_t pid, uint32_t space)
{
    uint32_t words[PROGRAM_SPACE_WORDS];

    record_put_program_space_pid(words, pid);
    record_put_program_space_at(words, 0);
    record_put_program_space_space(words, space);
    record(m, REC_PROGRAM, 0, pid, at, words, PROGRAM_SPACE_WORDS);
}

void mkexp_space(struct mkexp *m, uint32_t space, uint32_t address,
                 enum mkexp_function function)
{
    struct experiment_segment s = {
        0,     address,       0x100, 0x100 + 0x100 * (uint32_t)function,
        "r-x", MKEXP_ARCHIVE, space};

    experiment_segment(&m->e, &s);
}

void mkexp_frame(struct mkexp *m, uint32_t number, uint32_t caller, uint32_t pc)
{
    uint32_t words[FRAME_WORDS];

    record_put_frame_number(words, number);
    record_put_frame_caller(words, caller);
    record_put_frame_pc(words, pc);
    record(m, REC_FRAME, 0, 0, 0, words, FRAME_WORDS);
}

void mkexp_lock(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                uint32_t event, uint32_t object, uint32_t since)
{
    uint32_t words[LOCK_WORDS];

    record_put_lock_event(words, event);
    record_put_lock_kind(words, OBJECT_USER);
    record_put_lock_object(words, object);
    record_put_lock_since(words, since);
    record_put_lock_caller(words, 0);
    record(m, REC_LOCK, cpu, thread, at, words, LOCK_WORDS);
}

void mkexp_poll(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                uint32_t writer, uint32_t since, uint32_t ended,
                uint32_t written, bool tried)
{
    uint32_t words[POLL_WORDS];

    record_put_poll_writer(words, writer);
    record_put_poll_object(words, MKEXP_WORD);
    record_put_poll_since(words, since);
    record_put_poll_ended(words, ended);
    record_put_poll_written(words, written);
    record_put_poll_sleeps(words, 2);
    record_put_poll_tried(words, tried);
    record_put_poll_called(words, 0);
    record_put_poll_first(words, 0);
    record_put_poll_yielded(words, 0);
    record_put_poll_worked(words, 0);
    record(m, REC_POLL, cpu, thread, at, words, POLL_WORDS);
}

void mkexp_say(struct mkexp *m, const char *format, ...)
{
    char line[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    experiment_say(&m->e, "%s", line);
}

void mkexp_close(struct mkexp *m, int ended)
{
    experiment_flush(&m->e, MKEXP_END);
    if (ended) {
        experiment_text(&m->e, "insns 0 70000\ninsns 1 20000\n");
        experiment_end(&m->e, MKEXP_END);
        experiment_text(&m->e, "exit 0 power-off\n");
    }
    experiment_close(&m->e);
    check(m);
    free(m);
}

/* ---- the standard experiment --------------------------------------------- */

static void standard_switches(struct mkexp *m)
{
    static const struct {
        uint32_t at, out, in;
    } change[2][9] = {
        {{0, 1, 10},
         {20000, 10, 1},
         {30000, 1, 3},
         {30100, 3, 1},
         {40000, 1, 3},
         {40200, 3, 10},
         {70000, 10, 1},
         {80000, 1, 10},
         {0, 0, 0}},
        {{0, 2, 11},
         {10000, 11, 2},
         {20000, 2, 4},
         {20200, 4, 2},
         {50000, 2, 12},
         {60000, 12, 2},
         {90000, 2, 4},
         {90100, 4, 2},
         {0, 0, 0}},
    };

    for (unsigned cpu = 0; cpu < 2; cpu++)
        for (unsigned i = 0; change[cpu][i].in; i++)
            mkexp_switch(m, cpu, change[cpu][i].at, change[cpu][i].out,
                         change[cpu][i].in);
}

static void standard_samples(struct mkexp *m)
{
    static const uint32_t lock[] = {
        MKEXP_PC(sched, 0x20),       MKEXP_PC(mutex_lock, 0x44),
        MKEXP_PC(txn, 0x60),         MKEXP_PC(worker, 0x10),
        MKEXP_PC(thread_start, 0x8), 0};
    static const uint32_t sleep[] = {
        MKEXP_PC(sched, 0x20), MKEXP_PC(timer_sleep, 0x30),
        MKEXP_PC(producer, 0x90), MKEXP_PC(thread_start, 0x8), 0};

    mkexp_idle(m, 0, 30050, IDLE_KIND_TO, 10, lock);
    mkexp_idle(m, 0, 40100, IDLE_KIND_FROM, 10, lock);
    mkexp_idle(m, 1, 20100, IDLE_KIND_TO, 11, lock);
    mkexp_idle(m, 1, 90050, IDLE_KIND_TO, 12, sleep);
    mkexp_stat(m, 0, STAT_INTERRUPTS, 5);
    mkexp_stat(m, 0, STAT_TO_IDLE, 1);
    mkexp_stat(m, 0, STAT_FROM_IDLE, 1);
    mkexp_stat(m, 1, STAT_INTERRUPTS, 5);
    mkexp_stat(m, 1, STAT_TO_IDLE, 2);
    mkexp_stat(m, 1, STAT_FROM_IDLE, 0);
}

/* Twelfths that no function's are whole cycles of, yet every CPU's are. */
static void standard_oracle(struct mkexp *m)
{
    const uint64_t all = MKEXP_END * (uint64_t)ORACLE_UNIT;

    mkexp_oracle(m, 0, MKEXP_END, MKEXP_PC(txn, 0x10), REASON_complete, 600007);
    mkexp_oracle(m, 0, MKEXP_END, MKEXP_PC(txn, 0x14), REASON_dmiss, 100000);
    mkexp_oracle(m, 0, MKEXP_END, MKEXP_PC(mutex_lock, 0), REASON_complete, 5);
    mkexp_oracle(m, 0, MKEXP_END, MKEXP_PC(idle_loop, 0x40), REASON_nap,
                 all - 700012);
    mkexp_oracle(m, 1, MKEXP_END, 0, REASON_off, 1200);
    mkexp_oracle(m, 1, MKEXP_END, MKEXP_PC(producer, 0x10), REASON_complete,
                 240001);
    mkexp_oracle(m, 1, MKEXP_END, 0xdead0000, REASON_imiss, 35);
    mkexp_oracle(m, 1, MKEXP_END, MKEXP_PC(idle_loop, 0x40), REASON_nap,
                 all - 1200 - 240001 - 35);
}

/* Four that found W and P at work, two that woke idle CPUs. */
static void standard_interrupts(struct mkexp *m)
{
    mkexp_irq(m, 0, 5000, 10, 0x900, MKEXP_PC(txn, 0x10), 0);
    mkexp_irq(m, 0, 15000, 10, 0x900, MKEXP_PC(txn, 0x14), 30);
    mkexp_irq(m, 0, 45000, 10, 0xF00, MKEXP_PC(txn, 0x10), 0);
    mkexp_irq(m, 0, 75000, 1, 0x500, MKEXP_PC(idle_loop, 0x44), 0);
    mkexp_irq(m, 1, 30000, 2, 0x900, MKEXP_PC(idle_loop, 0x44), 0);
    mkexp_irq(m, 1, 55000, 12, 0x900, MKEXP_PC(producer, 0x20), 0);
}

static struct mkexp *standard(const char *path)
{
    struct mkexp *m = mkexp_new(path);
    char elf[512];

    snprintf(elf, sizeof elf, "%s/program", path);
    mkexp_program(m, elf);
    mkexp_thread(m, 1, THREAD_IS_IDLE, "idle 0");
    mkexp_thread(m, 2, THREAD_IS_IDLE, "idle 1");
    mkexp_thread(m, 3, THREAD_IS_SAMPLER, "sampler 0");
    mkexp_thread(m, 4, THREAD_IS_SAMPLER, "sampler 1");
    mkexp_thread(m, 10, THREAD_IS_APP, "worker 0");
    mkexp_thread(m, 11, THREAD_IS_APP, "worker 1");
    mkexp_thread(m, 12, THREAD_IS_APP, "producer");
    standard_switches(m);
    standard_samples(m);
    standard_oracle(m);
    standard_interrupts(m);
    return m;
}

void mkexp_standard(const char *path)
{
    mkexp_close(standard(path), 1);
}

/* Samples, "leaf < caller < ...":
 *   cycles       1000  CPU 0  txn < worker < thread_start, three times
 *                1010  CPU 0  mutex_lock < txn < worker < thread_start
 *                1000  CPU 1  producer < thread_start
 *                1000  CPU 1  producer, its stack not to be walked further
 *                1000  CPU 0  txn < txn < txn < worker < thread_start
 *   dcache_miss   100  CPU 0  txn < worker < thread_start, twice, the second
 *                             called from another place
 *                 100  CPU 1  0xdead0000 < producer < thread_start
 * Return addresses are one instruction behind the call. */
static struct mkexp *sampled(const char *path)
{
    static const uint32_t txn[] = {MKEXP_PC(txn, 0x10), MKEXP_PC(worker, 0x14),
                                   MKEXP_PC(thread_start, 0x8), 0};
    static const uint32_t lock[] = {MKEXP_PC(mutex_lock, 0),
                                    MKEXP_PC(txn, 0x64), MKEXP_PC(worker, 0x14),
                                    MKEXP_PC(thread_start, 0x8), 0};
    static const uint32_t make[] = {MKEXP_PC(producer, 0x10),
                                    MKEXP_PC(thread_start, 0x8), 0};
    static const uint32_t cut[] = {MKEXP_PC(producer, 0x10), 0};
    static const uint32_t again[] = {
        MKEXP_PC(txn, 0x10),         MKEXP_PC(txn, 0x44),
        MKEXP_PC(txn, 0x44),         MKEXP_PC(worker, 0x14),
        MKEXP_PC(thread_start, 0x8), 0};
    static const uint32_t other[] = {MKEXP_PC(txn, 0x14),
                                     MKEXP_PC(worker, 0x24),
                                     MKEXP_PC(thread_start, 0x8), 0};
    static const uint32_t lost[] = {0xdead0000, MKEXP_PC(producer, 0x18),
                                    MKEXP_PC(thread_start, 0x8), 0};
    struct mkexp *m = standard(path);

    mkexp_say(m, "profile 0 cycles 1000");
    mkexp_say(m, "profile 1 dcache_miss 100");
    for (unsigned i = 1; i <= 3; i++)
        mkexp_profile(m, 0, 1000 * i, 10, 0, 1000, 0, txn);
    mkexp_profile(m, 0, 4010, 10, 0, 1010, 0, lock);
    mkexp_profile(m, 1, 51000, 12, 0, 1000, 0, make);
    mkexp_profile(m, 1, 52000, 12, 0, 1000, PROFILE_TRUNCATED, cut);
    mkexp_profile(m, 0, 81000, 10, 0, 1000, PROFILE_USER, again);
    mkexp_profile(m, 0, 1500, 10, 1, 100, 0, txn);
    mkexp_profile(m, 0, 2500, 10, 1, 100, 0, other);
    mkexp_profile(m, 1, 53000, 12, 1, 100, 0, lost);
    return m;
}

void mkexp_sampled(const char *path)
{
    mkexp_close(sampled(path), 1);
}

/* A few records of the kinds that the standard experiment has not. */
static void rest(struct mkexp *m)
{
    static const uint32_t pcs[] = {MKEXP_PC(txn, 0x14), MKEXP_PC(worker, 0x14),
                                   0};
    static const uint32_t branches[] = {MKEXP_PC(txn, 4), MKEXP_PC(worker, 0),
                                        MKEXP_PC(worker, 0x14),
                                        MKEXP_PC(txn, 0), 0};

    mkexp_say(m, "sampled 100");
    for (unsigned i = 0; i < 6; i++) {
        unsigned cpu = i / 2 % 2;

        mkexp_judged(m, cpu, 9000 * i, 10 + cpu,
                     i % 2 ? PROBE_LEAVE : PROBE_ENTER, MKEXP_PC(txn, 0), 5,
                     1000 * i);
        mkexp_mark(m, cpu, MKEXP_PC(txn, 4 * i), i);
        mkexp_trap(m, cpu, 9000 * i, 10, MKEXP_PC(txn, 0x10), pcs);
        mkexp_traced(m, cpu, 9000 * i, 10, MKEXP_PC(txn, 0), 12);
        mkexp_followed(m, cpu, 9000 * i, 10, MKEXP_PC(txn, 0x10), pcs[0]);
        mkexp_branches(m, cpu, 9000 * i, 10, MKEXP_PC(txn, 8), branches);
        mkexp_unsampled(m, cpu, 9000 * i, 10, UNSAMPLED_ENDED);
        mkexp_precapture(m, cpu, 9000 * i, 10, PRECAPTURE_TAKEN + i);
        mkexp_tick(m, cpu, 9000 * i, 10, MKEXP_PC(txn, 4 * i));
        mkexp_pipe(m, cpu, 9000 * i, 10, MKEXP_PC(txn, 4 * i), i + 1);
        mkexp_memline(m, cpu, 9000 * i, 10, 0x40 * i);
        mkexp_disk(m, cpu, 9000 * i, 10, DISK_REQUEST_READ, DISK_STATUS_DONE,
                   4096 * i);
        mkexp_process(m, 9000 * i, 1000 + i);
        mkexp_frame(m, i + 1, i, MKEXP_PC(txn, 4 * i + 4));
        mkexp_state(m, cpu, 9000 * i, 10 + cpu, STATE_LOCK, 10, i);
        mkexp_wake(m, cpu, 9000 * i + 100, 10 + cpu, 10, i);
        mkexp_state(m, cpu, 9000 * i + 100, 10 + cpu, STATE_RUNNABLE, 0, 0);
    }
}

void mkexp_full(const char *path)
{
    struct mkexp *m = sampled(path);

    rest(m);
    mkexp_close(m, 1);
}
