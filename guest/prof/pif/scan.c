/* scan.c - the scan daemon: it marks the kernel's text part after part, lets
 * the workload run once for each, and adds up what was executed. Nothing
 * interrupts, so it counts where interrupts are off as well; a profiler by time
 * runs first, to be compared with. At last all of the text is marked at once.
 *
 * A part is a number of pages or of functions, a folder of guest/, or all.
 */
#include "guest/prof/pif/pif.h"

#define PAGE_BYTES 4096u
#define TOP 12 /* functions that are printed */

/* In the order of their addresses; what is behind the last is the compiler's
 * library, and what a test adds. */
static const struct {
    const char *name, *end;
} modules[] = {{"boot", boot_end},
               {"kernel", core_end},
               {"lib", lib_end},
               {"work", work_end},
               {"others", text_end}};

static uint32_t *scanned; /* executions of each word, part by part */
static uint32_t *totals;  /* ... of each function */

/* PAGES, func, func:COUNT, module, all, or nothing: a page. */
bool scan_parse(struct pif_options *o, char *group)
{
    char *rest = group ? text_split(group, ':') : NULL;

    o->scan = SCAN_PAGES;
    o->number = 1;
    if (!group)
        return true;
    if (text_equal(group, "func"))
        o->scan = SCAN_FUNCTIONS;
    else if (!rest && text_equal(group, "module"))
        o->scan = SCAN_MODULES;
    else if (!rest && text_equal(group, "all"))
        o->scan = SCAN_ALL;
    else
        return !rest && text_number(group, &o->number) && o->number;
    return !rest || (text_number(rest, &o->number) && o->number);
}

/* The module that begins at `from` or around it. */
static unsigned module_at(uint32_t from)
{
    unsigned n = 0;

    while ((uint32_t)modules[n].end <= from)
        n++;
    return n;
}

/* Where the part that begins at `from` ends, the text's end at most. */
static uint32_t part_end(uint32_t from)
{
    const struct pif_options *o = pif_options();
    uint32_t end = (uint32_t)text_end, index;

    switch (o->scan) {
    case SCAN_PAGES:
        if ((end - from) / PAGE_BYTES >= o->number)
            return from + PAGE_BYTES * o->number;
        return end;
    case SCAN_FUNCTIONS: /* a part more for assembly before the first one */
        index = from < *functions ? 0 : function_index(from);
        if (!index)
            return *functions;
        if (o->number > function_count() - index)
            return end;
        return function_end(index + o->number - 1);
    case SCAN_MODULES:
        return (uint32_t)modules[module_at(from)].end;
    default:
        return end;
    }
}

static uint32_t function_total(uint32_t index)
{
    return totals[index];
}

static void add_up(void)
{
    totals = kalloc((function_count() + 1) * sizeof *totals);
    for (uint32_t n = 1; n <= function_count(); n++) {
        uint32_t at = function_start(n), end = function_end(n);

        for (; at < end; at += 4)
            totals[n] += scanned[at / 4];
    }
}

static void say_part(uint32_t from, uint32_t end, uint32_t sum)
{
    enum scan_group group = pif_options()->scan;
    static const char *const words[] = {"page", "functions", "module", "all"};

    kprintf("pif: %s %x to %x%s%s: executed %u\n", words[group], from, end,
            group == SCAN_MODULES ? " " : "",
            group == SCAN_MODULES ? modules[module_at(from)].name : "", sum);
}

static bool scan_part(const struct options *o, uint32_t from, uint32_t end)
{
    uint32_t sum = 0;
    bool good;

    pif_mark_all(from, end, IND_COUNT);
    good = autopif_counted(o);
    pif_counts(from, end, scanned + from / 4);
    for (uint32_t n = from / 4; n < end / 4; n++)
        sum += scanned[n];
    pif_unmark(from, end);
    say_part(from, end, sum);
    return good;
}

static void scan_top(void)
{
    bool *taken = kalloc(function_count() + 1);
    uint32_t next;

    for (uint32_t n = 0;
         n < TOP && (next = autopif_most(function_total, taken)); n++)
        kprintf("pif: function %x: executed %u samples %u\n",
                function_start(next), function_total(next), tprof_hits(next));
}

bool scan_run(const struct options *o)
{
    uint32_t end = (uint32_t)text_end, runs = 0, differ = 0, sum = 0, all = 0;
    uint32_t *whole = kalloc(end);
    bool good = autopif_sampled(o);

    scanned = kalloc(end);
    for (uint32_t from = 0, to; from < end; from = to, runs++) {
        to = part_end(from);
        good &= scan_part(o, from, to);
    }
    pif_mark_all(0, end, IND_COUNT);
    good &= autopif_counted(o);
    pif_counts(0, end, whole);
    for (uint32_t n = 0; n < end / 4; n++) {
        differ += whole[n] != scanned[n];
        sum += scanned[n];
        all += whole[n];
    }
    add_up();
    scan_top();
    kprintf("pif: scan: %u runs, executed %u; at once %u, words that differ "
            "%u\n",
            runs, sum, all, differ);
    return good;
}
