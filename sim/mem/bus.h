/* bus.h - the snooping 60x bus: address and data tenures as calendars.
 *
 * A request names a cycle and gets the first free place at or after it, so
 * that one made later for an earlier cycle is not charged behind a later one.
 * Whom a request meets is another thing, and has no cycle: bus_snoop asks every
 * other data cache and changes its state as MESI says; bus_tenure says when
 * what it found is there, and changes nothing but calendars. It names no events
 * and knows no processor but by number. Facts: 604 UM p.36-37, 604e technical
 * summary p.5 (64-bit data, bursts of four beats of a line of 32 bytes, split
 * tenures, ARTRY on a modified line).
 */
#ifndef SIM_MEM_BUS_H
#define SIM_MEM_BUS_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/types.h"
#include "sim/config/config.h"
#include "sim/mem/cache.h"

#define BUS_CPUS 8
#define CALENDAR 64

enum bus_op {
    BUS_READ,   /* line to read: burst */
    BUS_RWITM,  /* line to modify: burst, others lose theirs */
    BUS_KILL,   /* others lose theirs; no data */
    BUS_FETCH,  /* instruction line: burst; a modified copy is pushed */
    BUS_CLEAN,  /* dcbst, dcbf elsewhere: a modified copy is pushed */
    BUS_FLUSH,  /* ... and every copy invalidated */
    BUS_SINGLE, /* caching-inhibited: one beat, not snooped */
    BUS_SYNC    /* address only, for sync and icbi */
};

struct interval {
    uint64_t from, to;
};

/* Busy intervals [from, to) in ascending order, the oldest forgotten: `count`
 * of them from number `first` on, number 0 behind the last one. */
struct calendar {
    unsigned count, first;
    struct interval busy[CALENDAR];
};

/* First time >= at with `length` free cycles; booked. */
uint64_t calendar_book(struct calendar *c, uint64_t at, uint64_t length);

/* Whom a request met. */
struct snooped {
    uint8_t seen;   /* CPUs that saw the address, a bit each */
    uint8_t hit;    /* ... that had the line */
    uint8_t pushed; /* ... that had it modified and pushed it: one at most */
    bool shared;    /* another CPU keeps a copy */
    uint16_t frame; /* of the pushed line, in the cache that had it */
};

struct bus_answer {
    uint64_t first; /* cycle the first beat can be used; address-only: done */
    unsigned beat;  /* cycles between beats */
};

struct bus {
    unsigned cpus;
    unsigned ratio; /* processor cycles a bus cycle */
    unsigned mem_first, mem_beat, snoop_first, io_latency; /* bus cycles */
    unsigned line_beats;                                   /* of a burst */
    struct calendar address, data;
    struct cache *dcache[BUS_CPUS]; /* registered by the cores; not owned */
    struct cache *icache[BUS_CPUS];
    uint64_t transactions;
};

void bus_init(struct bus *b, const struct params *p, unsigned cpus);

/* CPU number `cpu` asks for the line of pa: the data caches of the others,
 * whose states change as MESI says. BUS_SINGLE and BUS_SYNC are not snooped. */
struct snooped bus_snoop(struct bus *b, enum bus_op op, unsigned cpu, pa_t pa);

/* A request that met `s` asks for the bus at cycle `at`: when it is served. The
 * calendars are booked; a pushed line comes when its last store has committed.
 */
struct bus_answer bus_tenure(struct bus *b, enum bus_op op,
                             const struct snooped *s, uint64_t at);

/* A modified line leaves at or after cycle `at`. Returns the cycle at which
 * its last beat has gone. */
uint64_t bus_write_back(struct bus *b, uint64_t at);

/* `bytes` that no line belongs to go over the bus from cycle `at` on. Returns
 * how many cycles they take it; with `book` they do. */
uint64_t bus_transfer(struct bus *b, uint64_t at, uint64_t bytes, bool book);

/* Save or load it: lib/base/snap.h. False: s->why says why. The caches are
 * their owners' to save. */
struct snap;
bool bus_state(struct snap *s, struct bus *b);

#endif
