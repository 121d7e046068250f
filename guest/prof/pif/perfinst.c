/* perfinst.c - the kernel's own metadata (docs/pif.md 11): what a programmer's
 * directives or simmark put into the section .perfinst of this program. The
 * board shows it; here it is read, checked, and handed to the driver before the
 * workload runs, and afterwards each entry's counts are read back.
 *
 * Knows the kernel's functions, but not the sizes of its variables: an entry of
 * a variable needs a length (simmark writes it, `simmark fix` looks it up).
 */
#include "guest/prof/pif/pif.h"
#include "include/perfinst.h"

#define WORD 4

struct entry {
    uint32_t from, end, flags, limit;
    bool data;
    unsigned range;          /* its number, with PERFINST_RANGE */
    struct count_area units; /* a count area, unless its size is 0 */
    uint32_t area;           /* ... its number */
};

static struct entry *entries;
static uint32_t count;

static uint32_t word_at(uint32_t offset)
{
    return io_read(BOARD_PERFINST + offset);
}

static bool refuse(uint32_t group, uint32_t entry, const char *what)
{
    kprintf("pif: .perfinst, group %u, entry %u: %s\n", group, entry, what);
    return false;
}

/* A length of 0 is the function that begins there. */
static uint32_t length_of(uint32_t from, uint32_t length, bool data)
{
    uint32_t index;

    if (length || data || !pif_is_text(from))
        return length;
    index = function_index(from);
    return index && function_start(index) == from ? function_end(index) - from
                                                  : 0;
}

static const char *fault(const struct entry *e, uint32_t length)
{
    uint32_t flags = e->flags;

    if (!length)
        return "no length, run simmark fix";
    if (!e->data && (e->from | length) % WORD)
        return "no whole instructions";
    if (e->end <= e->from || !pif_has(e->from, e->data) ||
        !pif_has(e->end - WORD, e->data))
        return "not in the kernel";
    if (!flags || flags & ~(uint32_t)PERFINST_FLAGS)
        return "flags that are not known, or none";
    if (flags & PERFINST_LIMIT ? !(flags & PERFINST_COUNT) : e->limit)
        return "a limit without LIMIT, or LIMIT without COUNT";
    return NULL;
}

static bool read_entry(uint32_t at, uint32_t base, bool data, uint32_t group,
                       uint32_t number)
{
    struct entry *e = &entries[count];
    uint32_t from = base + word_at(at);
    uint32_t length = length_of(from, word_at(at + 4), data);
    const char *wrong;

    *e = (struct entry){.from = data ? from & ~(WORD - 1u) : from,
                        .end = (from + length + WORD - 1) & ~(WORD - 1u),
                        .flags = word_at(at + 8),
                        .limit = word_at(at + 12),
                        .data = data};
    wrong = fault(e, length);
    if (wrong)
        return refuse(group, number, wrong);
    if (e->flags & PERFINST_RANGE &&
        !range_add(e->from, e->end, data, &e->range))
        return refuse(group, number, "more ranges than there are registers");
    count++;
    return true;
}

static bool is_power(uint32_t n, uint32_t most)
{
    return n && n <= most && !(n & (n - 1));
}

static const char *area_fault(const struct count_area *u)
{
    uint32_t end = u->start + u->bytes, last;

    if (!u->bytes)
        return "no length, run simmark fix";
    if (!is_power(u->granule, 4096) || !is_power(u->size, WORD) ||
        u->at % u->size)
        return "no granularity, or no count unit, that there is";
    last = u->at + count_areas_units(u) * u->size - 1;
    if (end <= u->start || !pif_has(u->start & ~(WORD - 1u), true) ||
        !pif_has((end - 1) & ~(WORD - 1u), true))
        return "not in the kernel";
    if (last < u->at || pif_is_text(u->at & ~(WORD - 1u)) ||
        !pif_has(u->at & ~(WORD - 1u), true) ||
        !pif_has(last & ~(WORD - 1u), true))
        return "a count area that is not in the kernel's data";
    return u->at < end && u->start <= last ? "a count area in its own data"
                                           : NULL;
}

static bool read_area(uint32_t at, uint32_t base, uint32_t group,
                      uint32_t number)
{
    struct entry *e = &entries[count];
    const char *wrong;

    *e = (struct entry){.units = {base + word_at(at), word_at(at + 4),
                                  word_at(at + 8), word_at(at + 12),
                                  word_at(at + 16)}};
    wrong = area_fault(&e->units);
    if (wrong)
        return refuse(group, number, wrong);
    if (!count_areas_add(&e->units, &e->area))
        return refuse(group, number, "more count areas than descriptors");
    count++;
    return true;
}

/* One group; *at goes behind it. */
static bool read_group(uint32_t *at, uint32_t size, uint32_t group)
{
    uint32_t head = *at, left = size - head, bytes, kind, each, base, n = 0;

    if (left < PERFINST_HEADER_BYTES || word_at(head) != PERFINST_MAGIC)
        return refuse(group, 0, "no group begins here");
    kind = word_at(head + 4);
    if (kind >> 16 != PERFINST_VERSION || (kind & 0xFFFF) > PERFINST_KIND_AREA)
        return refuse(group, 0, "another version, or kind");
    kind &= 0xFFFF;
    each =
        kind == PERFINST_KIND_AREA ? PERFINST_AREA_BYTES : PERFINST_ENTRY_BYTES;
    base = word_at(head + 8);
    bytes = word_at(head + 16);
    left -= PERFINST_HEADER_BYTES;
    if (bytes > left || bytes % each)
        return refuse(group, 0, "its entries end outside");
    *at = head + PERFINST_HEADER_BYTES + bytes;
    for (uint32_t entry = *at - bytes; entry < *at; entry += each)
        if (!(kind == PERFINST_KIND_AREA
                  ? read_area(entry, base, group, ++n)
                  : read_entry(entry, base, kind, group, ++n)))
            return false;
    return true;
}

static bool read_all(void)
{
    uint32_t size = io_read(BOARD_INFO + INFO_PERFINST), at = 0, group = 0;

    entries = kalloc(size / PERFINST_ENTRY_BYTES * sizeof *entries);
    while (at < size) {
        if (!read_group(&at, size, ++group))
            return false;
    }
    return true;
}

static void install(const struct entry *e)
{
    uint32_t indicator = e->flags & ~(uint32_t)PERFINST_RANGE;

    for (uint32_t at = e->from; indicator && at < e->end; at += WORD)
        pif_join(at, e->data, indicator, e->limit);
}

static void report_area(uint32_t number, const struct entry *e)
{
    const struct count_area *u = &e->units;
    uint32_t n = count_areas_units(u), sum = 0, used = 0, most = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t value = count_areas_read(u, i);

        sum += value;
        used += value != 0;
        if (value > count_areas_read(u, most))
            most = i;
    }
    kprintf("pif: entry %u: area %x to %x by %u bytes, units of %u at %x: ",
            number, u->start, u->start + u->bytes, u->granule, u->size, u->at);
    kprintf("counted %u in %u of %u units, most %u in number %u, lost %u\n",
            sum, used, n, count_areas_read(u, most), most,
            count_areas_lost(e->area));
}

static void report_entry(uint32_t number, const struct entry *e)
{
    uint32_t sum = 0, hits = 0, interrupts = 0;

    if (e->units.size) {
        report_area(number, e);
        return;
    }
    kprintf("pif: entry %u: %s %x to %x flags %x: ", number,
            e->data ? "data" : "code", e->from, e->end, e->flags);
    if (e->flags & ~(uint32_t)PERFINST_RANGE) {
        for (uint32_t at = e->from; at < e->end; at += WORD) {
            uint32_t often;

            sum += pif_read(at, e->data) + climb_captured(at, &often);
            hits += pif_hits(at, e->data);
            interrupts += often;
        }
        kprintf("counted %u exceeded %u interrupts %u\n", sum, hits,
                interrupts);
    } else {
        kprintf("counted %u entered %u\n", range_executed(e->range),
                range_entries(e->range));
    }
}

/* One run, measured as the program itself says. */
bool perfinst_run(const struct options *o)
{
    bool good;

    if (!report_check(read_all(), "the kernel's metadata can be read") ||
        !report_check(count > 0, "the kernel has metadata (simmark add)"))
        return false;
    pif_say();
    for (uint32_t n = 0; n < count; n++)
        install(&entries[n]);
    pif_sync();
    good = autopif_counted(o);
    for (uint32_t n = 0; n < count; n++)
        report_entry(n + 1, &entries[n]);
    return good;
}
