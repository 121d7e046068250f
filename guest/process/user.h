/* user.h - the frame that an exception from user mode leaves on the thread's
 * kernel stack, for C and assembly. It begins with what an exception in the
 * kernel leaves (struct trap_frame), so that the kernel's own handlers take it.
 */
#ifndef GUEST_PROCESS_USER_H
#define GUEST_PROCESS_USER_H

#include "guest/kernel/asm.h"

#define MSR_FP 0x2000
#define MSR_PR 0x4000
#define MSR_IR 0x20
#define MSR_DR 0x10
#define MSR_FE 0x0900 /* FE0, FE1: enabled FP exceptions, precise */
#define MSR_USER (MSR_EE | MSR_PR | MSR_ME | MSR_FE | MSR_IR | MSR_DR | MSR_RI)

#define SPR_FRAME 273   /* SPRG1: where the CPU's user thread has its frame */
#define SPR_SCRATCH 274 /* SPRG2, SPRG3: for the way in */
#define SPR_SCRATCH2 275

/* The page that programs are lent, and in it where handlers return to. */
#define VDSO 0xB0000000
#define VDSO_FULL 0x120 /* whose frame tells all */
#define VDSO_PLAIN 0x12C

#define USER_R1 80
#define USER_R2 84
#define USER_R13 88 /* r13..r31 */
#define USER_DAR 164
#define USER_DSISR 168
#define USER_VECTOR 172
#define USER_ASKED_R3 176 /* r3 of a system call, before its result */
#define USER_SIZE 192     /* a multiple of 16 */

/* Behind it, what C expects to survive user_run. */
#define RUN_CR (USER_SIZE + 0)
#define RUN_R14 (USER_SIZE + 4)
#define RUN_SIZE (USER_SIZE + 80)

#define CPU_CURRENT 4 /* in struct cpu */

#endif
