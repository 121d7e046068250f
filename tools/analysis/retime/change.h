/* change.h - one thing of a recorded run changed: the specs of simrun --what-if
 * (docs/what-if.md) as values, those that can be predicted.
 */
#ifndef TOOLS_ANALYSIS_RETIME_CHANGE_H
#define TOOLS_ANALYSIS_RETIME_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RETIME_SPECS 16
#define RETIME_NAME 128             /* bytes of a name, with its end */
#define RETIME_UNIT 1000000u        /* a factor of 1 */
#define RETIME_NO_FACTOR UINT32_MAX /* it is not scaled */

/* A function, or a lock while it is held, whose time is scaled. */
struct retime_scaled {
    char name[RETIME_NAME];
    bool callees;        /* of a function: with what it calls */
    bool awake;          /* what it sleeps stays as it is */
    bool lock;           /* it is a lock's variable, or its address */
    uint32_t millionths; /* K */
};

#define RETIME_THREAD 16 /* bytes of a thread's name, with its end */

struct retime_mask {
    uint32_t thread;          /* 0: told by its name; */
    char name[RETIME_THREAD]; /* "": every one */
    uint64_t cpus;
};

/* All zero but for `device`: nothing is changed; see retime_change_none. */
struct retime_change {
    struct retime_scaled scaled[RETIME_SPECS];
    unsigned count;
    uint32_t device; /* of requests to the disk; RETIME_NO_FACTOR */
    int cpus;        /* more, or fewer */
    struct retime_mask mask[RETIME_SPECS];
    unsigned masks;
};

struct retime_change retime_change_none(void);

/* One spec more, or several with ; between. False: *why (size bytes) has a
 * line, and c has those in front of the wrong one. */
bool retime_change_add(struct retime_change *c, const char *specs, char *why,
                       size_t size);

/* K times n, rounded down. */
uint64_t retime_scale(uint32_t millionths, uint64_t n);

#endif
