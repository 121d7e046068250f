/* isa_exception_test.c - every exception saves and changes what the 604e
 * manual says, and instructions raise the right one with nothing else done.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "isa/insn.h"
#include "isa/mmu.h"
#include "tests/isa/machine.h"

#define PC 0x2000u

static struct machine m;

static int setup(void **state)
{
    (void)state;
    machine_init(&m);
    m.cpu.pc = PC;
    m.cpu.msr = MSR_ME | MSR_EE | MSR_RI;
    return 0;
}

static enum exc run(uint32_t word)
{
    struct insn i;

    isa_decode(&i, word);
    return isa_exec(&m.cpu, &i);
}

/* ---- entry --------------------------------------------------------------- */

static const struct {
    enum exc e;
    uint32_t vector;
    bool next; /* SRR0 is the next instruction */
    bool srr1; /* cause goes to SRR1 */
    bool dsisr;
} entries[] = {
    {EXC_RESET, 0x100, true, false, false},
    {EXC_MCHECK, 0x200, false, true, false},
    {EXC_DSI, 0x300, false, false, true},
    {EXC_ISI, 0x400, false, true, false},
    {EXC_EXTERNAL, 0x500, true, false, false},
    {EXC_ALIGNMENT, 0x600, false, false, true},
    {EXC_PROGRAM, 0x700, false, true, false},
    {EXC_FPUNAVAIL, 0x800, false, false, false},
    {EXC_DECREMENTER, 0x900, true, false, false},
    {EXC_SC, 0xC00, true, false, false},
    {EXC_TRACE, 0xD00, true, false, false},
    {EXC_PERFMON, 0xF00, true, false, false},
    {EXC_IABR, 0x1300, false, false, false},
    {EXC_INDICATOR, 0x1500, true, false, false},
};

static void every_entry_saves_what_the_manual_says(void **state)
{
    (void)state;
    assert_int_equal(sizeof entries / sizeof entries[0], EXC_COUNT - 1);
    for (size_t n = 0; n < sizeof entries / sizeof entries[0]; n++) {
        setup(NULL);
        m.cpu.msr = 0x0005FF77u & ~(MSR_ILE | MSR_IP | MSR_LE);
        m.cpu.nia = PC + 4;
        m.cpu.cause = 0x00020000;
        m.cpu.dsisr = 7;
        isa_enter(&m.cpu, entries[n].e);
        assert_int_equal(isa_exc_vector(entries[n].e), entries[n].vector);
        assert_int_equal(m.cpu.nia, entries[n].vector);
        assert_int_equal(m.cpu.srr0, entries[n].next ? PC + 4 : PC);
        assert_int_equal(m.cpu.srr1,
                         0x0000FF36u | (entries[n].srr1 ? 0x00020000 : 0));
        assert_int_equal(m.cpu.dsisr, entries[n].dsisr ? 0x00020000 : 7);
        assert_int_equal(m.cpu.msr, entries[n].e == EXC_MCHECK ? 0 : MSR_ME);
        assert_int_equal(m.msr_changes, 1);
        assert_int_equal(m.msr_old, 0x0004FF36u);
        assert_int_equal(m.msr_new, m.cpu.msr);
    }
}

static void ip_moves_the_vectors_and_ile_becomes_le(void **state)
{
    (void)state;
    m.cpu.msr = MSR_IP | MSR_ILE | MSR_PR;
    isa_enter(&m.cpu, EXC_SC);
    assert_int_equal(m.cpu.nia, 0xFFF00C00);
    assert_int_equal(m.cpu.msr, MSR_IP | MSR_ILE | MSR_LE);
}

static void reset_state_is_the_604e_s(void **state)
{
    (void)state;
    memset(&m.cpu.gpr, 0xFF, sizeof m.cpu.gpr);
    isa_reset(&m.cpu, 3);
    assert_int_equal(m.cpu.pc, 0xFFF00100);
    assert_int_equal(m.cpu.msr, 0x40);
    assert_int_equal(m.cpu.pvr, 0x00090204);
    assert_int_equal(m.cpu.pir, 3);
    assert_int_equal(m.cpu.hid0, 0);
    assert_int_equal(m.cpu.gpr[31], 0);
    assert_ptr_equal(m.cpu.port, &m.port);
}

static void rfi_restores_all_but_pow_and_ile(void **state)
{
    (void)state;
    m.cpu.msr = MSR_ME | MSR_ILE;
    m.cpu.srr0 = 0x3003;
    m.cpu.srr1 = 0xFFFFFFFFu & ~(MSR_ILE | MSR_ME);
    assert_int_equal(run(0x4C000064), EXC_NONE);
    assert_int_equal(m.cpu.nia, 0x3000);
    assert_int_equal(m.cpu.msr, (0x0000FF77u & ~MSR_ME) | MSR_ILE);
    assert_int_equal(m.msr_changes, 1);
}

/* ---- what instructions raise --------------------------------------------- */

static void supervisor_instructions_are_privileged(void **state)
{
    static const uint32_t words[] = {
        0x4C000064, /* rfi */
        0x7C600124, /* mtmsr r3 */
        0x7C6000A6, /* mfmsr r3 */
        0x7C8301A4, /* mtsr 3,r4 */
        0x7C6021E4, /* mtsrin r3,r4 */
        0x7C6404A6, /* mfsr r3,4 */
        0x7C602526, /* mfsrin r3,r4 */
        0x7C002264, /* tlbie r4 */
        0x7C00046C, /* tlbsync */
        0x7C042BAC, /* dcbi r4,r5 */
        0x7C7A02A6, /* mfspr r3,26 */
        0x7C7A03A6, /* mtspr 26,r3 */
        0x7C7F43A6, /* mtspr PVR */
        0x7C7FF2A6, /* mfspr r3,991: does not exist */
    };

    (void)state;
    for (size_t n = 0; n < sizeof words / sizeof words[0]; n++) {
        struct cpu before;
        setup(NULL);
        m.cpu.msr |= MSR_PR;
        before = m.cpu;
        assert_int_equal(run(words[n]), EXC_PROGRAM);
        assert_int_equal(m.cpu.cause, SRR1_PRIVILEGED);
        assert_memory_equal(&m.cpu.gpr, &before.gpr, sizeof before.gpr);
        assert_int_equal(m.cpu.msr, before.msr);
        assert_int_equal(m.msr_changes, 0);
    }
}

static void registers_that_do_not_exist_or_bend_are_illegal(void **state)
{
    static const uint32_t words[] = {
        0x7C7FF2A6, /* mfspr r3,991 */
        0x7C68EAA6, /* mfspr r3,936: UMMCR0 of the 750 */
        0x7C7F43A6, /* mtspr PVR: read only */
        0x7C71FBA6, /* mtspr HID1: read only */
        0x7C6C43A6, /* mtspr 268: TB is written as 284 */
        0x7C7C42A6, /* mfspr 284: and read as 268 */
    };

    (void)state;
    for (size_t n = 0; n < sizeof words / sizeof words[0]; n++) {
        assert_int_equal(run(words[n]), EXC_PROGRAM);
        assert_int_equal(m.cpu.cause, SRR1_ILLEGAL);
    }
}

static void missing_instructions_and_traps_are_program(void **state)
{
    (void)state;
    assert_int_equal(run(0x00000000), EXC_PROGRAM);
    assert_int_equal(m.cpu.cause, SRR1_ILLEGAL);
    assert_int_equal(run(0x7FE00008), EXC_PROGRAM); /* trap */
    assert_int_equal(m.cpu.cause, SRR1_TRAP);
    assert_int_equal(run(0x7C800008), EXC_PROGRAM); /* tweq r0,r0 */
    m.cpu.gpr[1] = 5;
    assert_int_equal(run(0x7C810008), EXC_NONE); /* tweq r1,r0 */
    assert_int_equal(run(0x44000002), EXC_SC);
    assert_int_equal(m.cpu.nia, PC + 4);
}

static void floating_point_needs_msr_fp(void **state)
{
    (void)state;
    assert_int_equal(run(0xFC22182A), EXC_FPUNAVAIL); /* fadd */
    assert_int_equal(run(0xC0230000), EXC_FPUNAVAIL); /* lfs */
    assert_int_equal(run(0xFC20048E), EXC_FPUNAVAIL); /* mffs */
    m.cpu.gpr[3] = 0x5002;                            /* before alignment */
    assert_int_equal(run(0xD8230000), EXC_FPUNAVAIL); /* stfd */
}

static void alignment_names_the_instruction_in_dsisr(void **state)
{
    static const struct {
        uint32_t word, dsisr;
    } cases[] = {
        {0x7C642828, 0x00000064}, /* lwarx r3,r4,r5 */
        {0x7C64292D, 0x00010864}, /* stwcx. r3,r4,r5 */
    };

    (void)state;
    m.cpu.gpr[4] = 0x5001;
    m.cpu.gpr[5] = 1;
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        assert_int_equal(run(cases[n].word), EXC_ALIGNMENT);
        assert_int_equal(m.cpu.dar, 0x5002);
        assert_int_equal(m.cpu.cause, cases[n].dsisr);
    }
    /* lmw is opcode 46 = 10 1110: bit 5 -> 17, bits 1-4 -> 18-21 */
    assert_int_equal(run(0xBBA40001), EXC_ALIGNMENT);
    assert_int_equal(m.cpu.cause, 0u << 14 | 7u << 10 | 29u << 5 | 4);
    m.cpu.msr |= MSR_FP;
    assert_int_equal(run(0xC8240001), EXC_ALIGNMENT); /* lfd f1,1(r4) */
    assert_int_equal(m.cpu.cause, 0u << 14 | 9u << 10 | 1u << 5 | 4);
    /* lfdux f1,r4,r5: bits 21-24 are 1001, 25 is 1, 29-30 are 11 */
    assert_int_equal(run(0x7C242CEE), EXC_ALIGNMENT);
    assert_int_equal(m.cpu.cause, 3u << 15 | 1u << 14 | 9u << 10 | 1u << 5 | 4);
    assert_int_equal(run(0xC8240003), EXC_NONE); /* a word is enough */
    assert_int_equal(run(0x80640001), EXC_NONE); /* integers need nothing */
}

static void dcbz_needs_a_cache(void **state)
{
    (void)state;
    m.cpu.gpr[4] = 0x5010;
    memset(m.ram + 0x5000, 0xFF, 64);
    assert_int_equal(run(0x7C0027EC), EXC_NONE); /* dcbz 0,r4 */
    assert_int_equal(m.ram[0x5000] | m.ram[0x501F], 0);
    assert_int_equal(m.ram[0x5020], 0xFF);
    m.cpu.hid0 &= ~HID0_DCE;
    assert_int_equal(run(0x7C0027EC), EXC_ALIGNMENT);
    m.cpu.hid0 |= HID0_DCE | HID0_DLOCK;
    assert_int_equal(run(0x7C0027EC), EXC_ALIGNMENT);
    m.cpu.hid0 = HID0_DCE;
    m.cpu.gpr[4] = 0xFC000010;
    assert_int_equal(run(0x7C0027EC), EXC_ALIGNMENT);
    assert_int_equal(m.cpu.dar, 0xFC000010);
}

static void nobody_on_the_bus_is_a_machine_check(void **state)
{
    (void)state;
    m.cpu.gpr[4] = 0xFE000000;
    m.cpu.gpr[3] = 0x1234;
    assert_int_equal(run(0x80640000), EXC_MCHECK); /* lwz r3,0(r4) */
    assert_int_equal(m.cpu.cause, SRR1_TEA);
    assert_int_equal(m.cpu.gpr[3], 0x1234);
    assert_int_equal(run(0x94640004), EXC_MCHECK); /* stwu r3,4(r4) */
    assert_int_equal(m.cpu.gpr[4], 0xFE000000);
    m.cpu.gpr[4] = MACHINE_RAM - 2; /* half in memory, half nowhere */
    assert_int_equal(run(0x80640000), EXC_MCHECK);
}

static void external_control_asks_ear_first(void **state)
{
    (void)state;
    m.cpu.gpr[4] = 0x5002;
    assert_int_equal(run(0x7C60226C), EXC_DSI); /* eciwx r3,0,r4 */
    assert_int_equal(m.cpu.cause, 0x00100000);
    assert_int_equal(m.cpu.dar, 0x5002);
    assert_int_equal(run(0x7C60236C), EXC_DSI); /* ecowx */
    assert_int_equal(m.cpu.cause, 0x02100000);
    m.cpu.ear = 0x80000000;
    assert_int_equal(run(0x7C60226C), EXC_ALIGNMENT);
    m.cpu.gpr[4] = 0x5004;
    assert_int_equal(run(0x7C60226C), EXC_MCHECK);
}

static void dabr_stops_what_it_watches(void **state)
{
    (void)state;
    m.cpu.gpr[4] = 0x5004;
    m.cpu.dabr = 0x5000 | 2;                     /* stores, untranslated */
    assert_int_equal(run(0x80640000), EXC_NONE); /* lwz */
    assert_int_equal(run(0x90640000), EXC_DSI);  /* stw */
    assert_int_equal(m.cpu.cause, 0x02400000);
    assert_int_equal(m.cpu.dar, 0x5004);
    assert_int_equal(run(0x90640004), EXC_NONE); /* the next double word */
    m.cpu.dabr = 0x5000 | 1;
    assert_int_equal(run(0x80640000), EXC_DSI);
    m.cpu.dabr = 0x5000 | 4 | 1; /* translated accesses only */
    assert_int_equal(run(0x80640000), EXC_NONE);
}

static void iabr_stops_one_instruction(void **state)
{
    pa_t pa;

    (void)state;
    m.cpu.iabr = 0x2000; /* not enabled */
    assert_int_equal(mmu_fetch(&m.cpu, 0x2000, &pa), EXC_NONE);
    m.cpu.iabr = 0x2000 | 2;
    assert_int_equal(mmu_fetch(&m.cpu, 0x2000, &pa), EXC_IABR);
    assert_int_equal(mmu_fetch(&m.cpu, 0x2004, &pa), EXC_NONE);
    m.cpu.iabr = 0x2000 | 3; /* translated fetches only */
    assert_int_equal(mmu_fetch(&m.cpu, 0x2000, &pa), EXC_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_entry_saves_what_the_manual_says, setup),
        cmocka_unit_test_setup(ip_moves_the_vectors_and_ile_becomes_le, setup),
        cmocka_unit_test_setup(reset_state_is_the_604e_s, setup),
        cmocka_unit_test_setup(rfi_restores_all_but_pow_and_ile, setup),
        cmocka_unit_test_setup(supervisor_instructions_are_privileged, setup),
        cmocka_unit_test_setup(registers_that_do_not_exist_or_bend_are_illegal,
                               setup),
        cmocka_unit_test_setup(missing_instructions_and_traps_are_program,
                               setup),
        cmocka_unit_test_setup(floating_point_needs_msr_fp, setup),
        cmocka_unit_test_setup(alignment_names_the_instruction_in_dsisr, setup),
        cmocka_unit_test_setup(dcbz_needs_a_cache, setup),
        cmocka_unit_test_setup(nobody_on_the_bus_is_a_machine_check, setup),
        cmocka_unit_test_setup(external_control_asks_ear_first, setup),
        cmocka_unit_test_setup(dabr_stops_what_it_watches, setup),
        cmocka_unit_test_setup(iabr_stops_one_instruction, setup),
    };

    return cmocka_run_group_tests_name("exceptions", tests, NULL, NULL);
}
