/* corners.c - what programs do beside computing: code made at run time,
 * misaligned floating point, rounding modes, long double, text of numbers,
 * big frames, a heap in every size. */
#define _GNU_SOURCE
#include <complex.h>
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <wchar.h>

static void misaligned(void)
{
    static unsigned char b[256];
    double d = 0;
    float f = 0;

    for (int i = 0; i < 9; i++) {
        volatile double *at = (volatile double *)(b + 16 * i + i);
        volatile float *g = (volatile float *)(b + 16 * i + 8 + i % 4);

        *at = i * 1.25;
        *g = (float)(i * 0.5 - 1e-40);
        d += *at;
        f += *g;
    }
    printf("%g %g\n", d, f);
    for (int i = 0; i < 64; i++)
        b[i] = (unsigned char)(i * 7);
    for (int i = 0; i < 8; i++) { /* the stores of a compiler at every place */
        unsigned v;
        unsigned short h;

        memcpy(&v, b + i, 4);
        h = *(volatile unsigned short *)(b + 2 * i + 1);
        printf("%x %x ", v, h);
    }
    { /* a frame of registers where lmw does not like it */
        unsigned r;

        __asm__ volatile("stmw 28,1(%1)\n\tlmw 28,1(%1)\n\tlwz %0,1(%1)"
                         : "=&r"(r)
                         : "b"(b + 64)
                         : "memory");
        printf("%d\n", r == *(unsigned *)(b + 65));
    }
}

static void made_code(void)
{
    unsigned *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int (*f)(void) = (int (*)(void))code;

    for (unsigned n = 0; n < 100; n++) {
        code[0] = 0x38600000 | n; /* li r3,n */
        code[1] = 0x4E800020;     /* blr */
        __builtin___clear_cache((char *)code, (char *)(code + 2));
        if (f() != (int)n)
            printf("old code ran: %u\n", n);
    }
    munmap(code, 4096);
    printf("made code runs\n");
}

static void numbers(void)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD,
                                FE_DOWNWARD};
    volatile double one = 1, three = 3, huge = 1e308;
    long double l = 1.0L / 3;
    double complex z = (1 + 2 * I) * (3 - 4 * I);

    printf("%.30Lf %Lg %g %g\n", l, l * l * 1e20L, creal(z), cimag(z));
    for (int i = 0; i < 4; i++) {
        fesetround(modes[i]);
        printf("%a %a %d\n", one / three, -one / three, (int)rint(2.5));
    }
    fesetround(FE_TONEAREST);
    feclearexcept(FE_ALL_EXCEPT);
    huge *= 10;
    printf("%d %d\n", !!fetestexcept(FE_OVERFLOW), !!fetestexcept(FE_INEXACT));
    feclearexcept(FE_ALL_EXCEPT);
    huge = 0;
    huge = huge / huge;
    printf("%d %g\n", !!fetestexcept(FE_INVALID), fabs(huge));
    printf("%f %f %f %e %e\n", sqrt(2), exp(1), log(10), pow(2, 0.3), cbrt(9));
    printf("%g %g %g\n", strtod("4.9e-324", NULL), 5e-320, 1e-310 * 3);
    printf("%.0f %.3e %g %a\n", 1e22, 123456.789, 1e-5, 1e-320);
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void heap(void)
{
    static int list[5000];
    static char *keep[500];
    unsigned seed = 1, sum = 0;
    time_t t = 1000000000;

    for (int i = 0; i < 5000; i++)
        list[i] = (int)((seed = seed * 1103515245 + 12345) >> 8 & 0xFFFF);
    qsort(list, 5000, sizeof list[0], compare);
    printf("%d %d %d\n", list[0], list[2500], list[4999]);
    for (int i = 0; i < 20000; i++) {
        unsigned n = (seed = seed * 1103515245 + 12345) >> 8;
        char **p = &keep[n % 500];

        free(*p);
        n = n / 500 % 20000 + 1;
        *p = n % 3 ? malloc(n) : calloc(1, n);
        (*p)[0] = (char)n;
        (*p)[n - 1] = (char)(n + 1);
        sum += (unsigned char)(*p)[n / 2 * 0];
    }
    printf("%u %s%ls\n", sum, asctime(gmtime(&t)), L"wide");
}

static int deep(int n)
{
    volatile char frame[5000];

    frame[n] = (char)n;
    return n ? deep(n - 1) + frame[n] : 0;
}

int main(void)
{
    misaligned();
    made_code();
    numbers();
    heap();
    printf("%d\n", deep(100));
    return 0;
}
