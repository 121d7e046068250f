/* what_if.h - one thing of a run changed on purpose (simrun --what-if SPEC),
 * to see what it brings: the specs as values. docs/what-if.md says what each
 * means; who obeys them is the disk, the scheduler of --user and the fast
 * model.
 */
#ifndef SIM_CONFIG_WHAT_IF_H
#define SIM_CONFIG_WHAT_IF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WHAT_IF_SPECS 16
#define WHAT_IF_NAME 128  /* bytes of a function's name, with its end */
#define WHAT_IF_THREAD 16 /* ... of a thread's */
#define WHAT_IF_UNIT 1000000u

/* K: so many millionths. 0 in a struct that was never set: 1. */
struct what_if_factor {
    bool set;
    uint32_t millionths;
};

/* K times n, rounded down. */
uint64_t what_if_scaled(struct what_if_factor k, uint64_t n);

/* What a thread of --user is made to be, whatever it asks for. */
struct what_if_thread {
    int number;                /* 0: not told by it, */
    char name[WHAT_IF_THREAD]; /* ... but by its name; "": every thread */
    bool met;                  /* the run had such a thread: the run's */
    uint64_t affinity;         /* a bit a CPU; 0: not this */
    bool ranked;               /* ... but this: */
    bool idle;                 /* in the background, */
    unsigned level;            /* or SCHED_FIFO of 1 to 99; 0: like any other */
};

struct image;

/* A function whose time is scaled. */
struct what_if_function {
    char name[WHAT_IF_NAME];
    /* Of a program inside a Linux kernel, "PROGRAM:NAME": its file, not owned,
     * which one of those that are looked for, from 1, and where NAME begins.
     * NULL, 0, 0: of the image that runs, or of the program of a guest. */
    const struct image *inside;
    uint16_t program;
    size_t own;
    bool callees; /* with what it calls */
    struct what_if_factor k;
};

/* A lock that is held for another time. */
struct what_if_lock {
    char name[WHAT_IF_NAME]; /* of a variable, or an address */
    struct what_if_factor k;
};

struct what_if {
    const char *text[WHAT_IF_SPECS]; /* the caller's, or of a copy */
    unsigned count;
    char **copy; /* of what had several in one, owned */
    size_t copies, copies_room;
    int cpus; /* more, or fewer */
    struct what_if_factor disk;
    bool disk_met; /* --user had a request: the run's */
    struct what_if_thread thread[WHAT_IF_SPECS];
    unsigned threads;
    struct what_if_function function[WHAT_IF_SPECS];
    unsigned functions;
    struct what_if_lock lock[WHAT_IF_SPECS];
    unsigned locks;
};

/* One more spec, which must live as long. False: *why (size bytes) has a line,
 * and w is as it was. */
bool what_if_add(struct what_if *w, const char *spec, char *why, size_t size);
/* Several, with ; between, or one, which must live as long; of several w keeps
 * a copy. False: *why has a line, and w has those in front of the wrong one.
 */
bool what_if_add_all(struct what_if *w, const char *specs, char *why,
                     size_t size);
/* What w keeps, once no copy of w is used any more. w is as if zeroed. */
void what_if_free(struct what_if *w);

#endif
