/* inside_module.S - a module: its name, and a function in each of two sections. */
    .text
    .globl in_module
    .type in_module, @function
in_module:
    mtctr 3
1:  bdnz 1b
    blr
    .size in_module, . - in_module
    .section .init.text, "ax"
    .type at_start, @function
at_start:
    mtctr 3
1:  bdnz 1b
    blr
    .size at_start, . - at_start
    .section .modinfo, ""
    .asciz "license=none"
    .asciz "name=own"
    .section .note.GNU-stack, "", @progbits
