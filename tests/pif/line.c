/* line.c - marks on a machine whose cache lines are as long as they are: the
 * program asks the processor (PIFC), lays its shadow storage out by that, and
 * prints how, and what was counted: of the same work with each carrier, on
 * every processor. See line_test.sh.
 *
 *   layout WHAT NUMBER
 *   code CARRIER ADDRESS EXECUTIONS, data CARRIER ADDRESS ACCESSES
 */
#include "tests/pif/common.h"

#include "include/board.h"

#include <stdbool.h>

#define TIMES 50

typedef uint32_t code[];
extern code loop10_at, marked, _start;
uint32_t loop10(uint32_t n), sweep(volatile uint32_t *a);

#define OF_LOOP 10 /* instructions of loop10 */
#define FIRST 4    /* entry of the first instruction that marked() marks */

static volatile uint32_t phase, done;
static volatile uint32_t array[16], own[8][16];
static volatile uint32_t entries[8][4] __attribute__((aligned(16)));

void handle(struct frame *f)
{
    f->srr0 += 4; /* none is expected */
    failures++;
}

static void atomic_add(volatile uint32_t *at, uint32_t n)
{
    uint32_t v;

    __asm__ volatile("1: lwarx %0,0,%1; add %0,%0,%2; stwcx. %0,0,%1; bne- 1b"
                     : "=&r"(v)
                     : "r"(at), "r"(n)
                     : "cr0", "memory");
}

/* ---- how long is a line -------------------------------------------------- */

static void say(const char *what, uint32_t n)
{
    print("layout ");
    print(what);
    print(" ");
    print_number(n);
    print("\n");
}

/* Words that one dcbz clears. */
static uint32_t cleared(void)
{
    static uint32_t bytes[64] __attribute__((aligned(128)));
    uint32_t n = 0;

    for (unsigned w = 0; w < 64; w++)
        bytes[w] = ~0u;
    __asm__ volatile("dcbz 0,%0" ::"r"(&bytes[40]) : "memory");
    for (unsigned w = 0; w < 64; w++)
        n += !bytes[w];
    return n;
}

/* Does a reservation reach 32 bytes further? */
static uint32_t reserved(void)
{
    static uint32_t two[16] __attribute__((aligned(64)));
    uint32_t stored;

    __asm__ volatile("lwarx 4,0,%1; stwcx. 4,0,%2; mfcr %0"
                     : "=r"(stored)
                     : "r"(&two[0]), "r"(&two[8])
                     : "4", "cr0", "memory");
    return stored >> 29 & 1;
}

static void say_layout(void)
{
    say("PIFC", mfspr(SPR_PIFC));
    say("block", block_bytes);
    say("full", (uint32_t)SHADOW_FULL_BYTES(block_bytes));
    say("table", MAIN_BYTES / block_bytes * 4);
    say("dcbz", cleared());
    say("reserved", reserved());
}

/* ---- the work ------------------------------------------------------------ */

static void work(uint32_t cpu, uint32_t carrier)
{
    turn_on(0);
    register_segment();
    mtspr(SPR_PIFMT, (uint32_t)entries);
    mtspr(SPR_PIFM, (MODE & ~PIFM_XE) | carrier << PIFM_CA_SHIFT);
    for (uint32_t n = 0; n < TIMES + cpu; n++) {
        if (carrier == PIF_CARRIER_MARKER) {
            ((uint32_t(*)(uint32_t))marked)(1);
        } else {
            loop10(2);
            sweep(array);
            own[cpu][1] = n;
        }
        if (n % 16 == cpu)
            pifsync();
    }
    mtspr(SPR_PIFM, 0);
    atomic_add(&done, 1);
}

static void wide(const volatile void *at, uint32_t indicator)
{
    mtspr(SPR_PIFWA, (uint32_t)at);
    mtspr(SPR_PIFWI, indicator);
    mtspr(SPR_PIFWC, 0);
}

static void mark_word(const volatile void *at, uint32_t carrier)
{
    if (carrier == PIF_CARRIER_SHADOW)
        mark(at, IND_COUNT, 0);
    else
        wide(at, IND_COUNT | IND_STICKY);
}

static void say_word(const char *what, const volatile void *at,
                     uint32_t carrier, uint32_t count)
{
    print(what);
    print(" ");
    print_number(carrier);
    print(" ");
    print_number((uint32_t)at);
    print(" ");
    print_number(count);
    print("\n");
}

static uint32_t count_of(const volatile void *at, uint32_t carrier, bool data)
{
    if (carrier == PIF_CARRIER_SHADOW)
        return data ? rdac(at) : rdic(at);
    mtspr(SPR_PIFWA, (uint32_t)at);
    return mfspr(SPR_PIFWC);
}

static void mark_all(uint32_t cpus, uint32_t carrier)
{
    for (unsigned n = 0; n < OF_LOOP; n++)
        mark_word(&loop10_at[n], carrier);
    for (unsigned n = 0; n < 16; n++)
        mark_word(&array[n], carrier);
    for (uint32_t n = 0; n < cpus; n++)
        mark_word(&own[n][1], carrier);
    for (unsigned n = 0; n < 2; n++)
        entries[FIRST + n][0] = IND_COUNT;
    pifsync();
}

static void say_counts(uint32_t cpus, uint32_t carrier)
{
    const uint32_t *first = &marked[2]; /* behind mtctr and pmark */

    pifsync();
    for (unsigned n = 0; n < 2 && carrier == PIF_CARRIER_MARKER; n++)
        say_word("code", &first[n], carrier, entries[FIRST + n][1]);
    if (carrier == PIF_CARRIER_MARKER)
        return;
    for (unsigned n = 0; n < OF_LOOP; n++)
        say_word("code", &loop10_at[n], carrier,
                 count_of(&loop10_at[n], carrier, false));
    for (unsigned n = 0; n < 16; n++)
        say_word("data", &array[n], carrier,
                 count_of(&array[n], carrier, true));
    for (uint32_t n = 0; n < cpus; n++)
        say_word("data", &own[n][1], carrier,
                 count_of(&own[n][1], carrier, true));
}

int main(uint32_t cpu)
{
    uint32_t cpus = *(volatile uint32_t *)(BOARD_INFO + INFO_CPUS);

    for (uint32_t carrier = 0; cpu && carrier < 3; carrier++) {
        while (phase <= carrier)
            ;
        work(cpu, carrier);
    }
    while (cpu)
        ;
    install();
    turn_on(0);
    register_segment();
    say_layout();
    for (uint32_t n = 1; n < cpus; n++)
        *(volatile uint32_t *)(BOARD_RELEASE + 4 * n) = (uint32_t)_start;
    for (uint32_t carrier = 0; carrier < 3; carrier++) {
        mark_all(cpus, carrier);
        done = 0;
        phase++;
        work(0, carrier);
        while (done < cpus)
            ;
        say_counts(cpus, carrier);
    }
    return (int)failures;
}
