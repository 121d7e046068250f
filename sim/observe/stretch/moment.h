/* moment.h - a moment of a run as options name it: --log-from, --log-to,
 * --pipe,
 * --record-lines. docs/debug.md has the syntax.
 */
#ifndef SIM_OBSERVE_STRETCH_MOMENT_H
#define SIM_OBSERVE_STRETCH_MOMENT_H

#include "sim/machine/machine.h"
#include "sim/symbols/names.h"

struct moment {
    enum {
        MOMENT_NONE,   /* none was given */
        MOMENT_INSNS,  /* so many instructions of all processors are done */
        MOMENT_CYCLE,  /* an instruction dispatches then or later */
        MOMENT_ADDRESS /* a processor comes to it */
    } kind;
    uint64_t value;
};

/* "N", "cycle:N", "0xADDRESS" or a symbol of s, perhaps with "+N"; NULL for
 * `text` is MOMENT_NONE. Without names (s NULL) any symbol will do. False:
 * `why` has a line about --option=text. */
bool moment_parse(struct moment *m, const struct names *s, const char *option,
                  const char *text, char *why, size_t size);

/* Is it there when the instruction at pc is to dispatch at cycle `at`?
 * MOMENT_NONE never is. */
bool moment_reached(const struct moment *m, const struct machine *machine,
                    ea_t pc, cycle_t at);

/* At the beat of cycle `at`: may it be there before the next beat? True where
 * that cannot be told. What begins to listen then, and at power-on with `at` 0,
 * does not miss it. */
bool moment_near(const struct moment *m, const struct machine *machine,
                 cycle_t at);

#endif
