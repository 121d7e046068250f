/* deaths.c - ways to die: one a letter. */
#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

static volatile int zero;

static int deeper(int n)
{
    volatile char room[100000];

    room[n % 100000] = (char)n;
    return deeper(n + 1) + room[n % 1000];
}

static void *die(void *a)
{
    (void)a;
    *(volatile int *)(zero + 4096) = 1;
    return NULL;
}

static void explain(int signal, siginfo_t *info, void *context)
{
    unsigned long *r = ((ucontext_t *)context)->uc_mcontext.uc_regs->gregs;

    printf("signal %d, code %d, trap %lx", signal, info->si_code, r[40]);
    if (signal == SIGSEGV)
        printf(", dsisr %lx, address right: %d", r[42],
               r[41] == (unsigned long)info->si_addr);
    printf("\n");
    r[32] += 4;
}

int main(int argc, char **argv)
{
    struct itimerval soon = {{0, 0}, {0, 20000}};
    pthread_t t;
    volatile char *p;

    setvbuf(stdout, NULL, _IONBF, 0);
    printf("alive\n");
    switch (argc > 1 ? argv[1][0] : 0) {
    case 'a':
        abort();
    case 'b':
        *(volatile int *)(zero + 16) = 1;
        break;
    case 'c': /* its own text */
        *(volatile int *)main = 1;
        break;
    case 'd':
        ((void (*)(void))(zero + 0x100))();
        break;
    case 'e':
        __asm__ volatile("trap");
        break;
    case 'f':
        __asm__ volatile(".long 0");
        break;
    case 'g': /* privileged */
        __asm__ volatile("mtmsr 3");
        break;
    case 'h':
        raise(SIGTERM);
        break;
    case 'i':
        kill(getpid(), SIGKILL);
        break;
    case 'j':
        return deeper(argc);
    case 'k':
        setitimer(ITIMER_REAL, &soon, NULL);
        for (;;)
            ;
    case 'l':
        pthread_create(&t, NULL, die, NULL);
        pthread_join(t, NULL);
        break;
    case 'm': /* behind the end of a file */
        p = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE,
                 open("empty", O_RDWR | O_CREAT, 0600), 0);
        printf("%d\n", *p);
        break;
    case 'n': /* a handler without a stack to run on */
        signal(SIGUSR1, SIG_DFL);
        {
            struct sigaction s = {.sa_flags = 0};

            s.sa_handler = (void (*)(int))main;
            sigaction(SIGUSR1, &s, NULL);
        }
        __asm__ volatile("mr 4, %0\n\tli 0, 37\n\tmr 3, %1\n\tli 1, 16\n\tsc"
                         :
                         : "r"(SIGUSR1), "r"(getpid())
                         : "r3", "r4", "r0");
        break;
    case 'o':
        exit(300);
    case 'p':
        feenableexcept(FE_DIVBYZERO);
        printf("%f\n", 1.0 / zero);
        break;
    case 'q': { /* reservations must be aligned */
        char b[16];
        __asm__ volatile("lwarx 3,0,%0" : : "r"(b + 1) : "r3");
        break;
    }
    case 's': { /* a handler finds out what was wrong */
        struct sigaction s = {.sa_flags = SA_SIGINFO};

        s.sa_sigaction = explain;
        sigaction(SIGSEGV, &s, NULL);
        sigaction(SIGTRAP, &s, NULL);
        __asm__ volatile("lwz 3,0(%0)" : : "b"(zero + 16) : "r3");
        __asm__ volatile("stw 3,0(%0)" : : "b"(zero + 20));
        __asm__ volatile("stw 3,0(%0)" : : "b"(main));
        __asm__ volatile("trap");
        return 0;
    }
    case 'r': /* more memory than there is */
        for (;;)
            memset(malloc(100000), 1, 100000);
    default:
        return 0;
    }
    printf("still alive\n");
    return 1;
}
