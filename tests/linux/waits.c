/* waits.c - as little of Linux's scheduler as seeing what its tasks wait for
 * needs: its functions by their names, a task that is woken, pt_regs of a
 * system call, a mutex. Begins as start.S does. What happens is waits_test.sh's
 * list.
 */
#include "tests/sim/bare.h"

#define VIRTUAL 0xC0000000u
#define STACK 8192
#define INTERRUPTIBLE 1
#define UNINTERRUPTIBLE 2
#define DEAD 0x80

struct pt_regs {
    u32 gpr[32], nip, msr, orig_gpr3;
};

struct thread_struct {
    u32 ksp;
    struct pt_regs *regs;
};

struct thread_info {
    int preempt_count;
    unsigned cpu;
};

struct mutex {
    volatile u32 owner;
};

struct mm_struct {
    u32 users;
};

struct sched_entity {
    u8 before, sched_delayed;
};

struct task_struct {
    struct thread_info thread_info;
    volatile unsigned __state;
    int exit_state, pid, tgid, on_rq;
    struct sched_entity se;
    struct mm_struct *mm;
    unsigned cpus_mask;
    char comm[16];
    int *clear_child_tid;
    struct thread_struct thread;
};

unsigned panic_cpu = ~0u;
volatile unsigned arrived;
static volatile u32 work;
static struct mm_struct space;
static u8 stack[4][STACK] __attribute__((aligned(16)));
static struct pt_regs regs[2];
u32 futex_word[3], end_word;

struct task_struct init_task = {.comm = "swapper"};
static struct task_struct task[] = {
    {.pid = 1, .tgid = 1, .mm = &space, .comm = "first", .cpus_mask = 1},
    {.pid = 7, .tgid = 1, .mm = &space, .comm = "second", .cpus_mask = 1},
    {.pid = 9, .tgid = 9, .comm = "kthread"},
};
static struct task_struct *now = &init_task;
struct mutex big_lock;

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

#define FUNCTION __attribute__((noinline, noclone))
#define NO_TAIL_CALL __asm__ volatile("")

/* The task gets another mask; a new kernel has a flag, with which it does not.
 */
FUNCTION void set_cpus_allowed_common(struct task_struct *t, unsigned mask,
                                      unsigned flags)
{
    if (!flags)
        t->cpus_mask = mask;
}

FUNCTION void sched_setaffinity(struct task_struct *t, unsigned mask,
                                unsigned flags)
{
    set_cpus_allowed_common(t, mask, flags);
    NO_TAIL_CALL;
}

FUNCTION void __schedule(struct task_struct *to)
{
    struct task_struct *from = now;

    now = to;
    _switch(&from->thread, &to->thread);
    NO_TAIL_CALL;
}

FUNCTION void schedule(struct task_struct *to)
{
    __schedule(to);
    NO_TAIL_CALL;
}

FUNCTION void try_to_wake_up(struct task_struct *t, unsigned states)
{
    if (t->__state & states)
        t->__state = 0;
}

FUNCTION void wake_up_new_task(struct task_struct *t)
{
    t->__state = 0;
}

/* Who waits in one of these says so, and goes on at the task to[]. */
#define WAITS(name, state)                                                     \
    FUNCTION void name(void *what, struct task_struct *to)                     \
    {                                                                          \
        work += (u32)what;                                                     \
        now->__state = state;                                                  \
        schedule(to);                                                          \
        NO_TAIL_CALL;                                                          \
    }
WAITS(futex_wait, INTERRUPTIBLE)
WAITS(__mutex_lock, UNINTERRUPTIBLE)
WAITS(do_nanosleep, INTERRUPTIBLE)
WAITS(nowhere, INTERRUPTIBLE)

FUNCTION void hrtimer_wakeup(struct task_struct *t)
{
    try_to_wake_up(t, 3);
    NO_TAIL_CALL;
}

/* The system call that a program made: on that word, as it had that value. */
static void called(unsigned n, struct task_struct *t, u32 *word, u32 value)
{
    regs[n].msr = 0x30;
    regs[n].orig_gpr3 = (u32)word;
    regs[n].gpr[5] = value;
    t->thread.regs = &regs[n];
}

static void first(void)
{
    wake_up_new_task(&task[1]);
    wake_up_new_task(&task[2]);
    futex_word[2] = 7; /* a lock, which 7 has */
    called(0, &task[0], futex_word, 2);
    futex_wait(0, &task[1]);
    task[1].clear_child_tid = (int *)&end_word;
    called(0, &task[0], &end_word, 7);
    futex_wait(0, &task[1]);
    task[0].__state = DEAD;
    task[0].exit_state = 0x10;
    schedule(&init_task);
}

static void second(void)
{
    sched_setaffinity(now, 3, 1);
    sched_setaffinity(&task[0], 1, 0);
    sched_setaffinity(now, 3, 0);
    big_lock.owner = (u32)&task[2] | 1;
    __mutex_lock(&big_lock, &task[2]);
    try_to_wake_up(&task[0], 3);
    now->on_rq = 1; /* it is preempted, on its way to wait */
    now->__state = INTERRUPTIBLE;
    schedule(&task[0]);
    now->__state = 0;
    try_to_wake_up(&task[0], 3);
    now->se.sched_delayed = 1; /* it waits, but is still queued */
    nowhere(0, &task[0]);
}

static void kthread(void)
{
    do_nanosleep(0, &init_task);
    try_to_wake_up(&task[0], 4); /* not in such a state */
    try_to_wake_up(&task[2], 3); /* runs */
    try_to_wake_up(&task[1], 3);
    try_to_wake_up(&task[1], 3); /* is woken already */
    now->__state = INTERRUPTIBLE;
    try_to_wake_up(&task[2], 3); /* before it could sleep */
    schedule(&task[1]);
}

static void begin(unsigned n, void (*what)(void))
{
    u32 *top = (u32 *)(stack[n] + STACK - 128);

    top[25] = (u32)what; /* the way back out of _switch */
    top[24] = 0;
    task[n].thread.ksp = (u32)top;
}

FUNCTION void cpu_startup_entry(void)
{
    schedule(&task[0]);
    work += 1;
    hrtimer_wakeup(&task[2]);
    schedule(&task[2]);
    out32(BOARD_POWER, 5);
}

void kernel_main(void)
{
    __asm__ volatile("mtspr 275, %0" : : "r"((u32)&init_task.thread - VIRTUAL));
    begin(0, first);
    begin(1, second);
    begin(2, kthread);
    wake_up_new_task(&task[0]);
    cpu_startup_entry();
    for (;;)
        ;
}
