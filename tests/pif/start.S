/* start.S - a bare-metal program's vectors and entry, for tests of the
 * instrumentation facility. Every exception goes to handle(frame), in C, with
 * MSR[EE] and [RI] off; what it leaves in the frame is restored.
 */
#include "include/board.h"
#include "tests/pif/pif.h"

	.text
	.globl	_start
_start:				/* r3: number of the processor */
	lis	1, stacks@ha
	addi	1, 1, stacks@l
	mulli	4, 3, STACK_BYTES
	add	1, 1, 4
	addi	1, 1, STACK_BYTES - 32
	li	0, 0
	stw	0, 0(1)
	mflr	31
	bl	main
	mtlr	31
	blr			/* r3 is the exit status */

	.globl	entry_code
	.globl	entry_code_end
entry_code:			/* copied to every vector, then its number */
	mtspr	SPRG0, 1
	mtspr	SPRG1, 3
	mflr	3
	mtspr	SPRG2, 3
	lis	3, enter@h
	ori	3, 3, enter@l
	mtlr	3
	.globl	entry_number
entry_number:
	li	3, 0
	blr
entry_code_end:

	.globl	enter
enter:				/* r3: the vector */
	addi	1, 1, -FRAME_BYTES - 64
	stw	3, FRAME_VECTOR+16(1)
	stw	0, FRAME_GPR+16(1)
	stmw	4, FRAME_GPR+16+16(1)
	mfspr	4, SPRG0
	stw	4, FRAME_GPR+16+4(1)
	stw	2, FRAME_GPR+16+8(1)
	mfspr	4, SPRG1
	stw	4, FRAME_GPR+16+12(1)
	mfspr	4, SPRG2
	stw	4, FRAME_LR+16(1)
	mfctr	4
	stw	4, FRAME_CTR+16(1)
	mfcr	4
	stw	4, FRAME_CR+16(1)
	mfxer	4
	stw	4, FRAME_XER+16(1)
	mfspr	4, 26
	stw	4, FRAME_SRR0+16(1)
	mfspr	4, 27
	stw	4, FRAME_SRR1+16(1)
	addi	3, 1, 16
	bl	handle
	lwz	4, FRAME_SRR1+16(1)
	mtspr	27, 4
	lwz	4, FRAME_SRR0+16(1)
	mtspr	26, 4
	lwz	4, FRAME_XER+16(1)
	mtxer	4
	lwz	4, FRAME_CR+16(1)
	mtcrf	255, 4
	lwz	4, FRAME_CTR+16(1)
	mtctr	4
	lwz	4, FRAME_LR+16(1)
	mtlr	4
	lwz	0, FRAME_GPR+16(1)
	lwz	3, FRAME_GPR+16+12(1)
	lmw	4, FRAME_GPR+16+16(1)
	lwz	1, FRAME_GPR+16+4(1)
	.globl	enter_end
enter_end:
	rfi

	.bss
	.balign	64
stacks:
	.space	STACK_BYTES * 8
