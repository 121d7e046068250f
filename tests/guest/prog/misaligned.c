/* misaligned.c - accesses that are not aligned, and that the 604e leaves to the
 * system: floating point of both widths in every form, lmw and stmw, also
 * across a page that was not touched; and one that leads nowhere.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static char bytes[96];
static sigjmp_buf back;
static char *wanted;

static void at_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    printf("signal %d, where it should be: %d\n", number,
           (char *)info->si_addr == wanted);
    siglongjmp(back, 1);
}

static void show(const char *what)
{
    printf("%s:", what);
    for (unsigned n = 0; n < 28; n++)
        printf(" %02x", (unsigned char)bytes[n]);
    puts("");
}

/* Each form once: load from bytes + 1 or so, store behind it. */
static void floats(void)
{
    char *p = bytes + 1, *q;
    double d = 1.0 / 3, e = 0;
    float f = 2.0f / 7, g = 0;
    long word = 0;

    memcpy(p, &d, 8);
    __asm__ volatile("lfd %0,0(%1)" : "=f"(e) : "b"(p) : "memory");
    __asm__ volatile("stfd %0,9(%1)" : : "f"(e + 1), "b"(p) : "memory");
    printf("%a\n", e);
    q = p - 3;
    __asm__ volatile("lfdu %0,3(%1)" : "=f"(e), "+b"(q) : : "memory");
    printf("%a %d\n", e, q == p);
    q = p - 3;
    __asm__ volatile("lfdux %0,%1,%2" : "=f"(e), "+b"(q) : "r"(3) : "memory");
    printf("%a %d\n", e, q == p);
    __asm__ volatile("stfdx %0,%1,%2"
                     :
                     : "f"(e * 2), "b"(p), "r"(17)
                     : "memory");
    show("doubles");
    memcpy(p, &f, 4);
    __asm__ volatile("lfs %0,0(%1)" : "=f"(g) : "b"(p) : "memory");
    __asm__ volatile("stfs %0,6(%1)" : : "f"(g * 3), "b"(p) : "memory");
    printf("%a\n", g);
    q = p - 5;
    __asm__ volatile("lfsu %0,5(%1)" : "=f"(g), "+b"(q) : : "memory");
    printf("%a %d\n", g, q == p);
    __asm__ volatile("lfsx %0,%1,%2" : "=f"(g) : "b"(p), "r"(0) : "memory");
    q = p;
    __asm__ volatile("stfsu %1,13(%0)" : "+b"(q) : "f"(g) : "memory");
    printf("%a %d\n", g, q == p + 13);
    __asm__ volatile("fctiwz 0,%0\n\tstfiwx 0,%1,%2"
                     :
                     : "f"(-77.5), "b"(p), "r"(19)
                     : "memory", "fr0");
    memcpy(&word, p + 19, 4);
    printf("%ld\n", word);
    show("singles");
}

/* Twelve registers from p to q, the second one plus 1. */
void move(const char *p, char *q);
__asm__(".globl move\nmove:\tstwu 1,-64(1)\n\tstmw 20,8(1)\n"
        "\tlmw 20,0(3)\n\taddi 21,21,1\n\tstmw 20,0(4)\n"
        "\tlmw 20,8(1)\n\taddi 1,1,64\n\tblr");

int main(void)
{
    struct sigaction act = {.sa_sigaction = at_fault, .sa_flags = SA_SIGINFO};
    char *page = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    floats();
    for (unsigned n = 0; n < sizeof bytes; n++)
        bytes[n] = (char)(n * 37);
    move(bytes + 2, page + 4096 - 19);
    for (unsigned n = 0; n < 48; n++)
        printf("%02x%c", (unsigned char)page[4096 - 19 + n],
               n % 24 == 23 ? '\n' : ' ');
    sigaction(SIGSEGV, &act, NULL);
    sigaction(SIGBUS, &act, NULL);
    munmap(page + 4096, 4096);
    wanted = page + 4096 + 3;
    if (!sigsetjmp(back, 1))
        __asm__ volatile("stfd 1,0(%0)" : : "b"(page + 4096 + 3) : "memory");
    return 5;
}
