/* joined.c - user code calls a kernel that works on a stack of its own; from
 * the kernel, with STYLE 3, it calls it again. joined.S is how it enters.
 */
#include "tests/sim/bare.h"

#define F __attribute__((noipa)) /* a call of its own, with these arguments */
#define MSR_PR 0x4000u

static volatile int sink;

#if STYLE == 3
F int kcall(int n)
{
    register int r0 __asm__("r0") = 1;
    register int r3 __asm__("r3") = n;

    __asm__ volatile("sc" : "+r"(r3) : "r"(r0) : "memory");
    return r3;
}
#endif

F void ksub(int n)
{
    sink += n;
}

F void kwork(int n)
{
    int i;

    for (i = 0; i < n; i++)
        sink += i;
#if STYLE == 3
    sink += kcall(n);
#endif
    sink--;
}

F void ksys(int n)
{
    kwork(n);
    sink--;
}

/* gpr[0], gpr[3]: which call, of what */
F void trap(u32 *gpr)
{
    if (gpr[0] == 1)
        ksub((int)gpr[3]);
    else
        ksys((int)gpr[3]);
    gpr[3] = 7;
}

F int ucall(int n)
{
    register int r0 __asm__("r0") = 0;
    register int r3 __asm__("r3") = n;

    __asm__ volatile("sc" : "+r"(r3) : "r"(r0) : "memory");
    return r3;
}

F int ub(int n)
{
    int s = ucall(n);

    sink++;
    return s + 1;
}

F int ua(int n)
{
    return ub(n) + ub(n) + 1;
}

int main(void)
{
    u32 msr;

    __asm__ volatile("mfmsr %0" : "=r"(msr));
    __asm__ volatile("mtmsr %0; isync" ::"r"(msr | MSR_PR) : "memory");
    return ua(3) == 17 ? 0 : 1;
}
