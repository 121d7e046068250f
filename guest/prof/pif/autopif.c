/* autopif.c - profiling that runs itself, with marks (docs/guest.md). The
 * workload is run again and again, and each run is measured another way:
 *
 *   auto   sampled by time; then what was hot is marked, and counted
 *   climb  sampled; then the hottest routine has a limit, then who calls it,
 *          and so on up to the root (climb.c)
 *   scan   sampled; then the kernel's text is marked part after part (scan.c)
 *   own    what the program's own metadata says is marked (perfinst.c)
 *   insns  every so many instructions one is followed (insn_sampling.c)
 *   branches   what the branch record has at each tick (branches.c)
 *   sweep  one function's data accesses, by how long they take (sweep.c)
 *   mark   one function or variable is marked, by its address
 *
 * No other part has to do anything, and no instruction is changed.
 */
#include "guest/prof/pif/pif.h"

#define HOT_MAX 8     /* functions that are marked */
#define HOT_PART 10   /* ... when they have a tenth of the samples */
#define ROUNDS_MAX 16 /* of a climb */

static struct pif_options chosen = {.limit = 13};

const struct pif_options *pif_options(void)
{
    return &chosen;
}

static bool take_pif(char *value)
{
    static const char *const names[] = {"off",      "auto",  "climb",  "scan",
                                        "mark",     "sweep", "own",    "insns",
                                        "branches", "trap",  "threads"};
    char *rest = text_split(value, ':');

    for (uint32_t n = 0; n < sizeof names / sizeof *names; n++) {
        if (!text_equal(value, names[n]))
            continue;
        chosen.use = (enum pif_use)n;
        chosen.number = 0;
        if (n == PIF_SCAN)
            return scan_parse(&chosen, rest);
        if (!rest)
            return n != PIF_MARK;
        return n >= PIF_CLIMB && n != PIF_OWN && n < PIF_BRANCHES &&
               text_number(rest, &chosen.number) &&
               (n != PIF_INSNS || chosen.number);
    }
    return false;
}
BOOT_WORD_KIND(
    220, take_pif, "pif",
    "off|auto|climb[:ADDRESS]|scan[:PAGES|:func[:COUNT]|:module|:all]|"
    "mark:ADDRESS|sweep[:ADDRESS]|own|insns[:PERIOD]|branches|trap|threads",
    WORD_FOR_ALL);

static bool take_piflimit(char *value)
{
    return text_number(value, &chosen.limit) && chosen.limit > 0;
}
BOOT_WORD_KIND(230, take_piflimit, "piflimit", "COUNT", WORD_OF_WORK);

static void check_trigger(const struct options *o)
{
    if (chosen.use && idle_options()->trigger != TRIGGER_TIME)
        bootline_refuse("pif= samples by time, give trigger=time:");
    if (chosen.use && !o->program && tprof_hooks())
        bootline_refuse("tprof=on and pif= want the same profiler by time");
}
HOOK(settle, 130, check_trigger);

/* ---- a run of the workload ----------------------------------------------- */

static uint32_t runs, counted; /* so far; ... with marks looked up */

/* Every run begins here, once all that was marked holds. */
__attribute__((noinline)) bool autopif_go(const struct options *o)
{
    bool good = o->work->run(o);

    runs++;
    threads_reap();
    return good;
}

/* Not inlined: what it executes itself with marks on is always the same. */
__attribute__((noinline)) bool autopif_counted(const struct options *o)
{
    bool good;

    pif_watch(true);
    good = autopif_go(o);
    pif_watch(false);
    pif_sync();
    counted++;
    return good;
}

/* What the counts above are of. */
static void say_runs(void)
{
    if (counted)
        kprintf("pif: the workload ran %u times, marks were looked up in %u, "
                "each whole; a count is of 1 run of %u\n",
                runs, counted, runs);
}

bool autopif_sampled(const struct options *o)
{
    bool good;

    tprof_start(NULL);
    good = autopif_go(o);
    tprof_stop();
    kprintf("pif: %u samples of one run\n", tprof_samples());
    return good;
}

/* The function with most of what `of` says, of those that are not taken yet; 0:
 * none has any. */
uint32_t autopif_most(uint32_t (*of)(uint32_t), bool *taken)
{
    uint32_t best = 0;

    for (uint32_t n = 1; n <= function_count(); n++) {
        if (!taken[n] && of(n) && (!best || of(n) > of(best)))
            best = n;
    }
    if (best)
        taken[best] = true;
    return best;
}

static uint32_t checksum(void)
{
    uint32_t sum = 0;

    for (const uint32_t *w = NULL; (uint32_t)w < (uint32_t)text_end; w++)
        sum = (sum << 1 | sum >> 31) ^ *(const volatile uint32_t *)w;
    return sum;
}

/* An address in the function that the boot line names; else the function in
 * which a run had most samples, or 0. */
uint32_t autopif_chosen(const struct options *o, bool *good)
{
    uint32_t from = chosen.number;

    if (from)
        return from;
    *good = autopif_sampled(o);
    from =
        function_start(autopif_most(tprof_hits, kalloc(function_count() + 1)));
    report_check(from != 0, "samples found a hot function");
    return from;
}

/* ---- auto ---------------------------------------------------------------- */

static bool run_auto(const struct options *o)
{
    bool *taken = kalloc(function_count() + 1), good = autopif_sampled(o);
    uint32_t hot[HOT_MAX], n = 0, sum;

    while (n < HOT_MAX) {
        uint32_t next = autopif_most(tprof_hits, taken);

        if (!next || tprof_hits(next) * HOT_PART < tprof_samples())
            break;
        pif_mark_all(function_start(next), function_end(next), IND_COUNT);
        hot[n++] = next;
    }
    good &= autopif_counted(o);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t from = function_start(hot[k]);

        sum = 0;
        for (uint32_t at = from; at < function_end(hot[k]); at += 4)
            sum += pif_count(at);
        kprintf("pif: hot %x: samples %u entered %u executed %u\n", from,
                tprof_hits(hot[k]), pif_count(from), sum);
    }
    return good & report_check(n > 0, "samples found a hot function");
}

/* ---- climb --------------------------------------------------------------- */

static bool run_climb(const struct options *o)
{
    bool good = true;
    uint32_t from = autopif_chosen(o, &good), round = 0;

    if (!from)
        return false;
    if (!pif_covers(from) || !pif_is_text(from))
        return report_check(false, "pif=climb:ADDRESS is an instruction");
    climb_begin(from);
    do {
        climb_mark(++round, chosen.limit);
        good &= autopif_counted(o);
    } while (climb_collect(round) && round < ROUNDS_MAX);
    good &= report_check(climb_graph(), "there was room for every caller");
    kprintf("pif: %u rounds, %u interrupts lost\n", round, pif_lost());
    return good;
}

/* ---- trap ---------------------------------------------------------------- */

/* Every instruction by which exceptions come and go interrupts, the way to the
 * handler of these interrupts among them; and a function that switches
 * interrupts off and on. */
static bool trap_run(const struct options *o)
{
    uint32_t f = function_index((uint32_t)stat_add), sum = 0;
    const uint32_t part[][2] = {
        {(uint32_t)vectors, (uint32_t)vectors_end},
        {(uint32_t)trap_entry, (uint32_t)trap_end},
        {(uint32_t)stat_add, function_end(f)},
    };
    bool good;

    for (unsigned n = 0; n < 3; n++)
        pif_mark_all(part[n][0], part[n][1], IND_COUNT | IND_EXC);
    good = autopif_counted(o);
    for (unsigned n = 0; n < 3; n++) {
        for (uint32_t at = part[n][0]; at < part[n][1]; at += 4)
            sum += pif_count(at);
    }
    kprintf("pif: executed %u, interrupts %u, lost %u\n", sum, climb_trapped(),
            pif_lost_all());
    return good & report_check(climb_trapped() > 0, "marked traps interrupted");
}

/* ---- threads ------------------------------------------------------------- */

static void say_thread(const struct thread *t)
{
    const struct shadow_tables *own = pif_own_tables(t);
    uint32_t weighed[2], sum[2];

    for (unsigned n = 0; n < 2; n++)
        sum[n] = pif_own_count(t, n, &weighed[n]);
    kprintf("pif: thread %u %s: tables %x %x executed %u weighs %u accessed %u "
            "weighs %u\n",
            t ? t->tid : 0, t ? t->name : "others", (uint32_t)own->of[0],
            (uint32_t)own->of[1], sum[0], weighed[0], sum[1], weighed[1]);
}

/* Every thread of the workload has tables of its own, which go with it from
 * processor to processor: what each executed, and how often it went to the
 * processors' blocks. */
static bool threads_run(const struct options *o)
{
    bool good;

    pif_separate((uint32_t)cpus, (uint32_t)(cpus + MAX_CPUS));
    pif_watch(true);
    good = o->work->run(o);
    runs++;
    counted++;
    pif_watch(false);
    pif_sync();
    say_thread(NULL);
    for (unsigned slot = 0; slot < MAX_THREADS; slot++) {
        const struct thread *t = thread_at(slot);

        if (t && pif_own_tables(t)->of[0])
            say_thread(t);
    }
    return good;
}

/* ---- mark ---------------------------------------------------------------- */

static bool run_mark(const struct options *o)
{
    uint32_t at = chosen.number, end = at + 4, sum = 0;
    bool good;

    if (!pif_covers(at))
        return report_check(false, "pif=mark:ADDRESS is a word of the kernel");
    if (pif_is_text(at) && function_index(at)) {
        end = function_end(function_index(at));
        at = function_start(function_index(at));
    }
    pif_mark_all(at, end, IND_COUNT);
    pif_unmark(at, end);
    good = autopif_counted(o);
    for (uint32_t w = at; w < end; w += 4)
        sum += pif_count(w);
    good &= report_check(!sum, "what is not marked any more does not count");
    pif_mark_all(at, end, IND_COUNT);
    good &= autopif_counted(o);
    for (uint32_t w = at; w < end; w += 4)
        sum += pif_count(w);
    kprintf("pif: marked %x: %u\n", at, sum);
    return good;
}

/* In the kernel's place. */
static bool autopif_run(const struct options *o, bool *all)
{
    static bool (*const uses[])(const struct options *) = {
        NULL,         run_auto,  run_climb,    scan_run,
        run_mark,     sweep_run, perfinst_run, insn_sampling_run,
        branches_run, trap_run,  threads_run};
    uint32_t text;

    if (!chosen.use)
        return false;
    text = checksum();
    *all = pif_init();
    if (!*all)
        return !report_check(false,
                             "this processor has the facility (knob pif)");
    *all = uses[chosen.use](o);
    say_runs();
    *all &= report_check(text == checksum(), "no instruction was changed");
    return true;
}
HOOK(run, 110, autopif_run);
