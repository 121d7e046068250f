/* judge.h - what the differential test and its judge say to each other.
 * #defines only: read by C on both sides and by assembly. One case is
 * CASE_WORDS big-endian words each way.
 */
#ifndef TESTS_ISA_JUDGE_H
#define TESTS_ISA_JUDGE_H

/* Word offsets in a case. Going in, CASE_OUTCOME is 1 when the code differs
 * from what the slot held before; coming back, it is what happened. */
#define CASE_OUTCOME 0
#define CASE_DETAIL 1 /* in: slot; out: si_code of a signal */
#define CASE_COUNT 2  /* in: instructions; out: offset of a signal's nip */
#define CASE_CODE 3
#define CASE_CODE_MAX 9
#define CASE_GPR 12
#define CASE_CR 44
#define CASE_XER 45
#define CASE_LR 46
#define CASE_CTR 47
#define CASE_FPSCR 48 /* two words, the value in the second */
#define CASE_FPR 50
#define CASE_MEM 114
#define CASE_MEM_WORDS 64
#define CASE_WORDS 178

#define CASE_BATCH 256

/* Outcomes: fell through, reached a branch target, or 256 + signal. */
#define OUTCOME_FALL 0
#define OUTCOME_BRANCH 1
#define OUTCOME_SIGNAL 256

/* Low memory, reached without a base register. */
#define LOW 0x4000
#define LOW_OUTCOME 0x4000 /* same order as a case from CASE_OUTCOME on */
#define LOW_GPR 0x4030
#define LOW_CR 0x40B0
#define LOW_XER 0x40B4
#define LOW_LR 0x40B8
#define LOW_CTR 0x40BC
#define LOW_FPSCR 0x40C0
#define LOW_FPR 0x40C8
#define LOW_SAVE 0x4400 /* the judge's own registers */
#define LOW_MEM 0x5000  /* the data that a case may touch, 256 bytes */
#define LOW_PAD 0x7000  /* a branch target */

/* Slot n of the code: a backward target, three words that load CTR and r0,
 * the case's code, the way out, a forward target. */
#define ARENA 0x01000000
#define SLOT_BYTES 64
#define SLOT_CODE 16
#define SLOTS 4096

/* Where no small number, and hardly a random r1, points. */
#define SIGNAL_STACK 0x35A40000

#endif
