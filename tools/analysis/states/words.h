/* words.h - what state.rec has as numbers, as a person reads it. */
#ifndef TOOLS_ANALYSIS_STATES_WORDS_H
#define TOOLS_ANALYSIS_STATES_WORDS_H

#include "tools/analysis/experiment/recording.h"

#define WORDS_NUMBER 24 /* bytes for a number that stands for a name */
#define WORDS_TEXT 512  /* for an object */

/* The name of a thread, as it was at a cycle; of an unknown one its number,
 * which `number` has in any case. */
const char *words_thread(const struct recording *r, uint32_t id, uint64_t cycle,
                         char number[WORDS_NUMBER]);

/* A STATE_...: as CSV has it, and as a heading. */
const char *words_state(uint32_t state);
const char *words_state_heading(uint32_t state);

/* What is waited for: kind is an OBJECT_...; an address by the variable that
 * has it, and what in it: queue.ready. Returns text. */
const char *words_object(struct recording *r, uint32_t kind, uint32_t object,
                         uint64_t cycle, char text[WORDS_TEXT]);
/* Of a wait: a word that is there for a thread's end is that. `owner` is a
 * thread's number, or 0. Returns text. */
struct words_wait {
    uint32_t state, kind, object, owner;
};

const char *words_wait(struct recording *r, const struct words_wait *w,
                       uint64_t cycle, char text[WORDS_TEXT]);
/* An address by symbols alone: queue+0x40. Returns text. */
const char *words_symbol(struct recording *r, uint32_t address, uint64_t cycle,
                         char text[WORDS_TEXT]);

/* The same as --what-if hold:LOCK has it: by the address itself where a
 * variable before it has the name. Returns text. */
const char *words_hold(struct recording *r, uint32_t address, uint64_t cycle,
                       char text[WORDS_TEXT]);

#endif
