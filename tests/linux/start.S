/* start.S - entered as Linux is: translation off, linked at 0xC0000000, loaded
 * at 0. Maps both, as Linux does first, and calls kernel_main. */
#define BAT_ALL 0x1FFE /* 256 MiB, supervisor only */
    .section .head, "ax"
    .globl _start
_start:
    b 1f
    .org 0xC4
    .globl __secondary_hold
    .type __secondary_hold, @function
__secondary_hold: /* r3: which processor; until the word at 0 says so */
    lwz 4, 0(0)
    cmpw 4, 3
    bne __secondary_hold
    lis 5, arrived@h /* physical: without the top two bits */
    ori 5, 5, arrived@l
    clrlwi 5, 5, 2
    stw 3, 0(5)
#ifdef MAPPED /* with a stack as Linux's CONFIG_VMAP_STACK has them */
    lis 1, 0xE100
    clrlwi 5, 1, 2
    stw 3, 0(5)
#endif
    b .
    .size __secondary_hold, . - __secondary_hold
1:  lis 9, 0xC000
    ori 9, 9, BAT_ALL
    li 10, 2
    mtspr 528, 9 /* IBAT0 */
    mtspr 529, 10
    mtspr 536, 9 /* DBAT0 */
    mtspr 537, 10
    lis 9, 0xF000
    ori 9, 9, BAT_ALL
    lis 10, 0xF000
    ori 10, 10, 0x2A /* caching inhibited, guarded, read and write */
    mtspr 538, 9 /* DBAT1 */
    mtspr 539, 10
    isync
    lis 9, kernel_main@h
    ori 9, 9, kernel_main@l
    mtspr 26, 9 /* SRR0, SRR1: there, with IR and DR */
    mfmsr 9
    ori 9, 9, 0x30
    mtspr 27, 9
    oris 1, 1, 0xC000
    rfi

    .section .note.Linux, "a", @note
    .long 6, 4, 0x100 /* LINUX_ELFNOTE_BUILD_SALT */
    .asciz "Linux"
    .balign 4
    .long 0

    .section .note.GNU-stack, "", @progbits
