/* handler_test.c - the interrupt handler that samples a program's threads
 * allocates nothing and accesses no memory of a program. While the sampler is
 * at work, the test checks every load and store from the interrupt until
 * interrupts are on again (IDLE-17). timeout: 200 s */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/insn.h"
#include "tests/lib/scratch.h"
#include "tests/lib/statebox.h"

#define ALLOCATORS 3
#define X_FORM 31 /* opcode of accesses by two registers */
#define PAGES ((64u << 20) / 4096)
#define CALLERS 16 /* of a function */

struct watch {
    uint32_t allocator[ALLOCATORS]; /* functions */
    uint32_t user, kernel;          /* that give pages to programs, or to all */
    uint32_t back[2][CALLERS];      /* where they return to */
    bool of_program[PAGES];         /* this page is a program's */
    uint32_t given;
    bool inside[MACHINE_CPUS];
    uint64_t handlers, accesses, wrong, allocated, notified;
    uint32_t notify;
    ea_t wrong_at;
};

/* Notes the pages that the two page allocators return. A page is in r3 when a
 * processor is at the address that the allocator returns to. */
static void follow_pages(struct watch *w, const struct cpu *p)
{
    for (unsigned k = 0; k < 2; k++) {
        unsigned n = 0;

        while (n < CALLERS && w->back[k][n] && w->back[k][n] != p->lr)
            n++;
        if (p->pc == (k ? w->kernel : w->user)) {
            assert_true(n < CALLERS);
            w->back[k][n] = p->lr;
        }
        for (n = 0; n < CALLERS && w->back[k][n]; n++)
            if (p->pc == w->back[k][n] && p->gpr[3] &&
                p->gpr[3] / 4096 < PAGES) {
                w->of_program[p->gpr[3] / 4096] = !k;
                w->given += !k;
            }
    }
}

static void interrupted(void *arg, struct core *c, enum exc e,
                        cycle_t signalled, cycle_t taken)
{
    struct watch *w = arg;

    (void)e, (void)signalled, (void)taken;
    w->inside[c->number] = true;
    w->handlers++;
}

static bool before(void *arg, struct core *c, const struct insn *i, cycle_t at)
{
    struct watch *w = arg;
    const struct cpu *p = &c->cpu;
    uint32_t ea;

    (void)at;
    w->notified += p->pc == w->notify;
    if (!(p->msr & MSR_PR))
        follow_pages(w, p);
    if (!w->inside[c->number])
        return false;
    if (p->msr & MSR_EE) {
        w->inside[c->number] = false;
        return false;
    }
    for (unsigned n = 0; n < ALLOCATORS; n++)
        w->allocated += p->pc == w->allocator[n];
    if (!(i->flags & (INSN_LOAD | INSN_STORE)))
        return false;
    ea = (i->a ? p->gpr[i->a] : 0) +
         (i->word >> 26 == X_FORM ? p->gpr[i->b] : (uint32_t)i->imm);
    w->accesses++;
    if (ea / 4096 < PAGES && w->of_program[ea / 4096]) {
        w->wrong++;
        w->wrong_at = p->pc;
    }
    return false;
}

static uint32_t address(const struct machine *m, const char *name)
{
    uint32_t at = 0;

    if (!names_find(&m->names, name, &at))
        fail_msg("the guest has no %s", name);
    return at;
}

/* A run of the program with these words in the boot line. */
static void watch_run(const char *words)
{
    static const char *const allocators[ALLOCATORS] = {"kalloc", "frame_take",
                                                       "pool_take"};
    char line[2000], command[1200];
    struct statebox *b;
    static struct watch w;
    struct observer o = {.arg = &w, .before = before, .interrupt = interrupted};

    memset(&w, 0, sizeof w);
    snprintf(command, sizeof command,
             "powerpc-linux-gnu-gcc -O1 -static -pthread -o %s/ledger "
             "tests/guest/prog/ledger.c",
             scratch_dir());
    if (system(command) != 0)
        skip();
    snprintf(line, sizeof line,
             "--mem=64M --cpus=3 --mode=fast --program=%s/ledger "
             "--append=sampler=both~trigger=time:9000%s %s/guest.elf -- 10",
             scratch_dir(), words, getenv("BUILD"));
    b = statebox_open(line, NULL, NULL);
    assert_true(machine_read_names(&b->machine));
    for (unsigned n = 0; n < ALLOCATORS; n++)
        w.allocator[n] = address(&b->machine, allocators[n]);
    w.user = address(&b->machine, "frame_take_user");
    w.kernel = address(&b->machine, "frame_take");
    w.notify = address(&b->machine, "sample_notify");
    machine_observe(&b->machine, &o, true);
    statebox_finish(b);
    assert_int_equal(b->machine.status, 7);
    assert_true(w.given > 50);
    assert_true(w.handlers > 500);
    assert_true(w.notified > 50);
    assert_true(w.accesses > 50000);
    assert_int_equal(w.allocated, 0);
    if (w.wrong)
        fail_msg("%lu accesses, the last one by the instruction at %x",
                 (unsigned long)w.wrong, w.wrong_at);
    statebox_close(b);
}

static void handlers_touch_no_memory_of_programs(void **state)
{
    (void)state;
    watch_run("");
}

/* Nor where stacks are taken beforehand, and trace hooks written. */
static void nor_with_stacks_beforehand(void **state)
{
    (void)state;
    watch_run("~fromidle=precapture:all~tprof=on");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handlers_touch_no_memory_of_programs),
        cmocka_unit_test(nor_with_stacks_beforehand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
