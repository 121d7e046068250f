/* written.c - two processors share marks below 1 MiB; the second has some of
 * its own behind that. written_test.sh reads what the experiment has of them.
 */
#include "tests/pif/common.h"

#include "include/board.h"

typedef uint32_t code[];
extern code leaf_at, _start;
uint32_t leaf(uint32_t n);

#define BEHIND ((volatile uint32_t *)MAIN_BYTES)

static volatile uint32_t done;
volatile uint32_t shared[8] __attribute__((aligned(32)));
static uint32_t table_behind[MAIN_BYTES / 32];
static uint32_t block_behind[SHADOW_FULL_BYTES(LINE_MAX) / 4];

void handle(struct frame *f)
{
    f->srr0 += 4; /* none is expected */
    failures++;
}

static void work(uint32_t times)
{
    mtspr(SPR_PIFM, MODE & ~PIFM_XE);
    for (uint32_t n = 0; n < times; n++) {
        leaf(0);
        shared[6] = n;
    }
    mtspr(SPR_PIFM, 0);
}

/* Words 5 and 7 of the first line behind: 3 and 4 accesses. */
static void second(void)
{
    turn_on(0);
    register_segment();
    block_behind[SHADOW_TAG / 4] = MAIN_BYTES;
    block_behind[(SHADOW_ENTRY + 16 * 5) / 4] = IND_COUNT;
    block_behind[(SHADOW_ENTRY + 16 * 7) / 4] = IND_COUNT;
    block_behind[(SHADOW_ENTRY + 16 * 7) / 4 + 2] = 1000;
    table_behind[0] = (uint32_t)block_behind | SHADOW_FULL;
    mtspr(SPR_PIFSEG, 1);
    mtspr(SPR_PIFSB, MAIN_BYTES | SEGMENT_DATA);
    mtspr(SPR_PIFSZ, MAIN_BYTES);
    mtspr(SPR_PIFST, (uint32_t)table_behind);
    pifsync();
    work(20);
    mtspr(SPR_PIFM, MODE & ~PIFM_XE);
    for (uint32_t n = 0; n < 3; n++)
        BEHIND[5] = n;
    for (uint32_t n = 0; n < 4; n++)
        (void)BEHIND[7];
    mtspr(SPR_PIFM, 0);
    done = 1;
    for (;;)
        ;
}

int main(uint32_t cpu)
{
    if (cpu)
        second();
    install();
    turn_on(0);
    register_segment();
    mark(leaf_at, IND_COUNT | IND_TH0, 77);
    mark(&shared[6], IND_COUNT, 0);
    mtspr(SPR_PIFTH0, ~0u); /* never exceeded: hits stay what they are */
    shadow_word(leaf_at)[3] = 9;
    pifsync();
    *(volatile uint32_t *)(BOARD_RELEASE + 4) = (uint32_t)_start;
    work(10);
    while (!done)
        ;
    return (int)failures;
}
