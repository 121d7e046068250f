/* replay.h - the console input that an experiment recorded, byte by byte. */
#ifndef SIM_REPLAY_H
#define SIM_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct replay_byte {
    uint64_t at; /* guest cycle */
    uint8_t byte;
};

struct replay {
    struct replay_byte *bytes; /* owned */
    size_t count, taken;
};

/* Read the log of an experiment. `header` is the configuration of this run
 * as machine_header writes it: a recording made with another one is refused.
 * False: `why` has the line. */
bool replay_open(struct replay *r, const char *experiment, const char *header,
                 char *why, size_t size);
void replay_close(struct replay *r);

/* The next byte if it was delivered by cycle `at`. */
bool replay_get(struct replay *r, uint64_t at, uint8_t *byte);
bool replay_over(const struct replay *r);

#endif
