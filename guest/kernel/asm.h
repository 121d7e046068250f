/* asm.h - numbers that C and assembly share. */
#ifndef GUEST_KERNEL_ASM_H
#define GUEST_KERNEL_ASM_H

#define MAX_CPUS 8
#define STACK_SIZE 8192

#define MSR_POW 0x40000
#define MSR_EE 0x8000
#define MSR_ME 0x1000
#define MSR_RI 0x2
#define MSR_RUN (MSR_ME | MSR_RI) /* kernel, interrupts off */

/* The frame of an exception (struct trap_frame). */
#define TRAP_SCRATCH 8
#define TRAP_R0 12
#define TRAP_R3 16 /* r3..r12 */
#define TRAP_LR 56
#define TRAP_CTR 60
#define TRAP_CR 64
#define TRAP_XER 68
#define TRAP_SRR0 72
#define TRAP_SRR1 76
#define TRAP_SIZE 80

/* The frame of swtch. */
#define SWTCH_CR 8
#define SWTCH_R14 12 /* r14..r31 */
#define SWTCH_SIZE 96

/* struct thread */
#define THREAD_SP 0
#define THREAD_PC 4

#endif
