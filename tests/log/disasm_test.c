/* disasm_test.c - what the log shows is the instruction that ran: the assembler
 * makes the same word of it again. Every row of the table with random fields,
 * less forms that the assembler refuses. timeout: 120 s
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/disasm.h"
#include "isa/table.h"
#include "tests/lib/scratch.h"

#define START 0x1000u
#define ROUNDS 40

static uint32_t words[ROUNDS * OP_COUNT];
static char texts[ROUNDS * OP_COUNT][DISASM_TEXT];
static unsigned count;
static uint64_t seed = 88172645463325252u;

static uint32_t roll(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 16);
}

/* A word of the row; bits that may be anything are 0, as the assembler has
 * them. */
static uint32_t make(enum op op)
{
    const struct pattern *p = table_pattern(op);
    uint32_t used = p->mask;

    for (unsigned k = 0; k < p->fields; k++)
        used |= (p->field[k].width == 32 ? 0xFFFFFFFFu
                                         : (1u << p->field[k].width) - 1)
                << p->field[k].shift;
    return (((roll() & ~p->mask) | p->match) & used) | p->match;
}

/* BO with the hint and the bits that mean nothing cleared. */
static uint32_t plain_branch(uint32_t word)
{
    static const uint32_t plain[] = {0, 2, 4, 8, 10, 12, 16, 18, 20};
    uint32_t bo = plain[roll() % 9];

    word = (word & ~(31u << 21)) | bo << 21;
    if (bo & 16)
        word &= ~(31u << 16);
    return word;
}

/* Forms that execute here and yet are refused by the assembler, and targets
 * that it cannot reach from where it puts them. */
static bool refused(const struct insn *i, ea_t pc)
{
    int64_t target = (int64_t)(i->c ? 0 : pc) + i->imm;

    switch (i->op) {
    case OP_ILLEGAL:
        return true;
    case OP_B:
    case OP_BC:
        return target < 0 || target > INT32_MAX || (i->c && i->imm < 0);
    case OP_LMW:
        return i->a >= i->d;
    case OP_LSWI:
        return true; /* ranges that wrap */
    case OP_LSWX:
        return i->a == i->d || i->b == i->d;
    default:
        return false;
    }
}

static void choose(const struct disasm *d)
{
    struct insn i;

    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned op = OP_ILLEGAL + 1; op < OP_COUNT; op++) {
            uint32_t word = make(op);
            ea_t pc = START + 4 * count;

            if (op == OP_BC || op == OP_BCLR || op == OP_BCCTR)
                word = plain_branch(word);
            isa_decode(&i, word);
            if (refused(&i, pc) || i.flags & INSN_PIF) /* nobody else's */
                continue;
            disasm_insn(d, word, pc, texts[count]);
            words[count++] = word;
        }
}

/* The assembler takes a number as a distance where we show an address. */
static void write_line(FILE *f, const char *text, ea_t pc)
{
    const char *last = strrchr(text, ' ');

    if (text[0] == 'b' && last && strncmp(last, " 0x", 3) == 0 &&
        text[strcspn(text, " ") - 1] != 'a')
        fprintf(f, "%.*s .+%ld\n", (int)(last - text), text,
                strtol(last, NULL, 16) - (long)pc);
    else
        fprintf(f, "%s\n", text);
}

static void the_assembler_makes_the_same_word_of_it(void **state)
{
    struct disasm *d = disasm_new();
    char name[600], command[6000];
    uint8_t bytes[4];
    unsigned bad = 0;
    FILE *f;

    (void)state;
    assert_non_null(d);
    choose(d);
    disasm_free(d);
    assert_true(count > 5000);
    snprintf(name, sizeof name, "%s/disasm", scratch_dir());
    snprintf(command, sizeof command, "%s.s", name);
    f = fopen(command, "w");
    assert_non_null(f);
    for (unsigned k = 0; k < count; k++)
        write_line(f, texts[k], START + 4 * k);
    fclose(f);
    snprintf(command, sizeof command,
             "powerpc-linux-gnu-as -W -m604 -mregnames -o %s.o %s.s && "
             "powerpc-linux-gnu-ld -Ttext=0x%x -e 0 -o %s.elf %s.o && "
             "powerpc-linux-gnu-objcopy -O binary -j .text %s.elf %s.bin",
             name, name, START, name, name, name, name);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "%s.bin", name);
    f = fopen(command, "rb");
    assert_non_null(f);
    for (unsigned k = 0; k < count; k++) {
        uint32_t word;

        assert_int_equal(fread(bytes, 1, 4, f), 4);
        word = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
               (uint32_t)bytes[2] << 8 | bytes[3];
        if (word != words[k] && bad++ < 10)
            print_error("%08x is shown as \"%s\", which is %08x\n", words[k],
                        texts[k], word);
    }
    fclose(f);
    assert_int_equal(bad, 0);
}

static void what_is_no_instruction_is_a_word(void **state)
{
    struct disasm *d = disasm_new();
    char text[DISASM_TEXT];

    (void)state;
    disasm_insn(d, 0x00000000, 0x1000, text);
    assert_string_equal(text, ".long 0x00000000");
    disasm_insn(d, 0x10000484, 0x1000, text); /* AltiVec's vor */
    assert_string_equal(text, ".long 0x10000484");
    disasm_insn(d, 0x3860FFFF, 0x1000, text);
    assert_string_equal(text, "li r3, -0x1");
    disasm_insn(d, 0x4BFFFFF0, 0x0008, text);
    assert_string_equal(text, "b 0xfffffff8");
    disasm_insn(d, 0x429F0005, 0x1000, text);
    assert_string_equal(text, "bcl 20, 31, 0x1004");
    disasm_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_assembler_makes_the_same_word_of_it),
        cmocka_unit_test(what_is_no_instruction_is_a_word),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
