/* routines.S - what the golden tests mark. */
	.text
	.balign	32

/* loop10(n): n times ten instructions. loop10_at is the first of them. */
	.globl	loop10, loop10_at
loop10:	mtctr	3
loop10_at:
	addi	4, 4, 1
	addi	5, 5, 1
	xor	6, 4, 5
	addi	7, 7, 1
	or	8, 6, 7
	addi	9, 9, 1
	addi	10, 10, 1
	and	11, 8, 10
	addi	12, 12, 1
	bdnz	loop10_at
	blr

/* sweep(a): reads sixteen words, and writes word 2. */
	.globl	sweep
sweep:	li	0, 16
	mtctr	0
	addi	4, 3, -4
1:	lwzu	5, 4(4)
	bdnz	1b
	stw	5, 8(3)
	blr

/* straight(): 136 instructions and the way back. */
	.balign	32
	.globl	straight
straight:
	.rept	136
	addi	4, 4, 1
	.endr
	blr

/* seven(): seven instructions. outer(): the same with a call in the middle. */
	.balign	32
	.globl	seven
seven:	addi	4, 4, 1
	addi	5, 5, 1
	addi	6, 6, 1
	addi	7, 7, 1
	addi	8, 8, 1
	addi	9, 9, 1
	blr
	.globl	seven_end
seven_end:
	.globl	outer, outer_end
outer:	mflr	12
	addi	4, 4, 1
	bl	inner
	addi	5, 5, 1
	addi	6, 6, 1
	mtlr	12
	blr
outer_end:
	.globl	inner
inner:	addi	7, 7, 1
	addi	8, 8, 1
	blr

/* run12(): twelve instructions in a row; with_call(): a call among them. */
	.balign	32
	.globl	run12, with_call
run12:	.rept	13
	addi	4, 4, 1
	.endr
	blr
with_call:
	mflr	12
	addi	4, 4, 1
	addi	4, 4, 1
	addi	4, 4, 1
	addi	4, 4, 1
	addi	4, 4, 1
	bl	inner
	addi	4, 4, 1
	addi	4, 4, 1
	addi	4, 4, 1
	addi	4, 4, 1
	addi	4, 4, 1
	addi	4, 4, 1
	mtlr	12
	blr

/* divide(): one divide, alone. load(a): one load, alone. */
	.globl	divide, divide_at, load, load_at
divide:	li	4, 1000
	li	5, 7
	isync
divide_at:
	divw	6, 4, 5
	isync
	blr
/* two_loads(a): of two lines, both under way at once. */
	.globl	two_loads
two_loads:
	isync
	lwz	4, 0(3)
	lwz	5, 64(3)
	isync
	blr
load:	isync
load_at:
	lwz	4, 0(3)
	isync
	blr

/* hot(n): n times one call of leaf. */
	.globl	hot, leaf, leaf_at, hot_call
hot:	mflr	12
	mtctr	3
1:	bl	leaf
hot_call:
	bdnz	1b
	mtlr	12
	blr
leaf:	addi	4, 4, 1
leaf_at:
	addi	4, 4, 1
	blr

/* marked(n): the same by pmark: 2 instructions, entries 4 and 5. */
	.globl	marked
marked:	mtctr	3
1:	.long	0x1440008b	/* pmark 2,4 */
	addi	4, 4, 1
	addi	5, 5, 1
	addi	6, 6, 1
	bdnz	1b
	blr

/* trapping(): a trap that must be marked and resumed. */
	.globl	trapping, trap_at
trapping:
	addi	4, 4, 1
trap_at:
	trap
	addi	4, 4, 1
	blr
