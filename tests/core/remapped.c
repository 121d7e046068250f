/* remapped.c - two effective pages of code, mapped to three physical ones in
 * turn and rewritten through another address, on each CPU; interrupts of
 * decrementer and performance monitor, faults and changes of HID0 come between.
 * Prints what came of it, counters and clocks included.
 */
#include "tests/sim/bare.h"

#define HTAB 0x200000u
#define CODE 0x300000u
#define TURNS 300
#define GET(spr)                                                               \
    ({                                                                         \
        u32 v;                                                                 \
        __asm__ volatile("mfspr %0," #spr : "=r"(v));                          \
        v;                                                                     \
    })
#define SET(spr, v) __asm__ volatile("mtspr " #spr ",%0; isync" : : "r"(v))

static volatile u32 shared, arrived;
static volatile u32 decs[8], pmis[8], faults[8], results[8];
extern u8 stacks[8][8192];
u8 stacks[8][8192] __attribute__((aligned(16)));

void work(u32 cpu);
void enter(void);

/* A released CPU comes with its number in r3 and no stack; the first one goes
 * to a stack whose page is mapped. */
__asm__(".globl enter, _start\n"
        "_start: li 3,0\n"
        "enter: slwi 5,3,13\n"
        "lis 1,stacks+8160@ha\n addi 1,1,stacks+8160@l\n add 1,1,5\n"
        "li 0,0\n stw 0,0(1)\n mflr 0\n stw 0,8(1)\n bl work\n"
        "lwz 0,8(1)\n mtlr 0\n li 3,0\n blr\n");

static u32 me(void)
{
    return in32(BOARD_PIC + PIC_WHOAMI);
}

static void decremented(void)
{
    decs[me()]++;
    SET(22, 1500 + 13 * me());
}

static void counted(void)
{
    pmis[me()]++;
    SET(953, 0x80000000u - 3001);
    SET(952, GET(952) | 0x0400C000u);
}

static void faulted(void)
{
    faults[me()]++;
    SET(26, GET(26) + 4);
}

static void map(u32 ea, u32 vsid, u32 **entry)
{
    u32 hash = (vsid ^ (ea >> 12 & 0xFFFF)) & 0x3FF;
    u32 v = 0x80000000u | vsid << 7 | (ea >> 22 & 0x3F);

    for (u32 h = 0; h < 2; h++) {
        u32 *group = (u32 *)(HTAB + ((h ? ~hash : hash) & 0x3FF) * 64);

        for (u32 k = 0; k < 16; k += 2)
            if (!(group[k] & 0x80000000u) || group[k] == (v | h << 6)) {
                group[k] = v | h << 6;
                group[k + 1] = (ea & 0xFFFFF000u) | 2;
                *entry = group + k;
                return;
            }
    }
}

static void flush(u32 *p, u32 n)
{
    for (u32 *line = p; line < p + n + 8; line += 8)
        __asm__ volatile("dcbst 0,%0; sync; icbi 0,%0"
                         :
                         : "r"(line)
                         : "memory");
    __asm__ volatile("sync; isync" : : : "memory");
}

static void write_code(u32 *c, u32 k)
{
    u32 n = 0;

    if (k % 4 != 3) {
        c[n++] = 0x38630000 | (k * 37 & 0x7FFF); /* addi 3,3,... */
        c[n++] = 0x1C630000 | k | 1;             /* mulli 3,3,... */
        c[n++] = 0x5463183E;                     /* rotlwi 3,3,3 */
        c[n++] = 0x70640004;                     /* andi. 4,3,4 */
        c[n++] = 0x41820008;                     /* beq .+8 */
        c[n++] = 0x38630007;                     /* addi 3,3,7 */
    }
    c[n++] = 0x4E800020; /* blr */
    flush(c, n);
}

/* A turn of the loop: what else happens in some of them. */
static u32 disturb(u32 k, u32 base)
{
    u32 sum = 0;

    if (k % 10 == 0)
        sum += timebase() + GET(22);
    if (k % 16 == 7) { /* the instruction cache is invalidated */
        SET(1008, GET(1008) | 0x800);
        SET(1008, GET(1008) & ~0x800u);
    }
    if (k % 32 == 9)
        SET(1008, GET(1008) & ~4u); /* no branch history */
    if (k % 32 == 19)
        SET(1008, GET(1008) | 4u);
    if (k % 25 == 3)
        *(volatile u32 *)0x60000000 = 1;
    if (k % 12 == 5) {
        mtmsr(mfmsr() & ~0x10u);
        sum += *(volatile u32 *)(base + 4);
        mtmsr(mfmsr() | 0x10);
    }
    return sum;
}

/* The same where it may go on in another page, that of pa2. */
static void write_parts(u32 cpu, u32 pa, u32 pa2, u32 at, u32 k)
{
    static u32 parts[8][64];

    write_code(parts[cpu], k);
    for (u32 n = 0; n < 10; n++) {
        u32 offset = at + 4 * n;

        *(u32 *)(offset < 0x1000 ? pa + offset : pa2 + offset - 0x1000) =
            parts[cpu][n];
    }
    flush((u32 *)((pa + at) & ~31u), 20);
    flush((u32 *)pa2, 20);
}

static u32 run(u32 cpu, u32 *entry, u32 *entry2)
{
    u32 base = CODE + cpu * 0x4000, ea = 0x50000000u + cpu * 0x10000, sum = cpu;

    for (u32 k = 0; k < TURNS; k++) {
        u32 pa = base + k % 3 * 0x1000, pa2 = base + (k + 1) % 3 * 0x1000;
        u32 at = k % 5 == 4 ? 0xFF0 - 4 * (k % 3) : (k & 7) * 36;

        entry[1] = pa | 2;
        entry2[1] = pa2 | 2;
        __asm__ volatile("sync; tlbie %0; tlbie %1; sync; tlbsync; sync"
                         :
                         : "r"(ea), "r"(ea + 0x1000)
                         : "memory");
        write_parts(cpu, pa, pa2, at, k);
        for (u32 i = 0; i < 20; i++) {
            sum = ((u32(*)(u32))(ea + at))(sum);
            if (i % 5 == 0)
                add_atomic(&shared, 1);
        }
        sum = sum * 31 + GET(954) + (GET(953) & 0xFF) + disturb(k, base);
    }
    return sum;
}

static void report(u32 cpus)
{
    while (arrived != cpus)
        ;
    for (u32 i = 0; i < cpus; i++) {
        print_hex(results[i]);
        put(' ');
        print_hex(decs[i]);
        put(' ');
        print_hex(pmis[i]);
        put(' ');
        print_hex(faults[i]);
        put('\n');
    }
    print_hex(shared);
    put('\n');
}

static void begin(u32 cpus)
{
    u32 *entry;

    for (u32 p = 0; p < 0x10000; p += 4)
        *(u32 *)(HTAB + p) = 0;
    for (u32 p = 0; p < 0x400000; p += 0x1000)
        map(p, 1, &entry);
    set_vector(0x900, decremented);
    set_vector(0xF00, counted);
    set_vector(0x300, faulted);
    for (u32 i = 1; i < cpus; i++)
        out32(BOARD_RELEASE + 4 * i, (u32)enter);
}

void work(u32 cpu)
{
    u32 cpus = in32(BOARD_INFO + INFO_CPUS);
    static volatile u32 lock;
    u32 *entry, *entry2;

    if (!cpu)
        begin(cpus);
    SET(25, HTAB);
    for (u32 s = 0; s < 16; s++)
        __asm__ volatile("mtsrin %0,%1" : : "r"(s + 1), "r"(s << 28));
    SET(536, 0xF0001FFEu); /* the devices: DBAT0 */
    SET(537, 0xF000002Au);
    while (add_atomic(&lock, 1) != 1)
        add_atomic(&lock, -1u);
    map(0x50000000u + cpu * 0x10000, 6, &entry);
    map(0x50001000u + cpu * 0x10000, 6, &entry2);
    add_atomic(&lock, -1u);
    SET(953, 0x80000000u - 3000);
    SET(954, 0);
    SET(952, 0x0400C042u); /* cycles, instructions; interrupts */
    SET(22, 900 + 50 * cpu);
    mtmsr(mfmsr() | 0x30 | MSR_EE);
    results[cpu] = run(cpu, entry, entry2);
    mtmsr(mfmsr() & ~(0x30u | MSR_EE));
    SET(952, 0x80000000u);
    add_atomic(&arrived, 1);
    while (cpu)
        mtmsr((mfmsr() & ~MSR_EE) | MSR_POW);
    report(cpus);
}
