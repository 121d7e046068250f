/* inside_program.S - calls `work` TIMES times, which reads `cell`; then a system
 * call. It runs where it is put, in other pages of its block than the kernel, and
 * `work` in one of its own.
 */
    .space 0x5000
    .globl _start, work, cell
    .type _start, @function
_start:
    li 8, TIMES
    bcl 20, 31, 1f
1:  mflr 9
    addi 9, 9, cell - 1b
2:  bl work
    addic. 8, 8, -1
    bne 2b
    sc
    b .
    .size _start, . - _start
    .balign 0x1000
    .type work, @function
work:
    lwz 3, 0(9)
    addi 3, 3, 1
    blr
    .size work, . - work
    .type cell, @object
cell:
    .long 7
    .size cell, . - cell
    .section .note.GNU-stack, "", @progbits
