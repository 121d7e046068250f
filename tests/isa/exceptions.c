/* exceptions.c - a bare-metal program for simrun: raises every exception and
 * looks at vector, SRR0, SRR1, MSR, DSISR and DAR. Prints what is wrong; its
 * exit status is the number of wrong ones.
 */
#include <stdint.h>

#include "include/board.h"
#include "tests/isa/board.h"

#define EE 0x8000u
#define PR 0x4000u
#define FP 0x2000u
#define ME 0x1000u
#define FE0 0x0800u
#define SE 0x0400u
#define BE 0x0200u
#define IR 0x0020u
#define DR 0x0010u
#define RI 0x0002u

#define NOP 0x60000000u
#define TRAP 0x7FE00008u
#define LOOP 0x48000000u /* b . */

extern const uint32_t board_vectors[];
void board_enter(void);

static void put(uint32_t at, uint32_t v)
{
    *(volatile uint32_t *)at = v;
}

static uint32_t word(uint32_t at)
{
    return *(volatile uint32_t *)at;
}

static void print(const char *s)
{
    while (*s)
        *(volatile char *)BOARD_UART = *s++;
}

static void print_hex(uint32_t v)
{
    print(" ");
    for (int n = 28; n >= 0; n -= 4)
        *(volatile char *)BOARD_UART = "0123456789abcdef"[v >> n & 15];
}

#define mtspr(n, v) __asm__ volatile("mtspr " #n ",%0" ::"r"(v))

/* What is expected. SRR1 is the mode plus `srr1`; DSISR and DAR are looked at
 * for 0x300 and 0x600 only. */
struct want {
    const char *name;
    uint32_t vector, srr0, srr1, dsisr, dar;
};

static int wrong(const struct want *w, uint32_t mode)
{
    int data = w->vector == 0x300 || w->vector == 0x600;
    int ok =
        word(AFTER_VECTOR) == w->vector && word(AFTER_SRR0) == w->srr0 &&
        word(AFTER_SRR1) == (mode | w->srr1) &&
        word(AFTER_MSR) == (w->vector == 0x200 ? 0 : mode & ME) &&
        (!data || (word(AFTER_DSISR) == w->dsisr && word(AFTER_DAR) == w->dar));

    if (ok)
        return 0;
    print(w->name);
    for (uint32_t n = 0; n < 6; n++)
        print_hex(word(AFTER + 4 * n));
    print("\n");
    return 1;
}

/* Run two words at CODE (then a trap) from pc in a mode, with r4 given. */
static int attempt(uint32_t first, uint32_t second, uint32_t mode, uint32_t pc,
                   uint32_t r4, const struct want *w)
{
    put(CODE, first);
    put(CODE + 4, second);
    put(CODE + 8, TRAP);
    __asm__ volatile("dcbst 0,%0; sync; icbi 0,%0; sync; isync" ::"r"(CODE)
                     : "memory");
    put(BEFORE_GPR + 16, r4);
    put(BEFORE_MSR, mode);
    put(BEFORE_PC, pc);
    board_enter();
    return wrong(w, mode);
}

#define TRY(first, second, mode, r4, ...)                                      \
    attempt(first, second, mode, CODE, r4, &(const struct want){__VA_ARGS__})

static int program_exceptions(void)
{
    int bad = 0;

    bad += TRY(0, NOP, ME, 0, "illegal", 0x700, CODE, 0x80000);
    bad += TRY(0x7C6000A6, NOP, ME | PR, 0, "privileged", 0x700, CODE, 0x40000);
    bad += TRY(TRAP, NOP, ME | RI, 0, "trap", 0x700, CODE, 0x20000);
    bad += TRY(0x44000002, NOP, ME | PR, 0, "sc", 0xC00, CODE + 4, 0);
    bad += TRY(0xFC00002A, NOP, ME, 0, "FP unavailable", 0x800, CODE, 0);
    /* mtfsb1 28 enables XX, mtfsb1 6 records it */
    bad += TRY(0xFF80004C, 0xFCC0004C, ME | FP | FE0, 0, "FP enabled", 0x700,
               CODE + 4, 0x100000);
    /* The rfi that turns FE0 on finds what the last two left behind. */
    bad += TRY(NOP, NOP, ME | FP | FE0, 0, "FP was waiting", 0x700, CODE,
               0x110000);
    bad += TRY(0xFF80008C, 0xFCC0008C, ME | FP, 0, "FP ignored", 0x700,
               CODE + 8, 0x20000);
    return bad;
}

static int memory_exceptions(void)
{
    int bad = 0;

    bad += TRY(0xBBA40000, NOP, ME, DATA + 2, "lmw alignment", 0x600, CODE, 0,
               7 << 10 | 29 << 5 | 4, DATA + 2);
    bad += TRY(0x80640000, NOP, ME | DR, 0x12345678, "load DSI", 0x300, CODE, 0,
               0x40000000, 0x12345678);
    bad += TRY(0x90640000, NOP, ME | DR, 0x12345678, "store DSI", 0x300, CODE,
               0, 0x42000000, 0x12345678);
    bad += TRY(NOP, NOP, ME | IR, 0, "ISI", 0x400, CODE, 0x40000000);
    bad += TRY(0x80640000, NOP, ME, 0xF0000000, "machine check", 0x200, CODE,
               0x40000);
    bad += attempt(NOP, NOP, ME, 0xF0000000, 0,
                   &(const struct want){"machine check on fetch", 0x200,
                                        0xF0000000, 0x40000, 0, 0});
    return bad;
}

/* Each access that the hardware does not align (604e technical summary p.30),
 * with the instruction's fields in DSISR. */
static int alignment_exceptions(void)
{
    static const struct {
        uint32_t word, dsisr;
    } row[] = {
        {0xBBA40000, 0x1C00 | 29 << 5 | 4}, /* lmw r29,0(r4) */
        {0xBFA40000, 0x5C00 | 29 << 5 | 4}, /* stmw r29,0(r4) */
        {0xC0240000, 0x2000 | 1 << 5 | 4},  /* lfs f1,0(r4) */
        {0xC8240000, 0x2400 | 1 << 5 | 4},  /* lfd */
        {0xD0240000, 0x2800 | 1 << 5 | 4},  /* stfs */
        {0xD8240000, 0x2C00 | 1 << 5 | 4},  /* stfd */
        {0x7CA02028, 5 << 5},               /* lwarx r5,0,r4 */
        {0x7C60212D, 0x10800 | 3 << 5},     /* stwcx. r3,0,r4 */
    };
    int bad = 0;

    for (uint32_t n = 0; n < 8; n++) {
        bad += TRY(row[n].word, NOP, ME | FP, DATA + 2, "alignment", 0x600,
                   CODE, 0, row[n].dsisr, DATA + 2);
        bad += TRY(row[n].word, NOP, ME | FP, DATA + 4, "aligned", 0x700,
                   CODE + 8, 0x20000);
    }
    return bad;
}

#define DCBZ 0x7C0027ECu /* dcbz 0,r4 */
#define DCBZ_DSISR 0x17C00u

static int dcbz_exceptions(void)
{
    int bad = 0;

    mtspr(1008, 0x00008084); /* HID0: no data cache */
    bad += TRY(DCBZ, NOP, ME, DATA + 5, "dcbz, cache off", 0x600, CODE, 0,
               DCBZ_DSISR, DATA + 5);
    mtspr(1008, 0x0000D084); /* locked */
    bad += TRY(DCBZ, NOP, ME, DATA + 5, "dcbz, cache locked", 0x600, CODE, 0,
               DCBZ_DSISR, DATA + 5);
    mtspr(1008, 0x0000C084);
    bad += TRY(DCBZ, NOP, ME, DATA + 5, "dcbz", 0x700, CODE + 8, 0x20000);
    mtspr(537, DATA | 0x20 | 2);
    mtspr(536, 0x40000000 | 2);
    bad += TRY(DCBZ, NOP, ME | DR, 0x40000047, "dcbz, inhibited", 0x600, CODE,
               0, DCBZ_DSISR, 0x40000040);
    mtspr(537, DATA | 0x40 | 2);
    bad += TRY(DCBZ, NOP, ME | DR, 0x40000047, "dcbz, write-through", 0x600,
               CODE, 0, DCBZ_DSISR, 0x40000040);
    mtspr(536, 0);
    return bad;
}

static int protection_exceptions(void)
{
    uint32_t at = 0x40000000;
    int bad = 0;

    mtspr(537, DATA); /* PP 0: nobody */
    mtspr(536, at | 2);
    bad += TRY(0x80640000, NOP, ME | DR, at, "no access", 0x300, CODE, 0,
               0x08000000, at);
    mtspr(537, DATA | 1); /* read only */
    bad += TRY(0x80640000, NOP, ME | DR, at, "load", 0x700, CODE + 8, 0x20000);
    bad += TRY(0x90640000, NOP, ME | DR, at, "read only", 0x300, CODE, 0,
               0x0A000000, at);
    mtspr(536, at | 1); /* for the user */
    mtspr(537, DATA | 2);
    bad += TRY(0x90640000, NOP, ME | DR, at, "user's block", 0x300, CODE, 0,
               0x42000000, at);
    bad += TRY(0x90640000, NOP, ME | DR | PR, at, "user's store", 0x700,
               CODE + 8, 0x20000);
    mtspr(536, 0);
    return bad;
}

/* SR5 has T=1: nobody answers, and some may not even ask. */
static int direct_store_exceptions(void)
{
    uint32_t at = 0x50000000;
    int bad = 0;

    __asm__ volatile("mtsr 5,%0" ::"r"(0x80000000));
    bad += TRY(0x80640000, NOP, ME | DR, at, "direct load", 0x300, CODE, 0,
               0x80000000, at);
    bad += TRY(0x90640000, NOP, ME | DR, at, "direct store", 0x300, CODE, 0,
               0x82000000, at);
    bad += TRY(0x7CA02028, NOP, ME | DR, at, "direct lwarx", 0x300, CODE, 0,
               0x04000000, at);
    bad += TRY(0x7C60212D, NOP, ME | DR, at, "direct stwcx.", 0x300, CODE, 0,
               0x06000000, at);
    bad += TRY(DCBZ, NOP, ME | DR, at, "direct dcbz", 0x700, CODE + 8, 0x20000);
    bad += attempt(
        NOP, NOP, ME | IR, at, 0,
        &(const struct want){"direct fetch", 0x400, at, 0x10000000, 0, 0});
    __asm__ volatile("mtsr 5,%0" ::"r"(0));
    return bad;
}

static int external_control_exceptions(void)
{
    int bad = 0;

    mtspr(282, 0);
    bad += TRY(0x7C60226C, NOP, ME, DATA, "eciwx, EAR off", 0x300, CODE, 0,
               0x00100000, DATA);
    bad += TRY(0x7C60236C, NOP, ME, DATA, "ecowx, EAR off", 0x300, CODE, 0,
               0x02100000, DATA);
    mtspr(282, 0x80000003);
    bad += TRY(0x7C60226C, NOP, ME, DATA, "eciwx", 0x200, CODE, 0x40000);
    bad += TRY(0x7C60236C, NOP, ME, DATA, "ecowx", 0x200, CODE, 0x40000);
    bad += TRY(0x7C60236C, NOP, ME, DATA + 1, "ecowx, odd", 0x600, CODE, 0,
               0x15800 | 3 << 5, DATA + 1);
    mtspr(282, 0);
    return bad;
}

static int fetch_exceptions(void)
{
    uint32_t at = 0x60000000 + CODE;
    int bad = 0;

    mtspr(529, 2); /* physical 0 */
    mtspr(528, 0x60000000 | 2);
    bad += attempt(
        NOP, NOP, ME | IR, at, 0,
        &(const struct want){"fetch by a block", 0x700, at + 8, 0x20000, 0, 0});
    mtspr(529, 0);
    bad += attempt(
        NOP, NOP, ME | IR, at, 0,
        &(const struct want){"fetch, no access", 0x400, at, 0x08000000, 0, 0});
    mtspr(528, 0);
    __asm__ volatile("mtsr 6,%0" ::"r"(0x10000000)); /* N */
    bad += attempt(
        NOP, NOP, ME | IR, at, 0,
        &(const struct want){"no-execute", 0x400, at, 0x10000000, 0, 0});
    __asm__ volatile("mtsr 6,%0" ::"r"(0));
    return bad;
}

/* What is not there: later instructions, registers of other chips. */
static int missing_things(void)
{
    int bad = 0;

    bad += TRY(0xFC00002C, NOP, ME | FP, 0, "fsqrt", 0x700, CODE, 0x80000);
    bad += TRY(0x7C0002E4, NOP, ME, 0, "tlbia", 0x700, CODE, 0x80000);
    bad += TRY(0x7C7EFAA6, NOP, ME, 0, "SPR 1022", 0x700, CODE, 0x80000);
    bad += TRY(0x7C7EFAA6, NOP, ME | PR, 0, "SPR 1022 of the user", 0x700, CODE,
               0x40000);
    bad +=
        TRY(0x7C60212C, NOP, ME, DATA, "stwcx without .", 0x700, CODE, 0x80000);
    bad += TRY(0xC8240000, NOP, ME, DATA, "lfd, FP off", 0x800, CODE, 0);
    bad += TRY(0x44000002, NOP, ME | SE, 0, "sc, traced", 0xC00, CODE + 4, 0);
    bad += TRY(0x90640000, NOP, ME, 0xF0000000, "machine check of a store",
               0x200, CODE, 0x40000);
    return bad;
}

static int debug_exceptions(void)
{
    int bad = 0;

    bad += TRY(NOP, NOP, ME | SE, 0, "single step", 0xD00, CODE + 4, 0);
    bad += TRY(0x48000008, NOP, ME | BE, 0, "branch trace", 0xD00, CODE + 8, 0);
    bad += TRY(NOP, NOP, ME | BE, 0, "no branch, no trace", 0x700, CODE + 8,
               0x20000);
    mtspr(1013, DATA | 2);
    bad += TRY(0x80640000, 0x90640004, ME, DATA, "DABR", 0x300, CODE + 4, 0,
               0x02400000, DATA + 4);
    mtspr(1013, 0);
    mtspr(1010, (CODE + 4) | 2);
    bad += TRY(NOP, NOP, ME, 0, "IABR", 0x1300, CODE + 4, 0);
    mtspr(1010, 0);
    bad += TRY(NOP, NOP, ME, 0, "IABR off", 0x700, CODE + 8, 0x20000);
    return bad;
}

/* An interrupt of this CPU's own making through the interrupt controller. */
static void send_to_self(void)
{
    put(BOARD_PIC + PIC_CPU + PIC_CTPR, 0);
    put(BOARD_PIC + PIC_IPIVPR, 15u << PIC_PRIORITY_SHIFT | 0x10);
    put(BOARD_PIC + PIC_CPU + PIC_IPIDR, 1);
}

static void receive(void)
{
    (void)word(BOARD_PIC + PIC_CPU + PIC_IACK);
    put(BOARD_PIC + PIC_CPU + PIC_EOI, 0);
}

static int interrupts(void)
{
    int bad = 0;

    __asm__ volatile("mtdec %0" ::"r"(20));
    bad += TRY(LOOP, NOP, ME | EE, 0, "decrementer", 0x900, CODE, 0);
    __asm__ volatile("mtdec %0" ::"r"(0x7FFFFFFF));
    mtspr(953, 0x80000000u - 40);
    mtspr(952, 0x04008000u | 2 << 6); /* ENINT, PMC1INTCONTROL, completed */
    bad += TRY(LOOP, NOP, ME | EE, 0, "performance monitor", 0xF00, CODE, 0);
    mtspr(952, 0);
    send_to_self();
    __asm__ volatile("mtdec %0" ::"r"(-1)); /* due at once, but second */
    bad += TRY(NOP, NOP, ME, 0, "both masked", 0x700, CODE + 8, 0x20000);
    bad += TRY(LOOP, NOP, ME | EE, 0, "external", 0x500, CODE, 0);
    receive();
    bad += TRY(LOOP, NOP, ME | EE, 0, "then decrementer", 0x900, CODE, 0);
    return bad;
}

int main(void)
{
    int bad = 0;

    for (uint32_t n = 0; n < 0x2000 / 4; n++)
        put(4 * n, board_vectors[n]);
    __asm__ volatile("sync; isync" ::: "memory");
    bad += program_exceptions();
    bad += memory_exceptions();
    bad += alignment_exceptions();
    bad += dcbz_exceptions();
    bad += protection_exceptions();
    bad += direct_store_exceptions();
    bad += external_control_exceptions();
    bad += fetch_exceptions();
    bad += missing_things();
    bad += debug_exceptions();
    bad += interrupts();
    print(bad ? "wrong\n" : "all right\n");
    return bad;
}
