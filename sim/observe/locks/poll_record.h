/* poll_record.h - threads that sleep, or spin, until a word of memory has been
 * written, and who wrote it, as poll.rec. A part of simrun --record-locks.
 *
 * A thread polls with sleeps if it makes a system call that sleeps or yields,
 * at the same place with the same stack as before, with no other system call
 * and few instructions in between. It polls with a loop if it branches back to
 * an instruction with the same stack pointer and link register, has stored
 * nothing since it was there, and has loaded the same words as the time before;
 * other registers may differ. A stwcx. that stores what lwarx has loaded, as
 * test-and-set does while another thread has the lock, is no store here. The
 * words that it loads are those that it looks at. When it does something else
 * at last, the word that another thread wrote last, since the thread had loaded
 * it and before its last look was over, is what ended that: one that it does
 * not write itself, or, of a lock that it tries, not between looking and
 * sleeping. A thread that calls the system to wait until it is woken (futex),
 * behind a loop in vain, still looks for the same. One that still polls where
 * the run ends, and sees nothing written, is recorded as its own writer, for
 * the word that it asks last. Looks at every instruction and changes no
 * simulated result.
 */
#ifndef SIM_OBSERVE_LOCKS_POLL_RECORD_H
#define SIM_OBSERVE_LOCKS_POLL_RECORD_H

#include "lib/base/hash.h"
#include "pmu/experiment/experiment.h"
#include "sim/machine/machine.h"
#include "sim/observe/locks/lock_record.h"
#include "sim/observe/locks/word_locks.h"

#define POLL_WORDS_SEEN 32     /* words of one look, at most */
#define POLL_INSNS 2000        /* instructions of one look, at most */
#define POLL_HEADS 4           /* of loops, at most */
#define POLL_ENDLESS 16        /* looks in vain, where the run ends, at least */
#define POLL_NONE UINT32_MAX   /* no word */
#define POLL_FILTER (1u << 12) /* a power of two */

/* A word that a thread has loaded between two sleeps. */
struct poll_word {
    pa_t pa;          /* a multiple of 4 */
    ea_t ea;          /* as the thread has it */
    uint32_t writer;  /* another thread, which wrote it last since then; */
    cycle_t written;  /* and when; 0: none has */
    uint32_t seen_by; /* the same of what the thread has loaded since: what */
    cycle_t seen;     /* others write later it does not know; 0: none */
    cycle_t loaded;   /* when it loaded that first */
    bool kept;        /* ... in the look before this one */
    bool own;         /* the thread wrote it itself behind its last load */
    bool taken;       /* and when it had seen another's */
};

struct poll_look {
    struct poll_word word[POLL_WORDS_SEEN];
    unsigned words;
};

/* A thread came back to an instruction: in which frame, of which call, and how
 * often it had loaded by then. */
struct poll_head {
    ea_t pc, stack, lr;
    uint32_t loads;
};

/* A thread that has asked for a sleep, or run a loop. */
struct poller {
    uint32_t context;
    unsigned cpu;         /* on which it asked last */
    ea_t pc, stack;       /* where it asked, or came back to */
    unsigned sleeps;      /* in a row; 0: it does something else */
    unsigned yields;      /* ... of which so many were yields, */
    bool slept;           /* and some were sleeps */
    bool asleep;          /* it has not run since */
    bool loops;           /* the last one was a loop's beginning */
    cycle_t first, ended; /* when it asked first; when the last was over */
    cycle_t called;   /* when it called the system to wait, if it has; else 0 */
    unsigned insns;   /* since then */
    uint32_t firsts;  /* stores to its words, since it asked first, of threads
                       * that did not look at them before */
    cycle_t first_at; /* the last of these; none of them ended the wait */
    pa_t has; /* a word that it stored to, as one takes a lock, and not again to
               * give that back; or NONE */
    struct poll_look now, before; /* since then; between the two last sleeps */
    ea_t at;                      /* its last instruction */
    uint32_t loads;               /* that it made; wraps */
    /* The register that lwarx, being run, loads; what the last one loaded; and
     * stwcx., being run, stores that again, which changes nothing. */
    const uint32_t *reserves;
    uint32_t reserved;
    bool unchanged;
    bool conditional;                  /* it is a stwcx. */
    struct poll_head head[POLL_HEADS]; /* since it stored or called */
    unsigned heads, oldest;
};

/* All zero: nothing is recorded. */
struct poll_record {
    struct experiment *experiment;       /* not owned */
    const struct lock_record *functions; /* not owned */
    struct observer observer;
    struct poller *poller; /* owned */
    size_t pollers, room;
    struct hash of; /* by context: its poller, from 1 */
    struct poll_on {
        uint32_t context, poller; /* of the instruction that a CPU runs */
    } on[MACHINE_CPUS];
    struct word_locks locks;
    /* A bit a word, folded: some poller has loaded it, or it may be a lock. */
    uint64_t seen[POLL_FILTER / 64];
};

/* Record who polls in m, which has not run yet, into e, and which words are
 * locks but in the functions of lock_record.h, which stay the caller's.
 * poll_record_close is due afterwards. */
void poll_record_open(struct poll_record *l, struct machine *m,
                      struct experiment *e,
                      const struct lock_record *functions);
void poll_record_close(struct poll_record *l);

#endif
