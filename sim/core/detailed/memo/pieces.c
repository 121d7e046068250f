/* pieces.c - what happens in a trace as it did becomes host code, put together
 * from stencils of the fast model (stencils_memo.c): the bodies of isa/exec,
 * and in front of and behind them what a trace asks.
 *
 * The code of a step changes nothing unless all is as it was; a branch alone
 * has run before it is known where it goes. What is not as it was, or seldom,
 * is left to trace.c, in front of the step: a line that has to be looked for,
 * an access that waits, a wrong path.
 */
#include "sim/core/detailed/memo/memo_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/fast/engine.h"

#define MEMORY ((size_t)64 << 20)
#define BYTES 2048u /* no step has more, with its exits */
#define EXITS 1024u /* of a trace */
#define PATCHES 96u /* of a step, at most: no more exits */

/* A trace that becomes code. */
struct piece {
    const struct memo_pieces *k;
    const struct predictor *predict; /* of any processor */
    const struct memo_step *s;       /* the step at work, */
    uint32_t at;                     /* ... its number */
    uint8_t *free;
    /* Where the copy goes on, and what is returned where it leaves otherwise:
     * by hole_exit, or by the other way of a branch. */
    enum hole on;
    uint32_t exit, stray;
    struct {
        uint8_t *from;
        uint32_t returns;
    } out[EXITS]; /* distances to be filled in */
    unsigned outs;
};

/* ---- what is put into a copy --------------------------------------------- */

/* Of an answer's a: what was waited for the line, stores, a search, a queue. */
#define WAITED(a, n) ((uint32_t)((a) >> WAITED_BITS * (n)) & 0xFFFFu)

/* Does the access of s miss? */
static bool is_miss(const struct memo_step *s)
{
    return !(s->flags & STEP_HITS);
}

/* The cycles from the issue of the store s until its line is asked for. */
static uint32_t lead(const struct memo_step *s)
{
    return s->complete + 1 - (s->base + s->issue);
}

/* ... in a way that host code may ask for? */
static bool asks(const struct memo_step *s)
{
    if (s->flags & STEP_HITS)
        return !WAITED(s->told, 2) &&
               (s->kind == KIND_LOAD || lead(s) < STORE_QUEUED);
    return s->edge->answer.b & ANSWER_MISS && !(s->edge->answer.b & SEARCHED);
}

static uint64_t value_of(void *of, enum hole hole)
{
    const struct memo_step *s = ((const struct piece *)of)->s;
    uint64_t v;

    if (stencil_operand(s->insn, hole, &v))
        return v;
    switch (hole) {
    case HOLE_pc:
        return s->pc;
    case HOLE_pa:
        return s->node->pa;
    case HOLE_filled:
        return s->base + s->fetch - BIAS;
    case HOLE_dispatch:
        return s[1].base;
    case HOLE_ahead:
        return s->ahead;
    case HOLE_issued:
        return is_miss(s) ? ((const struct piece *)of)->at
                          : 1 + (s->kind == KIND_STORE ? s->complete
                                                       : s->base + s->issue);
    case HOLE_step:
        return ((const struct piece *)of)->at;
    case HOLE_waited:
        if (s->kind == KIND_STORE)
            return lead(s) | (WAITED(s->told, 3) ? STORE_QUEUED : 0);
        return WAITED(s->told, 0);
    case HOLE_collided:
        return WAITED(s->told, 1);
    case HOLE_group:
        return s->branch.group;
    case HOLE_guess:
        return step_guess(s);
    case HOLE_filter:
        return predict_filter(s->branch.group) * sizeof(uint16_t);
    case HOLE_history:
        return s->pc >> 2 & ((const struct piece *)of)->predict->bht_mask;
    case HOLE_at_fetch:
        return s->told >> 32;
    case HOLE_target:
        return (ea_t)s->told;
    default: /* of another mode: what would call there is never reached */
        return 0;
    }
}

static void leaves(struct piece *p, uint8_t *from, uint32_t returns)
{
    p->out[p->outs].from = from;
    p->out[p->outs++].returns = returns;
}

/* The routine that the step at work, if there is one, calls by that hole. */
static const uint8_t *routine(const struct piece *p, enum hole hole)
{
    if (p->s && hole < HOLE_calm_load1 && is_miss(p->s))
        hole += HOLE_miss_load1 - HOLE_load1;
    else if (p->s && hole < HOLE_calm_load1 && !p->s->told)
        hole += HOLE_calm_load1 - HOLE_load1;
    return p->k->routine[hole - HOLE_routines];
}

static void flow(void *of, uint8_t *at, enum hole hole, const uint8_t *next)
{
    struct piece *p = of;

    if (hole == p->on)
        stencil_aim(at, next);
    else if (hole > HOLE_routines)
        stencil_aim(at, routine(p, hole));
    else
        leaves(p, at, hole == HOLE_exit ? p->exit : p->stray);
}

static void copy(struct piece *p, enum stencil_id id, enum hole on)
{
    struct stencil_copy how = {value_of, flow, p};

    p->on = on;
    p->free = stencil_put(p->free, &p->k->stencil[id], on, &how);
}

static void put_return(struct piece *p, uint32_t v)
{
    *p->free++ = 0xB8; /* mov $v,%eax */
    memcpy(p->free, &v, 4);
    p->free[4] = 0xC3; /* ret */
    p->free += 5;
}

/* ---- steps --------------------------------------------------------------- */

/* A store of a single may shift its datum first (lsu_shifts). */
static bool may_shift(const struct insn *i)
{
    return i->op == OP_STFS || i->op == OP_STFSU || i->op == OP_STFSX ||
           i->op == OP_STFSUX;
}

/* Does where the branch of s goes say whether it is taken, and can that be
 * worked out behind it? */
static bool is_plain(const struct memo_step *s)
{
    const struct insn *i = s->insn;

    if (i->flags & INSN_INDIRECT)
        return !(i->flags & INSN_LINK && i->op == OP_BCLR);
    return !(i->flags & INSN_COND) || i->imm != 4 || i->word & 2;
}

/* Can s be copied, as stencil id? */
static bool copied(const struct memo_step *s, enum stencil_id *id)
{
    enum stencil_kind kind;

    *id = stencil_of(s->insn, &kind);
    switch (s->kind) {
    case KIND_BRANCH:
        return (kind == STENCIL_BRANCH || kind == STENCIL_JUMP) && is_plain(s);
    case KIND_STORE:
        if (may_shift(s->insn))
            return false;
        /* fall through */
    case KIND_LOAD:
        return kind == STENCIL_TRY && asks(s);
    default:
        return kind == STENCIL_NEXT || kind == STENCIL_TRY ||
               kind == STENCIL_HOST;
    }
}

/* What asks and teaches the predictor behind the branch of s. */
static enum stencil_id believes(const struct memo_step *s, bool conditional,
                                bool taken)
{
    bool expected = s->flags & STEP_TAKEN;
    bool known = s->flags & STEP_BTAC;

    if (s->flags & STEP_WALKS)
        return STENCIL_ID_told_walks;
    if (!taken)
        return expected || known ? STENCIL_ID_told_passed
                                 : STENCIL_ID_told_passes;
    if (expected && known && s->told >> 32 == (ea_t)s->told)
        return conditional ? STENCIL_ID_told_loops_if : STENCIL_ID_told_loops;
    return conditional ? STENCIL_ID_told_taken_if : STENCIL_ID_told_taken;
}

static void put_branch(struct piece *p, enum stencil_id id)
{
    const struct memo_step *s = p->s;
    bool when = s->insn->flags & INSN_COND;
    bool passed = when && (ea_t)s->told == s->pc + 4;
    bool indirect = s->insn->flags & INSN_INDIRECT;

    p->stray = p->at | PIECE_RAN | (passed ? PIECE_TAKEN : 0);
    copy(p, id, passed ? HOLE_next : HOLE_taken);
    p->exit = p->at | PIECE_RAN | (passed ? 0 : PIECE_TAKEN);
    if (indirect && !passed)
        copy(p, STENCIL_ID_told_arrives, HOLE_next);
    copy(p, believes(s, when, !passed), HOLE_next);
}

static void put_step(struct piece *p, const struct core *c, enum stencil_id id)
{
    p->exit = p->at;
    if (p->s->kind == KIND_BRANCH) {
        put_branch(p, id);
        return;
    }
    if (p->s->kind == KIND_EARLY &&
        c->with.chip->row[p->s->insn->class].order & EARLY)
        copy(p, p->s->told ? STENCIL_ID_told_early : STENCIL_ID_told_late,
             HOLE_next);
    copy(p, id, HOLE_next);
}

/* The next instruction is at a place of the code from `base` on. Returns its
 * number; 0: it has none. */
static uint16_t place(struct piece *p, const uint8_t *base)
{
    static const uint8_t nop[MEMO_PLACE][MEMO_PLACE] = {
        {0}, {0x90}, {0x66, 0x90}, {0x0F, 0x1F, 0x00}};
    size_t more = (size_t)(base - p->free) % MEMO_PLACE, at;

    memcpy(p->free, nop[more], more);
    p->free += more;
    at = (size_t)(p->free - base) / MEMO_PLACE;
    return at > UINT16_MAX ? 0 : (uint16_t)at;
}

static void put_trace(struct piece *p, const struct core *c,
                      struct memo_trace *t, const uint8_t *base)
{
    bool before = false; /* the code of the step before goes on here */
    enum stencil_id id;

    for (p->at = 0; p->at < t->n; p->at++) {
        p->s = &t->step[p->at];
        if (p->outs + PATCHES > EXITS || !copied(p->s, &id)) {
            if (before)
                put_return(p, p->at | PIECE_LINE);
            before = false;
            continue;
        }
        p->exit = p->at | PIECE_LINE;
        if (before && p->s->flags & STEP_LINE)
            copy(p, STENCIL_ID_told_line, HOLE_next);
        p->exit = p->at | PIECE_TURN;
        if (before && p->s[1].base != p->s->base)
            copy(p, STENCIL_ID_told_turn, HOLE_next);
        t->step[p->at].code = place(p, base);
        put_step(p, c, id);
        before = true;
    }
    put_return(p, t->n | PIECE_LINE);
    for (unsigned x = 0; x < p->outs; x++) {
        stencil_aim(p->out[x].from, p->free);
        if (x + 1 == p->outs || p->out[x + 1].returns != p->out[x].returns)
            put_return(p, p->out[x].returns);
    }
}

/* ---- memory -------------------------------------------------------------- */

/* What steps call, in front of all traces. */
static void put_routines(struct memo_pieces *k)
{
    struct piece p = {.k = k, .free = k->memory};
    unsigned n = 1;

#define X(name)                                                                \
    k->routine[n++] = p.free;                                                  \
    copy(&p, STENCIL_ID_##name, HOLE_next);
    STENCIL_ROUTINES(X)
#undef X
    k->begin = k->free = p.free;
}

static bool open(struct memo_pieces *k, const struct core *c)
{
    const char *why;

    if (k->memory || k->refused)
        return k->memory;
    k->refused = true;
    if (c->with.engine == &engine_interpreter)
        return false;
    k->stencil = stencils_read(STENCILS_OF_MEMO, &why);
    if (!k->stencil || !(k->memory = stencil_memory(MEMORY)))
        return false;
    put_routines(k);
    return true;
}

void pieces_make(struct core *c, struct memo_trace *t)
{
    struct memo_pieces *k = &memo_of(c)->store->pieces;
    struct piece p;

    if (!open(k, c) || (size_t)(k->memory + MEMORY - k->free) < t->n * BYTES)
        return;
    p.k = k;
    p.predict = &pipe_of(c)->predict;
    p.outs = 0;
    p.free = k->free + MEMO_PLACE;
    put_trace(&p, c, t, k->free);
    t->code = k->free;
    k->free += (p.free - k->free + 15) & ~(ptrdiff_t)15;
}

void pieces_empty(struct memo_pieces *p)
{
    p->free = p->begin;
}

void pieces_free(struct memo_pieces *p)
{
    if (p->memory)
        stencil_memory_free(p->memory, MEMORY);
    free(p->stencil);
    *p = (struct memo_pieces){0};
}
