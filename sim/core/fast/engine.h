/* engine.h - how the fast model gets its instructions done.
 *
 * The model (fast.c) decides how many instructions may run before anything else
 * must be looked at; an engine runs them. Whatever it keeps of the program's
 * code it keeps by physical address, and forgets when it is told to. An engine
 * changes no result: registers, memory, cycles, counters and account are those
 * of the interpreter, which is the first engine and the judge of the others.
 *
 * What an engine may call is in runs.h. docs/architecture.md, "Another engine".
 */
#ifndef SIM_CORE_FAST_ENGINE_H
#define SIM_CORE_FAST_ENGINE_H

#include "sim/core/core.h"

struct engine {
    /* In messages. */
    const char *name;

    /* Power-on of c, and its end. False: the host has no memory. NULL: it
     * keeps nothing. c->engine_state is the engine's own. */
    bool (*init)(struct core *c);
    void (*free)(struct core *c);

    /* Run up to `budget` instructions, at least one, from cpu.pc on, which has
     * just been translated: its page is `page_pa` and up, the records of that
     * page begin at `page`. Ends before the budget where the flow leaves the
     * page, in front of c->stop_pc, where c->yield was set, and behind an
     * instruction of runs_end (runs.h). Leaves cpu.pc at the next
     * instruction, and c->insns, c->clock, cpu.step and the runs as if each
     * instruction had been run by itself. Returns the exception that ended it,
     * which belongs to the instruction at cpu.pc. */
    enum exc (*run)(struct core *c, struct insn *page, pa_t page_pa,
                    uint64_t budget);

    /* The same, of a core whose model keeps caches, TLBs and predictors
     * (warm.c): they are asked what the interpreter would ask them, in the same
     * order. NULL: warm.c runs its instructions. */
    enum exc (*run_warm)(struct core *c, struct insn *page, pa_t page_pa,
                         uint64_t budget);

    /* The decoded records of bytes pa to pa + size - 1 are gone: code changed,
     * or may have. Comes from the decode cache, in the middle of `run` too,
     * whichever processor, system call or debugger stored there. NULL: the
     * engine keeps nothing but records. */
    void (*invalidate)(struct core *c, pa_t pa, unsigned size);

    /* Give the oracle the runs that the engine has counted itself, with
     * run_expand (runs.h). NULL: it counts none. */
    void (*hand)(struct core *c);
};

/* Decoded records, one by one; and blocks of host code, where the host is one
 * that they are made for, elsewhere the same as the interpreter. */
extern const struct engine engine_interpreter, engine_blocks;
/* The same, with a block made at once wherever the flow comes; for tests. */
extern const struct engine engine_blocks_eager;

#endif
