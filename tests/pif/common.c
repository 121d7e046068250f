/* common.c - console, vectors, and shadow storage for the bare-metal tests of
 * the instrumentation facility.
 */
#include "tests/pif/common.h"

#include "include/board.h"

extern const uint32_t entry_code[], entry_number[], entry_code_end[];

unsigned failures;

void print(const char *s)
{
    while (*s)
        *(volatile char *)BOARD_UART = *s++;
}

void print_number(uint32_t v)
{
    char text[12], *at = text + sizeof text;

    *--at = 0;
    do
        *--at = (char)('0' + v % 10);
    while (v /= 10);
    print(at);
}

void is(const char *what, uint32_t got, uint32_t want)
{
    if (got == want)
        return;
    failures++;
    print(what);
    print(": ");
    print_number(got);
    print(" and not ");
    print_number(want);
    print("\n");
}

void install(void)
{
    for (uint32_t at = 0x200; at <= 0x1500; at += 0x100) {
        volatile uint32_t *to = (volatile uint32_t *)at;
        const uint32_t *from;

        for (from = entry_code; from != entry_code_end; from++)
            *to++ = from == entry_number ? *from | at : *from;
        for (uint32_t n = 0; n < 2; n++)
            __asm__ volatile(
                "dcbst 0,%0; sync; icbi 0,%0; sync; isync" ::"r"(at + 32 * n)
                : "memory");
    }
}

void turn_on(uint32_t mode)
{
    mtspr(SPR_HID0, mfspr(SPR_HID0) | HID0_PIFE);
    block_bytes = (mfspr(SPR_PIFC) & PIFC_BLOCK) >> PIFC_BLOCK_SHIFT;
    mtspr(SPR_PIFM, mode);
}

/* ---- shadow storage of everything below 1 MiB ---------------------------- */

#define LINES (MAIN_BYTES / 32) /* of the shortest */
#define BLOCKS 512

uint32_t block_bytes;

static uint32_t table[LINES];
static uint32_t block[BLOCKS][SHADOW_FULL_BYTES(LINE_MAX) / 4];
static unsigned blocks;

void register_segment(void)
{
    mtspr(SPR_PIFSEG, 0);
    mtspr(SPR_PIFSB, SEGMENT_INSN | SEGMENT_DATA);
    mtspr(SPR_PIFSZ, MAIN_BYTES);
    mtspr(SPR_PIFST, (uint32_t)table);
}

volatile uint32_t *shadow(const volatile void *at)
{
    uint32_t a = (uint32_t)at;
    uint32_t *entry = &table[a / block_bytes];

    if (!*entry) {
        block[blocks][SHADOW_TAG / 4] = a & ~(block_bytes - 1);
        *entry = (uint32_t)block[blocks++] | SHADOW_FULL;
    }
    return (volatile uint32_t *)(*entry & ~3u);
}

volatile uint32_t *shadow_word(const volatile void *at)
{
    return shadow(at) +
           (SHADOW_ENTRY + 16 * ((uint32_t)at % block_bytes / 4)) / 4;
}

void mark(const volatile void *at, uint32_t indicator, uint32_t limit)
{
    volatile uint32_t *w = shadow_word(at);

    w[0] = indicator;
    w[1] = 0;
    w[2] = limit;
    w[3] = 0;
}

uint32_t hits(const volatile void *at)
{
    pifsync();
    return shadow_word(at)[3];
}

void unmark_all(void)
{
    for (unsigned n = 0; n < LINES; n++)
        table[n] = 0;
    for (unsigned b = 0; b < blocks; b++)
        for (unsigned n = 0; n < SHADOW_FULL_BYTES(LINE_MAX) / 4; n++)
            block[b][n] = 0;
    blocks = 0;
    pifsync();
}

volatile uint32_t *entry_of(const volatile void *at)
{
    return &table[(uint32_t)at / block_bytes];
}
