/* translated_test.c - what instructions do when the page they name is of a
 * special kind: unmapped or protected under stwcx., direct store, written
 * through, inhibited; and what translation writes into the table.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/insn.h"
#include "isa/mem.h"
#include "isa/mmu.h"
#include "tests/isa/machine.h"

#define R 0x100u
#define C 0x80u
#define W 0x40u
#define I 0x20u
#define READ_ONLY 3u
#define ALL 2u

#define PAGE 0x00205000u   /* mapped to physical 0x5000 */
#define NEXT 0x00206000u   /* mapped to physical 0x6000 where a test says so */
#define DIRECT 0xD0000000u /* a direct-store segment */

/* r3 is the data, r4 the address. */
#define LWZ 0x80640000u
#define STW 0x90640000u
#define LWARX 0x7CA02028u
#define STWCX 0x7C60212Du
#define ECIWX 0x7C60226Cu
#define ECOWX 0x7C60236Cu
#define DCBZ 0x7C0027ECu
#define DCBF 0x7C0020ACu
#define DCBT 0x7C00222Cu
#define ICBI 0x7C0027ACu
#define DCBI 0x7C0023ACu
#define DCBST 0x7C00206Cu

static struct machine m;
static struct tlb tlb;

/* The table is all of memory; the group of `ea` is far from the data. */
static pa_t map(ea_t ea, uint32_t low)
{
    pa_t at = (ea >> 12 & 0x3FF) << 6;

    phys_put(m.ram + at, 4, 0x80000000u | ea >> 22);
    phys_put(m.ram + at + 4, 4, (ea & 0xF000) | low);
    return at + 4;
}

static uint32_t word(pa_t pa)
{
    return phys_get(m.ram + pa, 4);
}

static int setup(void **state)
{
    (void)state;
    machine_init(&m);
    memset(&tlb, 0, sizeof tlb);
    m.cpu.msr = MSR_ME | MSR_DR;
    m.cpu.gpr[4] = PAGE;
    m.cpu.gpr[3] = 0x12345678;
    m.cpu.sr[DIRECT >> 28] = 0x80000000u;
    return 0;
}

/* The same tests while answers are remembered. */
static int setup_tlb(void **state)
{
    setup(state);
    m.port.tlb = &tlb;
    return 0;
}

static enum exc run(uint32_t w)
{
    struct insn i;

    isa_decode(&i, w);
    return isa_exec(&m.cpu, &i);
}

static void assert_dsi(uint32_t w, uint32_t dsisr)
{
    assert_int_equal(run(w), EXC_DSI);
    assert_int_equal(m.cpu.cause, dsisr);
    assert_int_equal(m.cpu.dar, m.cpu.gpr[4]);
}

/* ---- stwcx. -------------------------------------------------------------- */

static void stwcx_without_reservation_touches_nothing(void **state)
{
    pa_t at = map(PAGE, ALL);

    (void)state;
    m.cpu.cr = 0xF0000000;
    assert_int_equal(run(STWCX), EXC_NONE);
    assert_int_equal(m.cpu.cr >> 28, 0);
    assert_int_equal(m.cpu.step.accesses, 0);
    assert_int_equal(word(at), 0x5000 | ALL); /* neither R nor C */
    m.cpu.gpr[4] = NEXT;                      /* unmapped */
    assert_int_equal(run(STWCX), EXC_NONE);
    assert_true(m.cpu.step.conditional_failed);
    m.cpu.gpr[4] = PAGE + 2;
    assert_int_equal(run(STWCX), EXC_ALIGNMENT);
}

static void stwcx_with_one_faults_as_a_store_does(void **state)
{
    (void)state;
    map(PAGE, READ_ONLY);
    assert_int_equal(run(LWARX), EXC_NONE);
    assert_dsi(STWCX, 0x0A000000);
    assert_int_equal(m.reservations.mask, 1); /* still there for a retry */
    map(PAGE, ALL);
    assert_int_equal(run(STWCX), EXC_NONE);
    assert_int_equal(m.cpu.cr >> 28, 2);
    assert_int_equal(word(0x5000), 0x12345678);
}

static void a_reservation_elsewhere_is_none(void **state)
{
    (void)state;
    map(PAGE, READ_ONLY);
    assert_int_equal(run(LWARX), EXC_NONE);
    m.cpu.gpr[4] = PAGE + 32;
    assert_int_equal(run(STWCX), EXC_NONE);
    assert_true(m.cpu.step.conditional_failed);
    assert_int_equal(m.reservations.mask, 0);
}

/* The granule is physical: another address of the same page will do. */
static void reservations_are_physical(void **state)
{
    pa_t other = map(NEXT, ALL);

    (void)state;
    map(PAGE, ALL);
    phys_put(m.ram + other, 4, 0x5000 | ALL);
    assert_int_equal(run(LWARX), EXC_NONE);
    m.cpu.gpr[4] = NEXT;
    assert_int_equal(run(STWCX), EXC_NONE);
    assert_false(m.cpu.step.conditional_failed);
    assert_int_equal(word(0x5000), 0x12345678);
}

/* ---- direct store, external control -------------------------------------- */

static void direct_store_has_its_own_bits(void **state)
{
    static const uint32_t nothing[] = {DCBZ, DCBF, DCBT, ICBI, DCBI, DCBST};

    (void)state;
    m.cpu.gpr[4] = DIRECT;
    m.cpu.ear = 0x80000000u;
    assert_dsi(LWZ, 0x80000000);
    assert_dsi(STW, 0x82000000);
    assert_dsi(LWARX, 0x04000000);
    assert_dsi(STWCX, 0x06000000);
    assert_dsi(ECIWX, 0x04000000);
    assert_dsi(ECOWX, 0x06000000);
    for (unsigned n = 0; n < sizeof nothing / sizeof nothing[0]; n++) {
        assert_int_equal(run(nothing[n]), EXC_NONE);
        assert_int_equal(m.cpu.step.accesses, 0);
    }
}

/* A block comes before the segment. */
static void a_block_hides_direct_store(void **state)
{
    (void)state;
    m.cpu.dbat[0] = DIRECT | 2;
    m.cpu.dbat[1] = 2;
    m.cpu.gpr[4] = DIRECT + 0x5000;
    assert_int_equal(run(LWARX), EXC_NONE);
    assert_int_equal(run(STWCX), EXC_NONE);
    assert_int_equal(word(0x5000), 0x12345678);
}

static void external_control_asks_ear_then_alignment_then_the_page(void **state)
{
    (void)state;
    map(PAGE, W | ALL);
    m.cpu.gpr[4] = PAGE + 1;
    assert_dsi(ECIWX, 0x00100000);
    assert_dsi(ECOWX, 0x02100000);
    m.cpu.ear = 0x80000005u;
    assert_int_equal(run(ECIWX), EXC_ALIGNMENT);
    m.cpu.gpr[4] = PAGE;
    assert_dsi(ECIWX, 0x04000000);
    assert_dsi(ECOWX, 0x06000000);
    m.cpu.gpr[4] = NEXT;
    assert_dsi(ECIWX, 0x40000000);
    assert_dsi(ECOWX, 0x42000000);
    map(NEXT, READ_ONLY);
    assert_dsi(ECOWX, 0x0A000000);
    assert_int_equal(run(ECIWX), EXC_MCHECK); /* nobody answers */
    assert_int_equal(m.cpu.cause, SRR1_TEA);
    assert_int_equal(m.cpu.gpr[3], 0x12345678);
    map(NEXT, I | ALL);
    tlb_forget(&tlb, NEXT);
    assert_int_equal(run(ECOWX), EXC_MCHECK);
}

/* ---- dcbz ---------------------------------------------------------------- */

static void dcbz_wants_memory_that_is_written_back(void **state)
{
    static const uint32_t kinds[] = {W, I, W | I};

    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        map(PAGE, kinds[n] | ALL);
        tlb_forget(&tlb, PAGE);
        m.cpu.gpr[4] = PAGE + 0x47;
        assert_int_equal(run(DCBZ), EXC_ALIGNMENT);
        assert_int_equal(m.cpu.dar, PAGE + 0x40);
        assert_int_equal(run(DCBZ), EXC_ALIGNMENT); /* remembered or not */
    }
    map(PAGE, ALL);
    tlb_forget(&tlb, PAGE);
    m.ram[0x505F] = 7;
    assert_int_equal(run(DCBZ), EXC_NONE);
    assert_int_equal(m.ram[0x505F], 0);
    m.cpu.dbat[0] = 2; /* the same through an inhibited block */
    m.cpu.dbat[1] = I | 2;
    m.cpu.gpr[4] = 0x5040;
    assert_int_equal(run(DCBZ), EXC_ALIGNMENT);
}

/* ---- R and C ------------------------------------------------------------- */

static void assert_mark(unsigned n, ea_t ea, pa_t pa)
{
    const struct access *a = &m.cpu.step.mark[n];

    assert_true(n < m.cpu.step.marks);
    assert_int_equal(a->ea, ea);
    assert_int_equal(a->pa, pa);
    assert_int_equal(a->kind, ACCESS_MARK);
}

static void the_step_names_the_entries_that_changed(void **state)
{
    pa_t at = map(PAGE, ALL), next = map(NEXT, ALL);

    (void)state;
    assert_int_equal(run(LWZ), EXC_NONE);
    assert_mark(0, PAGE, at);
    assert_int_equal(word(at), 0x5000 | R | ALL);
    assert_int_equal(run(LWZ), EXC_NONE);
    assert_int_equal(m.cpu.step.marks, 0);
    m.cpu.gpr[4] = NEXT - 3; /* a store to both pages */
    assert_int_equal(run(STW), EXC_NONE);
    assert_int_equal(m.cpu.step.marks, 2);
    assert_mark(0, NEXT - 3, at);
    assert_mark(1, NEXT, next);
    assert_int_equal(word(at), 0x5000 | R | C | ALL);
    assert_int_equal(word(next), 0x6000 | R | C | ALL);
}

static void a_refused_access_marks_nothing(void **state)
{
    pa_t at = map(PAGE, READ_ONLY);

    (void)state;
    assert_dsi(STW, 0x0A000000);
    assert_int_equal(m.cpu.step.marks, 0);
    assert_int_equal(word(at), 0x5000 | READ_ONLY);
}

static void looking_from_outside_marks_nothing(void **state)
{
    pa_t at = map(PAGE, ALL), pa;

    (void)state;
    assert_true(mmu_peek(&m.cpu, PAGE + 4, TLB_STORE, &pa));
    assert_int_equal(pa, 0x5004);
    assert_false(mmu_ready(&m.cpu, PAGE, TLB_LOAD, &pa));
    assert_int_equal(word(at), 0x5000 | ALL);
    map(PAGE, R | ALL);
    assert_true(mmu_ready(&m.cpu, PAGE + 8, TLB_LOAD, &pa));
    assert_int_equal(pa, 0x5008);
    assert_false(mmu_ready(&m.cpu, PAGE, TLB_STORE, &pa));
    assert_false(mmu_ready(&m.cpu, NEXT, TLB_LOAD, &pa));
    assert_int_equal(mmu_wimg(&m.cpu, PAGE, TLB_LOAD), 0);
    map(PAGE, R | I | W | ALL);
    assert_int_equal(mmu_wimg(&m.cpu, PAGE, TLB_LOAD), WIMG_I | WIMG_W);
}

/* Setting R and C is a store like any: others lose their reservation there. */
static void marking_breaks_reservations_in_the_table(void **state)
{
    pa_t at = map(PAGE, ALL);

    (void)state;
    m.reservations.mask = 1u << 3;
    m.reservations.line[3] = at & ~31u;
    assert_int_equal(run(LWZ), EXC_NONE);
    assert_int_equal(m.reservations.mask, 0);
}

#define BOTH(test)                                                             \
    cmocka_unit_test_setup(test, setup), cmocka_unit_test_setup(test, setup_tlb)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(stwcx_without_reservation_touches_nothing),
        cmocka_unit_test_setup(stwcx_with_one_faults_as_a_store_does, setup),
        BOTH(a_reservation_elsewhere_is_none),
        BOTH(reservations_are_physical),
        BOTH(direct_store_has_its_own_bits),
        BOTH(a_block_hides_direct_store),
        BOTH(external_control_asks_ear_then_alignment_then_the_page),
        BOTH(dcbz_wants_memory_that_is_written_back),
        BOTH(the_step_names_the_entries_that_changed),
        BOTH(a_refused_access_marks_nothing),
        cmocka_unit_test_setup(looking_from_outside_marks_nothing, setup),
        BOTH(marking_breaks_reservations_in_the_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
