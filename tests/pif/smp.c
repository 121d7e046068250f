/* smp.c - counts on several processors lose nothing: every processor executes
 * marked code and touches marked words, some of them in turn with the others;
 * what storage says after pifsync is the sum, and so is what rdicz reads.
 */
#include "tests/pif/common.h"

#include "include/board.h"

typedef uint32_t code[];
extern code loop10_at, _start;
uint32_t loop10(uint32_t n);

static volatile uint32_t done, again;
static volatile uint32_t shared[8] __attribute__((aligned(32)));
static volatile uint32_t own[8][8] __attribute__((aligned(32)));

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

static void work(uint32_t cpu)
{
    turn_on(0);
    register_segment();
    mtspr(SPR_PIFM, MODE & ~PIFM_XE);
    for (uint32_t n = 0; n < 50 + cpu; n++) {
        loop10(10);
        (void)shared[2];
        shared[4] = n; /* takes the line, and its marks, from the others */
        own[cpu][1] = n;
        if (n % 16 == cpu)
            pifsync(); /* whoever gathers takes from all */
    }
    mtspr(SPR_PIFM, 0);
    atomic_add(&done, 1);
}

/* Counts that the others still hold are read and cleared as well. */
static void clearing_takes_from_all(uint32_t cpus)
{
    uint32_t before = rdic(&loop10_at[3]);

    done = 0;
    again = 1;
    while (done < cpus - 1)
        ;
    is("of all of them", rdicz(&loop10_at[3]) - before, 5 * (cpus - 1));
    pifsync();
    is("nobody has more", rdic(&loop10_at[3]), 0);
    is("the next one is left", rdic(&loop10_at[4]) - before, 5 * (cpus - 1));
}

int main(uint32_t cpu)
{
    uint32_t cpus = *(volatile uint32_t *)(BOARD_INFO + INFO_CPUS), sum = 0;

    if (cpu) {
        work(cpu);
        while (!again)
            ;
        mtspr(SPR_PIFM, MODE & ~PIFM_XE);
        loop10(5);
        mtspr(SPR_PIFM, 0);
        atomic_add(&done, 1);
        for (;;)
            ;
    }
    install();
    turn_on(0);
    register_segment();
    for (int n = 0; n < 10; n++)
        mark(&loop10_at[n], IND_COUNT, 0);
    mark(&shared[2], IND_COUNT, 0);
    mark(&shared[4], IND_COUNT, 0);
    for (uint32_t n = 0; n < cpus; n++)
        mark(&own[n][1], IND_COUNT | IND_STORES, 0);
    pifsync();
    for (uint32_t n = 1; n < cpus; n++)
        *(volatile uint32_t *)(BOARD_RELEASE + 4 * n) = (uint32_t)_start;
    work(0);
    while (done < cpus)
        ;
    pifsync();
    for (uint32_t n = 0; n < cpus; n++)
        sum += 50 + n;
    for (int n = 0; n < 10; n++)
        is("executions", rdic(&loop10_at[n]), 10 * sum);
    is("reads of a shared word", rdac(&shared[2]), sum);
    is("writes of a shared word", rdac(&shared[4]), sum);
    for (uint32_t n = 0; n < cpus; n++)
        is("writes of its own", rdac(&own[n][1]), 50 + n);
    clearing_takes_from_all(cpus);
    if (!failures)
        print("all right\n");
    return (int)failures;
}
