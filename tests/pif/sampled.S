/* sampled.S - what the tests of sampled instructions and of the branch record
 * run. SPR 752 is SIC, 761 BRC.
 */
	.text
	.balign	32

/* chosen(sic, word): turns the sampler on, which is the first instruction it
 * counts, and ten more that are told apart. */
	.globl	chosen, chosen_at
chosen:	li	9, 7
	li	8, 0
	cmpwi	8, 0
	sync
	isync
chosen_at:
	mtspr	752, 3
	nop
	lwz	5, 0(4)
	divwu	6, 9, 9
	stw	5, 4(4)
	bne	1f
	beq	1f
	nop
1:	add	7, 5, 6
	nop
	nop
	li	8, 0
	mtspr	752, 8
	blr

/* wrong(sic, n): a branch that waits for a division and goes either way. */
	.globl	wrong, wrong_path, wrong_end
wrong:	li	9, 1
	mtspr	752, 3
	divwu	6, 4, 9
	divwu	6, 6, 9
	cmpwi	6, 0
	bne	1f
wrong_path:
	addi	7, 7, 1
	addi	7, 7, 2
	addi	7, 7, 3
	addi	7, 7, 4
wrong_end:
1:	li	8, 0
	mtspr	752, 8
	blr

/* path(brc): every sort of branch, in this order. */
	.globl	path, path_jump, path_jumped, path_if, path_iffed, path_call
	.globl	path_called, path_back, path_ctr, path_there, path_loop
path:	mflr	12
	lis	6, path_there@ha
	addi	6, 6, path_there@l
	mtctr	6
	li	5, 0
	mtspr	761, 3
path_jump:
	b	path_jumped
	nop
path_jumped:
	cmpwi	5, 0
	bne	path_jump
path_if:
	beq	path_iffed
	nop
path_iffed:
path_call:
	bl	path_called
path_back:
path_ctr:
	bctr
	nop
path_called:
	blr
path_there:
	li	6, 2
	mtctr	6
path_loop:
	bdnz	path_loop
	li	5, 0
	mtspr	761, 5
	mtlr	12
	blr

/* eleven(brc): as many jumps, each to the next instruction. */
	.globl	eleven, eleven_at
eleven:	li	5, 0
	mtspr	761, 3
eleven_at:
	.rept	11
	b	. + 4
	.endr
	mtspr	761, 5
	blr

/* entering(brc): a jump, a system call, and a jump. */
	.globl	entering, entering_at
entering:
	li	5, 0
	mtspr	761, 3
entering_at:
	b	. + 4
	sc
	b	. + 4
	mtspr	761, 5
	blr

/* guessed(brc, n): a branch that waits for a division; returns how often it
 * was corrected in execution. PMC1 counts that. */
	.globl	guessed, guessed_at
guessed:
	li	9, 1
	li	5, 0
	mfspr	10, 953
	divwu	6, 4, 9
	mtspr	761, 3
	divwu	6, 6, 9
	divwu	6, 6, 9
	cmpwi	6, 0
guessed_at:
	bne	1f
	nop
1:	mtspr	761, 5
	mfspr	11, 953
	subf	3, 10, 11
	blr
