/* konata.h - the way of instructions through the pipeline as a file for Konata,
 * the viewer: the Kanata log format, version 4. Lane 0 has the stages, lane 1
 * what an instruction waited for.
 */
#ifndef LIB_BASE_KONATA_H
#define LIB_BASE_KONATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct konata_event;

#define KONATA_LABEL 46 /* bytes of one, with its end; more is cut */

/* What an instruction waited for, from `begin` up to `end`, exclusive. */
struct konata_wait {
    uint64_t begin, end;
    const char *reason;
};

/* An instruction's way: cycles of its stages, and its waits. */
struct konata_insn {
    unsigned cpu;
    uint32_t pc;
    const char *text; /* the instruction, and where it stands */
    const char *unit;
    uint64_t fetch, dispatch, issue, finish, complete;
    unsigned waits;
    const struct konata_wait *wait;
};

struct konata {
    FILE *out;
    struct konata_event *event; /* not written yet; owned */
    size_t count, room;
    uint64_t insns;  /* written; the next one's number */
    uint64_t at;     /* of the latest line */
    bool begun, bad; /* bad: no memory, or an event came too late */
};

/* The next instruction. Calls come in the order of the machine, that of
 * dispatch. Nothing of i is kept. */
void konata_insn(struct konata *k, const struct konata_insn *i);

/* The label of an instruction: text with runs of blanks as one, none at the
 * end, cut at the size. */
void konata_text(const char *text, char *out, size_t size);

/* Write what is left, and free. False: the file is not whole. */
bool konata_end(struct konata *k);

#endif
