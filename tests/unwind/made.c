/* Code made at run time, in a buffer: who called it is known all the same. */
#ifdef HOSTED
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#endif

typedef int (*made)(int, int (*)(int));
#define F __attribute__((noipa))

static volatile int sink;

/* Called back: with a frame, and without. */
F int back(int n)
{
    for (int i = 0; i < 40; i++)
        sink += n;
    return n;
}

static unsigned *at;
static unsigned code[256] __attribute__((aligned(32)));

static void put(unsigned word)
{
    *at++ = word;
}

static void loop(int rounds)
{
    put(0x38A00000u | (unsigned)rounds); /* li r5,rounds */
    put(0x7CA903A6);                     /* mtctr r5 */
    put(0x38630001);                     /* addi r3,r3,1 */
    put(0x38C60001);                     /* addi r6,r6,1 */
    put(0x4200FFF8);                     /* bdnz -8 */
}

/* No frame, LR as it came. */
static made leaf(void)
{
    made start = (made)at;

    loop(60);
    put(0x4E800020); /* blr */
    return start;
}

/* A frame, r31 kept, the way back where the ABI has it. */
static void enter(void)
{
    put(0x9421FFE0); /* stwu r1,-32(r1) */
    put(0x7C0802A6); /* mflr r0 */
    put(0x93E1001C); /* stw r31,28(r1) */
    put(0x90010024); /* stw r0,36(r1) */
}

static void leave(void)
{
    put(0x80010024); /* lwz r0,36(r1) */
    put(0x83E1001C); /* lwz r31,28(r1) */
    put(0x7C0803A6); /* mtlr r0 */
    put(0x38210020); /* addi r1,r1,32 */
}

static made framed(void)
{
    made start = (made)at;

    enter();
    loop(60);
    leave();
    put(0x4E800020);
    return start;
}

/* Calls what it was given, in r4. */
static made calls(void)
{
    made start = (made)at;

    enter();
    loop(20);
    put(0x7C8903A6); /* mtctr r4 */
    put(0x4E800421); /* bctrl */
    put(0x7C7F1B78); /* mr r31,r3 */
    loop(20);
    put(0x7FE3FB78); /* mr r3,r31 */
    leave();
    put(0x4E800020);
    return start;
}

/* Keeps the way back in a register, and jumps to what it was given. */
static made tail(void)
{
    made start = (made)at;

    put(0x7D6802A6); /* mflr r11 */
    put(0x48000005); /* bl .+4: sets LR, for the address */
    put(0x7D4802A6); /* mflr r10 */
    loop(60);
    put(0x7D6803A6); /* mtlr r11 */
    put(0x7C8903A6); /* mtctr r4 */
    put(0x4E800420); /* bctr */
    return start;
}

F int by_leaf(made f, int n)
{
    return f(n, back) + 1;
}
F int by_framed(made f, int n)
{
    return f(n, back) + 2;
}
F int by_calls(made f, int n)
{
    return f(n, back) + 3;
}
F int by_tail(made f, int n)
{
    return f(n, back) + 4;
}

static void flush(void *from, unsigned size)
{
    for (unsigned i = 0; i < size; i += 32)
        __asm__ volatile(
            "dcbst 0,%0; sync; icbi 0,%0; sync; isync" ::"r"((char *)from + i)
            : "memory");
}

F int everything(void *where, unsigned size)
{
    made f[4];
    int sum = 0;

    at = where;
    f[0] = leaf();
    f[1] = framed();
    f[2] = calls();
    f[3] = tail();
    flush(where, size);
    for (int i = 0; i < 400; i++)
        sum += by_leaf(f[0], i) + by_framed(f[1], i) + by_calls(f[2], i) +
               by_tail(f[3], i);
    return sum;
}

#ifdef HOSTED
int main(void)
{
    void *heap = aligned_alloc(4096, 4096);
    void *map = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (!heap || map == MAP_FAILED ||
        mprotect(heap, 4096, PROT_READ | PROT_WRITE | PROT_EXEC))
        return 2;
    return everything(heap, sizeof code) == everything(map, sizeof code) ? 0
                                                                         : 1;
}
#else
void _start(void)
{
    everything(code, sizeof code);
}
#endif
