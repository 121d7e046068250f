/* frame.c - the frames that signal handlers run on and return from, and the
 * contexts that programs change by themselves, as Linux lays them out on
 * PowerPC.
 */
#include "lib/base/big_endian.h"
#include "sim/user/process.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

/* ---- frames -------------------------------------------------------------- */

void frame_info(uint8_t *b, int signal, const struct siginfo *i)
{
    memset(b, 0, ABI_SIGINFO);
    be_put32(b, (uint32_t)signal);
    be_put32(b + 8, (uint32_t)i->code);
    for (unsigned n = 0; n < 3; n++)
        be_put32(b + 12 + 4 * n, i->word[n]);
}

static void put_registers(uint8_t *b, const struct call *k)
{
    const struct cpu *c = &k->core->cpu;

    memset(b, 0, MCONTEXT_SIZE);
    for (unsigned n = 0; n < 32; n++) {
        be_put32(b + 4 * n, c->gpr[n]);
        be_put64(b + MCONTEXT_FREGS + 8 * n, c->fpr[n]);
    }
    be_put32(b + 4 * GREG_NIP, c->pc);
    be_put32(b + 4 * GREG_MSR, c->msr);
    be_put32(b + 4 * GREG_ORIG_R3, c->gpr[3]);
    be_put32(b + 4 * GREG_CTR, c->ctr);
    be_put32(b + 4 * GREG_LR, c->lr);
    be_put32(b + 4 * GREG_XER, c->xer);
    be_put32(b + 4 * GREG_CCR, c->cr);
    be_put32(b + 4 * GREG_TRAP, k->vector);
    be_put32(b + 4 * GREG_DAR, c->dar);
    be_put32(b + 4 * GREG_DSISR, c->dsisr);
    be_put64(b + MCONTEXT_FREGS + 256, c->fpscr);
}

static void get_registers(const uint8_t *b, struct cpu *c)
{
    for (unsigned n = 0; n < 32; n++) {
        c->gpr[n] = be_get32(b + 4 * n);
        c->fpr[n] = be_get64(b + MCONTEXT_FREGS + 8 * n);
    }
    c->pc = be_get32(b + 4 * GREG_NIP) & ~3u;
    c->ctr = be_get32(b + 4 * GREG_CTR);
    c->lr = be_get32(b + 4 * GREG_LR);
    c->xer = be_get32(b + 4 * GREG_XER) & 0xE000007Fu;
    c->cr = be_get32(b + 4 * GREG_CCR);
    c->fpscr = (uint32_t)be_get64(b + MCONTEXT_FREGS + 256);
}

static bool frame_on_alt(const struct thread *t, ea_t sp)
{
    return !(t->alt_flags & ABI_SS_AUTODISARM) && sp > t->alt_base &&
           sp - t->alt_base <= t->alt_size;
}

/* Where a frame of `size` bytes goes. */
static ea_t place_frame(const struct thread *t, const struct action *a, ea_t sp,
                        uint32_t size)
{
    if (a->flags & ABI_SA_ONSTACK && t->alt_size && !frame_on_alt(t, sp))
        sp = t->alt_base + t->alt_size;
    return (sp - size) & ~15u;
}

void frame_stack(uint8_t *b, const struct thread *t, ea_t sp)
{
    be_put32(b, t->alt_base);
    be_put32(b + 4, (!t->alt_size          ? ABI_SS_DISABLE
                     : frame_on_alt(t, sp) ? ABI_SS_ONSTACK
                                           : 0) |
                        t->alt_flags);
    be_put32(b + 8, t->alt_size);
}

int32_t frame_alternate(struct thread *t, const uint8_t *b, ea_t sp)
{
    uint32_t flags = be_get32(b + 4), mode = flags & ~ABI_SS_AUTODISARM;
    uint32_t size = be_get32(b + 8);

    if (frame_on_alt(t, sp))
        return -EPERM;
    if (mode != ABI_SS_DISABLE && mode != ABI_SS_ONSTACK && mode != 0)
        return -EINVAL;
    if (mode != ABI_SS_DISABLE && size < ABI_MINSIGSTKSZ)
        return -ENOMEM;
    t->alt_base = mode == ABI_SS_DISABLE ? 0 : be_get32(b);
    t->alt_size = mode == ABI_SS_DISABLE ? 0 : size;
    t->alt_flags = flags & ABI_SS_AUTODISARM;
    return 0;
}

/* A handler begins: a stack that disarms itself is gone until it returns. */
static void disarm(struct thread *t)
{
    if (!(t->alt_flags & ABI_SS_AUTODISARM))
        return;
    t->alt_base = t->alt_size = t->alt_flags = 0;
}

/* siginfo, ucontext with the registers inside, gap. */
bool frame_push_rt(struct call *k, const struct frame *f)
{
    uint8_t b[ABI_SIGINFO + UCONTEXT_SIZE];
    uint8_t *uc = b + ABI_SIGINFO;
    struct cpu *c = &k->core->cpu;
    struct space *s = &k->u->space;
    ea_t at = place_frame(k->t, f->action, c->gpr[1], sizeof b + FRAME_GAP);
    ea_t sp = at - FRAME_CALLER - 16;
    ea_t registers = at + ABI_SIGINFO + UCONTEXT_MCONTEXT;

    memset(b, 0, sizeof b);
    frame_info(b, f->signal, f->info);
    frame_stack(uc + UCONTEXT_STACK, k->t, c->gpr[1]);
    be_put32(uc + UCONTEXT_REGS, registers);
    be_put64(uc + UCONTEXT_MASK, f->mask);
    be_put32(uc + UCONTEXT_MASK, (uint32_t)f->mask);
    be_put32(uc + UCONTEXT_MASK + 4, (uint32_t)(f->mask >> 32));
    put_registers(uc + UCONTEXT_MCONTEXT, k);
    if (!space_write(s, at, b, sizeof b) || !space_write32(s, sp, c->gpr[1]))
        return false;
    disarm(k->t);
    c->lr = VDSO_BASE + VDSO_RT_SIGRETURN;
    c->gpr[1] = sp;
    c->gpr[4] = at;
    c->gpr[5] = at + ABI_SIGINFO;
    c->gpr[6] = at;
    return true;
}

/* sigcontext, registers, gap: for handlers without SA_SIGINFO. */
bool frame_push_plain(struct call *k, const struct frame *f)
{
    uint8_t b[32 + MCONTEXT_SIZE];
    struct cpu *c = &k->core->cpu;
    struct space *s = &k->u->space;
    ea_t at = place_frame(k->t, f->action, c->gpr[1], sizeof b + FRAME_GAP);
    ea_t sp = at - FRAME_CALLER;

    memset(b, 0, sizeof b);
    be_put32(b + 12, (uint32_t)(f->mask >> 32));
    be_put32(b + 16, (uint32_t)f->signal);
    be_put32(b + 20, f->action->handler);
    be_put32(b + 24, (uint32_t)f->mask);
    be_put32(b + 28, at + 32);
    put_registers(b + 32, k);
    if (!space_write(s, at, b, sizeof b) || !space_write32(s, sp, c->gpr[1]))
        return false;
    disarm(k->t);
    c->lr = VDSO_BASE + VDSO_SIGRETURN;
    c->gpr[1] = sp;
    c->gpr[4] = at;
    return true;
}

/* ---- returning ----------------------------------------------------------- */

static int32_t bad_frame(struct call *k)
{
    struct siginfo info = {1, {k->core->cpu.gpr[1], 0, 0}};

    signal_force(k, SIGSEGV, &info);
    return CALL_SET;
}

int32_t call_rt_sigreturn(struct call *k)
{
    struct cpu *c = &k->core->cpu;
    ea_t at = c->gpr[1] + FRAME_CALLER + 16 + ABI_SIGINFO;
    uint8_t uc[UCONTEXT_MCONTEXT], m[MCONTEXT_SIZE];
    struct thread *t = k->t;

    if (!space_read(&k->u->space, at, uc, sizeof uc) ||
        !space_read(&k->u->space, be_get32(uc + UCONTEXT_REGS), m, sizeof m))
        return bad_frame(k);
    t->blocked = call_pair(be_get32(uc + UCONTEXT_MASK + 4),
                           be_get32(uc + UCONTEXT_MASK)) &
                 ~NEVER_BLOCKED;
    get_registers(m, c);
    /* The other stack is again what it was, unless the handler came from it. */
    (void)frame_alternate(t, uc + UCONTEXT_STACK, c->gpr[1]);
    return CALL_SET;
}

int32_t call_sigreturn(struct call *k)
{
    struct cpu *c = &k->core->cpu;
    ea_t at = c->gpr[1] + FRAME_CALLER;
    uint8_t b[32], m[MCONTEXT_SIZE];

    if (!space_read(&k->u->space, at, b, sizeof b) ||
        !space_read(&k->u->space, be_get32(b + 28), m, sizeof m))
        return bad_frame(k);
    k->t->blocked =
        call_pair(be_get32(b + 12), be_get32(b + 24)) & ~NEVER_BLOCKED;
    get_registers(m, c);
    return CALL_SET;
}

/* Save the context in one place, go on in another (r3, r4; r5 a size). As Linux
 * has it, r2 stays: it is the thread's own. */
int32_t call_swapcontext(struct call *k)
{
    struct cpu *c = &k->core->cpu;
    struct space *s = &k->u->space;
    ea_t from = k->a[0], to = k->a[1];
    uint32_t own = c->gpr[2];
    uint8_t uc[UCONTEXT_SIZE];
    uint32_t at;

    if (k->a[2] < UCONTEXT_MCONTEXT + MCONTEXT_TRAMP)
        return -EINVAL;
    if (from) {
        uint8_t m[MCONTEXT_TRAMP];

        put_registers(uc, k);
        memcpy(m, uc, sizeof m);
        at = (from + UCONTEXT_MCONTEXT) & ~15u;
        if (!space_write(s, at, m, sizeof m) ||
            !space_write32(s, from + UCONTEXT_REGS, at) ||
            !signal_write_set(k, from + UCONTEXT_MASK, k->t->blocked))
            return -EFAULT;
    }
    if (!to)
        return 0;
    if (!space_read(s, to, uc, UCONTEXT_MCONTEXT))
        return -EFAULT;
    at = be_get32(uc + UCONTEXT_REGS);
    k->t->blocked = call_pair(be_get32(uc + UCONTEXT_MASK + 4),
                              be_get32(uc + UCONTEXT_MASK)) &
                    ~NEVER_BLOCKED;
    if (!space_read(s, at, uc, MCONTEXT_TRAMP))
        return bad_frame(k);
    get_registers(uc, c);
    c->gpr[2] = own;
    return CALL_SET;
}
