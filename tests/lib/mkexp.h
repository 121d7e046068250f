/* mkexp.h - experiments made for tests, by the real writer and with contents
 * that one can add up by hand. */
#ifndef TESTS_LIB_MKEXP_H
#define TESTS_LIB_MKEXP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

/* The program of the standard experiment: functions of 0x100 bytes each, in
 * this order from address MKEXP_TEXT on. */
#define MKEXP_TEXT 0x10000u
#define MKEXP_ARCHIVE "guest.elf.0102030405060708090a0b0c0d0e0f1011121314"
enum mkexp_function {
    FN_thread_start,
    FN_worker,
    FN_txn,
    FN_mutex_lock,
    FN_sched,
    FN_producer,
    FN_timer_sleep,
    FN_idle_loop,
    FN_COUNT
};

/* An address inside a function. */
#define MKEXP_PC(function, offset)                                             \
    (MKEXP_TEXT + 0x100u * (unsigned)FN_##function + (offset))

/* Threads of the standard experiment: idle threads 1 and 2 (of CPUs 0 and
 * 1), samplers 3 and 4, workers 10 and 11, producer 12. */
#define MKEXP_END 100000u
/* What physical addresses are more than effective ones. */
#define MKEXP_PHYSICAL 0x10020u

struct mkexp;

/* The directory and the first lines of a log for two CPUs at 200 MHz. path
 * must not exist. Ends the program when it cannot. */
struct mkexp *mkexp_new(const char *path);

/* Copy an ELF file with those functions into it, and map it. */
void mkexp_program(struct mkexp *m, const char *path);

void mkexp_thread(struct mkexp *m, uint32_t thread, uint32_t is,
                  const char *name);
void mkexp_switch(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t out,
                  uint32_t in);
/* The same, and `out` has ended. */
void mkexp_ends(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t out,
                uint32_t in);
/* The same, and the stack of `out`, as pcs of mkexp_idle; the program counter
 * `left` is where the switch was recorded. */
void mkexp_switch_from(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t out,
                       uint32_t in, uint32_t left, const uint32_t *pcs);
/* pcs leaf first, ended by 0. kind IDLE_KIND_. */
void mkexp_idle(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t kind,
                uint32_t thread, const uint32_t *pcs);
void mkexp_stat(struct mkexp *m, unsigned cpu, uint32_t which, uint64_t n);
void mkexp_oracle(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t pc,
                  unsigned reason, uint64_t twelfths);
/* The same, of a thread. */
void mkexp_spent(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                 uint32_t pc, unsigned reason, uint64_t twelfths);
/* vector taken at cycle `at` before pc; it was signalled `wait` earlier. */
void mkexp_irq(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
               uint32_t vector, uint32_t pc, uint64_t wait);
/* A sample of counter `number`: events since the last one, PROFILE_ flags, the
 * stack as pcs, leaf first, ended by 0. The signal's pc is the leaf. */
void mkexp_profile(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                   uint32_t number, uint32_t events, uint32_t flags,
                   const uint32_t *pcs);
/* The same, of an access to a data address. */
void mkexp_access(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                  uint32_t number, uint32_t events, uint32_t address,
                  const uint32_t *pcs);
/* A function was entered (PROBE_ENTER) or left, at a cost in cycles. */
void mkexp_probe(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                 uint32_t what, uint32_t function, uint32_t overhead);
/* The same, and how long the thread had run by then. */
void mkexp_judged(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                  uint32_t what, uint32_t function, uint32_t overhead,
                  uint64_t ran);
/* An instruction mark of the host at pc interrupted, when it had counted 7; the
 * stack as pcs of mkexp_idle. */
void mkexp_trap(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                uint32_t pc, const uint32_t *pcs);
/* The host's unit traced so many instructions from pc on. */
void mkexp_traced(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                  uint32_t pc, uint32_t insns);
/* An instruction that was followed and completed, without an access; the stack
 * is `next` alone. */
void mkexp_followed(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                    uint32_t pc, uint32_t next);
/* The branch record, read at pc: from and to of each, ended by 0. */
void mkexp_branches(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                    uint32_t pc, const uint32_t *pairs);
/* A sample interrupt without a sample: UNSAMPLED_. */
void mkexp_unsampled(struct mkexp *m, unsigned cpu, uint64_t at,
                     uint32_t thread, uint32_t reason);
/* A trace hook, in user mode. */
void mkexp_tick(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                uint32_t pc);
/* A stack beforehand: PRECAPTURE_. */
void mkexp_precapture(struct mkexp *m, unsigned cpu, uint64_t at,
                      uint32_t thread, uint32_t event);
/* An instruction in the pipeline, fetched 9 cycles before, with a wait of 3
 * from its fetch on. */
void mkexp_pipe(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                uint32_t pc, uint64_t number);
/* A line of 32 bytes in a stretch from 0 to `at`, stored to by the CPU in the
 * word of its number. */
void mkexp_memline(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                   uint32_t address);
/* A thread goes into a state (STATE_...), with the number of a stack or 0; for
 * a lock: that at 0x5000. It is woken, by a thread or, 0, by the timer. A
 * process has a program. A place of stacks, in the order of numbers. */
void mkexp_state(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                 uint32_t state, uint32_t owner, uint32_t stack);
/* The same, of an OBJECT_... . */
void mkexp_waits(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                 uint32_t state, uint32_t kind, uint32_t object, uint32_t owner,
                 uint32_t stack);
void mkexp_wake(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                uint32_t waker, uint32_t stack);
void mkexp_process(struct mkexp *m, uint64_t at, uint32_t pid);
/* A thread of process pid; the same, from a cycle on; that process has a space
 * of addresses from a cycle on; 256 bytes from an address are those of a
 * function there. */
void mkexp_task(struct mkexp *m, uint32_t thread, uint32_t pid,
                const char *name);
void mkexp_renamed(struct mkexp *m, uint64_t at, uint32_t thread, uint32_t pid,
                   const char *name);
void mkexp_owns(struct mkexp *m, uint64_t at, uint32_t pid, uint32_t space);
void mkexp_space(struct mkexp *m, uint32_t space, uint32_t address,
                 enum mkexp_function function);
void mkexp_frame(struct mkexp *m, uint32_t number, uint32_t caller,
                 uint32_t pc);
/* A lock of a program's, by a function that was entered so many cycles before.
 */
void mkexp_lock(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                uint32_t event, uint32_t object, uint32_t since);
/* Sleeps until `writer` has written a word, MKEXP_WORD: the first was asked for
 * so many cycles before, and so on; `tried`: it was a lock that it then took.
 */
void mkexp_poll(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                uint32_t writer, uint32_t since, uint32_t ended,
                uint32_t written, bool tried);
#define MKEXP_WORD 0x6000
/* A request to the disk: asked 900 cycles before, begun 700 before. */
void mkexp_disk(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                uint32_t type, uint32_t status, uint32_t bytes);
/* What a mark at an address counted. */
void mkexp_mark(struct mkexp *m, unsigned cpu, uint32_t address, uint32_t n);
void mkexp_say(struct mkexp *m, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The log's last lines if ended, and the files closed. */
void mkexp_close(struct mkexp *m, int ended);

/* All of the above: the standard experiment at `path`, which a comment in
 * mkexp.c draws. */
void mkexp_standard(const char *path);

/* The standard experiment with samples of two counters, cycles (number 0, one
 * in 1000) and dcache_miss (number 1, one in 100), drawn in mkexp.c too. */
void mkexp_sampled(const char *path);

/* The same with records of every kind. */
void mkexp_full(const char *path);

#endif
