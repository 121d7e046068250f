/* issue.c - when does an instruction start in its unit.
 * Operands, unit, in that order; branch, floating-point and load/store units
 * start in order, the integer units take whichever entry is ready (604 UM
 * p.256). Execution-serialized instructions wait until they are the oldest.
 */
#include "sim/core/detailed/pipe.h"

static cycle_t operands_ready(const struct window *w, const struct insn *i)
{
    cycle_t at = 0;
    unsigned k;

    for (k = i->late; k < i->nsrc; k++)
        at = cycle_max(at, w->ready[i->src[k]]);
    return at;
}

/* How long a class keeps its unit, by what it works on.
 *
 * APPROX: a multiplier's second operand decides alone how many passes there
 * are, and the product is no earlier for one pass. Source: 604 UM p.35 has an
 * early exit for 16 by 32 bits; GMP's authors measured one figure for mode1o on
 * the 604e, whatever the divisor, and count two cycles for each full multiply.
 * Cost: none in tests/core/gmp_all.sh, whose loops multiply by 32 bits. */
static unsigned repeat_of(const struct slot *s)
{
    return s->early ? 1 : s->chip->repeat;
}

void issue_ask(const struct core *c, struct slot *s)
{
    int32_t b = (int32_t)c->cpu.gpr[s->i->b];

    s->brought = 0;
    s->early = s->chip->order & EARLY && b == (int16_t)b;
    s->io = s->i->flags & (INSN_LOAD | INSN_STORE) && lsu_is_io(c, s->i);
}

void issue_at(struct window *w, struct slot *s)
{
    const struct chip *chip = s->chip;
    cycle_t t = s->dispatch + 1, oldest = w->completed + 1, from = t;

    s->spans = 0;
    s->operands = t = cycle_max(t, operands_ready(w, s->i));
    s->heads = cycle_max(from, w->began[s->unit] + 1);
    if ((chip->order & EXEC) || s->io) {
        t = cycle_max(t, oldest);
        if (t > from)
            slot_wait(s, s->dispatch, t, REASON_serial);
    }
    if (s->unit == UNIT_NONE) {
        s->issue = t;
    } else if (!unit_rows[s->unit].in_order) {
        s->issue = busy_reserve(&w->busy[s->unit], from, t, repeat_of(s));
    } else {
        s->issue = cycle_max(t, w->next[s->unit]);
        w->next[s->unit] = s->issue + repeat_of(s);
        w->began[s->unit] = s->issue;
    }
    if (s->issue > t)
        slot_wait(s, s->dispatch, s->issue, REASON_unit);
    s->finish = s->issue + chip->latency;
}

void issue_results(struct window *w, const struct slot *s)
{
    const struct insn *i = s->i;
    unsigned k;

    for (k = 0; k < i->ndst; k++)
        window_ready(w, i->dst[k], s->finish);
    /* APPROX: the address of an access with update is there after two cycles,
     * as the datum of a load is. Source: no manual; the loop com of GMP is
     * exact with two and takes two thirds of its time with one. Cost: the loop
     * add_n of today, 23 % slower than an older one measured. */
    if (i->flags & INSN_UPDATE)
        window_ready(w, REG_GPR0 + i->a, s->issue + 2);
    if (i->flags & INSN_MULTIPLE && i->flags & INSN_LOAD)
        for (k = i->d; k < 32; k++)
            window_ready(w, REG_GPR0 + k, s->finish);
    if (s->chip->order & LOCK) {
        for (k = 0; k < i->ndst; k++) {
            if (i->dst[k] == REG_LR)
                w->lock_lr = s->finish;
            else if (i->dst[k] == REG_CTR)
                w->lock_ctr = s->finish;
            else
                w->lock_cr = s->finish;
        }
    }
}
