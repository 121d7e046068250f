/* joined.S - entries of a kernel, as kernels have them: with STYLE
 *   1  a stack at an address that the code knows, the chain in its first word
 *   2  a save area whose address is found by bcl, the stack's in memory
 *   3  its own stack only when it comes from user state, a frame by r11
 *   4  one in SPRG3, likewise; all but the first steps reached by way of LR
 */
#include "include/board.h"

#define SPRG0 272
#define SPRG1 273
#define SPRG2 274
#define SPRG3 275
#define STACK 4096
#define FRAME 192	/* GPR n at 16 + 4n, then LR, SRR0, SRR1, CR */
#define GPR(n) 16 + 4 * (n)
#define LR_AT 144
#define SRR0_AT 148
#define SRR1_AT 152
#define CR_AT 156

	.globl	_start
	.type	_start, @function
_start:
	lis	1, kstack@ha
	addi	1, 1, kstack@l
	addi	1, 1, STACK
	mtspr	SPRG3, 1
	lis	3, kernel_stack@ha
	stw	1, kernel_stack@l(3)
	lis	1, ustack@ha
	addi	1, 1, ustack@l
	addi	1, 1, STACK - 32
	li	0, 0
	stw	0, 0(1)
	bl	main
	lis	4, BOARD_POWER@h
	ori	4, 4, BOARD_POWER@l
	stw	3, 0(4)
	b	.
	.size	_start, . - _start

	.section .vectors, "ax"
	.type	vector, @function
vector:				/* at 0xC00 */
#if STYLE == 4
	mtspr	SPRG0, 1
	mtspr	SPRG1, 3
	mflr	3
	mtspr	SPRG2, 3
	lis	3, entry@h
	ori	3, 3, entry@l
	mtlr	3
	blr
#else
	ba	entry
#endif
	.size	vector, . - vector

	.text

	.type	entry, @function
entry:
#if STYLE == 1
	mtspr	SPRG0, 1
	lis	1, kstack@ha
	addi	1, 1, kstack@l
	addi	1, 1, STACK - FRAME
	stw	0, GPR(0)(1)
	mfspr	0, SPRG0
	stw	0, 0(1)
	stw	2, GPR(2)(1)
	stmw	3, GPR(3)(1)
	mfspr	0, 26
	stw	0, SRR0_AT(1)
	mfspr	0, 27
	stw	0, SRR1_AT(1)
	mflr	0
	stw	0, LR_AT(1)
	mr	9, 1
#elif STYLE == 2
	mtspr	SPRG0, 9
	mtspr	SPRG1, 10
	mflr	10
	mtspr	SPRG2, 10
	mfspr	10, SPRG1
	bcl	20, 31, 1f
1:	mflr	9
	addis	9, 9, (area - 1b)@ha
	addi	9, 9, (area - 1b)@l
	stw	0, GPR(0)(9)
	stw	1, GPR(1)(9)
	stw	2, GPR(2)(9)
	stmw	10, GPR(10)(9)
	stw	3, GPR(3)(9)
	stw	4, GPR(4)(9)
	stw	5, GPR(5)(9)
	stw	6, GPR(6)(9)
	stw	7, GPR(7)(9)
	stw	8, GPR(8)(9)
	mfspr	10, SPRG0
	stw	10, GPR(9)(9)
	mfspr	10, SPRG2
	mfspr	11, 26
	mfspr	12, 27
	stw	10, LR_AT(9)
	stw	11, SRR0_AT(9)
	stw	12, SRR1_AT(9)
	lis	1, kernel_stack@ha
	lwz	1, kernel_stack@l(1)
	addi	1, 1, -32
	li	10, 0
	stw	10, 0(1)
#elif STYLE == 3
	mtspr	SPRG0, 10
	mtspr	SPRG1, 11
	mfcr	10
	mfspr	11, 27
	andi.	11, 11, 0x4000
	addi	11, 1, -FRAME
	beq	1f
	lis	11, kernel_stack@ha
	lwz	11, kernel_stack@l(11)
	addi	11, 11, -FRAME
1:	stw	10, CR_AT(11)
	stw	12, GPR(12)(11)
	stw	9, GPR(9)(11)
	mfspr	10, SPRG0
	stw	10, GPR(10)(11)
	mfspr	12, SPRG1
	stw	12, GPR(11)(11)
	mflr	10
	stw	10, LR_AT(11)
	mfspr	12, 26
	mfspr	9, 27
	stw	12, SRR0_AT(11)
	stw	9, SRR1_AT(11)
	stw	1, GPR(1)(11)
	stw	1, 0(11)
	mr	1, 11
	stw	0, GPR(0)(1)
	stw	2, GPR(2)(1)
	stw	3, GPR(3)(1)
	stw	4, GPR(4)(1)
	stw	5, GPR(5)(1)
	stw	6, GPR(6)(1)
	stw	7, GPR(7)(1)
	stw	8, GPR(8)(1)
	stmw	13, GPR(13)(1)
	mr	9, 1
#else
	mfspr	3, 27
	andi.	3, 3, 0x4000
	bne	1f
	mfspr	1, SPRG0
	b	2f
1:	mfspr	1, SPRG3
2:	stwu	1, -FRAME(1)
	stw	0, GPR(0)(1)
	mfspr	0, SPRG0
	stw	0, GPR(1)(1)
	stw	2, GPR(2)(1)
	mfspr	0, SPRG1
	stw	0, GPR(3)(1)
	stmw	4, GPR(4)(1)
	mfspr	4, SPRG2
	stw	4, LR_AT(1)
	mfspr	4, 26
	stw	4, SRR0_AT(1)
	mfspr	4, 27
	stw	4, SRR1_AT(1)
	mr	9, 1
#endif
	addi	3, 9, GPR(0)
	bl	trap
#if STYLE == 2
	lis	9, area@ha
	addi	9, 9, area@l
#else
	mr	9, 1
#endif
	lwz	0, LR_AT(9)
	mtlr	0
	lwz	0, SRR0_AT(9)
	mtspr	26, 0
	lwz	0, SRR1_AT(9)
	mtspr	27, 0
	lwz	0, GPR(0)(9)
	lwz	2, GPR(2)(9)
	lwz	3, GPR(3)(9)
	lwz	4, GPR(4)(9)
	lwz	5, GPR(5)(9)
	lwz	6, GPR(6)(9)
	lwz	7, GPR(7)(9)
	lwz	8, GPR(8)(9)
	lmw	10, GPR(10)(9)
#if STYLE == 1
	lwz	1, 0(9)
#else
	lwz	1, GPR(1)(9)
#endif
	lwz	9, GPR(9)(9)
	rfi
	.size	entry, . - entry

	.bss
	.balign	64
area:	.space	FRAME
kernel_stack:
	.space	64
ustack:	.space	STACK
kstack:	.space	STACK
