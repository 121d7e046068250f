/* case.c - random cases and their run through isa/; see case.h.
 *
 * Not made: what departures.def lists; what case_judge_elsewhere names;
 * opcodes 4, 17 and 60, where QEMU knows vector instructions and scv of later
 * processors whatever -cpu says, and some of them end it. Of XER only the bits
 * of the 604e are compared.
 */
#include <signal.h>

#include "isa/fp.h"
#include "isa/table.h"
#include "tests/isa/case.h"

static const struct known {
    uint32_t mask, match, word, r4;
    uint64_t f2, f3, f4;
    uint32_t fpscr;
    const char *why;
} known[] = {
#define DEPARTURE(mask, match, word, r4, f2, f3, f4, fpscr, why)               \
    {mask, match, word, r4, f2, f3, f4, fpscr, why},
#include "tests/isa/departures.def"
#undef DEPARTURE
};

size_t case_known(void)
{
    return sizeof known / sizeof known[0];
}

static void put_double(struct sample *s, unsigned n, uint64_t v)
{
    s->word[CASE_FPR + 2 * n] = (uint32_t)(v >> 32);
    s->word[CASE_FPR + 2 * n + 1] = (uint32_t)v;
}

const char *case_known_sample(size_t n, struct sample *s, unsigned slot)
{
    const struct known *k = &known[n];

    memset(s, 0, sizeof *s);
    s->word[CASE_OUTCOME] = s->word[CASE_COUNT] = 1;
    s->word[CASE_DETAIL] = slot;
    s->word[CASE_CODE] = k->word;
    s->word[CASE_LR] = s->word[CASE_CTR] = LOW_PAD;
    s->word[CASE_CR] = 0x12345678;
    s->word[CASE_GPR + 4] = k->r4;
    s->word[CASE_FPSCR + 1] = k->fpscr;
    put_double(s, 2, k->f2);
    put_double(s, 3, k->f3);
    put_double(s, 4, k->f4);
    return k->why;
}

static bool is_known(uint32_t w)
{
    unsigned opcode = w >> 26;

    for (size_t n = 0; n < case_known(); n++)
        if (known[n].mask && (w & known[n].mask) == known[n].match)
            return true;
    return ((w & 0xFC00003F) == 0x4C000000 && (w & 0x7C0)) || opcode == 4 ||
           opcode == 17 || opcode == 60;
}

const char *case_judge_elsewhere(enum op op)
{
    switch (op) {
    case OP_SC:
        return "a system call here; tests/isa/board.c";
    case OP_MFTB:
        return "the host's time; tests/core/observe_test.c";
    case OP_ECIWX:
    case OP_ECOWX:
        return "QEMU runs it, see departures.def; translated_test.c";
    default:
        return NULL;
    }
}

bool maker_init(struct maker *k, uint64_t seed, const char *rows)
{
    *k = (struct maker){.seed = seed};
    for (unsigned op = 1; op < OP_COUNT; op++) {
        if (strcmp(rows, "all") && strcmp(rows, isa_op_name(op)))
            continue;
        if (case_judge_elsewhere(op))
            continue;
        k->row[k->rows++] = (uint16_t)op;
    }
    return k->rows;
}

/* A word of a row: its fixed bits, and random ones elsewhere; registers are
 * the same now and then, reserved bits mostly zero. */
static uint32_t word_draw(struct maker *k, enum op op)
{
    const struct pattern *p = table_pattern(op);
    uint32_t fields = 0, w = p->match;

    for (unsigned n = 0; n < p->fields; n++) {
        const struct field *f = &p->field[n];
        uint32_t m = (uint32_t)((1ull << f->width) - 1);
        uint32_t v = (uint32_t)random_bits(&k->seed) & m;
        if (f->width == 16 && random_below(&k->seed, 3) == 0)
            v = random_word(&k->seed) & m;
        if (f->width == 5 && n && random_below(&k->seed, 6) == 0)
            v = w >> p->field[n - 1].shift & m;
        if (f->letter == 'a' && f->width == 5 && !random_below(&k->seed, 8))
            v = 0;
        fields |= m << f->shift;
        w |= v << f->shift;
    }
    if (random_below(&k->seed, 4) == 0 && op != OP_MFCR && op != OP_MTCRF &&
        op != OP_MFFS)
        w |= (uint32_t)random_bits(&k->seed) & ~p->mask & ~fields;
    return w;
}

static uint32_t spr_draw(struct maker *k)
{
    static const uint16_t often[] = {1, 8, 9, 1, 8, 9, 22, 26, 27, 936, 1008};
    uint32_t n = random_below(&k->seed, 2) ? often[random_below(&k->seed, 11)]
                                           : random_below(&k->seed, 1024);

    return n == 268 || n == 269 || n == 284 || n == 285 || n == 287 ? 8 : n;
}

/* A double from every corner: exponents near the ends of both formats and of
 * words, fractions with few bits, so that ties and exact results are common. */
static uint64_t double_draw(struct maker *k)
{
    static const uint16_t exponents[] = {
        0,    1,    2,    874,  895,  896,  897,  970,  1022, 1023, 1024,
        1053, 1054, 1055, 1075, 1149, 1150, 1151, 1152, 2045, 2046, 2047};
    uint64_t bits = random_bits(&k->seed), frac = bits >> 12, exp, sign;

    sign = bits << 63;
    switch (random_below(&k->seed, 6)) {
    case 0:
        frac = 0;
        break;
    case 1:
        frac &= ~0ull << random_below(&k->seed, 52);
        break;
    case 2:
        frac &= 0xFFFFFE0000000ull; /* single */
        break;
    case 3:
        frac = 1ull << random_below(&k->seed, 52);
        break;
    case 4:
        frac |= (1ull << random_below(&k->seed, 52)) - 1;
        break;
    }
    frac &= 0xFFFFFFFFFFFFFull;
    switch (random_below(&k->seed, 4)) {
    case 0:
        exp = exponents[random_below(&k->seed, 22)];
        break;
    case 1:
        exp = random_below(&k->seed, 2048);
        break;
    default:
        exp = 1023 - 32 + random_below(&k->seed, 64);
    }
    return sign | exp << 52 | frac;
}

static uint32_t single_draw(struct maker *k)
{
    static const uint8_t exponents[] = {0, 1, 127, 128, 157, 158, 254, 255};
    uint32_t bits = (uint32_t)random_bits(&k->seed);

    if (random_below(&k->seed, 2))
        bits = (bits & 0x807FFFFF) |
               (uint32_t)exponents[random_below(&k->seed, 8)] << 23;
    if (random_below(&k->seed, 3) == 0)
        bits &= ~0u << random_below(&k->seed, 24);
    return bits;
}

/* Any rounding mode; some exceptions recorded, others enabled, none both,
 * for that would be taken on the way in. FX stands with what is recorded. */
static uint32_t fpscr_draw(struct maker *k)
{
    uint32_t f = random_below(&k->seed, 4);
    uint32_t mode = random_below(&k->seed, 4) ? 0 : FPSCR_NI;
    uint32_t results = (uint32_t)random_bits(&k->seed) & 0x0001F000u;

    if (random_below(&k->seed, 3) == 0)
        f |= (uint32_t)random_bits(&k->seed) & 0xF8;
    else if (random_below(&k->seed, 2))
        f |= 0x80000000u | ((uint32_t)random_bits(&k->seed) & 0x1FF80700u);
    if (f & 0x01F80700u)
        f |= 0x20000000u;
    return f | mode | results;
}

static void state_draw(struct maker *k, struct sample *s, unsigned slot)
{
    uint32_t *w = s->word;
    uint32_t base = ARENA + SLOT_BYTES * slot;
    const uint32_t pads[] = {base, LOW_PAD, LOW_PAD};

    for (unsigned n = 0; n < 32; n++)
        w[CASE_GPR + n] = random_word(&k->seed);
    w[CASE_CR] = (uint32_t)random_bits(&k->seed);
    w[CASE_XER] = (uint32_t)random_bits(&k->seed) & CASE_XER_BITS;
    w[CASE_LR] = pads[random_below(&k->seed, 3)] | random_below(&k->seed, 4);
    w[CASE_CTR] = random_below(&k->seed, 2) ? random_below(&k->seed, 3)
                                            : random_word(&k->seed);
    w[CASE_FPSCR] = 0;
    w[CASE_FPSCR + 1] = fpscr_draw(k);
    for (unsigned n = CASE_FPR; n < CASE_WORDS; n += 2) {
        uint64_t v = double_draw(k);
        w[n] = (uint32_t)(v >> 32);
        w[n + 1] = (uint32_t)v;
    }
    for (unsigned n = CASE_MEM; n < CASE_WORDS; n += 1 + n % 3)
        w[n] = single_draw(k);
}

static uint32_t set_field(uint32_t w, unsigned shift, unsigned width,
                          uint32_t v)
{
    uint32_t m = (1u << width) - 1;

    return (w & ~(m << shift)) | (v & m) << shift;
}

static bool is_memory(const struct insn *i)
{
    return (i->flags & (INSN_LOAD | INSN_STORE)) || i->class == CLASS_TOUCH ||
           i->class == CLASS_CACHEOP;
}

/* How misaligned may it be without an exception on the chip? */
static uint32_t alignment(const struct insn *i)
{
    bool words = i->op == OP_LMW || i->op == OP_STMW ||
                 i->class == CLASS_LWARX || i->class == CLASS_STWCX ||
                 (i->flags & INSN_FP);

    return words ? ~3u : ~0u;
}

/* Make the address land in the case's memory. */
static uint32_t memory_aim(struct maker *k, struct sample *s, uint32_t word)
{
    uint32_t *gpr = &s->word[CASE_GPR];
    uint32_t ea;
    struct insn i;

    isa_decode(&i, word);
    ea = LOW_MEM + (random_below(&k->seed, 124) & alignment(&i));
    if (i.op == OP_LSWI || i.op == OP_STSWI) {
        if (i.a == 0)
            return set_field(word, 16, 5, 1 + random_below(&k->seed, 31));
        gpr[i.a] = ea;
    } else if (word >> 26 != 31) {
        if (i.a)
            gpr[i.a] = ea - (uint32_t)i.imm;
        else
            word = set_field(word, 0, 16, ea);
    } else if (i.a && i.a == i.b) {
        gpr[i.a] = (ea & ~7u) / 2;
    } else {
        gpr[i.b] = ea - (i.a ? gpr[i.a] : 0);
    }
    return word;
}

/* lswi with rA = 0 was given another rA: aim again. */
static uint32_t memory_place(struct maker *k, struct sample *s, uint32_t word)
{
    uint32_t again = memory_aim(k, s, word);

    return again == word ? word : memory_aim(k, s, again);
}

/* Make the target one of the pads, for an instruction alone in its slot. */
static uint32_t branch_aim(struct maker *k, struct sample *s, uint32_t word,
                           unsigned slot)
{
    uint32_t base = ARENA + SLOT_BYTES * slot;
    bool back = random_below(&k->seed, 2);
    unsigned width = word >> 26 == 18 ? 24 : 14;

    if (word >> 26 == 19) {
        s->word[CASE_CTR] = base | random_below(&k->seed, 4);
        return word;
    }
    if (word & 2)
        return set_field(word, 2, width, LOW_PAD / 4);
    return set_field(word, 2, width, back ? -(SLOT_CODE / 4u) : 2);
}

static uint32_t instruction_draw(struct maker *k, struct sample *s,
                                 unsigned slot, uint64_t *count)
{
    enum op op;
    struct insn i;
    uint32_t w;

    do {
        op = k->row[random_below(&k->seed, k->rows)];
        w = word_draw(k, op);
    } while (is_known(w));
    if (op == OP_MTSPR || op == OP_MFSPR) {
        uint32_t n = spr_draw(k);
        w = set_field(w, 11, 10, (n & 31) << 5 | n >> 5);
    }
    if (op == OP_FRES || op == OP_FRSQRTE)
        w &= ~1u; /* CR1 would show the XX that QEMU sets */
    isa_decode(&i, w);
    count[op]++;
    if (is_memory(&i))
        return memory_place(k, s, w);
    if (op == OP_BCCTR || op == OP_B || op == OP_BC)
        return branch_aim(k, s, w, slot);
    return w;
}

/* A word that no row takes: one fixed bit of a row turned, or any. */
static uint32_t illegal_draw(struct maker *k)
{
    for (;;) {
        enum op op = k->row[random_below(&k->seed, k->rows)];
        uint32_t w = word_draw(k, op) ^ 1u << random_below(&k->seed, 32);
        if (random_below(&k->seed, 4) == 0)
            w = (uint32_t)random_bits(&k->seed);
        if (table_find(w) == OP_ILLEGAL && !is_known(w))
            return w;
    }
}

/* May this stand in a sequence whose base register is r1? */
static bool fits_sequence(const struct insn *i)
{
    if (i->op == OP_FRES || i->op == OP_FRSQRTE || i->op == OP_ILLEGAL ||
        (i->flags & INSN_SUPERVISOR) || i->class == CLASS_LWARX ||
        i->class == CLASS_STWCX || i->class == CLASS_MULTIPLE ||
        i->class == CLASS_FPSCR || (i->flags & INSN_INDIRECT) ||
        i->op == OP_TW || i->op == OP_TWI || i->op == OP_MFSPR ||
        i->op == OP_MTSPR)
        return false;
    for (unsigned n = 0; n < i->ndst; n++)
        if (i->dst[n] == REG_GPR0 + 1)
            return false;
    return true;
}

static uint32_t sequence_word(struct maker *k, uint64_t *count, unsigned left)
{
    for (;;) {
        enum op op = k->row[random_below(&k->seed, k->rows)];
        uint32_t w = word_draw(k, op);
        struct insn i;
        isa_decode(&i, w);
        if (!fits_sequence(&i))
            continue;
        if (is_memory(&i)) {
            w = set_field(w, 16, 5, w >> 26 == 31 ? 0 : 1);
            w = w >> 26 == 31
                    ? set_field(w, 11, 5, 1)
                    : set_field(w, 0, 16, random_below(&k->seed, 60) & ~3u);
            isa_decode(&i, w);
            if (!fits_sequence(&i))
                continue;
        }
        if (i.flags & INSN_BRANCH) /* forward, over at most what is left */
            w = set_field(w & ~2u, 2, w >> 26 == 18 ? 24 : 14,
                          1 + random_below(&k->seed, left + 1));
        count[op]++;
        return w;
    }
}

static unsigned sequence_draw(struct maker *k, struct sample *s,
                              uint64_t *count)
{
    unsigned length = 2 + random_below(&k->seed, CASE_CODE_MAX - 2);
    uint32_t *code = &s->word[CASE_CODE];

    s->word[CASE_GPR + 1] = LOW_MEM + 64;
    for (unsigned n = 0; n < length; n++)
        code[n] = sequence_word(k, count, length - n);
    if (random_below(&k->seed, 8) == 0) {
        code[0] = 0x7C000828u | random_below(&k->seed, 30) << 21 | 2u << 21;
        code[length - 1] = 0x7C00092Du | random_below(&k->seed, 32) << 21;
        for (unsigned n = 1; n + 1 < length; n++)
            code[n] = 0x60000000; /* QEMU compares values, not granules */
    }
    return length;
}

/* Keep QEMU and the chip on common ground: see the list at the top. Enabled
 * overflow and underflow of single results need single operands, or QEMU's
 * adjusted exponent wraps. */
static void fpscr_adapt(struct maker *k, struct sample *s, unsigned length)
{
    uint32_t *fpscr = &s->word[CASE_FPSCR + 1];
    bool single = false;

    for (unsigned n = 0; n < length; n++) {
        struct insn i;
        isa_decode(&i, s->word[CASE_CODE + n]);
        if (i.op == OP_FNMADD || i.op == OP_FNMADDS || i.op == OP_FNMSUB ||
            i.op == OP_FNMSUBS)
            *fpscr &= ~2u;
        if (i.op == OP_MTFSB1)
            *fpscr |= 0x80000000u;
        if (i.op == OP_FRES || i.op == OP_FRSQRTE)
            *fpscr &= ~(FPSCR_XE | FPSCR_OE | FPSCR_UE);
        if (i.op == OP_FRSP || (length > 1 && i.word >> 26 == 59))
            *fpscr &= ~0x60u;
        single = single || i.word >> 26 == 59;
    }
    for (unsigned n = CASE_FPR; single && *fpscr & 0x60 && n < CASE_MEM;
         n += 2) {
        uint64_t v = fp_widen(single_draw(k));
        s->word[n] = (uint32_t)(v >> 32);
        s->word[n + 1] = (uint32_t)v;
    }
}

unsigned case_make(struct maker *k, struct sample *s, unsigned slot,
                   uint64_t *count)
{
    unsigned what = random_below(&k->seed, 16), length = 1;

    state_draw(k, s, slot);
    if (what == 0 && k->rows > 1)
        s->word[CASE_CODE] = illegal_draw(k);
    else if (what < 3 && k->rows > 1)
        length = sequence_draw(k, s, count);
    else
        s->word[CASE_CODE] = instruction_draw(k, s, slot, count);
    fpscr_adapt(k, s, length);
    if (s->word[CASE_GPR + 1] >> 20 == SIGNAL_STACK >> 20)
        return case_make(k, s, slot, count); /* QEMU would end there */
    s->word[CASE_OUTCOME] = 1;
    s->word[CASE_DETAIL] = slot;
    s->word[CASE_COUNT] = length;
    return length;
}

static uint32_t signal_of(enum exc e, uint32_t cause)
{
    switch (e) {
    case EXC_PROGRAM:
        if (cause == SRR1_TRAP)
            return SIGTRAP;
        return cause == SRR1_FP ? SIGFPE : SIGILL;
    case EXC_ALIGNMENT:
        return SIGBUS;
    default:
        return SIGSEGV;
    }
}

static void cpu_load(struct machine *m, const uint32_t *w)
{
    struct cpu *c = &m->cpu;

    memcpy(c->gpr, &w[CASE_GPR], sizeof c->gpr);
    c->cr = w[CASE_CR];
    c->xer = w[CASE_XER];
    c->lr = w[CASE_LR];
    c->ctr = w[CASE_CTR];
    c->fpscr = w[CASE_FPSCR + 1];
    for (unsigned n = 0; n < 32; n++)
        c->fpr[n] =
            (uint64_t)w[CASE_FPR + 2 * n] << 32 | w[CASE_FPR + 2 * n + 1];
    for (unsigned n = 0; n < CASE_MEM_WORDS; n++) {
        uint32_t v = __builtin_bswap32(w[CASE_MEM + n]);
        memcpy(m->ram + LOW_MEM + 4 * n, &v, 4);
    }
    c->msr = MSR_PR | MSR_FP | MSR_FE0 | MSR_FE1 | MSR_EE | MSR_ME;
    m->reservations.mask = 0;
}

static void cpu_save(const struct machine *m, uint32_t *w)
{
    const struct cpu *c = &m->cpu;

    memcpy(&w[CASE_GPR], c->gpr, sizeof c->gpr);
    w[CASE_CR] = c->cr;
    w[CASE_XER] = c->xer;
    w[CASE_LR] = c->lr;
    w[CASE_CTR] = c->ctr;
    w[CASE_FPSCR + 1] = c->fpscr;
    for (unsigned n = 0; n < 32; n++) {
        w[CASE_FPR + 2 * n] = (uint32_t)(c->fpr[n] >> 32);
        w[CASE_FPR + 2 * n + 1] = (uint32_t)c->fpr[n];
    }
    for (unsigned n = 0; n < CASE_MEM_WORDS; n++) {
        uint32_t v;
        memcpy(&v, m->ram + LOW_MEM + 4 * n, 4);
        w[CASE_MEM + n] = __builtin_bswap32(v);
    }
}

void case_run(struct machine *m, const struct sample *s, uint32_t *out)
{
    uint32_t base = ARENA + SLOT_BYTES * s->word[CASE_DETAIL];
    uint32_t start = base + SLOT_CODE;
    uint32_t end = start + 4 * s->word[CASE_COUNT];
    struct cpu *c = &m->cpu;
    enum exc e = EXC_NONE;

    memcpy(out, s->word, 4 * CASE_WORDS);
    cpu_load(m, s->word);
    for (c->pc = start; c->pc >= start && c->pc < end; c->pc = c->nia) {
        struct insn i;
        isa_decode(&i, s->word[CASE_CODE + (c->pc - start) / 4]);
        e = isa_exec(c, &i);
        if (e)
            break;
    }
    cpu_save(m, out);
    out[CASE_OUTCOME] = c->pc == end ? OUTCOME_FALL : OUTCOME_BRANCH;
    if (e) {
        out[CASE_OUTCOME] = OUTCOME_SIGNAL + signal_of(e, c->cause);
        out[CASE_DETAIL] = c->cause == SRR1_PRIVILEGED;
        out[CASE_COUNT] = c->pc - base;
    } else if (c->pc != end && c->pc != end + 4 && c->pc != base &&
               c->pc != LOW_PAD) {
        out[CASE_OUTCOME] = c->pc; /* nowhere known */
    }
}
