/* pif.c - driver of the performance instrumentation facility (docs/pif.md).
 *
 * Two segments of main storage have shadow storage: the kernel's text, looked
 * up for instructions, and all of the kernel, looked up for data. Their
 * translation tables exist from the first use; a block of shadow storage is
 * made when a word in it is marked first, and stays.
 *
 * How long a block is the processor says (PIFC): as long as its cache lines.
 *
 * A processor's own registers it must set itself: who changes the mode asks
 * all the others by an interrupt and waits until they have.
 */
#include "guest/prof/pif/pif.h"

#define SPR_PIFLOST 662
#define SPR_PIFTH0 664

#define PAGE_BYTES 4096u

static struct area {
    uint32_t base, size, use; /* use: SEGMENT_... */
    uint32_t *table;          /* one word a line; 0: nothing marked */
    bool marked;              /* a word of it is, or was */
} area[2];

static uint32_t line, full;         /* bytes of a block, and of its shadow */
static volatile uint32_t mode;      /* PIFM of every CPU */
static volatile uint32_t threshold; /* cycles of a data access ... */
static volatile bool timed;         /* ... if it is in use */
static uint32_t lost[MAX_CPUS];     /* interrupts that a CPU could not take */

static uint32_t up(uint32_t n)
{
    return (n + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
}

static void cover(struct area *a, uint32_t from, uint32_t end, uint32_t use)
{
    a->base = from;
    a->size = up(end) - from;
    a->use = use;
    a->table = kalloc(a->size / line * 4);
}

/* How shadow storage is laid out here. */
void pif_say(void)
{
    kprintf("pif: lines of %u bytes, shadow blocks of %u, tables of %u and "
            "%u\n",
            line, full, area[0].size / line * 4, area[1].size / line * 4);
}

/* ---- the registers of every processor ------------------------------------ */

static void program(void)
{
    mtspr(SPR_HID0, mfspr(SPR_HID0) | HID0_PIFE);
    for (uint32_t n = 0; n < 2; n++) {
        mtspr(SPR_PIFSEG, n);
        mtspr(SPR_PIFST, area[n].table);
        mtspr(SPR_PIFSZ, area[n].size);
        mtspr(SPR_PIFSB, area[n].base | area[n].use);
    }
    if (timed)
        mtspr(SPR_PIFTH0, threshold);
    mtspr(SPR_PIFM, 0);
    range_program(mode != 0);
    count_areas_program(mode != 0);
    if (mode)
        mtspr(SPR_PIFM, mode);
}

/* What has changed, on one CPU. Interrupts are off. */
static void control(struct cpu *c)
{
    program();
    lost[c->number] = pif_lost();
    insn_sampling_control(c);
    branches_control();
}

/* Once, before anything is marked. False: this processor has no facility. */
bool pif_init(void)
{
    uint32_t hid0 = mfspr(SPR_HID0);

    mtspr(SPR_HID0, hid0 | HID0_PIFE);
    if (!(mfspr(SPR_HID0) & HID0_PIFE))
        return false;
    line = (mfspr(SPR_PIFC) & PIFC_BLOCK) >> PIFC_BLOCK_SHIFT;
    full = SHADOW_FULL_BYTES(line);
    cover(&area[0], 0, (uint32_t)functions_end, SEGMENT_INSN);
    cover(&area[1], 0, (uint32_t)kernel_end, SEGMENT_DATA);
    cpus_call(control);
    return true;
}

/* Look up marks, or not, on all CPUs. */
void pif_watch(bool on)
{
    mode = on ? PIFM_SU | PIFM_P0 | PIFM_P1 | PIFM_XE : 0;
    for (unsigned n = 0; on && n < 2; n++) {
        if (area[n].marked || range_any(n))
            mode |= n ? PIFM_DE : PIFM_IE;
        if (range_any(n))
            mode |= PIFM_RE;
    }
    if (on && count_areas_any())
        mode |= PIFM_DE;
    if (on && timed)
        mode |= PIFM_TA;
    cpus_call(control);
}

/* From the next pif_watch on IND_TH0 means: the data access of the instruction
 * took more than so many cycles. */
void pif_threshold(uint32_t cycles)
{
    threshold = cycles;
    timed = true;
}

/* Instructions are followed, or not any more, or the branch record is. */
void pif_follow(bool on)
{
    mode = on ? PIFM_SU | PIFM_P0 | PIFM_P1 | PIFM_XE : 0;
    cpus_call(control);
}

uint32_t pif_lost(void)
{
    return mfspr(SPR_PIFLOST);
}

/* Of all processors, as each had it when it was told to change the last time.
 */
uint32_t pif_lost_all(void)
{
    uint32_t sum = 0;

    FOR_CPUS (c)
        sum += lost[c->number];
    return sum;
}

/* ---- marks --------------------------------------------------------------- */

void pif_sync(void)
{
    __asm__ volatile(".long 0x14000009" : : : "memory");
}

/* Can a mark of this word be kept, of the instruction or of the data there? */
bool pif_has(uint32_t at, bool data)
{
    return at % 4 == 0 && at - area[data].base < area[data].size;
}

/* A word given by its address alone: text or data? */
bool pif_is_text(uint32_t at)
{
    return pif_has(at & ~3u, false);
}

bool pif_covers(uint32_t at)
{
    return pif_has(at, !pif_is_text(at));
}

static uint32_t line_start(uint32_t at)
{
    return at & ~(line - 1);
}

/* The shadow of the line of a word. */
static volatile uint32_t *block_of(uint32_t at, bool data)
{
    struct area *a = &area[data];
    uint32_t *entry;

    if (!pif_has(at, data))
        panic("pif: %x has no shadow", at);
    entry = &a->table[(at - a->base) / line];
    if (!*entry) {
        uint32_t *block = kalloc(full);

        block[SHADOW_TAG / 4] = line_start(at);
        *entry = (uint32_t)block | SHADOW_FULL;
    }
    return (uint32_t *)(*entry & ~(uint32_t)SHADOW_FORMAT);
}

/* Which words of the shadow are about a word: from this one on. */
static uint32_t word_of(uint32_t at)
{
    return (SHADOW_ENTRY + 16 * (at % line / 4)) / 4;
}

/* What it has about the word: indicator, count, limit, hits. */
static volatile uint32_t *shadow_of(uint32_t at, bool data)
{
    return block_of(at, data) + word_of(at);
}

static void word_set(volatile uint32_t *w, uint32_t indicator, uint32_t limit)
{
    w[0] = indicator;
    w[1] = 0;
    w[2] = limit;
    w[3] = 0;
}

/* All words of a line by the one indicator that they have in common. */
static void mark_line(uint32_t at, uint32_t indicator)
{
    volatile uint32_t *block = block_of(at, !pif_is_text(at));

    block[SHADOW_ALL / 4] = indicator;
    for (unsigned n = 0; n < line / 4; n++)
        word_set(block + SHADOW_ENTRY / 4 + 4 * n, 0, 0);
}

/* The part of from to end that is on the line of from: is it the whole line? */
static bool whole_line(uint32_t from, uint32_t end)
{
    return from == line_start(from) && end - from >= line;
}

/* Mark a word; its count begins at 0. pif_sync makes it hold everywhere. */
void pif_mark(uint32_t at, uint32_t indicator, uint32_t limit)
{
    bool data = !pif_is_text(at);

    area[data].marked = true;
    word_set(shadow_of(at, data), indicator, limit);
}

/* The same in addition to what it has, which keeps its counts. */
void pif_join(uint32_t at, bool data, uint32_t indicator, uint32_t limit)
{
    volatile uint32_t *w = shadow_of(at, data);

    area[data].marked = true;
    w[0] |= indicator;
    if (limit)
        w[2] = limit;
}

/* Every word from `from` to before `end`. */
void pif_mark_all(uint32_t from, uint32_t end, uint32_t indicator)
{
    area[!pif_is_text(from)].marked = true;
    while (from < end) {
        bool whole = whole_line(from, end);

        if (whole)
            mark_line(from, indicator);
        else
            word_set(shadow_of(from, !pif_is_text(from)), indicator, 0);
        from += whole ? line : 4;
    }
    pif_sync();
}

/* Of a line of which a part is unmarked the others have marks of their own. */
static void unmark_in_line(uint32_t from, uint32_t end)
{
    volatile uint32_t *block = block_of(from, !pif_is_text(from));
    volatile uint32_t *w = block + SHADOW_ENTRY / 4;

    if (!whole_line(from, end)) {
        for (unsigned n = 0; n < line / 4; n++)
            w[4 * n] |= block[SHADOW_ALL / 4];
    }
    block[SHADOW_ALL / 4] = 0;
    for (; from < end; from += 4)
        block[word_of(from)] = 0;
}

/* ---- tables of a thread's own -------------------------------------------- */

static struct shadow_tables main_tables; /* of threads without their own */
static uint32_t own_from[2], own_end[2]; /* what is marked in them */
static struct shadow_tables own_tables[MAX_THREADS]; /* by slot */
static bool separate;

/* A table for one of the areas, with a shadow block for each line that is
 * marked. */
static uint32_t *table_make(unsigned n)
{
    const struct area *a = &area[n];
    uint32_t *entry = kalloc(a->size / line * 4), *table = entry;
    uint32_t at = line_start(own_from[n]);
    uint32_t lines = (own_end[n] - at + line - 1) / line;
    uint32_t *block = kalloc(lines * full);

    entry += (at - a->base) / line;
    for (; lines--; at += line, block += full / 4) {
        block[SHADOW_TAG / 4] = at;
        block[SHADOW_ALL / 4] = IND_COUNT;
        *entry++ = (uint32_t)block | SHADOW_FULL;
    }
    return table;
}

static void tables_make(struct shadow_tables *t)
{
    t->of[0] = table_make(0);
    t->of[1] = table_make(1);
}

/* Where its tables are, or NULL; of no thread: those of who have none. */
const struct shadow_tables *pif_own_tables(const struct thread *t)
{
    return t ? &own_tables[(t->tid - 1) % MAX_THREADS] : &main_tables;
}

/* A thread is made. */
static void tables_give(struct thread *t)
{
    struct shadow_tables *own = &own_tables[(t->tid - 1) % MAX_THREADS];

    *own = (struct shadow_tables){0};
    if (separate)
        tables_make(own);
}
HOOK(thread, 120, tables_give);

/* Another thread runs here: this processor's frames of the one before are
 * written back by the registers. Interrupts are off. */
static void tables_load(struct cpu *c, const struct thread *out)
{
    const struct shadow_tables *own = pif_own_tables(c->current);

    (void)out;
    if (!own->of[0])
        own = &main_tables;
    for (uint32_t n = 0; n < 2; n++) {
        mtspr(SPR_PIFSEG, n);
        mtspr(SPR_PIFST, own->of[n]);
    }
}

static struct hook tables_hook = {.call = tables_load};

/* From now on each thread counts for itself: executions of the text, accesses
 * of the data from `from` to before `end`. Those that are there already share
 * a pair of tables. */
void pif_separate(uint32_t from, uint32_t end)
{
    own_from[0] = 0;
    own_end[0] = (uint32_t)text_end;
    own_from[1] = from;
    own_end[1] = end;
    tables_make(&main_tables);
    for (unsigned n = 0; n < 2; n++) {
        area[n].table = main_tables.of[n];
        area[n].marked = true;
    }
    separate = true;
    hook_add(&switch_hooks, &tables_hook);
}

/* All that a thread's table of an area has counted, after pif_sync; and a sum
 * in which each word weighs what its place in memory is. NULL: of those that
 * have no tables of their own. */
uint32_t pif_own_count(const struct thread *t, unsigned n, uint32_t *weighed)
{
    const uint32_t *table = pif_own_tables(t)->of[n];
    uint32_t sum = 0;

    *weighed = 0;
    for (uint32_t at = own_from[n]; at < own_end[n]; at += 4) {
        uint32_t entry = table[(at - area[n].base) / line];
        const volatile uint32_t *block =
            (const uint32_t *)(entry & ~(uint32_t)SHADOW_FORMAT);
        uint32_t count = block[word_of(at) + 1];

        sum += count;
        *weighed += count * (at / 4);
    }
    return sum;
}

/* The mark goes, the count stays where it is. */
void pif_unmark(uint32_t from, uint32_t end)
{
    while (from < end) {
        uint32_t stop = line_start(from) + line;

        unmark_in_line(from, stop < end ? stop : end);
        from = stop;
    }
    pif_sync();
}

/* ---- counts -------------------------------------------------------------- */

#define READ_COUNT(name, op)                                                   \
    static uint32_t name(uint32_t at)                                          \
    {                                                                          \
        register uint32_t r3 __asm__("r3") = at;                               \
                                                                               \
        __asm__ volatile(".long 0x14601800 + " #op : "+r"(r3) : : "memory");   \
        return r3;                                                             \
    }
READ_COUNT(rdac, 1)
READ_COUNT(rdacz, 3)
READ_COUNT(rdic, 5)
READ_COUNT(rdicz, 7)

/* Executions or accesses. After pif_sync those of all processors. */
uint32_t pif_read(uint32_t at, bool data)
{
    return data ? rdac(at) : rdic(at);
}

uint32_t pif_count(uint32_t at)
{
    return pif_read(at, !pif_is_text(at));
}

/* The counts of all words from `from` to before `end`, which are text. */
void pif_counts(uint32_t from, uint32_t end, uint32_t *to)
{
    for (; from < end; from += 4)
        *to++ = rdic(from);
}

/* Thresholds exceeded, as storage has them: after pif_sync. */
uint32_t pif_hits(uint32_t at, bool data)
{
    return shadow_of(at, data)[3];
}

uint32_t pif_clear(uint32_t at, bool data)
{
    return data ? rdacz(at) : rdicz(at);
}

/* Those of all processors, and from now on it is 0. */
uint32_t pif_take(uint32_t at)
{
    return pif_clear(at, !pif_is_text(at));
}
