/* calibration_test.c - four multi-word loops whose cycles per 32-bit limb were
 * measured on a 604e by the GMP project (mpn/powerpc32, comments "604e: n
 * cycles/limb"). The loops here have the same work per limb, written anew,
 * unrolled by four. The test prints ours beside theirs and holds ours to a
 * band; docs/timing.md says what the differences mean.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "sim/core/pipe.h"
#include "tests/lib/bench_board.h"

#define DATA 0x20000u
#define LIMBS 1024
#define UNROLL 4

enum { COM, LSHIFT, ADD_N, MUL_1 };

/* addresses advance with the last access of a group */
#define NOT(a, s) (31u << 26 | (s) << 21 | (a) << 16 | (s) << 11 | 124 << 1)
#define OR(a, s, b) (31u << 26 | (s) << 21 | (a) << 16 | (b) << 11 | 444 << 1)
#define SLWI(a, s, n)                                                          \
    (21u << 26 | (s) << 21 | (a) << 16 | (n) << 11 | (31 - (n)) << 1)
#define SRWI(a, s, n)                                                          \
    (21u << 26 | (s) << 21 | (a) << 16 | (32 - (n)) << 11 | (n) << 6 | 31 << 1)
#define ADDE(d, a, b) (31u << 26 | (d) << 21 | (a) << 16 | (b) << 11 | 138 << 1)
#define MULHWU(d, a, b)                                                        \
    (31u << 26 | (d) << 21 | (a) << 16 | (b) << 11 | 11 << 1)

/* Limb k, one of three parts: its loads, its arithmetic, its store. The parts
 * of UNROLL limbs go together, as a software-pipelined loop has them. */
static unsigned one_limb(uint32_t *w, int kind, unsigned part, unsigned k)
{
    unsigned n = 0, x = 10 + k, y = 14 + k, z = 18 + k;
    unsigned before = k ? z - 1 : 22; /* what the limb before left over */
    int at = (int)(4 * k);

    if (part == 0) {
        w[n++] = LWZ(x, 5, at);
        if (kind == ADD_N)
            w[n++] = LWZ(y, 7, at);
        return n;
    }
    if (part == 2) {
        w[n++] = STW(x, 6, at);
        return n;
    }
    switch (kind) {
    case COM:
        w[n++] = NOT(x, x);
        break;
    case LSHIFT:
        w[n++] = SLWI(y, x, 3);
        w[n++] = SRWI(z, x, 29);
        w[n++] = OR(x, y, before);
        break;
    case ADD_N:
        w[n++] = ADDE(x, x, y);
        break;
    default:
        w[n++] = MULLW(y, x, 8);
        w[n++] = MULHWU(z, x, 8);
        w[n++] = ADDE(x, y, before);
        break;
    }
    return n;
}

static double cycles_per_limb(int kind)
{
    uint32_t w[64];
    struct bench_board b;
    struct core *c = &b.core[0];
    unsigned n = 0, top, k, pass, part;
    cycle_t at[2] = {0, 0};

    w[n++] = MTCTR(4);
    top = n;
    for (part = 0; part < 3; part++)
        for (k = 0; k < UNROLL; k++)
            n += one_limb(w + n, kind, part, k);
    w[n++] = ADDI(5, 5, 4 * UNROLL);
    w[n++] = ADDI(6, 6, 4 * UNROLL);
    w[n++] = ADDI(7, 7, 4 * UNROLL);
    w[n] = BDNZ(-4 * (int)(n - top));
    w[n + 1] = BLR;
    /* Two lengths on the same cold machine: the difference is the loop. */
    for (pass = 0; pass < 2; pass++) {
        pa_t a;

        board_open(&b, 1, CORE_DETAILED, NULL);
        board_words(&b, BENCH_CODE, w, n + 2);
        for (a = 0; a < 0x6000; a += 32)
            cache_fill(&c->pipe->dcache,
                       cache_victim(&c->pipe->dcache, DATA + a), DATA + a,
                       MESI_M, 0, 0);
        core_start(c, BENCH_CODE, 0x100000, 0);
        c->cpu.gpr[4] = LIMBS / UNROLL >> pass;
        c->cpu.gpr[5] = DATA;
        c->cpu.gpr[6] = DATA + 0x2800; /* low 12 bits far apart */
        c->cpu.gpr[7] = DATA + 0x4400;
        c->cpu.gpr[8] = 12345;
        board_run(&b);
        at[pass] = core_finished(c);
        board_close(&b);
    }
    return (double)(at[0] - at[1]) / (LIMBS / 2);
}

static void loops_take_about_what_the_hardware_took(void **state)
{
    static const struct {
        const char *name;
        double hardware, low, high;
    } loop[] = {
        {"com", 3.0, 2.2, 3.1},
        {"lshift", 3.0, 2.9, 3.4},
        {"add_n", 3.25, 3.2, 3.3},
        {"mul_1", 4.0, 3.9, 5.1},
    };
    int k;

    (void)state;
    print_message("loop     604e  simrun  cycles a limb\n");
    for (k = 0; k < 4; k++) {
        double ours = cycles_per_limb(k);

        print_message("%-8s %.2f  %.2f\n", loop[k].name, loop[k].hardware,
                      ours);
        assert_true(ours >= loop[k].low && ours <= loop[k].high);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_take_about_what_the_hardware_took),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
