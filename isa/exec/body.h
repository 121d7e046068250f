/* body.h - the bodies of all rows, and what they share.
 * Private to isa/. A body is named as its row says and returns EXC_NONE or
 * the exception, with c->cause set and nothing else changed.
 */
#ifndef ISA_EXEC_BODY_H
#define ISA_EXEC_BODY_H

#include "isa/insn.h"

/* What a body takes from its record. An engine of sim/core/fast that compiles
 * the bodies with constant records has its own, and the prototypes are not
 * needed there. */
#ifndef BODY
#define BODY(name) enum exc body_##name(struct cpu *c, const struct insn *i)
#define GPR(field) (c->gpr[i->field])
#define FPR(field) (c->fpr[i->field])
#define IMM (i->imm)
#define PC (c->pc)                              /* of the instruction */
#define CR_BIT(field) (0x80000000u >> i->field) /* field: a bit's number */
#define SHIFT (i->sh)
#define ROTATE_MASK (rotate_mask(i->mb, i->me))
/* Has arithmetic left a result to another engine? Then so does the body, and
 * has changed nothing; its answer is no exception, EXC_COUNT. */
#define GAVE_UP(out) ((void)(out), false)

#define INSN(id, name, encoding, operands, class, flags, writes, reads, body)  \
    enum exc body_##body(struct cpu *c, const struct insn *i);
#include "isa/insns.def"
#undef INSN
enum exc body_illegal(struct cpu *c, const struct insn *i);

/* The branch i goes to `target`. */
static inline enum exc flow_to(struct cpu *c, const struct insn *i, ea_t target)
{
    (void)i;
    c->nia = target;
    c->step.taken = true;
    return EXC_NONE;
}
#endif

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

    /* EQ, GT and LT stand beside each other: no branch to be guessed. */
    cr_set(c, field, CR_EQ << (greater + 2u * less) | so);
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

/* Ones from bit mb to bit me, around the end if mb > me. */
static inline uint32_t rotate_mask(unsigned mb, unsigned me)
{
    uint32_t from = 0xFFFFFFFFu >> mb;
    uint32_t to = 0xFFFFFFFFu << (31 - me);

    return mb <= me ? from & to : from | to;
}

/* EA of the D and X forms; field a = 0 means zero. */
static inline ea_t ea_d(const struct cpu *c, const struct insn *i)
{
    return (i->a ? GPR(a) : 0) + (uint32_t)IMM;
}

static inline ea_t ea_x(const struct cpu *c, const struct insn *i)
{
    return (i->a ? GPR(a) : 0) + GPR(b);
}

#endif
