/* disasm.c - capstone's words for the instructions of our table.
 * Capstone knows many PowerPCs; what this one raises a program exception for
 * is not shown as an instruction. What capstone does not know, or takes for
 * something else, is written from its row.
 */
#include "isa/disasm.h"

#include <capstone/capstone.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- from our own table -------------------------------------------------- */

/* One operand of a row, as insns.def names it, appended to text. */
static void add_operand(char *text, const char *name, size_t length,
                        const struct insn *i, ea_t pc)
{
    const struct {
        const char *name, *front;
        uint32_t value;
    } known[] = {
        {"rD", "r", i->d},
        {"rS", "r", i->d},
        {"rA", "r", i->a},
        {"rB", "r", i->b},
        {"frD", "f", i->d},
        {"frS", "f", i->d},
        {"frA", "f", i->a},
        {"frB", "f", i->b},
        {"frC", "f", i->c},
        {"crfD", "cr", i->d},
        {"crbD", "", i->d},
        {"BO", "", i->d},
        {"BI", "", i->a},
        {"SPR", "", i->spr},
        {"NB", "", i->b},
        {"n", "", i->d},
        {"k", "", (uint32_t)i->imm},
        {"target", "0x", (uint32_t)i->imm + (i->c ? 0 : pc)},
    };
    size_t used = strlen(text), room = DISASM_TEXT - used;

    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (strlen(known[k].name) != length ||
            memcmp(known[k].name, name, length) != 0)
            continue;
        if (strcmp(known[k].front, "0x") == 0)
            snprintf(text + used, room, "0x%" PRIx32, known[k].value);
        else
            snprintf(text + used, room, "%s%" PRIu32, known[k].front,
                     known[k].value);
        return;
    }
    snprintf(text + used, room, "?%.*s", (int)length, name);
}

/* Name, suffixes and operands of the row. */
static void from_row(const struct insn *i, ea_t pc, char text[DISASM_TEXT])
{
    const struct row *r = table_row(i->op);
    const char *at = r->operands;

    snprintf(
        text, DISASM_TEXT, "%s%s%s%s%s%s", r->name,
        i->flags & INSN_SETS_SO ? "o" : "", i->flags & INSN_LINK ? "l" : "",
        (i->op == OP_B || i->op == OP_BC) && i->c ? "a" : "",
        i->flags & INSN_RC && !(r->flags & INSN_RC) ? "." : "", *at ? " " : "");
    while (*at) {
        size_t length = strcspn(at, ",");

        add_operand(text, at, length, i, pc);
        at += length;
        if (*at == ',') {
            strncat(text, ", ", DISASM_TEXT - 1 - strlen(text));
            at++;
        }
    }
}

/* Does a branch go round the end of the address space? */
static bool goes_round(const struct insn *i, ea_t pc)
{
    ea_t target = pc + (uint32_t)i->imm;

    return !i->c && (i->imm < 0 ? target > pc : target < pc);
}

/* Those that capstone 4 gets wrong: a branch that always goes and yet has
 * other bits set is shown as one that counts, one that goes round the end with
 * an address of 64 bits, cntlzw under an older name, and special registers of
 * other processors under theirs. */
static bool is_ours(const struct insn *i, ea_t pc)
{
    switch (i->op) {
    case OP_B:
        return goes_round(i, pc);
    case OP_BC:
        return (i->d & 0x14) == 0x14 || goes_round(i, pc);
    case OP_BCLR:
    case OP_BCCTR:
        return (i->d & 0x14) == 0x14 && (i->d != 0x14 || i->a);
    case OP_MFSPR:
    case OP_MTSPR:
        return !spr_find(i->spr);
    default:
        return i->op == OP_CNTLZW;
    }
}

/* ---- from capstone ------------------------------------------------------- */

/* capstone 4 shows a negative immediate as the half word that it is. */
static void show_sign(const struct insn *i, char *text)
{
    char half[12], *at = strrchr(text, ' ');

    if (i->imm >= 0 || i->op == OP_ADDIS || !at ||
        !strstr(table_row(i->op)->operands, "SIMM"))
        return;
    snprintf(half, sizeof half, "0x%x", (unsigned)i->imm & 0xFFFF);
    if (strcmp(at + 1, half) == 0)
        snprintf(at + 1, sizeof half, "-0x%" PRIx32, (uint32_t)-i->imm);
}

void disasm_insn(const struct disasm *d, uint32_t word, ea_t pc,
                 char text[DISASM_TEXT])
{
    uint8_t bytes[4] = {(uint8_t)(word >> 24), (uint8_t)(word >> 16),
                        (uint8_t)(word >> 8), (uint8_t)word};
    struct insn i;
    cs_insn *found;

    isa_decode(&i, word);
    if (i.op == OP_ILLEGAL) {
        snprintf(text, DISASM_TEXT, ".long 0x%08" PRIx32, word);
    } else if (!is_ours(&i, pc) &&
               cs_disasm(d->handle, bytes, 4, pc, 1, &found) == 1) {
        snprintf(text, DISASM_TEXT, "%s%s%.60s", found->mnemonic,
                 *found->op_str ? " " : "", found->op_str);
        cs_free(found, 1);
        show_sign(&i, text);
    } else {
        from_row(&i, pc, text);
    }
}
