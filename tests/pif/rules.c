/* rules.c - rules of docs/pif.md in corners: which of several causes of one
 * instruction is signalled, in which states marks are looked up, which word a
 * bit of a shadow means, what bits of PIFM change, and what an interrupted
 * instruction owes. A bare-metal program; its exit status is the number of
 * things that are not as the book says.
 */
#include "tests/pif/common.h"

#define MSR_PM 0x0004u

typedef uint32_t code[];
extern code load, load_at, leaf, leaf_at, hot, divide, divide_at, trapping,
    trap_at;

#ifndef LINE
#define LINE 32u /* the test may build it for another */
#endif

static volatile uint32_t array[16] __attribute__((aligned(64)));
static volatile uint32_t exceptions, cause, ia, da, trap_srr1, detailed;

static uint32_t call(const void *f, uint32_t argument)
{
    return ((uint32_t(*)(uint32_t))f)(argument);
}

void handle(struct frame *f)
{
    if (f->vector == 0x1500) {
        exceptions++;
        cause = mfspr(SPR_PIFX);
        ia = mfspr(SPR_PIFIA);
        da = mfspr(SPR_PIFDA);
    } else if (f->vector == 0x700) {
        trap_srr1 = f->srr1;
        f->srr0 += 4;
        f->srr1 &= ~SRR1_RESUME;
    } else if (f->vector == 0xC00) { /* back from user state */
        f->srr1 &= ~(MSR_PR | MSR_PM);
    }
    f->srr1 |= MSR_RI;
}

/* ---- several causes of one instruction ----------------------------------- */

/* `load` reads array[0] with these two marks. */
static void load_with(uint32_t insn, uint32_t data)
{
    unmark_all();
    mark(load_at, insn, 0);
    mark(&array[0], data, 0);
    pifsync();
    exceptions = cause = 0;
    mtspr(SPR_PIFLOST, 0);
    call(load, (uint32_t)&array[0]);
}

static void lowest_cause_is_signalled(void)
{
    mtspr(SPR_PIFTH0, 0);
    load_with(IND_LIMIT, IND_EXC);
    is("limit and data exception", cause, PIFX_DATA);
    is("one of them", exceptions, 1);
    is("the other is lost", mfspr(SPR_PIFLOST), 1);
    is("its data", da, (uint32_t)&array[0]);
    load_with(IND_TH0 | IND_THEXC, IND_LIMIT);
    is("threshold and data limit", cause, PIFX_DATA_LIMIT);
    load_with(IND_TH0 | IND_THEXC | IND_LIMIT, IND_LIMIT | IND_TH0 | IND_THEXC);
    is("all four", cause, PIFX_INSN_LIMIT);
    is("itself", ia, (uint32_t)load_at);
    is("three are lost", mfspr(SPR_PIFLOST), 3);
    load_with(IND_LIMIT, IND_TH0 | IND_THEXC);
    is("limit and data threshold", cause, PIFX_INSN_LIMIT);
    load_with(IND_EXC, IND_EXC);
    is("before and behind", exceptions, 2);
    is("nothing is lost", mfspr(SPR_PIFLOST), 0);
    unmark_all();
    mark(&array[2], IND_TH0 | IND_THEXC, 0);
    mark(&array[3], IND_EXC, 0);
    pifsync();
    exceptions = 0;
    __asm__ volatile("lfd 1,0(%0)" ::"b"(&array[2]) : "fr1");
    is("two words", exceptions, 1);
    is("the exception", cause, PIFX_DATA);
    is("of the second", da, (uint32_t)&array[3]);
    mtspr(SPR_PIFTH0, 10);
}

/* ---- where marks are looked up ------------------------------------------- */

/* Calls of leaf counted in the four states: a bit each, supervisor 1, user 2,
 * the same with MSR[PM] 4 and 8. */
static uint32_t states(uint32_t mode)
{
    uint32_t seen = 0, at = 0;

    mtspr(SPR_PIFM, mode);
    for (uint32_t s = 0; s < 4; s++) {
        uint32_t msr = (s & 1 ? MSR_PR : 0) | (s & 2 ? MSR_PM : 0), now;

        __asm__ volatile("mtmsr %0; isync" ::"r"(mfmsr() | msr) : "memory");
        call(leaf, 0);
        __asm__ volatile("sc" ::: "memory");
        now = rdic(leaf_at);
        seen |= (now - at) << s;
        at = now;
    }
    mtspr(SPR_PIFM, MODE);
    return seen;
}

static void enables_are_two_of_each(void)
{
    const uint32_t on = PIFM_IE | PIFM_DE;

    for (uint32_t k = 0; k < 16; k++) {
        uint32_t want = (k & 1 ? 5 : 0) | (k & 2 ? 10 : 0);

        want &= (k & 4 ? 3u : 0) | (k & 8 ? 12 : 0);
        unmark_all();
        mark(leaf_at, IND_COUNT, 0);
        pifsync();
        is("states",
           states(on | (k & 1 ? PIFM_SU : 0) | (k & 2 ? PIFM_US : 0) |
                  (k & 4 ? PIFM_P0 : 0) | (k & 8 ? PIFM_P1 : 0)),
           want);
    }
}

/* ---- formats: which word ------------------------------------------------- */

/* The words of array's first block whose loads are marked, a bit each. */
static uint32_t words_marked(void)
{
    uint32_t seen = 0;

    pifsync();
    for (uint32_t w = 0; w < LINE / 4; w++) {
        mtspr(SPR_MMCR0, 0);
        mtspr(SPR_PMC1, 0);
        mtspr(SPR_MMCR0, 2u << 6); /* PMC1: instructions completed */
        call(load, (uint32_t)&array[w]);
        mtspr(SPR_MMCR0, 0x80000000u);
        seen |= mfspr(SPR_PMC1) << w;
    }
    return seen;
}

static void formats_name_their_words(void)
{
    static uint32_t words[16] __attribute__((aligned(64)));
    static uint32_t bits[2];
    uint8_t *byte = (uint8_t *)bits + (uint32_t)array / 32 % 4;
    uint32_t groups = LINE / 16;

    unmark_all();
    mtspr(SPR_PIFF, PIFF_MARKED << 28);
    words[2] = words[7] = words[13] = IND_PMU;
    *entry_of(array) = (uint32_t)words | SHADOW_WORDS;
    is("words", words_marked(), LINE == 32 ? 0x84 : 0x2084);
    bits[0] = 0xFFFFFFFF;
    byte[0] = 0x16; /* 3, 5 and 6 */
    if (LINE == 64)
        byte[1] = 0x41; /* 9 and 15 */
    *entry_of(array) = (uint32_t)bits | SHADOW_BITS;
    is("bits", words_marked(), LINE == 32 ? 0x68 : 0x8268);
    *entry_of(array) = 0;
    shadow(array)[SHADOW_GROUP / 4 + groups - 1] = IND_PMU;
    is("last group", words_marked(), 0xFu << 4 * (groups - 1));
    mark(&array[1], IND_PMU | IND_STORES, 0);
    is("no store", words_marked(), 0xFu << 4 * (groups - 1));
    mtspr(SPR_PIFF, 0);
}

static void loads_are_no_stores(void)
{
    unmark_all();
    mark(&array[4], IND_COUNT | IND_LOADS, 0);
    mark(&array[5], IND_COUNT | IND_STORES, 0);
    pifsync();
    for (uint32_t n = 0; n < 3; n++)
        (void)(array[4] + array[5]);
    array[4] = array[5] = 1;
    is("loads", rdac(&array[4]), 3);
    is("stores", rdac(&array[5]), 1);
}

/* Ranges of data end at bytes. */
static uint32_t in_range(uint32_t from, uint32_t to)
{
    volatile uint8_t *bytes = (volatile uint8_t *)array;

    mtspr(SPR_PIFRS, 9);
    mtspr(SPR_PIFRL, (uint32_t)&bytes[from]);
    mtspr(SPR_PIFRH, (uint32_t)&bytes[to]);
    mtspr(SPR_PIFRX, 0);
    mtspr(SPR_PIFRC, PIF_RANGE_ON);
    (void)bytes[5];
    (void)bytes[6];
    (void)bytes[11];
    (void)*(volatile uint32_t *)&bytes[6]; /* 6 to 9: two words */
    mtspr(SPR_PIFRC, 0);
    return mfspr(SPR_PIFRX);
}

static void ranges_of_data_end_at_bytes(void)
{
    is("the first word", in_range(4, 8), 3);
    is("a byte", in_range(5, 6), 1);
    is("another", in_range(6, 7), 2);
    is("one that is not touched", in_range(10, 11), 0);
    is("one behind", in_range(11, 12), 1);
    is("across", in_range(7, 9), 2);
    is("all", in_range(5, 12), 5);
    is("none", in_range(6, 6), 0);
    mtspr(SPR_PIFRE, 0);
    in_range(0, 64);
    is("an entry", mfspr(SPR_PIFRE), 1);
    in_range(0, 64);
    is("and one behind the change", mfspr(SPR_PIFRE), 2);
}

/* What a system that switches threads saves and loads again. */
static void a_range_goes_on_as_it_was_left(void)
{
    uint32_t inside, outside, entered, gone_on, anew;

    in_range(0, 0);
    mtspr(SPR_PIFRH, (uint32_t)&array[1]);
    mtspr(SPR_PIFRE, 0);
    mtspr(SPR_PIFRC, PIF_RANGE_ON);
    (void)array[0];
    inside = mfspr(SPR_PIFRC);
    (void)array[8];
    outside = mfspr(SPR_PIFRC);
    entered = mfspr(SPR_PIFRE);
    mtspr(SPR_PIFRC, PIF_RANGE_ON | PIF_RANGE_INSIDE);
    (void)array[0];
    gone_on = mfspr(SPR_PIFRE);
    mtspr(SPR_PIFRC, PIF_RANGE_ON);
    (void)array[0];
    anew = mfspr(SPR_PIFRE);
    mtspr(SPR_PIFRC, 0);
    is("inside", inside, PIF_RANGE_ON | PIF_RANGE_INSIDE);
    is("outside", outside, PIF_RANGE_ON);
    is("entered", entered, 1);
    is("gone on", gone_on, 1);
    is("begun anew", anew, 2);
}

/* ---- registers, segments, status ----------------------------------------- */

static void registers_have_their_bits(void)
{
    is("PIFC", mfspr(SPR_PIFC), 0x10088848 | LINE << 20);
    mtspr(SPR_PIFM, 0x00001FFF);
    is("PIFM", mfspr(SPR_PIFM), 0);
    mtspr(SPR_PIFM, MODE);
    mtspr(SPR_PIFRS, 0xFFFFFFF3);
    is("PIFRS", mfspr(SPR_PIFRS), 3);
    mtspr(SPR_PIFSEG, 0xFFFFFFF5);
    is("PIFSEG", mfspr(SPR_PIFSEG), 5);
    mtspr(SPR_PIFSZ, 0x12345);
    is("PIFSZ", mfspr(SPR_PIFSZ), 0x12000);
    mtspr(SPR_PIFSZ, 0);
}

/* leaf is called once and array[4] read twice: executions and accesses. */
static uint32_t counted(uint32_t insns, uint32_t data)
{
    uint32_t n;

    mtspr(SPR_PIFSEG, 0);
    mtspr(SPR_PIFSB, insns);
    mtspr(SPR_PIFSEG, 5);
    mtspr(SPR_PIFSB, ((uint32_t)array & ~0xFFFu) | data);
    mtspr(SPR_PIFST, (uint32_t)entry_of(array) -
                         ((uint32_t)array & 0xFFF) / block_bytes * 4);
    mtspr(SPR_PIFSZ, 4096);
    rdicz(leaf_at);
    rdacz(&array[4]);
    pifsync();
    call(leaf, 0);
    (void)(array[4] + array[4]);
    pifsync();
    n = 16 * shadow_word(leaf_at)[1] + shadow_word(&array[4])[1];
    mtspr(SPR_PIFSZ, 0);
    register_segment();
    pifsync();
    rdicz(leaf_at);
    rdacz(&array[4]);
    return n;
}

static void segments_serve_who_they_say(void)
{
    unmark_all();
    mark(leaf_at, IND_COUNT, 0);
    mark(&array[4], IND_COUNT, 0);
    is("instructions", counted(SEGMENT_INSN, 0), 0x10);
    is("instructions, data elsewhere", counted(SEGMENT_INSN, SEGMENT_DATA),
       0x12);
    is("nobody", counted(0, SEGMENT_INSN), 0);
    is("data elsewhere", counted(0, SEGMENT_DATA), 0x02);
    is("all in one", counted(SEGMENT_INSN | SEGMENT_DATA, 0), 0x12);
}

/* What storage has of leaf when it was called three times more. */
static uint32_t three(void)
{
    call(hot, 3);
    pifsync();
    return shadow_word(leaf_at)[1];
}

/* Each field by itself takes away what the frames had, and gives it back. */
static void segments_change_at_once(void)
{
    static const struct {
        const char *what;
        uint32_t spr, is;
    } other[] = {
        {"size", SPR_PIFSZ, 0},
        {"base", SPR_PIFSB, MAIN_BYTES | SEGMENT_INSN | SEGMENT_DATA},
        {"use", SPR_PIFSB, SEGMENT_DATA},
        {"table", SPR_PIFST, 4},
    };

    unmark_all();
    mark(leaf_at, IND_COUNT, 0);
    pifsync();
    for (uint32_t n = 0; n < sizeof other / sizeof *other; n++) {
        register_segment();
        is(other[n].what, three(), 4 * n + 3);
        call(leaf, 0); /* a count that its frame still has */
        if (other[n].spr == SPR_PIFSZ)
            mtspr(SPR_PIFSZ, other[n].is);
        else if (other[n].spr == SPR_PIFSB)
            mtspr(SPR_PIFSB, other[n].is);
        else
            mtspr(SPR_PIFST, (uint32_t)entry_of(0) + other[n].is);
        is(other[n].what, three(), 4 * n + 4);
    }
    register_segment();
    is("all as before", three(), 4 * 4 + 3);
}

static void status_says_and_forgets(void)
{
    uint32_t traced;

    unmark_all();
    mark(&array[6], IND_TSTART, 0);
    mark(&array[7], IND_TSTOP, 0);
    mark(leaf_at, IND_EXC, 0);
    pifsync();
    exceptions = 0;
    mtmsr(mfmsr() & ~MSR_EE);
    call(leaf, 0);
    is("pending", mfspr(SPR_PIFS) & PIFS_PENDING, PIFS_PENDING);
    mtspr(SPR_PIFS, PIFS_PENDING);
    mtmsr(mfmsr() | MSR_EE);
    is("forgotten", exceptions, 0);
    traced = mfspr(SPR_PIFTC);
    array[6] = 1;
    is("tracing", mfspr(SPR_PIFS) & PIFS_TRACE, PIFS_TRACE);
    array[7] = 1;
    is("no more", mfspr(SPR_PIFS) & PIFS_TRACE, 0);
    traced = mfspr(SPR_PIFTC) - traced;
    is("traced", traced > 1 && traced < 30, 1);
}

/* Of user state alone: the second instruction in it. */
static void sampler_looks_at_the_state(void)
{
    mtspr(SPR_SIP, 2);
    mtspr(SPR_SIF, 0);
    mtspr(SPR_SIC, SIC_ON | SIC_US);
    call(leaf, 0);
    is("not this one", mfspr(SPR_SIF), 0);
    __asm__ volatile(
        "mtmsr %0; isync; nop; nop; nop; sc" ::"r"(mfmsr() | MSR_PR)
        : "memory");
    mtspr(SPR_SIC, 0);
    is("but that", mfspr(SPR_SIF) >> 31, 1);
}

/* ---- bits of PIFM, and PIFE ---------------------------------------------- */

static void modes_change_what_they_say(void)
{
    uint32_t misses;

    unmark_all();
    mark(leaf_at, IND_COUNT | IND_LIMIT, 13);
    pifsync();
    exceptions = 0;
    mtspr(SPR_PIFM, MODE | PIFM_AC);
    call(hot, 33);
    mtspr(SPR_PIFM, MODE);
    is("cleared past its limit", exceptions, 2);
    is("and counting again", rdic(leaf_at), 33 - 28);

    unmark_all();
    mark(divide_at, IND_TH0 | IND_TH1 | IND_TH2, 0);
    pifsync();
    mtspr(SPR_PIFTH0, 0);
    mtspr(SPR_PIFTH1, 0);
    mtspr(SPR_PIFHC, 0);
    mtspr(SPR_PIFM, MODE | PIFM_TB);
    call(divide, 0);
    is("two exceedances", mfspr(SPR_PIFHC), 2);
    is("are two hits", hits(divide_at), 2);

    /* A divide has no data; a load that hits has one cycle, a miss more. */
    mtspr(SPR_PIFM, MODE | PIFM_TA);
    mark(divide_at, IND_TH0, 0);
    mark(load_at, IND_TH0, 0);
    pifsync();
    call(divide, 0);
    is("no data", hits(divide_at), 0);
    mtspr(SPR_PIFTH0, 1);
    call(load, (uint32_t)&array[8]);
    misses = hits(load_at);
    call(load, (uint32_t)&array[8]);
    is("a hit takes one", hits(load_at), misses);
    __asm__ volatile("dcbf 0,%0; sync" ::"r"(&array[8]) : "memory");
    mtspr(SPR_PIFTH0, 1);
    call(load, (uint32_t)&array[8]);
    mtspr(SPR_PIFTH0, 10);
    mtspr(SPR_PIFTH1, 50);
    mtspr(SPR_PIFM, MODE);
    is("a miss takes more", hits(load_at), misses + detailed);
}

static void counts_outlive_the_facility(void)
{
    unmark_all();
    mark(leaf_at, IND_COUNT, 0);
    pifsync();
    call(hot, 6);
    mtspr(SPR_HID0, mfspr(SPR_HID0) & ~HID0_PIFE);
    is("in storage when it is off", shadow_word(leaf_at)[1], 6);
    mtspr(SPR_HID0, mfspr(SPR_HID0) | HID0_PIFE);
}

/* Each byte of a count and of hits takes the carry of the one below. */
static void counts_have_all_their_bits(void)
{
    static const uint32_t edge[] = {0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF};
    volatile uint32_t *entry;

    mtspr(SPR_PIFTH0, 0);
    for (uint32_t n = 0; n < 4; n++) {
        unmark_all();
        mark(leaf_at, IND_COUNT | IND_TH0, 0);
        entry = shadow_word(leaf_at);
        entry[1] = edge[n];
        entry[3] = edge[n];
        pifsync();
        call(leaf, 0);
        pifsync();
        is("count", entry[1], edge[n] + 1);
        is("hits", entry[3], edge[n] + 1);
    }
    mtspr(SPR_PIFTH0, 10);
}

/* ---- widened words ------------------------------------------------------- */

static uint32_t wide(const volatile void *at)
{
    mtspr(SPR_PIFWA, (uint32_t)at);
    return mfspr(SPR_PIFWI);
}

static void set_wide(const volatile void *at, uint32_t indicator)
{
    mtspr(SPR_PIFWA, (uint32_t)at);
    mtspr(SPR_PIFWI, indicator);
}

/* Only a copy of the whole word takes a mark along. */
static void what_is_no_copy_has_no_mark(void)
{
    unmark_all();
    for (uint32_t w = 8; w < 16; w++)
        set_wide(&array[w], IND_COUNT);
    mtspr(SPR_PIFM, MODE | PIF_CARRIER_WIDE << PIFM_CA_SHIFT);
    __asm__ volatile("lwz 4,0(%0); addi 4,4,1; stw 4,0(%0)\n"  /* computed */
                     "lwz 4,4(%0); lhz 4,4(%0); stw 4,8(%0)\n" /* a part */
                     "stb 4,13(%0)\n"                          /* a byte */
                     "lwz 4,16(%0); stw 4,22(%0)"              /* two halves */
                     :
                     : "b"(&array[8])
                     : "4", "memory");
    mtspr(SPR_PIFM, MODE);
    is("computed", wide(&array[8]), 0);
    is("read only", wide(&array[9]), IND_COUNT);
    is("a part", wide(&array[10]), 0);
    is("a byte", wide(&array[11]), 0);
    is("read, too", wide(&array[12]), IND_COUNT);
    is("the first half", wide(&array[13]), 0);
    is("the second half", wide(&array[14]), 0);
    is("behind it", wide(&array[15]), IND_COUNT);
    for (uint32_t w = 8; w < 16; w++)
        set_wide(&array[w], 0);
}

/* The trap is resumed, and traps before it has executed. */
static void what_is_owed_is_in_srr1(void)
{
    unmark_all();
    mark(trap_at, IND_EXC, 0);
    pifsync();
    exceptions = trap_srr1 = 0;
    call(trapping, 0);
    is("one before the trap", exceptions, 1);
    is("the trap says so", trap_srr1 & SRR1_RESUME, SRR1_RESUME);
    unmark_all();
    call(trapping, 0);
    is("one that was not", trap_srr1 & SRR1_RESUME, 0);
}

int main(void)
{
    uint32_t from;

    install();
    turn_on(MODE);
    register_segment();
    mtmsr(mfmsr() | MSR_EE | MSR_RI | 0x2000);
    /* Is there a cache to miss? Not in fast mode. */
    __asm__ volatile("dcbf 0,%0; sync" ::"r"(&array[8]) : "memory");
    from = mfspr(SPR_CYCL);
    (void)array[8];
    detailed = mfspr(SPR_CYCL) - from > 20;
    lowest_cause_is_signalled();
    enables_are_two_of_each();
    formats_name_their_words();
    loads_are_no_stores();
    ranges_of_data_end_at_bytes();
    a_range_goes_on_as_it_was_left();
    registers_have_their_bits();
    segments_serve_who_they_say();
    segments_change_at_once();
    status_says_and_forgets();
    sampler_looks_at_the_state();
    modes_change_what_they_say();
    counts_outlive_the_facility();
    counts_have_all_their_bits();
    what_is_owed_is_in_srr1();
    what_is_no_copy_has_no_mark();
    if (!failures)
        print("all right\n");
    return (int)failures;
}
