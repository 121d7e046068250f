/* machine.h - the whole computer, by value: processors, memory, bus, board.
 *
 * The machine always runs the processor whose next dispatch is earliest (at
 * equal cycles the lower number) until it would pass another one by more
 * than the quantum, so that shared memory has one order. Every
 * MACHINE_BEAT cycles it looks up: console input is delivered, limits are
 * compared, observers are told. Beats fall on the same cycles with and without
 * observers.
 *
 * It records nothing and knows no recorder: those subscribe
 * (sim/observe/observer.h).
 */
#ifndef SIM_MACHINE_MACHINE_H
#define SIM_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/config/config.h"
#include "sim/config/what_if.h"
#include "sim/core/core.h"
#include "sim/core/scale.h"
#include "sim/dev/disk.h"
#include "sim/dev/entropy.h"
#include "sim/dev/info.h"
#include "sim/dev/metadata.h"
#include "sim/dev/pic.h"
#include "sim/dev/power.h"
#include "sim/dev/release.h"
#include "sim/dev/rtas.h"
#include "sim/dev/trace.h"
#include "sim/dev/uart.h"
#include "sim/machine/loader.h"
#include "sim/machine/modes.h"
#include "sim/mem/bus.h"
#include "sim/mem/iomap.h"
#include "sim/mem/decode_cache.h"
#include "sim/mem/ram.h"
#include "sim/observe/observer.h"
#include "sim/symbols/names.h"

#define MACHINE_CPUS 8
#define RAM_MIN (UINT32_C(1) << 20)

#define MACHINE_BEAT 16384 /* cycles; also the pace of console input */
#define MACHINE_PULSE 8    /* beats between looks at the host */

enum machine_end {
    MACHINE_RUNNING,
    MACHINE_POWER,     /* the guest powered off: status */
    MACHINE_EXIT,      /* the user program ended: status */
    MACHINE_RETURN,    /* an entry function returned: status */
    MACHINE_CHECKSTOP, /* core[culprit].why */
    MACHINE_ASLEEP,    /* nothing can ever wake any processor */
    MACHINE_CYCLES,    /* --max-cycles */
    MACHINE_INSNS,     /* --max-insns */
    MACHINE_STOPPED    /* the host asked for it */
};

/* END: no byte ever comes again, which the guest is told; SILENT: it is not. */
enum machine_input {
    INPUT_BYTE,
    INPUT_NONE,
    INPUT_END,
    INPUT_SILENT,
    INPUT_STOP
};

struct machine;

/* The world outside. `send` and `pulse` must not change the machine. Where
 * there is none: what is sent is lost, no byte ever comes, no signal stops it.
 */
struct machine_host {
    void *arg;
    /* The guest sent a byte to the console. */
    void (*send)(void *arg, uint8_t byte);
    /* The guest waits for a byte at cycle `at`; with `asleep`, nothing else
     * can happen before it comes. */
    enum machine_input (*receive)(void *arg, cycle_t at, bool asleep,
                                  uint8_t *byte);
    /* Every MACHINE_PULSE beats. True: stop the run. */
    bool (*pulse)(void *arg, const struct machine *m);
};

/* What is in the disk device, which is always there. */
struct machine_disk {
    uint64_t size; /* bytes; 0: nothing */
    bool read_only;
    uint64_t sum; /* of what was on it in the beginning */
    struct medium_source source;
};

struct machine_setup {
    struct params params;
    const struct timing *timing; /* when instructions happen; not NULL */
    const struct engine *engine; /* of the fast model; NULL: its first */
    enum memo_mode memo;
    uint32_t memo_mb; /* core.h */
    unsigned cpus;
    uint32_t ram; /* bytes */
    const char *args;
    cycle_t max_cycles; /* 0: none */
    uint64_t max_insns; /* 0: none; compared at beats */
    const struct image *image;
    const unsigned char *initrd; /* put at the end of memory; NULL: none */
    size_t initrd_size;
    const unsigned char *dtb; /* a Linux kernel's device tree; NULL: the board's
                               * own (sim/machine/linux.h) */
    size_t dtb_size;
    bool trace_port; /* the records that the guest writes are wanted; the
                      * guest can see that (board.h, TRACE_ENABLED) */
    struct machine_host host;
    /* A supervisor outside is the operating system: nothing is loaded or
     * started, that is up to him too. enter NULL: the image brings its own. */
    struct core_supervisor supervisor;
    const struct chip_table *chip; /* NULL: the 604e's */
    struct host_counter_spec host_counters[HOST_COUNTERS]; /* simrun -e */
    unsigned nhost_counters;
    struct metadata metadata;               /* what the guest can read */
    struct predicate define[PREDICATE_MAX]; /* simrun --event 'NAME = ...' */
    unsigned ndefine;
    /* simrun --detail; `timing` is then a model without a pipeline. */
    const char *detail[MODES_STRETCHES]; /* the caller's */
    unsigned ndetail;
    uint64_t detail_fill; /* instructions */
    struct machine_disk disk;
    struct what_if what_if; /* simrun --what-if; `cpus` has its share */
};

/* Where its RAM disk goes: page aligned; 0 without one. */
#define INITRD_PAGE 4096u
uint32_t machine_initrd(const struct machine_setup *s);

/* What a Linux kernel says of its own end. */
struct linux_watch {
    uint32_t word; /* physical address of panic_cpu; 0: not known */
    cycle_t since; /* it was seen to panic; 0: not yet */
};

struct machine {
    struct machine_setup with;
    struct ram ram;
    struct decode_cache decoded; /* of it */
    struct iomap iomap;
    struct bus bus;
    struct reservations reservations;
    struct widened widened; /* the guest's widened words */
    struct observers observers;
    struct core core[MACHINE_CPUS];
    struct uart uart;
    struct pic pic;
    struct power power;
    struct rtas rtas;
    struct release release;
    struct info info;
    struct metadata metadata;
    struct trace trace;
    struct disk disk;
    struct entropy entropy;
    struct linux_watch panic; /* of a Linux kernel */
    struct names names;       /* of the image, once they are read: */
    bool named;

    struct scale scale; /* of --what-if func: */
    struct modes modes;
    cycle_t quantum;            /* how far one CPU may run ahead */
    cycle_t next[MACHINE_CPUS]; /* core_next of each, kept current */
    cycle_t beat;               /* the next one */
    uint64_t turns;             /* begun so far; the same with every observer */
    bool
        stopped_by_probe; /* core[turn_cpu] stopped in the middle of its turn */
    unsigned turn_cpu;    /* ... which lasts */
    cycle_t turn_until;
    bool input_over;
    enum machine_end end;
    unsigned status;  /* POWER, RETURN */
    unsigned signal;  /* EXIT: that killed the program, or 0 */
    unsigned culprit; /* which CPU ended it */
    cycle_t cycles;   /* after the run: its length */
    bool exact;       /* after the run: every oracle sums to its cycles */
};

/* Power on with the image loaded. False: `why` has the line. The machine must
 * not move in memory afterwards. */
bool machine_init(struct machine *m, const struct machine_setup *s, char *why,
                  size_t size);
void machine_free(struct machine *m);

/* One turn of one processor, or one beat; for a caller that looks in
 * between. After a turn that an observer
 * ended (`stopped_by_probe`) the next one goes on
 * where it stopped, so that looking changes nothing. Not after the end. */
void machine_turn(struct machine *m);
/* The machine has ended: settle every account at the same cycle. */
void machine_finish(struct machine *m);
/* Both: run to an end. */
void machine_run(struct machine *m);

/* Does --what-if ask for something that instructions are looked at for? */
bool machine_scales(const struct machine_setup *s);
/* Before the first turn: where the functions of --what-if are, by the names of
 * the image, or of a program that a guest is to run (NULL: none). False: `why`
 * has the line. */
bool machine_scale(struct machine *m, const struct image *program, char *why,
                   size_t size);

/* Subscribe o, in front of those that are there, or drop it. It stays the
 * caller's, and must outlive the machine's run or be dropped before. */
void machine_observe(struct machine *m, struct observer *o, bool on);

/* The supervisor is about to take its thread from this processor, which then
 * naps: observers are told. */
void machine_rest(struct machine *m, unsigned cpu);

/* What a thread does from now on, who woke it, or what it is called: of a
 * supervisor that has threads. Numbers are those of include/record.def. */
#define THREAD_NAME 16
struct thread_note {
    cycle_t at;
    uint32_t thread, process;
    unsigned cpu;
    const char *name; /* NULL: it has no new one; THREAD_NAME bytes, 0 behind */
    bool wake;
    uint32_t state, kind, object, owner; /* else */
    uint32_t by, waker, to;              /* if it was woken; to: a CPU */
    /* The processor has the registers of who does it: of the thread, or of its
     * waker. */
    bool registers;
};

/* Observers are told. */
void machine_thread(struct machine *m, const struct thread_note *n);

/* What became of the thread that left n's processor when n was told of, as
 * THREAD_STATE_ of include/record.def. n is about a state; where it says that a
 * thread runs, the one that made room for it can run, too. */
uint32_t machine_thread_left(const struct thread_note *n);

/* Read the names of the image (m->names), once. False: the host has no memory
 * for them. */
bool machine_read_names(struct machine *m);

/* Let the host look. True: it wants the run to stop. */
bool machine_pulse(const struct machine *m);

/* Instructions completed by all processors so far. */
uint64_t machine_insns(const struct machine *m);

/* The present, seen from outside: the earliest dispatch to
 * come, or the last beat. */
cycle_t machine_now(const struct machine *m);

/* Processor cycles of a time-base tick. */
uint32_t machine_tb_cycles(const struct params *p);

/* The name of an event, defined or not. */
const char *machine_event(const struct machine_setup *s, enum event id);

/* What to print for a definition `text` that is wrong: a line or lines. */
void machine_misdefined(const char *text, const struct expr_error *e, char *why,
                        size_t size);

/* Save or load the whole machine: lib/base/snap.h. Between two turns of a
 * machine that has not ended. A load is into one of the same setup that has had
 * no turn yet; after a load that failed it can only be freed. Observers have
 * functions of their own (recorder_state), called behind this one; where the
 * console's input stands is console_state's. Refused: Linux programs. False:
 * s->why says why. */
struct snap;
bool machine_state(struct snap *s, struct machine *m);

#endif
