/* truth_test.c - the rows tell the truth: whatever a body changes is in its
 * row's writes, and changing what is not in its reads changes nothing else.
 * Random words of every row run on random states. HID0, DABR, the mode bits
 * of MSR and the memory are the setting, not operands.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "isa/table.h"
#include "tests/isa/machine.h"

#define PER_ROW 60
#define ADDRESS 0x5000u
#define MSR_OPERANDS (MSR_EE | MSR_RI | MSR_PM | MSR_ILE | MSR_BE)

/* ---- registers by number ------------------------------------------------- */

static uint32_t flip_bits(uint32_t v, uint32_t bits, uint64_t *seed)
{
    uint32_t change = (uint32_t)random_bits(seed) & bits;

    return v ^ (change ? change : bits);
}

static void flip_special(struct machine *m, uint64_t *seed)
{
    struct cpu *c = &m->cpu;

    c->srr0 = flip_bits(c->srr0, ~0u, seed);
    c->srr1 = flip_bits(c->srr1, ~0u, seed);
    c->ear = flip_bits(c->ear, 0x80000000u, seed);
    for (unsigned n = 0; n < 4; n++)
        c->sprg[n] = flip_bits(c->sprg[n], ~0u, seed);
    for (unsigned n = 0; n < 16; n++)
        c->sr[n] = flip_bits(c->sr[n], ~0u, seed);
    m->spr[22] = flip_bits(m->spr[22], ~0u, seed);
    m->spr[952] = flip_bits(m->spr[952], ~0u, seed);
}

static void flip(struct machine *m, unsigned reg, uint64_t *seed)
{
    struct cpu *c = &m->cpu;

    if (reg < REG_FPR0)
        c->gpr[reg] = flip_bits(c->gpr[reg], ~0u, seed);
    else if (reg < REG_CR0)
        c->fpr[reg - REG_FPR0] ^= random_bits(seed) | 1;
    else if (reg < REG_CA)
        c->cr = flip_bits(c->cr, 0xF0000000u >> 4 * (reg - REG_CR0), seed);
    else if (reg == REG_CA)
        c->xer ^= XER_CA;
    else if (reg == REG_OV)
        c->xer = flip_bits(c->xer, XER_SO | XER_OV, seed);
    else if (reg == REG_XCOUNT)
        c->xer = flip_bits(c->xer, 0x7F, seed);
    else if (reg == REG_LR)
        c->lr = flip_bits(c->lr, ~0u, seed);
    else if (reg == REG_CTR)
        c->ctr = flip_bits(c->ctr, ~0u, seed);
    else if (reg == REG_FPSCR)
        c->fpscr = flip_bits(c->fpscr, ~0u, seed);
    else if (reg == REG_RESERVE)
        m->reservations.mask ^= 1;
    else if (reg == REG_MSR)
        c->msr = flip_bits(c->msr, MSR_OPERANDS, seed);
    else
        flip_special(m, seed);
}

static bool same_special(const struct machine *a, const struct machine *b)
{
    const struct cpu *x = &a->cpu, *y = &b->cpu;

    return x->srr0 == y->srr0 && x->srr1 == y->srr1 && x->ear == y->ear &&
           !memcmp(x->sprg, y->sprg, sizeof x->sprg) &&
           !memcmp(x->sr, y->sr, sizeof x->sr) &&
           !memcmp(a->spr, b->spr, sizeof a->spr) && x->sdr1 == y->sdr1 &&
           !memcmp(x->ibat, y->ibat, sizeof x->ibat) &&
           !memcmp(x->dbat, y->dbat, sizeof x->dbat) && x->dar == y->dar &&
           x->dsisr == y->dsisr && x->hid0 == y->hid0 && x->hid1 == y->hid1 &&
           x->iabr == y->iabr && x->dabr == y->dabr && x->pir == y->pir &&
           x->pvr == y->pvr;
}

static bool same(const struct machine *a, const struct machine *b, unsigned reg)
{
    const struct cpu *x = &a->cpu, *y = &b->cpu;
    uint32_t xer = x->xer ^ y->xer;

    if (reg < REG_FPR0)
        return x->gpr[reg] == y->gpr[reg];
    if (reg < REG_CR0)
        return x->fpr[reg - REG_FPR0] == y->fpr[reg - REG_FPR0];
    if (reg < REG_CA)
        return !((x->cr ^ y->cr) & 0xF0000000u >> 4 * (reg - REG_CR0));
    switch (reg) {
    case REG_CA:
        return !(xer & XER_CA);
    case REG_OV:
        return !(xer & (XER_SO | XER_OV));
    case REG_XCOUNT:
        return !(xer & 0x7F);
    case REG_LR:
        return x->lr == y->lr;
    case REG_CTR:
        return x->ctr == y->ctr;
    case REG_FPSCR:
        return x->fpscr == y->fpscr;
    case REG_RESERVE:
        return a->reservations.mask == b->reservations.mask;
    case REG_MSR:
        return x->msr == y->msr;
    default:
        return same_special(a, b);
    }
}

/* ---- what the row says --------------------------------------------------- */

struct claim {
    bool reads[REG_COUNT], writes[REG_COUNT];
};

/* Registers of a multiple or string: from d, as many as the count says. */
static void claim_range(struct claim *k, const struct insn *i, uint32_t xer)
{
    unsigned n = 32u - i->d;

    if (i->op == OP_LSWI || i->op == OP_STSWI)
        n = ((i->b ? i->b : 32u) + 3) / 4;
    else if (i->op == OP_LSWX || i->op == OP_STSWX)
        n = ((xer & 0x7F) + 3) / 4;
    for (unsigned r = i->d; n--; r = (r + 1) & 31)
        *(i->flags & INSN_LOAD ? &k->writes[r] : &k->reads[r]) = true;
}

static struct claim claim_of(const struct insn *i, uint32_t xer)
{
    const struct row *row = table_row(i->op);
    struct claim k = {0};

    for (unsigned n = 0; n < i->nsrc; n++)
        k.reads[i->src[n]] = true;
    for (unsigned n = 0; n < i->ndst; n++)
        k.writes[i->dst[n]] = true;
    if (i->flags & INSN_MULTIPLE)
        claim_range(&k, i, xer);
    if (strstr(row->reads, "fpscr") ||
        ((i->flags & INSN_FP) && (i->flags & INSN_RC)))
        k.reads[REG_FPSCR] = true;
    if (strstr(row->writes, "fpscr"))
        k.writes[REG_FPSCR] = true;
    return k;
}

/* ---- one instance -------------------------------------------------------- */

static void draw_state(struct machine *m, uint64_t *seed)
{
    struct cpu *c = &m->cpu;

    machine_init(m);
    for (unsigned n = 0; n < 32; n++) {
        c->gpr[n] = random_word(seed);
        c->fpr[n] = random_bits(seed);
    }
    c->cr = (uint32_t)random_bits(seed);
    c->xer = (uint32_t)random_bits(seed) & 0xE000007Fu;
    c->lr = (uint32_t)random_bits(seed);
    c->ctr = random_below(seed, 3);
    c->fpscr = (uint32_t)random_bits(seed) & 3;
    c->msr = MSR_FP | MSR_ME | ((uint32_t)random_bits(seed) & MSR_OPERANDS);
    c->ear = random_below(seed, 2) << 31;
    c->srr0 = (uint32_t)random_bits(seed);
    c->srr1 = (uint32_t)random_bits(seed);
    c->pc = 0x100;
    m->reservations.mask = random_below(seed, 2);
    m->reservations.line[0] = ADDRESS;
    for (unsigned n = 0; n < 256; n++)
        m->ram[ADDRESS + n] = (uint8_t)random_bits(seed);
}

/* Everything that a body can reach here; the rest of memory stays zero. */
static void copy(struct machine *to, const struct machine *from)
{
    size_t rest = offsetof(struct machine, reservations);

    memcpy(to->ram + ADDRESS, from->ram + ADDRESS, 256);
    memcpy((char *)to + rest, (const char *)from + rest, sizeof *to - rest);
}

static enum exc run(struct machine *m, const struct insn *i)
{
    m->port.world = m;
    m->port.ram = m->ram;
    m->port.code_page = m->code_page;
    m->port.reservations = &m->reservations;
    m->cpu.port = &m->port;
    return isa_exec(&m->cpu, i);
}

/* Aim a memory instruction at memory, where its registers let us. */
static void aim(struct machine *m, struct insn *i)
{
    uint32_t *gpr = m->cpu.gpr;

    if (i->word >> 26 != 31 && i->a)
        gpr[i->a] = ADDRESS - (uint32_t)i->imm;
    else if (i->word >> 26 == 31 && i->a != i->b)
        gpr[i->b] = ADDRESS - (i->a ? gpr[i->a] : 0);
}

static void check(const struct machine *before, const struct insn *i,
                  uint64_t *seed)
{
    static struct machine after, flipped, other;
    struct claim claim = claim_of(i, before->cpu.xer);
    const char *name = isa_op_name(i->op);
    enum exc e;

    copy(&after, before);
    e = run(&after, i);
    for (unsigned r = 0; r < REG_COUNT; r++)
        if (!same(before, &after, r) && !claim.writes[r] && !e)
            fail_msg("%08x %s writes register %u", i->word, name, r);
    for (unsigned r = 0; r < REG_COUNT; r++) {
        if (claim.reads[r])
            continue;
        copy(&flipped, before);
        flip(&flipped, r, seed);
        copy(&other, &flipped);
        if (run(&other, i) != e || other.cpu.nia != after.cpu.nia ||
            other.cpu.cause != after.cpu.cause ||
            memcmp(other.ram + ADDRESS, after.ram + ADDRESS, 256))
            fail_msg("%08x %s reads register %u", i->word, name, r);
        for (unsigned s = 0; s < REG_COUNT; s++) {
            if (s == REG_SPR && (e || r == REG_SPR))
                continue; /* DAR; one of the many registers that it is */
            bool untouched =
                same(&other, &flipped, s) && same(before, &after, s);
            if (!same(&other, &after, s) && !(s == r && untouched))
                fail_msg("%08x %s: register %u depends on %u", i->word, name, s,
                         r);
        }
    }
}

static void rows_tell_the_truth(void **state)
{
    static struct machine m;
    uint64_t seed = 7;

    (void)state;
    for (unsigned op = 1; op < OP_COUNT; op++)
        for (unsigned n = 0; n < PER_ROW;) {
            const struct pattern *p = table_pattern(op);
            uint32_t w = p->match;
            struct insn i;
            for (unsigned k = 0; k < p->fields; k++)
                w |= (uint32_t)(random_bits(&seed) &
                                ((1ull << p->field[k].width) - 1))
                     << p->field[k].shift;
            isa_decode(&i, w);
            if (i.op != op)
                continue;
            n++;
            draw_state(&m, &seed);
            aim(&m, &i);
            check(&m, &i, &seed);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_tell_the_truth),
    };

    return cmocka_run_group_tests_name("truth", tests, NULL, NULL);
}
