/* body.h - the bodies of all rows, and what they share.
 * Private to isa/. A body is named as its row says and returns EXC_NONE or
 * the exception, with c->cause set and nothing else changed.
 */
#ifndef ISA_EXEC_BODY_H
#define ISA_EXEC_BODY_H

#include "isa/insn.h"

#define INSN(id, name, encoding, operands, class, flags, writes, reads, body)  \
    enum exc body_##body(struct cpu *c, const struct insn *i);
#include "isa/insns.def"
#undef INSN
enum exc body_illegal(struct cpu *c, const struct insn *i);

#define BODY(name) enum exc body_##name(struct cpu *c, const struct insn *i)

/* CR fields count from the left: field n holds LT GT EQ SO in bits 4n.. */
#define CR_LT 8u
#define CR_GT 4u
#define CR_EQ 2u
#define CR_SO 1u

static inline void cr_set(struct cpu *c, unsigned field, uint32_t value)
{
    unsigned shift = 28 - 4 * field;

    c->cr = (c->cr & ~(15u << shift)) | value << shift;
}

static inline uint32_t cr_get(const struct cpu *c, unsigned field)
{
    return c->cr >> (28 - 4 * field) & 15;
}

static inline void cr_compare(struct cpu *c, unsigned field, bool less,
                              bool greater)
{
    uint32_t so = c->xer >> 31;

    cr_set(c, field, (less ? CR_LT : greater ? CR_GT : CR_EQ) | so);
}

/* CR0 as a record form leaves it. */
static inline void cr_record(struct cpu *c, uint32_t value)
{
    cr_compare(c, 0, (int32_t)value<0, (int32_t)value> 0);
}

static inline enum exc program(struct cpu *c, uint32_t why)
{
    c->cause = why;
    return EXC_PROGRAM;
}

/* EA of the D and X forms; field a = 0 means zero. */
static inline ea_t ea_d(const struct cpu *c, const struct insn *i)
{
    return (i->a ? c->gpr[i->a] : 0) + (uint32_t)i->imm;
}

static inline ea_t ea_x(const struct cpu *c, const struct insn *i)
{
    return (i->a ? c->gpr[i->a] : 0) + c->gpr[i->b];
}

#endif
