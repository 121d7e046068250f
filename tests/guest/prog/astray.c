/* astray.c - threads that wait with a stack pointer which leads nowhere, and
 * some whose stack is whole: each computes a little, then sleeps in `strays` or
 * in `rests`. Nothing of the first one's stack can be read.
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>

#define ROUNDS 60
#define NOWHERE 16 /* an address that no page has */

static volatile unsigned sink;

static void compute(void)
{
    for (unsigned i = 0; i < 2000; i++)
        sink += i;
}

/* nanosleep, with r1 astray until it is over. */
__attribute__((noinline)) static void strays(const struct timespec *t)
{
    register long number __asm__("r0") = SYS_nanosleep;
    register const void *first __asm__("r3") = t;
    register void *second __asm__("r4") = NULL;

    __asm__ volatile("mr 31,1\n\tli 1,%3\n\tsc\n\tmr 1,31"
                     : "+r"(number), "+r"(first), "+r"(second)
                     : "i"(NOWHERE)
                     : "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r31",
                       "cr0", "ctr", "memory");
}

__attribute__((noinline)) static void rests(const struct timespec *t)
{
    nanosleep(t, NULL);
}

static void *strayer(void *us)
{
    struct timespec t = {0, *(long *)us * 1000};

    for (int i = 0; i < ROUNDS; i++) {
        compute();
        strays(&t);
    }
    return us;
}

static void *rester(void *us)
{
    struct timespec t = {0, *(long *)us * 1000};

    for (int i = 0; i < ROUNDS; i++) {
        compute();
        rests(&t);
    }
    return us;
}

int main(void)
{
    static long us[] = {700, 900, 800, 1000};
    pthread_t thread[4];

    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, i < 2 ? strayer : rester, &us[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    printf("astray: %d rounds\n", ROUNDS);
    return 0;
}
