/* signal.c - signals: sent, blocked, handled; frames on the user's stack as
 * Linux lays them out on PowerPC (arch/powerpc/include/uapi).
 */
#include <asm/ptrace.h>
#include <asm/siginfo.h>

#include "guest/kernel/hook.h"
#include "guest/process/process.h"

#define SS_DISABLE 2u

#define DEFAULT 0
#define IGNORE 1

/* The frame: siginfo and ucontext, or the short one for plain handlers. */
#define INFO_WORDS 32
#define MCONTEXT_WORDS 248
#define GAP 224   /* below r1, which leaf functions may use */
#define CALLER 64 /* a stack frame for the handler's caller */

static const uint64_t ignored_by_default =
    SIGNAL_BIT(SIGCHLD) | SIGNAL_BIT(SIGCONT) | SIGNAL_BIT(SIGURG) |
    SIGNAL_BIT(SIGWINCH) | SIGNAL_BIT(SIGSTOP) | SIGNAL_BIT(SIGTSTP) |
    SIGNAL_BIT(SIGTTIN) | SIGNAL_BIT(SIGTTOU); /* nothing could go on after */

static const uint64_t faults = SIGNAL_BIT(SIGILL) | SIGNAL_BIT(SIGTRAP) |
                               SIGNAL_BIT(SIGABRT) | SIGNAL_BIT(SIGBUS) |
                               SIGNAL_BIT(SIGFPE) | SIGNAL_BIT(SIGSEGV);

/* ---- sending ------------------------------------------------------------- */

bool signal_ignored(const struct process *p, uint32_t signal)
{
    uint32_t handler = p->action[signal - 1].handler;

    return handler == IGNORE ||
           (handler == DEFAULT && ignored_by_default & SIGNAL_BIT(signal));
}

void signal_note(struct pending *q, uint32_t signal,
                 const struct signal_info *info)
{
    if (q->set & SIGNAL_BIT(signal)) {
        FOR_TABLE (hook, repeated)
            (*hook)(q, signal, info);
        return;
    }
    q->set |= SIGNAL_BIT(signal);
    q->info[signal - 1] = *info;
}

void signal_task_info(struct task *t, uint32_t signal,
                      const struct signal_info *info)
{
    bool blocked = t->blocked & SIGNAL_BIT(signal);

    if (signal_ignored(t->process, signal) && !blocked)
        return;
    signal_note(&t->pending, signal, info);
    if (!blocked || t->awaited & SIGNAL_BIT(signal))
        task_poke(t);
}

void signal_process_info(struct process *p, uint32_t signal,
                         const struct signal_info *info)
{
    struct task *t = p->tasks;

    if (p->state != PROCESS_LIVE)
        return;
    while (t && t->blocked & ~t->awaited & SIGNAL_BIT(signal))
        t = t->next;
    if (t && signal_ignored(p, signal) && !(t->blocked & SIGNAL_BIT(signal)))
        return;
    signal_note(&p->pending, signal, info);
    if (t)
        task_poke(t);
}

void signal_task(struct task *t, uint32_t signal, uint32_t from)
{
    struct signal_info info = {.code = (uint32_t)SI_TKILL, .from = from};

    signal_task_info(t, signal, &info);
}

void signal_process(struct process *p, uint32_t signal, uint32_t from)
{
    struct signal_info info = {.code = SI_USER, .from = from};

    signal_process_info(p, signal, &info);
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
                                          [SIGTERM] = "Terminated"};

    return signal < 32 && names[signal] ? names[signal] : "signal";
}

/* One that is killed by a fault of its own is told; hooks tell more. */
static void report_death(struct task *t, uint32_t signal)
{
    kprintf("process %u (%s): killed by signal %u (%s) at %x",
            t->process->number, t->process->name, signal, name_of(signal),
            t->frame->trap.srr0);
    if (signal == SIGSEGV || signal == SIGBUS)
        kprintf(", address %x", t->info.from);
    kprintf("\n");
    FOR_TABLE (hook, death)
        (*hook)(t);
}

/* ---- the frame ----------------------------------------------------------- */

void context_put(uint32_t *m, struct task *t)
{
    struct user_frame *f = t->frame;

    task_fp_settle(t);
    for (uint32_t n = 0; n < 32; n++)
        m[n] = *user_register(f, n);
    m[PT_NIP] = f->trap.srr0;
    m[PT_MSR] = f->trap.srr1;
    m[PT_ORIG_R3] = f->asked_r3;
    m[PT_CTR] = f->trap.ctr;
    m[PT_LNK] = f->trap.lr;
    m[PT_XER] = f->trap.xer;
    m[PT_CCR] = f->trap.cr;
    m[PT_TRAP] = f->vector;
    m[PT_DAR] = f->dar;
    m[PT_DSISR] = f->dsisr;
    memcpy(&m[PT_FPR0], t->fp, sizeof t->fp);
}

void context_get(const uint32_t *m, struct task *t)
{
    struct user_frame *f = t->frame;

    task_fp_settle(t);
    for (uint32_t n = 0; n < 32; n++)
        *user_register(f, n) = m[n];
    f->trap.srr0 = m[PT_NIP] & ~3u;
    f->trap.srr1 |= m[PT_MSR] & SRR1_RESUME;
    f->trap.ctr = m[PT_CTR];
    f->trap.lr = m[PT_LNK];
    f->trap.xer = m[PT_XER];
    f->trap.cr = m[PT_CCR];
    memcpy(t->fp, &m[PT_FPR0], sizeof t->fp);
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

/* What is in front of the mcontext, in words from the frame's start: where the
 * mask and the mcontext's address are. */
static const struct layout {
    uint32_t words, mask_low, mask_high, registers;
    uint32_t skip;   /* bytes between the caller's frame and this one */
    uint32_t leaves; /* where the handler returns to */
} plain = {8, 6, 3, 7, 0, VDSO + VDSO_PLAIN}, full = {INFO_WORDS + UC_MCONTEXT,
                                                      INFO_WORDS + UC_MASK,
                                                      INFO_WORDS + UC_MASK + 1,
                                                      INFO_WORDS + UC_REGS,
                                                      16,
                                                      VDSO + VDSO_FULL};

static void put_info(uint32_t *b, const struct task *t, uint32_t signal)
{
    uint32_t *stack = b + INFO_WORDS + UC_STACK;

    b[0] = signal;
    memcpy(b + 2, &t->info, sizeof t->info);
    stack[0] = t->stack_base;
    stack[1] = t->stack_size ? on_other_stack(t, t->frame->r1) : SS_DISABLE;
    stack[2] = t->stack_size;
}

/* Write the frame, on which the handler begins. */
static __attribute__((noinline)) bool
push(struct task *t, const struct action *a, uint32_t signal, uint64_t mask)
{
    const struct layout *l = a->flags & SA_SIGINFO ? &full : &plain;
    uint32_t b[INFO_WORDS + UC_MCONTEXT + MCONTEXT_WORDS] = {0};
    uint32_t words = l->words + MCONTEXT_WORDS, at = place(t, a, words);
    uint32_t sp = at - CALLER - l->skip;
    struct user_frame *f = t->frame;

    if (l == &full) {
        put_info(b, t, signal);
    } else {
        b[4] = signal;
        b[5] = a->handler;
    }
    b[l->mask_low] = (uint32_t)mask;
    b[l->mask_high] = (uint32_t)(mask >> 32);
    b[l->registers] = at + 4 * l->words;
    context_put(b + l->words, t);
    if (!copy_out(t->process->space, at, b, 4 * words) ||
        !copy_out(t->process->space, sp, &f->r1, 4))
        return false;
    f->trap.lr = l->leaves;
    f->trap.srr1 &= ~(uint32_t)SRR1_RESUME; /* the mark's, not the handler's */
    f->trap.r3_r12[1] = f->trap.r3_r12[3] = at;
    f->trap.r3_r12[2] = at + 4 * INFO_WORDS;
    f->r1 = sp;
    return true;
}

/* ---- serving ------------------------------------------------------------- */

/* The lowest of `which`, taken, a task's own first; 0: none. process_lock is
 * held. */
uint32_t signal_take(struct task *t, uint64_t which)
{
    uint64_t own = t->pending.set & which;
    uint64_t all = own | (t->process->pending.set & which);
    uint32_t n = all ? (uint32_t)__builtin_ctzll(all) + 1 : 0;
    struct pending *p =
        n && own & SIGNAL_BIT(n) ? &t->pending : &t->process->pending;

    if (n) {
        p->set &= ~SIGNAL_BIT(n);
        t->info = p->info[n - 1];
        FOR_TABLE (hook, taken)
            (*hook)(t, p, n);
    }
    return n;
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

    settle_call(t, &now);
    t->restart = false;
    if (!push(t, &now, signal, before)) {
        report_death(t, SIGSEGV);
        process_end(t->process, SIGSEGV);
        return;
    }
    t->resuspend = false;
    t->blocked |= signal_set(now.mask[0], now.mask[1]);
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
    FOR_TABLE (hook, poked)
        (*hook)(t);
    while (!t->process->ending && (signal = signal_take(t, ~t->blocked))) {
        if (signal_ignored(t->process, signal))
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
    t->info = (struct signal_info){.code = code, .from = at};
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

/* In front: whether the frame is the full one. */
int32_t call_sigreturn(struct task *t, const uint32_t *a)
{
    const struct layout *l = a[0] ? &full : &plain;
    uint32_t b[INFO_WORDS + UC_MCONTEXT], m[PT_FPR0 + 66];
    uint32_t at = t->frame->r1 + CALLER + l->skip;

    if (!copy_in(t->process->space, b, at, 4 * l->words) ||
        !copy_in(t->process->space, m, b[l->registers], sizeof m)) {
        signal_fault(t, SIGSEGV, 1, t->frame->r1);
        return CALL_KEEP;
    }
    mutex_lock(&process_lock);
    t->blocked = signal_set(b[l->mask_low], b[l->mask_high]) & ~NEVER_BLOCKED;
    mutex_unlock(&process_lock);
    t->poked = true; /* another may be pending that is not blocked any more */
    context_get(m, t);
    return CALL_KEEP;
}
