/* board.h - memory of the bare board that supervisor tests run on: QEMU's
 * 40p and board_run.c. #defines only, for C and assembly of the guest.
 */
#ifndef TESTS_ISA_BOARD_H
#define TESTS_ISA_BOARD_H

#define ROM 0xFFF00000
#define ROM_SIZE 0x100000
#define UART 0x800003F8  /* a byte stored here is printed */
#define RESET 0x80000092 /* 1 stored here ends the run */

#define SAVE 0x3000 /* the program's own registers */

/* Before: pc msr cr xer lr ctr, r0-r31. */
#define BEFORE 0x4000
#define BEFORE_PC 0x4000
#define BEFORE_MSR 0x4004
#define BEFORE_CR 0x4008
#define BEFORE_XER 0x400C
#define BEFORE_LR 0x4010
#define BEFORE_CTR 0x4014
#define BEFORE_GPR 0x4018

/* After: vector srr0 srr1 msr dsisr dar cr xer lr ctr, r0-r31. */
#define AFTER 0x5000
#define AFTER_VECTOR 0x5000
#define AFTER_SRR0 0x5004
#define AFTER_SRR1 0x5008
#define AFTER_MSR 0x500C
#define AFTER_DSISR 0x5010
#define AFTER_DAR 0x5014
#define AFTER_CR 0x5018
#define AFTER_XER 0x501C
#define AFTER_LR 0x5020
#define AFTER_CTR 0x5024
#define AFTER_GPR 0x5028
#define AFTER_WORDS 42

#define CODE 0x6000 /* the instruction under test */
#define STACK 0xFF00
#define DATA 0x100000 /* 1 MB of data */
#define DATA_SIZE 0x100000
#define TABLE 0x200000 /* the hashed page table, 64 KB */
#define TABLE_SIZE 0x10000

#endif
