/* corners.c - what docs/pif.md says where no figure helps: every register's
 * value after reset and the bits it has, who may touch it, what a mark without
 * a counter does, exceptions that wait while the facility is off, segments that
 * overlap, and tables that are nowhere. A bare-metal program; its exit status
 * is the number of things that are not as the book says.
 */
#include "include/board.h"
#include "tests/pif/common.h"

#define MSR_SE 0x0400u

typedef uint32_t code[];
extern code leaf, leaf_at, hot, hot_call;

static volatile uint32_t array[16] __attribute__((aligned(64)));
static volatile uint32_t exceptions, cause, trapped, interrupted;
static volatile uint32_t vectors, trace_until;   /* ... that were taken */
static uint32_t entries[4] = {IND_EXC, 0, 0, 0}; /* for pmark */

void handle(struct frame *f)
{
    vectors = vectors << 16 | f->vector;
    if (f->vector == 0x1500) {
        exceptions++;
        cause = mfspr(SPR_PIFX);
        interrupted = f->srr0;
    } else if (f->vector == 0x700) {
        trapped = f->srr1 & 0x000E0000;
        f->srr0 += 4;
        f->srr1 &= ~SRR1_RESUME;
    } else if (f->vector == 0x1300) {
        mtspr(SPR_IABR, 0);
    } else if (f->vector == 0xD00 && f->srr0 != trace_until) {
        vectors >>= 16; /* not yet */
    } else if (f->vector == 0xD00) {
        f->srr1 &= ~MSR_SE;
    } else if (f->vector == 0xC00) { /* back from user state */
        f->srr1 &= ~MSR_PR;
    }
    f->srr1 |= MSR_RI;
}

static uint32_t call(const void *f, uint32_t argument)
{
    return ((uint32_t(*)(uint32_t))f)(argument);
}

/* ---- registers ----------------------------------------------------------- */

static void reset_is_as_said(void)
{
#define R(name, reset, bits)                                                   \
    is("after reset, " #name, mfspr(SPR_##name), reset);
#include "tests/pif/registers.def"
#undef R
    is("after reset, PIFS", mfspr(SPR_PIFS), 0);
}

static void reserved_bits_are_zero(void)
{
#define R(name, reset, bits)                                                   \
    mtspr(SPR_##name, ~0u);                                                    \
    is("all ones, " #name, mfspr(SPR_##name), bits);                           \
    mtspr(SPR_##name, 0);                                                      \
    is("zero, " #name, mfspr(SPR_##name), 0);
#include "tests/pif/registers.def"
#undef R
    mtspr(SPR_PIFTH0, 10);
    mtspr(SPR_PIFTH1, 50);
    mtspr(SPR_PIFTH2, 100);
    mtspr(SPR_PIFTH3, 200);
    mtspr(SPR_PIFS, ~0u);
    is("opened and begun", mfspr(SPR_PIFS), PIFS_WINDOW | PIFS_TRACE);
    mtspr(SPR_PIFS, PIFS_WINDOW | PIFS_TRACE);
    is("and closed again", mfspr(SPR_PIFS), 0);
}

#define ILLEGAL 0x00080000u
#define PRIVILEGED 0x00040000u
#define TRAP(what)                                                             \
    ({                                                                         \
        trapped = 0;                                                           \
        what;                                                                  \
        trapped;                                                               \
    })
#define IN_USER_STATE(what)                                                    \
    ({                                                                         \
        uint32_t t_;                                                           \
        mtmsr(mfmsr() | MSR_PR);                                               \
        t_ = TRAP(what);                                                       \
        __asm__ volatile("sc" ::: "memory");                                   \
        t_;                                                                    \
    })

static void registers_are_for_whom_they_are_for(void)
{
    uint32_t hid0 = mfspr(SPR_HID0);

    is("read only, PIFC", TRAP(mtspr(SPR_PIFC, 0)), ILLEGAL);
    is("read only, CYCU", TRAP(mtspr(SPR_CYCU, 0)), ILLEGAL);
    is("user, CYCL", IN_USER_STATE(mfspr(SPR_CYCL)), 0);
#define R(name, reset, bits)                                                   \
    is("user, " #name, IN_USER_STATE(mfspr(SPR_##name)), PRIVILEGED);
#include "tests/pif/registers.def"
#undef R
    is("user, rdic", IN_USER_STATE(rdic(leaf)), 0);
    is("user, rdicz", IN_USER_STATE(rdicz(leaf)), PRIVILEGED);
    is("user, pifsync", IN_USER_STATE(pifsync()), PRIVILEGED);
    mtspr(SPR_HID0, hid0 & ~HID0_PIFE);
    is("off, CYCL", TRAP(mfspr(SPR_CYCL)), ILLEGAL);
    is("off, PIFM", TRAP(mfspr(SPR_PIFM)), ILLEGAL);
    is("off, PIFM of a user", IN_USER_STATE(mfspr(SPR_PIFM)), PRIVILEGED);
    is("off, rdic", TRAP(rdic(leaf)), ILLEGAL);
    is("off, pifsync of a user", IN_USER_STATE(pifsync()), ILLEGAL);
    mtspr(SPR_HID0, hid0);
}

/* ---- marks without a counter --------------------------------------------- */

/* A block of words: the limit of leaf's mark, GE or not, has nothing to count.
 * All else does what it says. */
static void words_have_no_counter(void)
{
    static uint32_t words[16] __attribute__((aligned(64)));
    uint32_t w = (uint32_t)leaf_at % block_bytes / 4;

    unmark_all();
    *entry_of(leaf_at) = (uint32_t)words | SHADOW_WORDS;
    words[w] = IND_COUNT | IND_LIMIT;
    for (uint32_t ge = 0; ge < 2; ge++) {
        pifsync();
        exceptions = 0;
        mtspr(SPR_PIFM, MODE | (ge ? PIFM_GE : 0));
        call(hot, 5);
        mtspr(SPR_PIFM, MODE);
        is("no limit", exceptions, 0);
    }
    is("no count", rdic(leaf_at), 0);
    words[w] = IND_EXC;
    pifsync();
    exceptions = 0;
    call(hot, 5);
    is("but exceptions", exceptions, 5);
    words[w] = IND_TH0;
    pifsync();
    mtspr(SPR_PIFTH0, 0);
    mtspr(SPR_PIFHC, 0);
    call(hot, 5);
    mtspr(SPR_PIFTH0, 10);
    is("and exceedances", mfspr(SPR_PIFHC), 5);
    words[w] = 0;
    pifsync();
}

/* ---- exceptions that wait ------------------------------------------------ */

static void make_one_wait(void)
{
    unmark_all();
    mark(leaf_at, IND_EXC, 0);
    pifsync();
    exceptions = 0;
    mtmsr(mfmsr() & ~MSR_EE);
    call(leaf, 0);
    is("it waits", mfspr(SPR_PIFS), PIFS_PENDING);
}

static void what_waits_is_not_forgotten(void)
{
    make_one_wait();
    mtspr(SPR_PIFM, 0);
    mtmsr(mfmsr() | MSR_EE);
    is("taken with XE off", exceptions, 1);
    mtspr(SPR_PIFM, MODE);
    make_one_wait();
    mtspr(SPR_HID0, mfspr(SPR_HID0) & ~HID0_PIFE);
    mtmsr(mfmsr() | MSR_EE);
    is("not while the facility is off", exceptions, 0);
    mtspr(SPR_HID0, mfspr(SPR_HID0) | HID0_PIFE);
    __asm__ volatile("nop; nop");
    is("but when it is on again", exceptions, 1);
    is("of its instruction", cause, PIFX_INSN);
}

/* ---- where shadows are --------------------------------------------------- */

/* Executions of leaf that are counted, in five. */
static uint32_t five(void)
{
    uint32_t before, after;

    pifsync();
    before = rdic(leaf_at);
    call(hot, 5);
    after = rdic(leaf_at);
    return after - before;
}

static void segment(uint32_t n, uint32_t base, uint32_t size, uint32_t table)
{
    mtspr(SPR_PIFSEG, n);
    mtspr(SPR_PIFSB, base | SEGMENT_INSN | SEGMENT_DATA);
    mtspr(SPR_PIFSZ, size);
    mtspr(SPR_PIFST, table);
}

static void lowest_segment_answers(void)
{
    static uint32_t empty[4096 / 32];
    uint32_t page = (uint32_t)leaf_at & ~0xFFFu;

    unmark_all();
    mark(leaf_at, IND_COUNT, 0);
    is("one segment", five(), 5);
    segment(3, page, 4096, (uint32_t)empty);
    is("the lower number", five(), 5);
    segment(0, 0, 0, 0);
    is("the one behind", five(), 0);
    segment(3, page, 4096, 0xF0000000); /* no memory there */
    is("a table that is nowhere", five(), 0);
    segment(3, 0, 0, 0);
    register_segment();
    is("as before", five(), 5);
    shadow(leaf_at)[SHADOW_TAG / 4] ^= block_bytes;
    is("another's block", five(), 0);
    *entry_of(leaf_at) = 0xF0000000 | SHADOW_FULL;
    is("a block that is nowhere", five(), 0);
    *entry_of(leaf_at) = 0;
    mtspr(SPR_PIFM, MODE | 3u << PIFM_CA_SHIFT);
    is("no such carrier", five(), 0);
    mtspr(SPR_PIFM, MODE);
}

/* ---- reading counts, and what is executed outside of lookups ------------- */

static void reading_is_no_access(void)
{
    unmark_all();
    mark(&array[2], IND_COUNT, 0);
    pifsync();
    array[2] = 1;
    is("a count", rdac(&array[2]), 1);
    is("of the word of any of its bytes", rdac((const char *)&array[2] + 3), 1);
    is("and the same again", rdac(&array[2]), 1);
    pifsync();
    is("which is one for both", rdic(&array[2]), 1);
    is("none beside it", rdac(&array[3]), 0);
}

static void the_window_counts_what_is_looked_up(void)
{
    unmark_all();
    mtspr(SPR_PIFW, 0);
    mtspr(SPR_PIFS, PIFS_OPEN);
    mtspr(SPR_PIFM, MODE & ~PIFM_IE);
    mtspr(SPR_PIFW, 0);
    call(hot, 20);
    is("not looked up", mfspr(SPR_PIFW), 0);
    is("but open", mfspr(SPR_PIFS), PIFS_WINDOW);
    mtspr(SPR_PIFM, MODE);
    call(hot, 20);
    mtspr(SPR_PIFS, PIFS_WINDOW);
    is("looked up", mfspr(SPR_PIFW) > 40, 1);
}

/* ---- what comes first ---------------------------------------------------- */

static void breakpoints_and_traces_come_first(void)
{
    unmark_all();
    mark(leaf_at, IND_EXC, 0);
    pifsync();
    vectors = 0;
    mtspr(SPR_IABR, (uint32_t)leaf_at | 2);
    call(leaf, 0);
    is("breakpoint, indicator", vectors, 0x13001500);
    unmark_all();
    mark(leaf_at, IND_LIMIT, 0);
    pifsync();
    vectors = 0;
    trace_until = (uint32_t)leaf_at + 4;
    mtmsr(mfmsr() | MSR_SE);
    call(leaf, 0);
    is("trace, limit", vectors, 0x0D001500);
    unmark_all();
    mark(leaf_at + 1, IND_LIMIT, 0); /* its return */
    pifsync();
    call(leaf, 0);
    call(hot, 1);
    is("behind a branch is its target", interrupted, (uint32_t)hot_call);
    unmark_all();
}

/* ---- carriers while lookups are off -------------------------------------- */

static void tags_travel_and_markers_stand(void)
{
    uint32_t wide = PIF_CARRIER_WIDE << PIFM_CA_SHIFT;

    mtspr(SPR_PIFWA, &array[8]);
    mtspr(SPR_PIFWI, IND_COUNT);
    mtspr(SPR_PIFM, wide); /* nothing else */
    __asm__ volatile("lwz 4,0(%0); mr 5,4; stw 5,4(%0)\n"
                     "lwarx 4,0,%0; stw 4,8(%0)\n"
                     "lwz 4,0(%0); mr. 5,4; stw 5,12(%0)" ::"b"(&array[8])
                     : "4", "5", "cr0", "memory");
    mtspr(SPR_PIFWA, &array[9]);
    is("a copy", mfspr(SPR_PIFWI), IND_COUNT);
    mtspr(SPR_PIFWA, &array[10]);
    is("by lwarx", mfspr(SPR_PIFWI), 0);
    mtspr(SPR_PIFWA, &array[11]);
    is("by mr.", mfspr(SPR_PIFWI), 0);
    mtspr(SPR_PIFM, PIF_CARRIER_MARKER << PIFM_CA_SHIFT);
    __asm__ volatile(".long 0x14600000 + 7*32 + 11; nop"); /* pmark 3,7 */
    is("as they were set", mfspr(SPR_PIFMK), 3u << 27 | 7);
    mtspr(SPR_PIFMK, 0);
    mtspr(SPR_PIFM, MODE | PIF_CARRIER_MARKER << PIFM_CA_SHIFT);
    exceptions = 0;
    mtspr(SPR_PIFMT, entries);
    __asm__ volatile(".long 0x14000000 + 11; nop"); /* pmark 0,0 */
    is("of none, none", exceptions, 0);
    __asm__ volatile(".long 0x14200000 + 11; nop"); /* pmark 1,0 */
    is("of one, one", exceptions, 1);
    mtspr(SPR_PIFMT, 0xF0000000);
    __asm__ volatile(".long 0x14200000 + 11; nop");
    is("an entry that is nowhere", exceptions, 1);
    mtspr(SPR_PIFM, MODE);
}

/* ---- counts and contexts ------------------------------------------------- */

static void contexts_choose_lookups_alone(void)
{
    volatile uint32_t *context =
        (volatile uint32_t *)(BOARD_TRACE + TRACE_CONTEXT);

    unmark_all();
    mark(leaf_at, IND_COUNT, 0);
    shadow(leaf_at)[SHADOW_CONTEXT / 4] = 77;
    pifsync();
    *context = 77;
    call(hot, 5);
    *context = 78;
    call(hot, 3);
    is("of its own context, read in another", rdic(leaf_at), 5);
    *context = 0;
}

int main(void)
{
    install();
    turn_on(0);
    mtmsr(mfmsr() | MSR_RI);
    reset_is_as_said();
    reserved_bits_are_zero();
    registers_are_for_whom_they_are_for();
    register_segment();
    turn_on(MODE);
    mtmsr(mfmsr() | MSR_EE);
    words_have_no_counter();
    what_waits_is_not_forgotten();
    lowest_segment_answers();
    reading_is_no_access();
    the_window_counts_what_is_looked_up();
    breakpoints_and_traces_come_first();
    tags_travel_and_markers_stand();
    contexts_choose_lookups_alone();
    if (!failures)
        print("all right\n");
    return (int)failures;
}
