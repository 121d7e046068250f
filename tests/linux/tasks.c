/* tasks.c - as little of Linux's scheduler as telling its tasks apart needs: a
 * task_struct, the one that runs by SPRG3 and r2, _switch. Begins as start.S
 * does. Tasks come, run, get other names, wait and end; each spends its time in
 * a function of its own.
 *
 * With -DOTHER the structure has its members elsewhere and under older names,
 * as another version and configuration of Linux would.
 */
#include "tests/sim/bare.h"

#define VIRTUAL 0xC0000000u
#define STACK 8192
#define MSR_DR 0x10u

struct thread_struct {
    u32 ksp;
};

struct mm_struct {
    u32 users;
};

typedef char name_t[16];

#ifdef OTHER
struct task_struct {
    struct mm_struct *mm;
    char gap[300];
    struct {
        volatile long state;
        struct {
            volatile name_t comm;
        };
    };
    int tgid, pid;
    struct thread_struct thread;
    int exit_state;
};
#define __state state
#else
struct task_struct {
    unsigned __state;
    int exit_state, pid, tgid;
    struct mm_struct *mm;
    name_t comm;
    struct thread_struct thread;
};
#endif

unsigned panic_cpu = ~0u;
volatile unsigned arrived;
static volatile u32 work;
static struct mm_struct space;
static u8 stack[4][STACK] __attribute__((aligned(16)));

struct task_struct init_task = {.comm = "swapper"};
static struct task_struct task[] = {
    {.pid = 1, .tgid = 1, .mm = &space, .comm = "first"},
    {.pid = 7, .tgid = 1, .mm = &space, .comm = "second"},
    {.pid = 9, .tgid = 9, .comm = "kthread"},
};

/* From the task of one thread_struct to that of another, as
 * arch/powerpc/kernel/entry_32.S does it. */
void _switch(struct thread_struct *from, struct thread_struct *to);
__asm__(".globl _switch\n"
        ".type _switch, @function\n"
        "_switch: stwu 1, -96(1)\n"
        "mflr 0\n"
        "stw 0, 100(1)\n"
        "stmw 13, 16(1)\n"
        "stw 1, 0(3)\n"
        "clrlwi 0, 4, 2\n"
        "mtspr 275, 0\n"
        "lwz 1, 0(4)\n"
        "lmw 13, 16(1)\n"
        "lwz 0, 100(1)\n"
        "addi 1, 1, 96\n"
        "mtlr 0\n"
        "blr\n"
        ".size _switch, . - _switch\n");

static struct task_struct *now = &init_task;

__attribute__((noinline)) static void schedule(struct task_struct *to)
{
    struct task_struct *from = now;

    now = to;
    _switch(&from->thread, &to->thread);
    __asm__ volatile(""); /* no tail call */
}

#define SPIN(name, step)                                                       \
    __attribute__((noinline, noclone)) static void name(u32 times)             \
    {                                                                          \
        while (times--)                                                        \
            work += step;                                                      \
    }
SPIN(spin_first, 1)
SPIN(spin_second, 2)
SPIN(spin_kthread, 3)
SPIN(spin_idle, 4)

/* Without translation of data, as Linux changes its hash table. */
__attribute__((noinline, noclone)) static void spin_unmapped(u32 times)
{
    u32 msr = mfmsr();

    mtmsr(msr & ~MSR_DR);
    __asm__ volatile("mtctr %0\n1: bdnz 1b" : : "r"(times) : "ctr");
    mtmsr(msr);
}

__attribute__((noinline, noclone)) static void flush_pages(void)
{
    spin_unmapped(3000);
    work += 1;
}

static void rename_to(struct task_struct *t, const char *name)
{
    volatile char *to = t->comm;

    while ((*to++ = *name++))
        ;
}

static void first(void)
{
    spin_first(3000);
    schedule(&task[1]);
    rename_to(&task[0], "replaced");
    spin_first(3000);
    task[0].__state = 1;
    schedule(&task[2]);
    task[0].__state = 0x80;
    task[0].exit_state = 0x10;
    task[0].mm = 0;
    schedule(&init_task);
}

static void second(void)
{
    spin_second(2000);
    flush_pages();
    schedule(&task[0]);
}

static void kthread(void)
{
    spin_kthread(1000);
    schedule(&task[0]);
}

static void begin(unsigned n, void (*what)(void))
{
    u32 *top = (u32 *)(stack[n] + STACK - 128);

    top[25] = (u32)what; /* the way back out of _switch */
    top[24] = 0;
    task[n].thread.ksp = (u32)top;
}

void kernel_main(void)
{
    __asm__ volatile("mtspr 275, %0" : : "r"((u32)&init_task.thread - VIRTUAL));
    begin(0, first);
    begin(1, second);
    begin(2, kthread);
    spin_idle(500);
    schedule(&task[0]);
    spin_idle(500);
    out32(BOARD_POWER, 5);
    for (;;)
        ;
}
