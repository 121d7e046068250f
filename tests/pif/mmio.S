/* mmio.S - the work that mmio.c counts, between two mtspr or two stores, and
 * accesses of which it wants to know the instruction.
 */
#include "include/mark_bits.h"
#include "include/board.h"

#define MMCR0 952
#define PMC1 953

	.text
	.macro	tell spr, reg
	.if	\spr
	mtspr	MMCR0, \reg
	.else
	stw	\reg, 4*MMCR0(8)
	.endif
	.endm

	.macro	work name, spr	/* r3 starts, r4 stops, r5 times */
	.globl	\name
	.balign	128
\name:
	mtctr	5
	lis	8, BOARD_MONITOR@h
	ori	8, 8, BOARD_MONITOR@l
	lis	7, word@ha
	tell	\spr, 3
1:	add	9, 9, 9
	lwz	6, word@l(7)
	add	10, 6, 9
	xor	9, 10, 6
	bdnz	1b
	tell	\spr, 4
	blr
	.endm

	work	work_by_spr, 1
	work	work_by_store, 0

	.macro	straight name, spr
	.globl	\name
	.balign	128
\name:
	lis	8, BOARD_MONITOR@h
	ori	8, 8, BOARD_MONITOR@l
	tell	\spr, 3
	.rept	12
	add	9, 9, 9
	add	10, 10, 10
	.endr
	tell	\spr, 4
	.rept	12
	add	9, 9, 9
	add	10, 10, 10
	.endr
	blr
	.endm

	straight straight_by_spr, 1
	straight straight_by_store, 0

	.globl	eleven_by_spr
	.balign	32
eleven_by_spr:
	mfspr	4, PMC1
	.rept	10
	addi	5, 5, 1
	.endr
	mfspr	3, PMC1
	subf	3, 4, 3
	blr

	.globl	eleven_by_load
	.balign	32
eleven_by_load:
	lis	8, BOARD_MONITOR@h
	ori	8, 8, BOARD_MONITOR@l
	lwz	4, 4*PMC1(8)
	.rept	10
	addi	5, 5, 1
	.endr
	lwz	3, 4*PMC1(8)
	subf	3, 4, 3
	blr

	.globl	both_at_once
both_at_once:
	stwu	1, -32(1)
	stmw	30, 8(1)
	lis	8, BOARD_MONITOR@h
	ori	8, 8, BOARD_MONITOR@l
	lmw	30, 4*PMC1(8)
	subf	3, 30, 31
	lmw	30, 8(1)
	addi	1, 1, 32
	blr

	.globl	user_access
user_access:			/* instructions are not translated */
	mfmsr	4
	ori	4, 4, 0x4010	/* PR, DR */
	li	5, 0
	mtmsr	4
	isync
	lwz	5, 0(3)
	addi	6, 5, 1
	stw	6, 0(3)
	sc
	mr	3, 5
	blr

	.macro	access name, insn
	.globl	\name
\name:	\insn	4, 0(3)
	mr	3, 4
	blr
	.endm

	access	load_byte, lbz
	access	load_half, lhz
	access	load_word, lwz
	access	store_half, sth
	access	store_word, stw

	.section .rodata
	.balign	32
word:	.long	1
