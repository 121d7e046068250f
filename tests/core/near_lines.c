/* near_lines.c - three data pages of one set of the TLB, which has two ways:
 * each is read and stored to some times in a row, in lines of its own, then
 * mapped to other memory, with tlbie or, where another page takes the place,
 * without. Prints what was read.
 */
#include "tests/sim/bare.h"

#define HTAB 0x200000u
#define DATA 0x300000u
#define AT 0x50000000u
#define PAGES 3
#define TURNS 2000
#define SET(spr, v) __asm__ volatile("mtspr " #spr ",%0; isync" : : "r"(v))

static u32 *map(u32 ea, u32 vsid, u32 pa)
{
    u32 hash = (vsid ^ (ea >> 12 & 0xFFFF)) & 0x3FF;
    u32 *group = (u32 *)(HTAB + hash * 64);

    while (group[0] & 0x80000000u)
        group += 2;
    group[0] = 0x80000000u | vsid << 7 | (ea >> 22 & 0x3F);
    group[1] = pa | 0x182; /* R, C; all may be done */
    return group;
}

static void forget(u32 ea)
{
    __asm__ volatile("sync; tlbie %0; sync; tlbsync; sync"
                     :
                     : "r"(ea)
                     : "memory");
}

/* Read and store to two lines of a page, more than once. */
static u32 use(u32 ea, u32 sum)
{
    volatile u32 *line = (volatile u32 *)ea;

    for (u32 k = 0; k < 4; k++) {
        sum = sum * 31 + line[k] + line[8 + k];
        line[k + 1] = sum;
        line[9 + k] += k;
    }
    return sum;
}

static u32 run(u32 **entry)
{
    u32 sum = 1;

    for (u32 t = 0; t < TURNS; t++) {
        u32 page = t * 5 / 3 % PAGES, ea = AT + page * 0x40080;

        sum = use(ea, sum);
        if (t % 35 == 3) { /* other memory, and said so */
            entry[page][1] ^= 0x8000;
            forget(ea);
        }
        sum = use(ea, sum);
        if (t % 64 == 11) { /* not said; a page 1 MB further on is used */
            sum = use(ea + 0x100200, sum);
            sum = use(ea, sum); /* the TLB of the chip has both */
            entry[page][1] ^= 0x8000;
            __asm__ volatile("sync" : : : "memory");
            sum = use(ea + 0x100200, sum);
            sum = use(ea, sum);
        }
    }
    return sum;
}

void work(void);
__asm__(".globl _start\n"
        "_start: lis 1,0x1f\n li 0,0\n stw 0,0(1)\n mflr 0\n stw 0,8(1)\n"
        "bl work\n lwz 0,8(1)\n mtlr 0\n li 3,0\n blr\n");

void work(void)
{
    u32 *entry[PAGES];

    for (u32 p = 0; p < 0x10000; p += 4)
        *(u32 *)(HTAB + p) = 0;
    for (u32 p = 0; p < 0x400000; p += 0x1000)
        map(p, 1, p);
    for (u32 k = 0; k < PAGES; k++) {
        entry[k] = map(AT + k * 0x40000, 6, DATA + k * 0x1000);
        map(AT + k * 0x40000 + 0x100000, 6, DATA + 0x10000 + k * 0x1000);
    }
    SET(25, HTAB);
    for (u32 s = 0; s < 16; s++)
        __asm__ volatile("mtsrin %0,%1" : : "r"(s + 1), "r"(s << 28));
    SET(536, 0xF0001FFEu); /* the devices: DBAT0 */
    SET(537, 0xF000002Au);
    mtmsr(mfmsr() | 0x30);
    entry[0] = (u32 *)run(entry);
    mtmsr(mfmsr() & ~0x30u);
    print_hex((u32)entry[0]);
    put('\n');
}
