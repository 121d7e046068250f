/* exception_frame.c - see exception_frame.h.
 *
 * Every register and every word that the handler stores is what one of the
 * interrupted registers was, or a constant, or an address of the handler's
 * own, plus a number. Code is followed along both sides of its conditional
 * branches, over calls, through jumps to constants and rfi to one.
 * APPROX: a call is taken to keep what the ABI says it keeps. What a handler
 * computes (a stack by the processor's number) is an address of its own: what
 * it stores by that is found if r1 is that address. Source: SysV ABI PowerPC
 * supplement, ch. 3. Cost: a stack ends at a handler that keeps registers in
 * other ways, tables of its threads, say.
 */
#include "sim/unwind/exception_frame.h"

#include <string.h>

#include "isa/insn.h"
#include "sim/unwind/frame_flow.h"

/* What a value is counted from. */
enum base {
    GPR, /* + n: what GPR n was */
    SRR0 = GPR + 32,
    SRR1,
    LR,
    CONSTANT,
    OWN /* and above: addresses of the handler's own */
};

struct value {
    uint32_t base;
    uint32_t plus;
};

struct slot {
    struct value at, is;
};

#define SLOTS 96 /* words that a handler stores, at most */
#define STEPS                                                                  \
    4096        /* instructions looked at, at most: a kernel whose stacks      \
                 * are mapped has a dozen forks on its way in */
#define FORKS 8 /* conditional branches on a way, at most */
#define SPRG0 272u

struct state {
    struct value gpr[32], lr, ctr, srr0, srr1, sprg[4];
    struct slot slot[SLOTS];
    unsigned slots;
    uint32_t own;  /* the next base to be made up */
    uint32_t real; /* of names: what an address of the handler's own is more
                    * with translation than without */
};

struct search {
    const struct core *c;
    const struct names *names;
    ea_t at;       /* what is looked for, */
    ea_t sp;       /* the stack there, */
    bool live;     /* and whether the processor is */
    unsigned left; /* steps */
    bool met;      /* it is on some way from this vector */
    bool known;    /* ... from one that leads into a handler */
    bool there;    /* it has been met, and what was interrupted found: */
    struct stop *found;
    bool handler;    /* it is in one: that reads SRR0, or ends with rfi */
    uint8_t *passed; /* bits of struct reach that are set on the way; NULL */
};

/* Something else: it is not known what, but what is stored there is found
 * again.
 */
static struct value other(struct state *s)
{
    return (struct value){s->own++, 0};
}

static void forget(struct state *s, unsigned n)
{
    s->gpr[n] = other(s);
}

static struct value sum(struct value v, uint32_t plus)
{
    v.plus += plus;
    return v;
}

static struct value address(const struct state *s, const struct insn *i)
{
    struct value constant = {CONSTANT, 0};

    return sum(i->a ? s->gpr[i->a] : constant, (uint32_t)i->imm);
}

static struct slot *slot_at(struct state *s, struct value at)
{
    uint32_t real = at.base < OWN ? 0 : s->real;

    for (unsigned n = 0; n < s->slots; n++) {
        struct value is = s->slot[n].at;

        if (is.base == at.base &&
            (is.plus == at.plus || is.plus + real == at.plus))
            return &s->slot[n];
    }
    return NULL;
}

static void store(struct state *s, struct value at, struct value is)
{
    struct slot *slot = slot_at(s, at);

    if (!slot && s->slots == SLOTS)
        return;
    if (!slot)
        slot = &s->slot[s->slots++];
    *slot = (struct slot){at, is};
}

static void load(struct state *s, unsigned n, struct value at)
{
    const struct slot *slot = slot_at(s, at);

    if (slot)
        s->gpr[n] = slot->is;
    else
        forget(s, n);
}

static struct value *special(struct state *s, unsigned spr)
{
    switch (spr) {
    case 8:
        return &s->lr;
    case 9:
        return &s->ctr;
    case 26:
        return &s->srr0;
    case 27:
        return &s->srr1;
    case SPRG0:
    case SPRG0 + 1:
    case SPRG0 + 2:
    case SPRG0 + 3:
        return &s->sprg[spr - SPRG0];
    default:
        return NULL;
    }
}

static void others(struct state *s, const struct insn *i)
{
    for (unsigned n = 0; n < i->ndst; n++)
        if (i->dst[n] < 32)
            forget(s, i->dst[n]);
}

static void move(struct state *s, const struct insn *i)
{
    struct value *spr = special(s, i->spr);

    if (i->op == OP_MTSPR) {
        if (spr)
            *spr = s->gpr[i->d];
    } else if (spr) {
        s->gpr[i->d] = *spr;
    } else {
        forget(s, i->d);
    }
}

static void several(struct state *s, const struct insn *i)
{
    struct value at = address(s, i);

    for (unsigned n = i->d; n < 32; n++, at = sum(at, 4))
        if (i->op == OP_STMW)
            store(s, at, s->gpr[n]);
        else
            load(s, n, at);
}

static void step(struct state *s, const struct insn *i)
{
    struct value at = address(s, i);

    switch (i->op) {
    case OP_MFSPR:
    case OP_MTSPR:
        move(s, i);
        break;
    case OP_ADDI:
        s->gpr[i->d] = at;
        break;
    case OP_ADDIS:
        s->gpr[i->d] = sum(at, ((uint32_t)i->imm << 16) - (uint32_t)i->imm);
        break;
    case OP_ORI:
        if (s->gpr[i->d].base == CONSTANT)
            s->gpr[i->a] =
                (struct value){CONSTANT, s->gpr[i->d].plus | (uint32_t)i->imm};
        else if (i->imm == 0)
            s->gpr[i->a] = s->gpr[i->d];
        else
            forget(s, i->a);
        break;
    case OP_OR:
        if (i->d == i->b)
            s->gpr[i->a] = s->gpr[i->d];
        else
            forget(s, i->a);
        break;
    case OP_LWZ:
        load(s, i->d, at);
        break;
    case OP_STWU:
    case OP_STW:
        store(s, at, s->gpr[i->d]);
        if (i->op == OP_STWU)
            s->gpr[i->a] = at;
        break;
    case OP_STMW:
    case OP_LMW:
        several(s, i);
        break;
    default:
        others(s, i);
    }
}

/* ---- where a value is ---------------------------------------------------- */

/* In a word that the handler stored. */
static bool stored(const struct search *f, const struct state *s, uint32_t base,
                   uint32_t *v)
{
    struct value r1 = s->gpr[1];

    for (unsigned n = 0; n < s->slots; n++) {
        struct value at = s->slot[n].at;
        ea_t ea = at.plus;

        if (s->slot[n].is.base != base || s->slot[n].is.plus)
            continue;
        if (at.base == r1.base)
            ea += f->sp - r1.plus;
        else if (at.base != CONSTANT)
            continue;
        if (frame_flow_word(f->c, ea, TLB_LOAD, v))
            return true;
    }
    return false;
}

/* In a register of the processor. */
static bool held(const struct search *f, const struct state *s, uint32_t base,
                 uint32_t *v)
{
    const struct cpu *c = &f->c->cpu;
    const struct value *in[] = {&s->lr,      &s->srr0,    &s->srr1,
                                &s->ctr,     &s->sprg[0], &s->sprg[1],
                                &s->sprg[2], &s->sprg[3]};
    const uint32_t now[] = {c->lr,      c->srr0,    c->srr1,    c->ctr,
                            c->sprg[0], c->sprg[1], c->sprg[2], c->sprg[3]};

    for (unsigned n = 0; n < 32; n++)
        if (s->gpr[n].base == base && !s->gpr[n].plus) {
            *v = c->gpr[n];
            return true;
        }
    for (unsigned n = 0; n < sizeof now / sizeof *now; n++)
        if (in[n]->base == base && !in[n]->plus) {
            *v = now[n];
            return true;
        }
    return false;
}

static bool value_of(const struct search *f, const struct state *s,
                     uint32_t base, uint32_t *v)
{
    return (f->live && held(f, s, base, v)) || stored(f, s, base, v);
}

/* What was interrupted, when the handler has done s. False: it has not, for
 * memory says otherwise, or has not kept enough. */
static bool conclude(const struct search *f, const struct state *s)
{
    struct stop *t = f->found;
    uint32_t kept;

    *t = (struct stop){0};
    if (!value_of(f, s, SRR0, &t->pc) || !value_of(f, s, LR, &t->lr))
        return false;
    for (unsigned n = 0; n < 32; n++)
        if (value_of(f, s, GPR + n, &t->gpr[n]))
            t->known |= 1u << n;
    if (s->gpr[1].base == GPR + 1) { /* still on the interrupted stack */
        t->gpr[1] = f->sp - s->gpr[1].plus;
        t->known |= 2;
    }
    t->sp = t->gpr[1];
    t->user = value_of(f, s, SRR1, &t->msr) && t->msr & MSR_PR;
    return t->known & 2 && (!stored(f, s, GPR + 1, &kept) || kept == t->sp);
}

/* ---- the ways through a handler ------------------------------------------ */

/* Before that a handler cannot be interrupted: where it goes back to would be
 * lost. */
static bool has_kept(const struct state *s)
{
    for (unsigned n = 0; n < s->slots; n++)
        if (s->slot[n].is.base == SRR0 && !s->slot[n].is.plus)
            return true;
    return false;
}

/* A function returned, which left the ABI's saved registers as they were. It
 * may have been interrupted, too; SPRG3 has in Linux whose turn it is, which is
 * the same one's again. */
static void call(struct state *s)
{
    s->lr = other(s);
    s->ctr = other(s);
    if (has_kept(s)) {
        s->srr0 = other(s);
        s->srr1 = other(s);
        for (unsigned n = 0; n < (s->real ? 3u : 4u); n++)
            s->sprg[n] = other(s);
    }
    forget(s, 0);
    for (unsigned n = 3; n <= 12; n++)
        forget(s, n);
}

/* The instruction at an address, in *room or elsewhere. Handlers begin with
 * translation off. */
static const struct insn *insn_at(const struct search *f, ea_t at,
                                  struct insn *room)
{
    const struct ram *r = f->c->with.ram;
    const struct insn *i = frame_flow_insn(f->c, f->names, at, room);

    return i || at > r->size - 4 ? i : decode_cache_at(f->c->with.decoded, at);
}

_Static_assert(EXC_COUNT <= REACH_EXCEPTIONS, "a row for each exception");

/* One of REACH_BITS. */
static unsigned reach_bit(ea_t at)
{
    return (at >> 2) * UINT32_C(2654435761) >> 20; /* the upper 12 bits */
}

static void follow(struct search *f, struct state s, ea_t at, unsigned forks);

/* Where the branch i, at *at, leads to: to *at. False: unknown. */
static bool branch(struct search *f, struct state *s, const struct insn *i,
                   ea_t *at, unsigned forks)
{
    struct value to = {CONSTANT, (i->c ? 0 : *at) + (uint32_t)i->imm};

    if (i->op == OP_BCLR || i->op == OP_BCCTR)
        to = i->op == OP_BCLR ? s->lr : s->ctr;
    else if (i->op == OP_RFI)
        to = s->srr0;
    if (i->flags & INSN_LINK) {
        bool is_address = i->op == OP_BC && to.plus == *at + 4;

        if (!is_address)
            call(s);
        else
            s->lr = to;
        *at += 4;
        return true;
    }
    if (i->flags & INSN_COND) {
        if (forks && to.base == CONSTANT)
            follow(f, *s, to.plus & ~3u, forks - 1);
        *at += 4;
        return true;
    }
    *at = to.plus & ~3u;
    return to.base == CONSTANT;
}

/* From an instruction on, until what is looked for has been met and is known
 * to be in a handler. */
static void follow(struct search *f, struct state s, ea_t at, unsigned forks)
{
    const struct insn *i;
    struct insn room;
    bool there = f->there;

    while (f->left && !(f->there && f->handler)) {
        f->left--;
        f->met |= at == f->at;
        if (f->passed)
            f->passed[reach_bit(at) / 8] |= (uint8_t)(1 << reach_bit(at) % 8);
        if (at == f->at && !f->there)
            f->there = conclude(f, &s);
        i = insn_at(f, at, &room);
        if (!i || i->op == OP_ILLEGAL)
            break;
        f->handler |= i->op == OP_RFI || (i->op == OP_MFSPR && i->spr == 26);
        if (i->flags & INSN_BRANCH || i->op == OP_RFI) {
            if (!branch(f, &s, i, &at, forks))
                break;
        } else {
            step(&s, i);
            at += 4;
        }
    }
    /* What was met on a way that is no handler's counts for nothing. */
    if (!f->handler)
        f->there = there;
}

static void begin(struct state *s, const struct names *names)
{
    memset(s, 0, sizeof *s);
    s->real = names->real;
    for (unsigned n = 0; n < 32; n++)
        s->gpr[n].base = GPR + n;
    s->lr.base = LR;
    s->srr0.base = SRR0;
    s->srr1.base = SRR1;
    s->own = OWN;
    s->ctr = other(s);
    for (unsigned n = 0; n < 4; n++)
        s->sprg[n] = other(s);
}

static ea_t vectors(const struct core *c)
{
    return c->cpu.msr & MSR_IP ? 0xFFF00000u : 0;
}

bool exception_frame_vector(const struct core *c, ea_t at)
{
    uint32_t last = 0;

    for (enum exc e = EXC_NONE + 1; e < EXC_COUNT; e++)
        if (isa_exc_vector(e) > last)
            last = isa_exc_vector(e);
    return at - vectors(c) < last + 0x100;
}

static bool from(struct search *f, ea_t vector)
{
    struct state s;

    begin(&s, f->names);
    f->left = STEPS;
    f->there = f->handler = f->met = false;
    follow(f, s, vector, FORKS);
    f->known |= f->met && f->handler;
    return f->there && f->handler;
}

/* ---- what no handler leads to ---------------------------------------------
 * To find out takes all of them, and nearly every stack has such a function at
 * its root. Remembered where addresses mean the same to every processor.
 */

static struct strangers *strangers_of(const struct search *f, ea_t base)
{
    struct strangers *s = f->names->strangers;
    uint64_t forgotten = f->c->with.decoded->forgotten;

    if (!s || f->c->cpu.msr & MSR_IR)
        return NULL;
    if (s->forgotten != forgotten || s->vectors != base) {
        s->forgotten = forgotten;
        s->vectors = base;
        s->n = 0;
    }
    return s;
}

static bool is_stranger(const struct strangers *s, ea_t at)
{
    unsigned most = sizeof s->at / sizeof *s->at;

    for (unsigned n = 0; n < s->n && n < most; n++)
        if (s->at[n] == at)
            return true;
    return false;
}

/* ---- where handlers come by ------------------------------------------------
 * Each is followed to its end once, and then only those that come by: the way
 * to an address is the beginning of that. Where translation may mean other
 * memory from one process to the next this is not so; a Linux kernel is
 * everywhere.
 */

static const struct reach *reach_of(const struct search *f, ea_t base)
{
    uint64_t forgotten = f->c->with.decoded->forgotten;
    bool translated = f->c->cpu.msr & MSR_IR;
    struct search all = {f->c, f->names, .at = 1}; /* no instruction is there */
    struct reach *r;

    if (!f->names->strangers || (translated && !f->names->real))
        return NULL;
    r = &f->names->strangers->reach[translated];
    if (r->known && r->forgotten == forgotten && r->vectors == base)
        return r;
    *r = (struct reach){true, forgotten, base, {{0}}};
    for (enum exc e = EXC_NONE + 1; e < EXC_COUNT; e++) {
        all.passed = r->bit[e];
        from(&all, base + isa_exc_vector(e));
    }
    return r;
}

static bool comes_by(const struct reach *r, enum exc e, ea_t at)
{
    return !r || r->bit[e][reach_bit(at) / 8] & 1 << reach_bit(at) % 8;
}

bool exception_frame_interrupted(const struct core *c,
                                 const struct names *names, ea_t at, ea_t sp,
                                 bool live, struct stop *s)
{
    struct search f = {c, names, at, sp, live, .found = s};
    ea_t base = vectors(c);
    const struct reach *reach = reach_of(&f, base);
    struct strangers *strangers = strangers_of(&f, base);

    if (strangers && is_stranger(strangers, at))
        return false;
    for (enum exc e = EXC_NONE + 1; e < EXC_COUNT; e++)
        if (comes_by(reach, e, at) && from(&f, base + isa_exc_vector(e)))
            return true;
    if (strangers && !f.known)
        strangers->at[strangers->n++ % 64] = at;
    return false;
}
