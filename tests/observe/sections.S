/* sections.S - sections in assembly, bare metal. In fast mode an instruction
 * is a cycle: `ten` has 10 besides its marks, `both` 5 and then all of `ten`
 * again, `twice` is in itself once. */
#include "include/section.h"

        .globl _start
_start:
        section_begin "ten"
        .rept 10
        addi    4, 4, 1
        .endr
        section_end "ten"

        section_begin "both of them"
        .rept 5
        addi    4, 4, 1
        .endr
        section_begin "ten"
        .rept 10
        addi    4, 4, 1
        .endr
        section_end "ten"
        section_end "both of them"

        section_begin "twice"
        addi    4, 4, 1
        section_begin "twice"
        addi    4, 4, 1
        section_end "twice"
        section_end "twice"

        section_end "never begun"
        section_begin "never ended"
        li      3, 0
        blr
