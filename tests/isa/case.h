/* case.h - random cases for the differential test: what to run on which
 * registers, and what isa/ makes of it.
 */
#ifndef TESTS_ISA_CASE_H
#define TESTS_ISA_CASE_H

#include "isa/insn.h"
#include "tests/isa/judge.h"
#include "tests/isa/machine.h"

/* The bits that the 604e has. */
#define CASE_XER_BITS 0xE000007Fu

struct sample {
    uint32_t word[CASE_WORDS]; /* as judge.h lays it out */
};

/* Where cases come from. */
struct maker {
    uint64_t seed;
    unsigned rows;
    uint16_t row[OP_COUNT]; /* rows to draw from */
};

/* False: `rows` names none. */
bool maker_init(struct maker *k, uint64_t seed, const char *rows);

/* Fill s with case number `slot` of a batch; adds what it draws to count.
 * Returns the instructions in it. */
unsigned case_make(struct maker *k, struct sample *s, unsigned slot,
                   uint64_t *count);

/* Why rows of this kind are not drawn, and who judges them; NULL: they are. */
const char *case_judge_elsewhere(enum op op);

/* The rows of departures.def: how many, and row n as a case. */
size_t case_known(void);
const char *case_known_sample(size_t n, struct sample *s, unsigned slot);

/* Run s here; out gets what a judge would answer. */
void case_run(struct machine *m, const struct sample *s, uint32_t *out);

#endif
