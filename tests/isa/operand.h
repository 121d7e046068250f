/* operand.h - the operands column of a row, as numbers of one instruction.
 */
#ifndef TESTS_ISA_OPERAND_H
#define TESTS_ISA_OPERAND_H

#include <assert.h>
#include <string.h>

#include "isa/table.h"

enum operand_kind {
    OPERAND_GPR,
    OPERAND_FPR,
    OPERAND_CRF,
    OPERAND_NUMBER,
    OPERAND_TARGET,
    OPERAND_MEMORY /* value(a) */
};

struct operand {
    enum operand_kind kind;
    int32_t value;
};

static inline unsigned operand_letter(const struct insn *i, char letter)
{
    return letter == 'A'   ? i->a
           : letter == 'B' ? i->b
           : letter == 'C' ? i->c
                           : i->d;
}

static inline struct operand operand_number(const struct insn *i,
                                            const char *word, size_t n)
{
    static const char *const names[] = {
        "SIMM", "UIMM", "IMM", "SH",  "MB",  "ME",  "NB", "L",
        "TO",   "BO",   "BI",  "SPR", "TBR", "CRM", "FM", "SR"};
    const int32_t values[] = {i->imm, i->imm,           i->imm, i->sh, i->mb,
                              i->me,  i->b ? i->b : 32, 0,      i->d,  i->d,
                              i->a,   i->spr,           i->spr, i->sh, i->sh,
                              i->a};

    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (strlen(names[k]) == n && !memcmp(names[k], word, n))
            return (struct operand){OPERAND_NUMBER, values[k]};
    assert(!"an operand that nobody explained");
    return (struct operand){OPERAND_NUMBER, 0};
}

/* Take the next operand of *text, or return false at its end. */
static inline bool operand_next(const struct insn *i, const char **text,
                                struct operand *o)
{
    const char *w = *text;
    size_t n = strcspn(w, ",");

    if (!n)
        return false;
    *text = w + n + (w[n] == ',');
    if (w[0] == 'f' && w[1] == 'r')
        *o = (struct operand){OPERAND_FPR, (int)operand_letter(i, w[2])};
    else if (w[0] == 'r')
        *o = (struct operand){OPERAND_GPR, (int)operand_letter(i, w[1])};
    else if (n == 4 && !memcmp(w, "crf", 3))
        *o = (struct operand){OPERAND_CRF, w[3] == 'D' ? i->d : i->a};
    else if (n == 4 && !memcmp(w, "crb", 3))
        *o = (struct operand){OPERAND_NUMBER, (int)operand_letter(i, w[3])};
    else if (!memcmp(w, "d(rA)", n))
        *o = (struct operand){OPERAND_MEMORY, i->imm};
    else if (!memcmp(w, "target", n))
        *o = (struct operand){OPERAND_TARGET, i->imm};
    else
        *o = operand_number(i, w, n);
    return true;
}

/* The row's name with the endings that the word asks for. */
static inline void operand_name(const struct insn *i, char *name)
{
    const struct row *row = table_row(i->op);
    bool fixed = strchr(row->name, '.') != NULL;

    strcpy(name, row->name);
    if (i->flags & INSN_SETS_SO)
        strcat(name, "o");
    if (i->flags & INSN_LINK)
        strcat(name, "l");
    if ((i->op == OP_B || i->op == OP_BC) && i->c)
        strcat(name, "a");
    if ((i->flags & INSN_RC) && !fixed)
        strcat(name, ".");
}

#endif
