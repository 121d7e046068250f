/* isa_table_test.c - the tables of isa/ are sound, and decoding follows them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isa/table.h"

static struct insn decoded(uint32_t word)
{
    struct insn i;

    isa_decode(&i, word);
    return i;
}

static void there_are_184_rows(void **state)
{
    unsigned ours = 0;

    (void)state;
    for (unsigned op = 1; op < OP_COUNT; op++)
        ours += (table_row(op)->flags & INSN_PIF) != 0;
    assert_int_equal(ours, 6);
    assert_int_equal(OP_COUNT - 1 - ours, 184);
    assert_string_equal(isa_op_name(OP_ILLEGAL), "illegal");
    assert_null(isa_op_name(OP_COUNT));
}

static void no_two_rows_overlap(void **state)
{
    (void)state;
    for (unsigned a = 1; a < OP_COUNT; a++)
        for (unsigned b = a + 1; b < OP_COUNT; b++) {
            const struct pattern *p = table_pattern(a), *q = table_pattern(b);
            if (!((p->match ^ q->match) & p->mask & q->mask))
                fail_msg("%s and %s", isa_op_name(a), isa_op_name(b));
        }
}

static void every_row_has_a_body_and_a_class(void **state)
{
    (void)state;
    for (unsigned op = 1; op < OP_COUNT; op++) {
        const struct row *row = table_row(op);
        assert_non_null(row->body);
        assert_in_range(row->class, CLASS_NONE + 1, CLASS_ILLEGAL - 1);
        if (decoded(table_pattern(op)->match).op)
            assert_true(decoded(table_pattern(op)->match).exec == row->body);
    }
}

/* Words of the reads and writes columns, as the head of insns.def lists
 * them. */
static void rows_use_only_words_that_are_explained(void **state)
{
    static const char words[] =
        " rA rB rS rD rA0 rD.. rS.. frA frB frC frD frS crD crA crM cbD cbA"
        " cbB CR CR0 SO CA XC LR CTR RES MSR SPR spr fpscr FPSCR cond count ";

    (void)state;
    for (unsigned op = 1; op < OP_COUNT; op++)
        for (unsigned side = 0; side < 2; side++) {
            const char *s = side ? table_row(op)->reads : table_row(op)->writes;
            for (size_t n; *s; s += n + (s[n] == ' ')) {
                char word[16];
                n = strcspn(s, " ");
                snprintf(word, sizeof word, " %.*s ", (int)n, s);
                if (!strstr(words, word))
                    fail_msg("%s: %s", isa_op_name(op), word);
            }
        }
}

static void privilege_is_bit_0x10_of_the_number(void **state)
{
    unsigned found = 0, ours = 0;

    (void)state;
    for (unsigned n = 0; n < 1100; n++) {
        const struct spr *s = spr_find(n);
        if (!s)
            continue;
        found += !s->pif;
        ours += s->pif;
        assert_int_equal(s->number, n);
        assert_int_equal(s->super, (n & 0x10) != 0);
        assert_true(s->reads || s->writes);
        assert_true(s->stored || s->asked);
        assert_true(s->offset < sizeof(struct cpu));
    }
    assert_int_equal(found, 48);
    assert_int_equal(ours, 69);
}

/* Instructions of relatives that the 604e does not have. */
static void what_the_604e_lacks_is_illegal(void **state)
{
    static const struct {
        uint32_t word;
        const char *name;
    } absent[] = {
        {0x00000000, "zero"},
        {0xFC20102C, "fsqrt"},
        {0xEC20102C, "fsqrts"},
        {0x7C0002E4, "tlbia"},
        {0x7C0015EC, "dcba"},
        {0xE8610000, "ld"},
        {0xF8610000, "std"},
        {0x7C830074, "cntlzd"},
        {0x7C64281E, "isel"},
        {0x7C0028CE, "lvx"},
        {0x10642800, "vaddubm"},
        {0x7C642A10, "doz"},
        {0x7C642A2A, "lscbx"},
        {0x7C60229C, "mfpmr"},
        {0x7C600224, "mfrom"},
        {0x58642800, "rlmi"},
        {0x7C6400F4, "popcntb"},
        {0x44000001, "scv"},
        {0x4C000024, "rfid"},
        {0x7C6007A8, "lwsync twin"},
        {0x04000000, "prefix"},
        {0x7CA00524, "hashstp"},
        {0x7C00012C, "stwcx without ."},
        {0xFC212018, "frsp rA"},
        {0x7C0004AD, "sync Rc"},
        {0xF0000000, "opcode 60"},
    };

    (void)state;
    for (size_t n = 0; n < sizeof absent / sizeof absent[0]; n++) {
        struct insn i = decoded(absent[n].word);
        if (i.op != OP_ILLEGAL)
            fail_msg("%s is %s", absent[n].name, isa_op_name(i.op));
        assert_int_equal(i.class, CLASS_ILLEGAL);
        assert_int_equal(i.word, absent[n].word);
        assert_int_equal(i.nsrc + i.ndst + i.flags, 0);
    }
}

static void invalid_forms_are_illegal(void **state)
{
    static const uint32_t forms[] = {
        0x84600000, /* lwzu r3,0(0) */
        0x84630000, /* lwzu r3,0(r3) */
        0x94600000, /* stwu r3,0(0) */
        0x7C63206E, /* lwzux r3,r3,r4 */
        0xC4200000, /* lfsu f1,0(0) */
        0x4C000420, /* bcctr that counts */
        0x7CC624AA, /* lswi r6,r6,4 */
        0x7CC73CAA, /* lswi r6,r7,7 */
        0x7FE004AA, /* lswi r31,0,32: r0 is loaded */
    };

    (void)state;
    for (size_t n = 0; n < sizeof forms / sizeof forms[0]; n++)
        if (decoded(forms[n]).op != OP_ILLEGAL)
            fail_msg("%08x is legal", forms[n]);
    assert_int_equal(decoded(0x7C6D42E6).op, OP_MFTB);
    assert_int_equal(decoded(0x7C6E42E6).op, OP_ILLEGAL); /* mftb 270 */
    assert_int_equal(decoded(0xC4210000).op, OP_LFSU);    /* frD is no rA */
    assert_int_equal(decoded(0x94630000).op, OP_STWU);    /* stores may */
}

static bool has(const uint8_t *list, unsigned count, unsigned reg)
{
    for (unsigned n = 0; n < count; n++)
        if (list[n] == reg)
            return true;
    return false;
}

static void fields_arrive_where_insn_h_says(void **state)
{
    struct insn i;

    (void)state;
    i = decoded(0x50832A0F); /* rlwimi. r3,r4,5,8,7 */
    assert_int_equal(i.op, OP_RLWIMI);
    assert_int_equal(i.d, 4);
    assert_int_equal(i.a, 3);
    assert_int_equal(i.sh, 5);
    assert_int_equal(i.mb, 8);
    assert_int_equal(i.me, 7);
    assert_true(i.flags & INSN_RC);
    i = decoded(0x3860FFF8); /* li r3,-8 */
    assert_int_equal(i.imm, -8);
    i = decoded(0x6063FFF8); /* ori r3,r3,0xfff8 */
    assert_int_equal(i.imm, 0xFFF8);
    i = decoded(0x4BFFFFFD); /* bl .-4 */
    assert_int_equal(i.imm, -4);
    assert_int_equal(i.c, 0);
    assert_int_equal(i.flags, INSN_BRANCH | INSN_LINK);
    i = decoded(0x4182FFF2); /* beqa -16 */
    assert_int_equal(i.imm, -16);
    assert_int_equal(i.c, 1);
    assert_int_equal(i.flags, INSN_BRANCH | INSN_COND);
    i = decoded(0x7C7E83A6); /* mtspr 542,r3 */
    assert_int_equal(i.spr, 542);
    i = decoded(0x7C681120); /* mtcrf 0x81,r3 */
    assert_int_equal(i.sh, 0x81);
    assert_int_equal(i.class, CLASS_MTCRF);
    assert_int_equal(i.ndst, 2);
    assert_true(has(i.dst, i.ndst, REG_CR0));
    assert_true(has(i.dst, i.ndst, REG_CR0 + 7));
}

static void operands_choose_class_and_registers(void **state)
{
    struct insn i;

    (void)state;
    assert_int_equal(decoded(0x7C608120).class, CLASS_MTCRF1);
    assert_int_equal(decoded(0x7C6903A6).class, CLASS_MTLRCTR); /* mtctr */
    assert_int_equal(decoded(0x7C6802A6).class, CLASS_MFLRCTR); /* mflr */
    assert_int_equal(decoded(0x7C6103A6).class, CLASS_MTXER);
    assert_int_equal(decoded(0x7C6102A6).class, CLASS_MFSPR); /* mfxer */
    assert_int_equal(decoded(0x4E800020).flags,               /* blr */
                     INSN_BRANCH | INSN_INDIRECT);
    i = decoded(0x7C600026); /* mfcr r3 */
    assert_int_equal(i.nsrc, 8);
    i = decoded(0x4200FFF8); /* bdnz */
    assert_true(i.flags & INSN_COND);
    assert_int_equal(i.nsrc, 1);
    assert_int_equal(i.src[0], REG_CTR);
    assert_int_equal(i.dst[0], REG_CTR);
    i = decoded(0x7C642E15); /* addo. r3,r4,r5 */
    assert_true(has(i.src, i.nsrc, REG_OV));
    assert_true(has(i.dst, i.ndst, REG_OV));
    assert_true(has(i.dst, i.ndst, REG_CR0));
    i = decoded(0x80600010); /* lwz r3,16(0): no register */
    assert_int_equal(i.nsrc, 0);
    i = decoded(0xFC22182B); /* fadd. */
    assert_true(has(i.dst, i.ndst, REG_CR0 + 1));
    assert_false(has(i.dst, i.ndst, REG_FPSCR));
    assert_true(decoded(0x7C6C42E6).flags & INSN_OBSERVES);  /* mftb */
    assert_true(decoded(0x7C7602A6).flags & INSN_OBSERVES);  /* mfdec */
    assert_false(decoded(0x7C7A02A6).flags & INSN_OBSERVES); /* mfsrr0 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_are_184_rows),
        cmocka_unit_test(no_two_rows_overlap),
        cmocka_unit_test(every_row_has_a_body_and_a_class),
        cmocka_unit_test(rows_use_only_words_that_are_explained),
        cmocka_unit_test(privilege_is_bit_0x10_of_the_number),
        cmocka_unit_test(what_the_604e_lacks_is_illegal),
        cmocka_unit_test(invalid_forms_are_illegal),
        cmocka_unit_test(fields_arrive_where_insn_h_says),
        cmocka_unit_test(operands_choose_class_and_registers),
    };

    return cmocka_run_group_tests_name("isa tables", tests, NULL, NULL);
}
