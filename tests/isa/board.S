/* board.S - vectors of the supervisor test, and the way into and out of an
 * instruction under test. Runs from ROM, and from a copy at 0 for IP=0.
 */
#include "tests/isa/board.h"

#ifndef EXIT_MSR
#define EXIT_MSR 0x40 /* of the program around the instruction */
#endif

	.macro	vector at
	.org	\at
	stw	3, AFTER_GPR+12(0)
	li	3, \at
	b	common
	.endm

	.section .vectors, "ax", @progbits
	.globl	board_vectors
board_vectors:
	.org	0x100
	lis	1, 0
	ori	1, 1, STACK
	b	main
	.irp	at, 0x200,0x300,0x400,0x500,0x600,0x700,0x800,0x900,0xC00,0xD00,0xF00,0x1300,0x1400
	vector	\at
	.endr
	.org	0x1800
common:
	stw	3, AFTER_VECTOR(0)
	stw	0, AFTER_GPR(0)
	stw	1, AFTER_GPR+4(0)
	stw	2, AFTER_GPR+8(0)
	stmw	4, AFTER_GPR+16(0)
	mfspr	3, 26
	stw	3, AFTER_SRR0(0)
	mfspr	3, 27
	stw	3, AFTER_SRR1(0)
	mfmsr	3
	stw	3, AFTER_MSR(0)
	mfspr	3, 18
	stw	3, AFTER_DSISR(0)
	mfspr	3, 19
	stw	3, AFTER_DAR(0)
	mfcr	3
	stw	3, AFTER_CR(0)
	mfxer	3
	stw	3, AFTER_XER(0)
	mflr	3
	stw	3, AFTER_LR(0)
	mfctr	3
	stw	3, AFTER_CTR(0)
	li	3, EXIT_MSR
	mtmsr	3
	isync
	lwz	3, SAVE+128(0)
	mtlr	3
	lwz	3, SAVE+132(0)
	mtcrf	255, 3
	lmw	1, SAVE(0)
	blr
	.org	0x2000

	.text
/* void board_enter(void): run BEFORE until an exception fills AFTER. */
	.globl	board_enter
board_enter:
	stmw	1, SAVE(0)
	mflr	3
	stw	3, SAVE+128(0)
	mfcr	3
	stw	3, SAVE+132(0)
	lwz	3, BEFORE_PC(0)
	mtspr	26, 3
	lwz	3, BEFORE_MSR(0)
	mtspr	27, 3
	lwz	3, BEFORE_CR(0)
	mtcrf	255, 3
	lwz	3, BEFORE_XER(0)
	mtxer	3
	lwz	3, BEFORE_LR(0)
	mtlr	3
	lwz	3, BEFORE_CTR(0)
	mtctr	3
	lwz	0, BEFORE_GPR(0)
	lmw	1, BEFORE_GPR+4(0)
	rfi
	.section .note.GNU-stack, "", @progbits
