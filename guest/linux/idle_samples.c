// SPDX-License-Identifier: GPL-2.0 OR MIT
/* idle_samples.c - a module that samples the idle transitions of Linux from
 * inside.
 *
 * A timer interrupts each CPU. Where it finds the CPU idle, the program's
 * thread that left it last is the one to look at (to-idle), and a flag goes up:
 * the next program's thread that comes there is (from-idle). A sampler thread
 * of each CPU, of the highest priority and bound to it, runs instead: it
 * takes the thread's stack, and then counts that in a tree. While it is at it
 * the CPU has no other sample. What keeps the thread where it is meanwhile is
 * the strategy: `affinity` confines it to the CPU and gives it its CPUs back;
 * `spin` boxes the other CPUs out, which spin in an interrupt; `none` nothing,
 * and what is taken of a thread that has run by then does not count.
 *
 * A kernel that is built without tracepoints has no hook at a context switch.
 * So the schedule monitor works where the idle task enters and leaves the
 * platform's power-save function (ppc_md.power_save): the scheduler keeps, of
 * each thread, when it ran last, and which threads it is about to run. A thread
 * that has ended by then is in no list; that it was the last one is known from
 * the time since any other ran.
 *
 * /proc/idle_samples has the counts, the tree, and the samples one by one.
 */
#include <linux/context_tracking.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <asm/machdep.h>
#include <asm/ptrace.h>

#define DEPTH 64   /* functions of a stack */
#define NODES 8192 /* of the tree */
#define KEPT 16384 /* samples one by one */
#define GAP 40000  /* ns from the end of a thread's turn to rest, at most */

static unsigned int period_us = 250;
module_param(period_us, uint, 0444);
MODULE_PARM_DESC(period_us,
                 "microseconds from one sample interrupt to the next");

static char *strategy = "affinity";
module_param(strategy, charp, 0444);
MODULE_PARM_DESC(strategy,
                 "what keeps a thread in its place: affinity, spin or none");

static int pid;
module_param(pid, int, 0644);
MODULE_PARM_DESC(pid, "the process whose threads are sampled; 0: any");

enum { AFFINITY, SPIN, NONE };
static const char *const strategies[] = {"affinity", "spin", "none"};
static int keeps; /* one of these */

enum kind { TO_IDLE, FROM_IDLE, KINDS };
static const char *const kind_name[KINDS] = {"to-idle", "from-idle"};

struct sampler {
    struct hrtimer timer;
    struct task_struct *thread;
    unsigned int cpu;
    unsigned long turns; /* of the idle thread, at its last rest */
    u64 woke;            /* when the CPU stopped resting */
    pid_t saved;         /* the monitored thread that left last; 0: none */
    u64 saved_at;        /* ... then */
    bool ended;          /* the thread that left last has ended */
    bool flag;           /* the next monitored thread is to be sampled */
    bool outstanding, signalled;
    /* the sample */
    struct task_struct *target;
    enum kind kind;
    u64 ran; /* when the target ran last */
    u64 at;  /* time base */
    unsigned long pc[DEPTH];
    unsigned int depth;
    unsigned long interrupts, busy, idle, none, stale, moved, suppressed;
    unsigned long taken[KINDS];
};
static DEFINE_PER_CPU(struct sampler, samplers);

struct node {
    unsigned long pc; /* a process's number at the top */
    unsigned int parent, child, next;
    unsigned int count[KINDS];
    char name[TASK_COMM_LEN];
};
static struct node *tree; /* 0 is the root */
static unsigned int nodes = 1;
struct kept {
    u64 at;
    pid_t pid;
    unsigned char kind, cpu;
};
static struct kept *kept;
static unsigned int samples, lost;
static DEFINE_SPINLOCK(tree_lock);
static bool shown; /* the report is written: no sample begins */

/* Programs are of interest, or one; the kernel's threads are not. */
static bool monitored(const struct task_struct *t)
{
    int only = READ_ONCE(pid);

    return t->pid && !(t->flags & PF_KTHREAD) && (!only || t->tgid == only);
}

/* ---- the schedule monitor ------------------------------------------------ */

/* No other CPU has it as its last one. */
static void save(struct sampler *s, const struct task_struct *t)
{
    unsigned int cpu;

    for_each_online_cpu(cpu)
    {
        struct sampler *other = per_cpu_ptr(&samplers, cpu);

        if (other != s && READ_ONCE(other->saved) == t->pid)
            WRITE_ONCE(other->saved, 0);
    }
    s->saved = t->pid;
    s->saved_at = t->se.exec_start;
}

/* Once in each turn of the idle thread; interrupts are off. */
static void comes_to_rest(struct sampler *s)
{
    struct task_struct *process, *t, *mine = NULL;
    unsigned long turns = current->nvcsw + current->nivcsw;
    u64 last = 0;

    if (turns == s->turns)
        return;
    s->turns = turns;
    for_each_process_thread(process, t)
    {
        u64 ran = t->se.exec_start;

        if (task_cpu(t) != s->cpu)
            continue;
        if (ran > last)
            last = ran;
        if (monitored(t) && ran > s->woke &&
            (!mine || ran > mine->se.exec_start))
            mine = t;
    }
    s->ended =
        sched_clock() - last > GAP || (mine ? mine->exit_state : s->ended);
    if (s->ended)
        s->saved = 0;
    else if (mine)
        save(s, mine);
}

/* Wake the sampler for t. */
static void notify(struct sampler *s, struct task_struct *t, enum kind kind)
{
    get_task_struct(t);
    s->target = t;
    s->kind = kind;
    s->ran = t->se.exec_start;
    s->at = get_tb();
    s->outstanding = true;
    WRITE_ONCE(s->signalled, true);
    wake_up_process(s->thread);
}

static void stops_resting(struct sampler *s)
{
    struct task_struct *process, *t;

    s->woke = sched_clock();
    if (!s->flag || s->outstanding || READ_ONCE(shown))
        return;
    for_each_process_thread(process, t)
    {
        if (task_cpu(t) != s->cpu || !monitored(t) || !READ_ONCE(t->on_rq) ||
            READ_ONCE(t->on_cpu))
            continue;
        s->flag = false;
        notify(s, t, FROM_IDLE);
        return;
    }
}

/* In the place of the idle loop; interrupts are off, and are when it returns.
 */
static void rest(void)
{
    struct sampler *s = this_cpu_ptr(&samplers);

    ct_idle_exit();
    comes_to_rest(s);
    ct_idle_enter();
    raw_local_irq_enable();
    while (!need_resched())
        cpu_relax();
    raw_local_irq_disable();
    ct_idle_exit();
    stops_resting(s);
    ct_idle_enter();
}

/* ---- the sample interrupt ------------------------------------------------ */

static void look(struct sampler *s)
{
    struct task_struct *process, *t;

    s->idle++;
    s->flag = true;
    comes_to_rest(s); /* it may not have got there yet */
    if (!s->saved) {
        if (s->ended)
            s->stale++;
        else
            s->none++;
        return;
    }
    for_each_process_thread(process, t)
    {
        if (t->pid != s->saved)
            continue;
        if (task_cpu(t) != s->cpu || READ_ONCE(t->on_rq) ||
            t->se.exec_start != s->saved_at)
            break;
        notify(s, t, TO_IDLE);
        return;
    }
    s->stale++;
}

static enum hrtimer_restart interrupt(struct hrtimer *timer)
{
    struct sampler *s = container_of(timer, struct sampler, timer);

    s->interrupts++;
    if (s->outstanding || READ_ONCE(shown))
        s->suppressed++;
    else if (!is_idle_task(current) || need_resched())
        s->busy++;
    else
        look(s);
    hrtimer_forward(timer, hrtimer_cb_get_time(timer),
                    ns_to_ktime(1000ull * period_us));
    return HRTIMER_RESTART;
}

/* ---- stacks -------------------------------------------------------------- */

static void put(struct sampler *s, unsigned long pc)
{
    if (s->depth < DEPTH)
        s->pc[s->depth++] = pc;
}

/* A word of a stack that may be gone by now. False: it is. */
static bool read_word(unsigned long at, unsigned long *word)
{
    return !copy_from_kernel_nofault(word, (const void *)at, sizeof *word);
}

/* From the switch on, innermost first. */
static void walk_kernel(struct sampler *s, struct task_struct *t)
{
    unsigned long bottom = (unsigned long)task_stack_page(t);
    unsigned long sp = t->thread.ksp, up, pc;

    while (bottom && sp >= bottom &&
           sp <= bottom + THREAD_SIZE - 2 * sizeof(long) && s->depth < DEPTH) {
        if (!read_word(sp, &up) || up <= sp ||
            up > bottom + THREAD_SIZE - 2 * sizeof(long) ||
            !read_word(up + STACK_FRAME_LR_SAVE * sizeof(long), &pc))
            return;
        sp = up;
        put(s, pc);
    }
}

/* Two words of the program's stack. The kernel does not wait for pages while
 * others may wait for it. */
static bool read_frame(struct task_struct *t, unsigned long sp,
                       unsigned long frame[2])
{
    size_t size = 2 * sizeof *frame;

    if (keeps == AFFINITY)
        return access_process_vm(t, sp, frame, size, 0) == size;
    return current->mm &&
           !copy_from_user_nofault(frame, (const void __user *)sp, size);
}

static void walk_program(struct sampler *s, struct task_struct *t)
{
    struct pt_regs regs;
    unsigned long frame[2], sp;

    if (copy_from_kernel_nofault(&regs, task_pt_regs(t), sizeof regs) ||
        !user_mode(&regs))
        return;
    put(s, regs.nip);
    sp = regs.gpr[1];
    while (s->depth < DEPTH && sp && !(sp & 3) && read_frame(t, sp, frame)) {
        if (sp != regs.gpr[1]) {
            if (!frame[1])
                return;
            put(s, frame[1]);
        }
        if (frame[0] <= sp)
            return;
        sp = frame[0];
    }
}

/* ---- strategies ---------------------------------------------------------- */

static atomic_t boxer = ATOMIC_INIT(0), boxed = ATOMIC_INIT(0);
static bool closed;

/* On each other CPU, in an interrupt. */
static void box(void *unused)
{
    atomic_inc(&boxed);
    while (READ_ONCE(closed))
        cpu_relax();
    atomic_dec(&boxed);
}

/* One sampler at a time; who waits for that may be boxed. */
static void box_out(void)
{
    while (atomic_cmpxchg(&boxer, 0, 1))
        cpu_relax();
    preempt_disable();
    WRITE_ONCE(closed, true);
    smp_call_function(box, NULL, 0);
    while (atomic_read(&boxed) < num_online_cpus() - 1)
        cpu_relax();
}

static void let_out(void)
{
    WRITE_ONCE(closed, false);
    while (atomic_read(&boxed))
        cpu_relax();
    preempt_enable();
    atomic_set(&boxer, 0);
}

/* It has not run since it was chosen. */
static bool is_in_place(const struct sampler *s, const struct task_struct *t)
{
    return task_cpu(t) == s->cpu && !READ_ONCE(t->on_cpu) &&
           READ_ONCE(t->se.exec_start) == s->ran;
}

/* Its stack, if it is in its place before and behind that. */
static bool walk(struct sampler *s, struct task_struct *t)
{
    s->depth = 0;
    if (!is_in_place(s, t))
        return false;
    walk_kernel(s, t);
    walk_program(s, t);
    return is_in_place(s, t);
}

/* Confined to the CPU on which the sampler runs it cannot. */
static bool walk_confined(struct sampler *s, struct task_struct *t)
{
    cpumask_t could = t->cpus_mask;
    bool good;

    if (set_cpus_allowed_ptr(t, cpumask_of(s->cpu)))
        return false;
    good = walk(s, t);
    set_cpus_allowed_ptr(t, &could);
    return good;
}

/* The sampler is in its address space meanwhile. */
static bool walk_near(struct sampler *s, struct task_struct *t)
{
    struct mm_struct *mm = get_task_mm(t);
    bool good;

    if (mm)
        kthread_use_mm(mm);
    if (keeps == SPIN)
        box_out();
    good = walk(s, t);
    if (keeps == SPIN)
        let_out();
    if (mm) {
        kthread_unuse_mm(mm);
        mmput(mm);
    }
    return good;
}

/* False: the target ran since, or runs. */
static bool capture(struct sampler *s)
{
    return keeps == AFFINITY ? walk_confined(s, s->target)
                             : walk_near(s, s->target);
}

/* ---- the tree ------------------------------------------------------------ */

/* The child of `of` with that address; 0: there is no room. */
static unsigned int child(unsigned int of, unsigned long pc)
{
    unsigned int n;

    for (n = tree[of].child; n; n = tree[n].next)
        if (tree[n].pc == pc)
            return n;
    if (nodes == NODES)
        return 0;
    tree[nodes].pc = pc;
    tree[nodes].parent = of;
    tree[nodes].next = tree[of].child;
    tree[of].child = nodes;
    return nodes++;
}

static void count(struct sampler *s)
{
    unsigned int at, n = s->depth;

    spin_lock(&tree_lock);
    at = child(0, (unsigned long)s->target->tgid);
    if (at)
        memcpy(tree[at].name, s->target->comm, TASK_COMM_LEN);
    while (at && n > 0)
        at = child(at, s->pc[--n]);
    if (at)
        tree[at].count[s->kind]++;
    else
        lost++;
    if (samples < KEPT)
        kept[samples++] = (struct kept){.at = s->at,
                                        .pid = s->target->pid,
                                        .kind = (unsigned char)s->kind,
                                        .cpu = (unsigned char)s->cpu};
    spin_unlock(&tree_lock);
}

/* ---- the samplers -------------------------------------------------------- */

static int sampler_main(void *arg)
{
    struct sampler *s = arg;

    hrtimer_init(&s->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
    s->timer.function = interrupt;
    hrtimer_start(&s->timer, ns_to_ktime(1000ull * period_us),
                  HRTIMER_MODE_REL_PINNED_HARD);
    for (;;) {
        set_current_state(TASK_INTERRUPTIBLE);
        if (!READ_ONCE(s->signalled)) {
            schedule();
            continue;
        }
        __set_current_state(TASK_RUNNING);
        WRITE_ONCE(s->signalled, false);
        if (capture(s)) {
            count(s);
            s->taken[s->kind]++;
        } else {
            s->moved++;
        }
        put_task_struct(s->target);
        WRITE_ONCE(s->outstanding, false);
    }
    return 0;
}

/* ---- the report ---------------------------------------------------------- */

/* From the outermost function to the innermost. */
static void show_stack_of(struct seq_file *to, unsigned int leaf)
{
    unsigned int way[DEPTH + 2], n = 0;

    for (; leaf; leaf = tree[leaf].parent)
        way[n++] = leaf;
    seq_printf(to, "%s", tree[way[--n]].name);
    while (n > 0) {
        unsigned long pc = tree[way[--n]].pc;

        if (pc < PAGE_OFFSET)
            seq_printf(to, ";0x%lx", pc);
        else
            seq_printf(to, ";%ps", (void *)pc);
    }
    seq_putc(to, '\n');
}

static int show(struct seq_file *to, void *unused)
{
    unsigned int cpu, n, k;

    WRITE_ONCE(shown, true);
    for_each_online_cpu(cpu)
    {
        while (READ_ONCE(per_cpu_ptr(&samplers, cpu)->outstanding))
            msleep(1);
    }
    for_each_online_cpu(cpu)
    {
        const struct sampler *s = per_cpu_ptr(&samplers, cpu);

        seq_printf(
            to,
            "cpu %u: %lu interrupts, %lu busy, %lu idle, %lu to-idle, %lu "
            "from-idle, %lu of none, %lu stale, %lu moved, %lu suppressed\n",
            cpu, s->interrupts, s->busy, s->idle, s->taken[TO_IDLE],
            s->taken[FROM_IDLE], s->none, s->stale, s->moved, s->suppressed);
    }
    for (k = 0; k < KINDS; k++)
        for (n = 1; n < nodes; n++)
            if (tree[n].count[k]) {
                seq_printf(to, "%s %u ", kind_name[k], tree[n].count[k]);
                show_stack_of(to, n);
            }
    for (n = 0; n < samples; n++)
        seq_printf(to, "sample %s %u %llu %d\n", kind_name[kept[n].kind],
                   kept[n].cpu, kept[n].at, kept[n].pid);
    if (lost)
        seq_printf(to, "lost %u\n", lost);
    WRITE_ONCE(shown, false);
    return 0;
}

/* It stays: CPUs rest in it. */
static int __init idle_samples_init(void)
{
    unsigned int cpu;

    keeps = match_string(strategies, ARRAY_SIZE(strategies), strategy);
    if (!period_us || keeps < 0)
        return -EINVAL;
    tree = vzalloc(NODES * sizeof *tree);
    kept = vzalloc(KEPT * sizeof *kept);
    if (!tree || !kept ||
        !proc_create_single("idle_samples", 0444, NULL, show)) {
        vfree(tree);
        vfree(kept);
        return -ENOMEM;
    }
    for_each_online_cpu(cpu)
    {
        struct sampler *s = per_cpu_ptr(&samplers, cpu);

        s->cpu = cpu;
        s->thread =
            kthread_create_on_cpu(sampler_main, s, cpu, "idle_sampler/%u");
        if (IS_ERR(s->thread))
            return PTR_ERR(s->thread);
        sched_set_fifo(s->thread);
    }
    for_each_online_cpu(cpu)
        wake_up_process(per_cpu_ptr(&samplers, cpu)->thread);
    WRITE_ONCE(ppc_md.power_save, rest);
    return 0;
}

module_init(idle_samples_init);
MODULE_DESCRIPTION("samples of idle transitions, in /proc/idle_samples");
MODULE_LICENSE("Dual MIT/GPL");
