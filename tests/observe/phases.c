/* phases.c - eight functions that take turns: in random order, a short call
 * each; or with -DPHASES for a long time each, over and over. */
#include "tests/sim/bare.h"

#ifdef PHASES
#define CALLS 60
#else
#define CALLS 1
#endif
#define TURNS (6000 / CALLS)

static volatile u32 sink;

/* n times a few instructions; each function its own, so that it is seen. */
#define FUNCTION(name, n)                                                      \
    static __attribute__((noinline, noclone)) void name(void)                  \
    {                                                                          \
        u32 x = sink + n;                                                      \
        for (u32 i = 0; i < n; i++) {                                          \
            x = x * 5 + i;                                                     \
            __asm__ volatile("" : "+r"(x));                                    \
        }                                                                      \
        sink = x;                                                              \
    }

FUNCTION(one, 10)
FUNCTION(two, 20)
FUNCTION(three, 30)
FUNCTION(four, 40)
FUNCTION(five, 50)
FUNCTION(six, 60)
FUNCTION(seven, 70)
FUNCTION(eight, 80)

static void call(u32 n)
{
    static void (*const function[])(void) = {one,  two, three, four,
                                             five, six, seven, eight};

    function[n & 7]();
}

int _start(void)
{
    u32 random = 12345;

    for (u32 i = 0; i < TURNS; i++) {
#ifdef PHASES
        u32 n = i;
#else
        u32 n = random >> 16;
#endif
        random = random * 1664525u + 1013904223u;
        for (u32 k = 0; k < CALLS; k++)
            call(n);
    }
    return 0;
}
