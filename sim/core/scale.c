/* scale.c - see scale.h. A function is entered when the next instruction is
 * its first and it is not entered already by that context (recursion is one
 * entry); it is left as one with a probe is (sim/observe/probe.c), or when a
 * jump sets the stack pointer of a frame that called it. What sets the stack
 * pointer otherwise than an epilogue does is told by its decoded record, so
 * that nothing else need be looked at.
 */
#include "sim/core/scale.h"

#include "isa/cpu.h"
#include "isa/insn.h"
#include "isa/mmu.h"
#include "isa/phys.h"
#include "sim/core/core.h"

#define PAGE 0xFFFu
#define FRAMES 4096u     /* of a stack are looked at */
#define SWAPCONTEXT 249u /* Linux's call: r3 gets a context, r4 is set */

static bool on_page(ea_t from, ea_t end, ea_t pc)
{
    return end > from && (pc | PAGE) >= from && (pc & ~PAGE) < end;
}

static void add_point(struct scale *s, ea_t pc)
{
    unsigned n = (pc >> 2 ^ pc >> 18) & (SCALE_POINTS - 1);

    if (scale_is_point(s, pc))
        return;
    s->point[n / 64] |= UINT64_C(1) << n % 64;
    s->points++;
}

void scale_begin(struct scale *s)
{
    for (unsigned n = 0; n < s->functions; n++) {
        s->inside |= s->function[n].program != 0;
        if (!s->function[n].program)
            add_point(s, s->function[n].from[0]);
    }
    for (unsigned n = 0; n < s->lockers; n++)
        add_point(s, s->locker[n].from);
    add_point(s, s->sleeps);
    add_point(s, s->sleeps_until);
    add_point(s, s->masks);
}

void scale_mapped(struct scale *s, const struct host_view *v)
{
    for (size_t k = 0; k < v->count; k++)
        for (unsigned n = 0; n < s->functions; n++) {
            ea_t at = s->function[n].from[0] + v->stretch[k].up;

            if (s->function[n].program == v->stretch[k].program &&
                at - v->stretch[k].start < v->stretch[k].size)
                add_point(s, at);
        }
}

/* The latest of that context, of what is pending or held; NULL: none. */
static const struct scale_call *latest(const struct scale *s, uint32_t context)
{
    for (unsigned n = s->active; n--;)
        if (s->call[n].context == context)
            return &s->call[n];
    return NULL;
}

bool scale_looks(const struct scale *s, const struct host_view *v,
                 uint32_t context, ea_t pc)
{
    ea_t linked = pc;
    uint16_t program = scale_program(s, v, &linked);

    for (unsigned n = 0; n < s->functions; n++) {
        const struct scale_function *f = &s->function[n];

        if (f->program == program && (on_page(f->from[0], f->end[0], linked) ||
                                      on_page(f->from[1], f->end[1], linked)))
            return true;
    }
    for (unsigned n = 0; n < s->lockers; n++)
        if ((s->locker[n].from ^ pc) <= PAGE)
            return true;
    if ((s->masks ^ pc) <= PAGE)
        return true;
    return latest(s, context) != NULL;
}

static bool entered(const struct scale *s, uint32_t context, unsigned function)
{
    for (unsigned n = 0; n < s->active; n++)
        if (s->call[n].is == SCALE_ENTERED && s->call[n].context == context &&
            s->call[n].number == function)
            return true;
    return false;
}

static void push(struct scale *s, uint32_t context, enum scale_is is,
                 unsigned number, bool says, const struct cpu *cpu)
{
    if (s->active == SCALE_CALLS) {
        s->lost++;
        return;
    }
    s->call[s->active++] = (struct scale_call){
        .is = is,
        .context = context,
        .back = cpu->lr & ~3u,
        .stack = cpu->gpr[1],
        .user = cpu->msr & MSR_PR,
        .says = says,
        .number = number,
    };
    add_point(s, cpu->lr & ~3u);
}

static void enter(struct scale *s, uint32_t context, unsigned function,
                  const struct cpu *cpu)
{
    s->function[function].called = true;
    if (!entered(s, context, function))
        push(s, context, SCALE_ENTERED, function, false, cpu);
}

static bool holds(const struct scale_call *c, unsigned lock)
{
    return c->is == SCALE_HOLDS && c->number == lock;
}

/* That context gives back a lock, of which others may have a share, and which
 * it has as often as it took it: what it took last. One that did not have it
 * gives it back for all. Of one that takes it nothing is known yet. */
static void give(struct scale *s, uint32_t context, unsigned lock)
{
    unsigned kept = 0, own = s->active;

    for (unsigned n = 0; n < s->active; n++)
        if (holds(&s->call[n], lock) && s->call[n].context == context)
            own = n;
    for (unsigned n = 0; n < s->active; n++)
        if (own < s->active ? n != own : !holds(&s->call[n], lock))
            s->call[kept++] = s->call[n];
    s->active = kept;
}

/* The function at cpu.pc is about to take or give back a lock. */
static void meet(struct scale *s, uint32_t context,
                 const struct scale_locker *l, const struct cpu *cpu)
{
    for (unsigned n = 0; n < s->locks; n++) {
        if (s->lock[n].address != cpu->gpr[l->gpr])
            continue;
        if (l->gives)
            give(s, context, n);
        if (l->takes)
            push(s, context, SCALE_TAKES, n, l->says, cpu);
    }
}

/* A function that takes a lock has returned. */
static bool took(const struct scale_call *c, const struct cpu *cpu)
{
    return c->is == SCALE_TAKES && (!c->says || !cpu->gpr[3]);
}

/* Those that return to where cpu is. */
static void leave(struct scale *s, uint32_t context, const struct cpu *cpu)
{
    unsigned kept = 0;

    for (unsigned n = 0; n < s->active; n++) {
        struct scale_call *c = &s->call[n];
        bool back = c->is != SCALE_HOLDS && c->context == context &&
                    c->user == !!(cpu->msr & MSR_PR) && c->back == cpu->pc &&
                    cpu->gpr[1] == c->stack;

        if (back && !took(c, cpu))
            continue;
        if (back) {
            c->is = SCALE_HOLDS;
            s->lock[c->number].taken = true;
        }
        s->call[kept++] = *c;
    }
    s->active = kept;
}

/* ---- left by a jump ------------------------------------------------------ */

/* What the program would read there. */
static bool word_at(const struct core *c, ea_t ea, uint32_t *word)
{
    const struct core_supervisor *system = &c->with.supervisor;
    const struct ram *r = c->with.ram;
    uint8_t bytes[4];
    pa_t pa;

    if (ea % 4)
        return false;
    if (system->peek) {
        if (!system->peek(system->arg, ea, bytes, sizeof bytes))
            return false;
        *word = phys_get(bytes, 4);
        return true;
    }
    if (!mmu_peek(&c->cpu, ea, TLB_LOAD, &pa) || pa > r->size - 4)
        return false;
    *word = phys_get(r->bytes + pa, 4);
    return true;
}

/* Is `sp` that of a frame further up the stack that is at `stack` now? */
static bool above(const struct core *c, uint32_t stack, uint32_t sp)
{
    uint32_t at = stack;

    for (unsigned n = 0; n < FRAMES && word_at(c, at, &at) && at; n++)
        if (at == sp)
            return true;
    return false;
}

/* Does i load a stack pointer from where a jump finds it: a jump buffer or a
 * context, mangled or not, or, in an unwinder, a distance in r10? An epilogue
 * has it from r1 or from another register that held it. */
static bool jumps(const struct insn *i)
{
    switch (i->op) {
    case OP_LWZ:
    case OP_LWZX:
        return i->a != 1;
    case OP_ADD:
        return i->a == 1 && i->b == 10;
    case OP_LMW:
    case OP_XOR:
        return true;
    default:
        return false;
    }
}

/* Has it been left for the frame that called it or for one above? `jumped`: it
 * was no epilogue of its own that made the stack pointer what it was. */
static bool passed(const struct scale_call *k, const struct core *c,
                   bool jumped)
{
    uint32_t sp = c->cpu.gpr[1];

    return sp == k->stack ? jumped : above(c, k->stack, sp);
}

static bool may_be_passed(const struct scale_call *k, const struct core *c)
{
    return k->is != SCALE_HOLDS && k->context == c->context && k->user;
}

void scale_stack_set(struct scale *s, const struct core *c,
                     const struct insn *i)
{
    unsigned kept = 0;

    if (!(c->cpu.msr & MSR_PR)) /* kernels change to another's stack */
        return;
    for (unsigned n = 0; n < s->active; n++) {
        const struct scale_call *k = &s->call[n];

        if (!may_be_passed(k, c) || !passed(k, c, jumps(i)))
            s->call[kept++] = *k;
    }
    s->active = kept;
}

void scale_system_call(struct scale *s, const struct core *c)
{
    bool sets = c->cpu.gpr[0] == SWAPCONTEXT && c->cpu.gpr[4];

    for (unsigned n = 0; sets && n < s->active; n++)
        if (may_be_passed(&s->call[n], c)) {
            s->call[n].asked = true;
            s->asked++;
        }
}

void scale_arrive(struct scale *s, const struct core *c)
{
    unsigned kept = 0;

    if (!(c->cpu.msr & MSR_PR))
        return;
    s->asked = 0;
    for (unsigned n = 0; n < s->active; n++) {
        struct scale_call *k = &s->call[n];
        bool now = k->asked && k->context == c->context;

        if (now)
            k->asked = false;
        s->asked += k->asked;
        if (!now || !passed(k, c, true))
            s->call[kept++] = *k;
    }
    s->active = kept;
}

/* ---- what it comes to ---------------------------------------------------- */

static struct what_if_factor factor_of(const struct scale *s,
                                       const struct scale_call *c)
{
    return c->is == SCALE_ENTERED ? s->function[c->number].k
                                  : s->lock[c->number].k;
}

struct what_if_factor scale_asked(const struct scale *s, uint32_t context)
{
    for (unsigned n = s->active; n--;)
        if (s->call[n].context == context && s->call[n].is != SCALE_TAKES)
            return factor_of(s, &s->call[n]);
    return (struct what_if_factor){0};
}

struct what_if_factor scale_factor(const struct scale *s,
                                   const struct host_view *v, uint32_t context,
                                   const struct cpu *cpu)
{
    unsigned class = scale_class(s, v, cpu->pc);
    bool user = cpu->msr & MSR_PR;

    if (class)
        return s->function[class - 1].k;
    for (unsigned n = s->active; n--;) {
        const struct scale_call *c = &s->call[n];

        if (c->context == context && c->user == user &&
            (c->is == SCALE_HOLDS ||
             (c->is == SCALE_ENTERED && s->function[c->number].callees)))
            return factor_of(s, c);
    }
    return (struct what_if_factor){0};
}

/* The guest is about to sleep for some cycles, or to wait up to a tick at most.
 */
static void change_sleep(struct what_if_factor k, struct cpu *cpu)
{
    uint64_t cycles = what_if_scaled(k, cpu->gpr[3]);

    cpu->gpr[3] = cycles > UINT32_MAX ? UINT32_MAX : (uint32_t)cycles;
}

static void change_until(struct what_if_factor k, struct cpu *cpu,
                         uint64_t tick)
{
    uint64_t until = (uint64_t)cpu->gpr[5] << 32 | cpu->gpr[6];

    if (until <= tick || until == UINT64_MAX)
        return;
    until = tick + what_if_scaled(k, until - tick);
    cpu->gpr[5] = (uint32_t)(until >> 32);
    cpu->gpr[6] = (uint32_t)until;
}

static void make_mask(struct scale *s, struct cpu *cpu)
{
    cpu->gpr[4] = UINT32_MAX;
    s->masked = true;
}

struct what_if_factor scale_step(struct scale *s, const struct host_view *v,
                                 uint32_t context, struct cpu *cpu,
                                 uint64_t tick)
{
    ea_t linked = cpu->pc;
    uint16_t program = scale_program(s, v, &linked);

    if (s->active)
        leave(s, context, cpu);
    for (unsigned n = 0; n < s->functions; n++)
        if (s->function[n].program == program &&
            linked == s->function[n].from[0])
            enter(s, context, n, cpu);
    for (unsigned n = 0; n < s->lockers; n++)
        if (cpu->pc == s->locker[n].from)
            meet(s, context, &s->locker[n], cpu);
    if (cpu->pc == s->sleeps)
        change_sleep(scale_asked(s, context), cpu);
    else if (cpu->pc == s->masks)
        make_mask(s, cpu);
    else if (cpu->pc == s->sleeps_until)
        change_until(scale_asked(s, context), cpu, tick);
    return scale_factor(s, v, context, cpu);
}

/* By steps, where whole cycles come seldom. */
#define FIT 256u

static uint64_t fit_by_steps(struct scale_rest r, struct what_if_factor k,
                             uint64_t each, uint64_t cycles)
{
    uint64_t n = 0, sum = 0;

    while (n < FIT && (sum += scale_cost(&r, k, each)) < cycles)
        n++;
    return n;
}

uint64_t scale_fit(const struct scale_rest *r, struct what_if_factor k,
                   uint64_t each, uint64_t cycles)
{
    uint64_t q = each * k.millionths;

    if (cycles > UINT32_MAX)
        cycles = UINT32_MAX;
    if (!q)
        return cycles * SCALE_INSNS - r->still - 1;
    /* No SCALE_INSNS in a row come to nothing, not even the next ones. */
    if (q * SCALE_INSNS >= WHAT_IF_UNIT &&
        r->millionths + (SCALE_INSNS - r->still) * q >= WHAT_IF_UNIT)
        return (cycles * WHAT_IF_UNIT - 1 - r->millionths) / q;
    return fit_by_steps(*r, k, each, cycles);
}
