/* decode.c - a word becomes a record.
 * Knows what the letters of an encoding and the register words of a row mean
 * (both are listed at the head of insns.def). Knows no state of the machine.
 */
#include <string.h>

#include "isa/exec/body.h"
#include "isa/table.h"

static int32_t sign_extend(uint32_t value, unsigned width)
{
    return (int32_t)(value << (32 - width)) >> (32 - width);
}

static void set_flag(struct insn *i, uint32_t on, unsigned flag)
{
    if (on)
        i->flags |= (uint16_t)flag;
}

static void set_field(struct insn *i, const struct field *f)
{
    uint32_t v = i->word >> f->shift & (uint32_t)((1ull << f->width) - 1);
    uint8_t byte = (uint8_t)v;

    switch (f->letter) {
    case 'd':
    case 's':
    case 't':
        i->d = byte;
        break;
    case 'a':
        i->a = byte;
        break;
    case 'b':
        i->b = byte;
        break;
    case 'c':
    case 'k':
        i->c = byte;
        break;
    case 'h':
    case 'f':
        i->sh = byte;
        break;
    case 'm':
        i->mb = byte;
        break;
    case 'e':
        i->me = byte;
        break;
    case 'i':
        i->imm = sign_extend(v, f->width);
        break;
    case 'j':
        i->imm = 4 * sign_extend(v, f->width);
        break;
    case 'u':
        i->imm = (int32_t)v;
        break;
    case 'p':
        i->spr = (uint16_t)((v & 31) << 5 | v >> 5);
        break;
    case 'l':
        set_flag(i, v, INSN_LINK);
        break;
    case 'o':
        set_flag(i, v, INSN_SETS_SO);
        break;
    case 'r':
        set_flag(i, v, INSN_RC);
        break;
    }
}

/* A list of registers being made: every register once. */
struct list {
    uint8_t *reg, *count;
    unsigned room;
};

static void list_add(struct list *l, unsigned reg)
{
    for (unsigned n = 0; n < *l->count; n++)
        if (l->reg[n] == reg)
            return;
    if (*l->count < l->room)
        l->reg[(*l->count)++] = (uint8_t)reg;
}

static void list_spr(struct list *l, unsigned spr)
{
    if (spr == 1) {
        list_add(l, REG_CA);
        list_add(l, REG_OV);
        list_add(l, REG_XCOUNT);
    } else {
        list_add(l, spr == 8 ? REG_LR : spr == 9 ? REG_CTR : REG_SPR);
    }
}

/* BO: 0x10 ignores the condition, 0x04 ignores the counter. */
#define BO_ALWAYS 0x10u
#define BO_KEEP 0x04u

static void list_fields(struct list *l, unsigned mask)
{
    for (unsigned n = 0; n < 8; n++)
        if (mask & 0x80u >> n)
            list_add(l, REG_CR0 + n);
}

static bool word_is(const char *word, size_t n, const char *what)
{
    return strlen(what) == n && memcmp(word, what, n) == 0;
}

/* Words that name one fixed register. */
static const struct {
    const char *word;
    uint8_t reg;
} fixed[] = {
    {"CA", REG_CA},   {"SO", REG_OV},       {"XC", REG_XCOUNT},
    {"LR", REG_LR},   {"CTR", REG_CTR},     {"FPSCR", REG_FPSCR},
    {"MSR", REG_MSR}, {"RES", REG_RESERVE}, {"SPR", REG_SPR},
    {"CR0", REG_CR0},
};

static uint8_t letter_field(const struct insn *i, char letter)
{
    switch (letter) {
    case 'A':
        return i->a;
    case 'B':
        return i->b;
    case 'C':
        return i->c;
    default: /* D, S */
        return i->d;
    }
}

/* Add what one word of a row's writes or reads names. */
static void list_word(struct list *l, const struct insn *i, const char *w,
                      size_t n)
{
    /* Only these words, and CR, begin with a capital. */
    for (size_t k = 0; *w < 'a' && k < sizeof fixed / sizeof fixed[0]; k++)
        if (word_is(w, n, fixed[k].word)) {
            list_add(l, fixed[k].reg);
            return;
        }
    if (word_is(w, n, "CR")) {
        list_fields(l, 0xFF);
    } else if (word_is(w, n, "crM")) {
        list_fields(l, i->sh);
    } else if (word_is(w, n, "spr")) {
        list_spr(l, i->spr);
    } else if (word_is(w, n, "rA0")) {
        if (i->a)
            list_add(l, REG_GPR0 + i->a);
    } else if (word_is(w, n, "count") || word_is(w, n, "cond")) {
        if (!(i->d & BO_KEEP))
            list_add(l, REG_CTR);
        if (!(i->d & BO_ALWAYS) && n == 4)
            list_add(l, REG_CR0 + i->a / 4u);
    } else if (w[0] == 'r') { /* rD.. names its first register */
        list_add(l, REG_GPR0 + letter_field(i, w[1]));
    } else if (w[0] == 'f' && w[1] == 'r') {
        list_add(l, REG_FPR0 + letter_field(i, w[2]));
    } else if (w[0] == 'c' && w[1] == 'r') {
        list_add(l, REG_CR0 + letter_field(i, w[2]));
    } else if (w[0] == 'c' && w[1] == 'b') {
        list_add(l, REG_CR0 + letter_field(i, w[2]) / 4u);
    } /* fpscr: no dependence */
}

static void list_words(struct list *l, const struct insn *i, const char *s)
{
    while (*s) {
        size_t n = strcspn(s, " ");
        list_word(l, i, s, n);
        s += n + (s[n] == ' ');
    }
}

static void set_registers(struct insn *i, const struct row *row)
{
    struct list src = {i->src, &i->nsrc, INSN_SRC};
    struct list dst = {i->dst, &i->ndst, INSN_DST};

    list_words(&src, i, row->reads);
    list_words(&dst, i, row->writes);
    if (i->flags & INSN_LINK)
        list_add(&dst, REG_LR);
    if (i->flags & INSN_SETS_SO) {
        list_add(&src, REG_OV);
        list_add(&dst, REG_OV);
    }
    if (i->flags & INSN_RC) {
        list_add(&dst, i->flags & INSN_FP ? REG_CR0 + 1 : REG_CR0);
        if (!(i->flags & INSN_FP))
            list_add(&src, REG_OV);
    }
}

/* Is register r among the n registers from d on, 31 wrapping to 0? */
static bool range_has(unsigned d, unsigned n, unsigned r)
{
    return ((r - d) & 31) < n;
}

/* Invalid forms that the bits allow; the list is in insns.def. */
static bool form_valid(const struct insn *i)
{
    bool fp = i->flags & INSN_FP;

    if (i->flags & INSN_UPDATE)
        return i->a && (fp || (i->flags & INSN_STORE) || i->a != i->d);
    switch (i->op) {
    case OP_BCCTR:
        return i->d & BO_KEEP;
    case OP_LSWI:
        return !range_has(i->d, ((i->b ? i->b : 32u) + 3) / 4, i->a);
    case OP_MFTB:
        return i->spr == 268 || i->spr == 269;
    default:
        return true;
    }
}

static bool one_bit(unsigned v)
{
    return v && !(v & (v - 1));
}

/* What the operands add to the row's class and flags. */
static void set_specials(struct insn *i)
{
    const struct spr *spr;

    switch (i->op) {
    case OP_BC:
    case OP_BCLR:
    case OP_BCCTR:
        set_flag(i, (i->d & 0x14) != 0x14, INSN_COND);
        break;
    case OP_MTCRF:
        i->class = one_bit(i->sh) ? CLASS_MTCRF1 : CLASS_MTCRF;
        break;
    case OP_MTSPR:
    case OP_MFSPR:
        spr = spr_find(i->spr);
        set_flag(i, i->spr & 0x10, INSN_SUPERVISOR);
        /* IABR: what was fetched ahead must be looked at again. */
        set_flag(i, spr && (spr->asked || i->spr == 1010), INSN_OBSERVES);
        set_flag(i, i->op == OP_MTSPR && isa_translates(i->spr), INSN_CONTEXT);
        if (i->spr == 8 || i->spr == 9)
            i->class = i->op == OP_MTSPR ? CLASS_MTLRCTR : CLASS_MFLRCTR;
        else if (i->spr == 1 && i->op == OP_MTSPR)
            i->class = CLASS_MTXER;
        break;
    case OP_ISYNC:
    case OP_RFI:
    case OP_MTMSR:
    case OP_MTSR:
    case OP_MTSRIN:
    case OP_TLBIE:
        i->flags |= INSN_CONTEXT;
        break;
    default:
        break;
    }
}

static void make_illegal(struct insn *i, uint32_t word)
{
    memset(i, 0, sizeof *i);
    i->word = word;
    i->op = OP_ILLEGAL;
    i->class = CLASS_ILLEGAL;
    i->exec = body_illegal;
}

static void count_results(struct insn *i)
{
    for (unsigned n = 0; n < i->ndst; n++) {
        if (i->dst[n] < REG_FPR0)
            i->gprs++;
        else if (i->dst[n] < REG_CR0)
            i->fprs++;
        else if (i->dst[n] < REG_CA)
            i->crs++;
        else if (i->dst[n] == REG_CA)
            i->carries = true;
    }
}

/* Is r1 set otherwise than by making or dropping a frame that is known there:
 * stwu, stwux, addi r1,r1,N, lwz r1,0(r1)? */
static bool sets_stack(const struct insn *i)
{
    bool written = false;

    for (unsigned n = 0; n < i->ndst; n++)
        written |= i->dst[n] == REG_GPR0 + 1;
    if (!written || (i->op == OP_ADDI && i->a == 1) ||
        (i->op == OP_LWZ && i->a == 1 && !i->imm))
        return false;
    return !(i->flags & INSN_STORE);
}

/* Does a store find its address without rS? */
static bool addresses_without_datum(const struct insn *i)
{
    bool indexed = i->word >> 26 == 31;

    if (i->class != CLASS_STORE)
        return false;
    return i->flags & INSN_FP ||
           ((!i->a || i->a != i->d) && (!indexed || i->b != i->d));
}

static void count_sources(struct insn *i)
{
    for (unsigned n = 0; n < i->nsrc; n++)
        if (i->src[n] < REG_FPR0)
            i->reads++;
    i->late = addresses_without_datum(i); /* rows name rS first */
}

void isa_decode(struct insn *i, uint32_t word)
{
    enum op op = table_find(word);
    const struct row *row = table_row(op);
    const struct pattern *pattern = table_pattern(op);

    memset(i, 0, sizeof *i);
    i->exec = row->body;
    i->word = word;
    i->op = (uint16_t)op;
    i->flags = row->flags;
    i->class = row->class;
    for (unsigned n = 0; n < pattern->fields; n++)
        set_field(i, &pattern->field[n]);
    if (!form_valid(i)) {
        make_illegal(i, word);
        return;
    }
    set_specials(i);
    set_registers(i, row);
    count_results(i);
    set_flag(i, sets_stack(i), INSN_STACK);
    count_sources(i);
}

/* The body of a record that is watched. */
static enum exc tell_and_run(struct cpu *c, const struct insn *i)
{
    struct insn plain;

    isa_decode(&plain, i->word);
    if (c->port->watched)
        c->port->watched(c->port->world);
    return plain.exec(c, i);
}

void isa_watch(struct insn *i)
{
    i->exec = tell_and_run;
    i->flags |= INSN_OBSERVES;
}
