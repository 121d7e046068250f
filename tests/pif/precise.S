/* precise.S - what precise.c marks: work(n) goes n times through branches that
 * nobody can predict, a reservation, traps, a misaligned access that is not
 * done in hardware, and system calls.
 */
	.text
	.balign	64
	.globl	work, work_end, table
work:	mtctr	3
	lis	9, table@ha
	addi	9, 9, table@l
	lis	10, 0x3039
	li	3, 0
1:	lis	11, 0x19
	ori	11, 11, 0x660d
	mullw	10, 10, 11
	addi	10, 10, 0x3c6f
	rlwinm	12, 10, 16, 26, 29
	lwzx	0, 9, 12
	add	3, 3, 0
	andis.	0, 10, 0x4000
	beq	2f
	stwx	3, 9, 12
	addi	3, 3, 7
	b	5f
2:	andis.	0, 10, 0x2000
	bne	3f
	lwarx	0, 9, 12
	addi	0, 0, 1
	stwcx.	0, 9, 12
	bne	5f
	xor	3, 3, 10
	b	5f
3:	mfctr	0
	andi.	0, 0, 7
	bne	4f
	trap
	lmw	28, -1(9)
	sc
4:	li	0, 3
	divwu	0, 10, 0
	add	3, 3, 0
5:	bdnz	1b
	blr
work_end:
	.data
	.balign	64
table:	.space	256
