/* golden_carrier.c - golden.c continued: enables, the formats of shadow blocks,
 * and the other carriers. */
#include <stddef.h>

#include "tests/pif/golden.h"

void enables_choose(void)
{
    unmark_all();
    mark(leaf_at, IND_COUNT, 0);
    pifsync();
    mtspr(SPR_PIFM, MODE & ~PIFM_SU);
    call(hot, 5);
    mtspr(SPR_PIFM, MODE & ~PIFM_P0);
    call(hot, 5);
    mtspr(SPR_PIFM, MODE & ~PIFM_IE);
    call(hot, 5);
    mtspr(SPR_PIFM, MODE);
    is("not enabled", rdic(leaf_at), 0);
    call(hot, 5);
    is("enabled", rdic(leaf_at), 5);
}

void formats_mark_the_same(void)
{
    static uint32_t words[16] __attribute__((aligned(64)));
    static uint32_t bits;
    uint32_t n;
    volatile uint32_t *full;

    unmark_all();
    full = shadow(loop10_at); /* gives the line a table entry */
    (void)full;
    mtspr(SPR_PIFF, PIFF_MARKED << 28);
    n = (uint32_t)loop10_at % block_bytes / 4;
    /* the words of the line, of which some are in the loop */
    uint32_t in = block_bytes / 4 - n < 8 ? block_bytes / 4 - n : 8;
    mark(loop10_at, 0, 0);
    full[SHADOW_ALL / 4] = IND_PMU | IND_COUNT;
    pifsync();
    is("block flag", completed(loop10, 100) >= 100 * in, 1);
    is("block flag counts", rdic(loop10_at), 100);
    full[SHADOW_ALL / 4] = 0;
    full[SHADOW_GROUP / 4 + n / 4] = IND_PMU;
    pifsync();
    is("group", completed(loop10, 100), 100 * (4 - n % 4) + (n % 4 > 0));
    for (uint32_t w = 0; w < block_bytes / 4; w++)
        words[w] = w == n ? IND_PMU : 0;
    *entry_of(loop10_at) = (uint32_t)words | SHADOW_WORDS;
    pifsync();
    is("words", completed(loop10, 100), 100);
    bits = (0x80u >> n % 8) << (24 - 8 * ((uint32_t)loop10_at / 32 % 4));
    *entry_of(loop10_at) = (uint32_t)&bits | SHADOW_BITS;
    pifsync();
    is("bits", completed(loop10, 100), 100);
    *entry_of(loop10_at) = (uint32_t)full | SHADOW_FULL;
    full[SHADOW_GROUP / 4 + n / 4] = 0;
    full[SHADOW_ALL / 4] = IND_PMU;
    full[SHADOW_CONTEXT / 4] = 77;
    pifsync();
    is("another context", completed(loop10, 100), 0);
    full[SHADOW_CONTEXT / 4] = 0;
    full[SHADOW_TAG / 4] ^= block_bytes;
    pifsync();
    is("another block", completed(loop10, 100), 0);
    full[SHADOW_TAG / 4] ^= block_bytes;
    mtspr(SPR_PIFF, 0);
}

static void wide(const volatile void *at, uint32_t indicator)
{
    mtspr(SPR_PIFWA, (uint32_t)at);
    mtspr(SPR_PIFWI, indicator);
    mtspr(SPR_PIFWC, 0);
}

static uint32_t wide_count(const volatile void *at)
{
    mtspr(SPR_PIFWA, (uint32_t)at);
    return mfspr(SPR_PIFWC);
}

static uint32_t wide_indicator(const volatile void *at)
{
    mtspr(SPR_PIFWA, (uint32_t)at);
    return mfspr(SPR_PIFWI);
}

void widened_words_travel(void)
{
    unmark_all();
    wide(&loop10_at[1], IND_COUNT);
    wide(&array[2], IND_COUNT | IND_STICKY);
    wide(&array[50], IND_COUNT);
    mtspr(SPR_PIFM, MODE | PIF_CARRIER_WIDE << PIFM_CA_SHIFT);
    call(loop10, 1000);
    for (int n = 0; n < 100; n++)
        sweep(array);
    array[51] = array[50]; /* a copy: the mark comes along */
    __asm__ volatile("lwz 4,0(%0); mr 5,4; stw 5,8(%0)" ::"r"(&array[50])
                     : "4", "5", "memory");
    array[50] = 7; /* a plain store clears it */
    mtspr(SPR_PIFM, MODE);
    is("wide code", wide_count(&loop10_at[1]), 1000);
    is("wide data", wide_count(&array[2]), 200);
    is("copied", wide_indicator(&array[51]), IND_COUNT);
    is("copied by mr", wide_indicator(&array[52]), IND_COUNT);
    is("cleared", wide_indicator(&array[50]), 0);
    is("counted before", wide_count(&array[50]), 3);
    wide(&array[2], 0);
    wide(&loop10_at[1], 0);
}

void marker_instructions_mark_what_follows(void)
{
    static uint32_t entries[8][4] __attribute__((aligned(16)));

    unmark_all();
    mtspr(SPR_PIFTH0, 0);
    entries[4][0] = IND_COUNT | IND_TH0;
    entries[4][3] = 7;
    entries[5][0] = IND_COUNT;
    entries[6][0] = IND_COUNT;
    mtspr(SPR_PIFMT, (uint32_t)entries);
    mtspr(SPR_PIFM, MODE | (uint32_t)PIF_CARRIER_MARKER << PIFM_CA_SHIFT);
    call(marked, 100);
    mtspr(SPR_PIFM, MODE);
    mtspr(SPR_PIFTH0, 10);
    is("marker", ((volatile uint32_t *)entries[4])[1], 100);
    is("marker hits", ((volatile uint32_t *)entries[4])[3], 107);
    is("the entry before", ((volatile uint32_t *)entries[3])[1], 0);
    is("marker", ((volatile uint32_t *)entries[5])[1], 100);
    is("marker end", ((volatile uint32_t *)entries[6])[1], 0);
}
