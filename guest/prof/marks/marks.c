/* marks.c - pif=own and pif=scan of programs: what a program's metadata, or the
 * scan, marks is counted in its pages, from its first instruction on
 * (docs/guest.md).
 *
 * Shadow storage goes by addresses of memory. Two segments of the facility, one
 * for instructions and one for data, cover all pages of processes; the entries
 * of their translation tables change together with the page tables. So what a
 * thread executes is counted on whichever processor it runs, and processes that
 * share a page count in one place.
 *
 * A page's shadow blocks, its performance segment, are taken out of the tables
 * when its memory is given back, and put back, with their counts, where the
 * page comes to be next. A copy of a page has blocks of its own.
 */
#include "guest/prof/marks/marks.h"
#include "guest/prof/pif/pif.h"
#include "guest/prof/process/process_prof.h"
#include "include/perfinst.h"

#define WORD 4
#define STORE (64u << 10) /* bytes for shadow blocks at least */
#define KERNEL_BYTES ((uint32_t)lent_text) /* that can be the kernel's text */

/* A full shadow block, and whose it is. */
struct shadow {
    struct shadow *next;
    uint32_t offset; /* of its line in the page */
    bool data;
    volatile uint32_t block[];
};

static uint32_t line;                /* bytes of a block: fixed after boot */
static uint32_t base, size;          /* the pages of processes: likewise */
static uint32_t *tables[2];          /* of instructions, of data: lock */
static uint32_t *kernel_table;       /* of the kernel's instructions; or NULL */
static struct segment **of_frame;    /* lock */
static uint32_t next_free, end_free; /* alloc_lock */
static bool exhausted, wrong;
static struct marked *programs; /* marks_programs */
struct mutex marks_programs;
static struct spinlock lock, alloc_lock; /* in this order */
static volatile bool on;

void *marks_alloc(uint32_t bytes)
{
    uint32_t msr = spin_lock(&alloc_lock), at = next_free;
    bool good = ((bytes + 15) & ~15u) <= end_free - at;

    if (good)
        next_free += (bytes + 15) & ~15u;
    else
        exhausted = true;
    spin_unlock(&alloc_lock, msr);
    return good ? (void *)at : NULL;
}

/* ---- the processors ------------------------------------------------------ */

uint32_t marks_mode(void)
{
    if (!on)
        return 0;
    return PIFM_IE | PIFM_DE | PIFM_US | PIFM_P0 | PIFM_P1 |
           (kernel_table ? PIFM_SU : 0);
}

static void control(struct cpu *c)
{
    mtspr(SPR_HID0, mfspr(SPR_HID0) | HID0_PIFE);
    for (uint32_t n = 0; n < 2; n++) {
        mtspr(SPR_PIFSEG, n);
        mtspr(SPR_PIFST, tables[n]);
        mtspr(SPR_PIFSZ, on ? size : 0);
        mtspr(SPR_PIFSB, base | (n ? SEGMENT_DATA : SEGMENT_INSN));
    }
    mtspr(SPR_PIFSEG, 2);
    mtspr(SPR_PIFST, kernel_table);
    mtspr(SPR_PIFSZ, on && kernel_table ? KERNEL_BYTES : 0);
    mtspr(SPR_PIFSB, SEGMENT_INSN);
    mtspr(SPR_PIFM, marks_mode());
    if (!on)
        registers_stop(c);
}

/* A word of both tables for each line of memory, a word for each page, and a
 * part of the memory for shadow blocks. */
static uint32_t reserve(uint32_t from, uint32_t bytes)
{
    uint32_t lines = bytes / line * 4, all;
    uint32_t kernel = scan_has_kernel() ? KERNEL_BYTES / line * 4 : 0;

    tables[0] = (uint32_t *)from;
    tables[1] = (uint32_t *)(from + lines);
    of_frame = (struct segment **)(from + 2 * lines);
    next_free = from + 2 * lines + bytes / PAGE * sizeof *of_frame;
    if (kernel)
        kernel_table = (uint32_t *)next_free;
    next_free = (next_free + kernel + 15) & ~15u;
    end_free = next_free + (bytes / 4 > STORE ? bytes / 4 : STORE);
    all = (end_free - from + PAGE_MASK) & ~PAGE_MASK;
    base = from + all;
    size = bytes & ~PAGE_MASK;
    on = true;
    cpus_call(control);
    return all;
}

/* ---- pages --------------------------------------------------------------- */

/* The shadow of a word: indicator, count, limit, hits. NULL: it has none. */
static volatile uint32_t *shadow_of(const struct segment *g, uint32_t at,
                                    bool data)
{
    uint32_t offset = at & PAGE_MASK & ~(line - 1);
    struct shadow *s = g->by_line ? g->by_line[offset / line] : g->shadows;

    while (s && (s->offset != offset || s->data != data))
        s = s->next;
    return s ? s->block + (SHADOW_ENTRY + 16 * (at % line / WORD)) / WORD
             : NULL;
}

static volatile uint32_t *make_shadow(struct segment *g, uint32_t at, bool data)
{
    volatile uint32_t *w = shadow_of(g, at, data);
    struct shadow *s;

    if (w)
        return w;
    s = marks_alloc(sizeof *s + SHADOW_FULL_BYTES(line));
    if (!s)
        return NULL;
    s->offset = at & PAGE_MASK & ~(line - 1);
    s->data = data;
    s->next = g->shadows;
    g->shadows = s;
    if (g->by_line)
        g->by_line[s->offset / line] = s;
    return shadow_of(g, at, data);
}

static uint32_t later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static bool in_page(const struct entry *e, uint32_t page)
{
    return e->from < page + PAGE && e->end > page;
}

/* For each word of e that is in the page. */
#define FOR_WORDS(at, e, page)                                                 \
    for (uint32_t at = later((e)->from, page);                                 \
         at < (e)->end && at < (page) + PAGE; at += WORD)

/* Mark what the entry has in the page. */
static void mark_segment(struct segment *g, const struct entry *e)
{
    uint32_t indicator = e->flags & IND_ALL;

    if (!in_page(e, g->at) || !indicator)
        return;
    FOR_WORDS(at, e, g->at)
    {
        volatile uint32_t *w = make_shadow(g, at, e->data);

        if (!w)
            break;
        w[0] |= indicator;
        if (e->limit)
            w[2] = e->limit;
    }
}

static struct segment *make_segment(struct marked *m, uint32_t page)
{
    struct segment *g = marks_alloc(sizeof *g);

    if (!g)
        return NULL;
    g->at = page;
    if (m->text_end) {
        g->by_line = marks_alloc(PAGE / line * sizeof *g->by_line);
        if (!g->by_line)
            return NULL;
    }
    for (const struct entry *e = m->entries; e; e = e->next)
        mark_segment(g, e);
    g->next = m->segments;
    m->segments = g;
    return g;
}

/* Where a table leads from that place in memory. */
static uint32_t *table_entry(uint32_t at, bool data)
{
    return at < base ? &kernel_table[at / line]
                     : &tables[data][(at - base) / line];
}

/* Put the segment's blocks into the tables, or take them out: what processors
 * hold of it is added to them then. */
static void attach(struct segment *g, uint32_t frame, bool in)
{
    for (struct shadow *s = g->shadows; s; s = s->next) {
        uint32_t at = frame + s->offset;

        s->block[SHADOW_TAG / WORD] = at;
        *table_entry(at, s->data) = in ? (uint32_t)s->block | SHADOW_FULL : 0;
    }
    pif_sync();
    g->frame = in ? frame : 0;
    if (frame >= base)
        of_frame[(frame - base) / PAGE] = in ? g : NULL;
}

/* Are there marks in the page, or will there be? */
static bool has_marks(const struct marked *m, uint32_t page)
{
    const struct entry *e = m->entries;

    if (page + PAGE > m->text && page < m->text_end)
        return true;
    while (e && !in_page(e, page))
        e = e->next;
    return e;
}

/* The page at `at` of s is in that memory now. */
static void came(const struct space *s, uint32_t at, uint32_t frame)
{
    struct marked *m = s->marks;
    struct segment *g;
    uint32_t msr;

    at &= ~PAGE_MASK;
    if (!m || !has_marks(m, at))
        return;
    msr = spin_lock(&lock);
    g = m->segments;
    while (g && (g->at != at || g->frame))
        g = g->next;
    if (g)
        g->returns++;
    else
        g = make_segment(m, at);
    if (g)
        attach(g, frame, true);
    spin_unlock(&lock, msr);
}

/* The memory has no owner any more. */
static void left(uint32_t frame)
{
    uint32_t msr = spin_lock(&lock);
    struct segment *g = of_frame[(frame - base) / PAGE];

    if (g)
        attach(g, frame, false);
    spin_unlock(&lock, msr);
}

/* Where it was counted the word is in memory: there all processors' counts are
 * taken. If its page has gone since, they have been added to its segment. */
uint32_t marks_take(struct marked *m, const struct space *s, uint32_t at,
                    bool data)
{
    const uint32_t *leaf = s->table[at >> 22];
    uint32_t entry = leaf ? leaf[at / PAGE & 0x3FF] : 0, count = 0;
    uint32_t frame = entry & ~PAGE_MASK, msr = spin_lock(&lock);
    struct segment *g =
        entry & ENTRY_HERE ? of_frame[(frame - base) / PAGE] : NULL;

    if (g && g->at == (at & ~PAGE_MASK)) {
        count = pif_clear(frame | (at & PAGE_MASK), data);
    } else {
        for (g = m->segments; g && !count; g = g->next) {
            volatile uint32_t *w = g->at == (at & ~PAGE_MASK) && !g->frame
                                       ? shadow_of(g, at, data)
                                       : NULL;

            if (w && w[1] > w[2]) {
                count = w[1];
                w[1] = 0;
            }
        }
    }
    spin_unlock(&lock, msr);
    return count;
}

/* ---- parts in turn ------------------------------------------------------- */

/* In or out of the tables, all segments of m that have something of e. */
static void attach_entry(struct marked *m, const struct entry *e, bool in)
{
    for (struct segment *g = m->segments; g; g = g->next) {
        uint32_t frame = g->frame;

        if (!frame || !in_page(e, g->at))
            continue;
        attach(g, frame, in);
        g->frame = frame;
        if (frame >= base)
            of_frame[(frame - base) / PAGE] = g;
    }
}

/* All are made before the first one counts. */
void marks_kernel(struct marked *m)
{
    uint32_t msr;

    for (uint32_t page = m->text & ~PAGE_MASK; page < m->text_end;
         page += PAGE) {
        if (!make_segment(m, page))
            return;
    }
    msr = spin_lock(&lock);
    for (struct segment *g = m->segments; g; g = g->next)
        attach(g, g->at, true);
    spin_unlock(&lock, msr);
}

/* The blocks are out of the tables while their words change. */
void marks_turn(struct marked *m, uint32_t from, uint32_t end)
{
    uint32_t msr = spin_lock(&lock);
    struct entry *e = m->entries;

    attach_entry(m, e, false);
    for (struct segment *g = m->segments; g; g = g->next) {
        if (!in_page(e, g->at))
            continue;
        FOR_WORDS(at, e, g->at)
        {
            volatile uint32_t *w = shadow_of(g, at, false);

            if (w)
                *w = 0;
        }
    }
    e->from = from;
    e->end = end;
    for (struct segment *g = m->segments; g; g = g->next)
        mark_segment(g, e);
    attach_entry(m, e, true);
    spin_unlock(&lock, msr);
}

uint32_t marks_count(const struct marked *m, uint32_t from, uint32_t end,
                     uint32_t *counts)
{
    const struct entry e = {.from = from, .end = end};
    uint32_t all = 0;

    for (const struct segment *g = m->segments; g; g = g->next) {
        if (!in_page(&e, g->at))
            continue;
        FOR_WORDS(at, &e, g->at)
        {
            volatile uint32_t *w = shadow_of(g, at, false);

            if (counts)
                counts[(at - from) / WORD] += w ? w[1] : 0;
            all += w ? w[1] : 0;
        }
    }
    return all;
}

/* ---- programs ------------------------------------------------------------ */

static struct marked *program_of(const struct node *file)
{
    struct marked *m = programs;

    while (m && m->file != file)
        m = m->next;
    return m;
}

/* One whose metadata cannot be read has no marks. NULL: no memory. */
static struct marked *program_new(const struct node *file,
                                  const struct space *s)
{
    struct marked *m = marks_alloc(sizeof *m), **place = &programs;

    if (!m)
        return NULL;
    m->file = file;
    m->name = file->name;
    if (!metadata_read(m, s)) {
        m->entries = NULL;
        m->registers = NULL;
        wrong = true;
    }
    while (*place)
        place = &(*place)->next;
    return *place = m;
}

static void program_begins(const struct process *p, const struct node *file)
{
    struct space *s = p->space;

    if (!page_watch)
        return;
    mutex_lock(&marks_programs);
    if (pif_options()->use == PIF_SCAN) {
        s->marks = scan_program(file, s);
    } else {
        s->marks = program_of(file);
        if (!s->marks)
            s->marks = program_new(file, s);
    }
    registers_begin(p, s->marks);
    mutex_unlock(&marks_programs);
}
HOOK(program, 100, program_begins);

static const struct page_watch watch = {reserve, came, left};

/* Of programs their own metadata, or a scan, is all that can be asked for. */
static void settle_marks(const struct options *o)
{
    if (!o->program || !pif_options()->use)
        return;
    if (pif_options()->use != PIF_OWN && pif_options()->use != PIF_SCAN)
        bootline_refuse("pif= is about the workloads in the kernel, but for "
                        "pif=own and pif=scan; run= has none");
    mtspr(SPR_HID0, mfspr(SPR_HID0) | HID0_PIFE);
    if (!(mfspr(SPR_HID0) & HID0_PIFE))
        bootline_refuse("pif=: this processor has no marks (knob pif)");
    line = (mfspr(SPR_PIFC) & PIFC_BLOCK) >> PIFC_BLOCK_SHIFT;
    page_watch = &watch;
}
HOOK(settle, 910, settle_marks);

/* ---- at the end ---------------------------------------------------------- */

static void say_entry(const struct marked *m, const struct entry *e,
                      uint32_t number)
{
    uint32_t count = 0, hits = 0;

    for (const struct segment *g = m->segments; g; g = g->next) {
        if (!in_page(e, g->at))
            continue;
        FOR_WORDS(at, e, g->at)
        {
            volatile uint32_t *w = shadow_of(g, at, e->data);

            count += w ? w[1] : 0;
            hits += w ? w[3] : 0;
        }
    }
    kprintf("pif: %s: entry %u: %s %x to %x flags %x: ", m->name, number,
            e->data ? "data" : "code", e->from, e->end, e->flags);
    if (e->flags & IND_ALL)
        kprintf("counted %u exceeded %u", count + e->captured, hits);
    if (e->flags & (IND_EXC | IND_LIMIT | IND_THEXC))
        kprintf(" interrupts %u", e->interrupts);
    if (e->flags & PERFINST_RANGE)
        kprintf("%sexecuted %u entered %u", e->flags & IND_ALL ? " " : "",
                m->registers->range[e->range].executed,
                m->registers->range[e->range].entries);
    kprintf("\n");
}

static bool say_marks(void)
{
    if (!on)
        return true;
    scan_programs_end();
    on = false;
    cpus_call(control);
    scan_programs_say();
    for (const struct marked *m = programs; m; m = m->next) {
        uint32_t number = 0, pages = 0, returns = 0;

        for (const struct entry *e = m->entries; e; e = e->next)
            say_entry(m, e, ++number);
        if (m->registers)
            kprintf("pif: %s: in windows %u, traced %u\n", m->name,
                    m->registers->windowed, m->registers->traced);
        for (const struct segment *g = m->segments; g; g = g->next) {
            pages++;
            returns += g->returns;
        }
        if (pages)
            kprintf(
                "pif: %s: %u performance segments, %u times one came back\n",
                m->name, pages, returns);
    }
    if (registers_lost())
        kprintf("pif: interrupts of marks that were lost: %u\n",
                registers_lost());
    return report_check(!wrong, "the metadata of programs can be read") &
           report_check(!exhausted, "memory is left for marks of programs");
}
HOOK(report, 135, say_marks);
