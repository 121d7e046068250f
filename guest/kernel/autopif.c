/* autopif.c - profiling that runs itself, with marks (docs/guest.md). The
 * workload is run again and again, and each run is measured another way:
 *
 *   auto   sampled by time; then what was hot is marked, and counted
 *   climb  sampled; then the hottest routine has a limit, then who calls it,
 *          and so on up to the root (hotcall.c)
 *   scan   sampled; then page after page of the kernel's text is marked, a
 *          run each, and at last all of it at once
 *   mark   one function or variable is marked, by its address
 *
 * Nobody else has to do anything, and no instruction is changed.
 */
#include "guest/kernel/defs.h"

#define PAGE_BYTES 4096u
#define HOT_MAX 8     /* functions that are marked */
#define HOT_PART 10   /* ... when they have a tenth of the samples */
#define TOP 12        /* functions that a scan prints */
#define ROUNDS_MAX 16 /* of a climb */

bool autopif_parse(struct options *o, char *value)
{
    static const char *const names[] = {"off", "auto", "climb", "scan", "mark"};
    char *rest = text_split(value, ':');

    for (uint32_t n = 0; n < sizeof names / sizeof *names; n++) {
        if (!text_equal(value, names[n]))
            continue;
        o->pif = (enum pif_use)n;
        o->pif_number = 0;
        if (!rest)
            return n != PIF_MARK;
        return n >= PIF_CLIMB && text_number(rest, &o->pif_number);
    }
    return false;
}

/* ---- a run of the workload ------------------------------------------------
 */

/* Every run begins here, once all that was marked holds. */
static __attribute__((noinline)) bool pif_run(const struct options *o)
{
    return o->work->run(o);
}

/* Not inlined: what it executes itself with marks on is always the same. */
static __attribute__((noinline)) bool counted(const struct options *o)
{
    bool good;

    pif_watch(true);
    good = pif_run(o);
    pif_watch(false);
    pif_sync();
    return good;
}

static bool sampled(const struct options *o)
{
    bool good;

    tprof_run(true);
    good = pif_run(o);
    tprof_run(false);
    kprintf("pif: %u samples of one run\n", tprof_samples());
    return good;
}

static uint32_t known(void)
{
    return (uint32_t)(functions_end - functions);
}

static uint32_t end_of(uint32_t index)
{
    return index < known() ? functions[index] : (uint32_t)text_end;
}

/* The one with most of what `of` says, of those that are not taken yet. */
static uint32_t most(uint32_t (*of)(uint32_t), bool *taken)
{
    uint32_t best = 0;

    for (uint32_t n = 1; n <= known(); n++) {
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

static bool say(bool good, const char *what)
{
    kprintf("%s: %s\n", good ? "PASS" : "FAIL", what);
    return good;
}

/* ---- auto -------------------------------------------------------------------
 */

static bool run_auto(const struct options *o)
{
    bool *taken = kalloc(known() + 1), good = sampled(o);
    uint32_t hot[HOT_MAX], n = 0, sum;

    while (n < HOT_MAX) {
        uint32_t next = most(tprof_hits, taken);

        if (!next || tprof_hits(next) * HOT_PART < tprof_samples())
            break;
        pif_mark_all(function_start(next), end_of(next), IND_COUNT);
        hot[n++] = next;
    }
    good &= counted(o);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t from = function_start(hot[k]);

        sum = 0;
        for (uint32_t at = from; at < end_of(hot[k]); at += 4)
            sum += pif_count(at);
        kprintf("pif: hot %x: samples %u entered %u executed %u\n", from,
                tprof_hits(hot[k]), pif_count(from), sum);
    }
    return good & say(n > 0, "samples found a hot function");
}

/* ---- climb ------------------------------------------------------------------
 */

static bool run_climb(const struct options *o)
{
    uint32_t from = o->pif_number, round = 0;
    bool good = true;

    if (!from) {
        good = sampled(o);
        from = function_start(most(tprof_hits, kalloc(known() + 1)));
        if (!say(from != 0, "samples found a hot function"))
            return false;
    }
    if (!pif_covers(from) || !pif_is_text(from))
        return say(false, "pif=climb:ADDRESS is an instruction");
    hotcall_begin(from);
    do {
        hotcall_mark(++round, o->pif_limit);
        good &= counted(o);
    } while (hotcall_collect(round) && round < ROUNDS_MAX);
    good &= say(hotcall_graph(), "there was room for every caller");
    kprintf("pif: %u rounds, %u interrupts lost\n", round, pif_lost());
    return good;
}

/* ---- scan -------------------------------------------------------------------
 */

static uint32_t *scanned; /* executions of each word, page by page */

static uint32_t function_total(uint32_t index)
{
    uint32_t sum = 0;

    for (uint32_t at = function_start(index); at < end_of(index); at += 4)
        sum += scanned[at / 4];
    return sum;
}

static bool scan_page(const struct options *o, uint32_t from, uint32_t end)
{
    uint32_t sum = 0;
    bool good;

    pif_mark_all(from, end, IND_COUNT);
    good = counted(o);
    for (uint32_t at = from; at < end; at += 4)
        sum += scanned[at / 4] = pif_count(at);
    pif_unmark(from, end);
    kprintf("pif: page %x to %x: executed %u\n", from, end, sum);
    return good;
}

static void scan_top(void)
{
    bool *taken = kalloc(known() + 1);
    uint32_t next;

    for (uint32_t n = 0; n < TOP && (next = most(function_total, taken)); n++)
        kprintf("pif: function %x: executed %u samples %u\n",
                function_start(next), function_total(next), tprof_hits(next));
}

static bool run_scan(const struct options *o)
{
    uint32_t end = (uint32_t)text_end, pages = 0, differ = 0, sum = 0, all = 0;
    uint32_t step = PAGE_BYTES * (o->pif_number ? o->pif_number : 1);
    bool good = sampled(o);

    scanned = kalloc(end);
    for (uint32_t from = 0; from < end; from += step, pages++) {
        uint32_t to = end - from < step ? end : from + step;

        good &= scan_page(o, from, to);
    }
    pif_mark_all(0, end, IND_COUNT);
    good &= counted(o);
    for (uint32_t at = 0; at < end; at += 4) {
        uint32_t whole = pif_count(at);

        differ += whole != scanned[at / 4];
        sum += scanned[at / 4];
        all += whole;
    }
    scan_top();
    kprintf("pif: scan: %u runs, executed %u; at once %u, words that differ "
            "%u\n",
            pages, sum, all, differ);
    return good;
}

/* ---- mark -------------------------------------------------------------------
 */

static bool run_mark(const struct options *o)
{
    uint32_t at = o->pif_number, end = at + 4, sum = 0;
    bool good;

    if (!pif_covers(at))
        return say(false, "pif=mark:ADDRESS is a word of the kernel");
    if (pif_is_text(at) && function_index(at)) {
        end = end_of(function_index(at));
        at = function_start(function_index(at));
    }
    pif_mark_all(at, end, IND_COUNT);
    pif_unmark(at, end);
    good = counted(o);
    for (uint32_t w = at; w < end; w += 4)
        sum += pif_count(w);
    good &= say(!sum, "what is not marked any more does not count");
    pif_mark_all(at, end, IND_COUNT);
    good &= counted(o);
    for (uint32_t w = at; w < end; w += 4)
        sum += pif_count(w);
    kprintf("pif: marked %x: %u\n", at, sum);
    return good;
}

bool autopif_run(const struct options *o)
{
    static bool (*const uses[])(const struct options *) = {
        NULL, run_auto, run_climb, run_scan, run_mark};
    uint32_t text = checksum();
    bool good;

    if (!pif_init())
        return say(false, "this processor has the facility (knob pif)");
    good = uses[o->pif](o);
    return good & say(text == checksum(), "no instruction was changed");
}
