/* disasm.c - capstone's words for the instructions of our table.
 * Capstone knows many PowerPCs; what this one raises a program exception for
 * is not shown as an instruction. What capstone does not know, or takes for
 * something else, gets the name of its row.
 */
#include "isa/disasm.h"

#include <capstone/capstone.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "isa/table.h"

struct disasm {
    csh handle;
};

struct disasm *disasm_new(void)
{
    struct disasm *d = malloc(sizeof *d);

    if (d && cs_open(CS_ARCH_PPC, CS_MODE_32 | CS_MODE_BIG_ENDIAN,
                     &d->handle) != CS_ERR_OK) {
        free(d);
        d = NULL;
    }
    return d;
}

void disasm_free(struct disasm *d)
{
    if (!d)
        return;
    cs_close(&d->handle);
    free(d);
}

void disasm_insn(const struct disasm *d, uint32_t word, ea_t pc,
                 char text[DISASM_TEXT])
{
    uint8_t bytes[4] = {(uint8_t)(word >> 24), (uint8_t)(word >> 16),
                        (uint8_t)(word >> 8), (uint8_t)word};
    struct insn i;
    cs_insn *found;

    isa_decode(&i, word);
    if (i.op == OP_BC && (i.d & 0x14) == 0x14) {
        /* Always: capstone 4 takes it for one that counts. */
        snprintf(text, DISASM_TEXT, "bc%s%s %u, %u, 0x%" PRIx32,
                 word & 1 ? "l" : "", word & 2 ? "a" : "", i.d, i.a,
                 (word & 2 ? 0 : pc) + (uint32_t)i.imm);
        return;
    }
    if (i.op == OP_ILLEGAL) {
        snprintf(text, DISASM_TEXT, ".long 0x%08" PRIx32, word);
    } else if (cs_disasm(d->handle, bytes, 4, pc, 1, &found) == 1) {
        snprintf(text, DISASM_TEXT, "%s%s%.60s", found->mnemonic,
                 *found->op_str ? " " : "", found->op_str);
        cs_free(found, 1);
    } else {
        snprintf(text, DISASM_TEXT, "%s 0x%08" PRIx32, isa_op_name(i.op), word);
    }
}
