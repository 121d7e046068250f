/* blocks.c - the second engine of the fast model: blocks of host code, made
 * from the bodies of isa/exec (stencils.c) where the flow comes often.
 *
 * Between blocks, and for what a block cannot do - devices, translations that
 * are not in the TLB, what observes time or changes the context, the last
 * instruction of a budget - the interpreter runs, so that the step, the clock
 * and the next address are always what it leaves.
 */
#include "sim/core/fast/code.h"
#include "sim/core/fast/runs.h"

#include <stdlib.h>
#include <string.h>

#define HEAT (1u << 12)
#define HOT 16u
#define MOST (UINT64_C(1) << 32) /* instructions at a time */

struct blocks {
    struct code code;
    uint8_t heat[HEAT]; /* by address */
    uint8_t hot;        /* a block is made where so many stretches began */
    bool refused;       /* the host lends no memory for code */
    uint32_t from;      /* the exit that was taken last; 0: not known */
    ea_t stop;          /* no block has the instruction there, */
    unsigned points;    /* ... or at one of so many points (scale.h) */
    struct {
        unsigned class;
        struct what_if_factor k;
    } way[CODE_WAYS]; /* how instructions are scaled */
    unsigned ways;
    bool crossed; /* warm: ... to another page */
    bool goes_on; /* warm: engine.run ended because blocks led to another
                     page, where the interpreter's would not */
};

static struct blocks *blocks_of(const struct core *c)
{
    return c->engine_state;
}

static void blocks_free(struct core *c)
{
    if (!c->engine_state)
        return;
    code_close(&blocks_of(c)->code);
    free(c->engine_state);
    c->engine_state = NULL;
}

static bool blocks_init(struct core *c)
{
    c->engine_state = calloc(1, sizeof(struct blocks));
    if (!c->engine_state)
        return false;
    blocks_of(c)->hot = HOT;
    return true;
}

static bool blocks_init_eager(struct core *c)
{
    if (!blocks_init(c))
        return false;
    blocks_of(c)->hot = 1;
    return true;
}

static void blocks_invalidate(struct core *c, pa_t pa, unsigned size)
{
    code_forget(&blocks_of(c)->code, pa, size);
}

static void hand_group(struct core *c, struct code *k, uint32_t first)
{
    for (uint32_t e = first; e < first + CODE_GROUP; e++)
        if (k->count[e]) {
            const struct exit *x = &k->exit[e];
            struct run r = {x->start, x->length, k->count[e]};

            run_expand(c, &r);
            k->count[e] = 0;
        }
}

static void blocks_hand(struct core *c)
{
    struct blocks *b = blocks_of(c);

    for (uint32_t g = 0; g * CODE_GROUP < b->code.exits; g++)
        if (b->code.counted[g]) {
            b->code.counted[g] = 0;
            hand_group(c, &b->code, g * CODE_GROUP);
        }
}

/* There is no block any more. */
static void forget_all(struct blocks *b, struct core *c)
{
    blocks_hand(c);
    code_clear(&b->code);
    b->code.logs = 0;
    b->ways = 0;
    b->from = 0;
}

/* Is there room for one more? Before the first there is none at all. Without
 * code the interpreter does it all. */
static bool room(struct blocks *b, struct core *c)
{
    if (b->refused)
        return false;
    if (!b->code.memory && !code_open(&b->code, fast_of(c)->warm,
                                      fast_of(c)->scale ? CODE_WAYS : 1)) {
        b->refused = true;
        code_close(&b->code);
        return false;
    }
    if (code_full(&b->code))
        forget_all(b, c);
    return true;
}

/* The number of the way in which what runs is scaled. */
static unsigned way(struct blocks *b, struct core *c)
{
    const struct fast *f = c->timing_state;
    unsigned n;

    for (n = 0; n < b->ways; n++)
        if (b->way[n].class == f->class && b->way[n].k.set == f->k.set &&
            b->way[n].k.millionths == f->k.millionths)
            return n;
    if (n == CODE_WAYS)
        forget_all(b, c);
    n = b->ways++;
    b->way[n].class = f->class;
    b->way[n].k = f->k;
    if (f->k.set)
        b->code.logs |= 1u << n;
    return n;
}

/* That of a block at cpu.pc. */
static inline unsigned mode_of(struct blocks *b, struct core *c, pa_t pa)
{
    unsigned mode =
        (c->cpu.msr & MSR_IR ? 2 : 0) | (c->cpu.msr & MSR_PR ? 1 : 0);

    if (fast_of(c)->warm)
        return mode | warm_phase(c, c->cpu.pc, pa) << 2;
    return fast_of(c)->scale ? mode | way(b, c) << CODE_WAY : mode;
}

/* The block at cpu.pc, made when the place has become hot. */
static struct block *block_at(struct blocks *b, struct core *c, pa_t pa)
{
    ea_t pc = c->cpu.pc;
    struct block *k =
        b->code.memory ? code_find(&b->code, pc, pa, mode_of(b, c, pa)) : NULL;

    if (!k) {
        uint8_t *heat = &b->heat[(pa >> 2 ^ pa >> 14) & (HEAT - 1)];

        if (++*heat < b->hot)
            return NULL;
        *heat = 0;
        if (room(b, c)) /* which may forget the modes */
            k = code_make(&b->code, c, pc, pa, mode_of(b, c, pa));
    }
    if (k && b->from)
        code_link(&b->code, c, b->from, k);
    return k;
}

/* Warm: the line of the instruction at cpu.pc was asked for, and no more. */
static void left_first(struct core *c, struct blocks *b)
{
    const struct exit *x = code_aside(&b->code);

    if (!x)
        return;
    fast_of(c)->group = x->group;
    b->crossed = false;
}

/* Warm: exit x was taken last. */
static void went_on(struct core *c, struct blocks *b, const struct exit *x)
{
    fast_of(c)->group = x->group;
    b->crossed = (c->cpu.pc ^ x->start) & ~0xFFFu;
    left_first(c, b);
}

/* Behind blocks that are scaled: the account of those that were left, in their
 * order. Returns the cycles. */
static cycle_t read_log(struct blocks *b, struct core *c)
{
    const uint32_t *end = *b->code.logged;
    cycle_t cycles = 0;

    for (const uint32_t *e = b->code.log; e < end; e++) {
        const struct exit *x = &b->code.exit[*e];

        for (uint32_t n = 0; n < x->length; n++)
            cycles += scaled_put(c, x->start + 4 * n);
    }
    *b->code.logged = b->code.log;
    return cycles;
}

/* Run from block k on, at most n instructions. Returns how many are left. */
static uint64_t enter(struct blocks *b, struct core *c, const struct block *k,
                      uint64_t n)
{
    struct left left = stencil_enter(&c->cpu, (int64_t)n,
                                     fast_of(c)->group.line, 0, 0, k->code);
    uint64_t ran;

    ran = n - (uint64_t)left.n;
    c->insns += ran;
    c->clock +=
        fast_of(c)->k.set ? read_log(b, c) : ran * c->with.params->fast_cpi;
    c->cpu.pc = (ea_t)left.at;
    b->from = (uint32_t)(left.at >> 32);
    if (b->from) {
        const struct exit *x = &b->code.exit[b->from];

        fast_of(c)->last = x->start + 4 * (x->length - 1);
        if (fast_of(c)->warm)
            went_on(c, b, x);
    } else if (fast_of(c)->warm) {
        left_first(c, b);
    }
    return (uint64_t)left.n;
}

/* Must engine.run end in front of cpu.pc? */
static bool stops(const struct core *c)
{
    return c->cpu.pc == c->stop_pc || scaled_apart(fast_of(c), c->cpu.pc);
}

/* Is what ran last the end of engine.run, whatever the budget? */
static bool over(const struct core *c, const struct insn *page)
{
    const struct insn *i = &page[(fast_of(c)->last & 0xFFF) >> 2];

    return c->yield || (i->flags & runs_end(fast_of(c))) ||
           c->cpu.msr & MSR_POW || stops(c);
}

/* Warm: blocks led to cpu.pc. The interpreter's engine.run would have ended
 * wherever they came to another page, and only there. */
static void on_page(struct blocks *b, struct core *c, ea_t base)
{
    if ((c->cpu.pc & ~0xFFFu) != base)
        b->goes_on = !b->crossed;
    else if (b->crossed)
        warm_begin(c, true);
}

/* Is there another place now that blocks must end in front of? */
static bool out_of_date(const struct blocks *b, const struct core *c)
{
    const struct scale *s = fast_of(c)->scale;

    return b->stop != c->stop_pc || (s && b->points != s->points);
}

static inline __attribute__((always_inline)) enum exc
run(struct core *c, struct insn *page, pa_t page_pa, uint64_t n, bool warm)
{
    struct blocks *b = blocks_of(c);
    const struct fast *f = c->timing_state;
    ea_t base = c->cpu.pc & ~0xFFFu;

    if (c->pif.active || c->cpu.dabr & 3)
        return (warm ? warm_run : engine_interpreter.run)(c, page, page_pa, n);
    if (warm)
        warm_begin(c, !b->goes_on);
    b->goes_on = false;
    if (out_of_date(b, c) && b->code.memory)
        forget_all(b, c);
    b->stop = c->stop_pc;
    b->points = f->scale ? f->scale->points : 0;
    if (n > (f->k.set ? CODE_LOG : MOST))
        n = f->k.set ? CODE_LOG : MOST;
    while (n && (c->cpu.pc & ~0xFFFu) == base) {
        pa_t pa = page_pa | (c->cpu.pc & 0xFFC);
        bool can = n > 1 && (!warm || (warm_common(c) && !c->cpu.step.marks));
        const struct block *k = can ? block_at(b, c, pa) : NULL;
        uint64_t before = n, insns = c->insns;
        enum exc exc;

        if (k && k->length < n)
            n = enter(b, c, k, n - 1) + 1;
        if (n != before) {
            if (warm)
                on_page(b, c, base);
            if (stops(c))
                break;
            continue;
        }
        b->from = 0;
        exc = (warm ? warm_stretch : interpreter_stretch)(c, page, page_pa, n);
        n -= c->insns - insns;
        if (exc || over(c, page))
            return exc;
    }
    return EXC_NONE;
}

static enum exc blocks_run(struct core *c, struct insn *page, pa_t page_pa,
                           uint64_t n)
{
    return run(c, page, page_pa, n, false);
}

static enum exc blocks_run_warm(struct core *c, struct insn *page, pa_t page_pa,
                                uint64_t n)
{
    return run(c, page, page_pa, n, true);
}

const struct engine engine_blocks_eager = {.name = "blocks",
                                           .init = blocks_init_eager,
                                           .free = blocks_free,
                                           .run = blocks_run,
                                           .run_warm = blocks_run_warm,
                                           .invalidate = blocks_invalidate,
                                           .hand = blocks_hand};

const struct engine engine_blocks = {.name = "blocks",
                                     .init = blocks_init,
                                     .free = blocks_free,
                                     .run = blocks_run,
                                     .run_warm = blocks_run_warm,
                                     .invalidate = blocks_invalidate,
                                     .hand = blocks_hand};
