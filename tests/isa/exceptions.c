/* exceptions.c - a bare-metal program for simrun: raises every exception and
 * looks at vector, SRR0, SRR1, MSR, DSISR and DAR. Prints what is wrong; its
 * exit status is the number of wrong ones.
 */
#include <stdint.h>

#include "sim/board.h"
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
    bad += debug_exceptions();
    bad += interrupts();
    print(bad ? "wrong\n" : "all right\n");
    return bad;
}
