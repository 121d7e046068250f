/* pmu_model_test.c - the monitor against a naive one, on random programs.
 *
 * The naive monitor visits every cycle: it counts what is stamped there, then
 * looks for conditions, then does what software does at that cycle. The real
 * one is told the same things late and out of order, as the core tells them.
 * Registers and signals must agree to the bit and to the cycle. Two kinds of
 * programs: without signals, where adds may come long after a start or stop
 * that they precede; and with signals, which adds that come later may move.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "pmu/pmu.h"

#define CYCLES 2500u
#define RATIO 12u
#define NEGATIVE 0x80000000u
#define LATE 40u
#define ROUNDS 150u

enum what { ADD, WRITE, MSR, NAP, TIMEBASE, TAKEN };

/* One thing that happens at cycle `at` and is told at `told`. */
struct item {
    enum what what;
    uint64_t at, told, n;
    int id; /* ADD: event; WRITE: register; MSR: PR PM EE as bits */
    uint64_t value;
};

struct program {
    struct item item[8192];
    unsigned n;
    uint64_t seed;
    bool signals;
    uint64_t action[64]; /* cycles of what is no ADD, ascending */
    uint64_t knows[64];  /* ... those at which all before them is told */
    unsigned actions, knowing;
};

static uint32_t dice(struct program *p, uint32_t sides)
{
    p->seed = p->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(p->seed >> 33) % sides;
}

/* ---- the naive monitor --------------------------------------------------- */

struct naive {
    uint32_t mmcr0, mmcr1, pmc[PMU_SELECTS];
    bool stopped, triggered, pr, pm, ee, nap;
    uint64_t offset, signal;
    const uint32_t *now; /* stamped at the present cycle, by event */
};

static unsigned naive_shift(const struct naive *m)
{
    static const unsigned shift[4] = {0, 8, 12, 16};

    return shift[m->mmcr0 >> MMCR0_RTCSELECT_SHIFT & 3];
}

static bool naive_rise(const struct naive *m, uint64_t c)
{
    uint64_t bit = (uint64_t)1 << naive_shift(m);

    return !((m->offset + (c - 1) / RATIO) & bit) &&
           ((m->offset + c / RATIO) & bit);
}

static int naive_event(const struct naive *m, unsigned i)
{
    const uint32_t select[PMU_SELECTS] = {m->mmcr0 >> 6, m->mmcr0,
                                          m->mmcr1 >> 27, m->mmcr1 >> 22};

    return event_selected(i + 1, select[i] & 31);
}

static uint32_t naive_count(const struct naive *m, unsigned i, uint64_t c)
{
    int id = naive_event(m, i);

    switch (id) {
    case -1:
    case EV_nothing:
        return 0;
    case EV_cycles:
        return 1;
    case EV_tb_transition:
        return naive_rise(m, c);
    case EV_ee_off_cycles:
        return !m->ee && !m->nap;
    }
    if (event_kind((enum event)id) == KIND_IDLE)
        return !m->nap - m->now[event_row((enum event)id)];
    return m->now[id];
}

static bool naive_runs(const struct naive *m, unsigned i)
{
    return !(m->mmcr0 & MMCR0_DIS) && !(m->mmcr0 & MMCR0_DP && !m->pr) &&
           !(m->mmcr0 & MMCR0_DU && m->pr) &&
           !(m->mmcr0 & MMCR0_DMS && m->pm) &&
           !(m->mmcr0 & MMCR0_DMR && !m->pm) &&
           !(m->stopped && !(i && m->mmcr0 & MMCR0_PMCINTCONTROL)) &&
           !(i && m->mmcr0 & MMCR0_PMCTRIGGER && !m->triggered);
}

static void naive_conditions(struct naive *m, uint64_t c, bool rise)
{
    bool condition = m->mmcr0 & MMCR0_INTONBITTRANS && rise;
    unsigned i;

    for (i = 0; i < PMU_SELECTS; i++)
        if (m->pmc[i] >= NEGATIVE &&
            m->mmcr0 & (i ? MMCR0_PMCINTCONTROL : MMCR0_PMC1INTCONTROL))
            condition = true;
    if (m->pmc[0] >= NEGATIVE)
        m->triggered = true;
    if (!condition || !(m->mmcr0 & MMCR0_ENINT))
        return;
    m->mmcr0 &= ~MMCR0_ENINT;
    m->stopped = m->mmcr0 & MMCR0_DISCOUNT && !(m->mmcr0 & MMCR0_PMCTRIGGER);
    m->triggered = true;
    if (m->signal == CYCLE_NEVER)
        m->signal = c;
}

static void naive_write(struct naive *m, unsigned spr, uint32_t value)
{
    switch (spr) {
    case PMU_MMCR0:
        if (value & MMCR0_ENINT || !(value & MMCR0_DISCOUNT))
            m->stopped = false;
        m->triggered = false;
        m->mmcr0 = value;
        break;
    case PMU_MMCR1:
        m->mmcr1 = value & MMCR1_BITS;
        break;
    case PMU_PMC1:
        m->pmc[0] = value;
        break;
    case PMU_PMC2:
        m->pmc[1] = value;
        break;
    default:
        m->pmc[spr - PMU_PMC3 + 2] = value;
    }
}

static void naive_act(struct naive *m, const struct item *a)
{
    bool rise = false;

    switch (a->what) {
    case ADD:
        return;
    case WRITE:
        naive_write(m, (unsigned)a->id, (uint32_t)a->value);
        break;
    case MSR:
        m->pr = a->id & 1;
        m->pm = a->id & 2;
        m->ee = a->id & 4;
        break;
    case NAP:
        m->nap = a->id;
        break;
    case TIMEBASE: {
        uint64_t old = m->offset + a->at / RATIO;
        uint64_t new = a->value + a->at / RATIO;
        unsigned i;

        rise = ~old & new &(uint64_t)1 << naive_shift(m);
        m->offset = a->value;
        for (i = 0; rise && i < PMU_SELECTS; i++)
            if (naive_event(m, i) == EV_tb_transition && naive_runs(m, i))
                m->pmc[i]++;
        break;
    }
    case TAKEN:
        if (m->signal < a->at)
            m->signal = CYCLE_NEVER;
        break;
    }
    naive_conditions(m, a->at, rise);
}

/* What is stamped at each cycle. */
struct stamps {
    uint32_t n[CYCLES + 1][EV_COUNT];
};

static void naive_gather(struct stamps *s, const struct program *p)
{
    unsigned k;
    uint64_t c;

    memset(s, 0, sizeof *s);
    for (k = 0; k < p->n; k++) {
        const struct item *a = &p->item[k];

        if (a->what != ADD)
            continue;
        if (event_kind((enum event)a->id) == KIND_POINT)
            s->n[a->at][a->id] += (uint32_t)a->n;
        else
            for (c = a->at - a->n + 1; c <= a->at; c++)
                s->n[c][a->id]++;
    }
}

/* Signals as they are taken, and the last one, in order. */
struct outcome {
    uint64_t signal[80];
    unsigned signals;
    uint32_t pmc[PMU_SELECTS], mmcr0;
};

static void naive_run(const struct program *p, struct outcome *o)
{
    static struct stamps stamps;
    struct naive m = {.signal = CYCLE_NEVER};
    uint64_t c;
    unsigned k, i;

    naive_gather(&stamps, p);
    for (c = 1; c <= CYCLES; c++) {
        m.now = stamps.n[c];
        for (i = 0; i < PMU_SELECTS; i++)
            if (naive_runs(&m, i))
                m.pmc[i] += naive_count(&m, i, c);
        naive_conditions(&m, c, naive_rise(&m, c));
        for (k = 0; k < p->n; k++) {
            if (p->item[k].what == ADD || p->item[k].at != c)
                continue;
            if (p->item[k].what == TAKEN)
                o->signal[o->signals++] = m.signal;
            naive_act(&m, &p->item[k]);
        }
    }
    o->signal[o->signals++] = m.signal;
    o->mmcr0 = m.mmcr0;
    memcpy(o->pmc, m.pmc, sizeof o->pmc);
}

/* ---- the real one -------------------------------------------------------- */

static void real_act(struct pmu *p, const struct item *a, struct outcome *o)
{
    switch (a->what) {
    case ADD:
        ev_add(&p->ev, (enum event)a->id, a->n, a->at);
        break;
    case WRITE:
        pmu_write(p, (unsigned)a->id, (uint32_t)a->value, a->at);
        break;
    case MSR:
        pmu_msr(p, a->id & 1, a->id & 2, a->id & 4, a->at);
        break;
    case NAP:
        pmu_nap(p, a->id, a->at);
        break;
    case TIMEBASE:
        pmu_timebase(p, a->value, a->at);
        break;
    case TAKEN:
        pmu_tick(p, a->at);
        o->signal[o->signals++] = p->signal;
        if (p->signal < a->at)
            pmu_taken(p);
        break;
    }
}

static void real_run(const struct program *program, struct outcome *o)
{
    static const unsigned spr[PMU_SELECTS] = {PMU_PMC1, PMU_PMC2, PMU_PMC3,
                                              PMU_PMC4};
    struct pmu p;
    unsigned k, i;

    pmu_reset(&p, RATIO);
    for (k = 0; k < program->n; k++) {
        const struct item *a = &program->item[k];

        if (p.deadline < a->told)
            pmu_tick(&p, a->told - 1);
        real_act(&p, a, o);
    }
    pmu_tick(&p, CYCLES);
    o->signal[o->signals++] = p.signal;
    for (i = 0; i < PMU_SELECTS; i++)
        o->pmc[i] = pmu_read(&p, spr[i], CYCLES);
    o->mmcr0 = pmu_read(&p, PMU_MMCR0, CYCLES);
}

/* ---- random programs ----------------------------------------------------- */

static struct item *add_item(struct program *p, enum what what, uint64_t at)
{
    struct item *a = &p->item[p->n++];

    assert_true(p->n < sizeof p->item / sizeof *p->item);
    *a = (struct item){.what = what, .at = at, .told = at};
    return a;
}

static uint32_t random_mmcr0(struct program *p)
{
    static const enum event first[] = {
        EV_cycles,  EV_insn_completed, EV_tb_transition, EV_load_queue_level,
        EV_nothing, EV_br_mispredict,  EV_sciu0_idle,    EV_insn_dispatched};
    static const enum event second[] = {EV_cycles,
                                        EV_insn_completed,
                                        EV_ee_off_cycles,
                                        EV_mciu_idle,
                                        EV_nothing,
                                        EV_snoop_hit,
                                        EV_store_queue_level,
                                        EV_insn_dispatched};
    uint32_t m = (uint32_t)event_selector(first[dice(p, 8)], 1) << 6 |
                 (uint32_t)event_selector(second[dice(p, 8)], 2);
    unsigned k;

    if (dice(p, 8) == 0)
        m |= MMCR0_DIS;
    for (k = 0; k < 4; k++)
        if (dice(p, 6) == 0)
            m |= MMCR0_DP >> k;
    if (!p->signals)
        return m;
    if (dice(p, 4))
        m |= MMCR0_ENINT;
    if (dice(p, 2))
        m |= MMCR0_DISCOUNT;
    if (dice(p, 4) == 0)
        m |= MMCR0_PMCTRIGGER;
    if (dice(p, 4) == 0)
        m |= MMCR0_INTONBITTRANS | (dice(p, 2) << MMCR0_RTCSELECT_SHIFT);
    return m | dice(p, 4) << 14; /* the two INTCONTROLs */
}

static uint32_t random_mmcr1(struct program *p)
{
    static const enum event third[] = {EV_cycles, EV_insn_completed,
                                       EV_load_queued, EV_complete_stall};
    static const enum event fourth[] = {EV_cycles, EV_insn_dispatched,
                                        EV_store_queued, EV_tb_transition};

    return (uint32_t)event_selector(third[dice(p, 4)], 3) << 27 |
           (uint32_t)event_selector(fourth[dice(p, 4)], 4) << 22;
}

static void random_action(struct program *p, uint64_t at)
{
    static const unsigned spr[] = {PMU_MMCR0, PMU_MMCR0, PMU_MMCR1, PMU_PMC1,
                                   PMU_PMC2,  PMU_PMC3,  PMU_PMC4};
    static const enum what what[] = {WRITE, WRITE, WRITE,    MSR,
                                     NAP,   TAKEN, TIMEBASE, TAKEN};
    struct item *a = add_item(p, what[dice(p, 8)], at);

    p->action[p->actions++] = at;
    switch (a->what) {
    case WRITE:
        a->id = (int)spr[dice(p, 7)];
        if (a->id == PMU_MMCR0)
            a->value = random_mmcr0(p);
        else if (a->id == PMU_MMCR1)
            a->value = random_mmcr1(p);
        else if (p->signals)
            a->value = NEGATIVE - dice(p, 300) * (dice(p, 10) > 0);
        else
            a->value = dice(p, 1000);
        break;
    case MSR:
        a->id = (int)dice(p, 8);
        break;
    case NAP:
        a->id = (int)dice(p, 2);
        break;
    case TIMEBASE:
        a->value = dice(p, 5000);
        break;
    default:
        break;
    }
    /* Writers of control registers are known to wait for all before them; in a
     * program with signals everybody does. */
    if (p->signals ||
        (a->what == WRITE && (a->id == PMU_MMCR0 || a->id == PMU_MMCR1)))
        p->knows[p->knowing++] = at;
}

/* Does a register change hands within from + 1 .. to - 1? */
static bool straddles(const struct program *p, uint64_t from, uint64_t to)
{
    unsigned k;

    for (k = 0; k < p->knowing; k++)
        if (p->knows[k] > from && p->knows[k] < to)
            return true;
    return false;
}

static void random_add(struct program *p, uint64_t c)
{
    static const enum event ids[] = {EV_insn_completed,    EV_insn_dispatched,
                                     EV_insn_completed,    EV_br_mispredict,
                                     EV_snoop_hit,         EV_load_queued,
                                     EV_store_queued,      EV_load_queue_level,
                                     EV_store_queue_level, EV_complete_stall};
    enum event id = ids[dice(p, 10)];
    struct item *a = add_item(p, ADD, c);

    a->id = (int)id;
    a->told = c + dice(p, LATE);
    if (a->told > CYCLES)
        a->told = CYCLES;
    if (event_kind(id) == KIND_POINT) {
        a->n = 1 + dice(p, 4);
        return;
    }
    a->n = 1 + dice(p, 20);
    if (a->n >= c || straddles(p, c - a->n, c))
        a->n = 1;
}

/* Nobody works in a nap. */
static bool naps(const struct program *p, uint64_t c)
{
    bool nap = false;
    unsigned i;

    for (i = 0; i < p->n && p->item[i].what != ADD; i++)
        if (p->item[i].what == NAP && p->item[i].at < c)
            nap = p->item[i].id;
    return nap;
}

static int told_order(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    if (x->told != y->told)
        return x->told < y->told ? -1 : 1;
    if ((x->what == ADD) != (y->what == ADD))
        return x->what == ADD ? -1 : 1; /* software sees what is told */
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->id - y->id;
}

/* All that came before it is told before software acts. */
static void hurry(struct program *p)
{
    unsigned i, k;

    for (i = 0; i < p->n; i++)
        for (k = 0; p->item[i].what == ADD && k < p->knowing; k++)
            if (p->item[i].at <= p->knows[k] && p->item[i].told > p->knows[k])
                p->item[i].told = p->knows[k];
}

static void random_program(struct program *p, uint64_t seed, bool signals)
{
    static const enum event busy[] = {EV_sciu0_busy, EV_mciu_busy};
    uint64_t c;
    unsigned k;

    p->n = p->actions = p->knowing = 0;
    p->seed = seed;
    p->signals = signals;
    for (c = 1; c < CYCLES; c++)
        if (c < 8 || (dice(p, 80) == 0 &&
                      (signals || c > p->action[p->actions - 1] + LATE)))
            if (p->actions < 60)
                random_action(p, c);
    for (c = 1; c <= CYCLES; c++) {
        while (dice(p, 3))
            random_add(p, c);
        for (k = 0; k < 2; k++)
            if (dice(p, 3) == 0 && !naps(p, c)) {
                struct item *a = add_item(p, ADD, c);
                a->id = (int)busy[k];
                a->n = 1;
            }
    }
    hurry(p);
    qsort(p->item, p->n, sizeof *p->item, told_order);
}

static void compare(bool signals, uint64_t first_seed)
{
    static struct program p;
    uint64_t seed;
    unsigned i;

    for (seed = first_seed; seed < first_seed + ROUNDS; seed++) {
        struct outcome naive = {0}, real = {0};

        random_program(&p, seed, signals);
        naive_run(&p, &naive);
        real_run(&p, &real);
        if (memcmp(&naive, &real, sizeof naive))
            print_message("seed %u\n", (unsigned)seed);
        assert_int_equal(real.signals, naive.signals);
        for (i = 0; i < naive.signals; i++)
            assert_int_equal(real.signal[i], naive.signal[i]);
        for (i = 0; i < PMU_SELECTS; i++)
            assert_int_equal(real.pmc[i], naive.pmc[i]);
        assert_int_equal(real.mmcr0, naive.mmcr0);
    }
}

static void counts_agree_with_a_naive_monitor(void **state)
{
    (void)state;
    compare(false, 1);
}

static void signals_agree_with_a_naive_monitor(void **state)
{
    (void)state;
    compare(true, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_agree_with_a_naive_monitor),
        cmocka_unit_test(signals_agree_with_a_naive_monitor),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
