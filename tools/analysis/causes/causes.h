/* causes.h - whose the idle time is: every idle cycle of every CPU in one
 * class, charged to what stands at the end of its chain (chain.h).
 *
 * An idle CPU's time at a cycle is, in this order,
 * 1. the scheduler's, if a thread is runnable that may run there: the CPU that
 *    the thread comes to; while that one is busy, the first idle one that it
 * may use. One thread that is on its way keeps one CPU idle, not all;
 * 2. a thread's by the rule, if its chain ends with a lock's holder that is
 *    runnable and has no CPU;
 * 3. a mask's, if a thread is runnable that may not run there;
 * 4. a thread's by the rule. No thread comes any more: no more work, and the
 *    chain is that of the thread that is woken next.
 * Samplers, which interrupt an idle CPU to take stacks, are no threads here. A
 * Linux kernel's own threads are what rule 4 comes to only where no other
 * thread comes or is woken: an idle CPU does not wait for the kernel's
 * housekeeping.
 *
 * A CPU on which a thread spins (scene_spin) is not idle, but does nothing
 * either: its cycles are counted apart, and charged to what stands at the end
 * of that thread's chain.
 */
#ifndef TOOLS_ANALYSIS_CAUSES_CAUSES_H
#define TOOLS_ANALYSIS_CAUSES_CAUSES_H

#include "tools/analysis/causes/chain.h"
#include "tools/analysis/causes/naps.h"
#include "tools/analysis/causes/places.h"
#include "tools/analysis/profile/slices.h"

enum causes_class {
#define CLASS(name, key, text) CAUSES_##name,
#include "tools/analysis/causes/classes.def"
#undef CLASS
    CAUSES_CLASSES
};

/* Is it a class of a CPU that is not idle? */
static inline bool causes_class_spins(enum causes_class class)
{
    return class >= CAUSES_SPINS_LOCK;
}

/* Whose thread an idle CPU waits for. */
enum causes_rule {
    CAUSES_ARRIVER, /* that ends the idleness */
    CAUSES_LEAVER,  /* that ran there last */
    CAUSES_SHARE,   /* all that are blocked and may run there, evenly */
    CAUSES_RULES
};

struct causes_choice {
    enum causes_rule rule;
    long cpu;        /* -1: all */
    uint32_t thread; /* whose the idle time is; SCENE_NONE: anybody's */
    /* NULL, or: does idle time count that is charged to a thread (SCENE_NONE:
     * none) with this chain? */
    bool (*counts)(void *arg, uint32_t thread, const struct chain *chain);
    void *counts_arg;
    bool shapes; /* alone: nothing is charged, and there are no roots */
    /* NULL, or: what each slice has, by index of causes.charged; what threads
     * spin, by that of causes.charged_spins. Both or none. */
    struct slice_sums *slices, *spins;
    /* NULL, or: told of every piece of idle time, by time and CPU. Nothing is
     * charged then: of struct causes there is nothing. Spins are not told. */
    void (*piece)(void *arg, unsigned cpu, uint64_t from, uint64_t to,
                  enum causes_class class);
    void *arg;
};

/* What idle time is charged to. */
struct causes_root {
    enum chain_root is;
    uint32_t place;  /* with the line that has the most of it */
    uint64_t cycles; /* idle */
    uint64_t spun;   /* not idle: threads spun until it was over */
    /* Once ranked (advise_rank): cycles of the run that it is predicted to take
     * less if that took half as long, where that can be said. */
    bool foretold;
    bool doubtful; /* ... but may not hold (retime_doubt) */
    int64_t gain;
    uint64_t rank; /* cycles of the run, by which it is ordered */
};

/* Is it what no function of a program's stands behind (ends.h)? */
static inline bool causes_is_apart(enum chain_root is)
{
    static const bool apart_of[] = {
#define ROOT(name, key, text, does, noun, apart) apart,
#include "tools/analysis/causes/roots.def"
#undef ROOT
    };

    return apart_of[is];
}

/* Chains that differ only in who the threads are. */
struct causes_shape {
    enum causes_class class;
    uint64_t cycles;  /* idle, or spun, by the class */
    uint64_t longest; /* of one CPU without a change; it is the example: */
    struct chain chain;
    uint64_t at;
    unsigned cpu;
    uint32_t place; /* of its root: where the thread runs, or is on its way to,
                     * or waits */
    bool on_its_way;
};

struct causes {
    struct recording *r;
    const struct scene *scene;
    struct places *places;
    unsigned cpus;
    uint64_t (*by_class)[CAUSES_CLASSES]; /* by CPU */
    uint64_t total;                       /* the sum of those that are idle */
    uint64_t spun;                        /* of the others */
    uint64_t naps;                        /* of the account, the same CPUs */
    struct causes_root *root; /* most first, but those apart last; or, ranked,
                               * as advise_rank has it */
    bool ranked;
    size_t roots, roots_room;
    /* With slices: roots before those of the same functions are put together.
     */
    struct causes_root *charged, *charged_spins;
    size_t charges, charges_spins;
    struct causes_shape *shape; /* in the same order */
    size_t shapes, shapes_room;
};

/* `naps` is read anew for each call. */
void causes_find(struct causes *c, const struct scene *s, struct naps *n,
                 struct places *p, const struct causes_choice *choice);
void causes_free(struct causes *c);

#endif
