/* privileged.c - instructions of the kernel's, wild jumps, wild stack pointers,
 * handlers that are nowhere. Each one is a process of its own.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static const unsigned code[] = {0x7c600124 /* mtmsr */,
                                0x4c000064 /* rfi */,
                                0x7c0002e4 | 0,
                                0x7c001a64 /* tlbie r3*/,
                                0x7c00046c /* tlbsync */,
                                0x7c7a02a6 | 0,
                                0x7c7b03a6 /* mtsrr1 */,
                                0x7c1043a6 /* mtsprg0 */,
                                0x7c6103a6 | 0x80000,
                                0x7c6001a4 /* mtsr */,
                                0x7c6001e4 /* mtsrin*/,
                                0x7c0007ac /* icbi 0,r0 */,
                                0x7c001bac /* dcbi */,
                                0x7c001fec /* dcbz 0,r3 */,
                                0x7c0018a8 | 0,
                                0x7c60192d /* stwcx. */,
                                0x7c601828 /* lwarx*/,
                                0x00000000,
                                0xffffffff,
                                0x7fe00008 /* trap */,
                                0x44000002 /* sc */,
                                0xbc630000 /* stmw r3,0(r3) */,
                                0xb8630002 /* lmw */,
                                0x7c6304aa /* lswi */,
                                0xfc000000 | 0x2c,
                                0x7c7042a6 | 0,
                                0x7c9143a6,
                                0x7d1043a6 | 0x1f0000,
                                0x7c700ba6 /* some spr */,
                                0x7c71fba6 /* hid1? */,
                                0x7c70fba6 /* hid0 */,
                                0x4c00012c /* isync */,
                                0x10000000};
static void run(unsigned *p, unsigned word, unsigned r1, unsigned r3)
{
    p[0] = word;
    p[1] = 0x4e800020;
    __asm__ volatile("dcbst 0,%0; sync; icbi 0,%0; sync; isync" ::"r"(p)
                     : "memory");
    register unsigned c __asm__("r12") = (unsigned)p;
    register unsigned a __asm__("r3") = r3;
    register unsigned s __asm__("r11") = r1;
    __asm__ volatile(
        "mtctr %0\n mr. %2,%2\n beq 1f\n mr 1,%2\n1: li 0,0\n bctrl"
        : "+r"(c), "+r"(a), "+r"(s)::"lr", "ctr", "r0", "r4", "r5", "r6", "r7",
          "r8", "r9", "r10", "cr0", "memory");
}
int main(void)
{
    unsigned *p = mmap(0, 8192, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    static const unsigned at[] = {
        0,          3,          0x100,      0x2000,     0xB0000000, 0xB0000FFE,
        0xBFFFFFFC, 0xC0000000, 0xF0000000, 0xFFFFFFFC, 0xFFFFFFFF};
    unsigned how[140] = {0};
    int s;
    for (unsigned n = 0; n < sizeof code / 4; n++)
        for (unsigned k = 0; k < 5; k++) {
            if (!fork()) {
                run(p, code[n], k == 4 ? at[n % 11] : 0, at[(n + k * 3) % 11]);
                _exit(99);
            }
            wait(&s);
            how[s & 127 ? s & 127 : 128 + (s >> 8 == 99)]++;
        }
    for (unsigned n = 0; n < 11; n++) {
        if (!fork())
            ((void (*)(void))at[n])();
        wait(&s);
        how[s & 127]++;
        if (!fork()) {
            signal(SIGSEGV, (void (*)(int))at[n]);
            *(volatile int *)8 = 1;
            _exit(0);
        }
        wait(&s);
        how[s & 127]++;
        if (!fork()) {
            stack_t k = {(void *)at[n], 0, 8192};
            struct sigaction a = {.sa_handler = (void (*)(int))main,
                                  .sa_flags = SA_ONSTACK};
            sigaltstack(&k, 0);
            sigaction(SIGSEGV, &a, 0);
            *(volatile int *)8 = 1;
            _exit(0);
        }
        wait(&s);
        how[s & 127]++;
        if (!fork()) {
            __asm__ volatile("mr 1,%0; li 0,172; sc; li 0,119; sc" ::"r"(at[n])
                             : "memory");
            _exit(0);
        }
        wait(&s);
        how[s & 127]++;
    }
    unsigned all = 0;
    for (int n = 0; n < 140; n++)
        all += how[n];
    printf("%u ended\nalive\n", all);
    return 0;
}
