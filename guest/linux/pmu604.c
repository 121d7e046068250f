// SPDX-License-Identifier: GPL-2.0 OR MIT
/* pmu604.c - Linux's perf events on the performance monitor of the 604e: four
 * counters, which one interrupt (vector 0xF00) serves. It is a part of the
 * kernel, in arch/powerpc/perf.
 *
 * A raw event's number is
 *
 *   bits 0-6    what the counter selects, as the 604e's manual numbers it
 *   bits 8-11   which counter, 1 to 4; 0: any, of selections that all have
 *   bits 12-15  of which instructions, where the monitor has filters (register
 *               PIFF): 0 all, 1 marked ones, 2 those in the window, 8 those in
 *               a range of addresses. For 1 and 8 config1 is the first address
 *               and config2 the first behind it
 *
 * Marks are in shadow storage: of each page of the program that has one the
 * kernel keeps a bit a word, and the processor finds it by the page's physical
 * address. So the pages stay where they are while the event is there.
 *
 * Counters count up and interrupt when bit 0 becomes one. While one of them has
 * done so all stand still, so that the handler and its way are counted by none
 * but those that run on.
 */
#include <linux/bitops.h>
#include <linux/init.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <asm/cputable.h>
#include <asm/pmc.h>
#include <asm/ptrace.h>
#include <asm/reg.h>

#define COUNTERS 4
#define NEGATIVE 0x80000000u
#define LONGEST 0x7FFFFFFFll /* events up to an interrupt */

#define MMCR0_NOT_IN_SYSTEM 0x40000000u
#define MMCR0_NOT_IN_PROGRAM 0x20000000u
#define MMCR0_INTERRUPTS 0x0400C000u /* on; of PMC1; of the others */
#define MMCR0_STAND_STILL 0x02000000u

/* The profiling facility: a bit of HID0 turns it on, and its registers exist.
 */
#define HID0_PIFE 0x00080000u
#define SPR_PIFM 656
#define PIFM_RANGES                                                            \
    0xBD000000u /* of instructions, in both modes, of all programs */
#define SPR_PIFF 671
#define SPR_PIFRS 688 /* which range the next ones are about */
#define SPR_PIFRL 689
#define SPR_PIFRH 690
#define SPR_PIFRC 691
#define RANGE_ON 0x80000000u
#define SPR_PIFC 657
#define PIFM_MARKS 0xBC000000u /* the same without ranges */
#define SPR_PIFSEG 667         /* which segment the next ones are about */
#define SPR_PIFSB 668
#define SPR_PIFSZ 669
#define SPR_PIFST 670
#define SEGMENTS 8
#define SEGMENT_OF_INSTRUCTIONS 2u
#define SHADOW_BITS 3u /* a bit a word */
#define SMALLEST_BLOCK 32
#define BLOCKS (PAGE_SIZE / SMALLEST_BLOCK)

#define SELECTION(config) ((u32)(config)&0x7F)
#define COUNTER(config) ((u32)(config) >> 8 & 0xF)
#define FILTER(config) ((u32)(config) >> 12 & 0xF)
#define MARKED 1
#define IN_RANGE 8

/* Pages of a program, and which of their words are marked. */
struct marks {
    int pages;
    struct page *page[SEGMENTS];
    struct shadow {
        u32 table[BLOCKS]; /* of each block where its bits are */
        u8 bits[BLOCKS];
    } * shadow; /* of each page */
};

struct counters {
    struct perf_event *event[COUNTERS];
    const struct marks *marks; /* that this processor looks up */
    bool off;                  /* between pmu_disable and pmu_enable */
};
static DEFINE_PER_CPU(struct counters, counters);

static u32 counter_read(int n)
{
    switch (n) {
    case 0:
        return mfspr(SPRN_PMC1);
    case 1:
        return mfspr(SPRN_PMC2);
    case 2:
        return mfspr(SPRN_PMC3);
    default:
        return mfspr(SPRN_PMC4);
    }
}

static void counter_write(int n, u32 value)
{
    switch (n) {
    case 0:
        mtspr(SPRN_PMC1, value);
        break;
    case 1:
        mtspr(SPRN_PMC2, value);
        break;
    case 2:
        mtspr(SPRN_PMC3, value);
        break;
    default:
        mtspr(SPRN_PMC4, value);
        break;
    }
}

/* ---- which event is counted where ---------------------------------------- */

static const struct {
    u32 number, raw;
} generic[] = {
    {PERF_COUNT_HW_CPU_CYCLES, 1},
    {PERF_COUNT_HW_INSTRUCTIONS, 2},
    {PERF_COUNT_HW_CACHE_MISSES, 0x206}, /* of the data cache */
    {PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0x208},
    {PERF_COUNT_HW_BRANCH_MISSES, 0x107},
};

/* The raw number of an event; negative: there is none. */
static int raw_of(const struct perf_event_attr *attr)
{
    int n;

    if (attr->type == PERF_TYPE_RAW)
        return attr->config < 0x10000 ? (int)attr->config : -EINVAL;
    for (n = 0; n < ARRAY_SIZE(generic); n++)
        if (generic[n].number == attr->config)
            return generic[n].raw;
    return -ENOENT;
}

/* Selections 0 to 4 mean the same in every counter. Those of counter 1 have
 * seven bits, of 2 six, of 3 and 4 five. */
static bool is_event(u32 raw)
{
    static const u32 most[] = {4, 0x7F, 0x3F, 0x1F, 0x1F};
    u32 filter = FILTER(raw);

    return COUNTER(raw) <= COUNTERS && SELECTION(raw) <= most[COUNTER(raw)] &&
           !(raw & 0x80) && (filter <= 2 || filter == IN_RANGE);
}

/* The modes in which an event is not counted, as MMCR0 has it. */
static u32 left_out(const struct perf_event *event)
{
    return (event->attr.exclude_kernel ? MMCR0_NOT_IN_SYSTEM : 0) |
           (event->attr.exclude_user ? MMCR0_NOT_IN_PROGRAM : 0);
}

/* May they count at a time? Modes are left out of all or none, and a processor
 * has one set of marks. */
static bool go_together(const struct perf_event *a, const struct perf_event *b)
{
    return left_out(a) == left_out(b) &&
           (FILTER(a->hw.config) != MARKED || FILTER(b->hw.config) != MARKED);
}

/* A free counter for it, or -EAGAIN. */
static int place_for(const struct counters *c, const struct perf_event *event)
{
    u32 wanted = COUNTER(event->hw.config);
    int n, place = -EAGAIN;

    for (n = COUNTERS; n--;) {
        if (c->event[n] && !go_together(c->event[n], event))
            return -EAGAIN;
        if (!c->event[n] && (!wanted || wanted == n + 1))
            place = n;
    }
    return place;
}

/* ---- marks --------------------------------------------------------------- */

static void marks_free(struct marks *m)
{
    int n;

    for (n = 0; n < m->pages; n++)
        put_page(m->page[n]);
    kfree(m->shadow);
    kfree(m);
}

/* Where the bits of each block are: those of four blocks of 32 bytes, or of two
 * of 64, have a word. */
static void fill_table(struct shadow *s)
{
    u32 block = mfspr(SPR_PIFC) >> 20 & 0xFF, n;

    for (n = 0; n < PAGE_SIZE / block; n++)
        s->table[n] =
            __pa(s->bits + (n * block / SMALLEST_BLOCK & ~3u)) | SHADOW_BITS;
}

/* Those of this program's instructions from an address on and below another. */
static struct marks *marks_make(u64 from, u64 end)
{
    unsigned long first = (unsigned long)from & PAGE_MASK, at;
    struct marks *m;
    int pages, n;

    if (from >= end || end > TASK_SIZE || (from | end) & 3 ||
        PAGE_ALIGN(end) - first > SEGMENTS * PAGE_SIZE)
        return ERR_PTR(-EINVAL);
    pages = (PAGE_ALIGN((unsigned long)end) - first) / PAGE_SIZE;
    m = kzalloc(sizeof(*m), GFP_KERNEL);
    if (!m)
        return ERR_PTR(-ENOMEM);
    m->shadow = kcalloc(pages, sizeof(*m->shadow), GFP_KERNEL);
    if (m->shadow)
        m->pages = max(get_user_pages_fast(first, pages, 0, m->page), 0);
    if (m->pages != pages) {
        marks_free(m);
        return ERR_PTR(-EFAULT);
    }
    for (n = 0; n < pages; n++)
        fill_table(&m->shadow[n]);
    for (at = (unsigned long)from; at < end; at += 4) {
        struct shadow *s = &m->shadow[(at - first) / PAGE_SIZE];

        s->bits[at % PAGE_SIZE / SMALLEST_BLOCK] |= 0x80 >> at / 4 % 8;
    }
    return m;
}

/* This processor looks up these marks from now on; NULL: none. */
static void set_marks(struct counters *c, const struct marks *m)
{
    int n;

    if (c->marks == m)
        return;
    for (n = 0; n < SEGMENTS; n++) {
        mtspr(SPR_PIFSEG, n);
        mtspr(SPR_PIFSZ, 0);
        if (!m || n >= m->pages)
            continue;
        mtspr(SPR_PIFSB,
              (u32)page_to_phys(m->page[n]) | SEGMENT_OF_INSTRUCTIONS);
        mtspr(SPR_PIFST, __pa(m->shadow[n].table));
        mtspr(SPR_PIFSZ, PAGE_SIZE);
    }
    c->marks = m;
}

/* ---- the monitor --------------------------------------------------------- */

/* Turn the facility on here, if the machine has it. */
static bool filters_on(void)
{
    mtspr(SPRN_HID0, mfspr(SPRN_HID0) | HID0_PIFE);
    return mfspr(SPRN_HID0) & HID0_PIFE;
}

/* A counter has the range of its own number. Returns what PIFM is to be. */
static u32 set_range(const struct perf_event *event, int n)
{
    mtspr(SPR_PIFRS, n);
    mtspr(SPR_PIFRL, (u32)event->attr.config1);
    mtspr(SPR_PIFRH, (u32)event->attr.config2);
    mtspr(SPR_PIFRC, RANGE_ON);
    return PIFM_RANGES;
}

/* Filters are four bits a counter, of the first one first. */
static void set_filters(struct counters *c)
{
    u32 filters = 0, mode = 0;
    int n;

    for (n = 0; n < COUNTERS; n++) {
        u32 is = c->event[n] ? FILTER(c->event[n]->hw.config) : 0;

        if (is == IN_RANGE && filters_on()) {
            mode |= set_range(c->event[n], n);
            is += n;
        } else if (is == MARKED && filters_on()) {
            set_marks(c, c->event[n]->pmu_private);
            mode |= PIFM_MARKS;
        }
        filters |= is << (28 - 4 * n);
    }
    if (filters ? !filters_on() : !(mfspr(SPRN_HID0) & HID0_PIFE))
        return;
    mtspr(SPR_PIFM, mode);
    mtspr(SPR_PIFF, filters);
}

static u32 selected(const struct counters *c, int n)
{
    return c->event[n] && !(c->event[n]->hw.state & PERF_HES_STOPPED)
               ? SELECTION(c->event[n]->hw.config)
               : 0;
}

static void set_monitor(struct counters *c)
{
    u32 how = MMCR0_INTERRUPTS | MMCR0_STAND_STILL;
    int n;

    for (n = 0; n < COUNTERS; n++)
        if (c->event[n])
            how |= left_out(c->event[n]);
    set_filters(c);
    mtspr(SPRN_MMCR1, selected(c, 2) << 27 | selected(c, 3) << 22);
    mtspr(SPRN_MMCR0, how | selected(c, 0) << 6 | selected(c, 1));
    isync();
}

static void pmu604_disable(struct pmu *pmu)
{
    mtspr(SPRN_MMCR0, MMCR0_FC);
    isync();
    this_cpu_ptr(&counters)->off = true;
}

static void pmu604_enable(struct pmu *pmu)
{
    struct counters *c = this_cpu_ptr(&counters);
    bool any = false;
    int n;

    for (n = 0; n < COUNTERS; n++)
        any |= c->event[n] != NULL;
    c->off = false;
    if (any)
        set_monitor(c);
}

/* ---- events -------------------------------------------------------------- */

static void pmu604_read(struct perf_event *event)
{
    struct hw_perf_event *hw = &event->hw;
    u32 before, now;

    if (hw->state & PERF_HES_STOPPED)
        return;
    do {
        before = (u32)local64_read(&hw->prev_count);
        now = counter_read(hw->idx);
    } while (local64_cmpxchg(&hw->prev_count, before, now) != before);
    local64_add(now - before, &event->count);
    local64_sub(now - before, &hw->period_left);
}

/* Set its counter so that it interrupts when the period is over, or, of events
 * that do not sample, in time. */
static void set_period(struct perf_event *event)
{
    struct hw_perf_event *hw = &event->hw;
    s64 left = LONGEST;
    u32 from;

    if (hw->sample_period) {
        left = local64_read(&hw->period_left);
        if (left <= 0) {
            left += hw->sample_period;
            if (left <= 0)
                left = hw->sample_period;
            local64_set(&hw->period_left, left);
            hw->last_period = hw->sample_period;
        }
        left = min(left, LONGEST);
    }
    from = NEGATIVE - (u32)left;
    local64_set(&hw->prev_count, from);
    counter_write(hw->idx, from);
    perf_event_update_userpage(event);
}

/* Behind that the monitor is set anew, by the caller or by pmu_enable. */
static void begin(struct perf_event *event)
{
    event->hw.state = 0;
    set_period(event);
}

static void end(struct perf_event *event)
{
    if (event->hw.state & PERF_HES_STOPPED)
        return;
    pmu604_read(event);
    event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static void pmu604_start(struct perf_event *event, int flags)
{
    struct counters *c = this_cpu_ptr(&counters);

    if (!(event->hw.state & PERF_HES_STOPPED))
        return;
    begin(event);
    if (!c->off)
        set_monitor(c);
}

static void pmu604_stop(struct perf_event *event, int flags)
{
    struct counters *c = this_cpu_ptr(&counters);

    end(event);
    if (!c->off)
        set_monitor(c);
}

static int pmu604_add(struct perf_event *event, int flags)
{
    struct counters *c = this_cpu_ptr(&counters);
    int n = place_for(c, event);

    if (n < 0)
        return n;
    perf_pmu_disable(event->pmu);
    c->event[n] = event;
    event->hw.idx = n;
    event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
    if (flags & PERF_EF_START)
        begin(event);
    perf_pmu_enable(event->pmu);
    return 0;
}

static void pmu604_del(struct perf_event *event, int flags)
{
    struct counters *c = this_cpu_ptr(&counters);

    perf_pmu_disable(event->pmu);
    end(event);
    c->event[event->hw.idx] = NULL;
    if (event->pmu_private)
        set_marks(c, NULL);
    counter_write(event->hw.idx, 0);
    perf_event_update_userpage(event);
    perf_pmu_enable(event->pmu);
}

static void pmu604_destroy(struct perf_event *event)
{
    marks_free(event->pmu_private);
}

/* The marks that an event is about are those of the program that asks for it.
 */
static int mark(struct perf_event *event)
{
    struct task_struct *of = event->hw.target;
    struct marks *m;

    if (!of || of->mm != current->mm || event->attr.inherit)
        return -EINVAL;
    m = marks_make(event->attr.config1, event->attr.config2);
    if (IS_ERR(m))
        return PTR_ERR(m);
    event->pmu_private = m;
    event->destroy = pmu604_destroy;
    return 0;
}

static int pmu604_event_init(struct perf_event *event)
{
    int raw;

    if (event->attr.type != PERF_TYPE_RAW &&
        event->attr.type != PERF_TYPE_HARDWARE)
        return -ENOENT;
    raw = raw_of(&event->attr);
    if (raw < 0)
        return raw;
    if (!is_event(raw) || has_branch_stack(event))
        return -EINVAL;
    if (FILTER(raw) && !filters_on())
        return -EOPNOTSUPP;
    event->hw.config = raw;
    event->hw.last_period = event->hw.sample_period;
    local64_set(&event->hw.period_left, event->hw.sample_period);
    return FILTER(raw) == MARKED ? mark(event) : 0;
}

/* ---- the interrupt ------------------------------------------------------- */

/* A counter of it has become negative: a sample, if it samples. */
static void overflowed(struct perf_event *event, struct pt_regs *regs)
{
    struct perf_sample_data data;
    u64 period = event->hw.last_period;

    pmu604_read(event);
    set_period(event);
    if (!event->hw.sample_period)
        return;
    perf_sample_data_init(&data, 0, period);
    if (perf_event_overflow(event, &data, regs))
        end(event);
}

static void pmu604_interrupt(struct pt_regs *regs)
{
    struct counters *c = this_cpu_ptr(&counters);
    int n;

    mtspr(SPRN_MMCR0, MMCR0_FC);
    regs->result = 0; /* where it happened is regs->nip */
    for (n = 0; n < COUNTERS; n++) {
        if (!(counter_read(n) & NEGATIVE))
            continue;
        if (c->event[n] && !(c->event[n]->hw.state & PERF_HES_STOPPED))
            overflowed(c->event[n], regs);
        else
            counter_write(n, 0);
    }
    if (!c->off)
        set_monitor(c);
}

static struct pmu pmu604 = {
    .pmu_enable = pmu604_enable,
    .pmu_disable = pmu604_disable,
    .event_init = pmu604_event_init,
    .add = pmu604_add,
    .del = pmu604_del,
    .start = pmu604_start,
    .stop = pmu604_stop,
    .read = pmu604_read,
};

static int __init pmu604_init(void)
{
    u32 version = mfspr(SPRN_PVR) >> 16;

    if (version != 9 && version != 10) /* a 604 has two counters */
        return -ENODEV;
    if (reserve_pmc_hardware(pmu604_interrupt))
        return -EBUSY;
    pr_info("pmu604: four counters\n");
    return perf_pmu_register(&pmu604, "cpu", PERF_TYPE_RAW);
}
arch_initcall(pmu604_init);
