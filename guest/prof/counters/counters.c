/* counters.c - counters of a thread's own: perf_event_open, for what Linux
 * counts in hardware. A thread's counters are in the performance monitor while
 * it runs, and their counts in memory while it does not (docs/guest.md).
 *
 * A raw event is numbered as the driver guest/linux/pmu604.c has it: the
 * selection in bits 0-6 from the right, the counter in 8-11 (0: any).
 */
#include <linux/perf_event.h>

#include "guest/prof/idle/idle.h"
#include "guest/prof/idle/monitor.h"
#include "guest/process/file.h"

#define CALL_IOCTL 54
#define CALL_PERF_EVENT_OPEN 319
#define COUNTINGS 64
#define COUNTERS 4
#define DEVICE_COUNTER                                                         \
    0x100 /* of a file: this, and the number of the counting */

#define MMCR0_STOPPED 0x80000000u
#define MMCR0_NOT_IN_SYSTEM 0x40000000u
#define MMCR0_NOT_IN_PROGRAM 0x20000000u

/* One event of one thread. Without a file it is free. Changed with interrupts
 * off, by its thread and where that is switched. */
static struct counting {
    struct node node;     /* its users: 1, and its files */
    struct thread *owner; /* with that tid: */
    uint32_t tid;
    uint32_t selection, counter; /* 0 to 3 */
    uint32_t left_out;           /* MMCR0_NOT_IN_... */
    bool on;
    uint64_t count; /* up to when it last left the monitor */
} countings[COUNTINGS];

static struct mutex lock; /* who is free; before process_lock */

/* ---- in and out of the monitor ------------------------------------------- */

static bool is_of(const struct counting *k, const struct thread *t)
{
    return k->node.users > 1 && k->owner == t && k->tid == t->tid;
}

/* What the monitor has of t's counters is added; it stands still. */
static void leave(const struct thread *t)
{
    mtspr(SPR_MMCR0, MMCR0_STOPPED);
    for (struct counting *k = countings; k < countings + COUNTINGS; k++)
        if (k->on && is_of(k, t)) {
            k->count += pmc_read((int)k->counter);
            pmc_write((int)k->counter, 0);
        }
}

/* t's counters go on, from 0. */
static void enter(const struct thread *t)
{
    static const uint8_t place[COUNTERS] = {6, 0, 27, 22};
    uint32_t select[2] = {0, 0}, how = 0;
    bool any = false;

    for (const struct counting *k = countings; k < countings + COUNTINGS; k++) {
        if (!k->on || !is_of(k, t))
            continue;
        select[k->counter / 2] |= k->selection << place[k->counter];
        how |= k->left_out;
        any = true;
    }
    mtspr(SPR_MMCR1, select[1]);
    mtspr(SPR_MMCR0, any ? how | select[0] : MMCR0_STOPPED);
}

static void on_switch(struct cpu *c, const struct thread *out)
{
    leave(out);
    enter(c->current);
}

/* Before 32 bits are full, of a thread that no other one interrupts. */
static void on_trap(struct cpu *c, const struct thread *t)
{
    (void)c;
    for (int n = 0; n < COUNTERS; n++)
        if (pmc_read(n) & PMC_NEGATIVE) {
            leave(t);
            enter(t);
            return;
        }
}

static struct hook switched = {.call = on_switch}, trapped = {.call = on_trap};
static bool begun; /* lock */

static void begin(void)
{
    if (begun)
        return;
    begun = true;
    hook_add(&switch_hooks, &switched);
    hook_add(&trap_hooks, &trapped);
}

/* ---- events -------------------------------------------------------------- */

static const struct {
    uint32_t number, raw;
} generic[] = {
    {PERF_COUNT_HW_CPU_CYCLES, 1},
    {PERF_COUNT_HW_INSTRUCTIONS, 2},
    {PERF_COUNT_HW_CACHE_MISSES, 0x206}, /* of the data cache */
    {PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0x208},
    {PERF_COUNT_HW_BRANCH_MISSES, 0x107},
};

/* The raw number, or -errno. */
static int32_t raw_of(const struct perf_event_attr *a)
{
    /* By counter; in all of them there are 0 to 4. */
    static const uint8_t most[1 + COUNTERS] = {4, 0x7F, 0x3F, 0x1F, 0x1F};
    uint32_t raw = (uint32_t)a->config;

    if (a->type == PERF_TYPE_RAW)
        return a->config < (COUNTERS + 1) << 8 && !(raw & 0x80) &&
                       (raw & 0x7F) <= most[raw >> 8]
                   ? (int32_t)raw
                   : -EINVAL;
    for (uint32_t n = 0; n < sizeof generic / sizeof *generic; n++)
        if (a->type == PERF_TYPE_HARDWARE && generic[n].number == a->config)
            return (int32_t)generic[n].raw;
    return -ENOENT;
}

/* A counter of the running thread that is free for the event, or COUNTERS: none
 * is, or others count in other modes. */
static uint32_t free_counter(uint32_t raw, uint32_t left_out)
{
    uint32_t used = 0, n = raw >> 8 ? (raw >> 8) - 1 : 0;

    for (const struct counting *k = countings; k < countings + COUNTINGS; k++) {
        if (!is_of(k, current))
            continue;
        if (k->left_out != left_out)
            return COUNTERS;
        used |= 1u << k->counter;
    }
    while (!(raw >> 8) && n < COUNTERS && used >> n & 1)
        n++;
    return used >> n & 1 ? COUNTERS : n;
}

/* ---- calls --------------------------------------------------------------- */

static void set_on(struct counting *k, bool on)
{
    uint32_t msr = irq_save();

    leave(current);
    k->on = on;
    enter(current);
    irq_restore(msr);
}

/* lock is held. */
static int32_t open_free(struct task *t, const struct perf_event_attr *a,
                         uint32_t raw, bool close_on_exec)
{
    uint32_t left_out = (a->exclude_kernel ? MMCR0_NOT_IN_SYSTEM : 0) |
                        (a->exclude_user ? MMCR0_NOT_IN_PROGRAM : 0);
    uint32_t counter = free_counter(raw, left_out);
    struct counting *k = countings;
    struct file *f;

    while (k < countings + COUNTINGS && k->node.users > 1)
        k++;
    if (counter == COUNTERS)
        return -EBUSY;
    if (k == countings + COUNTINGS)
        return -ENFILE;
    k->on = false;
    k->node.users = 1; /* for ever */
    k->node.device = DEVICE_COUNTER + (uint32_t)(k - countings);
    k->node.mode = S_IFCHR | S_IRUSR;
    k->owner = current;
    k->tid = current->tid;
    k->selection = raw & 0x7F;
    k->counter = counter;
    k->left_out = left_out;
    k->count = 0;
    f = file_open(&k->node, O_RDONLY);
    if (!f)
        return -ENOMEM;
    set_on(k, !a->disabled);
    return file_number(t->process, f, 0, close_on_exec);
}

/* Of the calling thread alone, on whichever CPU; nothing is sampled. */
static int32_t event_open(struct task *t, const uint32_t *w)
{
    struct perf_event_attr a;
    int32_t raw;

    if (!copy_in(t->process->space, &a, w[0], PERF_ATTR_SIZE_VER0))
        return -EFAULT;
    if (a.sample_period || a.read_format || a.inherit || a.pinned ||
        (w[4] & ~(uint32_t)PERF_FLAG_FD_CLOEXEC))
        return -EOPNOTSUPP;
    if ((w[1] && w[1] != t->number) || w[2] != UINT32_MAX || w[3] != UINT32_MAX)
        return -EOPNOTSUPP;
    raw = raw_of(&a);
    if (raw < 0)
        return raw;
    if (idle_options()->trigger == TRIGGER_EVENT)
        return -EBUSY; /* the sampler has the monitor */
    mutex_lock(&lock);
    begin();
    raw = open_free(t, &a, (uint32_t)raw, w[4] & PERF_FLAG_FD_CLOEXEC);
    mutex_unlock(&lock);
    return raw;
}

/* Of a number that is a counter's, with a user more of its file; or NULL. */
static struct counting *counting_of(struct task *t, uint32_t fd,
                                    struct file **f)
{
    *f = file_get(t, fd);
    if (!*f)
        return NULL;
    if ((*f)->node && (*f)->node->device >= DEVICE_COUNTER)
        return &countings[(*f)->node->device - DEVICE_COUNTER];
    file_drop(*f);
    return NULL;
}

/* What other threads' counters have is not here. */
static int32_t control(struct counting *k, uint32_t what)
{
    if (!is_of(k, current))
        return -EOPNOTSUPP;
    switch (what) {
    case PERF_EVENT_IOC_ENABLE:
        set_on(k, true);
        return 0;
    case PERF_EVENT_IOC_DISABLE:
        set_on(k, false);
        return 0;
    case PERF_EVENT_IOC_RESET:
        set_on(k, k->on);
        k->count = 0;
        return 0;
    default:
        return -ENOTTY;
    }
}

static bool counters_call(struct task *t, uint32_t number, const uint32_t *a,
                          int32_t *result)
{
    struct counting *k;
    struct file *f;

    if (number == CALL_PERF_EVENT_OPEN) {
        *result = event_open(t, a);
        return true;
    }
    if (number != CALL_IOCTL || !(k = counting_of(t, a[0], &f)))
        return false;
    *result = control(k, a[1]);
    file_drop(f);
    return true;
}
HOOK(call, 105, counters_call);

/* Of another thread's it is as it was when that was switched last. */
static bool counters_read(struct file *f, struct task *t, uint32_t to,
                          uint32_t bytes, int32_t *result)
{
    struct counting *k;
    uint64_t count;

    if (f->node->device < DEVICE_COUNTER)
        return false;
    k = &countings[f->node->device - DEVICE_COUNTER];
    if (is_of(k, current))
        set_on(k, k->on);
    count = k->count;
    *result = bytes < sizeof count                      ? -ENOSPC
              : answer(t, to, &count, sizeof count) < 0 ? -EFAULT
                                                        : (int32_t)sizeof count;
    return true;
}
HOOK(device, 110, counters_read);
