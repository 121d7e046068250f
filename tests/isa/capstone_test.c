/* capstone_test.c - capstone reads every row back as the row means it: the
 * name and each operand, on random words of the row.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <capstone/capstone.h>
#include <cmocka.h>

#include "tests/isa/machine.h"
#include "tests/isa/operand.h"

#define PER_ROW 200

/* Rows that capstone 4 does not know, or always prints under other names.
 * The assembler test covers them; a row that it learns must leave the list. */
static const uint16_t unknown[] = {OP_MCRXR, OP_LSWX,  OP_STSWX,  OP_ECIWX,
                                   OP_ECOWX, OP_FCMPO, OP_CMPI,   OP_CMPLI,
                                   OP_CMP,   OP_CMPL,  OP_CNTLZW, OP_BC,
                                   OP_BCLR,  OP_BCCTR, OP_SYNC};

static bool is_unknown(unsigned op)
{
    for (size_t n = 0; n < sizeof unknown / sizeof unknown[0]; n++)
        if (unknown[n] == op)
            return true;
    return false;
}

/* The next number in capstone's operand text, which it writes in decimal or
 * hexadecimal behind a letter or a sign. */
static bool number_next(const char **text, uint32_t *v)
{
    const char *s = *text + strcspn(*text, "0123456789");
    bool minus = s > *text && s[-1] == '-';
    char *end;

    if (!*s)
        return false;
    *v = (uint32_t)strtoull(s, &end, 0);
    if (minus)
        *v = -*v;
    *text = end;
    return true;
}

static bool operand_same(const struct insn *i, const struct operand *o,
                         const char **text)
{
    uint32_t v, base;

    if (!number_next(text, &v))
        return false;
    if (o->kind == OPERAND_TARGET)
        return v == (uint32_t)o->value + (i->c ? 0 : 0x1000);
    if (o->kind == OPERAND_MEMORY)
        return v == (uint32_t)o->value && number_next(text, &base) &&
               base == i->a;
    if (o->value == 32 && !v)
        return true; /* NB 0 is 32 bytes, and is printed as 0 */
    return ((v ^ (uint32_t)o->value) & 0xFFFF) == 0;
}

/* False: capstone says something else, perhaps an alias. */
static bool reads_back(const struct insn *i, const cs_insn *theirs)
{
    const char *ours = table_row(i->op)->operands, *text = theirs->op_str;
    struct operand o;
    uint32_t rest;
    char name[16];

    operand_name(i, name);
    if (strcmp(name, theirs->mnemonic))
        return false;
    while (operand_next(i, &ours, &o))
        if (!operand_same(i, &o, &text))
            return false;
    return !number_next(&text, &rest);
}

static uint32_t draw(const struct pattern *p, uint64_t *seed)
{
    uint32_t w = p->match;

    for (unsigned k = 0; k < p->fields; k++)
        if (p->field[k].letter != 'o') /* capstone 4: few OE forms */
            w |= (uint32_t)(random_bits(seed) &
                            ((1ull << p->field[k].width) - 1))
                 << p->field[k].shift;
    return w;
}

static void row_reads_back(csh handle, unsigned op, uint64_t *seed)
{
    const char *name = isa_op_name(op);
    unsigned same = 0, other = 0, tried = 0;

    while (tried < PER_ROW) {
        uint32_t w = draw(table_pattern(op), seed);
        uint8_t bytes[] = {(uint8_t)(w >> 24), (uint8_t)(w >> 16),
                           (uint8_t)(w >> 8), (uint8_t)w};
        struct insn i;
        cs_insn *theirs;
        isa_decode(&i, w);
        if (i.op != op)
            continue;
        tried++;
        if (!cs_disasm(handle, bytes, 4, 0x1000, 1, &theirs))
            continue;
        if (i.flags & INSN_PIF)
            fail_msg("%s: capstone knows %08x", name, w);
        if (reads_back(&i, theirs))
            same++;
        else if (!strcmp(theirs->mnemonic, name) && !is_unknown(op)) {
            print_message("%08x %s: capstone says %s %s\n", w, name,
                          theirs->mnemonic, theirs->op_str);
            other++;
        }
        cs_free(theirs, 1);
    }
    if (table_row(op)->flags & INSN_PIF)
        return; /* nobody else's */
    if (is_unknown(op) ? same * 4 > tried : same * 4 < tried || other)
        fail_msg("%s: %u of %u words read back, %u with other operands", name,
                 same, tried, other);
}

static void every_row_reads_back(void **state)
{
    uint64_t seed = 1;
    csh handle;

    (void)state;
    assert_int_equal(
        cs_open(CS_ARCH_PPC, CS_MODE_32 | CS_MODE_BIG_ENDIAN, &handle),
        CS_ERR_OK);
    for (unsigned op = 1; op < OP_COUNT; op++)
        row_reads_back(handle, op, &seed);
    cs_close(&handle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_reads_back),
    };

    return cmocka_run_group_tests_name("capstone", tests, NULL, NULL);
}
