/* paging.c - pages that are replaced take their performance segments along
 * (HW-93; docs/pif.md 3, 5): four virtual pages of code and data share two
 * page frames, each with its segment, and a pager moves a page's marks and
 * counts with its bytes. Whatever is thrown out in the middle of what, counts
 * are those that a program without paging would have. A bare-metal program
 * with translation on; its exit status is the number of wrong counts.
 */
#include "tests/pif/common.h"

#include "include/board.h"

#define PAGES 4u
#define FRAMES 2u
#define PAGE 4096u
#define VIRTUAL 0x40000000u /* segment register 4 */
#define VSID 5u
#define DATA 2048u /* the page's data word; its code is at 0 */
#define CALLS 300u
#define MSR_TRANSLATE 0x30u

/* Called with a data word: adds one to it. Goes anywhere. */
__asm__(".section .rodata\n"
        "body:\n"
        "    lwz 4,0(3)\n"
        "    addi 4,4,1\n"
        "    stw 4,0(3)\n"
        "    blr\n"
        "body_end:\n"
        ".previous\n");
extern const uint32_t body[], body_end[];
#define WORDS 4u

/* A page and its performance segment: the blocks of its two lines. */
struct page {
    uint32_t bytes[PAGE / 4];
    uint32_t block[2][SHADOW_FULL_BYTES(LINE_MAX) / 4]; /* of any line size */
};

static struct page store[PAGES]; /* where they are paged out to */
static uint32_t frame[FRAMES][PAGE / 4] __attribute__((aligned(4096)));
static uint32_t table[FRAMES][PAGE / 16];
static uint32_t block[FRAMES][2][SHADOW_FULL_BYTES(LINE_MAX) / 4];
static uint32_t holds[FRAMES]; /* page + 1; 0: none */
static uint32_t htab[0x10000 / 4] __attribute__((aligned(0x10000)));
static uint32_t line, next, faults, moved, was[PAGES];

/* ---- the pager ----------------------------------------------------------- */

static uint32_t *entry(uint32_t *of, uint32_t at)
{
    return of + (SHADOW_ENTRY + 16 * (at % line / 4)) / 4;
}

static void map(uint32_t page, uint32_t to)
{
    uint32_t *pte = htab + ((VSID ^ page) & 1023) * 16;

    pte[1] = to | 0x12; /* M; read and write */
    pte[0] = to ? 0x80000000u | VSID << 7 : 0;
    __asm__ volatile("sync; tlbie %0; sync" ::"r"(VIRTUAL + page * PAGE)
                     : "memory");
}

static void copy(uint32_t *to, const uint32_t *from, uint32_t bytes)
{
    for (uint32_t n = 0; n < bytes / 4; n++)
        to[n] = from[n];
}

static void page_out(uint32_t f)
{
    uint32_t page = holds[f] - 1;

    if (!holds[f])
        return;
    map(page, 0);
    mtspr(SPR_PIFSEG, f);
    mtspr(SPR_PIFSZ, 0); /* what the processor holds goes to the blocks */
    copy(store[page].bytes, frame[f], PAGE);
    copy(store[page].block[0], block[f][0], sizeof block[f]);
    holds[f] = 0;
}

static void page_in(uint32_t f, uint32_t page)
{
    uint32_t at = (uint32_t)frame[f];

    copy(frame[f], store[page].bytes, PAGE);
    copy(block[f][0], store[page].block[0], sizeof block[f]);
    block[f][0][SHADOW_TAG / 4] = at;
    block[f][1][SHADOW_TAG / 4] = at + DATA;
    table[f][0] = (uint32_t)block[f][0] | SHADOW_FULL;
    table[f][DATA / line] = (uint32_t)block[f][1] | SHADOW_FULL;
    __asm__ volatile("dcbst 0,%0; sync; icbi 0,%0; sync; isync" ::"r"(at)
                     : "memory");
    mtspr(SPR_PIFSEG, f);
    mtspr(SPR_PIFSB, at | SEGMENT_INSN | SEGMENT_DATA);
    mtspr(SPR_PIFST, (uint32_t)table[f]);
    mtspr(SPR_PIFSZ, PAGE);
    holds[f] = page + 1;
    moved += was[page] && was[page] != at;
    was[page] = at;
    map(page, at);
}

void handle(struct frame *f)
{
    uint32_t at = f->vector == 0x400 ? f->srr0 : mfspr(SPR_DAR);

    if ((f->vector != 0x300 && f->vector != 0x400) ||
        at - VIRTUAL >= PAGES * PAGE) {
        is("vector", f->vector, 0);
        is("address", at, 0);
        *(volatile uint32_t *)BOARD_POWER = 1;
    }
    faults++;
    page_out(next);
    page_in(next, (at - VIRTUAL) / PAGE);
    next = (next + 1) % FRAMES;
    f->srr1 |= MSR_RI;
}

/* ---- the program --------------------------------------------------------- */

static void translate(void)
{
    /* The program and its devices where they are; the rest by pages. */
    mtspr(SPR_IBAT0L, 0x12);
    mtspr(SPR_DBAT0L, 0x12);
    mtspr(SPR_IBAT0U, 0x1FFE);
    mtspr(SPR_DBAT0U, 0x1FFE);
    mtspr(SPR_DBAT1L, 0xF000002Au);
    mtspr(SPR_DBAT1U, 0xF0001FFEu);
    mtspr(SPR_SDR1, (uint32_t)htab);
    __asm__ volatile("mtsr 4,%0; isync" ::"r"(VSID));
    mtmsr(mfmsr() | MSR_TRANSLATE | MSR_RI);
}

static void prepare(void)
{
    for (uint32_t p = 0; p < PAGES; p++) {
        copy(store[p].bytes, body, WORDS * 4);
        for (uint32_t n = 0; n < WORDS; n++)
            entry(store[p].block[0], 4 * n)[0] = IND_COUNT;
        entry(store[p].block[1], DATA)[0] = IND_COUNT;
    }
}

int main(void)
{
    uint32_t calls[PAGES] = {0}, uses[PAGES] = {0}, seed = 1;

    install();
    turn_on(0);
    line = mfspr(SPR_PIFC) >> 20 & 0xFF;
    prepare();
    translate();
    mtspr(SPR_PIFM, MODE);
    for (uint32_t n = 0; n < CALLS; n++) {
        uint32_t code, data;

        seed = seed * 1103515245 + 12345;
        code = seed >> 16 & 3;
        data = seed >> 20 & 3;
        calls[code]++;
        uses[data]++;
        ((void (*)(uint32_t))(VIRTUAL + code * PAGE))(VIRTUAL + data * PAGE +
                                                      DATA);
    }
    mtmsr(mfmsr() & ~MSR_TRANSLATE);
    mtspr(SPR_PIFM, 0);
    for (uint32_t f = 0; f < FRAMES; f++)
        page_out(f);
    for (uint32_t p = 0; p < PAGES; p++) {
        for (uint32_t n = 0; n < WORDS; n++)
            is("executions", entry(store[p].block[0], 4 * n)[1], calls[p]);
        is("accesses", entry(store[p].block[1], DATA)[1], 2 * uses[p]);
        is("the word itself", store[p].bytes[DATA / 4], uses[p]);
    }
    is("pages were replaced", faults > CALLS / 2, 1);
    is("... and went to another frame", moved > CALLS / 8, 1);
    if (!failures)
        print("all right\n");
    return (int)failures;
}
