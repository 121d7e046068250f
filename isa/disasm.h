/* disasm.h - an instruction as a person writes it. */
#ifndef ISA_DISASM_H
#define ISA_DISASM_H

#include <stddef.h>

#include "isa/types.h"

#define DISASM_TEXT 96

struct disasm;

/* NULL: the host has no memory for it. Owner frees. */
struct disasm *disasm_new(void);
void disasm_free(struct disasm *d);

/* The instruction `word` at pc: "mnemonic operands", branch targets as
 * addresses. What is no instruction of this machine is ".long 0x...". */
void disasm_insn(const struct disasm *d, uint32_t word, ea_t pc,
                 char text[DISASM_TEXT]);

#endif
