/* konata.h - the way of instructions through the pipeline as a file for Konata,
 * the viewer: the Kanata log format, version 4. Lane 0 has the stages, lane 1
 * what an instruction waited for.
 */
#ifndef SIM_OBSERVE_KONATA_H
#define SIM_OBSERVE_KONATA_H

#include <stdio.h>

#include "sim/core/core.h"

struct konata_event;

struct konata {
    FILE *out;
    struct konata_event *event; /* not written yet; owned */
    size_t count, room;
    uint64_t insns;  /* written; the next one's number */
    cycle_t at;      /* of the latest line */
    bool begun, bad; /* bad: no memory, or an event came too late */
};

/* Instruction `text` at pc went so on a processor. Calls come in the order of
 * the machine. */
void konata_insn(struct konata *k, unsigned cpu, ea_t pc, const char *text,
                 const struct core_stages *s);

/* Write what is left, and free. False: the file is not whole. */
bool konata_end(struct konata *k);

#endif
