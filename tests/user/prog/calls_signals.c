/* calls_signals.c - signals: sending, blocking, waiting, frames. */
#include "check.h"

#include <setjmp.h>
#include <signal.h>
#include <time.h>
#include <ucontext.h>

static volatile int last, codes, depth, deepest, on_stack;
static char alternate[65536];
static sigjmp_buf back;

static void note(int signal)
{
    last = signal;
}

static void know(int signal, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
    char here;

    last = signal;
    codes = info->si_code;
    on_stack = &here > alternate && &here < alternate + sizeof alternate;
    (void)u;
}

static void nest(int signal)
{
    depth++;
    deepest = depth > deepest ? depth : deepest;
    if (signal == SIGUSR1)
        raise(SIGUSR2);
    depth--;
}

/* Steps over the trap: the frame's registers are what goes on. */
static void step(int signal, siginfo_t *info, void *context)
{
    ucontext_t *u = context;

    last = signal;
    codes = info->si_code;
    u->uc_mcontext.uc_regs->gregs[32] += 4;
    u->uc_mcontext.uc_regs->gregs[3] = 77;
}

static void escape(int signal)
{
    siglongjmp(back, signal);
}

static void handle(int signal, void (*f)(int), int flags)
{
    struct sigaction a = {.sa_flags = flags};

    a.sa_handler = f;
    sigaction(signal, &a, NULL);
}

static void sending(void)
{
    long pid = CALL(__NR_getpid), tid = CALL(__NR_gettid);
    uint64_t set = 0, old = 0, bit = UINT64_C(1) << 32 << 9; /* 10 */

    handle(SIGUSR1, note, 0);
    TRY(kill, pid, SIGUSR1);
    SAY("kill", "got %d", last);
    TRY(kill, pid, 0);
    TRY(kill, pid, 65);
    last = 0;
    TRY(tkill, tid, SIGUSR1);
    SAY("tkill", "got %d", last);
    TRY(tkill, -1, SIGUSR1);
    last = 0;
    TRY(tgkill, pid, tid, SIGUSR1);
    SAY("tgkill", "got %d", last);
    TRY(tgkill, pid, tid, 99);
    TRY(tgkill, -1, tid, 1);
    last = 0;
    TRY(rt_sigprocmask, SIG_BLOCK, &bit, &old, 8);
    TRY(rt_sigprocmask, 9, &bit, &old, 8);
    TRY(rt_sigprocmask, SIG_BLOCK, &bit, &old, 4);
    TRY(rt_sigprocmask, SIG_BLOCK, WILD, &old, 8);
    CALL(__NR_tkill, tid, SIGUSR1);
    SAY("rt_sigprocmask", "got %d", last);
    TRY(rt_sigpending, &set, 8);
    SAY("rt_sigpending", "%llx", (long long)set);
    TRY(rt_sigprocmask, SIG_UNBLOCK, &bit, NULL, 8);
    SAY("rt_sigprocmask", "got %d", last);
}

static void actions(void)
{
    struct sigaction a = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    stack_t s = {.ss_sp = alternate, .ss_size = sizeof alternate}, t;
    union sigval v = {.sival_int = 5};

    TRY(rt_sigaction, 65, NULL, NULL, 8);
    TRY(rt_sigaction, SIGKILL, &a, NULL, 8);
    TRY(rt_sigaction, SIGUSR1, WILD, NULL, 8);
    TRY(rt_sigaction, SIGUSR1, NULL, NULL, 4);
    TRY(sigaltstack, &s, &t);
    SAY("sigaltstack", "%x", t.ss_flags);
    for (unsigned n = 0; n < 12; n++) { /* flags that are none, as well */
        s.ss_flags = n < 9 ? n : 0x10000000 << (n - 9);
        TRY(sigaltstack, &s, &t);
        SAY("sigaltstack", "%x %d", t.ss_flags, t.ss_size != 0);
    }
    s.ss_flags = 0;
    TRY(sigaltstack, &s, NULL);
    s.ss_size = 10;
    TRY(sigaltstack, &s, NULL);
    a.sa_sigaction = know;
    sigaction(SIGUSR1, &a, NULL);
    raise(SIGUSR1);
    SAY("sigaltstack", "%d %d on it %d", last, codes, on_stack);
    SAY("rt_sigqueueinfo", "%d", sigqueue(getpid(), SIGUSR1, v));
    SAY("rt_sigqueueinfo", "%d", codes);
    handle(SIGUSR1, nest, 0);
    handle(SIGUSR2, nest, 0);
    raise(SIGUSR1);
    SAY("sigreturn", "depth %d of %d", depth, deepest);
    handle(SIGUSR1, note, SA_RESETHAND);
    raise(SIGUSR1);
    sigaction(SIGUSR1, NULL, &a);
    SAY("rt_sigaction", "%d", a.sa_handler == SIG_DFL);
    signal(SIGUSR1, SIG_IGN);
    last = 0;
    raise(SIGUSR1);
    SAY("rt_sigaction", "ignored %d", last);
    a.sa_flags = SA_SIGINFO;
    a.sa_sigaction = step;
    sigaction(SIGTRAP, &a, NULL);
    sigaction(SIGILL, &a, NULL);
    {
        register long r3 __asm__("r3") = 1;

        __asm__ volatile("trap" : "+r"(r3));
        SAY("rt_sigreturn", "r3 %ld, %d %d", r3, last, codes);
        r3 = 2;
        __asm__ volatile(".long 0" : "+r"(r3));
        SAY("rt_sigreturn", "r3 %ld, %d", r3, last);
    }
}

static void waits(void)
{
    struct timespec t = {0, 1000000};
    int64_t wide[2] = {0, 1000000};
    uint64_t bit = UINT64_C(1) << 32 << 11, none = 0; /* 12, SIGUSR2 */
    siginfo_t info;
    long tid = CALL(__NR_gettid);

    handle(SIGUSR2, note, 0);
    CALL(__NR_rt_sigprocmask, SIG_BLOCK, &bit, NULL, 8);
    TRY(rt_sigtimedwait, &bit, &info, &t, 8);
    CALL(__NR_tkill, tid, SIGUSR2);
    TRY(rt_sigtimedwait, &bit, &info, &t, 8);
    SAY("rt_sigtimedwait", "%d %d", info.si_signo, info.si_code);
    TRY(rt_sigtimedwait, WILD, &info, &t, 8);
    TRY(rt_sigtimedwait_time64, &bit, &info, wide, 8);
    CALL(__NR_tkill, tid, SIGUSR2);
    last = 0;
    TRY(rt_sigsuspend, &none, 8);
    SAY("rt_sigsuspend", "%d", last);
    TRY(rt_sigsuspend, &none, 3);
    info.si_signo = SIGUSR2;
    info.si_code = SI_QUEUE;
    TRY(rt_tgsigqueueinfo, getpid(), tid, SIGUSR2, &info);
    TRY(rt_tgsigqueueinfo, getpid(), tid, 99, &info);
    CALL(__NR_rt_sigprocmask, SIG_UNBLOCK, &bit, NULL, 8);
    handle(SIGUSR2, escape, 0);
    if (sigsetjmp(back, 1) == 0)
        raise(SIGUSR2);
    if (sigsetjmp(back, 1) == 0)
        raise(SIGUSR2);
    SAY("siglongjmp", "done");
}

static int order[8], orders;

static void collect(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)context;
    if (orders < 8)
        order[orders++] = info->si_value.sival_int;
}

/* Real-time signals queue, others do not. */
static void queueing(void)
{
    struct sigaction a = {.sa_flags = SA_SIGINFO};
    sigset_t set;

    a.sa_sigaction = collect;
    sigaction(SIGRTMIN + 3, &a, NULL);
    sigaction(SIGUSR1, &a, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN + 3);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    for (int i = 1; i < 5; i++) {
        union sigval v = {.sival_int = i * 11};

        sigqueue(getpid(), SIGRTMIN + 3, v);
    }
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    SAY("rt_sigqueueinfo", "%d: %d %d %d %d", orders, order[0], order[1],
        order[2], order[3]);
}

static ucontext_t here, there;
static int turns;

static void turn(void)
{
    for (;;) {
        turns++;
        swapcontext(&there, &here);
    }
}

static void contexts(void)
{
    static char stack[65536];
    double d = 1.5;

    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    makecontext(&there, turn, 0);
    for (int i = 0; i < 5; i++)
        swapcontext(&here, &there);
    SAY("swapcontext", "%d turns %g", turns, d);
    TRY(swapcontext, &here, &there, 10);
    TRY(swapcontext, WILD, NULL, sizeof here);
}

int main(void)
{
    sending();
    actions();
    waits();
    queueing();
    contexts();
    return 0;
}
