/* trace.h - the port through which the guest writes records.
 * Layout of what the guest hands over: include/record.def; of the port:
 * board.h. Believes nothing: a record that makes no sense is ignored and
 * counted.
 */
#ifndef SIM_DEV_TRACE_H
#define SIM_DEV_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/mem/iomap.h"

/* Why a record was not taken. */
enum trace_fault {
    TRACE_OK,
    TRACE_WILD,  /* not a word address inside memory */
    TRACE_KIND,  /* not a kind that the guest may write */
    TRACE_LONG,  /* more words than a record may have, or than memory */
    TRACE_SHAPE, /* the words do not fit the kind */
};

/* A record that passed. The words are still as the guest stored them. */
struct trace_record {
    unsigned kind, cpu;
    uint32_t thread;
    uint64_t at;
    unsigned count;
    const uint8_t *words; /* big-endian, count of them */
    uint32_t left;        /* state, wake: where in the scheduler; or 0 */
    uint32_t file, size;  /* program: where its file is in memory */
};

/* What the port is plugged into. `record` is NULL without an experiment:
 * everything is dropped unseen. */
struct trace_setup {
    unsigned cpus;
    const uint8_t *ram;
    uint32_t ram_size;
    void *arg;
    void (*record)(void *arg, const struct trace_record *r);
    uint32_t (*context)(void *arg, unsigned cpu);
    void (*set_context)(void *arg, unsigned cpu, uint32_t context);
};

struct trace {
    struct trace_setup with;
    uint64_t ignored;
    /* The first one that was ignored. */
    enum trace_fault fault;
    unsigned fault_cpu;
    uint64_t fault_at;
    uint32_t fault_pa;
};

void trace_init(struct trace *t, const struct trace_setup *s);
bool trace_load(void *trace, const struct io_access *a, uint32_t *value);
bool trace_store(void *trace, const struct io_access *a, uint32_t value);

const char *trace_fault_text(enum trace_fault f);

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool trace_state(struct snap *s, struct trace *t);

#endif
