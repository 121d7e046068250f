/* insn.h - the decoded record, the decoder, and the one entry to execution.
 *
 * A record is made once per physical word and read by all processors: execution
 * calls its body, timing reads its class and registers, observers its row.
 * A record of zeros means "not decoded yet".
 */
#ifndef ISA_INSN_H
#define ISA_INSN_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/cpu.h"
#include "isa/port.h"

enum class {
    CLASS_NONE,
#define CLASS(name, text) CLASS_##name,
#include "isa/class.def"
#undef CLASS
    CLASS_COUNT
};

/* One per row of insns.def, plus OP_ILLEGAL. */
enum op {
    OP_ILLEGAL,
#define INSN(id, name, encoding, operands, class, flags, writes, reads, body)  \
    OP_##id,
#include "isa/insns.def"
#undef INSN
    OP_COUNT
};

/* insn.flags, set by the decoder from the row and the word. */
#define INSN_BRANCH 0x0001u   /* may change the flow: b bc bclr bcctr */
#define INSN_COND 0x0002u     /* ... and depends on CR or CTR */
#define INSN_INDIRECT 0x0004u /* ... target from LR or CTR */
#define INSN_LINK 0x0008u     /* ... writes LR */
#define INSN_LOAD 0x0010u
#define INSN_STORE 0x0020u
#define INSN_UPDATE 0x0040u   /* writes rA with the address */
#define INSN_OBSERVES 0x0080u /* sees time: run it at its issue cycle */
#define INSN_SUPERVISOR 0x0100u
#define INSN_FP 0x0200u       /* needs MSR[FP] */
#define INSN_MULTIPLE 0x0400u /* lmw stmw and strings: d..31 or by count */
#define INSN_SETS_SO 0x0800u  /* OE=1: may set XER[SO] */
#define INSN_RC 0x1000u       /* record form */
#define INSN_PIF 0x2000u      /* ours: illegal while HID0[PIFE] is 0 */
#define INSN_CONTEXT 0x4000u  /* what follows may be fetched from elsewhere */
#define INSN_STACK 0x8000u    /* sets r1, and not as frames come and go */

#define INSN_SRC 9 /* mfcr reads 8 fields */
#define INSN_DST 9 /* mtcrf may write 8 */

struct insn {
    /* Runs the instruction on c. Returns EXC_NONE, or the exception, with
     * c->cause set and no architected state changed (sc, trap-after apart:
     * see docs/architecture.md). */
    enum exc (*exec)(struct cpu *c, const struct insn *i);
    uint32_t word;
    int32_t imm;        /* SIMM, UIMM, d, branch displacement */
    uint8_t d, a, b, c; /* fields as drawn: D/S/TO/BO, A/BI, B, C or AA */
    uint16_t op;        /* enum op */
    uint16_t flags;     /* INSN_... */
    uint8_t class;      /* enum class */
    uint8_t nsrc, ndst;
    uint8_t src[INSN_SRC]; /* enum reg, each once */
    uint8_t dst[INSN_DST];
    uint8_t sh, mb, me;      /* rotates: SH MB ME; mtcrf: FXM in sh */
    uint16_t spr;            /* mfspr, mtspr, mftb: number, halves unswapped */
    uint8_t gprs, fprs, crs; /* results in each register file */
    uint8_t late;            /* sources not needed to start: a store's datum */
    uint8_t reads;           /* GPRs read, all at dispatch */
    bool carries;            /* writes XER[CA] */
};

/* Make the record of a word. Never fails: what is not in the table gets
 * OP_ILLEGAL, whose body raises the program exception. */
void isa_decode(struct insn *i, uint32_t word);

/* From now on the port hears of the record i, which is decoded, in front of
 * each time it runs. It runs by itself then, as one that sees time; what it
 * does and what it costs stay the same. */
void isa_watch(struct insn *i);

/* Change c by entering exception e at instruction address c->pc, whose
 * successor is c->nia: SRR0/SRR1/DSISR/DAR from c->cause and c->dar, MSR, and
 * c->nia = the vector. The table in docs/architecture.md says which of the
 * two addresses SRR0 gets. Tells the port that MSR changed. */
void isa_enter(struct cpu *c, enum exc e);

/* Run the record i at c->pc; on return c->nia is the next instruction.
 * Sets c->nia and clears the step first. Synchronous exceptions are returned,
 * not entered: the caller decides, then isa_enter.
 * Trace (SE, BE) is the caller's: isa_traces says if it is due. */
static inline enum exc isa_exec(struct cpu *c, const struct insn *i)
{
    c->nia = c->pc + 4;
    c->step.accesses = c->step.marks = 0;
    c->step.taken = false;
    return i->exec(c, i);
}

/* Would finishing i with this MSR raise a trace exception? */
static inline bool isa_traces(const struct insn *i, uint32_t msr)
{
    return (msr & MSR_SE) || ((msr & MSR_BE) && (i->flags & INSN_BRANCH));
}

/* Power-on state of processor number n as the 604e has it (docs: MSR 0x40,
 * HID0 0, PVR 0x00090204, PIR n); every other register zero. */
void isa_reset(struct cpu *c, unsigned n);

/* Row facts for tools: NULL past the end. */
const char *isa_op_name(enum op op);
const char *isa_exc_name(enum exc e);
uint32_t isa_exc_vector(enum exc e);

#endif
