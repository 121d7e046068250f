/* replay.h - what came from outside while an experiment was recorded, or in an
 * earlier pass of this run: console input, byte by byte, what a debugger wrote,
 * and what the host said about the standard files of a program under --user. */
#ifndef SIM_HOST_REPLAY_H
#define SIM_HOST_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/cli/process_args.h"

struct replay_byte {
    uint64_t at; /* guest cycle */
    uint8_t byte;
};

/* What a debugger wrote: a register by its name, or memory. */
#define REPLAY_POKE 64
struct replay_poke {
    uint64_t turn; /* where: see struct gdb */
    unsigned step, cpu;
    char name[8]; /* of the register; "": memory */
    uint64_t value;
    uint32_t ea, size;
    uint8_t bytes[REPLAY_POKE];
};

/* An answer of the host: a letter for the question, and bytes with it. */
struct replay_fact {
    uint64_t at;
    int64_t value;
    char kind;
    size_t from, size; /* in replay.heard */
};

struct replay {
    struct process_args
        process_args; /* to a program under --user; nothing: not recorded */
    struct replay_byte *bytes; /* owned */
    size_t count, taken;
    uint64_t over; /* the cycle at which input was over; 0: it was not */
    struct replay_poke *pokes; /* owned */
    size_t npokes, poked;
    struct replay_fact *facts; /* owned */
    size_t nfacts, recalled;
    uint8_t *heard; /* owned */
    size_t nheard, room;
    uint64_t end; /* when the recorded run was over; 0: not known */
    bool damaged; /* a line was not as simrun writes it */
};

/* Read the log of an experiment. `header` is the configuration of this run
 * as recorder_header writes it: a recording made with another one is refused.
 * False: `why` has the line. */
bool replay_open(struct replay *r, const char *experiment, const char *header,
                 char *why, size_t size);
void replay_close(struct replay *r);

/* A pass takes notes for the next one: a byte of console input, or a line as
 * the log has it. False: the host has no memory, or r->damaged. */
bool replay_hear_byte(struct replay *r, uint64_t at, uint8_t byte);
bool replay_hear(struct replay *r, const char *line);
/* The same of an answer about a standard file (observer.stdio). False: the host
 * has no memory. */
bool replay_hear_fact(struct replay *r, uint64_t at, char kind, int64_t value,
                      const void *bytes, size_t size);
/* The next pass hears all of it from the beginning. */
void replay_rewind(struct replay *r);

/* The next byte if it was delivered by cycle `at`. */
bool replay_get(struct replay *r, uint64_t at, uint8_t *byte);
/* The next write that is not done yet, or NULL. */
const struct replay_poke *replay_poke(const struct replay *r);

/* The next answer if it is of this cycle and kind; its bytes are copied, the
 * rest of `size` is zero. */
bool replay_fact(struct replay *r, uint64_t at, char kind, int64_t *value,
                 void *bytes, size_t size);

bool replay_over(const struct replay *r);
/* Was the guest told at `at`, or before, that there is no more? */
bool replay_told_over(const struct replay *r, uint64_t at);

#endif
