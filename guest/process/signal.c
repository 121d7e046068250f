/* signal.c - signals: sent, blocked, handled; frames on the user's stack as
 * Linux lays them out on PowerPC (arch/powerpc/include/uapi). One that ends a
 * program by its own fault is told with registers and a stack.
 */
#include "guest/process/errno.h"
#include "guest/process/file.h"

#define SA_SIGINFO 4u
#define SA_ONSTACK 0x08000000u
#define SA_RESTART 0x10000000u
#define SA_NODEFER 0x40000000u
#define SA_RESETHAND 0x80000000u
#define SS_DISABLE 2u
#define SI_USER 0
#define SI_TKILL (-6)

#define DEFAULT 0
#define IGNORE 1

/* The frame: siginfo and ucontext, or the short one for plain handlers. */
#define INFO_WORDS 32
#define MCONTEXT_WORDS 248
#define FP_WORD 48 /* in mcontext: 33 doubles */
#define UC_STACK 2 /* in ucontext, words */
#define UC_REGS 12
#define UC_MASK 13
#define UC_MCONTEXT 48
#define UC_WORDS (UC_MCONTEXT + MCONTEXT_WORDS)
#define PLAIN_WORDS 8
#define STACK_PLACES 16
#define GAP 224    /* below r1, which leaf functions may use */
#define CALLER 64  /* a stack frame for the handler's caller */
#define RT_SKIP 16 /* what lies between it and siginfo */
enum { NIP = 32, MSR, ORIG_R3, CTR, LR, XER, CCR, TRAP = 40, DAR, DSISR };

static const uint64_t ignored_by_default =
    SIGNAL_BIT(SIGCHLD) | SIGNAL_BIT(SIGCONT) | SIGNAL_BIT(SIGURG) |
    SIGNAL_BIT(SIGWINCH) | SIGNAL_BIT(SIGSTOP) | SIGNAL_BIT(SIGTSTP) |
    SIGNAL_BIT(SIGTTIN) | SIGNAL_BIT(SIGTTOU); /* nothing could go on after */

static const uint64_t faults = SIGNAL_BIT(SIGILL) | SIGNAL_BIT(SIGTRAP) |
                               SIGNAL_BIT(SIGABRT) | SIGNAL_BIT(SIGBUS) |
                               SIGNAL_BIT(SIGFPE) | SIGNAL_BIT(SIGSEGV);

/* ---- sending ------------------------------------------------------------- */

static bool ignored(const struct process *p, uint32_t signal)
{
    uint32_t handler = p->action[signal - 1].handler;

    return handler == IGNORE ||
           (handler == DEFAULT && ignored_by_default & SIGNAL_BIT(signal));
}

void signal_task(struct task *t, uint32_t signal, uint32_t from)
{
    if (ignored(t->process, signal) && !(t->blocked & SIGNAL_BIT(signal)))
        return;
    t->pending |= SIGNAL_BIT(signal);
    t->from[signal - 1] = from;
    if (!(t->blocked & SIGNAL_BIT(signal)))
        task_poke(t);
}

void signal_process(struct process *p, uint32_t signal, uint32_t from)
{
    if (p->state != PROCESS_LIVE)
        return;
    p->from[signal - 1] = from;
    for (struct task *t = p->tasks; t; t = t->next) {
        if (t->blocked & SIGNAL_BIT(signal))
            continue;
        if (!ignored(p, signal)) {
            p->pending |= SIGNAL_BIT(signal);
            task_poke(t);
        }
        return;
    }
    p->pending |= SIGNAL_BIT(signal);
}

static const char *name_of(uint32_t signal)
{
    static const char *const names[32] = {[SIGINT] = "Interrupt",
                                          [SIGILL] = "Illegal instruction",
                                          [SIGTRAP] = "Trace/breakpoint trap",
                                          [SIGABRT] = "Aborted",
                                          [SIGBUS] = "Bus error",
                                          [SIGFPE] = "Floating point exception",
                                          [SIGKILL] = "Killed",
                                          [SIGSEGV] = "Segmentation fault",
                                          [SIGPIPE] = "Broken pipe",
                                          [SIGALRM] = "Alarm clock",
                                          [15] = "Terminated"};

    return signal < 32 && names[signal] ? names[signal] : "signal";
}

/* ---- the report of a death ----------------------------------------------- */

static void print_place(const struct node *file, uint32_t at)
{
    uint32_t offset = 0;
    const char *name = file ? elf_symbol(file, at, &offset) : "";

    if (*name)
        kprintf("    %x %s+0x%x\n", at, name, offset);
    else
        kprintf("    %x\n", at);
}

/* The caller of a frame, and where it goes on. False: it makes no sense. */
static bool walk_up(struct task *t, uint32_t *sp, uint32_t *back)
{
    uint32_t above, frame[2];

    if (!copy_in(t->process->space, &above, *sp, 4) || above <= *sp ||
        !copy_in(t->process->space, frame, above, 8))
        return false;
    *sp = above;
    *back = frame[1];
    return true;
}

/* By the back chain. A leaf's caller may be in LR alone; where it is in
 * memory too it is told once. */
static void print_stack(struct task *t, const struct node *file)
{
    const struct user_frame *f = t->frame;
    uint32_t sp = f->r1, back;
    bool more = walk_up(t, &sp, &back);

    print_place(file, f->trap.srr0);
    if (!more || back != f->trap.lr)
        print_place(file, f->trap.lr);
    for (unsigned n = 0; n < STACK_PLACES && more && back; n++) {
        print_place(file, back);
        more = walk_up(t, &sp, &back);
    }
}

static void report_death(struct task *t, uint32_t signal)
{
    const struct trap_frame *r = &t->frame->trap;
    int32_t error;
    const struct node *file =
        ramdisk_find("/", t->process->program, true, &error);

    kprintf("process %u (%s): killed by signal %u (%s) at %x",
            t->process->number, t->process->name, signal, name_of(signal),
            r->srr0);
    if (signal == SIGSEGV || signal == SIGBUS)
        kprintf(", address %x", t->fault_at);
    for (uint32_t n = 0; n < 32; n++) {
        if (n % 8 == 0)
            kprintf("\n    r%u", n);
        kprintf(" %x", *user_register(t->frame, n));
    }
    kprintf("\n    lr %x ctr %x cr %x xer %x\n", r->lr, r->ctr, r->cr, r->xer);
    print_stack(t, file);
}

/* ---- the frame ----------------------------------------------------------- */

static void put_registers(uint32_t *m, struct task *t)
{
    struct user_frame *f = t->frame;

    task_fp_settle(t);
    for (uint32_t n = 0; n < 32; n++)
        m[n] = *user_register(f, n);
    m[NIP] = f->trap.srr0;
    m[MSR] = f->trap.srr1;
    m[ORIG_R3] = f->asked_r3;
    m[CTR] = f->trap.ctr;
    m[LR] = f->trap.lr;
    m[XER] = f->trap.xer;
    m[CCR] = f->trap.cr;
    m[TRAP] = f->vector;
    m[DAR] = f->dar;
    m[DSISR] = f->dsisr;
    memcpy(&m[FP_WORD], t->fp, sizeof t->fp);
}

static void get_registers(const uint32_t *m, struct task *t)
{
    struct user_frame *f = t->frame;

    task_fp_settle(t);
    for (uint32_t n = 0; n < 32; n++)
        *user_register(f, n) = m[n];
    f->trap.srr0 = m[NIP] & ~3u;
    f->trap.ctr = m[CTR];
    f->trap.lr = m[LR];
    f->trap.xer = m[XER];
    f->trap.cr = m[CCR];
    memcpy(t->fp, &m[FP_WORD], sizeof t->fp);
}

bool on_other_stack(const struct task *t, uint32_t sp)
{
    return t->stack_size && sp > t->stack_base &&
           sp - t->stack_base <= t->stack_size;
}

/* Where the words of a frame go. */
static uint32_t place(const struct task *t, const struct action *a,
                      uint32_t words)
{
    uint32_t sp = t->frame->r1;

    if (a->flags & SA_ONSTACK && t->stack_size && !on_other_stack(t, sp))
        sp = t->stack_base + t->stack_size;
    return (sp - 4 * words - GAP) & ~15u;
}

/* The handler begins on them, `skip` bytes further down. */
static bool push(struct task *t, uint32_t at, const uint32_t *b, uint32_t words,
                 uint32_t skip)
{
    struct user_frame *f = t->frame;
    uint32_t sp = at - CALLER - skip;

    if (!copy_out(t->process->space, at, b, 4 * words) ||
        !copy_out(t->process->space, sp, &f->r1, 4))
        return false;
    f->trap.lr = skip ? TRAMPOLINE : TRAMPOLINE + 8;
    f->trap.r3_r12[1] = f->trap.r3_r12[3] = at;
    f->trap.r3_r12[2] = at + 4 * INFO_WORDS;
    f->r1 = sp;
    return true;
}

static __attribute__((noinline)) bool push_full(struct task *t,
                                                const struct action *a,
                                                uint32_t signal, uint64_t mask)
{
    uint32_t b[INFO_WORDS + UC_WORDS], *uc = b + INFO_WORDS;
    uint32_t at = place(t, a, INFO_WORDS + UC_WORDS);

    memset(b, 0, sizeof b);
    b[0] = signal;
    b[2] = t->fault_code;
    b[3] = (int32_t)t->fault_code > 0 ? t->fault_at : t->sender;
    uc[UC_STACK] = t->stack_base;
    uc[UC_STACK + 1] =
        t->stack_size ? on_other_stack(t, t->frame->r1) : SS_DISABLE;
    uc[UC_STACK + 2] = t->stack_size;
    uc[UC_REGS] = at + 4 * (INFO_WORDS + UC_MCONTEXT);
    uc[UC_MASK] = (uint32_t)mask;
    uc[UC_MASK + 1] = (uint32_t)(mask >> 32);
    put_registers(uc + UC_MCONTEXT, t);
    return push(t, at, b, INFO_WORDS + UC_WORDS, RT_SKIP);
}

static __attribute__((noinline)) bool push_plain(struct task *t,
                                                 const struct action *a,
                                                 uint32_t signal, uint64_t mask)
{
    uint32_t b[PLAIN_WORDS + MCONTEXT_WORDS];
    uint32_t at = place(t, a, PLAIN_WORDS + MCONTEXT_WORDS);

    memset(b, 0, sizeof b);
    b[3] = (uint32_t)(mask >> 32);
    b[4] = signal;
    b[5] = a->handler;
    b[6] = (uint32_t)mask;
    b[7] = at + 4 * PLAIN_WORDS;
    put_registers(b + PLAIN_WORDS, t);
    return push(t, at, b, PLAIN_WORDS + MCONTEXT_WORDS, 0);
}

/* ---- serving ------------------------------------------------------------- */

/* The lowest that is not blocked, taken; 0: none. process_lock is held. */
static uint32_t take(struct task *t, uint64_t which)
{
    uint64_t own = t->pending & which, all = t->process->pending & which;

    for (uint32_t n = 1; n <= SIGNALS; n++) {
        if (own & SIGNAL_BIT(n)) {
            t->pending &= ~SIGNAL_BIT(n);
            t->fault_code = (uint32_t)SI_TKILL;
            t->sender = t->from[n - 1];
            return n;
        }
        if (all & SIGNAL_BIT(n)) {
            t->process->pending &= ~SIGNAL_BIT(n);
            t->fault_code = SI_USER;
            t->sender = t->process->from[n - 1];
            return n;
        }
    }
    return 0;
}

/* A call that a handler interrupts fails, if the handler says so. */
static void settle_call(struct task *t, const struct action *a)
{
    if (!t->restart || a->flags & SA_RESTART)
        return;
    t->frame->trap.srr0 += 4;
    t->frame->trap.r3_r12[0] = EINTR;
    t->frame->trap.cr |= 0x10000000;
}

/* process_lock is held. */
static void handle(struct task *t, uint32_t signal)
{
    struct action *a = &t->process->action[signal - 1], now = *a;
    uint64_t before = t->resuspend ? t->suspended : t->blocked;
    bool pushed;

    settle_call(t, &now);
    t->restart = false;
    pushed = now.flags & SA_SIGINFO ? push_full(t, &now, signal, before)
                                    : push_plain(t, &now, signal, before);
    if (!pushed) {
        report_death(t, SIGSEGV);
        process_end(t->process, SIGSEGV);
        return;
    }
    t->resuspend = false;
    t->blocked |= now.mask;
    if (!(now.flags & SA_NODEFER))
        t->blocked |= SIGNAL_BIT(signal);
    t->blocked &= ~NEVER_BLOCKED;
    if (now.flags & SA_RESETHAND)
        a->handler = DEFAULT;
    t->frame->trap.r3_r12[0] = signal;
    t->frame->trap.srr0 = now.handler & ~3u;
}

void signals_serve(struct task *t)
{
    uint32_t signal;

    mutex_lock(&process_lock);
    t->poked = false;
    alarm_serve(t->process);
    while (!t->process->ending && (signal = take(t, ~t->blocked))) {
        if (ignored(t->process, signal))
            continue;
        if (t->process->action[signal - 1].handler != DEFAULT) {
            handle(t, signal);
            continue;
        }
        if (faults & SIGNAL_BIT(signal))
            report_death(t, signal);
        process_end(t->process, signal);
    }
    t->restart = false;
    if (t->resuspend) /* sigsuspend met nothing that was handled */
        t->blocked = t->suspended;
    t->resuspend = false;
    mutex_unlock(&process_lock);
}

void signal_fault(struct task *t, uint32_t signal, uint32_t code, uint32_t at)
{
    uint32_t handler;

    mutex_lock(&process_lock);
    handler = t->process->action[signal - 1].handler;
    t->fault_code = code;
    t->fault_at = at;
    if (handler == DEFAULT || handler == IGNORE ||
        t->blocked & SIGNAL_BIT(signal)) {
        report_death(t, signal);
        process_end(t->process, signal);
    } else {
        handle(t, signal);
    }
    mutex_unlock(&process_lock);
}

/* ---- returning ----------------------------------------------------------- */

static int32_t go_back(struct task *t, const uint32_t *m, uint64_t mask)
{
    mutex_lock(&process_lock);
    t->blocked = mask & ~NEVER_BLOCKED;
    mutex_unlock(&process_lock);
    t->poked = true; /* another may be pending that is not blocked any more */
    get_registers(m, t);
    return CALL_KEEP;
}

static int32_t bad_frame(struct task *t)
{
    signal_fault(t, SIGSEGV, 1, t->frame->r1);
    return CALL_KEEP;
}

int32_t call_rt_sigreturn(struct task *t, const uint32_t *a)
{
    uint32_t at = t->frame->r1 + CALLER + RT_SKIP + 4 * INFO_WORDS;
    uint32_t uc[UC_MCONTEXT], m[FP_WORD + 66];

    (void)a;
    if (!copy_in(t->process->space, uc, at, sizeof uc) ||
        !copy_in(t->process->space, m, uc[UC_REGS], sizeof m))
        return bad_frame(t);
    return go_back(t, m, (uint64_t)uc[UC_MASK + 1] << 32 | uc[UC_MASK]);
}

int32_t call_sigreturn(struct task *t, const uint32_t *a)
{
    uint32_t b[PLAIN_WORDS], m[FP_WORD + 66];

    (void)a;
    if (!copy_in(t->process->space, b, t->frame->r1 + CALLER, sizeof b) ||
        !copy_in(t->process->space, m, b[7], sizeof m))
        return bad_frame(t);
    return go_back(t, m, (uint64_t)b[3] << 32 | b[6]);
}
