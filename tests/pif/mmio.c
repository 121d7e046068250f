/* mmio.c - the performance monitor as words in I/O space (docs/pif.md 8): what
 * is set up, started, stopped and read there is what mtspr and mfspr do. Every
 * processor does all of it, at the same time.
 */
#include "tests/pif/common.h"

#include <stdbool.h>

#include "pmu/pmu.h"
#include "include/board.h"

#define CPUS 8
#define MSR_ME 0x1000u
#define MSR_DR 0x0010u
#define SELECT1(s) ((s) << MMCR0_PMC1SELECT_SHIFT)
#define COMPLETED 2u /* selectors of docs/events.md */
#define DISPATCHED 4u
#define BRANCHES 8u

extern uint32_t _start, etext[];

/* mmio.S: start, work n times, stop; straight on, without a loop. */
typedef void work(uint32_t start, uint32_t stop, uint32_t n);
work work_by_spr, work_by_store, straight_by_spr, straight_by_store;
/* PMC1 before and behind eleven instructions, itself one of them: how many. */
uint32_t eleven_by_spr(void), eleven_by_load(void);
/* lmw of PMC1 and PMC2: their difference. */
uint32_t both_at_once(void);
/* A load and a store at `at` by a user program, its data translated. */
uint32_t user_access(volatile uint32_t *at);
uint32_t load_byte(uint32_t at), load_half(uint32_t at), load_word(uint32_t at);
void store_half(uint32_t at), store_word(uint32_t at);

static volatile uint32_t *const window = (volatile uint32_t *)BOARD_MONITOR;

static volatile uint32_t done;
static struct seen {
    volatile uint32_t times[32]; /* by vector / 256 */
    uint32_t sia_by_load, sia;
} seen[CPUS];

static struct seen *mine(void)
{
    return &seen[mfspr(SPR_PIR)];
}

void handle(struct frame *f)
{
    struct seen *s = mine();

    s->times[f->vector >> 8]++;
    switch (f->vector) {
    case 0xF00:
        s->sia_by_load = window[PMU_SIA];
        s->sia = mfspr(SPR_SIA);
        window[PMU_MMCR0] = MMCR0_DIS;
        break;
    case 0xC00:
        f->srr1 &= ~(MSR_PR | MSR_DR);
        break;
    default:
        f->srr0 += 4;
    }
    f->srr1 |= MSR_RI;
}

static uint32_t by_index(uint32_t n)
{
    mtspr(SPR_PMIX, n);
    return mfspr(SPR_PMDX);
}

static void by_index_write(uint32_t n, uint32_t value)
{
    mtspr(SPR_PMIX, n);
    mtspr(SPR_PMDX, value);
}

static void write(bool stored, uint32_t n, uint32_t value)
{
    if (stored)
        window[n] = value;
    else
        by_index_write(n, value);
}

static const uint16_t pmc[] = {PMU_PMC1, PMU_PMC2, PMU_PMC3, PMU_PMC4,
                               PMU_PMC5, PMU_PMC6, PMU_PMC7, PMU_PMC8};

/* PMC1 and 2 by MMCR0, 3 and 4 by MMCR1, the others by PIFEn. */
static void count(bool stored, work *how, uint32_t n, uint32_t got[8])
{
    const uint32_t start = SELECT1(COMPLETED) | BRANCHES;

    write(stored, PMU_MMCR0, MMCR0_DIS);
    write(stored, PMU_MMCR1,
          DISPATCHED << MMCR1_PMC3SELECT_SHIFT | COMPLETED
                                                     << MMCR1_PMC4SELECT_SHIFT);
    write(stored, PMU_PIFF, 0);
    write(stored, PMU_PIFE1 + 4, 1 << 8 | 14); /* integer */
    write(stored, PMU_PIFE1 + 5, 2 << 8 | 18); /* loads */
    write(stored, PMU_PIFE1 + 6, 1 << 8 | DISPATCHED);
    write(stored, PMU_PIFE1 + 7, 1 << 8 | COMPLETED);
    for (int k = 0; k < 8; k++)
        write(stored, pmc[k], 1000);
    how(start, start | MMCR0_DIS, n);
    for (int k = 0; k < 8; k++)
        got[k] = (stored ? window[pmc[k]] : by_index(pmc[k])) - 1000;
}

static void counts_are_the_same(work *spr, work *store, uint32_t n)
{
    uint32_t want[8], got[8];

    for (int warm = 0; warm < 2; warm++) {
        count(false, spr, n, want);
        count(true, store, n, got);
    }
    for (uint32_t k = 0; k < 8; k++)
        is("a counter", got[k], want[k]);
    for (uint32_t k = 0; k < 8; k++) /* whoever asks */
        is("by index", by_index(pmc[k]) - 1000, got[k]);
    is("by mfspr", mfspr(SPR_PMC1) - 1000, got[0]);
    is("by mfspr", mfspr(SPR_PMC8) - 1000, got[7]);
}

/* 1 + 5 n + 0: what starts is counted, what stops is not. */
static void work_is_counted(uint32_t n)
{
    uint32_t got[8];

    count(true, work_by_store, n, got);
    is("completed", got[0], 1 + 5 * n);
    is("completed by PMC4", got[3], 1 + 5 * n);
    is("completed by PMC8", got[7], 1 + 5 * n);
#ifdef DETAILED /* fast mode has no other events */
    is("branches", got[1], n);
    is("integer", got[4], 3 * n);
    is("loads", got[5], n);
#endif
}

static void spin(uint32_t n)
{
    while (n--)
        __asm__ volatile("");
}

/* Long behind the start, too: then counts come in larger lots. */
static void loads_see_what_stands_before(void)
{
    write(true, PMU_MMCR0, SELECT1(COMPLETED) | COMPLETED);
    spin(5000);
    eleven_by_spr();
    is("between two mfspr", eleven_by_spr(), 11);
    eleven_by_load();
    is("between two loads", eleven_by_load(), 11);
    window[PMU_MMCR0] = MMCR0_DIS | SELECT1(COMPLETED) | COMPLETED;
    window[PMU_PMC1] = 5;
    window[PMU_PMC2] = 5;
    window[PMU_MMCR0] = SELECT1(COMPLETED) | COMPLETED;
    spin(5000);
    is("PMC1 and PMC2 of one lmw", both_at_once(), 0);
    window[PMU_MMCR0] = MMCR0_DIS;
}

/* Every number: a register that PMDX reaches, or one that reads as zero. */
static void registers_are_those_of_pmdx(void)
{
    uint32_t named = 0;

    window[PMU_MMCR0] = MMCR0_DIS;
    for (uint32_t n = 0; n < 1024; n++) {
        uint32_t was = by_index(n), value = n == PMU_MMCR0 ? was : ~n;

        is("as it was", window[n], was);
        window[n] = value;
        is("written", window[n], by_index(n));
        named += window[n] != 0;
        by_index_write(n, was);
        is("written by mtspr", window[n], by_index(n));
    }
    is("registers", named, 2 + 8 + 2 + 1 + 8);
    is("PMIX is none of them", window[PMU_PMIX], 0);
    is("nor is HID0", window[SPR_HID0], 0);
}

/* Everybody, on its own bus cycles, a machine check each. */
static void only_aligned_words_answer(void)
{
    volatile uint32_t *checks = &mine()->times[2];
    uint32_t at = (uint32_t)&window[PMU_PMC1], before = *checks;

    window[PMU_PMC1] = 0x1234;
    load_byte(at);
    load_half(at + 2);
    load_word(at + 2);
    store_half(at);
    store_word(at + 1);
    is("machine checks", *checks - before, 5);
    is("nothing is written", window[PMU_PMC1], 0x1234);
}

static void nobody_answers_while_off(void)
{
    volatile uint32_t *checks = &mine()->times[2];
    uint32_t at = (uint32_t)&window[PMU_PMC1], before = *checks;
    uint32_t was = mfspr(SPR_PMC1);

    load_word(at);
    store_word(at);
    is("machine checks while it is off", *checks - before, 2);
    is("nothing is written while it is off", mfspr(SPR_PMC1), was);
}

/* A counter set up by stores interrupts; a load reads SIA. */
static void overflow_interrupts(void)
{
    struct seen *s = mine();
    uint32_t before = s->times[15];

    window[PMU_PMC1] = 0x80000000 - 500;
    window[PMU_MMCR0] = MMCR0_ENINT | MMCR0_PMC1INTCONTROL | SELECT1(COMPLETED);
    mtmsr(mfmsr() | MSR_EE);
    for (uint32_t n = 0; n < 10000 && s->times[15] == before; n++)
        ;
    mtmsr(mfmsr() & ~MSR_EE);
    is("interrupts", s->times[15] - before, 1);
    is("SIA", s->sia_by_load, s->sia);
    is("SIA is of this program", s->sia >= 0x20000 && s->sia < (uint32_t)etext,
       1);
}

/* Whether a user program may is written on the page. */
static void protection_is_the_page_s(void)
{
    struct seen *s = mine();
    uint32_t before = s->times[3];

    window[PMU_PMC1] = 77;
    mtspr(SPR_DBAT0U, (BOARD_MONITOR & 0xFFFE0000) | 3);
    mtspr(SPR_DBAT0L, (BOARD_MONITOR & 0xFFFE0000) | 0x28 | 2);
    is("a user may", user_access(&window[PMU_PMC1]), 77);
    is("and write", window[PMU_PMC1], 78);
    is("without exceptions", s->times[3] - before, 0);
    mtspr(SPR_DBAT0L, (BOARD_MONITOR & 0xFFFE0000) | 0x28);
    user_access(&window[PMU_PMC1]);
    is("a user may not", s->times[3] - before, 2);
    is("nor write", window[PMU_PMC1], 78);
}

static void check(uint32_t cpu)
{
    mtmsr(mfmsr() | MSR_RI | MSR_ME);
    nobody_answers_while_off();
    turn_on(0);
    for (uint32_t n = 10; n < 1000; n += 800) {
        counts_are_the_same(work_by_spr, work_by_store, n + cpu);
        work_is_counted(n + cpu);
    }
    counts_are_the_same(straight_by_spr, straight_by_store, 0);
    loads_see_what_stands_before();
    registers_are_those_of_pmdx();
    only_aligned_words_answer();
    overflow_interrupts();
    protection_is_the_page_s();
    mtspr(SPR_HID0, mfspr(SPR_HID0) & ~HID0_PIFE);
    nobody_answers_while_off();
}

static void atomic_increment(volatile uint32_t *at)
{
    uint32_t v;

    __asm__ volatile("1: lwarx %0,0,%1; addi %0,%0,1; stwcx. %0,0,%1; bne- 1b"
                     : "=&b"(v)
                     : "r"(at)
                     : "cr0", "memory");
}

int main(uint32_t cpu)
{
    uint32_t cpus = *(volatile uint32_t *)(BOARD_INFO + INFO_CPUS);

    if (!cpu) {
        install();
        for (uint32_t n = 1; n < cpus; n++)
            *(volatile uint32_t *)(BOARD_RELEASE + 4 * n) = (uint32_t)&_start;
    }
    check(cpu);
    atomic_increment(&done);
    while (cpu || done < cpus)
        ;
    if (!failures)
        print("all right\n");
    return (int)failures;
}
