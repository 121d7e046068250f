/* area.c - count areas, docs/pif.md 15: what adds to which count unit, counted
 * by hand; full units, enables, descriptors, translation, reservations, code
 * among the units, and several processors that lose nothing. A bare-metal
 * program; its exit status is the number of things that are not as the book
 * says.
 */
#include "tests/pif/common.h"

#include <stdbool.h>

#include "include/board.h"

#define MSR_FP 0x2000u
#define MSR_DR 0x0010u
#define DATA 256u

typedef uint32_t code[];
extern code _start, answer, answer_at;

static volatile uint8_t data[DATA] __attribute__((aligned(4096)));
static volatile uint8_t units[4096] __attribute__((aligned(4096)));
static volatile uint32_t exceptions;

void handle(struct frame *f)
{
    exceptions++;
    if (f->vector == 0xC00) /* back from user state */
        f->srr1 &= ~MSR_PR;
    else
        failures++;
    f->srr1 |= MSR_RI;
}

/* Descriptor n, by logarithms of granularity and unit. */
static void watch(uint32_t n, const volatile void *start, uint32_t bytes,
                  uint32_t at, uint32_t granule, uint32_t unit)
{
    mtspr(SPR_PIFAS, n);
    mtspr(SPR_PIFAD, start);
    mtspr(SPR_PIFAB, bytes);
    mtspr(SPR_PIFAA, at);
    mtspr(SPR_PIFAC, PIFAC_ON | granule << PIFAC_GRANULE_SHIFT | unit);
    mtspr(SPR_PIFAX, 0);
    mtspr(SPR_PIFAL, 0);
}

static void fresh(void)
{
    mtspr(SPR_PIFM, 0);
    for (uint32_t n = 0; n < PIF_AREAS; n++) {
        mtspr(SPR_PIFAS, n);
        mtspr(SPR_PIFAC, 0);
    }
    for (uint32_t n = 0; n < sizeof units; n++)
        units[n] = 0;
}

static void on(void)
{
    mtspr(SPR_PIFM, PIFM_DE | PIFM_US | PIFM_SU | PIFM_P1 | PIFM_P0);
}

static void off(void)
{
    mtspr(SPR_PIFM, 0);
}

static uint32_t added(uint32_t n)
{
    mtspr(SPR_PIFAS, n);
    return mfspr(SPR_PIFAX);
}

static uint32_t lost(uint32_t n)
{
    mtspr(SPR_PIFAS, n);
    return mfspr(SPR_PIFAL);
}

#define AT(offset) (&data[offset])
#define ONE(insn, offset)                                                      \
    __asm__ volatile(insn " 9,0(%0)" ::"b"(AT(offset)) : "r9", "memory")
#define INDEXED(insn, offset)                                                  \
    __asm__ volatile(insn " 9,0,%0" ::"b"(AT(offset)) : "r9", "cr0", "memory")
#define FLOAT(insn, offset)                                                    \
    __asm__ volatile(insn " 1,0(%0)" ::"b"(AT(offset)) : "memory")
#define FIVE(insn, offset)                                                     \
    __asm__ volatile(insn " 27,0(%0)" ::"b"(AT(offset))                        \
                     : "r27", "r28", "r29", "r30", "r31", "memory")
#define SEVEN(insn, offset)                                                    \
    __asm__ volatile(insn " 9,%0,7" ::"b"(AT(offset)) : "r9", "r10", "memory")
#define LINE(insn, offset)                                                     \
    __asm__ volatile(insn " 0,%0" ::"r"(AT(offset)) : "memory")

#define DCBZ 167u

static void accesses(void)
{
    on();
    ONE("lbz", 5);       /* 5 */
    ONE("stb", 5);       /* 5 */
    ONE("lhz", 7);       /* 7-8: two words */
    ONE("sth", 31);      /* 31-32: two blocks */
    ONE("lwz", 40);      /* 40-43 */
    ONE("stw", 61);      /* 61-64: two words, blocks, double words */
    FLOAT("lfd", 72);    /* 72-79 */
    FLOAT("stfd", 92);   /* 92-99, across blocks */
    FLOAT("lfs", 100);   /* 100-103 */
    FIVE("stmw", 120);   /* 120-139 */
    FIVE("lmw", 120);    /* the same */
    SEVEN("lswi", 143);  /* 143-149 */
    SEVEN("stswi", 143); /* the same */
    LINE("dcbz", DCBZ);  /* the block that it is in */
    LINE("dcbt", 200);   /* nothing, and so do these: */
    LINE("dcbst", 200);
    LINE("dcbtst", 200);
    INDEXED("lwarx", 204);  /* 204-207 */
    INDEXED("stwcx.", 204); /* 204-207 */
    INDEXED("stwcx.", 204); /* no reservation: nothing */
    off();
}

/* From, to and how often, of the above but dcbz. */
static const struct {
    uint8_t first, last, times;
} touched[] = {{5, 5, 2},     {7, 8, 1},     {31, 32, 1},  {40, 43, 1},
               {61, 64, 1},   {72, 79, 1},   {92, 99, 1},  {100, 103, 1},
               {120, 139, 2}, {143, 149, 2}, {204, 207, 2}};

static void each_granularity(void)
{
    for (uint32_t log = 0; log <= 12; log++) {
        uint32_t granule = 1u << log, block = DCBZ & ~(block_bytes - 1);

        fresh();
        watch(0, data, DATA, (uint32_t)units, log, log % 2);
        accesses();
        for (uint32_t g = 0; g < (DATA + granule - 1) / granule; g++) {
            uint32_t want =
                block < (g + 1) * granule && block + block_bytes > g * granule;
            uint32_t got = units[g];

            if (log % 2)
                got = (uint32_t)units[2 * g] << 8 | units[2 * g + 1];
            for (uint32_t k = 0; k < sizeof touched / sizeof *touched; k++)
                if (touched[k].last >= g * granule &&
                    touched[k].first < (g + 1) * granule)
                    want += touched[k].times;
            is("a granule's count", got, want);
        }
        is("nothing is lost", lost(0), 0);
    }
}

/* Granules begin at the data, and bytes beside it count nowhere. */
static void edges(void)
{
    fresh();
    watch(0, AT(3), 10, (uint32_t)units, 2, 2); /* 3-6, 7-10, 11-12 */
    on();
    ONE("lwz", 0); /* 3 of it */
    ONE("lbz", 2);
    ONE("lbz", 13);
    ONE("lwz", 12); /* 12 of it */
    ONE("lwz", 5);  /* 5-8: two */
    ONE("lhz", 13);
    off();
    is("first granule", ((volatile uint32_t *)units)[0], 2);
    is("second granule", ((volatile uint32_t *)units)[1], 1);
    is("cut granule", ((volatile uint32_t *)units)[2], 1);
    is("behind it", ((volatile uint32_t *)units)[3], 0);
    is("additions", added(0), 4);
}

static void full_units(void)
{
    fresh();
    watch(0, AT(0), 4, (uint32_t)units, 2, 0);
    watch(1, AT(0), 4, (uint32_t)&units[64], 2, 1);
    watch(2, AT(0), 4, (uint32_t)&units[128], 2, 2);
    units[64] = units[128] = units[129] = units[130] = 0xFF;
    units[65] = 0xF0;
    units[131] = 0xFE;
    on();
    for (uint32_t n = 0; n < 300; n++)
        ONE("lbz", 1);
    off();
    is("a byte", units[0], 255);
    is("beside it", units[1], 0);
    is("a halfword", *(volatile uint16_t *)&units[64], 0xFFFF);
    is("a word", *(volatile uint32_t *)&units[128], 0xFFFFFFFF);
    is("added to the byte", added(0), 255);
    is("lost", lost(0), 45);
    is("added to the halfword", added(1), 15);
    is("added to the word", added(2), 1);
    is("lost to the word", lost(2), 299);
}

static void enables(void)
{
    fresh();
    watch(0, AT(0), 4, (uint32_t)units, 2, 2);
    mtspr(SPR_PIFM, PIFM_IE | PIFM_SU | PIFM_US | PIFM_P0 | PIFM_P1);
    ONE("lbz", 0);
    mtspr(SPR_PIFM, PIFM_DE | PIFM_US | PIFM_P0 | PIFM_P1);
    ONE("lbz", 0);
    mtmsr(mfmsr() | MSR_PR);
    ONE("lbz", 0); /* this one */
    __asm__ volatile("sc" ::: "memory");
    off();
    is("of user state alone", ((volatile uint32_t *)units)[0], 1);
    on();
    mtspr(SPR_HID0, mfspr(SPR_HID0) & ~HID0_PIFE);
    ONE("lbz", 0);
    mtspr(SPR_HID0, mfspr(SPR_HID0) | HID0_PIFE);
    mtspr(SPR_PIFAC, 2 << PIFAC_GRANULE_SHIFT | 2);
    ONE("lbz", 0);
    off();
    is("PIFE off, control off", ((volatile uint32_t *)units)[0], 1);
}

static void registers(void)
{
    is("as many as PIFC says", mfspr(SPR_PIFC) & 15, PIF_AREAS);
    for (uint32_t n = 0; n < PIF_AREAS; n++) {
        mtspr(SPR_PIFAS, n + PIF_AREAS);
        is("PIFAS has three bits", mfspr(SPR_PIFAS), n);
        is("reset",
           mfspr(SPR_PIFAD) | mfspr(SPR_PIFAB) | mfspr(SPR_PIFAA) |
               mfspr(SPR_PIFAC) | mfspr(SPR_PIFAX) | mfspr(SPR_PIFAL),
           0);
    }
    mtspr(SPR_PIFAB, 0xFF123456);
    is("PIFAB has 24 bits", mfspr(SPR_PIFAB), 0x123456);
    mtspr(SPR_PIFAA, 0x12345677);
    is("PIFAA has all", mfspr(SPR_PIFAA), 0x12345677);
    mtspr(SPR_PIFAC, 0xFFFFFFC2);
    is("on", mfspr(SPR_PIFAC), 0x800000C2);
    mtspr(SPR_PIFAC, 0x800000D2);
    is("no such granularity", mfspr(SPR_PIFAC), 0x000000D2);
    mtspr(SPR_PIFAC, 0x80000013);
    is("no such unit", mfspr(SPR_PIFAC), 0x00000013);
}

/* A count area that is watched itself; data that two descriptors watch. */
static void watched_twice(void)
{
    fresh();
    watch(0, AT(0), 32, (uint32_t)units, 2, 2);
    watch(7, AT(0), 32, (uint32_t)&units[64], 5, 0);
    watch(3, units, 32, (uint32_t)&units[128], 2, 2);
    on();
    for (uint32_t n = 0; n < 5; n++)
        ONE("stw", 8);
    (void)*(volatile uint32_t *)&units[8];
    off();
    is("by words", *(volatile uint32_t *)&units[8], 5);
    is("by blocks", units[64], 5);
    is("the load of a unit alone", *(volatile uint32_t *)&units[136], 1);
}

/* The count unit is the operand of an instruction. */
static void code_is_decoded_again(void)
{
    uint32_t (*get)(void) = (uint32_t(*)(void))answer;

    is("before", get(), 0);
    fresh();
    watch(0, AT(0), 4, (uint32_t)answer_at + 2, 2, 1);
    on();
    for (uint32_t n = 0; n < 1000; n++) {
        ONE("lbz", 3);
        if (get() != n + 1)
            break;
    }
    off();
    is("after", get(), 1000);
}

/* ---- translation --------------------------------------------------------- */

#define VSID 0x123u
#define WINDOW 0x50000000u
static uint32_t htab[0x4000] __attribute__((aligned(65536)));

/* The page `n` of the window is that of at. */
static volatile uint32_t *map(uint32_t n, const volatile void *at, uint32_t pp)
{
    volatile uint32_t *e = &htab[((VSID ^ n) & 0x3FF) * 16];

    e[0] = 0x80000000u | VSID << 7;
    e[1] = ((uint32_t)at & ~0xFFFu) | pp;
    __asm__ volatile("sync; tlbie %0; sync" ::"r"(WINDOW + 0x1000 * n)
                     : "memory");
    return &e[1];
}

/* One access with DR on. */
static void touch(uint32_t n)
{
    watch(0, AT(0), 4, WINDOW + 0x1000 * n + 16, 2, 2);
    on();
    mtmsr(mfmsr() | MSR_DR);
    ONE("lbz", 0);
    mtmsr(mfmsr() & ~MSR_DR);
    off();
}

static void where_the_page_says(void)
{
    volatile uint32_t *low, *unit = (volatile uint32_t *)&units[16];

    __asm__ volatile(
        "mtspr 536,%0; mtspr 537,%1; mtspr 25,%2; isync" ::"r"(0x3Fu << 2 | 3),
        "r"(2), "r"((uint32_t)htab)
        : "memory");
    __asm__ volatile("mtsrin %0,%1; isync" ::"r"(VSID), "r"(WINDOW));
    fresh();
    low = map(1, units, 2);
    touch(1);
    is("through the page", *unit, 1);
    is("R and C stay", *low & 0x180, 0);
    map(2, units, 3); /* read only */
    touch(2);
    is("protected", lost(0), 1);
    touch(3); /* no page */
    is("not there", lost(0), 1);
    watch(0, AT(0), 4, 0xF0000000, 2, 2);
    on();
    ONE("lbz", 0);
    off();
    is("no memory", lost(0), 1);
    is("one was added", *unit, 1);
    is("no exception", exceptions, 1); /* the sc of enables() */
}

/* ---- several processors -------------------------------------------------- */

static volatile uint32_t turn, done;
static volatile uint32_t lock[8] __attribute__((aligned(32)));

static void atomic_add(volatile uint32_t *at, uint32_t n)
{
    uint32_t v;

    __asm__ volatile("1: lwarx %0,0,%1; add %0,%0,%2; stwcx. %0,0,%1; bne- 1b"
                     : "=&r"(v)
                     : "r"(at), "r"(n)
                     : "cr0", "memory");
}

static void share(uint32_t cpu)
{
    mtspr(SPR_HID0, mfspr(SPR_HID0) | HID0_PIFE);
    watch(0, AT(0), 64, (uint32_t)units, 2, 2);
    watch(1, AT(0), 64, (uint32_t)&units[1024], 0, 1);
    on();
    for (uint32_t n = 0; n < 200 + cpu; n++) {
        ONE("stw", 4);
        ONE("lwz", 30);
    }
    off();
    atomic_add(&done, 1);
}

static void nothing_is_lost(uint32_t cpus)
{
    uint32_t sum = 0;

    for (uint32_t n = 0; n < cpus; n++)
        sum += 200 + n;
    fresh();
    turn = 1;
    share(0);
    while (done < cpus)
        ;
    for (uint32_t w = 0; w < 16; w++)
        is("by words", ((volatile uint32_t *)units)[w],
           w == 1 || w == 7 || w == 8 ? sum : 0);
    for (uint32_t b = 0; b < 64; b++)
        is("by bytes", ((volatile uint16_t *)&units[1024])[b],
           (b >= 4 && b < 8) || (b >= 30 && b < 34) ? sum : 0);
}

/* Is a reservation of the area's block lost by an access of `whose`? */
static uint32_t reservation(bool others)
{
    uint32_t v, cr;

    done = 0;
    __asm__ volatile("lwarx %0,0,%1" : "=r"(v) : "r"(&lock[4]) : "memory");
    if (others) {
        turn = 2;
        while (!done)
            ;
    } else {
        ONE("lbz", 0);
    }
    __asm__ volatile("stwcx. %1,0,%2; mfcr %0"
                     : "=r"(cr)
                     : "r"(v + 1), "r"(&lock[4])
                     : "cr0", "memory");
    return cr >> 29 & 1;
}

static void reservations_of_others(uint32_t cpus)
{
    fresh();
    watch(0, AT(0), 4, (uint32_t)&lock[0], 2, 2);
    on();
    is("its own addition", reservation(false), 1);
    if (cpus > 1) {
        is("another's addition", reservation(true), 0);
        is("both are there", lock[0], 2);
    }
    off();
}

static void other(uint32_t cpu)
{
    while (turn < 1)
        ;
    share(cpu);
    while (cpu != 1 || turn < 2)
        ;
    watch(1, AT(0), 4, (uint32_t)units, 2, 2);
    watch(0, AT(0), 4, (uint32_t)&lock[0], 2, 2);
    on();
    ONE("lbz", 0);
    off();
    done = 1;
    for (;;)
        ;
}

int main(uint32_t cpu)
{
    uint32_t cpus = *(volatile uint32_t *)(BOARD_INFO + INFO_CPUS);

    if (cpu)
        other(cpu);
    install();
    mtmsr(mfmsr() | MSR_FP | MSR_RI);
    turn_on(0);
    registers();
    each_granularity();
    edges();
    full_units();
    enables();
    watched_twice();
    code_is_decoded_again();
    where_the_page_says();
    for (uint32_t n = 1; n < cpus; n++)
        *(volatile uint32_t *)(BOARD_RELEASE + 4 * n) = (uint32_t)_start;
    nothing_is_lost(cpus);
    reservations_of_others(cpus);
    if (!failures)
        print("all right\n");
    return (int)failures;
}
