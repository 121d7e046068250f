/* judge.S - load every register, run a slot, store every register.
 * Built for the guest by differential_test.sh, run under qemu-ppc.
 */
#include "tests/isa/judge.h"

	.section .low, "awx", @progbits
	.globl judge_low
judge_low:
	.space LOW_PAD - LOW
	ba	judge_branch

	.text
/* void judge_run(void *slot): slot + 4 is where it starts. */
	.globl judge_run
judge_run:
	stmw	1, LOW_SAVE(0)
	mflr	0
	stw	0, LOW_SAVE+128(0)
	mfcr	0
	stw	0, LOW_SAVE+132(0)
	addi	3, 3, 4
	mtctr	3
	li	4, LOW_SAVE+256
	stwcx.	4, 0, 4		# no reservation from an earlier case
	lfd	0, LOW_FPSCR(0)
	mtfsf	255, 0
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	lfd	\n, LOW_FPR+8*\n(0)
	.endr
	lwz	0, LOW_CR(0)
	mtcrf	255, 0
	lwz	0, LOW_XER(0)
	mtxer	0
	lwz	0, LOW_LR(0)
	mtlr	0
	lmw	1, LOW_GPR+4(0)
	bctr

	.globl judge_fall, judge_branch, judge_signal
judge_branch:
	stw	0, LOW_GPR(0)
	li	0, OUTCOME_BRANCH
	b	1f
judge_fall:
	stw	0, LOW_GPR(0)
	li	0, OUTCOME_FALL
1:	stw	0, LOW_OUTCOME(0)
	b	2f
judge_signal:
	stw	0, LOW_GPR(0)
2:	stmw	1, LOW_GPR+4(0)
	mfcr	0
	stw	0, LOW_CR(0)
	mfxer	0
	stw	0, LOW_XER(0)
	mflr	0
	stw	0, LOW_LR(0)
	mfctr	0
	stw	0, LOW_CTR(0)
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	stfd	\n, LOW_FPR+8*\n(0)
	.endr
	mffs	0
	stfd	0, LOW_FPSCR(0)
	lfd	0, LOW_SAVE+136(0)	# zero, always: nothing is enabled now
	mtfsf	255, 0
	lwz	0, LOW_SAVE+132(0)
	mtcrf	255, 0
	lwz	0, LOW_SAVE+128(0)
	mtlr	0
	lmw	1, LOW_SAVE(0)
	blr
	.section .note.GNU-stack, "", @progbits
