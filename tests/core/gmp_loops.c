/* gmp_loops.c - how many cycles GMP's loops for the 604e take: a bare program
 * that gmp_all.sh links with them. Operands are a few KB, so that all stays in
 * the caches; each loop runs before it is measured. Prints "name cycles limbs"
 * by line, of what the longer of two operands adds.
 */
#include <stdint.h>

#include "include/board.h"

#define SHORT 504
#define LONG 904
#define BITS 13
#define FACTOR 0x9E3779B1u /* no early exit */

typedef uint32_t limb;

limb __gmpn_mod_34lsub1(const limb *up, int n);
limb __gmpn_divexact_by3c(limb *rp, const limb *up, int n, limb carry);
limb __gmpn_addmul_1(limb *rp, const limb *up, int n, limb v);
limb __gmpn_submul_1(limb *rp, const limb *up, int n, limb v);
limb __gmpn_mul_1(limb *rp, const limb *up, int n, limb v);
limb __gmpn_lshift(limb *rp, const limb *up, int n, unsigned bits);
limb __gmpn_lshiftc(limb *rp, const limb *up, int n, unsigned bits);
limb __gmpn_rshift(limb *rp, const limb *up, int n, unsigned bits);
void __gmpn_com(limb *rp, const limb *up, int n);
limb __gmpn_add_n(limb *rp, const limb *up, const limb *vp, int n);
limb __gmpn_addlsh1_n(limb *rp, const limb *up, const limb *vp, int n);
limb __gmpn_sublsh1_n(limb *rp, const limb *up, const limb *vp, int n);
limb __gmpn_modexact_1_odd(const limb *up, int n, limb divisor);

/* What modexact_1_odd takes its first guess from; the guess costs nothing a
 * limb, right or wrong. */
const uint8_t __gmp_binvert_limb_table[128];

/* Low 12 address bits differ, so that loads need not wait for stores. */
static limb memory[0x1640] __attribute__((aligned(4096)));
#define UP (memory + 0x040)
#define VP (memory + 0x940)
#define RP (memory + 0x1240)

static void mod_34lsub1(int n)
{
    __gmpn_mod_34lsub1(UP, n);
}
static void diveby3(int n)
{
    __gmpn_divexact_by3c(RP, UP, n, 0);
}
static void addmul_1(int n)
{
    __gmpn_addmul_1(RP, UP, n, FACTOR);
}
static void submul_1(int n)
{
    __gmpn_submul_1(RP, UP, n, FACTOR);
}
static void mul_1(int n)
{
    __gmpn_mul_1(RP, UP, n, FACTOR);
}
static void lshift(int n)
{
    __gmpn_lshift(RP, UP, n, BITS);
}
static void lshiftc(int n)
{
    __gmpn_lshiftc(RP, UP, n, BITS);
}
static void rshift(int n)
{
    __gmpn_rshift(RP, UP, n, BITS);
}
static void com(int n)
{
    __gmpn_com(RP, UP, n);
}
static void add_n(int n)
{
    __gmpn_add_n(RP, UP, VP, n);
}
static void addlsh1_n(int n)
{
    __gmpn_addlsh1_n(RP, UP, VP, n);
}
static void sublsh1_n(int n)
{
    __gmpn_sublsh1_n(RP, UP, VP, n);
}
static void mode1o(int n)
{
    __gmpn_modexact_1_odd(UP, n, FACTOR);
}

#define LOOP(name)                                                             \
    {                                                                          \
#name, name                                                            \
    }
static const struct {
    const char *name;
    void (*run)(int n);
} loops[] = {
    LOOP(mod_34lsub1), LOOP(diveby3),   LOOP(addmul_1),  LOOP(lshift),
    LOOP(rshift),      LOOP(com),       LOOP(add_n),     LOOP(mul_1),
    LOOP(lshiftc),     LOOP(addlsh1_n), LOOP(sublsh1_n), LOOP(submul_1),
    LOOP(mode1o),
};

static void put(char c)
{
    *(volatile char *)BOARD_UART = c;
}

static void put_text(const char *s)
{
    while (*s)
        put(*s++);
}

static void put_number(uint32_t n)
{
    if (n > 9)
        put_number(n / 10);
    put((char)('0' + n % 10));
}

/* Of PMC1. */
static uint32_t cycles(void)
{
    uint32_t n;

    __asm__ volatile("mfspr %0,953" : "=r"(n));
    return n;
}

static uint32_t took(void (*run)(int n), int n)
{
    uint32_t at;

    run(n);
    at = cycles();
    run(n);
    return cycles() - at;
}

int _start(void)
{
    limb x = 12345;

    for (unsigned k = 0; k < sizeof memory / sizeof *memory; k++) {
        x = x * 1664525 + 1013904223;
        memory[k] = x ^ x >> 13;
    }
    __asm__ volatile("mtspr 952,%0" : : "r"(1 << 6)); /* PMC1: cycles */
    for (unsigned k = 0; k < sizeof loops / sizeof *loops; k++) {
        uint32_t more;

        took(loops[k].run, SHORT); /* its own code is in the cache, too */
        more = took(loops[k].run, LONG) - took(loops[k].run, SHORT);
        put_text(loops[k].name);
        put(' ');
        put_number(more);
        put(' ');
        put_number(LONG - SHORT);
        put('\n');
    }
    return 0;
}
