/* judge.c - runs cases from standard input on the processor it is on.
 * Built for the guest, run under qemu-ppc: QEMU is the judge of isa/.
 */
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/isa/judge.h"

void judge_run(void *slot);
void judge_fall(void);
void judge_branch(void);
void judge_signal(void);

static uint32_t cases[CASE_BATCH][CASE_WORDS];
static volatile uint32_t running; /* the slot */

/* Runs with the case's registers: touches nothing but memory it knows. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
    volatile uint32_t *low = (volatile uint32_t *)LOW_OUTCOME;

    low[CASE_OUTCOME] = OUTCOME_SIGNAL + (uint32_t)number;
    low[CASE_DETAIL] = (uint32_t)info->si_code;
    low[CASE_COUNT] = u->uc_mcontext.uc_regs->gregs[32] - running;
    u->uc_mcontext.uc_regs->gregs[32] = (uintptr_t)judge_signal;
}

static uint32_t branch_to(void (*f)(void))
{
    return 0x48000002u | (uint32_t)(uintptr_t)f;
}

static void slot_fill(uint32_t *slot, const uint32_t *c)
{
    uint32_t n = c[CASE_COUNT];

    slot[0] = branch_to(judge_branch);
    slot[1] = 0x80000000u | LOW_CTR; /* lwz r0,LOW_CTR(0) */
    slot[2] = 0x7C0903A6u;           /* mtctr r0 */
    slot[3] = 0x80000000u | LOW_GPR; /* lwz r0,LOW_GPR(0) */
    memcpy(&slot[4], &c[CASE_CODE], 4 * n);
    slot[4 + n] = branch_to(judge_fall);
    slot[5 + n] = branch_to(judge_branch);
    for (unsigned k = 0; k < SLOT_BYTES; k += 32)
        __asm__ volatile("dcbst 0,%0; sync; icbi 0,%0" ::"r"((char *)slot + k)
                         : "memory");
    __asm__ volatile("sync; isync" ::: "memory");
}

static void run(uint32_t *c)
{
    uint32_t *slot = (uint32_t *)(ARENA + SLOT_BYTES * c[CASE_DETAIL]);

    if (c[CASE_OUTCOME])
        slot_fill(slot, c);
    memcpy((void *)LOW_OUTCOME, c, 4 * CASE_MEM);
    memcpy((void *)LOW_MEM, &c[CASE_MEM], 4 * CASE_MEM_WORDS);
    running = (uintptr_t)slot;
    judge_run(slot);
    memcpy(c, (void *)LOW_OUTCOME, 4 * CASE_MEM);
    memcpy(&c[CASE_MEM], (void *)LOW_MEM, 4 * CASE_MEM_WORDS);
}

static int transfer(int in, void *buffer, size_t size)
{
    char *at = buffer;

    while (size) {
        ssize_t n = in ? read(0, at, size) : write(1, at, size);
        if (n <= 0)
            return 0;
        at += n;
        size -= (size_t)n;
    }
    return 1;
}

static int map(uintptr_t at, size_t size)
{
    return mmap((void *)at, size, PROT_READ | PROT_WRITE | PROT_EXEC,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

int main(void)
{
    static const int caught[] = {SIGILL, SIGTRAP, SIGFPE,
                                 SIGBUS, SIGSEGV, SIGALRM};
    struct sigaction action = {.sa_sigaction = on_signal,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK};
    stack_t stack = {.ss_sp = (void *)SIGNAL_STACK, .ss_size = 65536};

    if (!map(ARENA, SLOTS * SLOT_BYTES) || !map(SIGNAL_STACK, 65536))
        return 2;
    sigaltstack(&stack, NULL);
    for (unsigned n = 0; n < sizeof caught / sizeof caught[0]; n++)
        sigaction(caught[n], &action, NULL);
    while (transfer(1, cases, sizeof cases)) {
        alarm(20);
        for (unsigned n = 0; n < CASE_BATCH; n++)
            run(cases[n]);
        alarm(0);
        if (!transfer(0, cases, sizeof cases))
            return 3;
    }
    return 0;
}
