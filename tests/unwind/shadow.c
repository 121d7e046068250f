/* shadow.c - every way in which compiled code keeps the stack: leaves, tail
 * calls, alloca, arrays of variable size, large frames, wrapped prologues,
 * jump tables, many saved registers, longjmp, handlers of signals on both
 * stacks, threads; and assembly that leaves LR where it is.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NI __attribute__((noinline, noclone))

static volatile unsigned sink;
static jmp_buf target;

/* The first copy of LR is gone before it is stored: LR itself is whole. */
unsigned reuses_r0(unsigned x);
__asm__(".globl reuses_r0\n.type reuses_r0,@function\nreuses_r0:\n"
        "    mflr 0\n    xor 0,0,3\n    addi 3,3,1\n    mfcr 0\n    blr\n"
        ".size reuses_r0,.-reuses_r0\n");

NI static unsigned leaf(unsigned x)
{
    return x * 3 + 1;
}

NI static unsigned tail(unsigned x)
{
    return leaf(x + 1);
}

NI static unsigned two(unsigned x)
{
    return leaf(x) + tail(x + 1) + reuses_r0(x);
}

NI static unsigned fib(unsigned n)
{
    return n < 2 ? leaf(n) : fib(n - 1) + fib(n - 2);
}

NI static unsigned use(char *p, unsigned n)
{
    unsigned s = 0;

    for (unsigned i = 0; i < n; i++)
        s += (unsigned char)(p[i] = (char)(i * 7));
    return s + two(n);
}

NI static unsigned dynamic(unsigned n)
{
    unsigned s = use(alloca(n), n);

    return s + use(alloca(n + 40), n + 1);
}

NI static unsigned variable(unsigned n)
{
    unsigned s = 0;

    for (unsigned i = 1; i < n; i++) {
        char v[i * 13];

        s += use(v, i * 13);
    }
    return s;
}

NI static unsigned large(unsigned n)
{
    volatile char b[100000];

    for (unsigned i = 0; i < sizeof b; i += 4096)
        b[i] = (char)n;
    return use((char *)b, 50) + (unsigned)b[4096];
}

NI static unsigned wrapped(unsigned n)
{
    if (n & 1)
        return n;
    sink += two(n);
    return n > 10 ? tail(n) : fib(3) + n;
}

NI static unsigned table(unsigned n)
{
    switch (n) {
    case 0:
        return two(1);
    case 1:
        sink++;
        return 5;
    case 2:
        return tail(n);
    case 3:
        return fib(4);
    case 4:
        return leaf(leaf(n));
    case 5:
        return 7;
    case 6:
        return dynamic(20);
    default:
        return n;
    }
}

NI static double floating(double a, double b, double c, int n)
{
    double s = 0;

    for (int i = 0; i < n; i++)
        s += sin(a * i) * b + pow(c, i * .1);
    return s + two((unsigned)n);
}

NI static unsigned many(unsigned a, unsigned b, unsigned c, unsigned d,
                        unsigned e, unsigned f, unsigned g, unsigned h,
                        unsigned i, unsigned j)
{
    unsigned s = 0;

    for (unsigned k = 0; k < 4; k++)
        s += (two(a + k) * b) ^ (c + two(d) * e - f + two(g + h) * i + leaf(j));
    return s;
}

NI static void jumper(int n)
{
    if (n == 0)
        longjmp(target, 1);
    jumper(n - 1);
    sink++;
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void plain(int s)
{
    sink += two((unsigned)s);
}

static void informed(int s, siginfo_t *i, void *context)
{
    (void)context;
    sink += fib(5) + (unsigned)i->si_signo + (unsigned)s;
}

static void *worker(void *a)
{
    unsigned n = (unsigned)(size_t)a;

    for (unsigned i = 0; i < 20; i++)
        sink += wrapped(n + i) + variable(5);
    return a;
}

static void signals(void)
{
    static char other[65536];
    struct sigaction a = {.sa_handler = plain};
    struct sigaction b = {.sa_sigaction = informed,
                          .sa_flags = SA_SIGINFO | SA_ONSTACK};
    stack_t on = {.ss_sp = other, .ss_size = sizeof other};

    sigaction(SIGUSR1, &a, NULL);
    raise(SIGUSR1);
    sigaltstack(&on, NULL);
    sigaction(SIGUSR2, &b, NULL);
    raise(SIGUSR2);
}

static void threads(void)
{
    pthread_t t[3];

    for (size_t i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, (void *)(i + 1));
    for (size_t i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
}

int main(void)
{
    static unsigned (*const pick[])(unsigned) = {leaf, tail, two, wrapped};
    int v[200];
    char text[100];

    for (unsigned i = 0; i < 30; i++)
        sink += wrapped(i) + table(i % 9) + pick[i & 3](i) + dynamic(i * 9) +
                many(i, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    sink += variable(12) + large(3) + (unsigned)floating(1.5, 2.5, 1.1, 20);
    if (!setjmp(target))
        jumper(9);
    for (int i = 0; i < 200; i++)
        v[i] = i * 7919 % 1000;
    qsort(v, 200, sizeof *v, compare);
    signals();
    threads();
    for (int i = 0; i < 10; i++) {
        snprintf(text, sizeof text, "%d %g %s %x", i, i * 1.37, "abc", i);
        sink += strlen(text);
    }
    printf("%u\n", sink);
    return 0;
}
