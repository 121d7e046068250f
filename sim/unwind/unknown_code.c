/* unknown_code.c - see unknown_code.h.
 *
 * Registers are followed from the stop on: a value is an address that is known,
 * what a register or LR was at the stop, or a word of memory; what the code has
 * yet to store is remembered. A return, a jump by CTR and a branch into a
 * function that is known leave. The way there that is found first decides.
 * APPROX: every way out is taken to lead to the same caller, and a jump by CTR
 * to leave, which one by a table does not. Source: SysV ABI PowerPC supplement,
 * ch. 3. Cost: none in tests/unwind/made_test.sh.
 */
#include "sim/unwind/unknown_code.h"

#include <string.h>

#include "isa/insn.h"

#define STEPS 4096u        /* instructions looked at, at most */
#define FORKS 8u           /* branches of one way that are followed both ways */
#define STORES 32u         /* words that are remembered */
#define DEEPEST (1u << 24) /* bytes of a frame */

enum kind { NOTHING, ADDRESS, REGISTER, LINK, WORD };

struct value {
    enum kind kind;
    uint32_t v; /* ADDRESS; the REGISTER's number; where the WORD is */
};

struct state {
    struct value gpr[32], lr;
    struct {
        ea_t at;
        struct value is;
    } store[STORES];
    unsigned stores;
};

struct way {
    const struct core *c;
    const struct names *names;
    const struct stop *stop;
    struct frame_flow *u;
    unsigned left;
};

static const struct value nothing = {NOTHING, 0};

/* The number that a value is, if that is known. */
static bool number_of(const struct way *w, struct value x, uint32_t *n)
{
    switch (x.kind) {
    case ADDRESS:
        *n = x.v;
        return true;
    case REGISTER:
        *n = w->stop->gpr[x.v];
        return w->stop->known >> x.v & 1;
    case WORD:
        return frame_flow_word(w->c, x.v, TLB_LOAD, n);
    default:
        return false;
    }
}

static struct value plus(const struct way *w, struct value x, int32_t n)
{
    uint32_t v;

    if (n == 0)
        return x;
    return number_of(w, x, &v) ? (struct value){ADDRESS, v + (uint32_t)n}
                               : nothing;
}

static void load(const struct way *w, struct state *s, unsigned to, unsigned by,
                 int32_t offset)
{
    struct value at = plus(w, s->gpr[by], offset);
    ea_t ea;

    s->gpr[to] = nothing;
    if (!number_of(w, at, &ea))
        return;
    s->gpr[to] = (struct value){WORD, ea};
    for (unsigned n = 0; n < s->stores; n++)
        if (s->store[n].at == ea)
            s->gpr[to] = s->store[n].is;
}

static void store(const struct way *w, struct state *s, struct value what,
                  unsigned by, int32_t offset)
{
    ea_t ea;
    unsigned n;

    if (!number_of(w, plus(w, s->gpr[by], offset), &ea))
        return;
    for (n = 0; n < s->stores && s->store[n].at != ea; n++)
        continue;
    if (n == STORES)
        return;
    s->store[n].at = ea;
    s->store[n].is = what;
    if (n == s->stores)
        s->stores++;
}

#define SPR_LR 8

static void others(struct state *s, const struct insn *i)
{
    if (i->flags & INSN_MULTIPLE && i->flags & INSN_LOAD)
        for (unsigned n = i->d; n < 32; n++)
            s->gpr[n] = nothing;
    for (unsigned n = 0; n < i->ndst; n++)
        if (i->dst[n] < 32)
            s->gpr[i->dst[n]] = nothing;
}

static void step(const struct way *w, struct state *s, const struct insn *i)
{
    struct value kept;

    switch (i->op) {
    case OP_MFSPR:
        s->gpr[i->d] = i->spr == SPR_LR ? s->lr : nothing;
        break;
    case OP_MTSPR:
        if (i->spr == SPR_LR)
            s->lr = s->gpr[i->d];
        break;
    case OP_ADDI:
    case OP_ADDIS:
        s->gpr[i->d] = i->a ? plus(w, s->gpr[i->a],
                                   i->op == OP_ADDI ? i->imm : i->imm * 65536)
                            : nothing;
        break;
    case OP_OR:
        s->gpr[i->a] = i->d == i->b ? s->gpr[i->d] : nothing;
        break;
    case OP_LWZ:
        load(w, s, i->d, i->a, i->imm);
        break;
    case OP_STW:
        store(w, s, s->gpr[i->d], i->a, i->imm);
        break;
    case OP_STWU:
        kept = s->gpr[i->d];
        s->gpr[i->a] = plus(w, s->gpr[i->a], i->imm);
        store(w, s, kept, i->a, 0);
        break;
    default:
        others(s, i);
    }
}

/* A function was called: what the ABI lets it change. */
static void call(struct state *s)
{
    s->lr = nothing;
    s->gpr[0] = nothing;
    for (unsigned n = 3; n <= 12; n++)
        s->gpr[n] = nothing;
}

/* It leaves here. False: not with a way back that is known. */
static bool leaves(const struct way *w, const struct state *s)
{
    uint32_t sp;

    if (!number_of(w, s->gpr[1], &sp) || sp < w->stop->sp ||
        sp - w->stop->sp > DEEPEST)
        return false;
    *w->u = (struct frame_flow){.sp = FRAME_FLOW_OFFSET,
                                .offset = (int32_t)(sp - w->stop->sp)};
    switch (s->lr.kind) {
    case LINK:
        w->u->back = FRAME_FLOW_LR;
        return true;
    case REGISTER:
        w->u->back = FRAME_FLOW_GPR;
        w->u->gpr = s->lr.v;
        return true;
    case WORD:
        w->u->back = FRAME_FLOW_SAVED;
        w->u->slot = (int32_t)(s->lr.v - sp);
        return true;
    default:
        return false;
    }
}

static bool is_known(const struct way *w, ea_t at)
{
    uint32_t from[2], end[2];

    return frame_flow_function(w->c, w->names, at, from, end);
}

static bool follow(struct way *w, struct state s, ea_t at, unsigned forks);

enum end { ON, OUT, LOST };

/* The branch i at *at: on from *at, or out. */
static enum end branch(struct way *w, struct state *s, const struct insn *i,
                       ea_t *at, unsigned forks)
{
    bool indirect = i->flags & INSN_INDIRECT, cond = i->flags & INSN_COND;
    ea_t here = *at, to = (i->c ? 0 : here) + (ea_t)i->imm;

    *at += 4;
    if (i->flags & INSN_LINK) {
        if (!indirect && to == *at) /* for its address */
            s->lr = (struct value){ADDRESS, to};
        else
            call(s);
        return ON;
    }
    if (indirect || is_known(w, to)) {
        if (leaves(w, s))
            return OUT;
        return cond ? ON : LOST;
    }
    if (cond)
        return forks && follow(w, *s, to, forks - 1) ? OUT : ON;
    *at = to;
    return ON;
}

/* From an instruction on. True: out. */
static bool follow(struct way *w, struct state s, ea_t at, unsigned forks)
{
    const struct insn *i;
    struct insn room;
    enum end end = ON;

    for (; end == ON && w->left; w->left--) {
        i = frame_flow_insn(w->c, w->names, at, &room);
        if (!i || i->op == OP_ILLEGAL || i->op == OP_RFI)
            return false;
        if (i->flags & INSN_BRANCH) {
            end = branch(w, &s, i, &at, forks);
        } else {
            step(w, &s, i);
            at += 4;
        }
        if (!w->left)
            break;
    }
    return end == OUT;
}

bool unknown_code_caller(const struct core *c, const struct names *names,
                         const struct stop *s, struct frame_flow *u)
{
    struct way w = {c, names, s, u, STEPS};
    struct state state = {.lr = {LINK, 0}};
    struct frame_flow before = *u;

    if (is_known(&w, s->pc))
        return false;
    for (unsigned n = 0; n < 32; n++)
        state.gpr[n] = (struct value){REGISTER, n};
    state.gpr[1] = (struct value){ADDRESS, s->sp};
    if (follow(&w, state, s->pc, FORKS))
        return true;
    *u = before;
    return false;
}
