/* scan_programs.c - the scan of processes (pif=scan beside run=): the
 * text of each program that is executed is marked part after part while it
 * runs. Nothing interrupts; what was executed is added up, and at the end the
 * sum of the parts stands beside what all of the text at once counts.
 *
 * Without trigger= a part is marked from one execution of the program to the
 * next: one part each, then all at once. With trigger=time: the scan
 * daemon, a process in user mode (guest/prof/sampler/scanner.c), goes to the
 * next part after so many cycles, round after round, while the program runs;
 * here is the kernel's side of it.
 *
 * A part is a number of pages or of functions, or all. exec_lock (marks.c)
 * covers the list of programs until the end.
 */
#include "guest/prof/marks/marks.h"
#include "guest/prof/pif/pif.h"
#include "guest/prof/process/process_prof.h"
#include "guest/prof/sampler/scanner.h"

#define WORD 4
#define TOP 12 /* functions that are printed */

/* A part, and what it is counted by: a marked of one execution or, where time
 * goes by, the program's only one. */
struct part {
    uint32_t from, end;
    uint32_t turns;    /* how often it was marked */
    uint32_t executed; /* when its latest turn began */
    struct marked *marked;
};

struct scanned {
    struct scanned *next;
    const struct node *file; /* NULL: the kernel's own text */
    const char *name;
    uint32_t from, end;  /* its text */
    uint32_t *functions; /* where they begin, ascending */
    uint32_t function_count;
    struct part *part; /* `parts`, and one more: all of the text */
    uint32_t parts, now;
};

static struct scanned *programs;
static uint32_t period; /* cycles of a turn; 0: a part an execution */
static bool begun, over, with_kernel;
static struct process scanner; /* the daemon */
static struct scanner_area *area;

_Static_assert(sizeof(struct scanner_area) < PAGE / 2, "its stack is behind");

/* Before the default is filled in. */
static void note_period(const struct options *o)
{
    (void)o;
    period = idle_options()->period;
}
HOOK(settle, 118, note_period);

static bool take_scanned(char *value)
{
    with_kernel = text_equal(value, "all");
    return with_kernel || text_equal(value, "programs");
}
BOOT_WORD(245, take_scanned, "scanned", "programs|all");

bool scan_has_kernel(void)
{
    return with_kernel;
}

static void settle_scanned(const struct options *o)
{
    if (with_kernel &&
        (!o->program || pif_options()->use != PIF_SCAN || !period))
        bootline_refuse("scanned=all is about pif=scan with trigger=time: and "
                        "run=");
}
HOOK(settle, 915, settle_scanned);

/* ---- parts --------------------------------------------------------------- */

/* Where the part that begins at `from`, with function `index`, ends. */
static uint32_t part_end(const struct scanned *p, uint32_t from, uint32_t index)
{
    uint32_t n = pif_options()->number, bytes = p->end - from;

    switch (pif_options()->scan) {
    case SCAN_PAGES:
        return bytes / PAGE < n ? p->end : from + n * PAGE;
    case SCAN_FUNCTIONS:
        return p->function_count - index < n || index + n == p->function_count
                   ? p->end
                   : p->functions[index + n];
    default:
        return p->end;
    }
}

/* All parts in order, in p->part if that is there: how many. Of functions there
 * is one more for what is in front of the first. */
static uint32_t divide_up(struct scanned *p)
{
    uint32_t n = 0, index = 0, end;

    for (uint32_t from = p->from; from < p->end; from = end, n++) {
        while (index < p->function_count && p->functions[index] < from)
            index++;
        end = part_end(p, from, index);
        if (pif_options()->scan == SCAN_FUNCTIONS && !n && p->function_count &&
            p->functions[0] > from)
            end = p->functions[0];
        if (p->part)
            p->part[n] = (struct part){.from = from, .end = end};
    }
    return n;
}

/* The bytes of the program that can be executed. */
static bool find_text(struct scanned *p, const struct space *s)
{
    for (const struct region *r = s->regions; r; r = r->next) {
        if (!(r->may & MAY_RUN) || !r->origin)
            continue;
        p->from = r->start;
        p->end = r->start + (r->bytes & ~(WORD - 1u));
        return r->bytes >= WORD;
    }
    return false;
}

/* It is divided up, and the last one of the list. NULL: no memory. */
static struct scanned *scanned_add(struct scanned *p)
{
    struct scanned **place = &programs;

    p->parts = divide_up(p);
    p->part = marks_alloc((p->parts + 1) * sizeof *p->part);
    if (!p->part)
        return NULL;
    divide_up(p);
    p->part[p->parts] = (struct part){.from = p->from, .end = p->end};
    while (*place)
        place = &(*place)->next;
    return *place = p;
}

/* NULL: no memory, or there is nothing to be executed. */
static struct scanned *scanned_new(const struct node *file,
                                   const struct space *s)
{
    struct scanned *p = marks_alloc(sizeof *p);

    if (!p || !find_text(p, s))
        return NULL;
    p->file = file;
    p->name = file->name;
    if (!metadata_functions(file, p->from, p->end, &p->functions,
                            &p->function_count))
        return NULL;
    return scanned_add(p);
}

static struct marked *marked_new(const struct scanned *p,
                                 const struct part *part)
{
    struct marked *m = marks_alloc(sizeof *m);
    struct entry *e = m ? marks_alloc(sizeof *e) : NULL;

    if (!e)
        return NULL;
    *e = (struct entry){
        .from = part->from, .end = part->end, .flags = IND_COUNT};
    m->file = p->file;
    m->name = p->name;
    m->entries = e;
    m->text = period ? p->from : part->from;
    m->text_end = period ? p->end : part->end;
    return m;
}

/* A part of the kernel's text, and its functions. */
static void scan_kernel(const char *name, const void *from, const void *end)
{
    struct scanned *p = marks_alloc(sizeof *p);

    if (!p)
        return;
    p->name = name;
    p->from = (uint32_t)from & ~PAGE_MASK;
    p->end = (uint32_t)end & ~(WORD - 1u);
    p->functions = marks_alloc(function_count() * sizeof *p->functions);
    for (uint32_t n = 1; p->functions && n <= function_count(); n++) {
        if (function_start(n) >= p->from && function_start(n) < p->end)
            p->functions[p->function_count++] = function_start(n);
    }
    p->function_count = addresses_sort(p->functions, p->function_count);
    if (!scanned_add(p))
        return;
    p->part->marked = marked_new(p, p->part);
    if (!p->part->marked)
        return;
    p->part->turns++;
    marks_kernel(p->part->marked);
}

/* ---- while they run ------------------------------------------------------ */

/* What a part's own words have counted is added to counts[]: how much it is. */
static uint32_t part_count(const struct scanned *p, const struct part *part,
                           uint32_t *counts)
{
    const struct marked *m = period ? p->part->marked : part->marked;

    return m ? marks_count(m, part->from, part->end, counts) : 0;
}

static struct scanned *scanned_number(uint32_t n)
{
    struct scanned *p = programs;

    while (p && n--)
        p = p->next;
    return p;
}

/* How many processes have the program. */
static uint32_t running(const struct scanned *p)
{
    uint32_t count = 0;

    if (!p->file)
        return 1;
    mutex_lock(&process_lock);
    FOR_PROCESSES(process)
    count += process->state == PROCESS_LIVE && !process->ending &&
             process->space && process->space->marks == p->part->marked;
    mutex_unlock(&process_lock);
    return count;
}

static void show(const struct scanned *p)
{
    area->running = p->part->marked && !over ? running(p) : 0;
    area->parts = p->parts;
    area->part = p->now;
}

static void mark_part(struct scanned *p, uint32_t number)
{
    struct part *before = &p->part[p->now], *part = &p->part[number];

    p->now = number;
    part->turns++;
    part->executed = part_count(p, part, NULL);
    marks_turn(p->part->marked, part->from, part->end);
    area->executed = part_count(p, before, NULL) - before->executed;
}

static int32_t serve(uint32_t what, uint32_t number, uint32_t part)
{
    struct scanned *p;

    if (what == SCANNER_WAIT) {
        thread_sleep(period * machine.tick_cycles);
        return 0;
    }
    mutex_lock(&marks_programs);
    p = scanned_number(number);
    if (p && what == SCANNER_LOOK)
        show(p);
    else if (p && p->part->marked && part < p->parts && !over)
        mark_part(p, part);
    mutex_unlock(&marks_programs);
    return what == SCANNER_LOOK && p;
}

static bool scanner_call(struct task *t, uint32_t number, const uint32_t *a,
                         int32_t *result)
{
    if (number != CALL_SCANNER || t->process != &scanner)
        return false;
    *result = serve(a[0], a[1], a[2]);
    return true;
}
HOOK(call, 120, scanner_call);

static void daemon_begin(void)
{
    if (with_kernel) {
        scan_kernel("kernel", _start, text_end);
        scan_kernel("process", process_vectors, process_functions);
    }
    text_copy(scanner.name, "scan", NAME_SIZE);
    lent_begin(&scanner, PID_PROFILER + 1);
    area = lent_page(&scanner, SCANNER_PAGE);
    task_start(lent_thread(&scanner, SCANNER_PAGE, (uint32_t)scanner_process,
                           THREAD_IS_DAEMON, PRIO_MAIN, ALL_CPUS));
}

/* Marks for an execution of the program; NULL: none, all is counted. */
static struct marked *marks_of_next(struct scanned *p)
{
    struct part *part = &p->part[p->now];

    if (period && p->part->marked)
        return p->part->marked;
    if (p->now > p->parts)
        return NULL;
    part->marked = marked_new(p, part);
    if (!part->marked)
        return NULL;
    part->turns++;
    p->now += !period;
    return part->marked;
}

struct marked *scan_program(const struct node *file, const struct space *s)
{
    struct scanned *p = programs;

    if (period && !begun)
        daemon_begin();
    begun = true;
    while (p && p->file != file)
        p = p->next;
    if (!p)
        p = scanned_new(file, s);
    return p ? marks_of_next(p) : NULL;
}

/* ---- at the end ---------------------------------------------------------- */

/* The same, to their places in sum[]. */
static uint32_t add_part(const struct scanned *p, const struct part *part,
                         uint32_t *sum)
{
    return part_count(p, part, &sum[(part->from - p->from) / WORD]);
}

static void say_parts(const struct scanned *p, uint32_t *sum)
{
    static const char *const words[] = {"page", "functions", "all", "all"};

    for (uint32_t n = 0; n < p->parts; n++) {
        const struct part *part = &p->part[n];
        uint32_t executed = add_part(p, part, sum);

        if (part->turns)
            kprintf("pif: %s: %s %x to %x: executed %u in %u turns\n", p->name,
                    words[pif_options()->scan], part->from, part->end, executed,
                    part->turns);
    }
}

/* What each function has executed goes to total[]. */
static void add_functions(const struct scanned *p, const uint32_t *sum,
                          uint32_t *total)
{
    uint32_t n = 0;

    if (!p->function_count)
        return;
    for (uint32_t at = p->functions[0]; at < p->end; at += WORD) {
        if (n + 1 < p->function_count && at == p->functions[n + 1])
            n++;
        total[n] += sum[(at - p->from) / WORD];
    }
}

/* The functions with most executions, most first. */
static void say_functions(const struct scanned *p, const uint32_t *sum)
{
    uint32_t *total = marks_alloc(p->function_count * sizeof *total);

    if (!total)
        return;
    add_functions(p, sum, total);
    for (unsigned n = 0; n < TOP; n++) {
        uint32_t best = 0;

        for (uint32_t i = 1; i < p->function_count; i++) {
            if (total[i] > total[best])
                best = i;
        }
        if (!p->function_count || !total[best])
            return;
        kprintf("pif: %s: function %x: executed %u\n", p->name,
                p->functions[best], total[best]);
        total[best] = 0;
    }
}

static void say_program(const struct scanned *p)
{
    uint32_t words = (p->end - p->from) / WORD, parts = 0, all = 0, differ = 0;
    uint32_t *sum = marks_alloc(words * sizeof *sum);
    uint32_t *whole = marks_alloc(words * sizeof *whole);
    const struct part *last = &p->part[p->parts];
    uint32_t executed = 0;

    if (!sum || !whole)
        return; /* it is said that memory is used up */
    say_parts(p, sum);
    say_functions(p, sum);
    for (uint32_t n = 0; n < p->parts; n++)
        parts += p->part[n].turns > 0;
    all = add_part(p, last, whole);
    for (uint32_t n = 0; n < words; n++) {
        executed += sum[n];
        differ += sum[n] != whole[n];
    }
    kprintf("pif: %s: scan: %u of %u parts, executed %u", p->name, parts,
            p->parts, executed);
    if (!period && last->turns)
        kprintf("; at once %u, words that differ %u", all, differ);
    kprintf("\n");
}

void scan_programs_end(void)
{
    mutex_lock(&marks_programs);
    over = true;
    mutex_unlock(&marks_programs);
}

void scan_programs_say(void)
{
    for (const struct scanned *p = programs; p; p = p->next)
        say_program(p);
    if (area)
        kprintf("pif: scan daemon: %u turns, collected %u\n", area->turns,
                area->collected);
}
