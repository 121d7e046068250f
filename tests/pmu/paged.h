/* paged.h - five pages behind a page table, for the TLB's events (assembly
 * only; after count.h).
 *
 * Segment 0 has VSID 0, so that page index and hash are one. The table is the
 * 64 KB at 16 MB. Page k (of 0 to 4) lies at 4 MB + 4 KB k, maps to itself,
 * and has entry k of its primary group: a search looks at k + 1 entries, the
 * last one's in the group's second line; all five look at 1+2+3+4+5 = 15.
 * The first pass brings the table into the data cache: an entry a cycle.
 */
#define TABLE 0x01000000
#define PAGES 0x00400000
#define TABLE_ENTRIES 15
#define IR 0x20
#define DR 0x10

.macro page_table
        constant 3, TABLE
        mtspr 25, 3 /* SDR1: 64 KB */
        li 3, 0
        mtsr 0, 3
        .set k, 0
        .rept 5
        /* group of index 0x400 + k: bits of 0x3FF, 64 bytes each */
        constant 3, TABLE + (k << 6) + 8 * k
        constant 4, 0x80000000 | (0x400 >> 10)
        stw 4, 0(3)
        constant 4, PAGES + (k << 12) + 0x182 /* R, C, read and write */
        stw 4, 4(3)
        .set k, k + 1
        .endr
        /* the program itself is a block: 256 MB at 0x10000000 */
        constant 3, 0x10001FFE
        mtspr 528, 3
        constant 3, 0x10000002
        mtspr 529, 3
        sync
        .endm

        .macro forget_pages
        constant 6, PAGES
        li 7, 5
        mtctr 7
        mr 8, 6
1:      tlbie 8
        addi 8, 8, 4096
        bdnz 1b
        sync
        isync
        .endm

        .macro translate which
        mfmsr 20
        ori 8, 20, \which
        mtmsr 8
        isync
        .endm

        .macro done_paged
        stop_counting
        mtmsr 20
        isync
        finish
        .endm

        /* Visit each page twice with a load. */
        .macro load_pages
        .rept 2
        .set k, 0
        .rept 5
        lwz 9, 4(6)
        addi 6, 6, 4096
        .endr
        addi 6, 6, -5 * 4096
        .endr
        .endm

        /* ... and with a call: a blr stands at the start of each. */
        .macro page_code
        constant 6, PAGES
        constant 4, 0x4E800020
        .rept 5
        stw 4, 0(6)
        dcbst 0, 6
        sync
        icbi 0, 6
        addi 6, 6, 4096
        .endr
        sync
        isync
        .endm

        .macro call_pages
        .rept 12 /* fetch runs ahead of what starts the counter, no further */
        nop
        .endr
        .rept 2
        .rept 5
        mtctr 6
        addi 6, 6, 4096
        bctrl
        .endr
        addi 6, 6, -5 * 4096
        .endr
        .endm
