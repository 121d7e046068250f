/* run.c - a workload runs in the kernel, unless there are processes: which one,
 * how large, and what is said of it at the start and at the end.
 */
#include "guest/work/work.h"

static bool take_work(char *value)
{
    FOR_TABLE (w, work) {
        if (text_equal((*w)->name, value)) {
            options_to_set()->work = *w;
            return true;
        }
    }
    return false;
}
/* Values: the table of workloads. */
BOOT_WORD_KIND(110, take_work, "work", NULL, WORD_OF_WORK);

static bool take_n(char *value)
{
    struct options *o = options_to_set();

    return text_number(value, &o->n) && o->n > 0;
}
BOOT_WORD_KIND(240, take_n, "n", "SIZE", WORD_OF_WORK);

static bool take_threads(char *value)
{
    struct options *o = options_to_set();

    return text_number(value, &o->threads) && o->threads > 0;
}
BOOT_WORD_KIND(250, take_threads, "threads", "COUNT", WORD_OF_WORK);

/* What only makes sense once the whole line is known. */
static void settle_size(const struct options *unused)
{
    struct options *o = options_to_set();

    (void)unused;
    if (&work_table[0] >= &work_table_end[0])
        panic("no workload is linked into this kernel");
    if (!o->work)
        o->work = work_table[0];
    if (o->n > o->work->n_max || o->threads > o->work->threads_max)
        bootline_refuse("%s takes n=1..%u and threads=1..%u", o->work->name,
                        o->work->n_max, o->work->threads_max);
    if (!o->n)
        o->n = o->work->n;
    if (!o->threads)
        o->threads = o->work->threads * machine_cpus();
    if (o->threads > o->work->threads_max)
        o->threads = o->work->threads_max;
}
HOOK(settle, 100, settle_size);

/* An application's thread "role.number", which is told its number. */
struct thread *thread_numbered(const char *role, uint32_t number, uint32_t pid,
                               uint32_t mask, void (*run)(uint32_t))
{
    char name[NAME_SIZE];
    uint32_t end;

    text_copy(name, role, NAME_SIZE - 4);
    end = text_length(name);
    name[end++] = '.';
    if (number >= 10)
        name[end++] = (char)('0' + number / 10 % 10);
    name[end++] = (char)('0' + number % 10);
    name[end] = '\0';
    return thread_create(name, pid, THREAD_IS_APP, PRIO_APP, mask, run, number);
}

/* ---- what is said ------------------------------------------------------- */

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

static void say_start(void)
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

static bool app_ended(void)
{
    for (unsigned slot = 0; slot < MAX_THREADS; slot++) {
        const struct thread *t = thread_at(slot);

        if (t && t->kind == THREAD_IS_APP && t->state != STATE_DEAD)
            return false;
    }
    return true;
}

/* Of a run that took so many ticks of the time base. */
static bool say_end(uint64_t ticks)
{
    kprintf("guest: %u us simulated\n", ticks_to_us(ticks));
    FOR_CPUS (c)
        print_cpu(c);
    return report() & report_check(app_ended(), "no thread is stuck");
}

/* ---- the run ------------------------------------------------------------- */

/* By a hook that runs it its own way, else once. */
static bool run_chosen(const struct options *o)
{
    bool good = true;

    FOR_TABLE (hook, run) {
        if ((*hook)(o, &good))
            return good;
    }
    return o->work->run(o);
}

static void run_workload(void)
{
    uint64_t begun;
    bool good;

    say_start();
    begun = time_now();
    if (!options()->work->own_window)
        window_open();
    good = run_chosen(options());
    window_close();
    good &= say_end(time_now() - begun);
    power_off(good ? 0 : EXIT_CHECK);
}
HOOK(system, 900, run_workload);
