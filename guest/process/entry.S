/* entry.S - the way from user mode into the kernel and back.
 *
 * The vectors of boot/vectors.S push a frame on r1, which only a kernel thread
 * has on its own stack. process_vectors takes their place when there are
 * processes: it asks SRR1[PR] who was interrupted. SPRG1 has the frame of the
 * user thread on this CPU, at the lower end of what user_run has pushed.
 */
#include "guest/process/user.h"

    .section .process.vectors, "ax"
    .globl  process_vectors
    .type   process_vectors, @function
process_vectors:
    .set    vector, 0x100
    .rept   0x15
    .org    vector - 0x100
    mtspr   SPR_SCRATCH, %r3
    mfcr    %r3
    mtspr   SPR_SCRATCH2, %r3
    mfsrr1  %r3
    andi.   %r3, %r3, MSR_PR
    bne     1f
    mfspr   %r3, SPR_SCRATCH2
    mtcrf   0x80, %r3
    mfspr   %r3, SPR_SCRATCH
    stwu    %r1, -TRAP_SIZE(%r1)
    stw     %r3, TRAP_R3(%r1)
    li      %r3, vector
    ba      trap_entry
1:  mfspr   %r3, SPR_FRAME
    stw     %r1, USER_R1(%r3)
    mr      %r1, %r3
    mfspr   %r3, SPR_SCRATCH
    stw     %r3, TRAP_R3(%r1)
    mfspr   %r3, SPR_SCRATCH2
    mtcrf   0x80, %r3
    li      %r3, vector
    ba      user_entry
    .set    vector, vector + 0x100
    .endr
    .size   process_vectors, . - process_vectors
    .globl  process_vectors_end
process_vectors_end:

    .text
    .globl  user_entry
    .type   user_entry, @function
user_entry:
    frame_save
    stw     %r2, USER_R2(%r1)
    stmw    %r13, USER_R13(%r1)
    mfdar   %r5
    mfdsisr %r6
    stw     %r5, USER_DAR(%r1)
    stw     %r6, USER_DSISR(%r1)
    stw     %r3, USER_VECTOR(%r1)
    mfspr   %r2, 272            /* `current` */
    lwz     %r2, CPU_CURRENT(%r2)
    mr      %r4, %r1
    bl      user_trap           /* returns with interrupts off */
    .globl  user_trap_return
user_trap_return:
    cmpwi   %r3, 0
    beq     user_leave
user_return:
    frame_restore
    lmw     %r13, USER_R13(%r1)
    lwz     %r2, USER_R2(%r1)
    frame_restore_general
    lwz     %r1, USER_R1(%r1)
    rfi
    .size   user_entry, . - user_entry

/* void user_run(const struct user_frame *start, struct user_frame **where)
 * Goes to user mode with the registers of *start; *where has the frame from
 * then on. Returns when user_trap has answered false. */
    .globl  user_run
    .type   user_run, @function
user_run:
    stwu    %r1, -RUN_SIZE(%r1)
    mflr    %r0
    stw     %r0, RUN_SIZE+4(%r1)
    mfcr    %r0
    stw     %r0, RUN_CR(%r1)
    stmw    %r14, RUN_R14(%r1)
    stw     %r1, 0(%r4)
    li      %r0, (USER_SIZE - TRAP_SCRATCH) / 4
    mtctr   %r0
    addi    %r3, %r3, TRAP_SCRATCH - 4
    addi    %r4, %r1, TRAP_SCRATCH - 4
1:  lwzu    %r0, 4(%r3)
    stwu    %r0, 4(%r4)
    bdnz    1b
    mfmsr   %r0                 /* interrupts off */
    rlwinm  %r0, %r0, 0, 17, 15
    mtmsr   %r0
    isync
    mtspr   SPR_FRAME, %r1
    b       user_return
user_leave:
    lmw     %r14, RUN_R14(%r1)
    lwz     %r0, RUN_CR(%r1)
    mtcrf   0xFF, %r0
    addi    %r1, %r1, RUN_SIZE
    lwz     %r0, 4(%r1)
    mtlr    %r0
    blr
    .size   user_run, . - user_run

/* void fp_save(uint64_t *area), fp_load(const uint64_t *area): 32 registers
 * and FPSCR. In and out: MSR_RUN, interrupts off. */
    .globl  fp_save
    .type   fp_save, @function
fp_save:
    mfmsr   %r4
    ori     %r5, %r4, MSR_FP
    mtmsr   %r5
    isync
    .set    n, 0
    .rept   32
    stfd    n, 8*n(%r3)
    .set    n, n + 1
    .endr
    mffs    %f0
    stfd    %f0, 256(%r3)
    mtmsr   %r4
    isync
    blr
    .size   fp_save, . - fp_save

    .globl  fp_load
    .type   fp_load, @function
fp_load:
    mfmsr   %r4
    ori     %r5, %r4, MSR_FP
    mtmsr   %r5
    isync
    lfd     %f0, 256(%r3)
    mtfsf   0xFF, %f0
    .set    n, 0
    .rept   32
    lfd     n, 8*n(%r3)
    .set    n, n + 1
    .endr
    mtmsr   %r4
    isync
    blr
    .size   fp_load, . - fp_load
