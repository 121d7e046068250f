/* metadata.c - the section .perfinst of a program (docs/pif.md 11), read from
 * its file in the RAM disk. Nothing in the file is believed: a word outside of
 * it reads as 0.
 */
#include "guest/prof/marks/marks.h"
#include "include/perfinst.h"

#define WORD 4
#define SECTION_HEADER 40
#define SYMBOL 16
#define SYMBOL_TABLE 2
#define OBJECT 1
#define FUNCTION 2

/* Thresholds are those of the registers at reset. */
#define IN_REGISTERS                                                           \
    (PERFINST_RANGE | IND_EXC | IND_LIMIT | IND_THEXC | IND_TOGGLE |           \
     IND_TSTART | IND_TSTOP)

struct section {
    uint32_t at, bytes; /* in the file */
};

static uint32_t word(const struct node *f, uint32_t at)
{
    uint32_t value = 0;

    if (at <= f->size && f->size - at >= WORD)
        memcpy(&value, f->bytes + at, WORD);
    return value;
}

static uint32_t half(const struct node *f, uint32_t at)
{
    return word(f, at) >> 16;
}

static bool named(const struct node *f, uint32_t at, const char *name)
{
    uint32_t bytes = text_length(name) + 1;

    return at <= f->size && f->size - at >= bytes &&
           text_equal((const char *)f->bytes + at, name);
}

/* The first section of a type, or of a name. False: there is none. */
static bool find(const struct node *f, uint32_t type, const char *name,
                 struct section *s)
{
    uint32_t table = word(f, 32), count = half(f, 48);
    uint32_t texts = word(f, table + half(f, 50) * SECTION_HEADER + 16);

    for (; count; count--, table += SECTION_HEADER) {
        s->at = word(f, table + 16);
        s->bytes = word(f, table + 20);
        if ((name ? named(f, texts + word(f, table), name)
                  : word(f, table + 4) == type) &&
            s->at <= f->size && s->bytes <= f->size - s->at)
            return true;
    }
    return false;
}

/* How long what begins there is, by the symbols; 0: they do not say. */
static uint32_t length_of(const struct node *f, uint32_t from)
{
    struct section s;

    if (!find(f, SYMBOL_TABLE, NULL, &s))
        return 0;
    for (; s.bytes >= SYMBOL; s.bytes -= SYMBOL, s.at += SYMBOL) {
        uint32_t type = f->bytes[s.at + 12] & 15u;

        if ((type == FUNCTION || type == OBJECT) && word(f, s.at + 4) == from &&
            word(f, s.at + 8))
            return word(f, s.at + 8);
    }
    return 0;
}

uint32_t addresses_sort(uint32_t *list, uint32_t n)
{
    uint32_t kept = 0;

    for (uint32_t gap = n / 2; gap; gap /= 2) {
        for (uint32_t i = gap; i < n; i++) {
            uint32_t value = list[i], at = i;

            for (; at >= gap && list[at - gap] > value; at -= gap)
                list[at] = list[at - gap];
            list[at] = value;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!i || list[i] != list[i - 1])
            list[kept++] = list[i];
    }
    return kept;
}

bool metadata_functions(const struct node *f, uint32_t from, uint32_t end,
                        uint32_t **starts, uint32_t *count)
{
    struct section s;
    uint32_t n = 0;

    *count = 0;
    if (!find(f, SYMBOL_TABLE, NULL, &s))
        return true;
    *starts = marks_alloc(s.bytes / SYMBOL * sizeof **starts);
    if (!*starts)
        return false;
    for (; s.bytes >= SYMBOL; s.bytes -= SYMBOL, s.at += SYMBOL) {
        uint32_t at = word(f, s.at + 4);

        if ((f->bytes[s.at + 12] & 15u) == FUNCTION && at >= from && at < end &&
            at % WORD == 0 && half(f, s.at + 14))
            (*starts)[n++] = at;
    }
    *count = addresses_sort(*starts, n);
    return true;
}

const char *metadata_function(const struct node *f, uint32_t at,
                              uint32_t *offset)
{
    struct section s, texts;
    const char *name = "";
    uint32_t best = 0;

    if (!f || !find(f, SYMBOL_TABLE, NULL, &s) ||
        !find(f, 0, ".strtab", &texts))
        return name;
    for (; s.bytes >= SYMBOL; s.bytes -= SYMBOL, s.at += SYMBOL) {
        uint32_t start = word(f, s.at + 4), text = word(f, s.at);

        if ((f->bytes[s.at + 12] & 15u) != FUNCTION || start > at ||
            start <= best || text >= texts.bytes)
            continue;
        best = start;
        name = (const char *)f->bytes + texts.at + text;
    }
    *offset = at - best;
    return name;
}

static bool refuse(const struct marked *m, uint32_t group, uint32_t number,
                   const char *what)
{
    kprintf("pif: %s: .perfinst, group %u, entry %u: %s\n", m->name, group,
            number, what);
    return false;
}

static const char *fault(const struct entry *e, uint32_t from, uint32_t length,
                         const struct space *s)
{
    if (!length)
        return "no length, run simmark fix";
    if (!e->data && (from | length) % WORD)
        return "no whole instructions";
    if (e->end <= e->from || !space_region(s, e->from) ||
        !space_region(s, e->end - WORD))
        return "not in the program";
    if (!e->flags || e->flags & ~(uint32_t)PERFINST_FLAGS)
        return "flags that are not known, or none";
    if (e->flags & PERFINST_LIMIT ? !(e->flags & PERFINST_COUNT) : e->limit)
        return "a limit without LIMIT, or LIMIT without COUNT";
    if (e->flags & IND_THEXC && !(e->flags & IND_TH))
        return "an interrupt of a threshold without one";
    if (!e->data && e->flags & (IND_LOADS | IND_STORES))
        return "loads or stores of instructions";
    return NULL;
}

/* What the entry needs of a processor's registers. */
static bool read_registers(struct marked *m, struct entry *e,
                           const char **wrong)
{
    if (!(e->flags & IN_REGISTERS))
        return true;
    if (!m->registers)
        m->registers = marks_alloc(sizeof *m->registers);
    *wrong = "no memory is left for it";
    if (!m->registers)
        return false;
    *wrong = "more ranges than there are registers";
    return !(e->flags & PERFINST_RANGE) ||
           registers_range(m->registers, e, &e->range);
}

static bool read_entry(struct marked *m, const struct space *s, uint32_t at,
                       uint32_t base, bool data, const char **wrong)
{
    uint32_t from = base + word(m->file, at), length = word(m->file, at + 4);
    struct entry *e = marks_alloc(sizeof *e), **place = &m->entries;

    *wrong = "no memory is left for it";
    if (!e)
        return false;
    length = length ? length : length_of(m->file, from);
    *e = (struct entry){.from = from & ~(WORD - 1u),
                        .end = (from + length + WORD - 1) & ~(WORD - 1u),
                        .flags = word(m->file, at + 8),
                        .limit = word(m->file, at + 12),
                        .data = data};
    *wrong = fault(e, from, length, s);
    while (*place)
        place = &(*place)->next;
    *place = e;
    return !*wrong && read_registers(m, e, wrong);
}

/* One group; s goes behind it. */
static bool read_group(struct marked *m, const struct space *space,
                       struct section *s, uint32_t group)
{
    uint32_t head = s->at, kind, bytes;
    const char *wrong;

    if (s->bytes < PERFINST_HEADER_BYTES ||
        word(m->file, head) != PERFINST_MAGIC)
        return refuse(m, group, 0, "no group begins here");
    kind = word(m->file, head + 4);
    bytes = word(m->file, head + 16);
    if (kind >> 16 != PERFINST_VERSION || (kind & 0xFFFF) > PERFINST_KIND_DATA)
        return refuse(m, group, 0,
                      "a version, or a kind, that the guest does not have for "
                      "programs");
    s->at += PERFINST_HEADER_BYTES;
    s->bytes -= PERFINST_HEADER_BYTES;
    if (bytes > s->bytes || bytes % PERFINST_ENTRY_BYTES)
        return refuse(m, group, 0, "its entries end outside");
    for (uint32_t n = 0; n < bytes; n += PERFINST_ENTRY_BYTES) {
        if (!read_entry(m, space, s->at + n, word(m->file, head + 8),
                        (kind & 0xFFFF) == PERFINST_KIND_DATA, &wrong))
            return refuse(m, group, n / PERFINST_ENTRY_BYTES + 1, wrong);
    }
    s->at += bytes;
    s->bytes -= bytes;
    return true;
}

bool metadata_read(struct marked *m, const struct space *s)
{
    struct section section;
    uint32_t group = 0;

    if (!find(m->file, 0, ".perfinst", &section))
        return true;
    while (section.bytes) {
        if (!read_group(m, s, &section, ++group))
            return false;
    }
    return true;
}
