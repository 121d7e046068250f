/* isa_memory_test.c - accesses are noted as the bus would see them, stores
 * are told to whom they concern, reservations live and die as on the chip.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/insn.h"
#include "tests/isa/machine.h"

static struct machine m;

static int setup(void **state)
{
    (void)state;
    machine_init(&m);
    m.cpu.msr = MSR_ME | MSR_FP;
    m.cpu.gpr[4] = 0x5000;
    return 0;
}

static enum exc run(uint32_t word)
{
    struct insn i;

    isa_decode(&i, word);
    return isa_exec(&m.cpu, &i);
}

static void assert_access(unsigned n, ea_t ea, unsigned size,
                          enum access_kind kind, bool io)
{
    const struct access *a = &m.cpu.step.access[n];

    assert_true(n < m.cpu.step.accesses);
    assert_int_equal(a->ea, ea);
    assert_int_equal(a->pa, ea);
    assert_int_equal(a->size, size);
    assert_int_equal(a->kind, kind);
    assert_int_equal(a->io, io);
}

static void misaligned_inside_a_double_word_is_one_access(void **state)
{
    (void)state;
    assert_int_equal(run(0x80640003), EXC_NONE); /* lwz r3,3(r4) */
    assert_int_equal(m.cpu.step.accesses, 1);
    assert_access(0, 0x5003, 4, ACCESS_LOAD, false);
}

static void across_double_words_is_two(void **state)
{
    (void)state;
    m.cpu.gpr[3] = 0x11223344;
    assert_int_equal(run(0x90640005), EXC_NONE); /* stw r3,5(r4) */
    assert_int_equal(m.cpu.step.accesses, 2);
    assert_access(0, 0x5005, 3, ACCESS_STORE, false);
    assert_access(1, 0x5008, 1, ACCESS_STORE, false);
    assert_memory_equal(m.ram + 0x5005, "\x11\x22\x33\x44", 4);
    assert_int_equal(run(0x80A40005), EXC_NONE); /* lwz r5,5(r4) */
    assert_int_equal(m.cpu.gpr[5], 0x11223344);
    assert_access(0, 0x5005, 3, ACCESS_LOAD, false);
    assert_access(1, 0x5008, 1, ACCESS_LOAD, false);
}

static void doubles_are_one_access_or_two_words(void **state)
{
    (void)state;
    m.cpu.fpr[1] = 0x0102030405060708ull;
    assert_int_equal(run(0xD8240008), EXC_NONE); /* stfd f1,8(r4) */
    assert_int_equal(m.cpu.step.accesses, 1);
    assert_access(0, 0x5008, 8, ACCESS_STORE, false);
    assert_int_equal(run(0xC844000C), EXC_NONE); /* lfd f2,12(r4) */
    assert_int_equal(m.cpu.step.accesses, 2);
    assert_access(0, 0x500C, 4, ACCESS_LOAD, false);
    assert_access(1, 0x5010, 4, ACCESS_LOAD, false);
    assert_true(m.cpu.fpr[2] == 0x0506070800000000ull);
}

static void multiples_and_strings_note_every_word(void **state)
{
    (void)state;
    m.cpu.xer = 127;
    assert_int_equal(run(0xBC040000), EXC_NONE); /* stmw r0,0(r4) */
    assert_int_equal(m.cpu.step.accesses, 32);
    m.cpu.gpr[4] = 0x5001;
    assert_int_equal(run(0x7C60252A), EXC_NONE); /* stswx r3,0,r4 */
    assert_int_equal(m.cpu.step.accesses, 47);   /* every second word splits */
    assert_access(46, 0x507D, 3, ACCESS_STORE, false);
    m.cpu.xer = 0;
    assert_int_equal(run(0x7C60242A), EXC_NONE); /* lswx of nothing */
    assert_int_equal(m.cpu.step.accesses, 0);
}

static void devices_see_their_size_and_are_marked(void **state)
{
    (void)state;
    m.device = 0xFE000000;
    m.cpu.gpr[4] = m.device;
    m.cpu.gpr[3] = 0xAABBCCDD;
    assert_int_equal(run(0x98640000), EXC_NONE); /* stb */
    assert_int_equal(m.device_size, 1);
    assert_int_equal(m.device_value, 0xDD);
    assert_access(0, m.device, 1, ACCESS_STORE, true);
    assert_int_equal(run(0x7C60252C), EXC_NONE); /* stwbrx r3,0,r4 */
    assert_int_equal(m.device_size, 4);
    assert_int_equal(m.device_value, 0xDDCCBBAA);
    m.device_value = 0xFFFF8001;
    assert_int_equal(run(0xA8A40000), EXC_NONE); /* lha r5 */
    assert_int_equal(m.device_size, 2);
    assert_int_equal(m.cpu.gpr[5], 0xFFFF8001);
}

static void stores_to_pages_with_code_are_told(void **state)
{
    (void)state;
    assert_int_equal(run(0x90640000), EXC_NONE);
    assert_int_equal(m.writes, 0);
    m.code_page[5] = 1;
    assert_int_equal(run(0xB0640006), EXC_NONE); /* sth r3,6(r4) */
    assert_int_equal(m.writes, 1);
    assert_int_equal(m.written, 0x5006);
    assert_int_equal(m.written_size, 2);
    assert_int_equal(run(0x80640000), EXC_NONE); /* loads are not */
    assert_int_equal(m.writes, 1);
    assert_int_equal(run(0x7C0027EC), EXC_NONE); /* dcbz 0,r4 */
    assert_int_equal(m.written_size, 32);
    m.cpu.gpr[4] = 0x5044;
    assert_int_equal(run(0x7C0027AC), EXC_NONE); /* icbi 0,r4 */
    assert_int_equal(m.written, 0x5040);
    assert_access(0, 0x5040, 32, ACCESS_ICBI, false);
}

static void stwcx_stores_once_per_reservation(void **state)
{
    (void)state;
    m.cpu.gpr[3] = 7;
    m.cpu.xer = XER_SO;
    assert_int_equal(run(0x7C60212D), EXC_NONE); /* stwcx. r3,0,r4 */
    assert_true(m.cpu.step.conditional_failed);
    assert_int_equal(m.cpu.cr >> 28, 1);
    assert_int_equal(run(0x7CA02028), EXC_NONE); /* lwarx r5,0,r4 */
    assert_int_equal(run(0x7C60212D), EXC_NONE);
    assert_false(m.cpu.step.conditional_failed);
    assert_int_equal(m.cpu.cr >> 28, 3);
    assert_int_equal(m.ram[0x5003], 7);
    assert_access(0, 0x5000, 4, ACCESS_STORE, false);
    assert_int_equal(run(0x7C60212D), EXC_NONE);
    assert_true(m.cpu.step.conditional_failed);
    assert_int_equal(m.cpu.step.accesses, 0);
}

static void reservations_cover_their_granule_alone(void **state)
{
    (void)state;
    assert_int_equal(run(0x7CA02028), EXC_NONE); /* lwarx r5,0,r4 */
    m.cpu.gpr[4] = 0x501C;
    assert_int_equal(run(0x7C60212D), EXC_NONE); /* same 32 bytes */
    assert_false(m.cpu.step.conditional_failed);
    assert_int_equal(run(0x7CA02028), EXC_NONE);
    m.cpu.gpr[4] = 0x5020;
    assert_int_equal(run(0x7C60212D), EXC_NONE); /* the next 32 */
    assert_true(m.cpu.step.conditional_failed);
    assert_int_equal(m.reservations.mask, 0);
}

static void only_other_cpus_stores_break_a_reservation(void **state)
{
    static const uint32_t stores[] = {0x98640013,  /* stb r3,19(r4) */
                                      0x7C0027EC}; /* dcbz 0,r4 */

    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        m.port.cpu = 0;
        assert_int_equal(run(0x7CA02028), EXC_NONE);
        assert_int_equal(run(stores[n]), EXC_NONE);
        assert_int_equal(m.reservations.mask, 1);
        m.port.cpu = 3;
        assert_int_equal(run(0x80640000), EXC_NONE); /* a load */
        assert_int_equal(run(0x90640020), EXC_NONE); /* another granule */
        assert_int_equal(m.reservations.mask, 1);
        assert_int_equal(run(stores[n]), EXC_NONE);
        assert_int_equal(m.reservations.mask, 0);
    }
}

static void faults_leave_registers_alone(void **state)
{
    (void)state;
    m.cpu.gpr[4] = MACHINE_RAM - 8;
    m.cpu.gpr[30] = 30;
    assert_int_equal(run(0xBBA40000), EXC_MCHECK); /* lmw r29,0(r4) */
    assert_int_equal(m.cpu.gpr[30], 30);
    assert_int_equal(run(0x8464000A), EXC_MCHECK); /* lwzu r3,10(r4) */
    assert_int_equal(m.cpu.gpr[4], MACHINE_RAM - 8);
}

static void touches_never_fault(void **state)
{
    (void)state;
    m.cpu.gpr[4] = 0xFE000000;
    assert_int_equal(run(0x7C00222C), EXC_NONE); /* dcbt 0,r4 */
    m.cpu.gpr[4] = 0x5013;
    assert_int_equal(run(0x7C0021EC), EXC_NONE); /* dcbtst 0,r4 */
    assert_access(0, 0x5000, 32, ACCESS_TOUCHST, false);
}

/* The last register counts even if a byte of it is loaded. */
static void lswx_refuses_its_own_addresses(void **state)
{
    (void)state;
    m.cpu.xer = 5;                                  /* two registers */
    assert_int_equal(run(0x7C60242A), EXC_PROGRAM); /* lswx r3,0,r4 */
    assert_int_equal(m.cpu.cause, SRR1_ILLEGAL);
    m.cpu.xer = 4; /* one */
    assert_int_equal(run(0x7C60242A), EXC_NONE);
}

static void my_store_keeps_mine_and_breaks_yours(void **state)
{
    (void)state;
    m.port.cpu = 2;
    assert_int_equal(run(0x7CA02028), EXC_NONE); /* lwarx r5,0,r4 */
    m.port.cpu = 1;
    assert_int_equal(run(0x7CA02028), EXC_NONE);
    assert_int_equal(m.reservations.mask, 6);
    assert_int_equal(run(0x90640004), EXC_NONE); /* stw r3,4(r4) */
    assert_int_equal(m.reservations.mask, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(misaligned_inside_a_double_word_is_one_access,
                               setup),
        cmocka_unit_test_setup(across_double_words_is_two, setup),
        cmocka_unit_test_setup(doubles_are_one_access_or_two_words, setup),
        cmocka_unit_test_setup(multiples_and_strings_note_every_word, setup),
        cmocka_unit_test_setup(devices_see_their_size_and_are_marked, setup),
        cmocka_unit_test_setup(stores_to_pages_with_code_are_told, setup),
        cmocka_unit_test_setup(stwcx_stores_once_per_reservation, setup),
        cmocka_unit_test_setup(reservations_cover_their_granule_alone, setup),
        cmocka_unit_test_setup(only_other_cpus_stores_break_a_reservation,
                               setup),
        cmocka_unit_test_setup(faults_leave_registers_alone, setup),
        cmocka_unit_test_setup(touches_never_fault, setup),
        cmocka_unit_test_setup(lswx_refuses_its_own_addresses, setup),
        cmocka_unit_test_setup(my_store_keeps_mine_and_breaks_yours, setup),
    };

    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
