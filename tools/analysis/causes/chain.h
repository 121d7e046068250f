/* chain.h - why a thread does not run at a cycle: the threads that it waits
 * for, one behind the other, and the root, where no thread is waited for any
 * more.
 *
 * The chain is followed as it is at that cycle. A thread that waits for a lock
 * waits for who has it then, and so does one that runs and spins for it; one
 * that waits for anything else, for the thread
 * that in fact woke it; one that is runnable, for those who are on the CPUs
 * that it may use, in equal shares.
 */
#ifndef TOOLS_ANALYSIS_CAUSES_CHAIN_H
#define TOOLS_ANALYSIS_CAUSES_CHAIN_H

#include "tools/analysis/causes/owners.h"
#include "tools/analysis/causes/scene/scene.h"

#define CHAIN_HOPS 64
#define CHAIN_CPUS 32

/* What stands at the end of a chain. CPU, and those of ends.h, are never what
 * chain_find says, but who adds up its chains. */
enum chain_root {
#define ROOT(name, key, text, does, noun, apart) ROOT_##name,
#include "tools/analysis/causes/roots.def"
#undef ROOT
    CHAIN_ROOTS
};

/* How things stand at one cycle: kept by who goes through the run. */
struct chain_now {
    const struct scene *scene;
    const struct owners *owners;
    uint64_t cycle;
    uint32_t *stay; /* by thread: the index of its stay; SCENE_NONE: not born,
                     * or ended */
    uint32_t running[CHAIN_CPUS]; /* by CPU: a thread, or SCENE_NONE */
    bool idle[CHAIN_CPUS];
};

/* A thread that does not run, and the stay it is in; SCENE_NONE: it is not born
 * yet, and its creator is next. With `spin` it runs, for a lock. */
struct chain_hop {
    uint32_t thread, stay;
    const struct scene_spin *spin;
};

struct chain {
    struct chain_hop hop[CHAIN_HOPS];
    unsigned hops;
    enum chain_root root;
    /* Who the root is about: one thread, or several that run, in equal shares;
     * of a deadlock the thread of a hop, for which the last hop waits. None:
     * no thread is known. */
    uint32_t thread[CHAIN_CPUS];
    unsigned threads;
    uint32_t stack; /* of the root, in scene.frames; 0: where the threads run */
    bool displaced; /* it ends with the holder of a lock, which is runnable and
                     * has no CPU */
};

/* The chain of a thread. */
void chain_find(struct chain *c, const struct chain_now *now, uint32_t thread);

/* For what does a thread that runs spin? NULL: it does not. */
const struct scene_spin *chain_spin(const struct chain_now *now,
                                    uint32_t thread);

/* Chains without a thread that waits: a CPU that is idle since everybody runs
 * who may, or though somebody is runnable who may not, or may. */
void chain_of_running(struct chain *c, const struct chain_now *now);
void chain_of_mask(struct chain *c, const struct chain_now *now,
                   uint32_t thread);
void chain_of_wakeup(struct chain *c, const struct chain_now *now,
                     uint32_t thread);

#endif
