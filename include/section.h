/* section.h - sections of a program, marked by itself, for simrun --sections
 * and simprof active --section (docs/active-time.md).
 *
 * For C and assembly, in any program: guest OS, bare metal, simrun --user.
 * Needs nothing else, no library and no relinking of anything:
 *
 *     SECTION_BEGIN("commit");        section_begin commit
 *     ...                             ...
 *     SECTION_END("commit");          section_end commit
 *
 * A mark is the one word `twi 0,r1,N`: a trap on no condition, which a 604e,
 * or any other PowerPC, runs as an instruction without effect, in user state
 * too. Which section it marks stands in an ELF note, which is not loaded and
 * survives strip and the linker's garbage collection: owner "simrun", type 1
 * (begin) or 2 (end), the mark's address and the section's name. Threads are
 * told apart by simrun. The compiler may move arithmetic, but no access to
 * memory, over a mark.
 */
#ifndef INCLUDE_SECTION_H
#define INCLUDE_SECTION_H

#define SECTION_NOTE ".note.simrun"
#define SECTION_IS_BEGIN 1
#define SECTION_IS_END 2
#define SECTION_WORD 0x0C015300 /* twi 0,r1,0x5300; plus one of the above */

#ifdef __ASSEMBLER__

.macro section_mark kind, name
9990:   twi     0, 1, 0x5300 + \kind
        .pushsection .note.simrun, "", @note
        .balign 4
        .long   7, 9992f - 9991f, \kind
        .asciz  "simrun"
        .balign 4
9991:   .long   9990b
        .asciz  "\name"
9992:   .balign 4
        .popsection
.endm

.macro section_begin name
        section_mark 1, "\name"
.endm

.macro section_end name
        section_mark 2, "\name"
.endm

#else

#define SECTION_MARK(kind, name)                                               \
    __asm__ volatile("9990: twi 0, 1, 0x5300 + " #kind "\n\t"                  \
                     ".pushsection .note.simrun, \"?\", @note\n\t"             \
                     ".balign 4\n\t"                                           \
                     ".long 7, 9992f - 9991f, " #kind "\n\t"                   \
                     ".asciz \"simrun\"\n\t"                                   \
                     ".balign 4\n"                                             \
                     "9991: .long 9990b\n\t"                                   \
                     ".asciz \"" name "\"\n"                                   \
                     "9992: .balign 4\n\t"                                     \
                     ".popsection"                                             \
                     :                                                         \
                     :                                                         \
                     : "memory")
#define SECTION_BEGIN(name) SECTION_MARK(1, name)
#define SECTION_END(name) SECTION_MARK(2, name)

#endif
#endif
