/* advise.h - what might be changed about a run, what each change is predicted
 * to bring, and what it does bring when the run is done again with it.
 *
 * A candidate is a spec of simrun --what-if. Predicted is from the recording
 * alone (advise_predict); measured are runs of simrun, each a process of its
 * own, in fast mode, in pairs with and without the change and with the same
 * seed of the schedule's jitter.
 */
#ifndef TOOLS_ANALYSIS_ADVISE_ADVISE_H
#define TOOLS_ANALYSIS_ADVISE_ADVISE_H

#include "lib/base/paired.h"
#include "tools/analysis/advise/tried.h"
#include "tools/analysis/causes/locks.h"
#include "tools/analysis/retime/retime.h"

#define ADVISE_SPEC TRIED_SPEC
#define ADVISE_TEXT 600
#define ADVISE_NAME 81 /* of a function in a text, cut with ".." */
#define ADVISE_WHY 2048
#define ADVISE_SEEDS 10u     /* pairs of runs, at most */
#define ADVISE_UNIT 1000000u /* 1, of a factor */

enum advise_kind {
    ADVISE_FUNCTION, /* func:F+=xK */
    ADVISE_LOCK,     /* hold:L=xK */
    ADVISE_DEVICE,   /* device:disk latency=xK */
    ADVISE_AFFINITY, /* affinity:all=all */
    ADVISE_PRIORITY, /* priority:T=low */
    ADVISE_CPUS      /* cpus=+1 */
};

/* What a change was measured to bring, in cycles of the unchanged run. */
struct advise_gain {
    struct paired gain; /* of pairs */
    int64_t base;       /* mean of the unchanged ones */
    size_t lost;        /* pairs that did not end alike */
};

struct advise_candidate {
    enum advise_kind kind;
    char spec[ADVISE_SPEC];
    char what[ADVISE_TEXT];  /* what stands behind it, in words */
    uint32_t function;       /* of ADVISE_FUNCTION */
    bool whole;              /* ... with what it calls, */
    bool thread;             /* ... which is all that a thread does */
    uint32_t place;          /* where `what` is (places_line), or nowhere */
    uint32_t lock;           /* of ADVISE_LOCK */
    uint32_t factor;         /* millionths; of those with a K */
    int64_t predicted;       /* cycles that it takes away, */
    enum retime_doubt doubt; /* ... or another number; POLLS: or fewer */
    uint64_t on_path; /* cycles that it would, if no other path took over */
    uint64_t rank;    /* cycles, by which it is ordered */
    bool tried;
    struct advise_gain measured;
};

struct advise {
    struct recording *r;
    const struct scene *scene;
    struct places *places;
    struct retime *graph;
    struct path path;
    struct locks locks;
    struct causes causes;
    struct causes done;  /* of it roots and total: what threads do, and where */
    struct hash begun;   /* of functions that libraries call: callers.c */
    struct hash entries; /* of the guest's kernel's that go to user mode */
    uint64_t sample;     /* cycles that one of these stands for */
    uint64_t *inside; /* cycles by function, with callees, which threads ran or
                       * slept: of samples and stacks; owned */
    bool sysroot;
    struct advise_candidate *candidate; /* most predicted first */
    size_t candidates, room;
};

/* ---- candidates.c, predict.c --------------------------------------------- */

/* The path and the roots of a run or of a part of it, what threads do in it,
 * and the graph of `run`, which is s if that is the whole run; `sysroot`:
 * simrun is told where programs inside a Linux kernel are, so that these have
 * names. */
void advise_open(struct advise *a, const struct scene *s,
                 const struct scene *run, struct places *p, bool sysroot);
/* What may be changed in this run, ordered by what it is predicted to bring.
 * `factor` is K, in millionths, where there is one. */
void advise_find(struct advise *a, uint32_t factor);
void advise_free(struct advise *a);

/* One more candidate, of which the kind alone is known. */
struct advise_candidate *advise_add(struct advise *a, enum advise_kind kind);

/* The change of a function, alone or, `whole`, with what it calls, into
 * c->kind, function, factor and spec. False: simrun --what-if has no name for
 * it. */
bool advise_change(const struct advise *a, uint32_t function, bool whole,
                   uint32_t factor, struct advise_candidate *c);

/* Into c->predicted the cycles of the run that a change takes away, from the
 * recording alone; below 0: the run is longer. */
void advise_predict(const struct advise *a, struct advise_candidate *c);

/* Does a function have the CPU that a thread on the path waits for, for a tenth
 * of the path or more, and is next to nothing of the path itself? */
bool advise_takes_cpu(const struct advise *a, const struct advise_candidate *c);

/* Does a function run, on the path, nearly always below that caller? */
bool advise_is_within(const struct advise *a, uint32_t function,
                      uint32_t caller);

/* Does it run or sleep below that caller wherever it was seen? */
bool advise_is_below(const struct advise *a, uint32_t function,
                     uint32_t caller);

/* Is a lock held at half of the places or more at which the function was seen?
 * True if that is not recorded. */
bool advise_is_held(const struct advise *a, uint32_t function, uint32_t lock);

/* ---- priorities.c -------------------------------------------------------- */

/* Which threads may be put in the background: those that have the CPU which a
 * lock's holder wants, or the critical path, and are not on that. */
void advise_find_priorities(struct advise *a);

/* The cycles by which the run could be shorter at most if only the order in
 * which threads have CPUs were another one. */
uint64_t advise_spare(const struct advise *a);

/* ---- ranks.c ------------------------------------------------------------- */

/* Say of the roots in a->causes that CPUs wait for longest, or that have most
 * of the path, what half of each would bring, and put those first that bring
 * most: by what is predicted, or by half of the idle time of a CPU if that is
 * more. What no CPU waits for and that brings a hundredth becomes a root
 * without cycles. */
void advise_rank(struct advise *a);

/* ---- callers.c ----------------------------------------------------------- */

#define ADVISE_NOBODY (-1)

/* Is it the program's own (own.h), or of a kernel with source lines? */
bool advise_is_own(const struct advise *a, uint32_t function);

/* Is it a library's that begins more stacks than it is called in, as clone
 * does, so that a thread begins in the middle of it? Or one with which the
 * guest's kernel goes to user mode? Such a one is never changed. */
bool advise_is_entry(const struct advise *a, uint32_t function);

/* Is it what a thread began with? All that the thread does is below it. */
bool advise_begins(const struct advise *a, uint32_t function);

/* Does it call that, for a thread to do the same as those that it makes? */
bool advise_leads(const struct advise *a, uint32_t function);

/* Is it called on the path by another than the caller that has most of it? */
bool advise_helps_several(const struct advise *a, uint32_t function);

/* Of a root's place the level at which the one stands that makes it: behind
 * functions that are only the means of several callers, of which one has more
 * than others; ADVISE_NOBODY: such a caller, and it can be no change. */
int advise_blamed(const struct advise *a, const struct place_of *p);

/* Do several have a part of what it does: of idle time, of the path, of all? */
bool advise_has_callers(const struct advise *a, uint32_t function);

/* Cycles that CPUs idled because of what a change is about: of a function that
 * several call, because of the one that has most of it; of what is no function,
 * because of all that the program does. */
uint64_t advise_idle_for(const struct advise *a,
                         const struct advise_candidate *c);

/* Into a->done what threads do; into a->begun whom libraries call. */
void advise_find_done(struct advise *a);
void advise_find_begun(struct advise *a);

/* ---- rerun.c ------------------------------------------------------------- */

/* What a standard file was when it was recorded, by what the program heard. */
enum advise_output {
    ADVISE_OTHER, /* ... or it did not ask */
    ADVISE_FILE,  /* a file or a pipe */
    ADVISE_TERMINAL
};

/* How the recorded run is done again. */
struct advise_rerun {
    const char *experiment; /* its directory; the caller's */
    char *dir;              /* for files that are gone afterwards */
    char *simrun;
    const char *more; /* of advise_rerun_open, or NULL; the caller's */
    char *command; /* options, program and arguments, as a sweep's `program` */
    char *given;   /* what-ifs that it was recorded with, `;` between, or "" */
    bool user;
    enum advise_output output; /* its standard output, of --user */
    bool copy; /* it is the experiment's copy of a program that has changed */
    unsigned jobs; /* runs at a time */
    char *lost;    /* how the first run ended that did not as recorded, or ""
                    * (ADVISE_WHY bytes) */
    long status;   /* with which the program ends */
    uint64_t most; /* cycles: a run that takes longer has not come to an end */
};

/* `more` are further options for simrun, in words, or NULL. False: it cannot be
 * done again from what is recorded, `why` has the line. */
bool advise_rerun_open(struct advise_rerun *a, const struct recording *r,
                       const char *more, char why[ADVISE_WHY]);
void advise_rerun_close(struct advise_rerun *a);

/* ---- trial.c ------------------------------------------------------------- */

/* A list of changes, each a text of specs with ; between, "none" for none, all
 * run with seeds `from` to `to` (from > to: without jitter and as recorded):
 * cycles[n * seeds + k] is that of change n with seed k, -1 if the program did
 * not come to its own end. */
struct advise_trial {
    const char *const *change;
    size_t changes;
    uint32_t from, to;
    int64_t *cycles; /* the caller's room */
};

/* False: `why` has the line. */
bool advise_try(const struct advise_rerun *a, const struct advise_trial *t,
                char why[ADVISE_WHY]);

/* Pairs of runs, seed by seed. */
struct advise_gain advise_compare(const int64_t *base, const int64_t *changed,
                                  size_t count);

/* ---- second.c ------------------------------------------------------------ */

/* Record the run with a change, and find what is first then: its spec, or ""
 * if it is nothing new. False: `why` has the line. */
bool advise_second(const struct advise_rerun *a, const char *spec,
                   uint32_t factor, char other[ADVISE_SPEC],
                   char why[ADVISE_WHY]);

/* Run a program to its end, what it prints into files; a signal that ends us
 * ends it first. *status is as waitpid has it. False: `why` has the line. */
bool advise_await(const char *program, char *const *argv, const char *out,
                  const char *error, int *status, char why[ADVISE_WHY]);

/* ---- plan.c -------------------------------------------------------------- */

/* Two changes together, and each alone. */
struct advise_pair {
    char one[ADVISE_SPEC], other[ADVISE_SPEC];
    struct advise_gain alone[2], measured;
};

#define ADVISE_PAIRS 2u

struct advise_plan {
    unsigned seconds; /* of the host, that all may take */
    unsigned most;    /* candidates to try */
    unsigned seeds;   /* pairs of runs of each: 3 to ADVISE_SEEDS */
    uint32_t factor;  /* of those to come */
    size_t tried;
    int64_t repeated;        /* cycles of the run without jitter */
    struct advise_gain null; /* of unchanged runs, by other seeds */
    size_t best;             /* a candidate that was tried; SIZE_MAX: none */
    struct advise_gain confirmed; /* its gain on fresh seeds */
    struct advise_pair pair[ADVISE_PAIRS];
    size_t pairs;
};

/* Try candidates, the first ones first. False: `why` has the line. */
bool advise_run(struct advise *a, const struct advise_rerun *again,
                struct advise_plan *p, char why[ADVISE_WHY]);

/* Does a pair bring more than its two changes do one by one, of which none
 * brings half of that, or costs something? */
bool advise_is_together(const struct advise_plan *plan,
                        const struct advise_pair *p);

/* Does it bring so much: the interval and its mean are above what unchanged
 * runs differ by, and a hundredth of the run? */
bool advise_brings(const struct advise_plan *p, const struct advise_gain *g);

/* ---- tried.c ------------------------------------------------------------- */

/* Write what the plan has tried, in the place of what was there. False: errno
 * says why, and that still is. */
bool tried_write(const struct advise *a, const struct advise_plan *p,
                 const char *experiment);

#endif
