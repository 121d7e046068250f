/* perfinst.c - the kernel's own metadata (docs/pif.md 11): what a programmer's
 * directives or simmark put into the section .perfinst of this program. The
 * board shows it; here it is read, checked, and handed to the driver before the
 * workload runs, and afterwards each entry's counts are read back.
 *
 * Knows the kernel's functions, but not the sizes of its variables: an entry of
 * a variable needs a length (simmark writes it, `simmark fix` looks it up).
 */
#include "guest/kernel/defs.h"
#include "include/perfinst.h"

#define WORD 4

struct entry {
    uint32_t from, end, flags, limit;
    bool data;
    unsigned range; /* its number, with PERFINST_RANGE */
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

/* One group; *at goes behind it. */
static bool read_group(uint32_t *at, uint32_t size, uint32_t group)
{
    uint32_t head = *at, left = size - head, bytes, kind;

    if (left < PERFINST_HEADER_BYTES || word_at(head) != PERFINST_MAGIC)
        return refuse(group, 0, "no group begins here");
    kind = word_at(head + 4);
    if (kind >> 16 != PERFINST_VERSION || (kind & 0xFFFF) > PERFINST_KIND_DATA)
        return refuse(group, 0, "another version, or kind");
    bytes = word_at(head + 16);
    left -= PERFINST_HEADER_BYTES;
    if (bytes > left || bytes % PERFINST_ENTRY_BYTES)
        return refuse(group, 0, "its entries end outside");
    for (uint32_t n = 0; n < bytes / PERFINST_ENTRY_BYTES; n++) {
        uint32_t entry =
            head + PERFINST_HEADER_BYTES + n * PERFINST_ENTRY_BYTES;

        if (!read_entry(entry, word_at(head + 8), kind & 0xFFFF, group, n + 1))
            return false;
    }
    *at = head + PERFINST_HEADER_BYTES + bytes;
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

static void report_entry(uint32_t number, const struct entry *e)
{
    uint32_t sum = 0, hits = 0, interrupts = 0;

    kprintf("pif: entry %u: %s %x to %x flags %x: ", number,
            e->data ? "data" : "code", e->from, e->end, e->flags);
    if (e->flags & ~(uint32_t)PERFINST_RANGE) {
        for (uint32_t at = e->from; at < e->end; at += WORD) {
            uint32_t often;

            sum += pif_read(at, e->data) + hotcall_captured(at, &often);
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

    if (!autopif_say(read_all(), "the kernel's metadata can be read") ||
        !autopif_say(count > 0, "the kernel has metadata (simmark add)"))
        return false;
    for (uint32_t n = 0; n < count; n++)
        install(&entries[n]);
    pif_sync();
    good = autopif_counted(o);
    for (uint32_t n = 0; n < count; n++)
        report_entry(n + 1, &entries[n]);
    return good;
}
