/* skip.c - linked to a program that tries instructions which a 604e does not
 * have: each is stepped over, and the program goes on.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <ucontext.h>

static void step_over(int signal, siginfo_t *info, void *context)
{
    ucontext_t *u = context;

    (void)signal, (void)info;
    u->uc_mcontext.uc_regs->gregs[32] += 4; /* the address */
}

__attribute__((constructor)) static void begin(void)
{
    struct sigaction a = {0};

    a.sa_sigaction = step_over;
    a.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGILL, &a, 0);
}
