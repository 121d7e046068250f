/* listing.c - every row as assembly text on standard output and as words on
 * standard error, for assembler_test.sh. Fields are random, forms valid.
 */
#include <stdio.h>

#include "tests/isa/machine.h"
#include "tests/isa/operand.h"

#define PER_ROW 40

static void print_operand(const struct insn *i, const struct operand *o)
{
    switch (o->kind) {
    case OPERAND_MEMORY:
        printf("%d(%u)", o->value, i->a);
        break;
    case OPERAND_TARGET:
        printf(i->c ? "%d" : ".+(%d)", o->value);
        break;
    default:
        printf("%d", o->value);
    }
}

static void print_line(const struct insn *i)
{
    const char *text = table_row(i->op)->operands;
    struct operand o;
    char name[16], comma = '\t';

    fprintf(stderr, "%08x\n", i->word);
    if (i->flags & INSN_PIF) { /* no assembler knows them */
        printf("\t.long\t0x%08x\n", i->word);
        return;
    }
    operand_name(i, name);
    printf("\t%s", name);
    while (operand_next(i, &text, &o)) {
        putchar(comma);
        print_operand(i, &o);
        comma = ',';
    }
    printf("\n");
}

/* The assembler refuses forms that execute here: a register of lmw or lswx
 * among its addresses, an odd hint in BO. */
static bool assembles(const struct insn *i)
{
    if (i->op == OP_LMW)
        return i->a < i->d;
    if (i->op == OP_LSWX)
        return i->a < i->d && i->b < i->d;
    if (i->op == OP_LSWI)
        return i->a < i->d && i->d + (i->b ? i->b : 32) / 4 < 32;
    if (i->op == OP_BC || i->op == OP_BCLR || i->op == OP_BCCTR)
        return i->d == 4 || i->d == 12 || i->d == 20 ||
               (i->op != OP_BCCTR && (i->d == 0 || i->d == 2 || i->d == 8 ||
                                      i->d == 10 || i->d == 16 || i->d == 18));
    return true;
}

int main(void)
{
    uint64_t seed = 604;

    for (unsigned op = 1; op < OP_COUNT; op++)
        for (unsigned n = 0; n < PER_ROW;) {
            const struct pattern *p = table_pattern(op);
            uint32_t w = p->match;
            struct insn i;
            for (unsigned k = 0; k < p->fields; k++)
                w |= (uint32_t)(random_bits(&seed) &
                                ((1ull << p->field[k].width) - 1))
                     << p->field[k].shift;
            isa_decode(&i, w);
            if (i.op != op || !assembles(&i))
                continue;
            print_line(&i);
            n++;
        }
    return 0;
}
