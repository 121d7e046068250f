/* report.c - what the guest says about itself: the boot line as understood,
 * and at the end a line per CPU, what the hooks have to say, and whether all
 * threads ended. Names come from the host's tools; here are addresses.
 */
#include "guest/kernel/hook.h"

static void print_size(void)
{
    const struct options *o = options();

    kprintf(" work=%s n=%u threads=%u", o->work->name, o->n, o->threads);
}
HOOK(setting, 110, print_size);

static void print_idle(void)
{
    kprintf(" idle=%s seed=%u", options()->spin ? "spin" : "nap",
            options()->seed);
}
HOOK(setting, 130, print_idle);

void report_start(void)
{
    kprintf("guest: %u CPUs,", machine_cpus());
    FOR_TABLE (hook, setting)
        (*hook)();
    kprintf("\n");
    FOR_TABLE (hook, opening)
        (*hook)();
}

COLUMN(180, periods, "idle-periods", STAT_IDLE_PERIODS, NULL);
COLUMN(200, switches, "switches", STAT_SWITCHES, NULL);

static void print_cpu(const struct cpu *c)
{
    kprintf("cpu %u:", c->number);
    FOR_TABLE (column, column) {
        const struct column *k = *column;

        kprintf(" %s %u", k->name, k->stat ? c->stat[k->stat] : k->value(c));
    }
    kprintf("\n");
}

bool report_check(bool good, const char *what)
{
    if (!good || !options()->program) /* the console is the program's */
        kprintf("%s: %s\n", good ? "PASS" : "FAIL", what);
    return good;
}

static bool app_ended(void)
{
    for (unsigned slot = 0; slot < MAX_THREADS; slot++) {
        const struct thread *t = thread_at(slot);

        if (t && t->kind == THREAD_IS_APP && t->state != STATE_DEAD)
            return false;
    }
    return true;
}

/* `ticks`: how long the workload took. */
bool report(uint64_t ticks)
{
    bool good = true;

    kprintf("guest: %u us simulated\n", ticks_to_us(ticks));
    FOR_CPUS (c) {
        trace_stats(c);
        print_cpu(c);
    }
    FOR_TABLE (hook, report)
        good &= (*hook)();
    good &= report_check(app_ended(), "no thread is stuck");
    return good;
}

bool report_program(void)
{
    bool good = true;

    FOR_CPUS (c)
        trace_stats(c);
    FOR_TABLE (hook, report)
        good &= (*hook)();
    return good;
}
