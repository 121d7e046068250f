/* sampled.c - sampled instructions and the branch record do what docs/pif.md
 * 13 says: a bare-metal program over hand-made sequences, whose exit status is
 * the number of things that are not so. Built with FAST for the timing model
 * fast.
 */
#include <stdbool.h>

#include "include/record.h"
#include "tests/pif/common.h"

typedef uint32_t code[];
extern code chosen, chosen_at, wrong, wrong_path, wrong_end, path, path_jump,
    path_jumped, path_if, path_iffed, path_call, path_called, path_back,
    path_ctr, path_there, path_loop, eleven, eleven_at, entering, entering_at,
    guessed, guessed_at;

#define PIFE_MISPREDICT (1u << 8 | 7) /* PMC1, br_mispredict */

static uint32_t call(const void *f, uint32_t a, uint32_t b)
{
    return ((uint32_t(*)(uint32_t, uint32_t))f)(a, b);
}

static volatile uint32_t line[16] __attribute__((aligned(64)));

static volatile struct {
    uint32_t count, vector, cause, ia, da, srr0, control;
    bool to_kernel, again;
} seen;

void handle(struct frame *f)
{
    seen.count++;
    seen.vector = f->vector;
    seen.srr0 = f->srr0;
    if (f->vector == 0x700) {
        f->srr0 += 4;
        return;
    }
    seen.cause = mfspr(SPR_PIFX);
    seen.ia = mfspr(SPR_PIFIA);
    seen.da = mfspr(SPR_PIFDA);
    seen.control = mfspr(SPR_BRC);
    if (seen.to_kernel)
        f->srr1 &= ~MSR_PR;
    if (seen.again)
        mtspr(SPR_SIF, 0); /* the next is this handler's own */
    seen.again = false;
    if (f->vector == 0x1500)
        f->srr1 |= MSR_RI;
}

static uint32_t at(const volatile void *address)
{
    return (uint32_t)address;
}

static void flush(void)
{
    __asm__ volatile("dcbf 0,%0; sync; isync" ::"r"(line) : "memory");
}

/* ---- sampled instructions ------------------------------------------------ */

/* The nth that is counted, from 1. */
static void sample(uint32_t n, uint32_t control)
{
    mtspr(SPR_SIC, 0);
    mtspr(SPR_SIF, 0);
    mtspr(SPR_SIP, n);
    call(chosen, SIC_ON | SIC_SU | control, (uint32_t)line);
}

static void each_is_chosen_by_its_number(void)
{
    static const struct {
        uint32_t flags, index;
    } want[] = {{0, 0},
                {0, 1},
                {SAMPLED_LOAD, 2},
                {0, 3},
                {SAMPLED_STORE, 4},
                {SAMPLED_BRANCH, 5},
                {SAMPLED_BRANCH | SAMPLED_TAKEN, 6},
                {0, 8},
                {0, 9},
                {0, 10}};

    for (unsigned n = 0; n < sizeof want / sizeof *want; n++) {
        sample(n + 1, 0);
        sample(n + 1, 0);
        is("sampled", mfspr(SPR_SIPC), at(&chosen_at[want[n].index]));
        is("sampled flags",
           mfspr(SPR_SIF) & (SAMPLED_LOAD | SAMPLED_STORE | SAMPLED_BRANCH |
                             SAMPLED_TAKEN | SAMPLED_WRONG | SAMPLED_USER),
           want[n].flags);
        is("sampled completed", mfspr(SPR_SIF) & SAMPLED_COMPLETED, 1);
        is("sampled valid", mfspr(SPR_SIF) >> 31, 1);
        is("sampled reached", mfspr(SPR_SIF) >> 2 & 3, 3);
    }
}

static void cycles_are_those_of_the_instruction(void)
{
    sample(3, 0);
    is("load ea", mfspr(SPR_SIEA), at(line));
    is("load hit", (mfspr(SPR_SIF) & SAMPLED_LEVEL) >> SAMPLED_LEVEL_SHIFT,
       LEVEL_CACHE);
    is("load hit cycles", mfspr(SPR_SIDL) >> 16, 1);
    flush();
    sample(3, 0);
#ifndef FAST
    is("load miss", (mfspr(SPR_SIF) & SAMPLED_LEVEL) >> SAMPLED_LEVEL_SHIFT,
       LEVEL_MEMORY);
    is("load miss cycles", mfspr(SPR_SIDL) >> 16 > 10, 1);
    is("load waited", mfspr(SPR_SISB) >> 16 >= mfspr(SPR_SIDL) >> 16, 1);
    is("load oldest", (mfspr(SPR_SIDL) & 0xFFFF) > 10, 1);
    sample(4, 0);
    is("divide", mfspr(SPR_SISB) >> 16 > 15, 1);
    is("divide ea", mfspr(SPR_SIEA), 0);
    is("divide data", mfspr(SPR_SIDL) >> 16, 0);
    is("divide oldest", (mfspr(SPR_SIDL) & 0xFFFF) > 15, 1);
    is("fetched", mfspr(SPR_SISA) >> 16 >= 2, 1);
#endif
    sample(5, 0);
    is("store ea", mfspr(SPR_SIEA), at(&line[1]));
}

static void a_record_stays_until_it_is_taken(void)
{
    uint32_t pc;

    sample(2, 0);
    pc = mfspr(SPR_SIPC);
    mtspr(SPR_SIP, 4);
    call(chosen, SIC_ON | SIC_SU, (uint32_t)line);
    is("kept", mfspr(SPR_SIPC), pc);
    is("kept left", mfspr(SPR_SIN), 4);
    mtspr(SPR_SIF, 0);
    call(chosen, SIC_ON | SIC_SU, (uint32_t)line);
    is("taken", mfspr(SPR_SIPC), at(&chosen_at[3]));
    mtspr(SPR_SIF, 0);
    mtspr(SPR_SIP, 2);
    call(chosen, SIC_ON | SIC_US, (uint32_t)line);
    is("not in this state", mfspr(SPR_SIF), 0);
    is("not in this state left", mfspr(SPR_SIN), 2);
}

static void exceptions_name_it(void)
{
    seen.count = 0;
    mtspr(SPR_PIFLOST, 0);
    sample(5, SIC_XE);
    is("exception", seen.count, 1);
    is("exception vector", seen.vector, 0x1500);
    is("exception cause", seen.cause, PIFX_SAMPLED);
    is("exception ia", seen.ia, at(&chosen_at[4]));
    is("exception da", seen.da, at(&line[1]));
    is("exception srr0", seen.srr0, at(&chosen_at[5]));
    is("exception lost", mfspr(SPR_PIFLOST), 0);
    seen.again = true;
    sample(5, SIC_XE);
    is("exception in the handler", seen.count >= 2, 1);
    is("lost in the handler", mfspr(SPR_PIFLOST) > 0, 1);
    mtspr(SPR_PIFM, MODE & ~PIFM_XE);
    seen.count = 0;
    sample(5, SIC_XE);
    is("exceptions off", seen.count, 0);
    is("exceptions off valid", mfspr(SPR_SIF) >> 31, 1);
    mtspr(SPR_PIFM, MODE);
}

static void wrong_paths_are_sampled(void)
{
    unsigned off_path = 0;

    for (unsigned n = 1; n < 100; n++) {
        uint32_t pc, flags;

        mtspr(SPR_SIF, 0);
        mtspr(SPR_SIP, n % 14 + 1);
        call(wrong, SIC_ON | SIC_SU, n * 7 % 11 < 5);
        flags = mfspr(SPR_SIF);
        pc = mfspr(SPR_SIPC);
        if (!(flags & SAMPLED_WRONG) || !(flags & SIF_VALID))
            continue;
        is("wrong path completed", flags & SAMPLED_COMPLETED, 0);
        off_path += pc >= at(wrong_path) && pc < at(wrong_end);
    }
#ifdef FAST
    is("wrong paths", off_path, 0);
#else
    is("wrong paths", off_path > 0, 1);
#endif
}

static void intervals_are_dithered(void)
{
    unsigned other = 0;
    uint32_t first, left;

    mtspr(SPR_SIC, SIC_DI);
    mtspr(SPR_SIP, 100);
    first = mfspr(SPR_SIN);
    for (unsigned n = 0; n < 50; n++) {
        mtspr(SPR_SIP, 100);
        left = mfspr(SPR_SIN);
        is("dither", left >= 50 && left <= 150, 1);
        other += left != first;
    }
    is("dither differs", other > 40, 1);
    mtspr(SPR_SIC, 0);
    mtspr(SPR_SIP, 100);
    is("no dither", mfspr(SPR_SIN), 100);
}

/* ---- the branch record --------------------------------------------------- */

static uint32_t from(unsigned n)
{
    mtspr(SPR_BRS, n);
    return mfspr(SPR_BRF);
}

static uint32_t to(unsigned n)
{
    mtspr(SPR_BRS, n);
    return mfspr(SPR_BRT) & ~(uint32_t)BRT_MISPREDICTED;
}

static void branch_is(const char *what, unsigned n, const void *f,
                      const void *t)
{
    is(what, from(n), at(f));
    is(what, to(n), at(t));
}

#define ALL (BRC_ON | BRC_SU | BRC_CLEAR)

static void taken_branches_newest_first(void)
{
    call(path, ALL, 0);
    branch_is("bdnz", 0, path_loop, path_loop);
    branch_is("bctr", 1, path_ctr, path_there);
    branch_is("blr", 2, path_called, path_back);
    branch_is("bl", 3, path_call, path_called);
    branch_is("beq", 4, path_if, path_iffed);
    branch_is("b", 5, path_jump, path_jumped);
    branch_is("none", 6, 0, 0);
    branch_is("none", 7, 0, 0);
    call(eleven, ALL, 0);
    for (unsigned n = 0; n < 8; n++)
        branch_is("eleven", n, &eleven_at[10 - n], &eleven_at[11 - n]);
}

static void filters_leave_out(void)
{
    call(path, ALL | BRC_NJ, 0);
    branch_is("no jumps", 0, path_called, path_back);
    branch_is("no jumps", 1, path_call, path_called);
    branch_is("no jumps", 2, 0, 0);
    call(path, ALL | BRC_NC | BRC_NR, 0);
    branch_is("jumps", 1, path_ctr, path_there);
    branch_is("jumps", 2, path_if, path_iffed);
    branch_is("jumps", 4, 0, 0);
    call(path, (ALL & ~BRC_SU) | BRC_US, 0);
    branch_is("user only", 0, 0, 0);
    call(path, ALL & ~BRC_ON, 0);
    branch_is("off", 0, 0, 0);
}

static void exceptions_freeze_and_are_recorded(void)
{
    seen.count = 0;
    call(entering, ALL | BRC_FZ | BRC_EX, 0);
    is("sc", seen.vector, 0xC00);
    is("frozen", seen.control & BRC_FR, BRC_FR);
    branch_is("sc", 0, (char *)&entering_at[2] + BRF_EXCEPTION, (void *)0xC00);
    branch_is("before sc", 1, &entering_at[0], &entering_at[1]);
    branch_is("nothing more", 2, 0, 0);
    call(entering, ALL | BRC_FZ, 0);
    branch_is("no exceptions", 0, &entering_at[0], &entering_at[1]);
    branch_is("no exceptions", 1, 0, 0);
    call(entering, ALL | BRC_EX, 0);
    branch_is("goes on", 0, &entering_at[2], &entering_at[3]);
    is("rfi", to(1), at(&entering_at[2]));
    is("rfi", from(1) & BRF_EXCEPTION, BRF_EXCEPTION);
}

static void user_state_alone(void)
{
    seen.to_kernel = true;
    mtspr(SPR_BRC, BRC_ON | BRC_US | BRC_EX | BRC_CLEAR);
    mtmsr(mfmsr() | MSR_PR);
    __asm__ volatile("bl 1f\n1: sc" ::: "lr", "memory");
    seen.to_kernel = false;
    is("user sc", to(0), 0xC00);
    is("user call", from(1) + 4, to(1));
    is("user none", from(2), 0);
    mtspr(SPR_BRC, 0);
}

static void mispredictions_are_told(void)
{
    unsigned corrected = 0;

    mtspr(SPR_PIFE1, PIFE_MISPREDICT);
    mtspr(SPR_MMCR0, 0);
    for (unsigned n = 0; n < 60; n++) {
        bool taken = n * 7 % 11 < 5;
        uint32_t events = call(guessed, ALL, taken);

        corrected += events;
        is("guessed", from(0), taken ? at(guessed_at) : 0);
        if (taken)
            is("mispredicted", mfspr(SPR_BRT) & BRT_MISPREDICTED, events);
    }
    mtspr(SPR_PIFE1, 0);
#ifdef FAST
    is("corrected", corrected, 0);
#else
    is("corrected", corrected > 5, 1);
#endif
}

static void entries_can_be_written(void)
{
    mtspr(SPR_BRS, 3);
    mtspr(SPR_BRF, 0x1230);
    mtspr(SPR_BRT, 0x4561);
    mtspr(SPR_BRS, 2);
    is("other entry", mfspr(SPR_BRF) == 0x1230, 0);
    mtspr(SPR_BRS, 11);
    is("modulo", mfspr(SPR_BRF), 0x1230);
    is("written", mfspr(SPR_BRT), 0x4561);
    mtspr(SPR_BRC, BRC_CLEAR);
    is("cleared", mfspr(SPR_BRF), 0);
    is("clear reads", mfspr(SPR_BRC), 0);
}

static void off_they_do_not_exist(void)
{
    mtspr(SPR_SIP, 2);
    mtspr(SPR_SIF, 0);
    mtspr(SPR_SIC, SIC_ON | SIC_SU);
    mtspr(SPR_HID0, mfspr(SPR_HID0) & ~HID0_PIFE);
    seen.count = 0;
    (void)mfspr(SPR_SIC);
    mtspr(SPR_BRC, BRC_ON);
    is("illegal", seen.count, 2);
    is("illegal", seen.vector, 0x700);
}

int main(void)
{
    install();
    turn_on(MODE);
    mtmsr(mfmsr() | MSR_EE | MSR_RI);
    each_is_chosen_by_its_number();
    cycles_are_those_of_the_instruction();
    a_record_stays_until_it_is_taken();
    exceptions_name_it();
    wrong_paths_are_sampled();
    intervals_are_dithered();
    taken_branches_newest_first();
    filters_leave_out();
    exceptions_freeze_and_are_recorded();
    user_state_alone();
    mispredictions_are_told();
    entries_can_be_written();
    off_they_do_not_exist();
    if (!failures)
        print("all right\n");
    return (int)failures;
}
